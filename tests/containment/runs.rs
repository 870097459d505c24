//! Whole runs: what is required, who dies with whom, and a thousand games.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::cup::{PATH, PLAYERS, STRICT, left};
use crate::support::wait_until;
use crate::trials::{Lacks, quick, slow};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        quick("what_is_required_and_missing_is_an_error_before_the_first_game", || {
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
                    `off` does without it; nothing was played. `referee probe` says what to do \
                    about it\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
    assert!(!folder.path().join("results/cup/games.jsonl").exists());
}

/// Players die with a referee that is killed at any level.
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

/// Every attack stands on the page, and what the page names is there.
fn the_page_names_what_tries_each() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/attacks.md")).expect("the page");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert_eq!(rows.len(), 47);
    let tried = |row: &&str| row.trim_end_matches(" |").rsplit(" | ").next().map(str::to_owned);
    let tried: Vec<String> = rows.iter().filter_map(tried).collect();
    let named: BTreeSet<&str> = tried.iter().flat_map(|names| names.split('`')).collect();
    let attacks: BTreeSet<&str> =
        crate::attacks::all().iter().map(|attack| attack.cup.what).collect();
    let unnamed: Vec<_> = attacks.difference(&named).filter(|name| **name != "output").collect();
    assert_eq!(unnamed, Vec::<&&str>::new());
    let mut sources = String::new();
    gather(&root.join("src"), &mut sources);
    gather(&root.join("tests"), &mut sources);
    for name in named.difference(&attacks).filter(|name| !name.trim().is_empty()) {
        assert!(sources.contains(&format!("fn {name}(")), "nothing is called {name}");
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
