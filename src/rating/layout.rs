//! Where the parameters of the model stand, and how a game's lead is made of them.

use super::model::Model;
use super::pairs::Side;

/// Whether the first seat is worth the same to everyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seats {
    /// One advantage for all.
    Alike,
    /// Each player has an effect of its own on top.
    Own,
}

/// The vector of parameters: strengths, the first seat's advantage, the logarithm of the draw
/// parameter, and with [`Seats::Own`] a seat effect a player.
///
/// Players of known rating differ by known amounts, so those that are compared share one
/// parameter and are each shifted from it.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The parameter of each player's strength.
    pub(super) slots: Vec<usize>,
    /// What is added to it, in natural units.
    pub(super) shifts: Vec<f64>,
    /// How many parameters strengths have.
    pub(super) strengths: usize,
    seats: Seats,
}

/// A sum of parameters times factors, plus a constant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lead {
    pub(super) terms: Vec<(usize, f64)>,
    pub(super) shift: f64,
}

impl Layout {
    /// A strength for each player, but one for those with the same entry in `shared`, each with
    /// its shift from it.
    pub(super) fn new(shared: &[Option<(usize, f64)>], seats: Seats) -> Self {
        let mut of_group = std::collections::HashMap::new();
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

    /// The parameter of the first seat's advantage.
    pub(super) fn advantage(&self) -> usize {
        self.strengths
    }

    /// The parameter of the draws.
    pub(super) fn draw(&self) -> usize {
        self.strengths + 1
    }

    /// The parameter of a player's own seat effect, with [`Seats::Own`].
    pub(super) fn own(&self, player: usize) -> usize {
        self.strengths + 2 + player
    }

    /// How many parameters there are.
    pub(super) fn len(&self) -> usize {
        match self.seats {
            Seats::Alike => self.strengths + 2,
            Seats::Own => self.strengths + 2 + self.slots.len(),
        }
    }

    /// How far `first` is ahead of `second` when it has the first seat.
    pub(super) fn lead(&self, first: usize, second: usize) -> Lead {
        let mut terms = vec![(self.advantage(), 1.0)];
        if self.slots[first] != self.slots[second] {
            terms.extend([(self.slots[first], 1.0), (self.slots[second], -1.0)]);
        }
        if self.seats == Seats::Own {
            terms.extend([(self.own(first), 0.5), (self.own(second), 0.5)]);
        }
        Lead { terms, shift: self.shifts[first] - self.shifts[second] }
    }

    /// The lead of the player at the first seat of a pairing.
    pub(super) fn lead_of(&self, (upper, lower): (usize, usize), first: Side) -> Lead {
        match first {
            Side::Upper => self.lead(upper, lower),
            Side::Lower => self.lead(lower, upper),
        }
    }
}

impl Lead {
    /// Its value where the parameters are `point`.
    pub(super) fn at(&self, point: &[f64]) -> f64 {
        self.shift + self.terms.iter().map(|&(slot, factor)| factor * point[slot]).sum::<f64>()
    }
}

/// The means and precisions of the priors.
pub(super) fn priors(layout: &Layout) -> (Vec<f64>, Vec<f64>) {
    let mut means = vec![0.0; layout.len()];
    means[layout.draw()] = Model::DRAW_MEAN;
    let mut precisions = vec![0.0; layout.len()];
    for &slot in &layout.slots {
        precisions[slot] += (Model::ELO / Model::STRENGTH_SD).powi(2);
    }
    let seat = (Model::ELO / Model::ADVANTAGE_SD).powi(2);
    precisions[layout.advantage()] = seat;
    precisions[layout.draw()] = Model::DRAW_SD.powi(-2);
    if layout.seats == Seats::Own {
        precisions[layout.own(0)..].fill(seat);
    }
    (means, precisions)
}
