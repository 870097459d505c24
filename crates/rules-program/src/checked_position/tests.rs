//! Positions in answers: accepted and refused ones.

use referee_games::Legal;
use serde_json::{from_value, json};

use super::*;
use crate::contract::{GameAnswer, LONGEST_ROW, MOST_ROWS};

fn game(hidden: bool) -> GameDescription {
    let answer = json!({
        "protocol": 1, "name": "nim", "title": "Nim", "seats": ["first", "second"],
        "hidden": hidden
    });
    let answer: GameAnswer = from_value(answer).expect("the form of an answer");
    GameDescription::new(answer).expect("a description")
}

fn checked_of(
    game: &GameDescription,
    answer: &Value,
) -> Result<(CheckedPosition, StepReport), Violation> {
    // As text, because a state is stored as written.
    let text = answer.to_string();
    CheckedPosition::new(game, serde_json::from_str(&text).expect("the form of an answer"))
}

/// A position with these fields in place of those of a plain one.
fn with(fields: Value) -> Value {
    let mut answer = json!({"state": {"heap": 7}, "turn": {"move": "first"}, "legal": ["2", "1"]});
    let Value::Object(fields) = fields else { panic!("an object") };
    answer.as_object_mut().expect("an object").extend(fields);
    answer
}

fn checked(fields: Value) -> (CheckedPosition, StepReport) {
    checked_of(&game(false), &with(fields)).expect("a position")
}

fn refused(fields: Value) -> Violation {
    checked_of(&game(false), &with(fields)).map(drop).expect_err("refused")
}

fn list(actions: &[&str]) -> Legal {
    Legal::List(actions.iter().map(|&action| action.to_owned()).collect())
}

/// A right-to-left override turns the rest of a line around; other characters cannot be seen.
/// The violation of an answer that has this field for the first seat only.
fn nothing_for_second(field: &'static str) -> Violation {
    Violation::NoValue { field, seat: "second".to_owned() }
}

#[test]
fn texts_with_invisible_characters_are_refused() {
    for hidden in ["\u{202e}", "\u{2066}", "\u{200b}", "\u{feff}", "\u{1b}[31m"] {
        let text = format!("a{hidden}b");
        assert!(matches!(refused(json!({"rows": [text]})), Violation::Rows), "{hidden:?}");
        assert!(matches!(refused(json!({"caption": text})), Violation::Rows), "{hidden:?}");
        assert!(matches!(refused(json!({"legal": [text]})), Violation::Text(_)), "{hidden:?}");
        let over = json!({"turn": {"over": "draw", "reason": text}, "legal": null});
        assert!(matches!(refused(over), Violation::Text(_)), "{hidden:?}");
    }
    // Scripts and emoji need joiners.
    checked(json!({"rows": ["\u{645}\u{200c}\u{6cc}", "\u{1f469}\u{200d}\u{1f52c}"]}));
}

#[test]
fn a_turn_has_one_of_five_forms() {
    let turn = |turn: Value| checked(json!({"turn": turn, "legal": null})).0.turn;
    let over = |places| Turn::Over(Outcome { places, reason: "empty".into() });
    assert_eq!(turn(json!({"move": "second"})), Turn::Move(Seat::SECOND));
    assert_eq!(
        turn(json!({"both": true})),
        Turn::Together([Seat::FIRST, Seat::SECOND].into_iter().collect())
    );
    assert_eq!(turn(json!({"pass": "first"})), Turn::Pass(Seat::FIRST));
    assert_eq!(turn(json!({"chance": [["6", 1]]})), Turn::Chance(Stream::Shared));
    let own = json!({"chance": [["6", 1]], "for": "second"});
    assert_eq!(turn(own), Turn::Chance(Stream::Seat(Seat::SECOND)));
    let won = json!({"over": "second", "reason": "empty"});
    assert_eq!(turn(won), over(Places::won_by(Seat::SECOND, 2)));
    assert_eq!(turn(json!({"over": "draw", "reason": "empty"})), over(Places::level(2)));
}

