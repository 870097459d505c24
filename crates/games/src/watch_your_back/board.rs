//! The board as bits: fast enough for a search, and without history.

use super::action::Action;
use super::shape::{Shape, zone};
use crate::GameResult;
use crate::board::{Bitboard, Direction, Square};
use crate::seat::{BySeat, Seat};

/// Placements of the placing phase, both sides together (W2).
pub const PLACEMENTS: u32 = 24;
/// The moves of the moving phase after which the board shrinks (W8).
pub const SHRINKS: [u32; 2] = [128, 192];

/// When the end is tested on the moves that shrink the board (W10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndCheck {
    /// Before the shrink, which a decided game is spared, and after it.
    BeforeAndAfterShrink,
    /// Only when the shrink is done.
    AfterShrink,
}

/// What stands where, and how many actions led there. Phase, counts and the side to move follow
/// from the number of actions, because the seats alternate and forfeits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    pieces: BySeat<Bitboard>,
    ply: u32,
    shape: Shape,
}

/// What an action removed, in the order of W4 and W8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effects {
    /// Enemies that the arriving piece completed the surrounding of.
    pub surrounded: Bitboard,
    /// The arriving piece, if it was lost itself.
    pub arrival: Bitboard,
    /// What the shrink did, if there was one.
    pub shrink: Option<Shrink>,
}

/// What a shrink removed.
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
        Self::with(BySeat::new(Bitboard::EMPTY, Bitboard::EMPTY), 0, Shape::Full);

    pub(super) const fn with(pieces: BySeat<Bitboard>, ply: u32, shape: Shape) -> Self {
        Self { pieces, ply, shape }
    }

    /// The pieces of `seat`.
    pub fn pieces(&self, seat: Seat) -> Bitboard {
        self.pieces[seat]
    }

    /// Actions so far, forfeits included.
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// The outline.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The side to move: White on even plies in both phases (W2, W5).
    pub const fn to_move(&self) -> Seat {
        if self.ply.is_multiple_of(2) { Seat::First } else { Seat::Second }
    }

    /// Whether pieces are still being placed (W2).
    pub const fn is_placing(&self) -> bool {
        self.ply < PLACEMENTS
    }

    /// Moves of the moving phase so far, forfeits included.
    pub const fn moves(&self) -> u32 {
        self.ply.saturating_sub(PLACEMENTS)
    }

    /// How many pieces each side has placed, 0 to 12, whatever is left of them.
    pub fn placed(&self) -> BySeat<u32> {
        let all = self.ply.min(PLACEMENTS);
        BySeat::new(all.div_ceil(2), all / 2)
    }

    /// The pieces of both sides.
    pub fn occupied(&self) -> Bitboard {
        self.pieces.first | self.pieces.second
    }

    /// The squares that a piece could enter: left on the board, empty, and no corner.
    pub fn empty(&self) -> Bitboard {
        self.shape.area() - self.shape.corners() - self.occupied()
    }

    /// Where the side to move may place (W2); meaningful while placing.
    pub fn placements(&self) -> Bitboard {
        self.empty() & zone(self.to_move())
    }

    /// Where the pieces `from` can go in one move or jump (W6).
    pub fn targets(&self, from: Bitboard) -> Bitboard {
        let (empty, occupied) = (self.empty(), self.occupied());
        Direction::ALL.into_iter().fold(Bitboard::EMPTY, |targets, direction| {
            let next = from.step(direction);
            targets | (next | (next & occupied).step(direction)) & empty
        })
    }

    /// Whether `seat` could move or jump if it were its turn.
    pub fn can_move(&self, seat: Seat) -> bool {
        !self.targets(self.pieces[seat]).is_empty()
    }

    /// Whether the side to move has to pass (W7). Says nothing about a game that is over.
    pub fn must_pass(&self) -> bool {
        !self.is_placing() && !self.can_move(self.to_move())
    }

    /// Appends the legal actions of the side to move in the order of their texts; none where it
    /// has to pass.
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

    /// How many legal actions the side to move has.
    pub fn legal_count(&self) -> u32 {
        if self.is_placing() {
            return self.placements().len();
        }
        let own = self.pieces[self.to_move()];
        own.iter().map(|from| self.targets(Bitboard::of(from)).len()).sum()
    }

    /// Who has won by W9, tested here and now; never while placing.
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
    pub fn play_unchecked(&mut self, action: Action, end_check: EndCheck) -> Effects {
        let mut effects = match action {
            Action::Place(to) => self.arrive(to),
            Action::Move { from, to } => {
                let seat = self.to_move();
                self.pieces[seat] -= Bitboard::of(from);
                self.arrive(to)
            }
            Action::Pass => Effects::default(),
        };
        self.ply += 1;
        if self.shrinks_now(end_check) {
            effects.shrink = Some(self.shrink());
        }
        effects
    }

    /// Puts a piece of the side to move on `to` and eliminates in the order of W4.
    fn arrive(&mut self, to: Square) -> Effects {
        let seat = self.to_move();
        let piece = Bitboard::of(to);
        self.pieces[seat] |= piece;
        let surrounded = self.completed_by(piece, seat);
        self.pieces[!seat] -= surrounded;
        let arrival = self.surrounded(piece, seat);
        self.pieces[seat] -= arrival;
        Effects { surrounded, arrival, shrink: None }
    }

    /// The enemies of `seat` beside its `piece` that have a friend of it or a corner behind them.
    fn completed_by(&self, piece: Bitboard, seat: Seat) -> Bitboard {
        let friends = self.pieces[seat] | self.shape.corners();
        Direction::ALL.into_iter().fold(Bitboard::EMPTY, |taken, direction| {
            let beside = piece.step(direction) & self.pieces[!seat];
            taken | (beside.step(direction) & friends).step(direction.opposite())
        })
    }

    /// Those of the `pieces` of `seat` that are surrounded by W3.
    fn surrounded(&self, pieces: Bitboard, seat: Seat) -> Bitboard {
        let hostile = self.pieces[!seat] | self.shape.corners();
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

    /// Removes the outer ring and makes the new corners, one after the other (W8).
    fn shrink(&mut self) -> Shrink {
        self.shape = self.shape.shrunk();
        let left = self.shape.area() - self.shape.corners();
        let removed = self.occupied() - left;
        self.remove(removed);
        let by_corner = self.shape.corners_in_order().map(|corner| {
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
