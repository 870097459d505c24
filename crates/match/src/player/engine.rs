//! An engine that speaks a protocol of its field, as a process.
//!
//! An engine may write any number of lines before what it is asked for, and also when it is asked
//! for nothing.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::gtp::Gtp;
use super::process::{LineAnswer, PlayerProcess};
use super::reply_limit::ReplyLimit;
use super::uci::Uci;
use super::{
    Answer, InitView, NotStarted, PlayerLaunch, PlayerSandbox, PlayerStatistics, TurnTime, TurnView,
};
use referee_games::GameError;
use referee_protocol::{Greeting, reply_error_excerpt};
use referee_record::model::clock::TimeControl;
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::player_spec::{EngineProtocol, EngineSettings};
use referee_record::model::warning::PlayerWarning;

/// How long an engine searches if nothing limits it.
pub(super) const UNLIMITED: Duration = Duration::from_secs(1);

/// An engine that speaks a protocol of its field.
#[derive(Debug)]
pub struct Engine {
    pub(super) link: EngineLink,
    dialect: Dialect,
}

/// What depends on the protocol.
#[derive(Debug)]
enum Dialect {
    Uci(Uci),
    Gtp(Gtp),
}

/// The engine's process, and what is exchanged with it.
#[derive(Debug)]
pub(super) struct EngineLink {
    state: LinkState,
    /// The time limits of the game.
    pub(super) control: TimeControl,
    pub(super) opponent_increment: Duration,
    /// Whether it is frozen after each of its replies.
    freeze: bool,
    /// Whether it still owes a reply, or cannot be used again.
    owes: bool,
    /// Whether it wrote about a search that had ended.
    pub(super) is_late: bool,
    /// The last commands to the engine that await a reply.
    lines: Vec<u8>,
    /// The last line that it was asked for.
    pub(super) reply: Vec<u8>,
}

enum LinkState {
    /// Not started yet.
    Waiting(Box<PlayerLaunch>, Arc<PlayerSandbox>),
    /// Running.
    Running(Box<PlayerProcess>),
}

impl fmt::Debug for LinkState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Waiting(..) => "Waiting",
            Self::Running(_) => "Running",
        })
    }
}

/// The time of a start so far, and its limit.
pub(super) struct EngineStartTime {
    control: TimeControl,
    used: Duration,
}

impl EngineStartTime {
    pub(super) fn limit(&self) -> ReplyLimit {
        let left = self.control.startup.saturating_sub(self.used);
        // Players are started one after the other.
        ReplyLimit { alone: true, ..ReplyLimit::new(self.control.measure, Some(left)) }
    }

    /// Adds the time of a step, whose every fault means that the engine did not start.
    pub(super) fn add_step(&mut self, answer: LineAnswer) -> Result<(), NotStarted> {
        self.used += answer.time.charged;
        let fault = answer.line.err();
        fault.map_or(Ok(()), |fault| Err(Fault { code: FaultCode::NoStart, ..fault }.into()))
    }
}

/// What a line is to the request that awaits a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// The reply.
    Awaited,
    /// One that the protocol allows before it.
    Expected,
    /// Any other.
    Other,
}

/// What an engine wrote besides what it was asked for.
#[derive(Default)]
struct OtherEngineLines {
    count: u64,
    last: String,
}

impl Engine {
    /// An engine whose process starts when its game begins.
    pub(super) fn new(
        launch: PlayerLaunch,
        settings: EngineSettings,
        sandbox: Arc<PlayerSandbox>,
    ) -> Self {
        let link = EngineLink {
            state: LinkState::Waiting(Box::new(launch), sandbox),
            control: TimeControl::unlimited(Duration::ZERO),
            opponent_increment: Duration::ZERO,
            freeze: false,
            owes: false,
            is_late: false,
            lines: Vec::new(),
            reply: Vec::new(),
        };
        let dialect = match settings.protocol {
            EngineProtocol::Uci => Dialect::Uci(Uci::new(settings)),
            EngineProtocol::Gtp => Dialect::Gtp(Gtp::default()),
        };
        Self { link, dialect }
    }

    pub(super) async fn begin(
        &mut self,
        view: &InitView<'_>,
    ) -> Result<(Greeting, Duration), NotStarted> {
        let Self { link, dialect } = self;
        (link.control, link.opponent_increment) = (*view.control, view.opponent_increment);
        let mut time = EngineStartTime { control: link.control, used: Duration::ZERO };
        let is_new = link.begin_game().await?;
        let greeting = match dialect {
            Dialect::Uci(uci) => uci.begin(link, view, is_new, &mut time).await?,
            Dialect::Gtp(gtp) => gtp.begin(link, view, is_new, &mut time).await?,
        };
        Ok((greeting, time.used))
    }

    pub(super) async fn ask(&mut self, view: &TurnView<'_>) -> Result<Answer, GameError> {
        let Self { link, dialect } = self;
        if let Some(Err(fault)) = link.running_mut().map(PlayerProcess::check_freezing) {
            return Ok(fault.into());
        }
        Ok(match dialect {
            Dialect::Uci(uci) => uci.ask(link, view).await,
            Dialect::Gtp(gtp) => gtp.ask(link, view).await,
        })
    }

