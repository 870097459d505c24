//! Starter kits: each is written, built with its real toolchain and checked; and players are taken
//! in from folders and archives.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{Arena, Run};

/// Whether a program of the toolchain runs; says that the kit is skipped where it does not.
#[expect(clippy::print_stdout, reason = "a test that could not run says so")]
fn has(program: &str, language: &str) -> bool {
    let runs = ["--version", "version"].iter().any(|arg| {
        Command::new(program).arg(arg).output().is_ok_and(|output| output.status.success())
    });
    if !runs {
        println!("skipped: {language}: there is no {program} here");
    }
    runs
}

fn build(dir: &Path, command: &str) {
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(dir)
        .env("GOFLAGS", "-buildvcs=false")
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Writes the kit for each game, builds it and checks it.
fn fits(language: &str, command: Option<&str>) {
    for game in ["watch-your-back", "backdraughts", "back-to-the-wall"] {
        let arena = Arena::new();
        let new = arena.run(&["new", "player", "--language", language, "--game", game, "my bot"]);
        let written = "my bot is written; its README.md says how to go on\n";
        assert_eq!(new, Run::new(0, "", written));
        if let Some(command) = command {
            build(&arena.path().join("my bot"), command);
        }
        let check = arena.run(&[
            "check",
            "my bot",
            "--game",
            game,
            "--against",
            "random",
            "--format",
            "json",
        ]);
        assert_eq!((check.code, check.err.as_str()), (0, ""), "{game}: {}", check.out);
        assert!(check.out.starts_with("{\"player\":\"my bot\""), "{}", check.out);
    }
}

#[test]
fn python() {
    if has("python3", "python") {
        fits("python", None);
    }
}

#[test]
#[ignore = "slow: three games each built and checked"]
fn shell() {
    fits("shell", None);
}

#[test]
#[ignore = "slow: three games each built and checked"]
fn javascript() {
    if has("node", "javascript") {
        fits("javascript", None);
    }
}

#[test]
fn c() {
    if has("cc", "c") && has("make", "c") {
        fits("c", Some("make CFLAGS='-O1 -Wall -Wextra -Werror'"));
    }
}

#[test]
#[ignore = "slow: three games each built and checked"]
fn cpp() {
    if has("c++", "cpp") && has("make", "cpp") {
        fits("cpp", Some("make CXXFLAGS='-O1 -Wall -Wextra -Werror -std=c++17'"));
    }
}

#[test]
#[ignore = "slow: three games each built and checked"]
fn java() {
    if has("javac", "java") && has("make", "java") {
        fits("java", Some("make"));
    }
}

#[test]
#[ignore = "slow: three games each built and checked"]
fn rust() {
    if has("cargo", "rust") {
        fits("rust", Some("RUSTFLAGS='-D warnings' cargo build --release --offline --quiet"));
    }
}

#[test]
#[ignore = "slow: three games each built and checked"]
fn go() {
    if has("go", "go") && has("make", "go") {
        fits("go", Some("make"));
    }
}

#[test]
fn the_rules_can_be_used_from_python() {
    let arena = Arena::new();
    assert_eq!(arena.run(&["new", "player", "--language", "python", "kit"]).code, 0);
    let script = "\
from referee_rules import Rules, Illegal
import sys
rules = Rules('watch-your-back', {'max-moves': 100}, referee=sys.argv[1])
after = rules.play(['3,3', '3,4'])
print(after['ply'], after['turn'], len(after['legal']))
print([it['ply'] for it in rules.play_many([[], ['3,3']])])
try:
    rules.play(['0,0'])
except Illegal as error:
    print(error)
";
    let output = Command::new("python3")
        .args(["-c", script, env!("CARGO_BIN_EXE_referee")])
        .current_dir(arena.path().join("kit"))
        .output()
        .expect("Python 3 starts");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "2 {'move': 'white'} 44\n[0, 1]\nline 1: W1: 0,0 is a corner\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_folder_that_is_not_empty_is_left_alone() {
    let arena = Arena::new();
    fs::create_dir(arena.path().join("kit")).expect("a folder");
    arena.write("kit/notes.txt", "mine");
    let run = arena.run(&["new", "player", "--language", "c", "kit"]);
    assert_eq!(run, Run::new(2, "", "error: kit is not empty; name another folder\n"));
}

const CLASS: &str = "class Player:\n    def __init__(self, colour):\n        pass\n    def action(self, turns):\n        pass\n    def update(self, action):\n        pass\n";

/// An export of a platform: a folder, a class, a packed player in a folder, and a bad archive.
fn export() -> Arena {
    let arena = Arena::new();
    for dir in
        ["export/Ada Byron_17_assignsubmission_file_", "export/Bob Ray_18_assignsubmission_file_"]
    {
        fs::create_dir_all(arena.path().join(dir)).expect("a folder");
    }
    arena.write("export/Ada Byron_17_assignsubmission_file_/team.py", CLASS);
    arena.write("player.py", "import sys\n");
    build(
        arena.path(),
        "mkdir -p src/deep && cp player.py src/deep/ && tar czf \
         'export/Bob Ray_18_assignsubmission_file_/mine.tgz' -C src deep && \
         ln -s /etc/passwd src/link && tar cf export/eve_12_mine.tar -C src link && \
         cp player.py export/solo.py && mkdir export/unbuilt && touch export/unbuilt/Makefile",
    );
    arena
}

#[test]
fn an_export_of_a_platform_becomes_a_tournament() {
    let arena = export();
    let run = arena.run(&["new", "tournament", "export", "--into", "cup"]);
    let refused = "the archive was refused: `link` is a link or no plain file; pack the file that \
                   it stands for";
    assert_eq!(
        run,
        Run::new(
            1,
            "",
            &format!(
                "eve_12_mine.tar: {refused}\nunbuilt: no player was recognised, but there is a \
                 Makefile: build it first\ncup/tournament.toml: 3 of 5 are players\n"
            )
        )
    );
    let text = fs::read_to_string(arena.path().join("cup/tournament.toml")).expect("a file");
    let text = arena.normal(&text);
    let (_, players) = text.split_once("[clock]").expect("a clock");
    let expected = format!(
        "
# For one turn; `budget = \"60s\"` would be for all turns of a game together.
move = \"5s\"

[[players]]
name = \"Ada Byron\"
# A class of the 2018 course interface; docs/classes.md says what it is told.
comp30024 = \"team\"
dir = \"DIR/export/Ada Byron_17_assignsubmission_file_\"

[[players]]
name = \"Bob Ray\"
command = [\"python3\", \"player.py\"]
dir = \"players/Bob-Ray/deep\"

# eve_12_mine.tar: {refused}

[[players]]
name = \"solo\"
command = [\"python3\", \"solo.py\"]
dir = \"DIR/export\"

# unbuilt: no player was recognised, but there is a Makefile: build it first
"
    );
    assert_eq!(players, expected);
    let plan = arena.run(&["run", "--plan", "cup/tournament.toml"]);
    assert_eq!(plan.code, 0, "{}", plan.err);
    let again = arena.run(&["new", "tournament", "export", "--into", "cup"]);
    assert_eq!(again.code, 2);
}
