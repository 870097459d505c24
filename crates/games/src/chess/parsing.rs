//! Parsing of text into a legal move, with the clause that refuses any other text.

use cozy_chess::{
    BitBoard, Board, File, Move, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_pawn_quiets, get_rook_moves,
};

use super::{Action, Chess};
use crate::Refusal;
use crate::refusal::{Breach, breaks};
use crate::two_player::Outcome;
use crate::two_player::Side;

/// A move as a player writes it, whether or not it is legal.
enum WrittenMove {
    /// In UCI.
    Squares(Action),
    /// In algebraic notation.
    Algebraic(AlgebraicMove),
    /// Castling in algebraic notation, on the king's side if it is short.
    Castling { short: bool },
}

/// A move in algebraic notation.
#[derive(Default)]
struct AlgebraicMove {
    /// The piece; without one, a pawn moves.
    piece: Option<Piece>,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to: Option<Square>,
    promotion: Option<Piece>,
}

/// Parses `text` as a legal action of `seat`.
pub(super) fn parse(game: &Chess, seat: Side, text: &str) -> Result<Action, Refusal> {
    let Some(written) = WrittenMove::read(text) else {
        let expected = "expected a move like `e2e4`, `e7e8q`, `Nf3`, `exd5` or `O-O`";
        return Err(Refusal::Malformed(expected.to_owned()));
    };
    on_turn(game, seat).and_then(|()| legal(game, &written)).map_err(|it| it.refusal(text))
}

fn on_turn(game: &Chess, seat: Side) -> Result<(), Breach> {
    match game.ending {
        Some(Outcome { reason, .. }) => breaks(clause_of(reason), "comes after the end"),
        None if seat == game.mover() => Ok(()),
        None => breaks("C1", "comes out of turn"),
    }
}

/// The clause by which a game ends for this reason.
fn clause_of(reason: &str) -> &'static str {
    match reason {
        "dead-position" => "C5",
        "repetition" => "C6",
        "fifty-moves" => "C7",
        _ => "C4",
    }
}

fn legal(game: &Chess, written: &WrittenMove) -> Result<Action, Breach> {
    let (board, chess960) = (&game.board, game.rules.chess960);
    let played = match written {
        WrittenMove::Squares(action) => action.on(board, chess960),
        WrittenMove::Algebraic(algebraic) => algebraic.on(board)?,
        WrittenMove::Castling { short } => castling(board, *short)?,
    };
    if !board.is_legal(played) {
        return Err(why_illegal(board, played));
    }
    let action = Action::of(played, board, chess960);
    match written {
        WrittenMove::Squares(other) if *other != action => {
            breaks("C2", format!("is castling, which is written `{action}`"))
        }
        _ => Ok(action),
    }
}

/// The king's move to its rook.
fn castling(board: &Board, short: bool) -> Result<Move, Breach> {
    let color = board.side_to_move();
    let rights = board.castle_rights(color);
    let from = board.king(color);
    match if short { rights.short } else { rights.long } {
        Some(rook) => Ok(Move { from, to: Square::new(rook, from.rank()), promotion: None }),
        None => breaks("C1", "is not possible: the king or the rook has moved"),
    }
}

/// The reason why a move is illegal.
fn why_illegal(board: &Board, Move { from, to, promotion }: Move) -> Breach {
    let color = board.side_to_move();
    let own = board.colors(color);
    let Some(piece) = board.piece_on(from) else {
        return Breach::new("C1", "starts where no piece stands");
    };
    let becomes_something = piece == Piece::Pawn && to.rank() == Rank::Eighth.relative_to(color);
    if !own.has(from) {
        Breach::new("C1", "moves an opponent's piece")
    } else if piece == Piece::King && own.has(to) && board.pieces(Piece::Rook).has(to) {
        let needs = "the king and this rook must not have moved, the squares between them must be \
                     free, and the king must not start in, pass through or end in check";
        Breach::new("C1", format!("is castling, which is not possible: {needs}"))
    } else if own.has(to) {
        Breach::new("C1", "ends on a piece of the same side")
    } else if !reached(board, piece, from).has(to) {
        Breach::new("C1", format!("is not how a {piece:?} moves").to_lowercase())
    } else if becomes_something && promotion.is_none() {
        Breach::new("C2", "does not name the promotion piece: q, r, b or n")
    } else if !becomes_something && promotion.is_some() {
        Breach::new("C2", "promotes a piece that cannot be promoted")
    } else {
        Breach::new("C3", "leaves the king in check")
    }
}

