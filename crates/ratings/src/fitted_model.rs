//! The fitted model, and its conversion from natural units to Elo.

use crate::covariance::Covariance;
use crate::dense::dot;
use crate::error::RatingError;
use crate::groups::groups;
use crate::linear::{Layout, SeatEffect};
use crate::model::{MapEstimate, Model};
use crate::pairs::PairCounts;
use crate::rating::{Estimate, FixedRating};
use crate::results::Results;
use crate::significance::count;

/// The number of ratings that are computed at once.
const AT_ONCE: usize = 64;

/// The zero point of a group's ratings.
#[derive(Debug, Clone)]
enum ZeroPoint {
    /// The mean of the prior. A player without games is as uncertain as that.
    Prior,
    /// The mean of the group.
    Mean(GroupMean),
    /// The parameter that the anchors share stands for the mean of their given ratings.
    Anchors {
        /// The index of the parameter.
        parameter: usize,
        /// The mean of the given ratings, in Elo.
        rating: f64,
    },
}

/// The mean of the parameters of a group's members.
#[derive(Debug, Clone)]
struct GroupMean {
    strength: f64,
    /// The covariance of each parameter with it.
    covariance: Vec<f64>,
    variance: f64,
}

/// A weighted sum of parameters that many ratings share.
struct SharedSum {
    weights: Vec<(usize, f64)>,
    value: f64,
    /// The covariance of each parameter with it.
    covariance: Vec<f64>,
    variance: f64,
}

/// A rating before its own variance is known.
struct Rated {
    value: f64,
    /// The variance that the mean of its group and the shared sum add.
    of_shared: f64,
    /// The rating, if it is given.
    given: Option<f64>,
}

impl Rated {
    fn estimate(&self, own_variance: f64) -> Estimate {
        match self.given {
            Some(value) => Estimate { value, low: value, high: value },
            None => {
                Estimate::with_error(self.value, (own_variance + self.of_shared).max(0.0).sqrt())
            }
        }
    }
}

/// A fitted model with its conversion from natural units to Elo.
#[derive(Debug, Clone)]
pub(crate) struct FittedModel {
    pub(crate) model: Model,
    pub(crate) map: MapEstimate,
    pub(crate) covariance: Covariance,
    pub(crate) groups: Vec<usize>,
    zero_points: Vec<ZeroPoint>,
    /// The fixed ratings of anchors.
    given: Vec<Option<f64>>,
    /// Elo points per natural unit.
    pub(crate) unit: f64,
    /// The relative change of `unit` with the logarithm of the draw parameter.
    drift: f64,
}

impl FittedModel {
    /// Fits the model to all results.
    ///
    /// # Errors
    ///
    /// As [`fit`](crate::fit()).
    pub(crate) fn new(
        results: &Results,
        fixed: &[FixedRating],
        seats: SeatEffect,
    ) -> Result<Self, RatingError> {
        let given = given(results.players(), fixed)?;
        let pairings = results.pairings();
        let groups = groups(given.len(), pairings.iter().map(|&(upper, lower, _)| (upper, lower)));
        let (model, map, (unit, drift)) = estimate_with(&pairings, &groups, &given, seats);
        let covariance = Covariance::new(&model, &map, &pairings);
        let count = groups.iter().map(|group| group + 1).max().unwrap_or(0);
        let zero_points = (0..count)
            .map(|group| {
                let members = (0..given.len()).filter(|&player| groups[player] == group);
                let slots: Vec<usize> = members.map(|player| model.layout.slots[player]).collect();
                let anchor =
                    (0..given.len()).find(|&at| groups[at] == group && given[at].is_some());
                match anchor {
                    Some(anchor) => ZeroPoint::Anchors {
                        parameter: model.layout.slots[anchor],
                        rating: group_mean(&groups, &given, group),
                    },
                    None if slots.len() < 2 => ZeroPoint::Prior,
                    None => ZeroPoint::Mean(GroupMean::of(&slots, &map.point, &covariance)),
                }
            })
            .collect();
        Ok(Self { model, map, covariance, groups, zero_points, given, unit, drift })
    }

