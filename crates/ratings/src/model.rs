//! The model behind the ratings, and its most probable parameters.
//!
//! It is Bradley–Terry with Davidson's draws and the order effect of Davidson and Beaver. With `x =
//! θ(first) − θ(second) + α`, the probabilities of a win, draw and loss of the first seat are
//! proportional to `exp(x/2) : exp(η) : exp(−x/2)`. The log likelihood is concave in all
//! parameters, and the Gaussian priors make the posterior strictly so. It has exactly one maximum,
//! which Newton's method with step halving finds from any start.

use std::f64::consts::LN_10;

use crate::cholesky::{Symmetric, dot};
use crate::linear::{Layout, LinearPredictor};
use crate::outcome::GameOutcome;
use crate::pairs::{PairCounts, Side};

/// Newton's method needs about ten steps; this bound only guards against rounding.
const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 40;
/// If the squared length of a full Newton step (in standard deviations) is below this, it is the
/// last.
const SHORT: f64 = 1e-9;

/// The games of one player at the first seat against another, as the fit sees them.
#[derive(Debug, Clone)]
struct Series {
    predictor: LinearPredictor,
    games: f64,
    /// Wins minus losses.
    balance: f64,
    draws: f64,
}

/// The probabilities of the three results of a game, and the log of their common denominator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Chances {
    pub(crate) win: f64,
    pub(crate) draw: f64,
    pub(crate) loss: f64,
    log_sum: f64,
}

impl Chances {
    /// The probabilities if the first seat leads by `lead` and the draw parameter's log is `draw`.
    pub(crate) fn at(lead: f64, draw: f64) -> Self {
        let top = (lead.abs() / 2.0).max(draw);
        let [w, d, l] = [lead / 2.0, draw, -lead / 2.0].map(|log| (log - top).exp());
        let sum = w + d + l;
        Self { win: w / sum, draw: d / sum, loss: l / sum, log_sum: top + sum.ln() }
    }

    /// The expected score of the first seat minus ½.
    pub(crate) fn tilt(self) -> f64 {
        (self.win - self.loss) / 2.0
    }

    /// The covariance matrix (2×2) of a game's score and its indicator of a draw.
    pub(crate) fn covariance(self) -> [[f64; 2]; 2] {
        let tilt = self.tilt();
        let mixed = -self.draw * tilt;
        let score = (self.win + self.loss) / 4.0 - tilt * tilt;
        [[score, mixed], [mixed, self.draw * (1.0 - self.draw)]]
    }

    /// The residual of an outcome: of its score, and of its indicator of a draw.
    pub(crate) fn residual(self, outcome: GameOutcome) -> [f64; 2] {
        let (score, draw) = match outcome {
            GameOutcome::Win => (0.5, 0.0),
            GameOutcome::Draw => (0.0, 1.0),
            GameOutcome::Loss => (-0.5, 0.0),
        };
        [score - self.tilt(), draw - self.draw]
    }
}

/// The negative log posterior as a function of the parameters of a [`Layout`].
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) layout: Layout,
    series: Vec<Series>,
    means: Vec<f64>,
    pub(crate) precisions: Vec<f64>,
}

/// The most probable parameters, and the curvature there.
#[derive(Debug, Clone)]
pub(crate) struct MapEstimate {
    /// The parameters.
    pub(crate) point: Vec<f64>,
    /// The observed information, including the priors'.
    pub(crate) information: Symmetric,
}

impl Model {
    /// Elo points per natural unit of strength in a game without draws.
    pub(crate) const ELO: f64 = 400.0 / LN_10;
    /// The prior of a strength: mean 0, this standard deviation in Elo (at a draw parameter of 0).
    pub(crate) const STRENGTH_SD: f64 = 600.0;
    /// The prior of the first seat's advantage: mean 0, this standard deviation in Elo.
    pub(crate) const ADVANTAGE_SD: f64 = 200.0;
    /// The prior mean of the draw parameter's logarithm: about one draw in five games between
    /// equals.
    pub(crate) const DRAW_MEAN: f64 = -std::f64::consts::LN_2;
    /// Its standard deviation in natural logarithms.
    pub(crate) const DRAW_SD: f64 = 2.0;

    /// The model of these results.
    pub(crate) fn new(layout: Layout, pairings: &[(usize, usize, PairCounts)]) -> Self {
        let (means, precisions) = priors(&layout);
        let series = pairings
            .iter()
            .flat_map(|(upper, lower, counts)| {
                [Side::Upper, Side::Lower].map(|side| (*upper, *lower, counts.games(side), side))
            })
            .filter(|(_, _, games, _)| games.iter().any(|&count| count > 0))
            .map(|(upper, lower, games, side)| {
                let [wins, draws, losses] = games.map(f64::from);
                Series {
                    predictor: layout.predictor_of((upper, lower), side),
                    games: wins + draws + losses,
                    balance: wins - losses,
                    draws,
                }
            })
            .collect();
        Self { layout, series, means, precisions }
    }

