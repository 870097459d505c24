//! A consistent record, and what is found when something in it is wrong.

use serde_json::{Value, json};

use super::*;
use referee_match::referee::scripted_game::scripted_game_rules;
use referee_record::model::adjudication::{Adjudication, ScoreRule};
use referee_record::model::clock::TimeControl;
use referee_record::model::record::HeaderPlayer;
use referee_record::model::record::examples::header;

const TURNS: &str = "wpd2b";

fn secret() -> TournamentSecret {
    TournamentSecret::from_seed(1)
}

/// A game with a move of white, a forced pass, a roll, a move of both, and a move of black.
fn fine() -> Value {
    let seed = |player: &str, opponent: &str| secret().player_seed(player, &[opponent], 1, 1);
    json!({
        "id": "1-1", "pair": 1, "game": 1, "players": {"white": "ant", "black": "bee"},
        "seed": {"white": seed("ant", "bee"), "black": seed("bee", "ant")},
        "rolls": ["6"], "opening": [], "actions": ["go", "pass", "stay", "go", "go"],
        "clock": {
            "began": 0, "wall_ns": 0,
            "startup_ns": {"white": 0, "black": 0}, "cpu_ns": {"white": null, "black": null},
            "used_ns": {"white": [1_000_000_000_u64, 1], "black": [1, 999]}
        },
        "result": "draw", "reason": "done", "fault": null,
        "scores": {"white": 0.5, "black": 0.5}, "plies": 4
    })
}

fn record(value: Value) -> GameRecord {
    serde_json::from_value(value).expect("a record")
}

/// The findings in a record with other values at these JSON pointers.
fn found(changes: &[(&str, Value)]) -> Vec<String> {
    audited(&record(changed(changes)))
}

/// The record with other values at these JSON pointers.
fn changed(changes: &[(&str, Value)]) -> Value {
    let mut value = fine();
    for (pointer, new) in changes {
        *value.pointer_mut(pointer).expect(pointer) = new.clone();
    }
    value
}

fn audited(record: &GameRecord) -> Vec<String> {
    adjudged(TURNS, record, None)
}

/// The findings in a game of these turns, under these rules of adjudication.
fn adjudged(
    turns: &'static str,
    record: &GameRecord,
    adjudication: Option<Adjudication>,
) -> Vec<String> {
    let book = OpeningBook::empty(scripted_game_rules(turns));
    let clock = TimeControl {
        per_move: Some(Duration::from_secs(1)),
        ..TimeControl::unlimited(Duration::from_secs(10))
    };
    let header = Header { clock, adjudication, ..header(&["ant", "bee"]) };
    let findings = verify_record(&book, &header, Some(&secret()), record);
    findings.iter().map(ToString::to_string).collect()
}

#[test]
fn more_outages_than_are_allowed_are_found() {
    let mut out = fine();
    out["void"] = json!(["503", "503"]);
    out["outages"] = json!({"white": 2});
    let record = record(out);
    let audited = |outages: u8| {
        let book = OpeningBook::empty(scripted_game_rules(TURNS));
        let mut header = header(&["ant", "bee"]);
        header.clock.per_move = Some(Duration::from_secs(1));
        header.players[0].outages = outages;
        verify_record(&book, &header, Some(&secret()), &record)
    };
    assert_eq!(audited(2), []);
    let found = audited(1).iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected =
        "it was voided 2 times because ant could not reach its service; at most 1 allowed";
    assert_eq!(found, [expected]);
}

#[test]
fn an_outage_of_a_player_without_a_service_is_found() {
    let faults = json!({"white": fault("outage")});
    let record = record(changed(&ended_early(faults, "black", "outage")));
    let expected = "ant lost to an outage, but is allowed none: it has no `outages`";
    assert_eq!(audited(&record), [expected]);
    let mut header = header(&["ant", "bee"]);
    header.players[0].outages = 1;
    header.clock.per_move = Some(Duration::from_secs(1));
    let book = OpeningBook::empty(scripted_game_rules(TURNS));
    assert_eq!(verify_record(&book, &header, Some(&secret()), &record), []);
}

#[test]
fn forged_scores_are_found() {
    let mut forged = fine();
    forged["final_scores"] = json!({"white": 3, "black": 1});
    let found = audited(&record(forged));
    assert_eq!(found, ["the final score is 3 to 1, the replay says none"]);
}

fn fault(code: &str) -> Value {
    json!({"code": code, "message": "why"})
}

