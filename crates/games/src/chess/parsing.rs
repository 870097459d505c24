//! Parsing of text into a legal move, with the clause that refuses any other text.

use cozy_chess::{
    BitBoard, Board, File, Move, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_pawn_quiets, get_rook_moves,
};

use super::{Action, Chess};
use crate::Refusal;
use crate::refusal::{Breach, refuse_action};
use crate::two_player::{Outcome, Side};

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
pub(super) fn parse_chess_move(game: &Chess, seat: Side, text: &str) -> Result<Action, Refusal> {
    let Some(written) = WrittenMove::read(text) else {
        let expected = "expected a move like `e2e4`, `e7e8q`, `Nf3`, `exd5` or `O-O`";
        return Err(Refusal::Malformed(expected.to_owned()));
    };
    check_chess_turn(game, seat)
        .and_then(|()| resolve_chess_move(game, &written))
        .map_err(|it| it.refusal(text))
}

fn check_chess_turn(game: &Chess, seat: Side) -> Result<(), Breach> {
    match game.ending {
        Some(Outcome { reason, .. }) => {
            refuse_action(clause_for_ending(reason), "comes after the end")
        }
        None if seat == game.mover() => Ok(()),
        None => refuse_action("C1", "comes out of turn"),
    }
}

/// The clause by which a game ends for this reason.
fn clause_for_ending(reason: &str) -> &'static str {
    match reason {
        "dead-position" => "C5",
        "repetition" => "C6",
        "fifty-moves" => "C7",
        _ => "C4",
    }
}

fn resolve_chess_move(game: &Chess, written: &WrittenMove) -> Result<Action, Breach> {
    let (board, chess960) = (&game.board, game.rules.chess960);
    let played = match written {
        WrittenMove::Squares(action) => action.to_move_on(board, chess960),
        WrittenMove::Algebraic(algebraic) => algebraic.resolve_on(board)?,
        WrittenMove::Castling { short } => resolve_chess_castling(board, *short)?,
    };
    if !board.is_legal(played) {
        return Err(explain_illegal_chess_move(board, played));
    }
    let action = Action::from_legal_move(played, board, chess960);
    match written {
        WrittenMove::Squares(other) if *other != action => {
            refuse_action("C2", format!("is castling, which is written `{action}`"))
        }
        _ => Ok(action),
    }
}

/// The king's move to its rook.
fn resolve_chess_castling(board: &Board, short: bool) -> Result<Move, Breach> {
    let color = board.side_to_move();
    let rights = board.castle_rights(color);
    let from = board.king(color);
    match if short { rights.short } else { rights.long } {
        Some(rook) => Ok(Move { from, to: Square::new(rook, from.rank()), promotion: None }),
        None => refuse_action("C1", "is not possible: the king or the rook has moved"),
    }
}

/// The reason why a move is illegal.
fn explain_illegal_chess_move(board: &Board, Move { from, to, promotion }: Move) -> Breach {
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
    } else if !squares_reached_by(board, piece, from).has(to) {
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
fn squares_reached_by(board: &Board, piece: Piece, from: Square) -> BitBoard {
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
fn parse_piece_letter(letter: u8) -> Option<Piece> {
    match letter {
        b'N' => Some(Piece::Knight),
        b'B' => Some(Piece::Bishop),
        b'R' => Some(Piece::Rook),
        b'Q' => Some(Piece::Queen),
        b'K' => Some(Piece::King),
        _ => None,
    }
}

fn parse_file_letter(letter: u8) -> Option<File> {
    File::try_from(char::from(letter)).ok().filter(|_| letter.is_ascii_lowercase())
}

fn parse_rank_digit(letter: u8) -> Option<Rank> {
    Rank::try_from(char::from(letter)).ok()
}

impl AlgebraicMove {
    /// Parses a text such as `Nf3`, `Nbxd2`, `exd8=Q`, `e8Q` or `Ng1-f3`, without what follows the
    /// move.
    fn read(text: &str) -> Option<Self> {
        let mut found = Self::default();
        let mut rest = text.as_bytes();
        if let Some(piece) = rest.first().copied().and_then(parse_piece_letter) {
            (found.piece, rest) = (Some(piece), &rest[1..]);
        }
        if let [before @ .., letter] = rest
            && let Some(piece) = parse_piece_letter(letter.to_ascii_uppercase())
        {
            found.promotion = Some(piece).filter(|it| *it != Piece::King && found.piece.is_none());
            found.promotion?;
            rest = before.strip_suffix(b"=").unwrap_or(before);
        }
        let [from @ .., to_file, to_rank] = rest else { return None };
        found.to = Some(Square::new(parse_file_letter(*to_file)?, parse_rank_digit(*to_rank)?));
        match from.strip_suffix(b"x").or(from.strip_suffix(b"-")).unwrap_or(from) {
            [] => {}
            [a, b] => {
                (found.from_file, found.from_rank) =
                    (Some(parse_file_letter(*a)?), Some(parse_rank_digit(*b)?));
            }
            [one] => {
                (found.from_file, found.from_rank) =
                    (parse_file_letter(*one), parse_rank_digit(*one));
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
    fn resolve_on(&self, board: &Board) -> Result<Move, Breach> {
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
            .filter(|it| squares_reached_by(board, piece, it.from).has(it.to))
            .collect();
        let legal: Vec<&Move> = moves.iter().filter(|it| board.is_legal(**it)).collect();
        match (&legal[..], &moves[..]) {
            ([one], _) => Ok(**one),
            ([one, other, ..], _) => refuse_action("C2", format!("is ambiguous: {one} or {other}")),
            ([], [one, ..]) => Err(explain_illegal_chess_move(board, *one)),
            ([], []) => {
                let wrong = format!("is not possible: no {piece:?} of this side can go there");
                refuse_action("C1", wrong.to_lowercase())
            }
        }
    }
}
