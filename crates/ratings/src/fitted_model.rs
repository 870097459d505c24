//! The fitted model, and its conversion from natural units to Elo.

use ndarray::Array1;

use crate::covariance::Covariance;
use crate::error::RatingError;
use crate::estimate::{ELO, Estimate, FixedRating, MOST_PLAYERS};
use crate::learning::{Players, learn_prior};
use crate::parameters::{ParameterLayout, SeatEffect};
use crate::player_groups::find_player_groups;
use crate::rating_model::prior::Prior;
use crate::rating_model::{MapEstimate, RatingModel, SHORT};
use crate::results::Results;
use crate::results::deals::DealTable;
use crate::results::rated_games::RatedGames;
use crate::significance::count_as_f64;

/// The prior of the strengths.
#[derive(Debug, Clone)]
pub(crate) enum FittedModelPrior<'a> {
    /// The weak prior.
    Weak,
    /// A prior learned from the results.
    Learned,
    /// The prior of another fit to the same results with the same fixed ratings, whose parameters are
    /// the first ones of this one.
    Fitted(&'a FittedModel),
}

impl FittedModelPrior<'_> {
    fn fit_model(
        &self,
        layout: ParameterLayout,
        games: &RatedGames,
        players: Players<'_>,
    ) -> (RatingModel, MapEstimate) {
        let model = |prior| RatingModel::new(layout, games, prior);
        let (model, start) = match self {
            Self::Weak => model_with_start(model(Prior::weak())),
            Self::Fitted(other) => {
                let (model, mut start) = model_with_start(model(other.model.prior().clone()));
                start.iter_mut().zip(&other.point).for_each(|(start, known)| *start = *known);
                (model, start)
            }
            Self::Learned => learn_prior(model(Prior::weak()), games, players),
        };
        let map = model.map_estimate_from(start, SHORT);
        (model, map)
    }
}

fn model_with_start(model: RatingModel) -> (RatingModel, Vec<f64>) {
    let start = model.starting_point();
    (model, start)
}

/// The zero point of a group's ratings.
#[derive(Debug, Clone)]
enum ZeroPoint {
    /// The mean of the prior. A player without games is as uncertain as that.
    Prior,
    /// The mean of the group.
    Mean(FittedSum),
    /// The parameter that the anchors share stands for the mean of their given ratings.
    Anchors {
        /// The index of the parameter.
        parameter: usize,
        /// The mean of the given ratings, in Elo.
        rating: f64,
    },
}

/// A weighted sum of parameters.
#[derive(Debug, Clone)]
pub(crate) struct FittedSum {
    value: f64,
    /// The same sum of the parameters' deviations.
    deviations: Array1<f64>,
}

impl FittedSum {
    pub(crate) fn variance(&self) -> f64 {
        self.deviations.dot(&self.deviations)
    }

    fn add(&mut self, factor: f64, other: &Self) {
        self.value += factor * other.value;
        self.deviations.scaled_add(factor, &other.deviations);
    }
}

/// A fitted model with its conversion from natural units to Elo.
#[derive(Debug, Clone)]
pub(crate) struct FittedModel {
    pub(crate) model: RatingModel,
    /// The most probable parameters.
    pub(crate) point: Vec<f64>,
    pub(crate) covariance: Covariance,
    pub(crate) groups: Vec<usize>,
    zero_points: Vec<ZeroPoint>,
    /// What the games are like, if they are not of two seats.
    pub(crate) table: Option<DealTable>,
    /// The fixed ratings of anchors.
    given: Vec<Option<f64>>,
    /// Elo points per natural unit.
    pub(crate) unit: f64,
    /// The relative change of `unit` with the logarithm of the draw parameter.
    drift: f64,
}

/// The most probable parameters, whose uncertainty is not known yet.
pub(crate) struct EstimatedModel {
    pub(crate) model: RatingModel,
    pub(crate) map: MapEstimate,
    pub(crate) games: RatedGames,
    groups: Vec<usize>,
    given: Vec<Option<f64>>,
    unit: (f64, f64),
}

