//! Parsing of text into a legal action, with the clause that refuses any other text.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::action::{Action, Written};
use super::board::Board;
use super::options::{Capture, Movement, Overlooked, Rules, Turning};
use super::{Backdraughts, Phase};
use crate::board::{Bitboard, Direction, Square};
use crate::point::Point;
use crate::seat::Seat;
use crate::{Game, Outcome, Refusal};

/// The reason why an action is illegal: the clause, and what is wrong with the action.
type Wrong = (&'static str, String);

/// Parses `text` as a legal action of `seat`.
pub(super) fn parse(game: &Backdraughts, seat: Seat, text: &str) -> Result<Action, Refusal> {
    let Some(written) = Written::read(text) else {
        return Err(Refusal::Malformed(
            "expected a move like `2,3>6,3`, a capture like `capture 6,3`, `pass` or `decline`"
                .to_owned(),
        ));
    };
    legal(game, seat, written).map_err(|(clause, wrong)| Refusal::Illegal {
        clause: Cow::Borrowed(clause),
        reason: format!("{text} {wrong}"),
    })
}

fn legal(game: &Backdraughts, seat: Seat, written: Written) -> Result<Action, Wrong> {
    let play = in_turn(game, seat)?;
    match written {
        Written::Move { from, to } => play.movement(from, to),
        Written::Capture(at) => play.capture(at),
        Written::Decline if play.answers() => Ok(Action::Decline),
        Written::Decline => wrong("B8", "answers an overlooked action, and there is none"),
        Written::Pass if play.answers() => {
            wrong("B8", "is not a valid answer; play one of the overlooked actions, or `decline`")
        }
        Written::Pass => play.pass(),
    }
}

/// Checks that `seat` is asked for an action, and returns what it plays.
fn in_turn(game: &Backdraughts, seat: Seat) -> Result<Play<'_>, Wrong> {
    match (game.outcome, game.phase) {
        (Some(Outcome { reason: "goal" | "elimination", .. }), _) => {
            wrong("B4", "comes after the end")
        }
        (Some(_), _) => wrong("B12", "comes after the end"),
        (None, Phase::First) => wrong("B2", "comes before the rolls that decide who begins"),
        (None, Phase::Roll(_)) => wrong("B1", "comes before the roll"),
        (None, Phase::Act { seat: owner, number }) if owner == seat => {
            Ok(Play { board: &game.board, rules: &game.rules, phase: game.phase, owner, number })
        }
        (None, Phase::Answer { passer: owner, number }) if owner != seat => {
            Ok(Play { board: &game.board, rules: &game.rules, phase: game.phase, owner, number })
        }
        (None, Phase::Act { .. }) => wrong("B1", "is not this side's turn"),
        (None, Phase::Answer { .. }) => wrong("B8", "comes while the other side is asked"),
    }
}

fn wrong<T>(clause: &'static str, what: &str) -> Result<T, Wrong> {
    Err((clause, what.to_owned()))
}

/// The action to choose: whose it is, and with which number.
struct Play<'a> {
    board: &'a Board,
    rules: &'a Rules,
    phase: Phase,
    owner: Seat,
    number: u8,
}

impl Play<'_> {
    fn answers(&self) -> bool {
        matches!(self.phase, Phase::Answer { .. })
    }

    fn colour(&self) -> &'static str {
        Backdraughts::SEATS[self.owner]
    }

    /// The clause that decides how far a pawn goes.
    fn distance_clause(&self) -> &'static str {
        match self.rules.movement {
            Movement::Dice => "B3",
            Movement::NoDice => "B9",
        }
    }

    fn pass(&self) -> Result<Action, Wrong> {
        let can_act = self.board.can_act(self.owner, self.number, self.rules);
        if can_act && self.rules.overlooked == Overlooked::Reject {
            return wrong("B7", "is not allowed while there is a legal action");
        }
        Ok(Action::Pass)
    }

    fn movement(&self, from: Point, to: Point) -> Result<Action, Wrong> {
        let from = from.square().ok_or(("B3", "starts off the board".to_owned()))?;
        let to = to.square().ok_or(("B3", "ends off the board".to_owned()))?;
        if !self.board.pawns(self.owner).contains(from) {
            return Err(("B3", format!("starts where no {} pawn stands", self.colour())));
        }
        if self.board.targets(from, self.number, self.rules.turning).contains(to) {
            return Ok(Action::Move { from, to });
        }
        if from != to && !self.board.empty().contains(to) {
            return wrong("B3", "ends on an occupied square");
        }
        match self.rules.turning {
            Turning::On => {
                let number = self.number;
                Err(("B11", format!("is not a move that this pawn can make with a {number}")))
            }
            Turning::Off => self.crooked(from, to),
        }
    }

    /// Returns the reason why a pawn that only goes straight cannot make this move.
    fn crooked<T>(&self, from: Square, to: Square) -> Result<T, Wrong> {
        let Some((way, distance)) = straight(from, to) else {
            return wrong("B3", "does not go straight along a row or a column");
        };
        if distance == 0 {
            return wrong("B3", "does not move the pawn");
        }
        if distance != self.number {
            let reason = format!("goes {distance}, and the number to play is {}", self.number);
            return Err((self.distance_clause(), reason));
        }
        let mut at = Bitboard::of(from).step(way);
        while at.meets(self.board.empty()) {
            at = at.step(way);
        }
        let pawn = at.iter().next().unwrap_or(to);
        Err(("B3", format!("runs into the pawn on {pawn}")))
    }

    fn capture(&self, at: Point) -> Result<Action, Wrong> {
        let square = at.square().ok_or(("B6", "is off the board".to_owned()))?;
        if !self.board.pawns(self.owner).contains(square) {
            return Err(("B6", format!("names no {} pawn", self.colour())));
        }
        if !self.board.may_capture(self.owner, self.number, self.rules) {
            return wrong("B10", self.no_capture());
        }
        if self.board.captured_by(self.owner, square).is_empty() {
            return wrong("B6", "names a pawn without an enemy beside it");
        }
        Ok(Action::Capture(square))
    }

    /// The reason why no capture is allowed now.
    fn no_capture(&self) -> &'static str {
        match self.rules.capture {
            Capture::Six => "is only for a roll of 6",
            Capture::Ring => "is only for a side without pawns on the outer ring",
            Capture::SixOrRing => {
                "is only for a roll of 6 or a side without pawns on the outer ring"
            }
        }
    }
}

/// The direction and distance from one square to another in the same row or column.
fn straight(from: Square, to: Square) -> Option<(Direction, u8)> {
    let way = match (to.column.cmp(&from.column), to.row.cmp(&from.row)) {
        (Ordering::Greater, Ordering::Equal) => Direction::Right,
        (Ordering::Less, Ordering::Equal) => Direction::Left,
        (Ordering::Equal, Ordering::Greater) => Direction::Down,
        (Ordering::Equal, _) => Direction::Up,
        _ => return None,
    };
    Some((way, from.column.abs_diff(to.column) + from.row.abs_diff(to.row)))
}
