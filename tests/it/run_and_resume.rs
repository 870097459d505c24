//! `referee run` from outside: tables, resuming, kills, signals, locks, changes, full disks.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use crate::support::{Arena, Config, Run, TABLE, wait_until};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use serde_json::Value;

const VERIFIED: &str = "results/cup: 12 of 12 games played, seeds checked: no problems\n";
const LEADING: &str = "leading: bee 56%, cat 50%, ant 44%";
const RESULTS: &str = "\
Results: DIR/results/cup
next: open report.html there, or referee replay 966d1a03d465-1 --results results/cup
";

/// A player that starts, signals its first turn, and never moves.
const ASLEEP: &str = "read init; echo ok; read turn; echo > awake; exec sleep 600";
/// The same, but it exits when its input ends.
const WAITS: &str = "read init; echo ok; read turn; echo > awake; read never";
/// A player that exits at its first turn.
const LEAVES: &str = "read init; echo ok; read turn";

fn played() -> Arena {
    Arena::played(&Config::small())
}

fn csv(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("a number")
}

#[expect(clippy::cast_possible_wrap, reason = "a process id")]
fn process(child: &Child) -> Pid {
    Pid::from_raw(child.id() as i32)
}

fn signal(child: &Child, signal: Signal) {
    kill(process(child), signal).expect("it lives");
}

/// The error message of a conflict, with these lines in the middle.
fn differences(run: &Run) -> Vec<&str> {
    assert_eq!((run.code, run.out.as_str()), (4, ""), "{}", run.err);
    let lines: Vec<&str> = run.err.lines().collect();
    let (first, last) = (lines[0], lines[lines.len() - 1]);
    assert_eq!(first, "error: the configuration differs from the results in DIR/results/cup:");
    assert_eq!(
        last,
        "nothing was changed; give the tournament another name, or restore the configuration"
    );
    lines[1..lines.len() - 1].iter().map(|line| line.trim_start()).collect()
}

#[test]
fn the_tables_agree_with_one_another() {
    let arena = Arena::with(&Config::small());
    let progress = format!("12 of 12 games, in TIME, 0 with a fault, {LEADING}\n{RESULTS}");
    assert_eq!(arena.run(&["run"]), Run::new(0, TABLE, &progress));
    assert_eq!(arena.run(&["verify"]), Run::new(0, VERIFIED, ""));

    let (standings, crosstable) =
        (csv(&arena.read("standings.csv")), csv(&arena.read("crosstable.csv")));
    let games = csv(&arena.read("games.csv"));
    assert_eq!(games.len() - 1, arena.lines().len());
    let mut total = 0.0;
    for (row, cross) in standings[1..].iter().zip(&crosstable[1..]) {
        assert_eq!(row[1], cross[0]);
        let cells = cross[1..].iter().filter(|cell| !cell.is_empty());
        let sum: f64 = cells.map(|cell| number(cell)).sum();
        assert!((sum - number(&row[6])).abs() < 1e-9, "{row:?} {cross:?}");
        assert!((number(&row[10]) + number(&row[11]) - sum).abs() < 1e-9);
        let of = |column: usize| games[1..].iter().filter(|game| game[column] == row[1]).count();
        assert_eq!((of(3) + of(4)).to_string(), row[5]);
        assert_eq!(of(6).to_string(), row[7]);
        total += sum;
    }
    assert!((total - 12.0).abs() < 1e-9);
}

#[test]
fn a_finished_tournament_has_nothing_to_play() {
    let arena = played();
    let before = arena.log();
    assert_eq!(arena.run(&["run"]), Run::new(0, TABLE, RESULTS));
    assert_eq!(arena.run(&["run", "--quiet"]), Run::new(0, TABLE, ""));
    assert_eq!(arena.log(), before);
    let plan = "cup: watch-your-back, 3 players, 3 pairings of 2 pairs\n\
                12 of 12 games played\n";
    assert_eq!(arena.run(&["run", "--plan"]), Run::new(0, plan, ""));
}

#[test]
fn a_run_that_plays_nothing_writes_nothing() {
    let arena = played();
    // The first one finds a copy of the results, whose log is newer than the page.
    let runs: Vec<_> = (0..3)
        .map(|_| {
            assert_eq!(arena.run(&["run"]), Run::new(0, TABLE, RESULTS));
            arena.result_files()
        })
        .collect();
    assert!(runs[1].len() > 6, "{:?}", runs[1].keys());
    assert_eq!(runs[1], runs[2]);
    let written = |name: &str| arena.result_files()[Path::new(name)].1;
    for (missing, name) in [("games/part-0.js", "report.html"), ("crosstable.csv", "games.csv")] {
        let before = written(name);
        fs::remove_file(arena.results().join(missing)).expect("it was there");
        assert_eq!(arena.run(&["run", "--quiet"]), Run::new(0, TABLE, ""));
        assert!(written(name) > before && written(missing) > before, "without {missing}");
    }
    for name in ["tables.unfinished", "games.jsonl", "../../tournament.toml"] {
        let before = written("report.html");
        let path = arena.results().join(name);
        let text = fs::read(&path).unwrap_or_default();
        fs::write(path, text).expect("written");
        assert_eq!(arena.run(&["run", "--quiet"]), Run::new(0, TABLE, ""));
        assert!(written("report.html") > before, "{name} has changed");
    }
}

#[test]
fn a_plan_plays_nothing() {
    let arena = Arena::with(&Config::small());
    let plan = "cup: watch-your-back, 3 players, 3 pairings of 2 pairs\n0 of 12 games played\n\
                if strengths scatter by 200 Elo, rank intervals are about 3 ranks wide\n\
                no estimate before the first game\n";
    assert_eq!(arena.run(&["run", "--plan"]), Run::new(0, plan, ""));
    assert!(!arena.path().join("results").exists());

    assert_eq!(arena.run(&["run"]).code, 0);
    arena.configure(&Config::small().change(|config| config.pairs = 3).bot("dog", "random"));
    let plan = "cup: watch-your-back, 4 players, 6 pairings of 3 pairs\n\
                12 of 36 games played\nabout TIME, estimated from the log, 7 games at a time\n";
    let changes = "pairs: 2 became 3\nplayer dog added\n";
    assert_eq!(arena.run(&["run", "--plan", "--jobs", "7"]), Run::new(0, plan, changes));
    assert_eq!(arena.lines().len(), 12);
}

#[test]
fn a_plan_of_a_replacement_leaves_out_its_games() {
    let arena = played();
    let (log, greedy) = (arena.log(), "bot = \"greedy\"".to_owned());
    arena.configure(&Config::small().change(|config| config.players[2].1 = greedy));
    let plan = "cup: watch-your-back, 3 players, 3 pairings of 2 pairs\n4 of 12 games played\n\
                about TIME, estimated from the log, 2 games at a time\n";
    let replaced = "player cat replaced: HASH became HASH; its games will be replayed\n";
    let run = arena.run(&["run", "--plan", "--replace", "cat"]);
    assert_eq!(run, Run::new(0, plan, replaced));
    assert_eq!(arena.log(), log);
}

