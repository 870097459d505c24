//! Draws a position as a board on the terminal: labels, pieces, the last action, dice.

use referee_games::{
    AnyPosition, BoardLook, BoardSymbol, Drawing, DrawnBoard, DrawnDie, DrawnSquare, Event, Labels,
    Seat, SquareMark, Turn,
};
use referee_match::replay::event_descriptions::squares_of_described_events;
use referee_protocol::escape::escape_line;

use crate::colour::{Colour, ColouredText};

const BOLD: &str = "1";
const DIM: &str = "2";
const REVERSE: &str = "7";
const RED: &str = "31";
const BLUE: &str = "34";
const CYAN: &str = "36";
const GREEN: &str = "32";
const MAGENTA: &str = "35";
const YELLOW: &str = "33";

/// The side from which a board is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardSide {
    /// As it is printed elsewhere: the first row on top.
    First,
    /// Turned by half.
    Second,
}

/// The position with its caption below: a board with its labels and dice, or plain text. In colour,
/// each seat has its own colour, pieces are bold, and the squares of the last actions are in
/// reverse.
pub fn render_board_picture(
    position: &dyn AnyPosition,
    events: &[Event],
    colour: Colour,
) -> ColouredText {
    render_board_picture_from(position, events, colour, BoardSide::First)
}

/// The same, seen from one side. Plain text has no sides.
pub fn render_board_picture_from(
    position: &dyn AnyPosition,
    events: &[Event],
    colour: Colour,
    side: BoardSide,
) -> ColouredText {
    let mut text = match position.draw() {
        Drawing::Text(rows) => {
            let lines = rows.iter().map(|row| format!("     {}\n", escape_line(row)));
            lines.collect::<String>().into()
        }
        Drawing::Board(board, look) => {
            let is_action = |event: &&Event| matches!(event, Event::Action { .. });
            // Where several seats move at once, two pieces may meet on a square. The board keeps its
            // width during the game.
            let is_wide = matches!(position.turn(), Turn::Together(_))
                || events.iter().filter(is_action).count() > 1;
            let last = squares_of_described_events(events, &board, look);
            let pen =
                BoardPen { look, seats: position.seats().map(|name| name.to_string()), colour };
            pen.render_board(&board, &last, if is_wide { 2 } else { 1 }, side)
        }
    };
    text.push(&format!("     {}", position.caption()));
    text.trimmed()
}

/// Draws the boards of a game.
struct BoardPen<'a> {
    look: &'a BoardLook,
    seats: referee_games::BySeat<String>,
    colour: Colour,
}

impl BoardPen<'_> {
    /// A board whose squares are at least `narrowest` characters wide, each after a blank.
    fn render_board(
        &self,
        board: &DrawnBoard,
        last: &[usize],
        narrowest: usize,
        side: BoardSide,
    ) -> ColouredText {
        let width =
            board.squares().map(|square| self.symbols_on_square(square).1).max().unwrap_or(0);
        let width = width.max(narrowest).max(longest_picture_label(&board.columns, board.width()));
        let margin = longest_picture_label(&board.rows, board.cells.len()).max(2);
        let mut text = ColouredText::default();
        if !board.columns.is_empty() {
            text.push(&" ".repeat(margin + 2));
            for column in order_from_side(board.width(), side) {
                text.push(&format!(" {:>width$}", picture_label(&board.columns, column)));
            }
            text.push("\n");
        }
        let mut dice = board.dice.iter().flat_map(|die| self.render_die(die));
        for (number, row) in order_from_side(board.cells.len(), side).enumerate() {
            let shift = if self.look.hexagons { number * width.div_ceil(2) } else { 0 };
            text.push(&format!(" {:>margin$} {:shift$}", picture_label(&board.rows, row), ""));
            for column in order_from_side(board.width(), side) {
                let at = row * board.width() + column;
                let (things, length) = self.symbols_on_square(&board.cells[row].0[column]);
                text.push(&format!(" {:1$}", "", width - length));
                for thing in &things {
                    text.append(&self.paint_symbol(thing, last.contains(&at)));
                }
            }
            if let Some(line) = dice.next() {
                text.push("   ");
                text.append(&line);
            }
            text.push("\n");
        }
        text
    }

    /// What a square shows, and how wide that is: its pieces, or else its last mark. More than two
    /// pieces are counted.
    fn symbols_on_square(&self, square: &DrawnSquare) -> (Vec<Thing<'_>>, usize) {
        let thing = |&symbol: &char| Thing {
            text: symbol.to_string(),
            symbol: self.look.legend.get(&symbol),
        };
        let (pieces, marks): (Vec<_>, Vec<_>) = square
            .0
            .iter()
            .map(thing)
            .partition(|thing| thing.symbol.is_none_or(|symbol| symbol.mark.is_none()));
        let things = match &pieces[..] {
            [] => {
                let dot = || Thing { text: ".".to_owned(), symbol: None };
                vec![marks.into_iter().next_back().unwrap_or_else(dot)]
            }
            [_] | [_, _] => pieces,
            [first, others @ ..] => {
                let is_same = others.iter().all(|other| other.text == first.text);
                let text = if is_same { first.text.as_str() } else { "" };
                let text = format!("{text}{}", pieces.len());
                vec![Thing { text, symbol: first.symbol.filter(|_| is_same) }]
            }
        };
        let width = things.iter().map(|thing| thing.text.chars().count()).sum();
        (things, width)
    }

    /// A thing in its colours.
    fn paint_symbol(&self, thing: &Thing<'_>, is_last: bool) -> ColouredText {
        let mut codes = Vec::new();
        if is_last {
            codes.push(REVERSE);
        }
        let seat = thing.symbol.and_then(|symbol| self.seats.seat(symbol.seat.as_deref()?));
        let mark = thing.symbol.map(|symbol| symbol.mark);
        if mark == Some(None) {
            codes.push(BOLD);
        }
        match (seat, mark) {
            (Some(seat), _) => codes.push(picture_seat_colour(seat)),
            (None, Some(Some(SquareMark::Dark))) => codes.push(RED),
            (None, Some(None)) => {}
            (None, _) => codes.push(DIM),
        }
        self.colour.paint(&thing.text, &codes.join(";"))
    }

    /// The face of a die in lines, and whose it is.
    fn render_die(&self, die: &DrawnDie) -> Vec<ColouredText> {
        let rows = match die.value {
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
        lines.push(format!("{:^9}", die.seat).trim_end().to_owned());
        match self.seats.seat(&die.seat) {
            Some(seat) => lines
                .iter()
                .map(|line| self.colour.paint(line, picture_seat_colour(seat)))
                .collect(),
            None => lines.into_iter().map(ColouredText::from).collect(),
        }
    }
}

