//! A machine that lags when a player's time is up: the test stops the referee itself.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::support::{Arena, Config, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// The process that sleeps for this long.
fn sleeper(seconds: &str) -> Option<i32> {
    let wanted = format!("sleep\0{seconds}\0");
    let is_it = |pid: &i32| {
        fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line == wanted.as_bytes())
    };
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(is_it)
}

#[test]
#[ignore = "slow: time limits are waited for while the referee is stopped"]
fn a_game_lost_on_time_on_a_slow_machine_is_replayed_once() {
    let _alone = crate::alone();
    let seconds = format!("4321.{}", std::process::id());
    let config = Config::empty().bot("ant", "greedy").script("slow", "slow.sh");
    let arena = Arena::with(&config.change(|config| {
        (config.pairs, config.jobs) = (1, 1);
        config.clock.push_str("move = \"3s\"");
    }));
    // In a start-up test, it quits.
    let until_asked = "read init; echo ok; read turn; case $turn in *quit*) exit;; esac";
    arena.write("slow.sh", &format!("{until_asked}; exec sleep {seconds}"));
    let child = arena.start(&["run", "--quiet"]);
    let referee = Pid::from_raw(child.id().try_into().expect("small"));
    for _ in 0..2 {
        wait_until(|| sleeper(&seconds).is_some());
        let asked = sleeper(&seconds);
        kill(referee, Signal::SIGSTOP).expect("it runs");
        sleep(Duration::from_secs(4));
        kill(referee, Signal::SIGCONT).expect("it is there");
        wait_until(|| sleeper(&seconds) != asked);
    }
    let run = arena.finish(child, "");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(arena.run(&["verify"]).code, 0);
    let games: Vec<Value> =
        arena.log().lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(games.iter().all(|game| game["reason"] == "timeout"), "{games:?}");
    let why = games[0]["void"][0].as_str().expect("a void attempt");
    assert!(why.starts_with("slow lost on time while the machine lagged: the referee looked "));
    assert_eq!(games[0]["void"].as_array().map(Vec::len), Some(1));
    let warnings = games[0]["warnings"].to_string();
    assert!(warnings.contains("the machine lagged again: the referee looked "), "{warnings}");
    assert!(games[1].get("void").is_none(), "{}", games[1]);
}
