//! Board files (T13).

use std::ops::{Range, RangeInclusive};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::squares::Squares;
use crate::board::Square;
use crate::options::FileError;
use crate::two_player::{BySide, Side};

/// The shipped boards: their names and files.
pub(crate) const SHIPPED: [(&str, &str); 3] = [
    ("once", include_str!("boards/once.toml")),
    ("twice", include_str!("boards/twice.toml")),
    ("thrice", include_str!("boards/thrice.toml")),
];

/// The allowed side lengths of a board.
const SIDES: RangeInclusive<usize> = 5..=15;
/// The maximum length of a board's name, in characters.
const LONGEST_NAME: usize = 64;

/// A board read from a board file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// The name.
    pub name: String,
    /// The size of the board and its rules for walls.
    pub(crate) ground: MapGround,
    /// The walls at the start.
    pub(crate) walls: Squares,
    /// The author's note.
    pub note: Option<String>,
    /// The file and lines it was read from, for messages.
    pub(super) origin: MapSource,
}

/// The constants of a round: the size of the board and its rules for walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapGround {
    /// The number of columns.
    pub(crate) width: u8,
    /// The number of rows.
    pub(crate) height: u8,
    pub(crate) area: Squares,
    /// The number of squares that each player names per turn (T10).
    pub walls_each: u8,
    /// The squares that count as neighbours, which keep each other from becoming walls (T2).
    pub(crate) adjacency: Adjacency,
}

/// Which squares count as neighbours for T2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Adjacency {
    /// The eight around a square.
    King,
    /// The four that share a side.
    Rook,
    /// No squares.
    None,
}

/// The two kinds of pieces; each player has one of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Starts in the top row.
    Circle,
    /// Starts in the bottom row.
    Square,
}

/// One value for each of a player's two pieces.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct ByPiece<T> {
    /// The circle's.
    pub circle: T,
    /// The square's.
    pub square: T,
}

impl<T> std::ops::Index<Piece> for ByPiece<T> {
    type Output = T;
    fn index(&self, piece: Piece) -> &T {
        match piece {
            Piece::Circle => &self.circle,
            Piece::Square => &self.square,
        }
    }
}

impl<T> std::ops::IndexMut<Piece> for ByPiece<T> {
    fn index_mut(&mut self, piece: Piece) -> &mut T {
        match piece {
            Piece::Circle => &mut self.circle,
            Piece::Square => &mut self.square,
        }
    }
}

impl Piece {
    /// Both kinds, in the order of a submission.
    pub const BOTH: [Self; 2] = [Self::Circle, Self::Square];

    /// The name in the protocol.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Square => "square",
        }
    }

    /// The letter in maps for this piece of `seat`.
    pub(crate) const fn letter_in_map(self, seat: Side) -> char {
        match (seat, self) {
            (Side::First, Self::Circle) => 'G',
            (Side::First, Self::Square) => 'g',
            (Side::Second, Self::Circle) => 'C',
            (Side::Second, Self::Square) => 'c',
        }
    }
}

/// Every piece with its seat, in the order of a turn's events.
pub const PIECES: [(Side, Piece); 4] = [
    (Side::First, Piece::Circle),
    (Side::First, Piece::Square),
    (Side::Second, Piece::Circle),
    (Side::Second, Piece::Square),
];

impl MapGround {
    /// Creates a board of this size; each side is at most 15.
    pub(crate) fn new(width: u8, height: u8, walls_each: u8, adjacency: Adjacency) -> Self {
        Self { width, height, area: Squares::whole_board(width, height), walls_each, adjacency }
    }

    /// The corner where `piece` of `seat` starts (T13).
    pub(crate) const fn home(&self, seat: Side, piece: Piece) -> Square {
        let left = matches!((seat, piece), (Side::First, Piece::Circle))
            || matches!((seat, piece), (Side::Second, Piece::Square));
        let column = if left { 0 } else { self.width - 1 };
        let row = if matches!(piece, Piece::Circle) { 0 } else { self.height - 1 };
        Square::new(column, row)
    }

    /// The four corners.
    pub(crate) fn corners(&self) -> Squares {
        let (right, bottom) = (self.width - 1, self.height - 1);
        Squares::from_square(Square::new(0, 0))
            | Squares::from_square(Square::new(right, 0))
            | Squares::from_square(Square::new(0, bottom))
            | Squares::from_square(Square::new(right, bottom))
    }

