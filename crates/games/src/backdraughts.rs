//! Backdraughts: the rules v3 of 31 December 2009, clauses B1 to B12.
//!
//! [`Board`] holds the pawns, small and fast for programs that search. [`BackdraughtsPhase`] says whose
//! turn it is and with which number. [`Backdraughts`] adds the options, the positions that count
//! for repetition, and the outcome.

mod action;
mod board;
mod board_rows;
mod options;
mod parsing;
mod state;

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

pub use action::{Action, Chance};
pub use board::{Board, pawn_goal};
pub(crate) use options::Overlooked;
pub use options::{First, Movement, Rules, Turning};
pub use state::State;

use self::state::state_caption;
use super::board::{Bitboard, Square};
use super::drawn_board::{DrawnRow, symbol_cells};
use super::position_history::PositionHistory;
use super::two_player::{BySide, GameResult, Outcome, Side, Step, Turn};
use super::{Event, Game, OptionError, Options, Refusal, RuleSheet, Stream};

/// The phase of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackdraughtsPhase {
    /// The rolls that decide who begins (B2).
    First,
    /// The roll for this seat (B1).
    Roll(Side),
    /// The action of a seat.
    Act {
        /// The seat.
        seat: Side,
        /// Its roll, or its distance when playing without dice.
        number: u8,
    },
    /// The opponent's answer to a pass that overlooked an action (B8).
    Answer {
        /// The seat that passed. The other seat answers.
        passer: Side,
        /// The passer's number.
        number: u8,
    },
}

impl BackdraughtsPhase {
    /// The seat that acts now or after the roll; `None` before B2 is decided.
    pub fn to_act(self) -> Option<Side> {
        match self {
            Self::First => None,
            Self::Roll(seat) | Self::Act { seat, .. } => Some(seat),
            Self::Answer { passer, .. } => Some(!passer),
        }
    }

    /// The number to play, if it is known.
    pub(crate) const fn number(self) -> Option<u8> {
        match self {
            Self::First | Self::Roll(_) => None,
            Self::Act { number, .. } | Self::Answer { number, .. } => Some(number),
        }
    }
}

/// A position of Backdraughts, with the rules in force.
#[derive(Debug, Clone)]
pub struct Backdraughts {
    rules: Rules,
    board: Board,
    phase: BackdraughtsPhase,
    ply: u32,
    /// The position at the beginning of each turn since the last capture, newest last. Kept only if
    /// repetition counts.
    past: PositionHistory<(Board, Side)>,
    ending: Option<Outcome>,
}

/// Everything about a position except the rules.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    board: Board,
    phase: BackdraughtsPhase,
    ply: u32,
    past: PositionHistory<(Board, Side)>,
}

#[derive(Debug, Clone, Copy)]
struct ActionEffects {
    by: Side,
    owner: Side,
    forced: bool,
    captured: Bitboard,
}

impl Backdraughts {
    /// Creates a game under `rules` at `board`, where the turn of `seat` begins, without history.
    /// B4 is tested at once.
    pub fn from_board(rules: &Arc<Rules>, board: Board, seat: Side) -> Self {
        let mut game = Self::before_the_first_turn(rules, board);
        game.begin_turn(seat);
        game.ending = game.board_win();
        game
    }

    fn before_the_first_turn(rules: &Arc<Rules>, board: Board) -> Self {
        Self {
            rules: **rules,
            board,
            phase: BackdraughtsPhase::First,
            ply: 0,
            past: PositionHistory::default(),
            ending: None,
        }
    }

    /// The board, for programs that search.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The phase of the turn. Meaningless when the game is over.
    pub const fn phase(&self) -> BackdraughtsPhase {
        self.phase
    }

    /// The rules in force.
    pub fn rules_in_force(&self) -> &Rules {
        &self.rules
    }

