//! A position as a board on the terminal: coordinates, pieces, the last action.

use std::fmt::Write as _;

use crate::rules::{Event, Game};

const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const LAST: &str = "\x1b[7m";
const GONE: &str = "\x1b[31m";
const RESET: &str = "\x1b[0m";

/// The board with its coordinates, the caption below. The squares of the last action are set in
/// reverse where colour is wanted.
pub(super) fn picture<G: Game>(position: &G, events: &[Event], colour: bool) -> String {
    let rows = position.rows();
    let width = rows.first().map_or(0, |row| row.chars().count());
    let last = last_squares(events);
    let mut text = String::from("   ");
    for column in 0..width {
        // Writing into a string does not fail.
        let _ = write!(text, " {}", column % 10);
    }
    for (at, row) in rows.iter().enumerate() {
        let _ = write!(text, "\n {at:>2}");
        for (column, cell) in row.chars().enumerate() {
            let dress = dress(cell, last.contains(&(column, at)), colour);
            let reset = if dress.is_empty() { "" } else { RESET };
            let _ = write!(text, " {dress}{cell}{reset}");
        }
    }
    let _ = write!(text, "\n    {}", position.caption());
    text
}

fn dress(cell: char, is_last: bool, colour: bool) -> &'static str {
    match cell {
        _ if !colour => "",
        _ if is_last => LAST,
        '.' | '#' => DIM,
        'X' => GONE,
        _ => BOLD,
    }
}

/// The squares named in the last action.
fn last_squares(events: &[Event]) -> Vec<(usize, usize)> {
    let action = events.iter().rev().find_map(|event| match event {
        Event::Action { action, .. } => Some(action.as_str()),
        _ => None,
    });
    let square = |text: &str| {
        let (column, row) = text.split_once(',')?;
        Some((column.parse().ok()?, row.parse().ok()?))
    };
    action.unwrap_or_default().split(['>', ' ']).filter_map(square).collect()
}