/// Expects that `run --plan` is refused with this code and message, as `run` is then.
fn refused(arena: &Arena, more: &[&str], code: i32, message: &str) {
    let plan = arena.run(&[&["run", "--plan"], more].concat());
    assert_eq!((plan.code, plan.out.as_str()), (code, ""), "{}", plan.err);
    assert!(plan.err.contains(message), "{}", plan.err);
    assert_eq!(arena.run(&[&["run"], more].concat()), plan);
}

#[test]
fn a_plan_refuses_what_a_run_refuses() {
    let small = Config::small();
    let blocked = Arena::with(&small);
    blocked.write("results", "not a folder");
    refused(
        &blocked,
        &[],
        3,
        "cannot write to the results folder DIR/results/cup: Not a directory",
    );
    let crowded = small.change(|config| {
        let bot = |player| (format!("p{player}"), "bot = \"random\"".to_owned());
        config.players = (0..2001).map(bot).collect();
    });
    let message = "error: 2001 players are too many for one ranking: the maximum is 2000\n";
    refused(&Arena::with(&crowded), &[], 2, message);
    refused(&blocked, &["--replace", "nobody", "--results", "elsewhere"], 2, "no player with this");

    let arena = played();
    arena.configure(&small.change(|config| config.pairs = 1));
    refused(&arena, &[], 4, "pairs: the results have 2, the configuration 1; ");
    arena.configure(&small.change(|config| config.players[2].1 = "bot = \"greedy\"".to_owned()));
    refused(&arena, &[], 4, "player cat: its program changed (");
    let require = "[containment]\nlevel = \"off\"\nrequire = [\"memory\"]";
    arena.configure(&small.change(|config| config.clock = require.to_owned()));
    refused(&arena, &[], 3, "the configuration requires `memory`, which is not in force");
    arena.configure(&small.change(|config| config.seed = None));
    refused(&arena, &[], 4, "seed: the results have 7, the configuration none");
    arena.configure(&small);
    arena.edit_line(1, |line| line[..40].to_owned());
    refused(&arena, &[], 2, "games.jsonl, line 1: ");
}

#[test]
#[ignore = "slow: whole tournaments"]
fn the_number_of_jobs_does_not_change_games() {
    let expected = played().essence();
    for jobs in ["1", "3", "1024"] {
        let arena = Arena::with(&Config::small());
        let run = arena.run(&["run", "--quiet", "--jobs", jobs]);
        assert_eq!(run, Run::new(0, TABLE, ""), "--jobs {jobs}");
        assert_eq!(arena.essence(), expected, "--jobs {jobs}");
    }
    let arena = Arena::with(&Config::small());
    for jobs in ["0", "1025", "two", "-1"] {
        let run = arena.run(&["run", &format!("--jobs={jobs}")]);
        let error = format!(
            "error: invalid value '{jobs}' for '--jobs <N>': expected a whole number from 1 to \
             1024\n\nFor more information, try '--help'.\n"
        );
        assert_eq!(run, Run::new(2, "", &error));
    }
}

#[test]
fn jobs_that_do_not_fit_are_refused_before_anything_is_played() {
    let arena = Arena::with(&Config::small());
    let few = "ulimit -n 200; exec \"$@\"";
    let plan = arena.in_shell(few, &["run", "--jobs", "12", "--plan"]);
    assert!(!arena.path().join("results").exists());
    let run = arena.in_shell(few, &["run", "--jobs", "12"]);
    assert_eq!(run, plan);
    let error = "error: 12 games at the same time need about 376 open files, but this process may \
                 have only 200 (`ulimit -n`): play at most 5 (--jobs 5), or raise the limit\n";
    assert_eq!(run, Run::new(3, "", error));
    assert_eq!(arena.lines().len(), 0);
    let run = arena.in_shell(few, &["run", "--jobs", "5", "--quiet"]);
    assert_eq!(run, Run::new(0, TABLE, ""));
    for limit in [8, 32] {
        let run = arena.in_shell(&format!("ulimit -n {limit}; exec \"$@\""), &["run"]);
        let error = format!(
            "error: this process may open at most {limit} files at once, but the referee needs at \
             least 64: raise the limit (`ulimit -n`)\n"
        );
        assert_eq!(run, Run::new(3, "", &error));
    }
}

