//! Learns the prior of the strengths from the same results (a random-effects model).
//!
//! Where all players are about as strong, large differences between scores are luck; where players
//! are far apart, they are not. So the spread of the strengths is estimated, too, as the most
//! probable one. Only results enter, and not the reason why two players met. That is why ratings are
//! as reliable where results decide who meets whom: in a Swiss tournament, a ladder or a final.
//!
//! At first, all players that a chain of games connects are one camp. Then a camp is cut in two as
//! long as that makes the results more probable: a class may consist of those who understood the
//! task and of the others, and one player may be far above all.
//!
//! The strengths are approximated by the normal distribution that is closest to the posterior in
//! the sense of Kullback and Leibler (variational inference). Unlike the mode and the curvature
//! there, it does not pull in players who win nearly all games. It is found by averaging the
//! likelihood over the *blur*, the uncertainty of each lead.
//!
//! In a league, authors hand in one version after another. A version starts where the one before
//! stood, so the steps from version to version are what scatters, around a mean step; how widely is
//! learned, too. If each version counted as another author, ratings would be pulled together too
//! strongly.
//!
//! The ratings' intervals allow for what is learned: the error of the spread, other camps that are
//! nearly as probable, and players who may belong to another camp.

mod known_covariance;
mod width;

use self::known_covariance::KnownCovariance;
use self::width::{
    MODE, PATIENCE, STEP_MODE, Width, WidthScatter, WidthSearch, mean_camp_strength,
    squared_camp_width,
};
use crate::covariance::estimate_dispersion;
use crate::estimate::ELO;
use crate::rating_model::prior::{Prior, PriorSteps, TornPriorCamp};
use crate::rating_model::{MapEstimate, RatingModel};
use crate::results::rated_games::RatedGames;
use crate::significance::count_as_f64;

/// A step below this is the last one.
const SHORT: f64 = 0.01;
/// About ten steps are needed, and seldom twenty; this bound guards against a search without an end.
const MOST_STEPS: usize = 50;
/// While the prior still changes, a step whose squared length is below this ends the search for the
/// most probable strengths; in a league, below this for each parameter. What is left after such a step
/// is far smaller.
const ROUGH: f64 = 1e-3;
/// In a league, a search may end before that, as long as the prior still changes by more than this at
/// once: at a multiple of `ROUGH` that grows with the square of the change …
const STEADY: f64 = 0.1;
/// … and is this at most.
const ROUGHEST: f64 = 100.0;
/// So many steps settle everything else at a given standard deviation.
const SETTLING: usize = 4;
/// With fewer players, nothing shows that a camp is two.
const FEWEST: usize = 8;
/// Doubt about the camps falls by e for this many units of evidence. With 1, the model would
/// have to be exact.
const CAUTION: f64 = 3.0;

/// The prior knowledge about the players, before their games.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Players<'a> {
    pub(crate) groups: &'a [usize],
    /// The version before each.
    pub(crate) before: &'a [Option<usize>],
}

/// A model whose prior was learned from its results.
struct LearnedModel {
    model: RatingModel,
    point: Vec<f64>,
    covariance: KnownCovariance,
    /// The standard error of the logarithm of the standard deviation.
    error: f64,
    /// The standard error of the logarithm of the steps' standard deviation; `None` without steps.
    step_error: Option<f64>,
    /// A lower bound of the logarithm of the results' probability, up to a constant.
    evidence: f64,
}

