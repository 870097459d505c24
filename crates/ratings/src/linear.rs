//! The layout of the model's parameters, and the linear predictor of a game.

use std::collections::HashMap;

use crate::pairs::Side;

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

/// A linear combination of parameters, plus a constant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearPredictor {
    pub(crate) terms: Vec<(usize, f64)>,
    pub(crate) shift: f64,
}

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

    /// The lead of `first` over `second` when it has the first seat.
    pub(crate) fn predictor(&self, first: usize, second: usize) -> LinearPredictor {
        let mut terms = vec![(self.advantage(), 1.0)];
        if self.slots[first] != self.slots[second] {
            terms.extend([(self.slots[first], 1.0), (self.slots[second], -1.0)]);
        }
        if self.seats == SeatEffect::PerPlayer {
            terms.extend([(self.own(first), 0.5), (self.own(second), 0.5)]);
        }
        LinearPredictor { terms, shift: self.shifts[first] - self.shifts[second] }
    }

    /// The linear predictor of the player at the first seat of a pairing.
    pub(crate) fn predictor_of(
        &self,
        (upper, lower): (usize, usize),
        first: Side,
    ) -> LinearPredictor {
        match first {
            Side::Upper => self.predictor(upper, lower),
            Side::Lower => self.predictor(lower, upper),
        }
    }
}

impl LinearPredictor {
    /// Its value at the parameters `point`.
    pub(crate) fn at(&self, point: &[f64]) -> f64 {
        self.shift + self.terms.iter().map(|&(slot, factor)| factor * point[slot]).sum::<f64>()
    }
}
