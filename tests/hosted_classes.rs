//! Player classes of the 2018 interface, hosted: what each is asked and told, and what the log
//! says when one fails. The classes are in `tests/classes`.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{Arena, Config};

const CLASSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/classes");
const HOST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/player/hosts/comp30024.py");

/// Feeds the host of `class` with these messages; its replies, and what the class printed.
fn feed(class: &str, colour: &str, messages: &[Value]) -> (String, String) {
    let mut child = Command::new("python3")
        .args([HOST, class])
        .current_dir(CLASSES)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python 3 starts");
    let init = json!({"type": "init", "id": 0, "you": colour, "opening": []});
    let quit = json!({"type": "quit"});
    let lines: Vec<String> = [&init]
        .into_iter()
        .chain(messages)
        .chain([&quit])
        .map(|line| format!("{line}\n"))
        .collect();
    // A host that has failed reads no further; what it said is looked at all the same.
    let _ = child.stdin.take().expect("a pipe").write_all(lines.concat().as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr))
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
fn it_is_asked_and_told_in_order() {
    let messages = [
        turn(&[]),
        turn(&[action("white", "2,3"), json!({"event": "removed"}), action("black", "4,5")]),
        turn(&placements()[2..]),
        turn(&[action("white", "2,3>2,4"), action("black", "4,5>4,6"), forced("black")]),
        end(&[action("white", "2,4>2,5"), action("black", "4,6>4,7")]),
    ];
    let (replies, told) = feed("faulty.Recorder", "white", &messages);
    assert_eq!(replies, "{\"want\":[\"events\"]}\n2,3\n2,3\n2,3\n2,3\n");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[..4], ["init white interned", "action 0", "update (4, 5)", "action 2"]);
    assert_eq!(lines[4..6], ["update (3, 3)", "update (5, 3)"]);
    let rest = ["action 0", "update ((4, 5), (4, 6))", "update None", "action 3"];
    assert_eq!(lines[15..19], rest, "{told}");
    assert_eq!(lines[19..], ["update ((4, 6), (4, 7))"]);
}

#[test]
fn a_blocked_class_is_asked_for_its_none() {
    let moves = [&placements()[..], &[action("white", "2,3>2,4"), forced("black")]].concat();
    let messages = [turn(&moves), end(&[action("white", "2,4>2,5"), forced("black")])];
    let (_, told) = feed("faulty.Blocked", "black", &messages);
    let lines: Vec<&str> = told.lines().skip(13).collect();
    let expected = ["update ((2, 3), (2, 4))", "action 1", "action 2", "update ((2, 4), (2, 5))"];
    assert_eq!(lines[..4], expected);
    assert_eq!(lines[4..], ["action 3"]);
}

#[test]
fn another_answer_of_a_blocked_class_is_its_next_reply() {
    let sentence = "action(0) returned (2, 3) where it had no legal action; expected None";
    let blocked = [&placements()[..], &[forced("white"), action("black", "1,3>1,4")]].concat();
    let (replies, told) = feed("faulty.Recorder", "white", &[turn(&blocked)]);
    assert_eq!(replies, format!("{{\"want\":[\"events\"]}}\n{{\"error\": \"{sentence}\"}}\n"));
    assert!(told.ends_with("action 0\nupdate ((1, 3), (1, 4))\n"), "{told}");
    let (replies, _) = feed("faulty.Recorder", "white", &[end(&blocked)]);
    assert_eq!(replies, format!("{{\"want\":[\"events\"]}}\n{sentence}\n"));
}

#[test]
fn an_opening_cannot_be_played_to_a_class() {
    let init = json!({"type": "init", "id": 0, "you": "white", "opening": ["3,3"]});
    let (replies, told) = feed("faulty.Recorder", "white", &[init]);
    assert_eq!(replies, "{\"want\":[\"events\"]}\n");
    assert!(told.ends_with("a class of the 2018 interface cannot begin after an opening\n"));
}

/// A configuration in which each of these classes, with further lines, is a player.
fn with_classes(config: Config, classes: &[(&str, &str, &str)]) -> Config {
    classes.iter().fold(config, |config, (name, class, lines)| {
        // They share a folder, and one of them is made of another.
        let dir = if lines.contains("dir =") {
            String::new()
        } else {
            format!("dir = {CLASSES:?}\nfiles = [\"plain.py\"]")
        };
        config.player(name, &format!("comp30024 = {class:?}\n{dir}\n{lines}"))
    })
}

