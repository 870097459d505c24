//! Requests as lines, and the answers to them.

use rand::Rng;
use rand::seq::IndexedRandom;
use referee_games::{GameKind, Turn};
use serde_json::json;

use super::*;

/// The answers to these requests, until one cannot be answered.
fn served(requests: &[Value]) -> (Vec<Value>, Result<(), ServeError>) {
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    let mut output = Vec::new();
    let end = serve_rules(GameKind::WatchYourBack.game(), lines.join("\n").as_bytes(), &mut output);
    let text = String::from_utf8(output).expect("UTF-8");
    (text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect(), end)
}

/// The answers to requests that can all be answered.
fn answers(requests: &[Value]) -> Vec<Value> {
    let (answers, end) = served(requests);
    end.expect("requests");
    answers
}

fn refused(request: Value) -> String {
    served(&[request]).1.expect_err("refused").to_string()
}

fn start() -> Value {
    json!({"type": "start", "id": 1, "options": {}})
}

fn play(state: &Value, action: &str) -> Value {
    json!({"type": "play", "id": 2, "options": {}, "state": state, "step": {"move": action}})
}

fn judge(state: &Value, seat: &str, text: &str) -> Value {
    json!({
        "type": "judge", "id": 3, "options": {}, "state": state, "seat": seat, "text": text
    })
}

#[test]
fn a_game_describes_itself() {
    let game = GameKind::WatchYourBack.game();
    let answer = &answers(&[json!({"type": "game", "id": 7, "protocol": [1]})])[0];
    assert_eq!((&answer["id"], &answer["protocol"]), (&json!(7), &json!(1)));
    assert_eq!((&answer["name"], &answer["title"]), (&json!(game.name()), &json!(game.title())));
    assert_eq!(answer["seats"], json!(["white", "black"]));
    let length = |field: &str| answer[field].as_array().map(Vec::len);
    assert_eq!(length("options"), Some(game.options().len()));
    assert_eq!(length("clauses"), Some(game.clauses().len()));
    let option = |name: &str| {
        let options = answer["options"].as_array().expect("a list");
        options.iter().find(|option| option["name"] == name).expect("an option").clone()
    };
    let most = option("max-moves");
    assert_eq!((&most["type"], most["default"].is_u64()), (&json!("integer"), true));
    let check = option("end-check");
    assert_eq!(check["type"], "choice");
    assert!(check["values"].as_object().is_some_and(|words| words.len() > 1), "{check}");
}

#[test]
fn a_position_is_found_again_from_its_state_alone() {
    let first = answers(&[start()])[0]["state"].clone();
    let second = answers(&[start(), play(&first, "3,3")])[1]["state"].clone();
    let third = play(&second, "4,4");
    let fresh = answers(std::slice::from_ref(&third));
    let kept = answers(&[start(), play(&first, "3,3"), third]);
    assert_eq!(fresh[0], kept[2], "a server that played the game knows no more");
    assert_eq!(fresh[0]["state"]["placed"], json!({"white": 1, "black": 1}));
    assert_eq!(fresh[0]["events"], Value::Null, "the referee makes the event of the action");
}

#[test]
fn a_text_is_judged_as_the_game_judges_it() {
    let state = &answers(&[start()])[0]["state"];
    let judged = |text| answers(&[judge(state, "white", text)]).remove(0);
    assert_eq!(judged(" 3,3 "), json!({"id": 3, "action": "3,3"}));
    let corner = judged("0,0");
    assert!(corner["clause"].is_string() && corner["refused"].is_string(), "{corner}");
    assert_eq!(corner["malformed"], Value::Null);
    let nonsense = judged("hello");
    assert_eq!((&nonsense["malformed"], &nonsense["clause"]), (&json!(true), &Value::Null));
}

#[test]
fn a_random_action_depends_on_the_draw_alone() {
    let state = &answers(&[start()])[0]["state"];
    let sample = |draw: u64| {
        json!({
            "type": "sample", "id": 4, "options": {}, "state": state, "seat": "white", "draw": draw
        })
    };
    let drawn = answers(&[sample(1), sample(2), sample(3), sample(1)]);
    assert_eq!(drawn[0], drawn[3]);
    assert!(drawn[1] != drawn[0] || drawn[2] != drawn[0], "{drawn:?}");
    let action = drawn[0]["action"].as_str().expect("an action");
    assert_eq!(answers(&[judge(state, "white", action)])[0]["action"], action);
}

#[test]
fn options_that_the_game_refuses_are_an_answer() {
    for options in [json!({"max-moves": -1}), json!({"max-mows": 1}), json!({"end-check": "x"})] {
        let request = json!({"type": "start", "id": 1, "options": options});
        let answers = answers(&[request, start()]);
        assert!(answers[0]["error"].is_string(), "{}", answers[0]);
        assert!(answers[1]["state"].is_object(), "the next request is answered");
    }
}

