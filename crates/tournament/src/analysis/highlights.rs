//! The most interesting games: upsets, the longest, the shortest, the closest, and games with a
//! fault.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::logged_game::LoggedGame;
use referee_games::{BySeat, Seat};
use referee_record::model::record::GameRecord;

/// The most games of each kind.
pub(crate) const EACH: usize = 6;
/// The most games with a fault.
pub const FAULTS: usize = 60;

/// The most that either player of a close game is expected to score.
pub(crate) const CLOSE: f64 = 0.65;

/// The reason why a game is interesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HighlightKind {
    /// The winner has a lower rating than another player, and the rating difference is among the
    /// largest; if possible between different programs.
    Upset,
    /// A long game between players of about the same rating: neither is expected to score more
    /// than `CLOSE` against another; if possible between different programs. With more than two
    /// final scores, one in which these are near each other.
    Close,
    /// Among the longest.
    Long,
    /// Among the shortest that did not end in a fault.
    Short,
    /// It ended in a fault.
    Fault,
}

impl HighlightKind {
    /// Every kind, in the order of the page.
    pub const ALL: [Self; 5] = [Self::Upset, Self::Close, Self::Long, Self::Short, Self::Fault];

    /// A heading for games of this kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Upset => "Upsets",
            Self::Close => "Closest",
            Self::Long => "Longest",
            Self::Short => "Shortest",
            Self::Fault => "Faults",
        }
    }
}

/// A highlight.
#[derive(Debug, Clone, PartialEq)]
pub struct Highlight {
    /// The game.
    pub record: Arc<GameRecord>,
    /// How much the best player that did not win is rated above the winner, in Elo; negative if it
    /// is not, and 0 in a draw.
    pub upset: f64,
    /// How many games came before it.
    number: usize,
    /// The values by which it was chosen, the most important first; larger is better.
    worth: [f64; 3],
}

/// The best games of each kind found so far.
#[derive(Debug, Default)]
pub struct Highlights {
    kinds: BTreeMap<HighlightKind, Vec<Highlight>>,
    /// The number of games seen.
    games: usize,
}

impl Highlights {
    /// Considers a game between players with these ratings, in Elo; `are_copies` says whether all are
    /// the same program.
    pub(crate) fn add(&mut self, game: &LoggedGame, ratings: &BySeat<f64>, are_copies: bool) {
        self.games += 1;
        let best = |seats: &mut dyn Iterator<Item = Seat>| {
            seats.map(|seat| ratings[seat]).fold(f64::NEG_INFINITY, f64::max)
        };
        let least = ratings.values().iter().copied().fold(f64::INFINITY, f64::min);
        let spread = best(&mut ratings.seats()) - least;
        let upset = match game.summary.places.winner() {
            Some(winner) => best(&mut ratings.others(winner)) - ratings[winner],
            None => 0.0,
        };
        let plies = f64::from(game.record.plies);
        if game.summary.is_faulted() {
            // The first faults of each player are kept: the log is in the order in which games
            // ended.
            return self.keep_if_best(HighlightKind::Fault, game, upset, [0.0; 3], FAULTS);
        }
        self.keep_if_best(HighlightKind::Long, game, upset, [plies, 0.0, 0.0], EACH);
        self.keep_if_best(HighlightKind::Short, game, upset, [-plies, 0.0, 0.0], EACH);
        // The ratings of copies differ by chance only.
        let differ = if are_copies { 0.0 } else { 1.0 };
        if expected_score_of_better(spread) <= CLOSE {
            let worth = match final_score_gap(&game.record) {
                Some(gap) => [differ, -gap, -spread],
                None => [differ, -spread, plies],
            };
            self.keep_if_best(HighlightKind::Close, game, upset, worth, EACH);
        }
        if upset > 0.0 {
            self.keep_if_best(HighlightKind::Upset, game, upset, [differ, upset, 0.0], EACH);
        }
    }

