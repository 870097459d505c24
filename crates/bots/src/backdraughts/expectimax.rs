//! The searching player: expectimax with iterative deepening, averaging over the possible rolls.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::evaluation::{ExpectedScore, WIN, can_pawn_reach_goal, evaluate_backdraughts};
use crate::iterative_deepening::{DeepeningRoot, DeepeningSearch, search_by_deepening};
use crate::meter::{Limit, Meter};
use crate::{Allotment, Bot, Choice};
use referee_games::backdraughts::{Action, Backdraughts, Board, Movement, Rules};
use referee_games::two_player::{GameResult, Side};

/// The score that evaluates to about three quarters of a win.
const CLEAR: ExpectedScore = 700.0;

/// Searches as far ahead as its limit allows.
pub(super) struct Expectimax {
    limit: Limit,
}

impl Expectimax {
    /// Creates a player for one game.
    pub(super) const fn new(limit: Limit) -> Self {
        Self { limit }
    }
}

impl Bot<Backdraughts> for Expectimax {
    fn choose(
        &mut self,
        position: &Backdraughts,
        seat: Side,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<Action>> {
        let meter = Meter::new(self.limit, time);
        let mut roots = DeepeningRoot::from_legal_actions(position, seat);
        // A pass lets the enemy choose among the same actions, so it is never better (B8).
        if roots.len() > 1 {
            roots.retain(|root| root.action != Action::Pass);
        }
        roots.shuffle(rng);
        let mut tree = ExpectimaxTree { rules: *position.rules_in_force(), seat, meter };
        let score = search_by_deepening(&mut tree, &mut roots, 0.0);
        let action = roots.first()?.action;
        Some(Choice { action, eval: Some(scale_expectimax_score(score)) })
    }
}

/// A search from one position. Its methods return `None` when the meter runs out.
struct ExpectimaxTree {
    rules: Rules,
    /// The searching side.
    seat: Side,
    meter: Meter,
}

impl DeepeningSearch for ExpectimaxTree {
    type Game = Backdraughts;
    type Score = ExpectedScore;
    /// In turns.
    const DEPTH: u8 = 30;
    const LOWEST: ExpectedScore = ExpectedScore::NEG_INFINITY;

    fn value(
        &mut self,
        root: &DeepeningRoot<Backdraughts>,
        depth: u8,
        alpha: ExpectedScore,
    ) -> Option<ExpectedScore> {
        let (seat, board) = (self.seat, root.after.board());
        let next = root.after.phase().to_act().unwrap_or(Side::First);
        let alpha = alpha.max(-WIN);
        match root.ended {
            Some(GameResult::Win(winner)) if winner == seat => Some(WIN),
            Some(GameResult::Win(_)) => Some(-WIN),
            Some(GameResult::Draw) => Some(0.0),
            None if next == seat => self.search_turn(board, seat, depth, (alpha, WIN)),
            None => Some(-self.search_turn(board, !seat, depth, (-WIN, -alpha))?),
        }
    }

    fn goes_on(&self, score: ExpectedScore) -> bool {
        score < WIN && self.meter.may_begin_another()
    }
}

impl ExpectimaxTree {
    /// The value of a position to `seat`, whose turn begins: the average over its numbers. The
    /// search stops as soon as the average can no longer fall inside the window, regardless of the
    /// remaining numbers are worth.
    fn search_turn(
        &mut self,
        board: &Board,
        seat: Side,
        depth: u8,
        (alpha, beta): (ExpectedScore, ExpectedScore),
    ) -> Option<ExpectedScore> {
        self.meter.tick()?;
        if let Some((winner, _)) = board.find_winner() {
            return Some(if winner == seat { WIN } else { -WIN });
        }
        if depth == 0 {
            return Some(evaluate_backdraughts(board, seat, &self.rules));
        }
        let numbers = match self.rules.movement {
            Movement::Dice => 1..=6,
            Movement::NoDice => {
                board.distance_without_dice(seat)..=board.distance_without_dice(seat)
            }
        };
        let mut rest = f64::from(1 + numbers.end() - numbers.start());
        let (count, mut sum) = (rest, 0.0);
        for number in numbers {
            rest -= 1.0;
            let low = (alpha * count - sum - rest * WIN).max(-WIN);
            let high = (beta * count - sum + rest * WIN).min(WIN);
            let found = self.search_actions(board, seat, number, depth, (low, high))?;
            sum += found;
            if found <= low && low > -WIN {
                return Some((sum + rest * WIN) / count);
            }
            if found >= high && high < WIN {
                return Some((sum - rest * WIN) / count);
            }
        }
        Some(sum / count)
    }

    /// The value of a position to `seat`, which plays this number.
    fn search_actions(
        &mut self,
        board: &Board,
        seat: Side,
        number: u8,
        depth: u8,
        (mut alpha, beta): (ExpectedScore, ExpectedScore),
    ) -> Option<ExpectedScore> {
        if can_pawn_reach_goal(board, seat, number, self.rules.turning) {
            return Some(WIN);
        }
        let mut actions = board.pawn_actions(seat, number, &self.rules);
        if actions.is_empty() {
            actions.push(Action::Pass);
        }
        let mut best = ExpectedScore::NEG_INFINITY;
        // Captures are last in the list; try them first.
        for action in actions.into_iter().rev() {
            let mut after = *board;
            after.play_unchecked(seat, action);
            let found = -self.search_turn(&after, !seat, depth - 1, (-beta, -alpha))?;
            best = best.max(found);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }
}

/// Scales a score to the protocol's range from −1 to 1.
fn scale_expectimax_score(score: ExpectedScore) -> f64 {
    if score.abs() >= WIN { score.signum() } else { (score / CLEAR).tanh() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::SeedableRng;

    use super::*;
    use referee_games::backdraughts::Chance;
    use referee_games::two_player::Step;
    use referee_games::{Game, Options};

    const EMPTY: &str = "........";

    /// Returns the choice for White with this roll after a search of `nodes`.
    fn choice(rows: [&str; 8], roll: u8, nodes: u64) -> Choice<Action> {
        let options = Options::resolve(&Backdraughts::sheet().options, []).expect("defaults");
        let rules = Arc::new(Backdraughts::rules(&options).expect("rules"));
        let board = Board::from_rows(&rows).expect("a board");
        let mut position = Backdraughts::from_board(&rules, board, Side::First);
        position.play_silently(Step::Chance(Chance::Roll(roll)));
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        Expectimax::new(Limit::Nodes(nodes))
            .choose(&position, Side::First, Allotment::default(), &mut rng)
            .expect("a choice")
    }

    #[test]
    fn it_goes_to_the_goal_when_it_can() {
        let rows = ["....W...", EMPTY, "..W.....", EMPTY, EMPTY, "B.......", EMPTY, "......B."];
        let choice = choice(rows, 3, 1000);
        assert_eq!(choice.action.to_string(), "4,0>7,0");
        assert_eq!(choice.eval, Some(1.0));
    }

    #[test]
    fn it_stops_an_enemy_that_may_arrive() {
        let rows = [EMPTY, EMPTY, EMPTY, EMPTY, "...W....", EMPTY, EMPTY, ".....B.W"];
        assert_eq!(choice(rows, 3, 5000).action.to_string(), "3,4>3,7");
    }

    #[test]
    fn it_chooses_even_with_a_single_node() {
        let rows = ["W.......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, ".......B"];
        assert!(matches!(choice(rows, 1, 1).action, Action::Move { .. }));
    }
}
