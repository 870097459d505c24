//! Boards drawn for people: square by square, and as rows of characters.

use smallvec::SmallVec;

use crate::board::{Bitboard, Square};
use crate::seat::{BySeat, Seat};

/// A square and what is on it, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnSquare {
    /// The character that represents the whole square.
    pub symbol: char,
    /// The pieces on it, each with its seat and its letter.
    pub pieces: SmallVec<[(Seat, char); 2]>,
    /// Its owner, in games whose squares have owners.
    pub owner: Option<Seat>,
    /// The seat whose goal it is, in games with goals.
    pub goal: Option<Seat>,
}

/// A board by rows, from top to bottom.
pub type DrawnBoard = Vec<Vec<DrawnSquare>>;

/// The board that these rows of characters show. A piece is drawn as the first letter of its seat's
/// name, in upper or lower case.
pub(crate) fn of_rows(rows: &[String], seats: &BySeat<impl AsRef<str>>) -> DrawnBoard {
    let initials = seats.as_ref().map(|name| name.as_ref().chars().next().unwrap_or('?'));
    let square = |symbol: char| {
        let mut seats = Seat::BOTH.into_iter();
        let seat = seats.find(|&seat| initials[seat].eq_ignore_ascii_case(&symbol));
        let pieces = seat.map(|seat| (seat, symbol)).into_iter().collect();
        DrawnSquare { symbol, pieces, owner: None, goal: None }
    };
    rows.iter().map(|row| row.chars().map(square).collect()).collect()
}

/// The 8×8 board as rows of ASCII characters, from top to bottom. Draws the squares of each set as
/// its ASCII character, later sets over earlier ones, and all other squares as `.`.
pub(crate) fn symbol_rows<const N: usize>(sets: [(Bitboard, u8); N]) -> Vec<String> {
    let mut rows = [[b'.'; 8]; 8];
    for (squares, symbol) in sets {
        for Square { column, row } in squares {
            rows[usize::from(row)][usize::from(column)] = symbol;
        }
    }
    rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect()
}

/// The squares where `rows` show this character.
pub(crate) fn squares_with(rows: &[impl AsRef<str>], symbol: u8) -> Bitboard {
    let shows = |square: &Square| {
        let row = rows.get(usize::from(square.row)).map(|row| row.as_ref().as_bytes());
        row.and_then(|row| row.get(usize::from(square.column))) == Some(&symbol)
    };
    let squares = Bitboard::WHOLE.iter().filter(shows);
    squares.fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameKind, Options, Position, Step};

    fn start(kind: GameKind) -> Position {
        let options = Options::resolve(kind.game().options(), []).expect("the defaults");
        kind.game().start(&options).expect("the defaults")
    }

    #[test]
    fn empty_goals_are_drawn() {
        let board = start(GameKind::Backdraughts).draw();
        let goals = [&board[0][7], &board[7][0]].map(|square| (square.symbol, square.goal));
        assert_eq!(goals, [('w', Some(Seat::First)), ('b', Some(Seat::Second))]);
        let pawn = &board[3][1];
        assert_eq!((pawn.symbol, pawn.pieces.as_slice()), ('W', &[(Seat::First, 'W')][..]));
        let goals = board.iter().flatten().filter(|square| square.goal.is_some());
        assert!(goals.clone().all(|square| square.pieces.is_empty()), "a goal is not a piece");
        assert_eq!(goals.count(), 2);
    }

    #[test]
    fn every_piece_on_a_shared_square_is_there() {
        let mut game = start(GameKind::BackToTheWall);
        let turn = Step::Both(BySeat::new("R U 3,2", "L D 3,4"));
        game.play(turn, &mut Vec::new()).expect("legal");
        let board = game.draw();
        let shared = &board[0][6];
        assert_eq!(shared.pieces[..], [(Seat::First, 'G'), (Seat::First, 'g')]);
        assert_eq!((shared.symbol, shared.owner), ('2', Some(Seat::First)));
        let alone = &board[0][0];
        assert_eq!((alone.symbol, alone.pieces.as_slice()), ('C', &[(Seat::Second, 'C')][..]));
    }
}
