//! What strangers wrote reaches the terminal only with control characters escaped: every text of a
//! results folder, by every command.

mod sources;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;

use serde_json::{Map, Value, json};

use crate::foreign_games::{CUP, RULES};
use crate::support::{Arena, Config, unsafe_output};
use referee_record::log::LogReader;

/// Clears the screen, rings, goes back, colours, turns the direction of text, and begins a line that
/// could be the program's own.
const EVIL: &str = "\u{1b}[2J\u{7}\r\u{8}\u{9b}31m\u{202e}\u{2028}\u{7f}\nFORGED";

/// The commands that read a results folder, and how they are called: `GAME` is the id of a game.
const READERS: &[(&str, &[&str])] = &[
    (
        "rank",
        &[
            "rank",
            "rank --details",
            "rank --without-faults",
            "rank --format json",
            "rank --format csv",
            "rank results/cup results/cup",
        ],
    ),
    (
        "replay",
        &[
            "replay",
            "replay GAME",
            "replay GAME --ply 1",
            "replay GAME --format json",
            "replay GAME --with bot:search-5",
        ],
    ),
    ("export", &["export", "export --pgn"]),
    ("report", &["report", "report --pseudonyms", "report --packets=packed"]),
    ("ask", &["ask bot:random --record GAME", "ask bot:random --record GAME --format json"]),
    ("play", &["play bot:random bot:random --from GAME --ply 1 --delay 0s"]),
    ("verify", &["verify", "verify --format json", "verify --repair"]),
    ("run", &["run --plan", "run --jobs 1", "run --jobs 1 --format json"]),
];

/// Some of them, which print most of a log, or say why it cannot be used.
const FEW: &[&str] = &["rank --details", "replay GAME", "verify", "run --plan"];

/// Texts that say what belongs together: if they are changed, little of a log is used.
const STRUCTURE: &[&str] = &[
    "header.game",
    "header.identity",
    "header.options",
    "header.players[].hash",
    "header.seats",
    "game.actions",
    "game.id",
    "game.players",
    "game.result",
];

