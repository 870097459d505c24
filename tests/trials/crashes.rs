//! The state of a results folder after the referee was stopped at any step on disk, the disk was
//! full from that step on, the power failed, or the referee was killed at random.
//!
//! `REFEREE_KILLS=1000 cargo test --test trials random_kills -- --ignored` kills a thousand runs of
//! all formats and prints what it found. Only programs built for tests know `REFEREE_CRASH`; see
//! `crates/record/src/disk/crash_points.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

use crate::harness::{Lacks, quick, slow};
use crate::support::{Arena, Config, Dice, wait_until};
use libtest_mimic::Trial;
use serde_json::Value;

pub(crate) fn tests() -> Vec<Trial> {
    let crashes = [
        ("a_fresh_run", fresh as fn() -> Scenario),
        ("a_repair", repaired),
        ("a_resumed_run", resumed),
        ("a_run_that_replaces_a_player", replaced),
        ("a_run_of_two_stages", staged),
    ];
    let stopped = |name: &str, points: &str| format!("{name}_stopped_at_{points}_goes_on");
    let mut tests = Vec::new();
    for (name, scenario) in crashes {
        let every = move || at_points(&scenario(), Points::Every);
        tests.push(slow(stopped(name, "every_point"), every));
    }
    // The first two are quick.
    for (name, scenario) in &crashes[..2] {
        let scenario = *scenario;
        let some = move || at_points(&scenario(), Points::Some);
        tests.push(quick(stopped(name, "some_points"), some));
    }
    tests.push(slow("random_kills_lose_nothing", || {
        let kills = std::env::var("REFEREE_KILLS").ok();
        let kills = kills.map_or(70, |kills| kills.parse().expect("REFEREE_KILLS: a number"));
        random_kills(kills, &victims())
    }));
    tests.push(slow("random_kills_of_four_seats_lose_nothing", || {
        random_kills(50, &[victim_of_four_seats()])
    }));
    tests
}

/// A scenario: a folder before the command, and the expected result.
struct Scenario {
    arena: Arena,
    args: &'static [&'static str],
    /// The exit code of the command if nothing goes wrong.
    code: i32,
    expected: Left,
}

/// The final state, whatever happened before.
#[derive(Debug, PartialEq)]
struct Left {
    games: Games,
    superseded: Vec<String>,
    set_aside: usize,
    standings: Option<String>,
}

/// The reproducible data of games by id; empty without a seed.
type Games = BTreeMap<String, Option<Value>>;

impl Scenario {
    /// Runs the command in `arena` without a failure; the result is the expected one.
    fn new(arena: Arena, args: &'static [&'static str], code: i32) -> Self {
        let calm = copy_of(&arena);
        let run = calm.run(args);
        assert_eq!(run.code, code, "{}", run.err);
        Self { expected: Left::of(&calm), arena, args, code }
    }
}

