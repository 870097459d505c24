//! The faults of a log, one by one, with their diagnosis.

use referee_games::Seat;
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::record::GameRecord;
use referee_record::shell::quote_for_shell;

/// The most faults to keep; the tables count all of them.
const MOST: usize = 500;

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
    /// The first `MOST` faults, in the order of the log.
    pub cases: Vec<FaultCase>,
    /// The total number of faults.
    pub total: usize,
}

impl FaultCases {
    /// Whether further faults are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.cases.len() >= MOST
    }

    pub(crate) fn add(&mut self, record: &GameRecord) {
        for case in FaultCase::all_of_game(record) {
            self.total += 1;
            if !self.is_full() {
                self.cases.push(case);
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
            opponent: {
                let others = record.players.values.others(seat);
                let names: Vec<&str> = others.map(|other| &*record.players[other]).collect();
                names.join(", ")
            },
            seat: record.players.names[seat].to_string(),
            ply: record.plies,
            fault: fault.clone(),
        }
    }

    /// The faults of a game.
    pub fn all_of_game(record: &GameRecord) -> impl Iterator<Item = Self> {
        let case = |seat| Some(Self::new(record, seat, record.fault_of(seat)?));
        record.players.seats().filter_map(case)
    }

    /// The command that asks the player for the decision again. If the player did not start, this
    /// is its first decision. `called` are the options with which commands find the tournament.
    pub fn command(&self, called: &str) -> String {
        let ply = match self.fault.code {
            FaultCode::NoStart => String::new(),
            _ => format!(" --ply {}", self.ply),
        };
        let terms = format!("--record {}{ply} {called}", self.id);
        let player = quote_for_shell(&self.player);
        // A player's name may look like an option.
        if self.player.starts_with('-') {
            format!("referee ask {terms} -- {player}")
        } else {
            format!("referee ask {player} {terms}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::record::examples::{faulty, game};

    #[test]
    fn each_fault_of_a_game_is_a_case() {
        let both = [("white", FaultCode::Timeout), ("black", FaultCode::Crash)];
        let mut cases = FaultCases::default();
        cases.add(&game("ant", "bee", "white"));
        cases.add(&faulty(game("ant", "bee", "draw"), &both));
        assert_eq!((cases.total, cases.cases.len()), (2, 2));
        let case = &cases.cases[1];
        assert_eq!((case.player.as_str(), case.opponent.as_str()), ("bee", "ant"));
        assert_eq!((case.seat.as_str(), case.ply, case.fault.code), ("black", 2, FaultCode::Crash));
    }

    #[test]
    fn all_are_counted_but_only_the_first_are_kept() {
        let crash = [("white", FaultCode::Crash)];
        let mut cases = FaultCases::default();
        for number in 0..MOST + 5 {
            let record = faulty(game("ant", "bee", "black"), &crash);
            cases.add(&GameRecord { id: number.to_string(), ..record });
        }
        assert_eq!((cases.total, cases.cases.len()), (MOST + 5, MOST));
        assert_eq!(cases.cases[0].id, "0");
    }
}
