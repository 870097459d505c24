//! Plays the games that are due: gives jobs to workers, writes their results to the log, and stops
//! in an orderly way on request.

mod agenda;
pub mod cores;
pub mod deadline;
pub mod entrant;
pub mod game_record;
mod game_transcript;
pub mod header_from_config;
pub mod instruction;
pub mod job;
pub mod job_failure;
pub mod player_pool;
mod recorder;
pub mod resume;
mod run_end;
pub mod run_event;
mod run_progress;
mod run_workers;
pub mod spectators;
#[cfg(test)]
mod tests;
mod unplayed;
pub mod venue;
pub mod worker_thread;

use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use self::agenda::{Agenda, AgendaJob};
pub use self::recorder::Recorder;
pub use self::run_end::{RunEnd, RunError};
use self::run_event::{RunEvent, RunListener};
use self::run_progress::{Closing, RunProgress};
use self::run_workers::{CLOSED_FOR, RunWorkers, Start};
pub use self::unplayed::describe_unplayed_for_budget;
use self::unplayed::{UnplayedGames, describe_player_over_budget};
use crate::run::deadline::RunDeadline;
use crate::run::instruction::{Instruction, Instructions, PlayerChange};
use crate::run::job::{FinishedGame, Job, JobOutcome, WorkerReport};
use crate::run::job_failure::JobFailure;
use crate::run::venue::Venue;
use crate::schedule::tournament_state::TournamentState;
use referee_match::player::player_sandbox::describe_sandbox_shortage;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::roster_change::RosterChange;
use referee_sandbox::Shortage;

/// How often a job is tried when the referee lacks resources and no other game is in progress.
const TRIES: u32 = 3;

/// A tournament in progress.
#[derive(Debug)]
pub struct TournamentRunner<'a> {
    /// The state of the tournament: which games are done.
    pub state: &'a mut TournamentState,
    /// The most jobs at once.
    pub jobs: usize,
    /// What the run is told while it plays.
    pub instructions: Instructions,
    /// The end time, if there is one. It learns how long the games take.
    pub deadline: watch::Sender<Option<RunDeadline>>,
}

/// Reports from the workers.
type Inbox = mpsc::UnboundedReceiver<WorkerReport>;

