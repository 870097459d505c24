//! The text of the clauses.

use crate::Clause;

/// Every clause, T1 to T13.
pub(super) const CLAUSES: &[Clause] = &[
    Clause::new(
        "T1",
        "corners",
        "For each corner that the walls and all squares of this turn close off, find the smallest \
         sets of this turn's squares whose removal would open it. Squares in any of these sets \
         are not placed. Paths run along rows and columns, and pieces do not block them. The \
         option `corner-rule` says when a corner is closed off.",
    ),
    Clause::new(
        "T2",
        "adjacency",
        "Squares of one turn that are neighbours of each other are not placed: on Once the eight \
         squares around a square are its neighbours, on Twice the four beside it, on Thrice none. \
         The option `adjacency-scope` says whether existing walls count as neighbours too.",
    ),
    Clause::new(
        "T3",
        "enclosure",
        "If walls and squares of this turn occupy all squares beside a piece, those of this turn \
         are not placed.",
    ),
    Clause::new(
        "T4",
        "input",
        "T1, T2 and T3 each look at all squares of the turn, and a square that any of them \
         excludes is not placed. With `rule-1-input=survivors` T1 looks only at the squares that \
         T2 and T3 leave.",
    ),
    Clause::new(
        "T5",
        "same square",
        "A square that both players name counts once. With `same-square=cancel` it is withdrawn \
         before T1, T2 and T3.",
    ),
    Clause::new(
        "T6",
        "start",
        "The players own the four squares on which their pieces start, unless \
         `start-captured=false`.",
    ),
    Clause::new(
        "T7",
        "end of a round",
        "A round ends after a turn for the first of these reasons that applies: majority (one \
         player owns more than half of the squares that are not walls), separated (no two of the \
         four pieces can reach each other), no-walls-left (no set of free squares, as many as \
         both players name together, would be placed in full), turn-limit (`max-turns` turns have \
         been played). The player with more squares wins the round.",
    ),
    Clause::new(
        "T8",
        "tie",
        "If both players have equally many squares, the death-match opponent wins the round: the \
         seat that the option `dmo` names. With `tie=draw` nobody wins it.",
    ),
    Clause::new(
        "T9",
        "rounds",
        "A match is played on the boards of the option `rounds`, in order. With `best-of-3` it \
         ends as soon as a player has won two rounds. The player who won more rounds wins the \
         match; equally many are a draw.",
    ),
    Clause::new(
        "T10",
        "submission",
        "Each turn both players name, at once, a direction for their circle, one for their square, \
         and as many different free squares as the board says: no wall, and no piece as the turn \
         begins. All four directions may be named. The order of the squares does not matter. \
         Written `R U 3,5 4,6`: right and up, then the squares.",
    ),
    Clause::new(
        "T11",
        "redirection",
        "After the walls are placed and before any piece moves, a piece whose next square is a \
         wall or off the board takes another direction: the one that crosses the most squares \
         that nobody owns; among equals, sideways rather than back; then towards the side of its \
         starting corner.",
    ),
    Clause::new(
        "T12",
        "movement",
        "All pieces move square by square at the same time, each until a wall or the edge. A \
         piece captures each square that it enters, unless a piece of the other player is there \
         at that moment, moving or not. Pieces pass through each other. A captured square that \
         becomes a wall belongs to nobody.",
    ),
    Clause::new(
        "T13",
        "boards",
        "A board is a rectangle with sides of 5 to 15 squares on which each player names 1 to 3 \
         walls per turn. Grunkle's circle starts top left and its square bottom right, Charge's \
         circle top right and its square bottom left. No corner is closed off at the start, no \
         piece enclosed, and there is room for the walls of a turn.",
    ),
];
