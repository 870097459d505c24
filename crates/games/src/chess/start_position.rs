//! The rules in force: the start position, checked (C9).

use cozy_chess::{Board, Color, FenParseError, File, Piece, Rank, Square, get_king_moves};
use serde::Deserialize;

use super::ending::find_chess_ending;
use crate::options::Expected;
use crate::position_history::PositionHistory;
use crate::{OptionError, Options};

/// The word for the usual start position.
const USUAL: &str = "startpos";

/// The rules in force.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Whether castling is that of Chess960.
    pub(super) chess960: bool,
    /// The start position.
    pub(super) start: Board,
}

/// The options as given.
#[derive(Deserialize)]
struct GivenStart {
    fen: String,
    chess960: bool,
}

impl Rules {
    pub(super) fn from_options(options: &Options) -> Result<Self, OptionError> {
        let GivenStart { fen, chess960 } = options.read();
        let refused = |why| OptionError::Value {
            name: "fen".to_owned(),
            value: fen.clone(),
            expected: Expected::new(format!("expected `{USUAL}` or a position in FEN: {why}")),
        };
        let start =
            if fen == USUAL { Ok(Board::startpos()) } else { parse_start_fen(&fen, chess960) };
        let start = start.map_err(refused)?;
        match find_chess_ending(&start, &PositionHistory::default()) {
            Some(over) => Err(refused(format!("the game is over there ({})", over.reason))),
            None => Ok(Self { chess960, start }),
        }
    }

    /// The position in FEN. In Chess960, the castling rights name the files of the rooks.
    pub(super) fn fen(&self, board: &Board) -> String {
        if self.chess960 { format!("{board:#}") } else { board.to_string() }
    }
}

/// The most fields of a FEN.
const MOST_FIELDS: usize = 6;

/// The position that `fen` describes, or what is wrong with it.
///
/// Programs that export positions leave out the fields at the end, write `-` for counters that they
/// do not know, and count moves from 0. None of that changes a game, so it is read as what it means.
fn parse_start_fen(fen: &str, chess960: bool) -> Result<Board, String> {
    let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
    if !(2..=MOST_FIELDS).contains(&fields.len()) {
        return Err(format!("a FEN has 2 to {MOST_FIELDS} fields, not {}", fields.len()));
    }
    let field = |at: usize| fields.get(at).copied().unwrap_or("-");
    let [pieces, side, rights, en_passant] = [0, 1, 2, 3].map(field);
    let stale = if field(4) == "-" { "0" } else { field(4) };
    let number = if ["-", "0"].contains(&field(5)) { "1" } else { field(5) };
    check_fen_rows(pieces)?;
    let bare = Board::from_fen(&format!("{pieces} {side} - - 0 1"), true);
    let bare = bare.map_err(|error| describe_fen_error(error, "-"))?;
    // The board that checks everything else overlooks this.
    if get_king_moves(bare.king(Color::White)).has(bare.king(Color::Black)) {
        return Err("the kings stand next to each other".to_owned());
    }
    let files = castling_rook_files(&bare, rights, chess960)?;
    let whole = format!("{pieces} {side} {files} {en_passant} {stale} {number}");
    Board::from_fen(&whole, true).map_err(|error| describe_fen_error(error, rights))
}

/// Checks that there are eight rows of eight squares, and a king of each side.
fn check_fen_rows(pieces: &str) -> Result<(), String> {
    let rows: Vec<&str> = pieces.split('/').collect();
    if rows.len() != 8 {
        return Err(format!("a FEN has 8 rows with `/` between them, not {}", rows.len()));
    }
    for row in rows {
        if let Some(odd) = row.chars().find(|it| !"pnbrqkPNBRQK12345678".contains(*it)) {
            return Err(format!("`{odd}` in the row `{row}` is not a piece"));
        }
        let squares: u32 = row.chars().map(|it| it.to_digit(10).unwrap_or(1)).sum();
        if squares != 8 {
            return Err(format!("the row `{row}` has {squares} squares, not 8"));
        }
    }
    for (king, side) in [('K', "white"), ('k', "black")] {
        let kings = pieces.matches(king).count();
        if kings != 1 {
            return Err(format!("{side} has {kings} kings"));
        }
    }
    Ok(())
}

/// The problem with a position that has eight rows and two kings.
fn describe_fen_error(error: FenParseError, rights: &str) -> String {
    match error {
        FenParseError::InvalidBoard => {
            "no game has these pieces on these squares with this side to move".to_owned()
        }
        FenParseError::InvalidSideToMove => "the side to move must be `w` or `b`".to_owned(),
        FenParseError::InvalidCastlingRights => describe_castling_mismatch(rights),
        FenParseError::InvalidEnPassant => {
            "no pawn has just passed the en-passant square".to_owned()
        }
        FenParseError::InvalidHalfMoveClock => {
            "the fifth field must be a number up to 100".to_owned()
        }
        _ => "the sixth field must be the move number, from 1".to_owned(),
    }
}

fn describe_castling_mismatch(rights: &str) -> String {
    format!("king and rooks are not where the castling rights `{rights}` need them")
}

/// Castling rights by the files of the rooks. `K` and `Q` are the outermost rooks on each side.
fn castling_rook_files(board: &Board, rights: &str, chess960: bool) -> Result<String, String> {
    if rights == "-" {
        return Ok(rights.to_owned());
    }
    let file = |letter: char| {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let (king, rank) = (board.king(color), Rank::First.relative_to(color));
        let rooks = board.colored_pieces(color, Piece::Rook) & rank.bitboard();
        let mut files = rooks.into_iter().map(Square::file);
        let rook = match letter.to_ascii_lowercase() {
            'k' => files.filter(|&file| file > king.file()).last(),
            'q' => files.find(|&file| file < king.file()),
            named => File::try_from(named).ok(),
        }?;
        let is_usual = king.file() == File::E && [File::A, File::H].contains(&rook);
        (chess960 || is_usual).then(|| {
            let named = char::from(rook);
            if color == Color::White { named.to_ascii_uppercase() } else { named }
        })
    };
    let help = if chess960 { "" } else { " (`chess960` is off)" };
    let files = rights.chars().map(file).collect::<Option<String>>();
    files.ok_or_else(|| describe_castling_mismatch(rights) + help)
}
