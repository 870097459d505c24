//! A player of any kind, behind one small interface: a process, a person, or a function in this
//! process.

mod cpu_usage;
mod denied_files;
mod engine;
pub mod fault_messages;
mod gtp;
mod human;
mod player_launch;
pub mod player_sandbox;
mod process;
pub(crate) mod reply_limit;
mod reply_timer;
mod rules_process;
mod stderr;
mod transcript;
mod uci;
pub mod user_interface;
mod wire;

use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

pub use engine::Engine;
pub use human::Human;
pub use player_launch::{GuessRight, OutageRight, PlayerLaunch, launch_files, this_program_path};
pub use player_sandbox::{NotStarted, PlayerSandbox};
pub(crate) use rules_process::ContainedRules;
pub use transcript::LineDirection;
pub(crate) use transcript::TranscriptLine;
#[cfg(any(test, feature = "examples"))]
pub use wire::PlayerScript;
pub use wire::{Respond, Wire};

use self::process::PlayerProcess;
use self::reply_limit::ReplyLimit;
use referee_games::{AnyPosition, BySeat, Event, GameError, Places, Seat, Text};
use referee_protocol::{Greeting, Reply, Score, TurnClock, Usage};
use referee_record::model::clock::TimeControl;
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::game_rules::GameRules;
use referee_record::model::warning::PlayerWarning;

/// The information that a player gets at the start of a game.
#[derive(Debug)]
pub struct InitView<'a> {
    /// The seat it takes.
    pub seat: Seat,
    /// The rules in force.
    pub rules: &'a GameRules,
    /// The position of the first turn.
    pub position: &'a dyn AnyPosition,
    /// The player's time limits.
    pub control: &'a TimeControl,
    /// What is added to the opponent's budget after each reply.
    pub opponent_increment: Duration,
    /// The player's own seed.
    pub seed: u64,
    /// The opening's actions.
    pub opening: &'a [String],
}

/// The information that a player gets when it is on turn.
#[derive(Debug)]
pub(crate) struct TurnView<'a> {
    /// The seat.
    pub(crate) seat: Seat,
    /// The position.
    pub position: &'a dyn AnyPosition,
    /// The events since its last turn.
    pub(crate) events: &'a [Event],
    /// The guesses that it wants, as the game describes them.
    pub(crate) guesses: &'a [Box<RawValue>],
    /// The clocks.
    pub(crate) clock: TurnClock,
    /// The number of the retry, from 1; none the first time.
    pub(crate) retry: Option<u32>,
    /// The time it may take.
    pub(crate) limit: ReplyLimit,
}

/// The information that a player gets at the end of a game.
#[derive(Debug)]
pub(crate) struct EndView<'a> {
    /// The seat.
    pub(crate) seat: Seat,
    /// The names of the seats.
    pub(crate) seats: &'a BySeat<Text>,
    /// The final position.
    pub position: &'a dyn AnyPosition,
    /// The events since its last turn.
    pub(crate) events: &'a [Event],
    /// The scores by seat.
    pub(crate) scores: BySeat<Score>,
    /// The places.
    pub(crate) places: Places,
    /// The reason why the game ended.
    pub(crate) reason: &'a str,
}

/// The time of a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnTime {
    /// The time that it is charged.
    pub(crate) charged: Duration,
    /// The time that it is not charged, because no core was free.
    pub(crate) excused: Duration,
    /// The CPU time that the player used; zero if it is not known.
    pub(crate) cpu: Duration,
}

impl TurnTime {
    pub(crate) const ZERO: Self = Self::from_charged(Duration::ZERO);

    /// A time of which nothing else is known.
    pub(crate) const fn from_charged(charged: Duration) -> Self {
        Self { charged, excused: Duration::ZERO, cpu: Duration::ZERO }
    }
}

impl AddAssign for TurnTime {
    fn add_assign(&mut self, other: Self) {
        self.charged += other.charged;
        self.excused += other.excused;
        self.cpu += other.cpu;
    }
}

/// The outcome of a turn, and its time.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The reply, whose action is not checked yet, or the fault.
    pub(crate) reply: Result<Reply, Fault>,
    /// Its time.
    pub(crate) time: TurnTime,
}

