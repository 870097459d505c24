//! The board as bitboards, without history: fast enough for a search.

use std::array;

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::options::{Capture, Movement, Rules, Turning};
use crate::board::{Bitboard, Direction, Square, WAYS, bitboard_neighbours, bitboard_union};
use crate::two_player::{BySide, Side};

/// The number of pawns that each side begins with.
pub(crate) const PAWNS: u32 = 10;
/// The squares that touch the edge (B10).
const RING: Bitboard = Bitboard(Bitboard::WHOLE.0 & !Bitboard::rectangle((1, 6), (1, 6)).0);

/// The pawns on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Board {
    pawns: BySide<Bitboard>,
}

/// The square where a pawn of `seat` wins (B4).
pub const fn pawn_goal(seat: Side) -> Square {
    match seat {
        Side::First => Square::new(7, 0),
        Side::Second => Square::new(0, 7),
    }
}

impl Board {
    /// The board at the start.
    pub const START: Self = Self::from_pawns(BySide::new(WHITE, BLACK));

    pub(super) const fn from_pawns(pawns: BySide<Bitboard>) -> Self {
        Self { pawns }
    }

    /// The pawns of `seat`.
    pub fn pawns(&self, seat: Side) -> Bitboard {
        self.pawns[seat]
    }

    /// The number of pawns that `seat` has lost.
    pub(crate) fn count_lost_pawns(&self, seat: Side) -> u32 {
        PAWNS.saturating_sub(self.pawns[seat].len())
    }

    /// The distance that a pawn of `seat` moves without dice (B9).
    #[expect(clippy::cast_possible_truncation, reason = "there are ten pawns")]
    pub fn distance_without_dice(&self, seat: Side) -> u8 {
        1 + (self.count_lost_pawns(seat) / 2) as u8
    }

    /// The squares without a pawn.
    pub fn empty(&self) -> Bitboard {
        Bitboard::WHOLE - self.pawns.first - self.pawns.second
    }

    /// The winner on this board and the reason, if there is one (B4).
    pub fn find_winner(&self) -> Option<(Side, &'static str)> {
        let BySide { first, second } = self.pawns;
        if first.contains(pawn_goal(Side::First)) {
            Some((Side::First, "goal"))
        } else if second.contains(pawn_goal(Side::Second)) {
            Some((Side::Second, "goal"))
        } else if second.is_empty() {
            Some((Side::First, "elimination"))
        } else if first.is_empty() {
            Some((Side::Second, "elimination"))
        } else {
            None
        }
    }

    /// The squares where the pawn on `from` can end a move of `distance` squares (B3, B11).
    pub fn pawn_targets(&self, from: Square, distance: u8, turning: Turning) -> Bitboard {
        let pawn = Bitboard::from_square(from);
        match turning {
            Turning::Off => straight_pawn_targets(pawn, self.empty(), distance),
            Turning::On => turning_pawn_targets(pawn, self.empty() | pawn, distance),
        }
    }

    /// The pawns of `seat` with an enemy beside them (B6), regardless of B10.
    pub fn capturers(&self, seat: Side) -> Bitboard {
        self.pawns[seat] & bitboard_neighbours(self.pawns[!seat])
    }

    /// The enemies that the pawn of `seat` on `square` would capture (B6).
    pub fn captured_by(&self, seat: Side, square: Square) -> Bitboard {
        bitboard_neighbours(Bitboard::from_square(square)) & self.pawns[!seat]
    }

    /// Returns whether `seat` may capture at all with `number`, its roll or distance (B10).
    pub(crate) fn may_capture(&self, seat: Side, number: u8, rules: &Rules) -> bool {
        let six = rules.movement == Movement::Dice && number == 6;
        let ring = !self.pawns[seat].meets(RING);
        match rules.capture {
            Capture::Six => six,
            Capture::Ring => ring,
            Capture::SixOrRing => six || ring,
        }
    }

    /// All actions of `seat` with `number`, its roll or distance, sorted by their text. Passes are
    /// not included.
    pub fn pawn_actions(&self, seat: Side, number: u8, rules: &Rules) -> Vec<Action> {
        let mut actions = Vec::with_capacity(48);
        for from in self.pawns[seat] {
            let targets = self.pawn_targets(from, number, rules.turning);
            actions.extend(targets.iter().map(|to| Action::Move { from, to }));
        }
        let capturers = self.allowed_capturers(seat, number, rules);
        actions.extend(capturers.iter().map(Action::Capture));
        actions
    }

