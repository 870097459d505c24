//! Parsing of text into a legal submission, with the reason for refusing any other text (T10).

use std::borrow::Cow;

use super::action::{Submission, Written};
use super::board::Board;
use super::squares::Squares;
use crate::Refusal;
use crate::point::Point;

/// Parses `text` as a legal submission on `board`. If the match is `over`, every submission is
/// refused.
pub(super) fn parse(board: &Board, over: bool, text: &str) -> Result<Submission, Refusal> {
    let Some(written) = Written::read(text) else {
        return Err(Refusal::Malformed(
            "expected a direction for the circle, one for the square, then the walls, like \
             `R U 3,5`"
                .to_owned(),
        ));
    };
    let illegal = |clause, wrong| Refusal::Illegal {
        clause: Cow::Borrowed(clause),
        reason: format!("{text} {wrong}"),
    };
    if over {
        return Err(illegal("T9", "comes after the end".to_owned()));
    }
    let walls = walls(board, &written.points).map_err(|wrong| illegal("T10", wrong))?;
    Ok(Submission { directions: written.directions, walls })
}

/// The named squares, or the reason why they are not allowed.
fn walls(board: &Board, points: &[Point]) -> Result<Squares, String> {
    let wanted = usize::from(board.ground.walls_each);
    if points.len() != wanted {
        return Err(format!("names {}, not {wanted}", squares(points.len())));
    }
    let mut walls = Squares::EMPTY;
    for point in points {
        let Some(at) = point.square_of(board.ground.width, board.ground.height) else {
            return Err("names a square off the board".to_owned());
        };
        if walls.contains(at) {
            return Err(format!("names {at} twice"));
        } else if board.walls.contains(at) {
            return Err(format!("names {at}, which is a wall"));
        } else if !board.free().contains(at) {
            return Err(format!("names {at}, where a piece stands"));
        }
        walls |= Squares::of(at);
    }
    Ok(walls)
}

fn squares(count: usize) -> String {
    match count {
        0 => "no square".to_owned(),
        1 => "1 square".to_owned(),
        many => format!("{many} squares"),
    }
}
