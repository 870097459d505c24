//! Which of the squares that were named become walls: T1 to T5, and the room that is left (T7).

use super::map::{Adjacency, Ground};
use super::squares::Squares;
use crate::board::Square;

/// How the clauses about walls are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readings {
    /// T1.
    pub corner_rule: CornerRule,
    /// T2.
    pub adjacency_scope: AdjacencyScope,
    /// T4.
    pub rule_1_input: Rule1Input,
    /// T5.
    pub same_square: SameSquare,
}

/// When a corner is closed off (T1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CornerRule {
    /// It is a wall or reaches no other corner.
    Isolated,
    /// It is a wall or does not reach every other corner.
    AllConnected,
}

/// Which squares count as neighbours (T2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AdjacencyScope {
    /// Those of this turn.
    Submitted,
    /// Those of this turn and the walls.
    All,
}

/// What T1 looks at (T4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule1Input {
    /// All squares of the turn.
    Submissions,
    /// Those that T2 and T3 left.
    Survivors,
}

/// What becomes of a square that both players name (T5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SameSquare {
    /// It counts once.
    OneWall,
    /// It counts for nobody.
    Cancel,
}

/// Where walls can be placed: the board as the turn begins.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The board.
    pub ground: &'a Ground,
    /// The walls that stand.
    pub walls: Squares,
    /// Where the four pieces are.
    pub pieces: [Square; 4],
    /// How the clauses are read.
    pub readings: Readings,
}

/// What became of the squares of a turn. A square can fall under several clauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placement {
    /// What became walls.
    pub placed: Squares,
    /// What T1 took out.
    pub closing: Squares,
    /// What T2 took out.
    pub adjacent: Squares,
    /// What T3 took out.
    pub enclosing: Squares,
    /// What left before all rules, named by both (T5).
    pub cancelled: Squares,
}

impl Placement {
    /// The squares that were not placed, row by row, each with the clauses that took it out.
    pub fn not_placed(&self) -> impl Iterator<Item = (Square, Vec<&'static str>)> {
        let by_clause = [
            ("T1", self.closing),
            ("T2", self.adjacent),
            ("T3", self.enclosing),
            ("T5", self.cancelled),
        ];
        let all = by_clause.iter().fold(Squares::EMPTY, |all, (_, squares)| all | *squares);
        all.iter().map(move |square| {
            let has = by_clause.iter().filter(|(_, squares)| squares.contains(square));
            (square, has.map(|(clause, _)| *clause).collect())
        })
    }
}

