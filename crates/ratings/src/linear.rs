//! The layout of the model's parameters, and the linear predictors of games.

use std::collections::HashMap;

use crate::dense::Symmetric;

/// Whether the first seat is worth the same to every player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeatEffect {
    /// One advantage for all.
    Common,
    /// Each player has a seat effect on top.
    PerPlayer,
}

/// The layout of the parameter vector: strengths, the first-seat advantage, the logarithm of the
/// draw parameter, and with [`SeatEffect::PerPlayer`] one seat effect per player.
///
/// The differences between fixed ratings are known, so players with fixed ratings that can be
/// compared share one parameter, each with its own shift.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The index of each player's strength.
    pub(crate) slots: Vec<usize>,
    /// The shift that is added to it, in natural units.
    pub(crate) shifts: Vec<f64>,
    /// The number of parameters for strengths.
    pub(crate) strengths: usize,
    seats: SeatEffect,
}

/// The linear predictors of two players' games: the lead of the player at the first seat, in
/// natural units. It is `common + contrast + shift` for the upper player, and `common − contrast −
/// shift` for the lower one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairPredictor {
    /// The upper player's strength minus the lower one's; the factors are 0 if they share one.
    contrast: [(usize, f64); 2],
    /// The value of the first seat to these two: the advantage, and half of each own effect.
    advantage: usize,
    own: Option<[usize; 2]>,
    /// The index of the draw parameter's logarithm.
    draw: usize,
    shift: f64,
}

/// A symmetric matrix over the contrast, the common part and the draw parameter of a
/// [`PairPredictor`].
pub(crate) type Local = [[f64; 3]; 3];

impl Layout {
    /// One strength per player, except that players with the same entry in `shared` share one, each
    /// with its own shift.
    pub(crate) fn new(shared: &[Option<(usize, f64)>], seats: SeatEffect) -> Self {
        let mut of_group = HashMap::new();
        let (mut slots, mut shifts, mut strengths) = (Vec::new(), Vec::new(), 0);
        for entry in shared {
            let mut fresh = || {
                strengths += 1;
                strengths - 1
            };
            let (slot, shift) = match *entry {
                None => (fresh(), 0.0),
                Some((group, shift)) => (*of_group.entry(group).or_insert_with(fresh), shift),
            };
            slots.push(slot);
            shifts.push(shift);
        }
        Self { slots, shifts, strengths, seats }
    }

    /// The index of the first-seat advantage.
    pub(crate) fn advantage(&self) -> usize {
        self.strengths
    }

    /// The index of the logarithm of the draw parameter.
    pub(crate) fn draw(&self) -> usize {
        self.strengths + 1
    }

    /// The index of a player's own seat effect, with [`SeatEffect::PerPlayer`].
    pub(crate) fn own(&self, player: usize) -> usize {
        self.strengths + 2 + player
    }

    /// The indices of all players' seat effects, with [`SeatEffect::PerPlayer`].
    pub(crate) fn own_effects(&self) -> std::ops::Range<usize> {
        self.strengths + 2..self.len()
    }

    /// The number of parameters.
    pub(crate) fn len(&self) -> usize {
        match self.seats {
            SeatEffect::Common => self.strengths + 2,
            SeatEffect::PerPlayer => self.strengths + 2 + self.slots.len(),
        }
    }

    /// The linear predictors of two players' games.
    pub(crate) fn pair(&self, upper: usize, lower: usize) -> PairPredictor {
        let (one, other) = (self.slots[upper], self.slots[lower]);
        let factor = if one == other { 0.0 } else { 1.0 };
        let own = || [self.own(upper), self.own(lower)];
        PairPredictor {
            contrast: [(one, factor), (other, -factor)],
            advantage: self.advantage(),
            own: (self.seats == SeatEffect::PerPlayer).then(own),
            draw: self.draw(),
            shift: self.shifts[upper] - self.shifts[lower],
        }
    }
}

impl PairPredictor {
    /// The lead of the player at the first seat at the parameters `point`: if that is the upper
    /// player, and if it is the lower one.
    pub(crate) fn leads(&self, point: &[f64]) -> [f64; 2] {
        let [(one, factor), (other, _)] = self.contrast;
        let contrast = factor * (point[one] - point[other]) + self.shift;
        let own = self.own.map_or(0.0, |own| own.map(|at| point[at] / 2.0).iter().sum());
        let common = point[self.advantage] + own;
        [common + contrast, common - contrast]
    }

    /// Adds a vector over the predictor's parts to a vector over all parameters.
    pub(crate) fn add_vector(&self, [contrast, common, draw]: [f64; 3], vector: &mut [f64]) {
        for (at, factor) in self.contrast {
            vector[at] += factor * contrast;
        }
        for at in self.own.into_iter().flatten() {
            vector[at] += common / 2.0;
        }
        vector[self.advantage] += common;
        vector[self.draw] += draw;
    }

    /// Adds a matrix over the predictor's parts to a matrix over all parameters.
    pub(crate) fn add_matrix(&self, local: &Local, matrix: &mut Symmetric) {
        let mut add = |row: usize, column: usize, value: f64| matrix.add(row, column, value);
        let [(one, factor), (other, _)] = self.contrast;
        if factor != 0.0 {
            add(one, one, local[0][0]);
            add(other, other, local[0][0]);
            add(other, one, -local[0][0]);
            for (row, by) in [(self.advantage, 1), (self.draw, 2)] {
                add(row, one, local[by][0]);
                add(row, other, -local[by][0]);
            }
        }
        add(self.advantage, self.advantage, local[1][1]);
        add(self.draw, self.advantage, local[2][1]);
        add(self.draw, self.draw, local[2][2]);
        let Some(own) = self.own else { return };
        for row in own {
            for (column, factor) in self.contrast {
                add(row, column, factor * local[1][0] / 2.0);
            }
            add(row, self.advantage, local[1][1] / 2.0);
            add(row, self.draw, local[2][1] / 2.0);
            add(row, row, local[1][1] / 4.0);
        }
        add(own[1], own[0], local[1][1] / 4.0);
    }

    /// The part of a symmetric matrix over all parameters that these games see.
    pub(crate) fn restrict(&self, matrix: &Symmetric) -> Local {
        let at = |row: usize, column: usize| matrix.at(row, column);
        let own = self.own.into_iter().flatten().map(|at| (at, 0.5));
        let common = || own.clone().chain([(self.advantage, 1.0)]);
        let with_common = |row: usize| common().map(|(to, by)| by * at(row, to)).sum::<f64>();
        let [(one, factor), (other, _)] = self.contrast;
        let contrast = |of: &dyn Fn(usize) -> f64| factor * (of(one) - of(other));
        let with_draw = |row: usize| at(row, self.draw);
        let own_contrast = at(one, one) + at(other, other) - 2.0 * at(one, other);
        let mixed = contrast(&with_common);
        let (contrast_draw, common_draw) = (contrast(&with_draw), with_common(self.draw));
        let own_common = common().map(|(row, by)| by * with_common(row)).sum();
        [
            [factor * own_contrast, mixed, contrast_draw],
            [mixed, own_common, common_draw],
            [contrast_draw, common_draw, with_draw(self.draw)],
        ]
    }
}

/// The sum of a diagonal matrix over all parameters and of the matrices of pairings.
pub(crate) fn information(
    diagonal: &[f64],
    terms: impl Iterator<Item = (PairPredictor, Local)>,
) -> Symmetric {
    let mut matrix = Symmetric::diagonal(diagonal);
    for (predictor, local) in terms {
        predictor.add_matrix(&local, &mut matrix);
    }
    matrix
}

#[cfg(test)]
mod tests;