/// Learns the prior of `model` from its `games`. Several anchors of one group share a strength,
/// which says nothing about the others.
///
/// Returns the model, and a point near its most probable one.
pub(crate) fn learn_prior(
    model: RatingModel,
    games: &RatedGames,
    players: Players<'_>,
) -> (RatingModel, Vec<f64>) {
    let Players { groups, before } = players;
    let slots = &model.layout.slots;
    let mut sharing = vec![0; slots.len()];
    for &slot in slots {
        sharing[slot] += 1;
    }
    let is_alone = |player: usize| sharing[slots[player]] == 1;
    let mut camps = vec![Vec::new(); groups.iter().map(|group| group + 1).max().unwrap_or(0)];
    let mut steps = Vec::new();
    for (player, &group) in groups.iter().enumerate().filter(|&(player, _)| is_alone(player)) {
        // Without a chain of games between them, two versions are not compared.
        match before[player].filter(|&before| is_alone(before) && groups[before] == group) {
            Some(before) => steps.push([slots[player], slots[before]]),
            None => camps[group].push(slots[player]),
        }
    }
    camps.retain(|camp| !camp.is_empty());
    let start = model.starting_point();
    if camps.is_empty() {
        return (model, start);
    }
    let steps = PriorSteps { list: steps, deviation: STEP_MODE / ELO };
    let prior = Prior { camps, deviation: MODE / ELO, steps, ..Prior::weak() };
    let mut best = LearnedModel::new(model, start, prior, games);
    let mut doubt = None;
    loop {
        let with = |camps| {
            let prior = Prior { camps, ..best.model.prior().clone() };
            LearnedModel::new(best.model.clone(), best.point.clone(), prior, games)
        };
        let cuts = best.cut_camps().into_iter().map(with);
        let Some(rival) = cuts.max_by(|one, other| one.evidence.total_cmp(&other.evidence)) else {
            break;
        };
        let is_better = rival.evidence > best.evidence;
        let (better, worse) = if is_better { (rival, best) } else { (best, rival) };
        let odds = ((better.evidence - worse.evidence) / CAUTION).exp();
        let weight = 1.0 / (1.0 + odds);
        if is_better || doubt.as_ref().is_none_or(|(known, _)| *known < weight) {
            doubt = Some((weight, worse.point));
        }
        best = better;
        if !is_better {
            break;
        }
    }
    let mut doubts = vec![best.width_doubt(games, best.error, Width::OfCamps)];
    doubts.extend(best.step_error.map(|error| best.width_doubt(games, error, Width::OfSteps)));
    doubts.extend(doubt.map(|(weight, other)| best.scaled_way_to(&other, weight.sqrt())));
    let prior = Prior { doubts, torn: best.torn_camps(), ..best.model.prior().clone() };
    best.model.set_prior(prior);
    (best.model, best.point)
}

impl LearnedModel {
    /// Learns everything but the camps, from this prior on.
    fn new(mut model: RatingModel, start: Vec<f64>, mut prior: Prior, games: &RatedGames) -> Self {
        let (mut point, mut steps, mut change) = (start, 0, f64::INFINITY);
        let is_league = !prior.steps.list.is_empty();
        let patience = if is_league { 0 } else { PATIENCE };
        let [mut of_camps, mut of_steps] = [(); 2].map(|()| WidthSearch::new(patience));
        loop {
            model.set_prior(prior.clone());
            let rougher = if is_league && steps + 1 < MOST_STEPS {
                (change / STEADY).powi(2).clamp(1.0, ROUGHEST)
            } else {
                1.0
            };
            let map = estimate_while_learning(&model, point, rougher);
            let covariance = learn_dispersion_and_blurs(&model, &map, &mut prior, games);
            let (step, error) = Width::OfCamps.newton_step(&prior, &map.point, &covariance);
            let newton_of_steps =
                is_league.then(|| Width::OfSteps.newton_step(&prior, &map.point, &covariance));
            let step_error = newton_of_steps.map(|(_, error)| error);
            let step_of_camps = of_camps.damp_newton_step(step);
            let step_of_steps =
                of_steps.damp_newton_step(newton_of_steps.map_or(0.0, |(step, _)| step));
            let longest = step.abs().max(newton_of_steps.map_or(0.0, |(step, _)| step.abs()));
            (point, change) = (map.point, longest);
            steps += 1;
            if (longest < SHORT && rougher <= 1.0 && steps >= SETTLING) || steps == MOST_STEPS {
                let determinant = map.information.log_determinant();
                let errors = error.ln() + step_error.map_or(0.0, f64::ln);
                let evidence =
                    learned_log_evidence(&model, &point, &covariance, determinant) + errors;
                return Self { model, point, covariance, error, step_error, evidence };
            }
            prior.deviation *= step_of_camps.exp();
            prior.steps.deviation *= step_of_steps.exp();
        }
    }

    /// The mean strength of each camp.
    fn camp_means(&self) -> Vec<f64> {
        self.model.prior().camps.iter().map(|camp| mean_camp_strength(camp, &self.point)).collect()
    }

