//! Backdraughts as the house players see it.

mod evaluation;
mod expectimax;

use self::evaluation::evaluate;
use self::expectimax::Expectimax;
use super::{Bot, Limit, Playable};
use crate::rules::Seat;
use crate::rules::backdraughts::Backdraughts;

impl Playable for Backdraughts {
    /// Pawns, pawns that can win at once, pawns on their way, and what the enemy could capture.
    fn lead(&self, seat: Seat) -> i32 {
        let next = self.phase().to_act().unwrap_or(Seat::First);
        let score = evaluate(self.board(), next, self.rules_in_force()).round();
        #[expect(clippy::cast_possible_truncation, reason = "a score is far below a million")]
        let score = score as i32;
        if seat == next { score } else { -score }
    }

    fn searcher(limit: Limit) -> Box<dyn Bot<Self>> {
        Box::new(Expectimax::new(limit))
    }
}
