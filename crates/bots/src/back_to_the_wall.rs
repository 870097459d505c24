//! Built-in players of Back to the Wall: evaluation, and sampling from the huge number of
//! submissions.

mod evaluation;
mod greedy_submission;
mod payoff_matrix;

use rand::seq::IteratorRandom;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

use self::evaluation::evaluate_back_to_the_wall;
use self::greedy_submission::GreedySubmission;
use self::payoff_matrix::PayoffMatrix;
use super::meter::Meter;
use super::{Allotment, Bot, BotGame, Choice, Limit};
use referee_games::Game;
use referee_games::back_to_the_wall::{
    Action, BackToTheWall, Board, ByPiece, PIECES, Squares, piece_direction_pairs,
};
use referee_games::board::Direction;
use referee_games::two_player::{BySide, Side, Step, Turn};

/// The number of new submissions to try for each seat in a round of the search.
const TRIED: usize = 16;
/// The maximum number of submissions to keep for a seat.
const MOST: usize = 64;
/// The probability that a wall is placed in an enemy's way, instead of anywhere.
const POINTED: f64 = 0.7;

impl BotGame for BackToTheWall {
    fn lead(&self, seat: Side) -> i32 {
        let counts = self.board().count_owned_squares();
        counts[seat].cast_signed() - counts[!seat].cast_signed()
    }

    fn greedy() -> Box<dyn Bot<Self>> {
        Box::new(GreedySubmission)
    }

    fn search(limit: Limit) -> Box<dyn Bot<Self>> {
        Box::new(DoubleOracle { limit })
    }
}

/// Looks one turn ahead. It evaluates submissions of both seats against each other, approximates
/// the mixed strategy that loses least to the best answer, and draws a submission from it. A node
/// is one pair of submissions.
struct DoubleOracle {
    limit: Limit,
}

impl Bot<BackToTheWall> for DoubleOracle {
    fn choose(
        &mut self,
        position: &BackToTheWall,
        seat: Side,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<Action>> {
        if position.turn() != Turn::Both {
            return None;
        }
        let meter = Meter::new(self.limit, time);
        let mut table = DoubleOracleTable::new(position, seat, meter, rng);
        while table.refine(rng).is_some() {}
        let (mix, value) = table.matrix.solve();
        let action = *table.submissions.first.get(mix.first.draw_choice(rng))?;
        Some(Choice { action, eval: Some(value.clamp(-1.0, 1.0)) })
    }
}

/// Submissions of both seats, the player's own first, and the value of each pair.
struct DoubleOracleTable<'a> {
    position: &'a BackToTheWall,
    seat: Side,
    meter: Meter,
    /// The sides here and in the matrix: `first` is the player's own.
    submissions: BySide<Vec<Action>>,
    matrix: PayoffMatrix,
}

impl<'a> DoubleOracleTable<'a> {
    /// Creates a table with every pair of directions of both seats, each with random walls. It has
    /// fewer rows if the meter runs out.
    fn new(position: &'a BackToTheWall, seat: Side, meter: Meter, rng: &mut ChaCha8Rng) -> Self {
        let everywhere = |by: Side, rng: &mut ChaCha8Rng| -> Vec<Action> {
            let proposal = |directions| Action {
                directions,
                walls: draw_blocking_walls(position.board(), by, rng),
            };
            piece_direction_pairs().map(proposal).collect()
        };
        let mine = everywhere(seat, rng);
        let theirs = everywhere(!seat, rng);
        let mut table = Self {
            position,
            seat,
            meter,
            submissions: BySide::new(Vec::new(), theirs),
            matrix: PayoffMatrix::default(),
        };
        for submission in mine {
            let Some(row) = table.values_against_all(Side::First, &submission) else { break };
            table.submissions.first.push(submission);
            table.matrix.add_row(row);
        }
        if table.submissions.first.is_empty() {
            table.submissions.first.extend(position.random_action(seat, rng));
        }
        table
    }