    /// Begins the turn of `seat`.
    fn begin_turn(&mut self, seat: Side) {
        self.phase = match self.rules.movement {
            Movement::Dice => BackdraughtsPhase::Roll(seat),
            Movement::NoDice => {
                BackdraughtsPhase::Act { seat, number: self.board.distance_without_dice(seat) }
            }
        };
        if self.rules.repetition > 0 {
            self.past.push((self.board, seat));
        }
    }

    /// Applies a roll.
    fn apply_roll(&mut self, chance: Chance) {
        match (chance, self.phase) {
            (Chance::Roll(number), BackdraughtsPhase::Roll(seat)) => {
                self.phase = BackdraughtsPhase::Act { seat, number };
            }
            (Chance::First(rolls), BackdraughtsPhase::First) => {
                match rolls.first.cmp(&rolls.second) {
                    Ordering::Greater => self.begin_turn(Side::First),
                    Ordering::Less => self.begin_turn(Side::Second),
                    Ordering::Equal => {}
                }
            }
            _ => unreachable!("an outcome answers its own turn"),
        }
    }

    /// Plays a legal action and tests whether it ended the game.
    fn advance(&mut self, action: Action) -> ActionEffects {
        let played = match self.phase {
            BackdraughtsPhase::Act { seat, number } => self.play_in_turn(seat, number, action),
            BackdraughtsPhase::Answer { passer, .. } => self.play_answer(passer, action),
            BackdraughtsPhase::First | BackdraughtsPhase::Roll(_) => {
                unreachable!("an action comes after the roll")
            }
        };
        self.ply += 1;
        self.ending = self.find_ending();
        played
    }

    /// The reason why the game is over, if the last action ended it.
    fn find_ending(&self) -> Option<Outcome> {
        self.board_win().or_else(|| self.length_draw())
    }

    /// The win on this board, if there is one (B4).
    fn board_win(&self) -> Option<Outcome> {
        let (seat, reason) = self.board.find_winner()?;
        Some(Outcome { result: GameResult::Win(seat), reason })
    }

    /// Plays an action of `seat` in its own turn. After a pass, the opponent may have to answer
    /// (B8).
    fn play_in_turn(&mut self, seat: Side, number: u8, action: Action) -> ActionEffects {
        let passes = action == Action::Pass;
        let forced = passes && !self.board.can_act(seat, number, &self.rules);
        let captured = self.play_for(seat, action);
        if passes && !forced {
            self.phase = BackdraughtsPhase::Answer { passer: seat, number };
        } else {
            self.begin_turn(!seat);
        }
        ActionEffects { by: seat, owner: seat, forced, captured }
    }

    /// Plays the answer to the pass of `passer`. Then the turn of the answering seat begins (B8).
    fn play_answer(&mut self, passer: Side, action: Action) -> ActionEffects {
        let captured = self.play_for(passer, action);
        self.begin_turn(!passer);
        let owner = if action == Action::Decline { !passer } else { passer };
        ActionEffects { by: !passer, owner, forced: false, captured }
    }

    fn play_for(&mut self, seat: Side, action: Action) -> Bitboard {
        let captured = self.board.play_unchecked(seat, action);
        if !captured.is_empty() {
            self.past.clear();
        }
        captured
    }

    /// Tests for the draws of B12, in their order.
    fn length_draw(&self) -> Option<Outcome> {
        let reason = if self.is_repeated() {
            "repetition"
        } else if self.ply >= self.rules.max_plies {
            "max-plies"
        } else {
            return None;
        };
        Some(Outcome { result: GameResult::Draw, reason })
    }

    /// Returns whether a turn has just begun whose position has occurred too often.
    fn is_repeated(&self) -> bool {
        let limit = self.rules.repetition as usize;
        let begins = || !matches!(self.phase, BackdraughtsPhase::Answer { .. });
        limit > 0 && begins() && self.past.occurrences(1) >= limit
    }

