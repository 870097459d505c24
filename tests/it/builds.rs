//! Submissions that are source code are built before they play. How a sandbox contains builds is
//! tested in `tests/trials/containment/builds.rs`.
#![cfg(target_os = "linux")]

use std::fs;

use crate::support::Arena;

/// A player in C, the first legal action of which is not asked for: it only starts.
const C: &str = "#include <stdio.h>\nint main(void) { puts(\"ok\"); return 0; }\n";
const MAKEFILE: &str = "player: player.c\n\tcc -o player player.c\n";
/// A shell script that starts a built-in player.
const GREEDY: &str = "#!/bin/sh\nexec \"$REFEREE\" bot greedy\n";
/// Makes that script, as a compiler would.
const COPY: &str = "player: source\n\t@cp source player && chmod +x player\n";

fn put(arena: &Arena, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = arena.path().join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
}

fn configure(arena: &Arena, rest: &str) {
    // Not every machine has the private mounts that a sandbox for builds needs.
    let head = "name = \"cup\"\ngame = \"watch-your-back\"\nseed = 1\n\
                [containment]\nlevel = \"off\"\n\
                [[players]]\nname = \"random\"\nbot = \"random\"\n";
    arena.write("tournament.toml", &format!("{head}{rest}"));
}

const ANT: &str = "[[players]]\nname = \"ant\"\ndir = \"ant\"\n";

/// The names in the folder with the results of builds, without those of their output.
fn results(arena: &Arena) -> Vec<String> {
    let entries = fs::read_dir(arena.path().join("results-built")).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().into_string().expect("text")).collect()
}

#[test]
fn a_submission_is_built_once_and_plays() {
    let arena = Arena::new();
    put(&arena, &[("ant/source", GREEDY), ("ant/Makefile", COPY)]);
    configure(&arena, &format!("{ANT}[build]\n"));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.starts_with("ant: built with `make`\n"), "{}", run.err);
    assert!(!arena.log().contains("no-start"));
    assert!(!arena.path().join("ant/player").exists(), "the submission stays as it was");
    let again = arena.run(&["run"]);
    assert!(!again.err.contains("built"), "{}", again.err);
    // The player is that of its sources: a second build is no other player.
    fs::remove_dir_all(arena.path().join("results-built")).expect("removed");
    let again = arena.run(&["run"]);
    assert_eq!((again.code, results(&arena).len()), (0, 1), "{}", again.err);
    // What a killed run left behind is removed.
    put(&arena, &[("results-built/.building-old/build/player", "")]);
    put(&arena, &[("ant/source", &format!("{GREEDY}# changed\n"))]);
    let changed = arena.run(&["run"]);
    assert_eq!((changed.code, results(&arena).len()), (4, 2), "{}", changed.err);
}

#[test]
fn without_the_table_nothing_is_built() {
    let arena = Arena::new();
    put(&arena, &[("ant/source", GREEDY), ("ant/Makefile", COPY)]);
    configure(&arena, ANT);
    let run = arena.run(&["run", "--plan"]);
    assert!(run.err.contains("this player has no `command`"), "{}", run.err);
    configure(&arena, &format!("{ANT}command = [\"./player\"]\n"));
    let run = arena.run(&["run", "--plan"]);
    assert!(run.err.contains("build it with `make`"), "{}", run.err);
    assert!(!arena.path().join("results-built").exists());
}

#[test]
fn a_named_command_starts_the_result() {
    let arena = Arena::new();
    put(
        &arena,
        &[
            ("ant/player.c", C),
            ("ant/Makefile", "bin/ant: player.c\n\tmkdir -p bin && cc -o bin/ant player.c\n"),
        ],
    );
    configure(&arena, &format!("{ANT}command = [\"bin/ant\"]\n[build]\n"));
    assert_eq!(arena.run(&["run", "--plan"]).code, 0);
    // A submission named on the command line is built, too.
    let check = arena.run(&["check", "ant", "--against", "random"]);
    let check_folder = arena.run(&["check", "./ant", "--against", "random"]);
    assert!(check.out.starts_with("ant: bin/ant ("), "{}{}", check.out, check.err);
    // Without the configuration's command, the only program that the build made is the player.
    assert!(check_folder.out.contains("/ant ("), "{}{}", check_folder.out, check_folder.err);
}

#[test]
fn a_build_that_fails_says_why_and_keeps_its_output() {
    let arena = Arena::new();
    put(&arena, &[("ant/player.c", "int main( {}"), ("ant/Makefile", MAKEFILE)]);
    configure(&arena, &format!("{ANT}[build]\n"));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(
        run.err.starts_with("ant: its build failed with exit code 2 (`make`)\n"),
        "{}",
        run.err
    );
    assert!(run.err.contains("player.c:1:"), "the compiler's words: {}", run.err);
    assert!(
        run.err.contains("building it with `make` failed; see DIR/results-built/"),
        "{}",
        run.err
    );
    let again = arena.run(&["run", "--plan"]);
    let known = "ant: its build failed with exit code 2, as before; remove `DIR/results-built/";
    assert!(again.err.starts_with(known), "it is not built again: {}", again.err);
    configure(&arena, &format!("{ANT}[build]\ntime = \"4m\"\n"));
    let other = arena.run(&["run", "--plan"]);
    assert!(other.err.contains("exit code 2 (`make`)"), "under other rules: {}", other.err);
}