    /// The way from these parameters to others, times `factor`.
    fn scaled_way_to(&self, other: &[f64], factor: f64) -> Vec<f64> {
        other.iter().zip(&self.point).map(|(other, own)| factor * (other - own)).collect()
    }

    /// How far the parameters move if a standard deviation is one standard error larger.
    fn width_doubt(&self, games: &RatedGames, error: f64, of: Width) -> Vec<f64> {
        let (mut model, mut prior) = (self.model.clone(), self.model.prior().clone());
        match of {
            Width::OfCamps => prior.deviation *= error.exp(),
            Width::OfSteps => prior.steps.deviation *= error.exp(),
        }
        let (mut point, mut slope) = (self.point.clone(), 0.0);
        for _ in 0..SETTLING {
            model.set_prior(prior.clone());
            let map = estimate_while_learning(&model, point, 1.0);
            let covariance = learn_dispersion_and_blurs(&model, &map, &mut prior, games);
            slope = of.slope(&prior, &map.point, &covariance).0;
            point = map.point;
        }
        // The blurs grow with the standard deviation, so it is less certain than at given blurs.
        let steepest = 1.0 / error;
        let information = (-slope).clamp(steepest / 4.0, steepest) / error;
        self.scaled_way_to(&point, 1.0 / (information.sqrt() * error))
    }

    /// The variance of the pull on each strength, because the player may belong to another camp.
    fn torn_camps(&self) -> Vec<TornPriorCamp> {
        let prior = self.model.prior();
        let means = self.camp_means();
        let within = 1.0 / prior.deviation.powi(2);
        let mut torn = Vec::new();
        // The mean of a camp of one is the player itself.
        let camps = prior.camps.iter().zip(&means).zip(&self.covariance.of_camps);
        for ((camp, &own), of_camp) in camps.filter(|((camp, _), _)| camp.len() > 1) {
            let common = of_camp.variance / count_as_f64(camp.len()).powi(2);
            let mut pulls = Vec::new();
            for (&slot, with) in camp.iter().zip(&of_camp.with) {
                let variance =
                    self.covariance.variance(slot) + common - 2.0 * with / count_as_f64(camp.len());
                // What the games alone say about the strength.
                let information = (1.0 / variance - within).max(f64::EPSILON);
                let alone = (self.point[slot] / variance - own * within) / information;
                let spread = prior.deviation.powi(2) + 1.0 / information;
                let likelihood = |camp: &Vec<usize>, mean: f64| {
                    count_as_f64(camp.len()) * (-(alone - mean).powi(2) / (2.0 * spread)).exp()
                };
                let (mut sum, mut squares) = (f64::MIN_POSITIVE, 0.0);
                for (camp, &mean) in prior.camps.iter().zip(&means) {
                    sum += likelihood(camp, mean);
                    squares += likelihood(camp, mean) * (mean - own).powi(2);
                }
                pulls.push((slot, squares / sum * prior.camp_precision().powi(2)));
            }
            torn.push(TornPriorCamp { pulls });
        }
        torn
    }

    /// The camps with one of them cut in two, where the two parts are the clearest: in the middle
    /// half, and outside it. As far as one can see, the cut has to be worth a try: as long as the
    /// players are one camp, the prior pulls the parts together.
    fn cut_camps(&self) -> Vec<Vec<Vec<usize>>> {
        let prior = self.model.prior();
        let scatter = WidthScatter::new(prior, &self.point, &self.covariance);
        let total = scatter.squares + scatter.uncertain;
        let mut best: [Option<(f64, Vec<Vec<usize>>)>; 2] = [None, None];
        let large = prior.camps.iter().enumerate().filter(|(_, camp)| camp.len() >= FEWEST);
        for (at, camp) in large {
            let mut sorted = camp.clone();
            sorted.sort_by(|&one, &other| self.point[other].total_cmp(&self.point[one]));
            let whole = squared_camp_width(camp, &self.point);
            for place in 1..sorted.len() {
                let (upper, lower) = sorted.split_at(place);
                let between = whole
                    - squared_camp_width(upper, &self.point)
                    - squared_camp_width(lower, &self.point);
                let lost = [upper, lower].map(|part| camp_log_probability(part.len(), camp.len()));
                let gain = scatter.free / 2.0 * (total / (total - between)).ln()
                    + lost.iter().sum::<f64>();
                let is_middle = 4 * place.min(sorted.len() - place) >= sorted.len();
                let least = if is_middle { -1.0 - count_as_f64(sorted.len()) / 8.0 } else { -2.0 };
                if gain < least {
                    continue;
                }
                let best = &mut best[usize::from(is_middle)];
                if best.as_ref().is_none_or(|(most, _)| gain > *most) {
                    let mut camps = prior.camps.clone();
                    camps[at] = upper.to_vec();
                    camps.push(lower.to_vec());
                    *best = Some((gain, camps));
                }
            }
        }
        best.into_iter().flatten().map(|(_, camps)| camps).collect()
    }
}