#[test]
fn the_referee_takes_all_descriptors_and_players_keep_their_limit() {
    let config = unending_cup().change(|config| config.pairs = 6);
    let arena = Arena::with(&config);
    arena.write("player.sh", "ulimit -n > limit; read init; echo ok; read turn");
    let run = arena.in_shell("ulimit -Sn 100; exec \"$@\"", &["run", "--jobs", "12"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let limit = fs::read_to_string(arena.path().join("limit")).expect("it was started");
    assert_eq!(limit, "100\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_shortage_of_the_machine_is_not_a_players_fault() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let arena = Arena::with(&Config::small().change(|config| config.pairs = 10_000));
    let child = arena.start(&["run", "--jobs", "1"]);
    arena.wait_for_lines(3);
    // Too few for a game, enough for the tables.
    let few = Rlimit { current: Some(20), maximum: Some(20) };
    #[expect(clippy::cast_possible_wrap, reason = "a process id")]
    let pid = Pid::from_raw(child.id() as i32);
    prlimit(pid, Resource::Nofile, few).expect("it runs");
    let run = arena.finish(child, "");
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains(" could not begin: the referee cannot "), "{}", run.err);
    assert!(run.err.contains(": Too many open files (os error 24); play fewer "), "{}", run.err);
    assert!(arena.essence().values().all(|game| game["fault"].is_null()));
    assert_eq!(csv(&arena.read("games.csv")).len() - 1, arena.lines().len(), "tables are made");
}

#[test]
fn the_game_of_a_torn_last_line_is_played_again() {
    let arena = played();
    let (whole, expected) = (arena.log(), arena.essence());
    let last = whole[..whole.len() - 1].rfind('\n').expect("lines") + 1;
    let length = whole.len() - last;
    for cut in [1, 2, length / 2, length - 2, length - 1] {
        arena.put("games.jsonl", &whole[..last + cut]);
        let found = "results/cup: 11 of 12 games played, seeds checked: no problems\n\
                     The last line of the log is incomplete; `referee run` removes it and plays that game \
                     again.\n";
        assert_eq!(arena.run(&["verify"]), Run::new(0, found, ""), "after {cut} bytes");
        let run = arena.run(&["run"]);
        assert_eq!((run.code, run.out.as_str()), (0, TABLE));
        let lines: Vec<&str> = run.err.lines().collect();
        assert_eq!(lines[0], "the last line of the log is incomplete; that game will be replayed");
        assert_eq!(lines[1], "11 games are in the log, 1 to play");
        assert_eq!(arena.essence(), expected);
        assert_eq!(arena.log()[..last], whole[..last], "what was whole is not touched");
    }
    assert_eq!(arena.run(&["verify"]), Run::new(0, VERIFIED, ""));
}

#[test]
fn a_torn_header_is_refused() {
    let arena = played();
    arena.put("games.jsonl", &arena.log()[..40]);
    let error = "error: DIR/results/cup/games.jsonl, line 1: the header is not complete; nothing \
                 was changed\n";
    assert_eq!(arena.run(&["run"]), Run::new(2, "", error));
}

/// A tournament with a player that writes into its folder when it is awake.
fn unending_cup() -> Config {
    let config = Config::empty().bot("ant", "random").script("zzz", "player.sh");
    let clock = "move = \"10m\"\n[containment]\nlevel = \"off\"";
    config.change(|config| config.clock.push_str(clock))
}

/// A tournament in which the first game never ends.
fn unending(player: &str) -> (Arena, Child) {
    let arena = Arena::with(&unending_cup());
    arena.write("player.sh", player);
    let child = arena.start(&["run"]);
    wait_until(|| arena.path().join("awake").exists());
    (arena, child)
}

#[test]
fn a_second_run_is_refused_while_one_runs() {
    let (arena, mut first) = unending(WAITS);
    let error = "error: another run is writing to DIR/results/cup; wait for it, or stop it with \
                 Ctrl-C\n";
    for args in [&["run"][..], &["run", "--plan"]] {
        assert_eq!(arena.run(args), Run::new(4, "", error));
    }
    let empty = "results/cup: 0 of 4 games played, seeds checked";
    assert!(arena.run(&["verify"]).out.contains(empty), "others may read meanwhile");
    first.kill().expect("killed");
    first.wait().expect("ended");
    // The lock ends with the process that held it, although players are alive.
    wait_until(|| arena.processes().is_empty());
    fs::remove_file(arena.path().join("awake")).expect("removed");
    let mut second = arena.start(&["run"]);
    wait_until(|| arena.path().join("awake").exists());
    signal(&second, Signal::SIGTERM);
    assert_eq!(second.wait().expect("ended").code(), Some(130));
}

/// A player that waits in its first turn until there is a file `go`, and then exits.
const WAITS_FOR_GO: &str =
    "read init; echo ok; read turn; echo > awake; until [ -e go ]; do sleep 0.01; done";

#[test]
fn a_second_run_is_refused_even_without_the_lock_file() {
    let (arena, mut first) = unending(WAITS);
    fs::remove_file(arena.results().join("lock")).expect("removed");
    let error = "error: another run is writing to DIR/results/cup; wait for it, or stop it with \
                 Ctrl-C\n";
    assert_eq!(arena.run(&["run"]), Run::new(4, "", error));
    first.kill().expect("killed");
    first.wait().expect("ended");
}

#[test]
fn damage_to_the_log_ends_the_run() {
    let harms = [
        ("mv games.jsonl aside", "was moved, removed or replaced"),
        ("rm games.jsonl", "was moved, removed or replaced"),
        ("cp games.jsonl aside && mv aside games.jsonl", "was moved, removed or replaced"),
        ("truncate -s 40 games.jsonl", "was changed"),
        ("echo more >> games.jsonl", "was changed"),
    ];
    for (harm, what) in harms {
        let (arena, child) = unending(WAITS_FOR_GO);
        arena.sh(&format!("cd results/cup && {harm}"));
        let left = fs::read(arena.results().join("games.jsonl")).ok();
        arena.write("go", "");
        let run = arena.finish(child, "");
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{harm}: {}", run.err);
        let error = format!("error: DIR/results/cup/games.jsonl {what} during the run");
        let last = run.err.lines().last().expect("an error");
        assert!(last.starts_with(&error), "{harm}: {last}");
        assert!(!arena.results().join("standings.csv").exists(), "{harm}: no tables");
        let after = fs::read(arena.results().join("games.jsonl")).ok();
        assert_eq!(after, left, "{harm}: nothing more was written");
        assert_eq!(arena.processes(), Vec::<String>::new());
    }
}

/// A player that waits in the first turn of its nth game, from 0, for a file `go-n`, and exits.
const WAITS_ITS_TURN: &str = "\
read init; echo ok; read turn; case $turn in *quit*) exit;; esac
n=$(ls game-* 2>/dev/null | wc -l); echo > game-$n; until [ -e go-$n ]; do sleep 0.01; done
";

/// A run with one game at a time. Each waits for the test.
fn game_by_game() -> (Arena, Child) {
    let arena = Arena::with(&unending_cup().change(|config| config.jobs = 1));
    arena.write("player.sh", WAITS_ITS_TURN);
    let child = arena.start(&["run"]);
    (arena, child)
}

#[test]
fn the_end_of_a_run_notices_an_overwritten_game() {
    let (arena, child) = game_by_game();
    let is_there = |name: &str| arena.path().join(name).exists();
    wait_until(|| is_there("game-0"));
    arena.write("go-0", "");
    wait_until(|| is_there("game-1"));
    // The log keeps its length.
    let file = fs::OpenOptions::new().write(true).open(arena.results().join("games.jsonl"));
    let last = arena.log().len() as u64 - 2;
    file.and_then(|file| file.write_at(b"#", last)).expect("overwritten");
    (1..4).for_each(|game| arena.write(&format!("go-{game}"), ""));
    let run = arena.finish(child, "");
    let error = "error: DIR/results/cup/games.jsonl was changed during the run: 3 games can be \
                 read in it, 4 were written; `referee verify` says what is wrong";
    assert_eq!((run.code, run.err.lines().last()), (3, Some(error)));
}

#[test]
fn tables_exist_from_the_first_game_on() {
    let (arena, child) = game_by_game();
    let is_there = |name: &str| arena.path().join(name).exists();
    wait_until(|| is_there("game-0"));
    assert!(!arena.results().join("standings.csv").exists(), "no game was played yet");
    arena.write("go-0", "");
    // The second game is in play.
    wait_until(|| is_there("game-1"));
    wait_until(|| arena.results().join("crosstable.csv").exists());
    let games = |arena: &Arena| -> Vec<String> {
        let table = csv(&arena.read("standings.csv"));
        let column = table[0].iter().position(|name| name == "games").expect("a column");
        table.iter().skip(1).map(|row| row[column].clone()).collect()
    };
    assert_eq!(games(&arena), ["1", "1"]);
    (1..4).for_each(|game| arena.write(&format!("go-{game}"), ""));
    let run = arena.finish(child, "");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(games(&arena), ["4", "4"]);
    assert_eq!(arena.read("games.csv").lines().count(), 5);
}

#[test]
fn signals_stop_a_run_in_order() {
    use Signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    for kind in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2] {
        let (arena, child) = unending(ASLEEP);
        signal(&child, kind);
        let run = arena.finish(child, "");
        let note = "stopped: 0 of 4 games played, in DIR/results/cup; run the same command again \
                    to \
                    continue\n";
        assert_eq!(run, Run::new(130, "", note), "{kind}");
        assert_eq!(arena.processes(), Vec::<String>::new(), "{kind}");
        assert_eq!(arena.log().lines().count(), 1);
        assert!(arena.read("standings.csv").starts_with("rank,"), "{kind}");
    }
}

/// A run with one game at a time, whose first game has got a Ctrl-C as a terminal sends it. Also
/// returns the file with what the run says.
fn finishing() -> (Arena, Child, PathBuf) {
    let arena = Arena::with(&unending_cup().change(|config| config.jobs = 1));
    arena.write("player.sh", WAITS_ITS_TURN);
    let said = arena.path().join("said");
    let mut command = arena.command(&["run"]);
    let command = command.process_group(0).stderr(fs::File::create(&said).expect("a file"));
    let child = command.spawn().expect("it starts");
    wait_until(|| arena.path().join("game-0").exists());
    killpg(process(&child), Signal::SIGINT).expect("it lives");
    let finishing = "Finishing 1 game in progress; press Ctrl-C again to drop it\n";
    wait_until(|| fs::read_to_string(&said).is_ok_and(|said| said.contains(finishing)));
    (arena, child, said)
}

#[test]
fn after_the_first_ctrl_c_the_games_in_play_are_finished() {
    let (arena, mut child, said) = finishing();
    (0..4).for_each(|game| arena.write(&format!("go-{game}"), ""));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let said = fs::read_to_string(said).expect("UTF-8");
    assert!(said.contains("\nstopped: 1 of 4 games played, in "), "{said}");
    assert_eq!(arena.lines().len(), 1, "no further game began");
    let run = arena.run(&["run"]);
    assert_eq!((run.code, arena.lines().len()), (0, 4), "{run:?}");
    assert_eq!(arena.run(&["verify"]).code, 0);
}

#[test]
fn the_second_ctrl_c_drops_the_games_in_play() {
    let (arena, mut child, said) = finishing();
    std::thread::sleep(AFTER_ECHO);
    killpg(process(&child), Signal::SIGINT).expect("it lives");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let said = fs::read_to_string(said).expect("UTF-8");
    assert!(said.contains("\nstopped: 0 of 4 games played, in "), "{said}");
    assert_eq!((arena.log().lines().count(), arena.processes()), (1, Vec::new()));
    assert!(arena.read("standings.csv").starts_with("rank,"));
}

#[test]
fn another_signal_right_after_ctrl_c_drops_the_games_in_play() {
    let (arena, mut child, said) = finishing();
    killpg(process(&child), Signal::SIGTERM).expect("it lives");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let said = fs::read_to_string(said).expect("UTF-8");
    assert!(said.contains("\nstopped: 0 of 4 games played, in "), "{said}");
    assert_eq!(arena.processes(), Vec::<String>::new());
}

#[test]
fn a_referee_that_starts_players_too_slowly_blames_nobody() {
    let arena = Arena::with(&Config::small().change(|config| {
        config.jobs = 1;
        config.clock.push_str("startup = \"1ms\"");
    }));
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 3, "{}", run.err);
    let why = "could not begin: the referee cannot start a player within 0.001 s: the machine is \
               too busy; play fewer games at once (--jobs)";
    assert!(run.err.contains(why), "{}", run.err);
    assert_eq!(arena.log().lines().count(), 1);
}