#[test]
fn a_turn_with_no_form_or_two_is_refused() {
    for turn in [
        json!({}),
        json!({"both": false}),
        json!({"reason": "empty"}),
        json!({"move": "first", "both": true}),
        json!({"move": "first", "pass": "first"}),
        json!({"over": "draw", "chance": [["6", 1]]}),
    ] {
        assert_eq!(refused(json!({"turn": turn})), Violation::Turn { seats: 2 }, "{turn}");
    }
    let seat = |name: &str| Violation::Seat(name.to_owned());
    assert_eq!(refused(json!({"turn": {"move": "third"}})), seat("third"));
    assert_eq!(refused(json!({"turn": {"pass": ""}})), seat(""));
    assert_eq!(refused(json!({"turn": {"over": "Draw", "reason": "x"}})), seat("Draw"));
    let stream = json!({"turn": {"chance": [["6", 1]], "for": "nobody"}});
    assert_eq!(refused(stream), seat("nobody"));
    assert_eq!(refused(json!({"turn": {"over": "draw"}})), Violation::Missing("reason"));
    assert_eq!(refused(json!({"turn": null})), Violation::Missing("turn"));
}

#[test]
fn a_seat_that_is_out_is_not_asked() {
    let out = checked(json!({"turn": {"move": "first"}, "eliminated": ["second"]})).0;
    assert_eq!(out.eliminated, Seat::SECOND.into());
    let asked = refused(json!({"turn": {"move": "first"}, "eliminated": ["first"]}));
    assert_eq!(asked, Violation::Eliminated("first".to_owned()));
    let unknown = refused(json!({"eliminated": ["third"]}));
    assert_eq!(unknown, Violation::Seat("third".to_owned()));
}

#[test]
fn the_higher_score_wins() {
    let read = |text: &str| serde_json::from_str(text).expect("JSON");
    let over = |scores: &str| {
        let turn: Value = read(&format!("{{\"over\":{{\"scores\":{scores}}}}}"));
        let (position, _) = checked(json!({"turn": turn, "legal": null}));
        let scores = position.scores.expect("scores");
        let Turn::Over(outcome) = position.turn else { panic!("{:?}", position.turn) };
        assert_eq!(outcome.reason, "scores");
        (outcome.places, format!("{} {}", scores[Seat::FIRST], scores[Seat::SECOND]))
    };
    assert_eq!(over("[3,1]"), (Places::won_by(Seat::FIRST, 2), "3 1".to_owned()));
    assert_eq!(over("[-2.5,-1e3]").0, Places::won_by(Seat::FIRST, 2));
    assert_eq!(over("[0.1,0.30000000000000004]").0, Places::won_by(Seat::SECOND, 2));
    assert_eq!(over("[-0.0,0]").0, Places::level(2));
    // As fractions, these are the same number.
    assert_eq!(over("[9007199254740993,9007199254740992]").0, Places::won_by(Seat::FIRST, 2));
    let reason = checked(json!({"turn": {"over": {"scores": [1, 1]}, "reason": "full"}})).0.turn;
    assert_eq!(reason, Turn::Over(Outcome { places: Places::level(2), reason: "full".into() }));
}

#[test]
fn scores_are_two_numbers() {
    let over = |scores: Value| refused(json!({"turn": {"over": {"scores": scores}}}));
    assert_eq!(over(json!([1])), Violation::Scores { scores: 1, seats: 2 });
    assert_eq!(over(json!([1, 2, 3])), Violation::Scores { scores: 3, seats: 2 });
    assert_eq!(over(json!([1, "2"])), Violation::Score("\"2\"".to_owned()));
    assert_eq!(over(json!([null, 1])), Violation::Score("null".to_owned()));
    for over in [
        json!({"scores": {"first": 1, "second": 2}}),
        json!({"score": [1, 2]}),
        json!([1, 2]),
        json!(1),
    ] {
        assert_eq!(refused(json!({"turn": {"over": over}})), Violation::Over, "{over}");
    }
}