    /// The strength of a player in natural units.
    pub(crate) fn strength(&self, player: usize) -> f64 {
        let layout = &self.model.layout;
        self.map.point[layout.slots[player]] + layout.shifts[player]
    }

    /// All players' ratings, with the parameters that `more` gives and those of `shared` added to
    /// their strengths. What all ratings share is computed once.
    pub(crate) fn ratings(
        &self,
        shared: Vec<(usize, f64)>,
        more: impl Fn(usize) -> Vec<(usize, f64)>,
    ) -> Vec<Estimate> {
        let players: Vec<usize> = (0..self.given.len()).collect();
        let shared = self.shared_sum(shared);
        let chunks = players.chunks(AT_ONCE);
        chunks.flat_map(|players| self.some_ratings(players, &shared, &more)).collect()
    }

    fn shared_sum(&self, weights: Vec<(usize, f64)>) -> SharedSum {
        let mut all = vec![0.0; self.map.point.len()];
        for &(at, weight) in &weights {
            all[at] += weight;
        }
        let covariance = if weights.is_empty() { all } else { self.covariance.with(&all) };
        let variance = product(&weights, &covariance);
        SharedSum { value: self.natural(&weights), weights, covariance, variance }
    }

    fn some_ratings(
        &self,
        players: &[usize],
        shared: &SharedSum,
        more: impl Fn(usize) -> Vec<(usize, f64)>,
    ) -> Vec<Estimate> {
        let rated = players.iter().map(|&player| self.rated(player, shared, more(player)));
        let (gradients, rated): (Vec<_>, Vec<_>) = rated.unzip();
        let variances = self.covariance.variances(&gradients);
        rated.iter().zip(variances).map(|(rated, own)| rated.estimate(own)).collect()
    }

    /// A player's rating without its own variance, and its gradient in the parameters, except
    /// through the mean of its group and the shared sum.
    fn rated(
        &self,
        player: usize,
        shared: &SharedSum,
        more: Vec<(usize, f64)>,
    ) -> (Vec<(usize, f64)>, Rated) {
        let layout = &self.model.layout;
        let given = self.given[player].filter(|_| more.is_empty());
        let mut weights = vec![(layout.slots[player], 1.0)];
        weights.extend(more);
        let (base, mean) = match &self.zero_points[self.groups[player]] {
            ZeroPoint::Prior => (0.0, None),
            ZeroPoint::Anchors { parameter, rating } => {
                weights.push((*parameter, -1.0));
                (rating + self.unit * layout.shifts[player], None)
            }
            ZeroPoint::Mean(mean) => (0.0, Some(mean)),
        };
        let strength = self.natural(&weights) + shared.value;
        let offset = self.unit * (strength - mean.map_or(0.0, |mean| mean.strength));
        let gradient = self.gradient(offset, &weights);
        let with_shared =
            shared.variance * self.unit + 2.0 * product(&gradient, &shared.covariance);
        let with_mean = mean.map_or(0.0, |mean| {
            let both = product(&gradient, &mean.covariance)
                + self.unit * product(&shared.weights, &mean.covariance);
            self.unit * mean.variance - 2.0 * both
        });
        let of_shared = self.unit * (with_shared + with_mean);
        (gradient, Rated { value: base + offset, of_shared, given })
    }

    /// `base` plus a weighted sum of parameters, in Elo, by the delta method.
    pub(crate) fn estimate(&self, base: f64, weights: &[(usize, f64)]) -> Estimate {
        let offset = self.unit * self.natural(weights);
        let variance = self.covariance.variance(self.gradient(offset, weights));
        Estimate::with_error(base + offset, variance.sqrt())
    }

