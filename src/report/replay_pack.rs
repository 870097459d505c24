//! Replay packs: the replay frames of many games in few bytes, for a file beside the page.
//!
//! A pack keeps the changes from frame to frame in columns of small numbers, which compress well:
//! parts of texts as templates and the numbers in them, squares as differences from the squares predicted
//! from the text, times as whole numbers. `pack.js` reads it. The format is internal; the file
//! contains its version.

use std::collections::HashMap;
use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::{Value, json};

use super::replay_frames::{Frame, ReplayFrames};

/// Marks a number in a template.
const NUMBER: char = '\u{1}';
/// Separates the parts of what a step tells: the action and its consequences.
const SEPARATOR: &str = "; ";
/// The longest number in a text, in digits, that a template leaves out.
const DIGITS: usize = 9;

/// The games of a pack.
#[derive(Debug, Default)]
pub struct ReplayPack {
    games: Vec<Value>,
    templates: Dictionary,
    contents: Dictionary,
    boards: Dictionary,
    /// Values that few frames have, with the numbers of the game and the frame.
    rare: Vec<Value>,
    columns: [PackColumn; 9],
    /// The text that was added last.
    text: SplitText,
}

/// The columns, in their order.
#[derive(Debug, Clone, Copy)]
enum Of {
    Ply,
    Template,
    Number,
    CaptionTemplate,
    CaptionNumber,
    Named,
    Square,
    Clock,
    Path,
}

