//! Draws a position as a board on the terminal: coordinates, pieces, the last action.

use crate::colour::Colour;
use std::fmt::Write as _;

use referee_games::board::Square;
use referee_games::{AnyPosition, DrawnSquare, Event, Seat, Turn};
use referee_match::replay::story::named_squares;

const BOLD: &str = "1";
const DIM: &str = "2";
const REVERSE: &str = "7";
const RED: &str = "31";
const YELLOW: &str = "33";
const CYAN: &str = "36";

/// The side from which a board is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardSide {
    /// As it is printed elsewhere: row 0 on top.
    First,
    /// Turned by half.
    Second,
}

/// The board with its coordinates, the die beside it, and the caption below. In colour, each seat has its own colour,
/// pieces are bold, and the squares of the last actions are in reverse.
pub fn picture(position: &dyn AnyPosition, events: &[Event], colour: Colour) -> String {
    picture_from(position, events, colour, BoardSide::First)
}

/// The same, seen from one side.
pub fn picture_from(
    position: &dyn AnyPosition,
    events: &[Event],
    colour: Colour,
    side: BoardSide,
) -> String {
    let cells = position.draw();
    let last = named_squares(events);
    // Where both seats move at once, two pieces may meet on a square, and their letters must not
    // touch its neighbours. The board keeps its width during the game.
    let is_action = |event: &&Event| matches!(event, Event::Action { .. });
    let is_wide = matches!(position.turn(), Turn::Both)
        || events.iter().filter(is_action).count() > 1
        || cells.iter().flatten().any(|cell| cell.pieces.len() == 2);
    let gap = if is_wide { " " } else { "" };
    let mut text = String::from("    ");
    for column in in_order(cells.first().map_or(0, Vec::len), side) {
        // Writing to a string does not fail.
        let _ = write!(text, "{gap} {}", column % 10);
    }
    let mut die = position.die().map(|die| drawn_die(die, position, colour)).into_iter().flatten();
    for row in in_order(cells.len(), side) {
        let _ = write!(text, "\n {row:>2} ");
        for column in in_order(cells[row].len(), side) {
            let is_last = square(column, row).is_some_and(|square| last.contains(&square));
            text.push_str(gap);
            text.push_str(&square_text(&cells[row][column], is_last, colour));
        }
        if let Some(line) = die.next() {
            let _ = write!(text, "   {line}");
        }
    }
    let _ = write!(text, "\n     {}", position.caption());
    text
}

/// The face of a die in lines, and whose it is.
fn drawn_die(
    (seat, number): (Seat, u8),
    position: &dyn AnyPosition,
    colour: Colour,
) -> Vec<String> {
    let rows = match number {
        1 => ["     ", "  ●  ", "     "],
        2 => ["●    ", "     ", "    ●"],
        3 => ["●    ", "  ●  ", "    ●"],
        4 => ["●   ●", "     ", "●   ●"],
        5 => ["●   ●", "  ●  ", "●   ●"],
        6 => ["●   ●", "●   ●", "●   ●"],
        _ => return Vec::new(),
    };
    let mut lines = vec!["┌───────┐".to_owned()];
    lines.extend(rows.iter().map(|row| format!("│ {row} │")));
    lines.push("└───────┘".to_owned());
    lines.push(format!("{:^9}", position.seats()[seat]).trim_end().to_owned());
    match colour {
        Colour::Plain => lines,
        Colour::Ansi => {
            let code = of_seat(seat);
            lines.iter().map(|line| format!("\x1b[{code}m{line}\x1b[0m")).collect()
        }
    }
}

/// The numbers below `count`, in the order in which this side sees them.
fn in_order(count: usize, side: BoardSide) -> impl Iterator<Item = usize> {
    (0..count).map(move |number| match side {
        BoardSide::First => number,
        BoardSide::Second => count - 1 - number,
    })
}

fn square(column: usize, row: usize) -> Option<Square> {
    Some(Square::new(column.try_into().ok()?, row.try_into().ok()?))
}

/// A square in two columns: a blank and its character, or the letters of both pieces on it.
fn square_text(cell: &DrawnSquare, is_last: bool, colour: Colour) -> String {
    if let [(one, first), (other, second)] = cell.pieces[..] {
        let piece = |seat, symbol| {
            let alone = DrawnSquare {
                symbol,
                pieces: std::iter::once((seat, symbol)).collect(),
                ..cell.clone()
            };
            character(&alone, is_last, colour)
        };
        return piece(one, first) + &piece(other, second);
    }
    format!(" {}", character(cell, is_last, colour))
}

/// The square's character.
fn character(cell: &DrawnSquare, is_last: bool, colour: Colour) -> String {
    match colour {
        Colour::Ansi => dressed(cell, is_last),
        Colour::Plain => cell.symbol.to_string(),
    }
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
    fn a_board_can_be_seen_from_the_other_side() {
        let game = start(GameKind::Backdraughts);
        let board = picture_from(&*game, &[], Colour::Plain, BoardSide::Second);
        let rows: Vec<&str> = board.lines().collect();
        assert_eq!(rows[0], "     7 6 5 4 3 2 1 0");
        assert_eq!(rows[1], "  7  . . . . . . . b");
        assert_eq!(rows[8], "  0  w . . . . . . .");
    }

    #[test]
    fn the_die_to_be_played_is_beside_the_board() {
        let mut game = start(GameKind::Backdraughts);
        while matches!(game.turn(), Turn::Chance(_)) {
            assert_eq!(game.die(), None);
            let (outcome, _) = game.outcomes().pop().expect("some");
            game.play(Step::Chance(&outcome), &mut Vec::new()).expect("possible");
        }
        assert_eq!(game.die(), Some((Seat::First, 6)));
        let board = picture(&*game, &[], Colour::Plain);
        let beside: Vec<&str> = board.lines().map(|line| line.get(20..).unwrap_or("")).collect();
        assert_eq!(
            beside[1..7],
            [
                "   ┌───────┐",
                "   │ ●   ● │",
                "   │ ●   ● │",
                "   │ ●   ● │",
                "   └───────┘",
                "     white"
            ]
        );
        assert!(picture(&*game, &[], Colour::Ansi).contains("\x1b[36m│ ●   ● │\x1b[0m"));
    }

    #[test]
    fn both_pieces_of_a_square_are_shown() {
        let mut game = start(GameKind::BackToTheWall);
        let before = picture(&*game, &[], Colour::Plain);
        let turn = Step::Both(referee_games::BySeat::new("R U 3,2", "L D 3,4"));
        game.play(turn, &mut Vec::new()).expect("legal");
        let board = picture(&*game, &[], Colour::Plain);
        let first = board.lines().nth(1).expect("a row");
        assert!(first.ends_with(" Gg"), "{board}");
        assert_eq!(first.find("Gg"), board.find('6').map(|at| at - 1), "under its column: {board}");
        assert_eq!(board.lines().next(), before.lines().next(), "as wide as before");
    }

    #[test]
    fn the_last_action_keeps_the_colour_of_its_piece() {
        let (mut game, mut events) = (start(GameKind::WatchYourBack), Vec::new());
        game.play(Step::Move("3,3"), &mut events).expect("legal");
        let board = picture(&*game, &events, Colour::Ansi);
        assert!(board.contains("\x1b[7;1;36mW\x1b[0m") && board.contains("\x1b[31mX"), "{board:?}");
    }
}
