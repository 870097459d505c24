//! A position drawn square by square, for the terminal and the page.

use referee_games::{AnyPosition, BySeat, DrawnBoard, DrawnSquare, Seat};

/// One square and what is on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSquare {
    /// The character that represents the whole square.
    pub symbol: char,
    /// The pieces on it, each with its seat and its letter.
    pub pieces: Vec<(Seat, char)>,
    /// The owner of the square, in games where squares have owners.
    pub owner: Option<Seat>,
    /// The seat whose goal it is, in games with goals.
    pub goal: Option<Seat>,
}

/// The board by rows, from top to bottom.
pub fn cells(position: &dyn AnyPosition) -> Vec<Vec<ShownSquare>> {
    let (letters, mut board) = (SeatLetters::of(position), DrawnBoard::default());
    position.draw(&mut board);
    let row = |row: &[DrawnSquare]| row.iter().map(|square| letters.show(square)).collect();
    board.rows().map(row).collect()
}

/// The first letters of the seats' names, as which their pieces are drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeatLetters(BySeat<char>);

impl SeatLetters {
    /// Those of the game of this position.
    pub(crate) fn of(position: &dyn AnyPosition) -> Self {
        Self(position.seats().map(|name| name.chars().next().unwrap_or('?')))
    }

    /// A square with its pieces. An empty goal is drawn as the letter of its seat in lower case.
    pub(crate) fn show(self, square: &DrawnSquare) -> ShownSquare {
        let DrawnSquare { symbol, owner, goal, .. } = *square;
        let alone = square.shared().next().is_none().then_some(symbol);
        let piece = |letter| self.seat(letter).map(|seat| (seat, letter));
        ShownSquare {
            symbol: goal.filter(|_| symbol == '.').map_or(symbol, |seat| self.0[seat]),
            pieces: square.shared().chain(alone).filter_map(piece).collect(),
            owner,
            goal,
        }
    }

    /// The seat of the piece with this letter.
    fn seat(self, letter: char) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|&seat| self.0[seat].eq_ignore_ascii_case(&letter))
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

    fn at(cells: &[Vec<ShownSquare>], column: usize, row: usize) -> &ShownSquare {
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
