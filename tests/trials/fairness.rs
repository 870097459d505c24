//! Players share a core with their opponents: computing on the other's turns brings no gain.
#![expect(clippy::print_stdout, reason = "the figures go into the documentation")]

use std::fs;
use std::path::Path;

use crate::harness::{Lacks, alone};
use crate::support::{Arena, Config};
use libtest_mimic::Trial;
use serde_json::Value;

/// The work of a thief's children.
#[derive(Debug, Clone, Copy)]
struct Theft {
    children: u32,
    /// The milliseconds of computing after each reply; 0 for endless computing.
    burst: u32,
    /// The ply from which they compute.
    from: u32,
    /// How many timers of each send the signal that ends a freeze.
    timers: u32,
}

/// A kind of containment.
#[derive(Debug, Clone, Copy)]
struct Containment {
    level: &'static str,
    /// Mechanisms that are left out.
    without: &'static [&'static str],
}

const STRICT: Containment = Containment { level: "strict", without: &[] };
const BASIC: Containment = Containment { level: "basic", ..STRICT };
/// The control groups.
const GROUPS: &[&str] = &["memory", "processes", "cpu", "freeze", "kill"];

/// Other work on the machine makes a figure larger, never smaller: one good attempt is enough.
const ATTEMPTS: usize = 8;
/// How much more the honest player may be charged against a thief: 2%.
const FAIR: f64 = 0.02;
/// If it is charged this much more than it computes even against a player that sleeps, other
/// programs take its core.
const BUSY: f64 = 0.05;

fn thefts() -> Vec<Theft> {
    let counts = [1, 40].into_iter();
    let all = counts.flat_map(|children| {
        [1, 10, 45, 100, 0].map(|burst| Theft { children, burst, from: 0, timers: 0 })
    });
    all.chain([Theft { children: 40, burst: 0, from: 5, timers: 0 }]).collect()
}

/// How much the honest player was charged for its turns in two games against each of these opponents,
/// as a multiple of the time that it computed. Without a theft, the opponent sleeps.
fn charged(containment: Containment, a_move: u32, opponents: &[Option<Theft>]) -> Vec<f64> {
    let honest = format!("command = [\"/usr/bin/python3\", \"works.py\", \"{a_move}\"]");
    let mut config = Config::empty().player("honest", &honest).change(|config| {
        (config.pairs, config.jobs) = (1, 1);
        config.max_moves = 4;
        config.more.push_str("format = \"gauntlet\"\nanchors = [\"honest\"]\n");
    });
    let none = Theft { children: 0, burst: 0, from: 0, timers: 0 };
    for (at, theft) in opponents.iter().enumerate() {
        let Theft { children, burst, from, timers } = theft.unwrap_or(none);
        let words = [children, burst, from, timers].map(|word| format!("\"{word}\"")).join(", ");
        let command = format!("command = [\"/usr/bin/python3\", \"thief.py\", {words}]");
        config = config.player(&format!("opponent-{at}"), &command);
    }
    let arena = Arena::with(&config);
    for name in ["works.py", "thief.py"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/players").join(name);
        arena.write(name, &fs::read_to_string(path).expect("a player"));
    }
    let mut args = vec!["run", "--quiet", "--containment", containment.level];
    args.extend(containment.without.iter().flat_map(|mechanism| ["--without", mechanism]));
    let run = arena.run(&args);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines = arena.lines();
    let games = lines.values().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let games: Vec<Value> = games.collect();
    let share = |at: usize| {
        let name = format!("opponent-{at}");
        let turns: Vec<f64> = games.iter().flat_map(|game| of_honest(game, &name)).collect();
        let computed: f64 = turns.iter().map(|_| f64::from(a_move)).sum();
        turns.iter().sum::<f64>() / computed
    };
    (0..opponents.len()).map(share).collect()
}

/// The milliseconds that each turn of the honest player was charged, if this opponent played.
fn of_honest(game: &Value, opponent: &str) -> Vec<f64> {
    assert_eq!(game["fault"], Value::Null, "{game}");
    let players = game["players"].as_object().expect("seats");
    if players.values().all(|name| name != opponent) {
        return Vec::new();
    }
    let (seat, _) = players.iter().find(|(_, name)| *name == "honest").expect("it plays");
    let turns = game["clock"]["used_ns"][seat].as_array().expect("times");
    turns.iter().map(|used| used.as_f64().expect("a number") / 1e6).collect()
}

