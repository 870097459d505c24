//! The prior of strengths before any game.
//!
//! The strengths of a *camp* scatter normally around the camp's mean. How widely they do is learned
//! from the results: see `learning.rs`.

use std::collections::BTreeMap;

use ndarray::Array1;

use crate::estimate::ELO;
use crate::matrices::curvature::MissingCurvature;
use crate::significance::count_as_f64;

/// The standard deviation of the means of camps, in Elo.
const MEANS_SD: f64 = 500.0;

/// The standard deviation of the mean step from a version to the next, in Elo.
const STEPS_SD: f64 = 100.0;

/// The steps from each version of an author's player to the next: normally distributed around a
/// common mean.
#[derive(Debug, Clone)]
pub(crate) struct PriorSteps {
    /// The parameters of a version and of the one before it.
    pub(crate) list: Vec<[usize; 2]>,
    /// The standard deviation, in natural units.
    pub(crate) deviation: f64,
}

impl PriorSteps {
    /// The sum of all steps, as parameters with their factors.
    pub(crate) fn sum(&self) -> Vec<(usize, f64)> {
        let mut factors = BTreeMap::new();
        for step in &self.list {
            *factors.entry(step[0]).or_insert(0.0) += 1.0;
            *factors.entry(step[1]).or_insert(0.0) -= 1.0;
        }
        // Of a chain, only the ends remain.
        factors.into_iter().filter(|&(_, factor)| factor != 0.0).collect()
    }
}

/// The prior of the strengths.
#[derive(Debug, Clone)]
pub(crate) struct Prior {
    /// The parameters of the strengths in each camp. Strengths without a camp have the
    /// [weak](Self::WEAK) prior.
    pub(crate) camps: Vec<Vec<usize>>,
    /// The standard deviation in a camp, in natural units.
    pub(crate) deviation: f64,
    /// Versions that came after another are in no camp: they start where that one stood.
    pub(crate) steps: PriorSteps,
    /// The variance of the score in a pair of games, as a multiple of what independent games have.
    /// The likelihood takes games for independent, so the prior has to be as much more precise.
    pub(crate) dispersion: f64,
    /// The standard deviation of the lead in each pairing: the likelihood is averaged over it. If
    /// empty, it is not averaged.
    pub(crate) blurs: Vec<f64>,
    /// What the uncertainty of the prior adds to the parameters' deviations, one entry per cause.
    pub(crate) doubts: Vec<Vec<f64>>,
    /// The players of each camp that may belong to another one.
    pub(crate) torn: Vec<TornPriorCamp>,
}

/// A camp some of whose players may belong to another one.
#[derive(Debug, Clone)]
pub(crate) struct TornPriorCamp {
    /// The variance of the pull on each strength.
    pub(crate) pulls: Vec<(usize, f64)>,
}

impl TornPriorCamp {
    /// The covariance of the pulls on two strengths. A player is pulled away from the others of its
    /// camp, which are pulled as much the other way: who belongs where says nothing about where the
    /// camp is. Otherwise the pulls would add up, and the more players there are, the less would be
    /// known of any of them.
    pub(crate) fn pull_covariance(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let size = count_as_f64(self.pulls.len());
        let mean = self.pulls.iter().map(|(_, variance)| variance).sum::<f64>() / size;
        self.pulls.iter().flat_map(move |&(row, of_row)| {
            self.pulls.iter().map(move |&(column, of_column)| {
                let own = if row == column { of_row } else { 0.0 };
                (row, column, own - (of_row + of_column - mean) / size)
            })
        })
    }

    /// Adds the product of this covariance with a vector to `sum`.
    pub(crate) fn add_times(&self, vector: &[f64], sum: &mut Array1<f64>) {
        let mean_of = |values: &[f64]| values.iter().sum::<f64>() / count_as_f64(values.len());
        let own: Vec<f64> = self.pulls.iter().map(|&(at, _)| vector[at]).collect();
        let mean = mean_of(&own);
        let pulled =
            own.iter().zip(&self.pulls).map(|(own, (_, variance))| variance * (own - mean));
        let pulled: Vec<f64> = pulled.collect();
        let mean = mean_of(&pulled);
        self.pulls.iter().zip(&pulled).for_each(|(&(at, _), pulled)| sum[at] += pulled - mean);
    }
}