#[test]
fn quit_ends_it_without_an_answer() {
    let after = json!({"type": "game", "id": 2});
    let answers = answers(&[start(), json!({"type": "quit"}), after]);
    assert_eq!(answers.len(), 1);
}

#[test]
fn a_request_that_breaks_the_contract_ends_it() {
    let state = &answers(&[start()])[0]["state"];
    let lacks =
        |field: &str| format!("`{field}` is missing from a request, or is invalid for this game");
    assert_eq!(refused(json!({"type": "start"})), lacks("options"));
    assert_eq!(refused(json!({"type": "play", "options": {}})), lacks("state"));
    let without_step = json!({"type": "play", "options": {}, "state": state});
    assert_eq!(refused(without_step), lacks("step"));
    assert_eq!(refused(judge(state, "red", "3,3")), lacks("seat"));
    let without_text = json!({"type": "judge", "options": {}, "state": state, "seat": "white"});
    assert_eq!(refused(without_text), lacks("text"));
    let without_draw = json!({"type": "sample", "options": {}, "state": state, "seat": "white"});
    assert_eq!(refused(without_draw), lacks("draw"));
    assert_eq!(refused(json!({"type": "guess"})), lacks("type"));
    assert_eq!(refused(judge(&json!({"snapshot": 3}), "white", "3,3")), lacks("snapshot"));
    for request in [json!([]), json!({"type": "weather"}), json!({"id": 1})] {
        let said = refused(request);
        assert!(said.starts_with("a request violates the protocol: "), "{said}");
    }
    let said = refused(play(state, "0,0"));
    assert!(said.starts_with("a request is refused: "), "{said}");
}

#[test]
fn answers_before_an_invalid_request_are_sent() {
    let (answers, end) = served(&[start(), json!({"type": "play"})]);
    assert_eq!(answers.len(), 1);
    assert!(end.is_err());
}

/// Puts `value` in the place of one of the values in `inside`.
fn replace_one(inside: &mut Value, value: Value, random: &mut ChaCha8Rng) {
    let deeper = random.random_ratio(9, 10);
    match inside {
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = random.random_range(0..items.len());
            replace_one(&mut items[at], value, random);
        }
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let at = random.random_range(0..fields.len());
            let field = fields.values_mut().nth(at).expect("it is there");
            replace_one(field, value, random);
        }
        place => *place = value,
    }
}

#[test]
fn a_snapshot_that_no_game_made_is_answered_or_refused() {
    let values = [json!(null), json!(-1), json!(0), json!(7), json!(300), json!(u64::MAX)];
    let values = [&values[..], &[json!("x"), json!(true), json!([]), json!({}), json!([0, 1])]];
    let values = values.concat();
    for &kind in GameKind::all() {
        let game = kind.game();
        let random = &mut ChaCha8Rng::seed_from_u64(7);
        let mut position =
            game.start(&parse_request_options(game, RawValue::NULL).expect("none")).expect("one");
        while !matches!(position.turn(), Turn::Over(_)) {
            let text = state_with_snapshot(&*position).expect("a state");
            let mut state: Value = serde_json::from_str(text.get()).expect("JSON");
            let value = values.choose(random).expect("there are some").clone();
            replace_one(&mut state[SNAPSHOT], value, random);
            for request in requests(game, &state) {
                let _ = serve_rules(game, request.to_string().as_bytes(), io::sink());
            }
            play_at_random(&mut position, random);
        }
    }
}

/// One request of each kind about a state.
fn requests(game: &dyn AnyGame, state: &Value) -> Vec<Value> {
    let seats = game.seats();
    let about = |kind: &str, seat: &str| json!({"type": kind, "options": {}, "state": state, "seat": seat, "draw": 3, "text": "3,3"});
    let step = |step: Value| json!({"type": "play", "options": {}, "state": state, "step": step});
    let of_seats = seats.values().iter().map(|seat| [about("judge", seat), about("sample", seat)]);
    let steps = [
        json!({"move": "3,3"}),
        json!({"both": ["u r", "d l"]}),
        json!({"pass": true}),
        json!({"chance": "2"}),
    ];
    of_seats.into_iter().flatten().chain(steps.map(step)).collect()
}

/// Plays a step of a position that is not over.
fn play_at_random(position: &mut Position, random: &mut ChaCha8Rng) {
    let mut sample = |seat| position.sample(seat, random).expect("a built-in game").expect("one");
    let step = match position.turn() {
        Turn::Move(seat) => Step::Move(sample(seat)),
        Turn::Together(seats) => Step::Together(seats.iter().map(sample).collect()),
        Turn::Pass(_) => Step::Pass,
        Turn::Chance(_) => Step::Chance(position.outcomes().swap_remove(0).0),
        Turn::Over(_) => unreachable!("it is not over"),
    };
    position.play(step.as_text(), &mut Vec::new()).expect("it is legal");
}