/// Compares what the honest player is charged against thieves and against a player that sleeps.
/// Returns why that could not be compared, if so.
fn compare(containment: Containment, a_move: u32, thefts: &[Theft]) -> Lacks {
    let thieves = thefts.iter().copied().map(Some);
    let first =
        charged(containment, a_move, &[None].into_iter().chain(thieves).collect::<Vec<_>>());
    let one = |theft| charged(containment, a_move, &[theft])[0];
    let mut before = first[0];
    let mut busy = before > 1.0 + BUSY;
    for (&theft, charged) in thefts.iter().zip(&first[1..]) {
        let mut gains = vec![charged / before - 1.0];
        // A loss tells as much as a gain: the machine was busier before, or is now.
        while gains.len() < ATTEMPTS && gains.iter().all(|gain| gain.abs() > FAIR) {
            before = one(None);
            busy |= before > 1.0 + BUSY;
            gains.push(one(Some(theft)) / before - 1.0);
        }
        println!("{containment:?}, {a_move} ms per move, {theft:?}: {gains:.3?}");
        let fair = gains.iter().any(|&gain| gain <= FAIR);
        assert!(fair || busy, "{containment:?}, {a_move} ms, {theft:?}: {gains:?}");
        if !fair {
            return Some("other programs take the cores".to_owned());
        }
    }
    None
}

fn computing_on_the_opponents_turns_brings_no_gain() -> Lacks {
    let greedy = Theft { children: 40, burst: 0, from: 0, timers: 0 };
    let rare = Theft { children: 1, burst: 45, from: 0, timers: 0 };
    let waking = Theft { children: 3, burst: 0, from: 0, timers: 20 };
    let [strict, basic] = [STRICT, BASIC].map(|it| Containment { without: GROUPS, ..it });
    [
        (STRICT, 30, thefts()),
        (STRICT, 100, vec![greedy, waking]),
        (BASIC, 30, vec![greedy, rare]),
        (strict, 30, vec![greedy, rare]),
        (strict, 100, vec![greedy, waking]),
        (basic, 30, vec![greedy, rare]),
        (basic, 100, vec![waking]),
    ]
    .into_iter()
    .find_map(|(containment, a_move, thefts)| compare(containment, a_move, &thefts))
}

/// Spends its budget at once, but for two milliseconds.
const SPENDS: &str = "\
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'init':
        print('ok', flush=True)
    if message['type'] == 'turn':
        time.sleep(max(0, message['clock']['left_ms'] - 2) / 1000)
        print(message['legal'][0], flush=True)
";

/// Replies at once, and computes for a moment then.
const KEEPS_BOOKS: &str = "\
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'init':
        print('ok', flush=True)
    if message['type'] == 'turn':
        print(message['legal'][0], flush=True)
        until = time.process_time() + 0.0015
        while time.process_time() < until:
            pass
";

fn a_player_that_spent_its_budget_gets_no_replay() -> Lacks {
    let python = |file: &str| format!("command = [\"/usr/bin/python3\", \"{file}\"]");
    let config = Config::empty()
        .player("spender", &python("spends.py"))
        .player("honest", &python("books.py"))
        .change(|config| {
            (config.pairs, config.jobs) = (5, 1);
            config.more.push_str("quarantine = 0\n");
            config.clock.push_str("budget = \"200ms\"");
        });
    let arena = Arena::with(&config);
    arena.write("spends.py", SPENDS);
    arena.write("books.py", KEEPS_BOOKS);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines = arena.lines();
    let games = lines.values().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let (mut losses, mut void) = (0, 0);
    for game in games {
        losses += u32::from(game["reason"] == "timeout");
        void += game["void"].as_array().map_or(0, Vec::len);
    }
    assert!(losses > 0, "its budget lasted: {lines:?}");
    assert_eq!(void, 0, "{lines:?}");
    None
}

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        alone(
            "computing_on_the_opponents_turns_brings_no_gain",
            computing_on_the_opponents_turns_brings_no_gain,
        ),
        alone(
            "a_player_that_spent_its_budget_gets_no_replay",
            a_player_that_spent_its_budget_gets_no_replay,
        ),
    ]
}
