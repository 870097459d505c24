//! The model behind the ratings, and its most probable parameters.
//!
//! It is Bradley–Terry with Davidson's draws and the order effect of Davidson and Beaver. With `x =
//! θ(first) − θ(second) + α`, the probabilities of a win, draw and loss of the first seat are
//! proportional to `exp(x/2) : exp(η) : exp(−x/2)`. The log likelihood is concave in all
//! parameters, and the Gaussian priors make the posterior strictly so. It has exactly one maximum,
//! which Newton's method with step halving finds from any start.

use std::f64::consts::LN_10;

use ndarray::{Array1, Array2, ArrayView1};

use crate::dense::Factor;
use crate::linear::{Layout, Local, information};
use crate::outcome::GameOutcome;
use crate::pairs::{PairCounts, Side};

/// Newton's method needs about ten steps; this bound only guards against rounding.
const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 40;
/// If the squared length of a full Newton step (in standard deviations) is below this, it is the
/// last. The curvature hardly changes over it.
const SHORT: f64 = 1e-9;

/// The games of two players, as the fit sees them: by the seat of the upper player.
#[derive(Debug, Clone, Copy)]
struct Series {
    upper: usize,
    lower: usize,
    games: [f64; 2],
    /// Wins minus losses of the first seat.
    balance: [f64; 2],
    /// Draws of both.
    draws: f64,
}

/// The probabilities of the three results of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Chances {
    pub(crate) win: f64,
    pub(crate) draw: f64,
    pub(crate) loss: f64,
    /// Half of the lead, without its sign.
    half: f64,
    /// The common denominator of the probabilities, in units of the stronger side's weight.
    sum: f64,
}

impl Chances {
    /// The probabilities if the first seat leads by `lead` and the draw parameter is `nu`.
    pub(crate) fn at(lead: f64, nu: f64) -> Self {
        // In units of the stronger side's weight, so that no lead overflows.
        let half = lead.abs() / 2.0;
        let root = (-half).exp();
        let sum = 1.0 + nu * root + root * root;
        let upper = 1.0 / sum;
        let lower = root * root * upper;
        let (win, loss) = if lead > 0.0 { (upper, lower) } else { (lower, upper) };
        Self { win, draw: nu * root * upper, loss, half, sum }
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
    pub(crate) information: Factor,
}

/// The negative log posterior (up to a constant), its gradient and its Hessian at a point.
struct PosteriorPoint {
    point: Vec<f64>,
    value: f64,
    slope: Vec<f64>,
    curvature: Array2<f64>,
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
        let series = pairings.iter().map(Series::of).collect();
        Self { layout, series, means, precisions }
    }

    /// The one maximum of the posterior.
    pub(crate) fn map_estimate(&self) -> MapEstimate {
        let mut here = self.evaluate(self.by_scores());
        let mut steps = 0;
        loop {
            let PosteriorPoint { point, value, slope, curvature } = here;
            let information = Factor::new(curvature, self.floor());
            let step = information.solve(&slope);
            let length = step.dot(&ArrayView1::from(&slope));
            steps += 1;
            if length < SHORT || steps == MOST_STEPS {
                return MapEstimate { point: moved(&point, &step, 1.0), information };
            }
            let Some(next) = self.descend(&point, &step, value) else {
                return MapEstimate { point, information };
            };
            here = next;
        }
    }

    /// The strengths with which players would score as they did, if all of their opponents were
    /// average; all other parameters at the means of their priors.
    fn by_scores(&self) -> Vec<f64> {
        // Wins minus losses, and games. One draw more keeps strengths finite.
        let mut scores = vec![(0.0, 1.0); self.layout.strengths];
        for series in &self.series {
            let [at_first, at_second] = series.balance;
            let games = series.games[0] + series.games[1];
            for (player, sign) in [(series.upper, 1.0), (series.lower, -1.0)] {
                let (balance, all) = &mut scores[self.layout.slots[player]];
                *balance += sign * (at_first - at_second);
                *all += games;
            }
        }
        let mut point = self.means.clone();
        for (strength, (balance, games)) in point.iter_mut().zip(scores) {
            *strength = ((games + balance) / (games - balance)).ln();
        }
        point
    }

