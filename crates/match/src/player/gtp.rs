//! Go engines that speak GTP, version 2. The clock of a turn runs from `genmove` to its answer;
//! all other commands are outside it.
//!
//! Each command is answered before the next one is sent, so an engine that leaves out the ids of
//! its answers is understood.

use super::engine::{EngineLink, EngineStartTime, LineKind, UNLIMITED};
use super::process::LineAnswer;
use super::reply_limit::ReplyLimit;
use super::{Answer, InitView, NotStarted, TurnView};
use referee_games::{Event, Seat};
use referee_protocol::{Greeting, Reply, reply_error_excerpt};
use referee_record::model::clock::TimeControl;
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::warning::PlayerWarning;
use serde_json::Value;
use std::time::Duration;

/// The letters of columns.
const COLUMNS: &str = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// What is kept of a Go engine between turns and games.
#[derive(Debug, Default)]
pub(super) struct Gtp {
    greeting: Greeting,
    /// The number of the last command.
    id: u32,
    /// The commands before the first move.
    setup: Vec<String>,
    /// The moves of the game, each with its colour: `b D4`.
    moves: Vec<String>,
    /// The moves on the engine's own board, if they are known.
    on_board: Option<Vec<String>>,
    /// Whether it takes its clock.
    is_timed: bool,
    /// The commands of the last turn after the moves.
    turn: Vec<String>,
}

/// The answer to a command: its text, or why it failed.
type GtpAnswer = Result<String, String>;

impl Gtp {
    pub(super) async fn begin(
        &mut self,
        link: &mut EngineLink,
        view: &InitView<'_>,
        is_new: bool,
        time: &mut EngineStartTime,
    ) -> Result<Greeting, NotStarted> {
        if is_new {
            // Only for the record: an engine may refuse them.
            let name = self.request(link, "name", "answer to name", time).await?;
            let version = self.request(link, "version", "answer to version", time).await?;
            self.greeting.name = name.ok();
            self.greeting.version = version.ok();
        }
        self.setup.clear();
        self.turn.clear();
        let options = view.rules.options.to_json();
        for (command, option, awaited) in
            [("boardsize", "size", "answer to boardsize"), ("komi", "komi", "answer to komi")]
        {
            let Some(value) = options.get(option) else { continue };
            let value = value.as_str().map_or_else(|| Value::to_string(value), str::to_owned);
            self.demand(link, format!("{command} {value}"), awaited, time).await?;
        }
        self.demand(link, "clear_board".to_owned(), "answer to clear_board", time).await?;
        let command = gtp_time_settings(&link.control);
        let answer = self.request(link, &command, "answer to time_settings", time).await?;
        self.is_timed = answer.is_ok();
        match answer {
            Ok(_) => self.setup.push(command),
            Err(why) => link.warn(PlayerWarning::NoClock(why)),
        }
        let colours = ["b", "w"].iter().cycle();
        self.moves =
            view.opening.iter().zip(colours).map(|(it, by)| format!("{by} {it}")).collect();
        self.on_board = Some(Vec::new());
        Ok(self.greeting.clone())
    }

    /// Sends a command at the start.
    async fn request(
        &mut self,
        link: &mut EngineLink,
        command: &str,
        awaited: &'static str,
        time: &mut EngineStartTime,
    ) -> Result<GtpAnswer, NotStarted> {
        let (answer, exchanged) = self.send(link, command, awaited, time.limit()).await;
        time.add_step(exchanged)?;
        Ok(answer)
    }

    /// Sends a command at the start without which the engine cannot play.
    async fn demand(
        &mut self,
        link: &mut EngineLink,
        command: String,
        awaited: &'static str,
        time: &mut EngineStartTime,
    ) -> Result<(), NotStarted> {
        if let Err(why) = self.request(link, &command, awaited, time).await? {
            let why = format!("it refused `{command}`: \"{why}\"");
            return Err(Fault::new(FaultCode::NoStart, why).into());
        }
        self.setup.push(command);
        Ok(())
    }

