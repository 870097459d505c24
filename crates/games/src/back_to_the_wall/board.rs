//! The board of a round: small, cheap to copy, and without the options.

use super::action::Action;
use super::map::{ByPiece, Map, MapGround, PIECES, Piece};
use super::squares::Squares;
use super::walls::{Readings, WallPlacement, WallSite};
use crate::board::{Direction, Square};
use crate::two_player::{BySide, Side};

/// The walls, the owners of the squares and the pieces in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// The size of the board and its rules for walls.
    pub ground: MapGround,
    pub(crate) walls: Squares,
    /// The squares of each player.
    pub owned: BySide<Squares>,
    /// The squares of the pieces.
    pub pieces: BySide<ByPiece<Square>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnEffects {
    /// The squares that were named: placed as walls, or taken out.
    pub(crate) placement: WallPlacement,
    /// The run of each piece, in the order of [`PIECES`].
    pub(crate) runs: [PieceRun; 4],
}

/// A piece's run: a number of squares in a straight line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceRun {
    /// The square where it started.
    from: Square,
    /// The direction that its player chose.
    pub(crate) wanted: Direction,
    /// The direction in which it went (T11); `None` if it could not move at all.
    heading: Option<Direction>,
    /// The number of squares it entered.
    steps: u8,
    /// The squares that it entered but did not capture, because of an enemy (T12).
    pub(crate) contested: Squares,
}

impl PieceRun {
    /// The squares it entered, in order.
    pub(crate) fn path(&self) -> impl Iterator<Item = Square> {
        let ahead =
            move |square: &Square| self.heading.map(|heading| step_off_square(*square, heading));
        let squares = std::iter::successors(Some(self.from), ahead);
        squares.skip(1).take(usize::from(self.steps))
    }

    pub(crate) fn redirected(&self) -> Option<Direction> {
        self.heading.filter(|heading| *heading != self.wanted)
    }
}

/// The next square from `square`, which must be on the board. Beyond its edge, a column or a row is
/// greater than any on the board.
const fn step_off_square(square: Square, direction: Direction) -> Square {
    let Square { column, row } = square;
    match direction {
        Direction::Up => Square::new(column, row.wrapping_sub(1)),
        Direction::Down => Square::new(column, row + 1),
        Direction::Left => Square::new(column.wrapping_sub(1), row),
        Direction::Right => Square::new(column + 1, row),
    }
}

impl Board {
    /// The start of a round on `map`.
    pub(crate) fn start(map: &Map, start_captured: bool) -> Self {
        let ground = map.ground;
        let owned = |seat| if start_captured { ground.homes(seat) } else { Squares::EMPTY };
        let pieces = |seat| ByPiece {
            circle: ground.home(seat, Piece::Circle),
            square: ground.home(seat, Piece::Square),
        };
        Self {
            ground,
            walls: map.walls,
            owned: BySide::from_fn(owned),
            pieces: BySide::from_fn(pieces),
        }
    }

    /// The squares of the pieces, in the order of [`PIECES`].
    pub(crate) fn squares_of_pieces(&self) -> [Square; 4] {
        PIECES.map(|(seat, piece)| self.pieces[seat][piece])
    }

