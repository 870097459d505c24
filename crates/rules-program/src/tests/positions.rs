//! Positions: requests, kept data and events.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use referee_games::{Event, Legal, Refusal, Seat, Step, StepError, Stream, Turn, perft};

use super::*;
use crate::contract::DRAWS;

/// The judgement of `text` at the first turn.
fn judged(program: &ScriptedProgram, text: &str) -> Result<String, GameError> {
    program.position().judge(Seat::FIRST, text)
}

fn random() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

#[test]
fn a_position_is_asked_for_once_and_held() {
    let program = ScriptedProgram::new(nim);
    let mut position = program.position();
    assert_eq!(program.asked(), ["game", "start"]);
    assert_eq!(position.turn(), Turn::Move(Seat::FIRST));
    assert_eq!(position.legal_list(Seat::FIRST), Some(vec!["1".to_owned(), "2".to_owned()]));
    assert_eq!((position.legal_count(Seat::FIRST), position.ply()), (2, 0));
    assert_eq!(position.state().get(), r#"{"heap":3,"mover":"first"}"#);
    assert_eq!(position.judge(Seat::FIRST, " 2 "), Ok("2".to_owned()));
    assert!(position.sample(Seat::FIRST, &mut random()).expect("no failure").is_some());
    position.play(Step::Move("2"), &mut Vec::new()).expect("legal");
    assert_eq!((position.ply(), position.turn()), (1, Turn::Move(Seat::SECOND)));
    assert_eq!(program.asked(), ["game", "start", "play"], "only a step is asked for");
}

#[test]
fn a_request_carries_the_options_the_state_and_the_step() {
    let program = ScriptedProgram::new(nim);
    let game = program.game();
    let options = Options::resolve(game.options(), [("heap", "7")]).expect("a value that fits");
    let mut position = game.start(&options).expect("a position");
    position.play(Step::Move("1"), &mut Vec::new()).expect("legal");
    assert_eq!(
        program.last(),
        json!({
            "type": "play", "id": 3, "options": {"heap": 7},
            "state": {"heap": 7, "mover": "first"}, "step": {"move": "1"}
        })
    );
}

#[test]
fn the_events_of_a_step_are_the_action_the_programs_and_the_end() {
    let program = ScriptedProgram::new(nim);
    let mut position = program.position();
    let mut events = Vec::new();
    position.play(Step::Move("2"), &mut events).expect("legal");
    position.play(Step::Move("1"), &mut events).expect("legal");
    let told: Vec<Value> =
        events.iter().map(|event| serde_json::to_value(event).expect("plain data")).collect();
    assert_eq!(
        told,
        [
            json!({"event": "action", "by": "first", "action": "2"}),
            json!({"event": "taken", "count": 2}),
            json!({"event": "action", "by": "second", "action": "1"}),
            json!({"event": "taken", "count": 1}),
            json!({"event": "over", "result": "second", "reason": "taken"}),
        ]
    );
    assert_eq!(position.legal(Seat::FIRST), Legal::List(Vec::new()));
    let more = position.play(Step::Move("1"), &mut events).expect_err("it is over");
    assert!(matches!(more, GameError::Step(StepError::NotAsked { .. })), "{more}");
    assert_eq!((events.len(), program.starts()), (5, 1));
}

#[test]
fn a_text_that_is_not_listed_is_put_to_the_program() {
    let program = ScriptedProgram::new(nim);
    assert_eq!(judged(&program, "two"), Ok("2".to_owned()), "the canonical text");
    let illegal = Refusal::Illegal { clause: "N1".into(), reason: "9 is too many".to_owned() };
    assert_eq!(judged(&program, "9"), Err(illegal.into()));
    let malformed = Refusal::Malformed("expected `1` or `2`".to_owned());
    assert_eq!(judged(&program, "hello"), Err(malformed.into()));
    assert_eq!(program.last()["seat"], "first");
    let mut events = Vec::new();
    program.position().play(Step::Move("two"), &mut events).expect("legal");
    let Event::Action { action, .. } = &events[0] else { panic!("{:?}", events[0]) };
    assert_eq!(action, "2", "it is recorded in its canonical form");
}

#[test]
fn a_text_that_cannot_be_an_action_does_not_reach_the_program() {
    let program = ScriptedProgram::new(nim);
    let position = program.position();
    for text in ["", "{\"a\":1}", "a\u{7}b", &"x".repeat(257)] {
        let refused = position.judge(Seat::FIRST, text).expect_err("refused");
        assert!(matches!(refused, GameError::Refused(Refusal::Malformed(_))), "{refused}");
    }
    let other = position.judge(Seat::SECOND, "1").expect_err("it is not its turn");
    assert!(matches!(other, GameError::Step(StepError::NotAsked { .. })), "{other}");
    assert_eq!(program.asked(), ["game", "start"]);
}

#[test]
fn a_long_reason_is_cut_and_made_safe() {
    let program = ScriptedProgram::nim_but("judge", |_| {
        Says::Fields(json!({"refused": format!("\u{1b}[2J{}", "x".repeat(1000))}))
    });
    let Err(GameError::Refused(Refusal::Illegal { clause, reason })) = judged(&program, "?") else {
        panic!("a refusal");
    };
    assert_eq!((&*clause, reason.chars().count()), ("", 512));
    assert!(reason.starts_with(r"\u{1b}[2Jxx"), "{reason}");
}

#[test]
fn a_copy_of_a_position_goes_its_own_way() {
    let program = ScriptedProgram::new(nim);
    let mut one = program.position();
    let mut other = one.clone();
    one.play(Step::Move("1"), &mut Vec::new()).expect("legal");
    other.play(Step::Move("2"), &mut Vec::new()).expect("legal");
    assert_eq!(one.legal_list(Seat::SECOND), Some(vec!["1".to_owned(), "2".to_owned()]));
    assert_eq!(other.legal_list(Seat::SECOND), Some(vec!["1".to_owned()]));
    assert_eq!(program.starts(), 1, "both use the same process");
}

#[test]
fn another_core_has_a_process_of_its_own() {
    let program = ScriptedProgram::new(nim);
    let game = program.game();
    let other = game.for_another_core().expect("a program cannot be shared");
    assert!(other.is_same_as(&game));
    assert_eq!(program.starts(), 1, "it starts with its first request");
    let options = Options::resolve(other.options(), []).expect("the defaults");
    other.start(&options).expect("a position");
    assert_eq!(program.starts(), 2);
}

#[test]
fn the_identity_of_a_game_is_its_description_without_the_id() {
    let game = ScriptedProgram::new(nim).game();
    let text = &game.program().expect("a program").command[0];
    let answer: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!((answer.get("id"), &answer["name"]), (None, &json!("nim")));
    assert!(!text.contains(": "), "compact: {text}");
}

/// A game in which the first seat has a hidden coin, tossed at the start.
fn coin(request: &Value) -> Says {
    let position = |state: &Value, turn: Value| {
        json!({
            "state": state, "turn": turn, "legal": ["1", "2"],
            "views": {"first": state, "second": {"coin": null}}
        })
    };
    Says::Fields(match request["type"].as_str() {
        Some("game") => json!({
            "protocol": 1, "name": "coin", "title": "Coin", "seats": ["first", "second"],
            "hidden": true
        }),
        Some("start") => {
            let chance = json!({"chance": [["heads", 1], ["tails", 1]], "for": "first"});
            let mut answer = position(&json!({"coin": null}), chance);
            answer["max_plies"] = json!(3);
            answer
        }
        Some("play") => {
            let mut answer =
                position(&json!({"coin": request["step"]["chance"]}), json!({"move": "first"}));
            answer["events"] = json!([{"event": "coin", "to": ["first"]}]);
            answer
        }
        Some("guess") if request["seat"] == "first" => {
            position(&json!({"coin": "tails"}), json!({"move": "first"}))
        }
        Some("guess") => json!({}),
        _ => return Says::Ends,
    })
}

#[test]
fn chance_has_the_outcomes_of_the_program_and_no_others() {
    let program = ScriptedProgram::new(coin);
    let mut position = program.position();
    assert_eq!(position.turn(), Turn::Chance(Stream::Seat(Seat::FIRST)));
    assert_eq!(position.outcomes(), [("heads".to_owned(), 1), ("tails".to_owned(), 1)]);
    let mut events = Vec::new();
    let edge = position.play(Step::Chance("edge"), &mut events).expect_err("no such outcome");
    assert!(matches!(edge, GameError::Step(StepError::NoOutcome { .. })), "{edge}");
    assert!(position.play(Step::Move("1"), &mut events).is_err(), "nobody is asked");
    assert_eq!(program.asked(), ["game", "start"]);
    position.play(Step::Chance("heads"), &mut events).expect("an outcome");
    assert_eq!((position.ply(), events.len()), (0, 1), "a chance event is not a ply");
}

#[test]
fn each_seat_sees_its_own_view_of_a_hidden_game() {
    let program = ScriptedProgram::new(coin);
    let mut position = program.position();
    let mut events = Vec::new();
    position.play(Step::Chance("heads"), &mut events).expect("an outcome");
    assert!(program.game().is_hidden());
    assert_eq!(position.view(Seat::FIRST).get(), r#"{"coin":"heads"}"#);
    assert_eq!(position.view(Seat::SECOND).get(), r#"{"coin":null}"#);
    assert_eq!(position.state().get(), r#"{"coin":"heads"}"#, "the referee sees all");
    assert!(events[0].is_known_to("first") && !events[0].is_known_to("second"));
}

#[test]
fn a_guess_is_the_programs_and_its_draw_is_bounded() {
    let program = ScriptedProgram::new(coin);
    let position = program.position();
    let guess = position.guess(Seat::FIRST, DRAWS + 5).expect("no failure").expect("a guess");
    assert_eq!(guess.state().get(), r#"{"coin":"tails"}"#);
    assert_eq!((&program.last()["draw"], guess.ply()), (&json!(5), 0));
    assert!(position.guess(Seat::SECOND, 0).expect("no failure").is_none(), "it makes none");

    let program = ScriptedProgram::new(nim);
    let open = program.position();
    let guess = open.guess(Seat::SECOND, 5).expect("no failure").expect("itself");
    assert_eq!(guess.state().get(), open.state().get());
    assert_eq!(program.asked(), ["game", "start"], "nothing is hidden");
}

#[test]
fn a_random_action_that_is_not_listed_is_the_programs() {
    let program = ScriptedProgram::new(|request| match (request["type"].as_str(), nim(request)) {
        (Some("start"), Says::Fields(mut fields)) => {
            fields["legal"] = Value::Null;
            Says::Fields(fields)
        }
        (Some("sample"), _) => Says::Fields(json!({"action": "2"})),
        (_, says) => says,
    });
    let position = program.position();
    assert_eq!((position.legal_list(Seat::FIRST), position.legal_count(Seat::FIRST)), (None, 0));
    assert_eq!(position.legal(Seat::FIRST), Legal::Shown(Value::Null));
    let action = position.sample(Seat::FIRST, &mut random()).expect("no failure");
    assert_eq!(action.as_deref(), Some("2"));
    let request = program.last();
    assert!(request["draw"].as_u64().is_some_and(|draw| draw < DRAWS), "{request}");
    let other = position.sample(Seat::SECOND, &mut random()).expect("no failure");
    assert_eq!(other, None, "it is not its turn");
    assert!(perft(&*position, 1).is_err(), "what is not listed cannot be counted");
}

#[test]
fn both_seats_move_at_once() {
    let program = ScriptedProgram::new(|request| {
        let both = json!({
            "state": 0, "turn": {"both": true},
            "legal": {"first": ["a", "b"], "second": ["c"]}, "max_plies": 1
        });
        match request["type"].as_str() {
            Some("start") => Says::Fields(both),
            Some("play") => Says::Fields(json!({
                "state": 1, "turn": {"over": "draw", "reason": "enough"}
            })),
            _ => nim(request),
        }
    });
    let mut position = program.position();
    let mut events = Vec::new();
    position.play(Step::Together(vec!["b", "c"]), &mut events).expect("legal");
    assert_eq!(program.last()["step"], json!({"both": ["b", "c"]}));
    let by: Vec<Option<&str>> = events
        .iter()
        .map(|event| match event {
            Event::Action { by, .. } => Some(&**by),
            _ => None,
        })
        .collect();
    assert_eq!(by, [Some("first"), Some("second"), None], "in seat order, then the end");
    assert_eq!(position.ply(), 1, "a turn of both is one ply");
}