    /// Looks for a better answer of each seat to the other's mixed strategy. Returns `None` when
    /// the meter runs out or the table is full.
    fn refine(&mut self, rng: &mut ChaCha8Rng) -> Option<()> {
        if self.matrix.is_empty() || self.submissions.first.len() >= MOST {
            return None;
        }
        self.improve(Side::First, rng)?;
        self.improve(Side::Second, rng)
    }

    /// Looks for a better answer of a side to the other's mixed strategy, and adds it.
    fn improve(&mut self, side: Side, rng: &mut ChaCha8Rng) -> Option<()> {
        let (mix, value) = self.matrix.solve();
        let sign = if side == Side::First { 1.0 } else { -1.0 };
        let mut best = (sign * value, None);
        for _ in 0..TRIED {
            let submission = self.propose_variant(side, mix[side].draw_choice(rng), rng);
            let values = self.values_against_all(side, &submission)?;
            let worth = sign * mix[!side].expected_value(&values);
            if worth > best.0 {
                best = (worth, Some((submission, values)));
            }
        }
        if let (_, Some((submission, values))) = best {
            self.submissions[side].push(submission);
            match side {
                Side::First => self.matrix.add_row(values),
                Side::Second => self.matrix.add_column(&values),
            }
        }
        Some(())
    }

    /// A variant of the submission of a side at `index`, with other walls or other directions.
    fn propose_variant(&self, side: Side, index: usize, rng: &mut ChaCha8Rng) -> Action {
        let old = self.submissions[side][index];
        if rng.random_bool(0.75) {
            let by = if side == Side::First { self.seat } else { !self.seat };
            Action { walls: draw_blocking_walls(self.position.board(), by, rng), ..old }
        } else {
            let mut direction = || Direction::ALL[rng.random_range(0..4)];
            let directions = ByPiece { circle: direction(), square: direction() };
            Action { directions, ..old }
        }
    }

    /// The values to the player of a side's submission against each of the other's.
    fn values_against_all(&mut self, side: Side, submission: &Action) -> Option<Vec<f64>> {
        let others = std::mem::take(&mut self.submissions[!side]);
        let value = |other| match side {
            Side::First => self.value_of_pair(submission, other),
            Side::Second => self.value_of_pair(other, submission),
        };
        let values = others.iter().map(value).collect();
        self.submissions[!side] = others;
        values
    }

    /// The value of the position after both submissions; `None` when the meter runs out.
    fn value_of_pair(&mut self, own: &Action, other: &Action) -> Option<f64> {
        self.meter.tick()?;
        let mut after = self.position.clone();
        let turn = match self.seat {
            Side::First => BySide::new(*own, *other),
            Side::Second => BySide::new(*other, *own),
        };
        after.play_silently(Step::Both(turn));
        Some(evaluate_back_to_the_wall(self.position, &after, self.seat))
    }
}

/// Random walls for `by`, most of them in an enemy's way.
fn draw_blocking_walls(board: &Board, by: Side, rng: &mut ChaCha8Rng) -> Squares {
    let enemies = PIECES.into_iter().filter(|(seat, _)| *seat != by);
    let runs = enemies.flat_map(|(seat, piece)| {
        let from = board.pieces[seat][piece];
        Direction::ALL.into_iter().map(move |way| board.squares_up_to_wall(from, way))
    });
    let pointed = runs.fold(Squares::EMPTY, |all, run| all | run);
    let mut free = board.nameable_squares();
    let mut walls = Squares::EMPTY;
    for _ in 0..board.ground.walls_each {
        let near = free & pointed;
        let choice = if !near.is_empty() && rng.random_bool(POINTED) { near } else { free };
        walls |= draw_random_wall(choice, rng);
        free -= walls;
    }
    walls
}

/// A random one of the squares, as a set.
fn draw_random_wall(squares: Squares, rng: &mut dyn RngCore) -> Squares {
    squares.iter().choose(rng).map_or(Squares::EMPTY, Squares::from_square)
}

#[cfg(test)]
mod tests;
