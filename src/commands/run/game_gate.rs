//! `games-per-day` and `quiet`: tells the run of a league how many games may begin, and tells it
//! again whenever that changes. The run itself knows no clock.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use jiff::{ToSpan, Zoned};
use tokio::sync::mpsc;

use crate::commands::Failure;
use referee_league::game_hours::GameHours;
use referee_record::log::WriteError;
use referee_record::model::league_settings::LeagueGameBounds;
use referee_tournament::folder::count_folder_games_since;
use referee_tournament::run::deadline::DeadlineTime;
use referee_tournament::run::instruction::Instruction;
use referee_tournament::run::run_event::{RunEvent, RunListener};
use referee_tournament::schedule::tournament_state::TournamentState;

/// Tells a run how many games may begin. It counts those that do.
#[derive(Debug, Clone)]
pub(super) struct GameGate {
    told: Arc<Mutex<GateState>>,
    bounds: LeagueGameBounds,
    tell: mpsc::UnboundedSender<Instruction>,
}

/// The hours in which games begin, and what the run was last told of them.
#[derive(Debug)]
struct GateState {
    hours: GameHours,
    closed: Option<String>,
}

impl GameGate {
    /// Begins to tell a run with these `bounds`, whose results are in `dir`.
    pub(super) fn begin(
        bounds: LeagueGameBounds,
        dir: &Path,
        tell: mpsc::UnboundedSender<Instruction>,
    ) -> Result<Self, Failure> {
        let now = Zoned::now();
        let begun = match bounds.per_day {
            Some(_) => {
                let midnight =
                    GameHours::midnight(&now).map_err(|error| game_gate_clock_failure(&error))?;
                count_folder_games_since(dir, midnight)?
            }
            None => 0,
        };
        let told = GateState { hours: GameHours::new(bounds, &now, begun), closed: None };
        let gate = Self { told: Arc::new(Mutex::new(told)), bounds, tell };
        if bounds.are_none() {
            return Ok(gate);
        }
        let next = gate.instruct_now(&now).map_err(|error| game_gate_clock_failure(&error))?;
        tokio::spawn(gate.clone().keep_instructing(next));
        Ok(gate)
    }

    async fn keep_instructing(self, mut next: Zoned) {
        loop {
            DeadlineTime::At(SystemTime::from(next.timestamp())).wait_until().await;
            match self.instruct_now(&Zoned::now()) {
                Ok(then) => next = then,
                Err(error) => {
                    let warning = format!("`quiet` and `games-per-day` no longer apply: {error}");
                    // A run that is over needs no warning.
                    let _ = self.tell.send(Instruction::Warning(warning));
                    return;
                }
            }
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, GateState> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says how many games may begin, and returns when that changes by itself.
    fn instruct_now(&self, now: &Zoned) -> Result<Zoned, jiff::Error> {
        let mut told = self.lock_state();
        told.hours.begin_day(now);
        let most = Instruction::BeginAtMost(told.hours.may_begin(now));
        for instruction in told.new_instruction(now)?.into_iter().chain([most]) {
            // A run that is over needs no instruction.
            let _ = self.tell.send(instruction);
        }
        // The clock may be set, and at the end of summer an hour comes twice.
        Ok(told.hours.next_change(now)?.min(now.checked_add(1.hour())?))
    }
}

impl GateState {
    /// What holds games up now, if that was not said yet.
    fn new_instruction(&mut self, now: &Zoned) -> Result<Option<Instruction>, jiff::Error> {
        let closed = self.hours.closed(now)?;
        let is_news = closed != self.closed;
        self.closed.clone_from(&closed);
        Ok(closed.filter(|_| is_news).map(Instruction::Notice))
    }
}

impl RunListener for GameGate {
    fn on(&mut self, event: RunEvent<'_>, _: &TournamentState) -> Result<(), WriteError> {
        let RunEvent::GameBegun { .. } = event else { return Ok(()) };
        let (now, mut told) = (Zoned::now(), self.lock_state());
        told.hours.begin(&now);
        // Without a time to name, the timer says what is wrong.
        if self.bounds.per_day.is_some()
            && let Ok(Some(notice)) = told.new_instruction(&now)
        {
            // A run that is over needs no notice.
            let _ = self.tell.send(notice);
        }
        Ok(())
    }
}

/// A time that cannot be reckoned with: the machine's clock or time zone is wrong.
fn game_gate_clock_failure(error: &jiff::Error) -> Failure {
    Failure::system(format!("`quiet` and `games-per-day` need the local time: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_games_up_is_said_once() {
        let now: Zoned = "2026-11-29T20:00:00+11:00[+11:00]".parse().expect("a time");
        let bounds = LeagueGameBounds { per_day: Some(1), quiet: None };
        let mut told = GateState { hours: GameHours::new(bounds, &now, 0), closed: None };
        let is_said = |told: &mut GateState| told.new_instruction(&now).expect("a time").is_some();
        assert!(!is_said(&mut told));
        told.hours.begin(&now);
        assert!(is_said(&mut told));
        assert!(!is_said(&mut told));
    }
}
