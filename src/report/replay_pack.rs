//! Replay packs: the replay frames of many games in few bytes, for a file beside the page.
//!
//! A pack keeps the changes from frame to frame in columns of small numbers, which compress well:
//! parts of texts as templates with the numbers and squares in them, boards as differences from
//! what the texts tell, times as whole numbers. `pack.js` reads it. The format is internal; the
//! file contains its version.

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
/// Marks a square in a template.
const SQUARE: char = '\u{2}';
/// Separates the parts of what a step tells: the action and its consequences.
const SEPARATOR: &str = "; ";
/// The longest number in a text, in digits, that a template leaves out.
const DIGITS: usize = 9;

/// The level of compression. The highest takes about twice as long for 2% fewer bytes.
const LEVEL: Compression = Compression::new(6);

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
        let is_whole = self.add_whole_board(frame, before);
        self.add_told(&frame.told, before);
        self.add_caption(&frame.caption, before);
        if !is_whole {
            self.add_changes(frame, before);
        }
        self.add_named(frame, before);
        self.add_clock(frame, before);
        self.add_paths(frame);
        if frame.bad || !frame.said.is_empty() || frame.views.is_some() {
            let game = self.games.len() - 1;
            self.rare.push(json!([game, at, u8::from(frame.bad), frame.said, frame.views]));
        }
    }

    /// Adds the number of the whole board from 1, or 0 if the frame has only changes. Returns
    /// whether it is there.
    fn add_whole_board(&mut self, frame: &Frame, before: &mut Before) -> bool {
        let Some(board) = &frame.board else {
            self.column(Of::Square).push(0);
            return false;
        };
        let whole = self.boards.number(&json!(board).to_string());
        self.column(Of::Square).push_index(whole + 1);
        before.width = board.first().map_or(0, Vec::len);
        before.board = board.iter().flatten().map(|it| self.contents.number(it)).collect();
        true
    }

    /// Adds what a step tells, part by part. Each square is kept as the difference from the square
    /// before it.
    fn add_told(&mut self, told: &str, before: &mut Before) {
        before.action.clear();
        before.gone.clear();
        let (mut parts, mut last) = (told.split(SEPARATOR).peekable(), 0);
        while let Some(part) = parts.next() {
            self.text.split(part, before.width, before.board.len());
            let template = self.templates.number(&self.text.template);
            let is_followed = parts.peek().is_some();
            self.column(Of::Template).push_index(2 * template + usize::from(is_followed));
            let column = &mut self.columns[Of::Number as usize];
            for value in &self.text.values {
                match *value {
                    TextValue::Number(number) => column.push_signed(number),
                    TextValue::Square(at) => {
                        column.push_signed(at - std::mem::replace(&mut last, at));
                    }
                }
            }
            before.hear(part, template, &self.text.values);
        }
    }

    /// Adds a caption. Each number in it is kept as the difference from that in the caption before.
    fn add_caption(&mut self, caption: &str, before: &mut Before) {
        self.text.split(caption, before.width, before.board.len());
        let template = self.templates.number(&self.text.template);
        self.column(Of::CaptionTemplate).push_index(template);
        let values = &mut self.text.values;
        for (at, value) in values.iter().enumerate() {
            let expected = before.caption.get(at).map_or(0, |value| value.number());
            self.columns[Of::CaptionNumber as usize].push_signed(value.number() - expected);
        }
        std::mem::swap(&mut before.caption, values);
    }

    /// Adds the squares that changed, as far as that does not follow from what the step tells.
    fn add_changes(&mut self, frame: &Frame, before: &mut Before) {
        before.expect(self.contents.number("."));
        for (at, content) in &frame.set {
            if let Some(square) = before.board.get_mut(*at) {
                *square = self.contents.number(content);
            }
        }
        self.add_surprises(before);
        before.note();
    }

    /// Adds the squares that are named: 0 if they are those of the action.
    fn add_named(&mut self, frame: &Frame, before: &Before) {
        let column = self.column(Of::Named);
        if frame.named == before.action {
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
        let mut out = DeflateEncoder::new(Vec::new(), LEVEL);
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
    /// The values in the last caption.
    caption: Vec<TextValue>,
    width: usize,
    /// The contents of the squares, by number.
    board: Vec<usize>,
    /// The same as they are expected after the next step.
    expected: Vec<usize>,
    /// The squares in the action of the step: in the first part of its text that names any.
    action: Vec<usize>,
    /// The template of that part.
    template: usize,
    /// The squares from which pieces were taken in the step.
    gone: Vec<usize>,
    /// By template, what was last placed on a square with such a text.
    placed: HashMap<usize, usize>,
    /// The time left by seat.
    left: [i64; 2],
}

impl Before {
    /// Takes in a part of what the next step tells, which has these values.
    fn hear(&mut self, part: &str, template: usize, values: &[TextValue]) {
        let squares = values.iter().filter_map(|value| value.square());
        if part.starts_with("captured ") || part.starts_with("removed ") {
            self.gone.extend(squares.clone());
        }
        if self.action.is_empty() {
            self.action.extend(squares);
            self.template = template;
        }
    }

    /// Expects the board after this step: a piece moved from the first square of the action to the
    /// second, or was placed on the only one, and what was captured is gone.
    fn expect(&mut self, empty: usize) {
        let Self { board, expected, .. } = self;
        expected.clone_from(board);
        match self.action[..] {
            [from, to] => {
                expected[to] = expected[from];
                expected[from] = empty;
            }
            [at] => expected[at] = self.placed.get(&self.template).copied().unwrap_or(empty),
            _ => {}
        }
        self.gone.iter().for_each(|&at| expected[at] = empty);
    }

    /// Remembers what was placed.
    fn note(&mut self) {
        if let [at] = self.action[..] {
            self.placed.insert(self.template, self.board[at]);
        }
    }
}

/// A number in a text, or a square, written as `column,row` and numbered row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextValue {
    Number(i64),
    Square(i64),
}

