//! Players share a core with their opponents: computing on the other's turns brings no gain.
#![expect(clippy::print_stdout, reason = "the figures go into the documentation")]

use std::fs;
use std::path::Path;

use crate::support::{Arena, Config};
use serde_json::Value;

/// The work of a thief's children.
#[derive(Debug, Clone, Copy)]
struct Theft {
    children: u32,
    /// The milliseconds of computing after each reply; 0 for endless computing.
    burst: u32,
    /// The ply from which they compute.
    from: u32,
}

/// Other work on the machine makes a figure larger, never smaller: one good attempt is enough.
const ATTEMPTS: usize = 5;

fn thefts() -> impl Iterator<Item = Theft> {
    let counts = [1, 40].into_iter();
    let all = counts
        .flat_map(|children| [1, 10, 45, 100, 0].map(|burst| Theft { children, burst, from: 0 }));
    all.chain([Theft { children: 40, burst: 0, from: 5 }])
}

/// The seconds that the honest player was charged for its turns in two games.
fn charged(level: &str, a_move: u32, theft: Option<Theft>) -> f64 {
    let Theft { children, burst, from } = theft.unwrap_or(Theft { children: 0, burst: 0, from: 0 });
    let config = Config::empty()
        .player("honest", &format!("command = [\"/usr/bin/python3\", \"works.py\", \"{a_move}\"]"))
        .player(
            "thief",
            &format!(
                "command = [\"/usr/bin/python3\", \"thief.py\", \"{children}\", \"{burst}\", \"{from}\"]"
            ),
        )
        .change(|config| {
            (config.pairs, config.jobs) = (1, 1);
            config.max_moves = 4;
        });
    let arena = Arena::with(&config);
    for name in ["works.py", "thief.py"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/players").join(name);
        arena.write(name, &fs::read_to_string(path).expect("a player"));
    }
    let run = arena.run(&["run", "--quiet", "--containment", level]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines = arena.lines();
    let games = lines.values().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    games.map(|game| of_honest(&game)).sum()
}

fn of_honest(game: &Value) -> f64 {
    assert_eq!(game["fault"], Value::Null, "{game}");
    let players = game["players"].as_object().expect("seats");
    let (seat, _) = players.iter().find(|(_, name)| *name == "honest").expect("it plays");
    let turns = game["clock"]["used_ns"][seat].as_array().expect("times");
    turns.iter().map(|used| used.as_f64().expect("a number") / 1e9).sum()
}

/// How much more the honest player is charged against a thief than against a player that sleeps.
fn gains(level: &str, a_move: u32, thefts: impl Iterator<Item = Theft>) {
    for theft in thefts {
        let gain = || charged(level, a_move, Some(theft)) / charged(level, a_move, None) - 1.0;
        let mut gains = Vec::new();
        while gains.len() < ATTEMPTS && gains.iter().all(|&gain| gain > 0.02) {
            gains.push(gain());
        }
        println!("{level}, {a_move} ms per move, {theft:?}: {gains:.3?}");
        assert!(
            gains.iter().any(|&gain| gain <= 0.02),
            "{level}, {a_move} ms, {theft:?}: {gains:?}"
        );
    }
}

#[test]
#[ignore = "slow: dozens of games of players that take their time"]
fn computing_on_the_opponents_turns_brings_no_gain() {
    let _alone = crate::alone();
    gains("strict", 30, thefts());
    let greedy = Theft { children: 40, burst: 0, from: 0 };
    gains("strict", 100, [greedy].into_iter());
    gains("basic", 30, [greedy, Theft { children: 1, burst: 45, from: 0 }].into_iter());
}
