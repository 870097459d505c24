//! Whole runs: requirements, killed referees, and a thousand games.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::Value;

use super::cup::{BASIC, PATH, PLAYERS, STRICT, is_root, left};
use crate::harness::{Lacks, quick, slow};
use crate::support::wait_until;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        quick("missing_requirements_are_errors_before_the_first_game", || {
            what_is_required_and_missing();
            None
        }),
        quick("the_page_of_attacks_names_what_tries_them", || {
            the_page_names_what_tries_each();
            None
        }),
        quick("players_die_with_the_referee", || {
            players_die_with_the_referee();
            None
        }),
        quick("a_setup_may_be_larger_than_the_buffer_of_a_socket", || {
            a_long_specification();
            None
        }),
        quick("without_namespaces_players_are_contained_without_mounts", || {
            let lacks =
                (!is_root()).then(|| "another user: these tests do not run as root".to_owned());
            if lacks.is_none() {
                without_namespaces();
            }
            lacks
        }),
        quick("an_overrun_counts_in_the_game_where_it_happened", || {
            let lacks: Lacks = STRICT.lacks(&["processes"]);
            if lacks.is_none() {
                overruns_of_a_kept_player();
            }
            lacks
        }),
        slow("a_thousand_games_with_a_tenth_of_the_players_hostile", || {
            let lacks: Lacks = STRICT.lacks(&[]);
            if lacks.is_none() {
                a_thousand_games();
            }
            lacks
        }),
    ]
}

fn what_is_required_and_missing() {
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
                    `off` does not include it; nothing was played. `referee probe` says how to \
                    fix it\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
    assert!(!folder.path().join("results/cup/games.jsonl").exists());
}

/// Plays `config` at its level, and returns its games.
fn played(config: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().canonicalize().expect("a path");
    fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("its owner");
    fs::write(dir.join("cup.toml"), config.replace("DIR", &dir.display().to_string()))
        .expect("a configuration");
    played_in(&dir)
}

/// Plays `cup.toml` in `dir`, and returns its games.
fn played_in(dir: &Path) -> Vec<Value> {
    let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(["run", "--quiet", "--results"])
        .arg(dir.join("results"))
        .arg(dir.join("cup.toml"))
        .env("PATH", PATH)
        .stdout(Stdio::null())
        .spawn()
        .expect("the referee starts");
    let ended = ended_within_a_minute(&mut referee);
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
    let log = fs::read_to_string(dir.join("results/cup/games.jsonl")).expect("a log");
    log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Waits for it, and kills it when it does not end.
fn ended_within_a_minute(referee: &mut Child) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(60) {
        if let Some(status) = referee.try_wait().expect("a child") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    referee.kill().expect("killed");
    referee.wait().expect("reaped");
    None
}

/// One player hides so many files from the other that their names do not fit into a socket's
/// buffer.
fn a_long_specification() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().canonicalize().expect("a path");
    fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("its owner");
    let names: Vec<String> = (0..2000).map(|at| format!("{at:0>200}")).collect();
    for name in &names {
        fs::write(dir.join(name), "").expect("a file");
    }
    fs::copy(Path::new(PLAYERS).join("fine.py"), dir.join("fine.py")).expect("copied");
    let config = format!(
        "name = \"cup\"\ngame = \"watch-your-back\"\n[options]\nmax-moves = 4\n\
         [containment]\nlevel = \"off\"\n\
         [[players]]\nname = \"one\"\ncommand = [\"python3\", \"fine.py\"]\nfiles = {names:?}\n\
         [[players]]\nname = \"two\"\ncommand = [\"python3\", \"fine.py\"]\n"
    );
    fs::write(dir.join("cup.toml"), config).expect("a configuration");
    for game in played_in(&dir) {
        assert!(game["fault"].is_null(), "{game}");
    }
}

/// Becomes an ordinary user that cannot create namespaces, and then runs the program in its
/// arguments.
const WITHOUT_NAMESPACES: &str = "
import ctypes, os, sys
def put(path, text):
    with open(path, 'w') as file:
        file.write(text)
os.setgroups([]); os.setresgid(54321, 54321, 54321); os.setresuid(54321, 54321, 54321)
libc = ctypes.CDLL(None)
libc.prctl(4, 1, 0, 0, 0)
assert libc.unshare(0x10000000) == 0
put('/proc/self/setgroups', 'deny')
put('/proc/self/uid_map', '54321 54321 1')
put('/proc/self/gid_map', '54321 54321 1')
put('/proc/sys/user/max_user_namespaces', '0')
os.execv(sys.argv[1], sys.argv[1:])
";

