//! Players that cannot be trusted: each attack of `tests/players/hostile.py` is tried in real
//! tournaments, beside honest games. The attack must fail, the log must say so in the right words,
//! the honest games must not notice, and nothing may be left behind.
//!
//! What this machine cannot enforce is skipped by name.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "what is skipped is said")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

const PLAYERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/players");
/// Where the interpreters of the system are: those of a person may be closed to other users.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// An ordinary user, for tests that run as root.
const ORDINARY: u32 = 54_321;
/// What must fail without a trace: the player goes on and finishes its games.
const HELD: &[&str] = &[
    "read",
    "write",
    "sockets",
    "reach-referee",
    "kill-all",
    "namespaces",
    "kernel",
    "x32",
    "sysv",
    "clock",
    "cores",
    "setuid",
    "descriptors",
    "open-many",
    "secrets",
    "terminal",
    "keep",
    "links",
    "deaf",
];

/// How a tournament is played.
#[derive(Debug, Clone, Copy)]
struct Way {
    level: &'static str,
    user: Option<u32>,
    /// Lines of `[containment]`.
    limits: &'static str,
    /// Further arguments.
    args: &'static [&'static str],
}

const STRICT: Way = Way { level: "strict", user: None, limits: "", args: &[] };
const BASIC: Way = Way { level: "basic", ..STRICT };

/// What came of a tournament of one hostile and two honest players.
struct Played {
    header: Value,
    games: Vec<Value>,
    printed: String,
}

