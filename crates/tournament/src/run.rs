//! Plays the games that are due: gives jobs to workers, writes their results to the log, and stops
//! in an orderly way on request.

mod agenda;
pub mod cores;
pub mod deadline;
pub mod entrant;
pub mod event;
pub mod failure;
pub mod game_record;
pub mod job;
pub mod pool;
mod recorder;
pub mod resume;
pub mod spectators;
#[cfg(test)]
mod tests;
mod transcript;
mod unplayed;
pub mod worker;
mod workers;

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use self::agenda::{Agenda, Assignment};
use self::event::{Listener, RunEvent};
pub use self::recorder::Recorder;
use self::unplayed::Unplayed;
use self::workers::{Start, Workers};
use crate::run::cores::Cores;
use crate::run::deadline::RunDeadline;
use crate::run::failure::JobFailure;
use crate::run::job::{Conditions, Finished, Job, JobOutcome, Report};
use crate::run::worker::{Reports, Worker};
use crate::schedule::state::{RecordError, TournamentState};
use referee_games::GameError;
use referee_match::openings::{BookError, OpeningBook};
use referee_match::player::sandbox::shortage_text;
use referee_record::log::WriteError;
use referee_record::model::rules::GameRules;
use referee_record::model::tournament::Tournament;
use referee_sandbox::Shortage;

/// The reason why a run ended before all games were played.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The log cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The game cannot be started.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The openings cannot be played.
    #[error(transparent)]
    Openings(#[from] BookError),
    /// A game that was played does not belong to the tournament.
    #[error("game {id}: {source}")]
    Misfit {
        /// Its identity.
        id: String,
        /// What is wrong with it.
        source: RecordError,
    },
    /// No thread can be started.
    #[error("cannot start a worker: {0}")]
    NoWorker(#[source] io::Error),
    /// The game's implementation failed.
    #[error("{job} could not be played: {failure}")]
    Broken {
        /// The job in which it failed.
        job: String,
        /// The failure.
        failure: JobFailure,
    },
    /// The machine lacks resources for even one game.
    #[error(
        "{job} could not begin: {}. Nothing of it was recorded; run the same command again to \
         continue",
        shortage_text(shortage)
    )]
    Shortage {
        /// The job that could not begin.
        job: String,
        /// The missing resource.
        shortage: Shortage,
    },
    /// Some games could not be played, and all others were.
    #[error("{0}")]
    Unplayed(String),
    /// Whoever plays the games elsewhere cannot go on.
    #[error(transparent)]
    Elsewhere(Box<dyn Error + Send + Sync>),
}

/// The outcome of a run. All games played are in the log.
#[derive(Debug)]
pub enum RunEnd {
    /// All games were played.
    Complete,
    /// The run was asked to stop.
    Stopped,
    /// No further game was expected to finish before the end time.
    TimeUp,
    /// Some games could not be played.
    Failed(RunError),
}

/// How often a job is tried when the referee lacks resources and no other game is in progress.
const TRIES: u32 = 3;

/// A tournament in progress.
#[derive(Debug)]
pub struct Runner<'a> {
    /// The state of the tournament: which games are done.
    pub state: &'a mut TournamentState,
    /// The conditions that all games share.
    pub conditions: Arc<Conditions>,
    /// The most jobs at once.
    pub jobs: usize,
    /// Whether other machines play. Then both games of a pair are one job, and a game that fails
    /// does not end the run.
    pub is_elsewhere: bool,
    /// The cores that games are played on.
    pub cores: Cores,
    /// Becomes true when no further game is to begin, but those in play are to finish.
    pub finish: watch::Receiver<bool>,
    /// The end time, if there is one. It learns how long the games take.
    pub deadline: watch::Sender<Option<RunDeadline>>,
}

/// Reports from the workers.
type Inbox = mpsc::UnboundedReceiver<Report>;