    /// The board as a `WallSite` for placing walls.
    pub fn site(&self, readings: Readings) -> WallSite<'_> {
        WallSite {
            ground: &self.ground,
            walls: self.walls,
            pieces: self.squares_of_pieces(),
            readings,
        }
    }

    /// The squares that may be named (T10).
    pub fn nameable_squares(&self) -> Squares {
        self.ground.area - self.walls - self.squares_of_pieces().into_iter().collect()
    }

    /// The squares without a wall.
    pub fn squares_without_wall(&self) -> Squares {
        self.ground.area - self.walls
    }

    /// The number of squares of each player.
    pub fn count_owned_squares(&self) -> BySide<u32> {
        self.owned.map(Squares::len)
    }

    /// Plays a turn: walls, then redirection, then movement.
    pub(crate) fn play(&mut self, turn: &BySide<Action>, readings: Readings) -> TurnEffects {
        let placement = self.site(readings).place(turn.first.walls, turn.second.walls);
        self.build_walls(placement.placed);
        let wanted = PIECES.map(|(seat, piece)| turn[seat].directions[piece]);
        let mut runs = self.headings(wanted);
        self.run_pieces(&mut runs);
        TurnEffects { placement, runs }
    }

    /// Turns `walls` into walls. Captured squares among them lose their owner (T12).
    pub fn build_walls(&mut self, walls: Squares) {
        self.walls |= walls;
        for seat in Side::BOTH {
            self.owned[seat] -= walls;
        }
    }

    /// The direction of each piece (T11), all determined from the current board.
    fn headings(&self, wanted: [Direction; 4]) -> [PieceRun; 4] {
        let mut wanted = wanted.into_iter();
        PIECES.map(|(seat, piece)| {
            let wanted = wanted.next().unwrap_or(Direction::Up);
            let from = self.pieces[seat][piece];
            let heading = self.heading(seat, piece, wanted);
            PieceRun { from, wanted, heading, steps: 0, contested: Squares::EMPTY }
        })
    }

    /// The direction that a piece takes if its player chooses `wanted` (T11); `None` if it cannot
    /// move.
    pub fn heading(&self, seat: Side, piece: Piece, wanted: Direction) -> Option<Direction> {
        let from = self.pieces[seat][piece];
        let can_go = |way: &Direction| self.next_enterable_square(from, *way).is_some();
        if can_go(&wanted) {
            return Some(wanted);
        }
        let home = self.ground.home(seat, piece);
        let taken = self.owned.first | self.owned.second;
        let preference = |way: &Direction| {
            let unowned = (self.squares_up_to_wall(from, *way) - taken).len();
            let perpendicular = *way != wanted.opposite();
            (unowned, perpendicular, is_towards_home(home, *way))
        };
        Direction::ALL.into_iter().filter(can_go).max_by_key(preference)
    }

    /// The squares from `from` (excluded) to the next wall or the edge.
    pub fn squares_up_to_wall(&self, from: Square, way: Direction) -> Squares {
        std::iter::successors(self.next_enterable_square(from, way), |square| {
            self.next_enterable_square(*square, way)
        })
        .collect()
    }

    /// The next square in this direction, if a piece can enter it.
    pub(crate) fn next_enterable_square(&self, from: Square, way: Direction) -> Option<Square> {
        let next = step_off_square(from, way);
        let is_there = next.column < self.ground.width && next.row < self.ground.height;
        (is_there && !self.walls.contains(next)).then_some(next)
    }

    /// Moves all pieces tick by tick and captures (T12).
    fn run_pieces(&mut self, runs: &mut [PieceRun; 4]) {
        let mut at = self.squares_of_pieces();
        loop {
            let entered: [bool; 4] = std::array::from_fn(|index| {
                let next =
                    runs[index].heading.and_then(|way| self.next_enterable_square(at[index], way));
                at[index] = next.unwrap_or(at[index]);
                next.is_some()
            });
            if entered == [false; 4] {
                break;
            }
            for (index, (seat, _)) in PIECES.into_iter().enumerate() {
                if entered[index] {
                    runs[index].steps += 1;
                    let rival = PIECES
                        .iter()
                        .zip(&at)
                        .any(|((other, _), there)| *other != seat && *there == at[index]);
                    self.enter_square(seat, at[index], rival, &mut runs[index]);
                }
            }
        }
        for ((seat, piece), at) in PIECES.into_iter().zip(at) {
            self.pieces[seat][piece] = at;
        }
    }

    /// Records that a piece of `seat` entered a square. `rival` says whether it holds an enemy.
    fn enter_square(&mut self, seat: Side, at: Square, rival: bool, run: &mut PieceRun) {
        let square = Squares::from_square(at);
        if rival {
            run.contested |= square;
        } else {
            self.owned[seat] |= square;
            self.owned[!seat] -= square;
        }
    }

    /// Returns whether the four pieces are in four different regions (T7).
    pub(crate) fn are_pieces_separated(&self) -> bool {
        let mut others = self.squares_of_pieces().into_iter();
        while let Some(piece) = others.next() {
            if Squares::from_square(piece)
                .flood(self.squares_without_wall())
                .meets(others.clone().collect())
            {
                return false;
            }
        }
        true
    }

    /// The rows from top to bottom: `.` and `#`.
    pub(crate) fn map_rows(&self) -> Vec<String> {
        self.render_rows(|at| if self.walls.contains(at) { '#' } else { '.' })
    }

    /// The rows from top to bottom with a character for each square.
    pub(crate) fn render_rows(&self, symbol: impl Fn(Square) -> char) -> Vec<String> {
        let MapGround { width, height, .. } = self.ground;
        let row = |row| (0..width).map(|column| symbol(Square::new(column, row))).collect();
        (0..height).map(row).collect()
    }
}

/// Returns whether `way` leads towards the side of the board where the corner `home` lies.
const fn is_towards_home(home: Square, way: Direction) -> bool {
    match way {
        Direction::Up => home.row == 0,
        Direction::Down => home.row != 0,
        Direction::Left => home.column == 0,
        Direction::Right => home.column != 0,
    }
}