#[test]
fn marks_are_not_given_before_all_games_are_played() {
    let marks = "grades = { ranks = [{ rank = 3, marks = 5 }] }";
    let arena = Arena::with(&unending_cup().change(|config| config.more = marks.into()));
    arena.write("player.sh", ASLEEP);
    let child = arena.start(&["run"]);
    wait_until(|| arena.path().join("awake").exists());
    arena.put("grades.csv", "of an earlier run");
    signal(&child, Signal::SIGTERM);
    let run = arena.finish(child, "");
    let note = "grades.csv is written once all games are played\nstopped: 0 of 4 games played";
    assert!(run.code == 130 && run.err.starts_with(note), "{}", run.err);
    assert!(!arena.results().join("grades.csv").exists());
    let verify = arena.run(&["verify", "--grades", "tournament.toml"]);
    assert_eq!(verify.code, 0, "{}", verify.out);
}

#[test]
fn a_closing_terminal_does_not_stop_a_run_under_nohup() {
    let arena = Arena::with(&unending_cup());
    arena.write("player.sh", ASLEEP);
    let script = "trap '' HUP; exec \"$@\"";
    let child = arena.start_in_shell(script, &["run"]);
    wait_until(|| arena.path().join("awake").exists());
    signal(&child, Signal::SIGHUP);
    // Had it been heard, it would have been the first, and this the second.
    std::thread::sleep(AFTER_ECHO);
    signal(&child, Signal::SIGTERM);
    let run = arena.finish(child, "");
    assert!(run.err.contains("stopped: 0 of 4 games"), "{}", run.err);
}

/// Longer than the time in which a signal counts as the same one.
const AFTER_ECHO: Duration = Duration::from_millis(500);

/// Fills a pipe, so that the next write to it blocks.
fn fill(pipe: &impl std::os::fd::AsRawFd) {
    let path = format!("/proc/self/fd/{}", pipe.as_raw_fd());
    let flags = nix::libc::O_NONBLOCK;
    let again = fs::OpenOptions::new().write(true).custom_flags(flags).open(path);
    let mut again = again.expect("another end");
    while again.write(b"x").is_ok() {}
}

fn ends_with(mut child: Child, code: i32) {
    let mut ended = None;
    wait_until(|| {
        ended = child.try_wait().expect("a child");
        ended.is_some()
    });
    assert_eq!(ended.and_then(|status| status.code()), Some(code));
}

#[test]
#[ignore = "slow: whole tournaments"]
fn after_the_games_a_signal_ends_the_program_at_once() {
    for kind in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let arena = Arena::with(&Config::small());
        // It waits when it is to print the table.
        let (_reader, full) = std::io::pipe().expect("a pipe");
        fill(&full);
        let mut command = arena.command(&["run", "--quiet"]);
        let child = command.stdout(full.try_clone().expect("a copy")).spawn().expect("it starts");
        wait_until(|| arena.results().join("report.html").exists());
        signal(&child, kind);
        ends_with(child, 130);
    }
}

