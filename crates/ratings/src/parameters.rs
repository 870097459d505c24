//! The layout of the model's parameters, and the linear predictors of games.

use std::collections::HashMap;
use std::ops::Range;

use crate::matrices::triangle::{Cells, Triangle};

/// What seats are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeatEffect {
    /// Of two seats, the first has one advantage for all players.
    Common,
    /// Each player has a seat effect on top.
    PerPlayer,
    /// Each of this many seats has a value. Only their differences matter.
    Each(usize),
    /// It is not known who had which seat.
    Unknown,
}

/// The layout of the parameter vector: strengths, the first-seat advantage or the values of all
/// seats, the logarithm of the draw parameter, and with [`SeatEffect::PerPlayer`] one seat effect per
/// player.
///
/// The differences between fixed ratings are known, so players with fixed ratings that can be
/// compared share one parameter, each with its own shift.
#[derive(Debug, Clone)]
pub(crate) struct ParameterLayout {
    /// The index of each player's strength.
    pub(crate) slots: Vec<usize>,
    /// The shift that is added to it, in natural units.
    pub(crate) shifts: Vec<f64>,
    /// The number of parameters for strengths.
    pub(crate) strengths: usize,
    pub(crate) seats: SeatEffect,
}

/// The linear predictors of two players' games: the lead of the player at the first seat, in
/// natural units. It is `common + contrast + shift` for the upper player, and `common − contrast −
/// shift` for the lower one.
///
/// The contrast is the upper player's strength minus the lower one's; it has no parameters if they
/// share one. The common part is the value of the first seat to these two: the advantage, and half
/// of each own effect. Of more than two seats, the first stands for one of them and the second for
/// another, and the advantage is the difference of their values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairPredictor {
    /// The parameters of the three parts, [`CONTRAST`], [`COMMON`] and [`DRAW`].
    terms: [Option<Term>; 6],
    shift: f64,
}

/// A parameter in a part of a [`PairPredictor`].
#[derive(Debug, Clone, Copy)]
struct Term {
    part: usize,
    parameter: usize,
    factor: f64,
}

const CONTRAST: usize = 0;
const COMMON: usize = 1;
/// The logarithm of the draw parameter.
const DRAW: usize = 2;

/// A symmetric matrix over the contrast, the common part and the draw parameter of a
/// [`PairPredictor`].
pub(crate) type Local = [[f64; 3]; 3];

impl ParameterLayout {
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

    /// The indices of the values of seats: one for the advantage of the first of two, or one for
    /// each seat.
    pub(crate) fn seat_values(&self) -> Range<usize> {
        let values = match self.seats {
            SeatEffect::Common | SeatEffect::PerPlayer => 1,
            SeatEffect::Each(seats) => seats,
            SeatEffect::Unknown => 0,
        };
        self.strengths..self.strengths + values
    }

    /// The advantage of one seat over another, as a sum of parameters with their factors.
    pub(crate) fn advantage(&self, seats: [usize; 2]) -> [Option<(usize, f64)>; 2] {
        let first = self.strengths;
        match self.seats {
            SeatEffect::Common | SeatEffect::PerPlayer => [Some((first, 1.0)), None],
            SeatEffect::Each(_) => [Some((first + seats[0], 1.0)), Some((first + seats[1], -1.0))],
            SeatEffect::Unknown => [None; 2],
        }
    }

    /// The index of the logarithm of the draw parameter.
    pub(crate) fn draw_index(&self) -> usize {
        self.seat_values().end
    }

    /// The index of a player's own seat effect, with [`SeatEffect::PerPlayer`].
    pub(crate) fn own_effect_index(&self, player: usize) -> usize {
        self.draw_index() + 1 + player
    }

    /// The indices of all players' seat effects, with [`SeatEffect::PerPlayer`].
    pub(crate) fn own_effects(&self) -> Range<usize> {
        self.draw_index() + 1..self.len()
    }

    /// The number of parameters.
    pub(crate) fn len(&self) -> usize {
        let own = if self.seats == SeatEffect::PerPlayer { self.slots.len() } else { 0 };
        self.draw_index() + 1 + own
    }

    /// The linear predictors of two players' games of two seats.
    pub(crate) fn pair_predictor(&self, upper: usize, lower: usize) -> PairPredictor {
        self.predictor_at_seats(upper, lower, [0, 1])
    }

    /// The linear predictors of two players' comparisons at these two seats.
    pub(crate) fn predictor_at_seats(
        &self,
        upper: usize,
        lower: usize,
        seats: [usize; 2],
    ) -> PairPredictor {
        let term = |part, parameter, factor| Term { part, parameter, factor };
        let (one, other) = (self.slots[upper], self.slots[lower]);
        let contrast = [term(CONTRAST, one, 1.0), term(CONTRAST, other, -1.0)];
        let own = [upper, lower].map(|player| term(COMMON, self.own_effect_index(player), 0.5));
        let [one, other] = contrast.map(|term| (one != other).then_some(term));
        let [upper_own, lower_own] =
            own.map(|term| (self.seats == SeatEffect::PerPlayer).then_some(term));
        let [advantage, other_seat] = self
            .advantage(seats)
            .map(|value| value.map(|(parameter, factor)| term(COMMON, parameter, factor)));
        let draw = Some(term(DRAW, self.draw_index(), 1.0));
        // Only with two seats do players have effects of their own.
        let terms = [one, other, advantage, draw, upper_own.or(other_seat), lower_own];
        PairPredictor { terms, shift: self.shifts[upper] - self.shifts[lower] }
    }
}

impl PairPredictor {
    /// Its parameters.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = usize> {
        self.terms.iter().flatten().map(|term| term.parameter)
    }

    /// The lead of the player at the first seat at the parameters `point`: if that is the upper
    /// player, and if it is the lower one.
    pub(crate) fn leads(&self, point: &[f64]) -> [f64; 2] {
        let mut parts = [0.0; 3];
        for term in self.terms.iter().flatten() {
            parts[term.part] += term.factor * point[term.parameter];
        }
        let [contrast, common, _] = parts;
        [common + contrast + self.shift, common - contrast - self.shift]
    }

    /// Adds a vector over the predictor's parts to a vector over all parameters.
    pub(crate) fn add_vector(&self, parts: [f64; 3], vector: &mut [f64]) {
        for term in self.terms.iter().flatten() {
            vector[term.parameter] += term.factor * parts[term.part];
        }
    }

    /// Adds a matrix over the predictor's parts to a matrix over all parameters.
    pub(crate) fn add_matrix(&self, local: &Local, matrix: &mut Triangle) {
        for row in self.terms.iter().flatten() {
            for column in self.terms.iter().flatten() {
                let cell = row.factor * column.factor * local[row.part][column.part];
                matrix.add(row.parameter, column.parameter, cell);
            }
        }
    }

    /// The part of a symmetric matrix over all parameters that these games see.
    pub(crate) fn restrict_to_parts(&self, matrix: &impl Cells) -> Local {
        let mut local = Local::default();
        for row in self.terms.iter().flatten() {
            for column in self.terms.iter().flatten() {
                let cell = matrix.cell(row.parameter, column.parameter);
                local[row.part][column.part] += row.factor * column.factor * cell;
            }
        }
        local
    }
}

#[cfg(test)]
mod tests;
