//! `referee test-game`: rules programs with one mistake each, found with the fewest steps.

use crate::harness::{Lacks, quick, slow, without};
use crate::support::Arena;
use libtest_mimic::Trial;
use serde_json::Value;

/// The mistakes of `tests/rules/liar.py`: the argument, a part of the problem, and the number of
/// steps that show it.
const MISTAKES: [(&str, &str, usize); 10] = [
    ("impure", "two processes of the program show different positions", 1),
    ("twice", "is listed twice", 2),
    ("seats", "unknown seat `third`", 3),
    ("crashes", "ended with exit code 1", 7),
    ("leaks", "second learns from the events what its guesses hide", 1),
    ("open", "the guesses of second tell it more than its view and the events", 1),
    ("grows", "the maximum is 65536", 16),
    ("silent", "no answer within 2 s", 3),
    ("endless", "the game is not over after 40 plies", 40),
    ("outlaw", "unknown clause `L9`", 0),
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
        tier(format!("{mistake} is found"), move || found(mistake, problem, steps))
    }));
    tests
}

fn honest(kind: &str) -> Lacks {
    let (code, trial) = match tried(kind) {
        Ok(tried) => tried,
        Err(lacks) => return lacks,
    };
    assert_eq!((code, &trial["findings"]), (0, &serde_json::json!([])), "{trial}");
    assert_eq!(trial["portrait"]["random"]["games"], 20);
    None
}

fn unchecked() -> Lacks {
    let (code, trial) = match tried("blind") {
        Ok(tried) => tried,
        Err(lacks) => return lacks,
    };
    assert_eq!((code, &trial["hidden"]["guesses"]), (0, &serde_json::json!(false)), "{trial}");
    None
}

fn found(mistake: &str, problem: &str, steps: usize) -> Lacks {
    let (code, trial) = match tried(mistake) {
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

/// The exit code and the report of a trial of the liar.
fn tried(kind: &str) -> Result<(i32, Value), Lacks> {
    let lacks = without(&["python3"]);
    if lacks.is_some() {
        return Err(lacks);
    }
    let arena = Arena::new();
    arena.write("liar.py", include_str!("../rules/liar.py"));
    arena.write(
        "game.toml",
        &format!("command = [\"python3\", \"liar.py\", \"{kind}\"]\nreply = \"2s\"\n"),
    );
    let args = ["test-game", "game.toml", "--games", "20", "--search-games", "0"];
    let run = arena.run(&[&args[..], &["--format", "json"]].concat());
    let trial = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    Ok((run.code, trial))
}
