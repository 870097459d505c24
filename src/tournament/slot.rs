//! A slot: one thread on one core, which plays one game at a time.
//!
//! The referee's side of a slot and both its players share the core, because a wake-up across
//! cores costs far more than one on the same core.

mod account;
mod bench;
mod exchanges;

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, watch};

pub use self::account::Account;
pub use self::bench::Bench;
use super::openings::Book;
use super::schedule::Fixture;
use crate::clock::TimeControl;
use crate::config::PlayerSpec;
use crate::containment::Policy;
use crate::fault::Fault;
use crate::record::{FaultPolicy, GameRecord};
use crate::rules::{BySeat, Game, Options};
use crate::seeds::Secret;

/// What all games of a tournament have in common.
#[derive(Debug)]
pub struct Conditions {
    /// The rules options in force.
    pub options: Options,
    /// The limits of time.
    pub control: TimeControl,
    /// What happens after a refused action.
    pub policy: FaultPolicy,
    /// The players.
    pub players: Vec<PlayerSpec>,
    /// What contains them.
    pub containment: Arc<Policy>,
    /// The tournament's secret.
    pub secret: Secret,
}

/// What a slot is to do.
#[derive(Debug, Clone)]
pub enum Job {
    /// Start a player, shake hands and let it leave.
    Probe(usize),
    /// Play the game with this identity.
    Play(String, Fixture),
}

/// What a slot has done.
#[derive(Debug)]
pub enum Done {
    /// A player was started; the fault if it could not be.
    Probed(usize, Option<Fault>),
    /// A game was played.
    Played(Box<Finished>),
    /// The job was given up because the tournament is to stop.
    Stopped,
}

/// A finished game.
#[derive(Debug)]
pub struct Finished {
    /// Its record.
    pub record: GameRecord,
    /// The last exchanges of a game that ended in a fault, as JSON lines.
    pub exchanges: Option<String>,
    /// The most memory that each player's processes held when the game ended, in bytes, where
    /// the system tells.
    pub memory: BySeat<Option<u64>>,
}

/// A running slot.
#[derive(Debug)]
pub struct Slot {
    /// Where its jobs go; closing it ends the slot.
    pub jobs: mpsc::UnboundedSender<Job>,
    thread: JoinHandle<()>,
}

impl Slot {
    /// Starts slot `number`, on the cores given, if any. Its games begin by the `book`, and it
    /// reports to `done` under its number.
    pub fn start<G: Game>(
        number: usize,
        cores: Vec<usize>,
        book: Book<G>,
        conditions: Arc<Conditions>,
        done: mpsc::UnboundedSender<(usize, Done)>,
        stop: watch::Receiver<bool>,
    ) -> std::io::Result<Self> {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name(format!("slot {number}")).spawn(move || {
            settle_on(&cores);
            let bench = Bench::<G>::new(book, conditions);
            runtime.block_on(work(bench, number, inbox, done, stop));
        })?;
        Ok(Self { jobs, thread })
    }

    /// Waits until the slot has ended.
    pub fn join(self) {
        drop(self.jobs);
        // A panic of the slot was printed where it happened; its games are simply not done.
        let _ = self.thread.join();
    }
}

async fn work<G: Game>(
    mut bench: Bench<G>,
    number: usize,
    mut inbox: mpsc::UnboundedReceiver<Job>,
    done: mpsc::UnboundedSender<(usize, Done)>,
    mut stop: watch::Receiver<bool>,
) {
    while let Some(job) = inbox.recv().await {
        let outcome = match job {
            Job::Probe(player) => bench.probe(player, &mut stop).await,
            Job::Play(id, fixture) => bench.play(id, fixture, &mut stop).await,
        };
        if done.send((number, outcome)).is_err() {
            break;
        }
    }
    bench.dismiss().await;
}

/// Keeps this thread, and the players it starts, on the given cores.
#[cfg(target_os = "linux")]
pub(crate) fn settle_on(cores: &[usize]) {
    let mut set = nix::sched::CpuSet::new();
    for &core in cores {
        if set.set(core).is_err() {
            return;
        }
    }
    if let (false, Err(error)) =
        (cores.is_empty(), nix::sched::sched_setaffinity(nix::unistd::Pid::from_raw(0), &set))
    {
        tracing::warn!(?cores, %error, "the slot cannot be kept on its core");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn settle_on(_: &[usize]) {}
