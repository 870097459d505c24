//! Simultaneous turns, with real players that write down their messages: no player learns the
//! other's answer early, and every fault is judged separately.
#![cfg(target_os = "linux")]

use std::fs;

use crate::support::{Arena, Run};
use serde_json::Value;

const PLAYERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/players");

/// A pair of games on Once, four turns each, between `ant` and `bee`, with these tricks.
struct Cup<'a> {
    ant: &'a [&'a str],
    bee: &'a [&'a str],
    clock: &'a str,
    top: &'a str,
}

impl Default for Cup<'_> {
    fn default() -> Self {
        Self { ant: &[], bee: &[], clock: "move = \"10s\"", top: "" }
    }
}

/// A line to or from a player, with the time in nanoseconds.
struct Note {
    at: u64,
    line: String,
    message: Value,
    action: Option<String>,
}

/// The result of a pair.
struct Played {
    arena: Arena,
    games: Vec<Value>,
}

impl Cup<'_> {
    fn player(name: &str, tricks: &[&str], told: &str) -> String {
        let command: Vec<&str> = ["python3", "walls.py"].iter().chain(tricks).copied().collect();
        format!(
            "[[players]]\nname = {name:?}\ncommand = {command:?}\ndir = {PLAYERS:?}\n\
             env = {{ TOLD = {told:?} }}\n"
        )
    }

    fn play(&self) -> Played {
        let arena = Arena::new();
        let told = |name: &str| {
            let dir = arena.path().join(name);
            fs::create_dir(&dir).expect("a folder");
            dir.to_str().expect("a plain path").to_owned()
        };
        let config = format!(
            "name = \"cup\"\ngame = \"back-to-the-wall\"\npairs = 1\njobs = 1\nseed = 7\n{}\n\
             [options]\nrounds = \"once\"\nmax-turns = 4\n[clock]\n{}\n{}{}",
            self.top,
            self.clock,
            Self::player("ant", self.ant, &told("ant")),
            Self::player("bee", self.bee, &told("bee")),
        );
        arena.write("tournament.toml", &config);
        // The players write down their messages.
        let run = arena.run(&["run", "--quiet", "--containment", "off"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let verified = "results/cup: 2 of 2 games played, seeds checked: no problems\n";
        assert_eq!(arena.run(&["verify"]), Run::new(0, verified, ""));
        let game = |line: &String| serde_json::from_str(line).expect("JSON");
        let games = arena.lines().values().map(game).collect();
        Played { arena, games }
    }
}

impl Played {
    /// The lines to (or from) `name` in the seat.
    fn notes(&self, name: &str, seat: &str, what: &str) -> Vec<Note> {
        let files = fs::read_dir(self.arena.path().join(name)).expect("a folder").flatten();
        let is_its = |path: &std::path::PathBuf| {
            let file = path.file_name().and_then(|file| file.to_str());
            file.is_some_and(|file| file.starts_with(seat))
        };
        let texts = files.map(|file| file.path()).filter(is_its);
        let all: String = texts.map(|path| fs::read_to_string(path).expect("text")).collect();
        let notes = all.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        notes
            .filter(|note| note["what"] == what)
            .map(|note| Note {
                at: note["at"].as_u64().expect("a time"),
                line: note["line"].as_str().unwrap_or_default().to_owned(),
                message: note["message"].clone(),
                action: note["answer"]["action"].as_str().map(str::to_owned),
            })
            .collect()
    }

    /// The requests that `name` got in the seat.
    fn turns(&self, name: &str, seat: &str) -> Vec<Note> {
        let mut notes = self.notes(name, seat, "told");
        notes.retain(|note| note.message["type"] == "turn");
        notes
    }

    /// The actions that `name` sent in the seat.
    fn replies(&self, name: &str, seat: &str) -> Vec<Note> {
        let mut notes = self.notes(name, seat, "said");
        notes.retain(|note| note.action.is_some());
        notes
    }

    /// The game in which `name` had the seat.
    fn game(&self, name: &str, seat: &str) -> &Value {
        let mut games = self.games.iter();
        games.find(|game| game["players"][seat] == name).expect("a game")
    }
}

fn other(seat: &str) -> &'static str {
    if seat == "grunkle" { "charge" } else { "grunkle" }
}

const SEATS: [&str; 2] = ["grunkle", "charge"];

