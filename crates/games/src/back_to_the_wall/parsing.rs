//! Parsing of text into a legal submission, with the reason for refusing any other text (T10).

use super::action::Action;
use super::board::Board;
use super::squares::Squares;
use crate::Refusal;
use crate::point::Point;
use crate::refusal::{Breach, refuse_action};

/// Parses `text` as a legal submission on `board`. If the match is `over`, every submission is
/// refused.
pub(super) fn parse_submission(board: &Board, over: bool, text: &str) -> Result<Action, Refusal> {
    let Some(written) = Action::read(text) else {
        return Err(Refusal::Malformed(
            "expected a direction for the circle, one for the square, then the walls, like \
             `R U 3,5`"
                .to_owned(),
        ));
    };
    check_submission(board, over, &written).map_err(|breach| breach.refusal(text))
}

fn check_submission(
    board: &Board,
    over: bool,
    written: &Action<Vec<Point>>,
) -> Result<Action, Breach> {
    if over {
        return refuse_action("T9", "comes after the end");
    }
    let walls = check_named_walls(board, &written.walls)?;
    Ok(Action { directions: written.directions, walls })
}

/// Checks the named squares (T10).
fn check_named_walls(board: &Board, points: &[Point]) -> Result<Squares, Breach> {
    let wanted = usize::from(board.ground.walls_each);
    if points.len() != wanted {
        return refuse_action(
            "T10",
            format!("names {}, expected {wanted}", format_square_count(points.len())),
        );
    }
    let mut walls = Squares::EMPTY;
    for point in points {
        let Some(at) = point.square_of(board.ground.width, board.ground.height) else {
            return refuse_action("T10", "names a square off the board");
        };
        if walls.contains(at) {
            return refuse_action("T10", format!("names {at} twice"));
        } else if board.walls.contains(at) {
            return refuse_action("T10", format!("names {at}, which is a wall"));
        } else if !board.nameable_squares().contains(at) {
            return refuse_action("T10", format!("names {at}, where a piece stands"));
        }
        walls |= Squares::from_square(at);
    }
    Ok(walls)
}

fn format_square_count(count: usize) -> String {
    match count {
        0 => "no squares".to_owned(),
        1 => "1 square".to_owned(),
        many => format!("{many} squares"),
    }
}
