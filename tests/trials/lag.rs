//! A referee that does not run for a while, because it has no core or is paused: the test stops it.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::harness::{Lacks, alone};
use crate::support::{Arena, Config, wait_until};
use libtest_mimic::Trial;
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

/// Whether no thread of the process runs any more. The signal that stops it reaches one after the
/// other.
fn is_stopped(pid: Pid) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("it lives").flatten();
    threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok()).all(|stat| {
        // The name before the state may contain anything.
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
    })
}

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        alone(
            "time_in_which_the_referee_had_no_core_is_not_charged",
            time_in_which_the_referee_had_no_core_is_not_charged,
        ),
        alone("a_pause_in_a_turn_books_no_loss", || a_pause_books_no_loss("turn", true)),
        alone("a_pause_in_a_start_up_books_no_loss", || a_pause_books_no_loss("init", false)),
    ]
}

/// At its first message of a type, says that it was asked, and replies once it may.
const REPLIES_WHEN_IT_MAY: &str = "\
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == sys.argv[1] and not os.path.exists('may'):
        open('asked', 'w').close()
        while not os.path.exists('may'):
            time.sleep(0.01)
    if message['type'] == 'init':
        print('ok', flush=True)
    if message['type'] == 'turn':
        print(message['legal'][0], flush=True)
";

/// Stops the referee for more than ten times each limit, while a player owes a reply. The player
/// replies meanwhile, so its time proves nothing.
fn a_pause_books_no_loss(message: &str, is_game: bool) -> Lacks {
    let slow = format!("command = [\"/usr/bin/python3\", \"slow.py\", \"{message}\"]");
    let config = Config::empty().bot("ant", "greedy").player("slow", &slow).change(|config| {
        (config.pairs, config.jobs, config.max_moves) = (1, 1, 8);
        config.clock.push_str("move = \"1s\"\nstartup = \"1s\"");
    });
    let arena = Arena::with(&config);
    arena.write("slow.py", REPLIES_WHEN_IT_MAY);
    let child = arena.start(&["run", "--quiet", "--containment", "off"]);
    let referee = Pid::from_raw(child.id().try_into().expect("small"));
    wait_until(|| arena.path().join("asked").exists());
    kill(referee, Signal::SIGSTOP).expect("it runs");
    wait_until(|| is_stopped(referee));
    arena.write("may", "");
    sleep(Duration::from_secs(13));
    kill(referee, Signal::SIGCONT).expect("it is there");
    let run = arena.finish(child, "");
    assert_eq!(run.code, 0, "{}", run.err);
    let lines = arena.lines();
    let games = lines.values().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut void = Vec::new();
    for game in games {
        assert_eq!(game["fault"], Value::Null, "{game}");
        void.extend(game["void"].as_array().cloned().unwrap_or_default());
    }
    assert_eq!(lines.len(), 2);
    let paused = "the referee was paused in a game that ended in a loss on time; played again";
    let expected = if is_game { vec![Value::from(paused)] } else { Vec::new() };
    assert_eq!(void, expected);
    assert_eq!(arena.run(&["verify"]).code, 0);
    None
}

fn time_in_which_the_referee_had_no_core_is_not_charged() -> Lacks {
    let seconds = format!("4321.{}", std::process::id());
    let config = Config::empty().bot("ant", "greedy").script("slow", "slow.sh");
    let arena = Arena::with(&config.change(|config| {
        (config.pairs, config.jobs) = (1, 1);
        config.clock.push_str("move = \"3s\"");
    }));
    // In a start-up test, it quits.
    let until_asked = "read init; echo ok; read turn; case $turn in *quit*) exit;; esac";
    arena.write("slow.sh", &format!("{until_asked}; sleep {seconds}; echo nonsense; read end"));
    let child = arena.start(&["run", "--quiet"]);
    let referee = Pid::from_raw(child.id().try_into().expect("small"));
    for _ in 0..2 {
        wait_until(|| sleeper(&seconds).is_some());
        let asked = sleeper(&seconds).expect("it sleeps");
        kill(referee, Signal::SIGSTOP).expect("it runs");
        wait_until(|| is_stopped(referee));
        kill(Pid::from_raw(asked), Signal::SIGKILL).expect("it sleeps");
        sleep(Duration::from_secs(4));
        kill(referee, Signal::SIGCONT).expect("it is there");
        wait_until(|| sleeper(&seconds) != Some(asked));
    }
    let run = arena.finish(child, "");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(arena.run(&["verify"]).code, 0);
    let games: Vec<Value> =
        arena.log().lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(games.len(), 2);
    for game in games {
        assert_eq!(game["reason"], "malformed", "{game}");
        let warnings = game["warnings"].to_string();
        let excused = "during which no core was free for it";
        assert!(warnings.contains("was not charged") && warnings.contains(excused), "{game}");
    }
    None
}