impl Prior {
    /// The precision of a strength that no camp holds: a standard deviation of 600 Elo (at a draw
    /// parameter of 0).
    pub(crate) const WEAK: f64 = (ELO / 600.0) * (ELO / 600.0);

    /// The weak prior for all strengths.
    pub(crate) fn weak() -> Self {
        Self {
            camps: Vec::new(),
            deviation: 1.0,
            steps: PriorSteps { list: Vec::new(), deviation: 1.0 },
            dispersion: 1.0,
            blurs: Vec::new(),
            doubts: Vec::new(),
            torn: Vec::new(),
        }
    }

    /// The precision of the strengths in camps.
    pub(crate) fn camp_precision(&self) -> f64 {
        self.dispersion / self.deviation.powi(2)
    }

    /// What all cells of a camp of this size in the precision matrix lack, because the camp's mean
    /// is not known.
    pub(crate) fn missing_camp_precision(&self, size: usize) -> f64 {
        let means = (MEANS_SD / ELO).powi(2);
        self.camp_precision() / (self.deviation.powi(2) / means + count_as_f64(size))
    }

    /// The precision in the direction of a camp's mean.
    pub(crate) fn camp_mean_precision(&self, size: usize) -> f64 {
        self.camp_precision() - count_as_f64(size) * self.missing_camp_precision(size)
    }

    /// The precision of steps.
    pub(crate) fn step_precision(&self) -> f64 {
        self.dispersion / self.steps.deviation.powi(2)
    }

    /// What the precision of the sum of all steps lacks, because their mean is not known.
    pub(crate) fn missing_step_precision(&self) -> f64 {
        let mean = (STEPS_SD / ELO).powi(2);
        self.step_precision()
            / (self.steps.deviation.powi(2) / mean + count_as_f64(self.steps.list.len()))
    }

    /// The precision of the mean step.
    pub(crate) fn mean_step_precision(&self) -> f64 {
        self.step_precision() - count_as_f64(self.steps.list.len()) * self.missing_step_precision()
    }

    /// What the precisions lack because the means of camps and of steps are not known, times `factor`.
    pub(crate) fn unknown_means(&self, factor: f64) -> Vec<MissingCurvature> {
        let of_camp = |camp: &Vec<usize>| MissingCurvature {
            weight: factor * self.missing_camp_precision(camp.len()),
            sum: camp.iter().map(|&slot| (slot, 1.0)).collect(),
        };
        let of_steps = || MissingCurvature {
            weight: factor * self.missing_step_precision(),
            sum: self.steps.sum(),
        };
        let steps = (!self.steps.list.is_empty()).then(of_steps);
        self.camps.iter().map(of_camp).chain(steps).collect()
    }

    /// A lower bound of the precision of a version's strength in any direction. A version is as
    /// uncertain as the first one and all steps up to it.
    pub(crate) fn version_precision(&self) -> f64 {
        let steps = count_as_f64(self.steps.list.len());
        let first = self.deviation.powi(2) + (MEANS_SD / ELO).powi(2) + 1.0 / Self::WEAK;
        let of_steps = self.steps.deviation.powi(2) + steps * (STEPS_SD / ELO).powi(2);
        let all = self.camps.iter().map(Vec::len).sum::<usize>();
        self.dispersion / ((count_as_f64(all) + steps) * (first + steps * of_steps))
    }

    /// The blur of the pairing at this place.
    pub(crate) fn blur(&self, pairing: usize) -> f64 {
        self.blurs.get(pairing).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_camps_product_is_that_of_its_covariance() {
        let camp = TornPriorCamp { pulls: vec![(0, 1.0), (2, 4.0), (3, 0.5)] };
        let vector = [0.3, 7.0, -1.1, 2.5];
        let (mut product, mut sum) = (Array1::zeros(4), Array1::<f64>::zeros(4));
        camp.add_times(&vector, &mut product);
        for (row, column, covariance) in camp.pull_covariance() {
            sum[row] += covariance * vector[column];
        }
        assert!(
            product.iter().zip(&sum).all(|(one, other): (&f64, _)| (one - other).abs() < 1e-12)
        );
        assert!(product[2].abs() > 1.0);
    }
}
