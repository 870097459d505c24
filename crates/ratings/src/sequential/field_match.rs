//! Would one player do better than another in the same field? Both play the same opponents, with
//! the same luck, and the difference of their shares of the points decides.
//!
//! The unit is a *deal*: a game at each seat of each of the two, against the same opponents. With
//! shares s and t of the points, it has the value ½ + (s − t)/2. A *round* is a deal at every table of
//! opponents, so that each counts equally. The values of whole rounds go into a [`BettingTest`].
//!
//! A difference of *e* Elo shows less the farther the opponents are away. With x the strength of both
//! players over the opponents of a table, as the logarithm of the odds of being ahead of one of them,
//! the expected value is ½ + [σ(x + e/2) − σ(x − e/2)]/2, with e in natural units. The hypotheses are
//! means of this over the tables, with x as the last rounds before show it: a test may not know the
//! round that it judges, and opponents may learn while it lasts.
//!
//! A *duel* is simpler: both sit at one table, with others or without, and their share is of the
//! comparisons with each other. A deal has every player once at each seat, and one player's share for
//! its value; a difference of *e* Elo has the expected value σ(e).

use std::f64::consts::LN_10;

use crate::estimate::Estimate;
use crate::results::points::Points;
use crate::sequential::betting::{BettingState, BettingTest};
use crate::sequential::field_rounds::{FieldGame, FieldRound, FieldRounds, FieldSize, Rival};
use crate::sequential::sprt::{Sprt, SprtError, SprtVerdict, Unit};
use crate::sequential::sprt_match::MatchEnd;
use crate::sequential::test_motion::TestMotion;

/// A natural unit of strength for each Elo point.
const PER_ELO: f64 = LN_10 / 400.0;
/// How many deals what all tables have in common counts for, in the share at one of them.
const COMMON: f64 = 0.5;
/// How much less a round counts with each further one in what the hypotheses take the opponents for.
const MEMORY: f64 = 7.0 / 8.0;
/// No estimate goes beyond this, in Elo.
const FARTHEST: f64 = 2000.0;
/// The number of bisections for a root, enough for the last bit.
const HALVINGS: usize = 64;

/// The results against one opponent, or the opponents of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpponentScore {
    /// The number of deals.
    pub deals: u32,
    /// The half points of the new player and of the old one.
    halves: [u32; 2],
}

impl OpponentScore {
    /// Adds a deal with these half points of the two.
    pub(crate) fn add(&mut self, halves: [u32; 2]) {
        self.deals += 1;
        self.halves = [0, 1].map(|rival: usize| self.halves[rival] + halves[rival]);
    }

    /// The points of one of the two, of [`FieldSize::points`] for each deal.
    pub fn points(&self, rival: Rival) -> Points {
        Points::from_wins_and_draws(0, self.halves[rival as usize])
    }
}

/// How the two did together at one table.
#[derive(Debug, Clone, Copy, Default)]
struct FieldLevel {
    deals: f64,
    /// The sum over the deals of the mean of their shares.
    shares: f64,
}

impl FieldLevel {
    /// The level that these results show, in deals with this many half points for the two together.
    fn from_score(score: &OpponentScore, halves_of_deal: f64) -> Self {
        let halves = f64::from(score.halves[0] + score.halves[1]);
        Self { deals: f64::from(score.deals), shares: halves / halves_of_deal }
    }
}

/// The state of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldState {
    /// The number of rounds that count.
    pub rounds: u32,
    /// The number of deals that repeat earlier ones. They count, unless they are a whole round.
    pub copies: u32,
    /// The number of games in rounds judged that a player forfeited.
    pub forfeits: u32,
    /// The state of the test.
    pub test: BettingState,
    /// Why the match ended, if it has. Double forfeits are lost games here and end none.
    pub stop: Option<MatchEnd>,
}

