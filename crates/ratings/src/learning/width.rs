//! The standard deviations that are learned: of strengths in camps, and of steps from version to
//! version; and the search for the most probable ones.

use super::known_covariance::KnownCovariance;
use crate::estimate::ELO;
use crate::rating_model::prior::{Prior, PriorSteps};
use crate::significance::count_as_f64;

/// The prior of the variance in a camp: a gamma distribution in which this is the most probable
/// standard deviation, in Elo …
pub(super) const MODE: f64 = 600.0;
/// … and this shape, which keeps it away from 0: there is always a difference.
const SHAPE: f64 = 2.0;
/// The same of the variance of steps from version to version.
pub(super) const STEP_MODE: f64 = 100.0;
/// Steps in the logarithm of the standard deviation are at most this large.
pub(super) const LONGEST: f64 = 0.7;
/// More of a step is taken if it is more than this share of the one before.
const SLOW: f64 = 0.5;
/// Outside a league, so many of Newton's steps are taken as they are: nearly always they come to an end,
/// and ratings of past tournaments stay as they are.
pub(super) const PATIENCE: usize = 15;
/// The most that is taken of a step.
const MOST_PART: f64 = 2.0;
/// Once a step has turned back, less is taken at most; that bound recovers by this factor.
const RECOVERY: f64 = 1.2;

/// A standard deviation that is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    OfCamps,
    OfSteps,
}

impl Width {
    /// How the evidence grows with its logarithm, and the standard error of that.
    pub(super) fn slope(
        self,
        prior: &Prior,
        point: &[f64],
        covariance: &KnownCovariance,
    ) -> (f64, f64) {
        match self {
            Self::OfCamps => {
                WidthScatter::new(prior, point, covariance).slope(prior.deviation, MODE)
            }
            Self::OfSteps => {
                let scatter = WidthScatter::from_steps(&prior.steps, point, covariance);
                scatter.slope(prior.steps.deviation, STEP_MODE)
            }
        }
    }

    /// A step towards its most probable logarithm, and the standard error of that.
    pub(super) fn newton_step(
        self,
        prior: &Prior,
        point: &[f64],
        covariance: &KnownCovariance,
    ) -> (f64, f64) {
        let (slope, error) = self.slope(prior, point, covariance);
        ((slope * error * error).clamp(-LONGEST, LONGEST), error)
    }
}

/// The search for the most probable logarithm of a standard deviation. The blurs and the other
/// standard deviation follow it, so Newton's steps may go to and fro for ever, or be far too short.
pub(super) struct WidthSearch {
    /// How many steps to take as they are.
    patience: usize,
    /// The part of a step to take.
    part: f64,
    /// How far it may grow.
    most: f64,
    /// The last of Newton's steps, and what was taken of it.
    last: Option<(f64, f64)>,
}

impl WidthSearch {
    pub(super) fn new(patience: usize) -> Self {
        Self { patience, part: 1.0, most: MOST_PART, last: None }
    }

    /// The step to take for this one of Newton's.
    pub(super) fn damp_newton_step(&mut self, newton: f64) -> f64 {
        if self.patience > 0 {
            self.patience -= 1;
        } else if let Some((before, taken)) = self.last {
            if before * newton < 0.0 {
                // On a straight line, this part would have led to the end. But the blurs or the
                // other standard deviation may have turned the step.
                let least = self.part / 4.0;
                self.part = (taken / (before - newton)).min(1.0).max(least);
                self.most = (taken / before / 2.0).max(self.part);
            } else if newton.abs() > SLOW * before.abs() {
                self.part = self.part.max((2.0 * self.part).min(self.most));
                self.most = (RECOVERY * self.most).min(MOST_PART);
            } else {
                self.part = self.part.min(1.0);
            }
        }
        let taken = (self.part * newton).clamp(-LONGEST, LONGEST);
        self.last = Some((newton, taken));
        taken
    }
}

/// How the strengths scatter in their camps, summed over all camps; or how steps do.
pub(super) struct WidthScatter {
    /// The squared distances from the means.
    pub(super) squares: f64,
    /// Their variances.
    pub(super) uncertain: f64,
    /// The degrees of freedom.
    pub(super) free: f64,
}

impl WidthScatter {
    pub(super) fn new(prior: &Prior, point: &[f64], covariance: &KnownCovariance) -> Self {
        let mut scatter = Self { squares: 0.0, uncertain: 0.0, free: 0.0 };
        for (camp, of_camp) in prior.camps.iter().zip(&covariance.of_camps) {
            let own: f64 = camp.iter().map(|&slot| covariance.variance(slot)).sum();
            scatter.squares += squared_camp_width(camp, point);
            // Of one alone, nothing but rounding is left.
            scatter.uncertain += (own - of_camp.variance / count_as_f64(camp.len())).max(0.0);
            scatter.free += count_as_f64(camp.len()) - 1.0;
        }
        scatter
    }

    pub(super) fn from_steps(
        steps: &PriorSteps,
        point: &[f64],
        covariance: &KnownCovariance,
    ) -> Self {
        let steps = &steps.list;
        let length = |step: &[usize; 2]| point[step[0]] - point[step[1]];
        let mean = steps.iter().map(length).sum::<f64>() / count_as_f64(steps.len());
        let own = steps.iter().map(|step| covariance.difference_variance(step[0], step[1]));
        Self {
            squares: steps.iter().map(|step| (length(step) - mean).powi(2)).sum(),
            uncertain: (own.sum::<f64>() - covariance.of_steps / count_as_f64(steps.len()))
                .max(0.0),
            free: count_as_f64(steps.len()) - 1.0,
        }
    }

    /// How the evidence grows with the logarithm of this standard deviation, whose prior has this
    /// mode, and the standard error of that logarithm at given blurs.
    pub(super) fn slope(&self, deviation: f64, mode: f64) -> (f64, f64) {
        let variance = deviation * deviation;
        let pull = 2.0 * (SHAPE - 0.5) * (deviation * ELO / mode).powi(2);
        let slope =
            (self.squares + self.uncertain) / variance - self.free + 2.0 * SHAPE - 1.0 - pull;
        let unknown = self.uncertain / (self.free * variance).max(f64::MIN_POSITIVE);
        let information = 2.0 * self.free * (1.0 - unknown.min(1.0)).powi(2) + 2.0 * pull;
        (slope, 1.0 / information.sqrt())
    }
}

pub(super) fn mean_camp_strength(camp: &[usize], point: &[f64]) -> f64 {
    camp.iter().map(|&slot| point[slot]).sum::<f64>() / count_as_f64(camp.len())
}

/// The sum of squared distances from the mean.
pub(super) fn squared_camp_width(camp: &[usize], point: &[f64]) -> f64 {
    let mean = mean_camp_strength(camp, point);
    camp.iter().map(|&slot| (point[slot] - mean).powi(2)).sum()
}
