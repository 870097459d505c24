//! Chess engines that speak UCI. The clock of a turn runs from `go` to `bestmove`.

mod engine_info;
mod engine_option;
mod main_line;
mod position_command;

use self::engine_info::EngineInfo;
use self::engine_option::{EngineOption, find_setoption_command};
use self::main_line::find_main_line_problem;
use self::position_command::PositionCommand;
use super::engine::{EngineLink, EngineStartTime, LineKind, UNLIMITED};
use super::process::PlayerProcess;
use super::{Answer, InitView, NotStarted, TurnView};
use referee_games::Seat;
use referee_protocol::{Greeting, Reply, reply_error_excerpt};
use referee_record::model::clock::{TimeControl, whole_millis};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::player_spec::EngineSettings;
use referee_record::model::warning::PlayerWarning;
use referee_record::wording::pluralize;

/// The option of engines, and of the game, for other starting positions.
const CHESS_960: (&str, &str) = ("UCI_Chess960", "chess960");

/// What is kept of a chess engine between turns and games.
#[derive(Debug)]
pub(super) struct Uci {
    settings: EngineSettings,
    greeting: Greeting,
    /// The commands that were sent at its start.
    commands: Vec<String>,
    position: PositionCommand,
    /// The last command that started a search.
    go: String,
    /// The ply of its last search in this game.
    searched: Option<u32>,
}

impl Uci {
    pub(super) fn new(settings: EngineSettings) -> Self {
        Self {
            settings,
            greeting: Greeting::default(),
            commands: Vec::new(),
            position: PositionCommand::default(),
            go: String::new(),
            searched: None,
        }
    }

    pub(super) async fn begin(
        &mut self,
        link: &mut EngineLink,
        view: &InitView<'_>,
        is_new: bool,
        time: &mut EngineStartTime,
    ) -> Result<Greeting, NotStarted> {
        self.searched = None;
        if is_new {
            self.introduce(link, view, time).await?;
        }
        self.position = PositionCommand::new(view.position, view.seat).map_err(NotStarted::Game)?;
        self.go.clear();
        await_readyok(link, &["ucinewgame", "isready"], time).await?;
        Ok(self.greeting.clone())
    }

    /// Asks for its name and options, and sets options.
    async fn introduce(
        &mut self,
        link: &mut EngineLink,
        view: &InitView<'_>,
        time: &mut EngineStartTime,
    ) -> Result<(), NotStarted> {
        let (mut name, mut known) = (None, Vec::new());
        let mut read = |line: &str| {
            if let Some(given) = line.strip_prefix("id name ") {
                name = Some(given.trim().to_owned());
            }
            known.extend(EngineOption::read(line));
        };
        let mut kind = uci_lines_until("uciok", &mut read);
        let answer = link.exchange(&["uci"], "uciok", time.limit(), &mut kind).await;
        drop(kind);
        time.add_step(answer)?;
        self.greeting.name = name;
        let (mut commands, mut left_alone) = (Vec::new(), None);
        for (name, value) in &self.settings.options {
            let command = find_setoption_command(&known, name, value);
            match command.map_err(|why| Fault::new(FaultCode::NoStart, why))? {
                Some(command) => commands.push(command),
                None => left_alone = Some(reply_error_excerpt(name.as_bytes())),
            }
        }
        if let Some(option) = left_alone {
            link.warn(PlayerWarning::ButtonLeftAlone(option));
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
            link.tell(command).await;
        }
        self.commands = commands;
        await_readyok(link, &["isready"], time).await
    }

    pub(super) async fn ask(&mut self, link: &mut EngineLink, view: &TurnView<'_>) -> Answer {
        self.position.follow(view.events);
        // A line that another thread of a frozen engine was about to write may come after the answer
        // to the first `isready`: that thread, too, only runs again now. It has run by the second.
        let was_frozen = link.running().is_some_and(PlayerProcess::is_frozen);
        for _ in 0..=u8::from(was_frozen) {
            if let Err(fault) = self.end_last_search(link, view.limit.alone).await {
                return fault.into();
            }
        }
        self.searched = Some(view.position.ply());
        self.go = self.go_command(link, view);
        let mut best = EngineInfo::default();
        let mut read =
            |line: &str| best = EngineInfo::read(line).unwrap_or(std::mem::take(&mut best));
        let mut kind = uci_lines_until("bestmove", &mut read);
        let commands = [self.position.as_str(), &self.go];
        let limit = view.limit.awaiting_late();
        let answer = link.exchange(&commands, "bestmove", limit, &mut kind).await;
        drop(kind);
        let reply = answer.line.and_then(|()| {
            check_main_line(link, view, &best);
            read_uci_bestmove(&link.reply, view, &best)
        });
        Answer { reply, time: answer.time }
    }

