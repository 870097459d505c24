//! The model behind the ratings, and its most probable parameters.
//!
//! It is Bradley–Terry with Davidson's draws and the order effect of Davidson and Beaver. With `x =
//! θ(first) − θ(second) + α`, the probabilities of a win, draw and loss of the first seat are
//! proportional to `exp(x/2) : exp(η) : exp(−x/2)`. A game of more seats is a game of two for each
//! two players that it compares, with α the difference of the values of their seats (a composite
//! likelihood: see `deals.rs`). The log likelihood is concave in all
//! parameters, and the Gaussian priors make the posterior strictly so. It has exactly one maximum,
//! which Newton's method with step halving finds from any start.

pub(crate) mod prior;

use std::sync::Arc;

use ndarray::{Array1, ArrayView1};

use crate::estimate::ELO;
use crate::matrices::cholesky::CholeskyFactor;
use crate::matrices::curvature::Curvature;
use crate::matrices::parameter_order::ParameterOrder;
use crate::matrices::triangle::Triangle;
use crate::parameters::{Local, PairPredictor, ParameterLayout, SeatEffect};
use crate::rating_model::prior::Prior;
use crate::results::deals::SeriesCounts;
use crate::results::game_outcome::GameOutcome;
use crate::results::rated_games::RatedGames;

/// Newton's method needs about ten steps; this bound only guards against rounding.
const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 40;
/// If the squared length of a full Newton step (in standard deviations) is below this, it is the
/// last. The curvature hardly changes over it.
pub(crate) const SHORT: f64 = 1e-9;

/// Below this blur, the mean over it is taken by [`FEW_NODES`].
const SLIGHT: f64 = 0.3;
/// Three points and weights of Gauss and Hermite's rule for the mean over a standard normal
/// distribution, without their negative twins.
const FEW_NODES: [(f64, f64); 2] = [(0.0, 2.0 / 3.0), (1.732_050_807_568_877_2, 1.0 / 6.0)];
/// Seven of them.
const NODES: [(f64, f64); 4] = [
    (0.0, 0.457_142_857_142_857_1),
    (1.154_405_394_739_968, 0.240_123_178_605_012_7),
    (2.366_759_410_734_541, 0.030_757_123_967_586_5),
    (3.750_439_717_725_742, 0.000_548_268_855_972_2),
];

/// The games of two players at two seats, as the fit sees them: by the seat of the upper player.
#[derive(Debug, Clone, Copy)]
struct RatingModelSeries {
    upper: usize,
    lower: usize,
    seats: [usize; 2],
    games: [f64; 2],
    /// Wins minus losses of the first seat.
    balance: [f64; 2],
    /// Draws of both.
    draws: f64,
    /// The standard deviation of the lead: see [`Prior::blurs`].
    blur: f64,
}

/// The probabilities of the three results of a game.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct RatingChances {
    pub(crate) win: f64,
    pub(crate) draw: f64,
    pub(crate) loss: f64,
    /// The logarithm of the probabilities' common denominator.
    scale: f64,
    /// The covariance matrix of a game's score and its indicator of a draw.
    pub(crate) covariance: [[f64; 2]; 2],
}

impl RatingChances {
    /// The probabilities if the first seat leads by `lead` and the draw parameter is `nu`.
    pub(crate) fn from_lead(lead: f64, nu: f64) -> Self {
        // In units of the stronger side's weight, so that no lead overflows.
        let half = lead.abs() / 2.0;
        let root = (-half).exp();
        let sum = 1.0 + nu * root + root * root;
        let upper = 1.0 / sum;
        let lower = root * root * upper;
        let (win, loss) = if lead > 0.0 { (upper, lower) } else { (lower, upper) };
        let draw = nu * root * upper;
        let tilt = (win - loss) / 2.0;
        let score = (win + loss) / 4.0 - tilt * tilt;
        let mixed = -draw * tilt;
        let covariance = [[score, mixed], [mixed, draw * (1.0 - draw)]];
        Self { win, draw, loss, scale: half + sum.ln(), covariance }
    }

    /// The mean of all these if the lead has this standard deviation.
    pub(crate) fn from_blurred_lead(lead: f64, blur: f64, nu: f64) -> Self {
        if blur == 0.0 {
            return Self::from_lead(lead, nu);
        }
        let mut mean = Self::default();
        let nodes: &[(f64, f64)] = if blur < SLIGHT { &FEW_NODES } else { &NODES };
        for &(node, weight) in nodes {
            mean.add_weighted(weight, &Self::from_lead(lead + blur * node, nu));
            if node > 0.0 {
                mean.add_weighted(weight, &Self::from_lead(lead - blur * node, nu));
            }
        }
        mean
    }

