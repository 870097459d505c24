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
        "From the last placement on, a side with fewer than two pieces has lost. If both have \
         fewer, the game is a draw. Nothing is decided while pieces are being placed.",
    ),
    Clause::new(
        "W10",
        "end-check",
        "The option `end-check` says when W9 is tested on the two moves that shrink the board: \
         both before and after the shrink, and then a game decided before it does not shrink; or \
         only after it.",
    ),
    Clause::new(
        "W11",
        "length",
        "Added here, so that every game ends. After a move that decides nothing, the game is a \
         draw if neither side can ever move again (mutual-block), if the position has occurred \
         too often since the second shrink (repetition), or if the limit of moves is reached \
         (max-moves). They are tested in this order.",
    ),
];
