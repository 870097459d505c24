//! Judges the pairs of two players in the order of their numbers. So the verdict rests on the same
//! pairs, regardless of the order in which games finish and of how many run at once.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroU64;

use crate::results::pairs::Pentanomial;
use crate::results::points::Points;
use crate::sequential::sprt::{Sprt, SprtState, SprtVerdict};

/// The match ends after this many pairs in a row that do not count.
const MOST_UNCOUNTED: u32 = 16;

/// Why a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchEnd {
    /// The test reached a verdict.
    Decided,
    /// The maximum number of pairs was played.
    Length,
    /// The players repeat the same games.
    Copies,
    /// Both players forfeit, pair after pair.
    DoubleForfeits,
}

/// A match of two players under a sequential test. All numbers are from the side of the *first
/// player*, which the test asks about.
#[derive(Debug, Clone)]
pub struct SprtMatch {
    test: Sprt,
    most_pairs: u32,
    /// Games of pairs that are not complete or not due yet, by the seat of the first player.
    waiting: BTreeMap<u32, [Option<MatchGame>; 2]>,
    seen: HashSet<(NonZeroU64, NonZeroU64)>,
    uncounted_in_a_row: u32,
    state: SprtMatchState,
}

/// A game of the match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchGame {
    /// The number of its pair, from 1.
    pub pair: u32,
    /// Whether the first player had the first seat. The other game of the pair has the seats
    /// swapped.
    pub at_first_seat: bool,
    /// The first player's score in half points, 0 … 2; `None` if both players forfeited.
    pub halves: Option<usize>,
    /// Whether a player forfeited.
    pub forfeited: bool,
    /// Pairs with the same fingerprints are copies of each other. `None` excludes the game from
    /// this comparison.
    pub fingerprint: Option<NonZeroU64>,
}

/// Why a pair does not count.
#[derive(Debug, Clone, Copy)]
enum Uncounted {
    Copy,
    DoubleForfeit,
}

/// The state of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SprtMatchState {
    /// The pairs that count, by the first player's total score.
    pub pairs: Pentanomial,
    /// The number of judged pairs, including those that do not count.
    pub judged: u32,
    /// The number of pairs that are copies of earlier ones and do not count.
    pub copies: u32,
    /// The number of pairs with a game that both players forfeited; they do not count.
    pub double_forfeits: u32,
    /// The number of games among the judged pairs that a player forfeited.
    pub forfeits: u32,
    /// The number of drawn games in the pairs that count.
    pub draws: u32,
    /// The state of the test.
    pub sprt: SprtState,
    /// Why the match ended, if it has.
    pub stop: Option<MatchEnd>,
}

impl SprtMatchState {
    /// The number of pairs that count.
    pub fn counted_pairs(&self) -> u32 {
        self.pairs.iter().sum()
    }

    /// The first player's score in the pairs that count.
    pub fn score(&self) -> Points {
        let halves = self.pairs.iter().zip(0..).map(|(count, halves)| count * halves).sum();
        Points::from_wins_and_draws(0, halves)
    }

    /// The verdict; undecided until the match ends.
    pub fn verdict(&self) -> SprtVerdict {
        self.sprt.verdict
    }
}

impl SprtMatch {
    /// A match of at most `most_pairs` pairs.
    pub fn new(test: Sprt, most_pairs: u32) -> Self {
        let pairs = Pentanomial::default();
        let sprt = test.judge(&pairs);
        Self {
            test,
            most_pairs,
            waiting: BTreeMap::new(),
            seen: HashSet::new(),
            uncounted_in_a_row: 0,
            state: SprtMatchState {
                pairs,
                judged: 0,
                copies: 0,
                double_forfeits: 0,
                forfeits: 0,
                draws: 0,
                sprt,
                stop: None,
            },
        }
    }

    /// The state of the match.
    pub fn state(&self) -> &SprtMatchState {
        &self.state
    }

    /// The test.
    pub fn test(&self) -> &Sprt {
        &self.test
    }

