use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use referee_games::{AnyPosition, Event, Options, Seat, Step, TextStep, Turn};
use serde_json::json;

use super::*;
use crate::parse_bot_name;

const INIT: &str = r#"{"type":"init","id":0,"protocol":[1],"game":"watch-your-back","options":{"end-check":"before-and-after-shrink","max-moves":512},"you":"black","seats":["white","black"],"clock":{"startup_ms":10000,"move_ms":5000},"seed":8123,"state":{},"opening":["3,3"]}"#;
const FIRST_TURN: &str = r#"{"type":"turn","id":1,"ply":3,"events":[{"event":"action","by":"white","action":"3,3","opening":true},{"event":"action","by":"black","action":"3,4","opening":true},{"event":"action","by":"white","action":"3,5"},{"event":"removed","squares":["3,4"],"why":"surrounded"}],"clock":{"used_ms":0}}"#;

fn session(name: &str) -> BotSession {
    BotSession::new(parse_bot_name(name).expect("a bot"))
}

fn reply(session: &mut BotSession, line: &str) -> String {
    match session.respond(line) {
        Ok(Reaction::Reply(reply)) => reply,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn the_host_greets_and_wants_only_events() {
    let expected = format!(
        r#"{{"id":0,"name":"search-2000","version":"{}","want":["events"]}}"#,
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(reply(&mut session("search-2000"), INIT), expected);
}

#[test]
fn greedy_captures_in_the_position_of_the_events() {
    let mut session = session("greedy");
    reply(&mut session, INIT);
    let turn = r#"{"type":"turn","id":7,"events":[{"event":"action","by":"white","action":"1,0"},{"event":"action","by":"black","action":"5,5"},{"event":"action","by":"white","action":"0,2"},{"event":"action","by":"black","action":"0,3"},{"event":"action","by":"white","action":"5,4"}]}"#;
    assert_eq!(reply(&mut session, turn), r#"{"id":7,"action":"5,3"}"#);
    let next = r#"{"type":"turn","id":8,"events":[{"event":"action","by":"black","action":"5,3"},{"event":"removed","squares":["5,4"],"why":"surrounded"},{"event":"action","by":"white","action":"4,5"},{"event":"error-free-future"}]}"#;
    assert!(reply(&mut session, next).starts_with(r#"{"id":8,"action":""#));
}

#[test]
fn a_searching_player_reports_its_evaluation() {
    let mut session = session("search-500");
    reply(&mut session, INIT);
    let text = reply(&mut session, FIRST_TURN);
    let reply: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let eval = reply["eval"].as_f64().expect("an eval");
    assert!((-1.0..0.0).contains(&eval), "a piece behind: {text}");
}

#[test]
fn another_init_begins_another_game() {
    let mut session = session("random");
    let mut replies = Vec::new();
    for _ in 0..2 {
        reply(&mut session, INIT);
        replies.push(reply(&mut session, FIRST_TURN));
        let end =
            r#"{"type":"end","result":"loss","reason":"timeout","scores":{"white":1,"black":0}}"#;
        assert_eq!(session.respond(end).expect("fine"), Reaction::Nothing);
        assert!(session.respond(FIRST_TURN).is_err());
    }
    assert_eq!(replies[0], replies[1], "the same seed plays the same");
}

#[test]
fn messages_without_an_id_get_no_answer() {
    let mut session = session("random");
    for kind in ["error", "weather"] {
        let line = format!(r#"{{"type":"{kind}","code":"illegal","message":"W1: a corner"}}"#);
        assert_eq!(session.respond(&line).expect("fine"), Reaction::Nothing);
    }
    let quit = session.respond("{\"type\":\"quit\"}\r\n");
    assert_eq!(quit.expect("fine"), Reaction::Quit);
}

#[test]
fn protocol_violations_are_reported() {
    let init_with = |old: &str, new: &str| {
        session("random").respond(&INIT.replace(old, new)).expect_err("refused").to_string()
    };
    assert_eq!(init_with("[1]", "[2]"), "the referee does not speak protocol 1");
    assert_eq!(init_with("\"watch-your-back\"", "\"draughts\""), "unknown game `draughts`");
    assert_eq!(
        init_with("\"black\",\"seats", "\"red\",\"seats"),
        "watch-your-back has no seat `red`"
    );
    assert!(init_with("max-moves", "max-mows").contains("unknown option `max-mows`"));
    let event_with = |old: &str, new: &str| {
        let mut session = session("random");
        reply(&mut session, INIT);
        session.respond(&FIRST_TURN.replace(old, new)).expect_err("refused").to_string()
    };
    assert!(event_with("3,3", "0,0").starts_with("the event `0,0` by white cannot be played: W"));
    assert!(
        event_with("\"black\"", "\"white\"")
            .starts_with("the event `3,4` by white cannot be played: the step does not fit")
    );
}

/// A random step; the moves of the first seat are the session's.
fn step(
    position: &dyn AnyPosition,
    rng: &mut ChaCha8Rng,
    mut own: impl FnMut() -> String,
) -> Option<TextStep> {
    let mut action = |seat| {
        if seat == Seat::FIRST {
            own()
        } else {
            position.sample(seat, rng).expect("no failure").expect("an action")
        }
    };
    Some(match position.turn() {
        Turn::Move(seat) => Step::Move(action(seat)),
        Turn::Together(seats) => Step::Together(seats.iter().map(action).collect()),
        Turn::Pass(_) => Step::Pass,
        Turn::Chance(_) => Step::Chance(position.outcomes()[0].0.clone()),
        Turn::Over(_) => return None,
    })
}

#[test]
fn it_follows_every_game_by_its_events_alone() {
    for &kind in GameKind::all() {
        let game = kind.game();
        let options = Options::resolve(game.options(), []).expect("defaults");
        let mut position = game.start(&options).expect("defaults");
        let seats = game.seats();
        let mut session = session("greedy");
        let init = json!({
            "type": "init", "id": 0, "protocol": [1], "game": game.name(), "you": seats[Seat::FIRST],
            "seats": seats, "state": {}, "seed": 3
        });
        reply(&mut session, &init.to_string());
        let (mut news, mut rng) = (Vec::<Event>::new(), ChaCha8Rng::seed_from_u64(1));
        for id in 1..16 {
            let own = || {
                let turn = json!({"type": "turn", "id": id, "events": news});
                news.clear();
                let text = reply(&mut session, &turn.to_string());
                let reply: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                reply["action"].as_str().expect("an action").to_owned()
            };
            let Some(step) = step(&*position, &mut rng, own) else { break };
            let mut events = Vec::new();
            position.play(step.as_text(), &mut events).expect("the session's action is legal");
            news.extend(events);
        }
        assert!(position.ply() > 3, "{}", game.name());
    }
}

#[test]
fn chance_that_the_game_does_not_have_is_refused() {
    let roll = |value: u32| {
        format!(
            r#"{{"type":"turn","id":1,"events":[{{"event":"roll","seat":"white","value":{value}}}]}}"#
        )
    };
    let mut without_dice = session("random");
    reply(&mut without_dice, INIT);
    let error = without_dice.respond(&roll(3)).expect_err("nothing is rolled").to_string();
    assert!(error.contains("`roll 3`"), "{error}");
    let mut dice = session("random");
    reply(
        &mut dice,
        &INIT
            .replace("watch-your-back", "backdraughts")
            .replace(r#""options":{"end-check":"before-and-after-shrink","max-moves":512},"#, ""),
    );
    let error = dice.respond(&roll(9)).expect_err("no die has nine").to_string();
    assert!(error.contains("`roll 9`"), "{error}");
}

#[test]
fn lines_that_are_no_messages_are_refused() {
    for line in ["", "ok", "[]", r#"{"type":"turn"}"#, r#"{"type":"init","id":0}"#] {
        let error = session("random").respond(line).expect_err("no message");
        assert!(matches!(error, SessionError::NotAMessage(_)), "{line}: {error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
