//! Replay frames: a game as the replay viewer shows it. Every position is drawn and every event
//! described, so that the viewer needs no rules. All texts are safe to show.

use std::time::Duration;

use serde::Serialize;

use super::event_descriptions::{
    describe_events, describe_events_as_moves, squares_of_described_events,
};
use super::turning_points::TurningPoint;
use crate::replay::{Replay, ReplayError, ReplayStep, start_replay_clocks};
use referee_games::board::Square;
use referee_games::{
    AnyPosition, BoardLook, BySeat, Drawing, DrawnBoard, DrawnSquare, Event, Labels, Places, Seat,
    SeatMap, Text, Turn,
};
use referee_protocol::escape::escape_line;
use referee_record::model::adjudication::describe_adjudication_reason;
use referee_record::model::clock::{Clock, TimeControl};
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::{GameRecord, RecordedNote};

/// The most bytes of a game's own drawings; what comes after them is shown without.
const MOST_DRAWN: usize = 8 << 20;
/// The note about a game that must not be shown yet.
const SEALED: &str =
    "This game will be shown when the other game of its pair, which has the same luck, is over.";

/// Replaces the reason why such a game ended.
pub const SEALED_REASON: &str = "not shown yet";

/// A recorded game, frame by frame.
#[derive(Debug, Clone, Serialize)]
pub struct ReplayFrames {
    /// The game's id.
    pub id: String,
    /// The number of its pair, from 1, and which game of the pair, 1 or 2.
    pub pair: (u32, u8),
    /// The players' names, first seat first.
    pub players: Vec<String>,
    /// The seats' names.
    pub seats: Vec<Text>,
    /// What the characters on its boards mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<BoardLook>,
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
    /// The whole board, in the first frame and whenever its size or its labels change.
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<WholeBoard>,
    /// The position as plain text, in games without a board, whenever it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Vec<String>>,
    /// The game's own drawing, whenever it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<SvgChange>,
    /// The squares that changed, numbered row by row, with their new content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    set: Vec<(usize, DrawnSquare)>,
    /// The squares named in the last actions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    named: Vec<usize>,
    /// The paths of the pieces that moved step by step, each with its seat and the squares that it
    /// entered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<(u8, Vec<usize>)>,
    /// The dice that are to be played, each with the seat that rolled it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dice: Vec<(u8, u8)>,
    /// Information that the board does not show.
    pub caption: String,
    /// A description of the step.
    told: String,
    /// The actions in short, each with its seat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<(u8, String)>,
    /// Whether a fault happened here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bad: bool,
    /// The seats that were on turn, each with the time it used and, with a budget, the time it has
    /// left, in milliseconds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clock: Vec<(u8, f64, Option<f64>)>,
    /// The view of each seat, in a game with hidden information.
    #[serde(skip_serializing_if = "Option::is_none")]
    views: Option<Vec<String>>,
    /// What would have been better here, for each seat that did worse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turned: Vec<(u8, String)>,
    /// The players' remarks: seat, note, evaluation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<(u8, Option<String>, Option<f64>)>,
}

/// A drawing, or the text of one: how many characters it has in common with the one before at the
/// start and at the end, and what is between them. Of a long drawing, a ply often changes little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct SvgChange(usize, usize, String);

impl SvgChange {
    /// Both drawings are ASCII.
    fn between(old: &str, new: &str) -> Option<Self> {
        if old == new {
            return None;
        }
        let is_same = |(one, other): &(u8, u8)| one == other;
        let start = old.bytes().zip(new.bytes()).take_while(is_same).count();
        let (rest_of_old, rest) = (&old[start..], &new[start..]);
        let ends = rest_of_old.bytes().rev().zip(rest.bytes().rev());
        let end = ends.take_while(is_same).count();
        Some(Self(start, end, rest[..rest.len() - end].to_owned()))
    }
}

/// The game's own drawing of a position. One that is not allowed is left out: `test-game` says what
/// is wrong with it, and the board or the text is shown.
fn frame_svg(position: &dyn AnyPosition) -> String {
    position.svg().ok().flatten().unwrap_or_default()
}