#[test]
fn outcomes_are_different_and_some_can_happen() {
    let chance = |outcomes: Value| json!({"turn": {"chance": outcomes}});
    assert_eq!(
        checked(chance(json!([["5", 0], ["6", 3]]))).0.outcomes,
        [("5".to_owned(), 0), ("6".to_owned(), 3)],
        "in the program's order: a draw depends on it"
    );
    assert_eq!(refused(chance(json!([]))), Violation::Outcomes(0));
    assert_eq!(refused(chance(json!([["6", 1], ["6", 2]]))), Violation::Outcomes(2));
    assert_eq!(refused(chance(json!([["5", 0], ["6", 0]]))), Violation::Weights);
    assert_eq!(refused(chance(json!([[" 6", 1]]))), Violation::Text(" 6".to_owned()));
    let many = |count: usize| (0..count).map(|n| json!([n.to_string(), 1])).collect::<Value>();
    checked(chance(many(MOST_OUTCOMES)));
    let more = MOST_OUTCOMES + 1;
    assert_eq!(refused(chance(many(more))), Violation::Outcomes(more));
}

#[test]
fn legal_actions_are_sorted_and_belong_to_the_asked_seat() {
    let (position, _) = checked(json!({}));
    assert_eq!(position.legal_for_players(Seat::FIRST), list(&["1", "2"]));
    assert_eq!(position.legal_for_players(Seat::SECOND), list(&[]), "it is not asked");
    assert!(
        position.is_listed_action(Seat::FIRST, "2") && !position.is_listed_action(Seat::FIRST, "3")
    );
    assert!(!position.is_listed_action(Seat::SECOND, "2"));
    let both = json!({"turn": {"both": true}, "legal": {"second": ["b", "a"], "first": ["c"]}});
    let (position, _) = checked(both);
    assert_eq!(position.legal_for_players(Seat::FIRST), list(&["c"]));
    assert_eq!(position.legal_for_players(Seat::SECOND), list(&["a", "b"]));
}

#[test]
fn a_list_of_actions_that_does_not_fit_the_turn_is_refused() {
    let both = json!({"both": true});
    let unexpected = |fields| match refused(fields) {
        Violation::Unexpected { field, .. } => field,
        other => panic!("{other}"),
    };
    assert_eq!(unexpected(json!({"legal": {"first": ["1"], "second": ["1"]}})), "legal");
    assert_eq!(unexpected(json!({"turn": both, "legal": ["1"]})), "legal");
    let one = json!({"turn": both, "legal": {"first": ["1"]}});
    assert_eq!(refused(one), nothing_for_second("legal"));
    let third = json!({"turn": both, "legal": {"first": ["1"], "second": ["1"], "third": ["1"]}});
    assert_eq!(refused(third), Violation::Seat("third".to_owned()));
    assert_eq!(refused(json!({"legal": []})), Violation::NoAction("first".to_owned()));
    let empty = json!({"turn": both, "legal": {"first": ["1"], "second": []}});
    assert_eq!(refused(empty), Violation::NoAction("second".to_owned()));
    assert_eq!(refused(json!({"legal": ["1", "2", "1"]})), Violation::ListedTwice("1".to_owned()));
}

#[test]
fn the_list_does_not_matter_if_nobody_is_asked() {
    for turn in [json!({"pass": "first"}), json!({"over": "draw", "reason": "empty"})] {
        let (position, _) = checked(json!({"turn": turn, "legal": ["x", "x"]}));
        assert_eq!(position.legal_for_players(Seat::FIRST), list(&[]));
    }
}