    /// The starting squares of `seat`.
    pub(crate) fn homes(&self, seat: Side) -> Squares {
        Piece::BOTH.into_iter().map(|piece| self.home(seat, piece)).collect()
    }
}

/// The source of a map: the name of its file and the lines of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MapSource {
    file: String,
    /// The line of the first row.
    first: usize,
    /// Whether each row is on its own line of the file.
    lined: bool,
}

impl MapSource {
    /// Creates an error about a row of the map.
    pub(super) fn row_error(&self, row: usize, reason: &str) -> FileError {
        let line = if self.lined { self.first + row } else { self.first };
        map_file_error(&self.file, line, reason)
    }
}

fn map_file_error(file: &str, line: usize, reason: &str) -> FileError {
    FileError { file: file.to_owned(), line, reason: reason.to_owned() }
}

/// The keys of a board file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardFile {
    name: Spanned<String>,
    walls: Spanned<i64>,
    adjacency: Spanned<String>,
    map: Spanned<String>,
    #[serde(default)]
    note: Option<String>,
}

impl Map {
    /// Parses the `text` of the board file called `file`. Errors name the file, the line and the
    /// reason.
    pub(crate) fn read(file: &str, text: &str) -> Result<Self, FileError> {
        let refused = |at: Range<usize>, reason: &str| {
            map_file_error(file, map_line_number(text, at.start), reason)
        };
        let keys: BoardFile = toml::from_str(text)
            .map_err(|error| refused(error.span().unwrap_or(0..0), error.message()))?;
        let name = keys.name.get_ref();
        if name.is_empty() || name.chars().count() > LONGEST_NAME || name.contains(char::is_control)
        {
            let reason = "expected a name of 1 to 64 characters and no control characters";
            return Err(refused(keys.name.span(), reason));
        }
        let walls_each = match *keys.walls.get_ref() {
            1 => 1,
            2 => 2,
            3 => 3,
            _ => return Err(refused(keys.walls.span(), "expected 1, 2 or 3 walls per player")),
        };
        let adjacency = parse_adjacency(keys.adjacency.get_ref()).ok_or_else(|| {
            refused(keys.adjacency.span(), "expected the adjacency `king`, `rook` or `none`")
        })?;
        let origin = locate_map_rows(file, text, keys.map.span());
        let rows: Vec<&str> = keys.map.get_ref().lines().collect();
        let (width, height) = check_map_size(&rows, &origin)?;
        let ground = MapGround::new(width, height, walls_each, adjacency);
        let walls = parse_map_walls(&rows, &ground, &origin)?;
        Ok(Self { name: name.clone(), ground, walls, note: keys.note, origin })
    }

    /// The shipped board called `name`.
    pub(crate) fn load_shipped(name: &str) -> Option<Result<Self, FileError>> {
        let (name, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
        Some(Self::read(name, text))
    }

    /// Checks the text of a board file as far as possible without the options. Returns a summary of
    /// the board that says whether it is fair.
    pub(crate) fn check_board_file(file: &str, text: &str) -> Result<String, FileError> {
        let map = Self::read(file, text)?;
        let fairness = match map.find_fair_symmetry() {
            Some(motion) => {
                format!("the map is fair: {motion} maps one side's pieces onto the other's")
            }
            None => "the map is not fair: no mirror image or quarter turn maps one side's pieces \
                     onto the other's"
                .to_owned(),
        };
        let MapGround { width, height, .. } = map.ground;
        let note = map.note.map(|note| format!(" ({})", note.escape_debug())).unwrap_or_default();
        Ok(format!("{file}: board `{}`{note}, {width}×{height}; {fairness}", map.name))
    }

    /// The symmetry of the board that takes one player's pieces to the other's, if there is one: a
    /// reflection or a quarter turn.
    pub(crate) fn find_fair_symmetry(&self) -> Option<MapSymmetry> {
        let MapGround { width, height, .. } = self.ground;
        MapSymmetry::ALL.into_iter().find(|motion| {
            let fits = *motion != MapSymmetry::QuarterTurn || width == height;
            let moved = self.walls.iter().map(|at| motion.map_square(at, &self.ground));
            fits && moved.collect::<Squares>() == self.walls
        })
    }
}

/// A symmetry of the board that swaps the two players' corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MapSymmetry {
    /// A reflection that swaps left and right.
    LeftRight,
    /// A reflection that swaps top and bottom.
    TopBottom,
    /// A rotation that turns the top row into the right column.
    QuarterTurn,
}

