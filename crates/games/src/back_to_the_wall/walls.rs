//! Placement of walls: the named squares that become walls (T1 to T5), and the room left (T7).

use serde::Deserialize;

use super::map::{Adjacency, MapGround};
use super::squares::Squares;
use crate::board::Square;

/// The readings of the clauses about walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Readings {
    /// T1.
    pub(crate) corner_rule: CornerRule,
    /// T2.
    pub(crate) adjacency_scope: AdjacencyScope,
    /// T4.
    pub(crate) rule_1_input: Rule1Input,
    /// T5.
    pub(crate) same_square: SameSquare,
}

/// The definition of a closed-off corner (T1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CornerRule {
    /// The corner is a wall or cannot reach any other corner.
    Isolated,
    /// The corner is a wall or cannot reach every other corner.
    AllConnected,
}

/// The squares among which T2 looks for neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AdjacencyScope {
    /// The squares of this turn.
    Submitted,
    /// The squares of this turn and the walls.
    All,
}

/// The squares to which T1 applies (T4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Rule1Input {
    /// All squares of the turn.
    Submissions,
    /// The squares that T2 and T3 left.
    Survivors,
}

/// The treatment of a square that both players name (T5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SameSquare {
    /// It counts once.
    OneWall,
    /// It does not count.
    Cancel,
}

/// The board at the beginning of a turn, for placing walls.
#[derive(Debug, Clone, Copy)]
pub struct WallSite<'a> {
    /// The board.
    pub(crate) ground: &'a MapGround,
    /// The existing walls.
    pub(crate) walls: Squares,
    /// The squares of the four pieces.
    pub(crate) pieces: [Square; 4],
    /// The readings of the clauses.
    pub(crate) readings: Readings,
}

/// The fate of a turn's named squares. Several clauses can take out the same square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WallPlacement {
    /// The squares that became walls.
    pub placed: Squares,
    /// The squares that T1 took out.
    pub(crate) closing: Squares,
    /// The squares that T2 took out.
    pub(crate) adjacent: Squares,
    /// The squares that T3 took out.
    enclosing: Squares,
    /// The squares named by both players and cancelled before all other clauses (T5).
    pub(crate) cancelled: Squares,
}

