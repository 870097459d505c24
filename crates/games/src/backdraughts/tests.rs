use super::*;
use crate::{TypedPosition, perft};

const EMPTY: &str = "........";

/// The rules with these options and the defaults of the others, or the error.
fn try_rules(given: &[(&'static str, &'static str)]) -> Result<Rules, OptionError> {
    let options = Options::resolve(&Backdraughts::sheet().options, given.iter().copied());
    Backdraughts::rules(&options.expect("values that fit"))
}

fn rules(given: &[(&'static str, &'static str)]) -> Arc<Rules> {
    Arc::new(try_rules(given).expect("rules that make sense"))
}

/// A game where the turn of `seat` begins.
fn at(rows: [&str; 8], seat: Side, rules: &Arc<Rules>) -> Backdraughts {
    Backdraughts::from_board(rules, Board::from_rows(&rows).expect("a board"), seat)
}

/// A game at whose start White is about to begin.
fn white_at(rows: [&str; 8], given: &[(&'static str, &'static str)]) -> Backdraughts {
    at(rows, Side::First, &rules(given))
}

fn events_of(game: &mut Backdraughts, step: Step<Action, Chance>) -> String {
    let mut events = Vec::new();
    game.play_unchecked(step, &mut events);
    let json = |event| serde_json::to_string(event).expect("plain data");
    events.iter().map(json).collect::<Vec<_>>().join(" ")
}

/// Plays `roll 4` or an action of the seat on turn; returns the events as JSON.
fn play(game: &mut Backdraughts, text: &str) -> String {
    let step = match game.turn() {
        Turn::Chance(_) => {
            let drawn =
                game.outcomes().into_iter().find(|(outcome, _)| outcome.to_string() == text);
            Step::Chance(drawn.expect("an outcome").0)
        }
        Turn::Move(seat) | Turn::Pass(seat) => {
            Step::Move(game.parse_action(seat, text).expect("a legal action"))
        }
        turn => panic!("{turn:?}"),
    };
    events_of(game, step)
}

fn play_all(game: &mut Backdraughts, texts: &[&str]) {
    for text in texts {
        play(game, text);
    }
}

/// The texts of the legal actions of the seat on turn.
fn legal(game: &Backdraughts) -> Vec<String> {
    let Turn::Move(seat) = game.turn() else { panic!("{:?}", game.turn()) };
    let texts: Vec<_> = game.legal_actions(seat).iter().map(ToString::to_string).collect();
    assert_eq!(game.legal_count(seat), texts.len() as u64);
    texts
}

fn refusal(game: &Backdraughts, seat: Side, text: &str) -> String {
    game.parse_action(seat, text).expect_err("a refusal").to_string()
}

fn over(game: &Backdraughts) -> (GameResult, &'static str) {
    let Turn::Over(outcome) = game.turn() else { panic!("{:?}", game.turn()) };
    (outcome.result, outcome.reason)
}

/// The worked example of the source: White rolls 4, Black 5, White 6, Black 6.
const EXAMPLE: [&str; 8] = [EMPTY, EMPTY, EMPTY, "..W....B", "W.....B.", ".W......", EMPTY, EMPTY];

#[test]
fn the_worked_example_is_played_as_the_source_says() {
    let mut game = white_at(EXAMPLE, &[]);
    play_all(&mut game, &["roll 4", "2,3>6,3", "roll 5", "6,4>1,4", "roll 6"]);
    let events = r#"{"event":"action","by":"white","action":"capture 6,3"} {"event":"captured","squares":["7,3"]}"#;
    assert_eq!(play(&mut game, "capture 6,3"), events);
    play(&mut game, "roll 6");
    assert_eq!(
        play(&mut game, "capture 1,4"),
        r#"{"event":"action","by":"black","action":"capture 1,4"} {"event":"captured","squares":["0,4","1,5"]}"#
    );
    assert_eq!(game.board.rows()[3..6], ["......W.", ".B......", EMPTY]);
}