/// What the log says about the class's fault in its first game: code, message, stderr.
fn fault(class: &str, lines: &str) -> (String, String, Vec<String>) {
    let config = with_classes(Config::empty(), &[("class", class, lines)]).bot("bot", "random");
    let arena = Arena::with(&config.change(|config| {
        config.pairs = 1;
        config.clock.push_str("move = \"2s\"");
    }));
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
        ("plain", "plain", ""),
        ("chatty", "chatty", ""),
        ("lists", "lists.Player", ""),
        ("reader", "reader.Reader", ""),
        ("clash", "json", ""),
        ("package", "team", ""),
        ("sleeper", "sleeper", ""),
        ("relaxed", "relaxed.All", "lenient = true"),
    ];
    let odd = "dir = \"odd dir-1.0\"";
    let config = with_classes(Config::empty(), &classes);
    let config = with_classes(config, &[("odd", "my-player.v2", odd)]);
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
fn wrong_types_are_malformed_with_the_sentence() {
    let message = |class| {
        let (code, message, _) = fault(class, "");
        assert_eq!(code, "malformed");
        message
    };
    let sentence = "action(0) returned (3.0, 3.0): 3.0 is of type float, expected int";
    assert_eq!(message("relaxed.Floats"), sentence);
    let sentence = "action(0) returned (3, 3): 3 is of type int64, expected int";
    assert_eq!(message("relaxed.Library"), sentence);
    let sentence = "expected ((xa, ya), (xb, yb)) or None";
    assert!(message("relaxed.Flat").ends_with(sentence), "{}", message("relaxed.Flat"));
    let sentence = "action(0) returned None: expected a placement (x, y)";
    assert_eq!(message("faulty.Nothing"), sentence);
    assert_eq!(message("faulty.Text"), "action(0) returned '3,4': expected (x, y)");
}

#[test]
fn a_class_that_raises_shows_its_traceback() {
    let (code, message, stderr) = fault("faulty.Asks", "");
    assert_eq!((code.as_str(), message.as_str()), ("crash", "it ended with exit code 1"));
    let last = stderr.last().expect("a traceback");
    assert!(last.starts_with("EOFError: input() has nothing to read"), "{stderr:?}");
    assert!(
        stderr.iter().any(|line| line.contains("faulty.py\", line 10, in action")),
        "{stderr:?}"
    );
    let (code, _, stderr) = fault("faulty.RaisesInUpdate", "");
    assert_eq!(code, "crash");
    assert!(stderr.last().expect("a traceback").starts_with("ValueError: what is ("), "{stderr:?}");
    let (code, message, stderr) = fault("faulty.RaisesInInit", "");
    let expected = ("no-start", "the handshake failed: it ended with exit code 1");
    assert_eq!((code.as_str(), message.as_str()), expected);
    assert_eq!(stderr.last().expect("a traceback"), "KeyError: 'white'");
}

#[test]
fn a_class_that_hangs_is_timed_out() {
    let (code, message, _) = fault("faulty.Hangs", "");
    assert_eq!(code, "timeout");
    assert!(message.starts_with("no reply within 2 s: sleeping, with "), "{message}");
}

#[test]
fn what_is_not_there_is_told_in_words() {
    let (code, _, stderr) = fault("nosuch", "");
    assert_eq!(code, "no-start");
    assert!(stderr.last().expect("a line").starts_with("there is no module nosuch in "));
    let (_, _, stderr) = fault("plain.Nosuch", "");
    assert_eq!(stderr.last().expect("a line"), "the module plain has no class Nosuch");
}

#[test]
fn what_goes_wrong_after_the_end_is_remarked() {
    let sentence = "after the end of the game it raised ValueError: 'too late'\n";
    let messages = [end(&[action("white", "3,3")])];
    let (replies, told) = feed("faulty.RaisesAtTheEnd", "black", &messages);
    assert_eq!(replies, format!("{{\"want\":[\"events\"]}}\n{sentence}"));
    assert!(told.ends_with("ValueError: too late\n") && !told.contains("serve"), "{told}");
}

#[test]
fn a_class_on_the_command_line() {
    let arena = Arena::new();
    let class = format!("comp30024:{CLASSES}:plain");
    let run = arena.run(&["play", &class, "bot:random", "--seed", "1"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let run = arena.run(&["play", "comp30024:plain", "bot:random"]);
    let error = "error: player `comp30024:plain`: the folder or the module is missing; write \
                 `comp30024:DIR:MODULE`, or `comp30024:DIR:MODULE.CLASS` where the class is not \
                 called Player\n";
    assert_eq!((run.code, run.err.as_str()), (2, error));
}