/// Something on a square, and its meaning.
struct Thing<'a> {
    text: String,
    symbol: Option<&'a BoardSymbol>,
}

fn picture_label(labels: &Labels, at: usize) -> &str {
    labels.0.get(at).map_or("", String::as_str)
}

/// The length of the longest of the first `count` labels.
fn longest_picture_label(labels: &Labels, count: usize) -> usize {
    labels.0.iter().take(count).map(|label| label.chars().count()).max().unwrap_or(0)
}

/// The numbers below `count`, in the order in which this side sees them.
fn order_from_side(count: usize, side: BoardSide) -> impl Iterator<Item = usize> {
    (0..count).map(move |number| match side {
        BoardSide::First => number,
        BoardSide::Second => count - 1 - number,
    })
}

/// The colour of a seat. Two share one from the seventh on.
const fn picture_seat_colour(seat: Seat) -> &'static str {
    const COLOURS: [&str; 6] = [CYAN, YELLOW, MAGENTA, GREEN, BLUE, RED];
    COLOURS[seat.index() % COLOURS.len()]
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
        let board = render_board_picture(&*start(GameKind::Backdraughts), &[], Colour::Ansi);
        for cell in
            ["\x1b[1;36mW\x1b[0m", "\x1b[1;33mB\x1b[0m", "\x1b[36mw\x1b[0m", "\x1b[33mb\x1b[0m"]
        {
            assert!(board.contains(cell), "{cell:?} is not in {board:?}");
        }
        assert!(
            !render_board_picture(&*start(GameKind::Backdraughts), &[], Colour::Plain)
                .contains('\x1b')
        );
    }

    #[test]
    fn a_board_can_be_seen_from_the_other_side() {
        let game = start(GameKind::Backdraughts);
        let board = render_board_picture_from(&*game, &[], Colour::Plain, BoardSide::Second);
        let rows: Vec<&str> = board.lines().collect();
        assert_eq!(rows[0], "     7 6 5 4 3 2 1 0");
        assert_eq!(rows[1], "  7  . . . . . . . b");
        assert_eq!(rows[8], "  0  w . . . . . . .");
    }

    #[test]
    fn the_die_to_be_played_is_beside_the_board() {
        let mut game = start(GameKind::Backdraughts);
        while matches!(game.turn(), Turn::Chance(_)) {
            assert!(!render_board_picture(&*game, &[], Colour::Plain).contains('┌'), "no die yet");
            let (outcome, _) = game.outcomes().pop().expect("some");
            game.play(Step::Chance(&outcome), &mut Vec::new()).expect("possible");
        }
        let board = render_board_picture(&*game, &[], Colour::Plain);
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
        assert!(
            render_board_picture(&*game, &[], Colour::Ansi).contains("\x1b[36m│ ●   ● │\x1b[0m")
        );
    }

    #[test]
    fn both_pieces_of_a_square_are_shown() {
        let mut game = start(GameKind::BackToTheWall);
        let before = render_board_picture(&*game, &[], Colour::Plain);
        let turn = Step::Together(vec!["R U 3,2", "L D 3,4"]);
        game.play(turn, &mut Vec::new()).expect("legal");
        let board = render_board_picture(&*game, &[], Colour::Plain);
        let first = board.lines().nth(1).expect("a row");
        assert!(first.ends_with(" Gg"), "{board}");
        assert_eq!(first.find("Gg"), board.find('6').map(|at| at - 1), "under its column: {board}");
        assert_eq!(board.lines().next(), before.lines().next(), "as wide as before");
    }

    #[test]
    fn the_last_action_keeps_the_colour_of_its_piece() {
        let (mut game, mut events) = (start(GameKind::WatchYourBack), Vec::new());
        game.play(Step::Move("3,3"), &mut events).expect("legal");
        let board = render_board_picture(&*game, &events, Colour::Ansi);
        assert!(board.contains("\x1b[7;1;36mW\x1b[0m") && board.contains("\x1b[31mX"), "{board:?}");
    }
}