fn without_namespaces() {
    let basic = BASIC.lacks(&["landlock", "seccomp"]);
    let output = Command::new("python3")
        .args([
            "-c",
            WITHOUT_NAMESPACES,
            env!("CARGO_BIN_EXE_referee"),
            "probe",
            "--format",
            "json",
        ])
        .env("PATH", PATH)
        .current_dir("/")
        .output()
        .expect("a probe");
    let findings: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let holds = |name: &str| {
        let mut findings = findings.as_array().expect("a list").iter();
        findings.find(|finding| finding["name"] == name).map(|finding| finding["holds"] == true)
    };
    let found = ["strict", "mounts", "basic"].map(holds);
    assert_eq!(found, [Some(false), Some(false), Some(basic.is_none())], "{findings}");
}

/// A player that stays for further games and once ran into a limit.
fn overruns_of_a_kept_player() {
    let games = played(&format!(
        "name = \"cup\"\ngame = \"watch-your-back\"\nquarantine = 0\njobs = 1\n\
         [options]\nmax-moves = 4\n[clock]\nmove = \"20s\"\n\
         [containment]\nlevel = \"strict\"\nprocesses = 16\n\
         [[players]]\nname = \"bad\"\ncommand = [\"python3\", \"hostile.py\", \"fork-once\"]\n\
         dir = {PLAYERS:?}\nrestart = false\n[[players]]\nname = \"one\"\nbot = \"random\"\n\
         [[players]]\nname = \"two\"\nbot = \"random\"\n"
    ));
    let of_bad = games.iter().filter_map(|game| Some((game, super::cup::seat_of_bad(game)?)));
    let warned = |game: &Value| game["warnings"].to_string().contains("16 processes");
    let (mut first, mut second) = (0, 0);
    for (game, seat) in of_bad {
        let fault = &game["fault"][seat];
        if fault.is_null() {
            first += 1;
            assert!(warned(game), "{game}");
        } else {
            second += 1;
            assert_eq!((fault["code"].as_str(), warned(game)), (Some("crash"), false), "{game}");
        }
    }
    // Two processes, one for each game of a pair, play two pairs.
    assert_eq!((first, second), (2, 2));
}

/// At every level, players die with a killed referee.
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

fn a_thousand_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().canonicalize().expect("a path");
    fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("its owner");
    let told = dir.display().to_string();
    let mut text = "name = \"cup\"\ngame = \"watch-your-back\"\nseed = 7\nquarantine = 0\n\
                    pairs = 12\njobs = 2\n[options]\nmax-moves = 4\n[clock]\nmove = \"20s\"\n\
                    [containment]\nmemory = \"64MiB\"\nprocesses = 16\nscratch = \"8MiB\"\n\
                    [[players]]\nname = \"bad\"\ncommand = [\"python3\", \"hostile.py\", \
                    \"fork\"]\n"
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
        // At the end the page is written, which takes memory once: so the log is read after it.
        let now = resident();
        let done = played();
        if early == 0 && done > 200 {
            early = now;
        }
        late = late.max(if (900..1081).contains(&done) { now } else { 0 });
        std::thread::sleep(Duration::from_millis(200));
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

/// The page and the list of what tries its attacks have the same numbers, all attacks are named, and
/// everything that is named exists.
fn the_page_names_what_tries_each() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/attacks.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let mut numbers: Vec<&str> = rows.map(|(number, _)| number).filter(|it| *it != "#").collect();
    let list = fs::read_to_string(root.join("tests/attacks.txt")).expect("the list");
    let tried = list.lines().filter(|line| !line.starts_with('#'));
    let tried: Vec<(&str, &str)> = tried.filter_map(|line| line.split_once(' ')).collect();
    let mut listed: Vec<&str> = tried.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    listed.sort_unstable();
    assert_eq!(numbers, listed);
    assert!(listed.windows(2).all(|pair| pair[0] != pair[1]), "each number once: {listed:?}");
    let named: BTreeSet<&str> =
        tried.iter().flat_map(|(_, names)| names.split('`').skip(1).step_by(2)).collect();
    let attacks: BTreeSet<&str> =
        super::attacks::all().iter().map(|attack| attack.cup.what).collect();
    let unnamed: Vec<_> = attacks.difference(&named).collect();
    assert_eq!(unnamed, Vec::<&&str>::new());
    let mut sources = String::new();
    gather(&root.join("src"), &mut sources);
    gather(&root.join("crates"), &mut sources);
    gather(&root.join("tests"), &mut sources);
    for name in named.difference(&attacks) {
        let is_there =
            [format!("fn {name}("), format!("\"{name}\"")].map(|it| sources.contains(&it));
        assert!(is_there.contains(&true), "nothing is called {name}");
    }
}

fn gather(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(path).expect("a source"));
        }
    }
}
