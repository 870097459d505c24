//! Go of `games/`: positions that say what the rules decide.

use serde_json::{Value, json};

use crate::support::Arena;

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/go/game.toml");

/// The position after these actions on a board of size 5, or why one of them is refused.
fn after(actions: &str, options: &[&str]) -> Result<Value, String> {
    let args = [&["trace", GAME, "--legal", "--option", "size=5"], options].concat();
    let run = Arena::new().run_with(&args, &actions.replace(' ', "\n"));
    let last = run.out.lines().last().unwrap_or_default();
    if run.code == 0 { Ok(serde_json::from_str(last).expect("JSON")) } else { Err(run.err) }
}

fn refusal(actions: &str) -> String {
    after(actions, &[]).expect_err("refused")
}

#[test]
fn suicide_is_illegal_unless_it_captures() {
    assert_eq!(refusal("A2 E5 B1 A1"), "line 4: G3: A1 would be suicide\n");
    let position = after("A2 B2 B1 C1 pass A1", &[]).expect("legal");
    assert_eq!(position["state"]["rows"], json!([".....", ".....", ".....", "bw...", "w.w.."]));
    assert_eq!(position["events"][1], json!({"event": "capture", "stones": ["B1"]}));
}

#[test]
fn no_position_comes_again() {
    let ko = "C4 D4 B3 E3 C2 D2 D3 C3";
    assert_eq!(refusal(&format!("{ko} D3")), "line 9: G4: D3 would repeat an earlier position\n");
    let position = after(&format!("{ko} A1 A5 D3"), &[]).expect("legal after other moves");
    assert_eq!(position["events"][1]["stones"], json!(["C3"]));
    assert!(refusal(&format!("{ko} pass E1 pass E5 D3 C3")).contains("line 14: G4"));
    let end = after(&format!("{ko} pass pass"), &[]).expect("a pass repeats nothing");
    assert_eq!(end["turn"]["over"]["reason"], "passes");
}

#[test]
fn stones_and_the_areas_within_them_are_scored_with_komi() {
    let walls = "C1 D1 C2 D2 C3 D3 C4 D4 C5 D5 A1 pass pass";
    let end = |options: &[&str]| after(walls, options).expect("legal")["events"][1].clone();
    let won = |by: &str, white: Value| {
        json!({"event": "over", "result": by, "reason": "passes",
            "scores": {"black": 15, "white": white}})
    };
    assert_eq!(end(&[]), won("white", json!(17)));
    assert_eq!(end(&["--option", "komi=4.5"]), won("black", json!(14.5)));
    assert_eq!(end(&["--option", "komi=5"]), won("draw", json!(15)));
    // A point beside both colours is nobody's.
    let shared = after("C3 D3 pass pass", &[]).expect("legal");
    assert_eq!(shared["events"][1]["scores"], json!({"black": 1, "white": 8}));
    let wrong = after("", &["--option", "komi=6.3"]).expect_err("refused");
    assert!(wrong.contains("`komi` must be a number of half points from -361 to 361"), "{wrong}");
}

#[test]
fn points_are_called_as_go_players_do() {
    let position = after("c3 PASS", &[]).expect("legal");
    assert_eq!(position["action"], "pass");
    assert_eq!(position["state"]["rows"][2], "..b..");
    assert!(refusal("F1").contains("G1: F1 is not on the board"));
    assert!(refusal("C3 C3").contains("G1: C3 is not a free point"));
    assert!(refusal("I3").contains("expected a point, such as D4, or pass"));
}