    fn natural(&self, weights: &[(usize, f64)]) -> f64 {
        product(weights, &self.map.point)
    }

    /// The gradient of a weighted sum of parameters in Elo that is `offset` now.
    fn gradient(&self, offset: f64, weights: &[(usize, f64)]) -> Vec<(usize, f64)> {
        let in_elo = weights.iter().map(|&(index, weight)| (index, self.unit * weight));
        in_elo.chain([(self.model.layout.draw(), self.drift * offset)]).collect()
    }
}

/// The product of a sparse vector with a dense one.
fn product(sparse: &[(usize, f64)], dense: &[f64]) -> f64 {
    sparse.iter().map(|&(at, by)| by * dense[at]).sum()
}

impl GroupMean {
    fn of(slots: &[usize], point: &[f64], covariance: &Covariance) -> Self {
        let share = 1.0 / count(slots.len());
        let mut weights = vec![0.0; point.len()];
        for &slot in slots {
            weights[slot] += share;
        }
        let covariance = covariance.with(&weights);
        Self { strength: dot(&weights, point), variance: dot(&weights, &covariance), covariance }
    }
}

/// The fixed rating of each player, if it has one.
fn given(players: usize, fixed: &[FixedRating]) -> Result<Vec<Option<f64>>, RatingError> {
    let mut given = vec![None; players];
    for &FixedRating { player, rating } in fixed {
        if !rating.is_finite() {
            return Err(RatingError::NotFinite(rating));
        }
        let place = given.get_mut(player).ok_or(RatingError::UnknownPlayer(player))?;
        if place.replace(rating).is_some() {
            return Err(RatingError::FixedTwice(player));
        }
    }
    Ok(given)
}

/// The mean of the fixed ratings in a group, or 0 if it has none.
fn group_mean(groups: &[usize], given: &[Option<f64>], group: usize) -> f64 {
    let in_group = groups.iter().zip(given).filter(|(of, _)| **of == group);
    let ratings: Vec<f64> = in_group.filter_map(|(_, rating)| *rating).collect();
    ratings.iter().sum::<f64>() / count(ratings.len().max(1))
}

/// The most probable parameters under the fixed ratings, the Elo points per natural unit, and the
/// relative change of that unit with the logarithm of the draw parameter.
///
/// If fixed ratings differ, the unit comes from a fit without them and is then held constant.
/// Otherwise anchors that contradict the results could shrink the unit to nothing.
fn estimate_with(
    pairings: &[(usize, usize, PairCounts)],
    groups: &[usize],
    given: &[Option<f64>],
    seats: SeatEffect,
) -> (Model, MapEstimate, (f64, f64)) {
    let from_mean = |(&group, rating): (&usize, &Option<f64>)| {
        Some((group, (*rating)? - group_mean(groups, given, group)))
    };
    let mut shared: Vec<Option<(usize, f64)>> = groups.iter().zip(given).map(from_mean).collect();
    if shared.iter().flatten().all(|&(_, apart)| apart == 0.0) {
        let model = Model::new(Layout::new(&shared, seats), pairings);
        let map = model.map_estimate();
        let unit = unit(map.point[model.layout.draw()]);
        return (model, map, unit);
    }
    let free = Model::new(Layout::new(&vec![None; given.len()], seats), pairings);
    let (unit, _) = unit(free.map_estimate().point[free.layout.draw()]);
    shared.iter_mut().flatten().for_each(|(_, apart)| *apart /= unit);
    let model = Model::new(Layout::new(&shared, seats), pairings);
    let map = model.map_estimate();
    (model, map, (unit, 0.0))
}

/// Elo points per natural unit for this logarithm of the draw parameter, and their relative change
/// with it.
fn unit(draw: f64) -> (f64, f64) {
    // In this form no draw parameter overflows, however large it is.
    let share = 1.0 / (1.0 + 2.0 * (-draw).exp());
    (Model::ELO * (1.0 - share), -share)
}
