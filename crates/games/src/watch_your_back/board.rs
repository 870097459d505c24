//! The board as bitboards, without history: fast enough for a search.

use super::action::Action;
use super::size::{BoardSize, zone};
use crate::GameResult;
use crate::board::{Bitboard, Direction, Square};
use crate::seat::{BySeat, Seat};

/// The number of placements in the placing phase, both sides together (W2).
pub const PLACEMENTS: u32 = 24;
/// The numbers of moves in the moving phase after which the board shrinks (W8).
pub const SHRINKS: [u32; 2] = [128, 192];

/// When to test for the end of the game on moves that shrink the board (W10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndCheck {
    /// Before the shrink, which is skipped if the game is decided, and after it.
    BeforeAndAfterShrink,
    /// Only after the shrink.
    AfterShrink,
}

/// The pieces and the number of actions so far. Phase, counts and the side to move follow from the
/// number of actions, because the seats alternate and forfeits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    pieces: BySeat<Bitboard>,
    ply: u32,
    size: BoardSize,
}

/// The pieces that an action removed, in the order of W4 and W8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removals {
    /// Enemies that the arriving piece surrounded.
    pub surrounded: Bitboard,
    /// The arriving piece, if it was eliminated itself.
    pub arrival: Bitboard,
    /// The effects of the shrink, if there was one.
    pub shrink: Option<Shrink>,
}

/// The pieces that a shrink removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shrink {
    /// Pieces on the ring and on the new corners.
    pub removed: Bitboard,
    /// Pieces eliminated by each new corner, in the order of W8.
    pub by_corner: [Bitboard; 4],
}

impl Board {
    /// The empty board, White to place.
    pub const START: Self =
        Self::with(BySeat::new(Bitboard::EMPTY, Bitboard::EMPTY), 0, BoardSize::Full);

    pub(super) const fn with(pieces: BySeat<Bitboard>, ply: u32, size: BoardSize) -> Self {
        Self { pieces, ply, size }
    }