    /// The pawns of `seat` that may capture with `number`, its roll or distance (B6, B10).
    pub(super) fn allowed_capturers(&self, seat: Side, number: u8, rules: &Rules) -> Bitboard {
        if self.may_capture(seat, number, rules) { self.capturers(seat) } else { Bitboard::EMPTY }
    }

    /// Returns whether `seat` has an action with `number`, its roll or distance (B7).
    pub(crate) fn can_act(&self, seat: Side, number: u8, rules: &Rules) -> bool {
        let captures = || !self.allowed_capturers(seat, number, rules).is_empty();
        self.can_move_pawn(seat, number, rules.turning) || captures()
    }

    fn can_move_pawn(&self, seat: Side, distance: u8, turning: Turning) -> bool {
        match turning {
            Turning::Off => {
                !straight_pawn_targets(self.pawns[seat], self.empty(), distance).is_empty()
            }
            Turning::On => {
                let moves = |from| !self.pawn_targets(from, distance, turning).is_empty();
                self.pawns[seat].iter().any(moves)
            }
        }
    }

    /// Plays an action of `seat`, which must be legal. Returns the captured pawns.
    pub fn play_unchecked(&mut self, seat: Side, action: Action) -> Bitboard {
        match action {
            Action::Move { from, to } => {
                self.pawns[seat] -= Bitboard::from_square(from);
                self.pawns[seat] |= Bitboard::from_square(to);
                Bitboard::EMPTY
            }
            Action::Capture(square) => {
                let captured = self.captured_by(seat, square);
                self.pawns[!seat] -= captured;
                captured
            }
            Action::Decline | Action::Pass => Bitboard::EMPTY,
        }
    }
}

/// White's pawns at the start: the triangle at the bottom left.
const WHITE: Bitboard = Bitboard(
    Bitboard::rectangle((1, 1), (3, 6)).0
        | Bitboard::rectangle((2, 2), (4, 6)).0
        | Bitboard::rectangle((3, 3), (5, 6)).0
        | Bitboard::rectangle((4, 4), (6, 6)).0,
);

/// Black's pawns at the start: the triangle at the top right.
const BLACK: Bitboard = Bitboard(
    Bitboard::rectangle((3, 3), (1, 1)).0
        | Bitboard::rectangle((4, 4), (1, 2)).0
        | Bitboard::rectangle((5, 5), (1, 3)).0
        | Bitboard::rectangle((6, 6), (1, 4)).0,
);

/// The squares where a pawn, or several, can end after moving straight over `free` squares (B3).
fn straight_pawn_targets(pawns: Bitboard, free: Bitboard, distance: u8) -> Bitboard {
    bitboard_union((0..distance).fold([pawns; 4], |ends, _| step_pawn_ends(ends, free)))
}

/// One step further in each direction, over `free` squares.
fn step_pawn_ends(ends: [Bitboard; 4], free: Bitboard) -> [Bitboard; 4] {
    array::from_fn(|way| ends[way].step(WAYS[way]) & free)
}

/// The directions in clockwise order.
const CLOCKWISE: [Direction; 4] =
    [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

/// The squares where a pawn that turns when it is blocked can end (B11).
///
/// In the loop, `heading` holds for each direction the squares that the pawn can have reached by
/// now with its last step in that direction.
fn turning_pawn_targets(pawn: Bitboard, free: Bitboard, distance: u8) -> Bitboard {
    let mut heading = CLOCKWISE.map(|way| pawn & squares_open_towards(free, way));
    let mut stuck = Bitboard::EMPTY;
    for _ in 0..distance {
        let mut next = [Bitboard::EMPTY; 4];
        for (index, way) in CLOCKWISE.into_iter().enumerate() {
            let ahead = squares_open_towards(free, way);
            next[index] |= (heading[index] & ahead).step(way);
            let blocked = heading[index] - ahead;
            stuck |= [1, 3].into_iter().fold(blocked, |stuck, turn| {
                let side = (index + turn) % 4;
                let aside = squares_open_towards(free, CLOCKWISE[side]);
                next[side] |= (blocked & aside).step(CLOCKWISE[side]);
                stuck - aside
            });
        }
        heading = next;
    }
    heading.into_iter().fold(stuck, |targets, at| targets | at)
}

/// The squares whose next square in this direction is free.
fn squares_open_towards(free: Bitboard, way: Direction) -> Bitboard {
    free.step(way.opposite())
}
