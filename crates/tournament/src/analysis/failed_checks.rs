//! The reasons why players failed a check.

use std::collections::HashMap;

use super::logged_game::LoggedGame;
use referee_record::model::fault::Fault;

/// The faults in the games of a check, by the name of the player that made each.
#[derive(Debug, Default)]
pub struct FailedChecks {
    faults: HashMap<String, Fault>,
}

impl FailedChecks {
    /// The fault that a player made in a check, if any.
    pub fn fault_of(&self, player: &str) -> Option<&Fault> {
        self.faults.get(player)
    }

    /// Considers a game.
    pub fn add(&mut self, game: &LoggedGame) {
        if game.counts && game.in_check && game.summary.is_faulted() {
            let record = &game.record;
            for seat in record.players.seats() {
                let fault = record.fault_of(seat).cloned();
                self.faults.extend(fault.map(|fault| (record.players[seat].clone(), fault)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::game_summary::GameSummary;
    use referee_record::model::record::examples::{faulty, game};

    #[test]
    fn only_faults_in_the_check_take_a_player_out() {
        let crash = [("white", FaultCode::Crash)];
        let mut failed = FailedChecks::default();
        for (first, counts, in_check) in
            [("ant", true, true), ("bee", true, false), ("cat", false, true)]
        {
            let record = Arc::new(faulty(game(first, "dog", "black"), &crash));
            let summary = GameSummary::from_record(&record).expect("a result");
            let (line, is_sealed) = (0, false);
            let game = LoggedGame { record, summary, counts, in_check, line, is_sealed };
            failed.add(&game);
        }
        assert_eq!(failed.fault_of("ant").map(|fault| fault.code), Some(FaultCode::Crash));
        assert!(["bee", "cat", "dog"].iter().all(|name| failed.fault_of(name).is_none()));
    }
}
