//! Replay frames: a game as the replay viewer shows it. Every position is drawn and every event
//! described, so that the viewer needs no rules. All texts are safe to show.

use std::time::Duration;

use serde::Serialize;

use super::story;
use crate::replay::{self, Replay, ReplayError, ReplayStep};
use referee_games::board::Square;
use referee_games::{AnyPosition, BySeat, DrawnBoard, DrawnSquare, Event, Seat, Text, Turn};
use referee_protocol::escape;
use referee_record::model::clock::{Clock, TimeControl};
use referee_record::model::record::{GameRecord, Note};
use referee_record::model::rules::GameRules;

/// The note about a game that must not be shown yet.
const SEALED: &str =
    "This game is shown when the other game of its pair, which has the same luck, is over.";

/// What is said instead of the reason why such a game ended.
pub const SEALED_REASON: &str = "not shown yet";

/// A recorded game, frame by frame.
#[derive(Debug, Clone, Serialize)]
pub struct ReplayFrames {
    /// The game's id.
    pub id: String,
    /// The number of its pair, from 1, and which game of the pair, 1 or 2.
    pub pair: (u32, u8),
    /// The players' names, first seat first.
    pub players: [String; 2],
    /// The seats' names.
    pub seats: [Text; 2],
    /// A description of how the game ended.
    pub end: String,
    /// The start, then one frame per ply, and one more if a fault ended the game.
    pub frames: Vec<Frame>,
}

/// The changes that the viewer shows after a ply, compared with the frame before.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Frame {
    /// Plies played.
    ply: u32,
    /// The whole board by rows, in the first frame and whenever its size changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Vec<Vec<String>>>,
    /// The squares that changed, numbered row by row, with their new content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    set: Vec<(usize, String)>,
    /// The squares named in the last actions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    named: Vec<usize>,
    /// The paths of the pieces that moved step by step, each with its seat and the squares that it
    /// entered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<(u8, Vec<usize>)>,
    /// Information that the board does not show.
    pub caption: String,
    /// A description of the step.
    told: String,
    /// Whether a fault happened here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bad: bool,
    /// The seats that were on turn, each with the time it used and, with a budget, the time it has
    /// left, in milliseconds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clock: Vec<(u8, f64, Option<f64>)>,
    /// The view of each seat, in a game with hidden information.
    #[serde(skip_serializing_if = "Option::is_none")]
    views: Option<[String; 2]>,
    /// The players' remarks: seat, note, evaluation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<(u8, Option<String>, Option<f64>)>,
}

impl Frame {
    /// A position by itself, after these events.
    pub fn whole(position: &dyn AnyPosition, events: &[Event]) -> Self {
        let board = position.draw();
        let width = width(&board);
        Self {
            ply: position.ply(),
            board: Some(whole_board(&board)),
            named: numbers(&story::named_squares(events), width),
            paths: paths(events, position, width),
            caption: position.caption(),
            told: story::describe_events(events),
            ..Self::default()
        }
    }
}

impl ReplayFrames {
    /// Makes the replay frames of a record. If the record cannot be replayed, the last frame says
    /// why.
    pub fn of(rules: &GameRules, control: &TimeControl, record: &GameRecord) -> Self {
        Self::watched(rules, control, record, |_| ()).0
    }