    /// The pieces of `seat`.
    pub fn pieces(&self, seat: Seat) -> Bitboard {
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
    pub const fn to_move(&self) -> Seat {
        if self.ply.is_multiple_of(2) { Seat::First } else { Seat::Second }
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
    pub fn placed(&self) -> BySeat<u32> {
        let all = self.ply.min(PLACEMENTS);
        BySeat::new(all.div_ceil(2), all / 2)
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
    pub fn placements(&self) -> Bitboard {
        self.empty() & zone(self.to_move())
    }

    /// The squares that the pieces `from` can reach in one move or jump (W6).
    pub fn targets(&self, from: Bitboard) -> Bitboard {
        let (empty, occupied) = (self.empty(), self.occupied());
        Direction::ALL.into_iter().fold(Bitboard::EMPTY, |targets, direction| {
            let next = from.step(direction);
            targets | (next | (next & occupied).step(direction)) & empty
        })
    }

    /// Returns whether `seat` could move or jump if it were its turn.
    pub fn can_move(&self, seat: Seat) -> bool {
        !self.targets(self.pieces[seat]).is_empty()
    }

    /// Returns whether the side to move has to pass (W7). Meaningless when the game is over.
    pub fn must_pass(&self) -> bool {
        !self.is_placing() && !self.can_move(self.to_move())
    }

    /// Appends the legal actions of the side to move in the order of their texts; none if it has to
    /// pass.
    pub fn push_legal_actions(&self, actions: &mut Vec<Action>) {
        if self.is_placing() {
            actions.extend(self.placements().iter().map(Action::Place));
            return;
        }
        for from in self.pieces[self.to_move()] {
            let targets = self.targets(Bitboard::of(from));
            actions.extend(targets.iter().map(|to| Action::Move { from, to }));
        }
    }

    /// The legal actions of the side to move in the order of their texts.
    pub fn legal_actions(&self) -> Vec<Action> {
        let mut actions = Vec::with_capacity(64);
        self.push_legal_actions(&mut actions);
        actions
    }

    /// The number of legal actions of the side to move.
    pub fn legal_count(&self) -> u32 {
        if self.is_placing() {
            return self.placements().len();
        }
        let own = self.pieces[self.to_move()];
        own.iter().map(|from| self.targets(Bitboard::of(from)).len()).sum()
    }

    /// The result by W9 on the current board; always `None` while placing.
    pub fn decided(&self) -> Option<GameResult> {
        if self.is_placing() {
            return None;
        }
        let beaten = |seat: Seat| self.pieces[seat].len() < 2;
        match (beaten(Seat::First), beaten(Seat::Second)) {
            (false, false) => None,
            (true, true) => Some(GameResult::Draw),
            (true, false) => Some(GameResult::Win(Seat::Second)),
            (false, true) => Some(GameResult::Win(Seat::First)),
        }
    }

    /// Plays a legal action of the side to move in a game that is not over.
    pub fn play_unchecked(&mut self, action: Action, end_check: EndCheck) -> Removals {
        let mut effects = match action {
            Action::Place(to) => self.arrive(to),
            Action::Move { from, to } => {
                let seat = self.to_move();
                self.pieces[seat] -= Bitboard::of(from);
                self.arrive(to)
            }
            Action::Pass => Removals::default(),
        };
        self.ply += 1;
        if self.shrinks_now(end_check) {
            effects.shrink = Some(self.shrink());
        }
        effects
    }

    /// Puts a piece of the side to move on `to` and eliminates pieces in the order of W4.
    fn arrive(&mut self, to: Square) -> Removals {
        let seat = self.to_move();
        let piece = Bitboard::of(to);
        self.pieces[seat] |= piece;
        let surrounded = self.completed_by(piece, seat);
        self.pieces[!seat] -= surrounded;
        let arrival = self.surrounded(piece, seat);
        self.pieces[seat] -= arrival;
        Removals { surrounded, arrival, shrink: None }
    }

    /// The enemies of `seat` beside its `piece` that have another piece of `seat` or a corner
    /// behind them.
    fn completed_by(&self, piece: Bitboard, seat: Seat) -> Bitboard {
        let friends = self.pieces[seat] | self.size.corners();
        Direction::ALL.into_iter().fold(Bitboard::EMPTY, |taken, direction| {
            let beside = piece.step(direction) & self.pieces[!seat];
            taken | (beside.step(direction) & friends).step(direction.opposite())
        })
    }

    /// The `pieces` of `seat` that are surrounded according to W3.
    fn surrounded(&self, pieces: Bitboard, seat: Seat) -> Bitboard {
        let hostile = self.pieces[!seat] | self.size.corners();
        let beside = |direction| hostile.step(direction);
        let column = beside(Direction::Up) & beside(Direction::Down);
        let row = beside(Direction::Left) & beside(Direction::Right);
        pieces & (column | row)
    }

    fn shrinks_now(&self, end_check: EndCheck) -> bool {
        self.ply > PLACEMENTS
            && SHRINKS.contains(&self.moves())
            && (end_check == EndCheck::AfterShrink || self.decided().is_none())
    }

    /// Removes the outer ring and creates the new corners one after the other (W8).
    fn shrink(&mut self) -> Shrink {
        self.size = self.size.shrunk();
        let left = self.size.area() - self.size.corners();
        let removed = self.occupied() - left;
        self.remove(removed);
        let by_corner = self.size.corners_in_order().map(|corner| {
            let taken = self.taken_by_corner(Bitboard::of(corner));
            self.remove(taken);
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
            for seat in Seat::BOTH {
                if self.pieces[seat].meets(beside) && self.pieces[!seat].meets(behind) {
                    taken |= beside;
                }
            }
        }
        taken
    }

    fn remove(&mut self, squares: Bitboard) {
        self.pieces.first -= squares;
        self.pieces.second -= squares;
    }
}

#[cfg(test)]
mod tests;