/// The most probable strengths, while the prior still changes; `rougher` times as roughly as they are
/// needed in the end. Outside a league, ratings of past tournaments stay as they are.
fn estimate_while_learning(model: &RatingModel, start: Vec<f64>, rougher: f64) -> MapEstimate {
    let is_league = !model.prior().steps.list.is_empty();
    let short = if is_league { ROUGH * count_as_f64(start.len()) } else { ROUGH };
    model.map_estimate_from(start, rougher * short)
}

/// The covariance of the parameters. Takes the dispersion and the blurs that follow from it into
/// `prior`.
fn learn_dispersion_and_blurs(
    model: &RatingModel,
    map: &MapEstimate,
    prior: &mut Prior,
    games: &RatedGames,
) -> KnownCovariance {
    let inverse = map.information.known_inverse();
    prior.dispersion = estimate_dispersion(model, &map.point, &inverse, games);
    let covariance = KnownCovariance::new(model.prior(), &map.information, inverse);
    let lead = |(upper, lower): (usize, usize)| {
        let [one, other] = [upper, lower].map(|player| model.layout.slots[player]);
        covariance.difference_variance(one, other).max(0.0).sqrt()
    };
    prior.blurs = games.players_met().map(lead).collect();
    covariance
}

/// The logarithm of the results' probability, at least, up to a constant that depends neither on the
/// camps nor on their spread.
fn learned_log_evidence(
    model: &RatingModel,
    point: &[f64],
    covariance: &KnownCovariance,
    determinant: f64,
) -> f64 {
    let prior = model.prior();
    let all_members = prior.camps.iter().map(Vec::len).sum();
    let mut sum = model.log_posterior(point) / prior.dispersion
        + (count_as_f64(point.len()) * prior.dispersion.ln() - determinant) / 2.0;
    for (camp, of_camp) in prior.camps.iter().zip(&covariance.of_camps) {
        // The covariance has the dispersion already.
        let [precision, shared, of_mean] = [
            prior.camp_precision(),
            prior.missing_camp_precision(camp.len()),
            prior.camp_mean_precision(camp.len()),
        ]
        .map(|value| value / prior.dispersion);
        let own: f64 = camp.iter().map(|&slot| covariance.variance(slot)).sum();
        sum += (count_as_f64(camp.len()) - 1.0) * precision.ln() / 2.0 + of_mean.ln() / 2.0;
        sum -= (precision * own - shared * of_camp.variance) / 2.0;
        sum += camp_log_probability(camp.len(), all_members);
    }
    let steps = &prior.steps.list;
    if !steps.is_empty() {
        let [precision, shared, of_mean] =
            [prior.step_precision(), prior.missing_step_precision(), prior.mean_step_precision()]
                .map(|value| value / prior.dispersion);
        let own = steps.iter().map(|step| covariance.difference_variance(step[0], step[1]));
        sum += (count_as_f64(steps.len()) - 1.0) * precision.ln() / 2.0 + of_mean.ln() / 2.0;
        sum -= (precision * own.sum::<f64>() - shared * covariance.of_steps) / 2.0;
    }
    sum
}

/// The logarithm of the probability that these of all players are in one camp.
fn camp_log_probability(size: usize, of: usize) -> f64 {
    count_as_f64(size) * (count_as_f64(size) / count_as_f64(of)).ln()
}

#[cfg(test)]
pub(crate) mod tests;