/// A match of two players against the same opponents under a sequential test.
#[derive(Debug, Clone)]
pub struct FieldMatch {
    hypotheses: (f64, f64),
    errors: (f64, f64),
    most_rounds: u32,
    bets: BettingTest,
    field: FieldSize,
    is_duel: bool,
    rounds: FieldRounds,
    tables: Vec<OpponentScore>,
    /// The same for the last rounds.
    recent: Vec<FieldLevel>,
    /// The sum of squared differences of the two players' half points in a deal.
    squares: u64,
    state: FieldState,
}

impl FieldMatch {
    /// A match against these opponents for at most `most_rounds` rounds. The hypotheses are
    /// differences `(lower, upper)` in logistic Elo; `errors` is `(α, β)`, the probabilities of
    /// accepting the upper difference if the lower one is true, and the reverse.
    ///
    /// # Errors
    /// If the differences or the probabilities are out of range.
    pub fn new(
        hypotheses: (f64, f64),
        errors: (f64, f64),
        field: FieldSize,
        most_rounds: u32,
    ) -> Result<Self, SprtError> {
        // Any other test has the same bounds.
        Sprt::new(Unit::Logistic, hypotheses, errors)?;
        let bets = BettingTest::new(errors);
        let test = bets.state();
        let state = FieldState { rounds: 0, copies: 0, forfeits: 0, test, stop: None };
        let field = FieldSize { tables: field.tables.max(1), seats: field.seats.max(2) };
        Ok(Self {
            hypotheses,
            errors,
            most_rounds,
            bets,
            field,
            is_duel: false,
            rounds: FieldRounds::new(field, 2),
            tables: vec![OpponentScore::default(); field.tables],
            recent: vec![FieldLevel::default(); field.tables],
            squares: 0,
            state,
        })
    }

    /// A duel: a match at one table of a game with this many seats for at most `most_deals` deals.
    /// Each of its games is two games here, with the half points of the two in their comparison with
    /// each other, and the seat of the new player. Otherwise as [`FieldMatch::new`].
    ///
    /// # Errors
    /// If the differences or the probabilities are out of range.
    pub fn duel(
        hypotheses: (f64, f64),
        errors: (f64, f64),
        seats: usize,
        most_deals: u32,
    ) -> Result<Self, SprtError> {
        let field = FieldSize { tables: 1, seats };
        Ok(Self { is_duel: true, ..Self::new(hypotheses, errors, field, most_deals)? })
    }

    /// Whether it is a duel.
    pub fn is_duel(&self) -> bool {
        self.is_duel
    }

    /// The points that a player can win in a deal: for each game, one for each of its opponents, or
    /// in a duel one for the other of the two.
    pub fn points(&self) -> u32 {
        let seats = u32::try_from(self.field.seats).unwrap_or(u32::MAX);
        if self.is_duel { seats } else { self.field.points() }
    }

    /// The state of the match.
    pub fn state(&self) -> &FieldState {
        &self.state
    }

    /// The two differences that the test tells apart, in Elo, lower first.
    pub fn hypotheses(&self) -> (f64, f64) {
        self.hypotheses
    }

    /// The error probabilities α and β.
    pub fn errors(&self) -> (f64, f64) {
        self.errors
    }

    /// The verdict; undecided until the match ends.
    pub fn verdict(&self) -> SprtVerdict {
        self.state.test.verdict
    }

    /// The number of deals that count.
    pub fn deals(&self) -> u32 {
        self.tables.iter().map(|score| score.deals).sum()
    }

    /// The opponents.
    pub fn field(&self) -> FieldSize {
        self.field
    }

    /// The results at each table, in their order.
    pub fn tables(&self) -> &[OpponentScore] {
        &self.tables
    }

    /// The score of one of the two in the deals that count, of [`Self::points`] for each.
    pub fn score(&self, rival: Rival) -> Points {
        self.tables.iter().map(|score| score.points(rival)).sum()
    }

