//! Watch Your Back!: the COMP30024 rules of 12 March 2018, clauses W1 to W11.
//!
//! [`Board`] is the position without history, small and fast for programs that search.
//! [`WatchYourBack`] adds the options, the positions that count for repetition, and the outcome.

mod action;
mod board;
mod clauses;
mod options;
mod refusal;
mod rows;
mod size;
mod state;

use std::convert::Infallible;
use std::sync::Arc;

pub use action::Action;
pub use board::{Board, EndCheck, PLACEMENTS, Removals, SHRINKS, Shrink};
pub use options::{MutualBlock, Rules};
pub use size::{BoardSize, zone};
pub use state::{Phase, State};

use super::board::Bitboard;
use super::event::{Event, Why};
use super::{
    BySeat, Clause, Game, GameResult, OptionError, OptionSpec, Options, Outcome, Refusal, Seat,
    Step, Turn,
};

/// A position of Watch Your Back!, with the rules in force.
#[derive(Debug, Clone)]
pub struct WatchYourBack {
    rules: Arc<Rules>,
    board: Board,
    /// The positions that may still recur, by the side to move, newest last: those since the second
    /// shrink and since the last loss of a piece.
    past: BySeat<Vec<BySeat<Bitboard>>>,
    outcome: Option<Outcome>,
}

impl WatchYourBack {
    /// Creates a game under `rules` at `board`, without history. W9 is tested at once.
    pub fn from_board(rules: &Arc<Rules>, board: Board) -> Self {
        let mut game = Self {
            rules: Arc::clone(rules),
            board,
            past: BySeat::default(),
            outcome: board.decided().map(elimination),
        };
        game.remember();
        game
    }

    /// The board, for programs that search.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The rules in force.
    pub fn rules_in_force(&self) -> &Rules {
        &self.rules
    }

    /// Plays a legal action and tests whether it ended the game.
    fn advance(&mut self, action: Action) -> Removals {
        let effects = self.board.play_unchecked(action, self.rules.end_check);
        if effects != Removals::default() {
            self.past.first.clear();
            self.past.second.clear();
        }
        self.remember();
        self.outcome = self.board.decided().map(elimination).or_else(|| self.length());
        effects
    }

    /// Records the position if it counts for repetition.
    fn remember(&mut self) {
        if self.rules.repetition > 0 && self.board.size() == BoardSize::Small {
            self.past[self.board.to_move()].push(BySeat::from_fn(|seat| self.board.pieces(seat)));
        }
    }

    /// Tests for the draws of W11, in their order.
    fn length(&self) -> Option<Outcome> {
        if self.board.moves() == 0 {
            return None;
        }
        let reason = if self.blocked() {
            "mutual-block"
        } else if self.repeated() {
            "repetition"
        } else if self.rules.max_moves > 0 && self.board.moves() >= self.rules.max_moves {
            "max-moves"
        } else {
            return None;
        };
        Some(Outcome { result: GameResult::Draw, reason })
    }

    fn blocked(&self) -> bool {
        self.rules.mutual_block == MutualBlock::Draw
            && self.board.size() == BoardSize::Small
            && !Seat::BOTH.into_iter().any(|seat| self.board.can_move(seat))
    }

    fn repeated(&self) -> bool {
        let past = &self.past[self.board.to_move()];
        let Some(now) = past.last() else { return false };
        let occurrences = past.iter().filter(|then| *then == now).count();
        occurrences >= self.rules.repetition as usize
    }

    /// Appends the events of `action` of `seat`.
    fn report(&self, seat: Seat, action: Action, effects: &Removals, events: &mut Vec<Event>) {
        events.push(Event::Action {
            by: Self::SEATS[seat].into(),
            action: action.to_string(),
            forced: action == Action::Pass,
            opening: false,
            on_behalf_of: None,
        });
        push_removed(events, effects.surrounded, Why::Surrounded);
        push_removed(events, effects.arrival, Why::Surrounded);
        if let Some(shrink) = effects.shrink {
            let removed = shrink.removed.iter().collect();
            events.push(Event::Shrink { size: self.board.size().side(), removed });
            for taken in shrink.by_corner {
                push_removed(events, taken, Why::Corner);
            }
        }
        if let Some(outcome) = self.outcome {
            let result = match outcome.result {
                GameResult::Win(winner) => Self::SEATS[winner],
                GameResult::Draw => "draw",
            };
            events.push(Event::Over { result: result.into(), reason: outcome.reason.into() });
        }
    }
}

fn elimination(result: GameResult) -> Outcome {
    Outcome { result, reason: "elimination" }
}

fn push_removed(events: &mut Vec<Event>, squares: Bitboard, why: Why) {
    if !squares.is_empty() {
        events.push(Event::Removed { squares: squares.iter().collect(), why });
    }
}

fn chosen(step: Step<Action, Infallible>) -> Action {
    match step {
        Step::Move(action) => action,
        Step::Pass => Action::Pass,
        Step::Both(_) => unreachable!("the seats move in turn"),
        Step::Chance(never) => match never {},
    }
}

impl Game for WatchYourBack {
    type Rules = Rules;
    type Action = Action;
    type Chance = Infallible;
    type State = State;

    const NAME: &'static str = "watch-your-back";
    const TITLE: &'static str = "Watch Your Back!";
    const SEATS: BySeat<&'static str> = BySeat::new("white", "black");
    const CLAUSES: &'static [Clause] = clauses::CLAUSES;
    const OPTIONS: &'static [OptionSpec] = options::OPTIONS;

    fn rules(options: &Options) -> Result<Rules, OptionError> {
        Ok(Rules::new(options))
    }

    fn endless(rules: &Rules) -> Option<String> {
        rules.endless()
    }

    fn start(rules: &Arc<Rules>) -> Self {
        Self::from_board(rules, Board::START)
    }

    fn turn(&self) -> Turn {
        match self.outcome {
            Some(outcome) => Turn::Over(outcome),
            None if self.board.must_pass() => Turn::Pass(self.board.to_move()),
            None => Turn::Move(self.board.to_move()),
        }
    }

    fn ply(&self) -> u32 {
        self.board.ply()
    }

    fn legal_actions(&self, seat: Seat) -> Vec<Action> {
        if self.outcome.is_some() || seat != self.board.to_move() {
            return Vec::new();
        }
        self.board.legal_actions()
    }

    fn legal_count(&self, seat: Seat) -> u64 {
        if self.outcome.is_some() || seat != self.board.to_move() {
            return 0;
        }
        u64::from(self.board.legal_count())
    }

    fn parse_action(&self, seat: Seat, text: &str) -> Result<Action, Refusal> {
        refusal::parse(&self.board, self.outcome, seat, text.trim_ascii())
    }

    fn play_unchecked(&mut self, step: Step<Action, Infallible>, events: &mut Vec<Event>) {
        let (seat, action) = (self.board.to_move(), chosen(step));
        let effects = self.advance(action);
        self.report(seat, action, &effects, events);
    }

    fn play_silently(&mut self, step: Step<Action, Infallible>) {
        self.advance(chosen(step));
    }

    fn state(&self) -> State {
        State::new(&self.board)
    }

    fn rows(&self) -> Vec<String> {
        self.board.rows()
    }

    fn caption(&self) -> String {
        state::caption(&self.board)
    }
}

#[cfg(test)]
mod tests;
