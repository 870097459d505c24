//! The text of the clauses.

use crate::Clause;

/// Every clause, W1 to W11.
pub(super) const CLAUSES: &[Clause] = &[
    Clause::new(
        "W1",
        "corners",
        "No piece can stand on a corner of the board. When pieces are surrounded, a corner counts \
         as an enemy of both colours.",
    ),
    Clause::new(
        "W2",
        "placing",
        "The game opens with 24 placements, White and Black in turn. White places in rows 0 to 5, \
         Black in rows 2 to 7, on any empty square except corners. Written `3,4`: column, row.",
    ),
    Clause::new(
        "W3",
        "elimination",
        "A piece is lost when both squares on opposite sides of it, in its row or in its column, \
         hold an enemy or are corners. Squares off the board and squares removed by a shrink \
         do not count.",
    ),
    Clause::new(
        "W4",
        "order",
        "A piece that arrives on a square first takes every enemy that it surrounds together with \
         a piece or corner on the opposite side. If the arriving piece is still surrounded after \
         that, it is lost itself.",
    ),
    Clause::new(
        "W5",
        "moving",
        "The moving phase begins when both sides have placed twelve pieces, however many are left. \
         White moves first.",
    ),
    Clause::new(
        "W6",
        "move",
        "A piece goes to the empty square next to it in its row or column, or jumps over one \
         piece of either colour to the empty square behind it. It never jumps over a corner, an \
         empty square or a removed one. Written `3,4>3,5`.",
    ),
    Clause::new(
        "W7",
        "forfeit",
        "A side without a legal move passes, and the pass counts as a move. No other passes are \
         allowed, and none during placement. Written `pass`.",
    ),
    Clause::new(
        "W8",
        "shrink",
        "After moves 128 and 192 the outermost ring is removed with all pieces on it. The corners \
         of the remaining board become corners one by one: top left, bottom left, bottom right, \
         top right. Each takes the piece on it, and then every piece beside it that has an enemy \
         on the opposite side.",
    ),
    Clause::new(
        "W9",
        "end",
        "From the last placement on, a side with fewer than two pieces has lost; if both have \
         fewer, nobody wins. While pieces are placed nothing is decided.",
    ),
    Clause::new(
        "W10",
        "end-check",
        "Option end-check says when W9 is tested on the moves that shrink the board: before the \
         shrink and after it, in which case a decided game does not shrink, or after it only.",
    ),
    Clause::new(
        "W11",
        "length",
        "Added here, so that every game ends. A move that leaves the game undecided makes a draw \
         if neither side can ever move again (mutual-block), if the position has occurred too \
         often since the second shrink (repetition), or if the moves are used up (max-moves), \
         looked at in this order.",
    ),
];
