//! The games that the page brings along: upsets, the longest, the shortest, the closest, and
//! those with a fault.

use std::collections::BTreeMap;

use crate::model::record::GameRecord;
use referee_games::Seat;

/// So many games of each kind.
pub const EACH: usize = 6;
/// So many games with a fault.
pub const FAULTS: usize = 60;

/// Why a game is worth seeing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The player with the lower rating won, and the difference is among the largest.
    Upset,
    /// Between players of nearly the same rating, and long.
    Close,
    /// Among the longest.
    Long,
    /// Among the shortest that no fault ended.
    Short,
    /// It ended with a fault.
    Fault,
}

impl Why {
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

/// A game that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The game's id.
    pub id: String,
    /// The players, first seat first.
    pub players: [String; 2],
    /// How it ended.
    pub end: String,
    /// How many plies it had.
    pub plies: u32,
    /// The lead of the first seat's player, in Elo.
    pub lead: f64,
    /// What it was chosen by: the larger, the better.
    worth: (f64, f64),
}

/// The best games of each kind so far.
#[derive(Debug, Default)]
pub struct Chosen {
    kinds: BTreeMap<Why, Vec<Choice>>,
}

impl Chosen {
    /// Looks at a game; `lead` is how much the first seat's player is rated above the other's.
    pub fn add(&mut self, record: &GameRecord, lead: f64) {
        let plies = f64::from(record.plies);
        if record.fault.is_some() {
            // The first of each player are kept: the log is in the order of their ends.
            return self.offer(Why::Fault, record, lead, (0.0, 0.0), FAULTS);
        }
        self.offer(Why::Long, record, lead, (plies, 0.0), EACH);
        self.offer(Why::Short, record, lead, (-plies, 0.0), EACH);
        self.offer(Why::Close, record, lead, (-lead.abs(), plies), EACH);
        let won_by = record.score(Seat::First) - record.score(Seat::Second);
        if won_by * lead < 0.0 {
            self.offer(Why::Upset, record, lead, (lead.abs(), 0.0), EACH);
        }
    }

    /// The games of a kind, the most worth seeing first.
    pub fn of(&self, why: Why) -> &[Choice] {
        self.kinds.get(&why).map_or(&[], Vec::as_slice)
    }

    /// Whether the game is among the chosen ones.
    pub fn has(&self, id: &str) -> bool {
        self.kinds.values().flatten().any(|choice| choice.id == id)
    }

    /// Puts a game in its place, if it has one among the first `most`. Of two players there is
    /// one upset and one close game at most: their ratings do not change from game to game.
    fn offer(&mut self, why: Why, record: &GameRecord, lead: f64, worth: (f64, f64), most: usize) {
        let kept = self.kinds.entry(why).or_default();
        let better = |one: (f64, f64), other: (f64, f64)| {
            one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)).is_gt()
        };
        if matches!(why, Why::Upset | Why::Close) {
            let same = |choice: &Choice| {
                Seat::BOTH.iter().all(|&seat| choice.players.contains(&record.players[seat]))
            };
            if let Some(at) = kept.iter().position(same) {
                if !better(worth, kept[at].worth) {
                    return;
                }
                kept.remove(at);
            }
        }
        let place = kept.iter().position(|choice| better(worth, choice.worth));
        let place = place.unwrap_or(kept.len());
        if place < most {
            let choice = Choice {
                id: record.id.clone(),
                players: Seat::BOTH.map(|seat| record.players[seat].clone()),
                end: crate::report::film::end_in_words(record),
                plies: record.plies,
                lead,
                worth,
            };
            kept.insert(place, choice);
            kept.truncate(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::examples::{faulty, game};

    fn ids(chosen: &Chosen, why: Why) -> Vec<&str> {
        chosen.of(why).iter().map(|choice| choice.id.as_str()).collect()
    }

    #[test]
    fn an_upset_is_a_win_of_the_lower_rated() {
        let mut chosen = Chosen::default();
        chosen.add(&game("strong", "weak", "white"), 300.0);
        chosen.add(&game("strong", "weak", "draw"), 300.0);
        assert_eq!(ids(&chosen, Why::Upset), [""; 0]);
        chosen.add(&game("good", "fair", "black"), 80.0);
        chosen.add(&game("weak", "strong", "white"), -300.0);
        chosen.add(&game("strong", "weak", "black"), 300.0);
        assert_eq!(ids(&chosen, Why::Upset), ["weak-strong-1-1", "good-fair-1-1"]);
    }

    #[test]
    fn the_longest_and_shortest_are_kept_in_order() {
        let mut chosen = Chosen::default();
        for plies in [5_u32, 9, 1, 7, 3, 8, 2, 6, 4, 0] {
            let id = plies.to_string();
            chosen.add(&GameRecord { id, plies, ..game("ant", "bee", "draw") }, 0.0);
        }
        assert_eq!(ids(&chosen, Why::Long), ["9", "8", "7", "6", "5", "4"]);
        assert_eq!(ids(&chosen, Why::Short), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(ids(&chosen, Why::Close), ["9"]);
        assert!(chosen.has("9") && !chosen.has("10"));
    }

    #[test]
    fn a_game_with_a_fault_is_of_no_other_kind() {
        let mut chosen = Chosen::default();
        let crash = [("white", crate::model::fault::FaultCode::Crash)];
        for _ in 0..FAULTS + 3 {
            chosen.add(&faulty(game("ant", "bee", "black"), &crash), 100.0);
        }
        assert_eq!(chosen.of(Why::Fault).len(), FAULTS);
        assert_eq!(ids(&chosen, Why::Short), [""; 0]);
    }
}
