//! Players are taken in from folders and archives, and nothing is written over.
#![cfg(target_os = "linux")]

mod support;

use std::fs;

use support::{Arena, Run};

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
    arena.sh("mkdir -p src/deep && cp player.py src/deep/ && tar czf \
         'export/Bob Ray_18_assignsubmission_file_/mine.tgz' -C src deep && \
         ln -s /etc/passwd src/link && tar cf export/eve_12_mine.tar -C src link && \
         cp player.py export/solo.py && mkdir export/unbuilt && touch export/unbuilt/Makefile");
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
