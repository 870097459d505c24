//! `referee compare`: verdicts, their exit codes, and resuming.

use std::fs;

use crate::support::{Arena, Config, Run};
use serde_json::Value;

/// A player that exits at its first turn, and one that plays.
fn arena() -> Arena {
    let config = Config::empty().bot("ant", "greedy").script("bad", "bad.sh");
    let arena = Arena::with(&config.bot("bee", "random"));
    arena.write("bad.sh", "read init; echo ok; read turn");
    arena
}

fn compare(arena: &Arena, args: &[&str]) -> Run {
    arena.run(&[&["compare", "--quiet", "--jobs", "1"], args].concat())
}

/// The verdict as JSON, and the exit code.
fn judged(arena: &Arena, args: &[&str]) -> (i32, Value) {
    let run = compare(arena, &[args, &["--format", "json"]].concat());
    assert_eq!(run.err, "");
    (run.code, serde_json::from_str(&run.out).expect("JSON"))
}

/// The lines of the one log, and its folder's name.
fn log(arena: &Arena) -> (String, String) {
    let dirs: Vec<_> = fs::read_dir(arena.path().join("results")).expect("results").collect();
    let [Ok(dir)] = &dirs[..] else { panic!("one folder: {dirs:?}") };
    let log = fs::read_to_string(dir.path().join("games.jsonl")).expect("a log");
    (dir.file_name().into_string().expect("plain"), log)
}

#[test]
fn a_player_that_works_is_better_than_one_that_does_not() {
    let arena = arena();
    let (code, verdict) = judged(&arena, &["ant", "bad"]);
    assert_eq!(code, 0, "{verdict}");
    assert_eq!((&verdict["verdict"], &verdict["stop"]), (&"better".into(), &"decided".into()));
    assert_eq!(verdict["test"]["unit"], "logistic Elo");
    let pairs = verdict["pairs"].as_u64().expect("a count");
    assert!((5..100).contains(&pairs), "{verdict}");
    assert_eq!(verdict["pentanomial"][4].as_u64(), Some(pairs));
    assert!(verdict["llr"].as_f64() >= verdict["upper"].as_f64());
    assert!(verdict["elo"]["low"].as_f64() > Some(0.0));
    // Again: nothing is played, and nothing changes.
    let before = log(&arena);
    assert!(before.0.starts_with("compare-ant-bad-"), "{}", before.0);
    assert_eq!(judged(&arena, &["ant", "bad"]), (0, verdict));
    assert_eq!(log(&arena), before);
}

#[test]
#[ignore = "slow: whole comparisons"]
fn a_player_that_fails_is_not_better() {
    let arena = arena();
    let run = compare(&arena, &["bad", "ant"]);
    assert_eq!((run.code, run.err.as_str()), (10, ""));
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "bad is not 50 Elo better than ant.");
    assert!(lines[1].starts_with("bad scored 0 of "), "{}", run.out);
    assert!(lines[3].contains("GSPRT on pairs, pentanomial; logistic Elo 0 against 50"));
    assert!(lines[4].starts_with("LLR -") && lines[4].contains("[●·"), "{}", run.out);
    assert!(lines[5].starts_with("Games that ended in a fault: "), "{}", run.out);
}

#[test]
fn the_next_command_shows_a_game_that_was_lost() {
    let arena = arena();
    let run = arena.run(&["compare", "bad", "ant", "--max-pairs", "1"]);
    let (_, next) = run.err.split_once("\nnext: referee ").expect("a command");
    let words: Vec<&str> = next.split_whitespace().collect();
    let replay = arena.run(&words);
    assert!(words[0] == "replay" && replay.out.contains("\nant ("), "{next} {}", replay.out);
}

#[test]
fn compare_is_undecided_after_too_few_pairs_and_resumes() {
    let arena = arena();
    let (code, verdict) = judged(&arena, &["ant", "bee", "--max-pairs", "2"]);
    assert_eq!((code, &verdict["stop"]), (11, &"max-pairs".into()));
    assert_eq!(verdict["pairs"].as_u64(), Some(2));
    let (name, before) = log(&arena);
    let (code, verdict) = judged(&arena, &["ant", "bee", "--max-pairs", "3"]);
    assert_eq!((code, verdict["pairs"].as_u64()), (11, Some(3)));
    let (same, after) = log(&arena);
    assert_eq!(name, same);
    let games = |log: &str| log.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(games(&after)[..4], games(&before)[..]);
    assert_eq!(games(&after).len(), 6);
    // A shorter test of the same games only counts as many as it may.
    let (code, shorter) = judged(&arena, &["ant", "bee", "--max-pairs", "2"]);
    assert_eq!((code, shorter["pairs"].as_u64()), (11, Some(2)));
    assert_eq!(log(&arena).1, after);
}

#[test]
#[ignore = "slow: whole comparisons"]
fn the_number_of_jobs_does_not_change_the_verdict() {
    let [one, many] = [arena(), arena()];
    let verdict = |arena: &Arena, jobs| {
        let args = ["compare", "bee", "ant", "--elo1", "100", "--format", "json", "--quiet"];
        arena.run(&[&args[..], &["--jobs", jobs]].concat())
    };
    let there = verdict(&one, "1");
    assert!(there.code == 10 || there.code == 11, "{}", there.out);
    assert_eq!(there, verdict(&many, "3"));
}

#[test]
#[ignore = "slow: whole comparisons"]
fn a_comparison_can_be_verified_and_ranked() {
    let arena = arena();
    compare(&arena, &["ant", "bad"]);
    let verified = arena.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
    assert_eq!(arena.run(&["rank", "--details"]).code, 0);
}

#[test]
fn incomparable_players_are_refused() {
    let arena = arena();
    let refused = |args: &[&str], error: &str| {
        assert_eq!(compare(&arena, args), Run::new(2, "", &format!("error: {error}\n")));
    };
    refused(&["ant", "ant"], "ant cannot be compared with itself; name another player");
    refused(&["ant", "human"], "a person cannot be compared; name two programs");
    refused(
        &["ant", "bee", "--elo1", "-5"],
        "this cannot be tested: the upper strength must be above the lower one by 0.1 Elo or \
         more, and both within -150 … 150; see `referee compare --help`",
    );
}