#[test]
fn both_players_are_sent_the_same_in_alternating_order() {
    let played = Cup { clock: "budget = \"60s\"\nincrement = \"1s\"", ..Cup::default() }.play();
    for seat in SEATS {
        let (ant, bee) = (played.turns("ant", seat), played.turns("bee", other(seat)));
        assert_eq!((ant.len(), bee.len()), (4, 4));
        for (ply, (one, another)) in ant.iter().zip(&bee).enumerate() {
            for key in ["ply", "state", "events", "legal"] {
                assert_eq!(one.message[key], another.message[key], "{key} at ply {ply}");
            }
            let grunkle_is_first =
                if seat == "grunkle" { one.at < another.at } else { one.at > another.at };
            assert_eq!(grunkle_is_first, ply % 2 == 0, "ply {ply}");
        }
        let actions = played.game("ant", seat)["actions"].as_array().expect("a list");
        assert_eq!(actions.len(), 8);
    }
}

#[test]
fn a_fault_loses_without_revealing_the_other_action() {
    for (trick, code) in [("2:illegal", "illegal"), ("2:exit", "exit")] {
        let played = Cup { ant: &[trick], clock: "move = \"800ms\"", ..Cup::default() }.play();
        for seat in SEATS {
            let game = played.game("ant", seat);
            assert_eq!((&game["reason"], &game["result"]), (&code.into(), &other(seat).into()));
            assert_eq!(game["fault"][seat]["code"], code);
            assert!(game["fault"][other(seat)].is_null(), "{game}");
            assert_eq!(game["actions"].as_array().map(Vec::len), Some(4));
            assert_eq!(game["plies"], 2);
            // Both were asked at ply 2, whoever was first.
            assert_eq!(played.turns("bee", other(seat)).len(), 3);
            let replies = played.replies("bee", other(seat));
            let held = replies[2].action.as_deref().expect("an action");
            for name in ["ant", "bee"] {
                let seat = if name == "ant" { seat } else { other(seat) };
                let told = played.notes(name, seat, "told");
                let Some(end) = told.iter().find(|note| note.message["type"] == "end") else {
                    assert_eq!(name, "ant", "the other player owed nothing");
                    continue;
                };
                assert_eq!(end.message["events"], Value::Array(Vec::new()), "{}", end.line);
                assert_eq!(end.message["state"]["turn"], 2);
                assert!(!game["actions"].to_string().contains(held), "{held}");
            }
        }
    }
}

#[test]
fn both_faults_of_a_double_fault_are_recorded() {
    for (ant, bee, codes) in [
        ("1:bad", "1:illegal", ("malformed", "illegal")),
        ("0:exit", "0:sleep=9", ("exit", "timeout")),
    ] {
        let cup = Cup { ant: &[ant], bee: &[bee], clock: "move = \"500ms\"", ..Cup::default() };
        let played = cup.play();
        for seat in SEATS {
            let game = played.game("ant", seat);
            assert_eq!(
                (&game["reason"], &game["result"]),
                (&"double-fault".into(), &"draw".into())
            );
            assert_eq!(game["scores"], serde_json::json!({"grunkle": 0, "charge": 0}));
            let fault = |seat: &str| game["fault"][seat]["code"].clone();
            assert_eq!((fault(seat), fault(other(seat))), (codes.0.into(), codes.1.into()));
        }
    }
}

#[test]
fn with_separate_cores_both_are_asked_at_once() {
    let clock = "move = \"10s\"\nponder = true";
    let slow = ["0:sleep=0.5"];
    let played = Cup { ant: &slow, bee: &slow, clock, ..Cup::default() }.play();
    for seat in SEATS {
        let asked = (played.turns("ant", seat), played.turns("bee", other(seat)));
        let replied = played.replies("ant", seat).into_iter();
        let replied = replied.zip(played.replies("bee", other(seat)));
        // In the first turn both think long enough to see it.
        let asked = asked.0.iter().zip(&asked.1).take(1);
        for ((one, another), (one_said, another_said)) in asked.zip(replied) {
            let last_asked = one.at.max(another.at);
            assert!(last_asked < one_said.at.min(another_said.at), "asked before any reply");
        }
    }
}

#[test]
fn an_action_without_its_partner_is_found() {
    let played = Cup::default().play();
    let arena = &played.arena;
    arena.edit_line(2, |line| {
        let mut game: Value = serde_json::from_str(line).expect("JSON");
        let actions = game["actions"].as_array_mut().expect("a list");
        actions.truncate(7);
        game.to_string()
    });
    let run = arena.run(&["verify"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("is one action, but several seats move at once"), "{}", run.out);
}