    /// Like [`of`](Self::of), but calls `watch` before each step. Also returns the reason why the
    /// record cannot be replayed, if it cannot.
    pub fn watched(
        rules: &GameRules,
        control: &TimeControl,
        record: &GameRecord,
        watch: impl FnMut(&Replay<'_>),
    ) -> (Self, Result<(), ReplayError>) {
        let mut builder = FrameBuilder::new(rules, control, record);
        let replayed = Replay::of(rules, record)
            .map_err(ReplayError::from)
            .and_then(|mut replay| builder.add_game(&mut replay, watch));
        if let Err(problem) = &replayed {
            builder.add_end(format!("the record cannot be replayed: {problem}"));
        }
        for (seat, fault) in record.fault.iter().flatten() {
            builder.add_end(format!("{seat}: {}: {}", fault.code, fault.reason()));
        }
        (Self::with(rules, record, builder.frames), replayed)
    }

    /// A record of which only the result may be shown yet.
    pub fn sealed(rules: &GameRules, record: &GameRecord) -> Self {
        let board = Some(vec![vec![".".to_owned()]]);
        let caption = SEALED.to_owned();
        let record = &GameRecord { reason: SEALED_REASON.to_owned(), ..record.clone() };
        Self::with(rules, record, vec![Frame { board, caption, ..Frame::default() }])
    }

    fn with(rules: &GameRules, record: &GameRecord, frames: Vec<Frame>) -> Self {
        let safe = |seat| escape::terminal(&record.players[seat]);
        Self {
            id: escape::terminal(&record.id),
            pair: (record.pair, record.game),
            players: Seat::BOTH.map(safe),
            seats: Seat::BOTH.map(|seat| rules.seats()[seat].clone()),
            end: describe_end(record.winner(), &record.result, &record.reason),
            frames,
        }
    }
}

/// How a game ended: who won at which seat, and why.
pub fn describe_end(winner: Option<&str>, seat: &str, reason: &str) -> String {
    let end = match winner {
        Some(winner) => format!("{winner} ({seat}) wins: {reason}"),
        None => format!("draw: {reason}"),
    };
    escape::terminal(&end)
}

/// Builds the frames of one game.
struct FrameBuilder<'a> {
    record: &'a GameRecord,
    /// Whether a seat may not see everything.
    is_hidden: bool,
    frames: Vec<Frame>,
    /// The board of the last frame.
    board: DrawnBoard,
    clocks: BySeat<Clock>,
    /// The frame of the last ply, not added yet.
    next: Frame,
    /// The chance events since that ply.
    rolled: Vec<Event>,
}

impl<'a> FrameBuilder<'a> {
    fn new(rules: &GameRules, control: &TimeControl, record: &'a GameRecord) -> Self {
        Self {
            record,
            is_hidden: rules.game.is_hidden(),
            frames: Vec::new(),
            board: DrawnBoard::default(),
            clocks: replay::clocks(control, record),
            next: Frame::default(),
            rolled: Vec::new(),
        }
    }