impl Left {
    fn of(arena: &Arena) -> Self {
        let lines = |name: &str| {
            let text = fs::read_to_string(arena.results().join(name)).unwrap_or_default();
            assert!(text.is_empty() || text.ends_with('\n'), "{name} is torn: {text}");
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let seeded = arena.header()["seed"].is_u64();
        let games =
            arena.essence().into_iter().map(|(id, game)| (id, Some(game).filter(|_| seeded)));
        for entry in fs::read_dir(arena.results()).expect("a folder") {
            let path = entry.expect("an entry").path();
            assert!(path.extension().is_none_or(|end| end != "new"), "left: {}", path.display());
        }
        Self {
            games: games.collect(),
            superseded: lines("superseded.jsonl"),
            set_aside: lines("set-aside.jsonl").len(),
            standings: fs::read_to_string(arena.results().join("standings.csv"))
                .ok()
                .filter(|_| seeded),
        }
    }
}

fn copy_of(arena: &Arena) -> Arena {
    let copy = Arena::new();
    copy.sh(&format!("cp -a '{}/.' .", arena.path().display()));
    copy
}

/// Short games of built-in players.
fn config() -> Config {
    Config::empty().bot("ant", "random").bot("bee", "random").change(|config| {
        config.max_moves = 4;
        config.pairs = 1;
        config.jobs = 1;
        config.clock.push_str("[containment]\nlevel = \"off\"");
    })
}

fn fresh() -> Scenario {
    let config = config().script("zzz", "leaves.sh").change(|config| config.seed = None);
    let arena = Arena::with(&config);
    arena.write("leaves.sh", "read init; echo ok; read turn");
    Scenario::new(arena, &["run"], 0)
}

fn three(config: &Config) -> Arena {
    let arena = Arena::with(&config.clone().bot("cat", "random"));
    let run = arena.run(&["run", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
    arena
}

fn resumed() -> Scenario {
    let arena = three(&config());
    let log = arena.log();
    let half: usize = log.split_inclusive('\n').take(4).map(str::len).sum();
    arena.put("games.jsonl", &log[..half + 40]);
    Scenario::new(arena, &["run"], 0)
}

fn replaced() -> Scenario {
    let arena = three(&config());
    arena.configure(&config().bot("cat", "greedy"));
    Scenario::new(arena, &["run", "--replace", "cat"], 0)
}

fn staged() -> Scenario {
    let stages = "[[stages]]\nformat = \"swiss\"\nrounds = 2\n[[stages]]\nformat = \"knockout\"\n\
                  players = 2\ntie-breaks = 1";
    let config = config().bot("cat", "random").bot("dog", "random").change(|config| {
        config.pairs = 0;
        config.more.push_str(stages);
    });
    Scenario::new(Arena::with(&config), &["run"], 0)
}

fn repaired() -> Scenario {
    let arena = three(&config());
    arena.edit_line(3, |_| "garbage".to_owned());
    arena.edit_line(5, |line| line.replacen("\"plies\":", "\"plies\": ", 1));
    // The tables are then older than the log, which is noticed.
    Scenario::new(arena, &["verify", "--repair"], 1)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Points {
    Every,
    Some,
}

/// A kind of failure, and the exit of the program.
const KINDS: [(&str, Option<i32>); 4] =
    [("kill", None), ("tear", None), ("power", None), ("full", Some(3))];

/// Makes the command of a scenario fail at every step in turn, each time in two of four ways, and then
/// runs it again without failure. The final state must be the same as without any failure.
fn at_points(scenario: &Scenario, points: Points) -> Lacks {
    if !cfg!(debug_assertions) {
        return Some("crash points are built into programs for tests alone".to_owned());
    }
    for (way, (kind, ends)) in (0..).zip(KINDS) {
        let mut reached = 0;
        // Each kind of failure is tried at different steps.
        let (first, step) = match points {
            Points::Every => (1 + way % 2, 2),
            Points::Some => (1 + kind.len() % 3, 61),
        };
        for at in (first..).step_by(step) {
            if !crash(scenario, kind, ends, at) {
                break;
            }
            reached = at;
        }
        assert!(reached > 0, "{kind}: there is no step on disk");
    }
    None
}

/// Makes it fail at this step; returns false if the step does not exist.
fn crash(scenario: &Scenario, kind: &str, ends: Option<i32>, at: usize) -> bool {
    let arena = copy_of(&scenario.arena);
    let crash = format!("{kind} {at}");
    let mut command = arena.command(scenario.args);
    command.env("REFEREE_CRASH", &crash);
    let output = command.spawn().and_then(std::process::Child::wait_with_output);
    let output = output.expect("the referee starts");
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(scenario.code) {
        return false;
    }
    assert_eq!(output.status.code(), ends, "{crash}: {said}");
    assert_eq!(output.status.signal(), ends.is_none().then_some(9), "{crash}");
    if kind == "full" {
        assert!(said.contains("No space left on device"), "{crash}: {said}");
    }
    let again = arena.run(scenario.args);
    assert_eq!(again.code, scenario.code, "{crash}, again: {}", again.err);
    assert_eq!(Left::of(&arena), scenario.expected, "{crash}");
    if scenario.code == 0 {
        let verified = arena.run(&["verify"]);
        assert_eq!(verified.code, 0, "{crash}, verified: {}", verified.out);
        let all = "seeds checked: no problems\n";
        assert!(verified.out.ends_with(all), "{crash}: {}", verified.out);
    }
    true
}

/// A tournament that is killed again and again.
struct Victim {
    name: &'static str,
    /// The text of its configuration.
    config: String,
    /// A folder in which the tournament was played before, with another program of `cat`.
    before: Option<Arena>,
    args: &'static [&'static str],
}

/// The configuration of six players, with these settings.
fn six_players(settings: &str) -> Config {
    let bots = ["random", "greedy", "search-50"];
    let players = (0..6).map(|player| (format!("p{player}"), bots[player % 3]));
    let config = players.fold(Config::empty(), |config, (name, bot)| config.bot(&name, bot));
    config.change(|config| {
        config.pairs = 0;
        config.max_moves = 12;
        config.more.push_str(settings);
        config.clock.push_str("[containment]\nlevel = \"off\"");
    })
}

/// A tournament with these settings that has not begun.
fn plain_victim(name: &'static str, settings: &str) -> Victim {
    Victim { name, config: six_players(settings).toml(), before: None, args: &[] }
}

/// Six players at tables of four, all of which choose at the same time.
fn victim_of_four_seats() -> Victim {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/goofspiel.py");
    let players = (0..6).map(|player| {
        let bot = ["random", "greedy"][player % 2];
        format!("[[players]]\nname = \"p{player}\"\nbot = \"{bot}\"\n")
    });
    let config = format!(
        "name = \"cup\"\ngame = {{ command = [\"python3\", {program:?}, \"4\"] }}\nseed = 7\n\
         meetings = 4\n[options]\ncards = 3\n[containment]\nlevel = \"off\"\n{}",
        players.collect::<String>()
    );
    Victim { name: "four seats", config, before: None, args: &[] }
}

fn victims() -> Vec<Victim> {
    let four = six_players("pairs = 1");
    let before =
        Arena::with(&four.change(|config| config.players[2].1 = "bot = \"random\"".into()));
    assert_eq!(before.run(&["run", "-q"]).code, 0);
    vec![
        plain_victim("round-robin", "pairs = 2"),
        plain_victim("gauntlet", "format = \"gauntlet\"\nanchors = [\"p2\", \"p5\"]\npairs = 2"),
        plain_victim("swiss", "format = \"swiss\"\nrounds = 3"),
        plain_victim("knockout", "format = \"knockout\"\npairs = 2"),
        plain_victim("ladder", "format = \"ladder\"\ngames = 30"),
        plain_victim(
            "check, swiss, round-robin",
            "[[stages]]\nformat = \"check\"\n[[stages]]\nformat = \"swiss\"\nrounds = 2\n\
             [[stages]]\nformat = \"round-robin\"\nplayers = 3",
        ),
        Victim {
            name: "replaced",
            config: four.toml(),
            before: Some(before),
            args: &["--replace", "p2"],
        },
    ]
}

/// The statistics of kills.
#[derive(Default)]
struct Found {
    kills: u64,
    in_play: u64,
    torn: u64,
    complete: u64,
    games: usize,
}

/// Kills this many runs at random, spread over all victims, and resumes them until they are
/// complete.
#[expect(clippy::print_stdout, reason = "figures for people")]
fn random_kills(kills: u64, victims: &[Victim]) -> Lacks {
    let each = kills.div_ceil(victims.len() as u64);
    let mut dice = Dice::new(3);
    let mut all = Found::default();
    println!(
        "{:27}{:>6}{:>9}{:>6}{:>10}{:>7}",
        "format", "kills", "in play", "torn", "complete", "games"
    );
    for victim in victims {
        let found = kill(victim, each, &mut dice);
        print(victim.name, &found);
        all.kills += found.kills;
        all.in_play += found.in_play;
        all.torn += found.torn;
        all.complete += found.complete;
        all.games += found.games;
    }
    print("all", &all);
    println!("no game was lost, doubled or changed");
    None
}

#[expect(clippy::print_stdout, reason = "figures for people")]
fn print(name: &str, found: &Found) {
    let Found { kills, in_play, torn, complete, games } = found;
    println!("{name:27}{kills:>6}{in_play:>9}{torn:>6}{complete:>10}{games:>7}");
}

fn begun(victim: &Victim) -> Arena {
    let arena = victim.before.as_ref().map_or_else(Arena::new, copy_of);
    arena.write("tournament.toml", &victim.config);
    arena
}

/// Kills this many runs. When one is complete, the next tournament begins.
fn kill(victim: &Victim, kills: u64, dice: &mut Dice) -> Found {
    let calm = begun(victim);
    let args: Vec<&str> = ["run", "-q"].iter().chain(victim.args).copied().collect();
    let expected = calm.run(&args);
    assert_eq!(expected.code, 0, "{}: {}", victim.name, expected.err);
    let (left, mut found) = (Left::of(&calm), Found::default());
    let lines = calm.log().lines().count();
    let mut arena = begun(victim);
    let start = whole_lines(&arena.results());
    while found.kills < kills {
        let before = whole_lines(&arena.results());
        let jobs = (1 + dice.below(3)).to_string();
        let mut child = arena.start(&[&args[..], &["--jobs", &jobs]].concat());
        // At the start, some games later, or when the tables are written.
        let done = before.lines().count();
        let enough = lines.min(done + usize::try_from(dice.below(5)).expect("few"));
        wait_until(|| {
            whole_lines(&arena.results()).lines().count() >= enough
                || child.try_wait().expect("a child").is_some()
        });
        std::thread::sleep(Duration::from_micros(dice.below(150_000)));
        child.kill().expect("it can be killed");
        let status = child.wait().expect("it ends");
        let (now, torn) = (whole_lines(&arena.results()), is_torn(&arena.results()));
        let is_killed = status.code().is_none();
        found.kills += u64::from(is_killed);
        found.in_play += u64::from(is_killed && now.len() > before.len());
        found.torn += u64::from(is_killed && torn);
        let is_rewritten = now.lines().next() != before.lines().next();
        assert!(is_rewritten || now.starts_with(&before), "{}: lines vanished", victim.name);
        // A run that had nothing left to play ends the tournament, whether it was killed or not.
        let was_complete = done == lines && before != start;
        if !is_killed || was_complete || found.kills == kills {
            let run = arena.run(&args);
            assert_eq!((run.code, &run.out), (0, &expected.out), "{}: {}", victim.name, run.err);
            let now = Left::of(&arena);
            assert_eq!(now.games, left.games, "{}", victim.name);
            assert_eq!(now.superseded, left.superseded, "{}", victim.name);
            assert_eq!(now.standings, left.standings, "{}", victim.name);
            let verified = arena.run(&["verify"]);
            assert_eq!(verified.code, 0, "{}: {}", victim.name, verified.out);
            wait_until(|| arena.processes().is_empty());
            found.complete += 1;
            found.games += left.games.len();
            arena = begun(victim);
        }
    }
    found
}

/// The whole lines of the log.
fn whole_lines(results: &Path) -> String {
    let log = fs::read_to_string(results.join("games.jsonl")).unwrap_or_default();
    log.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect()
}

fn is_torn(results: &Path) -> bool {
    let log = fs::read(results.join("games.jsonl")).unwrap_or_default();
    !log.is_empty() && !log.ends_with(b"\n")
}
