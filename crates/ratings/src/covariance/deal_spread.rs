//! How the gradient of the likelihood varies where the games of a deal, and the comparisons of a
//! game, may depend on each other.
//!
//! As with pairs, what fitting removed from the residuals is added again, and the observed
//! covariance is averaged with what the model expects, times a dispersion for the whole tournament.
//! The expectation weighs as much as [`PRIOR_DEALS`] deals of the same players. Without it, too few
//! intervals hold, because every table of players has few deals.
//!
//! Strengths, seats and draws have a dispersion each. Where the luck of a deal belongs to the seat,
//! the games of a deal agree on seats, but not on players: with one dispersion for both, a test of
//! seats would be wrong in a quarter of all tournaments.

use ndarray::{Array1, Array2, s};

use crate::covariance::dispersion::Dispersion;
use crate::matrices::triangle::{Cells, Triangle};
use crate::rating_model::{RatingChances, RatingModel};
use crate::results::deals::{Comparison, Deal, Deals};
use crate::significance::count_as_f64;

/// The model's expectation weighs as much as this many deals of the same players.
const PRIOR_DEALS: f64 = 20.0;
/// Dispersions are shrunk towards 1 as if by this many games or deals.
const PRIOR_GAMES: f64 = 20.0;
/// The correlation within deals is shrunk towards 0 as if by this many pairs of independent games.
const INDEPENDENT: f64 = 10.0;
/// The bound of the correlation, as a share of the possible.
const MOST: f64 = 0.95;

/// How the gradient of all deals varies.
pub(crate) struct DealSpread<'a> {
    model: &'a RatingModel,
    inverse: &'a dyn Cells,
    deals: &'a Deals,
    /// The chances of each series: with the upper player at seat *a*, and with the lower one.
    chances: Vec<[RatingChances; 2]>,
    /// The variance of a game's part for the strengths, as a multiple of what the model expects.
    within: f64,
    /// The correlation between two games of a deal.
    correlation: f64,
    /// The variance of a deal's part for the seats.
    seats: f64,
    /// The variance of its part for the draw parameter.
    draws: f64,
}

/// The gradient and the curvature of some games, over the players of their deal, followed by the
/// seats and the draw parameter.
struct DealGameTerms {
    gradient: Array1<f64>,
    curvature: Array2<f64>,
}

/// A deal's games with what they have in common.
struct DealTerms {
    /// The indices of the local parameters; `None` for the seats if these have no value.
    parameters: Vec<Option<usize>>,
    /// The part of the inverse information that the deal sees.
    inverse: Array2<f64>,
    games: Vec<DealGameTerms>,
    /// All games together.
    sum: DealGameTerms,
}

/// Sums over games or deals; their quotient is a dispersion.
#[derive(Debug, Clone, Copy, Default)]
struct DealSpreadSums {
    observed: f64,
    expected: f64,
    number: f64,
}

impl<'a> DealSpread<'a> {
    pub(crate) fn new(
        model: &'a RatingModel,
        point: &[f64],
        inverse: &'a dyn Cells,
        deals: &'a Deals,
    ) -> Self {
        let nu = point[model.layout.draw_index()].exp();
        let chances = (0..).zip(&deals.series).map(|(at, series)| {
            let predictor =
                model.layout.predictor_at_seats(series.upper, series.lower, series.seats);
            let blur = model.prior().blur(at);
            predictor.leads(point).map(|lead| RatingChances::from_blurred_lead(lead, blur, nu))
        });
        let chances = chances.collect();
        let unknown = Self {
            model,
            inverse,
            deals,
            chances,
            within: 1.0,
            correlation: 0.0,
            seats: 1.0,
            draws: 1.0,
        };
        unknown.with_estimated_dispersions()
    }

