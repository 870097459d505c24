//! How people see a position: plain text, or a board whose characters a legend explains.
//!
//! A built-in game and a rules program say the same things in the same words, which
//! [`BoardLook`] and [`DrawnBoard`] are: what stands on each square, and once for all positions,
//! what each character means. Nothing is guessed from letters.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;

use crate::board::{Bitboard, Square};
use crate::safe_text::Text;

/// How people see a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawing<'a> {
    /// Lines of plain text.
    Text(Vec<String>),
    /// A board, and what its characters mean.
    Board(DrawnBoard, &'a BoardLook),
}

/// The part of a board that is the same throughout a game.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardLook {
    /// What each character on a square means.
    pub legend: BTreeMap<char, BoardSymbol>,
    /// The labels of the columns from the left, if positions give none.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub columns: Labels,
    /// The labels of the rows from the top, if positions give none.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub rows: Labels,
    /// What actions write between the labels of a square's column and row.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub separator: Text,
    /// Whether light and dark squares alternate; the upper left one is light.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checkered: bool,
    /// Whether cells are hexagons: each row begins half a cell to the right of the row above it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hexagons: bool,
}

/// The meaning of a character on a square: a piece, or a mark of the square itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SymbolWords")]
pub struct BoardSymbol {
    /// The name of the seat that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Text>,
    /// Its name, for example `king`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub name: Text,
    /// One or two characters that a page draws instead of a disc, for example `♚`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub glyph: Text,
    /// If it is not a piece: what it says of its square.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<SquareMark>,
}

/// A special property of a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SquareMark {
    /// It is darker than others.
    Dark,
    /// It is the goal of a seat.
    Goal,
    /// It belongs to a seat.
    Owned,
    /// It is not part of the board, or no longer.
    Removed,
}

/// A symbol as it may be written: the name of a seat alone is a piece of it.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a symbol is the name of a seat, or an object with `seat`, `name`, `glyph` or \
                 `mark`, which is dark, goal, owned or removed"
)]
enum SymbolWords {
    Seat(Text),
    Whole {
        #[serde(default)]
        seat: Option<Text>,
        #[serde(default)]
        name: Text,
        #[serde(default)]
        glyph: Text,
        #[serde(default)]
        mark: Option<SquareMark>,
    },
}

impl From<SymbolWords> for BoardSymbol {
    fn from(words: SymbolWords) -> Self {
        match words {
            SymbolWords::Seat(seat) => Self { seat: Some(seat), ..Self::default() },
            SymbolWords::Whole { seat, name, glyph, mark } => Self { seat, name, glyph, mark },
        }
    }
}

/// The board of a position.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawnBoard {
    /// The squares by rows, from top to bottom.
    pub cells: Vec<DrawnRow>,
    /// The labels of the columns from the left; there may be more than columns, or none.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub columns: Labels,
    /// The labels of the rows from the top; there may be more than rows, or none.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub rows: Labels,
    /// The dice that are to be played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dice: Vec<DrawnDie>,
}

/// A row of squares, written as a text with a character for each, or as a list with a text for
/// each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "RowWords")]
pub struct DrawnRow(pub Vec<DrawnSquare>);

/// The contents of a square: characters of the legend. An empty square is empty or `.`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct DrawnSquare(pub SmallVec<[char; 4]>);

/// A die that is to be played.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DrawnDie {
    /// The name of the seat that rolled it.
    pub seat: Text,
    /// Its number, from 1 to 6.
    pub value: u8,
}

/// Labels of columns or rows, written as a text with a character for each, or as a list. The boards
/// of a game share them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "LabelWords")]
pub struct Labels(pub Arc<[String]>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "a row of the board must be a string or a list of strings")]
enum RowWords {
    Text(String),
    List(Vec<DrawnSquare>),
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "labels must be a string with one character each, or a list of strings"
)]
enum LabelWords {
    Text(String),
    List(Vec<String>),
}

impl From<RowWords> for DrawnRow {
    fn from(words: RowWords) -> Self {
        match words {
            RowWords::Text(text) => Self::from_text(&text),
            RowWords::List(squares) => Self(squares),
        }
    }
}

impl From<LabelWords> for Labels {
    fn from(words: LabelWords) -> Self {
        match words {
            LabelWords::Text(text) => Self(text.chars().map(String::from).collect()),
            LabelWords::List(labels) => Self(labels.into()),
        }
    }
}

impl DrawnRow {
    /// A row with a character for each square.
    pub fn from_text(text: &str) -> Self {
        Self(text.chars().map(DrawnSquare::from_symbol).collect())
    }

    /// A row with an ASCII character for each square.
    pub(crate) fn from_symbols(row: &[u8]) -> Self {
        Self(row.iter().map(|&symbol| DrawnSquare::from_symbol(symbol.into())).collect())
    }
}

impl DrawnSquare {
    /// A square with this character.
    pub(crate) fn from_symbol(symbol: char) -> Self {
        let mut square = Self::default();
        if !is_drawn_as_blank(symbol) {
            square.0.push(symbol);
        }
        square
    }
}

/// Whether a character stands for an empty square.
fn is_drawn_as_blank(symbol: char) -> bool {
    matches!(symbol, '.' | ' ')
}

impl FromIterator<char> for DrawnSquare {
    fn from_iter<T: IntoIterator<Item = char>>(symbols: T) -> Self {
        Self(symbols.into_iter().filter(|&symbol| !is_drawn_as_blank(symbol)).collect())
    }
}

