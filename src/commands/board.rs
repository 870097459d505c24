//! Draws a position as a board on the terminal: coordinates, pieces, the last action.

use crate::printer::Colour;
use std::fmt::Write as _;

use crate::report::drawing::{DrawnSquare, cells};
use crate::report::story::named_squares;
use referee_games::board::Square;
use referee_games::{AnyPosition, Event, Seat};

const BOLD: &str = "1";
const DIM: &str = "2";
const REVERSE: &str = "7";
const RED: &str = "31";
const YELLOW: &str = "33";
const CYAN: &str = "36";

/// The board with its coordinates, and the caption below. In colour, each seat has its own colour,
/// pieces are bold, and the squares of the last actions are in reverse.
pub(super) fn picture(position: &dyn AnyPosition, events: &[Event], colour: Colour) -> String {
    let cells = cells(position);
    let last = named_squares(events);
    let mut text = String::from("   ");
    for column in 0..cells.first().map_or(0, Vec::len) {
        // Writing to a string does not fail.
        let _ = write!(text, " {}", column % 10);
    }
    for (at, row) in cells.iter().enumerate() {
        let _ = write!(text, "\n {at:>2}");
        for (column, cell) in row.iter().enumerate() {
            let is_last = square(column, at).is_some_and(|square| last.contains(&square));
            let symbol = if colour == Colour::Ansi {
                dressed(cell, is_last)
            } else {
                cell.symbol.to_string()
            };
            let _ = write!(text, " {symbol}");
        }
    }
    let _ = write!(text, "\n    {}", position.caption());
    text
}

fn square(column: usize, row: usize) -> Option<Square> {
    Some(Square::new(column.try_into().ok()?, row.try_into().ok()?))
}

/// The square's character in its colours.
fn dressed(cell: &DrawnSquare, is_last: bool) -> String {
    let mut codes = Vec::new();
    if is_last {
        codes.push(REVERSE);
    }
    match (cell.pieces.as_slice(), cell.owner.or(cell.goal)) {
        ([(seat, _), others @ ..], _) => {
            codes.push(BOLD);
            if others.iter().all(|(other, _)| other == seat) {
                codes.push(of_seat(*seat));
            }
        }
        ([], Some(seat)) => codes.push(of_seat(seat)),
        ([], None) => codes.push(if cell.symbol == 'X' { RED } else { DIM }),
    }
    format!("\x1b[{}m{}\x1b[0m", codes.join(";"), cell.symbol)
}

const fn of_seat(seat: Seat) -> &'static str {
    match seat {
        Seat::First => CYAN,
        Seat::Second => YELLOW,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{GameKind, Options, Position, Step};

    fn start(kind: GameKind) -> Position {
        let options = Options::resolve(kind.game().options(), []).expect("the defaults");
        kind.game().start(&options).expect("the defaults")
    }

    #[test]
    fn the_two_sides_and_their_goals_have_colours() {
        let board = picture(&*start(GameKind::Backdraughts), &[], Colour::Ansi);
        for cell in
            ["\x1b[1;36mW\x1b[0m", "\x1b[1;33mB\x1b[0m", "\x1b[36mw\x1b[0m", "\x1b[33mb\x1b[0m"]
        {
            assert!(board.contains(cell), "{cell:?} is not in {board:?}");
        }
        assert!(!picture(&*start(GameKind::Backdraughts), &[], Colour::Plain).contains('\x1b'));
    }

    #[test]
    fn the_last_action_keeps_the_colour_of_its_piece() {
        let (mut game, mut events) = (start(GameKind::WatchYourBack), Vec::new());
        game.play(Step::Move("3,3"), &mut events).expect("legal");
        let board = picture(&*game, &events, Colour::Ansi);
        assert!(board.contains("\x1b[7;1;36mW\x1b[0m") && board.contains("\x1b[31mX"), "{board:?}");
    }
}
