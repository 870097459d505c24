//! A chess engine that speaks UCI, as a process.
//!
//! An engine may write any number of lines before what it is asked for, and also when it is asked
//! for nothing. The clock of a turn runs from `go` to `bestmove`.

mod info;
mod main_line;
mod option;
mod position_command;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use self::info::EngineInfo;
use self::option::EngineOption;
use self::position_command::PositionCommand;
use super::limit::ReplyLimit;
use super::process::{LineAnswer, PlayerProcess};
use super::{Answer, InitView, Launch, NotStarted, PlayerStatistics, Sandbox, TurnTime, TurnView};
use referee_games::{GameError, Seat};
use referee_protocol::{Greeting, Reply, shown};
use referee_record::model::clock::{TimeControl, millis};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::player::EngineSettings;
use referee_record::model::warning::PlayerWarning;
use referee_record::wording::counted;

/// The option of engines, and of the game, for other starting positions.
const CHESS_960: (&str, &str) = ("UCI_Chess960", "chess960");
/// How long an engine searches if nothing limits it, in milliseconds.
const UNLIMITED_MS: u64 = 1000;

/// A chess engine that speaks UCI.
#[derive(Debug)]
pub struct UciEngine {
    link: EngineLink,
    settings: EngineSettings,
    /// The time limits of the game.
    control: TimeControl,
    opponent_increment: Duration,
    greeting: Greeting,
    /// The commands that were sent at its start.
    commands: Vec<String>,
    position: PositionCommand,
    /// The last command that started a search.
    go: String,
    /// Whether it is frozen after each of its replies.
    pub(super) freeze: bool,
    /// Whether it still owes a reply, or cannot be used again.
    pub(super) owes: bool,
    /// The last commands to the engine that await a reply.
    lines: Vec<u8>,
    /// The last line that it was asked for.
    reply: Vec<u8>,
    /// The ply of its last search in this game.
    searched: Option<u32>,
    /// Whether it wrote about a search that had ended.
    pub(super) is_late: bool,
}

/// The engine's process.
enum EngineLink {
    /// Not started yet.
    Waiting(Box<Launch>, Arc<Sandbox>),
    /// Running.
    Running(Box<PlayerProcess>),
}

impl fmt::Debug for EngineLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Waiting(..) => "Waiting",
            Self::Running(_) => "Running",
        })
    }
}

/// The time of a start so far, and its limit.
struct StartTime {
    control: TimeControl,
    used: Duration,
}

impl StartTime {
    fn limit(&self) -> ReplyLimit {
        let left = self.control.startup.saturating_sub(self.used);
        // Players are started one after the other.
        ReplyLimit { alone: true, ..ReplyLimit::new(self.control.measure, Some(left)) }
    }

    /// Adds the time of a step, whose every fault means that the engine did not start.
    fn take(&mut self, answer: LineAnswer) -> Result<(), NotStarted> {
        self.used += answer.time.charged;
        let fault = answer.line.err();
        fault.map_or(Ok(()), |fault| Err(Fault { code: FaultCode::NoStart, ..fault }.into()))
    }
}

/// What an engine wrote besides what it was asked for.
#[derive(Default)]
struct OtherLines {
    count: u64,
    last: String,
}

impl UciEngine {
    /// An engine whose process starts when its game begins.
    pub(super) fn new(launch: Launch, settings: EngineSettings, sandbox: Arc<Sandbox>) -> Self {
        Self {
            link: EngineLink::Waiting(Box::new(launch), sandbox),
            settings,
            control: TimeControl::unlimited(Duration::ZERO),
            opponent_increment: Duration::ZERO,
            greeting: Greeting::default(),
            commands: Vec::new(),
            position: PositionCommand::default(),
            go: String::new(),
            freeze: false,
            owes: false,
            lines: Vec::new(),
            reply: Vec::new(),
            searched: None,
            is_late: false,
        }
    }

