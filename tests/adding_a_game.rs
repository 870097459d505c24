//! Does what `docs/adding-a-game.md` says in a copy of the sources, and plays the game.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).expect("a copy");
    }
}

/// The code blocks of the page that are in Rust.
fn blocks(page: &str) -> Vec<String> {
    let block = |part: &str| part.split_once("```").expect("an end").0.to_owned();
    page.split("```rust\n").skip(1).map(block).collect()
}

/// The sources with the game added as the page says.
fn with_game(folder: &Path) {
    for name in ["Cargo.toml", "Cargo.lock", "src", "benches", "tests", "players"] {
        copy(&Path::new(ROOT).join(name), &folder.join(name));
    }
    let docs = Path::new(ROOT).join("docs");
    let game = "tic_tac_toe.rs";
    copy(&docs.join("adding-a-game").join(game), &folder.join("src/rules").join(game));
    let page = fs::read_to_string(docs.join("adding-a-game.md")).expect("the page");
    let [module, name, arm] = &blocks(&page)[..] else { panic!("three lines to add") };
    let path = folder.join("src/rules.rs");
    let mut rules = fs::read_to_string(&path).expect("the rules");
    for (after, line) in [
        ("pub mod seat;\n", module),
        ("pub enum GameKind {\n", name),
        ("        match $kind {\n", arm),
    ] {
        assert_eq!(rules.matches(after).count(), 1, "{after}");
        rules = rules.replace(after, &format!("{after}{line}"));
    }
    fs::write(path, rules).expect("written");
}

fn cargo(folder: &Path, args: &[&str]) -> Output {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("adding-a-game");
    let output = Command::new(env!("CARGO"))
        .args(args)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    output
}

#[test]
#[ignore = "slow: builds the project with a fourth game"]
fn the_page_leads_to_a_game_that_conforms() {
    let folder = tempfile::tempdir().expect("a folder");
    with_game(folder.path());
    cargo(folder.path(), &["test", "--locked", "--quiet", "--test", "rules_conformance"]);
    let run = |args: &[&str]| {
        let args = [&["run", "--locked", "--quiet", "--"], args].concat();
        String::from_utf8(cargo(folder.path(), &args).stdout).expect("text")
    };
    // 255,168 games of tic-tac-toe, of which 127,872 + 46,080 last nine plies.
    assert!(run(&["perft", "tic-tac-toe", "--depth", "5"]).ends_with("nodes 15120\n"));
    let played =
        run(&["play", "bot:search-2000", "bot:random", "--game", "tic-tac-toe", "--seed", "1"]);
    assert!(played.ends_with("crosses wins: row\n") || played.contains("wins"), "{played}");
}