/// A fault before anything was asked.
impl From<Fault> for Answer {
    fn from(fault: Fault) -> Self {
        Self { reply: Err(fault), time: TurnTime::ZERO }
    }
}

/// A player of one game.
#[derive(Debug)]
pub enum Player {
    /// A program that speaks the protocol.
    Wire(Box<Wire>),
    /// An engine that speaks a protocol of its field.
    Engine(Box<Engine>),
    /// A person.
    Human(Box<Human>),
}

/// Statistics of a player after its game.
#[derive(Debug, Default)]
pub struct PlayerStatistics {
    /// Processes besides the player's own that had to be killed.
    pub leftover: usize,
    /// CPU time of its processes, if it could be measured.
    pub cpu: Option<Duration>,
    /// CPU time that it used on its opponent's turns.
    pub cpu_off_turn: Duration,
    /// Time on its turns that was not charged, because the machine had no core free.
    pub waited_for_core: Duration,
    /// Bytes of its stderr that were not kept.
    pub stderr_lost: u64,
    /// The first line that it wrote after the end of the game, escaped and shortened.
    pub afterwards: Option<String>,
    /// The limits that it reached, and what went wrong at its end.
    pub warnings: Vec<PlayerWarning>,
}

impl Player {
    /// A player whose process starts when its game begins.
    pub fn process(launch: PlayerLaunch, sandbox: Arc<PlayerSandbox>) -> Self {
        match launch.engine.clone() {
            Some(settings) => Self::Engine(Box::new(Engine::new(launch, settings, sandbox))),
            None => Self::Wire(Box::new(Wire::process(launch, sandbox))),
        }
    }

    /// Starts the player and waits for its greeting. Returns what it reported about itself, and
    /// the time used, of the kind that is limited.
    pub async fn begin(&mut self, view: &InitView<'_>) -> Result<(Greeting, Duration), NotStarted> {
        match self {
            Self::Wire(wire) => wire.begin(view).await,
            Self::Engine(engine) => engine.begin(view).await,
            Self::Human(human) => {
                human.begin(view).await;
                Ok((Greeting::default(), Duration::ZERO))
            }
        }
    }

    /// How many guesses of the position it gets with each turn, if the game can make so many. A
    /// mistake in the rules can make a guess the truth, so in a game that hides something the
    /// organiser decides for all but built-in players.
    pub(crate) fn guesses(&self, is_hidden: bool) -> u32 {
        self.wire().map_or(0, |wire| wire.guesses(is_hidden))
    }

    /// Asks for an action.
    ///
    /// # Errors
    /// The rules program of a built-in player failed.
    pub(crate) async fn ask(&mut self, view: &TurnView<'_>) -> Result<Answer, GameError> {
        match self {
            Self::Wire(wire) => wire.ask(view).await,
            Self::Engine(engine) => engine.ask(view).await,
            Self::Human(human) => Ok(human.ask(view).await),
        }
    }

    /// Tells the player why its reply was rejected, before it is asked again.
    pub(crate) async fn refuse(&mut self, fault: &Fault) {
        match self {
            Self::Wire(wire) => wire.refuse(fault).await,
            // Their protocols have no word for it.
            Self::Engine(_) => {}
            Self::Human(human) => human.refuse(fault),
        }
    }

    /// Tells the player how the game ended, unless it owes a reply.
    pub(crate) async fn end(&mut self, view: &EndView<'_>) {
        if let Some(wire) = self.wire_mut() {
            wire.end(view).await;
        }
    }

    /// Lets the player quit, and kills its remaining processes.
    pub async fn leave(&mut self) -> PlayerStatistics {
        match self {
            Self::Wire(wire) => wire.leave().await,
            Self::Engine(engine) => engine.leave().await,
            Self::Human(_) => PlayerStatistics::default(),
        }
    }

    /// Kills the player at once.
    pub async fn kill(&mut self) {
        if let Some(process) = self.running_mut() {
            process.kill().await;
        }
    }

    fn wire(&self) -> Option<&Wire> {
        match self {
            Self::Wire(wire) => Some(wire),
            Self::Engine(_) | Self::Human(_) => None,
        }
    }