    pub(super) async fn begin(
        &mut self,
        view: &InitView<'_>,
    ) -> Result<(Greeting, Duration), NotStarted> {
        (self.control, self.opponent_increment) = (*view.control, view.opponent_increment);
        self.searched = None;
        let mut time = StartTime { control: self.control, used: Duration::ZERO };
        match &mut self.link {
            EngineLink::Waiting(launch, sandbox) => {
                let process =
                    PlayerProcess::start(launch, sandbox, view.control, self.freeze).await?;
                self.link = EngineLink::Running(Box::new(process));
                self.introduce(view, &mut time).await?;
            }
            EngineLink::Running(process) => process.begin_game(),
        }
        self.position = PositionCommand::new(view.position, view.seat).map_err(NotStarted::Game)?;
        self.go.clear();
        self.await_ready(&["ucinewgame", "isready"], &mut time).await?;
        Ok((self.greeting.clone(), time.used))
    }

    /// Asks for its name and options, and sets options.
    async fn introduce(
        &mut self,
        view: &InitView<'_>,
        time: &mut StartTime,
    ) -> Result<(), NotStarted> {
        let (mut name, mut known) = (None, Vec::new());
        let mut read = |line: &str| {
            if let Some(given) = line.strip_prefix("id name ") {
                name = Some(given.trim().to_owned());
            }
            known.extend(EngineOption::read(line));
        };
        set_lines(&mut self.lines, &["uci"]);
        let answer = self.exchange("uciok", time.limit(), &mut read).await;
        time.take(answer)?;
        self.greeting.name = name;
        let (mut commands, mut left_alone) = (Vec::new(), None);
        for (name, value) in &self.settings.options {
            let command = option::command(&known, name, value);
            match command.map_err(|why| Fault::new(FaultCode::NoStart, why))? {
                Some(command) => commands.push(command),
                None => left_alone = Some(shown(name.as_bytes())),
            }
        }
        if let Some(option) = left_alone {
            self.warn(PlayerWarning::ButtonLeftAlone(option));
        }
        let (option, of_game) = CHESS_960;
        if view.rules.options.to_json().get(of_game) == Some(&true.into()) {
            if !known.iter().any(|known| known.is_called(option)) {
                let why =
                    format!("the engine has no option `{option}`, so it cannot play chess960");
                return Err(Fault::new(FaultCode::NoStart, why).into());
            }
            commands.push(format!("setoption name {option} value true"));
        }
        for command in &commands {
            self.tell(command).await;
        }
        self.commands = commands;
        self.await_ready(&["isready"], time).await
    }

    /// Sends these commands, of which the last one is `isready`, and waits for the answer.
    async fn await_ready(
        &mut self,
        commands: &[&str],
        time: &mut StartTime,
    ) -> Result<(), NotStarted> {
        set_lines(&mut self.lines, commands);
        let answer = self.exchange("readyok", time.limit(), &mut |_| {}).await;
        time.take(answer)
    }

    pub(super) async fn ask(&mut self, view: &TurnView<'_>) -> Result<Answer, GameError> {
        self.position.follow(view.events);
        if let Some(Err(fault)) = self.running_mut().map(PlayerProcess::check_freezing) {
            return Ok(Answer { reply: Err(fault), time: TurnTime::ZERO });
        }
        if let Err(fault) = self.end_last_search(view.limit.alone).await {
            return Ok(Answer { reply: Err(fault), time: TurnTime::ZERO });
        }
        self.searched = Some(view.position.ply());
        self.go = self.go(view);
        let mut best = EngineInfo::default();
        let mut read =
            |line: &str| best = EngineInfo::read(line).unwrap_or(std::mem::take(&mut best));
        let limit = view.limit.awaiting_late();
        // In one piece: a write for each would wake the engine twice.
        set_lines(&mut self.lines, &[self.position.as_str(), &self.go]);
        let answer = self.exchange("bestmove", limit, &mut read).await;
        let reply = match answer.line {
            Ok(()) => {
                self.check_main_line(view, &best);
                self.read_move(view, &best)
            }
            Err(fault) => Err(fault),
        };
        Ok(Answer { reply, time: answer.time })
    }