/// The squares that a piece on this square reaches, whether or not its king is then in check.
fn reached(board: &Board, piece: Piece, from: Square) -> BitBoard {
    let (color, occupied) = (board.side_to_move(), board.occupied());
    match piece {
        Piece::Pawn => {
            let passed =
                board.en_passant().map(|file| Square::new(file, Rank::Sixth.relative_to(color)));
            let victims = passed.map_or(BitBoard::EMPTY, Square::bitboard) | board.colors(!color);
            get_pawn_quiets(from, color, occupied) | (get_pawn_attacks(from, color) & victims)
        }
        Piece::Knight => get_knight_moves(from),
        Piece::Bishop => get_bishop_moves(from, occupied),
        Piece::Rook => get_rook_moves(from, occupied),
        Piece::Queen => get_bishop_moves(from, occupied) | get_rook_moves(from, occupied),
        Piece::King => get_king_moves(from),
    }
}

impl WrittenMove {
    fn read(text: &str) -> Option<Self> {
        if let Some(action) = Action::read(text) {
            return Some(Self::Squares(action));
        }
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        match bare {
            "O-O" | "0-0" => Some(Self::Castling { short: true }),
            "O-O-O" | "0-0-0" => Some(Self::Castling { short: false }),
            _ => AlgebraicMove::read(bare).map(Self::Algebraic),
        }
    }
}

/// The piece with this upper-case letter, except the pawn.
fn officer(letter: u8) -> Option<Piece> {
    match letter {
        b'N' => Some(Piece::Knight),
        b'B' => Some(Piece::Bishop),
        b'R' => Some(Piece::Rook),
        b'Q' => Some(Piece::Queen),
        b'K' => Some(Piece::King),
        _ => None,
    }
}

fn file(letter: u8) -> Option<File> {
    File::try_from(char::from(letter)).ok().filter(|_| letter.is_ascii_lowercase())
}

fn rank(letter: u8) -> Option<Rank> {
    Rank::try_from(char::from(letter)).ok()
}

impl AlgebraicMove {
    /// Parses a text such as `Nf3`, `Nbxd2`, `exd8=Q`, `e8Q` or `Ng1-f3`, without what follows the
    /// move.
    fn read(text: &str) -> Option<Self> {
        let mut found = Self::default();
        let mut rest = text.as_bytes();
        if let Some(piece) = rest.first().copied().and_then(officer) {
            (found.piece, rest) = (Some(piece), &rest[1..]);
        }
        if let [before @ .., letter] = rest
            && let Some(piece) = officer(letter.to_ascii_uppercase())
        {
            found.promotion = Some(piece).filter(|it| *it != Piece::King && found.piece.is_none());
            found.promotion?;
            rest = before.strip_suffix(b"=").unwrap_or(before);
        }
        let [from @ .., to_file, to_rank] = rest else { return None };
        found.to = Some(Square::new(file(*to_file)?, rank(*to_rank)?));
        match from.strip_suffix(b"x").or(from.strip_suffix(b"-")).unwrap_or(from) {
            [] => {}
            [a, b] => (found.from_file, found.from_rank) = (Some(file(*a)?), Some(rank(*b)?)),
            [one] => {
                (found.from_file, found.from_rank) = (file(*one), rank(*one));
                if found.from_file.is_none() {
                    found.from_rank?;
                }
            }
            _ => return None,
        }
        Some(found)
    }

    /// The one legal move that this can be. Without its file, a pawn moves straight: `e4` is never
    /// the capture `fxe4`.
    fn on(&self, board: &Board) -> Result<Move, Breach> {
        let piece = self.piece.unwrap_or(Piece::Pawn);
        let straight = self.to.filter(|_| piece == Piece::Pawn).map(Square::file);
        let file = self.from_file.or(straight);
        let fits = |from: &Square| {
            file.is_none_or(|file| from.file() == file)
                && self.from_rank.is_none_or(|rank| from.rank() == rank)
        };
        let own = board.colored_pieces(board.side_to_move(), piece);
        let moves: Vec<Move> = own
            .into_iter()
            .filter(fits)
            .filter_map(|from| Some(Move { from, to: self.to?, promotion: self.promotion }))
            .filter(|it| reached(board, piece, it.from).has(it.to))
            .collect();
        let legal: Vec<&Move> = moves.iter().filter(|it| board.is_legal(**it)).collect();
        match (&legal[..], &moves[..]) {
            ([one], _) => Ok(**one),
            ([one, other, ..], _) => breaks("C2", format!("is ambiguous: {one} or {other}")),
            ([], [one, ..]) => Err(why_illegal(board, *one)),
            ([], []) => {
                let wrong = format!("is not possible: no {piece:?} of this side can go there");
                breaks("C1", wrong.to_lowercase())
            }
        }
    }
}
