//! Players in this process: what they are sent, and what becomes of their replies.

use referee_games::Places;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::*;
use referee_games::{BySeat, GameKind, Options, Seat};
use referee_protocol::{Score, TurnClock};
use referee_record::model::clock::{Measure, TimeControl};
use referee_record::model::game_rules::GameRules;

/// The messages that a player got.
type Messages = Arc<Mutex<Vec<Value>>>;

fn rules() -> GameRules {
    let game = GameKind::WatchYourBack.shared();
    let options = Options::resolve(game.options(), []).expect("the defaults");
    GameRules::new(game, options).expect("the defaults")
}

/// A player that gives these replies to requests, one after another, and then none.
fn player(replies: &[&str]) -> (Wire, Messages) {
    let messages = Messages::default();
    let heard = Arc::clone(&messages);
    let mut replies: Vec<String> = replies.iter().rev().map(|&reply| reply.to_owned()).collect();
    let respond: Respond = Box::new(move |line| {
        assert!(line.ends_with('\n'), "each message is a line");
        let message: Value = serde_json::from_str(line).expect("JSON");
        let is_request = matches!(message["type"].as_str(), Some("init" | "turn"));
        heard.lock().expect("no panic").push(message);
        if is_request { replies.pop() } else { None }
    });
    (Wire::local(respond), messages)
}

fn types(messages: &Messages) -> Vec<String> {
    let messages = messages.lock().expect("no panic");
    messages.iter().filter_map(|it| Some(it["type"].as_str()?.to_owned())).collect()
}

fn last(messages: &Messages) -> Value {
    messages.lock().expect("no panic").last().cloned().expect("a message")
}

async fn begin(wire: &mut Wire, rules: &GameRules) -> Result<Greeting, Fault> {
    let control = TimeControl {
        budget: Some(Duration::from_secs(60)),
        ..TimeControl::unlimited(Duration::from_secs(10))
    };
    let opening = ["3,3".to_owned()];
    let view = InitView {
        seat: Seat::SECOND,
        rules,
        position: &*rules.start,
        control: &control,
        opponent_increment: Duration::ZERO,
        seed: 9,
        opening: &opening,
    };
    match wire.begin(&view).await {
        Ok((greeting, _)) => Ok(greeting),
        Err(NotStarted::Fault(fault)) => Err(fault),
        Err(other) => panic!("{other:?}"),
    }
}

async fn ask(wire: &mut Wire, rules: &GameRules, retry: Option<u32>) -> Result<Reply, Fault> {
    let view = TurnView {
        seat: Seat::FIRST,
        position: &*rules.start,
        events: &[],
        guesses: &[],
        clock: TurnClock { left_ms: Some(500), ..TurnClock::default() },
        retry,
        limit: ReplyLimit::new(Measure::Wall, None),
    };
    wire.ask(&view).await.expect("rules that work").reply
}

async fn end(wire: &mut Wire, rules: &GameRules, scores: BySeat<f64>) {
    let seats = rules.seats();
    let view = EndView {
        seat: Seat::FIRST,
        seats: &seats,
        position: &*rules.start,
        events: &[],
        scores: scores.clone().map(Score),
        places: Places::level(2),
        reason: "elimination",
    };
    wire.end(&view).await;
}

#[tokio::test]
async fn a_game_begins_with_all_that_a_player_needs() {
    let rules = rules();
    let (mut wire, messages) = player(&["ok"]);
    let greeting = begin(&mut wire, &rules).await.expect("it greets");
    assert_eq!(greeting, Greeting::default());
    let init = last(&messages);
    assert_eq!((&init["id"], &init["protocol"]), (&json!(0), &json!([1])));
    assert_eq!((&init["you"], &init["seats"]), (&json!("black"), &json!(["white", "black"])));
    assert_eq!(init["clock"], json!({"startup_ms": 10_000, "budget_ms": 60_000}));
    assert_eq!((&init["seed"], &init["opening"]), (&json!(9), &json!(["3,3"])));
    assert_eq!(
        init["state"],
        serde_json::from_str::<Value>(rules.start.state().get()).expect("JSON")
    );
    assert_eq!(init["options"], json!(rules.options.to_json()));
}

#[tokio::test]
async fn a_player_is_sent_what_it_asked_for() {
    let rules = rules();
    for (want, present) in [
        (json!([]), [false, false, false]),
        (json!(["state"]), [true, false, false]),
        (json!(["events", "legal"]), [false, true, true]),
    ] {
        let greeting = json!({"id": 0, "name": "ant", "version": "3", "want": want}).to_string();
        let (mut wire, messages) = player(&[&greeting, "3,3"]);
        let greeted = begin(&mut wire, &rules).await.expect("it greets");
        assert_eq!(greeted.name_and_version(), "ant 3");
        ask(&mut wire, &rules, None).await.expect("a reply");
        let turn = last(&messages);
        let there = ["state", "events", "legal"].map(|part| turn.get(part).is_some());
        assert_eq!(there, present, "{want}");
        assert_eq!((&turn["id"], &turn["clock"]["left_ms"]), (&json!(1), &json!(500)));
        assert_eq!(turn.get("retry"), None);
    }
}