/// A board with its labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct WholeBoard {
    cells: Vec<Vec<DrawnSquare>>,
    #[serde(skip_serializing_if = "Labels::is_empty")]
    columns: Labels,
    #[serde(skip_serializing_if = "Labels::is_empty")]
    rows: Labels,
}

impl From<DrawnBoard> for WholeBoard {
    fn from(board: DrawnBoard) -> Self {
        let DrawnBoard { cells, columns, rows, .. } = board;
        Self { cells: cells.into_iter().map(|row| row.0).collect(), columns, rows }
    }
}

impl Frame {
    /// A position by itself, after these events.
    pub fn whole(position: &dyn AnyPosition, events: &[Event]) -> Self {
        let mut frame = Self {
            ply: position.ply(),
            caption: position.caption(),
            told: describe_events(events),
            svg: SvgChange::between("", &frame_svg(position)),
            ..Self::default()
        };
        match position.draw() {
            Drawing::Text(rows) => frame.text = Some(safe_frame_rows(&rows)),
            Drawing::Board(board, look) => {
                frame.named = squares_of_described_events(events, &board, look);
                frame.paths = frame_piece_paths(events, position, board.width());
                frame.dice = frame_dice(&board, position);
                frame.board = Some(board.into());
            }
        }
        frame
    }

    /// Shows a position in which only the luck is new: dice and caption.
    pub fn show_luck(&mut self, position: &dyn AnyPosition) {
        self.caption = position.caption();
        if let Drawing::Board(board, _) = position.draw() {
            self.dice = frame_dice(&board, position);
        }
    }
}

impl ReplayFrames {
    /// Makes the replay frames of a record. If the record cannot be replayed, the last frame says
    /// why.
    pub fn from_record(rules: &GameRules, control: &TimeControl, record: &GameRecord) -> Self {
        Self::from_record_watched(rules, control, record, |_| ()).0
    }

    /// Like [`from_record`](Self::from_record), but calls `watch` before each step. Also returns
    /// the reason why the record cannot be replayed, if it cannot.
    pub fn from_record_watched(
        rules: &GameRules,
        control: &TimeControl,
        record: &GameRecord,
        watch: impl FnMut(&Replay<'_>),
    ) -> (Self, Result<(), ReplayError>) {
        let mut builder = FrameBuilder::new(rules, control, record);
        let replayed = Replay::with_rules(rules, record)
            .and_then(|mut replay| builder.add_game(&mut replay, watch));
        if let Err(problem) = &replayed {
            builder.add_end(format!("the record cannot be replayed: {problem}"));
        }
        for (seat, fault) in record.fault.iter().flatten() {
            builder.add_end(format!("{seat}: {}: {}", fault.code, fault.reason()));
        }
        (Self::from_frames(rules, record, builder.frames), replayed)
    }

    /// Marks the plies at which the game turned.
    pub fn mark_turning_points(&mut self, points: &[TurningPoint]) {
        for point in points {
            let frame = self.frames.iter_mut().find(|frame| frame.ply == point.ply);
            if let Some(frame) = frame {
                frame.turned.push((point.seat.number(), escape_line(&point.to_string())));
            }
        }
    }

    /// A record that may only show its result yet.
    pub fn sealed(rules: &GameRules, record: &GameRecord) -> Self {
        let text = Some(Vec::new());
        let caption = SEALED.to_owned();
        let record = &GameRecord { reason: SEALED_REASON.to_owned(), ..record.clone() };
        Self::from_frames(rules, record, vec![Frame { text, caption, ..Frame::default() }])
    }

    fn from_frames(rules: &GameRules, record: &GameRecord, frames: Vec<Frame>) -> Self {
        let safe = |seat| escape_line(&record.players[seat]);
        Self {
            id: escape_line(&record.id),
            pair: (record.pair, record.game),
            players: record.players.seats().map(safe).collect(),
            seats: rules.seats().into_iter().collect(),
            look: rules.game.look().cloned(),
            end: describe_game_end(record),
            frames,
        }
    }
}

/// How a recorded game ended: who won at which seat, or the places, and why.
pub fn describe_game_end(record: &GameRecord) -> String {
    describe_game_end_for_reason(record, &record.reason)
}

/// The same for those who may know only this reason.
pub fn describe_game_end_for_reason(record: &GameRecord, reason: &str) -> String {
    let SeatMap { names, values } = &record.players;
    let places = record.places().unwrap_or(Places::level(names.len()));
    describe_end_of_seats(places, reason, |seat| (&values[seat], &names[seat]))
}

/// How a game with these places ended, and why; `named` gives the player and the name of a seat.
pub fn describe_end_of_seats<'a>(
    places: Places,
    reason: &str,
    named: impl Fn(Seat) -> (&'a str, &'a str),
) -> String {
    let reason = describe_adjudication_reason(reason);
    let at = |seat| {
        let (player, seat) = named(seat);
        format!("{player} ({seat})")
    };
    let end = match (places.seats(), places.winner()) {
        (2, Some(winner)) => format!("{} wins: {reason}", at(winner)),
        (2, None) => format!("draw: {reason}"),
        _ => format!("{}: {reason}", places.in_words(at)),
    };
    escape_line(&end)
}