impl WallPlacement {
    /// The squares that were not placed, row by row, each with the clauses that took it out.
    pub(crate) fn not_placed(&self) -> impl Iterator<Item = (Square, Vec<&'static str>)> {
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

impl WallSite<'_> {
    /// Applies T1 to T5 to the squares that the two players name.
    pub(crate) fn place(&self, one: Squares, other: Squares) -> WallPlacement {
        let cancelled = match self.readings.same_square {
            SameSquare::OneWall => Squares::EMPTY,
            SameSquare::Cancel => one & other,
        };
        WallPlacement { cancelled, ..self.place_all((one | other) - cancelled) }
    }

    /// Applies T1 to T4 to all squares named in a turn.
    pub fn place_all(&self, named: Squares) -> WallPlacement {
        let adjacent = self.adjacent(named);
        let enclosing = self.enclosing(named);
        let out = adjacent | enclosing;
        let closing = match self.readings.rule_1_input {
            Rule1Input::Submissions => self.closing(named),
            Rule1Input::Survivors => self.closing(named - out),
        };
        let placed = named - out - closing;
        WallPlacement { placed, closing, adjacent, enclosing, cancelled: Squares::EMPTY }
    }

    /// The named squares with a neighbour (T2).
    fn adjacent(&self, named: Squares) -> Squares {
        match self.readings.adjacency_scope {
            AdjacencyScope::Submitted => named & self.neighbours(named),
            AdjacencyScope::All => named & self.neighbours(named | self.walls),
        }
    }

    /// The neighbours of the squares under the board's adjacency (T2); some may be off the board.
    fn neighbours(&self, squares: Squares) -> Squares {
        match self.ground.adjacency {
            Adjacency::King => squares.all_neighbours(),
            Adjacency::Rook => squares.side_neighbours(),
            Adjacency::None => Squares::EMPTY,
        }
    }

    /// The named squares around pieces that could not move (T3).
    fn enclosing(&self, named: Squares) -> Squares {
        let blocked = self.walls | named;
        let around = self
            .pieces
            .map(|piece| Squares::from_square(piece).side_neighbours() & self.ground.area);
        let enclosed = around.into_iter().filter(|around| (*around - blocked).is_empty());
        enclosed.fold(Squares::EMPTY, |all, around| all | (around & named))
    }

    /// The named squares that close corners off (T1).
    fn closing(&self, named: Squares) -> Squares {
        let closed = self.closed_corners(self.walls | named).iter();
        closed.fold(Squares::EMPTY, |all, corner| all | self.culprits(corner, named))
    }

    /// The corners that are closed off when all of `blocked` are walls.
    fn closed_corners(&self, blocked: Squares) -> Squares {
        let corners = self.ground.corners();
        let mut closed = corners & blocked;
        let mut left = corners - blocked;
        while let Some(corner) = left.pop() {
            let together = self.corners_with(corner, blocked);
            if !self.are_open(together) {
                closed |= together;
            }
            left -= together;
        }
        closed
    }

    /// Returns whether corners that reach each other, and no others, are open.
    fn are_open(&self, together: Squares) -> bool {
        match self.readings.corner_rule {
            CornerRule::Isolated => together.len() > 1,
            CornerRule::AllConnected => together == self.ground.corners(),
        }
    }

    fn is_open(&self, corner: Square, blocked: Squares) -> bool {
        !blocked.contains(corner) && self.are_open(self.corners_with(corner, blocked))
    }

    /// The corners that reach this one, itself included, when all of `blocked` are walls.
    fn corners_with(&self, corner: Square, blocked: Squares) -> Squares {
        self.ground.corners() & Squares::from_square(corner).flood(self.ground.area - blocked)
    }

    /// The union of all minimum-size sets of named squares whose removal opens the corner; empty if
    /// the existing walls alone close it (T1).
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

    /// The corners that the existing walls close off.
    pub(super) fn closed_now(&self) -> impl Iterator<Item = Square> {
        self.closed_corners(self.walls).iter()
    }

    /// The squares of the pieces that cannot move now.
    pub(super) fn enclosed_now(&self) -> impl Iterator<Item = Square> {
        let ground = self.ground.area - self.walls;
        self.pieces
            .into_iter()
            .filter(move |piece| !Squares::from_square(*piece).side_neighbours().meets(ground))
    }

    /// The squares that may be named (T10).
    pub(crate) fn free(&self) -> Squares {
        self.ground.area - self.walls - self.pieces.into_iter().collect()
    }

    /// Returns whether some set of squares, as many as both players name together, would be placed
    /// in full (T7).
    ///
    /// If T1 or T3 refuse a set, they refuse every superset, and T2 only compares pairs. The search
    /// can therefore build a set square by square and try only squares that still fit.
    pub(crate) fn has_room(&self) -> bool {
        let need = 2 * u32::from(self.ground.walls_each);
        let mut candidates = self.free();
        if self.readings.adjacency_scope == AdjacencyScope::All {
            candidates -= self.neighbours(self.walls);
        }
        self.fills(candidates, need) || self.grows(Squares::EMPTY, candidates, need)
    }

    /// Returns whether a greedy choice, always the next square that fits, makes a set of this size.
    /// It usually does.
    fn fills(&self, mut candidates: Squares, need: u32) -> bool {
        let mut chosen = Squares::EMPTY;
        while let Some(square) = candidates.pop() {
            let with = chosen | Squares::from_square(square);
            if self.fits(with) {
                chosen = with;
                candidates -= self.neighbours(Squares::from_square(square));
            }
            if chosen.len() == need {
                return true;
            }
        }
        false
    }

    /// Returns whether `chosen` can grow by `need` of the candidates.
    fn grows(&self, chosen: Squares, candidates: Squares, need: u32) -> bool {
        if need == 0 {
            return true;
        }
        let fits = |square: &Square| self.fits(chosen | Squares::from_square(*square));
        let mut left: Squares = candidates.iter().filter(fits).collect();
        while left.len() >= need {
            let Some(square) = left.pop() else { return false };
            let set = Squares::from_square(square);
            if self.grows(chosen | set, left - self.neighbours(set), need - 1) {
                return true;
            }
        }
        false
    }

    /// Returns whether T1 and T3 let all of the squares become walls.
    fn fits(&self, squares: Squares) -> bool {
        self.enclosing(squares).is_empty() && self.closed_corners(self.walls | squares).is_empty()
    }
}
