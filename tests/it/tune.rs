//! `referee tune`: steps, resuming, and what it finds.

use std::fs;

use crate::support::{Arena, Config, Run};

/// Loses more games by a fault, the farther its parameters are from 70 and 0.3.
const PLAYER: &str = r#"
import json, os, random, sys
x, y = float(sys.argv[-1].split("=")[1]), float(os.environ["Y"])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if message["type"] == "init":
        luck = random.Random(f"{message['seed']} {x} {y}")
        miss = (((x - 70) / 50) ** 2 + ((y - 0.3) / 0.5) ** 2) / 4
    if "id" in message:
        reply = {"id": message["id"]}
        if message["type"] == "turn":
            fails, miss = luck.random() < miss, 0
            reply["action"] = "nonsense" if fails else luck.choice(message["legal"])
        print(json.dumps(reply), flush=True)
"#;

fn arena(head: &str) -> Arena {
    let arena = Arena::with(&Config::empty());
    arena.write("player.py", PLAYER);
    let parameters = "\
        [[parameters]]\nargument = \"--x={}\"\nstart = 20\nmin = 0\nmax = 100\nstep = 15\nwhole = true\n\
        [[parameters]]\nenv = \"Y\"\nstart = 0.9\nmin = 0\nmax = 1\nstep = 0.15\n";
    let text = format!("player = \"python3 player.py\"\n{head}\n{parameters}");
    arena.write("tune.toml", &text);
    arena
}

fn tune(arena: &Arena, args: &[&str]) -> Run {
    arena.run(&[&["tune", "tune.toml", "--game", "watch-your-back", "--jobs", "1"], args].concat())
}

/// The table of the steps, and the results folder.
fn steps(arena: &Arena) -> (Vec<String>, std::path::PathBuf) {
    let dirs: Vec<_> = fs::read_dir(arena.path().join("results")).expect("results").collect();
    let [Ok(dir)] = &dirs[..] else { panic!("one folder: {dirs:?}") };
    let table = fs::read_to_string(dir.path().join("steps.csv")).expect("a table");
    (table.lines().map(str::to_owned).collect(), dir.path())
}

#[test]
fn a_tuning_resumes_and_compares_its_result_with_the_start() {
    let arena = arena("steps = 3\npairs = 1\nrate = 0.2");
    let run = tune(&arena, &["--max-pairs", "4"]);
    assert!([0, 10, 11].contains(&run.code), "{}", run.err);
    assert!(run.out.contains("tuned scored "), "{}", run.out);
    assert!(run.err.contains("with a fault); --x="), "{}", run.err);
    // No command line names the two players.
    assert!(run.err.contains(" in game ") && !run.err.contains("referee ask"), "{}", run.err);
    let (table, dir) = steps(&arena);
    assert_eq!((table.len(), &*table[0]), (5, "step,lead,\"--x={}\",\"Y\""));
    assert!(table[1].starts_with("0,,20.000000,0.900000"), "{table:?}");
    let page = fs::read_to_string(dir.join("tuning.html")).expect("a page");
    assert!(page.contains("<svg "));
    // A step that was lost is played again, with the same games; the others are not.
    let log = |step: &str| fs::read(dir.join(step).join("games.jsonl")).expect("a log");
    let first = log("step-0001");
    fs::remove_dir_all(dir.join("step-0003")).expect("removed");
    let again = tune(&arena, &["--max-pairs", "4"]);
    assert_eq!((again.code, &again.out), (run.code, &run.out), "{}", again.err);
    assert_eq!((steps(&arena).0, log("step-0001")), (table, first));
    assert!(again.err.contains("step 3 of 3: "), "{}", again.err);
    assert!(!again.err.contains("step 1 of 3: "), "told before: {}", again.err);
    let only = tune(&arena, &["--max-pairs", "0", "--format", "json"]);
    let only: serde_json::Value = serde_json::from_str(&only.out).expect("JSON");
    assert!(only["values"]["Y"].is_f64(), "{only}");
    let verified = arena.run(&["verify", dir.join("step-0002").to_str().expect("plain")]);
    assert_eq!(verified.code, 0, "{}", verified.err);
}

#[test]
#[ignore = "slow: 480 games of Python programs"]
fn two_parameters_of_a_program_are_found() {
    let arena = arena("steps = 120\npairs = 2\nrate = 0.1");
    let run = tune(&arena, &["--max-pairs", "0", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let (table, _) = steps(&arena);
    let last: Vec<f64> =
        table[121].split(',').map(|cell| cell.parse().expect("a number")).collect();
    assert!((last[2] - 70.0).abs() < 25.0 && (last[3] - 0.3).abs() < 0.25, "{last:?}");
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let arena = arena("steps = 3\nspeed = 2");
    let run = tune(&arena, &[]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("tune.toml: ") && run.err.contains("speed"), "{}", run.err);
    arena.write("tune.toml", &arena_file("bot:greedy", "env = \"X\""));
    assert!(tune(&arena, &[]).err.contains("`bot:greedy` has no parameters"));
    arena.write("tune.toml", &arena_file("python3 player.py", "option = \"X\""));
    assert!(tune(&arena, &[]).err.contains("UCI engines, such as `uci:stockfish`"));
}

fn arena_file(player: &str, way: &str) -> String {
    format!(
        "player = {player:?}\nsteps = 1\n[[parameters]]\n{way}\nstart = 1\nmin = 0\nmax = 2\nstep = 1\n"
    )
}