#[test]
fn a_build_that_looks_for_a_network_is_told_that_it_has_none() {
    let arena = Arena::new();
    let makefile = "all:\n\t@echo 'Could not resolve host: example.org'; false\n";
    put(&arena, &[("ant/Makefile", makefile)]);
    let why = "exit code 2; it has no network unless `network = true` is set under `[build]`";
    for (table, is_told) in [("", true), ("network = true\n", false)] {
        configure(&arena, &format!("{ANT}[build]\n{table}"));
        let run = arena.run(&["run", "--plan"]);
        assert_eq!(run.err.contains(why), is_told, "{}", run.err);
    }
}

#[test]
fn what_was_ready_to_run_still_plays() {
    let arena = Arena::new();
    let player = "import os\nos.execv(os.environ['REFEREE'], ['referee', 'bot', 'greedy'])\n";
    put(&arena, &[("ant/main.py", player), ("ant/requirements.txt", "nothing-that-exists\n")]);
    configure(&arena, &format!("{ANT}command = [\"python3\", \"main.py\"]\n[build]\n"));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!run.err.contains("build"), "libraries need the network: {}", run.err);
    put(&arena, &[("ant/Makefile", "all:\n\tfalse\n")]);
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.starts_with("ant: its build failed"), "{}", run.err);
}

/// Databases and tables are often sparse files.
#[test]
fn a_sparse_file_is_part_of_the_result_within_the_limit_on_its_size() {
    let arena = Arena::new();
    let sparse = "player: source\n\t@cp source player && chmod +x player && truncate -s";
    put(&arena, &[("ant/source", GREEDY), ("ant/Makefile", &format!("{sparse} 1M table\n"))]);
    configure(&arena, &format!("{ANT}[build]\ndisk = \"8MiB\"\n"));
    let run = arena.run(&["run", "--plan"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let built = arena.path().join("results-built").join(&results(&arena)[0]).join("table");
    assert_eq!(fs::metadata(built).expect("a file").len(), 1 << 20);
    put(&arena, &[("ant/Makefile", &format!("{sparse} 1T table\n"))]);
    let run = arena.run(&["run", "--plan"]);
    assert_eq!((run.code, results(&arena).len()), (2, 1), "{}", run.err);
}

#[test]
fn players_that_are_asked_played_or_compared_are_built_first() {
    let words = [
        &["ask", "ant"][..],
        &["ask", "./ant"],
        &["play", "ant", "bot:random", "--delay", "0s"],
        &["play", "bot:random", "./ant", "--delay", "0s"],
        &["compare", "ant", "bot:random", "--max-pairs", "1", "--jobs", "1"],
    ];
    for words in words {
        let arena = Arena::new();
        put(&arena, &[("ant/source", GREEDY), ("ant/Makefile", COPY)]);
        configure(&arena, &format!("{ANT}[build]\n"));
        let run = arena.run(words);
        assert!(run.err.contains("ant: built with `make`\n"), "{words:?}: {run:?}");
        assert!([0, 10, 11].contains(&run.code), "{words:?}: {run:?}");
        assert_eq!(results(&arena).len(), 1);
    }
    let arena = Arena::new();
    put(&arena, &[("ant/source", GREEDY), ("ant/Makefile", COPY)]);
    configure(&arena, ANT);
    let run = arena.run(&["ask", "./ant"]);
    assert!(run.code == 2 && run.err.contains("run `make` in `./ant`"), "{run:?}");
}

#[test]
fn links_in_place_of_results_are_refused() {
    use std::os::unix::fs::symlink;
    let arena = Arena::new();
    put(&arena, &[("ant/source", GREEDY), ("ant/Makefile", COPY), ("victim/kept", "kept")]);
    configure(&arena, &format!("{ANT}[build]\n"));
    fs::create_dir(arena.path().join("results-built")).expect("a folder");
    let lock = arena.path().join("results-built/.lock");
    symlink("../victim/kept", &lock).expect("a link");
    let run = arena.run(&["run"]);
    assert!(run.code != 0 && run.err.contains("link"), "{}", run.err);
    fs::remove_file(lock).expect("removed");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    // A finished build that is a link is built again, and does not lead anywhere.
    let [key] = &results(&arena)[..] else { panic!("one result") };
    let result = arena.path().join("results-built").join(key);
    let log = arena.path().join(format!("results-built/{key}.log"));
    fs::remove_dir_all(&result).expect("removed");
    fs::remove_file(&log).expect("removed");
    symlink("../victim", &result).expect("a link");
    symlink("../victim/kept", &log).expect("a link");
    let again = arena.run(&["run"]);
    assert!(again.code != 0, "{}", again.err);
    // The games of a check are kept in a folder, too.
    let bad = arena.path().join("bad");
    fs::create_dir(&bad).expect("a folder");
    fs::write(bad.join("player.py"), "while input(): print('ok', flush=True)\n").expect("a file");
    symlink("../victim", bad.join("check-results")).expect("a link");
    let check = arena.command(&["check", "."]).current_dir(&bad).output().expect("it runs");
    let said = String::from_utf8_lossy(&check.stderr).into_owned();
    assert!(said.contains("it is a link"), "{said}");
    let victim = fs::read_dir(arena.path().join("victim")).expect("a folder").count();
    assert_eq!(victim, 1, "nothing was written there");
    assert_eq!(fs::read_to_string(arena.path().join("victim/kept")).expect("text"), "kept");
}
