//! Parsing of text into a legal action, with the clause that refuses any other text.

use super::ELIMINATION;
use super::action::Action;
use super::board::Board;
use super::board_size::{placement_zone, placement_zone_rows};
use crate::Refusal;
use crate::board::{Bitboard, Direction, Square};
use crate::point::Point;
use crate::refusal::{Breach, refuse_action};
use crate::two_player::{Outcome, Side};

/// Parses `text` as a legal action of `seat`.
pub(super) fn parse_placement_or_move(
    board: &Board,
    ending: Option<Outcome>,
    seat: Side,
    text: &str,
) -> Result<Action, Refusal> {
    let Some(written) = Action::read(text) else {
        return Err(Refusal::Malformed(
            "expected a placement like `3,4`, a move like `3,4>3,5`, or `pass`".to_owned(),
        ));
    };
    check_turn(board, ending, seat)
        .and_then(|()| check_placement_or_move(board, written))
        .map_err(|breach| breach.refusal(text))
}

fn check_turn(board: &Board, ending: Option<Outcome>, seat: Side) -> Result<(), Breach> {
    match ending {
        Some(Outcome { reason: ELIMINATION, .. }) => refuse_action("W9", "comes after the end"),
        Some(_) => refuse_action("W11", "comes after the end"),
        None if seat == board.to_move() => Ok(()),
        None if board.is_placing() => refuse_action("W2", "comes out of turn"),
        None => refuse_action("W5", "comes out of turn"),
    }
}

fn check_placement_or_move(board: &Board, written: Action<Point>) -> Result<Action, Breach> {
    match (written, board.is_placing()) {
        (Action::Place(at), true) => check_placement(board, at).map(Action::Place),
        (Action::Place(_), false) => {
            refuse_action("W5", "is a placement, but all pieces have been placed")
        }
        (Action::Move { .. }, true) => {
            refuse_action("W5", "is a move, but pieces are still being placed")
        }
        (Action::Move { from, to }, false) => check_piece_move(board, from, to),
        (Action::Pass, true) => refuse_action("W7", "is not allowed while pieces are being placed"),
        (Action::Pass, false) if board.must_pass() => Ok(Action::Pass),
        (Action::Pass, false) => refuse_action("W7", "is not allowed while there is a legal move"),
    }
}

fn check_placement(board: &Board, at: Point) -> Result<Square, Breach> {
    let square = at.square().ok_or(Breach::new("W2", "is off the board"))?;
    let seat = board.to_move();
    if board.size().corners().contains(square) {
        refuse_action("W1", "is a corner")
    } else if !placement_zone(seat).contains(square) {
        let side = match seat {
            Side::First => "white",
            Side::Second => "black",
        };
        let (first, last) = placement_zone_rows(seat);
        let wrong = "is outside the rows where";
        refuse_action("W2", format!("{wrong} {side} may place pieces: {first} to {last}"))
    } else if board.occupied().contains(square) {
        refuse_action("W2", "is occupied")
    } else {
        Ok(square)
    }
}

fn check_piece_move(board: &Board, from: Point, to: Point) -> Result<Action, Breach> {
    let from = check_move_start(board, from)?;
    let to = check_move_target(board, from, to)?;
    let (piece, goal) = (Bitboard::from_square(from), Bitboard::from_square(to));
    let Some(direction) =
        Direction::ALL.into_iter().find(|&way| reaches_by_step_or_jump(piece, goal, way))
    else {
        return refuse_action("W6", "is neither one step nor a jump over one square");
    };
    let over = piece.step(direction);
    if over == goal || over.meets(board.occupied()) {
        Ok(Action::Move { from, to })
    } else {
        // A corner is never in between, because the board ends behind it.
        refuse_action("W6", "jumps over an empty square")
    }
}

/// Checks that `from` is the square of a piece of the side to move.
fn check_move_start(board: &Board, from: Point) -> Result<Square, Breach> {
    let square = from.square().ok_or(Breach::new("W6", "starts off the board"))?;
    let seat = board.to_move();
    if board.pieces(seat).contains(square) {
        Ok(square)
    } else if board.pieces(!seat).contains(square) {
        refuse_action("W6", "moves an opponent's piece")
    } else if !board.size().area().contains(square) {
        refuse_action("W6", "starts on a removed square")
    } else {
        refuse_action("W6", "starts where no piece stands")
    }
}

/// Checks that `to` is a square that a piece could enter.
fn check_move_target(board: &Board, from: Square, to: Point) -> Result<Square, Breach> {
    let square = to.square().ok_or(Breach::new("W6", "ends off the board"))?;
    if square == from {
        refuse_action("W6", "does not move the piece")
    } else if !board.size().area().contains(square) {
        refuse_action("W6", "ends on a removed square")
    } else if board.size().corners().contains(square) {
        refuse_action("W1", "ends on a corner")
    } else if board.occupied().contains(square) {
        refuse_action("W6", "ends on an occupied square")
    } else {
        Ok(square)
    }
}

/// Returns whether `goal` is one or two squares from `piece` in this direction.
fn reaches_by_step_or_jump(piece: Bitboard, goal: Bitboard, direction: Direction) -> bool {
    let next = piece.step(direction);
    goal == next || goal == next.step(direction)
}
