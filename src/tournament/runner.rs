//! Plays what is due: hands jobs to slots, writes what comes back to the log, and stops in
//! order when it is told to.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::deadline::Deadline;
use super::folder::{EXCHANGES, Locked};
use super::ledger::Ledger;
use super::openings::Book;
use super::slot::{Conditions, Done, Finished, Job, Slot};
use crate::commands::Failure;
use crate::config::Tournament;
use crate::fault::Fault;
use crate::record::GameRecord;
use crate::record::log::{LogWriter, write_whole};
use crate::rules::Game;
use crate::with_game;

/// Listens to a tournament.
pub trait Listener {
    /// A player could not be started. Its games will be lost.
    fn cannot_start(&mut self, player: &str, fault: &Fault);
    /// The games begin: so many are due.
    fn begin(&mut self, ledger: &Ledger, due: usize);
    /// A game is done and in the log.
    fn finished(&mut self, record: &GameRecord, ledger: &Ledger);
    /// A player was taken out by the game with this identity.
    fn out(&mut self, player: &str, game: &str, why: Out);
    /// The games are over.
    fn end(&mut self);
}

/// Why a player is out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Out {
    /// It made too many faults in a row.
    Quarantined,
    /// It made a fault in a check.
    Unchecked,
}

impl Out {
    /// Why the game at `index`, which took a player out, did.
    pub fn by(ledger: &Ledger, index: usize) -> Self {
        if ledger.is_check(index) { Self::Unchecked } else { Self::Quarantined }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Nothing is left to play.
    Complete,
    /// It was told to stop.
    Stopped,
    /// No further game could be expected to be over in time.
    TimeUp,
}

/// A tournament under way.
#[derive(Debug)]
pub struct Runner<'a> {
    /// Where it is kept.
    pub folder: &'a Locked,
    /// What is done.
    pub ledger: &'a mut Ledger,
    /// Where results go.
    pub log: LogWriter,
    /// What all games have in common.
    pub conditions: Arc<Conditions>,
    /// How many slots, and on which cores.
    pub cores: Vec<Vec<usize>>,
    /// When to end, if at any time.
    pub deadline: Option<Deadline>,
}

impl Runner<'_> {
    /// Plays everything that is due, until `stop` becomes true or the time is up. Games in play
    /// when it is are played to their end, within the patience of the [`Deadline`].
    pub async fn run(
        mut self,
        tournament: &Tournament,
        listener: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<End, Failure> {
        let (report, mut inbox) = mpsc::unbounded_channel();
        let halt = watch::channel(false).0;
        let slots = with_game!(tournament.game, G => {
            let rules = Arc::new(G::rules(&tournament.options).map_err(Failure::input)?);
            let book = Book::new(&rules, tournament.openings.as_ref()).map_err(Failure::input)?;
            self.start_slots::<G>(&book, &report, &halt)
        })?;
        let played = self.direct(&slots, &mut inbox, listener, stop).await;
        halt.send_replace(true);
        drop(report);
        slots.into_iter().for_each(Slot::join);
        listener.end();
        self.log.sync().map_err(|error| Failure::system(error.to_string()))?;
        played
    }

    fn start_slots<G: Game>(
        &self,
        book: &Book<G>,
        report: &mpsc::UnboundedSender<(usize, Done)>,
        halt: &watch::Sender<bool>,
    ) -> Result<Vec<Slot>, Failure> {
        let start = |(number, cores): (usize, &Vec<usize>)| {
            let (book, conditions) = (book.clone(), Arc::clone(&self.conditions));
            Slot::start::<G>(
                number,
                cores.clone(),
                book,
                conditions,
                report.clone(),
                halt.subscribe(),
            )
        };
        self.cores
            .iter()
            .enumerate()
            .map(start)
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::system(format!("cannot start a thread: {error}")))
    }

    async fn direct(
        &mut self,
        slots: &[Slot],
        inbox: &mut mpsc::UnboundedReceiver<(usize, Done)>,
        listener: &mut dyn Listener,
        mut stop: watch::Receiver<bool>,
    ) -> Result<End, Failure> {
        let mut agenda = Agenda::new(self.ledger, self.deadline);
        let mut idle: Vec<&Slot> = slots.iter().rev().collect();
        agenda.hand_out(self.ledger, &mut idle);
        let mut begun = false;
        while idle.len() < slots.len() {
            let (number, done) = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(End::Stopped),
                () = out_of_patience(agenda.deadline) => return Ok(End::TimeUp),
                done = inbox.recv() => match done {
                    Some(done) => done,
                    None => break,
                },
            };
            idle.push(&slots[number]);
            match done {
                Done::Stopped => {}
                Done::Probed(player, fault) => {
                    if let Some(fault) = fault {
                        listener.cannot_start(self.ledger.name(player), &fault);
                    }
                    agenda.probed();
                }
                Done::Played(finished) => {
                    agenda.took(Duration::from_nanos(finished.record.clock.wall_ns));
                    self.keep(*finished, listener)?;
                }
            }
            if !begun && agenda.may_play() {
                begun = true;
                listener.begin(self.ledger, self.ledger.due());
            }
            // There may be work for all that wait: after the last probe, and when the results
            // of a section say what the next one is.
            agenda.hand_out(self.ledger, &mut idle);
        }
        if agenda.is_time_up {
            return Ok(End::TimeUp);
        }
        if self.ledger.next_due(0).is_some() {
            return Err(Failure::system("a slot ended before its games were played"));
        }
        Ok(End::Complete)
    }

    fn keep(&mut self, finished: Finished, listener: &mut dyn Listener) -> Result<(), Failure> {
        let Finished { record, exchanges, .. } = finished;
        let full = |error: std::io::Error| {
            Failure::system(format!(
                "{error}; every game in the log is whole: make room and run again to go on"
            ))
        };
        if let Some(exchanges) = exchanges {
            let path = self.folder.dir().join(EXCHANGES).join(format!("{}.jsonl", record.id));
            write_whole(&path, |out| out.write_all(exchanges.as_bytes())).map_err(|error| {
                full(std::io::Error::new(
                    error.kind(),
                    format!("cannot write {}: {error}", path.display()),
                ))
            })?;
        }
        self.log.append(&record).map_err(full)?;
        let before: Vec<usize> = self.ledger.quarantined().map(|(player, _)| player).collect();
        self.ledger
            .add(&record)
            .map_err(|misfit| Failure::system(format!("game {}: {misfit:?}", record.id)))?;
        listener.finished(&record, self.ledger);
        for (player, game) in self.ledger.quarantined() {
            if !before.contains(&player) {
                let why = Out::by(self.ledger, game);
                listener.out(self.ledger.name(player), &self.ledger.id(game), why);
            }
        }
        Ok(())
    }
}