/// Builds the frames of one game.
struct FrameBuilder<'a> {
    record: &'a GameRecord,
    /// Whether a seat may not see everything.
    is_hidden: bool,
    frames: Vec<Frame>,
    /// What the last frame shows.
    board: DrawnBoard,
    text: Vec<String>,
    svg: String,
    /// The bytes of all drawings so far.
    drawn: usize,
    clocks: BySeat<Clock>,
    /// The frame of the last ply, not added yet.
    next: Frame,
    /// The events of that ply.
    acted: Vec<Event>,
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
            text: Vec::new(),
            svg: String::new(),
            drawn: 0,
            clocks: start_replay_clocks(control, record),
            next: Frame::default(),
            acted: Vec::new(),
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
            if !matches!(replay.current_position().turn(), Turn::Chance(_)) {
                self.add(replay.current_position());
            }
            let Some(played) = replay.next().transpose()? else { break };
            if matches!(played.turn, Turn::Chance(_)) {
                self.rolled.extend(played.events);
            } else {
                self.follow(played, replay.current_position());
            }
        }
        self.add(replay.current_position());
        self.next.clock = self.spend(&replay.unanswered_times());
        Ok(())
    }

    /// Follows a ply, which led to this position.
    fn follow(&mut self, played: ReplayStep<'_>, position: &dyn AnyPosition) {
        let rolled = std::mem::take(&mut self.rolled);
        self.acted = played.events;
        self.next = Frame {
            ply: position.ply(),
            paths: frame_piece_paths(&self.acted, position, self.board.width()),
            told: describe_events(rolled.iter().chain(&self.acted)),
            moves: describe_events_as_moves(&self.acted, &position.seats()),
            clock: self.spend(&played.used),
            said: frame_notes_by_seat(&self.record.notes, position),
            ..Frame::default()
        };
    }

    /// Updates the clocks with the time each seat used.
    fn spend(&mut self, used: &BySeat<Option<Duration>>) -> Vec<(u8, f64, Option<f64>)> {
        let mut clock = Vec::new();
        for (seat, used) in used.iter() {
            let Some(used) = *used else { continue };
            self.clocks[seat].spend(used);
            let left = self.clocks[seat].left().map(frame_millis);
            clock.push((seat.number(), frame_millis(used), left));
        }
        clock
    }

    /// Adds the frame of the last ply if it was not added yet.
    fn add(&mut self, position: &dyn AnyPosition) {
        if self.frames.last().is_some_and(|last| last.ply == position.ply()) {
            return;
        }
        let mut frame = std::mem::take(&mut self.next);
        frame.caption = position.caption();
        let svg = if self.drawn < MOST_DRAWN { frame_svg(position) } else { String::new() };
        frame.svg = SvgChange::between(&self.svg, &svg);
        self.drawn += frame.svg.as_ref().map_or(0, |SvgChange(.., text)| text.len());
        self.svg = svg;
        frame.views = self.is_hidden.then(|| {
            position.seats().seats().map(|seat| frame_seat_view(position, seat)).collect()
        });
        match position.draw() {
            Drawing::Text(rows) => self.add_text(&mut frame, rows),
            Drawing::Board(board, look) => self.add_board(&mut frame, board, look, position),
        }
        self.frames.push(frame);
    }

    /// Adds plain text to a frame, if it is new.
    fn add_text(&mut self, frame: &mut Frame, rows: Vec<String>) {
        frame.paths.clear();
        if self.frames.is_empty() || self.text != rows {
            frame.text = Some(safe_frame_rows(&rows));
            self.text = rows;
        }
    }

    /// Adds what is new on a board to a frame.
    fn add_board(
        &mut self,
        frame: &mut Frame,
        board: DrawnBoard,
        look: &BoardLook,
        position: &dyn AnyPosition,
    ) {
        frame.dice = frame_dice(&board, position);
        let old = std::mem::replace(&mut self.board, board);
        let new = &self.board;
        let has_same_shape = new.cells.len() == old.cells.len()
            && new.width() == old.width()
            && (&new.columns, &new.rows) == (&old.columns, &old.rows);
        if has_same_shape {
            let changed = old.squares().zip(new.squares()).enumerate();
            let changed = changed.filter(|(_, (old, new))| old != new);
            frame.set = changed.map(|(at, (_, new))| (at, new.clone())).collect();
            frame.named = squares_of_described_events(&self.acted, new, look);
        } else {
            frame.board = Some(new.clone().into());
            frame.paths.clear();
        }
    }

    /// Adds a last frame that says why the game ended there.
    fn add_end(&mut self, told: String) {
        let ply = self.frames.last().map_or(0, |last| last.ply);
        let caption = self.frames.last().map_or(String::new(), |last| last.caption.clone());
        let clock = std::mem::take(&mut self.next.clock);
        self.frames.push(Frame { ply, caption, told, clock, bad: true, ..Frame::default() });
    }
}

