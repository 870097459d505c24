//! Player classes of the 2018 interface behind the bridge: their calls, and the log if one fails.
//! The classes are in `tests/classes`.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Arena, Config};
use serde_json::{Value, json};

const CLASSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/classes");
const BRIDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/players/comp30024.py");

/// The lines before the replies to turns.
const GREETING: &str = "{\"want\":[\"events\"]}\n";

/// Feeds the bridge to `class` with these messages; its replies, and what the class printed.
fn feed(class: &str, colour: &str, messages: &[Value]) -> (String, String) {
    let init = json!({"type": "init", "id": 0, "you": colour, "opening": [], "seed": 7});
    feed_in(Path::new(CLASSES), class, &[&[init], messages].concat())
}

/// The same for a class of this folder, `init` and all.
fn feed_in(folder: &Path, class: &str, messages: &[Value]) -> (String, String) {
    let mut child = Command::new("python3")
        .args(["-c", &fs::read_to_string(BRIDGE).expect("the bridge")])
        .args(class.split(' '))
        .env("PYTHONSAFEPATH", "1")
        .env("PYTHONPATH", format!("{CLASSES}/installed"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python 3 starts");
    let quit = json!({"type": "quit"});
    let lines: Vec<String> =
        messages.iter().chain([&quit]).map(|line| format!("{line}\n")).collect();
    // A bridge that has failed stops reading; its output is still examined.
    let _ = child.stdin.take().expect("a pipe").write_all(lines.concat().as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr))
}

/// The reply to a turn in which the class placed a piece on `square`.
fn placed(turns: u32, square: (u32, u32)) -> String {
    let (x, y) = square;
    format!("{{\"action\": \"{x},{y}\", \"said\": \"action({turns}) returned ({x}, {y})\"}}\n")
}

fn action(by: &str, action: &str) -> Value {
    json!({"event": "action", "by": by, "action": action})
}

fn forced(by: &str) -> Value {
    json!({"event": "action", "by": by, "action": "pass", "forced": true})
}

fn turn(events: &[Value]) -> Value {
    json!({"type": "turn", "id": 1, "events": events})
}

fn end(events: &[Value]) -> Value {
    json!({"type": "end", "events": events})
}

/// The placements of a whole first phase, White's first.
fn placements() -> Vec<Value> {
    (0..24).map(|ply| action(["white", "black"][ply % 2], &format!("{},3", ply % 8))).collect()
}

#[test]
fn a_class_is_called_in_the_order_of_the_game() {
    let messages = [
        turn(&[]),
        turn(&[action("white", "2,3"), json!({"event": "removed"}), action("black", "4,5")]),
        turn(&placements()[2..]),
        turn(&[action("white", "2,3>2,4"), action("black", "4,5>4,6"), forced("black")]),
        end(&[action("white", "2,4>2,5"), action("black", "4,6>4,7")]),
    ];
    let (replies, told) = feed("faulty.py Recorder", "white", &messages);
    let said = [0, 2, 0, 3].map(|turns| placed(turns, (2, 3))).concat();
    assert_eq!(replies, format!("{GREETING}{said}"));
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[..4], ["init white interned", "action 0", "update (4, 5)", "action 2"]);
    assert_eq!(lines[4..6], ["update (3, 3)", "update (5, 3)"]);
    let rest = ["action 0", "update ((4, 5), (4, 6))", "update None", "action 3"];
    assert_eq!(lines[15..19], rest, "{told}");
    assert_eq!(lines[19..], ["update ((4, 6), (4, 7))"]);
}

#[test]
fn a_blocked_class_must_return_none() {
    let moves = [&placements()[..], &[action("white", "2,3>2,4"), forced("black")]].concat();
    let messages = [turn(&moves), end(&[action("white", "2,4>2,5"), forced("black")])];
    let (_, told) = feed("faulty.py Blocked", "black", &messages);
    let lines: Vec<&str> = told.lines().skip(13).collect();
    let expected = ["update ((2, 3), (2, 4))", "action 1", "action 2", "update ((2, 4), (2, 5))"];
    assert_eq!(lines[..4], expected);
    assert_eq!(lines[4..], ["action 3"]);
}

