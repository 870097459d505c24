//! The league: the next pair of games is the most informative about the current players.
//!
//! Each player has an estimate of its strength that every game moves a little (Glicko, without
//! decay: a version does not change). It only chooses games; the tables fit all results together.

use referee_record::model::fixture::Lineup;
use std::collections::HashMap;
use std::num::NonZeroU64;

use referee_games::Seat;
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
/// After this many copies of earlier games in a row, two players do not meet again.
const REPEATS: u32 = 4;
/// A pair of games is worth playing if it should narrow an interval by this many Elo, to
/// each side: between equals, until both are known to 50 Elo, after about 190 games.
const WORTH_PLAYING: f64 = 0.25;
/// Half of a 95% interval, in deviations.
const HALF_INTERVAL: f64 = 1.96;

/// What a league knows about its players, to choose the next games.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matchmaker {
    players: Vec<Strength>,
    /// The meetings of current players, the lower number first.
    meetings: HashMap<(usize, usize), Meetings>,
    /// The number of pairs chosen so far.
    chosen: u64,
    /// Whether no pair could be chosen, and nothing has changed since.
    is_dry: bool,
}

/// Knowledge about a player.
#[derive(Debug, Clone, Copy)]
struct Strength {
    value: f64,
    deviation: f64,
    /// Whether its rating is fixed, so that games reveal nothing about it.
    is_given: bool,
    is_there: bool,
    /// Games that were chosen for it and are not over.
    busy: u32,
    /// How many pairs had been chosen when it was last chosen.
    last: u64,
}

/// The games of two players.
#[derive(Debug, Clone, Copy, Default)]
struct Meetings {
    /// How many there were.
    games: u32,
    /// By who had the first seat.
    fingerprints: [Option<NonZeroU64>; 2],
    /// How many copies of earlier games came last.
    repeats: u32,
}

impl Matchmaker {
    /// Adds a player that does not play yet.
    pub(crate) fn add(&mut self) {
        let last = self.chosen;
        let form = Strength {
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
                let Strength { value, deviation, .. } = self.players[before];
                (value, deviation.hypot(NEW_VERSION).min(UNKNOWN))
            }
            (None, None) => (middle, UNKNOWN),
        };
        let last = self.chosen;
        let is_given = given.is_some();
        self.players[player] =
            Strength { value, deviation, is_given, is_there: true, busy: 0, last };
        self.is_dry = false;
    }

    /// A player has stopped playing.
    pub(crate) fn leave(&mut self, player: usize) {
        self.players[player].is_there = false;
        self.meetings.retain(|&(one, other), _| one != player && other != player);
        self.is_dry = false;
    }

    /// Whether a player plays now.
    pub(crate) fn is_there(&self, player: usize) -> bool {
        self.players[player].is_there
    }

    /// A game was chosen for these players.
    pub(crate) fn begins(&mut self, (one, other): (usize, usize)) {
        self.players[one].busy += 1;
        self.players[other].busy += 1;
    }

    /// A chosen game is over, or will not be played.
    pub(crate) fn ends(&mut self, (one, other): (usize, usize)) {
        for player in [one, other] {
            self.players[player].busy = self.players[player].busy.saturating_sub(1);
        }
    }

    /// Learns from the result of a game.
    pub(crate) fn learn(&mut self, players: Lineup, game: GameSummary) {
        self.is_dry = false;
        let [first, second] = players.two();
        let are_there = self.is_there(first) && self.is_there(second);
        let mut is_copy = false;
        if are_there {
            let last = self.meetings.entry((first.min(second), first.max(second))).or_default();
            last.games += 1;
            let place = &mut last.fingerprints[usize::from(first > second)];
            is_copy = game.fingerprint.is_some() && *place == game.fingerprint;
            *place = game.fingerprint;
            last.repeats = if is_copy { last.repeats + 1 } else { 0 };
        }
        if is_copy || game.outcome().is_none() {
            return;
        }
        let halves = game.halves();
        let before = [first, second].map(|player| self.players[player]);
        for (seat, player, [own, other]) in
            [(Seat::FIRST, first, before), (Seat::SECOND, second, [before[1], before[0]])]
        {
            let score = [0.0, 0.5, 1.0][halves[seat].min(2)];
            let form = &mut self.players[player];
            (form.value, form.deviation) = own.after(other, score);
        }
    }

    /// The next pair of games: of the least certain player, or every other time of the one
    /// that has waited longest, against the most informative opponent. `None` if no two players are
    /// left, or their games would only repeat earlier ones, or reveal too little.
    pub(crate) fn choose(&mut self) -> Option<(usize, usize)> {
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
        let pair = order.iter().find_map(|&one| Some((one, self.opponent(one)?)));
        self.is_dry = pair.is_none();
        let (one, other) = pair?;
        self.chosen += 1;
        for player in [one, other] {
            self.players[player].last = self.chosen;
        }
        Some((one, other))
    }

    /// The most informative opponent for `one`.
    fn opponent(&self, one: usize) -> Option<usize> {
        let own = self.players[one];
        let others = self.players.iter().enumerate();
        let worth = others.filter_map(|(player, other)| {
            if player == one || !other.is_there || !own.is_worth_meeting(*other) {
                return None;
            }
            let key = (one.min(player), one.max(player));
            let met = self.meetings.get(&key).copied().unwrap_or_default();
            let worth = own.worth(*other) * chance(self.chosen, player) * met.novelty();
            (met.repeats < REPEATS).then_some((player, worth))
        });
        worth.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(player, _)| player)
    }
}

