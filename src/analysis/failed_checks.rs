//! The reasons why players failed a check.

use std::collections::HashMap;

use super::pass::{LogVisitor, LoggedGame};
use crate::error::Failure;
use crate::model::fault::Fault;
use referee_games::Seat;

/// The faults in the games of a check, by the name of the player that made each.
#[derive(Debug, Default)]
pub struct FailedChecks {
    faults: HashMap<String, Fault>,
}

impl FailedChecks {
    /// The fault that a player made in a check, if any.
    pub fn of(&self, player: &str) -> Option<&Fault> {
        self.faults.get(player)
    }
}

impl LogVisitor for FailedChecks {
    fn visit(&mut self, game: &LoggedGame<'_>) -> Result<(), Failure> {
        if game.counts && game.in_check {
            for seat in Seat::BOTH {
                let fault = game.record.fault_of(seat).cloned();
                self.faults.extend(fault.map(|fault| (game.record.players[seat].clone(), fault)));
            }
        }
        Ok(())
    }
}