#[test]
fn a_blocked_class_that_does_not_return_none_fails_at_its_next_reply() {
    let sentence = "action(0) returned (2, 3) although no action was legal; expected None";
    let blocked = [&placements()[..], &[forced("white"), action("black", "1,3>1,4")]].concat();
    let (replies, told) = feed("faulty.py Recorder", "white", &[turn(&blocked)]);
    assert_eq!(replies, format!("{GREETING}{{\"error\": \"{sentence}\"}}\n"));
    assert!(told.ends_with("action 0\nupdate ((1, 3), (1, 4))\n"), "{told}");
    let (replies, _) = feed("faulty.py Recorder", "white", &[end(&blocked)]);
    assert_eq!(replies, format!("{GREETING}{sentence}\n"));
}

#[test]
fn openings_are_refused_for_classes() {
    let init = json!({"type": "init", "id": 0, "you": "white", "opening": ["3,3"]});
    let (replies, told) = feed_in(Path::new(CLASSES), "faulty.py Recorder", &[init]);
    let sentence = "a class of the 2018 interface cannot begin after an opening";
    let reply = format!("{{\"error\": \"{sentence}\", \"code\": \"crash\"}}\n");
    assert_eq!((replies, told.as_str()), (reply, ""));
}

/// A configuration in which each of these classes, with further lines, is a player.
fn with_classes(config: Config, classes: &[(&str, &str, &str)]) -> Config {
    classes.iter().fold(config, |config, (name, class, lines)| {
        // They share a folder, and one of them imports another.
        let dir = if lines.contains("dir =") {
            String::new()
        } else {
            format!("dir = {CLASSES:?}\nfiles = [\"plain.py\"]")
        };
        let words: Vec<&str> =
            ["python3", "bridge:comp30024"].into_iter().chain(class.split(' ')).collect();
        config.player(name, &format!("command = {words:?}\n{dir}\n{lines}"))
    })
}

/// The class's fault in its first game, from the log: code, message, stderr.
fn fault(class: &str, lines: &str) -> (String, String, Vec<String>) {
    let config = with_classes(Config::empty(), &[("class", class, lines)]).bot("bot", "random");
    fault_in(&config.change(|config| config.clock.push_str("move = \"2s\"")))
}

