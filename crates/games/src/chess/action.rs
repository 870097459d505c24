//! Moves in the notation of UCI.

use std::fmt;

use cozy_chess::{Board, File, Move, Piece, Rank, Square};

/// A move in the notation of UCI, such as `e2e4` or `e7e8q`. Castling is written as the king's own
/// move, and in Chess960 as the king's move to its rook. Actions sort by their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action {
    /// The squares, each as its file and rank.
    squares: [u8; 4],
    /// The letter of the piece that a pawn becomes.
    promotion: Option<u8>,
}

impl Action {
    /// Parses a text that has the form of a move, whether or not it is legal.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (&squares, rest) = text.as_bytes().split_first_chunk::<4>()?;
        let is_square = |at: usize| {
            (b'a'..=b'h').contains(&squares[at]) && (b'1'..=b'8').contains(&squares[at + 1])
        };
        let promotion = match rest {
            [] => None,
            [letter @ (b'q' | b'r' | b'b' | b'n')] => Some(*letter),
            _ => return None,
        };
        (is_square(0) && is_square(2)).then_some(Self { squares, promotion })
    }

    /// The text of a legal move on this board.
    pub(super) fn from_legal_move(played: Move, board: &Board, chess960: bool) -> Self {
        let is_castling = board.colors(board.side_to_move()).has(played.to);
        let to = match is_castling && !chess960 {
            true if played.from.file() < played.to.file() => File::G,
            true => File::C,
            false => played.to.file(),
        };
        let [from, to] = [played.from, Square::new(to, played.to.rank())]
            .map(|square| [b'a' + square.file() as u8, b'1' + square.rank() as u8]);
        let promotion = played.promotion.map(|piece| match piece {
            Piece::Rook => b'r',
            Piece::Bishop => b'b',
            Piece::Knight => b'n',
            _ => b'q',
        });
        Self { squares: [from[0], from[1], to[0], to[1]], promotion }
    }

    /// A number in the order of actions: comparing their bytes is a call each.
    pub(super) fn sort_key(self) -> u64 {
        let squares = u64::from(u32::from_be_bytes(self.squares));
        squares << 8 | u64::from(self.promotion.unwrap_or_default())
    }

    /// The letters of its text.
    pub(super) fn letters(self) -> impl Iterator<Item = char> {
        self.squares.into_iter().chain(self.promotion).map(char::from)
    }

    /// The move on this board, whether or not it is legal: castling is the king's move to its rook.
    pub(super) fn to_move_on(self, board: &Board, chess960: bool) -> Move {
        let [from, mut to] = [0, 2].map(|at| {
            let file = File::index(usize::from(self.squares[at] - b'a'));
            Square::new(file, Rank::index(usize::from(self.squares[at + 1] - b'1')))
        });
        let color = board.side_to_move();
        if !chess960 && from == board.king(color) && from == Square::E1.relative_to(color) {
            let rights = board.castle_rights(color);
            let rook = match to.relative_to(color) {
                Square::G1 => rights.short,
                Square::C1 => rights.long,
                _ => None,
            };
            to = rook.map_or(to, |file| Square::new(file, from.rank()));
        }
        let promotion = self.promotion.map(|letter| match letter {
            b'r' => Piece::Rook,
            b'b' => Piece::Bishop,
            b'n' => Piece::Knight,
            _ => Piece::Queen,
        });
        Move { from, to, promotion }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.letters().try_for_each(|letter| fmt::Write::write_char(f, letter))
    }
}