    /// The one maximum of the posterior.
    pub(crate) fn map_estimate(&self) -> MapEstimate {
        let mut point = self.means.clone();
        let mut value = self.value(&point);
        for _ in 0..MOST_STEPS {
            let (slope, curvature) = self.slopes(&point);
            let step = curvature.factor(self.floor()).solve(&slope);
            let length = dot(&slope, &step);
            let Some(next) = self.descend(&point, &step, value, length) else { break };
            (point, value) = next;
            if length < SHORT {
                break;
            }
        }
        let (_, information) = self.slopes(&point);
        MapEstimate { point, information }
    }

    /// The first step among 1, ½, ¼ … that does not go uphill, and where it leads.
    fn descend(
        &self,
        point: &[f64],
        step: &[f64],
        value: f64,
        length: f64,
    ) -> Option<(Vec<f64>, f64)> {
        let rounding = 1e-12 * value.abs();
        let mut scale = 1.0;
        for _ in 0..MOST_HALVINGS {
            let next: Vec<f64> = point.iter().zip(step).map(|(p, s)| p - scale * s).collect();
            let reached = self.value(&next);
            if length < SHORT || reached <= value + rounding {
                return Some((next, reached));
            }
            scale /= 2.0;
        }
        None
    }

    /// A lower bound of the curvature in every direction: the smallest prior precision.
    pub(crate) fn floor(&self) -> f64 {
        self.precisions.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The negative log posterior, up to a constant.
    fn value(&self, point: &[f64]) -> f64 {
        let draw = point[self.layout.draw()];
        let likelihood = self.series.iter().map(|series| {
            let lead = series.predictor.at(point);
            let log_sum = Chances::at(lead, draw).log_sum;
            series.games * log_sum - series.balance * lead / 2.0 - series.draws * draw
        });
        let off = self.offsets(point);
        let prior = off.iter().zip(&self.precisions).map(|(off, p)| off * off * p / 2.0);
        likelihood.sum::<f64>() + prior.sum::<f64>()
    }

    /// The gradient and the Hessian of [`value`](Self::value).
    fn slopes(&self, point: &[f64]) -> (Vec<f64>, Symmetric) {
        let mut slope: Vec<f64> =
            self.offsets(point).iter().zip(&self.precisions).map(|(off, p)| off * p).collect();
        let mut curvature = Symmetric::diagonal(&self.precisions);
        for series in &self.series {
            self.add_slopes(point, series, &mut slope, &mut curvature);
        }
        (slope, curvature)
    }

    /// Adds the contribution of one series to the gradient and the Hessian.
    fn add_slopes(&self, at: &[f64], series: &Series, slope: &mut [f64], bend: &mut Symmetric) {
        let draw = self.layout.draw();
        let chances = Chances::at(series.predictor.at(at), at[draw]);
        let [[variance, mixed], [_, by_draw]] = chances.covariance();
        let by_predictor = series.games * chances.tilt() - series.balance / 2.0;
        for (n, &(row, factor)) in series.predictor.terms.iter().enumerate() {
            slope[row] += factor * by_predictor;
            bend.add(row, draw, factor * series.games * mixed);
            for &(column, other) in &series.predictor.terms[..=n] {
                bend.add(row, column, factor * other * series.games * variance);
            }
        }
        slope[draw] += series.games * chances.draw - series.draws;
        bend.add(draw, draw, series.games * by_draw);
    }

    fn offsets(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.means).map(|(p, mean)| p - mean).collect()
    }
}

/// The means and precisions of the priors.
fn priors(layout: &Layout) -> (Vec<f64>, Vec<f64>) {
    let mut means = vec![0.0; layout.len()];
    means[layout.draw()] = Model::DRAW_MEAN;
    let mut precisions = vec![0.0; layout.len()];
    for &slot in &layout.slots {
        precisions[slot] += (Model::ELO / Model::STRENGTH_SD).powi(2);
    }
    let seat = (Model::ELO / Model::ADVANTAGE_SD).powi(2);
    precisions[layout.advantage()] = seat;
    precisions[layout.draw()] = Model::DRAW_SD.powi(-2);
    precisions[layout.own_effects()].fill(seat);
    (means, precisions)
}
