//! Rules programs with a mistake in tournaments: the run stops with a message that shows it, nothing
//! is lost, and the same command continues with a mended program.

use crate::harness::{Lacks, quick, slow, without};
use crate::support::Arena;
use libtest_mimic::Trial;

/// Variants of `tests/rules/liar.py` that stop a run, and a part of the message.
const STOPPED: [(&str, &str); 7] = [
    ("twice", "`2` is listed twice"),
    ("seats", "unknown seat `third`"),
    ("crashes", "stderr: a mistake in ply 7"),
    ("grows", "the state has "),
    ("endless", "the game is not over after 40 plies"),
    ("silent", "no answer within 2 s"),
    ("outlaw", "unknown clause `L9`"),
];

pub(crate) fn tests() -> Vec<Trial> {
    let stops = |(mistake, problem): (&'static str, &'static str)| {
        move || without(&["python3"]).or_else(|| stops(mistake, problem))
    };
    let name =
        |mistake: &str| format!("{mistake} stops the run, which continues when it is mended");
    let mut tests = vec![
        quick(name(STOPPED[2].0), stops(STOPPED[2])),
        quick("verify finds a program that answers differently each time", || {
            without(&["python3"]).or_else(fickle)
        }),
    ];
    let rest = STOPPED.into_iter().filter(|(mistake, _)| *mistake != STOPPED[2].0);
    tests.extend(rest.map(|case| slow(name(case.0), stops(case))));
    tests
}

/// Writes a tournament of the liar in this variant, with a player that always plays `action`.
fn write(arena: &Arena, variant: &str, action: &str) {
    arena.write("liar.py", include_str!("../rules/liar.py"));
    // The first answer waits for Python to start.
    let reply = if variant == "silent" { 2 } else { 10 };
    arena.write(
        "tournament.toml",
        &format!(
            "name = \"cup\"\nseed = 7\njobs = 1\n[game]\n\
             command = [\"python3\", \"liar.py\", \"{variant}\"]\nreply = \"{reply}s\"\n\
             [[players]]\nname = \"ant\"\ncommand = [\"python3\", \"adder.py\"]\n\
             [[players]]\nname = \"bee\"\nbot = \"random\"\n"
        ),
    );
    arena.write(
        "adder.py",
        &format!(
            "import json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n    \
             if message['type'] in ('init', 'turn'):\n        print(json.dumps({{'id': \
             message['id'], 'action': '{action}'}}), flush=True)\n"
        ),
    );
}

fn stops(variant: &str, problem: &str) -> Lacks {
    let arena = Arena::new();
    // A program that refuses with an unknown clause needs something to refuse.
    let action = if variant == "outlaw" { "3" } else { "1" };
    write(&arena, variant, action);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains(problem) && run.err.contains("\n  request: {"), "{run:?}");
    assert_eq!(arena.run(&["verify"]).code, 0, "what was recorded is whole");
    write(&arena, "honest", action);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let verified = "results/cup: 2 of 2 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]).out, verified);
    None
}

fn fickle() -> Lacks {
    let arena = Arena::new();
    write(&arena, "fickle", "1");
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let verify = arena.run(&["verify"]);
    assert_eq!(verify.code, 1, "{verify:?}");
    assert!(verify.out.contains("forty-"), "{verify:?}");
    None
}