    /// If `seat` is to choose, the seat whose actions it chooses from and the number to play.
    /// Passing and declining are not among them.
    fn choice_of(&self, seat: Side) -> Option<(Side, u8)> {
        match self.phase {
            _ if self.ending.is_some() => None,
            BackdraughtsPhase::Act { seat: mover, number } if mover == seat => Some((seat, number)),
            BackdraughtsPhase::Answer { passer, number } if passer != seat => {
                Some((passer, number))
            }
            _ => None,
        }
    }

    /// The choice besides the ordinary actions, if there are any: passing or declining.
    fn pass_or_decline(&self) -> Option<Action> {
        match (self.phase, self.rules.overlooked) {
            (BackdraughtsPhase::Answer { .. }, _) => Some(Action::Decline),
            (_, Overlooked::Opponent) => Some(Action::Pass),
            (_, Overlooked::Reject) => None,
        }
    }

    fn act_and_report(&mut self, action: Action, events: &mut Vec<Event>) {
        let played = self.advance(action);
        self.push_action_events(action, played, events);
    }

    /// Appends the events of `action`.
    fn push_action_events(&self, action: Action, played: ActionEffects, events: &mut Vec<Event>) {
        let ActionEffects { by, owner, forced, captured } = played;
        events.push(Event::Action {
            by: Self::SEATS[by].into(),
            action: action.to_string(),
            forced,
            opening: false,
            to: None,
            on_behalf_of: (owner != by).then(|| Self::SEATS[owner].into()),
        });
        if !captured.is_empty() {
            events.push(Event::Captured { squares: captured.iter().collect() });
        }
        if let Turn::Over(outcome) = self.turn() {
            events.push(outcome.event(&Self::SEATS));
        }
    }
}

/// The event of a `chance` outcome in this phase.
fn backdraughts_chance_event(phase: BackdraughtsPhase, chance: Chance) -> Event {
    match (chance, phase.to_act()) {
        (Chance::Roll(value), Some(seat)) => {
            Event::Roll { seat: Backdraughts::SEATS[seat].into(), value }
        }
        (Chance::First(BySide { first, second }), _) => Event::First { rolls: [first, second] },
        (Chance::Roll(_), None) => unreachable!("a seat's roll comes in its turn"),
    }
}

/// Every pair of rolls, all with the same weight.
fn backdraughts_first_rolls() -> Vec<(Chance, u32)> {
    let with = |first| (1..=6).map(move |second| (Chance::First(BySide::new(first, second)), 1));
    (1..=6).flat_map(with).collect()
}

impl Game for Backdraughts {
    type Rules = Rules;
    type Action = Action;
    type Chance = Chance;
    type State = State;
    type Snapshot = Snapshot;

    const NAME: &'static str = "backdraughts";
    const TITLE: &'static str = "Backdraughts";
    const SEATS: BySide<&'static str> = BySide::new("white", "black");

