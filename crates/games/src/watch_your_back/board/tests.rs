use super::*;
use crate::board::Square;

/// A board in the moving phase after `moves` moves.
fn moving(rows: [&str; 8], moves: u32) -> Board {
    Board::from_rows(&rows, PLACEMENTS + moves).expect("a board")
}

fn step(from: (u8, u8), to: (u8, u8)) -> Action {
    Action::Move { from: Square::new(from.0, from.1), to: Square::new(to.0, to.1) }
}

fn play(board: &mut Board, from: (u8, u8), to: (u8, u8)) -> Removals {
    let action = step(from, to);
    assert!(board.legal_actions().contains(&action), "{action}");
    board.play_unchecked(action, EndCheck::BeforeAndAfterShrink)
}

fn texts(squares: Bitboard) -> Vec<String> {
    squares.iter().map(|square| square.to_string()).collect()
}

#[test]
fn the_46_first_placements_are_in_text_order() {
    let mut board = Board::START;
    for count in [46, 46] {
        let actions = board.legal_actions();
        let texts: Vec<_> = actions.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), count);
        assert!(texts.is_sorted());
        board.play_unchecked(Action::Place(Square::new(0, 1)), EndCheck::AfterShrink);
    }
}

#[test]
fn the_ply_determines_counts_and_the_side_to_move() {
    let board = Board::from_pieces(BySide::default(), 23, BoardSize::Full);
    assert_eq!((board.placed(), board.to_move()), (BySide::new(12, 11), Side::Second));
    assert!(board.is_placing());
    let board = Board::from_pieces(BySide::default(), 25, BoardSize::Full);
    assert_eq!((board.placed(), board.to_move()), (BySide::new(12, 12), Side::Second));
    assert_eq!(board.moves(), 1);
}

#[test]
fn the_arriving_piece_captures_first_and_is_then_safe() {
    let mut board = moving(
        [
            "X......X", "........", "...B....", "...W....", "..B.B...", "........", "........",
            "X......X",
        ],
        0,
    );
    let effects = play(&mut board, (3, 3), (3, 4));
    assert_eq!(texts(effects.surrounded), Vec::<String>::new());
    assert_eq!(texts(effects.arrival), ["3,4"]);

    let mut board = moving(
        [
            "X......X", "........", "........", "...W....", "..B.BW..", "........", "........",
            "X......X",
        ],
        0,
    );
    let effects = play(&mut board, (3, 3), (3, 4));
    assert_eq!(texts(effects.surrounded), ["4,4"]);
    assert_eq!(effects.arrival, Bitboard::EMPTY);
}

#[test]
fn corners_are_enemies_of_both_colours() {
    let mut board = moving(
        [
            "XB.....X", "..W.....", "........", "........", "...B.B..", "........", "........",
            "XW.....X",
        ],
        0,
    );
    let effects = play(&mut board, (2, 1), (2, 0));
    assert_eq!(texts(effects.surrounded), ["1,0"]);
}

#[test]
fn jumps_go_over_either_colour_and_nothing_else() {
    let board = moving(
        [
            "X.W....X", "........", "...B....", "..BW.W..", "...W....", "...W....", "........",
            "X......X",
        ],
        0,
    );
    let from =
        |column, row| texts(board.piece_targets(Bitboard::from_square(Square::new(column, row))));
    assert_eq!(from(3, 3), ["1,3", "3,1", "4,3"]);
    assert_eq!(from(3, 4), ["2,4", "3,6", "4,4"]);
    assert_eq!(from(2, 0), ["1,0", "2,1", "3,0"]);
}

#[test]
fn new_corners_capture_in_their_order() {
    let mut board = moving(
        [
            "########", "#X....X#", "#..WB..#", "#......#", "#......#", "#.W..B.#", "#X....X#",
            "########",
        ],
        191,
    );
    let effects = play(&mut board, (5, 5), (5, 4));
    let shrink = effects.shrink.expect("the second shrink");
    assert_eq!(texts(shrink.removed), ["2,5"]);
    assert_eq!(shrink.by_corner.map(|taken| texts(taken).len()), [1, 0, 0, 0]);
    assert_eq!(texts(shrink.by_corner[0]), ["3,2"]);
    assert_eq!(board.rows()[2], "##X.BX##");
}

#[test]
fn the_first_shrink_removes_the_ring_and_pieces_on_new_corners() {
    let mut board = moving(
        [
            "X.W....X", ".WB.....", "........", "W......B", "........", "...BW...", "......B.",
            "X..W...X",
        ],
        127,
    );
    let effects = play(&mut board, (6, 6), (6, 5));
    let shrink = effects.shrink.expect("the first shrink");
    assert_eq!(texts(shrink.removed), ["0,3", "1,1", "2,0", "3,7", "7,3"]);
    assert_eq!(board.size(), BoardSize::Middle);
    assert_eq!(
        board.rows(),
        [
            "########", "#XB...X#", "#......#", "#......#", "#......#", "#..BW.B#", "#X....X#",
            "########"
        ]
    );
}

#[test]
fn forfeits_count_towards_shrinks() {
    let rows = [
        "XW.....X", "WW......", "........", "........", "...B.B..", "........", "........",
        "X......X",
    ];
    for (moves, size) in [(127, BoardSize::Middle), (126, BoardSize::Full)] {
        let mut board = moving(rows, moves);
        board.play_unchecked(Action::Pass, EndCheck::AfterShrink);
        assert_eq!(board.size(), size);
    }
}

#[test]
fn decided_games_only_shrink_with_after_shrink() {
    let rows = [
        "X......X", "........", "........", "..BWB...", "........", "........", "........",
        "X......X",
    ];
    for (end_check, size) in [(EndCheck::BeforeAndAfterShrink, 8), (EndCheck::AfterShrink, 6)] {
        let mut board = moving(rows, 127);
        board.play_unchecked(step((2, 3), (1, 3)), end_check);
        assert_eq!(board.size().side(), size);
    }
}