impl MapSymmetry {
    /// Every motion. The opposite quarter turn is not needed: it fits the same maps.
    pub(crate) const ALL: [Self; 3] = [Self::LeftRight, Self::TopBottom, Self::QuarterTurn];

    /// The square to which the motion takes `at`.
    pub(crate) const fn map_square(self, at: Square, ground: &MapGround) -> Square {
        match self {
            Self::LeftRight => Square::new(ground.width - 1 - at.column, at.row),
            Self::TopBottom => Square::new(at.column, ground.height - 1 - at.row),
            Self::QuarterTurn => Square::new(ground.height - 1 - at.row, at.column),
        }
    }
}

impl std::fmt::Display for MapSymmetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::LeftRight => "its mirror image from left to right",
            Self::TopBottom => "its mirror image from top to bottom",
            Self::QuarterTurn => "a quarter turn",
        })
    }
}

fn parse_adjacency(word: &str) -> Option<Adjacency> {
    match word {
        "king" => Some(Adjacency::King),
        "rook" => Some(Adjacency::Rook),
        "none" => Some(Adjacency::None),
        _ => None,
    }
}

/// The number of the line, from 1, that contains byte `at` of `text`.
fn map_line_number(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// Finds the lines of the rows in the string at `span`.
fn locate_map_rows(file: &str, text: &str, span: Range<usize>) -> MapSource {
    let raw = text.get(span.clone()).unwrap_or_default();
    let inside = raw.strip_prefix("\"\"\"").or_else(|| raw.strip_prefix("'''"));
    let below = inside.is_some_and(|rows| rows.starts_with('\n') || rows.starts_with("\r\n"));
    MapSource {
        file: file.to_owned(),
        first: map_line_number(text, span.start) + usize::from(below),
        lined: inside.is_some(),
    }
}

/// The width and height of the map, which must be a rectangle of an allowed size.
fn check_map_size(rows: &[&str], origin: &MapSource) -> Result<(u8, u8), FileError> {
    let width = rows.first().map_or(0, |row| row.chars().count());
    let wrong = |what: &str, many: usize| {
        origin.row_error(0, &format!("the map has {many} {what}; a board has 5 to 15"))
    };
    if !SIDES.contains(&rows.len()) {
        return Err(wrong("rows", rows.len()));
    }
    if !SIDES.contains(&width) {
        return Err(wrong("columns", width));
    }
    for (at, row) in rows.iter().enumerate() {
        let own = row.chars().count();
        if own != width {
            let reason = format!("the row has {own} squares, the first row has {width}");
            return Err(origin.row_error(at, &reason));
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 15")]
    let size = (width as u8, rows.len() as u8);
    Ok(size)
}

/// The walls in `rows`. Every piece must stand in its corner, and no other characters are allowed.
fn parse_map_walls(
    rows: &[&str],
    ground: &MapGround,
    origin: &MapSource,
) -> Result<Squares, FileError> {
    let mut walls = Squares::EMPTY;
    let mut seen = BySide::<Vec<Piece>>::default();
    for (row, text) in (0_u8..).zip(rows) {
        for (column, symbol) in (0_u8..).zip(text.chars()) {
            let at = Square::new(column, row);
            let refused = |reason: &str| Err(origin.row_error(usize::from(row), reason));
            let piece =
                PIECES.into_iter().find(|(seat, piece)| piece.letter_in_map(*seat) == symbol);
            match (symbol, piece) {
                ('.', _) => {}
                ('#', _) => walls |= Squares::from_square(at),
                (_, Some((seat, piece))) if seen[seat].contains(&piece) => {
                    return refused(&format!("a second `{symbol}` stands on {at}"));
                }
                (_, Some((seat, piece))) if ground.home(seat, piece) != at => {
                    let home = ground.home(seat, piece);
                    return refused(&format!(
                        "`{symbol}` stands on {at}, but its corner is {home}"
                    ));
                }
                (_, Some((seat, piece))) => seen[seat].push(piece),
                (_, None) => {
                    let symbol = symbol.escape_debug();
                    return refused(&format!(
                        "`{symbol}` on {at}; expected `.`, `#`, `G`, `g`, `C` or `c`"
                    ));
                }
            }
        }
    }
    for (seat, piece) in PIECES {
        if !seen[seat].contains(&piece) {
            let (letter, home) = (piece.letter_in_map(seat), ground.home(seat, piece));
            let reason = format!("`{letter}` is missing from its corner {home}");
            return Err(origin.row_error(usize::from(home.row), &reason));
        }
    }
    Ok(walls)
}

#[cfg(test)]
mod tests;
