//! Two players' pairs, judged in the order of their numbers: whatever order games are finished
//! in, and however many at once, the verdict rests on the same pairs.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroU64;

use super::pairs::Pentanomial;
use super::sprt::{Sprt, Standing, Verdict};
use super::{Played, Points, RatingError};
use crate::model::record::GameRecord;
use referee_games::Seat;

/// After so many pairs in a row that do not count, no more are waited for.
const MOST_UNCOUNTED: u32 = 16;

/// Why a contest is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The test has its answer.
    Decided,
    /// All pairs were played that may be.
    Length,
    /// The players repeat the same games.
    Copies,
    /// Both players fail, pair after pair.
    DoubleFaults,
}

/// A contest between two players under a sequential test.
#[derive(Debug, Clone)]
pub struct Contest {
    test: Sprt,
    first: String,
    most_pairs: u32,
    /// Games of pairs whose turn has not come: whole games of the player called `first`.
    waiting: BTreeMap<u32, [Option<Half>; 2]>,
    seen: HashSet<(NonZeroU64, NonZeroU64)>,
    uncounted_in_a_row: u32,
    state: State,
}

/// A game of a pair.
#[derive(Debug, Clone, Copy)]
struct Half {
    /// The first player's score in half points; none for a double fault.
    halves: Option<usize>,
    print: Option<NonZeroU64>,
    fault: bool,
}

/// Why a pair does not count.
#[derive(Debug, Clone, Copy)]
enum Uncounted {
    Copy,
    DoubleFault,
}

/// How a contest stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// The pairs that count, by the first player's score.
    pub pairs: Pentanomial,
    /// The pairs that were judged, those that do not count included.
    pub judged: u32,
    /// Pairs that are copies of earlier ones, and do not count.
    pub copies: u32,
    /// Pairs with a game in which both players failed, which do not count.
    pub double_faults: u32,
    /// Games among the judged pairs that ended in a fault.
    pub faults: u32,
    /// The test.
    pub standing: Standing,
    /// Why it is over, if it is.
    pub stop: Option<Stop>,
}

impl State {
    /// How many pairs count.
    pub fn counted(&self) -> u32 {
        self.pairs.iter().sum()
    }

    /// The first player's score in the pairs that count.
    pub fn score(&self) -> Points {
        let halves = self.pairs.iter().zip(0..).map(|(count, halves)| count * halves).sum();
        Points::of(0, halves)
    }

    /// The verdict: undecided as long as the contest goes on.
    pub fn verdict(&self) -> Verdict {
        self.standing.verdict
    }
}

impl Contest {
    /// A contest of the player called `first` against another, over `most_pairs` pairs at most.
    pub fn new(test: Sprt, first: &str, most_pairs: u32) -> Self {
        let pairs = Pentanomial::default();
        let standing = test.judge(&pairs);
        Self {
            test,
            first: first.to_owned(),
            most_pairs,
            waiting: BTreeMap::new(),
            seen: HashSet::new(),
            uncounted_in_a_row: 0,
            state: State {
                pairs,
                judged: 0,
                copies: 0,
                double_faults: 0,
                faults: 0,
                standing,
                stop: None,
            },
        }
    }

    /// How it stands.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The test.
    pub fn test(&self) -> &Sprt {
        &self.test
    }

    /// How many pairs it will have taken if the test goes on as it went so far, between those
    /// that were judged and the most there may be.
    pub fn expected_pairs(&self) -> u32 {
        let Standing { llr, lower, upper, .. } = self.state.standing;
        let bound = if llr > 0.0 { upper } else { lower };
        let (judged, most) = (f64::from(self.state.judged), f64::from(self.most_pairs));
        // Neither a ratio of 1 nor no pair at all leads anywhere.
        let expected = (judged * bound / llr).ceil();
        if !expected.is_finite() || expected > most {
            return self.most_pairs;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        let expected = expected as u32;
        expected.max(self.state.judged)
    }

    /// Takes in a game between the two, and judges the pairs whose turn has come.
    ///
    /// # Errors
    ///
    /// When the record has no result.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), RatingError> {
        let seat = if game.players[Seat::First] == self.first { Seat::First } else { Seat::Second };
        let played = Played::of(game)?;
        let half = Half {
            halves: played.outcome.map(|_| played.halves()[seat]),
            print: played.print,
            fault: played.is_faulted(),
        };
        if game.pair > self.state.judged {
            let pair = self.waiting.entry(game.pair).or_default();
            pair[usize::from(seat == Seat::Second)] = Some(half);
        }
        while self.state.stop.is_none() {
            let Some(&[Some(one), Some(other)]) = self.waiting.get(&(self.state.judged + 1)) else {
                break;
            };
            self.waiting.remove(&(self.state.judged + 1));
            self.judge(one, other);
        }
        Ok(())
    }