    /// The same with the dispersions that the games show.
    fn with_estimated_dispersions(self) -> Self {
        let players = self.deals.table.seats;
        let [strengths, seats, draw] =
            [0..players, players..2 * players, 2 * players..2 * players + 1];
        let [mut of_games, mut of_seats, mut of_draws] = [DealSpreadSums::default(); 3];
        // Of two different games of a deal: their products, and what they would be if both were one.
        let [mut observed, mut together] = [0.0; 2];
        for deal in &self.deals.list {
            let DealTerms { inverse, games, sum, .. } = self.deal_terms(deal);
            let [mut own, mut removed, mut traces, mut roots] = [0.0; 4];
            for game in &games {
                own += game.squared_gradient(&strengths);
                removed += game.removed_by_fit(&strengths, &inverse);
                let trace = game.curvature_trace(&strengths);
                traces += trace;
                roots += trace.sqrt();
            }
            of_games.add(own + removed, traces, count_as_f64(games.len()));
            observed += sum.squared_gradient(&strengths) - own;
            observed += sum.removed_by_fit(&strengths, &inverse) - removed;
            together += roots * roots - traces;
            for (part, sums) in [(&seats, &mut of_seats), (&draw, &mut of_draws)] {
                sums.add(
                    sum.squared_gradient(part) + sum.removed_by_fit(part, &inverse),
                    sum.curvature_trace(part),
                    1.0,
                );
            }
        }
        let others = count_as_f64(self.deals.most_games().saturating_sub(1).max(1));
        let correlation = observed / (together + INDEPENDENT * of_games.expected_mean());
        let correlation = if correlation.is_finite() { correlation } else { 0.0 };
        Self {
            // The only comparison of a game of two is as the model expects.
            within: if players == 2 { 1.0 } else { of_games.shrunk_dispersion() },
            correlation: correlation.clamp(-MOST / others, MOST),
            seats: of_seats.shrunk_dispersion(),
            draws: of_draws.shrunk_dispersion(),
            ..self
        }
    }

    /// The variance of the strengths' part of a deal of this many games.
    fn deal_variance(&self, games: usize) -> f64 {
        self.within * (1.0 + (count_as_f64(games) - 1.0) * self.correlation)
    }

    pub(crate) fn dispersion(&self) -> Dispersion {
        let games = self.deals.list.iter().map(|deal| deal.games.len());
        let all: f64 = games.clone().map(count_as_f64).sum();
        let sum: f64 = games.map(|games| count_as_f64(games) * self.deal_variance(games)).sum();
        Dispersion {
            within: self.within,
            correlation: self.correlation,
            overall: if all > 0.0 { sum / all } else { 1.0 },
        }
    }

    /// Adds the covariance of the gradient to a matrix over all parameters.
    pub(crate) fn add_gradient(&self, matrix: &mut Triangle) {
        let players = self.deals.table.seats;
        for deal in &self.deals.list {
            let DealTerms { parameters, inverse, games, sum } = self.deal_terms(deal);
            let DealGameTerms { gradient, curvature } = sum;
            let of_strengths = self.deal_variance(games.len());
            let scale = Array1::from_shape_fn(parameters.len(), |at| match at / players {
                0 => of_strengths.sqrt(),
                1 => self.seats.sqrt(),
                _ => self.draws.sqrt(),
            });
            let removed = curvature.dot(&inverse).dot(&curvature);
            let expected = PRIOR_DEALS / (PRIOR_DEALS + f64::from(deal.of_these));
            for (row, to) in parameters.iter().enumerate() {
                for (column, from) in parameters.iter().enumerate() {
                    let (Some(to), Some(from)) = (*to, *from) else { continue };
                    let scale = scale[row] * scale[column];
                    let observed =
                        gradient[row] * gradient[column] + scale * removed[[row, column]];
                    let expected_there = expected * scale * curvature[[row, column]];
                    matrix.add(to, from, (1.0 - expected) * observed + expected_there);
                }
            }
        }
    }

