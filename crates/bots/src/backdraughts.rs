//! Built-in players of Backdraughts.

mod evaluation;
mod expectimax;

use self::evaluation::evaluate_pawns;
use self::expectimax::Expectimax;
use super::{Bot, BotGame, Limit};
use referee_games::backdraughts::Backdraughts;
use referee_games::two_player::Side;

impl BotGame for Backdraughts {
    /// Counts the pawns, their distances to the goal and what the enemy could capture, but ignores
    /// the rolls that may come next.
    fn lead(&self, seat: Side) -> i32 {
        let score =
            (evaluate_pawns(self.board(), seat) - evaluate_pawns(self.board(), !seat)).round();
        #[expect(clippy::cast_possible_truncation, reason = "a score is far below a million")]
        let score = score as i32;
        score
    }

    fn search(limit: Limit) -> Box<dyn Bot<Self>> {
        Box::new(Expectimax::new(limit))
    }
}