    /// Processes the whole game, and calls `watch` before each step. A roll is drawn in the
    /// position it leads to, and described with the ply after it.
    ///
    /// # Errors
    /// The record cannot be replayed.
    fn add_game(
        &mut self,
        replay: &mut Replay<'_>,
        mut watch: impl FnMut(&Replay<'_>),
    ) -> Result<(), ReplayError> {
        loop {
            watch(replay);
            if !matches!(replay.current().turn(), Turn::Chance(_)) {
                self.add(replay.current());
            }
            let Some(played) = replay.next().transpose()? else { break };
            if matches!(played.turn, Turn::Chance(_)) {
                self.rolled.extend(played.events);
            } else {
                self.follow(&played, replay.current());
            }
        }
        self.add(replay.current());
        self.next.clock = self.spend(replay.unanswered());
        Ok(())
    }

    /// Follows a ply.
    fn follow(&mut self, played: &ReplayStep<'_>, position: &dyn AnyPosition) {
        let mut events = std::mem::take(&mut self.rolled);
        events.extend_from_slice(&played.events);
        self.next = Frame {
            ply: position.ply(),
            named: numbers(&story::named_squares(&played.events), width(&self.board)),
            paths: paths(&played.events, position, width(&self.board)),
            told: story::describe_events(&events),
            clock: self.spend(played.used),
            said: notes_by_seat(&self.record.notes, position),
            ..Frame::default()
        };
    }

    /// Updates the clocks with the time each seat used.
    fn spend(&mut self, used: BySeat<Option<Duration>>) -> Vec<(u8, f64, Option<f64>)> {
        let mut clock = Vec::new();
        for (seat, used) in used.iter() {
            let Some(used) = *used else { continue };
            self.clocks[seat].spend(used);
            let left = self.clocks[seat].left().map(millis);
            clock.push((seat as u8, millis(used), left));
        }
        clock
    }

    /// Adds the frame of the last ply if it was not added yet.
    fn add(&mut self, position: &dyn AnyPosition) {
        if self.frames.last().is_some_and(|last| last.ply == position.ply()) {
            return;
        }
        let old = std::mem::replace(&mut self.board, position.draw());
        let new = &self.board;
        let mut frame = std::mem::take(&mut self.next);
        frame.caption = position.caption();
        frame.views = self.is_hidden.then(|| Seat::BOTH.map(|seat| view(position, seat)));
        if new.iter().map(Vec::len).eq(old.iter().map(Vec::len)) {
            for (at, (old, new)) in old.iter().flatten().zip(new.iter().flatten()).enumerate() {
                if old != new {
                    frame.set.push((at, text_of(new)));
                }
            }
        } else {
            frame.board = Some(whole_board(new));
            frame.named.clear();
            frame.paths.clear();
        }
        self.frames.push(frame);
    }

    /// Adds a last frame that says why the game ended there.
    fn add_end(&mut self, told: String) {
        let ply = self.frames.last().map_or(0, |last| last.ply);
        let caption = self.frames.last().map_or(String::new(), |last| last.caption.clone());
        let clock = std::mem::take(&mut self.next.clock);
        self.frames.push(Frame { ply, caption, told, clock, bad: true, ..Frame::default() });
    }
}

/// The number of squares in the first row.
fn width(board: &DrawnBoard) -> usize {
    board.first().map_or(0, Vec::len)
}

fn whole_board(board: &DrawnBoard) -> Vec<Vec<String>> {
    board.iter().map(|row| row.iter().map(text_of).collect()).collect()
}

/// The paths of the pieces that moved step by step.
fn paths(events: &[Event], position: &dyn AnyPosition, width: usize) -> Vec<(u8, Vec<usize>)> {
    let path = |event: &Event| match event {
        Event::Moved { by, path, .. } if !path.is_empty() => {
            let seat = u8::from(position.seats().first != *by);
            Some((seat, numbers(path, width)))
        }
        _ => None,
    };
    events.iter().filter_map(path).collect()
}

/// The squares as numbers, row by row on a board of this width.
fn numbers(squares: &[Square], width: usize) -> Vec<usize> {
    let number = |square: &Square| usize::from(square.row) * width + usize::from(square.column);
    squares.iter().map(number).collect()
}

/// The view of a seat: text as it is, anything else as JSON.
fn view(position: &dyn AnyPosition, seat: Seat) -> String {
    let view = position.view(seat);
    let text = serde_json::from_str::<String>(view.get()).unwrap_or_else(|_| view.get().to_owned());
    text.lines().map(escape::terminal).collect::<Vec<_>>().join("\n")
}

/// A square as text: its character alone, or followed by its owner's seat, the seat whose goal it
/// is (each `0`, `1` or `-`), and the pieces on it, each as a letter and a seat.
fn text_of(square: &DrawnSquare) -> String {
    let DrawnSquare { symbol, pieces, owner, goal } = square;
    let mut text = String::from(*symbol);
    if !pieces.is_empty() || owner.is_some() || goal.is_some() {
        text.extend([*owner, *goal].map(digit));
        text.extend(pieces.iter().flat_map(|&(seat, letter)| [letter, digit(Some(seat))]));
    }
    text
}

fn digit(seat: Option<Seat>) -> char {
    match seat {
        Some(Seat::First) => '0',
        Some(Seat::Second) => '1',
        None => '-',
    }
}

/// The players' remarks on the ply that led to this position.
fn notes_by_seat(
    notes: &[Note],
    position: &dyn AnyPosition,
) -> Vec<(u8, Option<String>, Option<f64>)> {
    let first = &position.seats().first;
    let of_ply = notes.iter().filter(|note| note.ply + 1 == position.ply());
    of_ply
        .map(|note| {
            let seat = u8::from(*first != note.by);
            (seat, note.text().as_deref().map(escape::terminal), note.eval)
        })
        .collect()
}

/// Milliseconds, to two decimals.
fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 100_000.0).round() / 100.0
}

#[cfg(test)]
mod tests;
