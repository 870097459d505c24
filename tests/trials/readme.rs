//! The README, followed word for word, and its pictures.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;

use crate::harness::{slow, without};
use crate::support::Arena;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        slow("from the first player to a tournament", || {
            without(&["python3"]).or_else(|| {
                from_a_player_to_a_tournament();
                None
            })
        }),
        slow("its pictures are remade", || {
            without(&["chromium", "python3", "script"]).or_else(|| {
                its_pictures_are_remade();
                None
            })
        }),
    ]
}

/// The most bytes of a picture: people wait for it when they open the page.
const PICTURE: usize = 150_000;

/// Remakes the pictures in a folder where people can look at them.
fn its_pictures_are_remade() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("target/screenshots/readme");
    let mut remake = Command::new(root.join("tests/pictures/remake"));
    let output = remake.arg(&folder).env("REFEREE", env!("CARGO_BIN_EXE_referee")).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (name, begin) in
        [("game.gif", &b"GIF89a"[..]), ("report.png", b"\x89PNG"), ("diagnosis.png", b"\x89PNG")]
    {
        assert!(include_str!("../../README.md").contains(&format!("(docs/pictures/{name})")));
        for picture in [folder.join(name), root.join("docs/pictures").join(name)] {
            let bytes = fs::read(&picture).expect(name);
            assert!(bytes.starts_with(begin) && bytes.len() < PICTURE, "{}", picture.display());
        }
    }
}

/// Follows the sections on the first tournament, a player and its tournament in an empty folder, up
/// to the commands that run until they are stopped.
fn from_a_player_to_a_tournament() {
    let arena = Arena::new();
    let first = blocks("Your first tournament").remove(0);
    follow(arena.path(), &first.1);
    for section in ["Write a player", "Set up a tournament"] {
        for (language, text) in blocks(section) {
            match &*language {
                "sh" => follow(arena.path(), &text),
                "python" => arena.write("my_player.py", &text),
                "toml" => arena.write("tournament.toml", &text),
                other => panic!("a block of `{other}`"),
            }
        }
    }
    follow(arena.path(), "referee run");
    for name in ["games.jsonl", "standings.csv", "report.html"] {
        assert!(arena.path().join("results/my-cup").join(name).exists(), "{name}");
    }
}

/// The code blocks of a section, each with its language.
fn blocks(section: &str) -> Vec<(String, String)> {
    let readme = include_str!("../../README.md");
    let (_, text) = readme.split_once(&format!("\n## {section}\n")).expect(section);
    let (text, _) = text.split_once("\n## ").expect("more sections");
    let blocks = text.split("\n```").skip(1).step_by(2);
    let parts = blocks.map(|block| block.split_once('\n').expect("a language"));
    parts.map(|(language, text)| (language.to_owned(), text.to_owned() + "\n")).collect()
}

/// Runs commands in a folder, in which `referee` is the program of these tests.
fn follow(folder: &Path, commands: &str) {
    let referee = Path::new(env!("CARGO_BIN_EXE_referee")).parent().expect("a folder");
    let search = format!("{}:{}", referee.display(), std::env::var("PATH").expect("a PATH"));
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", commands]).env("PATH", search).current_dir(folder);
    let output = shell.output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}\n{said}{errors}");
}
