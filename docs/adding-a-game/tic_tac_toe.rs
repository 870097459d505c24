//! Tic-tac-toe: clauses N1 to N3.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use super::board::Square;
use super::event::Event;
use super::point::Point;
use super::two_player::{BySide, GameResult, Outcome, Side, Step, Turn};
use super::{Game, OptionError, Options, Refusal, RuleSheet, Text};

/// The clauses and the options.
const RULES: &str = r#"
[[clauses]]
id = "N1"
title = "Board"
text = "Three columns by three rows; (0,0) is the top left."

[[clauses]]
id = "N2"
title = "Mark"
text = "The seats mark a free square in turn, crosses first: `1,2`."

[[clauses]]
id = "N3"
title = "End"
text = """
Three marks of a seat in a row, a column or a diagonal end the game, and so does a full board."""

[[options]]
name = "misere"
clause = "N3"
text = "what three in a row do"
type = "choice"
default = "off"
values = { off = "three in a row win", on = "three in a row lose" }

[board]
columns = "012"
rows = "012"
separator = ","
legend = { x = { seat = "crosses", glyph = "×" }, o = { seat = "noughts", glyph = "○" } }
"#;

/// The options in force.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Rules {
    misere: Misere,
}

/// What three in a row do (N3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Misere {
    /// They win.
    Off,
    /// They lose.
    On,
}

/// A mark on a free square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(Square);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What players are sent of a position.
#[derive(Debug, Serialize, Hash)]
pub struct State {
    board: Vec<String>,
    to_move: &'static str,
}

/// A position.
#[derive(Debug, Clone)]
pub struct TicTacToe {
    rules: Arc<Rules>,
    /// Marks by column and row.
    marks: [[Option<Side>; 3]; 3],
    ply: u32,
}

impl TicTacToe {
    fn to_move(&self) -> Side {
        if self.ply.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn at(&self, square: Square) -> Option<Side> {
        self.marks[usize::from(square.column)][usize::from(square.row)]
    }

    fn squares() -> impl Iterator<Item = Square> {
        (0..9).map(|at| Square::new(at / 3, at % 3))
    }

    /// Whether `seat` has three in a row (N3).
    fn has_row(&self, seat: Side) -> bool {
        let mine = |column: usize, row: usize| self.marks[column][row] == Some(seat);
        let lines = (0..3).any(|n| (0..3).all(|m| mine(n, m)) || (0..3).all(|m| mine(m, n)));
        lines || (0..3).all(|n| mine(n, n)) || (0..3).all(|n| mine(n, 2 - n))
    }

    fn outcome(&self) -> Option<Outcome> {
        let row = Side::BOTH.into_iter().find(|&seat| self.has_row(seat));
        let result = match row {
            Some(seat) => GameResult::Win(if self.rules.misere == Misere::On { !seat } else { seat }),
            None if self.ply == 9 => GameResult::Draw,
            None => return None,
        };
        Some(Outcome { result, reason: if row.is_some() { "row" } else { "full" } })
    }
}

impl Game for TicTacToe {
    type Rules = Rules;
    type Action = Mark;
    type Chance = Infallible;
    type State = State;
    type Snapshot = ([[Option<Side>; 3]; 3], u32);

    const NAME: &'static str = "tic-tac-toe";
    const TITLE: &'static str = "Tic-tac-toe";
    const SEATS: BySide<&'static str> = BySide::new("crosses", "noughts");

    fn sheet() -> &'static RuleSheet {
        static SHEET: LazyLock<RuleSheet> = LazyLock::new(|| RuleSheet::read(RULES));
        &SHEET
    }

    fn rules(options: &Options) -> Result<Rules, OptionError> {
        Ok(options.read())
    }

    fn endless(_: &Rules) -> Option<String> {
        None
    }

    fn start(rules: &Arc<Rules>) -> Self {
        Self { rules: Arc::clone(rules), marks: [[None; 3]; 3], ply: 0 }
    }

    fn turn(&self) -> Turn {
        self.outcome().map_or_else(|| Turn::Move(self.to_move()), Turn::Over)
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_actions(&self, seat: Side) -> Vec<Mark> {
        if self.turn() != Turn::Move(seat) {
            return Vec::new();
        }
        Self::squares().filter(|&square| self.at(square).is_none()).map(Mark).collect()
    }

    fn parse_action(&self, seat: Side, text: &str) -> Result<Mark, Refusal> {
        let text = text.trim_ascii();
        let point = Point::read(text)
            .ok_or_else(|| Refusal::Malformed("expected a square like `1,2`".to_owned()))?;
        let illegal = |clause, reason: &str| {
            Err(Refusal::Illegal { clause: Text::Borrowed(clause), reason: format!("{text} {reason}") })
        };
        let Some(square) = point.square_of(3, 3) else {
            return illegal("N1", "is off the board");
        };
        match self.turn() {
            Turn::Over(_) => illegal("N3", "comes after the end of the game"),
            Turn::Move(mover) if mover != seat => illegal("N2", "is out of turn"),
            _ if self.at(square).is_some() => illegal("N2", "is marked already"),
            _ => Ok(Mark(square)),
        }
    }

    fn play_unchecked(&mut self, step: Step<Mark, Infallible>, events: &mut Vec<Event>) {
        let Step::Move(Mark(square)) = step else { unreachable!("the seats move in turn") };
        let seat = self.to_move();
        self.marks[usize::from(square.column)][usize::from(square.row)] = Some(seat);
        self.ply += 1;
        events.push(Event::Action {
            by: Self::SEATS[seat].into(),
            action: square.to_string(),
            forced: false,
            opening: false,
            on_behalf_of: None,
            to: None,
        });
        events.extend(self.outcome().map(|outcome| outcome.event(&Self::SEATS)));
    }

    fn state(&self) -> State {
        State { board: self.rows(), to_move: Self::SEATS[self.to_move()] }
    }

    fn snapshot(&self) -> Self::Snapshot {
        (self.marks, self.ply)
    }

    fn restored(&self, (marks, ply): Self::Snapshot) -> Option<Self> {
        Some(Self { rules: Arc::clone(&self.rules), marks, ply })
    }

    fn rows(&self) -> Vec<String> {
        let cell = |column, row| match self.at(Square::new(column, row)) {
            Some(Side::First) => 'x',
            Some(Side::Second) => 'o',
            None => '.',
        };
        (0..3).map(|row| (0..3).map(|column| cell(column, row)).collect()).collect()
    }

    fn caption(&self) -> String {
        format!("{} of 9 squares marked", self.ply)
    }
}
