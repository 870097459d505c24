//! The fitted model, and its conversion from natural units to Elo.

use crate::covariance::Covariance;
use crate::error::RatingError;
use crate::groups::groups;
use crate::linear::{Layout, SeatEffect};
use crate::model::{MapEstimate, Model};
use crate::pairs::PairCounts;
use crate::rating::{Estimate, FixedRating};
use crate::results::Results;
use crate::significance::count;

/// The zero point of a group's ratings.
#[derive(Debug, Clone, Copy)]
enum ZeroPoint {
    /// The mean of the group is 0.
    Mean,
    /// The parameter that the anchors share stands for the mean of their given ratings.
    Anchors(usize, f64),
}

/// A fitted model with its conversion from natural units to Elo.
#[derive(Debug, Clone)]
pub(crate) struct FittedModel {
    pub(crate) model: Model,
    pub(crate) map: MapEstimate,
    pub(crate) covariance: Covariance,
    pub(crate) groups: Vec<usize>,
    origins: Vec<ZeroPoint>,
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
        let origins = (0..=groups.iter().copied().max().unwrap_or(0))
            .map(|group| {
                let anchor =
                    (0..given.len()).find(|&at| groups[at] == group && given[at].is_some());
                let mean = group_mean(&groups, &given, group);
                anchor
                    .map_or(ZeroPoint::Mean, |at| ZeroPoint::Anchors(model.layout.slots[at], mean))
            })
            .collect();
        Ok(Self { model, map, covariance, groups, origins, given, unit, drift })
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
        let slots = &self.model.layout.slots;
        let mut weights = vec![(slots[player], 1.0)];
        weights.extend(more);
        let group = self.groups[player];
        match self.origins[group] {
            ZeroPoint::Anchors(anchor, rating) => {
                weights.push((anchor, -1.0));
                let own = self.unit * self.model.layout.shifts[player];
                self.estimate(rating + own, &weights)
            }
            ZeroPoint::Mean => {
                let members: Vec<usize> =
                    (0..slots.len()).filter(|&other| self.groups[other] == group).collect();
                // A player without games is as uncertain as the prior.
                if members.len() > 1 {
                    let share = -1.0 / count(members.len());
                    weights.extend(members.into_iter().map(|other| (slots[other], share)));
                }
                self.estimate(0.0, &weights)
            }
        }
    }

    /// `base` plus a weighted sum of parameters, in Elo, by the delta method.
    pub(crate) fn estimate(&self, base: f64, weights: &[(usize, f64)]) -> Estimate {
        let layout = &self.model.layout;
        let natural: f64 = weights.iter().map(|&(slot, w)| w * self.map.point[slot]).sum();
        let offset = self.unit * natural;
        let mut gradient = vec![0.0; layout.len()];
        for &(slot, weight) in weights {
            gradient[slot] += weight * self.unit;
        }
        gradient[layout.draw()] += self.drift * offset;
        Estimate::with_error(base + offset, self.covariance.variance(&gradient).sqrt())
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