impl EstimatedModel {
    /// Fits the model to all results.
    ///
    /// # Errors
    ///
    /// As [`fit`](crate::fit()).
    pub(crate) fn new(
        results: &Results,
        fixed: &[FixedRating],
        seats: SeatEffect,
        assumed: &FittedModelPrior<'_>,
    ) -> Result<Self, RatingError> {
        if results.players() > MOST_PLAYERS {
            return Err(RatingError::TooManyPlayers(results.players()));
        }
        let given = index_fixed_ratings(results.players(), fixed)?;
        let games = results.rated_games();
        let groups = find_player_groups(given.len(), games.players_met());
        let players = Players { groups: &groups, before: results.previous_versions() };
        let (model, map, unit) = estimate_fitted_model(&games, players, &given, seats, assumed);
        Ok(Self { model, map, games, groups, given, unit })
    }
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
        assumed: &FittedModelPrior<'_>,
    ) -> Result<Self, RatingError> {
        Ok(Self::from_estimated(
            EstimatedModel::new(results, fixed, seats, assumed)?,
            results.table(),
        ))
    }

    /// The same with the uncertainty of its parameters. `table` says what the games are like, if they
    /// are not of two seats.
    pub(crate) fn from_estimated(estimated: EstimatedModel, table: Option<DealTable>) -> Self {
        let EstimatedModel { model, map, games, groups, given, unit: (unit, drift) } = estimated;
        let point = map.point.clone();
        let covariance = Covariance::new(&model, map, &games);
        let group_count = groups.iter().map(|group| group + 1).max().unwrap_or(0);
        let zero_points = (0..group_count)
            .map(|group| {
                let members = (0..given.len()).filter(|&player| groups[player] == group);
                let slots: Vec<usize> = members.map(|player| model.layout.slots[player]).collect();
                let anchor =
                    (0..given.len()).find(|&at| groups[at] == group && given[at].is_some());
                match anchor {
                    Some(anchor) => ZeroPoint::Anchors {
                        parameter: model.layout.slots[anchor],
                        rating: mean_fixed_rating(&groups, &given, group),
                    },
                    None if slots.len() < 2 => ZeroPoint::Prior,
                    None => {
                        let share = 1.0 / count_as_f64(slots.len());
                        let mean: Vec<_> = slots.into_iter().map(|slot| (slot, share)).collect();
                        ZeroPoint::Mean(sum_fitted_parameters(&point, &covariance, &mean))
                    }
                }
            })
            .collect();
        Self { model, point, covariance, groups, zero_points, table, given, unit, drift }
    }

    /// The advantage of one seat over another, times `factor`.
    pub(crate) fn advantage(&self, seats: [usize; 2], factor: f64) -> Estimate {
        let values = self.model.layout.advantage(seats).into_iter().flatten();
        let values: Vec<_> = values.map(|(at, by)| (at, factor * by)).collect();
        self.estimate_in_elo(0.0, &self.sum_parameters(&values))
    }

    /// The value of each seat, compared with their mean.
    pub(crate) fn seat_values(&self) -> Vec<Estimate> {
        let SeatEffect::Each(seats) = self.model.layout.seats else {
            let is_known = self.model.layout.seats != SeatEffect::Unknown;
            return if is_known {
                vec![self.advantage([0, 1], 0.5), self.advantage([0, 1], -0.5)]
            } else {
                Vec::new()
            };
        };
        let mean = self.model.layout.seat_values().map(|at| (at, -1.0 / count_as_f64(seats)));
        let mean: Vec<_> = mean.collect();
        let value = |at| {
            self.estimate_in_elo(0.0, &self.sum_parameters(&[&mean[..], &[(at, 1.0)]].concat()))
        };
        self.model.layout.seat_values().map(value).collect()
    }

    /// The strength of a player in natural units.
    pub(crate) fn strength(&self, player: usize) -> f64 {
        let layout = &self.model.layout;
        self.point[layout.slots[player]] + layout.shifts[player]
    }

    /// All players' ratings, with the parameters that `more` gives and those of `shared` added to
    /// their strengths.
    pub(crate) fn ratings(
        &self,
        shared: &[(usize, f64)],
        more: impl Fn(usize) -> Vec<(usize, f64)>,
    ) -> Vec<Estimate> {
        let shared = self.sum_parameters(shared);
        (0..self.given.len())
            .map(|player| self.rate_player(player, &shared, more(player)))
            .collect()
    }

    fn rate_player(&self, player: usize, shared: &FittedSum, more: Vec<(usize, f64)>) -> Estimate {
        if let Some(value) = self.given[player].filter(|_| more.is_empty()) {
            return Estimate { value, low: value, high: value };
        }
        let layout = &self.model.layout;
        let mut weights = vec![(layout.slots[player], 1.0)];
        weights.extend(more);
        let zero_point = &self.zero_points[self.groups[player]];
        let base = match zero_point {
            ZeroPoint::Prior | ZeroPoint::Mean(_) => 0.0,
            ZeroPoint::Anchors { parameter, rating } => {
                weights.push((*parameter, -1.0));
                rating + self.unit * layout.shifts[player]
            }
        };
        let mut strength = self.sum_parameters(&weights);
        strength.add(1.0, shared);
        if let ZeroPoint::Mean(mean) = zero_point {
            strength.add(-1.0, mean);
        }
        self.estimate_in_elo(base, &strength)
    }

    /// `base` plus a sum in natural units, in Elo, by the delta method.
    pub(crate) fn estimate_in_elo(&self, base: f64, sum: &FittedSum) -> Estimate {
        let offset = self.unit * sum.value;
        let mut deviations = &sum.deviations * self.unit;
        let draw = self.covariance.deviations_of(self.model.layout.draw_index());
        deviations.scaled_add(self.drift * offset, &draw);
        Estimate::with_error(base + offset, deviations.dot(&deviations).sqrt())
    }

    /// A weighted sum of parameters.
    pub(crate) fn sum_parameters(&self, weights: &[(usize, f64)]) -> FittedSum {
        sum_fitted_parameters(&self.point, &self.covariance, weights)
    }
}