impl Meetings {
    /// How much more a pair of games reveals than if the two had met as often and played copies.
    /// Those who always meet the same few know little about the others: without the root of the
    /// meetings, ratings of close fields were pulled together, and intervals of 95% held in 90%.
    fn novelty(self) -> f64 {
        let pairs = f64::from(self.games) / 2.0;
        1.0 / ((1.0 + pairs).sqrt() * f64::from(1 + self.repeats))
    }
}

impl Strength {
    /// How much is still to be learned about it, beyond the games in progress.
    fn need(self) -> f64 {
        self.deviation / f64::from(1 + self.busy)
    }

    /// The information of a game against `other`: most if that one is near in strength, well
    /// known, and has nothing else to play. The root lets players of different strength meet, too,
    /// which ties the ends of the scale together.
    fn worth(self, other: Self) -> f64 {
        let expected = expected(self.value - other.value, 1.0);
        let g = certainty(other.deviation);
        g * g * (expected * (1.0 - expected)).sqrt() / f64::from(1 + other.busy)
    }

    /// Whether a pair of games against `other` reveals enough about either of them.
    fn is_worth_meeting(self, other: Self) -> bool {
        let narrows = |one: Self, other: Self| {
            let (_, after) = one.after(other, 0.5);
            !one.is_given && 2.0 * HALF_INTERVAL * (one.deviation - after) >= WORTH_PLAYING
        };
        narrows(self, other) || narrows(other, self)
    }

    /// The value and the deviation after a game against `other` with this score (Glickman, 1999).
    fn after(self, other: Self, score: f64) -> (f64, f64) {
        let g = certainty(other.deviation);
        let expected = expected(self.value - other.value, g);
        let information = (Q * g).powi(2) * expected * (1.0 - expected);
        let precision = self.deviation.powi(-2) + information;
        let value = self.value + Q / precision * g * (score - expected);
        (value, precision.powf(-0.5).max(LEAST))
    }
}

/// A number from 0.5 to 1.5, as good as random: who always met the same few would say little about
/// the others.
fn chance(chosen: u64, player: usize) -> f64 {
    let mut mixed = (chosen << 20 ^ player as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    0.5 + f64::from((mixed >> 32) as u32) / f64::from(u32::MAX)
}

/// How much of the information of a game is left if the opponent's rating has this deviation.
fn certainty(deviation: f64) -> f64 {
    let share = 3.0 * (Q * deviation / std::f64::consts::PI).powi(2);
    1.0 / (1.0 + share).sqrt()
}

/// The expected score at this difference in Elo; `g` makes up for an uncertain opponent.
fn expected(difference: f64, g: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-g * difference / 400.0))
}

#[cfg(test)]
mod tests;
