//! Go engines that speak GTP, as small scripts: what they are asked, what is recorded, and the
//! sentence for each way to fail.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Arena;

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/go/game.toml");
const OPENINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/go/sgf_openings.py");

fn player(name: &str) -> String {
    format!("[[players]]\nname = \"{name}\"\ngtp = [\"python3\", \"go_engine.py\", \"{name}\"]\n")
}

/// A folder with the engine, and a tournament of players called as they fail.
fn arena(keys: &str, players: &[&str]) -> Arena {
    let arena = Arena::new();
    arena.write("go_engine.py", include_str!("../players/go_engine.py"));
    let players: String = players.iter().map(|name| player(name)).collect();
    arena.write(
        "tournament.toml",
        &format!(
            "name = \"cup\"\ngame = \"{GAME}\"\nseed = 7\nquarantine = 0\n{keys}\n\
             [options]\nsize = 5\nkomi = 6.5\n{players}"
        ),
    );
    arena
}

fn games(arena: &Arena) -> Vec<Value> {
    arena.lines().values().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The fault of each player against `fine`.
const FAILURES: [(&str, &str, &str); 7] = [
    ("size", "no-start", "it refused `boardsize 5`: \"unacceptable size\""),
    ("refuses", "malformed", "\"?N out of ideas\": it refused `genmove`"),
    ("no-vertex", "malformed", "\"=N I5\": expected a point such as D4, `pass` or `resign`"),
    ("taken", "illegal", "G1: C1 is not a free point"),
    ("rejects", "malformed", "it refused `play b C1`, which is legal: \"illegal move\""),
    ("exits", "crash", "it exited with code 4 before the answer to genmove"),
    (
        "silent",
        "timeout",
        "no answer to genmove within 2 s and a margin of 0.02 s: waiting for input: a missing \
         flush, or it waits for a second line; it wrote \"thinking ...\"",
    ),
];

#[test]
fn each_failure_of_a_go_engine_has_its_own_sentence() {
    let names: Vec<&str> = FAILURES.iter().map(|failure| failure.0).collect();
    let clock = "format = \"gauntlet\"\nanchors = [\"fine\"]\n[clock]\nmove = \"2s\"";
    let arena = arena(clock, &[&["fine"], &names[..]].concat());
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let mut found = BTreeMap::new();
    for game in games(&arena) {
        let white = game["players"]["white"].as_str().expect("a name");
        if let Some(fault) = game["fault"].get("white") {
            let message = fault["message"].as_str().expect("a sentence");
            // The number of the command.
            let message = message.replace(|letter: char| letter.is_ascii_digit(), "N");
            found.insert(white.to_owned(), (fault["code"].clone(), message));
        }
    }
    for (name, code, message) in FAILURES {
        let message = message.replace(|letter: char| letter.is_ascii_digit(), "N");
        assert_eq!(found.get(name), Some(&(json!(code), message)), "{name}");
    }
    assert_eq!(arena.run(&["verify"]).code, 0);
}

#[test]
fn go_engines_play_and_their_games_are_written_in_sgf() {
    let arena = arena("[clock]\nbudget = \"20s\"", &["chats", "no-ids", "resigns", "no-clock"]);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let verify = arena.run(&["verify"]);
    assert_eq!(verify.code, 0, "{verify:?}");
    let games = games(&arena);
    assert_eq!(games.len(), 12);
    for game in &games {
        assert_eq!(game["fault"], Value::Null, "{game}");
        assert_eq!(game["reported"]["black"], "Fake Go 1.2");
        let quitter = ["black", "white"].into_iter().find(|it| game["players"][it] == "resigns");
        let told = game["warnings"].to_string().contains(
            "refused `time_settings`, so it is not told the time left: \\\"unknown command\\\"",
        );
        assert_eq!(told, game["players"].to_string().contains("no-clock"), "{game}");
        match quitter {
            Some(seat) => {
                let winner = if seat == "black" { "white" } else { "black" };
                assert_eq!(
                    (&game["reason"], &game["result"]),
                    (&json!("resignation"), &json!(winner))
                );
            }
            None => assert_eq!(game["final_scores"], json!({"black": 15, "white": 16.5})),
        }
    }
    let sgf = arena.run(&["export", "--sgf"]).out;
    assert_eq!(sgf.lines().count(), 12, "{sgf}");
    let played = ";B[ce];W[de];B[cd];W[dd];B[cc];W[dc];B[cb];W[db];B[ca];W[da];B[];W[])";
    let scored = sgf.lines().find(|line| line.ends_with(played)).expect("a game to its end");
    assert!(scored.contains("SZ[5]") && scored.contains("RE[W+1.5]"), "{scored}");
    assert_eq!(sgf.matches("+R]").count(), 6, "{sgf}");
    assert!(arena.run(&["export", "--sgf", "--pgn"]).err.contains("cannot be used with"));

    arena.write("games.sgf", &sgf);
    let book = Command::new("python3")
        .args(["-B", OPENINGS, "5", "4", "games.sgf"])
        .current_dir(arena.path())
        .output()
        .expect("Python 3 starts");
    assert!(String::from_utf8_lossy(&book.stdout).contains("C1; D1; C2; D2\n"), "{book:?}");
}

#[test]
fn a_go_engine_is_told_the_game_and_its_clock() {
    let arena = arena("[clock]\nbudget = \"20s\"\nincrement = \"1s\"", &["fine", "other"]);
    let sent = |args: &[&str]| {
        let words = [&["ask", "gtp:python3 go_engine.py", "--emit", "lines.txt"], args].concat();
        let asked = arena.run(&words);
        assert_eq!(asked.code, 0, "{asked:?}");
        std::fs::read_to_string(arena.path().join("lines.txt")).expect("lines")
    };
    let setup = "boardsize 5\nkomi 6.5\nclear_board\n";
    assert_eq!(sent(&[]), format!("{setup}time_settings 20 1 1\ntime_left b 20 0\ngenmove b\n"));
    for (tc, told, left) in [("9.9+0.5", "9 0 0", "9 0"), ("40/60+0.6", "0 60 40", "60 40")] {
        let expected = format!("{setup}time_settings {told}\ntime_left b {left}\ngenmove b\n");
        assert_eq!(sent(&["--tc", tc]), expected);
    }
    let unlimited = format!("{setup}time_settings 0 1 1\ntime_left b 1 1\ngenmove b\n");
    assert_eq!(sent(&["--no-clock"]), unlimited);
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let id = games(&arena)[0]["id"].as_str().expect("an id").to_owned();
    let later = sent(&["--record", &id, "--ply", "3"]);
    let moves = "play b C1\nplay w D1\nplay b C2\ntime_left w ";
    assert!(later.contains(moves) && later.ends_with("genmove w\n"), "{later}");
}

#[test]
fn go_engines_play_go_only() {
    let arena = Arena::new();
    arena.write("go_engine.py", include_str!("../players/go_engine.py"));
    let engine = "gtp:python3 go_engine.py";
    let play = |args: &[&str]| arena.run(&[&["play", engine, "bot:random"], args].concat());
    let refused = play(&["--game", "chess"]);
    let only = "GTP engines play go only, and the game is chess; set `--game` or `game` to its";
    assert!(refused.code == 2 && refused.err.contains(only), "{refused:?}");
    let played = play(&["--game", GAME, "--option", "size=5", "--delay", "0s"]);
    assert_eq!(played.code, 0, "{played:?}");
    let large = play(&["--game", GAME, "--option", "size=19", "--delay", "0s"]);
    assert!(large.out.contains("it refused `boardsize 19`: \"unacceptable size\""), "{large:?}");
    let unknown = arena.run(&["play", "foo:bar", "bot:random"]);
    let prefixes = "unknown prefix `foo:`; expected `bot:`, `uci:` or `gtp:`";
    assert!(unknown.code == 2 && unknown.err.contains(prefixes), "{unknown:?}");
    let check =
        arena.run(&["check", engine, "--game", GAME, "--option", "size=5", "--against", "random"]);
    assert_eq!(check.code, 0, "{check:?}");
}

#[test]
fn an_engine_gets_all_moves_again_after_one_that_was_refused() {
    let arena = arena("fault-policy = { retry = 2 }\n[clock]\nmove = \"2s\"", &["fine", "taken"]);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    for game in games(&arena) {
        assert_eq!(game["fault"].as_object().map(serde_json::Map::len), Some(1), "{game}");
        let warnings = game["warnings"].to_string();
        assert!(warnings.contains("was asked again at ply "), "{game}");
        assert!(!warnings.contains("refused `play"), "{game}");
    }
}
