//! Parsing of text into a legal action, with the clause that refuses any other text.

use std::cmp::Ordering;

use super::action::Action;
use super::board::Board;
use super::options::{Capture, Movement, Overlooked, Rules, Turning};
use super::{Backdraughts, BackdraughtsPhase};
use crate::board::{Bitboard, Direction, Square};
use crate::point::Point;
use crate::refusal::{Breach, refuse_action};
use crate::two_player::{GameResult, Outcome, Side};
use crate::{Game, Refusal};

/// Parses `text` as a legal action of `seat`.
pub(super) fn parse_pawn_action(
    game: &Backdraughts,
    seat: Side,
    text: &str,
) -> Result<Action, Refusal> {
    let Some(written) = Action::read(text) else {
        return Err(Refusal::Malformed(
            "expected a move like `2,3>6,3`, a capture like `capture 6,3`, `pass` or `decline`"
                .to_owned(),
        ));
    };
    check_pawn_action(game, seat, written).map_err(|breach| breach.refusal(text))
}

fn check_pawn_action(
    game: &Backdraughts,
    seat: Side,
    written: Action<Point>,
) -> Result<Action, Breach> {
    let judge = parser_for_turn(game, seat)?;
    match written {
        Action::Move { from, to } => judge.check_move(from, to),
        Action::Capture(at) => judge.check_capture(at),
        Action::Decline if judge.answers() => Ok(Action::Decline),
        Action::Decline => refuse_action("B8", "is only allowed after an overlooked action"),
        Action::Pass if judge.answers() => refuse_action(
            "B8",
            "is not a valid answer; play one of the overlooked actions, or `decline`",
        ),
        Action::Pass => judge.check_pass(),
    }
}

/// Checks that `seat` is to act, and returns what it plays.
fn parser_for_turn(game: &Backdraughts, seat: Side) -> Result<PawnActionParser<'_>, Breach> {
    if let Some((owner, number)) = game.choice_of(seat) {
        let Backdraughts { board, rules, phase, .. } = game;
        return Ok(PawnActionParser { board, rules, phase: *phase, owner, number });
    }
    match (game.ending, game.phase) {
        (Some(Outcome { result: GameResult::Win(_), .. }), _) => {
            refuse_action("B4", "comes after the end")
        }
        (Some(_), _) => refuse_action("B12", "comes after the end"),
        (_, BackdraughtsPhase::First) => {
            refuse_action("B2", "comes before the rolls that decide who begins")
        }
        (_, BackdraughtsPhase::Roll(_)) => refuse_action("B1", "comes before the roll"),
        (_, BackdraughtsPhase::Act { .. }) => refuse_action("B1", "comes out of turn"),
        (_, BackdraughtsPhase::Answer { .. }) => {
            refuse_action("B8", "comes while the other side has to answer")
        }
    }
}

/// Judges the actions of the seat that is to choose.
struct PawnActionParser<'a> {
    board: &'a Board,
    rules: &'a Rules,
    phase: BackdraughtsPhase,
    owner: Side,
    number: u8,
}

impl PawnActionParser<'_> {
    fn answers(&self) -> bool {
        matches!(self.phase, BackdraughtsPhase::Answer { .. })
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

    fn check_pass(&self) -> Result<Action, Breach> {
        let can_act = self.board.can_act(self.owner, self.number, self.rules);
        if can_act && self.rules.overlooked == Overlooked::Reject {
            return refuse_action("B7", "is not allowed while there is a legal action");
        }
        Ok(Action::Pass)
    }

    fn check_move(&self, from: Point, to: Point) -> Result<Action, Breach> {
        let from = from.square().ok_or(Breach::new("B3", "starts off the board"))?;
        let to = to.square().ok_or(Breach::new("B3", "ends off the board"))?;
        if !self.board.pawns(self.owner).contains(from) {
            return refuse_action("B3", format!("starts where no {} pawn stands", self.colour()));
        }
        if self.board.pawn_targets(from, self.number, self.rules.turning).contains(to) {
            return Ok(Action::Move { from, to });
        }
        if from != to && !self.board.empty().contains(to) {
            return refuse_action("B3", "ends on an occupied square");
        }
        match self.rules.turning {
            Turning::On => {
                let number = self.number;
                refuse_action(
                    "B11",
                    format!("is not a move that this pawn can make with a {number}"),
                )
            }
            Turning::Off => self.explain_crooked_move(from, to),
        }
    }

    /// Returns the reason why a pawn that only goes straight cannot make this move.
    fn explain_crooked_move<T>(&self, from: Square, to: Square) -> Result<T, Breach> {
        let Some((way, distance)) = straight_line_between(from, to) else {
            return refuse_action("B3", "does not go straight along a row or a column");
        };
        if distance == 0 {
            return refuse_action("B3", "does not move the pawn");
        }
        if distance != self.number {
            let reason = format!("moves {distance}, but must move {}", self.number);
            return refuse_action(self.distance_clause(), reason);
        }
        let mut at = Bitboard::from_square(from).step(way);
        while at.meets(self.board.empty()) {
            at = at.step(way);
        }
        let pawn = at.iter().next().unwrap_or(to);
        refuse_action("B3", format!("runs into the pawn on {pawn}"))
    }

    fn check_capture(&self, at: Point) -> Result<Action, Breach> {
        let square = at.square().ok_or(Breach::new("B6", "is off the board"))?;
        if !self.board.pawns(self.owner).contains(square) {
            return refuse_action("B6", format!("names no {} pawn", self.colour()));
        }
        if !self.board.may_capture(self.owner, self.number, self.rules) {
            return refuse_action("B10", self.why_capture_refused());
        }
        if self.board.captured_by(self.owner, square).is_empty() {
            return refuse_action("B6", "names a pawn without an enemy beside it");
        }
        Ok(Action::Capture(square))
    }

    /// The reason why no capture is allowed now.
    fn why_capture_refused(&self) -> &'static str {
        match self.rules.capture {
            Capture::Six => "needs a roll of 6",
            Capture::Ring => "is only for a side without pawns on the outer ring",
            Capture::SixOrRing => "needs a roll of 6, or no pawns of one's own on the outer ring",
        }
    }
}

/// The direction and distance from one square to another in the same row or column.
fn straight_line_between(from: Square, to: Square) -> Option<(Direction, u8)> {
    let way = match (to.column.cmp(&from.column), to.row.cmp(&from.row)) {
        (Ordering::Greater, Ordering::Equal) => Direction::Right,
        (Ordering::Less, Ordering::Equal) => Direction::Left,
        (Ordering::Equal, Ordering::Greater) => Direction::Down,
        (Ordering::Equal, _) => Direction::Up,
        _ => return None,
    };
    Some((way, from.column.abs_diff(to.column) + from.row.abs_diff(to.row)))
}