fn sum_fitted_parameters(
    point: &[f64],
    covariance: &Covariance,
    weights: &[(usize, f64)],
) -> FittedSum {
    let mut deviations = Array1::zeros(covariance.deviations_of(0).len());
    for &(at, weight) in weights {
        deviations.scaled_add(weight, &covariance.deviations_of(at));
    }
    FittedSum { value: weights.iter().map(|&(at, weight)| weight * point[at]).sum(), deviations }
}

fn index_fixed_ratings(
    players: usize,
    fixed: &[FixedRating],
) -> Result<Vec<Option<f64>>, RatingError> {
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
fn mean_fixed_rating(groups: &[usize], given: &[Option<f64>], group: usize) -> f64 {
    let in_group = groups.iter().zip(given).filter(|(of, _)| **of == group);
    let ratings: Vec<f64> = in_group.filter_map(|(_, rating)| *rating).collect();
    ratings.iter().sum::<f64>() / count_as_f64(ratings.len().max(1))
}

/// The most probable parameters under the fixed ratings, the Elo points per natural unit, and the
/// relative change of that unit with the logarithm of the draw parameter.
///
/// If fixed ratings differ, the unit comes from a fit without them and is then held constant.
/// Otherwise anchors that contradict the results could shrink the unit to nothing.
fn estimate_fitted_model(
    games: &RatedGames,
    players: Players<'_>,
    given: &[Option<f64>],
    seats: SeatEffect,
    assumed: &FittedModelPrior<'_>,
) -> (RatingModel, MapEstimate, (f64, f64)) {
    let groups = players.groups;
    let from_mean = |(&group, rating): (&usize, &Option<f64>)| {
        Some((group, (*rating)? - mean_fixed_rating(groups, given, group)))
    };
    let mut shared: Vec<Option<(usize, f64)>> = groups.iter().zip(given).map(from_mean).collect();
    if shared.iter().flatten().all(|&(_, apart)| apart == 0.0) {
        let (model, map) = assumed.fit_model(ParameterLayout::new(&shared, seats), games, players);
        let unit = fitted_elo_unit(map.point[model.layout.draw_index()]);
        return (model, map, unit);
    }
    let unit = if let FittedModelPrior::Fitted(other) = assumed {
        other.unit
    } else {
        let free = ParameterLayout::new(&vec![None; given.len()], seats);
        let free = RatingModel::new(free, games, Prior::weak());
        fitted_elo_unit(free.map_estimate().point[free.layout.draw_index()]).0
    };
    shared.iter_mut().flatten().for_each(|(_, apart)| *apart /= unit);
    let (model, map) = assumed.fit_model(ParameterLayout::new(&shared, seats), games, players);
    (model, map, (unit, 0.0))
}

/// Elo points per natural unit for this logarithm of the draw parameter, and their relative change
/// with it.
fn fitted_elo_unit(draw: f64) -> (f64, f64) {
    // In this form no draw parameter overflows, however large it is.
    let share = 1.0 / (1.0 + 2.0 * (-draw).exp());
    (ELO * (1.0 - share), -share)
}
