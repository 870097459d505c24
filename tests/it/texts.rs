//! Whole texts for people: changes to them show in `snapshots/`.
//!
//! `INSTA_UPDATE=always cargo test --test it texts` writes the snapshots again; look at what
//! `git diff` shows before committing.

use std::fmt::Write as _;

use insta::assert_snapshot;

use crate::support::{Arena, Config, Run};

/// A run as its exit code and what it printed.
fn shown(run: &Run) -> String {
    let mut text = format!("exit code {}\n", run.code);
    for (name, stream) in [("stdout", &run.out), ("stderr", &run.err)] {
        if !stream.is_empty() {
            let _ = write!(text, "--- {name}\n{stream}");
        }
    }
    text
}

/// The names of the commands, as the help of the program lists them.
fn commands(help: &str) -> Vec<&str> {
    let (groups, _) = help.split_once("Options:\n").expect("options");
    let named = groups.lines().filter_map(|line| line.strip_prefix("  "));
    named.filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn the_help_of_the_program_and_of_each_command() {
    let arena = Arena::new();
    let help = arena.run(&["--help"]).out;
    assert_snapshot!("help", help);
    let commands = commands(&help);
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands.into_iter().chain(["bot", "completions", "man"]) {
        let help = arena.run(&[command, "--help"]).out;
        assert_snapshot!(format!("help_{command}"), help);
    }
}

#[test]
fn the_tables_of_a_small_tournament() {
    let arena = Arena::played(&Config::small());
    assert_snapshot!("rank", arena.run(&["rank"]).out);
    assert_snapshot!("standings.csv", arena.read("standings.csv"));
    assert_snapshot!("crosstable.csv", arena.read("crosstable.csv"));
}

#[test]
fn output_of_verify() {
    let arena = Arena::played(&Config::small().change(|config| config.jobs = 1));
    assert_snapshot!("verify", shown(&arena.run(&["verify"])));
    arena.edit_line(3, |_| "garbage".to_owned());
    arena.edit_line(5, |line| line.replacen("\"plies\":", "\"plies\":1", 1));
    assert_snapshot!("verify_of_edited_lines", shown(&arena.run(&["verify"])));
}

/// Configurations with mistakes, each with a name.
const MISTAKES: &[(&str, &str)] = &[
    ("not_toml", "name = \"cup\n"),
    ("unknown_game", "name = \"cup\"\ngame = \"watch-your-bak\"\n"),
    (
        "many_mistakes",
        "name = \"cup\"
game = \"watch-your-back\"
pairs = \"two\"
jobs = 0
colour = \"red\"
[options]
max-moves = -1
[clock]
move = \"ten\"
[[players]]
name = \"ant\"
bot = \"randon\"
[[players]]
name = \"ant\"
comand = [\"sh\"]
",
    ),
    (
        "stages",
        "name = \"cup\"
game = \"backdraughts\"
[[stages]]
format = \"swiss\"
[[stages]]
format = \"knockout\"
players = 1
[[players]]
name = \"ant\"
bot = \"random\"
[[players]]
name = \"bee\"
bot = \"greedy\"
[containment]
level = \"high\"
memory = \"much\"
",
    ),
];

#[test]
fn errors_of_a_configuration_with_mistakes() {
    let arena = Arena::new();
    for (name, text) in MISTAKES {
        arena.write("tournament.toml", text);
        assert_snapshot!(format!("configuration_{name}"), shown(&arena.run(&["run"])));
    }
    let missing = arena.run(&["run", "missing.toml"]);
    assert_snapshot!("configuration_missing", shown(&missing));
}