#[test]
fn a_second_signal_ends_the_program_at_once() {
    for kind in [Signal::SIGINT, Signal::SIGTERM] {
        let arena = Arena::with(&unending_cup());
        arena.write("player.sh", ASLEEP);
        let (_reader, full) = std::io::pipe().expect("a pipe");
        let mut command = arena.command(&["run"]);
        let child = command.stderr(full.try_clone().expect("a copy")).spawn().expect("it starts");
        wait_until(|| arena.path().join("awake").exists());
        // It waits when it is to say that it stops.
        fill(&full);
        signal(&child, Signal::SIGHUP);
        wait_until(|| arena.results().join("report.html").exists());
        std::thread::sleep(AFTER_ECHO);
        signal(&child, kind);
        ends_with(child, 130);
        wait_until(|| arena.processes().is_empty());
    }
}

#[test]
#[ignore = "slow: many short runs"]
fn allowed_changes_are_applied() {
    let arena = played();
    let before = arena.lines();
    let config = Config::small().change(|config| (config.pairs, config.jobs) = (3, 1));
    arena.configure(&config);
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0);
    let notes: Vec<&str> = run.err.lines().take(2).collect();
    assert_eq!(notes, ["pairs: 2 became 3", "12 games are in the log, 6 to play"]);

    arena.configure(&config.clone().bot("dog", "random"));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0);
    let notes: Vec<&str> = run.err.lines().take(2).collect();
    assert_eq!(notes, ["player dog added", "18 games are in the log, 18 to play"]);

    let after = arena.lines();
    assert_eq!(after.len(), 36);
    for (id, line) in &before {
        assert_eq!(after.get(id), Some(line), "what was played is not touched");
    }
    let changes = serde_json::json!(["pairs: 2 became 3", "player dog added"]);
    assert_eq!(arena.header()["changes"], changes);
    let verified = "results/cup: 36 of 36 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, verified, ""));

    // Grown step by step or at once: the games are the same.
    let at_once = Arena::with(&config.bot("dog", "random"));
    assert_eq!(at_once.run(&["run", "--quiet"]).code, 0);
    assert_eq!(at_once.essence(), arena.essence());
    assert_eq!(at_once.read("standings.csv"), arena.read("standings.csv"));
}

#[test]
fn forbidden_changes_are_refused_with_every_difference() {
    let arena = played();
    let before = arena.log();
    let config = Config::small();
    arena.configure(&config.change(|config| {
        config.seed = Some(8);
        config.pairs = 1;
        config.max_moves = 41;
        config.clock = "budget = \"1m\"\nmeasure = \"cpu\"".to_owned();
        config.more = "quarantine = 0\nfault-policy = { retry = 2 }".to_owned();
        config.players[0].1.push_str("\nrating = 1500");
        config.players.remove(1);
        config.players[1].1 = "bot = \"search-300\"".to_owned();
    }));
    let run = arena.run(&["run"]);
    assert_eq!(
        differences(&run),
        [
            "seed: the results have 7, the configuration 8",
            "quarantine: the results have 5, the configuration 0",
            "clock budget: the results have none, the configuration 1m",
            "clock move: the results have 5s, the configuration none",
            "clock margin: the results have 20ms, the configuration nothing",
            "clock measure: the results have wall, the configuration cpu",
            "fault-policy: the results have lose, the configuration {\"retry\":2}",
            "ratings: the results have {}, the configuration {\"ant\":1500.0}",
            "option max-moves: the results have 40, the configuration 41",
            "pairs: the results have 2, the configuration 1; their number can only grow",
            "player bee: it is in the results but not configured",
            "player cat: its program changed (HASH became HASH)",
        ]
    );
    arena.configure(&config.change(|config| config.seed = None));
    let run = arena.run(&["run"]);
    assert_eq!(differences(&run), ["seed: the results have 7, the configuration none"]);
    assert_eq!(arena.log(), before, "nothing was changed");
}

#[test]
fn a_changed_program_is_noticed() {
    let config = Config::empty().bot("ant", "random").script("own", "own.sh");
    let arena = Arena::with(&config.change(|config| config.more = "quarantine = 0".to_owned()));
    arena.write("own.sh", LEAVES);
    assert_eq!(arena.run(&["run"]).code, 0);
    assert_eq!(arena.run(&["run"]).code, 0);
    arena.write("own.sh", &format!("{LEAVES} # changed"));
    let run = arena.run(&["run"]);
    let refusal = "error: programs have changed since they played the games in DIR/results/cup:\n  \
                   player own: its program changed (HASH became HASH)\n\
                   the results are untouched; put the old programs back, or play their games again\n\
                   next: referee run --replace own\n";
    assert_eq!(run, Run::new(4, "", refusal));
    let run = arena.run(&["run", "--replace", "own"]);
    assert_eq!(run.code, 0, "{}", run.err);
}

