use super::board::PLACEMENTS;
use super::*;

const DEFAULTS: Rules = Rules {
    end_check: EndCheck::BeforeAndAfterShrink,
    mutual_block: MutualBlock::Draw,
    repetition: 3,
    max_moves: 512,
};

/// A game at `rows` after `moves` moves of the moving phase.
fn at(rows: [&str; 8], moves: u32, rules: Rules) -> WatchYourBack {
    let board = Board::from_rows(&rows, PLACEMENTS + moves).expect("a board");
    WatchYourBack::from_board(&Arc::new(rules), board)
}

fn play(game: &mut WatchYourBack, text: &str) -> Vec<Event> {
    let action = game.parse_action(game.board.to_move(), text).expect("a legal action");
    let mut events = Vec::new();
    game.play_unchecked(Step::Move(action), &mut events);
    events
}

fn json(events: &[Event]) -> String {
    let lines: Vec<_> =
        events.iter().map(|event| serde_json::to_string(event).expect("plain data")).collect();
    lines.join(" ")
}

fn refusal(game: &WatchYourBack, text: &str) -> String {
    game.parse_action(game.board.to_move(), text).expect_err("a refusal").to_string()
}

const OPEN: [&str; 8] = [
    "XW.....X", "........", "........", "...W.B..", "....B...", "........", "........", "X......X",
];

const FULL: [&str; 8] = [
    "########", "########", "##XWWX##", "##BBBB##", "##BBBB##", "##XWWX##", "########", "########",
];

const SHUFFLE: [&str; 8] = [
    "########", "########", "##XW.X##", "##....##", "##W..B##", "##X.BX##", "########", "########",
];

#[test]
fn every_refusal_cites_its_clause() {
    let game = at(OPEN, 0, DEFAULTS);
    for (text, expected) in [
        ("3,3>3,5", "W6: 3,3>3,5 jumps over an empty square"),
        ("1,0>1,0", "W6: 1,0>1,0 does not move the piece"),
        ("1,0>0,0", "W1: 1,0>0,0 ends on a corner"),
        ("3,3>4,4", "W6: 3,3>4,4 ends on an occupied square"),
        ("3,3>4,2", "W6: 3,3>4,2 is neither one step nor a jump over one square"),
        ("3,3>3,8", "W6: 3,3>3,8 ends off the board"),
        ("8,3>7,3", "W6: 8,3>7,3 starts off the board"),
        ("2,2>2,3", "W6: 2,2>2,3 starts where no piece stands"),
        ("5,3>5,2", "W6: 5,3>5,2 moves an opponent's piece"),
        ("3,4", "W5: 3,4 is a placement, but all pieces have been placed"),
        ("12,7", "W5: 12,7 is a placement, but all pieces have been placed"),
        ("pass", "W7: pass is not allowed while there is a legal move"),
    ] {
        assert_eq!(refusal(&game, text), expected);
    }
    let not_white = game.parse_action(Side::Second, "5,3>5,2").expect_err("a refusal");
    assert_eq!(not_white.to_string(), "W5: 5,3>5,2 comes out of turn");
}

#[test]
fn refusals_while_placing() {
    let mut game = WatchYourBack::start(&Arc::new(DEFAULTS));
    for (text, expected) in [
        ("9,9", "W2: 9,9 is off the board"),
        ("7,0", "W1: 7,0 is a corner"),
        ("3,6", "W2: 3,6 is outside the rows where white may place pieces: 0 to 5"),
        ("3,4>3,4", "W5: 3,4>3,4 is a move, but pieces are still being placed"),
        ("pass", "W7: pass is not allowed while pieces are being placed"),
        ("-1,3", "syntax: expected a placement like `3,4`, a move like `3,4>3,5`, or `pass`"),
    ] {
        assert_eq!(refusal(&game, text), expected);
    }
    play(&mut game, " 3,4\t");
    assert_eq!(refusal(&game, "3,4"), "W2: 3,4 is occupied");
    let black = "W2: 3,1 is outside the rows where black may place pieces: 2 to 7";
    assert_eq!(refusal(&game, "3,1"), black);
}

