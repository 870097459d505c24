//! Where does a player stand among others? It plays each of them in turn, until its rating is known
//! well enough.
//!
//! What is estimated is the share *p* of the points against these opponents, of whom each counts
//! equally, in Elo: 400 log₁₀ p/(1−p), the lead over a field of equals with the same share. It is
//! looked at after each whole round of opponents. A mean rating would never become certain with a
//! single opponent that loses every game. Whether the interval is narrow enough hardly depends on who
//! won, so its ending the match does not mislead (Chow and Robbins, *On the asymptotic theory of
//! fixed-width sequential confidence intervals for the mean*, 1965).

use crate::error::RatingError;
use crate::estimate::{ELO, Estimate, MOST_PLAYERS};
use crate::ranking::{Rank, Ranking};
use crate::results::game_outcome::GameOutcome;
use crate::results::points::Points;
use crate::results::{PlayedGame, Results};
use crate::sequential::field_match::OpponentScore;
use crate::sequential::field_rounds::{FieldGame, FieldRound, FieldRounds, FieldSize, Rival};
use crate::sequential::sprt_match::MatchEnd;
use crate::significance::Z95;

/// The first rounds, after which a match does not end yet: a few games look more alike than many.
const FIRST_ROUNDS: u32 = 3;
/// The variance that is expected at first of the share of a pair: that of games without draws between
/// equals.
const FIRST_VARIANCE: f64 = 1.0 / 8.0;
/// How many pairs that expectation counts for.
const FIRST_PAIRS: f64 = 4.0;
/// The half points of a pair of games.
const PAIR: f64 = 4.0;
/// No estimate goes beyond this, in Elo.
const FARTHEST: f64 = 2000.0;
/// The number of the player in the results; opponents follow.
const PLAYER: usize = 0;

/// The state of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaceState {
    /// The number of rounds that count.
    pub rounds: u32,
    /// The number of pairs that repeat earlier ones.
    pub copies: u32,
    /// The number of games that a player forfeited.
    pub forfeits: u32,
    /// The lead over a field of equals with the same share of the points, in Elo.
    pub elo: Estimate,
    /// Why the match ended, if it has.
    pub stop: Option<MatchEnd>,
}

/// A match of a player against a field.
#[derive(Debug, Clone)]
pub struct PlaceMatch {
    within: f64,
    most_rounds: u32,
    rounds: FieldRounds,
    opponents: Vec<OpponentScore>,
    /// The sum of the squared half points of all pairs.
    squares: f64,
    results: Results,
    state: PlaceState,
}

impl PlaceMatch {
    /// A match against this many opponents until the Elo are known to within so many Elo, or for
    /// `most_rounds` rounds.
    ///
    /// # Errors
    /// If there are too many players to rate.
    pub fn new(within: f64, opponents: usize, most_rounds: u32) -> Result<Self, RatingError> {
        let players = opponents + 1;
        if players > MOST_PLAYERS {
            return Err(RatingError::TooManyPlayers(players));
        }
        let elo = Estimate { value: 0.0, low: -FARTHEST, high: FARTHEST };
        Ok(Self {
            within,
            most_rounds,
            rounds: FieldRounds::new(FieldSize::with_two_seats(opponents), 1),
            opponents: vec![OpponentScore::default(); opponents],
            squares: 0.0,
            results: Results::new(players),
            state: PlaceState { rounds: 0, copies: 0, forfeits: 0, elo, stop: None },
        })
    }

    /// The state of the match.
    pub fn state(&self) -> &PlaceState {
        &self.state
    }

    /// Half the width of the interval that ends the match, in Elo.
    pub fn within(&self) -> f64 {
        self.within
    }

    /// The results against each opponent, in their order.
    pub fn opponents(&self) -> &[OpponentScore] {
        &self.opponents
    }

    /// The number of pairs that count.
    pub fn pairs(&self) -> u32 {
        self.opponents.iter().map(|score| score.deals).sum()
    }

    /// The number of pairs at which the match ends in any case.
    pub fn most_pairs(&self) -> u32 {
        let opponents = u32::try_from(self.opponents.len()).unwrap_or(u32::MAX);
        self.most_rounds.saturating_mul(opponents)
    }

    /// The score in the pairs that count, of 2 points for each.
    pub fn score(&self) -> Points {
        self.opponents.iter().map(|score| score.points(Rival::New)).sum()
    }

    /// The place among all, 1 for the best, with its interval; `None` before the first round.
    pub fn place(&self) -> Option<Rank> {
        let names: Vec<usize> = (0..self.results.players()).collect();
        let nobody = vec![None; names.len()];
        let ranking = Ranking::<()>::new(&self.results, &[], &nobody, &names).ok()?;
        ranking.ranks().get(PLAYER)?.ok()
    }

    /// The expected total number of pairs: before the first round, against equals without draws; later,
    /// as the interval has narrowed so far.
    pub fn expected_pairs(&self) -> f64 {
        if self.state.rounds == 0 {
            // The slope of the logit at a half is 4.
            return FIRST_VARIANCE * (4.0 * ELO * Z95 / self.within).powi(2);
        }
        let pairs = f64::from(self.pairs());
        (pairs * (self.state.elo.margin() / self.within).powi(2)).max(pairs)
    }

    /// Adds a game, and rates the rounds that are now due.
    pub fn add(&mut self, game: FieldGame) {
        self.rounds.add(game);
        while self.state.stop.is_none() {
            let Some(round) = self.rounds.take_next() else { break };
            self.count_round(&round);
        }
    }