impl TournamentRunner<'_> {
    /// Plays all due games at `venue`, until `stop` becomes true or the time is up. Games then in
    /// play may finish, as long as the [`RunDeadline`] allows. A league goes on until an instruction
    /// ends it.
    ///
    /// # Errors
    /// The log cannot be written, or a game does not fit the tournament.
    pub async fn run(
        mut self,
        venue: &dyn Venue,
        listener: &mut dyn RunListener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, RunError> {
        let (reports, mut inbox) = mpsc::unbounded_channel();
        let halt = watch::channel(false).0;
        let start: &Start = &|number| venue.start(number, reports.clone(), halt.subscribe());
        let agenda = Agenda::new(self.state, *self.deadline.borrow(), venue.is_elsewhere());
        let mut progress = RunProgress {
            agenda,
            venue,
            workers: RunWorkers::new(self.jobs, start),
            listener,
            unplayed: UnplayedGames::default(),
            given_up: None,
            begun: false,
            told_rest: false,
            is_paused: false,
            may_follow: usize::MAX,
            ending: None,
        };
        let played = self.run_until_ended(&mut progress, &mut inbox, stop).await;
        // Whoever waits for the answer to an instruction waits no longer.
        drop(self.instructions);
        halt.send_replace(true);
        progress.workers.join();
        let is_stopped = matches!(played, Ok(RunEnd::Stopped));
        let over = listener.on(RunEvent::Over { is_stopped }, self.state);
        let end = played?;
        over?;
        Ok(end)
    }

    async fn run_until_ended(
        &mut self,
        progress: &mut RunProgress<'_, '_>,
        inbox: &mut Inbox,
        mut stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, RunError> {
        for player in self.state.players_over_budget().collect::<Vec<_>>() {
            self.tell_budget_used_up(player, progress.listener)?;
        }
        loop {
            while let Ok(instruction) = self.instructions.try_recv() {
                self.follow_instruction(instruction, progress)?;
            }
            // All idle workers may have work now: after the last start-up test, when the results of
            // a section determine the next one, and when a player came.
            if progress.may_begin() {
                self.hand_out_jobs(progress)?;
            }
            if progress.workers.count_busy() == 0 {
                if !progress.keeps_waiting(self.state) {
                    break;
                }
                progress.workers.end_idle();
                self.tell_league_idle(progress)?;
            } else {
                progress.told_rest = false;
            }
            if progress.given_up.is_some() {
                break;
            }
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(RunEnd::Stopped),
                () = wait_until_run_abandoned(progress.agenda.deadline) => return Ok(RunEnd::TimeUp),
                Some(instruction) = self.instructions.recv() => self.follow_instruction(instruction, progress)?,
                // A busy worker reports.
                Some(report) = inbox.recv() => self.on_report(report, progress)?,
            }
        }
        Ok(self.determine_run_end(progress))
    }

    /// How a run has ended in which nothing is left to wait for.
    fn determine_run_end(&mut self, progress: &mut RunProgress<'_, '_>) -> RunEnd {
        if let Some(failure) = progress.given_up.take() {
            return RunEnd::Failed(failure);
        }
        let is_time_up = progress.agenda.is_time_up;
        let is_interrupted = match progress.ending {
            Some(Closing::Interrupted) => self.is_more_ready(progress),
            _ => false,
        };
        let is_cut_short = is_time_up || is_interrupted || self.state.is_league();
        let waiting = if is_cut_short { None } else { describe_unplayed_for_budget(self.state) };
        if let Some(left_out) = progress.unplayed.message_with(waiting) {
            return RunEnd::Failed(RunError::Unplayed(left_out));
        }
        match is_interrupted {
            true => RunEnd::Finished,
            false if is_time_up => RunEnd::TimeUp,
            false => RunEnd::Complete,
        }
    }

    /// Whether a game could begin if nothing had ended the run.
    fn is_more_ready(&mut self, progress: &mut RunProgress<'_, '_>) -> bool {
        let may_play = progress.agenda.may_play();
        self.state.is_league() || !may_play || progress.agenda.next_job(self.state).is_some()
    }

    /// Tells once that a league rests, although two players are there.
    fn tell_league_idle(&self, progress: &mut RunProgress<'_, '_>) -> Result<(), RunError> {
        let there =
            (0..self.state.names().len()).filter(|&player| self.state.is_taking_part(player));
        let rests = self.state.is_league() && progress.may_begin() && there.count() > 1;
        if rests && !std::mem::replace(&mut progress.told_rest, true) {
            let text = "the league is idle until a player joins: no game would be worth playing";
            progress.listener.on(RunEvent::Notice(text), self.state)?;
        }
        Ok(())
    }

    /// Follows an instruction.
    fn follow_instruction(
        &mut self,
        instruction: Instruction,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<(), RunError> {
        match instruction {
            Instruction::Change(asked) => {
                let PlayerChange { change, program, done } = *asked;
                let changed = self.change_roster(&change, program.as_ref(), progress)?;
                // Whoever asked may have gone.
                let _ = done.send(changed);
            }
            Instruction::PlayAtOnce(most) => progress.workers.limit(most),
            Instruction::Pause => progress.is_paused = true,
            Instruction::GoOn => progress.is_paused = false,
            Instruction::BeginAtMost(games) => progress.may_follow = games,
            Instruction::Finish => {
                let games = progress.workers.count_busy();
                if progress.ending.is_none() && progress.agenda.may_play() {
                    progress.listener.on(RunEvent::Finishing { games }, self.state)?;
                }
                progress.ending = Some(Closing::Interrupted);
                progress.venue.close();
            }
            Instruction::Close => {
                progress.ending = progress.ending.or(Some(Closing::Closed));
                progress.venue.close();
            }
            Instruction::Notice(text) => {
                progress.listener.on(RunEvent::Notice(&text), self.state)?;
            }
            Instruction::Warning(text) => {
                progress.listener.on(RunEvent::Warning(&text), self.state)?;
            }
        }
        Ok(())
    }

    /// Lets a player come or go: at the venue, in the state and in the log. Returns why this is
    /// impossible, if it is; then nothing has changed.
    fn change_roster(
        &mut self,
        change: &RosterChange,
        program: Option<&PlayerSpec>,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<Result<(), String>, RunError> {
        let mut header = self.state.header().clone();
        if let Err(why) = header.apply_roster_change(change) {
            return Ok(Err(why.to_string()));
        }
        let number = header.players.iter().position(|player| player.name == change.player());
        if let (Some(program), Some(number)) = (program, number)
            && let Err(why) = progress.venue.admit(number, program, &header)
        {
            return Ok(Err(why));
        }
        if let Err(why) = self.state.apply_league_roster_change(change) {
            return Ok(Err(why.to_string()));
        }
        progress.listener.on(RunEvent::PlayersChanged(change), self.state)?;
        if let (RosterChange::Left { .. }, Some(number)) = (change, number) {
            progress.venue.dismiss(number);
        }
        Ok(Ok(()))
    }

    /// Follows a report of a worker.
    fn on_report(
        &mut self,
        report: WorkerReport,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<(), RunError> {
        match report {
            WorkerReport::Done(number, outcome) => {
                let assignment = progress.workers.finish_job(number);
                self.on_done(outcome, number, assignment, progress)?;
                if !progress.begun && progress.agenda.may_play() {
                    progress.begun = true;
                    let due = self.state.count_due();
                    progress.listener.on(RunEvent::Begun { due }, self.state)?;
                }
            }
            WorkerReport::Warning(warning) => {
                progress.listener.on(RunEvent::Warning(&warning), self.state)?;
            }
            WorkerReport::WorkerPool(pool) => {
                progress.workers.allow_at_least(pool.most);
                progress.listener.on(RunEvent::WorkerPool(&pool), self.state)?;
            }
            WorkerReport::Failed(error) => progress.given_up = Some(RunError::Elsewhere(error)),
        }
        Ok(())
    }

    /// Gives a job to every worker that can take one.
    fn hand_out_jobs(&mut self, progress: &mut RunProgress<'_, '_>) -> Result<(), RunError> {
        while let Some(number) = progress.next_free_worker() {
            let Some(mut assignment) = progress.agenda.next_job(self.state) else { break };
            assignment.handed_out = Instant::now();
            let begun: Vec<String> = match &assignment.job {
                Job::Play(games) => games.iter().map(|game| game.id.clone()).collect(),
                Job::Probe(_) => Vec::new(),
            };
            match progress.workers.give_job(number, assignment) {
                Ok(()) => {
                    // The games of a deal on another machine are one job.
                    progress.may_follow = progress.may_follow.saturating_sub(begun.len());
                    for id in begun {
                        progress.listener.on(RunEvent::GameBegun { id: &id }, self.state)?;
                    }
                }
                Err((assignment, error)) => {
                    if let Some(shortage) = Shortage::from_error("start a worker", &error) {
                        self.on_shortage(&shortage, number, assignment, progress)?;
                    } else {
                        progress.given_up = Some(RunError::NoWorker(error));
                    }
                }
            }
        }
        Ok(())
    }

    fn on_done(
        &mut self,
        done: JobOutcome,
        number: usize,
        assignment: Option<AgendaJob>,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<(), RunError> {
        // A worker reports nothing but the job that it was given.
        let Some(assignment) = assignment else { return Ok(()) };
        match done {
            JobOutcome::Probed(fault) => {
                if let (Job::Probe(player), Some(fault)) = (&assignment.job, &fault) {
                    let player = self.state.name(*player);
                    let event = RunEvent::CannotStart { player, fault };
                    progress.listener.on(event, self.state)?;
                }
                progress.agenda.note_probe_done();
            }
            JobOutcome::Played(games) => {
                // A worker may report any time, but not more than has passed here.
                let most = assignment.handed_out.elapsed();
                for finished in &games {
                    let time = Duration::from_nanos(finished.record.clock.wall_ns);
                    progress.agenda.note_game_time(time.min(most));
                    self.record_game(finished, progress.listener)?;
                }
                self.deadline.send_replace(progress.agenda.deadline);
                if let Some(rest) = assignment.without_games(&games) {
                    progress.agenda.put_back(rest);
                }
            }
            JobOutcome::Stopped => progress.agenda.put_back(assignment),
            JobOutcome::Failed(failure) => self.on_failure(failure, assignment, progress)?,
            JobOutcome::Shortage(shortage) => {
                self.on_shortage(&shortage, number, assignment, progress)?;
            }
        }
        Ok(())
    }

    /// Handles a job for which the referee lacked resources. For a while fewer games are played at
    /// once, and the job is retried first. If no other game is in play, the job is tried up to
    /// [`TRIES`] times.
    fn on_shortage(
        &self,
        shortage: &Shortage,
        number: usize,
        mut assignment: AgendaJob,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<(), RunError> {
        if progress.workers.count_busy() > 0 {
            let most = progress.workers.close(number);
            let why = describe_sandbox_shortage(shortage);
            let minutes = CLOSED_FOR.as_secs() / 60;
            let warning =
                format!("{why}. For {minutes} minutes, at most {most} games are played at once");
            progress.listener.on(RunEvent::Warning(&warning), self.state)?;
        } else {
            assignment.shortages += 1;
        }
        if assignment.shortages < TRIES {
            progress.agenda.put_back(assignment);
            return Ok(());
        }
        let job = assignment.describe(self.state);
        progress.given_up = Some(RunError::Shortage { job, shortage: shortage.clone() });
        Ok(())
    }

    /// Handles a failure of a job. A panic here is tried again once; a game that fails here ends the
    /// run. What fails elsewhere was tried by several workers.
    fn on_failure(
        &mut self,
        failure: JobFailure,
        mut assignment: AgendaJob,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<(), RunError> {
        let job = assignment.describe(self.state);
        if matches!(failure, JobFailure::Game(_)) && !progress.venue.is_elsewhere() {
            progress.given_up = Some(RunError::Broken { job, failure });
            return Ok(());
        }
        let again =
            !std::mem::replace(&mut assignment.failed, true) && !progress.venue.is_elsewhere();
        let then = if again { "trying again" } else { "skipping it" };
        let warning = format!("{job} could not be played: {failure}; {then}");
        progress.listener.on(RunEvent::Warning(&warning), self.state)?;
        if again {
            progress.agenda.put_back(assignment);
        } else {
            self.leave_out_job(&assignment, &failure, progress);
        }
        Ok(())
    }

    /// Goes on without a job that cannot be done.
    fn leave_out_job(
        &mut self,
        left: &AgendaJob,
        why: &JobFailure,
        progress: &mut RunProgress<'_, '_>,
    ) {
        match &left.job {
            Job::Probe(_) => progress.agenda.note_probe_done(),
            // A league has no games that it has to have.
            Job::Play(games) if self.state.is_league() => {
                for game in games {
                    self.state.withdraw_league_game(game.fixture);
                }
            }
            Job::Play(games) => {
                progress.unplayed.add(games.len(), &left.describe(self.state), why);
            }
        }
    }

    /// Tells that no more games of a player begin, because it has used up its budget. In a league it
    /// rests.
    fn tell_budget_used_up(
        &mut self,
        player: usize,
        listener: &mut dyn RunListener,
    ) -> Result<(), RunError> {
        let Some(why) = describe_player_over_budget(self.state, player) else { return Ok(()) };
        let then = if self.state.is_league() {
            self.state.rest_league_player(player);
            "it rests"
        } else if self
            .state
            .games_awaiting_budget()
            .any(|game| game.players.players().any(|it| it == player))
        {
            "its games are waiting"
        } else {
            return Ok(());
        };
        Ok(listener.on(RunEvent::Warning(&format!("{why}: {then}")), self.state)?)
    }

    /// Handles a finished game: adds it to the tournament state, then tells the listeners.
    fn record_game(
        &mut self,
        finished: &FinishedGame,
        listener: &mut dyn RunListener,
    ) -> Result<(), RunError> {
        let record = &finished.record;
        let known = self.state.len();
        let before: Vec<usize> = self.state.taken_out().map(|(player, _)| player).collect();
        let spenders: Vec<usize> = self.state.players_over_budget().collect();
        self.state
            .add(record)
            .map_err(|source| RunError::Misfit { id: record.id.clone(), source })?;
        let transcript = finished.transcript.as_deref();
        listener.on(RunEvent::GameFinished { record, transcript }, self.state)?;
        for player in self.state.players_over_budget().collect::<Vec<_>>() {
            if !spenders.contains(&player) {
                self.tell_budget_used_up(player, listener)?;
            }
        }
        if self.state.len() > known {
            listener.on(RunEvent::SectionOver, self.state)?;
        }
        for (player, game) in self.state.taken_out() {
            if !before.contains(&player) {
                let why = self.state.why_out(player, game);
                let (player, id) = (self.state.name(player), self.state.id(game));
                listener.on(RunEvent::PlayerOut { player, game: &id, why }, self.state)?;
            }
        }
        Ok(())
    }
}

/// When to abandon games in progress.
async fn wait_until_run_abandoned(deadline: Option<RunDeadline>) {
    match deadline {
        Some(deadline) => deadline.wait_for_patience_end().await,
        None => std::future::pending().await,
    }
}
