//! Watch Your Back!: the COMP30024 rules of 12 March 2018, clauses W1 to W11.
//!
//! [`Board`] is the position without history, small and fast for programs that search.
//! [`WatchYourBack`] adds the options, the positions that count for repetition, and the outcome.

mod action;
mod board;
mod board_rows;
mod board_size;
mod options;
mod parsing;
mod state;

use std::convert::Infallible;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

pub use action::Action;
pub(crate) use board::Removals;
pub use board::{Board, EndCheck, SHRINKS, Shrink};
pub use board_size::{BoardSize, placement_zone};
pub use options::{MutualBlock, Rules};
pub use state::State;

use self::state::state_caption;
use super::any_game::hash_game_state;
use super::board::Bitboard;
use super::drawn_board::{DrawnRow, symbol_cells};
use super::event::{Event, Why};
use super::position_history::PositionHistory;
use super::two_player::{BySide, GameResult, Outcome, Side, Step, Turn};
use super::{Game, OptionError, Options, Refusal, RuleSheet};

/// A position of Watch Your Back!, with the rules in force.
#[derive(Debug, Clone)]
pub struct WatchYourBack {
    rules: Rules,
    board: Board,
    /// The positions that may still recur, newest last: those since the second shrink and since the
    /// last loss of a piece. The side to move alternates.
    past: PositionHistory<BySide<Bitboard>>,
    ending: Option<Outcome>,
}

/// Everything about a position except the rules.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    board: Board,
    past: PositionHistory<BySide<Bitboard>>,
}

/// The reason of an outcome by W9; the others are by W11.
const ELIMINATION: &str = "elimination";

impl WatchYourBack {
    /// Creates a game under `rules` at `board`, without history. W9 is tested at once.
    pub fn from_board(rules: &Arc<Rules>, board: Board) -> Self {
        let ending = board.elimination_result().map(elimination_outcome);
        let mut game = Self { rules: **rules, board, past: PositionHistory::default(), ending };
        game.record_position();
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
        let removals = self.board.play_unchecked(action, self.rules.end_check);
        self.end_ply(&removals);
        removals
    }

    /// Records the position and tests for the end of the game after an action that removed
    /// `removals`.
    fn end_ply(&mut self, removals: &Removals) {
        if self.board.size() == BoardSize::Small {
            if !removals.is_empty() {
                self.past.clear();
            }
            self.record_position();
        }
        self.ending = self.find_ending();
    }

    /// Records the position if it counts for repetition.
    #[inline(never)]
    fn record_position(&mut self) {
        if self.rules.repetition > 0 && self.board.size() == BoardSize::Small {
            self.past.push(BySide::from_fn(|seat| self.board.pieces(seat)));
        }
    }

    /// The reason why the game is over, if it is. The phase of placing ends no game.
    fn find_ending(&self) -> Option<Outcome> {
        if self.board.is_placing() {
            return None;
        }
        self.board.elimination_result().map(elimination_outcome).or_else(|| self.length_draw())
    }

    /// Tests for the draws of W11, in their order.
    fn length_draw(&self) -> Option<Outcome> {
        let stalled =
            (self.board.size() == BoardSize::Small).then(|| self.last_shrink_draw()).flatten();
        let moves = self.board.moves();
        let is_last = self.rules.max_moves > 0 && moves >= self.rules.max_moves;
        stalled.or(is_last.then(|| drawn_game("max-moves")))
    }

    /// The draws that the last shrink makes possible.
    #[inline(never)]
    fn last_shrink_draw(&self) -> Option<Outcome> {
        if self.board.moves() == 0 {
            None
        } else if self.are_both_blocked() {
            Some(drawn_game("mutual-block"))
        } else if self.is_repeated() {
            Some(drawn_game("repetition"))
        } else {
            None
        }
    }

    fn are_both_blocked(&self) -> bool {
        self.rules.mutual_block == MutualBlock::Draw
            && !Side::BOTH.into_iter().any(|seat| self.board.can_move(seat))
    }

    fn is_repeated(&self) -> bool {
        // The sides alternate, so every second position has this side to move.
        let limit = self.rules.repetition as usize;
        limit > 0 && self.past.occurrences(2) >= limit
    }

