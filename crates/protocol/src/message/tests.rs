use super::*;

fn written(message: &Message<'_>) -> String {
    let mut line = b"of the message before".to_vec();
    message.write(&mut line);
    String::from_utf8(line).expect("JSON is UTF-8")
}

/// Reads a line that a player of this version understands.
fn read(line: &str) -> Message<'_> {
    Message::read(line).expect(line).expect(line)
}

#[test]
fn every_message_reads_as_it_is_written() {
    for line in [
        r#"{"type":"init","id":0,"protocol":[1],"game":"watch-your-back","options":{"max-moves":512},"you":"black","seats":["white","black"],"clock":{"startup_ms":10000,"budget_ms":20000,"increment_ms":50,"move_ms":1000,"measure":"cpu"},"seed":8123,"state":{"b":[1.50],"a":{}},"opening":["3,3"]}"#,
        r#"{"type":"init","id":0,"protocol":[1],"game":"g","options":{},"you":"a","seats":["a","b"],"clock":{"startup_ms":1},"seed":0,"state":null,"opening":[]}"#,
        r#"{"type":"turn","id":1,"ply":3,"state":{"x":1},"events":[{"event":"action","by":"white","action":"3,3","opening":true},{"event":"rain","mm":2}],"legal":["0,1","0,2"],"clock":{"left_ms":9,"opponent_left_ms":8,"used_ms":7},"retry":1}"#,
        r#"{"type":"turn","id":1,"ply":0,"legal":{"directions":["U","D","L","R"],"walls":2,"squares":["1,2"]},"clock":{"used_ms":0}}"#,
        r#"{"type":"turn","id":1,"ply":0,"legal":{"cards":[3,5]},"clock":{"used_ms":0}}"#,
        r#"{"type":"error","code":"illegal","message":"W1: 0,0 is a corner","clause":"W1","raw":"0,0"}"#,
        r#"{"type":"error","code":"malformed","message":"\"x\" is not an action"}"#,
        r#"{"type":"end","result":"win","reason":"elimination","scores":{"white":1,"black":0.5},"events":[],"state":[]}"#,
        r#"{"type":"quit"}"#,
    ] {
        assert_eq!(written(&read(line)).trim_end(), line);
    }
}

#[test]
fn a_message_of_an_unknown_type_is_ignored_and_a_bad_one_is_not() {
    assert!(Message::read(r#"{"type":"weather","id":"x"}"#).expect("a message").is_none());
    for line in ["", "ok", "[]", r#"{"id":1}"#, r#"{"type":"turn"}"#, r#"{"type":"turn","id":-1}"#]
    {
        assert!(Message::read(line).is_err(), "{line}");
    }
}

#[test]
fn turn_messages_may_omit_unwanted_parts() {
    let Message::Turn(turn) = read("{\"id\":7,\"extra\":[1],\"type\":\"turn\"}\r\n") else {
        panic!("a turn");
    };
    assert_eq!((turn.id, turn.clock), (7, TurnClock::default()));
    assert!(turn.state.is_none() && turn.events.is_none() && turn.legal.is_none());
}
