//! `run --until`: it ends by itself, leaves a ranking, and can be resumed.
#![cfg(target_os = "linux")]

use crate::support::{Arena, Config, wait_until};

/// Three players with short games, whose tournament has 6.
fn config(pairs: u32) -> Config {
    Config::small().change(|config| (config.pairs, config.max_moves) = (pairs, 10))
}

/// The last line but one of a run whose time is up.
fn time_up(err: &str) -> &str {
    err.lines().find(|line| line.starts_with("the time is up (")).expect("it says so")
}

#[test]
#[ignore = "slow: plays until its time is over"]
fn the_remaining_time_is_used_for_further_games() {
    let arena = Arena::with(&config(1));
    // However busy the machine is, all games are played at some time.
    let further = (0..100).any(|_| {
        let run = arena.run(&["run", "--until", "2s"]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("rating"), "a ranking: {}", run.out);
        assert_eq!(arena.run(&["verify"]).code, 0);
        time_up(&run.err).contains("everything was played") && arena.lines().len() > 6
    });
    assert!(further);
    let stages = arena.header()["stages"].to_string();
    assert!(stages.contains("\"further\""), "{stages}");

    let games = arena.lines();
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "it is complete: {}", run.err);
    assert_eq!(arena.lines(), games, "and nothing more is played");
    let plan = arena.run(&["run", "--plan", "--until", "10h"]);
    assert!(plan.out.contains(" games, all of them further games; expected rating error:"));

    arena.configure(&config(2));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 4);
    let why = "pairs: 1 became 2: games added by --until depend on earlier results";
    assert!(run.err.contains(why), "{}", run.err);
}

#[test]
#[ignore = "slow: plays until its time is over"]
fn a_tournament_without_enough_time_continues_later() {
    let arena = Arena::with(&config(10_000));
    let run = arena.run(&["run", "--until", "1s"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        time_up(&run.err).ends_with(" games left to play; run again to continue"),
        "{}",
        run.err
    );
    assert_eq!(arena.run(&["verify"]).code, 0);
    let before = arena.lines();
    // The end time may change, because no further game was played.
    arena.configure(&config(10_001));
    let mut child = arena.start(&["run", "--until", "20h"]);
    arena.wait_for_lines(before.len() + 3);
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(child.id().try_into().expect("small")),
        nix::sys::signal::Signal::SIGINT,
    )
    .expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "an interrupt is one");
    assert!(before.keys().all(|id| arena.lines().contains_key(id)));
    assert_eq!(arena.run(&["verify"]).code, 0);
}

/// The names of a process's threads.
fn threads(process: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
    let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).ok();
    tasks.flatten().filter_map(name).map(|name| name.trim_end().to_owned()).collect()
}

#[test]
fn further_games_use_all_workers() {
    let arena = Arena::with(&config(1));
    assert_eq!(arena.run(&["run"]).code, 0);
    let log = arena.log();
    let (all_but_one, _) = log.trim_end().rsplit_once('\n').expect("lines");
    arena.put("games.jsonl", &format!("{all_but_one}\n"));
    let mut child = arena.start(&["run", "--until", "20h", "--jobs", "4"]);
    wait_until(|| threads(child.id()).contains(&"worker 3".to_owned()));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn invalid_end_times_are_refused() {
    let arena = Arena::with(&config(1));
    for (time, problem) in [
        ("0s", "error: --until 0s: that time has passed; choose a future time\n"),
        (
            "2020-01-01 08:00",
            "error: --until 2020-01-01 08:00: that time has passed; choose a future time\n",
        ),
    ] {
        let run = arena.run(&["run", "--until", time]);
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (2, "", problem));
    }
    let run = arena.run(&["run", "--until", "soon"]);
    assert!(run.err.starts_with("error: --until soon: expected a time of day"), "{}", run.err);
    let plan = arena.run(&["run", "--plan", "--until", "1h"]);
    assert!(
        plan.out
            .ends_with(": the number of games can be estimated once there are games in the log\n")
    );
    assert!(!arena.path().join("results").exists());
}