    /// Appends the events of `action` of `seat`.
    fn push_action_events(
        &self,
        seat: Side,
        action: Action,
        removals: &Removals,
        events: &mut Vec<Event>,
    ) {
        events.push(Event::Action {
            by: Self::SEATS[seat].into(),
            action: action.to_string(),
            forced: action == Action::Pass,
            opening: false,
            on_behalf_of: None,
            to: None,
        });
        push_removed_event(events, removals.surrounded, Why::Surrounded);
        push_removed_event(events, removals.arrival, Why::Surrounded);
        if let Some(shrink) = removals.shrink {
            let removed = shrink.removed.iter().collect();
            events.push(Event::Shrink { size: self.board.size().side(), removed });
            for taken in shrink.by_corner {
                push_removed_event(events, taken, Why::Corner);
            }
        }
        if let Turn::Over(outcome) = self.turn() {
            events.push(outcome.event(&Self::SEATS));
        }
    }
}

/// A side has too few pieces (W9).
const fn elimination_outcome(result: GameResult) -> Outcome {
    Outcome { result, reason: ELIMINATION }
}

const fn drawn_game(reason: &'static str) -> Outcome {
    Outcome { result: GameResult::Draw, reason }
}

fn push_removed_event(events: &mut Vec<Event>, squares: Bitboard, why: Why) {
    if !squares.is_empty() {
        events.push(Event::Removed { squares: squares.iter().collect(), why });
    }
}

fn action_of_step(step: Step<Action, Infallible>) -> Action {
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
    type Snapshot = Snapshot;

    const NAME: &'static str = "watch-your-back";
    const TITLE: &'static str = "Watch Your Back!";
    const SEATS: BySide<&'static str> = BySide::new("white", "black");

    fn sheet() -> &'static RuleSheet {
        static SHEET: LazyLock<RuleSheet> =
            LazyLock::new(|| RuleSheet::read(include_str!("watch_your_back/rules.toml")));
        &SHEET
    }

    fn rules(options: &Options) -> Result<Rules, OptionError> {
        Ok(options.read())
    }

    fn endless(rules: &Rules) -> Option<String> {
        rules.endless()
    }

    fn start(rules: &Arc<Rules>) -> Self {
        Self::from_board(rules, Board::START)
    }

    fn turn(&self) -> Turn {
        let seat = self.board.to_move();
        match self.ending {
            Some(ending) => Turn::Over(ending),
            None if self.board.must_pass() => Turn::Pass(seat),
            None => Turn::Move(seat),
        }
    }

    fn ply(&self) -> u32 {
        self.board.ply()
    }

    fn legal_actions(&self, seat: Side) -> Vec<Action> {
        if self.ending.is_some() || seat != self.board.to_move() {
            return Vec::new();
        }
        self.board.legal_actions()
    }

    fn parse_action(&self, seat: Side, text: &str) -> Result<Action, Refusal> {
        parsing::parse_placement_or_move(&self.board, self.ending, seat, text.trim_ascii())
    }

    fn play_unchecked(&mut self, step: Step<Action, Infallible>, events: &mut Vec<Event>) {
        let (seat, action) = (self.board.to_move(), action_of_step(step));
        let removals = self.advance(action);
        self.push_action_events(seat, action, &removals, events);
    }

    fn play_silently(&mut self, step: Step<Action, Infallible>) {
        self.advance(action_of_step(step));
    }

    fn state(&self) -> State {
        State::new(&self.board)
    }

    fn state_hash(&self) -> u64 {
        hash_game_state(&self.board)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot { board: self.board, past: self.past.clone() }
    }

    fn restored(&self, Snapshot { board, past }: Snapshot) -> Option<Self> {
        let game = Self { rules: self.rules, board, past, ending: None };
        Some(Self { ending: game.find_ending(), ..game })
    }

    fn rows(&self) -> Vec<String> {
        self.board.rows()
    }

    fn cells(&self) -> Vec<DrawnRow> {
        symbol_cells(&self.board.symbols())
    }

    fn caption(&self) -> String {
        state_caption(&self.board)
    }
}

#[cfg(test)]
mod tests;