#[test]
fn refusals_on_a_smaller_board() {
    let game = at(SHUFFLE, 216, DEFAULTS);
    assert_eq!(refusal(&game, "3,2>3,1"), "W6: 3,2>3,1 ends on a removed square");
    assert_eq!(refusal(&game, "1,1>1,2"), "W6: 1,1>1,2 starts on a removed square");
    let rows = [
        "X.W....X", "........", "........", "........", "...BB...", "........", "...W....",
        "X......X",
    ];
    let game = at(rows, 0, DEFAULTS);
    assert_eq!(refusal(&game, "2,0>0,0"), "W1: 2,0>0,0 ends on a corner");
}

#[test]
fn a_jump_over_a_corner_would_end_on_a_removed_square() {
    let rows = [
        "########", "#X.W..X#", "#W.....#", "#......#", "#...B..#", "#...B..#", "#X....X#",
        "########",
    ];
    assert_eq!(
        refusal(&at(rows, 130, DEFAULTS), "1,2>1,0"),
        "W6: 1,2>1,0 ends on a removed square"
    );
}

#[test]
fn events_tell_the_shrink_in_order() {
    let rows = [
        "########", "#X....X#", "#..WB..#", "#......#", "#..W...#", "#.W..B.#", "#X....X#",
        "########",
    ];
    let mut game = at(rows, 191, DEFAULTS);
    assert_eq!(
        json(&play(&mut game, "5,5>5,4")),
        concat!(
            r#"{"event":"action","by":"black","action":"5,5>5,4"} "#,
            r#"{"event":"shrink","size":4,"removed":["2,5"]} "#,
            r#"{"event":"removed","squares":["3,2"],"why":"corner"} "#,
            r#"{"event":"over","result":"black","reason":"elimination"}"#
        )
    );
    assert_eq!(refusal(&game, "3,4>3,3"), "W9: 3,4>3,3 comes after the end");
}

