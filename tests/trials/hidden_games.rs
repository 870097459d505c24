//! Games with hidden information: messages to players, displays, and built-in players.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::harness::{quick, slow, without};
use crate::support::Arena;
use libtest_mimic::Trial;
use serde_json::Value;

/// A player that writes its messages into a file named after its seat and the game's seed, on which
/// its actions depend, too.
const SPY: &str = r#"
import json, random, sys
out = rng = None
for line in sys.stdin:
    message = json.loads(line)
    message.pop("clock", None)
    if message["type"] == "init":
        name = f"{message['you']}-{message['seed']}"
        out, rng = open(name + ".jsonl", "a"), random.Random(name)
    print(json.dumps(message), file=out, flush=True)
    if message["type"] == "init":
        print(json.dumps({"id": message["id"], "guesses": 4}), flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"id": message["id"], "action": rng.choice("12")}), flush=True)
"#;

/// The pairs of games in which a seat's messages are compared.
const PAIRS: u32 = 10;

/// A tournament of a variant of `tests/rules/liar.py`.
const CUP: &str = r#"
name = "cup"
seed = 7
jobs = 1
PAIRS

[game]
command = ["python3", "liar.py", "VARIANT"]

[containment]
level = "off"
"#;

pub(crate) fn tests() -> Vec<Trial> {
    let with_python = |run: fn()| {
        move || {
            without(&["python3"]).or_else(|| {
                run();
                None
            })
        }
    };
    vec![
        quick(
            "a seat is told nothing that depends on what it may not know",
            with_python(told_the_same),
        ),
        slow("built-in players need guesses to look ahead", with_python(who_can_play)),
        quick("a game is sealed until its pair is over", with_python(sealed)),
    ]
}

/// Writes a tournament of this variant between `players`, pairs of a name and the keys.
fn cup(variant: &str, pairs: u32, players: &[(&str, &str)]) -> Arena {
    let arena = Arena::new();
    arena.write("liar.py", include_str!("../rules/liar.py"));
    arena.write("spy.py", SPY);
    let player = |(name, keys): &(&str, &str)| format!("[[players]]\nname = \"{name}\"\n{keys}\n");
    let config = CUP.replace("VARIANT", variant).replace("PAIRS", &format!("pairs = {pairs}"));
    let players: String = players.iter().map(player).collect();
    arena.write("tournament.toml", &(config + &players));
    arena
}

fn told_the_same() {
    let spies = [
        ("ant", "command = [\"python3\", \"spy.py\"]\nrestart = false\nguesses = true"),
        ("bee", "command = [\"python3\", \"spy.py\"]\nrestart = false\nguesses = true"),
    ];
    let told = ["heads", "tails"].map(|coin| {
        let arena = cup(coin, PAIRS, &spies);
        let run = arena.run(&["run", "--quiet", "--strict"]);
        assert_eq!(run.code, 0, "{run:?}");
        ["first", "second"].map(|seat| heard(&arena, seat))
    });
    let [[first, second], [other_first, other_second]] = told;
    assert_ne!(first, other_first, "the first seat sees its coin");
    assert_eq!(second.len(), 2 * PAIRS as usize);
    assert_eq!(second, other_second);
    let second = second.values().next().expect("a game");
    let turn = second.lines().find(|line| line.contains("\"turn\"")).expect("a turn");
    let turn: Value = serde_json::from_str(turn).expect("JSON");
    assert_eq!(turn["guesses"].as_array().map(Vec::len), Some(4), "{turn}");
    // Unless the organiser allows it, a player gets none: a mistake in the rules could make them true.
    let keys = "command = [\"python3\", \"spy.py\"]\nrestart = false";
    let arena = cup("heads", 1, &[("ant", keys), ("bee", keys)]);
    assert_eq!(arena.run(&["run", "--quiet", "--strict"]).code, 0);
    for (game, lines) in heard(&arena, "second") {
        assert!(lines.contains("\"turn\"") && !lines.contains("guesses"), "{game}: {lines}");
    }
}

/// The messages to a seat, by game.
fn heard(arena: &Arena, seat: &str) -> BTreeMap<String, String> {
    let files = fs::read_dir(arena.path()).expect("a folder").flatten();
    let named = files.map(|file| (file.file_name().to_string_lossy().into_owned(), file.path()));
    let of_seat = named.filter(|(name, _)| name.starts_with(seat));
    of_seat.map(|(name, path)| (name, fs::read_to_string(path).expect("lines"))).collect()
}

fn who_can_play() {
    // Nobody needs a guess, so a program that ends when it is asked for one can be played.
    let random = [("ant", "bot = \"random\""), ("bee", "bot = \"random\"")];
    let played = cup("deaf", 1, &random).run(&["run", "--quiet", "--strict"]);
    assert_eq!(played.code, 0, "{played:?}");
    let bots = [("ant", "bot = \"steady\""), ("bee", "bot = \"search-40\"")];
    let refused = cup("blind", 1, &bots).run(&["run", "--quiet"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("cannot play liar: it searches"), "{refused:?}");
    let arena = cup("blind", 1, &[("ant", "bot = \"random\""), ("bee", "bot = \"random\"")]);
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let arena = cup("keeps", 1, &bots);
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(arena.run(&["verify"]).code, 0);
}

fn sealed() {
    let arena = cup("keeps", 1, &[("ant", "bot = \"random\""), ("bee", "bot = \"random\"")]);
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    for name in ["games.jsonl", "games.csv", "standings.csv", "report.html", "games/index.js"] {
        let found = fs::metadata(arena.results().join(name)).expect("a file");
        assert_eq!(found.permissions().mode() & 0o777, 0o600, "{name}");
    }
    assert!(arena.read("games/index.js").contains("forty"), "both games are over");
    let packets = arena.run(&["report", "--packets=all"]);
    assert!(!packets.err.contains("left out"), "{packets:?}");
    let page = arena.path().join("results/cup/report.html");
    assert!(fs::read_to_string(&page).expect("a page").contains("coin"), "both games are over");
    let log = arena.path().join("results/cup/games.jsonl");
    let text = fs::read_to_string(&log).expect("a log");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    fs::write(&log, format!("{}\n{}\n", lines[0], lines[1])).expect("written");
    let packets = arena.run(&["report", "--packets=some"]);
    assert_eq!(packets.code, 0, "{packets:?}");
    let left_out = "left out, because the other game of their pair";
    assert!(packets.err.contains(left_out), "{packets:?}");
    let export = arena.run(&["export"]);
    assert!(export.code == 0 && export.err.contains(left_out), "{export:?}");
    assert_eq!(export.out, "");
    assert_eq!(arena.run(&["report"]).code, 0);
    let page = fs::read_to_string(&page).expect("a page");
    assert!(!page.contains("coin"), "it shows the coin");
    let index = arena.read("games/index.js");
    assert!(index.contains("not shown yet") && !index.contains("forty"), "{index}");
}
