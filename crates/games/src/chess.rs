//! Chess by the Laws of FIDE, and Chess960: clauses C1 to C9. Draws need no claim.

mod action;
mod ending;
mod parsing;
mod start_position;
mod state;

use std::convert::Infallible;
use std::sync::{Arc, LazyLock};

use cozy_chess::{Board, Color, Piece};
use serde::{Deserialize, Serialize};

pub use action::Action;
pub use start_position::Rules;
pub use state::State;

use self::ending::find_chess_ending;
use self::state::{state_caption, state_cells, state_rows};
use super::any_game::hash_game_state;
use super::drawn_board::DrawnRow;
use super::event::Event;
use super::position_history::PositionHistory;
use super::two_player::{BySide, Outcome, Side, Step, Turn};
use super::{Game, OptionError, Options, Refusal, RuleSheet};

/// A position of chess, with the moves that led to it.
#[derive(Debug, Clone)]
pub struct Chess {
    rules: Arc<Rules>,
    board: Board,
    /// All moves from the start position on, with blanks between them. Players are sent this text
    /// at each turn, so it grows with the game instead of being written anew.
    line: String,
    ply: u32,
    /// A hash of the start position and all moves, which the state has.
    line_hash: u64,
    /// The keys of the positions that may still recur, newest last: those since the last capture or
    /// move of a pawn.
    past: PositionHistory<u64>,
    ending: Option<Outcome>,
}

/// Everything about a position except the rules.
#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// The moves from the start position on, in UCI, with blanks between them.
    moves: String,
}

/// The worth of the pieces that are not kings, in pawns.
const WORTH: [(Piece, f64); 5] = [
    (Piece::Pawn, 1.0),
    (Piece::Knight, 3.0),
    (Piece::Bishop, 3.0),
    (Piece::Rook, 5.0),
    (Piece::Queen, 9.0),
];

/// A lead of this many pawns is worth half as much as a win.
const GREAT_LEAD: f64 = 4.0;

const fn chess_color_of_seat(seat: Side) -> Color {
    match seat {
        Side::First => Color::White,
        Side::Second => Color::Black,
    }
}

impl Chess {
    /// The board, for programs that search.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The seat to move, also when the game is over.
    fn mover(&self) -> Side {
        if self.board.side_to_move() == Color::White { Side::First } else { Side::Second }
    }

    /// Plays a legal action and tests whether it ended the game.
    fn advance(&mut self, action: Action) {
        self.board.play_unchecked(action.to_move_on(&self.board, self.rules.chess960));
        self.append_to_line(action);
        if self.board.halfmove_clock() == 0 {
            self.past.clear();
        }
        self.past.push(ending::repetition_key(&self.board));
        self.ending = find_chess_ending(&self.board, &self.past);
    }

    /// Calls `visit` with the legal actions of a seat, in no order.
    fn each_legal(&self, seat: Side, mut visit: impl FnMut(Action)) {
        if self.turn() == Turn::Move(seat) {
            self.board.generate_moves(|moves| {
                for legal in moves {
                    visit(Action::from_legal_move(legal, &self.board, self.rules.chess960));
                }
                false
            });
        }
    }

    /// The move in algebraic notation, which must be legal.
    fn algebraic(&self, action: Action) -> String {
        let played = action.to_move_on(&self.board, self.rules.chess960);
        cozy_chess::util::display_san_move(&self.board, played).to_string()
    }

    /// Adds a move to the line.
    fn append_to_line(&mut self, action: Action) {
        if self.ply > 0 {
            self.line.push(' ');
        }
        self.line.extend(action.letters());
        self.line_hash = hash_game_state(&(self.line_hash, action));
        self.ply += 1;
    }

    /// The number of pawns by which white leads.
    fn material_lead(&self) -> f64 {
        let count = |color, piece| f64::from(self.board.colored_pieces(color, piece).len());
        let ahead = |piece| count(Color::White, piece) - count(Color::Black, piece);
        WORTH.iter().map(|&(piece, worth)| worth * ahead(piece)).sum()
    }
}

fn chess_step_move(step: Step<Action, Infallible>) -> Action {
    match step {
        Step::Move(action) => action,
        Step::Pass | Step::Both(_) => unreachable!("one seat moves"),
        Step::Chance(never) => match never {},
    }
}

