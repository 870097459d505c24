//! A game as the replay viewer shows it: every position drawn, every event in words, so that the
//! viewer needs no rules. All texts are safe to show.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::drawing::{self, Cell};
use super::story;
use crate::escape;
use crate::model::clock::{Clock, TimeControl};
use crate::model::record::{GameRecord, Note};
use crate::tournament::audit::{Replay, Replayed};
use referee_games::board::Square;
use referee_games::{BySeat, Event, Game, Seat, Turn};

/// A recorded game, frame by frame.
#[derive(Debug, Clone, Serialize)]
pub struct Film {
    /// The game's id.
    pub id: String,
    /// The number of its pair, from 1, and which game of the pair, 1 or 2.
    pub pair: (u32, u8),
    /// The players' names, first seat first.
    pub players: [String; 2],
    /// The seats' names.
    pub seats: [&'static str; 2],
    /// How it ended, in words.
    pub end: String,
    /// The start and then a frame a ply; one more where a fault ended the game.
    pub frames: Vec<Frame>,
}

/// What there is to see after a ply, as far as it differs from the frame before.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Frame {
    /// Plies played.
    pub ply: u32,
    /// The whole board by rows, where it is the first or of another size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<Vec<Vec<String>>>,
    /// Squares that changed, numbered row by row, with what they show now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<(usize, String)>,
    /// The squares that the last actions named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<usize>,
    /// What the board does not show.
    pub caption: String,
    /// What happened.
    pub told: String,
    /// Something is wrong here: a fault.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bad: bool,
    /// The seats that were asked, each with the time it used and, with a budget, what it has
    /// left, in milliseconds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clock: Vec<(u8, f64, Option<f64>)>,
    /// What the players said: seat, note, evaluation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<(u8, Option<String>, Option<f64>)>,
}

impl Film {
    /// The film of a record. A record that cannot be replayed ends with a frame that says why.
    pub fn of<G: Game>(rules: &Arc<G::Rules>, control: &TimeControl, record: &GameRecord) -> Self {
        let mut camera = Camera::new(control, record);
        let mut replay = Replay::<G>::new(rules, record);
        let problem = camera.shoot(&mut replay);
        if let Some(problem) = problem {
            camera.add_end(format!("the record cannot be replayed: {problem}"));
        }
        for (seat, fault) in record.fault.iter().flatten() {
            camera.add_end(format!("{seat}: {}: {}", fault.code, fault.message));
        }
        let safe = |seat| escape::terminal(&record.players[seat]);
        Self {
            id: escape::terminal(&record.id),
            pair: (record.pair, record.game),
            players: Seat::BOTH.map(safe),
            seats: Seat::BOTH.map(|seat| G::SEATS[seat]),
            end: end_in_words(record),
            frames: camera.frames,
        }
    }
}

/// How a game ended: who won at which seat, and why.
pub fn end_in_words(record: &GameRecord) -> String {
    let end = match record.winner() {
        Some(winner) => format!("{winner} ({}) wins: {}", record.result, record.reason),
        None => format!("draw: {}", record.reason),
    };
    escape::terminal(&end)
}

/// Makes the frames of one game.
struct Camera<'a> {
    record: &'a GameRecord,
    frames: Vec<Frame>,
    /// The board of the last frame.
    board: Vec<Vec<String>>,
    clocks: BySeat<Clock>,
    /// How many of the times were shown, by seat.
    timed: BySeat<usize>,
    /// Actions played, those of the opening included.
    actions: usize,
    /// What the next frame shows of the ply that was played last.
    next: Frame,
    /// What was drawn since.
    rolled: Vec<Event>,
}

impl<'a> Camera<'a> {
    fn new(control: &TimeControl, record: &'a GameRecord) -> Self {
        let clocks = BySeat::from_fn(|seat| {
            let mut clock = Clock::new(*control);
            clock.charge_startup(Duration::from_nanos(record.clock.startup_ns[seat]));
            clock
        });
        Self {
            record,
            frames: Vec::new(),
            board: Vec::new(),
            clocks,
            timed: BySeat::new(0, 0),
            actions: 0,
            next: Frame::default(),
            rolled: Vec::new(),
        }
    }

