//! The faults of a log, one by one, with their diagnosis.

use crate::model::fault::Fault;
use crate::model::record::GameRecord;
use referee_games::Seat;

/// The most faults to keep; the tables count all of them.
pub const MOST: usize = 500;

/// A fault and where it happened. The fault's texts are safe to show; the names are not.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultCase {
    /// The game's id.
    pub id: String,
    /// The player's name.
    pub player: String,
    /// The opponent's name.
    pub opponent: String,
    /// The seat's name.
    pub seat: String,
    /// The plies played before it.
    pub ply: u32,
    /// The problem.
    pub fault: Fault,
}

/// The first faults of a log, and how many there are.
#[derive(Debug, Default)]
pub struct FaultCases {
    /// The first [`MOST`] faults, in the order of the log.
    pub cases: Vec<FaultCase>,
    /// The total number of faults.
    pub total: usize,
}

impl FaultCases {
    /// Adds the faults of a game.
    pub fn add(&mut self, record: &GameRecord) {
        for seat in Seat::BOTH {
            let Some(fault) = record.fault_of(seat) else { continue };
            self.total += 1;
            if self.cases.len() < MOST {
                self.cases.push(FaultCase::new(record, seat, fault));
            }
        }
    }
}

impl FaultCase {
    /// The fault that `seat` made in a game.
    pub fn new(record: &GameRecord, seat: Seat, fault: &Fault) -> Self {
        Self {
            id: record.id.clone(),
            player: record.players[seat].clone(),
            opponent: record.players[!seat].clone(),
            seat: record.players.names[seat].to_string(),
            ply: record.plies,
            fault: fault.clone(),
        }
    }
}