    /// The first step among 1, ½, ¼ … that does not go uphill, and where it leads.
    fn descend(&self, point: &[f64], step: &Array1<f64>, value: f64) -> Option<PosteriorPoint> {
        let rounding = 1e-12 * value.abs();
        let scales = (0..MOST_HALVINGS).scan(1.0, |scale, _| {
            *scale /= 2.0;
            Some(2.0 * *scale)
        });
        scales
            .map(|scale| self.evaluate(moved(point, step, scale)))
            .find(|reached| reached.value <= value + rounding)
    }

    /// A lower bound of the curvature in every direction: the smallest prior precision.
    pub(crate) fn floor(&self) -> f64 {
        self.precisions.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The logarithm of the likelihood at these parameters, up to a constant: what the results say
    /// without the priors.
    pub(crate) fn log_likelihood(&self, point: &[f64]) -> f64 {
        let draw = point[self.layout.draw()];
        let minus_logs = self.series.iter().map(|series| {
            let leads = self.layout.pair(series.upper, series.lower).leads(point);
            series.evaluate(leads, draw).0
        });
        -minus_logs.sum::<f64>()
    }

    fn evaluate(&self, point: Vec<f64>) -> PosteriorPoint {
        let offsets: Vec<f64> = point.iter().zip(&self.means).map(|(p, mean)| p - mean).collect();
        let priors = offsets.iter().zip(&self.precisions);
        let mut value = priors.clone().map(|(off, precision)| off * off * precision / 2.0).sum();
        let mut slope: Vec<f64> = priors.map(|(off, precision)| off * precision).collect();
        let draw = point[self.layout.draw()];
        let terms = self.series.iter().map(|series| {
            let predictor = self.layout.pair(series.upper, series.lower);
            let (minus_log, part, local) = series.evaluate(predictor.leads(&point), draw);
            value += minus_log;
            predictor.add_vector(part, &mut slope);
            (predictor, local)
        });
        let curvature = information(&self.precisions, terms);
        PosteriorPoint { point, value, slope, curvature }
    }
}

impl Series {
    fn of((upper, lower, counts): &(usize, usize, PairCounts)) -> Self {
        let games = Side::BOTH.map(|side| counts.games(side).map(f64::from));
        Self {
            upper: *upper,
            lower: *lower,
            games: games.map(|[wins, draws, losses]| wins + draws + losses),
            balance: games.map(|[wins, _, losses]| wins - losses),
            draws: games.iter().map(|[_, draws, _]| draws).sum(),
        }
    }

    /// The negative log likelihood at these leads; its gradient and its Hessian in the parts of the
    /// players' [`PairPredictor`](crate::linear::PairPredictor).
    fn evaluate(&self, leads: [f64; 2], draw: f64) -> (f64, [f64; 3], Local) {
        let nu = draw.exp();
        let mut minus_log = -self.draws * draw;
        let (mut slope, mut local) = ([0.0, 0.0, -self.draws], Local::default());
        // The contrast counts for the upper player and against the lower one.
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let (games, balance) = (self.games[side], self.balance[side]);
            let chances = Chances::at(leads[side], nu);
            minus_log += games * (chances.half + chances.sum.ln()) - balance * leads[side] / 2.0;
            let by_lead = games * chances.tilt() - balance / 2.0;
            slope[0] += sign * by_lead;
            slope[1] += by_lead;
            slope[2] += games * chances.draw;
            let [[variance, mixed], [_, by_draw]] = chances.covariance();
            let curvature = [
                [variance, sign * variance, sign * mixed],
                [sign * variance, variance, mixed],
                [sign * mixed, mixed, by_draw],
            ];
            for (sum, cell) in local.as_flattened_mut().iter_mut().zip(curvature.as_flattened()) {
                *sum += games * cell;
            }
        }
        (minus_log, slope, local)
    }
}

/// The point after this share of a step down.
fn moved(point: &[f64], step: &Array1<f64>, scale: f64) -> Vec<f64> {
    point.iter().zip(step).map(|(at, step)| at - scale * step).collect()
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