    /// The games of a kind, the most interesting first.
    pub fn of_kind(&self, kind: HighlightKind) -> &[Highlight] {
        self.kinds.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// The game to show first: the closest, or if no players of similar rating differ, the longest,
    /// if possible of players that differ.
    pub fn featured(
        &self,
        are_alike: impl Fn(&str, &str) -> bool,
    ) -> Option<(HighlightKind, &GameRecord)> {
        let games =
            |kind| self.of_kind(kind).iter().map(move |highlight| (kind, &*highlight.record));
        let differ = |(_, record): &(HighlightKind, &GameRecord)| {
            let names = record.players.values.values();
            names.windows(2).any(|next| !are_alike(&next[0], &next[1]))
        };
        let candidates = || games(HighlightKind::Close).chain(games(HighlightKind::Long));
        candidates().find(differ).or_else(|| games(HighlightKind::Long).next())
    }

    /// All highlights, each game once, in the order in which they were added.
    pub fn records(&self) -> impl Iterator<Item = &GameRecord> {
        let all = self.kinds.values().flatten();
        let by_number: BTreeMap<usize, &GameRecord> =
            all.map(|highlight| (highlight.number, &*highlight.record)).collect();
        by_number.into_values()
    }

    /// Inserts a game if it is among the best `most`. The same players have at most one upset and one
    /// close game, because their ratings do not change from game to game.
    fn keep_if_best(
        &mut self,
        kind: HighlightKind,
        game: &LoggedGame,
        upset: f64,
        worth: [f64; 3],
        most: usize,
    ) {
        let kept = self.kinds.entry(kind).or_default();
        let better = |one: [f64; 3], other: [f64; 3]| {
            let values = one.iter().zip(&other).map(|(one, other)| one.total_cmp(other));
            values.fold(Ordering::Equal, Ordering::then).is_gt()
        };
        if matches!(kind, HighlightKind::Upset | HighlightKind::Close) {
            let same = |highlight: &Highlight| {
                let theirs = highlight.record.players.values.values();
                game.record.players.values.values().iter().all(|name| theirs.contains(name))
            };
            if let Some(at) = kept.iter().position(same) {
                if !better(worth, kept[at].worth) {
                    return;
                }
                kept.remove(at);
            }
        }
        let place = kept.iter().position(|highlight| better(worth, highlight.worth));
        let place = place.unwrap_or(kept.len());
        if place < most {
            let (record, number) = (Arc::clone(&game.record), self.games);
            let highlight = Highlight { record, upset, number, worth };
            kept.insert(place, highlight);
            kept.truncate(most);
        }
    }
}

/// How far the best of more than two final scores is above the worst, as a share of all points.
fn final_score_gap(record: &GameRecord) -> Option<f64> {
    let scores = record.final_scores.as_ref().filter(|scores| scores.len() > 2)?;
    let scores = scores.values.values().iter().map(serde_json::Number::as_f64);
    let scores: Vec<f64> = scores.collect::<Option<_>>()?;
    let [least, most] = [f64::min, f64::max].map(|of| scores.iter().copied().reduce(of));
    let all: f64 = scores.iter().map(|score| score.abs()).sum();
    Some((most? - least?) / all.max(f64::MIN_POSITIVE))
}

/// The share of points that the better of two players is expected to score, by their difference in
/// rating.
fn expected_score_of_better(lead: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-lead / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::game_summary::GameSummary;
    use referee_record::model::record::examples::{faulty, game};

    fn add(highlights: &mut Highlights, record: &GameRecord, lead: f64) {
        add_of(highlights, record, lead, false);
    }

    fn add_of(highlights: &mut Highlights, record: &GameRecord, lead: f64, are_copies: bool) {
        let summary = GameSummary::from_record(record).expect("a result");
        let (counts, in_check, line, is_sealed) = (true, false, 0, false);
        let record = Arc::new(record.clone());
        let game = LoggedGame { record, summary, counts, in_check, line, is_sealed };
        highlights.add(&game, &[lead, 0.0].into(), are_copies);
    }

    fn ids(highlights: &Highlights, kind: HighlightKind) -> Vec<&str> {
        highlights.of_kind(kind).iter().map(|highlight| highlight.record.id.as_str()).collect()
    }

    #[test]
    fn an_upset_is_a_win_of_the_lower_rated() {
        let mut highlights = Highlights::default();
        add(&mut highlights, &game("strong", "weak", "white"), 300.0);
        add(&mut highlights, &game("strong", "weak", "draw"), 300.0);
        assert_eq!(ids(&highlights, HighlightKind::Upset), [""; 0]);
        add(&mut highlights, &game("good", "fair", "black"), 80.0);
        add(&mut highlights, &game("weak", "strong", "white"), -300.0);
        add(&mut highlights, &game("strong", "weak", "black"), 300.0);
        assert_eq!(ids(&highlights, HighlightKind::Upset), ["weak-strong-1-1", "good-fair-1-1"]);
    }

    #[test]
    fn games_between_different_programs_come_first() {
        let mut highlights = Highlights::default();
        add_of(&mut highlights, &game("ant", "copy", "white"), -100.0, true);
        add_of(&mut highlights, &game("ant", "bee", "white"), -50.0, false);
        add_of(&mut highlights, &game("ant", "twin", "draw"), 0.0, true);
        let [twin, copy] = ["ant-twin-1-1", "ant-copy-1-1"];
        assert_eq!(ids(&highlights, HighlightKind::Close), ["ant-bee-1-1", twin, copy]);
        assert_eq!(ids(&highlights, HighlightKind::Upset), ["ant-bee-1-1", copy]);
    }

    #[test]
    fn the_featured_game_is_not_one_of_copies() {
        let mut highlights = Highlights::default();
        add(&mut highlights, &game("ant", "twin", "draw"), 0.0);
        let featured = |highlights: &Highlights| {
            let are_alike = |_: &str, other: &str| other == "twin";
            let (kind, record) = highlights.featured(are_alike).expect("a game");
            (kind, record.id.clone())
        };
        assert_eq!(featured(&highlights), (HighlightKind::Long, "ant-twin-1-1".to_owned()));
        add(&mut highlights, &game("ant", "giant", "draw"), -800.0);
        assert_eq!(featured(&highlights), (HighlightKind::Long, "ant-giant-1-1".to_owned()));
        add(&mut highlights, &game("ant", "bee", "draw"), 50.0);
        assert_eq!(featured(&highlights), (HighlightKind::Close, "ant-bee-1-1".to_owned()));
    }

    #[test]
    fn a_game_is_close_if_either_player_can_win() {
        let mut highlights = Highlights::default();
        add(&mut highlights, &game("giant", "ant", "white"), 800.0);
        add(&mut highlights, &game("cat", "ant", "draw"), 108.0);
        assert_eq!(ids(&highlights, HighlightKind::Close), [""; 0]);
        add(&mut highlights, &game("bee", "ant", "draw"), 107.0);
        add(&mut highlights, &game("ant", "dog", "white"), -20.0);
        assert_eq!(ids(&highlights, HighlightKind::Close), ["ant-dog-1-1", "bee-ant-1-1"]);
    }

    #[test]
    fn the_longest_and_shortest_are_kept_in_order() {
        let mut highlights = Highlights::default();
        for plies in [5_u32, 9, 1, 7, 3, 8, 2, 6, 4, 0] {
            let id = plies.to_string();
            add(&mut highlights, &GameRecord { id, plies, ..game("ant", "bee", "draw") }, 0.0);
        }
        assert_eq!(ids(&highlights, HighlightKind::Long), ["9", "8", "7", "6", "5", "4"]);
        assert_eq!(ids(&highlights, HighlightKind::Short), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(ids(&highlights, HighlightKind::Close), ["9"]);
        let all: Vec<&str> = highlights.records().map(|record| record.id.as_str()).collect();
        assert_eq!(all, ["5", "9", "1", "7", "3", "8", "2", "6", "4", "0"], "each once, in order");
    }

    #[test]
    fn games_with_a_fault_are_no_other_highlight() {
        let mut highlights = Highlights::default();
        let crash = [("white", referee_record::model::fault::FaultCode::Crash)];
        for _ in 0..FAULTS + 3 {
            add(&mut highlights, &faulty(game("ant", "bee", "black"), &crash), 100.0);
        }
        assert_eq!(highlights.of_kind(HighlightKind::Fault).len(), FAULTS);
        assert_eq!(ids(&highlights, HighlightKind::Short), [""; 0]);
    }
}