    /// The expected total number of deals. Before the first round: if one of the hypotheses is
    /// true, no game is drawn, luck is not shared and the opponents are equals. Later, if the test
    /// continues as it has so far. It is not below the number already judged; the maximum may be.
    pub fn expected_deals(&self) -> f64 {
        let BettingState { better, not_better, needed, .. } = self.state.test;
        let deals = f64::from(self.deals());
        if self.state.rounds == 0 {
            let (low, high) = self.hypothesis_means(&estimate_field_match_strengths(&self.recent));
            let needed = 2.0 * needed.0.max(needed.1);
            let variance = if self.is_duel {
                // Of the share of games won.
                0.25 / f64::from(self.points())
            } else {
                // Of half the difference of two independent shares.
                self.field.first_variance() / 2.0
            };
            return needed * variance / (high - low).powi(2);
        }
        let of = |evidence: f64, needed: f64| {
            if evidence > 0.0 { (deals * needed / evidence).max(deals) } else { f64::INFINITY }
        };
        of(better, needed.0).min(of(not_better, needed.1))
    }

    /// The number of deals at which the match ends without a verdict.
    pub fn most_deals(&self) -> u32 {
        let tables = u32::try_from(self.tables.len()).unwrap_or(u32::MAX);
        self.most_rounds.saturating_mul(tables)
    }

    /// Adds a game, and judges the rounds that are now due.
    pub fn add(&mut self, game: FieldGame) {
        self.rounds.add(game);
        while self.state.stop.is_none() {
            let Some(round) = self.rounds.take_next() else { break };
            self.judge_round(&round);
        }
    }

    fn judge_round(&mut self, round: &FieldRound) {
        self.state.copies += u32::try_from(round.copies).unwrap_or(u32::MAX);
        if round.is_copy() {
            self.state.stop = Some(MatchEnd::Copies);
            return;
        }
        // What the hypotheses mean must not depend on this round.
        let means = self.hypothesis_means(&estimate_field_match_strengths(&self.recent));
        let deals = round.deals.iter().enumerate();
        let values: Vec<f64> = deals.map(|(at, deal)| self.count_deal(at, deal)).collect();
        self.bets.add_round(means, &values);
        self.state.rounds += 1;
        self.state.test = self.bets.state();
        self.state.stop = if self.state.test.verdict != SprtVerdict::Undecided {
            Some(MatchEnd::Decided)
        } else if self.state.rounds >= self.most_rounds {
            Some(MatchEnd::Length)
        } else {
            None
        };
    }

    /// Adds the deal at this table. Returns its value.
    fn count_deal(&mut self, table: usize, deal: &[FieldGame]) -> f64 {
        let (new, old) = deal.split_at(self.field.seats);
        let halves = [new, old].map(|games| games.iter().map(|game| game.halves).sum::<u32>());
        self.tables[table].add(halves);
        let of_deal = self.halves_of_deal();
        let recent = &mut self.recent[table];
        recent.deals = MEMORY * recent.deals + 1.0;
        recent.shares = MEMORY * recent.shares + f64::from(halves[0] + halves[1]) / of_deal;
        self.squares += u64::from(halves[0].abs_diff(halves[1])).pow(2);
        let forfeits = deal.iter().filter(|game| game.forfeited).count();
        self.state.forfeits += u32::try_from(forfeits).unwrap_or_default();
        self.deal_value(f64::from(halves[0]) - f64::from(halves[1]))
    }

    /// The half points of the two together in a deal.
    fn halves_of_deal(&self) -> f64 {
        f64::from(4 * self.points())
    }

    /// The value of a deal, or the mean of several, in which the new player has this many half points
    /// more than the old one.
    fn deal_value(&self, lead: f64) -> f64 {
        0.5 + lead / self.halves_of_deal()
    }

    /// The difference in strength in Elo, with a 95% interval. Both allow for the test's stopping
    /// early: the estimate is as often too high as too low. Where the test has no verdict, they are
    /// those of a test with these deals as its maximum length.
    pub fn estimate(&self) -> Estimate {
        let strengths = self.table_strengths();
        let motion = self.test_motion(&strengths);
        let at = |chance| {
            self.elo_at_value(motion.score_at_drift(motion.end.drift_at_chance(chance)), &strengths)
        };
        Estimate { value: at(0.5), low: at(0.025), high: at(0.975) }
    }