    /// The expected total number of pairs if the test continues as before. It lies between the
    /// number already judged and the maximum.
    pub fn expected_pairs(&self) -> u32 {
        let SprtState { llr, lower, upper, .. } = self.state.sprt;
        let bound = if llr > 0.0 { upper } else { lower };
        let (judged, most) = (f64::from(self.state.judged), f64::from(self.most_pairs));
        // A ratio of 1 or an empty match makes this infinite or undefined.
        let expected = (judged * bound / llr).ceil();
        if !expected.is_finite() || expected > most {
            return self.most_pairs;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        let expected = expected as u32;
        expected.max(self.state.judged)
    }

    /// Adds a game between the two players, and judges the pairs that are now due.
    pub fn add(&mut self, game: MatchGame) {
        if game.pair > self.state.judged {
            let pair = self.waiting.entry(game.pair).or_default();
            pair[usize::from(!game.at_first_seat)] = Some(game);
        }
        while self.state.stop.is_none() {
            let Some(&[Some(one), Some(other)]) = self.waiting.get(&(self.state.judged + 1)) else {
                break;
            };
            self.waiting.remove(&(self.state.judged + 1));
            self.judge_pair(one, other);
        }
    }

    fn judge_pair(&mut self, one: MatchGame, other: MatchGame) {
        let counted = self.score_pair(one, other);
        let state = &mut self.state;
        state.judged += 1;
        state.forfeits += u32::from(one.forfeited) + u32::from(other.forfeited);
        match counted {
            Ok(halves) => {
                self.uncounted_in_a_row = 0;
                state.pairs[halves] += 1;
                let draws = [one, other].map(|game| u32::from(game.halves == Some(1)));
                state.draws += draws[0] + draws[1];
                state.sprt = self.test.judge(&state.pairs);
            }
            Err(Uncounted::Copy) => state.copies += 1,
            Err(Uncounted::DoubleForfeit) => state.double_forfeits += 1,
        }
        self.uncounted_in_a_row += u32::from(counted.is_err());
        state.stop = if state.sprt.verdict != SprtVerdict::Undecided {
            Some(MatchEnd::Decided)
        } else if state.judged >= self.most_pairs {
            Some(MatchEnd::Length)
        } else {
            match counted {
                _ if self.uncounted_in_a_row < MOST_UNCOUNTED => None,
                Err(Uncounted::DoubleForfeit) => Some(MatchEnd::DoubleForfeits),
                _ => Some(MatchEnd::Copies),
            }
        };
    }

    /// The first player's score in a pair, in half points, if the pair counts.
    fn score_pair(&mut self, one: MatchGame, other: MatchGame) -> Result<usize, Uncounted> {
        let halves = one.halves.zip(other.halves).ok_or(Uncounted::DoubleForfeit)?;
        let fingerprints = one.fingerprint.zip(other.fingerprint);
        let is_copy = fingerprints.is_some_and(|both| !self.seen.insert(both));
        if is_copy { Err(Uncounted::Copy) } else { Ok(halves.0 + halves.1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequential::sprt::Unit;

    fn sprt_match(most_pairs: u32) -> SprtMatch {
        let test = Sprt::new(Unit::Logistic, (0.0, 50.0), (0.05, 0.05)).expect("a test");
        SprtMatch::new(test, most_pairs)
    }

    /// The two games of a pair; `won` says which of them the first player won.
    fn pair(number: u32, won: [bool; 2], fingerprint: u32) -> [MatchGame; 2] {
        [(true, won[0]), (false, won[1])].map(|(at_first_seat, won)| MatchGame {
            pair: number,
            at_first_seat,
            halves: Some(2 * usize::from(won)),
            forfeited: false,
            fingerprint: NonZeroU64::new(u64::from(fingerprint)),
        })
    }

    #[test]
    fn the_order_of_finishing_does_not_matter() {
        let games: Vec<MatchGame> = (1..=40)
            .flat_map(|number| pair(number, [number % 5 > 0, number % 3 > 0], number))
            .collect();
        let [mut there, mut back] = [sprt_match(40), sprt_match(40)];
        for (game, last) in games.iter().zip(games.iter().rev()) {
            there.add(*game);
            back.add(*last);
        }
        assert_eq!(there.state(), back.state());
        assert!(there.state().stop.is_some());
    }

    #[test]
    fn expected_pairs_follow_from_the_pairs_played() {
        let mut played = sprt_match(1000);
        assert_eq!(played.expected_pairs(), 1000, "nothing is known yet");
        let mut expected = Vec::new();
        while played.state().stop.is_none() {
            let number = played.state().judged + 1;
            for game in pair(number, [true, !number.is_multiple_of(4)], number) {
                played.add(game);
            }
            expected.push(played.expected_pairs());
        }
        let judged = played.state().judged;
        assert_eq!(played.expected_pairs(), judged, "it is over");
        let halfway = expected[judged as usize / 2];
        assert!((judged / 2..2 * judged).contains(&halfway), "{expected:?}");
    }

    #[test]
    fn the_match_stops_at_the_verdict() {
        let mut played = sprt_match(1000);
        for number in 1..=200 {
            for game in pair(number, [true, !number.is_multiple_of(4)], number) {
                played.add(game);
            }
        }
        let state = played.state();
        assert_eq!((state.stop, state.verdict()), (Some(MatchEnd::Decided), SprtVerdict::Better));
        assert!(state.judged < 100 && state.counted_pairs() == state.judged, "{state:?}");
        assert!(state.score().value() > f64::from(state.judged));
    }

    #[test]
    fn the_match_stops_at_the_maximum_number_of_pairs() {
        let mut played = sprt_match(2);
        for number in 1..=3 {
            for game in pair(number, [true, false], number) {
                played.add(game);
            }
        }
        let state = played.state();
        assert_eq!((state.stop, state.verdict()), (Some(MatchEnd::Length), SprtVerdict::Undecided));
        assert_eq!(state.pairs, [0, 0, 2, 0, 0]);
    }

    #[test]
    fn copies_do_not_count_and_end_the_match() {
        let mut played = sprt_match(1000);
        for number in 1..=50 {
            for game in pair(number, [true, true], 1) {
                played.add(game);
            }
        }
        let state = played.state();
        assert_eq!((state.stop, state.counted_pairs()), (Some(MatchEnd::Copies), 1));
        assert_eq!(state.copies, MOST_UNCOUNTED);
    }

    #[test]
    fn double_forfeits_do_not_count_and_end_the_match() {
        let mut played = sprt_match(1000);
        for number in 1..=50 {
            for game in pair(number, [true, true], number) {
                played.add(MatchGame { halves: None, forfeited: true, ..game });
            }
        }
        let state = played.state();
        assert_eq!((state.stop, state.counted_pairs()), (Some(MatchEnd::DoubleForfeits), 0));
        assert_eq!((state.double_forfeits, state.forfeits), (MOST_UNCOUNTED, 2 * MOST_UNCOUNTED));
    }
}
