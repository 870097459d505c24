//! `replay`: steps through a recorded game.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::board::picture;
use super::results::find;
use super::{Failure, Format, Status};
use crate::printer::Printer;
use crate::record::GameRecord;
use crate::record::log::LogReader;
use crate::rules::board::Square;
use crate::rules::event::NotPlaced;
use crate::rules::{BySeat, Event, Game, Seat, Turn};
use crate::tournament::audit::{Replay, Replayed, options_of};
use crate::tournament::folder::log_failure;
use crate::with_game;

/// Step through a recorded game
///
/// On a terminal Enter shows the next position and `q` leaves; otherwise all are printed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee replay 3f9a1c07be52-1
  referee replay 3f9a --results results/autumn-cup     (any beginning that is unique)
  referee replay 3f9a --ply 42                         that position alone
  referee replay 3f9a --format json                    the record")]
pub struct ReplayArgs {
    /// The game's id, or its beginning
    pub game_id: String,
    /// The tournament's folder (default: the newest under results/)
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Only the position after so many plies
    #[arg(long, value_name = "N")]
    pub ply: Option<u32>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Shows the game.
pub fn run(args: &ReplayArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = find(args.results.as_deref())?;
    let mut reader = LogReader::open(&dir).map_err(|error| log_failure(&dir, &error))?;
    let record = search(&mut reader, &args.game_id).map_err(|failure| match failure {
        Search::Log(error) => log_failure(&dir, &error),
        Search::Id(message) => Failure::input(format!("{message} in {}", dir.display())),
    })?;
    if args.format == Format::Json {
        let json =
            serde_json::to_string(&record).map_err(|error| Failure::system(error.to_string()))?;
        return printer.line(&json).map(|()| Status::Done);
    }
    let (kind, options) = options_of(reader.header()).map_err(Failure::input)?;
    with_game!(kind, G => {
        let rules = Arc::new(G::rules(&options).map_err(Failure::input)?);
        show::<G>(Replay::new(&rules, &record), &record, args.ply, printer)
    })
}

enum Search {
    Log(crate::record::log::LogError),
    Id(String),
}

fn search(reader: &mut LogReader, id: &str) -> Result<GameRecord, Search> {
    let mut found: Option<GameRecord> = None;
    while let Some(entry) = reader.next_entry().map_err(Search::Log)? {
        if entry.record.id == id {
            return Ok(entry.record);
        }
        if entry.record.id.starts_with(id) {
            if let Some(other) = found {
                let both = format!("{} and {}", other.id, entry.record.id);
                return Err(Search::Id(format!("`{id}` begins more than one id ({both})")));
            }
            found = Some(entry.record);
        }
    }
    found.ok_or_else(|| Search::Id(format!("there is no game `{id}`")))
}

fn show<G: Game>(
    mut replay: Replay<'_, G>,
    record: &GameRecord,
    only: Option<u32>,
    printer: Printer,
) -> Result<Status, Failure> {
    let interactive = std::io::stdin().is_terminal() && printer.is_terminal() && only.is_none();
    if only.is_none() {
        printer.line(&title(record))?;
        printer.line(&picture(&replay.position, &[], printer.colour))?;
    }
    loop {
        if only == Some(replay.position.ply()) {
            printer.line(&picture(&replay.position, &replay.events, printer.colour))?;
            return Ok(Status::Done);
        }
        let rolls = matches!(replay.position.turn(), Turn::Chance(..));
        if interactive && !rolls && !wants_more(printer)? {
            return Ok(Status::Done);
        }
        match replay.step() {
            Ok(Replayed::Step) => {}
            Ok(Replayed::End) => break,
            Err(problem) => return Err(Failure::input(problem)),
        }
        if only.is_none() {
            printer.line(&step_line(&replay.events, record, replay.position.ply()))?;
            if is_ply(&replay.events) {
                printer.line(&picture(&replay.position, &replay.events, printer.colour))?;
            }
        }
    }
    match only {
        Some(ply) => Err(Failure::input(format!("the game has {} plies, not {ply}", record.plies))),
        None => printer.line(&conclusion(record)).map(|()| Status::Done),
    }
}

fn wants_more(printer: Printer) -> Result<bool, Failure> {
    printer.prompt("Enter: next, q: leave ");
    let mut line = String::new();
    let read = std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::system(format!("cannot read the terminal: {error}")))?;
    Ok(read > 0 && line.trim() != "q")
}