#[test]
fn players_get_what_is_shown_instead_of_a_list() {
    let shown = json!({"first": {"hand": 3}, "second": null});
    let (position, _) = checked(json!({"legal": null, "show": shown}));
    assert_eq!(position.legal_for_players(Seat::FIRST), Legal::Shown(json!({"hand": 3})));
    assert_eq!(position.legal_for_players(Seat::SECOND), list(&[]), "it is not asked");
    let (position, _) = checked(json!({"legal": null}));
    assert_eq!(
        position.legal_for_players(Seat::FIRST),
        Legal::Shown(Value::Null),
        "the game does not list its actions"
    );
    let half = json!({"show": {"first": 1}});
    assert_eq!(refused(half), nothing_for_second("show"));
}

#[test]
fn texts_of_actions_can_stand_in_a_line() {
    let longest = "x".repeat(LONGEST_TEXT);
    for text in ["3,4", "é 象", "a{b}", &longest] {
        assert_eq!(check_position_text(text), Ok(()), "{text}");
    }
    let longer = "x".repeat(LONGEST_TEXT + 1);
    for text in ["", " a", "a ", "a\n", "a\u{1b}[31m", "{\"a\":1}", &longer] {
        assert_eq!(check_position_text(text), Err(Violation::Text(text.to_owned())), "{text:?}");
        assert_eq!(refused(json!({"legal": [text]})), Violation::Text(text.to_owned()));
    }
}

