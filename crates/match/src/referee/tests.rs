//! Tests of the game loop, with players that follow a script, in simulated time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::*;
use crate::player::{PlayerScript, Wire};
use referee_games::{Outcome, Places};
use referee_record::model::adjudication::ScoreRule;
use referee_record::model::fault::FaultCode;

const SECOND: Duration = Duration::from_secs(1);

/// How long a player thinks, in milliseconds, and its reply.
type Replies = &'static [(u64, &'static str)];

/// A game to be played.
struct Game {
    turns: &'static str,
    control: TimeControl,
    tc: BySeat<Option<ShortClock>>,
    policy: FaultPolicy,
    adjudication: Option<Adjudication>,
    opening: Vec<TextStep>,
    /// Each seat's greeting.
    greetings: [&'static str; 2],
    replies: [Replies; 2],
    /// How long each player takes to greet.
    starts: Duration,
}

/// The outcome of a game.
struct Played {
    report: GameReport,
    /// Every message with its receiver, in order.
    heard: Vec<(usize, Value)>,
    /// The simulated time that passed.
    took: Duration,
}

fn game(turns: &'static str, white: Replies, black: Replies) -> Game {
    Game {
        turns,
        control: TimeControl { per_move: Some(SECOND), ..TimeControl::unlimited(10 * SECOND) },
        tc: BySeat::default_for(2),
        policy: FaultPolicy::Lose,
        adjudication: None,
        opening: Vec::new(),
        greetings: ["ok"; 2],
        replies: [white, black],
        starts: Duration::ZERO,
    }
}

impl Game {
    async fn play(self) -> Played {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let [white, black] = [0, 1].map(|seat| {
            let (heard, greeting) = (Arc::clone(&heard), self.greetings[seat]);
            let mut replies = self.replies[seat].iter();
            let starts = self.starts;
            let script: PlayerScript = Box::new(move |message| {
                heard.lock().expect("no panic").push((seat, message.clone()));
                match message["type"].as_str() {
                    Some("init") => (starts, Some(greeting.to_owned())),
                    Some("turn") => {
                        let (thinks, reply) = replies.next().expect("a reply is left");
                        (Duration::from_millis(*thinks), Some((*reply).to_owned()))
                    }
                    _ => (Duration::ZERO, None),
                }
            });
            Player::Wire(Box::new(Wire::scripted(script)))
        });
        let rules = scripted_game::scripted_game_rules(self.turns);
        let setup = GameSetup {
            rules: &rules,
            control: &self.control,
            tc: self.tc,
            policy: self.policy,
            adjudication: self.adjudication,
            opening: &self.opening,
            seeds: BySeat::from([1, 2]),
        };
        let mut players = BySeat::from([white, black]);
        let began = Instant::now();
        let report = play_refereed_game(
            &setup,
            &mut SeededLuck::from_key([0; 32]),
            &mut players,
            &mut |_, _| (),
        )
        .await;
        let heard = heard.lock().expect("no panic").clone();
        Played { report: report.expect("it can be played"), heard, took: began.elapsed() }
    }
}

impl Played {
    /// The types of all messages, each with its receiver.
    fn types(&self) -> Vec<String> {
        let told = |(seat, message): &(usize, Value)| {
            format!("{seat} {}", message["type"].as_str().expect("a type"))
        };
        self.heard.iter().map(told).collect()
    }

    /// A field of all messages of this type that a seat received.
    fn told(&self, seat: usize, kind: &str, field: &str) -> Vec<Value> {
        let of =
            self.heard.iter().filter(|(heard, message)| *heard == seat && message["type"] == kind);
        of.map(|(_, message)| message[field].clone()).collect()
    }

    /// The actions and rolls of the events that a seat was told in its n-th turn.
    fn events(&self, seat: usize, turn: usize) -> Vec<String> {
        let events = self.told(seat, "turn", "events")[turn].clone();
        let shown = |event: &Value| match event["action"].as_str() {
            Some(action) => format!("{} {action}", event["by"].as_str().expect("a seat")),
            None => event["event"].as_str().expect("a name").to_owned(),
        };
        events.as_array().expect("a list").iter().map(shown).collect()
    }