/// Lines of plain text, safe to show.
fn safe_frame_rows(rows: &[String]) -> Vec<String> {
    rows.iter().map(|row| escape_line(row)).collect()
}

/// The dice that are to be played, each with the number of its seat.
fn frame_dice(board: &DrawnBoard, position: &dyn AnyPosition) -> Vec<(u8, u8)> {
    let seats = position.seats();
    let number = |name: &str| seats.seat(name).map_or(0, Seat::number);
    board.dice.iter().map(|die| (number(&die.seat), die.value)).collect()
}

/// The paths of the pieces that moved step by step.
fn frame_piece_paths(
    events: &[Event],
    position: &dyn AnyPosition,
    width: usize,
) -> Vec<(u8, Vec<usize>)> {
    let path = |event: &Event| match event {
        Event::Moved { by, path, .. } if !path.is_empty() => {
            let seat = position.seats().seat(by)?;
            Some((seat.number(), frame_square_numbers(path, width)))
        }
        _ => None,
    };
    events.iter().filter_map(path).collect()
}

/// The squares as numbers, row by row on a board of this width.
fn frame_square_numbers(squares: &[Square], width: usize) -> Vec<usize> {
    let number = |square: &Square| usize::from(square.row) * width + usize::from(square.column);
    squares.iter().map(number).collect()
}

/// The view of a seat: text unchanged, anything else as JSON.
fn frame_seat_view(position: &dyn AnyPosition, seat: Seat) -> String {
    let view = position.view(seat);
    let text = serde_json::from_str::<String>(view.get()).unwrap_or_else(|_| view.get().to_owned());
    text.lines().map(escape_line).collect::<Vec<_>>().join("\n")
}

/// The players' remarks on the ply that led to this position.
fn frame_notes_by_seat(
    notes: &[RecordedNote],
    position: &dyn AnyPosition,
) -> Vec<(u8, Option<String>, Option<f64>)> {
    let seats = position.seats();
    let Some(ply) = position.ply().checked_sub(1) else { return Vec::new() };
    // They are in the order of the game.
    let from = &notes[notes.partition_point(|note| note.ply < ply)..];
    let of_ply = from.iter().take_while(|note| note.ply == ply);
    of_ply
        .map(|note| {
            let seat = seats.seat(&note.by).map_or(0, Seat::number);
            (seat, note.text().as_deref().map(escape_line), note.eval)
        })
        .collect()
}

/// Milliseconds, to two decimals.
fn frame_millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 100_000.0).round() / 100.0
}

#[cfg(test)]
mod tests;