/// Plays it; `None` where the machine has not what it takes.
fn play(what: &str, way: Way) -> Option<Played> {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().canonicalize().expect("a path");
    fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("its owner");
    let secrets = dir.join("secrets");
    fs::create_dir(&secrets).expect("a folder");
    fs::write(secrets.join("kept"), "kept").expect("a file");
    let config = dir.join("cup.toml");
    let (told, outside) = (dir.display().to_string(), secrets.display().to_string());
    let text = format!(
        "name = \"cup\"\ngame = \"watch-your-back\"\nseed = 7\nquarantine = 0\njobs = 2\n\
         [options]\nmax-moves = 4\n[clock]\nmove = \"20s\"\n\
         [containment]\nlevel = \"{}\"\n{}\n\
         [[players]]\nname = \"bad\"\ncommand = [\"python3\", \"hostile.py\", \"{what}\"]\n\
         dir = {PLAYERS:?}\nenv = {{ OUTSIDE = {outside:?}, TOLD = {told:?} }}\n\
         [[players]]\nname = \"one\"\nbot = \"random\"\n[[players]]\nname = \"two\"\nbot = \"random\"\n",
        way.level, way.limits
    );
    fs::write(&config, text).expect("a configuration");
    let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"));
    referee
        .args(["run", "--results"])
        .arg(dir.join("results"))
        .args(way.args)
        .arg(&config)
        .env("PATH", PATH)
        .env("A_SECRET", "of the referee")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if let Some(user) = way.user {
        for path in [&dir, &secrets] {
            chown(path, Some(user), Some(user)).expect("root");
        }
        referee.uid(user).gid(user);
    }
    let referee = referee.spawn().expect("the referee starts");
    let number = referee.id();
    let output = referee.wait_with_output().expect("the referee ends");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() == Some(3) && printed.contains("cannot be contained") {
        println!("skipped: {}: {}", way.level, printed.trim());
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert_eq!(left(&dir, number), Vec::<String>::new(), "{what} {way:?} left something behind");
    assert_eq!(fs::read_to_string(secrets.join("kept")).expect("text"), "kept");
    let log = fs::read_to_string(dir.join("results/cup/games.jsonl")).expect("a log");
    let mut lines = log.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let header = lines.next().expect("a header");
    let played = Played { header, games: lines.collect(), printed };
    played.honest_games_are_undisturbed();
    Some(played)
}

/// Processes of players that were told of this folder, and what this referee made elsewhere.
fn left(told: &Path, referee: u32) -> Vec<String> {
    let mark = format!("TOLD={}", told.display());
    let of_player = |process: &Path| {
        let environ = fs::read(process.join("environ")).unwrap_or_default();
        environ.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
    };
    let paths = |dir: &Path| {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut found = paths(Path::new("/proc"));
    found.retain(|process| of_player(process));
    let mut due = paths(Path::new("/sys/fs/cgroup"));
    due.extend(paths(&std::env::temp_dir()));
    let group = format!("referee-{referee}-");
    let scratch = format!("referee-scratch-{referee}-");
    let mut depth = 0;
    while depth < 4 && !due.is_empty() {
        let named = |path: &&std::path::PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with(&group) || name.starts_with(&scratch)
        };
        found.extend(due.iter().filter(named).cloned());
        let groups = due.iter().filter(|path| path.starts_with("/sys/fs/cgroup") && path.is_dir());
        due = groups.flat_map(|path| paths(path)).collect();
        depth += 1;
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    found.extend(mounts.lines().filter(|line| line.contains("/.old")).map(str::to_owned));
    found
}

impl Played {
    fn honest_games_are_undisturbed(&self) {
        let honest = self.games.iter().filter(|game| seat_of_bad(game).is_none());
        let honest: Vec<_> = honest.collect();
        assert_eq!(honest.len(), 2, "{}", self.printed);
        for game in honest {
            assert!(game["fault"].is_null() && game["warnings"].is_null(), "{game}");
        }
    }

    fn in_force(&self, mechanism: &str) -> bool {
        let list = self.header["containment"]["in_force"].as_array().expect("a list");
        let there = list.iter().any(|name| name == mechanism);
        if !there {
            println!("skipped: {mechanism}: not in force on this machine");
        }
        there
    }

    /// The games of the hostile player, with its seat.
    fn of_bad(&self) -> impl Iterator<Item = (&Value, &'static str)> {
        self.games.iter().filter_map(|game| Some((game, seat_of_bad(game)?)))
    }

    /// The attack failed, and the player played on.
    fn held(&self, what: &str) {
        for (game, seat) in self.of_bad() {
            assert!(game["fault"].is_null(), "{what}: {game}");
            let notes = game["notes"].as_array().cloned().unwrap_or_default();
            let said: Vec<&Value> =
                notes.iter().filter(|note| note["by"] == seat).map(|note| &note["note"]).collect();
            assert_eq!(said, ["held"], "{what}: {game}");
        }
    }

    /// The hostile player lost each of its games by this fault, in these words; `…` stands for
    /// anything.
    fn lost(&self, code: &str, sentence: &str) {
        for (game, seat) in self.of_bad() {
            let fault = &game["fault"][seat];
            let message = fault["message"].as_str().unwrap_or_default();
            let parts: Vec<&str> = sentence.split('…').collect();
            let fits = message.starts_with(parts[0])
                && message.ends_with(parts[parts.len() - 1])
                && parts.iter().all(|part| message.contains(part));
            assert!(fault["code"] == code && fits, "expected {code}: {sentence}, got {fault}");
        }
    }
}

fn seat_of_bad(game: &Value) -> Option<&'static str> {
    ["white", "black"].into_iter().find(|seat| game["players"][seat] == "bad")
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// No control group is made.
const WITHOUT_GROUPS: &[&str] = &[
    "--without",
    "memory",
    "--without",
    "processes",
    "--without",
    "cpu",
    "--without",
    "freeze",
    "--without",
    "kill",
];

/// Every level, with control groups and without; as this user and, for root, as an ordinary one.
fn ways() -> Vec<Way> {
    let args = WITHOUT_GROUPS;
    let mut ways = vec![STRICT, BASIC, Way { args, ..STRICT }, Way { args, ..BASIC }];
    if is_root() {
        let user = Some(ORDINARY);
        ways.extend([Way { user, ..STRICT }, Way { user, ..BASIC }]);
    } else {
        println!("skipped: root: these tests run as an ordinary user");
    }
    ways
}

fn all_held(attacks: &[&str], way: Way) {
    for what in attacks {
        if let Some(played) = play(what, way) {
            played.held(what);
        }
    }
}

// Quick: the attacks on others, at the strongest level.

#[test]
fn files_of_others_are_out_of_reach() {
    all_held(&["read", "write", "links", "keep"], STRICT);
}

#[test]
fn processes_of_others_are_out_of_reach() {
    all_held(&["reach-referee", "kill-all", "sockets"], STRICT);
}

#[test]
fn the_kernel_is_out_of_reach() {
    all_held(&["kernel", "namespaces", "x32", "sysv"], STRICT);
}

#[test]
fn nothing_is_inherited() {
    all_held(&["descriptors", "secrets", "setuid", "terminal"], STRICT);
}

#[test]
fn basic_holds_without_namespaces() {
    all_held(&["read", "write", "reach-referee", "links"], BASIC);
}

// Quick: the limits.

const SMALL: Way = Way {
    limits: "memory = \"64MiB\"\nprocesses = 16\nscratch = \"8MiB\"\nfile-size = \"4MiB\"",
    ..STRICT
};

#[test]
fn memory_of_all_processes_together_is_bounded() {
    for what in ["heap", "family", "memfd", "shared-mapping"] {
        let limits = "memory = \"64MiB\"\nprocesses = 64\nfile-size = \"1GiB\"";
        let Some(played) = play(what, Way { limits, ..SMALL }) else { return };
        if !played.in_force("memory") {
            return;
        }
        played.lost("memory", "64 MiB of 64 MiB, then …");
    }
}

#[test]
fn a_fork_bomb_stops_at_its_limit() {
    let Some(played) = play("fork-and-fail", SMALL) else { return };
    if played.in_force("processes") && played.in_force("kill") {
        played.lost(
            "processes",
            "more than 16 processes and threads, then it ended with exit code 1",
        );
    }
}

#[test]
fn a_file_and_the_scratch_folder_are_bounded() {
    let Some(played) = play("big-file", SMALL) else { return };
    played.lost("disk", "a file of more than 4 MiB, then it was ended by SIGXFSZ");
    let Some(played) = play("fill-scratch", SMALL) else { return };
    played.lost("disk", "8 MiB of 8 MiB of scratch space, then it ended with exit code 1");
}

#[test]
fn cpu_time_of_processes_that_nobody_waits_for_is_counted() {
    let Some(played) = play("hide-cpu", STRICT) else { return };
    if !played.in_force("cpu") {
        return;
    }
    for (game, seat) in played.of_bad() {
        let used = game["clock"]["cpu_ns"][seat].as_u64().expect("a figure");
        assert!(used > 900_000_000, "{used} ns");
    }
}

#[test]
fn what_is_required_and_missing_is_an_error_before_the_first_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("cup.toml");
    let text = "name = \"cup\"\ngame = \"watch-your-back\"\n\
                [containment]\nlevel = \"off\"\nrequire = [\"strict\", \"memory\"]\n\
                [[players]]\nname = \"one\"\nbot = \"random\"\n\
                [[players]]\nname = \"two\"\nbot = \"random\"\n";
    fs::write(&config, text).expect("a configuration");
    let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"));
    let output = referee.arg("run").arg(&config).output().expect("the referee runs");
    let expected = "error: the configuration requires `strict`, which is not in force: the level \
                    `off` does without it; nothing was played. `referee probe` says what to do \
                    about it\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
    assert!(!folder.path().join("results/cup/games.jsonl").exists());
}

/// Players die with a referee that is killed at any level.
#[test]
fn players_die_with_the_referee() {
    for level in ["off", "basic", "strict"] {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().canonicalize().expect("a path");
        let told = dir.display().to_string();
        let text = format!(
            "name = \"cup\"\ngame = \"watch-your-back\"\n[clock]\nstartup = \"10m\"\n\
             [containment]\nlevel = \"{level}\"\n\
             [[players]]\nname = \"bad\"\ncommand = [\"sleep\", \"600\"]\ndir = \"/usr\"\n\
             env = {{ TOLD = {told:?} }}\n[[players]]\nname = \"one\"\nbot = \"random\"\n"
        );
        fs::write(dir.join("cup.toml"), text).expect("a configuration");
        let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"))
            .arg("run")
            .arg(dir.join("cup.toml"))
            .env("PATH", PATH)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the referee starts");
        let number = referee.id();
        wait_until(|| !left_processes(&dir).is_empty());
        referee.kill().expect("killed");
        referee.wait().expect("reaped");
        wait_until(|| left(&dir, number).is_empty());
    }
}

fn left_processes(told: &Path) -> Vec<String> {
    left(told, 0).into_iter().filter(|path| path.starts_with("/proc/")).collect()
}

fn wait_until(is_so: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !is_so() {
        assert!(began.elapsed().as_secs() < 60, "it never came");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

// The whole matrix.

#[test]
#[ignore = "slow: every attack, at every level, as root and as an ordinary user"]
fn every_attack_fails_in_every_way() {
    for way in ways() {
        all_held(HELD, way);
        let small = Way { limits: "scratch = \"8MiB\"", ..way };
        if way.level == "strict" {
            all_held(&["inodes", "shm"], small);
        } else if let Some(played) = play("fill-scratch", small) {
            let sentence = "8 MiB of 8 MiB of scratch space, then it was ended by SIGKILL";
            played.lost("disk", sentence);
        }
        all_held(&["fork", "threads"], Way { limits: "processes = 32", ..way });
        if let Some(played) = play("abort", way) {
            played.lost("crash", "it was ended by SIGABRT");
        }
    }
}

#[test]
#[ignore = "slow: a thousand games"]
fn a_thousand_games_with_a_tenth_of_the_players_hostile() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().canonicalize().expect("a path");
    fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("its owner");
    let told = dir.display().to_string();
    let mut text = "name = \"cup\"\ngame = \"watch-your-back\"\nseed = 7\nquarantine = 0\n\
                    pairs = 12\njobs = 2\n[options]\nmax-moves = 4\n[clock]\nmove = \"20s\"\n\
                    [containment]\nmemory = \"64MiB\"\nprocesses = 16\nscratch = \"8MiB\"\n\
                    [[players]]\nname = \"bad\"\ncommand = [\"python3\", \"hostile.py\", \"fork\"]\n"
        .to_owned();
    text = format!("{text}dir = {PLAYERS:?}\nenv = {{ OUTSIDE = {told:?}, TOLD = {told:?} }}\n");
    // Ten players meet in 45 pairings of 24 games: 1080.
    for number in 1..10 {
        text = format!("{text}[[players]]\nname = \"honest {number}\"\nbot = \"random\"\n");
    }
    fs::write(dir.join("cup.toml"), text).expect("a configuration");
    let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(["run", "--quiet", "--results"])
        .arg(dir.join("results"))
        .arg(dir.join("cup.toml"))
        .env("PATH", PATH)
        .stdout(Stdio::null())
        .spawn()
        .expect("the referee starts");
    let number = referee.id();
    let log = dir.join("results/cup/games.jsonl");
    let played = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    let resident = || {
        let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    let mut early = 0;
    let mut late = 0;
    while referee.try_wait().expect("a child").is_none() {
        let done = played();
        if early == 0 && done > 200 {
            early = resident();
        }
        // When all are played the page is written, which takes memory once.
        late = late.max(if (900..1081).contains(&done) { resident() } else { 0 });
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert!(late > 0, "the last games were seen");
    assert!(late < early + early / 4, "the referee grew from {early} to {late} KiB");
    assert_eq!(left(&dir, number), Vec::<String>::new());
    let log = fs::read_to_string(&log).expect("a log");
    let games: Vec<Value> =
        log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(games.len(), 1080);
    for game in &games {
        assert!(game["fault"].is_null(), "{game}");
    }
    println!(
        "1,080 games: the referee had {early} KiB after 200 of them and {late} KiB in the end"
    );
}

#[test]
#[ignore = "slow: attacks with one mechanism left out"]
fn another_layer_holds_where_one_mechanism_is_left_out() {
    // What is left out, an attack, and whether another layer stops it.
    for (args, what, holds) in [
        (&["--without", "landlock"][..], "read", true),
        (&["--without", "namespaces"], "read", true),
        (&["--without", "landlock", "--without", "namespaces"], "read", false),
        (&["--without", "seccomp"], "kill-all", true),
        (&["--without", "seccomp"], "namespaces", false),
    ] {
        let Some(played) = play(what, Way { args, ..STRICT }) else { continue };
        let held = played.of_bad().all(|(game, _)| game.to_string().contains("\"held\""));
        assert_eq!(held, holds, "{what} {args:?}");
    }
}