    fn sheet() -> &'static RuleSheet {
        static SHEET: LazyLock<RuleSheet> =
            LazyLock::new(|| RuleSheet::read(include_str!("backdraughts/rules.toml")));
        &SHEET
    }

    fn rules(options: &Options) -> Result<Rules, OptionError> {
        Rules::new(options)
    }

    fn endless(_: &Rules) -> Option<String> {
        None
    }

    fn start(rules: &Arc<Rules>) -> Self {
        match rules.first {
            First::White => Self::from_board(rules, Board::START, Side::First),
            First::Black => Self::from_board(rules, Board::START, Side::Second),
            First::Roll => Self::before_the_first_turn(rules, Board::START),
        }
    }

    fn turn(&self) -> Turn {
        match (self.ending, self.phase) {
            (Some(ending), _) => Turn::Over(ending),
            (_, BackdraughtsPhase::First) => Turn::Chance(Stream::Shared),
            (_, BackdraughtsPhase::Roll(seat)) => Turn::Chance(Stream::Seat(seat)),
            (_, BackdraughtsPhase::Act { seat, number }) => {
                let can_act = self.board.can_act(seat, number, &self.rules);
                if can_act { Turn::Move(seat) } else { Turn::Pass(seat) }
            }
            (_, BackdraughtsPhase::Answer { passer, .. }) => Turn::Move(!passer),
        }
    }

    fn outcomes(&self) -> Vec<(Chance, u32)> {
        match self.turn() {
            Turn::Chance(Stream::Shared) => backdraughts_first_rolls(),
            Turn::Chance(_) => (1..=6).map(|value| (Chance::Roll(value), 1)).collect(),
            _ => Vec::new(),
        }
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_actions(&self, seat: Side) -> Vec<Action> {
        let Some((owner, number)) = self.choice_of(seat) else { return Vec::new() };
        let mut actions = self.board.pawn_actions(owner, number, &self.rules);
        if !actions.is_empty() {
            actions.extend(self.pass_or_decline());
        }
        actions
    }

    fn parse_action(&self, seat: Side, text: &str) -> Result<Action, Refusal> {
        parsing::parse_pawn_action(self, seat, text.trim_ascii())
    }

    fn play_unchecked(&mut self, step: Step<Action, Chance>, events: &mut Vec<Event>) {
        match step {
            Step::Move(action) => self.act_and_report(action, events),
            Step::Pass => self.act_and_report(Action::Pass, events),
            Step::Chance(chance) => {
                events.push(backdraughts_chance_event(self.phase, chance));
                self.apply_roll(chance);
            }
            Step::Both(_) => unreachable!("the seats move in turn"),
        }
    }

    fn play_silently(&mut self, step: Step<Action, Chance>) {
        match step {
            Step::Move(action) => drop(self.advance(action)),
            Step::Pass => drop(self.advance(Action::Pass)),
            Step::Chance(chance) => self.apply_roll(chance),
            Step::Both(_) => unreachable!("the seats move in turn"),
        }
    }

    /// Of the rolls that decide who begins, only one for each beginning seat counts.
    fn different_outcomes(&self) -> Vec<Chance> {
        if self.turn() == Turn::Chance(Stream::Shared) {
            return vec![Chance::First(BySide::new(2, 1)), Chance::First(BySide::new(1, 2))];
        }
        self.outcomes().into_iter().map(|(outcome, _)| outcome).collect()
    }

    fn state(&self) -> State {
        State::new(self)
    }

    fn snapshot(&self) -> Snapshot {
        let Self { board, phase, ply, past, .. } = self;
        Snapshot { board: *board, phase: *phase, ply: *ply, past: past.clone() }
    }

    fn restored(&self, snapshot: Snapshot) -> Option<Self> {
        let Snapshot { board, phase, ply, past } = snapshot;
        let game = Self { rules: self.rules, board, phase, ply, past, ending: None };
        // Nothing ends a game before its first action.
        Some(Self { ending: game.find_ending().filter(|_| ply > 0), ..game })
    }

    fn rows(&self) -> Vec<String> {
        self.board.rows()
    }

    fn cells(&self) -> Vec<DrawnRow> {
        let mut cells = symbol_cells(&self.board.symbols());
        for (seat, letter) in [(Side::First, 'w'), (Side::Second, 'b')] {
            let Square { column, row } = pawn_goal(seat);
            cells[usize::from(row)].0[usize::from(column)].0.push(letter);
        }
        cells
    }

    fn die(&self) -> Option<(Side, u8)> {
        let die = match self.phase {
            BackdraughtsPhase::Act { seat, number } => (seat, number),
            BackdraughtsPhase::Answer { passer, number } => (passer, number),
            BackdraughtsPhase::First | BackdraughtsPhase::Roll(_) => return None,
        };
        Some(die).filter(|_| self.rules.movement == Movement::Dice && self.ending.is_none())
    }

    fn caption(&self) -> String {
        state_caption(self)
    }
}

#[cfg(test)]
mod tests;