/// Texts by number.
#[derive(Debug, Default)]
struct Dictionary {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Dictionary {
    fn number(&mut self, text: &str) -> usize {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len();
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// A list of numbers in few bytes each.
#[derive(Debug, Default)]
struct PackColumn(Vec<u8>);

impl PackColumn {
    /// Adds a number, in groups of seven bits, the low ones first.
    fn push(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    fn push_index(&mut self, index: usize) {
        self.push(index as u64);
    }

    /// Adds a number that may be negative: 0, −1, 1, −2 and so on become 0, 1, 2, 3.
    fn push_signed(&mut self, number: i64) {
        self.push(((number << 1) ^ (number >> 63)).cast_unsigned());
    }
}

impl ReplayPack {
    /// Whether the pack has no games.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Adds a game.
    pub fn add(&mut self, game: &ReplayFrames) {
        let ReplayFrames { id, pair: (pair, number), players, seats, end, frames } = game;
        self.games.push(json!([id, pair, number, players, seats, end, frames.len()]));
        let mut before = Before::default();
        for (at, frame) in frames.iter().enumerate() {
            self.add_frame(frame, at, &mut before);
        }
    }

    fn column(&mut self, of: Of) -> &mut PackColumn {
        &mut self.columns[of as usize]
    }

    fn add_frame(&mut self, frame: &Frame, at: usize, before: &mut Before) {
        let ply = i64::from(frame.ply);
        self.column(Of::Ply).push_signed(ply - before.ply);
        before.ply = ply;
        let template = self.add_told(&frame.told);
        self.add_caption(&frame.caption, before);
        self.add_board(frame, template, before);
        self.add_clock(frame, before);
        self.add_paths(frame);
        if frame.bad || !frame.said.is_empty() || frame.views.is_some() {
            let game = self.games.len() - 1;
            self.rare.push(json!([game, at, u8::from(frame.bad), frame.said, frame.views]));
        }
    }

    /// Adds what a step tells, part by part, and returns the number of the first template. Each
    /// number in the text is kept as the difference from the last but one: the columns and rows of
    /// squares take turns.
    fn add_told(&mut self, told: &str) -> usize {
        self.text.numbers.clear();
        let (mut parts, mut first) = (told.split(SEPARATOR).peekable(), None);
        while let Some(part) = parts.next() {
            self.text.add(part);
            let template = self.templates.number(&self.text.template);
            let is_followed = parts.peek().is_some();
            self.column(Of::Template).push_index(2 * template + usize::from(is_followed));
            first.get_or_insert(template);
        }
        let numbers = &self.text.numbers;
        for (at, &number) in numbers.iter().enumerate() {
            let expected = at.checked_sub(2).map_or(0, |at| numbers[at]);
            self.columns[Of::Number as usize].push_signed(number - expected);
        }
        first.unwrap_or_default()
    }

    /// Adds a caption. Each number in it is kept as the difference from that in the caption before.
    fn add_caption(&mut self, text: &str, before: &mut Before) {
        self.text.numbers.clear();
        self.text.add(text);
        let template = self.templates.number(&self.text.template);
        self.column(Of::CaptionTemplate).push_index(template);
        let numbers = &mut self.text.numbers;
        for (at, &number) in numbers.iter().enumerate() {
            let expected = before.caption.get(at).copied().unwrap_or(0);
            self.columns[Of::CaptionNumber as usize].push_signed(number - expected);
        }
        std::mem::swap(&mut before.caption, numbers);
    }

    /// Adds the squares that changed and those that are named: 0 if both are as expected.
    fn add_board(&mut self, frame: &Frame, template: usize, before: &mut Before) {
        let (action, consequences) = frame.told.split_once(SEPARATOR).unwrap_or((&frame.told, ""));
        if let Some(board) = &frame.board {
            let whole = self.boards.number(&json!(board).to_string());
            self.column(Of::Square).push_index(whole + 1);
            before.width = board.first().map_or(0, Vec::len);
            before.board = board.iter().flatten().map(|it| self.contents.number(it)).collect();
            before.find_squares(action);
        } else {
            self.column(Of::Square).push(0);
            let empty = self.contents.number(".");
            before.find_squares(action);
            before.expect(consequences, template, empty);
            for (at, content) in &frame.set {
                if let Some(square) = before.board.get_mut(*at) {
                    *square = self.contents.number(content);
                }
            }
            self.add_surprises(before);
            before.note(template);
        }
        let column = self.column(Of::Named);
        if frame.named == before.squares {
            column.push(0);
        } else {
            column.push_index(frame.named.len() + 1);
            frame.named.iter().for_each(|&at| column.push_index(at));
        }
    }

    /// Adds the squares that are not as expected.
    fn add_surprises(&mut self, before: &Before) {
        let column = self.column(Of::Square);
        if before.board == before.expected {
            return column.push(0);
        }
        let squares = before.board.iter().zip(&before.expected).enumerate();
        let differ = squares.filter(|(_, (now, expected))| now != expected);
        column.push_index(differ.clone().count());
        for (at, (&content, _)) in differ {
            column.push_index(at);
            column.push_index(content);
        }
    }

    fn add_clock(&mut self, frame: &Frame, before: &mut Before) {
        let column = self.column(Of::Clock);
        column.push_index(frame.clock.len());
        for &(seat, used, left) in &frame.clock {
            let used = hundredths(used);
            column.push(u64::from(seat) + 2 * u64::from(left.is_some()));
            column.push_signed(used);
            if let Some(left) = left.map(hundredths) {
                let expected = &mut before.left[usize::from(seat) % 2];
                column.push_signed(left - (*expected - used));
                *expected = left;
            }
        }
    }

    fn add_paths(&mut self, frame: &Frame) {
        let column = self.column(Of::Path);
        column.push_index(frame.paths.len());
        for (seat, squares) in &frame.paths {
            column.push_index(2 * squares.len() + usize::from(*seat));
            for &at in squares {
                column.push_index(at);
            }
        }
    }

    /// The pack as text.
    ///
    /// # Errors
    ///
    /// None are expected: everything is written to memory.
    pub fn finish(self) -> io::Result<String> {
        let boards: Vec<Value> = self
            .boards
            .texts
            .iter()
            .map(|it| serde_json::from_str(it))
            .collect::<Result<_, _>>()?;
        let lengths: Vec<usize> = self.columns.iter().map(|column| column.0.len()).collect();
        let head = json!({
            "games": self.games, "templates": self.templates.texts, "contents": self.contents.texts,
            "boards": boards, "rare": self.rare, "columns": lengths,
        })
        .to_string();
        let mut out = DeflateEncoder::new(Vec::new(), Compression::best());
        out.write_all(&u32::try_from(head.len()).map_err(io::Error::other)?.to_le_bytes())?;
        out.write_all(head.as_bytes())?;
        for column in &self.columns {
            out.write_all(&column.0)?;
        }
        Ok(STANDARD.encode(out.finish()?))
    }
}

/// The prediction of the next frame of a game from the frames so far.
#[derive(Debug, Default)]
struct Before {
    ply: i64,
    /// The numbers in the last caption.
    caption: Vec<i64>,
    width: usize,
    /// The contents of the squares, by number.
    board: Vec<usize>,
    /// The same as they are expected after the next step.
    expected: Vec<usize>,
    /// The squares in the last action.
    squares: Vec<usize>,
    /// By template, what was last placed on a square with such a text.
    placed: HashMap<usize, usize>,
    /// The time left by seat.
    left: [i64; 2],
}

impl Before {
    /// Finds the squares in an action.
    fn find_squares(&mut self, action: &str) {
        self.squares.clear();
        self.squares.extend(squares(action, self.width, self.board.len()));
    }

    /// Expects the board after an action with these squares: a piece moved from the first square to
    /// the second, or was placed on the only one, and what was captured is gone.
    fn expect(&mut self, consequences: &str, template: usize, empty: usize) {
        let Self { board, expected, .. } = self;
        expected.clone_from(board);
        match self.squares[..] {
            [from, to] => {
                expected[to] = expected[from];
                expected[from] = empty;
            }
            [at] => expected[at] = self.placed.get(&template).copied().unwrap_or(empty),
            _ => {}
        }
        for part in consequences.split(SEPARATOR) {
            if part.starts_with("captured ") || part.starts_with("removed ") {
                squares(part, self.width, board.len()).for_each(|at| expected[at] = empty);
            }
        }
    }

    /// Remembers what was placed.
    fn note(&mut self, template: usize) {
        if let [at] = self.squares[..] {
            self.placed.insert(template, self.board[at]);
        }
    }
}

/// The numbers of the squares in a text, written as `column,row`, as far as they are on a board of
/// this width and with so many squares.
fn squares(text: &str, width: usize, count: usize) -> impl Iterator<Item = usize> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != ',');
    words.filter_map(move |word| {
        let (column, row) = word.split_once(',')?;
        let at = row.parse::<usize>().ok()?.checked_mul(width)?;
        let at = at.checked_add(column.parse().ok()?)?;
        (at < count).then_some(at)
    })
}

/// A text as its template and its numbers. The memory is used again for the next text.
#[derive(Debug, Default)]
struct SplitText {
    /// The text with [`NUMBER`] for every number in it.
    template: String,
    /// The numbers of this text and those before it.
    numbers: Vec<i64>,
}

impl SplitText {
    /// Splits a text, and adds its numbers to those before it.
    fn add(&mut self, text: &str) {
        self.template.clear();
        let is_digit = |byte: u8| byte.is_ascii_digit();
        let mut rest = text;
        while let Some(start) = rest.bytes().position(is_digit) {
            let (before, from) = rest.split_at(start);
            let end = from.bytes().position(|byte| !is_digit(byte)).unwrap_or(from.len());
            let (digits, after) = from.split_at(end);
            self.template.push_str(before);
            // Only numbers in canonical form can be restored.
            match digits.parse() {
                Ok(number) if digits.len() <= DIGITS && (end == 1 || !digits.starts_with('0')) => {
                    self.template.push(NUMBER);
                    self.numbers.push(number);
                }
                _ => self.template.push_str(digits),
            }
            rest = after;
        }
        self.template.push_str(rest);
    }
}

/// A time that has two decimals, as a whole number.
#[expect(clippy::cast_possible_truncation, reason = "milliseconds of a game")]
fn hundredths(millis: f64) -> i64 {
    (millis * 100.0).round() as i64
}

#[cfg(test)]
mod tests;
