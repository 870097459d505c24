//! The model behind the ratings and its most probable parameters.
//!
//! Bradley–Terry with Davidson's draws and the order effect of Davidson and Beaver: with
//! `x = θ(first) − θ(second) + α`, win, draw and loss of the first seat are as likely as
//! `exp(x/2) : exp(η) : exp(−x/2)`. The logarithm of such a likelihood is concave in all parameters
//! and the Gaussian priors make it strictly so: there is exactly one maximum, and Newton's method
//! with halved steps finds it from anywhere.

use std::f64::consts::LN_10;

use super::Tally;
use super::cholesky::{Factor, Symmetric, dot};

/// Elo points of one natural unit of strength where draws do not exist.
pub(super) const ELO: f64 = 400.0 / LN_10;

/// The prior of a strength: mean 0, this standard deviation in Elo (at a draw parameter of 0).
pub(super) const STRENGTH_SD: f64 = 600.0;
/// The prior of the first seat's advantage: mean 0, this standard deviation in Elo.
pub(super) const ADVANTAGE_SD: f64 = 200.0;
/// The prior of the draw parameter's logarithm: around one draw in five games among equals.
pub(super) const DRAW_MEAN: f64 = -std::f64::consts::LN_2;
/// Its standard deviation in natural logarithms.
pub(super) const DRAW_SD: f64 = 2.0;

/// Newton needs about ten steps; the bound is for floating point alone.
const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 40;
/// Below this squared length (in standard deviations) a full Newton step is the last.
const SHORT: f64 = 1e-9;

/// The games of one player at the first seat against another, as the fit sees them.
#[derive(Debug, Clone, Copy)]
struct Pairing {
    first: usize,
    second: usize,
    games: f64,
    /// Wins less losses.
    balance: f64,
    draws: f64,
}

/// The chances of the three results, and the logarithm of their common denominator.
#[derive(Debug, Clone, Copy)]
struct Chances {
    win: f64,
    draw: f64,
    loss: f64,
    log_sum: f64,
}

impl Chances {
    fn at(lead: f64, draw: f64) -> Self {
        let top = (lead.abs() / 2.0).max(draw);
        let [w, d, l] = [lead / 2.0, draw, -lead / 2.0].map(|log| (log - top).exp());
        let sum = w + d + l;
        Self { win: w / sum, draw: d / sum, loss: l / sum, log_sum: top + sum.ln() }
    }
}

/// The logarithm of the posterior of all strengths, the advantage and the draw parameter, negated.
///
/// A point is the vector of the strengths, then the advantage, then the draw parameter's logarithm.
#[derive(Debug, Clone)]
pub(super) struct Model {
    players: usize,
    pairings: Vec<Pairing>,
    means: Vec<f64>,
    precisions: Vec<f64>,
}

/// The most probable parameters and the curvature there.
#[derive(Debug, Clone)]
pub(super) struct Peak {
    /// Strengths in natural units; their mean is 0 up to rounding.
    pub(super) strengths: Vec<f64>,
    /// The first seat's advantage in natural units.
    pub(super) advantage: f64,
    /// The logarithm of the draw parameter.
    pub(super) draw: f64,
    /// The observed information, prior included, in the order of the fields above.
    pub(super) information: Factor,
}

impl Model {
    /// The model of these results.
    pub(super) fn new(tally: &Tally) -> Self {
        let players = tally.names().len();
        let mut means = vec![0.0; players + 1];
        means.push(DRAW_MEAN);
        let mut precisions = vec![(ELO / STRENGTH_SD).powi(2); players];
        precisions.extend([(ELO / ADVANTAGE_SD).powi(2), DRAW_SD.powi(-2)]);
        Self { players, pairings: pairings(tally), means, precisions }
    }

    /// The one maximum of the posterior.
    pub(super) fn peak(&self) -> Peak {
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
        let (_, curvature) = self.slopes(&point);
        Peak {
            information: curvature.factor(self.floor()),
            advantage: point[self.players],
            draw: point[self.players + 1],
            strengths: point[..self.players].to_vec(),
        }
    }

    /// The first of the steps 1, ½, ¼ … that does not lead uphill, and where it leads.
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

    /// A lower bound of the curvature in every direction: the least the priors give.
    fn floor(&self) -> f64 {
        self.precisions.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The negated logarithm of the posterior, up to a constant.
    fn value(&self, point: &[f64]) -> f64 {
        let draw = point[self.players + 1];
        let likelihood = self.pairings.iter().map(|pairing| {
            let lead = self.lead(point, pairing);
            let log_sum = Chances::at(lead, draw).log_sum;
            pairing.games * log_sum - pairing.balance * lead / 2.0 - pairing.draws * draw
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
        for pairing in &self.pairings {
            self.add_slopes(point, pairing, &mut slope, &mut curvature);
        }
        (slope, curvature)
    }

    /// Adds what the games of one pairing give to the gradient and the Hessian.
    fn add_slopes(&self, at: &[f64], pairing: &Pairing, slope: &mut [f64], bend: &mut Symmetric) {
        let draw = self.players + 1;
        let chances = Chances::at(self.lead(at, pairing), at[draw]);
        let tilt = (chances.win - chances.loss) / 2.0;
        let spread = (chances.win + chances.loss) / 4.0 - tilt * tilt;
        let by_lead = pairing.games * tilt - pairing.balance / 2.0;
        let signs = [(pairing.first, 1.0), (pairing.second, -1.0), (self.players, 1.0)];
        for (n, &(row, sign)) in signs.iter().enumerate() {
            slope[row] += sign * by_lead;
            bend.add(row, draw, -sign * pairing.games * chances.draw * tilt);
            for &(column, other) in &signs[..=n] {
                bend.add(row, column, sign * other * pairing.games * spread);
            }
        }
        slope[draw] += pairing.games * chances.draw - pairing.draws;
        bend.add(draw, draw, pairing.games * chances.draw * (1.0 - chances.draw));
    }

    /// How far the first seat is ahead in a pairing.
    fn lead(&self, point: &[f64], pairing: &Pairing) -> f64 {
        point[pairing.first] - point[pairing.second] + point[self.players]
    }

    fn offsets(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.means).map(|(p, mean)| p - mean).collect()
    }
}

/// The pairings that were played.
fn pairings(tally: &Tally) -> Vec<Pairing> {
    let players = 0..tally.names().len();
    let all = players.clone().flat_map(|first| players.clone().map(move |second| (first, second)));
    all.filter_map(|(first, second)| {
        let played = tally.pairing(first, second);
        (played.games() > 0).then(|| Pairing {
            first,
            second,
            games: f64::from(played.games()),
            balance: f64::from(played.wins) - f64::from(played.losses),
            draws: f64::from(played.draws),
        })
    })
    .collect()
}