/// Ends when games in play are to be given up.
async fn out_of_patience(deadline: Option<Deadline>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.patience_ends().into()).await,
        None => std::future::pending().await,
    }
}

/// What is handed out next: first every player with games due is started once, then the games
/// in the order of the schedule, as long as there is time.
struct Agenda {
    probes: Vec<usize>,
    probing: usize,
    cursor: usize,
    deadline: Option<Deadline>,
    /// A game was due for which there was no time.
    is_time_up: bool,
}

impl Agenda {
    fn new(ledger: &Ledger, deadline: Option<Deadline>) -> Self {
        let mut needed = vec![false; ledger.names().len()];
        let mut cursor = 0;
        let mut missing = needed.len();
        while let Some(index) = ledger.next_due(cursor).filter(|_| missing > 0) {
            let players = ledger.fixture(index).players;
            for player in [players.first, players.second] {
                missing -= usize::from(!std::mem::replace(&mut needed[player], true));
            }
            cursor = index + 1;
        }
        let probes: Vec<usize> = (0..needed.len()).rev().filter(|&player| needed[player]).collect();
        Self { probing: probes.len(), probes, cursor: 0, deadline, is_time_up: false }
    }

    fn took(&mut self, time: Duration) {
        if let Some(deadline) = &mut self.deadline {
            deadline.took(time);
        }
    }

    fn probed(&mut self) {
        self.probing -= 1;
    }

    fn may_play(&self) -> bool {
        self.probing == 0
    }

    /// Gives idle slots their next jobs, the last of them first.
    fn hand_out(&mut self, ledger: &Ledger, idle: &mut Vec<&Slot>) {
        while let Some(slot) = idle.pop() {
            let sent = self.next(ledger).is_some_and(|job| slot.jobs.send(job).is_ok());
            if !sent {
                idle.push(slot);
                return;
            }
        }
    }

    fn next(&mut self, ledger: &Ledger) -> Option<Job> {
        if let Some(player) = self.probes.pop() {
            return Some(Job::Probe(player));
        }
        let index = ledger.next_due(self.cursor).filter(|_| self.may_play())?;
        self.is_time_up |= self.deadline.is_some_and(|until| !until.allows(Instant::now()));
        if self.is_time_up {
            return None;
        }
        self.cursor = index + 1;
        Some(Job::Play(ledger.id(index), ledger.fixture(index)))
    }
}

/// The cores of `slots` slots, `each` cores a slot, taken in turn from those this process may
/// use. Empty where the system does not tell.
pub fn share_cores(slots: usize, each: usize) -> Vec<Vec<usize>> {
    let available = available_cores();
    (0..slots)
        .map(|slot| {
            let from = slot * each;
            (from..from + each)
                .filter_map(|at| available.get(at % available.len().max(1)).copied())
                .collect()
        })
        .collect()
}

#[cfg(target_os = "linux")]
fn available_cores() -> Vec<usize> {
    let Ok(set) = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)) else {
        return Vec::new();
    };
    (0..nix::sched::CpuSet::count()).filter(|&core| set.is_set(core).unwrap_or(false)).collect()
}

#[cfg(not(target_os = "linux"))]
fn available_cores() -> Vec<usize> {
    Vec::new()
}

/// Removes the exchanges of games that are played again.
pub fn forget_exchanges(folder: &Locked, id: &str) {
    // A game without a fault has none.
    let _ = fs::remove_file(folder.dir().join(EXCHANGES).join(format!("{id}.jsonl")));
}