    /// Takes the whole game, and says what is wrong with the record if it cannot be replayed.
    /// A roll belongs to the position that it leads to, and to the words of the ply after it.
    fn shoot<G: Game>(&mut self, replay: &mut Replay<'_, G>) -> Option<String> {
        loop {
            let turn = replay.position.turn();
            if !matches!(turn, Turn::Chance(..)) {
                self.add(&replay.position);
            }
            match replay.step() {
                Ok(Replayed::Step) => {}
                Ok(Replayed::End) => {
                    self.add(&replay.position);
                    self.next.clock = self.ask(&turn);
                    return None;
                }
                Err(problem) => return Some(problem),
            }
            if matches!(turn, Turn::Chance(..)) {
                self.rolled.append(&mut replay.events);
            } else {
                self.follow(&turn, &replay.position, &replay.events);
            }
        }
    }

    /// A ply was played.
    fn follow<G: Game>(&mut self, turn: &Turn<G::Chance>, position: &G, events: &[Event]) {
        let given = self.actions < self.record.opening.len();
        self.actions += if matches!(turn, Turn::Both) { 2 } else { 1 };
        let mut all = std::mem::take(&mut self.rolled);
        all.extend_from_slice(events);
        self.next = Frame {
            ply: position.ply(),
            named: self.numbers(&story::named_squares(events)),
            told: story::words(&all),
            clock: if given { Vec::new() } else { self.ask(turn) },
            said: said(&self.record.notes, position),
            ..Frame::default()
        };
    }

    /// The clocks of those who were asked in this turn.
    fn ask<C>(&mut self, turn: &Turn<C>) -> Vec<(u8, f64, Option<f64>)> {
        let asked: &[Seat] = match turn {
            Turn::Move(Seat::First) => &[Seat::First],
            Turn::Move(Seat::Second) => &[Seat::Second],
            Turn::Both => &Seat::BOTH,
            Turn::Pass(_) | Turn::Chance(..) | Turn::Over(_) => &[],
        };
        let mut clock = Vec::new();
        for &seat in asked {
            let Some(&used) = self.record.clock.used_ns[seat].get(self.timed[seat]) else {
                continue;
            };
            self.timed[seat] += 1;
            let used = Duration::from_nanos(used);
            self.clocks[seat].spend(used);
            let left = self.clocks[seat].left().map(millis);
            clock.push((seat as u8, millis(used), left));
        }
        clock
    }

    /// Adds the frame of the last ply, if it is not there yet.
    fn add<G: Game>(&mut self, position: &G) {
        if self.frames.last().is_some_and(|last| last.ply == position.ply()) {
            return;
        }
        let board = drawing(position);
        let mut frame = std::mem::take(&mut self.next);
        frame.caption = position.caption();
        if same_shape(&self.board, &board) {
            let (old, new) = (self.board.iter().flatten(), board.iter().flatten());
            let changed = old.zip(new).enumerate().filter(|(_, (old, new))| old != new);
            frame.set = changed.map(|(at, (_, new))| (at, new.clone())).collect();
        } else {
            frame.board = Some(board.clone());
            frame.named.clear();
        }
        self.board = board;
        self.frames.push(frame);
    }

    /// Adds a frame that shows why the game went no further.
    fn add_end(&mut self, told: String) {
        let ply = self.frames.last().map_or(0, |last| last.ply);
        let caption = self.frames.last().map_or(String::new(), |last| last.caption.clone());
        let clock = std::mem::take(&mut self.next.clock);
        self.frames.push(Frame { ply, caption, told, clock, bad: true, ..Frame::default() });
    }

    fn numbers(&self, squares: &[Square]) -> Vec<usize> {
        let width = self.board.first().map_or(0, Vec::len);
        let number = |square: &Square| usize::from(square.row) * width + usize::from(square.column);
        squares.iter().map(number).collect()
    }
}

fn same_shape(one: &[Vec<String>], other: &[Vec<String>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.len() == other.len())
}

/// The board by rows. A square is its character alone, or followed by the seat that owns it, the
/// seat whose goal it is, each `0`, `1` or `-`, and the pieces on it, each a letter and its seat.
fn drawing<G: Game>(position: &G) -> Vec<Vec<String>> {
    let cells = drawing::cells(position);
    cells.iter().map(|row| row.iter().map(square).collect()).collect()
}

fn square(cell: &Cell) -> String {
    let Cell { symbol, pieces, owner, goal } = cell;
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

/// What the players said of the ply that led to this position.
fn said<G: Game>(notes: &[Note], position: &G) -> Vec<(u8, Option<String>, Option<f64>)> {
    let of_ply = notes.iter().filter(|note| note.ply + 1 == position.ply());
    of_ply
        .map(|note| {
            let seat = u8::from(G::SEATS[Seat::First] != note.by);
            (seat, note.note.as_deref().map(escape::terminal), note.eval)
        })
        .collect()
}

/// Milliseconds, in hundredths.
fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 100_000.0).round() / 100.0
}