impl Game for Chess {
    type Rules = Rules;
    type Action = Action;
    type Chance = Infallible;
    type State = State;
    type Snapshot = Snapshot;

    const NAME: &'static str = "chess";
    const TITLE: &'static str = "Chess";
    const SEATS: BySide<&'static str> = BySide::new("white", "black");

    fn sheet() -> &'static RuleSheet {
        static SHEET: LazyLock<RuleSheet> =
            LazyLock::new(|| RuleSheet::read(include_str!("chess/rules.toml")));
        &SHEET
    }

    fn rules(options: &Options) -> Result<Rules, OptionError> {
        Rules::from_options(options)
    }

    /// The fifty-move rule ends every game.
    fn endless(_: &Rules) -> Option<String> {
        None
    }

    fn start(rules: &Arc<Rules>) -> Self {
        let (rules, board) = (Arc::clone(rules), rules.start.clone());
        let mut past = PositionHistory::default();
        past.push(ending::repetition_key(&board));
        let line_hash = hash_game_state(&rules.fen(&board));
        Self { rules, board, line: String::new(), ply: 0, line_hash, past, ending: None }
    }

    fn turn(&self) -> Turn {
        self.ending.map_or_else(|| Turn::Move(self.mover()), Turn::Over)
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_actions(&self, seat: Side) -> Vec<Action> {
        let mut actions = Vec::new();
        self.each_legal(seat, |action| actions.push(action));
        actions.sort_unstable_by_key(|action| action.sort_key());
        actions
    }

    fn first_legal(&self, seat: Side) -> Option<Action> {
        let mut first: Option<Action> = None;
        self.each_legal(seat, |action| {
            if first.is_none_or(|first| action.sort_key() < first.sort_key()) {
                first = Some(action);
            }
        });
        first
    }

    fn legal_count(&self, seat: Side) -> u64 {
        let mut count = 0;
        if self.turn() == Turn::Move(seat) {
            self.board.generate_moves(|moves| {
                count += moves.len() as u64;
                false
            });
        }
        count
    }

    fn parse_action(&self, seat: Side, text: &str) -> Result<Action, Refusal> {
        parsing::parse_chess_move(self, seat, text.trim_ascii())
    }

    fn play_unchecked(&mut self, step: Step<Action, Infallible>, events: &mut Vec<Event>) {
        let action = chess_step_move(step);
        let by = Self::SEATS[self.mover()];
        let san = self.algebraic(action);
        self.advance(action);
        events.push(Event::Action {
            by: by.into(),
            action: action.to_string(),
            forced: false,
            opening: false,
            on_behalf_of: None,
            to: None,
        });
        events.push(Event::Played { san });
        if let Some(outcome) = self.ending {
            events.push(outcome.event(&Self::SEATS));
        }
    }

    fn play_silently(&mut self, step: Step<Action, Infallible>) {
        self.advance(chess_step_move(step));
    }

    fn can_win(&self, seat: Side) -> bool {
        self.board.colors(chess_color_of_seat(seat)).len() > 1
    }

    fn values(&self) -> Option<BySide<f64>> {
        let lead = self.material_lead();
        // The same on every machine, and in JSON.
        let white = (1000.0 * lead / (lead.abs() + GREAT_LEAD)).round() / 1000.0;
        Some(BySide::new(white, -white))
    }

    fn state(&self) -> State {
        State::new(self)
    }

    fn state_hash(&self) -> u64 {
        self.line_hash
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot { moves: self.line.clone() }
    }

    fn restored(&self, Snapshot { moves }: Snapshot) -> Option<Self> {
        let mut game = Self::start(&self.rules);
        for text in moves.split_ascii_whitespace() {
            let Turn::Move(seat) = game.turn() else { return None };
            let action = game.parse_action(seat, text).ok()?;
            game.advance(action);
        }
        Some(game)
    }

    fn rows(&self) -> Vec<String> {
        state_rows(&self.board)
    }

    fn cells(&self) -> Vec<DrawnRow> {
        state_cells(&self.board)
    }

    fn caption(&self) -> String {
        state_caption(self)
    }
}

#[cfg(test)]
mod tests;