    pub(super) async fn ask(&mut self, link: &mut EngineLink, view: &TurnView<'_>) -> Answer {
        self.follow(view.events);
        let colour = if view.seat == Seat::FIRST { "b" } else { "w" };
        self.turn.clear();
        let limit = link.uncharged_limit(view.limit.alone);
        if let Err(fault) = self.set_up_board(link, limit).await {
            return fault.into();
        }
        if self.is_timed {
            let command = gtp_time_left(&link.control, colour, view);
            let (_, exchanged) = self.send(link, &command, "answer to time_left", limit).await;
            if let Err(fault) = exchanged.line {
                return fault.into();
            }
            self.turn.push(command);
        }
        let command = format!("genmove {colour}");
        let limit = view.limit.awaiting_late();
        let (answer, exchanged) = self.send(link, &command, "answer to genmove", limit).await;
        self.turn.push(command);
        let time = exchanged.time;
        let reply = exchanged.line.and_then(|()| self.read_move(colour, &answer, &link.reply));
        Answer { reply, time }
    }

    /// Adds the moves among the events after the first turn began. Moves of the opening came before
    /// it.
    fn follow(&mut self, events: &[Event]) {
        for event in events {
            if let Event::Action { action, opening: false, .. } = event {
                // Every move is a ply of the seat on turn.
                let colour = if self.moves.len().is_multiple_of(2) { "b" } else { "w" };
                self.moves.push(format!("{colour} {action}"));
            }
        }
    }

    /// Plays the moves that are missing on the engine's board. If it has others, as after a move
    /// that was refused, it gets all of them.
    async fn set_up_board(
        &mut self,
        link: &mut EngineLink,
        limit: ReplyLimit,
    ) -> Result<(), Fault> {
        let known = self.on_board.take().filter(|board| self.moves.starts_with(board));
        let clear = known.is_none().then(|| "clear_board".to_owned());
        let missing = self.moves.iter().skip(known.map_or(0, |board| board.len()));
        let plays = missing.map(|played| format!("play {played}"));
        let commands: Vec<String> = clear.into_iter().chain(plays).collect();
        for command in commands {
            let (answer, exchanged) = self.send(link, &command, "answer to play", limit).await;
            exchanged.line?;
            if let Err(why) = answer {
                let why = format!("it refused `{command}`, which is legal: \"{why}\"");
                return Err(Fault::new(FaultCode::Malformed, why));
            }
        }
        self.on_board = Some(self.moves.clone());
        Ok(())
    }

    /// The move of an answer to `genmove`, which may be illegal.
    fn read_move(&mut self, colour: &str, answer: &GtpAnswer, line: &[u8]) -> Result<Reply, Fault> {
        let text = answer.as_deref().unwrap_or_default();
        if text.eq_ignore_ascii_case("resign") {
            return Ok(Reply { resigns: true, ..Reply::default() });
        }
        if let Some(action) = parse_gtp_vertex(text) {
            self.on_board.iter_mut().for_each(|board| board.push(format!("{colour} {action}")));
            return Ok(Reply { action, ..Reply::default() });
        }
        self.on_board = None;
        let wrong = match answer {
            Ok(_) => "expected a point such as D4, `pass` or `resign`",
            Err(_) => "it refused `genmove`",
        };
        let shown = reply_error_excerpt(line);
        let fault = Fault::new(FaultCode::Malformed, format!("\"{shown}\": {wrong}"));
        Err(Fault { raw: Some(shown), ..fault })
    }

    /// The commands that lead to the last turn.
    pub(super) fn commands(&self) -> Vec<String> {
        let moves = self.moves.iter().map(|played| format!("play {played}"));
        self.setup.iter().cloned().chain(moves).chain(self.turn.iter().cloned()).collect()
    }

    /// Sends a command, and waits for the line that answers it. An engine may write more lines: those
    /// before the answer are passed over, and those after it come before the next one.
    async fn send(
        &mut self,
        link: &mut EngineLink,
        command: &str,
        awaited: &'static str,
        limit: ReplyLimit,
    ) -> (GtpAnswer, LineAnswer) {
        self.id += 1;
        let id = self.id;
        let mut answer = Ok(String::new());
        let mut kind = |line: &str| match read_gtp_answer(line, id) {
            Some(read) => {
                answer = read;
                LineKind::Awaited
            }
            None => LineKind::Other,
        };
        let exchanged =
            link.exchange(&[&format!("{id} {command}")], awaited, limit, &mut kind).await;
        (answer, exchanged)
    }
}

/// The answer in a line; `None` if it is not one to the command of this number.
fn read_gtp_answer(line: &str, id: u32) -> Option<GtpAnswer> {
    let rest = line.strip_prefix(['=', '?'])?;
    let text = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = &rest[..rest.len() - text.len()];
    if !number.is_empty() && number.parse() != Ok(id) {
        return None;
    }
    let text = text.trim();
    Some(if line.starts_with('=') {
        Ok(text.to_owned())
    } else {
        Err(reply_error_excerpt(text.as_bytes()))
    })
}

