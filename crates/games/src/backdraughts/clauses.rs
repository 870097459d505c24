//! The text of the clauses.

use crate::Clause;

/// Every clause, B1 to B12.
pub(super) const CLAUSES: &[Clause] = &[
    Clause::new(
        "B1",
        "turn",
        "The sides take turns. At the start of a turn the referee rolls one die for the side to \
         move. Each side has its own sequence of rolls, the same in both games of a pair.",
    ),
    Clause::new(
        "B2",
        "first",
        "The option `first` says who begins: White, Black, or the side that rolls higher. These \
         rolls decide nothing else.",
    ),
    Clause::new(
        "B3",
        "move",
        "One own pawn goes exactly as many squares as were rolled, straight along its row or \
         column. Every square that it enters must be on the board and empty. No square is closed \
         to either side. Written `2,3>6,3`.",
    ),
    Clause::new(
        "B4",
        "win",
        "A side wins when a move ends with its pawn on its goal, `7,0` for White and `0,7` for \
         Black, or when the other side has no pawn left.",
    ),
    Clause::new(
        "B5",
        "six",
        "A roll of 6 allows one move of 6 squares or one capture. If a capture is the only \
         possible action, it must be made. If captures do not need a 6, a 6 is a roll like any \
         other.",
    ),
    Clause::new(
        "B6",
        "capture",
        "A pawn captures all enemies next to it, in its row and its column, and stays where it \
         is. Written `capture 6,3`.",
    ),
    Clause::new(
        "B7",
        "pass",
        "A side without an action passes; the referee does it for the player. Written `pass`.",
    ),
    Clause::new(
        "B8",
        "overlooked",
        "The option `overlooked` says what happens if a side passes although it has an action. \
         Either the pass is illegal, or the opponent is asked before its own turn: it plays any \
         one of the passer's actions for the passer's side, or declines. The pass and the answer \
         are one ply each. Written `decline`.",
    ),
    Clause::new(
        "B9",
        "distance",
        "The option `move` says how far a pawn goes: as far as the die shows or, without a die, \
         one square and one more for every two pawns that its side has lost.",
    ),
    Clause::new(
        "B10",
        "capture-when",
        "The option `capture` says when a capture is allowed: with a roll of 6, in a turn that \
         begins with none of the side's own pawns on the 28 squares of the outer ring, or in \
         either case.",
    ),
    Clause::new(
        "B11",
        "turning",
        "With the option `turning` a pawn can turn. It starts in a direction whose first square \
         is free and goes straight on while it can. When the next square is off the board or \
         taken, it turns left or right, as the player likes, but never back. A turn costs \
         nothing. If it cannot go on, it stops there, and the move is complete. The square it \
         came from counts as empty.",
    ),
    Clause::new(
        "B12",
        "length",
        "Added here, so that every game ends. After a ply that decides nothing, the game is a \
         draw if, without dice, the board and the side to move at the start of a turn have \
         occurred too often (repetition), or if the limit of plies is reached (max-plies). They \
         are tested in this order.",
    ),
];