    /// Waits until the engine has written everything about its last search. Without this, a line
    /// that it writes just after its move would be taken for its next move. It costs the engine no
    /// time, and the engine does not know the next position yet.
    async fn end_last_search(&mut self, alone: bool) -> Result<(), Fault> {
        let limit = ReplyLimit::new(self.control.measure, Some(self.control.startup));
        let limit = ReplyLimit { alone, ..limit };
        let mut late = None;
        set_lines(&mut self.lines, &["isready"]);
        let mut read = |line: &str| {
            let is_about_a_search =
                line.starts_with("bestmove") || EngineInfo::read(line).is_some();
            if late.is_none() && is_about_a_search {
                late = Some(shown(line.as_bytes()));
            }
        };
        let answer = self.exchange("readyok", limit, &mut read).await;
        if let (Some(line), Some(ply)) = (late, self.searched) {
            self.warn(PlayerWarning::WroteAfterMove { ply, line });
            self.is_late = true;
        }
        answer.line
    }

    /// The commands of the last turn, with those that set options before them.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        let start = std::iter::once("uci").chain(self.commands.iter().map(String::as_str));
        let turn = [self.position.as_str(), &self.go].into_iter().filter(|_| !self.go.is_empty());
        start.chain(["isready", "ucinewgame", "isready"]).chain(turn)
    }

    /// The command that starts a search. If both the budget and a turn are limited, the engine is
    /// told the smaller limit as what is left of its budget: UCI cannot say both.
    fn go(&self, view: &TurnView<'_>) -> String {
        let limits = self.settings.limits();
        if !limits.is_empty() {
            return format!("go {}", limits.join(" "));
        }
        let TimeControl { budget, per_move, increment, .. } = self.control;
        let [increment, other] = [increment, self.opponent_increment].map(millis);
        let own = millis(view.limit.allowance).max(1);
        if budget.is_none() {
            return format!("go movetime {}", per_move.map_or(UNLIMITED_MS, |_| own));
        }
        let opponent = view.clock.opponent_left_ms.unwrap_or(own).max(1);
        let own = (own, increment);
        let other = (opponent, other);
        let is_white = view.seat == Seat::FIRST;
        let ((white, winc), (black, binc)) = if is_white { (own, other) } else { (other, own) };
        let moves = view.clock.moves_to_go;
        let moves = moves.map_or_else(String::new, |moves| format!(" movestogo {moves}"));
        format!("go wtime {white} btime {black} winc {winc} binc {binc}{moves}")
    }

    /// Warns about a main line that cannot be played, or does not bear out its mate score.
    fn check_main_line(&mut self, view: &TurnView<'_>, best: &EngineInfo) {
        let Some(why) = main_line::problem(view.position, best) else { return };
        self.warn(PlayerWarning::WrongLine { ply: view.position.ply(), why });
    }

    fn warn(&mut self, warning: PlayerWarning) {
        if let Some(process) = self.running_mut() {
            process.warn(warning);
        }
    }

    /// The move of the last line, which may be illegal.
    fn read_move(&self, view: &TurnView<'_>, best: &EngineInfo) -> Result<Reply, Fault> {
        let text = String::from_utf8_lossy(&self.reply);
        let action = text.split_whitespace().nth(1).unwrap_or_default();
        if is_move(action) {
            let report = best.report;
            return Ok(Reply {
                // Some engines write the promoted piece as a capital.
                action: action.to_ascii_lowercase(),
                note: best.note(),
                eval: report.eval(),
                search: report,
                ..Reply::default()
            });
        }
        let legal = || {
            let count = view.position.legal_count(view.seat);
            counted(usize::try_from(count).unwrap_or(usize::MAX), "legal move")
        };
        let wrong = match action {
            "" => "it has no move".to_owned(),
            "(none)" => format!("it finds no move, but has {}", legal()),
            "0000" => format!("it passes, but has {}", legal()),
            _ => "it has no move in UCI notation, such as e2e4 or e7e8q".to_owned(),
        };
        let shown = shown(&self.reply);
        let fault = Fault::new(FaultCode::Malformed, format!("\"{shown}\": {wrong}"));
        Err(Fault { raw: Some(shown), ..fault })
    }

    pub(super) async fn leave(&mut self) -> PlayerStatistics {
        if !self.owes {
            self.tell("quit").await;
        }
        let owes = self.owes;
        let Some(process) = self.running_mut() else { return PlayerStatistics::default() };
        let leftover = if owes { process.kill().await } else { process.leave().await };
        PlayerStatistics { leftover, ..process.statistics() }
    }

    /// Its process, if it runs.
    pub(super) fn running(&self) -> Option<&PlayerProcess> {
        match &self.link {
            EngineLink::Running(process) => Some(process),
            EngineLink::Waiting(..) => None,
        }
    }

    pub(super) fn running_mut(&mut self) -> Option<&mut PlayerProcess> {
        match &mut self.link {
            EngineLink::Running(process) => Some(process),
            EngineLink::Waiting(..) => None,
        }
    }

    pub(super) fn freeze_off_turn(&mut self) {
        self.freeze = true;
        if let Some(process) = self.running_mut() {
            process.freeze_off_turn();
        }
    }

    async fn tell(&mut self, command: &str) {
        if let Some(process) = self.running_mut() {
            process.tell(format!("{command}\n").as_bytes()).await;
        }
    }

    /// Sends the prepared lines, and waits for the line that begins with the word `awaited`. All
    /// lines before it go to `read`.
    async fn exchange(
        &mut self,
        awaited: &'static str,
        limit: ReplyLimit,
        read: &mut (dyn FnMut(&str) + Send),
    ) -> LineAnswer {
        let Self { link: EngineLink::Running(process), lines, reply, owes, .. } = self else {
            let fault = Fault::new(FaultCode::NoStart, "it was asked before it was started");
            return LineAnswer { line: Err(fault), time: TurnTime::ZERO };
        };
        let mut others = OtherLines::default();
        let mut is_reply = |line: &[u8]| {
            let line = String::from_utf8_lossy(line);
            let first = line.split_whitespace().next();
            if first == Some(awaited) {
                return true;
            }
            read(line.trim());
            if !matches!(first, None | Some("id" | "info" | "option")) {
                others.count += 1;
                others.last = shown(line.trim().as_bytes());
            }
            false
        };
        let ask = process.ask_engine(lines, (reply, awaited), limit, &mut is_reply);
        let answer = ask.await;
        *owes = answer.line.is_err();
        LineAnswer { line: answer.line.map_err(|fault| others.explain(fault, awaited)), ..answer }
    }
}