impl Runner<'_> {
    /// Plays all due games, until `stop` becomes true or the time is up. Games then in play may
    /// finish, as long as the [`RunDeadline`] allows.
    pub async fn run(
        self,
        tournament: &Tournament,
        listener: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, RunError> {
        let conditions = Arc::clone(&self.conditions);
        let cores = self.cores.clone();
        if let Some(crowded) = cores.crowded_by(self.jobs.min(self.state.due())) {
            listener.on(RunEvent::Warning(&crowded), self.state)?;
        }
        let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
        let book = OpeningBook::new(rules, self.state.header().openings.as_ref())?;
        let start = |number: usize, reports, halt| {
            let (cores, book) = (cores.reserve(number), book.clone());
            Worker::start(number, cores, book, Arc::clone(&conditions), reports, halt)
        };
        self.run_by(&start, listener, stop).await
    }

    /// Does the same with workers that `start` starts, each with its number.
    pub async fn run_by(
        mut self,
        start: &dyn Fn(usize, Reports, watch::Receiver<bool>) -> io::Result<Worker>,
        listener: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, RunError> {
        let (reports, mut inbox) = mpsc::unbounded_channel();
        let halt = watch::channel(false).0;
        let start: &Start = &|number| start(number, reports.clone(), halt.subscribe());
        let mut workers = Workers::new(self.jobs, start);
        let played = self.direct(&mut workers, &mut inbox, listener, stop).await;
        halt.send_replace(true);
        workers.join();
        let over = listener.on(RunEvent::Over, self.state);
        let end = played?;
        over?;
        Ok(end)
    }

    async fn direct(
        &mut self,
        workers: &mut Workers<'_>,
        inbox: &mut Inbox,
        listener: &mut dyn Listener,
        mut stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, RunError> {
        let agenda = Agenda::new(self.state, *self.deadline.borrow(), self.is_elsewhere);
        let mut progress = RunProgress {
            agenda,
            workers,
            listener,
            unplayed: Unplayed::default(),
            given_up: None,
        };
        let mut begun = false;
        let mut finish = self.finish.clone();
        let mut finishing = false;
        loop {
            // All idle workers may have work now: after the last start-up test, and when the
            // results of a section determine the next one.
            if !finishing {
                self.hand_out(&mut progress)?;
            }
            if progress.given_up.is_some() || progress.workers.busy() == 0 {
                break;
            }
            let report = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(RunEnd::Stopped),
                () = out_of_patience(progress.agenda.deadline) => return Ok(RunEnd::TimeUp),
                Ok(_) = finish.wait_for(|asked| *asked), if !finishing => {
                    if !progress.agenda.may_play() {
                        return Ok(RunEnd::Stopped);
                    }
                    finishing = true;
                    let games = progress.workers.busy();
                    progress.listener.on(RunEvent::Finishing { games }, self.state)?;
                    continue;
                }
                // A busy worker reports.
                Some(report) = inbox.recv() => report,
            };
            self.on_report(report, &mut progress)?;
            if !begun && progress.agenda.may_play() {
                begun = true;
                let due = self.state.due();
                progress.listener.on(RunEvent::Begun { due }, self.state)?;
            }
        }
        Ok(match progress.given_up.or(progress.unplayed.message().map(RunError::Unplayed)) {
            Some(failure) => RunEnd::Failed(failure),
            None if finishing && progress.agenda.next(self.state).is_some() => RunEnd::Stopped,
            None if progress.agenda.is_time_up => RunEnd::TimeUp,
            None => RunEnd::Complete,
        })
    }

    /// Follows a report of a worker.
    fn on_report(
        &mut self,
        report: Report,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<(), RunError> {
        match report {
            Report::Done(number, outcome) => {
                let assignment = progress.workers.done(number);
                self.on_done(outcome, number, assignment, progress)?;
            }
            Report::Warning(warning) => {
                progress.listener.on(RunEvent::Warning(&warning), self.state)?;
            }
            Report::WorkerPool(pool) => {
                progress.workers.allow(pool.most);
                progress.listener.on(RunEvent::WorkerPool(&pool), self.state)?;
            }
            Report::Failed(error) => progress.given_up = Some(RunError::Elsewhere(error)),
        }
        Ok(())
    }

    /// Gives a job to every worker that can take one.
    fn hand_out(&mut self, progress: &mut RunProgress<'_, '_>) -> Result<(), RunError> {
        while let (None, Some(number)) = (&progress.given_up, progress.workers.free()) {
            let Some(mut assignment) = progress.agenda.next(self.state) else { break };
            assignment.handed_out = Instant::now();
            let begun: Vec<String> = match &assignment.job {
                Job::Play(games) => games.iter().map(|game| game.id.clone()).collect(),
                Job::Probe(_) => Vec::new(),
            };
            match progress.workers.give(number, assignment) {
                Ok(()) => {
                    for id in begun {
                        progress.listener.on(RunEvent::GameBegun { id: &id }, self.state)?;
                    }
                }
                Err((assignment, error)) => {
                    if let Some(shortage) = Shortage::of("start a worker", &error) {
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
        assignment: Option<Assignment>,
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
                progress.agenda.probed();
            }
            JobOutcome::Played(games) => {
                // A worker may report any time, but not more than has passed here.
                let most = assignment.handed_out.elapsed();
                for finished in &games {
                    let time = Duration::from_nanos(finished.record.clock.wall_ns);
                    progress.agenda.took(time.min(most));
                    self.record(finished, progress.listener)?;
                }
                self.deadline.send_replace(progress.agenda.deadline);
                if let Some(rest) = assignment.without(&games) {
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

    /// Handles a job for which the referee lacked resources. From now on fewer games are played at
    /// once, and the job is retried first. If no other game is in play, the job is tried up to
    /// [`TRIES`] times.
    fn on_shortage(
        &self,
        shortage: &Shortage,
        number: usize,
        mut assignment: Assignment,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<(), RunError> {
        if progress.workers.busy() > 0 {
            let most = progress.workers.close(number);
            let why = shortage_text(shortage);
            let warning = format!("{why}. From now on, at most {most} games are played at once");
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
        &self,
        failure: JobFailure,
        mut assignment: Assignment,
        progress: &mut RunProgress<'_, '_>,
    ) -> Result<(), RunError> {
        let job = assignment.describe(self.state);
        if matches!(failure, JobFailure::Game(_)) && !self.is_elsewhere {
            progress.given_up = Some(RunError::Broken { job, failure });
            return Ok(());
        }
        let again = !std::mem::replace(&mut assignment.failed, true) && !self.is_elsewhere;
        let then = if again { "it is tried again" } else { "it is left out" };
        let warning = format!("{job} could not be played: {failure}; {then}");
        progress.listener.on(RunEvent::Warning(&warning), self.state)?;
        if again {
            progress.agenda.put_back(assignment);
        } else {
            self.leave_out(&assignment, &failure, progress);
        }
        Ok(())
    }

    /// Goes on without a job that cannot be done.
    fn leave_out(&self, left: &Assignment, why: &JobFailure, progress: &mut RunProgress<'_, '_>) {
        match &left.job {
            Job::Probe(_) => progress.agenda.probed(),
            Job::Play(games) => {
                progress.unplayed.add(games.len(), &left.describe(self.state), why);
            }
        }
    }

    /// Handles a finished game: adds it to the tournament state, then tells the listeners.
    fn record(&mut self, finished: &Finished, listener: &mut dyn Listener) -> Result<(), RunError> {
        let record = &finished.record;
        let known = self.state.len();
        let before: Vec<usize> = self.state.taken_out().map(|(player, _)| player).collect();
        self.state
            .add(record)
            .map_err(|source| RunError::Misfit { id: record.id.clone(), source })?;
        let transcript = finished.transcript.as_deref();
        listener.on(RunEvent::GameFinished { record, transcript }, self.state)?;
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

/// The mutable state of a run, besides that of the tournament.
struct RunProgress<'p, 'c> {
    agenda: Agenda,
    workers: &'p mut Workers<'c>,
    listener: &'p mut dyn Listener,
    unplayed: Unplayed,
    /// The reason why no further games are played, although some are due.
    given_up: Option<RunError>,
}

/// When to abandon games in progress.
async fn out_of_patience(deadline: Option<RunDeadline>) {
    match deadline {
        Some(deadline) => deadline.patience_ends().await,
        None => std::future::pending().await,
    }
}