    fn count_round(&mut self, round: &FieldRound) {
        self.state.copies += u32::try_from(round.copies).unwrap_or(u32::MAX);
        if round.is_copy() {
            self.state.stop = Some(MatchEnd::Copies);
            return;
        }
        for ((opponent, score), pair) in (PLAYER + 1..).zip(&mut self.opponents).zip(&round.deals) {
            let halves = pair.iter().map(|game| game.halves).sum();
            score.add([halves, 0]);
            self.squares += f64::from(halves).powi(2);
            for game in pair {
                self.state.forfeits += u32::from(game.forfeited);
                self.results.add(place_match_game(game, opponent));
            }
        }
        self.state.rounds += 1;
        self.state.elo = self.estimate();
        self.state.stop = if self.state.rounds >= FIRST_ROUNDS.min(self.most_rounds)
            && self.state.elo.margin() <= self.within
        {
            Some(MatchEnd::Decided)
        } else if self.state.rounds >= self.most_rounds {
            Some(MatchEnd::Length)
        } else {
            None
        };
    }
}

impl PlaceMatch {
    /// The estimate after the rounds so far. Half a pair lost and half a pair won are added. How far
    /// the opponents are apart does not blur it, because each has the same number of pairs.
    fn estimate(&self) -> Estimate {
        let (rounds, pairs) = (f64::from(self.state.rounds), f64::from(self.pairs()));
        let halves = || self.opponents.iter().map(|score| 2.0 * score.points(Rival::New).value());
        let explained: f64 = halves().map(|sum| sum.powi(2) / rounds).sum();
        let within = (self.squares - explained) / PAIR.powi(2);
        let freedom = pairs * (1.0 - 1.0 / rounds);
        let variance = (within + FIRST_PAIRS * FIRST_VARIANCE) / (freedom + FIRST_PAIRS);
        let share = (halves().sum::<f64>() / PAIR + 0.5) / (pairs + 1.0);
        let reach = Z95 * (variance / (pairs + 1.0)).sqrt();
        let elo = |share: f64| match share {
            ..=0.0 => -FARTHEST,
            1.0.. => FARTHEST,
            _ => (ELO * (share / (1.0 - share)).ln()).clamp(-FARTHEST, FARTHEST),
        };
        Estimate { value: elo(share), low: elo(share - reach), high: elo(share + reach) }
    }
}

/// A game against the opponent with this number.
fn place_match_game(game: &FieldGame, opponent: usize) -> PlayedGame {
    let own = [GameOutcome::Loss, GameOutcome::Draw, GameOutcome::Win];
    let outcome = |halves: u32| own.get(halves as usize).copied().unwrap_or(GameOutcome::Win);
    let played = if game.seat == 0 {
        PlayedGame::by_rules(PLAYER, opponent, game.deal, outcome(game.halves))
    } else {
        let outcome = outcome(2_u32.saturating_sub(game.halves));
        PlayedGame::by_rules(opponent, PLAYER, game.deal, outcome)
    };
    PlayedGame { fingerprint: game.fingerprint, ..played }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pair with this number, with these half points.
    fn pair(deal: u32, halves: [u32; 2]) -> [FieldGame; 2] {
        let game =
            |at: usize| FieldGame { deal, seat: at, halves: halves[at], ..FieldGame::default() };
        [game(0), game(1)]
    }

    /// A match against three, of whom the first always loses.
    fn played(within: f64, most_rounds: u32, rounds: u32) -> PlaceMatch {
        let mut played = PlaceMatch::new(within, 3, most_rounds).expect("few players");
        for deal in 1..=3 * rounds {
            let pairs = [[[2, 2], [2, 0], [0, 0]], [[2, 2], [0, 2], [2, 1]]];
            let (round, opponent) = (deal as usize % 2, (deal as usize - 1) % 3);
            let halves = pairs[round][opponent];
            for game in pair(deal, halves) {
                played.add(game);
            }
        }
        played
    }

    #[test]
    fn the_match_ends_when_the_place_is_known_well_enough() {
        let wide = played(40.0, 1000, 400);
        let narrow = played(20.0, 1000, 400);
        for (ended, within) in [(&wide, 40.0), (&narrow, 20.0)] {
            assert_eq!(ended.state().stop, Some(MatchEnd::Decided));
            assert!(ended.state().elo.margin() <= within, "{:?}", ended.state());
            assert_eq!(ended.pairs(), 3 * ended.state().rounds, "later games do not count");
        }
        assert!(narrow.state().rounds > 3 * wide.state().rounds, "half as wide: four times");
        assert_eq!(wide.place().map(|rank| rank.place), Some(2));
        assert_eq!(played(1.0, 5, 9).state().stop, Some(MatchEnd::Length));
    }

    #[test]
    fn expected_pairs_are_about_those_needed() {
        let (before, after) = (played(40.0, 1000, 0), played(40.0, 1000, 10));
        let needed = f64::from(played(40.0, 1000, 400).pairs());
        // Less luck is in these games than in those of equals.
        assert!((1.0..4.0).contains(&(before.expected_pairs() / needed)), "{needed}");
        assert!((0.5..2.0).contains(&(after.expected_pairs() / needed)), "{needed}");
    }

    #[test]
    fn a_round_of_copies_ends_the_match() {
        let mut played = PlaceMatch::new(10.0, 1, 9).expect("few players");
        for deal in 1..=2 {
            for game in pair(deal, [2, 0]) {
                let fingerprint = std::num::NonZeroU64::new(1 + u64::from(game.halves));
                played.add(FieldGame { fingerprint, ..game });
            }
        }
        assert_eq!((played.state().stop, played.state().rounds), (Some(MatchEnd::Copies), 1));
    }
}
