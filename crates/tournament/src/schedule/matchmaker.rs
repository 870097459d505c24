//! The league: the next deal is the most informative about the current players.
//!
//! Each player has an estimate of its strength that every game moves a little (Glicko, without
//! decay: a version does not change). It only chooses games; the tables fit all results together.

use referee_record::model::fixture::Lineup;
use std::collections::HashMap;
use std::num::NonZeroU64;

use referee_ratings::DealTable;
use referee_record::model::game_summary::GameSummary;

/// The deviation of an unknown player, in Elo.
const UNKNOWN: f64 = 350.0;
/// The deviation of a new version of a player that is known, beyond that of the old version.
const NEW_VERSION: f64 = 150.0;
/// The deviation of a player with a fixed rating.
const GIVEN: f64 = 50.0;
/// The smallest deviation, so that no rating is ever certain.
const LEAST: f64 = 25.0;
/// The slope of the expected score on the scale of Elo.
const Q: f64 = std::f64::consts::LN_10 / 400.0;
/// After copies of this many earlier deals in a row, two players do not meet again.
const REPEATS: u32 = 2;
/// Two games are worth playing if they should narrow an interval by this many Elo, to each
/// side. Between two equals, that is so until both are known to 50 Elo, after about 190 games.
const WORTH_PLAYING: f64 = 0.25;
/// Half of a 95% interval, in deviations.
const HALF_INTERVAL: f64 = 1.96;

/// What a league knows about its players, to choose the next games.
#[derive(Debug, Clone)]
pub(crate) struct Matchmaker {
    table: DealTable,
    players: Vec<MatchmakerStrength>,
    /// The meetings of current players, the lower number first.
    meetings: HashMap<(usize, usize), MatchmakerMeetings>,
    /// The last game of current players, by seat.
    last_games: HashMap<Lineup, NonZeroU64>,
    /// The number of deals chosen so far.
    chosen: u64,
    /// Whether no deal could be chosen, and nothing has changed since.
    is_dry: bool,
}

/// Knowledge about a player.
#[derive(Debug, Clone, Copy)]
struct MatchmakerStrength {
    value: f64,
    deviation: f64,
    /// Whether its rating is fixed, so that games reveal nothing about it.
    is_given: bool,
    is_there: bool,
    /// Games that were chosen for it and are not over.
    busy: u32,
    /// How many deals had been chosen when it was last chosen.
    last: u64,
}

/// The games of two players.
#[derive(Debug, Clone, Copy, Default)]
struct MatchmakerMeetings {
    /// How many there were.
    games: u32,
    /// How many copies of earlier games came last.
    repeats: u32,
}

impl Matchmaker {
    /// Chooses games such as those of `table`; nobody plays yet.
    pub(crate) fn new(table: DealTable) -> Self {
        Self {
            table,
            players: Vec::new(),
            meetings: HashMap::new(),
            last_games: HashMap::new(),
            chosen: 0,
            is_dry: false,
        }
    }

    /// Adds a player that does not play yet.
    pub(crate) fn add(&mut self) {
        let last = self.chosen;
        let form = MatchmakerStrength {
            value: 0.0,
            deviation: UNKNOWN,
            is_given: false,
            is_there: false,
            busy: 0,
            last,
        };
        self.players.push(form);
    }

    /// A player begins to play: with a `given` rating, or after the version `before` of the same
    /// author.
    #[expect(clippy::cast_precision_loss, reason = "counts of players")]
    pub(crate) fn enter(&mut self, player: usize, given: Option<f64>, before: Option<usize>) {
        let there: Vec<f64> =
            self.players.iter().filter(|form| form.is_there).map(|form| form.value).collect();
        let middle = there.iter().sum::<f64>() / there.len().max(1) as f64;
        let (value, deviation) = match (given, before) {
            (Some(rating), _) => (rating, GIVEN),
            (None, Some(before)) => {
                let MatchmakerStrength { value, deviation, .. } = self.players[before];
                (value, deviation.hypot(NEW_VERSION).min(UNKNOWN))
            }
            (None, None) => (middle, UNKNOWN),
        };
        let last = self.chosen;
        let is_given = given.is_some();
        self.players[player] =
            MatchmakerStrength { value, deviation, is_given, is_there: true, busy: 0, last };
        self.is_dry = false;
    }