impl OtherLines {
    /// The fault of an engine that wrote these lines, but not what it was asked for.
    fn explain(&self, fault: Fault, awaited: &str) -> Fault {
        let mut fault = before(fault, awaited);
        if self.count > 0 {
            let what = if self.count == 1 {
                "it wrote".to_owned()
            } else {
                format!("the last of {} other lines was", self.count)
            };
            fault.message = format!("{}; {what} \"{}\"", fault.message, self.last);
        }
        fault
    }
}

/// The fault of an engine, which says when it ended.
fn before(fault: Fault, what: &str) -> Fault {
    let has_ended = matches!(fault.code, FaultCode::Crash | FaultCode::Exit);
    let when = if has_ended { format!(" before {what}") } else { String::new() };
    Fault { message: format!("{}{when}", fault.message), ..fault }
}

/// Makes lines of these commands.
fn set_lines(lines: &mut Vec<u8>, commands: &[&str]) {
    lines.clear();
    for command in commands {
        lines.extend_from_slice(command.as_bytes());
        lines.push(b'\n');
    }
}

/// Whether a text has the form of a move.
fn is_move(text: &str) -> bool {
    let is_square = |at: &[u8]| (b'a'..=b'h').contains(&at[0]) && (b'1'..=b'8').contains(&at[1]);
    let promotes = |rest: &[u8]| match rest {
        [] => true,
        [piece] => b"qrbn".contains(&piece.to_ascii_lowercase()),
        _ => false,
    };
    match text.as_bytes() {
        bytes @ [_, _, _, _, rest @ ..] => {
            is_square(&bytes[..2]) && is_square(&bytes[2..4]) && promotes(rest)
        }
        _ => false,
    }
}