#[tokio::test]
async fn each_request_has_the_next_id_and_a_reply_must_carry_it() {
    let rules = rules();
    let (mut wire, messages) =
        player(&["ok", r#"{"id":1,"action":"3,3"}"#, r#"{"id":1,"action":"4,4"}"#]);
    begin(&mut wire, &rules).await.expect("it greets");
    let first = ask(&mut wire, &rules, None).await.expect("a reply");
    assert_eq!(first.action, "3,3");
    let second = ask(&mut wire, &rules, Some(1)).await.expect_err("an old id");
    assert_eq!(
        (last(&messages)["id"].clone(), last(&messages)["retry"].clone()),
        (json!(2), json!(1))
    );
    assert_eq!(second.code, FaultCode::Malformed);
    assert_eq!(second.raw.as_deref(), Some(r#"{"id":1,"action":"4,4"}"#));
    assert_eq!(second.message, "the reply has id 1, but the request had 2");
}

#[tokio::test]
async fn a_greeting_that_is_none_is_a_failed_start() {
    let rules = rules();
    for line in ["Hello!", r#"{"id":7}"#, r#"{"want":["moves"]}"#, r#"{"protocol":9}"#, "{"] {
        let (mut wire, _) = player(&[line]);
        let fault = begin(&mut wire, &rules).await.expect_err("no greeting");
        assert_eq!(fault.code, FaultCode::NoStart, "{line}");
        assert!(fault.message.starts_with("the greeting failed: "), "{}", fault.message);
    }
    let refuses = r#"{"id":0,"error":"this player plays chess only"}"#;
    let (mut wire, _) = player(&[refuses]);
    let fault = begin(&mut wire, &rules).await.expect_err("it refuses");
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (FaultCode::NoStart, "this player plays chess only")
    );
}

#[tokio::test]
async fn a_player_that_owes_a_reply_is_told_nothing_more() {
    let rules = rules();
    let (mut wire, messages) = player(&["ok"]);
    begin(&mut wire, &rules).await.expect("it greets");
    assert!(!wire.owes);
    let fault = ask(&mut wire, &rules, None).await.expect_err("no reply");
    assert_eq!(fault.code, FaultCode::Exit);
    assert!(wire.owes);
    end(&mut wire, &rules, BySeat::from([0.0, 1.0])).await;
    wire.leave().await;
    assert_eq!(types(&messages), ["init", "turn"]);
}

#[tokio::test]
async fn a_refusal_says_what_was_wrong() {
    let rules = rules();
    let (mut wire, messages) = player(&["ok", "0,0"]);
    begin(&mut wire, &rules).await.expect("it greets");
    ask(&mut wire, &rules, None).await.expect("a reply");
    let mut fault = Fault::new(FaultCode::Illegal, "W1: 0,0 is a corner");
    (fault.clause, fault.raw) = (Some("W1".to_owned()), Some("0,0".to_owned()));
    wire.refuse(&fault).await;
    assert_eq!(
        last(&messages),
        json!({
            "type": "error", "code": "illegal", "message": "W1: 0,0 is a corner", "clause": "W1",
            "raw": "0,0"
        })
    );
}

#[tokio::test]
async fn the_end_is_told_from_the_side_of_the_player() {
    let rules = rules();
    for (scores, result) in [
        (BySeat::from([1.0, 0.0]), "win"),
        (BySeat::from([0.0, 1.0]), "loss"),
        (BySeat::from([0.5, 0.5]), "draw"),
        (BySeat::from([0.0, 0.0]), "loss"),
    ] {
        let (mut wire, messages) = player(&["ok"]);
        begin(&mut wire, &rules).await.expect("it greets");
        end(&mut wire, &rules, scores.clone()).await;
        let end = last(&messages);
        assert_eq!((&end["result"], &end["reason"]), (&json!(result), &json!("elimination")));
        assert_eq!(end["scores"]["white"].as_f64(), Some(scores[Seat::FIRST]));
        wire.leave().await;
        assert_eq!(types(&messages), ["init", "end", "quit"]);
    }
}

#[tokio::test]
async fn one_player_plays_one_game_after_another() {
    let rules = rules();
    let quiet = r#"{"id":0,"want":[]}"#;
    let (mut wire, messages) = player(&[quiet, "3,3", "ok", "3,3"]);
    begin(&mut wire, &rules).await.expect("it greets");
    ask(&mut wire, &rules, None).await.expect("a reply");
    begin(&mut wire, &rules).await.expect("it greets again");
    ask(&mut wire, &rules, None).await.expect("a reply");
    let turn = last(&messages);
    assert_eq!(turn["id"], 3, "ids go on");
    assert!(turn.get("legal").is_some(), "what it wanted holds for one game");
}
