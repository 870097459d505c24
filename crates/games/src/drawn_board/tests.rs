use super::*;
use crate::{GameKind, Options, Position, Step};

fn start(kind: GameKind) -> Position {
    let options = Options::resolve(kind.game().options(), []).expect("the defaults");
    kind.game().start(&options).expect("the defaults")
}

fn board_of(position: &Position) -> (DrawnBoard, &BoardLook) {
    match position.draw() {
        Drawing::Board(board, look) => (board, look),
        Drawing::Text(rows) => panic!("only text: {rows:?}"),
    }
}

fn square(board: &DrawnBoard, column: usize, row: usize) -> String {
    board.cells[row].0[column].0.iter().collect()
}

#[test]
fn goals_are_marks_that_a_piece_may_stand_on() {
    let position = start(GameKind::Backdraughts);
    let (board, look) = board_of(&position);
    assert_eq!([square(&board, 7, 0), square(&board, 0, 7)], ["w", "b"]);
    assert_eq!((square(&board, 1, 3), square(&board, 0, 1)), ("W".to_owned(), String::new()));
    let goal = &look.legend[&'w'];
    assert_eq!((goal.mark, goal.seat.as_deref()), (Some(SquareMark::Goal), Some("white")));
}

#[test]
fn every_piece_on_a_shared_square_is_there_with_its_owner() {
    let mut game = start(GameKind::BackToTheWall);
    let turn = Step::Together(vec!["R U 3,2", "L D 3,4"]);
    game.play(turn, &mut Vec::new()).expect("legal");
    let (board, _) = board_of(&game);
    assert_eq!([square(&board, 6, 0), square(&board, 0, 0)], ["xGg", "oC"]);
}

#[test]
fn boards_are_written_as_texts_or_as_lists() {
    let short: DrawnBoard = serde_json::from_str(
        r#"{"cells": ["r.b", "..."], "columns": "abc", "rows": ["10", "9"],
            "dice": [{"seat": "red", "value": 3}]}"#,
    )
    .expect("a board");
    let long: DrawnBoard = serde_json::from_str(
        r#"{"cells": [["r", "", "b"], [".", " ", ""]], "columns": ["a", "b", "c"],
            "rows": ["10", "9"], "dice": [{"seat": "red", "value": 3}]}"#,
    )
    .expect("a board");
    assert_eq!(short, long);
    let again = serde_json::to_string(&long).expect("data");
    assert_eq!(serde_json::from_str::<DrawnBoard>(&again).expect(&again), long);
    let wrong = serde_json::from_str::<BoardSymbol>(r#"{"mark": "drak"}"#).expect_err("a typo");
    assert!(wrong.to_string().contains("`mark`, which is dark"), "{wrong}");
}

#[test]
fn the_labels_in_an_action_name_squares() {
    let named = |columns: &str, rows: &str, separator: &'static str, text: &str| {
        let labels = |text: &str| Labels(text.split_whitespace().map(String::from).collect());
        let board = DrawnBoard {
            cells: vec![DrawnRow::from_text("..........."); 11],
            columns: labels(columns),
            rows: labels(rows),
            dice: Vec::new(),
        };
        let look = BoardLook { separator: separator.into(), ..BoardLook::default() };
        board.squares_named_in(text, &look)
    };
    let (letters, from_below) = ("a b c d e f g h i j k", "11 10 9 8 7 6 5 4 3 2 1");
    assert_eq!(named(letters, from_below, "", "a1-b11"), [vec![110], vec![1]]);
    assert_eq!(named(letters, from_below, "", "e2e4q"), [vec![103], vec![81]]);
    assert_eq!(named(letters, from_below, "", "pass"), [[0; 0]; 0]);
    let numbers = "0 1 2 3 4 5 6 7 8 9 10";
    assert_eq!(named(numbers, numbers, ",", "3,0>10,1"), [vec![3], vec![21]]);
    assert_eq!(named(numbers, numbers, ",", "R U 3,2 4,10"), [vec![25], vec![114]]);
    assert_eq!(named(numbers, numbers, ",", "3,11"), [[0; 0]; 0], "there is no row 11");
    let column = named("1 2 3 4 5 6 7 8 9 10 11", "", "", "4");
    assert_eq!(column, [(0..11).map(|row| row * 11 + 3).collect::<Vec<_>>()]);
    assert_eq!(named("1 2 3", "", "", "42"), [[0; 0]; 0]);
    assert_eq!(named("", "", "", "a1"), [[0; 0]; 0]);
}
