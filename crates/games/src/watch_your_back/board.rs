//! The board as bitboards, without history: fast enough for a search.

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::board_size::{BoardSize, placement_zone};
use crate::board::{Bitboard, Direction, WAYS, bitboard_neighbours, bitboard_union};
use crate::two_player::{BySide, GameResult, Side};

/// The number of placements in the placing phase, both sides together (W2).
pub(crate) const PLACEMENTS: u32 = 24;
/// The numbers of moves in the moving phase after which the board shrinks (W8).
pub const SHRINKS: [u32; 2] = [128, 192];

/// When to test for the end of the game on moves that shrink the board (W10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndCheck {
    /// Before the shrink, which is skipped if the game is decided, and after it.
    BeforeAndAfterShrink,
    /// Only after the shrink.
    AfterShrink,
}

/// The pieces and the number of actions so far. Phase, counts and the side to move follow from the
/// number of actions, because the seats alternate and forfeits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Board {
    pieces: BySide<Bitboard>,
    ply: u32,
    size: BoardSize,
}

/// The pieces that an action removed, in the order of W4 and W8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removals {
    /// Enemies that the arriving piece surrounded.
    pub(crate) surrounded: Bitboard,
    /// The arriving piece, if it was eliminated itself.
    pub(crate) arrival: Bitboard,
    /// The effects of the shrink, if there was one.
    pub(crate) shrink: Option<Shrink>,
}

/// The pieces that a shrink removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shrink {
    /// Pieces on the ring and on the new corners.
    pub removed: Bitboard,
    /// Pieces eliminated by each new corner, in the order of W8.
    pub(crate) by_corner: [Bitboard; 4],
}

impl Removals {
    /// Returns whether the action removed nothing and did not shrink the board.
    pub(crate) fn is_empty(&self) -> bool {
        (self.surrounded | self.arrival).is_empty() && self.shrink.is_none()
    }
}

impl Board {
    /// The empty board, White to place.
    pub const START: Self =
        Self::from_pieces(BySide::new(Bitboard::EMPTY, Bitboard::EMPTY), 0, BoardSize::Full);

    pub(super) const fn from_pieces(pieces: BySide<Bitboard>, ply: u32, size: BoardSize) -> Self {
        Self { pieces, ply, size }
    }

    /// The pieces of `seat`.
    pub fn pieces(&self, seat: Side) -> Bitboard {
        self.pieces[seat]
    }

