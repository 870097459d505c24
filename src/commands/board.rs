//! A position as a board on the terminal: coordinates, pieces, the last action.

use std::fmt::Write as _;

use crate::report::story::named_squares;
use crate::rules::board::Square;
use crate::rules::{Event, Game, Seat};

const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const LAST: &str = "\x1b[7m";
const GONE: &str = "\x1b[31m";
const FIRST: &str = "\x1b[36m";
const SECOND: &str = "\x1b[33m";
const RESET: &str = "\x1b[0m";

/// The board with its coordinates, the caption below. Where colour is wanted, the squares of the
/// last actions are set in reverse, and squares that belong to somebody in the owner's colour.
pub(super) fn picture<G: Game>(position: &G, events: &[Event], colour: bool) -> String {
    let rows = position.rows();
    let width = rows.first().map_or(0, |row| row.chars().count());
    let last = named_squares(events);
    let mut text = String::from("   ");
    for column in 0..width {
        // Writing into a string does not fail.
        let _ = write!(text, " {}", column % 10);
    }
    for (at, row) in rows.iter().enumerate() {
        let _ = write!(text, "\n {at:>2}");
        for (column, cell) in row.chars().enumerate() {
            let square = square(column, at);
            let dress = match square {
                _ if !colour => "",
                Some(square) => dress(cell, last.contains(&square), position.owner(square)),
                None => "",
            };
            let reset = if dress.is_empty() { "" } else { RESET };
            let _ = write!(text, " {dress}{cell}{reset}");
        }
    }
    let _ = write!(text, "\n    {}", position.caption());
    text
}

fn square(column: usize, row: usize) -> Option<Square> {
    Some(Square::new(column.try_into().ok()?, row.try_into().ok()?))
}

fn dress(cell: char, is_last: bool, owner: Option<Seat>) -> &'static str {
    match (cell, owner) {
        _ if is_last => LAST,
        (_, Some(Seat::First)) => FIRST,
        (_, Some(Seat::Second)) => SECOND,
        ('.' | '#', None) => DIM,
        ('X', None) => GONE,
        (_, None) => BOLD,
    }
}