impl Site<'_> {
    /// What becomes of the squares that the two players name.
    pub fn place(&self, one: Squares, other: Squares) -> Placement {
        let cancelled = match self.readings.same_square {
            SameSquare::OneWall => Squares::EMPTY,
            SameSquare::Cancel => one & other,
        };
        Placement { cancelled, ..self.place_all((one | other) - cancelled) }
    }

    /// What becomes of the squares of a turn (T1 to T4).
    pub fn place_all(&self, named: Squares) -> Placement {
        let adjacent = self.adjacent(named);
        let enclosing = self.enclosing(named);
        let out = adjacent | enclosing;
        let closing = match self.readings.rule_1_input {
            Rule1Input::Submissions => self.closing(named),
            Rule1Input::Survivors => self.closing(named - out),
        };
        let placed = named - out - closing;
        Placement { placed, closing, adjacent, enclosing, cancelled: Squares::EMPTY }
    }

    /// The squares with a neighbour (T2).
    fn adjacent(&self, named: Squares) -> Squares {
        match self.readings.adjacency_scope {
            AdjacencyScope::Submitted => named & self.neighbours(named),
            AdjacencyScope::All => named & self.neighbours(named | self.walls),
        }
    }

    /// The neighbours of the squares, as the board counts them (T2); some may be off the board.
    fn neighbours(&self, squares: Squares) -> Squares {
        match self.ground.adjacency {
            Adjacency::King => squares.around(),
            Adjacency::Rook => squares.beside(),
            Adjacency::None => Squares::EMPTY,
        }
    }

    /// The squares around pieces that could not move (T3).
    fn enclosing(&self, named: Squares) -> Squares {
        let blocked = self.walls | named;
        let around = self.pieces.map(|piece| Squares::of(piece).beside() & self.ground.area);
        let enclosed = around.into_iter().filter(|around| (*around - blocked).is_empty());
        enclosed.fold(Squares::EMPTY, |all, around| all | (around & named))
    }

    /// The squares that close corners off (T1).
    fn closing(&self, named: Squares) -> Squares {
        let closed = self.closed_corners(self.walls | named);
        closed.fold(Squares::EMPTY, |all, corner| all | self.culprits(corner, named))
    }

    /// The corners that are closed off when all of `blocked` are walls.
    fn closed_corners(&self, blocked: Squares) -> impl Iterator<Item = Square> {
        let corners = self.ground.corners();
        let open = self.all_corners_meet(blocked);
        corners.into_iter().filter(move |corner| !open && !self.is_open(*corner, blocked))
    }

    /// Whether all corners reach each other, in which case they are open under either reading.
    fn all_corners_meet(&self, blocked: Squares) -> bool {
        let corners: Squares = self.ground.corners().into_iter().collect();
        let first = Squares::of(Square::new(0, 0));
        let reached = (first - blocked).flood(self.ground.area - blocked);
        (corners - reached).is_empty()
    }

    fn is_open(&self, corner: Square, blocked: Squares) -> bool {
        if blocked.contains(corner) {
            return false;
        }
        let own = Squares::of(corner);
        let others = self.ground.corners().into_iter().collect::<Squares>() - own;
        let reached = own.flood(self.ground.area - blocked);
        match self.readings.corner_rule {
            CornerRule::Isolated => reached.meets(others),
            CornerRule::AllConnected => (others - reached).is_empty(),
        }
    }

    /// The union of all smallest sets of named squares without which the corner is open; nothing
    /// if the walls close it by themselves (T1).
    fn culprits(&self, corner: Square, named: Squares) -> Squares {
        let squares: Vec<_> = named.iter().collect();
        let subset = |mask: u32| -> Squares {
            let chosen = squares.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
            chosen.map(|(_, square)| *square).collect()
        };
        let opening = |size| {
            let masks = (1..1_u32 << squares.len()).filter(move |mask| mask.count_ones() == size);
            let opens = |set: &Squares| self.is_open(corner, self.walls | (named - *set));
            let sets = masks.map(subset).filter(opens);
            sets.fold(Squares::EMPTY, |all, set| all | set)
        };
        let sizes = 1..=named.len();
        sizes.map(opening).find(|union| !union.is_empty()).unwrap_or_default()
    }

    /// The corners closed off now.
    pub(super) fn closed_now(&self) -> impl Iterator<Item = Square> {
        self.closed_corners(self.walls)
    }

    /// The pieces that could not move now.
    pub(super) fn enclosed_now(&self) -> impl Iterator<Item = Square> {
        let ground = self.ground.area - self.walls;
        self.pieces.into_iter().filter(move |piece| !Squares::of(*piece).beside().meets(ground))
    }

    /// The squares that may be named (T10).
    pub fn free(&self) -> Squares {
        self.ground.area - self.walls - self.pieces.into_iter().collect()
    }

    /// Whether some set of squares, as many as both players name together, would be placed in
    /// full (T7).
    ///
    /// What T1 or T3 take out of a set they take out of every larger one, and T2 looks at pairs:
    /// so a set grows square by square, each square among those that still fit.
    pub fn has_room(&self) -> bool {
        let need = 2 * u32::from(self.ground.walls_each);
        let mut candidates = self.free();
        if self.readings.adjacency_scope == AdjacencyScope::All {
            candidates -= self.neighbours(self.walls);
        }
        self.fills(candidates, need) || self.grows(Squares::EMPTY, candidates, need)
    }

    /// Whether taking the first square that fits, again and again, makes a set of this size. Most
    /// often it does.
    fn fills(&self, mut candidates: Squares, need: u32) -> bool {
        let mut chosen = Squares::EMPTY;
        while let Some(square) = candidates.pop() {
            let with = chosen | Squares::of(square);
            if self.fits(with) {
                chosen = with;
                candidates -= self.neighbours(Squares::of(square));
            }
            if chosen.len() == need {
                return true;
            }
        }
        false
    }

    /// Whether `chosen` can grow by so many of the candidates.
    fn grows(&self, chosen: Squares, candidates: Squares, need: u32) -> bool {
        if need == 0 {
            return true;
        }
        let fits = |square: &Square| self.fits(chosen | Squares::of(*square));
        let mut left: Squares = candidates.iter().filter(fits).collect();
        while left.len() >= need {
            let Some(square) = left.pop() else { return false };
            let set = Squares::of(square);
            if self.grows(chosen | set, left - self.neighbours(set), need - 1) {
                return true;
            }
        }
        false
    }

    /// Whether T1 and T3 let all of the squares become walls.
    fn fits(&self, squares: Squares) -> bool {
        self.enclosing(squares).is_empty()
            && self.closed_corners(self.walls | squares).next().is_none()
    }
}