    fn wire_mut(&mut self) -> Option<&mut Wire> {
        match self {
            Self::Wire(wire) => Some(wire),
            Self::Engine(_) | Self::Human(_) => None,
        }
    }

    /// Its process, if it is one that runs.
    fn running(&self) -> Option<&PlayerProcess> {
        match self {
            Self::Engine(engine) => engine.link.running(),
            _ => self.wire()?.running(),
        }
    }

    fn running_mut(&mut self) -> Option<&mut PlayerProcess> {
        match self {
            Self::Engine(engine) => engine.link.running_mut(),
            _ => self.wire_mut()?.running_mut(),
        }
    }

    /// Ends a turn of the opponent. Returns the CPU time that this player used in it, if the system
    /// reports it. Turns shorter than 0.2 ms are not measured individually.
    pub(crate) fn end_off_turn(&mut self) -> Duration {
        self.running_mut().map_or(Duration::ZERO, PlayerProcess::end_off_turn)
    }

    /// Whether the player computed on the opponent's turns in this game: for at least 50 ms of CPU
    /// time and a tenth of the wall time.
    pub(crate) fn ponders(&self) -> bool {
        self.running().is_some_and(PlayerProcess::ponders)
    }

    /// Whether it has already written more than the reply that it owed.
    pub(crate) fn wrote_more(&mut self) -> bool {
        let process = self.wire_mut().and_then(Wire::running_mut);
        process.is_some_and(|process| process.said_unasked().is_some())
    }

    /// The fault of a player that has already written without owing a reply.
    pub(crate) async fn spoke_unasked(&mut self) -> Option<Fault> {
        self.wire_mut()?.spoke_unasked().await
    }

    /// Freezes the player after each of its replies from now on.
    pub fn freeze_off_turn(&mut self) {
        match self {
            Self::Wire(wire) => wire.freeze_off_turn(),
            Self::Engine(engine) => engine.link.freeze_off_turn(),
            Self::Human(_) => {}
        }
    }

    /// Freezes the player until the next line is sent to it.
    pub fn freeze(&mut self) {
        if let Some(process) = self.running_mut() {
            process.freeze();
        }
    }

    /// Whether the player can play another game: it owes no reply, wrote nothing late, and need not be
    /// frozen off turn, with which the next game would begin.
    pub fn is_fit(&self) -> bool {
        match self {
            Self::Wire(wire) => !(wire.owes || wire.freeze),
            Self::Engine(engine) => engine.link.is_fit(),
            Self::Human(_) => true,
        }
    }

    /// Statistics of a player that stays for another game.
    pub fn statistics(&self) -> PlayerStatistics {
        self.running().map_or_else(PlayerStatistics::default, PlayerProcess::statistics)
    }

    /// Takes what it reported to have used of a service since this was last taken.
    pub fn take_usage(&mut self) -> Usage {
        self.wire_mut().map_or_else(Usage::default, |wire| std::mem::take(&mut wire.usage))
    }

    /// The peak resident memory of its processes, in bytes, if they live and it can be read.
    pub fn peak_memory(&self) -> Option<u64> {
        self.running()?.peak_memory()
    }

    /// The transcript: the last lines in both directions, oldest first.
    pub fn transcript(&self) -> Vec<TranscriptLine> {
        self.running().map_or_else(Vec::new, |process| process.transcript().cloned().collect())
    }

    /// Waits briefly until everything written to its stderr so far is read.
    pub async fn settle_stderr(&mut self) {
        if let Some(process) = self.running_mut() {
            process.settle_stderr().await;
        }
    }

    /// The saved part of its stderr.
    pub fn stderr(&self) -> Vec<u8> {
        self.running().map_or_else(Vec::new, PlayerProcess::stderr)
    }
}

/// A fault before or in the greeting. Every cause means that the player did not start.
fn not_started_fault(fault: Fault, stage: &str) -> Fault {
    let message = match fault.code {
        FaultCode::NoStart => fault.message,
        FaultCode::Memory | FaultCode::Processes | FaultCode::Disk => {
            format!("{stage}: {}: {}", fault.code, fault.message)
        }
        _ => format!("{stage}: {}", fault.message),
    };
    Fault { code: FaultCode::NoStart, message, ..fault }
}