    /// A player has stopped playing.
    pub(crate) fn leave(&mut self, player: usize) {
        self.players[player].is_there = false;
        self.meetings.retain(|&(one, other), _| one != player && other != player);
        self.last_games.retain(|lineup, _| lineup.players().all(|there| there != player));
        self.is_dry = false;
    }

    /// A player that stopped plays again, and is as strong as it was.
    pub(crate) fn come_back(&mut self, player: usize) {
        let last = self.chosen;
        let form = &mut self.players[player];
        *form = MatchmakerStrength { is_there: true, last, ..*form };
        self.is_dry = false;
    }

    /// Whether a player plays now.
    pub(crate) fn is_there(&self, player: usize) -> bool {
        self.players[player].is_there
    }

    /// A game was chosen for these players.
    pub(crate) fn note_game_begun(&mut self, players: Lineup) {
        for player in players.players() {
            self.players[player].busy += 1;
        }
    }

    /// A chosen game is over, or will not be played.
    pub(crate) fn note_game_over(&mut self, players: Lineup) {
        for player in players.players() {
            self.players[player].busy = self.players[player].busy.saturating_sub(1);
        }
    }

    /// Learns from the result of a game.
    pub(crate) fn learn(&mut self, players: Lineup, game: GameSummary) {
        self.is_dry = false;
        let is_copy = self.is_copy(players, game);
        for (at, one) in players.players().enumerate() {
            for other in players.players().skip(at + 1) {
                if self.is_there(one) && self.is_there(other) {
                    let met = self.meetings.entry((one.min(other), one.max(other))).or_default();
                    met.games += 1;
                    met.repeats = if is_copy { met.repeats + 1 } else { 0 };
                }
            }
        }
        if is_copy {
            return;
        }
        let mut compared: Vec<Vec<Comparison>> = vec![Vec::new(); players.seats().len()];
        for ([one, other], outcome) in game.comparisons(players, self.table.compared) {
            let score = count_as_f64(outcome.halves()) / 2.0;
            for (own, other, score) in [(one, other, score), (other, one, 1.0 - score)] {
                let strength = |seat| self.players[players.at(seat)];
                compared[own.index()].push(strength(own).compare_with(strength(other), score));
            }
        }
        let compared = players.players().zip(compared).filter(|(_, own)| !own.is_empty());
        for (player, compared) in compared {
            let form = &mut self.players[player];
            (form.value, form.deviation) =
                form.updated_by(&compared, self.table.comparison_weight());
        }
    }

    /// Whether the last game of the same players at the same seats was the same one. Notes this one.
    fn is_copy(&mut self, players: Lineup, game: GameSummary) -> bool {
        if !players.players().all(|player| self.is_there(player)) {
            return false;
        }
        let before = match game.fingerprint {
            Some(this) => self.last_games.insert(players, this),
            None => self.last_games.remove(&players),
        };
        before.is_some() && before == game.fingerprint
    }

    /// The players of the next deal: the least certain one, or every other time the one that has
    /// waited longest, with the most informative others. `None` if too few are left, or their games
    /// would only repeat earlier ones, or reveal too little.
    pub(crate) fn choose_deal(&mut self) -> Option<Lineup> {
        if self.is_dry {
            return None;
        }
        let mut order: Vec<usize> =
            (0..self.players.len()).filter(|&player| self.is_there(player)).collect();
        let by_wait = |&player: &usize| self.players[player].last;
        let by_need = |&one: &usize, &other: &usize| {
            let need = |player: usize| self.players[player].need();
            need(other).total_cmp(&need(one))
        };
        order.sort_by_key(by_wait);
        if self.chosen.is_multiple_of(2) {
            order.sort_by(by_need);
        }
        let players = order.iter().find_map(|&one| self.choose_opponents(one));
        self.is_dry = players.is_none();
        let players = players?;
        self.chosen += 1;
        for player in players.players() {
            self.players[player].last = self.chosen;
        }
        Some(players)
    }

