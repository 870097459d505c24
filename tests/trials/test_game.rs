//! `referee test-game`: rules programs with one mistake each, found with the fewest steps.

use crate::harness::{Lacks, quick, slow, without};
use crate::support::Arena;
use libtest_mimic::Trial;
use serde_json::Value;

const LIAR: &str = include_str!("../rules/liar.py");
const CROWD: &str = include_str!("../rules/crowd.py");

/// The mistakes of `tests/rules/liar.py`: the argument, a part of the problem, and the number of
/// steps that show it.
const MISTAKES: [(&str, &str, usize); 10] = [
    ("impure", "two processes of the program show different positions", 1),
    ("twice", "is listed twice", 2),
    ("seats", "unknown seat `third`", 3),
    ("crashes", "exited with code 1", 7),
    ("leaks", "second can tell from the events what its guesses hide", 1),
    ("open", "second's guesses leak hidden information", 1),
    ("grows", "the maximum is 65536", 16),
    ("silent", "no answer within 2 s", 3),
    ("endless", "the game is not over after 40 plies", 40),
    ("outlaw", "unknown clause `L9`", 0),
];

/// The mistakes of `tests/rules/crowd.py`, likewise.
const MISTAKES_OF_MORE: [(&str, &str, usize); 6] = [
    ("asked", "is listed in `eliminated`, but is asked to move", 2),
    ("returns", "was listed in `eliminated`, but no longer is", 2),
    ("gap", "invalid `places`: each seat's place is 1 plus", 2),
    ("short", "`places` has no value for `", 2),
    ("draws", "`svg`, line 2, column 3, `script`: this element is not allowed", 0),
    ("first-come", "depends on the order of the seats in `together`", 2),
];

/// The mistakes that only many games, large states or long waits show.
const SLOW: [&str; 6] = ["impure", "leaks", "open", "grows", "silent", "endless"];

pub(crate) fn tests() -> Vec<Trial> {
    let mut tests = vec![
        quick("nothing is found in an honest game", || honest("honest")),
        slow("nothing is found in a game that keeps its secret", || honest("keeps")),
        slow("nothing is found in a game that shows its secret at the end", || honest("bares")),
        slow("without guesses, the report says what was not checked", unchecked),
    ];
    tests.extend(MISTAKES.map(|(mistake, problem, steps)| {
        let tier = if SLOW.contains(&mistake) { slow } else { quick };
        tier(format!("{mistake} is found"), move || found(LIAR, mistake, problem, steps))
    }));
    tests.push(quick("nothing is found in an honest game of three", honest_crowd));
    tests.extend(MISTAKES_OF_MORE.map(|(mistake, problem, steps)| {
        quick(format!("{mistake} is found"), move || found(CROWD, mistake, problem, steps))
    }));
    tests
}

/// The places of this game tell an order; those of its variant `winner` do not, and a note says so.
fn honest_crowd() -> Lacks {
    let kinds = [("honest", Value::Null), ("winner", true.into()), ("declared", Value::Null)];
    for (kind, is_only_winner) in kinds {
        let (code, trial) = match tried(CROWD, kind) {
            Ok(tried) => tried,
            Err(lacks) => return lacks,
        };
        assert_eq!((code, &trial["findings"]), (0, &serde_json::json!([])), "{trial}");
        assert_eq!(trial["portrait"]["random"]["winner_only"], is_only_winner, "{trial}");
    }
    None
}

fn honest(kind: &str) -> Lacks {
    let (code, trial) = match tried(LIAR, kind) {
        Ok(tried) => tried,
        Err(lacks) => return lacks,
    };
    assert_eq!((code, &trial["findings"]), (0, &serde_json::json!([])), "{trial}");
    assert_eq!(trial["portrait"]["random"]["games"], 20);
    None
}

fn unchecked() -> Lacks {
    let (code, trial) = match tried(LIAR, "blind") {
        Ok(tried) => tried,
        Err(lacks) => return lacks,
    };
    assert_eq!((code, &trial["hidden"]["guesses"]), (0, &serde_json::json!(false)), "{trial}");
    None
}

fn found(program: &str, mistake: &str, problem: &str, steps: usize) -> Lacks {
    let (code, trial) = match tried(program, mistake) {
        Ok(tried) => tried,
        Err(lacks) => return lacks,
    };
    let findings = trial["findings"].as_array().expect("a list");
    let has = |finding: &&Value| finding["problem"].as_str().is_some_and(|it| it.contains(problem));
    let finding = findings.iter().find(has).unwrap_or_else(|| panic!("{trial}"));
    assert_eq!(code, 1);
    // Impurity shows at some step, depending on the order of the requests.
    if mistake != "impure" {
        assert_eq!(finding["steps"].as_array().map(Vec::len), Some(steps), "{finding}");
    }
    None
}

/// The exit code and the report of a trial of a rules program with this argument.
fn tried(program: &str, kind: &str) -> Result<(i32, Value), Lacks> {
    let lacks = without(&["python3"]);
    if lacks.is_some() {
        return Err(lacks);
    }
    let arena = Arena::new();
    arena.write("rules.py", program);
    // The first answer waits for Python to start.
    let reply = if kind == "silent" { 2 } else { 10 };
    arena.write(
        "game.toml",
        &format!("command = [\"python3\", \"rules.py\", \"{kind}\"]\nreply = \"{reply}s\"\n"),
    );
    let args = ["test-game", "game.toml", "--games", "20", "--search-games", "0"];
    let run = arena.run(&[&args[..], &["--format", "json"]].concat());
    let trial = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    Ok((run.code, trial))
}