    /// The commands of the last turn, with those that prepared it.
    pub fn commands(&self) -> Vec<String> {
        match &self.dialect {
            Dialect::Uci(uci) => uci.commands().map(str::to_owned).collect(),
            Dialect::Gtp(gtp) => gtp.commands(),
        }
    }

    pub(super) async fn leave(&mut self) -> PlayerStatistics {
        let Self { link, .. } = self;
        if !link.owes {
            link.tell("quit").await;
        }
        let owes = link.owes;
        let Some(process) = link.running_mut() else { return PlayerStatistics::default() };
        let leftover = if owes { process.kill().await } else { process.leave().await };
        PlayerStatistics { leftover, ..process.statistics() }
    }
}

impl EngineLink {
    /// Starts the process, unless it runs. Returns whether it was started now.
    async fn begin_game(&mut self) -> Result<bool, NotStarted> {
        match &mut self.state {
            LinkState::Waiting(launch, sandbox) => {
                let process =
                    PlayerProcess::start(launch, sandbox, &self.control, self.freeze).await?;
                self.state = LinkState::Running(Box::new(process));
                Ok(true)
            }
            LinkState::Running(process) => {
                process.begin_game();
                Ok(false)
            }
        }
    }

    /// The limit of a request on a turn that is not charged.
    pub(super) fn uncharged_limit(&self, alone: bool) -> ReplyLimit {
        let limit = ReplyLimit::new(self.control.measure, Some(self.control.startup));
        ReplyLimit { alone, ..limit }
    }

    pub(super) fn warn(&mut self, warning: PlayerWarning) {
        if let Some(process) = self.running_mut() {
            process.warn(warning);
        }
    }

    /// Its process, if it runs.
    pub(super) fn running(&self) -> Option<&PlayerProcess> {
        match &self.state {
            LinkState::Running(process) => Some(process),
            LinkState::Waiting(..) => None,
        }
    }

    pub(super) fn running_mut(&mut self) -> Option<&mut PlayerProcess> {
        match &mut self.state {
            LinkState::Running(process) => Some(process),
            LinkState::Waiting(..) => None,
        }
    }

    /// Whether it can play another game.
    pub(super) fn is_fit(&self) -> bool {
        !(self.owes || self.freeze || self.is_late)
    }

    pub(super) fn freeze_off_turn(&mut self) {
        self.freeze = true;
        if let Some(process) = self.running_mut() {
            process.freeze_off_turn();
        }
    }

    pub(super) async fn tell(&mut self, command: &str) {
        if let Some(process) = self.running_mut() {
            process.tell(format!("{command}\n").as_bytes()).await;
        }
    }

    /// Sends these commands in one piece, because a write for each would wake the engine each time,
    /// and waits for the line that `kind` says is `awaited`.
    pub(super) async fn exchange(
        &mut self,
        commands: &[&str],
        awaited: &'static str,
        limit: ReplyLimit,
        kind: &mut (dyn FnMut(&str) -> LineKind + Send),
    ) -> LineAnswer {
        let Self { state: LinkState::Running(process), lines, reply, owes, .. } = self else {
            let fault = Fault::new(FaultCode::NoStart, "it was asked before it was started");
            return LineAnswer { line: Err(fault), time: TurnTime::ZERO };
        };
        set_command_lines(lines, commands);
        let mut others = OtherEngineLines::default();
        let mut is_reply = |line: &[u8]| {
            let line = String::from_utf8_lossy(line);
            let line = line.trim();
            let kind = if line.is_empty() { LineKind::Expected } else { kind(line) };
            if kind == LineKind::Other {
                others.count += 1;
                others.last = reply_error_excerpt(line.as_bytes());
            }
            kind == LineKind::Awaited
        };
        let ask = process.ask_engine(lines, (reply, awaited), limit, &mut is_reply);
        let answer = ask.await;
        *owes = answer.line.is_err();
        LineAnswer {
            line: answer.line.map_err(|fault| others.explain_fault(fault, awaited)),
            ..answer
        }
    }
}

impl OtherEngineLines {
    /// The fault of an engine that wrote these lines, but not what it was asked for.
    fn explain_fault(&self, fault: Fault, awaited: &str) -> Fault {
        let mut fault = engine_fault_before(fault, awaited);
        if self.count > 0 {
            let what = if self.count == 1 {
                "it wrote".to_owned()
            } else {
                format!("it wrote {} other lines, the last one", self.count)
            };
            fault.message = format!("{}; {what} \"{}\"", fault.message, self.last);
        }
        fault
    }
}

/// The fault of an engine, which says when it ended.
fn engine_fault_before(fault: Fault, what: &str) -> Fault {
    let has_ended = matches!(fault.code, FaultCode::Crash | FaultCode::Exit);
    let the = if what.contains(' ') { "the " } else { "" };
    let when = if has_ended { format!(" before {the}{what}") } else { String::new() };
    Fault { message: format!("{}{when}", fault.message), ..fault }
}

/// Makes lines of these commands.
fn set_command_lines(lines: &mut Vec<u8>, commands: &[&str]) {
    lines.clear();
    for command in commands {
        lines.extend_from_slice(command.as_bytes());
        lines.push(b'\n');
    }
}
