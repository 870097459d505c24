use super::*;
use crate::named;

const INIT: &str = r#"{"type":"init","id":0,"protocol":[1],"game":"watch-your-back","options":{"end-check":"before-and-after-shrink","max-moves":512},"you":"black","seats":["white","black"],"clock":{"startup_ms":10000,"move_ms":5000},"seed":8123,"state":{},"opening":["3,3"]}"#;
const FIRST_TURN: &str = r#"{"type":"turn","id":1,"ply":3,"events":[{"event":"action","by":"white","action":"3,3","opening":true},{"event":"action","by":"black","action":"3,4","opening":true},{"event":"action","by":"white","action":"3,5"},{"event":"removed","squares":["3,4"],"why":"surrounded"}],"clock":{"used_ms":0}}"#;

fn session(name: &str) -> Session {
    Session::new(named(name).expect("a bot"))
}

fn reply(session: &mut Session, line: &str) -> String {
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
    assert_eq!(init_with("\"watch-your-back\"", "\"chess\""), "unknown game `chess`");
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
    assert!(event_with("3,3", "0,0").starts_with("the event `0,0` by white breaks W"));
    assert!(event_with("\"black\"", "\"white\"").starts_with("`3,4` by white does not answer"));
}