/// Calls `each` with the class of every text and key in a value, such as `.players[].name`, and
/// puts its answer in the place of that text.
fn with_texts(value: &Value, class: &str, each: &dyn Fn(&str, &str) -> String) -> Value {
    match value {
        Value::String(text) => each(class, text).into(),
        Value::Array(list) => {
            let class = format!("{class}[]");
            list.iter().map(|value| with_texts(value, &class, each)).collect()
        }
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                let class = format!("{class}.{key}");
                (each(&format!("{class} (key)"), key), with_texts(value, &class, each))
            };
            Value::Object(fields.iter().map(field).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// The log of a stranger.
struct ForeignLog {
    lines: Vec<Value>,
    identity: String,
    game: String,
}

impl ForeignLog {
    /// The log of an arena, where every game has every field that a stranger can fill.
    fn of(arena: &Arena) -> Self {
        let log = arena.log();
        let mut lines: Vec<Value> =
            log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let identity = lines[0]["identity"].as_str().expect("a text").to_owned();
        lines[0]["changes"] = json!(["a change"]);
        let seats = lines[0]["seats"].clone();
        for line in lines.iter_mut().skip(1) {
            line["void"] = json!(["a reason"]);
            line["worker"] = json!("a worker");
            line["warnings"] = json!(["a warning"]);
            line["notes"] = json!([{"ply": 0, "by": seats[0], "note": "a note", "depth": 3}]);
            line["reported"] = json!({seats[0].as_str().expect("a seat"): "a name",
                seats[1].as_str().expect("a seat"): "another name"});
            for (_, fault) in line["fault"].as_object_mut().into_iter().flatten() {
                fault["clause"] = json!("a clause");
                fault["raw"] = json!("a reply");
                fault["stderr"] = json!(["a line"]);
            }
        }
        let game = lines[1]["id"].as_str().expect("an id").to_owned();
        Self { lines, identity, game }
    }

    /// The classes of all texts.
    fn classes(&self) -> BTreeSet<String> {
        let classes = RefCell::new(BTreeSet::new());
        for (number, line) in self.lines.iter().enumerate() {
            with_texts(line, kind(number), &|class, text| {
                classes.borrow_mut().insert(class.to_owned());
                text.to_owned()
            });
        }
        // The seal of a line is written anew.
        let mut classes = classes.into_inner();
        classes.retain(|class| !class.contains(".check"));
        classes
    }

    /// The log as text, with control characters in all texts of these classes.
    fn text(&self, evil: impl Fn(&str) -> bool) -> String {
        let change = |class: &str, text: &str| {
            if evil(class) { format!("{text}{EVIL}") } else { text.to_owned() }
        };
        let line = |(number, line): (usize, &Value)| {
            let mut changed = with_texts(line, kind(number), &change);
            changed.as_object_mut().expect("an object").remove("check");
            let identity = match &changed["identity"] {
                Value::String(identity) if number == 0 => identity.clone(),
                _ => self.identity.clone(),
            };
            sealed(&changed, &identity)
        };
        self.lines.iter().enumerate().map(line).collect()
    }
}

/// The beginning of the classes of a line.
fn kind(number: usize) -> &'static str {
    if number == 0 { "header" } else { "game" }
}

/// A line of a log, as the referee writes it.
fn sealed(line: &Value, identity: &str) -> String {
    let body = line.to_string();
    let body = body.trim_end_matches('}');
    let depth = line.to_string().len() - body.len();
    let body = format!("{body}{}", "}".repeat(depth - 1));
    let mut hasher = blake3::Hasher::new_derive_key("referee 2026 log line");
    hasher.update(&(identity.len() as u64).to_le_bytes());
    hasher.update(identity.as_bytes()).update(body.as_bytes());
    format!("{body},\"check\":\"{}\"}}\n", &hasher.finalize().to_hex()[..16])
}

/// What is wrong with the output of a command, if anything.
fn complaint(arena: &Arena, words: &[&str]) -> Option<String> {
    let output = arena.command(words).output().expect("the referee runs");
    let streams = [("stdout", &output.stdout), ("stderr", &output.stderr)];
    streams.into_iter().find_map(|(stream, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        // PGN breaks long comments between any words.
        let mut lines = text.lines().filter(|_| !words.contains(&"--pgn"));
        let forged = lines.find(|line| line.starts_with("FORGED"));
        let found = unsafe_output(bytes).or_else(|| forged.map(|line| format!("a line {line:?}")));
        found.map(|found| format!("{words:?}: {stream}: {found}"))
    })
}

impl ForeignLog {
    /// Whether every line is read with control characters in all texts of these classes.
    fn is_readable(&self, arena: &Arena, evil: impl Fn(&str) -> bool) -> bool {
        arena.put("games.jsonl", &self.text(evil));
        let Ok(mut reader) = LogReader::open(&arena.results()) else { return false };
        loop {
            match reader.next_line() {
                Ok(Some(line)) if line.record.is_ok() || line.change.is_some() => {}
                Ok(None) => return true,
                _ => return false,
            }
        }
    }

    /// What is wrong with the output of these commands.
    fn complaints(
        &self,
        arena: &Arena,
        calls: &[&str],
        evil: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let text = self.text(evil);
        let complaints = calls.iter().filter_map(|call| {
            // Some commands write to the folder.
            arena.put("games.jsonl", &text);
            let word = |word| if word == "GAME" { &*self.game } else { word };
            complaint(arena, &call.split(' ').map(word).collect::<Vec<_>>())
        });
        complaints.collect()
    }

    /// All calls with all texts at once that nothing else depends on, and a few with each of those
    /// that say what belongs together.
    fn try_quickly(&self, arena: &Arena) {
        let is_structure = |class: &String| STRUCTURE.iter().any(|it| class.starts_with(it));
        let texts = self.classes().into_iter().filter(|class| !class.ends_with("(key)"));
        let (structure, texts): (Vec<_>, Vec<_>) = texts.partition(is_structure);
        let is_readable = |class: &String| self.is_readable(arena, |other| other == class);
        let texts: Vec<_> = texts.into_iter().filter(is_readable).collect();
        assert!(texts.len() > 8, "{texts:?}");
        let mut found =
            self.complaints(arena, &all_calls(), |class| texts.iter().any(|it| it == class));
        for class in structure {
            let complaints = self.complaints(arena, FEW, |other| other == class);
            found.extend(complaints.into_iter().map(|it| format!("{class}: {it}")));
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    /// All calls with each text and key that no `other` log has, once beside one part of the texts
    /// and once beside another, so that none is hidden by what another one does; only one call, with
    /// each alone, if the log cannot be read.
    fn try_each(&self, arena: &Arena, other: Option<&Self>) {
        let known = other.map(Self::classes).unwrap_or_default();
        let classes = self.classes();
        let (readable, unreadable): (Vec<_>, Vec<_>) = classes
            .difference(&known)
            .partition(|class| self.is_readable(arena, |it| it == *class));
        let calls = all_calls();
        for class in unreadable {
            let found = self.complaints(arena, &calls[..1], |other| other == class);
            assert!(found.is_empty(), "{class}: {}", found.join("\n"));
        }
        // The rows and the columns of a square have one text in common.
        let side = readable.len().isqrt().max(1);
        let columns = (0..side).map(|column| readable.iter().skip(column).step_by(side));
        let columns: Vec<Vec<_>> = columns.map(|column| column.copied().collect()).collect();
        for classes in readable.chunks(side).chain(columns.iter().map(Vec::as_slice)) {
            let found =
                self.complaints(arena, &calls, |other| classes.iter().any(|it| *it == other));
            assert!(found.is_empty(), "{classes:?}: {}", found.join("\n"));
        }
    }
}

fn all_calls() -> Vec<&'static str> {
    READERS.iter().flat_map(|(_, calls)| *calls).copied().collect()
}

#[test]
fn raw_control_characters_are_found() {
    for raw in EVIL.chars().filter(|&it| it != '\n' && !it.is_ascii_graphic()) {
        let output = format!("one\ttwo\n{raw}three");
        assert!(unsafe_output(output.as_bytes()).is_some(), "{raw:?}");
    }
    assert!(unsafe_output(b"one\x9b31m").is_some());
    assert_eq!(unsafe_output("Zoë 象棋 \\u{1b}\t±3\n".as_bytes()), None);
}

/// A tournament of chess, with openings and a fixed rating.
fn chess() -> Arena {
    let arena = Arena::new();
    arena.write(
        "tournament.toml",
        "name = \"cup\"\ngame = \"chess\"\nseed = 7\njobs = 1\npairs = 1\n\
         format = \"gauntlet\"\nanchors = [\"ant\"]\n[openings]\nplies = 2\n[adjudication]\nlength = 8\n\
         [[players]]\nname = \"ant\"\nbot = \"random\"\n[[players]]\nname = \"bee\"\nbot = \"random\"\n",
    );
    arena
}

/// A tournament whose rules are a program.
fn of_a_program() -> Arena {
    let arena = Arena::new();
    arena.write("rules.sh", RULES);
    arena.write("tournament.toml", &CUP.replace("RULES", "command = [\"sh\", \"rules.sh\"]"));
    arena
}

/// The results of that tournament.
fn played(arena: Arena) -> Arena {
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    arena
}

/// A league in which a version of a player came, and went.
fn league() -> (Arena, ForeignLog) {
    let arena = Arena::played(&Config::small().change(|config| config.max_moves = 1));
    let mut log = ForeignLog::of(&arena);
    log.lines[0]["stages"] = json!([{"format": "league", "pairs": 1}]);
    log.lines[0]["quarantine"] = json!(0);
    log.lines.push(json!({"roster": "entered", "player": {
        "name": "ann v1", "command": "python3 player.py", "hash": "0123456789abcdef",
        "entry": {"author": "ann", "version": 1, "at": 0, "source": "0".repeat(64), "kept": "0".repeat(64)},
    }, "files": {"player.py": "0".repeat(64)}}));
    log.lines.push(json!({"roster": "left", "player": "ann v1", "at": 1, "why": "removed"}));
    arena.put("games.jsonl", &log.text(|_| false));
    let ranking = arena.run(&["rank"]);
    assert!(ranking.code == 0 && ranking.out.contains("ann v1"), "{ranking:?}");
    (arena, log)
}

#[test]
fn texts_of_a_stranger_are_printed_escaped() {
    let arena = Arena::hostile();
    ForeignLog::of(&arena).try_quickly(&arena);
}

#[test]
fn texts_of_a_stranger_s_chess_are_printed_escaped() {
    let arena = played(chess());
    ForeignLog::of(&arena).try_quickly(&arena);
}

#[test]
fn texts_of_a_stranger_s_program_are_printed_escaped() {
    let arena = played(of_a_program());
    ForeignLog::of(&arena).try_quickly(&arena);
}

#[test]
fn texts_of_a_stranger_s_league_are_printed_escaped() {
    let (arena, log) = league();
    log.try_quickly(&arena);
}

/// The log whose texts are all tried one by one.
fn usual() -> ForeignLog {
    ForeignLog::of(&Arena::hostile())
}

#[test]
#[ignore = "slow: hundreds of runs of the program"]
fn each_text_of_a_stranger_is_printed_escaped() {
    let arena = Arena::hostile();
    ForeignLog::of(&arena).try_each(&arena, None);
}

#[test]
#[ignore = "slow: hundreds of runs of the program"]
fn each_text_of_a_stranger_s_chess_is_printed_escaped() {
    let arena = played(chess());
    ForeignLog::of(&arena).try_each(&arena, Some(&usual()));
}

#[test]
#[ignore = "slow: hundreds of runs of the program"]
fn each_text_of_a_stranger_s_program_is_printed_escaped() {
    let arena = played(of_a_program());
    ForeignLog::of(&arena).try_each(&arena, Some(&usual()));
}

#[test]
#[ignore = "slow: hundreds of runs of the program"]
fn each_text_of_a_stranger_s_league_is_printed_escaped() {
    let (arena, log) = league();
    log.try_each(&arena, Some(&usual()));
}

#[test]
fn other_files_of_a_stranger_are_printed_escaped() {
    let arena = Arena::hostile();
    for call in ["report", "report --packets"] {
        assert_eq!(arena.run(&call.split(' ').collect::<Vec<_>>()).code, 0);
    }
    let log = ForeignLog::of(&arena);
    fs::write(arena.results().join(format!("exchanges/{EVIL}")), EVIL).expect("written");
    let names = ["standings.csv", "games.csv", "crosstable.csv", "superseded.jsonl", "secret"];
    let names = names.into_iter().chain(["grades.csv", "grades.json", "report.html", "key.csv"]);
    for name in names {
        let before = fs::read_to_string(arena.results().join(name)).unwrap_or_default();
        for text in [EVIL.to_owned(), format!("{before}{EVIL}"), json!({EVIL: EVIL}).to_string()] {
            arena.put(name, &text);
            let found = log.complaints(&arena, FEW, |_| false);
            assert!(found.is_empty(), "{name}: {}", found.join("\n"));
        }
        arena.put(name, &before);
    }
    let away = arena.path().join(format!("results/{EVIL}"));
    fs::rename(arena.results(), &away).expect("moved");
    let folder = format!("results/{EVIL}");
    for command in ["rank", "verify", "report", "export", "replay"] {
        let found = complaint(&arena, &[command, "--results", &folder]);
        assert_eq!(found, None);
        assert_eq!(complaint(&arena, &[command]), None, "the newest");
    }
}