impl TextValue {
    fn number(self) -> i64 {
        let (Self::Number(number) | Self::Square(number)) = self;
        number
    }

    fn square(self) -> Option<usize> {
        match self {
            Self::Number(_) => None,
            Self::Square(at) => usize::try_from(at).ok(),
        }
    }
}

/// A text as its template and its values. The memory is used again for the next text.
#[derive(Debug, Default)]
struct SplitText {
    /// The text with [`NUMBER`] for every number in it and [`SQUARE`] for every square.
    template: String,
    values: Vec<TextValue>,
}

impl SplitText {
    /// Splits a text about a board with so many squares, in rows of this width.
    fn split(&mut self, text: &str, width: usize, squares: usize) {
        self.template.clear();
        self.values.clear();
        let mut rest = text;
        while let Some(start) = rest.bytes().position(|byte| byte.is_ascii_digit()) {
            let (before, from) = rest.split_at(start);
            self.template.push_str(before);
            rest = if let Some((at, after)) = leading_square(from, width, squares) {
                self.add(SQUARE, TextValue::Square(at));
                after
            } else {
                let (digits, after) = leading_digits(from);
                match canonical(digits).and_then(|number| i64::try_from(number).ok()) {
                    Some(number) => self.add(NUMBER, TextValue::Number(number)),
                    None => self.template.push_str(digits),
                }
                after
            };
        }
        self.template.push_str(rest);
    }

    fn add(&mut self, mark: char, value: TextValue) {
        self.template.push(mark);
        self.values.push(value);
    }
}

/// The square with which a text begins, if it is on a board with so many squares, in rows of this
/// width, and the rest.
fn leading_square(text: &str, width: usize, squares: usize) -> Option<(i64, &str)> {
    let (column, rest) = leading_digits(text);
    let (row, rest) = leading_digits(rest.strip_prefix(',')?);
    let (column, row) = (canonical(column)?, canonical(row)?);
    let at = row.checked_mul(width)?.checked_add(column)?;
    let is_there = column < width && at < squares;
    Some((i64::try_from(at).ok().filter(|_| is_there)?, rest))
}

/// The digits with which a text begins, and the rest.
fn leading_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// The number with these digits, if they can be restored from it.
fn canonical(digits: &str) -> Option<usize> {
    let is_canonical = digits.len() <= DIGITS && (digits.len() == 1 || !digits.starts_with('0'));
    if is_canonical { digits.parse().ok() } else { None }
}

/// A time that has two decimals, as a whole number.
#[expect(clippy::cast_possible_truncation, reason = "milliseconds of a game")]
fn hundredths(millis: f64) -> i64 {
    (millis * 100.0).round() as i64
}

#[cfg(test)]
mod tests;