fn superseded(arena: &Arena) -> Vec<Value> {
    let text = arena.read("superseded.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn programs_that_change_during_a_run_are_noticed() {
    let config = Config::empty().bot("ant", "greedy").script("bad cat", "bad.sh");
    let arena = Arena::with(&config.change(|config| {
        (config.pairs, config.jobs, config.more) = (100_000, 1, "quarantine = 0\n".to_owned());
    }));
    arena.write("bad.sh", "read init; echo ok; read turn");
    let child = arena.start(&["run", "--quiet"]);
    arena.wait_for_lines(2);
    assert!(!arena.log().contains("was changed"));
    arena.write("new.sh", "read init; echo ok; read turn; exit 3");
    arena.sh("mv new.sh bad.sh");
    let warning = ": `bad.sh` has changed since the run began: it may be a different program\"";
    wait_until(|| arena.log().contains(warning));
    arena.sh(&format!("kill -INT {}", child.id()));
    let run = arena.finish(child, "");
    assert_eq!((run.code, run.out.as_str()), (4, ""), "{run:?}");
    let error = "error: the program changed during play: bad cat. Games that may be \
                 affected have a warning in the log. Put the old one back, or play all its games \
                 again \
                 with `referee run --replace 'bad cat'`\n";
    assert_eq!(run.err, error);
    let again = arena.run(&["run", "--quiet"]);
    assert_eq!(again.code, 4, "{again:?}");
}

#[test]
#[ignore = "slow: whole tournaments"]
fn a_replaced_player_plays_its_games_again() {
    let arena = played();
    let (before, header) = (arena.lines(), arena.header());
    let config =
        Config::small().change(|config| config.players[2].1 = "bot = \"greedy\"".to_owned());
    arena.configure(&config);

    let error = "error: --replace nobody: no player with this name is configured\n";
    assert_eq!(arena.run(&["run", "--replace", "nobody"]), Run::new(2, "", error));
    let run = arena.run(&["run", "-q", "--replace", "bee"]);
    let error = "error: programs have changed since they played the games in DIR/results/cup:\n  \
                 player cat: its program changed (HASH became HASH)\n\
                 the results are untouched; put the old programs back, or play their games again\n\
                 next: referee run --replace bee --replace cat\n";
    assert_eq!(run, Run::new(4, "", error), "the other changed, and is not named");
    assert_eq!(arena.lines(), before);

    assert_eq!(arena.run(&["report", "--packets"]).code, 0);
    assert_eq!(arena.run(&["report", "--pseudonyms"]).code, 0);
    let run = arena.run(&["run", "--replace", "cat"]);
    assert_eq!(run.code, 0);
    let old = |folder: &str| format!("\n`{folder}` is older than these results: ");
    assert!(["packets", "public"].iter().all(|it| run.err.contains(&old(it))), "{}", run.err);
    let notes: Vec<&str> = run.err.lines().take(2).collect();
    let replaced = "player cat replaced: HASH became HASH; its games will be replayed";
    assert_eq!(notes, [replaced, "4 games are in the log, 8 to play"]);

    let after = arena.lines();
    assert_eq!(after.len(), 12);
    let aside = superseded(&arena);
    assert_eq!(aside.len(), 8);
    for game in &aside {
        assert_eq!(game["replaced"], serde_json::json!({"cat": header["players"][2]["hash"]}));
        let line: Value =
            serde_json::from_str(&before[game["game"]["id"].as_str().expect("an id")])
                .expect("JSON");
        assert_eq!(line["actions"], game["game"]["actions"]);
    }
    for (id, line) in &before {
        let is_cats = line.contains("\"cat\"");
        assert_eq!(after[id] == *line, !is_cats, "{id}");
    }
    let change = arena.normal(arena.header()["changes"][0].as_str().expect("a text"));
    assert_eq!(change, replaced);
    assert_eq!(arena.run(&["verify"]), Run::new(0, VERIFIED, ""));

    let fresh = Arena::with(&config);
    assert_eq!(fresh.run(&["run", "--quiet"]).code, 0);
    assert_eq!(fresh.essence(), arena.essence(), "as if it had always played");
}

/// Its games stay in the log, and count again once the organiser thinks better of it.
#[test]
fn no_game_of_a_disqualified_player_counts() {
    let arena = played();
    let table = || fs::read_to_string(arena.path().join("results/cup/standings.csv")).expect("it");
    let (before, log) = (table(), arena.lines());
    let barred = "\ndisqualified = \"copied \\u001b[31mant\"";
    arena.configure(&Config::small().change(|config| config.players[2].1.push_str(barred)));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{run:?}");
    let reason = "copied \\u{1b}[31mant; none of its games counts";
    assert!(run.err.contains(&format!("player cat disqualified: {reason}")), "{run:?}");
    assert!(run.out.contains("12 of 12 games played; 4 count, 8 with disqualified players do not"));
    assert_eq!(arena.lines(), log);
    let rows = table();
    let of_cat = rows.lines().find(|row| row.contains(",cat,")).expect("a row");
    assert!(rows.lines().last() == Some(of_cat) && of_cat.contains("disqualified"), "{rows}");
    assert!(run.err.contains(&format!("cat is disqualified: {reason}")), "{run:?}");
    assert_eq!(arena.run(&["verify"]).code, 0);

    arena.configure(&Config::small());
    let run = arena.run(&["run"]);
    assert!(run.err.contains("player cat is no longer disqualified"), "{run:?}");
    assert_eq!((table(), arena.lines()), (before, log));
}

/// In formats whose pairings depend on results, games that others played stay theirs.
#[test]
fn a_player_is_disqualified_after_a_check_and_in_a_swiss_tournament() {
    let check =
        "[[stages]]\nformat = \"check\"\n[[stages]]\nformat = \"round-robin\"\nopponents = 2\n";
    let swiss = "[[stages]]\nformat = \"swiss\"\nrounds = 2\n";
    for stages in [check, swiss] {
        let player = |number: u32| format!("[[players]]\nname = \"p{number}\"\nbot = \"random\"\n");
        let players: String = (0..6).map(player).collect();
        let toml = format!("name = \"cup\"\ngame = \"backdraughts\"\nseed = 3\n{stages}{players}");
        let arena = Arena::new();
        arena.write("tournament.toml", &toml);
        assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
        let log = arena.lines();
        arena.write("tournament.toml", &format!("{toml}disqualified = \"it copied\"\n"));
        let run = arena.run(&["run"]);
        assert!(run.err.contains("player p5 disqualified: it copied"), "{run:?}");
        assert_eq!((run.code, arena.lines()), (0, log), "{run:?}");
        assert_eq!(arena.run(&["verify"]).code, 0);
        arena.write("tournament.toml", &toml);
        assert_eq!(arena.run(&["run"]).code, 0, "nobody has played without it");
    }
}

#[test]
#[ignore = "slow: whole tournaments"]
fn replacing_a_player_twice_has_no_further_effect() {
    let arena = played();
    let changed =
        Config::small().change(|config| config.players[2].1 = "bot = \"greedy\"".to_owned());
    arena.configure(&changed);
    assert_eq!(arena.run(&["run", "--replace", "cat"]).code, 0);
    let (lines, aside) = (arena.lines(), superseded(&arena));
    let run = arena.run(&["run", "--replace", "cat", "--replace", "ant"]);
    let same =
        |name| format!("--replace {name}: its program has not changed; its games are kept\n");
    let notes = format!("{}{}{RESULTS}", same("cat"), same("ant"));
    assert_eq!((run.code, run.err), (0, notes));
    assert_eq!((arena.lines(), superseded(&arena)), (lines, aside));
}

#[test]
fn a_late_player_changes_the_pseudonyms_of_others() {
    let arena = played();
    assert_eq!(arena.run(&["report", "--packets"]).code, 0);
    arena.configure(&Config::small().bot("dog", "random"));
    let run = arena.run(&["run"]);
    let note = "\nthe pseudonyms have changed: hand out all packets again\n";
    assert!(run.code == 0 && run.err.contains(note), "{}", run.err);
    fs::remove_dir_all(arena.results().join("packets")).expect("removed");
    assert_eq!(arena.run(&["report", "--packets"]).code, 0);
    let run = arena.run(&["run"]);
    assert!(run.code == 0 && !run.err.contains(note), "{}", run.err);
}

#[test]
fn an_empty_secret_counts_as_missing() {
    let config = Config::small().change(|config| config.seed = None);
    let arena = Arena::with(&config);
    fs::create_dir_all(arena.results()).expect("a folder");
    arena.put("secret", "");
    assert_eq!(arena.run(&["run"]).code, 0);
    assert_eq!(arena.read("secret").trim().len(), 64);
    arena.put("secret", "");
    let error = "error: DIR/results/cup has lost the file `secret`, from which its games drew \
                 their seeds; restore it, or give the tournament another name\n";
    refused(&arena, &[], 2, error);
}

#[test]
fn a_broken_line_is_named_and_its_game_played_again() {
    let arena = played();
    let (whole, expected) = (arena.log(), arena.essence());
    arena.edit_line(5, |line| line[..line.len() / 2].to_owned());
    let warning = "warning: games.jsonl, line 5: not a game record: ";
    let left_out = "1 line is ignored, so its game counts as not played; `referee verify \
                    --repair` moves such lines out of the log";
    for command in ["rank", "report", "run"] {
        let run = arena.run(&[command]);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        let lines: Vec<&str> = run.err.lines().collect();
        assert!(lines[0].starts_with(warning), "{command}: {}", run.err);
        assert_eq!(lines[1], left_out, "{command}");
        if command == "run" {
            assert_eq!(lines[2], "11 games are in the log, 1 to play");
        }
    }
    assert_eq!(arena.log().lines().count(), whole.lines().count() + 1);
    assert_eq!(arena.run(&["verify", "--repair"]).code, 0);
    assert_eq!(arena.essence(), expected);
    assert_eq!(arena.run(&["verify"]), Run::new(0, VERIFIED, ""));
}

#[test]
fn edited_lines_count_and_are_reported() {
    let arena = played();
    arena.edit_line(3, |line| line.replacen("\"pair\":", "\"pair\": ", 1));
    for words in [&["rank"][..], &["report"], &["run"], &["report", "--packets"]] {
        let run = arena.run(words);
        assert_eq!(run.code, 0, "{words:?}: {}", run.err);
        let lines: Vec<&str> = run.err.lines().collect();
        assert!(lines[0].starts_with("warning: games.jsonl, line 3, game "), "{}", run.err);
        assert!(lines[0].ends_with("the record was edited after it was written"), "{}", run.err);
        let said = "edited lines still count; `referee verify` checks everything";
        assert_eq!(lines[1], said, "{words:?}");
    }
}

#[test]
fn fresh_secrets_are_saved_and_checked_but_not_shown() {
    let arena = Arena::with(&Config::small().change(|config| config.seed = None));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0);
    let first = run.err.lines().next();
    let said = "All seeds are drawn from a secret, DIR/results/cup/secret; keep it private while games \
                are played.";
    assert_eq!(first, Some(said));
    let path = arena.results().join("secret");
    let secret = fs::read_to_string(&path).expect("readable");
    assert!(!run.err.contains("SECRET") && !run.out.contains("SECRET"));
    assert_eq!(secret.trim().len(), 64);
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(arena.run(&["verify"]), Run::new(0, VERIFIED, ""));
    assert_eq!(arena.header()["seed"], Value::Null);

    arena.put("secret", &format!("{}\n", "0".repeat(64)));
    let run = arena.run(&["verify"]);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.out.lines().filter(|line| line.ends_with("does not match the secret")).count(),
        24
    );

    fs::remove_file(&path).expect("removed");
    let unchecked = "results/cup: 12 of 12 games played, seeds not checked, because the secret is \
                     missing: no problems\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, unchecked, ""));
    let error = "error: DIR/results/cup has lost the file `secret`, from which its games drew \
                 their seeds; restore it, or give the tournament another name\n";
    assert_eq!(arena.run(&["run"]), Run::new(2, "", error));
    arena.put("secret", "not a secret\n");
    let error = "error: DIR/results/cup/secret: expected a secret of 64 hex digits; restore what \
                 `run` wrote there\n";
    assert_eq!(arena.run(&["run"]), Run::new(2, "", error));
    arena.put("secret", &secret);
    assert_eq!(arena.run(&["run"]).code, 0);
}

