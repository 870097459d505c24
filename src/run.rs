//! Plays the games that are due: gives jobs to workers, writes their results to the log, and stops
//! in an orderly way on request.

mod agenda;
pub mod cores;
mod crew;
pub mod deadline;
pub mod entrant;
pub mod event;
pub mod job;
pub mod pool;
pub mod record;
mod recorder;
pub mod resume;
#[cfg(test)]
mod tests;
mod transcript;
mod unplayed;
pub mod worker;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use self::agenda::{Agenda, Assignment};
use self::crew::{Crew, Start};
use self::event::{Listener, RunEvent, RunWarning};
pub use self::recorder::Recorder;
use self::unplayed::Unplayed;
use crate::error::Failure;
use crate::escape;
use crate::model::rules::GameRules;
use crate::model::tournament::Tournament;
use crate::openings::Book;
use crate::player::sandbox::shortage_text;
use crate::run::cores::Cores;
use crate::run::deadline::Deadline;
use crate::run::job::{Conditions, Finished, Job, JobOutcome, Panic};
use crate::run::worker::{Reports, Worker};
use crate::schedule::ledger::TournamentState;
use referee_sandbox::Shortage;

/// How a run ended. All games played are in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// All games were played.
    Complete,
    /// The run was asked to stop.
    Stopped,
    /// No further game was expected to finish before the end time.
    TimeUp,
    /// Some games could not be played.
    Failed(Failure),
}

/// How often a job is tried when the referee lacks resources and no other game is in play.
const TRIES: u32 = 3;

/// A tournament in progress.
#[derive(Debug)]
pub struct Runner<'a> {
    /// The state of the tournament: which games are done.
    pub ledger: &'a mut TournamentState,
    /// The conditions that all games share.
    pub conditions: Arc<Conditions>,
    /// The most games at once.
    pub jobs: usize,
    /// The cores that games are played on.
    pub cores: Cores,
    /// When to end, if there is an end time.
    pub deadline: Option<Deadline>,
}

/// Reports from the workers.
type Inbox = mpsc::UnboundedReceiver<(usize, Result<JobOutcome, Panic>)>;