    fn judge(&mut self, one: Half, other: Half) {
        let counted = self.score(one, other);
        let state = &mut self.state;
        state.judged += 1;
        state.faults += u32::from(one.fault) + u32::from(other.fault);
        match counted {
            Ok(halves) => {
                self.uncounted_in_a_row = 0;
                state.pairs[halves] += 1;
                state.standing = self.test.judge(&state.pairs);
            }
            Err(Uncounted::Copy) => state.copies += 1,
            Err(Uncounted::DoubleFault) => state.double_faults += 1,
        }
        self.uncounted_in_a_row += u32::from(counted.is_err());
        state.stop = if state.standing.verdict != Verdict::Undecided {
            Some(Stop::Decided)
        } else if state.judged >= self.most_pairs {
            Some(Stop::Length)
        } else {
            match counted {
                _ if self.uncounted_in_a_row < MOST_UNCOUNTED => None,
                Err(Uncounted::DoubleFault) => Some(Stop::DoubleFaults),
                _ => Some(Stop::Copies),
            }
        };
    }

    /// The first player's score in a pair in half points, if the pair counts.
    fn score(&mut self, one: Half, other: Half) -> Result<usize, Uncounted> {
        let halves = one.halves.zip(other.halves).ok_or(Uncounted::DoubleFault)?;
        let is_copy = one.print.zip(other.print).is_some_and(|prints| !self.seen.insert(prints));
        if is_copy { Err(Uncounted::Copy) } else { Ok(halves.0 + halves.1) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sprt::Unit;
    use super::super::tally::tests::{faulty, game};
    use super::*;
    use crate::model::fault::FaultCode;

    fn contest(most_pairs: u32) -> Contest {
        let test = Sprt::new(Unit::Logistic, (0.0, 50.0), (0.05, 0.05)).expect("a test");
        Contest::new(test, "ant", most_pairs)
    }

    /// The two games of a pair, won by ant where `won` says so.
    fn pair(number: u32, won: [bool; 2], own: bool) -> [GameRecord; 2] {
        let action = if own { format!("a{number}") } else { "a".to_owned() };
        let side = |won: bool| if won { ["white", "black"] } else { ["black", "white"] };
        let games = [("ant", "bee", side(won[0])[0]), ("bee", "ant", side(won[1])[1])];
        games.map(|(first, second, result)| GameRecord {
            pair: number,
            actions: vec![action.clone()],
            ..game(first, second, result)
        })
    }

    #[test]
    fn the_order_of_finishing_decides_nothing() {
        let games: Vec<GameRecord> = (1..=40)
            .flat_map(|number| pair(number, [number % 5 > 0, number % 3 > 0], true))
            .collect();
        let [mut there, mut back] = [contest(40), contest(40)];
        for (game, last) in games.iter().zip(games.iter().rev()) {
            there.add(game).expect("a result");
            back.add(last).expect("a result");
        }
        assert_eq!(there.state(), back.state());
        assert!(there.state().stop.is_some());
    }

    #[test]
    fn what_is_left_follows_from_what_was_played() {
        let mut contest = contest(1000);
        assert_eq!(contest.expected_pairs(), 1000, "nothing is known yet");
        let mut expected = Vec::new();
        while contest.state().stop.is_none() {
            let number = contest.state().judged + 1;
            for game in pair(number, [true, !number.is_multiple_of(4)], true) {
                contest.add(&game).expect("a result");
            }
            expected.push(contest.expected_pairs());
        }
        let judged = contest.state().judged;
        assert_eq!(contest.expected_pairs(), judged, "it is over");
        let halfway = expected[judged as usize / 2];
        assert!((judged / 2..2 * judged).contains(&halfway), "{expected:?}");
    }

    #[test]
    fn it_stops_at_the_verdict_and_takes_no_more() {
        let mut contest = contest(1000);
        for number in 1..=200 {
            for game in pair(number, [true, !number.is_multiple_of(4)], true) {
                contest.add(&game).expect("a result");
            }
        }
        let state = contest.state();
        assert_eq!((state.stop, state.verdict()), (Some(Stop::Decided), Verdict::Better));
        assert!(state.judged < 100 && state.counted() == state.judged, "{state:?}");
        assert!(state.score().value() > f64::from(state.judged));
    }

    #[test]
    fn it_stops_at_its_length() {
        let mut contest = contest(2);
        for number in 1..=3 {
            for game in pair(number, [true, false], true) {
                contest.add(&game).expect("a result");
            }
        }
        let state = contest.state();
        assert_eq!((state.stop, state.verdict()), (Some(Stop::Length), Verdict::Undecided));
        assert_eq!(state.pairs, [0, 0, 2, 0, 0]);
    }

    #[test]
    fn copies_do_not_count_and_end_it() {
        let mut contest = contest(1000);
        for number in 1..=50 {
            for game in pair(number, [true, true], false) {
                contest.add(&game).expect("a result");
            }
        }
        let state = contest.state();
        assert_eq!((state.stop, state.counted()), (Some(Stop::Copies), 1));
        assert_eq!(state.copies, MOST_UNCOUNTED);
    }

    #[test]
    fn double_faults_do_not_count_and_end_it() {
        let mut contest = contest(1000);
        let both = [("white", FaultCode::NoStart), ("black", FaultCode::NoStart)];
        for number in 1..=50 {
            for game in pair(number, [true, true], true) {
                contest.add(&faulty(game, &both)).expect("a result");
            }
        }
        let state = contest.state();
        assert_eq!((state.stop, state.counted()), (Some(Stop::DoubleFaults), 0));
        assert_eq!((state.double_faults, state.faults), (MOST_UNCOUNTED, 2 * MOST_UNCOUNTED));
    }
}