    fn add_weighted(&mut self, weight: f64, other: &Self) {
        self.win += weight * other.win;
        self.draw += weight * other.draw;
        self.loss += weight * other.loss;
        self.scale += weight * other.scale;
        let cells = other.covariance.as_flattened();
        for (sum, cell) in self.covariance.as_flattened_mut().iter_mut().zip(cells) {
            *sum += weight * cell;
        }
    }

    /// The expected score of the first seat minus ½.
    pub(crate) fn tilt(self) -> f64 {
        (self.win - self.loss) / 2.0
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

/// The negative log posterior as a function of the parameters of a [`ParameterLayout`].
#[derive(Debug, Clone)]
pub(crate) struct RatingModel {
    pub(crate) layout: ParameterLayout,
    series: Vec<RatingModelSeries>,
    prior: Prior,
    means: Vec<f64>,
    precisions: Vec<f64>,
    /// An order in which the curvature is sparse, if it is in any.
    order: Arc<ParameterOrder>,
    /// Whether only the two players of a series are compared in it.
    are_pairs: bool,
}

/// The most probable parameters, and the curvature there.
#[derive(Debug, Clone)]
pub(crate) struct MapEstimate {
    /// The parameters.
    pub(crate) point: Vec<f64>,
    /// The observed information, including the priors'.
    pub(crate) information: CholeskyFactor,
}

/// The negative log posterior (up to a constant), its gradient and its Hessian at a point.
struct PosteriorPoint {
    point: Vec<f64>,
    value: f64,
    slope: Vec<f64>,
    curvature: Curvature,
}

impl RatingModel {
    /// The prior of a seat's advantage over another: mean 0, this standard deviation in Elo.
    pub(crate) const ADVANTAGE_SD: f64 = 200.0;
    /// The prior mean of the draw parameter's logarithm: about one draw in five games between
    /// equals.
    pub(crate) const DRAW_MEAN: f64 = -std::f64::consts::LN_2;
    /// Standard deviation in natural logarithms.
    pub(crate) const DRAW_SD: f64 = 2.0;

    /// The model of these results.
    pub(crate) fn new(layout: ParameterLayout, games: &RatedGames, prior: Prior) -> Self {
        let series = games.series().map(|counts| RatingModelSeries::from_counts(&counts)).collect();
        let (means, precisions) = (Vec::new(), Vec::new());
        let are_pairs = matches!(games, RatedGames::Pairs(_));
        let mut model = Self {
            layout,
            series,
            prior: Prior::weak(),
            means,
            precisions,
            order: Arc::new(ParameterOrder::dense(0)),
            are_pairs,
        };
        model.order = model.find_order();
        model.set_prior(prior);
        model
    }

    pub(crate) fn prior(&self) -> &Prior {
        &self.prior
    }

    /// Replaces the prior of the strengths.
    pub(crate) fn set_prior(&mut self, prior: Prior) {
        (self.means, self.precisions) = rating_model_priors(&self.layout, &prior);
        for (series, &blur) in self.series.iter_mut().zip(&prior.blurs) {
            series.blur = blur;
        }
        let is_alike = self.prior.camps == prior.camps && self.prior.steps.list == prior.steps.list;
        self.prior = prior;
        if !is_alike {
            self.order = self.find_order();
        }
    }

    /// An order in which the curvature is sparse, if it is in any. In a deal, parameters belong
    /// together that no series compares.
    fn find_order(&self) -> Arc<ParameterOrder> {
        if !self.are_pairs {
            return Arc::new(ParameterOrder::dense(self.layout.len()));
        }
        let of_series =
            |series: &RatingModelSeries| series.predictor(&self.layout).parameters().collect();
        let mut cliques: Vec<Vec<usize>> = self.series.iter().map(of_series).collect();
        cliques.extend(self.prior.steps.list.iter().map(|step| step.to_vec()));
        let means = self.prior.unknown_means(1.0).into_iter().filter(|unknown| !unknown.is_wide());
        cliques.extend(means.map(|unknown| unknown.sum.into_iter().map(|(at, _)| at).collect()));
        Arc::new(ParameterOrder::new(self.layout.len(), &cliques))
    }

    /// The one maximum of the posterior.
    pub(crate) fn map_estimate(&self) -> MapEstimate {
        self.map_estimate_from(self.starting_point(), SHORT)
    }

    /// The same, searched from `start`. The search ends with a step whose squared length, in
    /// standard deviations, is below `short`.
    pub(crate) fn map_estimate_from(&self, start: Vec<f64>, short: f64) -> MapEstimate {
        let mut here = self.evaluate_posterior(start);
        let mut steps = 0;
        loop {
            let PosteriorPoint { point, value, slope, curvature } = here;
            let information = CholeskyFactor::new(curvature);
            let step = information.solve(&slope);
            let length = step.dot(&ArrayView1::from(&slope));
            steps += 1;
            if length < short || steps == MOST_STEPS {
                return MapEstimate {
                    point: point_after_newton_step(&point, &step, 1.0),
                    information,
                };
            }
            let Some(next) = self.find_downhill_step(&point, &step, value) else {
                return MapEstimate { point, information };
            };
            here = next;
        }
    }

    /// The strengths with which players would score as they did, if all of their opponents were
    /// average; all other parameters at the means of their priors.
    pub(crate) fn starting_point(&self) -> Vec<f64> {
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
    fn find_downhill_step(
        &self,
        point: &[f64],
        step: &Array1<f64>,
        value: f64,
    ) -> Option<PosteriorPoint> {
        let rounding = 1e-12 * value.abs();
        let scales = (0..MOST_HALVINGS).scan(1.0, |scale, _| {
            *scale /= 2.0;
            Some(2.0 * *scale)
        });
        scales
            .map(|scale| self.evaluate_posterior(point_after_newton_step(point, step, scale)))
            .find(|reached| reached.value <= value + rounding)
    }

    /// A lower bound of the curvature in every direction: the smallest prior precision.
    pub(crate) fn curvature_floor(&self) -> f64 {
        let of_means =
            self.prior.camps.iter().map(|camp| self.prior.camp_mean_precision(camp.len()));
        let of_versions =
            (!self.prior.steps.list.is_empty()).then(|| self.prior.version_precision());
        // The strengths of versions have no precision of their own.
        let alone = self.precisions.iter().copied().filter(|&precision| precision > 0.0);
        alone.chain(of_means).chain(of_versions).fold(f64::INFINITY, f64::min)
    }

    /// The precisions of the priors as a matrix, with those of fitted priors times `factor`, plus
    /// the matrices of pairings.
    pub(crate) fn information_matrix(
        &self,
        factor: f64,
        terms: impl Iterator<Item = (PairPredictor, Local)>,
    ) -> Curvature {
        let mut diagonal = self.precisions.clone();
        let all = self.prior.camps.iter().flatten();
        all.for_each(|&slot| diagonal[slot] *= factor);
        let mut cells = Triangle::zeros(Arc::clone(&self.order));
        diagonal.iter().enumerate().for_each(|(at, &precision)| cells.add(at, at, precision));
        terms.for_each(|(predictor, local)| predictor.add_matrix(&local, &mut cells));
        for step in &self.prior.steps.list {
            let ends = [(step[0], 1.0), (step[1], -1.0)];
            for (row, sign) in ends {
                for (column, other) in ends {
                    cells.add(row, column, factor * self.prior.step_precision() * sign * other);
                }
            }
        }
        let floor = self.curvature_floor() * factor.min(1.0);
        Curvature { cells, unknown: self.prior.unknown_means(factor), floor }
    }

    /// The posterior's logarithm at a point, up to a constant that no prior changes, with the
    /// likelihood as its mean over the blur.
    pub(crate) fn log_posterior(&self, point: &[f64]) -> f64 {
        -self.evaluate_posterior(point.to_vec()).value
    }

    /// The logarithm of the likelihood at these parameters, up to a constant: what the results say
    /// without the priors.
    pub(crate) fn log_likelihood(&self, point: &[f64]) -> f64 {
        let draw = point[self.layout.draw_index()];
        let minus_logs = self.series.iter().map(|series| {
            let leads = series.predictor(&self.layout).leads(point);
            series.evaluate_likelihood(leads, draw).0
        });
        -minus_logs.sum::<f64>()
    }

    fn evaluate_posterior(&self, point: Vec<f64>) -> PosteriorPoint {
        let offsets: Vec<f64> = point.iter().zip(&self.means).map(|(p, mean)| p - mean).collect();
        let priors = offsets.iter().zip(&self.precisions);
        let mut value = priors.clone().map(|(off, precision)| off * off * precision / 2.0).sum();
        let mut slope: Vec<f64> = priors.map(|(off, precision)| off * precision).collect();
        let draw = point[self.layout.draw_index()];
        let terms = self.series.iter().map(|series| {
            let predictor = series.predictor(&self.layout);
            let (minus_log, part, local) =
                series.evaluate_likelihood(predictor.leads(&point), draw);
            value += minus_log;
            predictor.add_vector(part, &mut slope);
            (predictor, local)
        });
        let curvature = self.information_matrix(1.0, terms);
        for camp in &self.prior.camps {
            let shared = self.prior.missing_camp_precision(camp.len());
            let sum: f64 = camp.iter().map(|&slot| point[slot]).sum();
            value -= shared * sum * sum / 2.0;
            for &slot in camp {
                slope[slot] -= shared * sum;
            }
        }
        let steps = self.prior.steps.list.iter().map(|step| point[step[0]] - point[step[1]]);
        let sum: f64 = steps.clone().sum();
        let [precision, shared] =
            [self.prior.step_precision(), self.prior.missing_step_precision()];
        value -= shared * sum * sum / 2.0;
        for (step, ends) in steps.zip(&self.prior.steps.list) {
            value += precision * step * step / 2.0;
            let pull = precision * step - shared * sum;
            slope[ends[0]] += pull;
            slope[ends[1]] -= pull;
        }
        PosteriorPoint { point, value, slope, curvature }
    }
}

impl RatingModelSeries {
    fn from_counts(counts: &SeriesCounts) -> Self {
        let SeriesCounts { upper, lower, seats, weight, .. } = *counts;
        let games = counts.games.map(|games| games.map(|count| weight * f64::from(count)));
        Self {
            upper,
            lower,
            seats,
            games: games.map(|[wins, draws, losses]| wins + draws + losses),
            balance: games.map(|[wins, _, losses]| wins - losses),
            draws: games.iter().map(|[_, draws, _]| draws).sum(),
            blur: 0.0,
        }
    }

    fn predictor(&self, layout: &ParameterLayout) -> PairPredictor {
        layout.predictor_at_seats(self.upper, self.lower, self.seats)
    }

    /// The negative log likelihood at these leads; its gradient and its Hessian in the parts of the
    /// players' [`PairPredictor`](crate::parameters::PairPredictor).
    fn evaluate_likelihood(&self, leads: [f64; 2], draw: f64) -> (f64, [f64; 3], Local) {
        let nu = draw.exp();
        let mut minus_log = -self.draws * draw;
        let (mut slope, mut local) = ([0.0, 0.0, -self.draws], Local::default());
        // The contrast counts for the upper player and against the lower one.
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let (games, balance) = (self.games[side], self.balance[side]);
            if games == 0.0 {
                continue;
            }
            let chances = RatingChances::from_blurred_lead(leads[side], self.blur, nu);
            minus_log += games * chances.scale - balance * leads[side] / 2.0;
            let by_lead = games * chances.tilt() - balance / 2.0;
            slope[0] += sign * by_lead;
            slope[1] += by_lead;
            slope[2] += games * chances.draw;
            let [[variance, mixed], [_, by_draw]] = chances.covariance;
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
fn point_after_newton_step(point: &[f64], step: &Array1<f64>, scale: f64) -> Vec<f64> {
    point.iter().zip(step).map(|(at, step)| at - scale * step).collect()
}

/// The means and precisions of the priors.
fn rating_model_priors(layout: &ParameterLayout, prior: &Prior) -> (Vec<f64>, Vec<f64>) {
    let mut means = vec![0.0; layout.len()];
    means[layout.draw_index()] = RatingModel::DRAW_MEAN;
    let mut precisions = vec![0.0; layout.len()];
    for &slot in &layout.slots {
        precisions[slot] += Prior::WEAK;
    }
    for &slot in prior.camps.iter().flatten() {
        precisions[slot] = prior.camp_precision();
    }
    for step in &prior.steps.list {
        precisions[step[0]] = 0.0;
    }
    let seat = (ELO / RatingModel::ADVANTAGE_SD).powi(2);
    // The advantage of one seat over another is the difference of two values.
    let value = if matches!(layout.seats, SeatEffect::Each(_)) { 2.0 * seat } else { seat };
    precisions[layout.seat_values()].fill(value);
    precisions[layout.draw_index()] = RatingModel::DRAW_SD.powi(-2);
    precisions[layout.own_effects()].fill(seat);
    (means, precisions)
}
