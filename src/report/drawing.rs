//! A position drawn square by square, for the terminal and the page.

use referee_games::board::Square;
use referee_games::{AnyPosition, BySeat, Seat};

/// One square and what is on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnSquare {
    /// The character that represents the whole square.
    pub symbol: char,
    /// The pieces on it, each with its seat and its letter.
    pub pieces: Vec<(Seat, char)>,
    /// The owner of the square, in games where squares have owners.
    pub owner: Option<Seat>,
    /// The seat whose goal it is, in games with goals.
    pub goal: Option<Seat>,
}

/// The board by rows, from top to bottom. An empty goal is drawn as the first letter of its seat's
/// name, in lower case.
pub fn cells(position: &dyn AnyPosition) -> Vec<Vec<DrawnSquare>> {
    let initials = position.seats().map(|name| name.chars().next().unwrap_or('?'));
    let row = |(row, text): (usize, &String)| {
        let squares = text.chars().enumerate();
        squares.map(|(column, symbol)| cell(position, initials, (column, row), symbol)).collect()
    };
    position.rows().iter().enumerate().map(row).collect()
}

fn cell(
    position: &dyn AnyPosition,
    initials: BySeat<char>,
    (column, row): (usize, usize),
    symbol: char,
) -> DrawnSquare {
    let plain = DrawnSquare { symbol, pieces: Vec::new(), owner: None, goal: None };
    let (Ok(column), Ok(row)) = (column.try_into(), row.try_into()) else { return plain };
    let at = Square::new(column, row);
    let shared = position.shared(at);
    let letters = if shared.is_empty() { std::slice::from_ref(&symbol) } else { &shared };
    // Each piece is drawn as the first letter of its seat's name.
    let seat_of = |letter: char| {
        Seat::BOTH.into_iter().find(|&seat| initials[seat].eq_ignore_ascii_case(&letter))
    };
    let piece = |&letter| seat_of(letter).map(|seat| (seat, letter));
    let goal = position.goal(at);
    DrawnSquare {
        symbol: goal.filter(|_| symbol == '.').map_or(symbol, |seat| initials[seat]),
        pieces: letters.iter().filter_map(piece).collect(),
        owner: position.owner(at),
        goal,
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

    fn at(cells: &[Vec<DrawnSquare>], column: usize, row: usize) -> &DrawnSquare {
        &cells[row][column]
    }

    #[test]
    fn empty_goals_are_drawn() {
        let board = cells(&*start(GameKind::Backdraughts));
        let goals = [at(&board, 7, 0), at(&board, 0, 7)].map(|cell| (cell.symbol, cell.goal));
        assert_eq!(goals, [('w', Some(Seat::First)), ('b', Some(Seat::Second))]);
        let pawn = at(&board, 1, 3);
        assert_eq!((pawn.symbol, pawn.pieces.as_slice()), ('W', &[(Seat::First, 'W')][..]));
        let goals = board.iter().flatten().filter(|cell| cell.goal.is_some());
        assert!(goals.clone().all(|cell| cell.pieces.is_empty()), "a goal is not a piece");
        assert_eq!(goals.count(), 2);
    }

    #[test]
    fn every_piece_on_a_shared_square_is_there() {
        let mut game = start(GameKind::BackToTheWall);
        let turn = Step::Both(BySeat::new("R U 3,2", "L D 3,4"));
        game.play(turn, &mut Vec::new()).expect("legal");
        let board = cells(&*game);
        let shared = at(&board, 6, 0);
        assert_eq!(shared.pieces, [(Seat::First, 'G'), (Seat::First, 'g')]);
        assert_eq!((shared.symbol, shared.owner), ('2', Some(Seat::First)));
        let alone = at(&board, 0, 0);
        assert_eq!((alone.symbol, alone.pieces.as_slice()), ('C', &[(Seat::Second, 'C')][..]));
    }
}
