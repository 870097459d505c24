//! The order of jobs: first every player with due games is started once, then the games follow in
//! the order of the schedule, as long as there is time.

use std::time::{Duration, Instant};

use crate::run::deadline::RunDeadline;
use crate::run::job::Job;
use crate::schedule::state::TournamentState;
use referee_games::BySeat;

/// A job, and its earlier failures.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    pub(super) job: Job,
    /// Whether a worker panicked in it.
    pub(super) panicked: bool,
    /// How often the referee lacked resources for it while no other game was in play.
    pub(super) shortages: u32,
}

impl Assignment {
    fn new(job: Job) -> Self {
        Self { job, panicked: false, shortages: 0 }
    }

    /// A description of the job.
    pub(super) fn describe(&self, state: &TournamentState) -> String {
        match &self.job {
            Job::Probe(player) => format!("the start of {}", state.name(*player)),
            Job::Play(id, fixture) => {
                let BySeat { first, second } = fixture.players.map(|player| state.name(player));
                format!("game {id} ({first} – {second})")
            }
        }
    }
}

/// The jobs that are left.
pub(super) struct Agenda {
    /// Jobs that were handed out before and are retried first.
    again: Vec<Assignment>,
    probes: Vec<usize>,
    probing: usize,
    cursor: usize,
    pub(super) deadline: Option<RunDeadline>,
    /// Whether a game was due for which there was no time.
    pub(super) is_time_up: bool,
}

impl Agenda {
    pub(super) fn new(state: &TournamentState, deadline: Option<RunDeadline>) -> Self {
        let mut needed = vec![false; state.names().len()];
        let mut cursor = 0;
        let mut missing = needed.len();
        while let Some(index) = state.next_due(cursor).filter(|_| missing > 0) {
            let players = state.fixture(index).players;
            for player in [players.first, players.second] {
                missing -= usize::from(!std::mem::replace(&mut needed[player], true));
            }
            cursor = index + 1;
        }
        let probes: Vec<usize> = (0..needed.len()).rev().filter(|&player| needed[player]).collect();
        Self {
            again: Vec::new(),
            probing: probes.len(),
            probes,
            cursor: 0,
            deadline,
            is_time_up: false,
        }
    }

    /// Notes how long a game took.
    pub(super) fn took(&mut self, time: Duration) {
        if let Some(deadline) = &mut self.deadline {
            deadline.took(time);
        }
    }

    /// Notes that a player was started, or will not be.
    pub(super) fn probed(&mut self) {
        self.probing -= 1;
    }

    /// Whether every player was started once.
    pub(super) fn may_play(&self) -> bool {
        self.probing == 0
    }

    /// Returns a job, to be handed out again before all others.
    pub(super) fn put_back(&mut self, assignment: Assignment) {
        self.again.push(assignment);
    }

    pub(super) fn next(&mut self, state: &TournamentState) -> Option<Assignment> {
        if let Some(assignment) = self.again.pop() {
            return Some(assignment);
        }
        if let Some(player) = self.probes.pop() {
            return Some(Assignment::new(Job::Probe(player)));
        }
        let index = state.next_due(self.cursor).filter(|_| self.may_play())?;
        self.is_time_up |= self.deadline.is_some_and(|until| !until.allows(Instant::now()));
        if self.is_time_up {
            return None;
        }
        self.cursor = index + 1;
        Some(Assignment::new(Job::Play(state.id(index), state.fixture(index))))
    }
}

#[cfg(test)]
mod tests;