    /// The likelihood of superiority: the probability that the new player is better in this field,
    /// 0 … 1. Like the estimate, it allows for the test.
    pub fn los(&self) -> f64 {
        let motion = self.test_motion(&self.table_strengths());
        (1.0 - motion.end.chance_as_high(motion.drift_at_score(0.5))).clamp(0.0, 1.0)
    }

    /// The test as a Brownian motion. Half a deal lost and half a deal won are added: a few deals often
    /// look more alike than many.
    fn test_motion(&self, strengths: &[f64]) -> TestMotion {
        let deals = f64::from(self.deals()) + 1.0;
        let [new, old] = [Rival::New, Rival::Old].map(|rival| 2.0 * self.score(rival).value());
        let mean = self.deal_value((new - old) / deals);
        // A deal's distance from ½ is its difference over this, see `value`.
        let square = (squares_as_f64(self.squares) / self.halves_of_deal().powi(2) + 0.25) / deals;
        let variance = square - (mean - 0.5).powi(2);
        let bounds = (self.errors.1.ln(), -self.errors.0.ln());
        TestMotion::new(self.hypothesis_means(strengths), bounds, (mean, (variance / deals).sqrt()))
    }

    /// The expected values of a round's deals under the two hypotheses, at tables over which both have
    /// these strengths.
    fn hypothesis_means(&self, strengths: &[f64]) -> (f64, f64) {
        let (low, high) = self.hypotheses;
        (self.expected_round_value(low, strengths), self.expected_round_value(high, strengths))
    }

    /// The expected value of a round's deals if the difference is this one.
    fn expected_round_value(&self, elo: f64, strengths: &[f64]) -> f64 {
        if self.is_duel {
            expected_field_match_share(elo * PER_ELO)
        } else {
            expected_field_match_value(elo, strengths)
        }
    }

    /// The difference in Elo at which the mean of the expected values is this one.
    fn elo_at_value(&self, mean: f64, strengths: &[f64]) -> f64 {
        let (mut low, mut high) = (-FARTHEST, FARTHEST);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.expected_round_value(middle, strengths) < mean {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }

    /// How strong both players were over each table.
    fn table_strengths(&self) -> Vec<f64> {
        let level = |score| FieldLevel::from_score(score, self.halves_of_deal());
        estimate_field_match_strengths(&self.tables.iter().map(level).collect::<Vec<_>>())
    }
}

/// How strong both players are over tables at these levels, in natural units. With few deals, tables
/// are taken to be more alike than their results.
fn estimate_field_match_strengths(levels: &[FieldLevel]) -> Vec<f64> {
    let sum = |of: fn(&FieldLevel) -> f64| levels.iter().map(of).sum::<f64>();
    let common = (sum(|level| level.shares) + 0.5) / (sum(|level| level.deals) + 1.0);
    let of = |level: &FieldLevel| {
        let share = (level.shares + COMMON * common) / (level.deals + COMMON);
        (share / (1.0 - share)).ln()
    };
    levels.iter().map(of).collect()
}

#[expect(clippy::cast_precision_loss, reason = "at most the square of 480 for each deal")]
fn squares_as_f64(squares: u64) -> f64 {
    squares as f64
}

/// The mean of the expected values at tables over which both have these strengths.
#[expect(clippy::cast_precision_loss, reason = "a number of players")]
fn expected_field_match_value(elo: f64, strengths: &[f64]) -> f64 {
    let half = elo * PER_ELO / 2.0;
    let leads = strengths.iter().map(|strength| {
        expected_field_match_share(strength + half) - expected_field_match_share(strength - half)
    });
    0.5 + leads.sum::<f64>() / strengths.len() as f64 / 2.0
}

/// The expected share of a player that is this much stronger, in natural units.
fn expected_field_match_share(strength: f64) -> f64 {
    1.0 / (1.0 + (-strength).exp())
}

#[cfg(test)]
mod tests;