    /// Waits until the engine has written everything about its last search. Without this, a line
    /// that it writes just after its move would be taken for its next move. It costs the engine no
    /// time, and the engine does not know the next position yet.
    async fn end_last_search(&self, link: &mut EngineLink, alone: bool) -> Result<(), Fault> {
        let mut late = None;
        let mut read = |line: &str| {
            let is_about_a_search =
                line.starts_with("bestmove") || EngineInfo::read(line).is_some();
            if late.is_none() && is_about_a_search {
                late = Some(reply_error_excerpt(line.as_bytes()));
            }
        };
        let mut kind = uci_lines_until("readyok", &mut read);
        let limit = link.uncharged_limit(alone);
        let answer = link.exchange(&["isready"], "readyok", limit, &mut kind).await;
        drop(kind);
        if let (Some(line), Some(ply)) = (late, self.searched) {
            link.warn(PlayerWarning::WroteAfterMove { ply, line });
            link.is_late = true;
        }
        answer.line
    }

    /// The commands of the last turn, with those that set options before them.
    pub(super) fn commands(&self) -> impl Iterator<Item = &str> {
        let start = std::iter::once("uci").chain(self.commands.iter().map(String::as_str));
        let turn = [self.position.as_str(), &self.go].into_iter().filter(|_| !self.go.is_empty());
        start.chain(["isready", "ucinewgame", "isready"]).chain(turn)
    }

    /// The command that starts a search. If both the budget and a turn are limited, the engine is
    /// told the smaller limit as what is left of its budget: UCI cannot say both.
    fn go_command(&self, link: &EngineLink, view: &TurnView<'_>) -> String {
        let limits = self.settings.limits();
        if !limits.is_empty() {
            return format!("go {}", limits.join(" "));
        }
        let TimeControl { budget, per_move, increment, .. } = link.control;
        let [increment, other] = [increment, link.opponent_increment].map(whole_millis);
        let own = whole_millis(view.limit.allowance).max(1);
        if budget.is_none() {
            return format!("go movetime {}", per_move.map_or(whole_millis(UNLIMITED), |_| own));
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
}

/// Waits for the line that begins with the word `awaited`; `read` gets all lines before it.
fn uci_lines_until<'r>(
    awaited: &'static str,
    read: &'r mut (dyn FnMut(&str) + Send),
) -> impl FnMut(&str) -> LineKind + Send + 'r {
    move |line| {
        let first = line.split_whitespace().next();
        if first == Some(awaited) {
            return LineKind::Awaited;
        }
        read(line);
        match first {
            Some("id" | "info" | "option") => LineKind::Expected,
            _ => LineKind::Other,
        }
    }
}

/// Sends these commands, of which the last one is `isready`, and waits for the answer.
async fn await_readyok(
    link: &mut EngineLink,
    commands: &[&str],
    time: &mut EngineStartTime,
) -> Result<(), NotStarted> {
    let mut ignore = |_: &str| {};
    let mut kind = uci_lines_until("readyok", &mut ignore);
    let answer = link.exchange(commands, "readyok", time.limit(), &mut kind).await;
    time.add_step(answer)
}

/// Warns about a main line that cannot be played, or does not bear out its mate score.
fn check_main_line(link: &mut EngineLink, view: &TurnView<'_>, best: &EngineInfo) {
    let Some(why) = find_main_line_problem(view.position, best) else { return };
    link.warn(PlayerWarning::WrongLine { ply: view.position.ply(), why });
}

/// The move of the last line, which may be illegal.
fn read_uci_bestmove(line: &[u8], view: &TurnView<'_>, best: &EngineInfo) -> Result<Reply, Fault> {
    let text = String::from_utf8_lossy(line);
    let action = text.split_whitespace().nth(1).unwrap_or_default();
    if is_uci_move(action) {
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
        pluralize(usize::try_from(count).unwrap_or(usize::MAX), "legal move")
    };
    let wrong = match action {
        "" => "it has no move".to_owned(),
        "(none)" => format!("it finds no move, but has {}", legal()),
        "0000" => format!("it passes, but has {}", legal()),
        _ => "it has no move in UCI notation, such as e2e4 or e7e8q".to_owned(),
    };
    let shown = reply_error_excerpt(line);
    let fault = Fault::new(FaultCode::Malformed, format!("\"{shown}\": {wrong}"));
    Err(Fault { raw: Some(shown), ..fault })
}

/// Whether a text has the form of a move.
fn is_uci_move(text: &str) -> bool {
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
