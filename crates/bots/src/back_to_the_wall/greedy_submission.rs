//! The greedy player.

use rand_chacha::ChaCha8Rng;

use super::{draw_random_wall, piece_direction_pairs};
use crate::greedy::choose_greediest;
use crate::{Allotment, Bot, Choice};
use referee_games::Game;
use referee_games::back_to_the_wall::{Action, BackToTheWall, Board, Piece, Squares};
use referee_games::two_player::{Side, Turn};

/// Plays the submission that would put it furthest ahead if the other player did nothing. Ties are
/// broken at random.
pub(super) struct GreedySubmission;

/// The number of wall sets to try.
const SETS: usize = 6;

impl Bot<BackToTheWall> for GreedySubmission {
    fn choose(
        &mut self,
        position: &BackToTheWall,
        seat: Side,
        _time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<Action>> {
        if position.turn() != Turn::Both {
            return None;
        }
        let sets: Vec<_> = (0..SETS).map(|_| draw_greedy_walls(position.board(), rng)).collect();
        let with_each =
            |directions| sets.iter().map(move |walls| Action { directions, walls: *walls });
        let submissions = piece_direction_pairs().flat_map(with_each).collect();
        choose_greediest(
            submissions,
            |submission| lead_after_submission(position, seat, submission),
            rng,
        )
    }
}

fn draw_greedy_walls(board: &Board, rng: &mut ChaCha8Rng) -> Squares {
    let mut free = board.nameable_squares();
    let mut walls = Squares::EMPTY;
    for _ in 0..board.ground.walls_each {
        walls |= draw_random_wall(free, rng);
        free -= walls;
    }
    walls
}

/// The lead of `seat` in squares after `submission` if the other seat's pieces stood still.
fn lead_after_submission(position: &BackToTheWall, seat: Side, submission: &Action) -> i32 {
    let mut board = *position.board();
    let site = board.site(position.rules_in_force().readings);
    board.build_walls(site.place_all(submission.walls).placed);
    let runs = Piece::BOTH.into_iter().filter_map(|piece| {
        let heading = board.heading(seat, piece, submission.directions[piece])?;
        Some(board.squares_up_to_wall(board.pieces[seat][piece], heading))
    });
    let entered = runs.fold(Squares::EMPTY, |all, run| all | run);
    let (mine, theirs) = (board.owned[seat] | entered, board.owned[!seat] - entered);
    mine.len().cast_signed() - theirs.len().cast_signed()
}