/// The changes that make the record one of a game that ended with a fault after its first ply.
fn ended_early(faults: Value, result: &str, reason: &str) -> Vec<(&'static str, Value)> {
    let scores = match result {
        "white" => [1, 0],
        "black" => [0, 1],
        _ => [0, 0],
    };
    vec![
        ("/actions", json!(["go", "pass"])),
        ("/plies", json!(2)),
        ("/fault", faults),
        ("/result", json!(result)),
        ("/reason", json!(reason)),
        ("/scores", json!({"white": scores[0], "black": scores[1]})),
    ]
}

#[test]
fn nothing_is_found_in_a_consistent_record() {
    assert_eq!(found(&[]), [""; 0]);
}

#[test]
fn differences_from_the_rules_are_found() {
    let cases = [
        ("/result", json!("white"), "the result is white, the replay says draw"),
        ("/reason", json!("enough"), "the reason is enough, the replay says done"),
        ("/plies", json!(5), "the number of plies is 5, the replay says 4"),
        ("/scores/white", json!(1), "the score of white is 1, the replay says 0.5"),
        ("/actions/1", json!("go"), "`go` is recorded instead of a forced pass"),
        ("/rolls", json!([]), "`stay` is recorded where a roll is missing"),
        (
            "/actions",
            json!(["go", "pass", "stay"]),
            "`stay` is one action, but several seats move at once",
        ),
    ];
    for (pointer, value, expected) in cases {
        let found = found(&[(pointer, value)]);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{pointer}: {found:?}");
    }
}

#[test]
fn a_game_has_an_end_by_the_rules_or_by_a_fault() {
    let cut = found(&[("/actions", json!(["go", "pass"])), ("/rolls", json!([]))]);
    assert!(cut.contains(&"the game was not over, but no fault is recorded".to_owned()), "{cut:?}");
    let after = found(&[("/fault", json!({"white": fault("crash")}))]);
    assert_eq!(after, ["a fault after the end of the game"]);
    let nobodys = found(&ended_early(json!({"red": fault("crash")}), "black", "crash"));
    assert_eq!(nobodys, ["the fault names an unknown seat"]);
}

#[test]
fn a_fault_loses_whatever_the_record_says() {
    let crash = || fault("crash");
    let white = json!({"white": crash()});
    assert_eq!(found(&ended_early(white.clone(), "black", "crash")), [""; 0]);
    assert_eq!(
        found(&ended_early(white, "white", "timeout")),
        [
            "the result is white, the replay says black",
            "the reason is timeout, the replay says crash",
            "the score of white is 1, the replay says 0",
            "the score of black is 0, the replay says 1",
        ]
    );
    let both = json!({"white": crash(), "black": crash()});
    let mut shared = ended_early(both, "draw", "double-fault");
    assert_eq!(found(&shared), [""; 0]);
    shared[5].1 = json!({"white": 0.5, "black": 0.5});
    let scores =
        ["white", "black"].map(|seat| format!("the score of {seat} is 0.5, the replay says 0"));
    assert_eq!(found(&shared), scores);
}

#[test]
fn a_turn_over_its_time_must_be_the_last_and_a_fault() {
    let late = json!([1_000_000_001_u64, 1]);
    let over = "white exceeded its time in turn 1, but the game continued";
    assert_eq!(found(&[("/clock/used_ns/white", late.clone())]), [over]);
    let timeout = || json!({"white": fault("timeout")});
    let mut lost = ended_early(timeout(), "black", "timeout");
    lost.push(("/clock/used_ns/white", json!([1_000_000_001_u64])));
    assert_eq!(found(&lost), [""; 0]);
    lost.pop();
    lost.push(("/clock/used_ns/white", late));
    assert_eq!(found(&lost), [over, "white lost on time but had time left"], "it went on after it");
    let within = ended_early(timeout(), "black", "timeout");
    assert_eq!(found(&within), ["white lost on time but had time left"]);
}