#[test]
fn white_has_eight_ways_to_play_a_three_at_the_start() {
    let mut game = Backdraughts::start(&rules(&[]));
    assert_eq!(game.turn(), Turn::Chance(Stream::Seat(Side::First)));
    assert_eq!(game.outcomes().len(), 6);
    assert_eq!(game.legal_count(Side::First), 0);
    assert_eq!(play(&mut game, "roll 3"), r#"{"event":"roll","seat":"white","value":3}"#);
    assert_eq!(legal(&game).len(), 8);
    assert_eq!(game.legal_count(Side::Second), 0);
}

#[test]
fn the_counts_from_the_start() {
    let count = |given, depth| {
        perft(&TypedPosition::new(Backdraughts::start(&rules(given))), depth).expect("listed")
    };
    assert_eq!([count(&[], 1), count(&[], 2)], [36, 1246]);
    assert_eq!(count(&[("turning", "on")], 1), 143);
    // Each beginning seat counts once; the board looks the same from both sides.
    assert_eq!(count(&[("first", "black")], 2), 1246);
    assert_eq!(count(&[("first", "roll")], 2), 2 * 1246);
    assert_eq!(count(&[("move", "no-dice")], 1), 16);
}

#[test]
fn every_refusal_cites_its_clause() {
    let mut game = Backdraughts::start(&rules(&[]));
    let white = Side::First;
    assert_eq!(refusal(&game, white, "1,3>4,3"), "B1: 1,3>4,3 comes before the roll");
    play(&mut game, "roll 3");
    for (text, expected) in [
        ("1,3>1,2", "B3: 1,3>1,2 moves 1, but must move 3"),
        ("1,3>2,2", "B3: 1,3>2,2 does not go straight along a row or a column"),
        ("1,3>1,3", "B3: 1,3>1,3 does not move the pawn"),
        ("1,3>1,6", "B3: 1,3>1,6 ends on an occupied square"),
        ("1,5>4,5", "B3: 1,5>4,5 runs into the pawn on 2,5"),
        ("8,3>7,3", "B3: 8,3>7,3 starts off the board"),
        ("1,3>1,8", "B3: 1,3>1,8 ends off the board"),
        ("0,0>3,0", "B3: 0,0>3,0 starts where no white pawn stands"),
        ("3,1>0,1", "B3: 3,1>0,1 starts where no white pawn stands"),
        ("capture 1,3", "B10: capture 1,3 needs a roll of 6"),
        ("capture 9,9", "B6: capture 9,9 is off the board"),
        ("capture 3,1", "B6: capture 3,1 names no white pawn"),
        ("pass", "B7: pass is not allowed while there is a legal action"),
        ("decline", "B8: decline is only allowed after an overlooked action"),
    ] {
        assert_eq!(refusal(&game, white, text), expected);
    }
    assert_eq!(
        refusal(&game, white, "1,3"),
        "syntax: expected a move like `2,3>6,3`, a capture like `capture 6,3`, `pass` or `decline`"
    );
    let other = refusal(&game, Side::Second, "3,1>0,1");
    assert_eq!(other, "B1: 3,1>0,1 comes out of turn");
}

#[test]
fn a_six_allows_a_move_or_a_capture() {
    let rows = [EMPTY, ".W......", EMPTY, EMPTY, ".WB.....", EMPTY, EMPTY, EMPTY];
    let mut game = white_at(rows, &[]);
    play(&mut game, "roll 6");
    assert_eq!(legal(&game), ["1,1>7,1", "capture 1,4"]);
    let none = "B6: capture 1,1 names a pawn without an enemy beside it";
    assert_eq!(refusal(&game, Side::First, "capture 1,1"), none);
}

#[test]
fn a_capture_that_is_the_only_action_must_be_made() {
    let rows = [EMPTY, EMPTY, EMPTY, EMPTY, "..WB....", EMPTY, EMPTY, EMPTY];
    let mut game = white_at(rows, &[]);
    play(&mut game, "roll 6");
    assert_eq!(legal(&game), ["capture 2,4"]);
    assert_eq!(
        refusal(&game, Side::First, "pass"),
        "B7: pass is not allowed while there is a legal action"
    );
    let events = play(&mut game, "capture 2,4");
    assert!(events.ends_with(r#"{"event":"over","result":"white","reason":"elimination"}"#));
    assert_eq!(over(&game), (GameResult::Win(Side::First), "elimination"));
    let late = refusal(&game, Side::Second, "pass");
    assert_eq!(late, "B4: pass comes after the end");
}

#[test]
fn a_seat_without_an_action_must_pass() {
    let rows = [EMPTY, EMPTY, EMPTY, EMPTY, "..W.....", EMPTY, EMPTY, "......B."];
    let mut game = white_at(rows, &[]);
    play(&mut game, "roll 6");
    assert_eq!(game.turn(), Turn::Pass(Side::First));
    assert_eq!(game.legal_actions(Side::First), []);
    let events = r#"{"event":"action","by":"white","action":"pass","forced":true}"#;
    assert_eq!(play(&mut game, "pass"), events);
    assert_eq!((game.ply(), game.phase()), (1, BackdraughtsPhase::Roll(Side::Second)));
}

#[test]
fn only_a_move_that_ends_on_the_goal_wins() {
    let rows = [EMPTY, EMPTY, EMPTY, ".......W", EMPTY, EMPTY, "B.......", EMPTY];
    let mut game = white_at(rows, &[]);
    play(&mut game, "roll 3");
    let events = play(&mut game, "7,3>7,0");
    assert!(events.ends_with(r#"{"event":"over","result":"white","reason":"goal"}"#));
    assert_eq!(over(&game), (GameResult::Win(Side::First), "goal"));
    // With turning the pawn goes round the corner (B11).
    let mut game = white_at(rows, &[("turning", "on")]);
    play_all(&mut game, &["roll 4", "7,3>6,0"]);
    assert_eq!(game.phase(), BackdraughtsPhase::Roll(Side::Second));
    // The enemy's goal is a square like any other (B3).
    let mut game = at(rows, Side::Second, &rules(&[]));
    play_all(&mut game, &["roll 1", "0,6>0,7"]);
    assert_eq!(over(&game), (GameResult::Win(Side::Second), "goal"));
}

#[test]
fn the_option_first_decides_who_begins() {
    let first = |word| Backdraughts::start(&rules(&[("first", word)]));
    assert_eq!(first("white").phase(), BackdraughtsPhase::Roll(Side::First));
    assert_eq!(first("black").phase(), BackdraughtsPhase::Roll(Side::Second));
    let mut game = first("roll");
    assert_eq!(game.turn(), Turn::Chance(Stream::Shared));
    assert_eq!(game.outcomes().len(), 36);
    assert_eq!(
        refusal(&game, Side::First, "pass"),
        "B2: pass comes before the rolls that decide who begins"
    );
    assert_eq!(
        serde_json::to_value(game.state()).expect("plain")["to_move"],
        serde_json::Value::Null
    );
    assert_eq!(play(&mut game, "roll 4 4"), r#"{"event":"first","rolls":[4,4]}"#);
    assert_eq!(game.phase(), BackdraughtsPhase::First);
    play(&mut game, "roll 2 5");
    assert_eq!((game.phase(), game.ply()), (BackdraughtsPhase::Roll(Side::Second), 0));
    let mut game = Backdraughts::start(&rules(&[("first", "roll"), ("move", "no-dice")]));
    play(&mut game, "roll 6 1");
    assert_eq!(game.phase(), BackdraughtsPhase::Act { seat: Side::First, number: 1 });
}

/// White can play a 3 in only one way, and wins by it.
const WINNING: [&str; 8] = ["....W...", ".......B", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "...B...."];

#[test]
fn an_overlooked_action_may_be_played_by_the_opponent() {
    let mut game = white_at(WINNING, &[("overlooked", "opponent")]);
    play(&mut game, "roll 3");
    assert_eq!(legal(&game), ["4,0>1,0", "4,0>4,3", "4,0>7,0", "pass"]);
    assert_eq!(play(&mut game, "pass"), r#"{"event":"action","by":"white","action":"pass"}"#);
    assert_eq!(game.turn(), Turn::Move(Side::Second));
    assert_eq!(legal(&game), ["4,0>1,0", "4,0>4,3", "4,0>7,0", "decline"]);
    let state = serde_json::to_string(&game.state()).expect("plain data");
    assert!(state.ends_with(
        r#""to_move":"black","roll":3,"lost":{"white":9,"black":8},"overlooked_by":"white"}"#
    ));
    for (text, expected) in [
        (
            "pass",
            "B8: pass is not a valid answer; play one of the overlooked actions, or `decline`",
        ),
        ("7,1>4,1", "B3: 7,1>4,1 starts where no white pawn stands"),
    ] {
        assert_eq!(refusal(&game, Side::Second, text), expected);
    }
    let early = refusal(&game, Side::First, "4,0>7,0");
    assert_eq!(early, "B8: 4,0>7,0 comes while the other side has to answer");
    // If the moved pawn wins, its owner wins.
    let mut won = game.clone();
    assert_eq!(
        play(&mut won, "4,0>7,0"),
        r#"{"event":"action","by":"black","action":"4,0>7,0","for":"white"} {"event":"over","result":"white","reason":"goal"}"#
    );
    assert_eq!(play(&mut game, "decline"), r#"{"event":"action","by":"black","action":"decline"}"#);
    assert_eq!((game.phase(), game.ply()), (BackdraughtsPhase::Roll(Side::Second), 2));
}

#[test]
fn an_overlooked_capture_is_made_for_the_passer() {
    let rows = [EMPTY, EMPTY, EMPTY, EMPTY, "..WB...B", EMPTY, EMPTY, EMPTY];
    let mut game = white_at(rows, &[("overlooked", "opponent")]);
    play(&mut game, "roll 6");
    assert_eq!(legal(&game), ["capture 2,4", "pass"]);
    play(&mut game, "pass");
    let events = play(&mut game, "capture 2,4");
    assert_eq!(
        events,
        r#"{"event":"action","by":"black","action":"capture 2,4","for":"white"} {"event":"captured","squares":["3,4"]}"#
    );
    assert_eq!(game.phase(), BackdraughtsPhase::Roll(Side::Second));
}

#[test]
fn a_forced_pass_is_not_asked() {
    let rows = [EMPTY, EMPTY, EMPTY, EMPTY, "..W.....", EMPTY, EMPTY, "......B."];
    let mut game = white_at(rows, &[("overlooked", "opponent")]);
    play(&mut game, "roll 6");
    assert_eq!(game.turn(), Turn::Pass(Side::First));
    play(&mut game, "pass");
    assert_eq!(game.phase(), BackdraughtsPhase::Roll(Side::Second));
}

#[test]
fn without_dice_pawns_go_farther_the_more_are_lost() {
    let lost = |pawns: usize| {
        let row = &format!("{:.<8}", "B".repeat(pawns))[..8];
        let more = &format!("{:.<8}", "B".repeat(pawns.saturating_sub(8)))[..8];
        let rows = ["..W.....", EMPTY, row, more, EMPTY, EMPTY, EMPTY, EMPTY];
        Board::from_rows(&rows).expect("a board").distance_without_dice(Side::Second)
    };
    let numbers: Vec<_> = (1..=10).rev().map(lost).collect();
    assert_eq!(numbers, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    let game = Backdraughts::start(&rules(&[("move", "no-dice")]));
    assert_eq!(
        serde_json::to_string(&game.state()).expect("plain data"),
        r#"{"board":["........","...BBBB.","....BBB.",".W...BB.",".WW...B.",".WWW....",".WWWW...","........"],"to_move":"white","distance":1,"lost":{"white":0,"black":0}}"#
    );
    let far = "B9: 1,3>3,3 moves 2, but must move 1";
    assert_eq!(refusal(&game, Side::First, "1,3>3,3"), far);
}

#[test]
fn the_ring_option_controls_captures() {
    let inner = [EMPTY, EMPTY, EMPTY, EMPTY, "..WB....", EMPTY, EMPTY, EMPTY];
    let outer = ["W.......", EMPTY, EMPTY, EMPTY, "..WB....", EMPTY, EMPTY, EMPTY];
    let allowed = |rows, capture, roll: &str| {
        let mut game = white_at(rows, &[("capture", capture)]);
        play(&mut game, roll);
        legal(&game).contains(&"capture 2,4".to_owned())
    };
    let table = [
        ("six", [false, true, false, true]),
        ("ring", [true, true, false, false]),
        ("six-or-ring", [true, true, false, true]),
    ];
    for (capture, expected) in table {
        let cases = [(inner, "roll 1"), (inner, "roll 6"), (outer, "roll 1"), (outer, "roll 6")];
        assert_eq!(cases.map(|(rows, roll)| allowed(rows, capture, roll)), expected, "{capture}");
    }
    let mut game = white_at(outer, &[("capture", "ring")]);
    play(&mut game, "roll 1");
    assert_eq!(
        refusal(&game, Side::First, "capture 2,4"),
        "B10: capture 2,4 is only for a side without pawns on the outer ring"
    );
}

/// The squares where the pawn on `from` can go with this roll, with turning.
fn turns(rows: [&str; 8], from: &str, roll: &str) -> Vec<String> {
    let mut game = white_at(rows, &[("turning", "on")]);
    play(&mut game, roll);
    let to = |text: String| text.strip_prefix(&format!("{from}>")).map(str::to_owned);
    legal(&game).into_iter().filter_map(to).collect()
}

#[test]
fn pawns_turn_only_when_blocked() {
    let rows = ["W.......", "B.......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "......BB"];
    // Downwards the first square is taken: the only heading is to the right.
    assert_eq!(turns(rows, "0,0", "roll 6"), ["6,0"]);
    let rows = ["....W...", "....B...", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "......B."];
    assert_eq!(turns(rows, "4,0", "roll 3"), ["1,0", "7,0"]);
    assert_eq!(turns(rows, "4,0", "roll 5"), ["0,1", "7,2"]);
}

#[test]
fn a_stuck_pawn_stops_and_has_moved() {
    let rows = ["W.B.....", "BB......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "......B."];
    assert_eq!(turns(rows, "0,0", "roll 1"), ["1,0"]);
    assert_eq!(turns(rows, "0,0", "roll 6"), ["1,0"]);
    // A pawn shut in from the start cannot move, and passing by choice is not allowed.
    let rows = ["WB......", "B.......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "......B."];
    let mut game = white_at(rows, &[("turning", "on")]);
    play(&mut game, "roll 2");
    assert_eq!(game.turn(), Turn::Pass(Side::First));
}

#[test]
fn a_turning_move_may_end_where_it_began() {
    // A walled-in cycle of four squares in the corner.
    let rows = ["W.B.....", "..B.....", "BB......", EMPTY, EMPTY, EMPTY, EMPTY, "......B."];
    assert_eq!(turns(rows, "0,0", "roll 4"), ["0,0"]);
    assert_eq!(turns(rows, "0,0", "roll 5"), ["0,1", "1,0"]);
    let mut game = white_at(rows, &[("turning", "on")]);
    play(&mut game, "roll 4");
    assert_eq!(
        refusal(&game, Side::First, "0,0>1,0"),
        "B11: 0,0>1,0 is not a move that this pawn can make with a 4"
    );
    play(&mut game, "0,0>0,0");
    assert_eq!((game.ply(), game.board.rows()[0].as_str()), (1, "W.B....."));
}

#[test]
fn third_occurrences_are_draws_without_dice() {
    // Nine pawns are lost, so pawns go five squares.
    let rows = [EMPTY, "W.......", EMPTY, EMPTY, EMPTY, EMPTY, ".......B", EMPTY];
    let mut game = white_at(rows, &[("move", "no-dice")]);
    let round = ["0,1>5,1", "7,6>2,6", "5,1>0,1", "2,6>7,6"];
    play_all(&mut game, &round);
    play_all(&mut game, &round[..3]);
    let events = play(&mut game, round[3]);
    assert!(events.ends_with(r#"{"event":"over","result":"draw","reason":"repetition"}"#));
    assert_eq!(game.ply(), 8);
    assert_eq!(refusal(&game, Side::First, "pass"), "B12: pass comes after the end");
    let mut game = white_at(rows, &[("move", "no-dice"), ("repetition", "1")]);
    play(&mut game, round[0]);
    assert_eq!(over(&game), (GameResult::Draw, "repetition"));
    let mut game = white_at(rows, &[("move", "no-dice"), ("repetition", "0"), ("max-plies", "9")]);
    play_all(&mut game, &round);
    play_all(&mut game, &round);
    play(&mut game, round[0]);
    assert_eq!(over(&game), (GameResult::Draw, "max-plies"));
}

#[test]
fn the_last_ply_may_still_win_and_repetition_comes_first() {
    let mut game = white_at(WINNING, &[("max-plies", "1")]);
    play_all(&mut game, &["roll 3", "4,0>7,0"]);
    assert_eq!(over(&game), (GameResult::Win(Side::First), "goal"));
    let mut game = white_at(WINNING, &[("max-plies", "1")]);
    play_all(&mut game, &["roll 3", "4,0>4,3"]);
    assert_eq!(over(&game), (GameResult::Draw, "max-plies"));
    let both = [("move", "no-dice"), ("repetition", "1"), ("max-plies", "1")];
    let mut game = Backdraughts::start(&rules(&both));
    play(&mut game, "1,3>1,2");
    assert_eq!(over(&game), (GameResult::Draw, "repetition"));
}

#[test]
fn defaults_depend_on_the_dice() {
    let shown = |given: &[(&'static str, &'static str)]| {
        let options = Options::resolve(&Backdraughts::sheet().options, given.iter().copied());
        serde_json::to_string(&options.expect("values that fit")).expect("plain data")
    };
    assert_eq!(
        shown(&[]),
        r#"{"first":"white","overlooked":"reject","move":"dice","capture":"six","turning":"off","max-plies":500}"#
    );
    assert_eq!(
        shown(&[("move", "no-dice")]),
        r#"{"first":"white","overlooked":"reject","move":"no-dice","capture":"ring","turning":"off","max-plies":300,"repetition":3}"#
    );
}

#[test]
fn contradictory_options_are_refused() {
    for word in ["six", "six-or-ring"] {
        let sentence = try_rules(&[("move", "no-dice"), ("capture", word)]).expect_err("refused");
        assert_eq!(
            sentence.to_string(),
            format!(
                "`capture={word}` has no effect without dice, because nobody rolls a 6 (B10); \
                 remove it or set `capture=ring`"
            )
        );
    }
    for number in ["0", "3"] {
        assert_eq!(
            try_rules(&[("repetition", number)]).expect_err("refused").to_string(),
            "`repetition` has no effect with dice (B12); remove it or set `move=no-dice`"
        );
    }
    assert!(try_rules(&[("move", "no-dice"), ("capture", "ring"), ("repetition", "0")]).is_ok());
    assert!(Options::resolve(&Backdraughts::sheet().options, [("max-plies", "0")]).is_err());
}