#[test]
fn a_seeded_tournament_keeps_no_secret() {
    let arena = played();
    assert!(!arena.results().join("secret").exists());
    assert_eq!(arena.header()["seed"], 7);
}

#[test]
fn a_results_folder_that_cannot_be_created_is_an_error() {
    let arena = Arena::with(&Config::small());
    arena.write("file", "");
    let error = "error: cannot write to the results folder file/cup: Not a directory (os error \
                 20)\n";
    assert_eq!(arena.run(&["run", "--results", "file"]), Run::new(3, "", error));
}

#[test]
fn a_run_stops_on_a_full_disk_and_resumes_later() {
    let config = Config::small();
    let arena = Arena::with(&config);
    // Files end at 16 blocks of 512 or 1024 bytes, depending on the shell.
    let full = arena.in_shell("trap '' XFSZ; ulimit -f 16; exec \"$@\"", &["run"]);
    assert_eq!((full.code, full.out.as_str()), (3, ""));
    let error = "error: cannot write DIR/results/cup/games.jsonl: File too large (os error 27); \
                 every game in the log is complete: free some space and run again to continue";
    assert_eq!(full.err.lines().last(), Some(error));
    let log = arena.log();
    assert!(log.ends_with('\n'), "no torn line");
    let kept = arena.lines();
    assert!((1..12).contains(&kept.len()), "{}", kept.len());
    assert_eq!(arena.processes(), Vec::<String>::new());

    assert_eq!(arena.run(&["run", "--quiet"]), Run::new(0, TABLE, ""));
    assert!(arena.log().starts_with(&log));
    assert_eq!(arena.run(&["verify"]), Run::new(0, VERIFIED, ""));
}

#[test]
fn a_player_that_cannot_start_is_reported_before_the_first_game() {
    let config = Config::empty().bot("ant", "random").script("dud", "dud.sh");
    let arena = Arena::with(&config);
    arena.write("dud.sh", "echo no engine >&2; exit 3");
    let run = arena.run(&["run", "--strict"]);
    let table = "\
#  player  rating  ±95%  ranks  games  score      %  W  D  L  faults
1  ant        419  ±489      1      4      4  100.0  4  0  0       0
–  dud          –     –      –      4      0    0.0  0  0  4       4

4 of 4 games played.
First seat: 0 ±317 Elo. Draws: 0 of 4 games (0.0%).
4 faults: dud 4 no-start.
Without a rank: dud (committed faults and finished no games).
ant: all its games ended in faults by opponents, which say nothing about its strength.
";
    let notes = "\
warning: dud cannot start and will lose its games: the greeting failed: it exited with code 3
    no engine
4 of 4 games, in TIME, 4 with a fault, leading: ant 100%
Results: DIR/results/cup
next: open report.html there, or referee replay 2510cce015f2-1 --results results/cup
";
    assert_eq!(run, Run::new(1, table, notes));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0, "without --strict faults are no failure");
    let exchanges = arena.results().join("exchanges");
    assert_eq!(fs::read_dir(exchanges).expect("a folder").count(), 4);
}

/// A tournament in which one player makes a fault in every game.
fn faulty() -> Config {
    let config = Config::empty().bot("ant", "random").script("bad", "bad.sh").bot("cat", "greedy");
    config.change(|config| (config.pairs, config.more) = (3, "quarantine = 3".to_owned()))
}

