//! The order of jobs: first every player with due games is started once, then the games follow in
//! the order of the schedule, as long as there is time. In a league the next pair of games is chosen
//! when no other is due.

use std::time::{Duration, Instant};

use crate::run::deadline::RunDeadline;
use crate::run::job::{DueGame, FinishedGame, Job};
use crate::schedule::tournament_state::TournamentState;
use referee_record::model::fixture::Fixture;

/// A job, and its earlier failures.
#[derive(Debug, Clone)]
pub(super) struct AgendaJob {
    pub(super) job: Job,
    /// Whether it has failed before.
    pub(super) failed: bool,
    /// How often the referee lacked resources for it while no other game was in play.
    pub(super) shortages: u32,
    /// When it was last handed out.
    pub(super) handed_out: Instant,
}

impl AgendaJob {
    fn new(job: Job) -> Self {
        Self { job, failed: false, shortages: 0, handed_out: Instant::now() }
    }

    /// What is left of the job after these games, if anything is: when the time is up, a worker on
    /// another machine begins no other game of a deal.
    pub(super) fn without_games(mut self, games: &[FinishedGame]) -> Option<Self> {
        let Job::Play(due) = &mut self.job else { return None };
        due.retain(|due| games.iter().all(|game| game.record.id != due.id));
        (!due.is_empty()).then_some(self)
    }

    /// What is left of the job after the changes of the players and of their budgets since it was
    /// handed out, if anything is.
    fn still_due(mut self, state: &TournamentState) -> Option<Self> {
        let Job::Play(games) = &mut self.job else { return Some(self) };
        let is_ready = |game: Fixture| state.is_due(game) && !state.waits_for_budget(game.players);
        games.retain(|game| is_ready(game.fixture));
        (!games.is_empty()).then_some(self)
    }

    /// A description of the job.
    pub(super) fn describe(&self, state: &TournamentState) -> String {
        match &self.job {
            Job::Probe(player) => format!("the start of {}", state.name(*player)),
            Job::Play(games) => {
                let described = games.iter().map(|game| {
                    let names = game.fixture.players.players().map(|player| state.name(player));
                    format!("game {} ({})", game.id, names.collect::<Vec<_>>().join(" – "))
                });
                described.collect::<Vec<_>>().join(" and ")
            }
        }
    }
}

/// The jobs that are left.
pub(super) struct Agenda {
    /// Jobs that were handed out before and are retried first.
    again: Vec<AgendaJob>,
    probes: Vec<usize>,
    probing: usize,
    cursor: usize,
    /// Whether the games of a deal are one job.
    in_deals: bool,
    pub(super) deadline: Option<RunDeadline>,
    /// Whether a game was due for which there was no time.
    pub(super) is_time_up: bool,
}

impl Agenda {
    pub(super) fn new(
        state: &TournamentState,
        deadline: Option<RunDeadline>,
        in_deals: bool,
    ) -> Self {
        let mut needed = vec![false; state.names().len()];
        let mut cursor = 0;
        // Whoever comes to a league was checked.
        let mut missing = if state.is_league() { 0 } else { needed.len() };
        while let Some(index) = state.next_due_in_budget(cursor).filter(|_| missing > 0) {
            let players = state.fixture(index).players;
            for player in players.players() {
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
            in_deals,
            deadline,
            is_time_up: false,
        }
    }

    /// Notes how long a game took.
    pub(super) fn note_game_time(&mut self, time: Duration) {
        if let Some(deadline) = &mut self.deadline {
            deadline.note_game_time(time);
        }
    }

    /// Notes that a player was started, or will not be.
    pub(super) fn note_probe_done(&mut self) {
        self.probing -= 1;
    }

    /// Whether every player was started once.
    pub(super) fn may_play(&self) -> bool {
        self.probing == 0
    }

    /// Takes a job back, to be handed out again before all others.
    pub(super) fn put_back(&mut self, assignment: AgendaJob) {
        self.again.push(assignment);
    }

    /// The next job, if there is one now, and time for it.
    pub(super) fn next_job(&mut self, state: &mut TournamentState) -> Option<AgendaJob> {
        let again = std::mem::take(&mut self.again).into_iter();
        self.again = again.filter_map(|assignment| assignment.still_due(state)).collect();
        let mut due = state.next_due_in_budget(self.cursor).filter(|_| self.may_play());
        if due.is_none() && self.again.is_empty() && self.may_play() {
            state.choose_league_deal();
            due = state.next_due_in_budget(self.cursor);
        }
        if self.again.is_empty() && self.probes.is_empty() && due.is_none() {
            return None;
        }
        self.is_time_up |= self.deadline.is_some_and(|deadline| !deadline.allows());
        if self.is_time_up {
            return None;
        }
        if let Some(assignment) = self.again.pop() {
            return Some(assignment);
        }
        if let Some(player) = self.probes.pop() {
            return Some(AgendaJob::new(Job::Probe(player)));
        }
        let index = due?;
        let mut games = vec![self.take_due_game(index, state)];
        while let Some(other) = self.next_of_same_deal(index, state) {
            games.push(self.take_due_game(other, state));
        }
        Some(AgendaJob::new(Job::Play(games)))
    }

    fn take_due_game(&mut self, index: usize, state: &TournamentState) -> DueGame {
        self.cursor = index + 1;
        DueGame { id: state.id(index), fixture: state.fixture(index) }
    }

    /// The next game due, if it belongs to the same job: to the deal of the game at `index`.
    fn next_of_same_deal(&self, index: usize, state: &TournamentState) -> Option<usize> {
        let next = state.next_due_in_budget(self.cursor).filter(|_| self.in_deals)?;
        state.deal(index).contains(&next).then_some(next)
    }
}

#[cfg(test)]
mod tests;