    fn deal_terms(&self, deal: &Deal) -> DealTerms {
        let layout = &self.model.layout;
        let strengths = deal.players.iter().map(|&player| Some(layout.slots[player as usize]));
        let mut values = layout.seat_values();
        let seats = deal.players.iter().map(|_| values.next());
        let parameters: Vec<Option<usize>> =
            strengths.chain(seats).chain([Some(layout.draw_index())]).collect();
        let size = parameters.len();
        let inverse = Array2::from_shape_fn((size, size), |(row, column)| {
            let cell = parameters[row].zip(parameters[column]);
            cell.map_or(0.0, |(row, column)| self.inverse.cell(row, column))
        });
        let games: Vec<DealGameTerms> =
            deal.games.iter().map(|game| self.game_terms(deal.players.len(), game)).collect();
        let mut sum = DealGameTerms::zero(size);
        for game in &games {
            sum.gradient += &game.gradient;
            sum.curvature += &game.curvature;
        }
        DealTerms { parameters, inverse, games, sum }
    }

    fn game_terms(&self, players: usize, comparisons: &[Comparison]) -> DealGameTerms {
        let mut terms = DealGameTerms::zero(2 * players + 1);
        for comparison in comparisons {
            let series = &self.deals.series[comparison.series as usize];
            let chances = self.chances[comparison.series as usize][comparison.side as usize];
            let [score, draw] = chances.residual(comparison.outcome).map(|it| series.weight * it);
            let [[variance, mixed], [_, of_draw]] =
                chances.covariance.map(|row| row.map(|cell| series.weight * cell));
            let lead = comparison.lead_in_deal_terms(players, series.seats);
            let at_draw = 2 * players;
            for (row, factor) in lead {
                terms.gradient[row] += factor * score;
                terms.curvature[[row, at_draw]] += factor * mixed;
                terms.curvature[[at_draw, row]] += factor * mixed;
                for (column, other) in lead {
                    terms.curvature[[row, column]] += factor * other * variance;
                }
            }
            terms.gradient[at_draw] += draw;
            terms.curvature[[at_draw, at_draw]] += of_draw;
        }
        terms
    }
}

impl Comparison {
    /// The lead of seat *a* as a sum of local parameters with their factors.
    fn lead_in_deal_terms(self, players: usize, seats: [usize; 2]) -> [(usize, f64); 4] {
        let [upper, lower] = self.players.map(usize::from);
        let sign = if self.side == crate::results::pairs::Side::Upper { 1.0 } else { -1.0 };
        [(upper, sign), (lower, -sign), (players + seats[0], 1.0), (players + seats[1], -1.0)]
    }
}

impl DealGameTerms {
    fn zero(size: usize) -> Self {
        Self { gradient: Array1::zeros(size), curvature: Array2::zeros((size, size)) }
    }

    /// The squared length of a part of the gradient.
    fn squared_gradient(&self, part: &std::ops::Range<usize>) -> f64 {
        let gradient = self.gradient.slice(s![part.clone()]);
        gradient.dot(&gradient)
    }

    /// The trace of a part of the curvature: what the model expects the square to be.
    fn curvature_trace(&self, part: &std::ops::Range<usize>) -> f64 {
        part.clone().map(|at| self.curvature[[at, at]]).sum()
    }

    /// What fitting has removed from the square, as the model expects it.
    fn removed_by_fit(&self, part: &std::ops::Range<usize>, inverse: &Array2<f64>) -> f64 {
        let rows = self.curvature.slice(s![part.clone(), ..]);
        (&rows.dot(inverse) * &rows).sum()
    }
}

impl DealSpreadSums {
    fn add(&mut self, observed: f64, expected: f64, number: f64) {
        self.observed += observed;
        self.expected += expected;
        self.number += number;
    }

    /// The expected values of one game or deal.
    fn expected_mean(self) -> f64 {
        if self.number > 0.0 { self.expected / self.number } else { 0.0 }
    }

    /// The observed variance as a multiple of the expected one, shrunk towards 1.
    fn shrunk_dispersion(self) -> f64 {
        let prior = PRIOR_GAMES * self.expected_mean();
        let all = self.expected + prior;
        if all > 0.0 { (self.observed + prior) / all } else { 1.0 }
    }
}