#[test]
fn forced_passes_are_marked_as_forced() {
    let rows = [
        "XWBB...X", "WBB.....", "BB......", "B.......", "........", "........", "........",
        "X......X",
    ];
    let mut game = at(rows, 0, DEFAULTS);
    assert_eq!(game.turn(), Turn::Pass(Side::First));
    assert_eq!(game.legal_actions(Side::First), []);
    assert_eq!(refusal(&game, "1,0>2,0"), "W6: 1,0>2,0 ends on an occupied square");
    let told = json(&play(&mut game, "pass"));
    assert_eq!(told, r#"{"event":"action","by":"white","action":"pass","forced":true}"#);
    assert_eq!(game.board.moves(), 1);
}

#[test]
fn a_mutual_block_is_a_draw_or_passes_forever() {
    let mut game = at(FULL, 400, DEFAULTS);
    assert_eq!(game.turn(), Turn::Pass(Side::First));
    let told = json(&play(&mut game, "pass"));
    assert!(
        told.ends_with(r#"{"event":"over","result":"draw","reason":"mutual-block"}"#),
        "{told}"
    );

    let mut game = at(FULL, 400, Rules { mutual_block: MutualBlock::Off, ..DEFAULTS });
    for _ in 0..3 {
        assert_eq!(game.turn().outcome(), None);
        play(&mut game, "pass");
    }
    play(&mut game, "pass");
    assert_eq!(game.turn().outcome().map(|outcome| outcome.reason), Some("repetition"));
}

#[test]
fn the_third_occurrence_counts_the_first_position_too() {
    let mut game = at(SHUFFLE, 192, DEFAULTS);
    let round = ["3,2>4,2", "4,5>3,5", "4,2>3,2", "3,5>4,5"];
    for text in round.iter().chain(&round[..3]) {
        play(&mut game, text);
        assert_eq!(game.turn().outcome(), None, "{text}");
    }
    let told = json(&play(&mut game, round[3]));
    assert!(told.ends_with(r#"{"event":"over","result":"draw","reason":"repetition"}"#), "{told}");
    assert_eq!(refusal(&game, "3,2>4,2"), "W11: 3,2>4,2 comes after the end");
}

#[test]
fn the_position_after_the_second_shrink_is_the_first_that_counts() {
    let rows = [
        "########", "#X....X#", "#..W...#", "#......#", "#.W..B.#", "#...B..#", "#X....X#",
        "########",
    ];
    let mut game = at(rows, 188, Rules { repetition: 2, ..DEFAULTS });
    let round = ["3,2>4,2", "4,5>3,5", "4,2>3,2", "3,5>4,5"];
    for text in round.iter().chain(&round[..3]) {
        play(&mut game, text);
        assert_eq!(game.turn().outcome(), None, "{text}");
    }
    play(&mut game, round[3]);
    assert_eq!(game.turn().outcome().map(|outcome| outcome.reason), Some("repetition"));
}

#[test]
fn max_moves_counts_the_moving_phase_and_comes_last() {
    let rules = Rules { max_moves: 2, ..DEFAULTS };
    let mut game = at(OPEN, 0, rules);
    play(&mut game, "1,0>2,0");
    assert_eq!(game.turn().outcome(), None);
    play(&mut game, "5,3>6,3");
    assert_eq!(game.turn().outcome().map(|outcome| outcome.reason), Some("max-moves"));

    let both = Rules { max_moves: 401, repetition: 1, mutual_block: MutualBlock::Off, ..DEFAULTS };
    let mut game = at(FULL, 400, both);
    play(&mut game, "pass");
    assert_eq!(game.turn().outcome().map(|outcome| outcome.reason), Some("repetition"));
}

#[test]
fn the_last_placement_can_end_the_game_and_no_earlier_one() {
    let rows = [
        "X......X", "........", "........", "..W.W...", "........", "........", "......B.",
        "X......X",
    ];
    let ends = |ply, text| {
        let board = Board::from_rows(&rows, ply).expect("a board");
        json(&play(&mut WatchYourBack::from_board(&Arc::new(DEFAULTS), board), text))
    };
    let over = r#" {"event":"over","result":"white","reason":"elimination"}"#;
    let removed = r#" {"event":"removed","squares":["3,3"],"why":"surrounded"}"#;
    let action = r#"{"event":"action","by":"black","action":"3,3"}"#;
    assert_eq!(ends(21, "3,3"), format!("{action}{removed}"));
    assert_eq!(ends(22, "1,1"), r#"{"event":"action","by":"white","action":"1,1"}"#);
    assert_eq!(ends(23, "3,3"), format!("{action}{removed}{over}"));
}

#[test]
fn the_readings_of_the_end_check_can_differ() {
    let rows = [
        "X......X", "........", "B.......", "W..W....", "........", "B.......", "........",
        "X......X",
    ];
    let result = |end_check| {
        let mut game = at(rows, 127, Rules { end_check, ..DEFAULTS });
        play(&mut game, "0,5>0,4");
        (game.turn().outcome().copied(), game.board.size().side())
    };
    let elimination = |result| Outcome { result, reason: "elimination" };
    let black = elimination(GameResult::Win(Side::Second));
    assert_eq!(result(EndCheck::BeforeAndAfterShrink), (Some(black), 8));
    assert_eq!(result(EndCheck::AfterShrink), (Some(elimination(GameResult::Draw)), 6));
}

#[test]
fn the_state_has_its_keys_in_order() {
    let game = WatchYourBack::start(&Arc::new(DEFAULTS));
    let json = serde_json::to_string(&game.state()).expect("plain data");
    let empty = r#""........""#;
    let middle = [empty; 6].join(",");
    assert_eq!(
        json,
        format!(
            r#"{{"phase":"placing","board":["X......X",{middle},"X......X"],"to_move":"white","placed":{{"white":0,"black":0}},"moves":0,"size":8}}"#
        )
    );
}