#[test]
fn each_player_is_held_to_its_own_clock() {
    let book = OpeningBook::empty(scripted_game_rules(TURNS));
    let mut header = header(&["ant", "bee"]);
    header.clock.per_move = Some(Duration::from_secs(1));
    header.players[0].tc = Some("3+0".parse().expect("a clock"));
    let audited = |tc: Value, white: [u64; 2], black: [u64; 2]| {
        let mut value = changed(&[("/clock/used_ns", json!({"white": white, "black": black}))]);
        value["clock"]["tc"] = tc;
        let findings = verify_record(&book, &header, Some(&secret()), &record(value));
        findings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let own = || json!({"white": "3+0", "black": null});
    assert_eq!(audited(own(), [2_000_000_000, 1_000_000_000], [1_000_000_000, 1]), [""; 0]);
    let late = audited(own(), [2_000_000_000, 1_000_000_001], [1_000_000_001, 1]);
    let over = |seat: &str, turn| {
        format!("{seat} exceeded its time in turn {turn}, but the game continued")
    };
    assert_eq!(late, [over("white", 2), over("black", 1)]);
    let forged = "white's clock does not match its player's";
    assert_eq!(audited(Value::Null, [1, 1], [1, 1]), [forged]);
    assert_eq!(audited(json!({"white": "9+0", "black": null}), [1, 1], [1, 1]), [forged]);
}

#[test]
fn seeds_and_luck_follow_from_the_secret() {
    assert_eq!(found(&[("/seed/black", json!(5))]), ["bee's seed does not match the secret"]);
    let strangers = found(&[("/players/white", json!("cat"))]);
    let expected = ["cat's seed does not match the secret", "bee's seed does not match the secret"];
    assert_eq!(strangers, expected);
    let impossible = found(&[("/rolls", json!(["5"]))]);
    assert!(impossible[0].contains("`5`"), "{impossible:?}");
    let book = OpeningBook::empty(scripted_game_rules(TURNS));
    let unknown = record({
        let mut value = fine();
        value["seed"]["black"] = json!(5);
        value
    });
    let header = header(&["ant", "bee"]);
    assert_eq!(
        verify_record(&book, &header, None, &unknown),
        [],
        "without the secret nobody can know"
    );
}

#[test]
fn only_people_and_go_engines_resign() {
    let resigned = |reason: &str| ended_early(Value::Null, "black", reason);
    let no_end = ["the game was not over, but no fault is recorded"];
    assert_eq!(found(&resigned("resignation")), no_end);
    let audited = |changes: &[(&str, Value)], people: &[&str]| {
        let mut header = header(&["ant", "bee"]);
        for player in header.players.iter_mut().filter(|info| people.contains(&&*info.name)) {
            *player = HeaderPlayer::for_person(&player.name);
        }
        let record = record(changed(changes));
        let book = OpeningBook::empty(scripted_game_rules(TURNS));
        let findings = verify_record(&book, &header, None, &record);
        findings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(audited(&resigned("resignation"), &["ant"]), [""; 0]);
    assert_eq!(audited(&resigned("resignation"), &["bee"]), no_end, "it was the other one");
    assert_eq!(audited(&resigned("boredom"), &["ant"]), no_end);
    let engine = |command: &str| {
        let mut header = header(&["ant", "bee"]);
        header.players[0].command = command.to_owned();
        let record = record(changed(&resigned("resignation")));
        verify_record(&OpeningBook::empty(scripted_game_rules(TURNS)), &header, None, &record).len()
    };
    assert_eq!([engine("gtp:gnugo"), engine("uci:stockfish"), engine("gtp")], [0, 1, 1]);
}

#[test]
fn an_adjudication_must_follow_from_the_scores_and_the_rules() {
    let rule = |plies, score| ScoreRule { after: 0, plies, score, one_sided: false };
    let rules = Adjudication {
        draw: Some(rule(2, 10)),
        resign: Some(rule(2, 600)),
        ..Adjudication::default()
    };
    let length = Some(Adjudication { length: Some(1), ..Adjudication::default() });
    // White moves twice, then black: the scores of both are known after three plies.
    let ended = |scores: [i32; 3], result: &str, reason: &str| {
        let note = |(ply, by): (usize, &str)| json!({"ply": ply, "by": by, "score": scores[ply]});
        let [white, black] = match result {
            "draw" => [0.5, 0.5],
            won => [f64::from(won == "white"), f64::from(won == "black")],
        };
        let mut value = changed(&[
            ("/actions", json!(["go", "go", "go"])),
            ("/rolls", json!([])),
            ("/clock/used_ns", json!({"white": [1, 1], "black": [1]})),
            ("/result", json!(result)),
            ("/reason", json!(reason)),
            ("/scores", json!({"white": white, "black": black})),
            ("/plies", json!(3)),
        ]);
        value["notes"] = [(0, "white"), (1, "white"), (2, "black")].map(note).into_iter().collect();
        record(value)
    };
    let audited = |record: &GameRecord, rules| adjudged("wwbbwb", record, rules);
    let draw = ended([900, 5, -5], "draw", "adjudicated-draw");
    let lost = ended([900, -600, 600], "black", "adjudicated-resign");
    for record in [&draw, &lost] {
        assert_eq!(audited(record, Some(rules)), [""; 0]);
    }
    let forged =
        "it was adjudicated, but not according to the recorded scores and tournament rules";
    assert_eq!(audited(&draw, None), [forged], "no rules");
    let unfit = ended([900, 11, -5], "draw", "adjudicated-draw");
    assert_eq!(audited(&unfit, Some(rules)), [forged]);
    let won = audited(&ended([0, -600, 600], "white", "adjudicated-resign"), Some(rules));
    assert_eq!(won[0], "the result is white, the replay says black");
    let other = audited(&ended([0, 5, 5], "draw", "adjudicated-length"), Some(rules));
    assert_eq!(other, ["the reason is adjudicated-length, the replay says adjudicated-draw"]);
    let went_on = audited(&ended([0, 5, 5], "draw", "adjudicated-length"), length);
    assert_eq!(went_on[0], "it should have ended after ply 1: adjudicated-length");
    let mut failed = ended([0, 5, 5], "white", "crash");
    failed.fault = Some([("black".to_owned(), Fault::new(FaultCode::Crash, ""))].into());
    let failed = audited(&failed, Some(rules));
    assert_eq!(failed, ["it should have ended after ply 3: adjudicated-draw"]);
}

#[test]
fn a_player_that_does_not_start_fails_before_its_game_could_be_adjudicated() {
    let length = Some(Adjudication { length: Some(1), ..Adjudication::default() });
    let audited = |code: &str, used: [&[u64]; 2]| {
        let mut changes = ended_early(json!({"white": fault(code)}), "black", code);
        changes.extend([
            ("/opening", json!(["go"])),
            ("/rolls", json!([])),
            ("/clock/used_ns", json!({"white": used[0], "black": used[1]})),
        ]);
        (changes[0].1, changes[1].1) = (json!([]), json!(1));
        let mut found = adjudged("wbw", &record(changed(&changes)), length);
        found.retain(|it| !it.starts_with("it begins with"));
        found
    };
    assert_eq!(audited("no-start", [&[], &[]]), [""; 0]);
    let late = ["it should have ended after ply 1: adjudicated-length"];
    assert_eq!(audited("no-start", [&[], &[1]]), late, "black was asked");
    assert_eq!(audited("crash", [&[], &[]]), late, "white was asked");
}

#[test]
fn an_opening_that_the_tournament_does_not_have_is_found() {
    let moved =
        found(&[("/opening", json!(["go"])), ("/actions", json!(["pass", "stay", "go", "go"]))]);
    assert_eq!(
        moved.first().map(String::as_str),
        Some("it begins with `go`, pair 1 begins at the start")
    );
}

#[test]
fn seats_with_other_names_are_found() {
    let mut value = fine();
    for (_, field) in value.as_object_mut().expect("an object") {
        *field = serde_json::from_str(&field.to_string().replace("black", "red")).expect("JSON");
    }
    value["clock"]["startup_ns"] = json!({"white": 0, "red": 0});
    let found = audited(&record(value));
    assert_eq!(found, ["the seats are white and red"]);
}

#[test]
fn whatever_is_recorded_by_seat_has_the_seats_in_their_order() {
    let mut whole = fine();
    whole["final_scores"] = json!({"white": 3, "black": 1});
    whole["reported"] = json!({"white": "ant 1", "black": "bee 2"});
    whole["clock"]["tc"] = json!({"white": null, "black": null});
    let forged = ["the final score is 3 to 1, the replay says none"];
    assert_eq!(audited(&record(whole.clone())), forged);
    for field in [
        "scores",
        "seed",
        "clock/tc",
        "clock/startup_ns",
        "clock/used_ns",
        "clock/cpu_ns",
        "final_scores",
        "reported",
    ] {
        let mut value = whole.clone();
        let map = value.pointer_mut(&format!("/{field}")).expect(field);
        *map = json!({"black": map["white"], "white": map["black"]});
        let found = audited(&record(value));
        let field = field.replace('/', ".");
        let wrong =
            format!("the seats in `{field}` are black and white, unlike those of the players");
        assert!(found.contains(&wrong), "{found:?}");
    }
}

#[test]
fn the_first_difference_is_told_with_its_ply() {
    let (rules, header) = (scripted_game_rules(TURNS), header(&["ant", "bee"]));
    let fine = record(fine());
    assert_eq!(verify_under_rules(&rules, &header, &fine), Ok(None));
    let alone =
        GameRecord { actions: ["go", "pass", "stay"].map(str::to_owned).into(), ..fine.clone() };
    let (ply, finding) =
        verify_under_rules(&rules, &header, &alone).expect("no failure").expect("one");
    assert_eq!(ply, 2, "{finding}");
    let other = GameRecord { reason: "enough".to_owned(), ..fine };
    let (ply, finding) =
        verify_under_rules(&rules, &header, &other).expect("no failure").expect("one");
    assert_eq!(
        (ply, finding.to_string().as_str()),
        (4, "the reason is enough, the replay says done")
    );
}