/// The action of a vertex, written as the rules do; `None` if the text is not one.
fn parse_gtp_vertex(text: &str) -> Option<String> {
    if text.eq_ignore_ascii_case("pass") {
        return Some("pass".to_owned());
    }
    let vertex = text.to_ascii_uppercase();
    let column = vertex.chars().next().filter(|letter| COLUMNS.contains(*letter))?;
    let row = vertex.strip_prefix(column)?;
    let row: u8 = row.parse().ok().filter(|_| row.bytes().all(|it| it.is_ascii_digit()))?;
    Some(format!("{column}{row}"))
}

/// The time limits of a game. GTP counts whole seconds, so parts of a second are left out, except
/// that a limit of each move is at least a second. After the budget, an increment is like a period
/// for one stone: the engine never has less.
fn gtp_time_settings(control: &TimeControl) -> String {
    let TimeControl { budget, per_move, increment, moves, .. } = *control;
    let (main, period, stones) = match (budget, moves) {
        (Some(budget), Some(moves)) => (0, budget.as_secs(), moves),
        (Some(budget), None) if increment.as_secs() > 0 => {
            (budget.as_secs(), increment.as_secs(), 1)
        }
        (Some(budget), None) => (budget.as_secs(), 0, 0),
        (None, _) => (0, gtp_seconds_each_move(per_move.unwrap_or(UNLIMITED)), 1),
    };
    format!("time_settings {main} {period} {stones}")
}

/// What is left of the time of this colour.
fn gtp_time_left(control: &TimeControl, colour: &str, view: &TurnView<'_>) -> String {
    let (left, stones) = match (control.budget, control.per_move) {
        (Some(_), _) => (view.limit.allowance.as_secs(), view.clock.moves_to_go.unwrap_or(0)),
        (None, Some(_)) => (gtp_seconds_each_move(view.limit.allowance), 1),
        (None, None) => (gtp_seconds_each_move(UNLIMITED), 1),
    };
    format!("time_left {colour} {left} {stones}")
}

fn gtp_seconds_each_move(limit: Duration) -> u64 {
    limit.as_secs().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_by_their_numbers() {
        let text = |text: &str| Some(Ok(text.to_owned()));
        for line in ["=7 D4", "=7D4", "= D4", "=D4", "=7   D4 "] {
            assert_eq!(read_gtp_answer(line, 7), text("D4"), "{line}");
        }
        assert_eq!(read_gtp_answer("=7", 7), text(""));
        assert_eq!(
            read_gtp_answer("?7 illegal\u{1b} move", 7),
            Some(Err("illegal\\x1b move".into()))
        );
        for line in ["=8 D4", "?70 x", "=99999999999 D4", "D4", "thinking = hard", ""] {
            assert_eq!(read_gtp_answer(line, 7), None, "{line}");
        }
    }

    #[test]
    fn points_and_passes_are_actions() {
        for (text, action) in [("d4", "D4"), ("T19", "T19"), ("PASS", "pass"), ("j09", "J9")] {
            assert_eq!(parse_gtp_vertex(text).as_deref(), Some(action), "{text}");
        }
        for text in ["", "I5", "D", "4D", "D4 E5", "d-4", "D+4", "\u{e9}4", "D999", "resign now"] {
            assert_eq!(parse_gtp_vertex(text), None, "{text}");
        }
    }

    #[test]
    fn time_limits_never_promise_more_than_there_is() {
        let ms = Duration::from_millis;
        let unlimited = TimeControl::unlimited(ms(1));
        let budget = |left, increment| TimeControl {
            budget: Some(ms(left)),
            increment: ms(increment),
            ..unlimited
        };
        for (control, expected) in [
            (unlimited, "0 1 1"),
            (TimeControl { per_move: Some(ms(5900)), ..unlimited }, "0 5 1"),
            (TimeControl { per_move: Some(ms(100)), ..unlimited }, "0 1 1"),
            (budget(60_500, 0), "60 0 0"),
            (budget(60_000, 900), "60 0 0"),
            (budget(60_000, 2900), "60 2 1"),
            (TimeControl { moves: Some(40), ..budget(60_000, 2000) }, "0 60 40"),
        ] {
            assert_eq!(gtp_time_settings(&control), format!("time_settings {expected}"));
        }
    }
}
