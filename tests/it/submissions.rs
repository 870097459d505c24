//! Imports players from folders and archives, and overwrites nothing.
#![cfg(target_os = "linux")]

use std::fs;

use crate::support::{Arena, Run};

/// The beginning of the further parts of a configuration, which are all comments.
const FURTHER: &str = "\n# An anchor keeps";

#[test]
fn non_empty_folders_are_left_alone() {
    let arena = Arena::new();
    fs::create_dir(arena.path().join("kit")).expect("a folder");
    arena.write("kit/notes.txt", "mine");
    let run = arena.run(&["new", "player", "--language", "c", "kit"]);
    assert_eq!(run, Run::new(2, "", "error: kit is not empty; use another folder\n"));
}

const CLASS: &str = "class Player:\n    def __init__(self, colour):\n        pass\n    def \
                     action(self, turns):\n        pass\n    def update(self, action):\n        pass\n";

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
    let refused = "the archive was refused: `link` is not a plain file; if it is a link, pack its \
                   target instead";
    let unbuilt = "no player was recognised; build it first with `make`";
    let same = "byte for byte the same as";
    assert_eq!(
        run,
        Run::new(
            1,
            "",
            &format!(
                "Bob Ray: {same} `solo`\neve_12_mine.tar: {refused}\nsolo: {same} `Bob Ray`\n\
                 unbuilt: {unbuilt}\ncup/tournament.toml: 3 of 5 are players\n\
                 next: referee check --all --config cup/tournament.toml; referee run --plan cup/tournament.toml\n"
            )
        )
    );
    let text = fs::read_to_string(arena.path().join("cup/tournament.toml")).expect("a file");
    let text = arena.normal(&text);
    let (_, players) = text.split_once("# seed = 7").expect("a seed");
    let expected = format!(
        "
# Classes from 2018 (`bridge:comp30024`; see `referee help classes`) had a minute of CPU time per game and 100 MiB of
# memory. To use these limits, uncomment this and remove `move`.
# preset = \"comp30024-2018\"

[clock]
# Time for one turn; `budget = \"60s\"` would be the time for a whole game.
move = \"5s\"

[[players]]
name = \"Ada Byron\"
command = [\"python3\", \"bridge:comp30024\", \"team.py\"]
files = [\".\"]
dir = \"DIR/export/Ada Byron_17_assignsubmission_file_\"

# Bob Ray: {same} `solo`
[[players]]
name = \"Bob Ray\"
command = [\"python3\", \"player.py\"]
files = [\".\"]
dir = \"players/Bob-Ray/deep\"

[[players]]
name = \"eve_12_mine\"
absent = \"{refused}\"

# solo: {same} `Bob Ray`
[[players]]
name = \"solo\"
command = [\"python3\", \"solo.py\"]
files = [\".\"]
dir = \"players/solo\"

[[players]]
name = \"unbuilt\"
absent = \"{unbuilt}\"
"
    );
    let (players, _) = players.split_once(FURTHER).expect("further parts");
    assert_eq!(players, expected);
    let plan = arena.run(&["run", "--plan", "cup/tournament.toml"]);
    assert_eq!(plan.code, 0, "{}", plan.err);
    let again = arena.run(&["new", "tournament", "export", "--into", "cup"]);
    assert_eq!(again.code, 2);
}

/// The output of `new tournament` for a folder with these files, and the players that it writes.
fn taken_in(files: &[(&str, &str)]) -> (Arena, String, String) {
    let arena = Arena::new();
    for (name, text) in files {
        let path = arena.path().join("export").join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    let run = arena.run(&["new", "tournament", "export", "--into", "cup"]);
    let text = fs::read_to_string(arena.path().join("cup/tournament.toml")).expect("a file");
    let (_, players) = text.split_once("move = \"5s\"\n").expect("a clock");
    let players = arena.normal(players);
    (arena, run.err, players)
}

/// A loose class in an export would run among all other submissions.
#[test]
fn loose_files_get_folders_of_their_own() {
    let (arena, said, players) = taken_in(&[
        ("byron_17_101_player.py", CLASS),
        ("byron_17_102_board-1.py", "size = 8\n"),
        ("ray_LATE_18_103_team.py", CLASS),
    ]);
    assert_eq!(
        said,
        "ray: it was submitted late\ncup/tournament.toml: 2 of 2 are players\n\
         next: referee check --all --config cup/tournament.toml; referee run --plan cup/tournament.toml\n"
    );
    let expected = "
[[players]]
name = \"byron\"
command = [\"python3\", \"bridge:comp30024\", \"player.py\"]
files = [\".\"]
dir = \"players/byron\"

# ray: it was submitted late
[[players]]
name = \"ray\"
command = [\"python3\", \"bridge:comp30024\", \"team.py\"]
files = [\".\"]
dir = \"players/ray\"
";
    let (players, _) = players.split_once(FURTHER).expect("further parts");
    assert_eq!(players, expected);
    let names = |dir: &str| {
        let entries = fs::read_dir(arena.path().join("cup/players").join(dir)).expect("a folder");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("a name").file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("byron"), ["board.py", "player.py"]);
    assert_eq!(names("ray"), ["team.py"]);
}

#[test]
fn every_file_of_an_export_is_accounted_for() {
    let (arena, said, _) = taken_in(&[
        ("byron_17_101_player.py", "one"),
        ("byron_17_202_player-1.py", "two"),
        ("eve_18_103_mine.rar", "Rar!"),
        ("eve_18_104_report.pdf", "PDF"),
        ("o'brien.py", "three"),
        ("o-brien.py", "four"),
        ("report.pdf", "PDF"),
    ]);
    let expected = "\
byron: the latest, `byron_17_202_player-1.py`, is used; not used: `byron_17_101_player.py`
eve_18_103_mine.rar: cannot unpack `eve_18_103_mine.rar`; use .zip or .tar.gz
report.pdf: `report.pdf` is neither a program nor an archive
cup/tournament.toml: 3 of 5 are players
next: referee check --all --config cup/tournament.toml; referee run --plan cup/tournament.toml
";
    assert_eq!(said, expected);
    let text = |name: &str| fs::read_to_string(arena.path().join("cup/players").join(name));
    assert_eq!(text("byron/player.py").expect("a file"), "two");
    assert_eq!(text("o-brien/o'brien.py").expect("a file"), "three");
    assert_eq!(text("o-brien-2/o-brien.py").expect("a file"), "four");
}

/// `ab c.zip` and `ab-c.zip` would have one folder, ` ..zip` the one of all players.
#[test]
fn every_archive_gets_a_new_folder() {
    let arena = Arena::new();
    arena.write("player.py", "import sys\n");
    arena.sh("mkdir export && tar cf 'export/ab c.tar' player.py && cp 'export/ab c.tar' \
         export/ab-c.tar && cp 'export/ab c.tar' 'export/ ..tar'");
    let run = arena.run(&["new", "tournament", "export", "--into", "cup"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for dir in ["player", "ab-c", "ab-c-2"] {
        assert!(arena.path().join("cup/players").join(dir).join("player.py").is_file(), "{dir}");
    }
}

#[test]
fn several_candidates_are_written_as_comments() {
    let (arena, said, players) = taken_in(&[
        ("ada/good.py", CLASS),
        ("ada/better.py", CLASS),
        ("bob/notes.md", ""),
        ("bob/src/player.py", "\u{feff}print()"),
    ]);
    let several = "several files could be the player: `better.py`, `good.py`";
    assert_eq!(
        said,
        format!(
            "ada: {several}\ncup/tournament.toml: 1 of 2 are players\n\
         next: referee check --all --config cup/tournament.toml; referee run --plan cup/tournament.toml\n"
        )
    );
    let expected = format!(
        "
[[players]]
name = \"ada\"
absent = \"{several}\"
# Or, in place of `absent`:
# command = [\"python3\", \"bridge:comp30024\", \"better.py\"]
# files = [\".\"]
# dir = \"DIR/export/ada\"
# Or, in place of `absent`:
# command = [\"python3\", \"bridge:comp30024\", \"good.py\"]
# files = [\".\"]
# dir = \"DIR/export/ada\"

[[players]]
name = \"bob\"
command = [\"python3\", \"player.py\"]
files = [\".\"]
dir = \"DIR/export/bob/src\"
"
    );
    let (players, _) = players.split_once(FURTHER).expect("further parts");
    assert_eq!(players, expected);
    let text = fs::read_to_string(arena.path().join("cup/tournament.toml")).expect("a file");
    // The author's first alternative, without the marks of a comment.
    let or = "# Or, in place of `absent`:";
    let (before, rest) = text.split_once(or).expect("alternatives");
    let (choice, rest) = rest.split_once(or).expect("a second one");
    let choice = choice.replace("\n# ", "\n");
    let before = before.replace(&format!("absent = \"{several}\""), "");
    let chosen = format!("{before}{choice}{or}{rest}");
    arena.write("cup/tournament.toml", &chosen);
    let plan = arena.run(&["run", "--plan", "cup/tournament.toml"]);
    assert_eq!(plan.code, 0, "{}", plan.err);
    let why = arena.run(&["check", "export/ada"]).err;
    assert!(why.contains("pass one of these instead: `better.py`, `good.py`"), "{why}");
}

/// Existing files are neither mixed with the players nor taken for one.
#[test]
fn existing_folders_are_not_unpacked_into() {
    let arena = Arena::new();
    fs::create_dir(arena.path().join("players")).expect("a folder");
    arena.write("players/ant.py", "one");
    arena.write("players/bee.py", "two");
    let run = arena.run(&["new", "tournament", "players"]);
    assert_eq!(
        run,
        Run::new(
            0,
            "",
            "./tournament.toml: 2 of 2 are players\n\
         next: referee check --all --config ./tournament.toml; referee run --plan ./tournament.toml\n"
        )
    );
    assert_eq!(fs::read_dir(arena.path().join("players")).expect("a list").count(), 2);
    assert!(arena.path().join("unpacked/ant/ant.py").is_file());
    fs::rename(arena.path().join("unpacked"), arena.path().join("export")).expect("renamed");
    fs::remove_file(arena.path().join("tournament.toml")).expect("removed");
    arena.write("export/cat.py", "three");
    let run = arena.run(&["new", "tournament", "export"]);
    let there = "./players already exists; remove it, or use another folder with --into";
    assert_eq!(run, Run::new(2, "", &format!("error: {there}\n")));
}

/// Before they are built, too.
#[test]
fn copies_of_sources_are_named() {
    let source = "int main(void) { return 0; }\n";
    let (_, said, _) = taken_in(&[
        ("ann/player.c", source),
        ("ann/Makefile", "player: player.c\n"),
        ("bob/bot.c", source),
        ("bob/Makefile", "player: player.c\n"),
    ]);
    assert!(said.contains("ann: byte for byte the same as `bob`\n"), "{said}");
}

/// Identical submissions are reported by every command that looks at many.
#[test]
fn copies_are_named() {
    let arena = Arena::new();
    arena.sh("mkdir ann bob && echo 'exit 1' > ann/player.sh && cp ann/player.sh bob");
    let run = arena.run(&["check", "ann", "bob"]);
    let same = "are the same player: the same command with the same files.";
    assert!(run.err.contains(&format!("ann and bob {same}\n")), "{}", run.err);
    let new = arena.run(&["new", "tournament", ".", "--into", "cup"]);
    assert!(new.err.contains("ann: byte for byte the same as `bob`\n"), "{}", new.err);
    assert_eq!(arena.run(&["run", "-q", "cup/tournament.toml"]).code, 0);
    let rank = arena.run(&["rank", "--details", "cup/results/cup"]);
    assert!(rank.out.contains(&format!("\nann and bob {same}\n")), "{}{}", rank.out, rank.err);
}

/// A player that always plays its first legal action.
const FIRST: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        reply = {"id": message["id"]}
        if message["type"] == "turn":
            reply["action"] = message["legal"][0]
        print(json.dumps(reply), flush=True)
"#;

/// A broken archive, a document, and two programs: none is a player, and everyone is told why.
#[test]
fn everyone_without_a_player_is_told_why() {
    let bea = format!("{FIRST}# another\n");
    let (arena, said, _) = taken_in(&[
        ("ann/player.py", FIRST),
        ("bea/player.py", &bea),
        ("dan/mine.zip", "PK, cut off"),
        ("eve/report.pdf", "PDF"),
        ("fay/a/main.py", "one"),
        ("fay/b/main.py", "two"),
        ("gil.zip", ""),
    ]);
    assert!(said.contains("2 of 6 are players"), "{said}");
    let path = arena.path().join("cup/tournament.toml");
    let text = fs::read_to_string(&path).expect("a file");
    let (text, marks) = text.split_once("# [grades]").expect("marks");
    let ranks = marks.lines().filter_map(|line| line.strip_prefix("# "));
    let ranks: Vec<&str> = ranks.filter(|line| !line.starts_with("against")).collect();
    let bands = ["{ rank = 1, marks = 10 }", "{ rank = 3, marks = 8 }", "{ rank = 6, marks = 5 }"];
    assert!(bands.iter().all(|band| marks.contains(band)), "{marks}");
    fs::write(&path, format!("{text}[grades]\n{}\n", ranks.join("\n"))).expect("written");
    let reasons = [
        ("dan", "the archive was refused: it is damaged, or not an archive ("),
        ("eve", "no player was recognised; it contains `report.pdf`"),
        ("fay", "several files could be the player: `a/main.py`, `b/main.py`"),
        ("gil", "no player was recognised; it is empty"),
    ];

    let cup = ["--config", "cup/tournament.toml"];
    let tables = ["--csv", "checks.csv", "--reports", "reports", "--against", "random"];
    let check = arena.run(&[&["check", "--all"][..], &cup, &tables].concat());
    assert!(check.code == 1 && check.err.contains("2 of 6 players are ready"), "{}", check.err);
    let read = |name: &str| fs::read_to_string(arena.path().join(name)).expect(name);
    let one = arena.run(&[&["check", "eve"][..], &cup].concat());
    assert_eq!(one, Run::new(2, "", &format!("error: player `eve`: {}\n", reasons[1].1)));

    assert_eq!(arena.run(&["run", "-q", "cup/tournament.toml"]).code, 0);
    let results = "cup/results/cup";
    assert_eq!(arena.run(&["verify", results]).code, 0);
    assert_eq!(arena.run(&["report", results, "--packets"]).code, 0);
    let marked = ["--packets=marked", "--grades", "cup/tournament.toml"];
    assert_eq!(arena.run(&[&["report", results][..], &marked].concat()).code, 0);
    let row = |table: &str, name: &str| {
        let table = read(table);
        let row = table.lines().find(|line| line.starts_with(&format!("{name},")));
        row.expect("a row").to_owned()
    };
    for (name, reason) in reasons {
        let check = row("checks.csv", name);
        assert!(check.contains(",not-ready,player,") && check.contains(reason), "{check}");
        assert!(read(&format!("reports/{name}.txt")).contains(reason));
        let grade = row("cup/results/cup/grades.csv", name);
        assert!(grade.starts_with(&format!("{name},0,,,,,0,0,")) && grade.contains(reason));
        let packet = read(&format!("{results}/packets/{name}/report.html"));
        assert!(packet.contains(&format!("<p>You have no player: {reason}")), "{packet}");
        let packet = read(&format!("marked/{name}/report.html"));
        assert!(packet.contains(&format!("<p>You get 0 marks: {reason}")), "{packet}");
    }
    assert!(row("cup/results/cup/grades.csv", "bea").contains(",1,2,"), "two have a rank");

    // Those who hand in a player later are no longer absent.
    let text = fs::read_to_string(&path).expect("a file");
    let (before, after) =
        text.split_once("absent = \"no player was recognised; it contains").expect("eve");
    let (_, after) = after.split_once('\n').expect("a next line");
    let late = "command = [\"python3\", \"player.py\"]\ndir = \"../export/eve\"";
    fs::write(&path, format!("{before}{late}\n{after}")).expect("written");
    arena.write("export/eve/player.py", FIRST);
    assert_eq!(arena.run(&["run", "-q", "cup/tournament.toml"]).code, 0);
    assert!(!read("cup/results/cup/absent.json").contains("\"eve\""));
    assert!(row("cup/results/cup/grades.csv", "eve").contains(" at best"));
}

/// A file of the system, or a list of the course beside the folders, is nobody, and moves no band.
#[test]
fn files_that_nobody_handed_in_are_nobody() {
    let clutter = ["Thumbs.db", "desktop.ini", ".DS_Store", "~$list.xlsx"];
    let sheets = ["README.txt", "list.xlsx", "marks.csv"];
    let mut files = vec![("ann/player.py", CLASS), ("zoe/Thumbs.db", ""), ("bea.py", CLASS)];
    files.extend(clutter.into_iter().chain(sheets).map(|name| (name, "x")));
    let late = "Eve_7_assignsubmission_file_notes.txt";
    files.push((late, "of an author"));
    let (_, said, players) = taken_in(&files);
    let expected = format!(
        "\
{late}: `{late}` is neither a program nor an archive
ann: byte for byte the same as `bea`
bea: byte for byte the same as `ann`
zoe: no player was recognised; it is empty
ignored, not part of any submission: `README.txt`, `list.xlsx`, `marks.csv`
cup/tournament.toml: 2 of 4 are players
"
    );
    assert!(said.starts_with(&expected), "{said}");
    assert_eq!(players.matches("[[players]]\nname").count(), 4, "{players}");
    assert!(players.contains("{ rank = 4, marks = 5 }"), "{players}");
    // Without folders, a file may be all that someone handed in.
    let (_, said, _) = taken_in(&[("ann.py", CLASS), ("bea.txt", "sorry")]);
    assert!(said.contains("bea.txt: `bea.txt` is neither") && said.contains("1 of 2"), "{said}");
}

/// A link may lead to a private file, which Python prints when it cannot run it, or to the program
/// of another author.
#[test]
fn links_out_of_a_submission_are_refused() {
    let arena = Arena::new();
    arena.write("private", "the key");
    for author in ["ann", "bob", "eve"] {
        fs::create_dir_all(arena.path().join("export").join(author)).expect("a folder");
    }
    arena.write("export/bob/player.py", "import sys\n");
    arena.sh(
        "ln -s ../../private export/ann/player.py && ln -s ../bob/player.py export/eve/player.py",
    );
    let run = arena.run(&["new", "tournament", "export", "--into", "cup"]);
    assert_eq!(run.code, 1, "{run:?}");
    for author in ["ann", "eve"] {
        let refused = format!(
            "{author}: `player.py` is a link that points outside the submission; hand in the file itself"
        );
        assert!(run.err.contains(&refused), "{run:?}");
    }
    assert!(run.err.contains("1 of 3 are players"), "{run:?}");
    // Nor does a configuration or a command line run such a file.
    let refused = "`player.py` is a link that points outside the player's folder";
    for player in ["export/ann", "export/eve/player.py"] {
        let run = arena.run(&["check", player, "--game", "watch-your-back"]);
        assert!(run.code == 2 && run.err.contains(refused), "{run:?}");
    }
    arena.write(
        "tournament.toml",
        "name = \"cup\"\ngame = \"watch-your-back\"\n[[players]]\nname = \"ann\"\ndir = \
         \"export/ann\"\ncommand = [\"python3\", \"player.py\"]\n[[players]]\nname = \"house\"\nbot \
         = \"random\"\n",
    );
    let run = arena.run(&["run"]);
    assert!(run.code == 2 && run.err.contains(refused), "{run:?}");
}

/// Not even to find out whether they lead to an export of a platform, or to a folder of authors.
#[test]
fn nothing_looks_behind_links_or_waits_for_pipes_among_submissions() {
    let arena = Arena::new();
    for dir in ["subs", "other/Ada_1_assignsubmission_file_", "deep/export"] {
        fs::create_dir_all(arena.path().join(dir)).expect("a folder");
    }
    arena.write("other/Ada_1_assignsubmission_file_/player.py", "import sys\n");
    arena.sh(
        "cp -r other/Ada* deep/export && cd other && python3 -m zipfile -c ../export.zip Ada* && \
         ln -s ../export.zip ../subs/ann.zip && ln -s ../deep ../subs/bob && \
         ln -s ../other ../subs/cat",
    );
    let refused = |author: &str, file: &str| {
        format!(
            "{author}: `{file}` is a link that points outside the submission; hand in the file itself"
        )
    };
    let run = arena.run(&["new", "tournament", "subs", "--into", "links"]);
    for (author, file) in [("ann.zip", "ann.zip"), ("bob", "bob"), ("cat", "cat")] {
        assert!(run.code == 1 && run.err.contains(&refused(author, file)), "{run:?}");
    }
    assert!(run.err.contains("0 of 3 are players"), "{run:?}");
    arena.write("subs/dan.py", "import sys\n");
    arena.write("subs/eve_1_20_player.py", "import sys\n");
    arena.sh("cd subs && mkfifo fay.c && mkfifo gus.zip && mkfifo eve_1_21_book.json && \
         mkfifo submission_metadata.yml");
    let run = arena.run(&["new", "tournament", "subs", "--into", "pipes"]);
    for pipe in ["fay.c", "gus.zip", "eve_1_21_book.json"] {
        let refused = format!("`{pipe}` is a device, a pipe or a socket; hand in a file");
        assert!(run.code == 1 && run.err.contains(&refused), "{run:?}");
    }
    assert!(arena.path().join("pipes/players/dan/dan.py").is_file(), "{run:?}");
    // A link that whoever runs the command names is theirs.
    arena.sh("ln -s export.zip mine.zip && ln -s nothing tournament.toml");
    let run = arena.run(&["new", "tournament", "mine.zip", "--into", "mine"]);
    assert!(run.code == 0 && run.err.contains("1 of 1 are players"), "{run:?}");
    let run = arena.run(&["new", "tournament", "other"]);
    assert!(run.code == 2 && run.err.contains("tournament.toml already exists"), "{run:?}");
}

#[test]
fn a_virtual_environment_excuses_only_its_interpreter() {
    let arena = Arena::new();
    arena.write("private", "the key");
    arena.sh("mkdir -p ann/bin && touch ann/pyvenv.cfg && ln -s ../../private ann/bin/player.py");
    let run = arena.run(&["check", "ann", "--game", "watch-your-back"]);
    let refused = "`player.py` is a link that points outside the player's folder";
    assert!(run.code == 2 && run.err.contains(refused), "{run:?}");
    arena.sh("chmod +x private && ln -s ../../private ann/bin/python");
    arena.write(
        "tournament.toml",
        "name = \"cup\"\ngame = \"watch-your-back\"\n[[players]]\nname = \"ann\"\ndir = \
         \"ann\"\ncommand = [\"bin/python\"]\n[[players]]\nname = \"house\"\nbot \
         = \"random\"\n",
    );
    let run = arena.run(&["run"]);
    assert!(run.code == 2 && run.err.contains("points outside the player's folder"), "{run:?}");
}

#[test]
fn the_players_of_a_large_class_meet_some_of_the_others() {
    let files: Vec<(String, String)> =
        (0..41).map(|at| (format!("p{at}/main.py"), format!("print({at})\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let (arena, _, _) = taken_in(&files);
    let plan = arena.run(&["run", "--plan", "cup/tournament.toml"]);
    assert!(plan.out.contains("41 players, 10 opponents each, 1 pair per pairing\n0 of 410 games"));
    let text = fs::read_to_string(arena.path().join("cup/tournament.toml")).expect("a file");
    assert!(text.contains("(1640 games for 41 players and 1 pair)"), "{text}");
}

/// The names of the players that `new tournament` writes for a folder with these files, each with
/// its folder or the reason why it has none.
fn players_of(files: &[(&str, &str)]) -> (Vec<String>, String) {
    let (_, said, players) = taken_in(files);
    let value = |line: &str| line.split_once(" = ").map(|(_, value)| value.replace('"', ""));
    let tables = players.split("[[players]]\n").skip(1);
    let shown = tables.filter_map(|table| {
        let name = value(table.lines().find(|line| line.starts_with("name"))?)?;
        let key = |line: &&str| line.starts_with("dir") || line.starts_with("absent");
        Some(format!("{name}: {}", value(table.lines().find(key)?)?))
    });
    (shown.filter(|player| !player.starts_with("house-greedy")).collect(), said)
}

#[test]
fn exports_of_every_platform_are_told_apart() {
    let attachments = "DIR/export/Lee, Ann(al)/Submission attachment(s)";
    let (players, said) = players_of(&[
        ("grades.csv", "x"),
        ("Lee, Ann(al)/timestamp.txt", "2024"),
        ("Lee, Ann(al)/comments.txt", "x"),
        ("Lee, Ann(al)/Submission attachment(s)/player.py", FIRST),
        ("Ek, Bo(be)/Ek, Bo(be)_submissionText.html", "only a text"),
    ]);
    let only_text = "Ek, Bo: only text was submitted, no file";
    assert_eq!(players, [only_text, &format!("Lee, Ann: {attachments}")], "{said}");

    let (players, said) = players_of(&[
        ("index.html", "the platform's"),
        ("11-20 - Ann Lee- Nov 12, 2024 1015 PM/player.py", FIRST),
        ("11-20 - Ann Lee- Nov 13, 2024 916 AM/player.py", "new"),
        ("12-20 - Ann Lee - 2 December 2024 9:16 AM/player.py", "a namesake"),
    ]);
    let folder = "DIR/export/1";
    let ann = format!("Ann Lee 11: {folder}1-20 - Ann Lee- Nov 13, 2024 916 AM");
    let namesake = format!("Ann Lee 12: {folder}2-20 - Ann Lee - 2 December 2024 9:16 AM");
    assert_eq!(players, [ann, namesake], "{said}");
    assert!(said.contains("not used: `11-20 - Ann Lee- Nov 12, 2024 1015 PM`"), "{said}");
    assert!(said.contains("ignored, not part of any submission: `index.html`"), "{said}");

    let (players, said) = players_of(&[
        (
            "submission_metadata.yml",
            "---\nsubmission_7:\n  :submitters:\n  - :name: Ann Lee\n    :sid: '1'\n",
        ),
        ("submission_7/player.py", FIRST),
        ("submission_8/player.py", "nobody knows whose"),
    ]);
    let gradescope = ["Ann Lee: DIR/export/submission_7", "submission_8: DIR/export/submission_8"];
    assert_eq!(players, gradescope, "{said}");

    let (players, said) = players_of(&[
        ("al_1_handin.py", "old"),
        ("al_2_handin.py", FIRST),
        ("bo@uni.example_10_handin.py", "tenth"),
        ("bo@uni.example_9_handin.py", "ninth"),
    ]);
    assert_eq!(players, ["al: players/al", "bo@uni.example: players/bo-uni.example"]);
    assert!(said.contains("not used: `bo@uni.example_9_handin.py`"), "{said}");
}

/// User names of this platform may have an underscore.
#[test]
fn namesakes_by_the_end_of_their_user_names_are_two() {
    let (players, said) = players_of(&[
        ("Project 1_j_smith_attempt_2026-05-11-10-00-00_bot.py", FIRST),
        ("Project 1_k_smith_attempt_2026-05-11-11-00-00_bot.py", "two"),
        ("Project 1_ann_attempt_2026-05-11-11-00-00_bot.py", "three"),
    ]);
    let [j, k] =
        ["j", "k"].map(|user| format!("Project 1_{user}_smith: players/Project-1_{user}_smith"));
    assert_eq!(players, ["ann: players/ann", &j, &k], "{said}");
}

/// Platforms put a folder around an export, and people do not unpack it.
#[test]
fn an_export_is_found_in_a_folder_or_an_archive() {
    let inside = ("Part B/Ann_1_assignsubmission_file_/player.py", FIRST);
    let other = ("Part B/Bo_2_assignsubmission_file_/player.py", "two");
    let (players, said) = players_of(&[inside, other, ("Part B/grades.csv", "x")]);
    assert_eq!(players.len(), 2, "{said}");
    assert!(said.contains("opened, because it is an export: `Part B`\n"), "{said}");

    let arena = Arena::new();
    arena.sh("mkdir -p export/x/Ann_1_assignsubmission_file export/x/Bo_2_assignsubmission_file");
    for author in ["Ann_1", "Bo_2"] {
        arena.write(&format!("export/x/{author}_assignsubmission_file/player.py"), author);
    }
    arena.sh("cd export && python3 -m zipfile -c ../all.zip x && rm -r x && mv ../all.zip .");
    // As it was downloaded, beside a table, or under a name that looks like that of an upload.
    let named = "gradebook_202410_12345_Project_2026-11-12-22-15-02.zip";
    arena.sh(&format!(
        "mkdir both named && cp export/all.zip both && echo x > both/grades.csv && cp export/all.zip \
         named/{named}"
    ));
    let named = format!("named/{named}");
    let all = [("export", "one"), ("export/all.zip", "two"), ("both", "three"), ("named", "four")];
    for (from, into) in all.into_iter().chain([(&*named, "five")]) {
        let run = arena.run(&["new", "tournament", from, "--into", into]);
        assert!(run.code == 0 && run.err.contains("2 of 2 are players"), "{run:?}");
    }
}

/// Among other submissions, what looks like an export could replace the player of another author.
#[test]
fn a_submission_that_imitates_an_export_is_one_submission() {
    let (players, said) = players_of(&[
        ("eve/Ann_1_assignsubmission_file_/player.py", FIRST),
        ("eve/Bo_2_assignsubmission_file_/notes.txt", "x"),
        ("ann.py", "hers"),
    ]);
    assert_eq!(players.len(), 2, "{players:?} {said}");
    assert!(said.contains("eve: it seems to hold several submissions (`Ann_1_"), "{said}");
}

#[test]
fn a_folder_of_many_authors_does_not_become_one_player_in_silence() {
    let hint = |files: &[(&str, &str)]| players_of(files).1.contains("it seems to hold several");
    assert!(hint(&[("all/ann/player.py", FIRST), ("all/bo/main.py", "two")]));
    assert!(hint(&[("all/ann/player.py", FIRST), ("all/bo/Makefile", "player:\n")]));
    assert!(!hint(&[("ann/src/player.py", FIRST), ("ann/tests/main.py", "a test")]));
    assert!(!hint(&[("ann/player.py", FIRST), ("ann/one/main.py", ""), ("ann/two/main.py", "")]));
}

/// An archive counts in whatever folder it lies.
#[test]
fn an_archive_beside_other_folders_is_found() {
    let arena = Arena::new();
    arena.sh("mkdir -p export/ann/files export/ann/notes && echo x > export/ann/notes/a.txt");
    arena.write("player.py", FIRST);
    arena.sh("tar cf export/ann/files/bot.tar player.py");
    let run = arena.run(&["new", "tournament", "export", "--into", "cup"]);
    assert!(run.code == 0 && run.err.contains("1 of 1 are players"), "{run:?}");
}

/// Sources that were handed in one by one are put together under the names that a `Makefile` uses.
#[test]
fn loose_sources_are_one_submission() {
    let (arena, said, _) = taken_in(&[
        ("ann_1_11_player-1.c", "int main(void) { return 0; }\n"),
        ("ann_1_12_Makefile-1", "player: player.c\n"),
        ("ann_1_13_report.pdf", "x"),
        ("bo_2_14_bot.cpp", "int main() {}\n"),
        ("cy_3_15_player.c", "int main(void) { return 0; }\n"),
        ("cy_3_16_player.py", FIRST),
    ]);
    let needs_file = "no player was recognised; hand in a build file (such as a `Makefile`)";
    assert!(said.contains("no player was recognised; build it first with `make`"), "{said}");
    assert!(said.contains(&format!("bo_2_14_bot.cpp: {needs_file}")), "{said}");
    assert!(said.contains("1 of 3 are players"), "{said}");
    let names = |dir: &str| {
        let entries = fs::read_dir(arena.path().join("cup/players").join(dir)).expect("a folder");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("a name").file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("ann"), ["Makefile", "player.c", "report.pdf"]);
    assert_eq!(names("cy"), ["player.c", "player.py"]);
}

/// Windows does not tell them apart.
#[test]
fn endings_in_capital_letters_are_known() {
    let arena = Arena::new();
    let player = "import sys\nfor line in sys.stdin: print('ok', flush=True)\n";
    arena.sh("mkdir subs subs/cat");
    for name in ["subs/ANT.PY", "PLAYER.PY", "subs/cat/Bot.Py"] {
        arena.write(name, player);
    }
    arena.sh("python3 -m zipfile -c subs/BEE.ZIP PLAYER.PY");
    arena.sh("tar -czf subs/dog.TGZ PLAYER.PY && tar -czf subs/eel.Tar.GZ PLAYER.PY");
    let new = arena.run(&["new", "tournament", "subs", "--into", "out"]);
    assert!(new.err.contains("5 of 5 are players"), "{new:?}");
    let config = fs::read_to_string(arena.path().join("out/tournament.toml")).expect("a file");
    for name in ["ANT", "BEE", "cat", "dog", "eel"] {
        assert!(config.contains(&format!("name = \"{name}\"\n")), "{name}: {config}");
    }
    for file in ["ANT.PY", "PLAYER.PY", "Bot.Py"] {
        assert!(config.contains(&format!("\"python3\", \"{file}\"")), "{file}: {config}");
    }
}
