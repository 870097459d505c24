//! A position as sent to players and shown to people.

use serde::Serialize;

use super::board::Board;
use super::map::{MapGround, PIECES, Piece};
use super::{BackToTheWall, RoundResult};
use crate::Game;
use crate::board::Square;
use crate::drawn_board::DrawnRow;
use crate::event::PieceSquares;
use crate::seat::SeatMap;
use crate::two_player::{BySide, Side};

/// The complete state for players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    /// The number of the round, from 1.
    round: usize,
    /// The name of its board.
    board: String,
    /// Rows of `.` and `#`.
    map: Vec<String>,
    /// Rows of `G`, `C` and `.`.
    owner: Vec<String>,
    pieces: SeatMap<PieceSquares>,
    /// The number of turns played in this round.
    pub turn: u32,
    /// The rounds that are over.
    rounds: Vec<RoundState>,
}

/// A finished round, for players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct RoundState {
    /// The name of the board.
    board: String,
    /// The name of the winning seat, or `draw`.
    winner: &'static str,
    /// Why it ended.
    reason: &'static str,
    /// The number of squares of each player.
    squares: SeatMap<u32>,
}

impl State {
    pub(super) fn new(game: &BackToTheWall) -> Self {
        let board = game.board();
        let round = |(index, result): (usize, &RoundResult)| RoundState {
            board: game.rules.maps[index].name.clone(),
            winner: result.result.name(&BackToTheWall::SEATS),
            reason: result.reason.name(),
            squares: result.squares.to_seat_map(BackToTheWall::SEATS),
        };
        Self {
            round: game.round + 1,
            board: game.map().name.clone(),
            map: board.map_rows(),
            owner: board.render_rows(|at| match square_owner(board, at) {
                Some(seat) => Piece::Circle.letter_in_map(seat),
                None => '.',
            }),
            pieces: piece_squares_by_seat(board),
            turn: game.turn,
            rounds: game.finished.iter().enumerate().map(round).collect(),
        }
    }
}

/// The squares of the pieces, for players.
pub(super) fn piece_squares_by_seat(board: &Board) -> SeatMap<PieceSquares> {
    let of = |seat| {
        let pair = board.pieces[seat];
        PieceSquares { circle: pair.circle, square: pair.square }
    };
    BySide::from_fn(of).to_seat_map(BackToTheWall::SEATS)
}

/// The owner of this square, if any.
pub(super) fn square_owner(board: &Board, at: Square) -> Option<Side> {
    Side::BOTH.into_iter().find(|seat| board.owned[*seat].contains(at))
}

fn pieces_on(board: &Board, at: Square) -> impl Iterator<Item = (Side, Piece)> {
    PIECES.into_iter().filter(move |(seat, piece)| board.pieces[*seat][*piece] == at)
}

/// The board for people: pieces as in board files, or their number if several share a square; `x`
/// for Grunkle's squares, `o` for Charge's.
pub(super) fn state_rows(board: &Board) -> Vec<String> {
    board.render_rows(|at| state_square_symbol(board, at))
}

fn state_square_symbol(board: &Board, at: Square) -> char {
    let mut pieces = pieces_on(board, at);
    match (pieces.next(), pieces.count(), square_owner(board, at)) {
        (Some((seat, piece)), 0, _) => piece.letter_in_map(seat),
        (Some(_), 1, _) => '2',
        (Some(_), 2, _) => '3',
        (Some(_), _, _) => '4',
        _ if board.walls.contains(at) => '#',
        (None, _, Some(Side::First)) => 'x',
        (None, _, Some(Side::Second)) => 'o',
        (None, _, None) => '.',
    }
}

/// The contents of each square: its owner's mark or a wall, and all pieces.
pub(super) fn state_cells(board: &Board) -> Vec<DrawnRow> {
    let square = |at| {
        let owner = square_owner(board, at).map(|seat| if seat == Side::First { 'x' } else { 'o' });
        let wall = board.walls.contains(at).then_some('#');
        let pieces = pieces_on(board, at).map(|(seat, piece)| piece.letter_in_map(seat));
        owner.into_iter().chain(wall).chain(pieces).collect()
    };
    let MapGround { width, height, .. } = board.ground;
    let row = |row| DrawnRow((0..width).map(|column| square(Square::new(column, row))).collect());
    (0..height).map(row).collect()
}

/// A line with what the drawing does not show.
pub(super) fn state_caption(game: &BackToTheWall) -> String {
    let BySide { first, second } = game.board().count_owned_squares();
    let won = BySide::from_fn(|seat| game.rounds_won(seat));
    format!(
        "round {} on {}, {} of {} turns; squares: grunkle (x) {first}, charge (o) {second}; \
         rounds: {} to {}{}",
        game.round + 1,
        game.map().name,
        game.turn,
        game.rules.max_turns,
        won.first,
        won.second,
        describe_unseen_pieces(game.board()),
    )
}

/// Describes what the drawing hides: pieces that share a square, and pieces on squares that their
/// player does not own.
fn describe_unseen_pieces(board: &Board) -> String {
    let mut squares: Vec<Square> = board.squares_of_pieces().to_vec();
    squares.sort_by_key(|at| (at.row, at.column));
    squares.dedup();
    let hidden = |at: Square| {
        let there = || pieces_on(board, at);
        let is_its_own = there().all(|(seat, _)| square_owner(board, at) == Some(seat));
        if there().count() == 1 && is_its_own {
            return None;
        }
        let letters: Vec<_> =
            there().map(|(seat, piece)| piece.letter_in_map(seat).to_string()).collect();
        let whose = match square_owner(board, at) {
            _ if is_its_own => "",
            Some(Side::First) => " on grunkle's square",
            Some(Side::Second) => " on charge's square",
            None => " on nobody's square",
        };
        Some(format!("; {at}: {}{whose}", letters.join(" ")))
    };
    squares.into_iter().filter_map(hidden).collect()
}