impl Serialize for DrawnSquare {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.iter().collect::<String>())
    }
}

impl<'de> Deserialize<'de> for DrawnSquare {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(String::deserialize(deserializer)?.chars().collect())
    }
}

impl Labels {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl DrawnBoard {
    /// The number of squares in the first row.
    pub fn width(&self) -> usize {
        self.cells.first().map_or(0, |row| row.0.len())
    }

    /// All squares, row by row.
    pub fn squares(&self) -> impl Iterator<Item = &DrawnSquare> {
        self.cells.iter().flat_map(|row| &row.0)
    }

    /// The squares that the labels in an action's text name, in their order, numbered row by row.
    /// Where only columns or only rows have labels, a label names all its squares.
    pub fn squares_named_in(&self, text: &str, look: &BoardLook) -> Vec<Vec<usize>> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let named = self.square_name_at(rest, look).filter(|(_, length)| {
                let ends = [(at, at), (at + length, at + length)];
                ends.into_iter().all(|(at, _)| is_label_boundary(text, at))
            });
            let step = rest.chars().next().map_or(1, char::len_utf8);
            at += named.as_ref().map_or(step, |(_, length)| *length);
            found.extend(named.map(|(squares, _)| squares));
        }
        found
    }

    /// The squares whose name is at the beginning of a text, and the length of the name.
    fn square_name_at(&self, text: &str, look: &BoardLook) -> Option<(Vec<usize>, usize)> {
        let (width, height) = (self.width(), self.cells.len());
        let (columns, rows) = (&self.columns.0, &self.rows.0);
        let column = longest_label_at(columns.iter().take(width), text);
        let after = &text[column.map_or(0, |(_, length)| length)..];
        match (columns.is_empty(), rows.is_empty()) {
            (true, true) => None,
            (false, true) => {
                let (column, length) = column?;
                Some(((0..height).map(|row| row * width + column).collect(), length))
            }
            (true, false) => {
                let (row, length) = longest_label_at(rows.iter().take(height), text)?;
                Some(((0..width).map(|column| row * width + column).collect(), length))
            }
            (false, false) => {
                let (column, _) = column?;
                let (row, length) = longest_label_at(
                    rows.iter().take(height),
                    after.strip_prefix(&*look.separator)?,
                )?;
                let whole = text.len() - after.len() + look.separator.len() + length;
                Some((vec![row * width + column], whole))
            }
        }
    }
}

/// The longest label at the beginning of a text: its number and its length.
fn longest_label_at<'l>(
    labels: impl Iterator<Item = &'l String>,
    text: &str,
) -> Option<(usize, usize)> {
    let fitting = labels.enumerate().filter(|(_, label)| text.starts_with(label.as_str()));
    fitting.map(|(number, label)| (number, label.len())).max_by_key(|(_, length)| *length)
}

/// Whether a word or number may begin or end here: not between two letters or two digits.
fn is_label_boundary(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let after = text.get(at..).and_then(|after| after.chars().next());
    let are = |kind: fn(char) -> bool| before.is_some_and(kind) && after.is_some_and(kind);
    !are(char::is_alphabetic) && !are(char::is_numeric)
}

/// The board that a built-in game draws.
pub(crate) fn build_drawn_board(
    cells: Vec<DrawnRow>,
    look: &BoardLook,
    dice: Vec<DrawnDie>,
) -> DrawnBoard {
    let mut board = DrawnBoard { cells, dice, ..DrawnBoard::default() };
    board.add_missing_labels(look);
    board
}

impl DrawnBoard {
    /// Uses the game's labels where the position has none.
    pub fn add_missing_labels(&mut self, look: &BoardLook) {
        let of_game = [(&mut self.columns, &look.columns), (&mut self.rows, &look.rows)];
        for (own, game) in of_game {
            if own.is_empty() {
                own.clone_from(game);
            }
        }
    }
}

/// The 8×8 board as ASCII characters, row by row from top to bottom.
pub(crate) type Symbols = [[u8; 8]; 8];

/// Draws the squares of each set as its ASCII character, later sets over earlier ones, and all other
/// squares as `.`.
pub(crate) fn render_board_symbols<const N: usize>(sets: [(Bitboard, u8); N]) -> Symbols {
    let mut rows = [[b'.'; 8]; 8];
    for (squares, symbol) in sets {
        for Square { column, row } in squares {
            rows[usize::from(row)][usize::from(column)] = symbol;
        }
    }
    rows
}

/// The board as rows of text.
pub(crate) fn symbol_rows(symbols: &Symbols) -> Vec<String> {
    symbols.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect()
}

/// The board square by square.
pub(crate) fn symbol_cells(symbols: &Symbols) -> Vec<DrawnRow> {
    symbols.iter().map(|row| DrawnRow::from_symbols(row)).collect()
}

/// The squares where `rows` show this character.
pub(crate) fn squares_showing_symbol(rows: &[impl AsRef<str>], symbol: u8) -> Bitboard {
    let shows = |square: &Square| {
        let row = rows.get(usize::from(square.row)).map(|row| row.as_ref().as_bytes());
        row.and_then(|row| row.get(usize::from(square.column))) == Some(&symbol)
    };
    let squares = Bitboard::WHOLE.iter().filter(shows);
    squares.fold(Bitboard::EMPTY, |set, square| set | Bitboard::from_square(square))
}

#[cfg(test)]
mod tests;