    /// The number of actions so far, including forfeits.
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// The board's size.
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// The side to move: White on even plies in both phases (W2, W5).
    pub const fn to_move(&self) -> Side {
        if self.ply.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    /// Returns whether pieces are still being placed (W2).
    pub const fn is_placing(&self) -> bool {
        self.ply < PLACEMENTS
    }

    /// The number of moves in the moving phase so far, including forfeits.
    pub const fn moves(&self) -> u32 {
        self.ply.saturating_sub(PLACEMENTS)
    }

    /// The number of pieces that each side has placed, 0 to 12, including those lost since.
    pub(crate) fn placed(&self) -> BySide<u32> {
        let all = self.ply.min(PLACEMENTS);
        BySide::new(all.div_ceil(2), all / 2)
    }

    /// The pieces of both sides.
    pub fn occupied(&self) -> Bitboard {
        self.pieces.first | self.pieces.second
    }

    /// The squares that a piece could enter: still on the board, empty, and not a corner.
    pub fn empty(&self) -> Bitboard {
        self.size.area() - self.size.corners() - self.occupied()
    }

    /// The squares where the side to move may place (W2). Meaningful only while placing.
    pub(crate) fn placement_squares(&self) -> Bitboard {
        self.empty() & placement_zone(self.to_move())
    }

    /// The squares that the pieces `from` can reach in one move or jump (W6).
    pub fn piece_targets(&self, from: Bitboard) -> Bitboard {
        let (empty, occupied) = (self.empty(), self.occupied());
        let ends = WAYS.map(|way| {
            let next = from.step(way);
            next | (next & occupied).step(way)
        });
        bitboard_union(ends) & empty
    }

    /// Returns whether `seat` could move or jump if it were its turn.
    pub fn can_move(&self, seat: Side) -> bool {
        let own = self.pieces[seat];
        bitboard_neighbours(own).meets(self.empty()) || !self.piece_targets(own).is_empty()
    }

    /// Returns whether the side to move has to pass (W7). Meaningless when the game is over.
    pub(super) fn must_pass(&self) -> bool {
        !self.is_placing() && !self.can_move(self.to_move())
    }

    /// The legal actions of the side to move in the order of their texts; none if it has to pass.
    pub fn legal_actions(&self) -> Vec<Action> {
        if self.is_placing() {
            return self.placement_squares().iter().map(Action::Place).collect();
        }
        let mut actions = Vec::with_capacity(64);
        for from in self.pieces[self.to_move()] {
            let targets = self.piece_targets(Bitboard::from_square(from));
            actions.extend(targets.iter().map(|to| Action::Move { from, to }));
        }
        actions
    }

    /// The result by W9 on the current board; always `None` while placing.
    pub fn elimination_result(&self) -> Option<GameResult> {
        if self.is_placing() {
            return None;
        }
        let beaten = |seat: Side| !self.pieces[seat].has_several();
        match (beaten(Side::First), beaten(Side::Second)) {
            (false, false) => None,
            (true, true) => Some(GameResult::Draw),
            (true, false) => Some(GameResult::Win(Side::Second)),
            (false, true) => Some(GameResult::Win(Side::First)),
        }
    }

    /// Plays a legal action of the side to move in a game that is not over.
    pub fn play_unchecked(&mut self, action: Action, end_check: EndCheck) -> Removals {
        let seat = self.to_move();
        let mut removals = Removals::default();
        if let Action::Move { from, .. } = action {
            self.pieces[seat] -= Bitboard::from_square(from);
        }
        if let Action::Place(to) | Action::Move { to, .. } = action {
            self.pieces[seat] |= Bitboard::from_square(to);
            removals = self.eliminate(Bitboard::from_square(to));
        }
        self.ply += 1;
        if self.shrinks_now(end_check) {
            removals.shrink = Some(self.shrink());
        }
        removals
    }

    /// Eliminates pieces in the order of W4 after `piece` of the side to move has arrived.
    fn eliminate(&mut self, piece: Bitboard) -> Removals {
        let corners = self.size.corners();
        let (own, enemies) = self.pieces.pick_mut(self.to_move());
        let surrounded = surrounded_beside(piece, *own | corners) & *enemies;
        *enemies -= surrounded;
        let arrival = piece & surrounded_squares(*enemies | corners);
        *own -= arrival;
        Removals { surrounded, arrival, shrink: None }
    }

    fn shrinks_now(&self, end_check: EndCheck) -> bool {
        self.ply > PLACEMENTS
            && (self.moves() == SHRINKS[0] || self.moves() == SHRINKS[1])
            && (end_check == EndCheck::AfterShrink || self.elimination_result().is_none())
    }

    /// Removes the outer ring and creates the new corners one after the other (W8).
    fn shrink(&mut self) -> Shrink {
        self.size = self.size.shrunk();
        let left = self.size.area() - self.size.corners();
        let removed = self.occupied() - left;
        self.remove_pieces(removed);
        let by_corner = self.size.corners_in_order().map(|corner| {
            let taken = self.taken_by_corner(Bitboard::from_square(corner));
            self.remove_pieces(taken);
            taken
        });
        Shrink { removed, by_corner }
    }

    /// The pieces of either colour beside `corner` that have an enemy on the far side.
    fn taken_by_corner(&self, corner: Bitboard) -> Bitboard {
        let mut taken = Bitboard::EMPTY;
        for direction in Direction::ALL {
            let beside = corner.step(direction);
            let behind = beside.step(direction);
            for seat in Side::BOTH {
                if self.pieces[seat].meets(beside) && self.pieces[!seat].meets(behind) {
                    taken |= beside;
                }
            }
        }
        taken
    }

    fn remove_pieces(&mut self, squares: Bitboard) {
        self.pieces.first -= squares;
        self.pieces.second -= squares;
    }
}

/// The squares beside `piece` that have one of `friends` behind them.
fn surrounded_beside(piece: Bitboard, friends: Bitboard) -> Bitboard {
    bitboard_union(WAYS.map(|way| piece.step(way) & friends.step(way.opposite())))
}

/// The squares with one of `hostile` on two opposite sides (W3).
fn surrounded_squares(hostile: Bitboard) -> Bitboard {
    let [left, up, down, right] = WAYS.map(|way| hostile.step(way));
    (left & right) | (up & down)
}

#[cfg(test)]
mod tests;
