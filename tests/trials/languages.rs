//! Random players in many languages, as beginners write them, play at each level, as this user and as
//! an ordinary one. They are in `tests/languages`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::containment::cup::{self, Way};
use crate::harness::{Lacks, quick, slow};
use crate::support::Arena;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/languages");
const DOCS: &str = include_str!("../../docs/languages.md");

/// The games of all languages in one way, or what the referee printed if it failed.
type Games = Result<Vec<Value>, String>;

/// A player of `tests/languages`.
#[derive(Debug, Clone)]
struct Language {
    name: String,
    /// Its table in the configuration.
    table: toml::Table,
}

pub(crate) fn tests() -> Vec<Trial> {
    let languages = languages();
    let mut tests = vec![quick("the_documentation_has_each", documented)];
    for way in Way::CONTAINED.into_iter().filter(|way| way.without.is_empty()) {
        // All of them play in one tournament.
        let played: Arc<OnceLock<Games>> = Arc::default();
        for language in languages.clone() {
            let played = Arc::clone(&played);
            let name = format!("{}: {}", way.name(), language.name);
            tests.push(slow(name, move || {
                let lacks = language.lacks(way);
                if lacks.is_none() {
                    language.has_played(played.get_or_init(|| play(way)));
                }
                lacks
            }));
        }
    }
    tests
}

fn configuration() -> toml::Table {
    let text = fs::read_to_string(Path::new(FOLDER).join("tournament.toml")).expect("a file");
    text.parse().expect("TOML")
}

fn languages() -> Vec<Language> {
    let configuration = configuration();
    let players = configuration["players"].as_array().expect("a list").iter();
    let tables = players.map(|player| player.as_table().expect("a table").clone());
    let tables = tables.filter(|table| !table.contains_key("bot"));
    tables.map(|table| Language { name: text(&table["name"]).to_owned(), table }).collect()
}

fn text(value: &toml::Value) -> &str {
    value.as_str().expect("text")
}

impl Language {
    /// The command that builds it; empty if there is none.
    fn build(&self) -> String {
        let dir = Path::new(FOLDER).join(text(&self.table["dir"]));
        let is_there = |file: &str| dir.join(file).exists();
        if is_there("Makefile") {
            let makefile = fs::read_to_string(dir.join("Makefile")).expect("a file");
            makefile.lines().nth(1).expect("a recipe").trim().to_owned()
        } else if is_there("Cargo.toml") {
            "cargo build --release".to_owned()
        } else if is_there("go.mod") {
            "go build -o player .".to_owned()
        } else if is_there("Player.java") {
            "javac Player.java".to_owned()
        } else {
            String::new()
        }
    }

    /// The command that starts it; empty if the referee finds it.
    fn command(&self) -> String {
        let words = self.table.get("command").and_then(toml::Value::as_array);
        let words: Vec<&str> = words.into_iter().flatten().map(text).collect();
        words.join(" ")
    }

    /// What keeps it from playing in this way.
    fn lacks(&self, way: Way) -> Lacks {
        // Both are in the documentation.
        let needed = if self.name == "forth" { &["freeze"][..] } else { &[] };
        let is_unbuilt = self.name == "csharp" && way.level == "basic" && way.user.is_some();
        let own = is_unbuilt.then(|| "Mono's compiler cannot look at itself there".to_owned());
        way.lacks(needed).or(own).or_else(|| self.lacks_programs())
    }

    /// The programs that it needs and are not installed.
    fn lacks_programs(&self) -> Lacks {
        let (build, command) = (self.build(), self.command());
        let needed =
            [build.as_str(), &command].into_iter().filter_map(|line| line.split(' ').next());
        let make = Path::new(FOLDER).join(&self.name).join("Makefile").exists().then_some("make");
        let java = build.starts_with("javac").then_some("java");
        let missing = needed
            .chain(make)
            .chain(java)
            .filter(|program| !program.is_empty() && !is_installed(program))
            .collect::<Vec<_>>();
        (!missing.is_empty()).then(|| format!("there is no {} here", missing.join(" and no ")))
    }