impl Runner<'_> {
    /// Plays all due games, until `stop` becomes true or the time is up. Games then in play may
    /// finish, as long as the [`Deadline`] allows.
    pub async fn run(
        self,
        tournament: &Tournament,
        listener: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        let conditions = Arc::clone(&self.conditions);
        let cores = self.cores.clone();
        let rules = GameRules::new(tournament.game.game(), tournament.options.clone())?;
        let book = Book::new(rules, tournament.openings.as_ref())
            .map_err(|error| Failure::input(error.to_string()))?;
        let start = |number: usize, reports, halt| {
            let (cores, book) = (cores.share(number), book.clone());
            Worker::start(number, cores, book, Arc::clone(&conditions), reports, halt)
        };
        self.run_by(&start, listener, stop).await
    }

    /// Does the same with workers that `start` starts, each with its number.
    async fn run_by(
        mut self,
        start: &dyn Fn(usize, Reports, watch::Receiver<bool>) -> io::Result<Worker>,
        listener: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        let (reports, mut inbox) = mpsc::unbounded_channel();
        let halt = watch::channel(false).0;
        let start: &Start = &|number| start(number, reports.clone(), halt.subscribe());
        let mut crew = Crew::new(self.jobs, start);
        let played = self.direct(&mut crew, &mut inbox, listener, stop).await;
        halt.send_replace(true);
        crew.join();
        let over = listener.on(RunEvent::Over, self.ledger);
        let end = played?;
        over?;
        Ok(end)
    }

    async fn direct(
        &mut self,
        crew: &mut Crew<'_>,
        inbox: &mut Inbox,
        listener: &mut dyn Listener,
        mut stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        let agenda = Agenda::new(self.ledger, self.deadline);
        let mut play =
            RunProgress { agenda, crew, listener, unplayed: Unplayed::default(), given_up: None };
        let mut begun = false;
        loop {
            // All idle workers may have work now: after the last start-up test, and when the
            // results of a section determine the next one.
            self.hand_out(&mut play)?;
            if play.given_up.is_some() || play.crew.busy() == 0 {
                break;
            }
            let (number, report) = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(RunEnd::Stopped),
                () = out_of_patience(play.agenda.deadline) => return Ok(RunEnd::TimeUp),
                // A busy worker reports.
                Some(report) = inbox.recv() => report,
            };
            match report {
                Ok(done) => {
                    let order = play.crew.done(number);
                    self.take_in(done, number, order, &mut play)?;
                }
                Err(panic) => {
                    let order = play.crew.ended(number);
                    if let Some(order) = order {
                        self.after(panic, order, &mut play)?;
                    }
                }
            }
            if !begun && play.agenda.may_play() {
                begun = true;
                let due = self.ledger.due();
                play.listener.on(RunEvent::Begun { due }, self.ledger)?;
            }
        }
        Ok(match play.given_up.or(play.unplayed.failure()) {
            Some(failure) => RunEnd::Failed(failure),
            None if play.agenda.is_time_up => RunEnd::TimeUp,
            None => RunEnd::Complete,
        })
    }

    /// Gives a job to every worker that can take one.
    fn hand_out(&self, play: &mut RunProgress<'_, '_>) -> Result<(), Failure> {
        while let (None, Some(number)) = (&play.given_up, play.crew.free()) {
            let Some(order) = play.agenda.next(self.ledger) else { break };
            let begun = match &order.job {
                Job::Play(id, _) => Some(id.clone()),
                Job::Probe(_) => None,
            };
            match play.crew.give(number, order) {
                Ok(()) => {
                    if let Some(id) = begun {
                        play.listener.on(RunEvent::GameBegun { id: &id }, self.ledger)?;
                    }
                }
                Err((order, error)) => {
                    if let Some(shortage) = Shortage::of("start a slot", &error) {
                        self.do_with_less(&shortage, number, order, play)?;
                    } else {
                        let message = format!("cannot start a slot: {error}");
                        play.given_up = Some(Failure::system(message));
                    }
                }
            }
        }
        Ok(())
    }

    fn take_in(
        &mut self,
        done: JobOutcome,
        number: usize,
        order: Option<Assignment>,
        play: &mut RunProgress<'_, '_>,
    ) -> Result<(), Failure> {
        match (done, order) {
            (JobOutcome::Probed(player, fault), _) => {
                if let Some(fault) = fault {
                    let player = self.ledger.name(player);
                    let event = RunEvent::CannotStart { player, fault: &fault };
                    play.listener.on(event, self.ledger)?;
                }
                play.agenda.probed();
            }
            (JobOutcome::Played(finished), _) => {
                play.agenda.took(Duration::from_nanos(finished.record.clock.wall_ns));
                self.keep(&finished, play.listener)?;
            }
            (JobOutcome::Shortage(shortage), Some(order)) => {
                self.do_with_less(&shortage, number, order, play)?;
            }
            (JobOutcome::Broken(error), order) => {
                let what = order.map_or_else(String::new, |order| order.in_words(self.ledger));
                play.given_up = Some(Failure::system(format!(
                    "{what} could not be played, because the game itself failed: {error}"
                )));
            }
            (JobOutcome::Shortage(_), None) | (JobOutcome::Stopped, _) => {}
        }
        Ok(())
    }

    /// Handles a job for which the referee lacked resources. From now on fewer games are played at
    /// once, and the job is retried first. If no other game is in play, the job is tried up to
    /// [`TRIES`] times.
    fn do_with_less(
        &self,
        shortage: &Shortage,
        number: usize,
        mut order: Assignment,
        play: &mut RunProgress<'_, '_>,
    ) -> Result<(), Failure> {
        if play.crew.busy() > 0 {
            let most = play.crew.close(number);
            let warning = RunWarning::FewerAtOnce { shortage: shortage.clone(), most };
            play.listener.on(RunEvent::Warning(&warning), self.ledger)?;
        } else {
            order.shortages += 1;
        }
        if order.shortages < TRIES {
            play.agenda.put_back(order);
            return Ok(());
        }
        let why = shortage_text(shortage);
        play.given_up = Some(Failure::system(format!(
            "{} could not begin: {why}. Nothing of it was recorded; run the same command again \
             to continue",
            order.in_words(self.ledger)
        )));
        Ok(())
    }

    /// Handles a panic of a worker. Its job goes to another worker, once.
    fn after(
        &self,
        panic: Panic,
        mut order: Assignment,
        play: &mut RunProgress<'_, '_>,
    ) -> Result<(), Failure> {
        let again = !std::mem::replace(&mut order.panicked, true);
        let job = order.in_words(self.ledger);
        let message = escape::terminal(&panic.message);
        let warning = RunWarning::Panicked { job: job.clone(), message: panic.message, again };
        play.listener.on(RunEvent::Warning(&warning), self.ledger)?;
        match (again, &order.job) {
            (true, _) => play.agenda.put_back(order),
            (false, Job::Probe(_)) => play.agenda.probed(),
            (false, Job::Play(..)) => play.unplayed.add(&job, &message),
        }
        Ok(())
    }

    /// Handles a finished game: adds it to the ledger, then tells the listeners.
    fn keep(&mut self, finished: &Finished, listener: &mut dyn Listener) -> Result<(), Failure> {
        let record = &finished.record;
        let known = self.ledger.len();
        let before: Vec<usize> = self.ledger.quarantined().map(|(player, _)| player).collect();
        self.ledger
            .add(record)
            .map_err(|misfit| Failure::system(format!("game {}: {misfit:?}", record.id)))?;
        let transcript = finished.exchanges.as_deref();
        listener.on(RunEvent::GameFinished { record, transcript }, self.ledger)?;
        if self.ledger.len() > known {
            listener.on(RunEvent::SectionOver, self.ledger)?;
        }
        for (player, game) in self.ledger.quarantined() {
            if !before.contains(&player) {
                let (player, id) = (self.ledger.name(player), self.ledger.id(game));
                let why = self.ledger.why_out(game);
                listener.on(RunEvent::PlayerOut { player, game: &id, why }, self.ledger)?;
            }
        }
        Ok(())
    }
}

/// The mutable state of a run, besides the ledger.
struct RunProgress<'p, 'c> {
    agenda: Agenda,
    crew: &'p mut Crew<'c>,
    listener: &'p mut dyn Listener,
    unplayed: Unplayed,
    /// The reason why no further games are played, although some are due.
    given_up: Option<Failure>,
}

/// When to abandon games in play.
async fn out_of_patience(deadline: Option<Deadline>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.patience_ends().into()).await,
        None => std::future::pending().await,
    }
}