/// The same for the player called `class` of this tournament.
fn fault_in(config: &Config) -> (String, String, Vec<String>) {
    let arena = Arena::with(&config.change(|config| config.pairs = 1));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines = arena.lines();
    let game: Value = lines
        .values()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .find(|game| game["players"]["white"] == "class")
        .expect("it played White");
    let fault = &game["fault"]["white"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let stderr = fault["stderr"].as_array().cloned().unwrap_or_default();
    (text(&fault["code"]), text(&fault["message"]), stderr.iter().map(text).collect())
}

#[test]
#[ignore = "slow: 110 games"]
fn classes_of_different_habits_play_a_clean_tournament() {
    let classes = [
        ("plain", "plain.py", ""),
        ("chatty", "chatty.py", ""),
        ("lists", "lists.py Player", ""),
        ("reader", "reader.py Reader", ""),
        ("clash", "json.py", ""),
        ("package", "team", ""),
        ("sleeper", "sleeper.py", ""),
        ("relaxed", "relaxed.py All --lenient", ""),
    ];
    let odd = "dir = \"odd dir-1.0\"";
    let config = with_classes(Config::empty(), &classes);
    let config = with_classes(config, &[("odd", "my-player.v2.py", odd)]);
    let config = config.bot("greedy", "greedy").bot("random", "random");
    let arena = Arena::new();
    let folder = arena.path().join("odd dir-1.0");
    fs::create_dir(&folder).expect("a folder");
    fs::copy(format!("{CLASSES}/plain.py"), folder.join("my-player.v2.py")).expect("a copy");
    arena.configure(&config.change(|config| {
        config.pairs = 1;
        config.max_moves = 230;
    }));
    let run = arena.run(&["run", "--strict", "--quiet"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(arena.lines().len(), 110);
    let plies =
        |line: &String| serde_json::from_str::<Value>(line).expect("JSON")["plies"].as_u64();
    let longest = arena.lines().values().filter_map(plies).max().expect("games");
    assert!(longest > 24 + 128 + 60, "some games go far beyond the first shrink: {longest}");
    assert_eq!(arena.run(&["verify"]).code, 0);
}

#[test]
#[ignore = "slow: a game for each wrong value"]
fn values_of_wrong_types_are_malformed() {
    let message = |class| {
        let (code, message, _) = fault(class, "");
        assert_eq!(code, "malformed");
        message
    };
    let sentence = "action(0) returned (3.0, 3.0): 3.0 is of type float, expected int";
    assert_eq!(message("relaxed.py Floats"), sentence);
    let sentence = "action(0) returned (3, 3): 3 is of type int64, expected int";
    assert_eq!(message("relaxed.py Library"), sentence);
    let sentence = "expected a move ((xa, ya), (xb, yb)) or None";
    assert!(message("relaxed.py Flat").ends_with(sentence), "{}", message("relaxed.py Flat"));
    let sentence = "action(0) returned None: expected a placement (x, y)";
    assert_eq!(message("faulty.py Nothing"), sentence);
    assert_eq!(message("faulty.py Text"), "action(0) returned '3,4': expected a placement (x, y)");
}

#[test]
fn a_class_that_raises_shows_its_traceback() {
    let (code, message, stderr) = fault("faulty.py Asks", "");
    let raised = "action(0) raised EOFError: input() has nothing to read: the moves come as calls \
                  of update()";
    assert_eq!((code.as_str(), message.as_str()), ("crash", raised));
    assert!(!stderr.iter().any(|line| line.contains("<string>")), "{stderr:?}");
    let last = stderr.last().expect("a traceback");
    assert!(last.starts_with("EOFError: input() has nothing to read"), "{stderr:?}");
    assert!(
        stderr.iter().any(|line| line.contains("faulty.py\", line 10, in action")),
        "{stderr:?}"
    );
    let (code, message, stderr) = fault("faulty.py RaisesInUpdate", "");
    assert_eq!(code, "crash");
    assert!(message.starts_with("update(("), "{message}");
    assert!(message.contains(") raised ValueError: what is ("), "{message}");
    assert!(stderr.last().expect("a traceback").starts_with("ValueError: what is ("), "{stderr:?}");
    let (code, message, stderr) = fault("faulty.py RaisesInInit", "");
    let expected = ("no-start", "RaisesInInit('white') raised KeyError: 'white'");
    assert_eq!((code.as_str(), message.as_str()), expected);
    assert_eq!(stderr.last().expect("a traceback"), "KeyError: 'white'");
}

#[test]
fn a_class_that_hangs_is_timed_out() {
    let (code, message, stderr) = fault("faulty.py Hangs", "");
    assert_eq!(code, "timeout");
    assert!(
        message.starts_with("no reply within 2 s and a margin of 0.02 s: sleeping, with "),
        "{message}"
    );
    let stack = ["faulty.py, line 15, in action: time.sleep(3600)", "action(0) had not returned"];
    assert_eq!(stderr, stack);
}

#[test]
#[ignore = "slow: uses up its CPU time"]
fn a_class_over_its_cpu_time_shows_its_position() {
    let class = [("class", "faulty.py Burns", "")];
    let config = with_classes(Config::empty(), &class).bot("bot", "random");
    let clock = "measure = \"cpu\"\nbudget = \"1s\"\ncount-startup = true\n";
    let (code, message, stderr) = fault_in(&config.change(|config| config.clock = clock.into()));
    assert_eq!(code, "cpu");
    assert!(message.starts_with("no reply: used "), "{message}");
    assert!(message.contains(" s of CPU time; the limit is 0."), "{message}");
    assert!(message.ends_with(", the rest of its budget of 1 s"), "{message}");
    assert!(stderr[0].starts_with("faulty.py, line ") && stderr[0].contains(" in action: return"));
    assert!(stderr[1].starts_with("faulty.py, line ") && stderr[1].contains(" in think: "));
    assert_eq!(stderr[2..], ["action(0) had not returned"]);
}

#[test]
fn refusals_show_the_value_that_the_class_returned() {
    let told = |class| {
        let (code, message, _) = fault(class, "");
        assert_eq!(code, "illegal", "{message}");
        message
    };
    let sentence = "W2: action(0) returned (-1, 3), which is off the board";
    assert_eq!(told("faulty.py Outside"), sentence);
    let sentence = "W7: action(0) returned None, which is not allowed while there is a legal move";
    assert_eq!(told("faulty.py NeverMoves"), sentence);
}

#[test]
#[ignore = "slow: a game for each error"]
fn errors_of_a_class_come_with_advice() {
    let told = |class, lines| fault(class, lines).1;
    let message = told("faulty.py NeedsPackage", "");
    let raised = "NeedsPackage('white') raised ModuleNotFoundError: No module named 'nosuch'; \
                  the folder has no nosuch.py, and /";
    assert!(message.starts_with(raised), "{message}");
    let message = told("faulty.py NeedsCapital", "");
    let advice = "; the folder has chatty.py, but upper and lower case must match";
    assert!(message.ends_with(advice), "{message}");
    assert_eq!(fault("faulty.py Exits", "").0, "crash");
    assert_eq!(told("faulty.py Exits", ""), "action(0) raised SystemExit: 3");
}

/// Whether players are in a sandbox here. Some things are forbidden only there.
fn is_boxed() -> bool {
    let arena = Arena::new();
    let probed = arena.run(&["probe", "--format", "json"]);
    let findings: Value = serde_json::from_str(&probed.out).expect("JSON");
    findings.as_array().expect("a list").iter().any(|one| {
        one["holds"] == true && ["basic", "strict"].iter().any(|level| one["name"] == *level)
    })
}

#[test]
#[ignore = "slow: a game for each error"]
fn errors_explain_what_the_sandbox_denies() {
    if !is_boxed() {
        return;
    }
    let message = fault("faulty.py Writes", "").1;
    assert!(message.contains("; a player cannot write into its folder: "), "{message}");
    // They share a folder, and one imports the other without listing it.
    let bare = format!("dir = {CLASSES:?}");
    let classes = [("class", "lists.py", bare.as_str()), ("plain", "plain.py", bare.as_str())];
    let (code, message, _) = fault_in(&with_classes(Config::empty(), &classes));
    assert_eq!(code, "no-start");
    let raised = "import lists raised PermissionError: [Errno 13] Permission denied: ";
    assert!(message.starts_with(raised), "{message}");
    let advice = "plain.py belongs to another player, so the referee hides it: if this player \
                  needs it too, give it `files = [\"plain.py\"]`, or a folder of its own with a \
                  copy";
    assert!(message.ends_with(advice), "{message}");
}

/// A package is hidden too: at `strict` it is there and empty, at `basic` it cannot be opened.
#[test]
fn errors_name_a_package_that_the_sandbox_hides() {
    if !is_boxed() {
        return;
    }
    let team = format!("dir = \"{CLASSES}/team\"");
    let classes = [("class", "borrows.py", ""), ("team", "brain.py", team.as_str())];
    let message = fault_in(&with_classes(Config::empty(), &classes)).1;
    assert!(message.starts_with("import borrows raised "), "{message}");
    assert!(message.contains("; team belongs to another player, so the referee hides it: "));
}

/// Names of modules that the bridge itself uses, or that an interpreter does.
const NAMES: [&str; 12] = [
    "token",
    "json",
    "traceback",
    "linecache",
    "tokenize",
    "random",
    "re",
    "enum",
    "signal",
    "importlib",
    "textwrap",
    "collections",
];

#[test]
fn modules_beside_a_class_take_precedence_over_libraries() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in NAMES {
        fs::write(folder.path().join(format!("{name}.py")), "MINE = True\n").expect("a module");
    }
    let class = format!(
        "import {names}\n\
         assert all(module.MINE for module in ({names}))\n\
         class Player:\n    def __init__(self, colour):\n        pass\n\
         \x20   def action(self, turns):\n        return self.think() if turns else (3, 3)\n\
         \x20   def think(self):\n        raise ValueError('of its own')\n",
        names = NAMES.join(", ")
    );
    fs::write(folder.path().join("own.py"), class).expect("a module");
    let init = json!({"type": "init", "id": 0, "you": "white", "opening": [], "seed": 7});
    let placements = [action("white", "3,3")];
    let messages = [init, turn(&[]), turn(&placements)];
    let (replies, told) = feed_in(folder.path(), "own.py", &messages);
    let raised = "{\"error\": \"action(1) raised ValueError: of its own\", \"code\": \"crash\"}\n";
    assert_eq!(replies, format!("{GREETING}{}{raised}", placed(0, (3, 3))), "{told}");
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[1].ends_with("own.py\", line 7, in action"), "{told}");
    assert_eq!(lines[2].trim(), "return self.think() if turns else (3, 3)");
    assert_eq!(lines.last(), Some(&"ValueError: of its own"));
}

#[test]
fn random_numbers_follow_from_the_seed() {
    let drawn = |class: &str, seed: u64| {
        let init = json!({"type": "init", "id": 0, "you": "white", "opening": [], "seed": seed});
        let (replies, told) = feed_in(Path::new(CLASSES), class, &[init, turn(&[])]);
        // The order of a set of words is only fixed in processes that the referee starts.
        let numbers: Vec<String> = told
            .split([',', '[', ']'])
            .filter(|part| part.contains('.'))
            .map(str::to_owned)
            .collect();
        (replies, numbers)
    };
    for (class, numbers) in [("dice.py", 2), ("dice.py Library", 3)] {
        let one = drawn(class, (1 << 53) - 1);
        assert_eq!((one.0.lines().count(), one.1.len()), (2, numbers), "{one:?}");
        assert_eq!(one, drawn(class, (1 << 53) - 1));
        assert!(one.1.iter().zip(drawn(class, 8).1).all(|(one, other)| *one != other), "{one:?}");
    }
    let arena = Arena::new();
    let play = ["play", &format!("{CLASSES}/dice.py"), "bot:random", "--seed", "1"];
    let one = arena.run(&play);
    assert_eq!((one.code, &one), (0, &arena.run(&play)));
}

#[test]
#[ignore = "slow: a whole check"]
fn check_and_ask_name_the_calls_of_a_class() {
    let nothing = with_classes(Config::empty(), &[("class", "faulty.py Nothing", "")]);
    let arena = Arena::with(&nothing.bot("bot", "random"));
    let sentence = "malformed: action(0) returned None: expected a placement (x, y) (as white, \
                    after 0 plies)\n";
    for command in ["check", "ask"] {
        let run = arena.run(&[command, "class"]);
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.out.contains(sentence), "{}", run.out);
    }
}

