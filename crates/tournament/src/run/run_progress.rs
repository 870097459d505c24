//! What a run keeps in mind, besides the state of the tournament.

use super::agenda::Agenda;
use super::run_end::RunError;
use super::run_event::RunListener;
use super::run_workers::RunWorkers;
use super::unplayed::UnplayedGames;
use super::venue::Venue;
use crate::schedule::tournament_state::TournamentState;

/// Why no further game begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    /// Somebody interrupts the run.
    Interrupted,
    /// The league is over.
    Closed,
}

/// The mutable state of a run, besides that of the tournament.
pub(super) struct RunProgress<'p, 'l> {
    pub(super) agenda: Agenda,
    pub(super) venue: &'p dyn Venue,
    pub(super) workers: RunWorkers<'p>,
    pub(super) listener: &'l mut dyn RunListener,
    pub(super) unplayed: UnplayedGames,
    /// The reason why no further games are played, although some are due.
    pub(super) given_up: Option<RunError>,
    /// Whether the listeners know that games begin.
    pub(super) begun: bool,
    /// Whether they know that a league rests.
    pub(super) told_rest: bool,
    pub(super) is_paused: bool,
    /// How many games may still begin.
    pub(super) may_follow: usize,
    pub(super) ending: Option<Closing>,
}

impl RunProgress<'_, '_> {
    /// Whether games may begin now.
    pub(super) fn may_begin(&self) -> bool {
        !self.is_paused && self.may_follow > 0 && self.ending.is_none()
    }

    /// The number of a worker that can take a job now.
    pub(super) fn next_free_worker(&self) -> Option<usize> {
        self.workers.next_free_worker().filter(|_| self.given_up.is_none() && self.may_follow > 0)
    }

    /// Whether the run goes on although nothing is in play: it is paused, or a league waits for
    /// players that have not met too often.
    pub(super) fn keeps_waiting(&self, state: &TournamentState) -> bool {
        let is_endless = self.is_paused || state.is_league();
        is_endless && self.ending.is_none() && self.given_up.is_none() && !self.agenda.is_time_up
    }
}