    fn warnings(&self) -> Vec<String> {
        let seats = scripted_game::scripted_game_rules("").seats();
        self.report.trace.warnings.iter().map(|warning| warning.text(&seats)).collect()
    }

    /// The code and the message of a seat's fault.
    fn fault(&self, seat: Seat) -> Option<(FaultCode, &str)> {
        self.report.ending.fault(seat).map(|fault| (fault.code, fault.message.as_str()))
    }
}

fn seconds(seconds: &[u64]) -> Vec<Duration> {
    seconds.iter().map(|&seconds| Duration::from_secs(seconds)).collect()
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_turn_is_answered() {
    let played = game("wpd2b", &[(100, "go"), (0, "stay")], &[(0, "go"), (300, "go")]).play().await;
    let done = Outcome { places: Places::level(2), reason: "done".into() };
    assert_eq!(played.report.ending, RefereeEnding::Rules(done));
    let trace = &played.report.trace;
    assert_eq!(trace.actions, ["go", "pass", "stay", "go", "go"]);
    assert_eq!((trace.rolls.as_slice(), trace.plies), (&["6".to_owned()][..], 4));
    let millis =
        |list: &[u64]| list.iter().map(|&ms| Duration::from_millis(ms)).collect::<Vec<_>>();
    assert_eq!(trace.used, BySeat::from([millis(&[100, 0]), millis(&[0, 300])]));
    // Each seat learns once what happened since its last turn.
    assert_eq!(played.events(0, 0), [""; 0]);
    assert_eq!(played.events(0, 1), ["white go", "black pass", "roll"]);
    assert_eq!(played.events(1, 0), ["white go", "black pass", "roll"]);
    assert_eq!(played.events(1, 1), ["white stay", "black go"]);
    assert_eq!(played.told(0, "end", "result"), [json!("draw")]);
    assert_eq!(played.told(1, "end", "reason"), [json!("done")]);
}

#[tokio::test(start_paused = true)]
async fn a_simultaneous_turn_hides_both_actions_and_alternates_the_order() {
    let played = game("22", &[(500, "go"), (0, "go")], &[(0, "stay"), (0, "stay")]).play().await;
    let turns: Vec<_> = played.types().into_iter().filter(|told| told.ends_with("turn")).collect();
    assert_eq!(turns, ["0 turn", "1 turn", "1 turn", "0 turn"]);
    for seat in [0, 1] {
        assert_eq!(played.events(seat, 0), [""; 0]);
        assert_eq!(played.events(seat, 1), ["white go", "black stay"]);
    }
    assert_eq!(played.report.trace.actions, ["go", "stay", "go", "stay"]);
}

#[tokio::test(start_paused = true)]
async fn the_clock_hides_the_opponents_time_in_the_same_turn() {
    let mut game = game("222", &[(700, "go"); 3], &[(0, "go"); 3]);
    (game.control.budget, game.control.per_move) = (Some(60 * SECOND), None);
    let played = game.play().await;
    let clocks = played.told(1, "turn", "clock");
    let left: Vec<u64> =
        clocks.iter().filter_map(|clock| clock["opponent_left_ms"].as_u64()).collect();
    assert_eq!(left, [60_000, 59_300, 58_600]);
}

#[tokio::test(start_paused = true)]
async fn only_the_player_at_fault_is_asked_again() {
    let mut game = game("2", &[(0, "no"), (0, "go")], &[(0, "stay")]);
    game.policy = FaultPolicy::Retry(1);
    let played = game.play().await;
    assert_eq!(played.report.trace.actions, ["go", "stay"]);
    assert_eq!(played.told(1, "turn", "retry"), [Value::Null]);
}

#[tokio::test(start_paused = true)]
async fn with_separate_cores_both_think_at_the_same_time() {
    let mut game = game("2", &[(700, "go")], &[(900, "go")]);
    game.control.ponder = true;
    let at_once = game.play().await;
    assert!(at_once.took < SECOND, "{:?}", at_once.took);
    let in_order = self::game("2", &[(700, "go")], &[(900, "go")]).play().await;
    assert!(in_order.took > SECOND, "{:?}", in_order.took);
    assert_eq!(at_once.report.trace.used, in_order.report.trace.used);
}

#[tokio::test(start_paused = true)]
async fn a_late_player_loses_and_is_sent_nothing_more() {
    let played = game("bw", &[], &[(1001, "go")]).play().await;
    assert_eq!(played.fault(Seat::FIRST), None);
    assert_eq!(played.fault(Seat::SECOND), Some((FaultCode::Timeout, "no reply within 1 s")));
    let ending = &played.report.ending;
    assert_eq!((ending.places(), ending.reason()), (Places::won_by(Seat::FIRST, 2), "timeout"));
    assert_eq!(ending.scores(), BySeat::from([1.0, 0.0]));
    assert_eq!(played.report.trace.used[Seat::SECOND], seconds(&[1]));
    assert_eq!(played.types(), ["0 init", "1 init", "1 turn", "0 end"]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_at_the_last_moment_is_in_time() {
    let played = game("w", &[(1000, "go")], &[]).play().await;
    assert!(matches!(played.report.ending, RefereeEnding::Rules(_)));
}

#[tokio::test(start_paused = true)]
async fn turns_use_up_the_budget() {
    const SLOW: Replies = &[(1000, "go"); 4];
    let mut game = game("wwww", SLOW, &[]);
    game.control.budget = Some(3 * SECOND);
    let played = game.play().await;
    let message = "nothing was left of its budget of 3 s";
    assert_eq!(played.fault(Seat::FIRST), Some((FaultCode::Timeout, message)));
    assert_eq!(played.report.trace.used[Seat::FIRST], seconds(&[1, 1, 1]));
    let left: Vec<Value> =
        played.told(0, "turn", "clock").iter().map(|clock| clock["left_ms"].clone()).collect();
    assert_eq!(left, [json!(3000), json!(2000), json!(1000)]);

    let mut game = self::game("wwww", SLOW, &[]);
    (game.control.budget, game.control.increment) = (Some(3 * SECOND), SECOND / 2);
    assert!(matches!(game.play().await.report.ending, RefereeEnding::Rules(_)));
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_the_start_up_used_up_is_explained() {
    let mut game = game("w", &[], &[]);
    game.starts = Duration::from_millis(3200);
    (game.control.budget, game.control.count_startup) = (Some(3 * SECOND), true);
    let played = game.play().await;
    let message = "nothing was left of its budget of 3 s: its start-up used it up \
                   (`count-startup`)";
    assert_eq!(played.fault(Seat::FIRST), Some((FaultCode::Timeout, message)));
}

#[tokio::test(start_paused = true)]
async fn refused_actions_are_retried() {
    let mut game = game("bw", &[(0, "no"), (0, "what"), (0, "go")], &[(0, "go")]);
    game.policy = FaultPolicy::Retry(2);
    let played = game.play().await;
    assert_eq!(played.report.trace.actions, ["go", "go"]);
    assert_eq!(
        played.warnings(),
        [
            "white was asked again at ply 1: illegal: P1: no is not allowed",
            "white was asked again at ply 1: malformed: \"what\" is not an action: expected `go` \
             or `stay`",
        ]
    );
    assert_eq!(played.told(0, "error", "clause"), [json!("P1"), Value::Null]);
    assert_eq!(played.told(0, "turn", "retry"), [Value::Null, json!(1), json!(2)]);
    assert_eq!(played.told(0, "turn", "id"), [json!(1), json!(2), json!(3)]);
    let events = [0, 1, 2].map(|turn| played.events(0, turn).len());
    assert_eq!(events, [1, 0, 0], "what happened is said once");
    assert_eq!(played.told(1, "error", "code"), [Value::Null; 0], "the other hears nothing of it");
}

#[tokio::test(start_paused = true)]
async fn too_many_refused_actions_lose() {
    let mut game = game("w", &[(0, "no"), (0, "no")], &[]);
    game.policy = FaultPolicy::Retry(1);
    let played = game.play().await;
    let fault = played.report.ending.fault(Seat::FIRST).expect("a fault");
    assert_eq!((fault.code, fault.message.as_str()), (FaultCode::Illegal, "P1: no is not allowed"));
    assert_eq!((fault.clause.as_deref(), fault.raw.as_deref()), (Some("P1"), Some("no")));
    assert_eq!(played.report.trace.warnings.len(), 1);
    assert_eq!(played.told(0, "end", "result"), [json!("loss")], "it can still be told");
}

#[tokio::test(start_paused = true)]
async fn retries_share_the_time_of_the_turn() {
    let mut game = game("w", &[(600, "no"), (600, "go")], &[]);
    game.policy = FaultPolicy::Retry(5);
    let played = game.play().await;
    assert_eq!(played.fault(Seat::FIRST), Some((FaultCode::Timeout, "no reply within 0.4 s")));
    assert_eq!(played.report.trace.used[Seat::FIRST], seconds(&[1]));
}

#[tokio::test(start_paused = true)]
async fn a_double_fault_scores_no_points() {
    let played = game("2", &[(0, "no")], &[(0, "what")]).play().await;
    assert_eq!(played.fault(Seat::FIRST), Some((FaultCode::Illegal, "P1: no is not allowed")));
    assert!(matches!(played.fault(Seat::SECOND), Some((FaultCode::Malformed, _))));
    let ending = &played.report.ending;
    assert_eq!((ending.places(), ending.reason()), (Places::level(2), "double-fault"));
    assert_eq!(ending.scores(), BySeat::from([0.0, 0.0]));
    assert_eq!(played.report.trace.actions, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn both_replies_are_awaited_before_judging() {
    for ponder in [false, true] {
        let mut game = game("2", &[(2000, "go")], &[(500, "go")]);
        game.control.ponder = ponder;
        let played = game.play().await;
        assert_eq!(played.fault(Seat::FIRST), Some((FaultCode::Timeout, "no reply within 1 s")));
        assert_eq!(played.fault(Seat::SECOND), None);
        let trace = &played.report.trace;
        assert_eq!(trace.used[Seat::SECOND], [Duration::from_millis(500)]);
        assert_eq!(trace.actions, [""; 0], "the other's action is not played");
    }
}

#[tokio::test(start_paused = true)]
async fn openings_are_played_before_players_are_asked() {
    let mut game = game("wpdb", &[], &[(0, "stay")]);
    game.opening = vec![Step::Move("go".to_owned()), Step::Pass, Step::Chance("6".to_owned())];
    let played = game.play().await;
    let trace = &played.report.trace;
    assert_eq!(
        (trace.opening.as_slice(), trace.actions.as_slice()),
        (&["go".to_owned(), "pass".to_owned()][..], &["stay".to_owned()][..])
    );
    assert_eq!((trace.rolls.len(), trace.plies), (1, 3));
    assert_eq!(played.told(0, "init", "opening"), [json!(["go", "pass"])]);
    assert_eq!(played.events(1, 0), ["white go", "black pass", "roll"]);
    let events = played.told(1, "turn", "events");
    assert_eq!((&events[0][0]["opening"], &events[0][1]["opening"]), (&json!(true), &json!(true)));
}

#[tokio::test(start_paused = true)]
async fn a_failed_greeting_ends_the_game_before_any_turn() {
    let mut game = game("w", &[], &[]);
    game.greetings = ["Welcome!", "ok"];
    let played = game.play().await;
    let (code, message) = played.fault(Seat::FIRST).expect("a fault");
    assert_eq!(code, FaultCode::NoStart);
    assert_eq!(
        message,
        "the greeting failed: expected {\"id\":0} or ok as the first line on stdout, but read \
         \"Welcome!\"; debug output belongs on stderr"
    );
    assert_eq!(played.types()[..2], ["0 init", "1 init"], "both are started");
    assert_eq!(played.told(1, "end", "result"), [json!("win")]);

    let mut game = self::game("w", &[], &[]);
    game.greetings = ["Welcome!", "Hello!"];
    assert_eq!(game.play().await.report.ending.reason(), "double-fault");
}

#[tokio::test(start_paused = true)]
async fn wanted_fields_and_remarks_are_kept() {
    let mut game = game("w", &[(0, r#"{"id":1,"action":"go","note":"well","eval":0.5}"#)], &[]);
    game.greetings = [r#"{"id":0,"name":"ant","want":["legal"]}"#, "ok"];
    let played = game.play().await;
    assert_eq!(played.report.trace.greetings[Seat::FIRST].name.as_deref(), Some("ant"));
    assert_eq!(played.told(0, "turn", "state"), [Value::Null], "it does not want the state");
    assert_eq!(played.told(0, "turn", "legal"), [json!(["go", "stay"])]);
    let note = &played.report.trace.notes[0];
    assert_eq!((note.ply, note.by.as_str(), note.note.as_deref()), (0, "white", Some("well")));
}

#[tokio::test(start_paused = true)]
async fn a_game_ends_when_both_players_report_the_same_end() {
    const LOST: (u64, &str) = (0, r#"{"action":"go","mate":-4}"#);
    const WHITE: Replies = &[(0, r#"{"action":"go","score":-650}"#), LOST, LOST];
    const BLACK: Replies =
        &[(0, r#"{"action":"go","score":5}"#), (0, r#"{"action":"go","score":700}"#)];
    let resign = Some(ScoreRule { after: 0, plies: 3, score: 600, one_sided: false });
    let mut game = game("wbwbwbw", WHITE, BLACK);
    game.adjudication = Some(Adjudication { resign, ..Adjudication::default() });
    let played = game.play().await;
    let reason = "adjudicated-resign".into();
    let lost = Outcome { places: Places::won_by(Seat::SECOND, 2), reason };
    assert_eq!(played.report.ending, RefereeEnding::Rules(lost));
    assert_eq!(played.report.trace.plies, 5, "as soon as three plies in a row say so");
    assert_eq!(played.told(0, "end", "result"), [json!("loss")]);
    assert_eq!(played.told(1, "end", "reason"), [json!("adjudicated-resign")]);
}

#[tokio::test(start_paused = true)]
async fn the_rules_of_the_game_come_before_its_length() {
    let length = |plies| Some(Adjudication { length: Some(plies), ..Adjudication::default() });
    let both = || game("wdb", &[(0, "go")], &[(0, "go")]);
    let ended = async |adjudication| {
        let played = Game { adjudication, ..both() }.play().await;
        let Played { report, .. } = played;
        (report.ending.reason().to_owned(), report.trace.plies, report.trace.rolls.len())
    };
    assert_eq!(ended(length(2)).await, ("done".to_owned(), 2, 1));
    assert_eq!(ended(length(1)).await, ("adjudicated-length".to_owned(), 1, 1), "after the roll");
}

#[tokio::test(start_paused = true)]
async fn a_player_has_its_own_clock() {
    let two: Replies = &[(2000, "go"), (500, "go")];
    let mut game = game("wbwb", two, &[(500, "go"), (2000, "go")]);
    game.tc[Seat::FIRST] = Some("40/3+0.5".parse().expect("a clock"));
    let played = game.play().await;
    assert_eq!(played.fault(Seat::SECOND), Some((FaultCode::Timeout, "no reply within 1 s")));
    let clock = |seat, kind| played.told(seat, kind, "clock")[0].clone();
    assert_eq!(
        (&clock(0, "init")["budget_ms"], &clock(0, "init")["moves"]),
        (&json!(3000), &json!(40))
    );
    assert_eq!(clock(1, "init")["move_ms"], json!(1000));
    assert_eq!(clock(1, "turn")["opponent_left_ms"], json!(1500));
    assert_eq!(played.report.trace.tc[Seat::SECOND], None);
}
