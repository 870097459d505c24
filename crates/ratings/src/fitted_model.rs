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

/// The zero point of a group's ratings.
#[derive(Debug, Clone)]
enum ZeroPoint {
    /// The mean of the prior. A player without games is as uncertain as that.
    Prior,
    /// The mean of the group.
    Mean {
        /// The mean of its members' parameters.
        strength: f64,
        /// The covariance of each parameter with that mean.
        covariance: Vec<f64>,
        /// The variance of that mean.
        variance: f64,
    },
    /// The parameter that the anchors share stands for the mean of their given ratings.
    Anchors {
        /// The index of the parameter.
        parameter: usize,
        /// The mean of the given ratings, in Elo.
        rating: f64,
    },
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
                    None => ZeroPoint::mean(&slots, &map.point, &covariance),
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

    /// A player's rating, with the parameters `more` added to its strength.
    pub(crate) fn rating(&self, player: usize, more: &[(usize, f64)]) -> Estimate {
        if let (Some(rating), true) = (self.given[player], more.is_empty()) {
            return Estimate { value: rating, low: rating, high: rating };
        }
        let layout = &self.model.layout;
        let mut weights = vec![(layout.slots[player], 1.0)];
        weights.extend(more);
        match &self.zero_points[self.groups[player]] {
            ZeroPoint::Prior => self.estimate(0.0, &weights),
            ZeroPoint::Anchors { parameter, rating } => {
                weights.push((*parameter, -1.0));
                self.estimate(rating + self.unit * layout.shifts[player], &weights)
            }
            ZeroPoint::Mean { strength, covariance, variance } => {
                let offset = self.unit * (self.natural(&weights) - strength);
                let gradient = self.gradient(offset, &weights);
                let with_mean: f64 = gradient.iter().map(|&(at, by)| by * covariance[at]).sum();
                let own = self.covariance.variance(&gradient);
                let variance = own + self.unit * (self.unit * variance - 2.0 * with_mean);
                Estimate::with_error(offset, variance.max(0.0).sqrt())
            }
        }
    }

    /// `base` plus a weighted sum of parameters, in Elo, by the delta method.
    pub(crate) fn estimate(&self, base: f64, weights: &[(usize, f64)]) -> Estimate {
        let offset = self.unit * self.natural(weights);
        let variance = self.covariance.variance(&self.gradient(offset, weights));
        Estimate::with_error(base + offset, variance.sqrt())
    }

    fn natural(&self, weights: &[(usize, f64)]) -> f64 {
        weights.iter().map(|&(index, weight)| weight * self.map.point[index]).sum()
    }

    /// The gradient of a weighted sum of parameters in Elo that is `offset` now.
    fn gradient(&self, offset: f64, weights: &[(usize, f64)]) -> Vec<(usize, f64)> {
        let in_elo = weights.iter().map(|&(index, weight)| (index, self.unit * weight));
        in_elo.chain([(self.model.layout.draw(), self.drift * offset)]).collect()
    }
}

impl ZeroPoint {
    fn mean(slots: &[usize], point: &[f64], covariance: &Covariance) -> Self {
        let share = 1.0 / count(slots.len());
        let mut weights = vec![0.0; point.len()];
        for &slot in slots {
            weights[slot] += share;
        }
        let covariance = covariance.with(&weights);
        Self::Mean {
            strength: dot(&weights, point),
            variance: dot(&weights, &covariance),
            covariance,
        }
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
        let map = model.map_estimate(None);
        let unit = unit(map.point[model.layout.draw()]);
        return (model, map, unit);
    }
    let free = Model::new(Layout::new(&vec![None; given.len()], seats), pairings);
    let (unit, _) = unit(free.map_estimate(None).point[free.layout.draw()]);
    shared.iter_mut().flatten().for_each(|(_, apart)| *apart /= unit);
    let model = Model::new(Layout::new(&shared, seats), pairings);
    let map = model.map_estimate(None);
    (model, map, (unit, 0.0))
}

/// Elo points per natural unit for this logarithm of the draw parameter, and their relative change
/// with it.
fn unit(draw: f64) -> (f64, f64) {
    // In this form no draw parameter overflows, however large it is.
    let share = 1.0 / (1.0 + 2.0 * (-draw).exp());
    (Model::ELO * (1.0 - share), -share)
}