#[test]
fn missing_things_have_plain_errors() {
    let nosuch = with_classes(Config::empty(), &[("class", "nosuch.py", "")]).bot("bot", "random");
    let run = Arena::with(&nosuch).run(&["run"]);
    assert_eq!(run.code, 2);
    assert!(run.err.starts_with("error: cannot find the file `nosuch.py`\n"), "{}", run.err);
    assert_eq!(fault("plain.py Nosuch", "").1, "the module plain has no class Nosuch");
}

#[test]
fn errors_after_the_end_become_warnings() {
    let sentence = "after the end of the game update((3, 3)) raised ValueError: too late\n";
    let messages = [end(&[action("white", "3,3")])];
    let (replies, told) = feed("faulty.py RaisesAtTheEnd", "black", &messages);
    assert_eq!(replies, format!("{{\"want\":[\"events\"]}}\n{sentence}"));
    assert!(told.ends_with("ValueError: too late\n") && !told.contains("serve"), "{told}");
}

#[test]
fn a_class_on_the_command_line() {
    let arena = Arena::new();
    let plain = format!("{CLASSES}/plain.py");
    fs::copy(&plain, arena.path().join("mine.py")).expect("a copy");
    for class in [&plain, "python3 bridge:comp30024 mine.py"] {
        let run = arena.run(&["play", class, "bot:random", "--seed", "1"]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    }
}