#[test]
fn a_state_is_kept_as_it_is_written_and_has_a_bound() {
    let game = game(false);
    let text = r#"{"state":{"b": 1.50,"a":[]},"turn":{"move":"first"}}"#;
    let (position, _) = CheckedPosition::new(&game, serde_json::from_str(text).expect("an answer"))
        .expect("a position");
    assert_eq!(position.state.get(), r#"{"b": 1.50,"a":[]}"#);
    assert_eq!(refused(json!({"state": "x".repeat(LONGEST_STATE - 1)})), {
        Violation::State(LONGEST_STATE + 1)
    });
    checked(json!({"state": "x".repeat(LONGEST_STATE - 2)}));
    let none = checked_of(&game, &json!({"turn": {"move": "first"}})).map(drop);
    assert_eq!(none, Err(Violation::Missing("state")));
}

#[test]
fn a_board_fits_a_screen() {
    let (position, _) = checked(json!({"rows": ["x.", ".o"], "caption": "7 left"}));
    assert_eq!((position.rows.len(), position.caption.as_str()), (2, "7 left"));
    let widest = "象".repeat(LONGEST_ROW);
    checked(json!({"rows": vec![&widest; MOST_ROWS], "caption": widest}));
    for fields in [
        json!({"rows": vec!["x"; MOST_ROWS + 1]}),
        json!({"rows": ["x".repeat(LONGEST_ROW + 1)]}),
        json!({"rows": ["a\tb"]}),
        json!({"caption": "\u{1b}[2J"}),
    ] {
        assert_eq!(refused(fields), Violation::Rows);
    }
}

#[test]
fn estimates_are_from_minus_one_to_one() {
    let (position, _) = checked(json!({"values": {"first": -1, "second": 1}}));
    assert_eq!(position.values, Some(BySeat::from([-1.0, 1.0])));
    let beyond = json!({"values": {"first": 0, "second": 1.5}});
    assert_eq!(refused(beyond), Violation::Value(1.5));
    assert_eq!(refused(json!({"values": {"first": 0}})), nothing_for_second("values"));
}

#[test]
fn events_of_a_step_are_reported() {
    let fields = json!({
        "events": [{"event": "taken", "count": 2}], "on_behalf_of": "second"
    });
    let (_, report) = checked(fields);
    assert_eq!(report.events[0].name(), "taken");
    assert_eq!((report.on_behalf_of, report.secret), (Some(Seat::SECOND), false));
    let nobody = json!({"on_behalf_of": "nobody"});
    assert_eq!(refused(nobody), Violation::Seat("nobody".to_owned()));
    for event in [json!({"count": 2}), json!({"event": "over"}), json!({"event": "action"})] {
        let refused = refused(json!({"events": [event]}));
        assert!(matches!(refused, Violation::Event(_)), "{refused}");
    }
}

#[test]
fn an_open_game_hides_nothing() {
    let field = |fields| match refused(fields) {
        Violation::Unexpected { field, .. } => field,
        other => panic!("{other}"),
    };
    assert_eq!(field(json!({"views": {"first": 1, "second": 2}})), "views");
    assert_eq!(field(json!({"secret": true})), "secret");
    assert_eq!(field(json!({"events": [{"event": "peek", "to": ["first"]}]})), "to");
    let (_, report) = checked(json!({"events": [{"event": "moved", "to": "3,4"}]}));
    assert_eq!(report.events[0].fields()["to"], "3,4", "a field as any other");
}

#[test]
fn a_hidden_game_says_what_each_seat_sees() {
    let game = game(true);
    let position = |fields| checked_of(&game, &with(fields));
    let views = json!({"first": {"coin": "heads"}, "second": {}});
    let (checked, report) = position(json!({
        "views": views, "secret": true, "events": [{"event": "peek", "to": ["first"]}]
    }))
    .expect("a position");
    let views = checked.views.expect("views");
    assert_eq!(
        (views[Seat::FIRST].get(), views[Seat::SECOND].get()),
        (r#"{"coin":"heads"}"#, "{}")
    );
    assert!(report.secret && !report.events[0].is_known_to("second"));
    let refused = |fields| position(fields).map(drop).expect_err("refused");
    assert_eq!(refused(json!({})), Violation::Missing("views"));
    let half = json!({"views": {"first": 1}});
    assert_eq!(refused(half), nothing_for_second("views"));
    let told =
        |to: Value| json!({"views": views_of_nothing(), "events": [{"event": "x", "to": to}]});
    assert_eq!(refused(told(json!("first"))), Violation::Addressees);
    assert_eq!(refused(told(json!([1]))), Violation::Addressees);
    assert_eq!(refused(told(json!(["third"]))), Violation::Seat("third".to_owned()));
}

fn views_of_nothing() -> Value {
    json!({"first": null, "second": null})
}

#[test]
fn boards_use_the_legend_of_the_game() {
    let look = json!({"legend": {"r": "first", "b": {"seat": "second", "glyph": "♚"}, "#": {"mark": "removed"}},
                      "columns": "abc", "rows": "21"});
    let mut game = game(false);
    game.board = Some(serde_json::from_value(look).expect("a look"));
    let of = |board: Value| {
        let answer =
            json!({"state": 1, "turn": {"move": "first"}, "legal": ["a1"], "board": board});
        let answer = serde_json::from_value(answer).expect("an answer");
        CheckedPosition::new(&game, answer).map(|(checked, _)| checked.board.expect("a board"))
    };
    let board = of(json!({"cells": ["r.b", ["", "rr#", "."]]})).expect("a board");
    assert_eq!((board.width(), board.columns.0.len(), &*board.rows.0[0]), (3, 3, "2"));
    for (board, expected) in [
        (json!({"cells": ["rq"]}), "'q' is not in the legend"),
        (json!({"cells": ["rr", "r"]}), "its rows differ in length: 2 and 1 squares"),
        (json!({"cells": []}), "it has 0 columns and 0 rows; each can be 1 to 64"),
        (
            json!({"cells": ["r"], "columns": [""]}),
            "the label \"\" is empty, longer than 4 characters, or not visible",
        ),
        (json!({"cells": ["rrrr"]}), "it has 4 columns, but 3 labels for them"),
        (
            json!({"cells": ["r"], "dice": [{"seat": "first", "value": 7}]}),
            "a die shows 7, expected 1 to 6",
        ),
    ] {
        let refused = of(board).expect_err(expected).to_string();
        assert_eq!(refused, format!("`board` cannot be drawn: {expected}"));
    }
    game.board = None;
    let answer =
        json!({"state": 1, "turn": {"move": "first"}, "legal": ["a"], "board": {"cells": ["r"]}});
    let answer = serde_json::from_value(answer).expect("an answer");
    let refused = CheckedPosition::new(&game, answer).expect_err("no legend").to_string();
    assert!(refused.ends_with("has no `board` with a `legend`"), "{refused}");
}

/// A game of three seats.
fn of_three() -> GameDescription {
    let answer = json!({
        "protocol": 1, "name": "race", "title": "Race", "seats": ["red", "green", "blue"]
    });
    let answer: GameAnswer = from_value(answer).expect("the form of an answer");
    GameDescription::new(answer).expect("a description")
}

fn turn_of_three(turn: &Value) -> Result<Turn, Violation> {
    let answer = json!({"state": {}, "turn": turn});
    checked_of(&of_three(), &answer).map(|(checked, _)| checked.turn)
}

#[test]
fn some_of_three_seats_choose_together() {
    let seats = [Seat::FIRST, Seat::new(2)].into_iter().collect();
    let turn = json!({"together": ["blue", "red"]});
    assert_eq!(turn_of_three(&turn), Ok(Turn::Together(seats)));
    for few in [json!(["red"]), json!(["red", "red"]), json!([])] {
        assert_eq!(turn_of_three(&json!({"together": few})), Err(Violation::Together));
    }
    for both in [json!({"both": true}), json!({"move": "red", "both": true})] {
        assert_eq!(turn_of_three(&both), Err(Violation::Turn { seats: 3 }));
    }
    let extra = json!({"turn": {"move": "first", "together": ["first", "second"]}});
    assert_eq!(refused(extra), Violation::Turn { seats: 2 });
    let of_two = json!({"turn": {"together": ["first", "second"]}, "legal": null});
    assert_eq!(refused(of_two), Violation::Turn { seats: 2 });
    let legal = |legal: Value| json!({"state": {}, "turn": turn.clone(), "legal": legal});
    let game = of_three();
    let given = checked_of(&game, &legal(json!({"red": ["b", "a"], "blue": ["c"]})));
    let listed = given.expect("those that are asked").0.legal.expect("a list");
    assert_eq!(listed.values(), [vec!["a", "b"], vec![], vec!["c"]]);
    let other = checked_of(&game, &legal(json!({"red": ["a"], "green": ["b"], "blue": ["c"]})));
    assert_eq!(other.map(drop), Err(Violation::Seat("green".to_owned())));
}

#[test]
fn a_game_of_three_ends_with_places_or_scores() {
    let over = |over: Value| turn_of_three(&json!({"over": over, "reason": "target"}));
    let places = |turn: Result<Turn, Violation>| match turn {
        Ok(Turn::Over(outcome)) => outcome.places.counted_from_one().values().to_vec(),
        other => panic!("{other:?}"),
    };
    assert_eq!(places(over(json!({"places": {"red": 2, "green": 1, "blue": 2}}))), [2, 1, 2]);
    assert_eq!(places(over(json!({"scores": [7, 9.5, 7]}))), [2, 1, 2]);
    assert_eq!(places(over(json!("draw"))), [1, 1, 1]);
    for wrong in [
        json!({"places": {"red": 0, "green": 1, "blue": 2}}),
        json!({"places": {"red": 2, "green": 2, "blue": 2}}),
        json!({"places": {"red": 1, "green": 1, "blue": 2}}),
        json!({"places": [1, 2, 3]}),
    ] {
        assert_eq!(over(wrong.clone()), Err(Violation::Places), "{wrong}");
    }
    let red = over(json!("red"));
    assert_eq!(red, Err(Violation::OverPlaces));
    let short = over(json!({"scores": [1, 2]}));
    assert_eq!(short, Err(Violation::Scores { scores: 2, seats: 3 }));
    let missing = over(json!({"places": {"red": 1, "green": 2}}));
    let seat = "blue".to_owned();
    assert_eq!(missing, Err(Violation::NoValue { field: "places", seat }));
}
