//! Does what `docs/adding-a-game.md` says in a copy of the sources, and plays the game.
#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Copies a file or a folder, and keeps modification times.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).expect("a copy");
        let age = fs::metadata(from).and_then(|data| data.modified()).expect("its age");
        fs::File::open(to).and_then(|copy| copy.set_modified(age)).expect("as old");
    }
}

/// The code blocks of the page that are in Rust.
fn blocks(page: &str) -> Vec<String> {
    let block = |part: &str| part.split_once("```").expect("an end").0.to_owned();
    page.split("```rust\n").skip(1).map(block).collect()
}

/// The sources with the game added as the page says.
fn with_game(folder: &Path) {
    for name in [
        "Cargo.toml",
        "Cargo.lock",
        "crates",
        "src",
        "benches",
        "tests",
        "templates",
        "players",
        "docs",
    ] {
        copy(&Path::new(ROOT).join(name), &folder.join(name));
    }
    let docs = Path::new(ROOT).join("docs");
    let game = "tic_tac_toe.rs";
    copy(&docs.join("adding-a-game").join(game), &folder.join("crates/games/src").join(game));
    let page = fs::read_to_string(docs.join("adding-a-game.md")).expect("the page");
    let [module, listed] = &blocks(&page)[..] else { panic!("lines to add") };
    for (file, before, line) in [
        ("lib.rs", "pub mod watch_your_back;\n", module),
        ("game_kind.rs", "    WatchYourBack in watch_your_back,\n", listed),
    ] {
        let path = folder.join("crates/games/src").join(file);
        let text = fs::read_to_string(&path).expect("a crate");
        assert_eq!(text.matches(before).count(), 1, "{before}");
        fs::write(path, text.replace(before, &format!("{line}{before}"))).expect("written");
    }
}

/// The names in a folder; none if it does not exist.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Reuses the dependencies that were built for this test, so that cargo need not build them again.
/// Cargo keeps a folder `<package>-<hash>` for each, and the built files have the hash in their
/// names. It compares modification times, and builds whatever is missing.
fn take_over(target: &Path) {
    let test = std::env::current_exe().expect("this test");
    let built = test.ancestors().nth(2).expect("cargo's folder");
    let mut hashes = HashSet::new();
    for unit in names(&built.join(".fingerprint")) {
        let (package, hash) = unit.rsplit_once('-').unwrap_or_default();
        if package.starts_with(env!("CARGO_PKG_NAME")) {
            continue;
        }
        hashes.insert(hash.to_owned());
        for part in [".fingerprint", "build"] {
            let (from, to) = (built.join(part).join(&unit), target.join(part).join(&unit));
            if from.exists() && !to.exists() {
                copy(&from, &to);
            }
        }
    }
    fs::create_dir_all(target.join("deps")).expect("a folder");
    for file in names(&built.join("deps")) {
        let stem = file.split('.').next().unwrap_or_default();
        let to = target.join("deps").join(&file);
        if stem.rsplit_once('-').is_some_and(|(_, hash)| hashes.contains(hash)) && !to.exists() {
            let from = built.join("deps").join(&file);
            fs::hard_link(&from, &to).unwrap_or_else(|_| copy(&from, &to));
        }
    }
}

fn text(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
#[ignore = "slow: builds the project with a fourth game"]
fn following_the_page_adds_a_conforming_game() {
    let folder = tempfile::tempdir().expect("a folder");
    with_game(folder.path());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adding-a-game");
    take_over(&target.join("debug"));
    // It plays a few games, so most of the time would go into optimising.
    let crates = names(&folder.path().join("crates")).into_iter();
    let plain = crates.map(|name| format!("profile.dev.package.referee-{name}.opt-level=0"));
    let plain: Vec<String> = plain.collect();
    let cargo = |args: &[&str]| {
        let cargo = Command::new(env!("CARGO"))
            .args(args)
            .args(plain.iter().flat_map(|setting| ["--config", setting]))
            .current_dir(folder.path())
            .env("CARGO_TARGET_DIR", &target)
            .output();
        text(&cargo.expect("cargo starts"))
    };
    // With the features of the whole workspace, as the dependencies were built.
    let parts = ["--locked", "--workspace", "--test", "conformance"];
    cargo(&[&["build", "--bin", "referee"], &parts[..]].concat());
    let tested = cargo(&[&["test"], &parts[..], &["tic-tac-toe"]].concat());
    assert!(tested.contains("test result: ok. 1 passed;"), "{tested}");
    let run = |args: &[&str]| {
        text(&Command::new(target.join("debug/referee")).args(args).output().expect("it starts"))
    };
    // Of the 255,168 games of tic-tac-toe, 127,872 + 46,080 last nine plies.
    assert!(run(&["test-game", "tic-tac-toe", "--perft", "5"]).ends_with("nodes 15120\n"));
    let played =
        run(&["play", "bot:search-2000", "bot:random", "--game", "tic-tac-toe", "--seed", "1"]);
    assert!(played.ends_with("crosses wins: row\n") || played.contains("wins"), "{played}");
}
