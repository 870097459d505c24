//! A bad player at a table of four: whatever it does, the faults are its own, and the others play on.
#![cfg(target_os = "linux")]

use serde_json::Value;

use crate::support::Arena;

const PLAYERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/players");
const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/goofspiel.py");
const OTHERS: [&str; 3] = ["ant", "bee", "cat"];

/// The games of a deal, in which `bad` takes each seat once among three others, who are fine.
fn games_with(bad: &[&str], clock: &str) -> (Arena, Vec<Value>) {
    let arena = Arena::new();
    let player = |name: &str, command: &[&str]| {
        format!("[[players]]\nname = {name:?}\ncommand = {command:?}\ndir = {PLAYERS:?}\n")
    };
    let others: String = OTHERS.iter().map(|name| player(name, &["python3", "fine.py"])).collect();
    arena.write(
        "tournament.toml",
        &format!(
            "name = \"cup\"\ngame = {{ command = [\"python3\", {RULES:?}, \"4\"] }}\nseed = 3\n\
             jobs = 1\nquarantine = 0\n[options]\ncards = 4\n[clock]\n{clock}\n{}{others}",
            player("bad", bad)
        ),
    );
    let run = arena.run(&["run", "-q"]);
    assert_eq!(run.code, 0, "{bad:?}: {}", run.err);
    let log = arena.log();
    let games: Vec<Value> =
        log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(games.len(), 4, "{bad:?}");
    let verified = arena.run(&["verify"]);
    assert_eq!(verified.code, 0, "{bad:?}: {}", verified.out);
    (arena, games)
}

/// The seat of `bad`.
fn seat_of_bad(game: &Value) -> &str {
    let players = game["players"].as_object().expect("players");
    players.iter().find(|(_, name)| *name == "bad").expect("it plays").0
}

#[test]
fn a_fault_at_a_table_is_that_of_its_player_alone() {
    let flood = "yes | tr -d '\\n'";
    let long = "head -c 70000 /dev/zero | tr '\\000' x; echo; exec cat > /dev/null";
    let (patient, short) = ("move = \"20s\"", "move = \"1s\"");
    for (bad, clock, code) in [
        (["sh", "does.sh", flood], patient, "oversize"),
        (["sh", "does.sh", long], patient, "oversize"),
        (["sh", "says.sh", "1\\n2\\n3\\n"], patient, "unexpected-output"),
        (["sh", "does.sh", "exec sleep 60"], short, "timeout"),
        (["sh", "plays_then.sh", "exit 0"], patient, "exit"),
        (["sh", "does.sh", "kill -SEGV $$"], patient, "crash"),
    ] {
        let (_arena, games) = games_with(&bad, clock);
        for game in games {
            let seat = seat_of_bad(&game);
            let faults = game["fault"].as_object().expect("a fault");
            let failed: Vec<&String> =
                faults.iter().filter(|(_, fault)| !fault.is_null()).map(|(seat, _)| seat).collect();
            assert_eq!(failed, [seat], "{bad:?}: {game}");
            assert_eq!(faults[seat]["code"], code, "{bad:?}: {game}");
            for (other, place) in game["places"].as_object().expect("places") {
                assert_eq!(*place, if other == seat { 4 } else { 1 }, "{bad:?}: {game}");
            }
        }
    }
}

#[test]
fn what_is_no_fault_at_a_table_disturbs_nobody() {
    let to_stderr = "head -c 3000000 /dev/zero | tr '\\000' x >&2";
    for bad in [
        &["sh", "bare.sh", "", to_stderr][..],
        &["python3", "hostile.py", "fork"],
        &["python3", "hostile.py", "threads"],
        &["python3", "hostile.py", "write"],
        &["python3", "hostile.py", "read-opponent"],
    ] {
        let (_arena, games) = games_with(bad, "move = \"20s\"");
        for game in games {
            assert!(game["fault"].is_null(), "{bad:?}: {game}");
            assert_eq!(game["reason"], "points", "{bad:?}: {game}");
            assert_eq!(game["plies"], 4, "{bad:?}: {game}");
        }
    }
}