#[test]
#[ignore = "slow: whole tournaments"]
fn a_quarantined_player_does_not_stop_the_tournament() {
    let mut tables: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for jobs in ["1", "2", "3", "8"] {
        let arena = Arena::with(&faulty());
        arena.write("bad.sh", LEAVES);
        let run = arena.run(&["run", "--jobs", jobs]);
        assert_eq!(run.code, 0);
        let out = "bad is quarantined: 3 faults in a row up to game ";
        assert_eq!(run.err.lines().filter(|line| line.starts_with(out)).count(), 1, "{}", run.err);
        assert_eq!(arena.run(&["verify", "--quiet"]).code, 0);
        let plan = arena.run(&["run", "--plan"]);
        let never = " will never be played, because 1 player was quarantined\n";
        // With many jobs, all games may be in play before it is taken out.
        let all_played = jobs != "1" && plan.out.contains("18 of 18 games played");
        assert!(all_played || plan.out.ends_with(never), "{}", plan.out);
        // The number of games in progress at that time depends on the jobs.
        let (table, notes) = run.out.split_once("\n\n").expect("notes");
        let notes = notes.split_once("First seat").expect("what the games show").1;
        let (standings, cross) = (arena.read("standings.csv"), arena.read("crosstable.csv"));
        let tables_of = format!("{table}{notes}{standings}{cross}");
        tables.entry(tables_of).or_default().push(jobs);
        let others = |game: &&Value| {
            let players = game["players"].to_string();
            players.contains("ant") && players.contains("cat")
        };
        assert_eq!(arena.essence().values().filter(others).count(), 6, "the others play on");
    }
    assert_eq!(tables.len(), 1, "the same whatever the jobs: {tables:#?}");
}

#[test]
fn quarantine_warnings_name_the_deciding_game() {
    let arena = Arena::with(&faulty());
    arena.write("bad.sh", LEAVES);
    let run = arena.run(&["run", "--jobs", "1"]);
    let line = |start: &str| run.err.lines().find(|line| line.starts_with(start)).expect(start);
    let named = |line: &str, before: &str| {
        line.split_once(before).expect("named").1.chars().take(14).collect::<String>()
    };
    let warned = named(line("warning: bad is quarantined"), "the last in game ");
    assert_eq!(warned, named(line("bad is quarantined"), "up to game "));
    assert!(arena.lines().contains_key(&warned));
}

#[test]
fn a_configuration_with_problems_plays_nothing() {
    let arena = Arena::with(&Config::small().bot("ant", "nobody"));
    let run = arena.run(&["run"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("two players are called `ant`"), "{}", run.err);
    assert!(run.err.contains("unknown built-in player `nobody`"), "{}", run.err);
    assert!(!arena.path().join("results").exists());
}

#[test]
fn a_closed_output_does_not_stop_the_games() {
    let arena = Arena::with(&Config::small());
    let mut child = arena.start(&["run"]);
    drop((child.stdout.take(), child.stderr.take()));
    child.wait().expect("it ends");
    assert_eq!(arena.lines().len(), 12);
    assert_eq!(arena.run(&["verify"]), Run::new(0, VERIFIED, ""));
}

/// The most memory the referee had in a tournament of two players, in KiB, once its log had the
/// first `lines` lines.
fn peak(arena: &Arena, child: &Child, lines: usize) -> u64 {
    let mut peak: u64 = 0;
    wait_until(|| {
        // Before the log: after the last games come the tables, which take memory once.
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let status = status.expect("it runs");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
        peak = line.split_whitespace().nth(1).expect("a number").parse().expect("a number");
        let log = std::fs::read(arena.results().join("games.jsonl")).unwrap_or_default();
        log.split(|&byte| byte == b'\n').count() > lines
    });
    peak
}

#[test]
#[ignore = "slow: 1,500 games"]
#[expect(clippy::print_stdout, reason = "a figure for people")]
fn memory_does_not_grow_with_the_number_of_games() {
    let config = Config::empty().bot("ant", "random").bot("bee", "random");
    let arena = Arena::with(&config.change(|config| {
        config.pairs = 760;
        config.max_moves = 300;
    }));
    let child = arena.start(&["run"]);
    let early = peak(&arena, &child, 150);
    let late = (2..=10).map(|part| peak(&arena, &child, 150 * part)).max().expect("parts");
    println!("the referee's peak: {early} KiB after 150 games, {late} KiB after 1,500");
    assert!(late < early + 2048, "{early} KiB grew to {late} KiB");
    assert_eq!(arena.finish(child, "").code, 0);
}

/// The tables are made from the beginning of each line. If it is forged and sealed again, `verify`
/// says so.
#[test]
fn a_forged_beginning_of_a_line_is_found() {
    let arena = Arena::played(&Config::small());
    let log = arena.read("games.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    let header: serde_json::Value = serde_json::from_str(lines[0]).expect("a header");
    let identity = header["identity"].as_str().expect("a text");
    let seal = |body: &str| {
        let mut hasher = blake3::Hasher::new_derive_key("referee 2026 log line");
        hasher.update(&(identity.len() as u64).to_le_bytes());
        hasher.update(identity.as_bytes()).update(body.as_bytes());
        format!("{body},\"check\":\"{}\"}}", &hasher.finalize().to_hex()[..16])
    };
    let body = |line: &str| line.split_once(",\"check\":").expect("a seal").0.to_owned();
    assert_eq!(seal(&body(lines[2])), lines[2], "this is how lines are sealed");
    // Another result behind the front would be a second key; another fingerprint is no error.
    let (start, rest) = ("{\"fingerprint\":\"", body(lines[2]));
    let digits = rest.strip_prefix(start).expect("a fingerprint");
    let other = if digits.starts_with('1') { "2" } else { "1" };
    arena.edit_line(3, |_| seal(&[start, other, &digits[1..]].concat()));
    let found = arena.run(&["verify"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.out.contains("line 3") && found.out.contains("do not match"), "{found:?}");
    let twice = rest + ",\"result\":\"draw\"";
    arena.edit_line(3, |_| seal(&twice));
    let found = arena.run(&["verify"]);
    assert!(found.code == 1 && found.out.contains("duplicate field `result`"), "{found:?}");
}

#[test]
fn a_run_with_nothing_left_to_play_changes_no_log_and_restores_the_tables() {
    let arena = Arena::played(&Config::small());
    let (log, standings) = (arena.read("games.jsonl"), arena.read("standings.csv"));
    arena.put("standings.csv", "");
    fs::remove_file(arena.results().join("report.html")).expect("removed");
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    assert_eq!((arena.read("games.jsonl"), arena.read("standings.csv")), (log, standings));
    assert!(arena.read("report.html").starts_with("<!DOCTYPE html>"));
}
