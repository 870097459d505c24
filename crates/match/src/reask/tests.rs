//! Replays recorded games to players that follow a script.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::player::PlayerScript;
use crate::referee::scripted_game::scripted_game_rules;
use referee_protocol::GreetingWants;

/// A game with the turns `wpd2b`.
fn record() -> GameRecord {
    let record = json!({
        "id": "1-1", "pair": 1, "game": 1, "players": {"white": "ant", "black": "bee"},
        "seed": {"white": 1, "black": 2}, "rolls": ["6"], "opening": [],
        "actions": ["go", "pass", "stay", "go", "go"],
        "clock": {
            "began": 0, "wall_ns": 0,
            "startup_ns": {"white": 0, "black": 0}, "cpu_ns": {"white": null, "black": null},
            "used_ns": {"white": [250_000_000, 0], "black": [0, 0]}
        },
        "result": "draw", "reason": "done", "fault": null,
        "scores": {"white": 0.5, "black": 0.5}, "plies": 4
    });
    serde_json::from_value(record).expect("a record")
}

const CONTROL: TimeControl = TimeControl {
    budget: Some(Duration::from_secs(5)),
    ..TimeControl::unlimited(Duration::from_secs(10))
};

/// The outcome of asking for a decision, and the turns that the player was asked.
struct Reasked {
    asked: Result<Asked, NotAsked>,
    turns: Vec<Value>,
}

/// Re-asks a player that gives these replies to the turns of the game.
async fn told(seat: Seat, ply: u32, replies: &'static [&'static str]) -> Reasked {
    let turns = Arc::new(Mutex::new(Vec::new()));
    let (heard, mut replies) = (Arc::clone(&turns), replies.iter());
    let script: PlayerScript = Box::new(move |message| {
        let reply = match message["type"].as_str() {
            Some("init") => Some("ok".to_owned()),
            Some("turn") => {
                heard.lock().expect("no panic").push(message.clone());
                replies.next().map(|reply| (*reply).to_owned())
            }
            _ => None,
        };
        (Duration::ZERO, reply)
    });
    let rules = scripted_game_rules("wpd2b");
    let record = record();
    let source = RecordedGame {
        rules: &rules,
        control: &CONTROL,
        policy: FaultPolicy::Lose,
        record: &record,
    };
    let mut player = Player::Wire(Box::new(Wire::scripted(script)));
    let asked = ask_again(&source, DecisionPoint { seat, ply }, &mut player).await;
    let turns = turns.lock().expect("no panic").clone();
    Reasked { asked, turns }
}

#[tokio::test(start_paused = true)]
async fn a_deterministic_player_reaches_the_recorded_decision() {
    let told = told(Seat::FIRST, 2, &["go", "go"]).await;
    let asked = told.asked.expect("the record has it");
    assert_eq!((asked.outcome, asked.divergence), (Ok("go".to_owned()), None));
    assert_eq!(asked.position.ply(), 2);
    assert_eq!(told.turns.len(), 2);
    let left = |turn: &Value| turn["clock"]["left_ms"].clone();
    let left: Vec<Value> = told.turns.iter().map(left).collect();
    assert_eq!(left, [json!(5000), json!(4750)], "the clock stands as it stood");
    assert_eq!(asked.events.len(), 3, "its own action, the pass and the roll");
}

#[tokio::test(start_paused = true)]
async fn re_asking_follows_the_record_whatever_the_player_replies() {
    for reply in ["stay", "no"] {
        let replies: &[&str] = if reply == "no" { &["no", "go"] } else { &["stay", "go"] };
        let told = told(Seat::FIRST, 2, replies).await;
        let asked = told.asked.expect("the record has it");
        assert_eq!(asked.outcome, Ok("go".to_owned()));
        let divergence = asked.divergence.expect("its first reply was another");
        assert_eq!((divergence.ply, divergence.recorded.as_str()), (0, "go"));
        let text = if reply == "no" { "P1: no is not allowed" } else { "stay" };
        assert_eq!(divergence.reply, text);
        assert_eq!(told.turns[1]["events"][0]["action"], "go", "as it is recorded");
    }
}

#[tokio::test(start_paused = true)]
async fn re_asking_stops_when_the_player_exits() {
    let told = told(Seat::FIRST, 2, &[]).await;
    let asked = told.asked.expect("the record has it");
    assert_eq!(asked.outcome.expect_err("a fault").code, FaultCode::Exit);
    assert_eq!((asked.position.ply(), told.turns.len()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn asking_for_a_missing_decision_is_an_error() {
    let why = |told: Reasked| told.asked.expect_err("nobody decides there").to_string();
    assert_eq!(why(told(Seat::FIRST, 1, &["go", "go"]).await), "no seat decides after 1 ply");
    assert_eq!(
        why(told(Seat::FIRST, 9, &["go"; 9]).await),
        "the game has only 4 plies; there is no ply 9"
    );
}

#[test]
fn the_deciding_seat_is_found() {
    let rules = scripted_game_rules("wpd2b");
    let record = record();
    let source = RecordedGame {
        rules: &rules,
        control: &CONTROL,
        policy: FaultPolicy::Lose,
        record: &record,
    };
    let at = |ply, wanted, own| seat_to_reask(&source, ply, wanted, own);
    let white = Some(Seat::FIRST);
    assert_eq!(at(0, None, None), Ok(Seat::FIRST));
    assert_eq!(at(0, Some(Seat::SECOND), None), Err(NoDecision::OtherSeat("white".into())));
    assert_eq!(at(1, None, None), Err(NoDecision::ForcedPass("black".into())));
    assert_eq!(at(2, None, None), Err(NoDecision::SeveralSeats));
    assert_eq!((at(2, white, None), at(2, None, white)), (Ok(Seat::FIRST), Ok(Seat::FIRST)));
    assert_eq!(at(3, None, None), Ok(Seat::SECOND));
    assert_eq!(at(4, None, None), Err(NoDecision::Over));
    assert_eq!(first_decision_to_reask(&source, None), Ok(0));
    assert_eq!(first_decision_to_reask(&source, Some(Seat::SECOND)), Ok(2));
}

#[tokio::test(start_paused = true)]
async fn the_lines_of_a_game_are_those_that_were_sent() {
    let rules = scripted_game_rules("wpd2b");
    let record = record();
    let source = RecordedGame {
        rules: &rules,
        control: &CONTROL,
        policy: FaultPolicy::Lose,
        record: &record,
    };
    let wants = GreetingWants { legal: true, ..GreetingWants::NOTHING };
    let greeting = Greeting { wants, ..Greeting::default() };
    let decision = DecisionPoint { seat: Seat::SECOND, ply: 3 };
    let lines = reask_lines(&source, decision, &greeting).await.expect("the record has it");
    let messages: Vec<Value> =
        lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let types: Vec<&str> = messages.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(types, ["init", "turn", "turn"]);
    assert_eq!(messages[2]["legal"], json!(["go", "stay"]));
    assert_eq!(messages[2].get("state"), None, "it did not want it");
}