fn title(record: &GameRecord) -> String {
    let (one, other) = (&record.players[Seat::First], &record.players[Seat::Second]);
    let names = &record.players.names;
    crate::escape::terminal(&format!(
        "{}: {one} ({}) against {other} ({}), pair {}, game {}",
        record.id, names.first, names.second, record.pair, record.game
    ))
}

fn step_line(events: &[Event], record: &GameRecord, ply: u32) -> String {
    let mut line = told(events, ply);
    for note in record.notes.iter().filter(|note| is_ply(events) && note.ply + 1 == ply) {
        let said = note.note.as_deref().unwrap_or_default();
        let eval = note.eval.map_or(String::new(), |eval| format!(" [{eval:+.2}]"));
        line.push_str(&crate::escape::terminal(&format!("  \"{said}\"{eval}")));
    }
    line
}

/// Whether a step was a ply; an outcome of chance is none, and leaves the board as it was.
pub(super) fn is_ply(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Action { .. }))
}

/// What happened in a step, with the number of its ply.
pub(super) fn told(events: &[Event], ply: u32) -> String {
    let words: Vec<String> = events.iter().map(in_words).collect();
    let words = words.join("; ");
    if is_ply(events) { format!("{ply}. {words}") } else { words }
}

/// An event as a few words.
fn in_words(event: &Event) -> String {
    match event {
        Event::Action { by, action, forced, on_behalf_of, .. } => {
            let owner = on_behalf_of.map_or(String::new(), |owner| format!(" for {owner}"));
            format!("{by} {action}{owner}{}", if *forced { " (forced)" } else { "" })
        }
        Event::Roll { seat, value } => format!("{seat} rolls {value}"),
        Event::First { rolls: [first, second] } => format!("{first} to {second} for who begins"),
        Event::Captured { squares } => format!("captured {}", list(squares)),
        Event::Removed { squares, .. } => format!("removed {}", list(squares)),
        Event::Shrink { size, removed } if removed.is_empty() => {
            format!("the board shrinks to {size}×{size}")
        }
        Event::Shrink { size, removed } => {
            format!("the board shrinks to {size}×{size}, taking {}", list(removed))
        }
        Event::Walls { placed, not_placed } => walls_in_words(placed, not_placed),
        Event::Redirected { by, piece, from, to } => {
            format!("{by}'s {piece} cannot go {from} and goes {to}")
        }
        Event::Moved { by, piece, path, contested } => match path.last() {
            Some(last) if contested.is_empty() => format!("{by}'s {piece} to {last}"),
            Some(last) => format!("{by}'s {piece} to {last}, contested {}", list(contested)),
            None => format!("{by}'s {piece} stays"),
        },
        Event::RoundEnd { board, winner, reason, squares } => {
            let BySeat { first, second } = squares.values;
            format!("{board} ends by {reason}, {first} to {second} squares: {winner}")
        }
        Event::RoundStart { board, .. } => format!("next board: {board}"),
        Event::Over { result: "draw", reason } => format!("draw by {reason}"),
        Event::Over { result, reason } => format!("{result} wins by {reason}"),
    }
}

fn list<'a>(squares: impl IntoIterator<Item = &'a Square>) -> String {
    squares.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn walls_in_words(placed: &[Square], not_placed: &[NotPlaced]) -> String {
    let placed =
        if placed.is_empty() { "no walls".to_owned() } else { format!("walls {}", list(placed)) };
    let refused: Vec<_> = not_placed
        .iter()
        .map(|NotPlaced { square, clauses }| format!("{square} ({})", clauses.join(" ")))
        .collect();
    if refused.is_empty() { placed } else { format!("{placed}, not {}", refused.join(" ")) }
}

fn conclusion(record: &GameRecord) -> String {
    let mut lines = Vec::new();
    for (seat, fault) in record.fault.iter().flatten() {
        lines.push(format!("{seat}: {}: {}", fault.code, fault.message));
    }
    let end = match record.winner() {
        Some(winner) => format!("{winner} ({}) wins: {}", record.result, record.reason),
        None => format!("draw: {}", record.reason),
    };
    lines.push(end);
    lines.iter().map(|line| crate::escape::terminal(line)).collect::<Vec<_>>().join("\n")
}