    /// The player `one` and the most informative others.
    fn choose_opponents(&self, one: usize) -> Option<Lineup> {
        let own = self.players[one];
        let seats = self.table.seats;
        let others = self.players.iter().enumerate();
        let worth = others.filter_map(|(player, other)| {
            if player == one || !other.is_there || !own.is_worth_meeting(*other, self.table) {
                return None;
            }
            let key = (one.min(player), one.max(player));
            let met = self.meetings.get(&key).copied().unwrap_or_default();
            let worth =
                own.worth(*other) * matchmaking_jitter(self.chosen, player) * met.novelty(seats);
            (f64::from(met.repeats) < f64::from(REPEATS) * count_as_f64(seats))
                .then_some((player, worth))
        });
        let mut worth: Vec<(usize, f64)> = worth.collect();
        worth.sort_by(|one, other| one.1.total_cmp(&other.1));
        let best = worth.iter().rev().take(seats - 1).map(|&(player, _)| player);
        (worth.len() >= seats - 1).then(|| std::iter::once(one).chain(best).collect())
    }
}

impl MatchmakerMeetings {
    /// How much more a deal reveals than if the two had met as often and played copies. Those
    /// who always meet the same few know little about the others: without the root of the meetings,
    /// ratings of close fields were pulled together, and intervals of 95% held in 90%.
    fn novelty(self, seats: usize) -> f64 {
        let deals = f64::from(self.games) / count_as_f64(seats);
        1.0 / ((1.0 + deals).sqrt() * f64::from(1 + self.repeats))
    }
}

impl MatchmakerStrength {
    /// How much is still to be learned about it, beyond the games in progress.
    fn need(self) -> f64 {
        self.deviation / f64::from(1 + self.busy)
    }

    /// The information of a game against `other`: most if that one is near in strength, well
    /// known, and has nothing else to play. The root lets players of different strength meet, too,
    /// which ties the ends of the scale together.
    fn worth(self, other: Self) -> f64 {
        let expected = glicko_expected_score(self.value - other.value, 1.0);
        let g = glicko_certainty(other.deviation);
        g * g * (expected * (1.0 - expected)).sqrt() / f64::from(1 + other.busy)
    }

    /// Whether games with `other`, and others like it, reveal enough about either of them.
    fn is_worth_meeting(self, other: Self, table: DealTable) -> bool {
        let narrows = |one: Self, other: Self| {
            let weight = count_as_f64(table.seats - 1) * table.comparison_weight();
            let (_, after) = one.updated_by(&[one.compare_with(other, 0.5)], weight);
            !one.is_given && 2.0 * HALF_INTERVAL * (one.deviation - after) >= WORTH_PLAYING
        };
        narrows(self, other) || narrows(other, self)
    }

    /// A comparison with `other`, in which it had this score.
    fn compare_with(self, other: Self, score: f64) -> Comparison {
        let g = glicko_certainty(other.deviation);
        let expected = glicko_expected_score(self.value - other.value, g);
        let information = (Q * g).powi(2) * expected * (1.0 - expected);
        Comparison { information, g, surprise: score - expected }
    }

    /// The value and the deviation after the comparisons of a game (Glickman, 1999).
    fn updated_by(self, comparisons: &[Comparison], weight: f64) -> (f64, f64) {
        let information: f64 = comparisons.iter().map(|it| it.information).sum();
        let precision = self.deviation.powi(-2) + weight * information;
        let change: f64 = comparisons.iter().map(|it| Q / precision * it.g * it.surprise).sum();
        (self.value + weight * change, precision.powf(-0.5).max(LEAST))
    }
}

/// What a game tells about a player against another one.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    information: f64,
    /// How certain the strength of the other one is.
    g: f64,
    /// How much more it scored than was expected.
    surprise: f64,
}

#[expect(clippy::cast_precision_loss, reason = "counts of seats and of half points")]
fn count_as_f64(number: usize) -> f64 {
    number as f64
}

/// A number from 0.5 to 1.5, as good as random: who always met the same few would say little about
/// the others.
fn matchmaking_jitter(chosen: u64, player: usize) -> f64 {
    let mut mixed = (chosen << 20 ^ player as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    0.5 + f64::from((mixed >> 32) as u32) / f64::from(u32::MAX)
}

/// How much of the information of a game is left if the opponent's rating has this deviation.
fn glicko_certainty(deviation: f64) -> f64 {
    let share = 3.0 * (Q * deviation / std::f64::consts::PI).powi(2);
    1.0 / (1.0 + share).sqrt()
}

/// The expected score at this difference in Elo; `g` makes up for an uncertain opponent.
fn glicko_expected_score(difference: f64, g: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-g * difference / 400.0))
}

#[cfg(test)]
mod tests;