    /// It has played its two games without a fault.
    fn has_played(&self, games: &Games) {
        let games = games.as_ref().unwrap_or_else(|printed| panic!("{printed}"));
        let seats = |game: &Value| game["players"].as_object().expect("an object").clone();
        let own = games.iter().filter(|game| seats(game).values().any(|name| *name == self.name));
        let own: Vec<_> = own.collect();
        assert_eq!(own.len(), 2);
        for game in own {
            assert!(game["fault"].is_null(), "{}", game["fault"]);
        }
    }
}

/// Where programs are looked up. If these tests run as root, players have other users, so only folders
/// that everyone may enter count.
fn search_path() -> Vec<PathBuf> {
    let is_open = |path: &Path| fs::metadata(path).is_ok_and(|it| it.permissions().mode() & 1 == 1);
    let given = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(cup::PATH).chain(std::env::split_paths(&given));
    folders.filter(|folder| !cup::is_root() || folder.ancestors().all(is_open)).collect()
}

fn is_installed(program: &str) -> bool {
    search_path().iter().any(|folder| folder.join(program).exists())
}

/// Builds and plays all languages that are installed.
fn play(way: Way) -> Games {
    let arena = Arena::new();
    arena.sh(&format!("cp -r '{FOLDER}' languages && chmod -R go+rX languages"));
    let mut configuration = configuration();
    let missing = languages().into_iter().filter(|language| language.lacks(way).is_some());
    let missing: BTreeSet<String> = missing.map(|language| language.name).collect();
    let players = configuration["players"].as_array_mut().expect("a list");
    players.retain(|player| !missing.contains(text(&player["name"])));
    // Their limits are the usual ones, except those of time: other tests run.
    for (table, keys) in [
        ("containment", format!("level = \"{}\"", way.level)),
        ("clock", "startup = \"5m\"\nmove = \"2m\"".to_owned()),
        ("build", "time = \"15m\"".to_owned()),
    ] {
        let keys: toml::Table = keys.parse().expect("TOML");
        configuration.insert(table.to_owned(), keys.into());
    }
    arena.write("languages/tournament.toml", &configuration.to_string());
    let dir = arena.path().join("languages");
    if let Some(user) = way.user {
        arena.sh(&format!("chown -R {user}:{user} languages"));
    }
    let search_path = std::env::join_paths(search_path()).expect("folders without colons");
    let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"));
    referee.args(["run", "--quiet"]).current_dir(&dir).env("PATH", search_path);
    referee.stdin(Stdio::null());
    let output = way.as_its_user(&mut referee).output().expect("the referee starts");
    if !output.status.success() {
        let printed = [output.stdout, output.stderr].concat();
        return Err(String::from_utf8_lossy(&printed).into_owned());
    }
    let log = fs::read_to_string(dir.join("results/languages/games.jsonl")).expect("a log");
    Ok(log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

/// The table has a row for each language, with how it is built and started, in the same order.
fn documented() -> Lacks {
    let rows = DOCS.lines().filter(|line| line.starts_with("| ["));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let found: Vec<_> = cells
        .map(|cells| {
            let (_, link) = cells[1].split_once("(../tests/languages/").expect("a link");
            [link.trim_end_matches(')'), cells[2], cells[3]].map(str::to_owned)
        })
        .collect();
    let code = |command: String| match command.as_str() {
        "" => String::new(),
        command => format!("`{command}`"),
    };
    let row = |it: Language| [it.name.clone(), code(it.build()), code(it.command())];
    assert_eq!(found, languages().into_iter().map(row).collect::<Vec<_>>());
    let folders = fs::read_dir(FOLDER).expect("a folder").map(|entry| entry.expect("an entry"));
    let folders = folders.map(|entry| entry.path()).filter(|path| path.is_dir());
    let folders = folders.map(|path| path.file_name().expect("a name").to_owned());
    let folders: BTreeSet<_> = folders.filter_map(|name| name.into_string().ok()).collect();
    let named: BTreeSet<_> = languages().into_iter().map(|language| language.name).collect();
    assert_eq!(folders, named, "each folder is a player of the tournament");
    None
}
