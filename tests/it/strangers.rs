//! Results of a stranger: what reading them may start, and which of their files are opened.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::foreign_games::{CUP, RULES};
use crate::report::Served;
use crate::support::{Arena, Config, Run};
use serde_json::Value;

/// The results of a tournament whose rules program writes the file `marker` when it starts, in
/// `cup/`, without a configuration. The reader stands in the folder above.
fn results_of_a_stranger() -> Arena {
    let arena = Arena::new();
    fs::create_dir_all(arena.path().join("cup/game")).expect("a folder");
    arena.write("cup/game/game.toml", "command = [\"sh\", \"rules.sh\"]\n");
    let marker = arena.path().join("marker");
    arena.write("cup/game/rules.sh", &format!("(: > '{}') 2>/dev/null\n{RULES}", marker.display()));
    let config = CUP.replace("RULES", "from = \"game/game.toml\"");
    arena.write("cup/tournament.toml", &(config + "[containment]\nlevel = \"off\"\n"));
    let run = arena.in_shell("cd cup && exec \"$1\" run -q", &[]);
    assert_eq!(run.code, 0, "{run:?}");
    fs::remove_file(marker).expect("the program was started");
    fs::rename(arena.path().join("cup/tournament.toml"), arena.path().join("away")).expect("moved");
    arena
}

/// The id of a game in `cup/results/cup`.
fn a_game(arena: &Arena) -> String {
    let log = fs::read_to_string(arena.path().join("cup/results/cup/games.jsonl")).expect("a log");
    let line: Value = serde_json::from_str(log.lines().nth(1).expect("a game")).expect("JSON");
    line["id"].as_str().expect("an id").to_owned()
}

/// The commands that need the rules of recorded games, with their options.
fn readers(game: &str) -> Vec<Vec<&str>> {
    let of_folder = [
        &["verify"][..],
        &["report"],
        &["report", "--pseudonyms"],
        &["report", "--packets=all"],
        &["export"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["rank", "--details"],
        &["replay", game],
        &["ask", "bot:random", "--record", game],
        &["play", "bot:random", "bot:random", "--from", game, "--ply", "2"],
    ];
    let rest = ["--results", "cup/results/cup", "--containment", "off"];
    of_folder.iter().map(|words| [words, &rest[..]].concat()).collect()
}

#[test]
fn no_reader_starts_a_program_that_only_the_log_names() {
    let arena = results_of_a_stranger();
    let (game, marker) = (a_game(&arena), arena.path().join("marker"));
    let is_started = |words: &[&str], marker: &Path| {
        let read = arena.run(words);
        (read, fs::remove_file(marker).is_ok())
    };
    for words in readers(&game) {
        let (read, started) = is_started(&words, &marker);
        assert!(read.code == 2 && read.err.contains("add `--game FILE`"), "{words:?}: {read:?}");
        assert!(!started, "{words:?}");
        if words[0] != "serve" {
            let named = [&words[..], &["--game", "cup/game/game.toml"]].concat();
            let (read, started) = is_started(&named, &marker);
            assert!(read.code == 0 && started, "{named:?}: {read:?}");
        }
    }
    for words in [&["rank"][..], &["replay"], &["replay", &game, "--format", "json"]] {
        let words = [words, &["--results", "cup/results/cup"]].concat();
        let (read, started) = is_started(&words, &marker);
        assert!(read.code == 0 && !started, "{words:?}: {read:?}");
    }
    // A configuration that is named for its marks says nothing about the rules.
    fs::rename(arena.path().join("away"), arena.path().join("cup/tournament.toml")).expect("moved");
    for command in ["verify", "report"] {
        let words = [command, "--grades", "cup/tournament.toml", "--results", "cup/results/cup"];
        let (read, started) = is_started(&words, &marker);
        assert!(read.code == 2 && !started, "{words:?}: {read:?}");
    }
}

#[test]
fn a_program_of_another_hash_is_not_started() {
    let arena = results_of_a_stranger();
    let game = a_game(&arena);
    let rules = fs::read_to_string(arena.path().join("cup/game/rules.sh")).expect("rules");
    arena.write("cup/game/rules.sh", &format!("{rules}# changed\n"));
    for words in readers(&game) {
        let named = [&words[..], &["--game", "cup/game/game.toml"]].concat();
        let read = arena.run(&named);
        assert!(read.code == 2 && read.err.contains("is not the one these games used"), "{read:?}");
        assert!(!arena.path().join("marker").exists(), "{named:?}: {read:?}");
    }
    // Nor is it if it is the one of the configuration here, or one that the log puts elsewhere.
    fs::rename(arena.path().join("away"), arena.path().join("cup/tournament.toml")).expect("moved");
    let here = arena.in_shell("cd cup && exec \"$1\" verify --containment off", &[]);
    assert!(here.code == 2 && here.err.contains("is not the one these games used"), "{here:?}");
    assert!(!arena.path().join("marker").exists(), "{here:?}");
}

#[test]
fn a_program_runs_with_the_limits_of_the_reader() {
    let arena = results_of_a_stranger();
    let log = arena.path().join("cup/results/cup/games.jsonl");
    let text = fs::read_to_string(&log).expect("a log");
    let low = text.replacen("\"memory\":1073741824", "\"memory\":1", 1);
    assert_ne!(low, text);
    fs::write(log, low).expect("written");
    let export = ["export", "cup/results/cup", "--game", "cup/game/game.toml"];
    assert_eq!(arena.run(&export).code, 0);
    // It is contained unless the reader asks for `off`, whatever the configuration here says.
    assert!(!arena.path().join("marker").exists());
    fs::rename(arena.path().join("away"), arena.path().join("cup/tournament.toml")).expect("moved");
    assert_eq!(arena.in_shell("cd cup && exec \"$1\" export", &[]).code, 0);
    assert!(!arena.path().join("marker").exists());
}

#[test]
fn results_are_read_where_the_program_is_configured_whatever_they_are_called() {
    let arena = Arena::new();
    arena.write("spiel.sh", RULES);
    let game = "command = [\"sh\", \"spiel.sh\", \"breakthrough\"]";
    let config = CUP.replace("RULES", game).replace("\"cup\"", "\"breakthrough\"");
    arena.write("tournament.toml", &config);
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    assert_eq!(arena.run(&["verify"]).code, 0);
    fs::create_dir(arena.path().join("far")).expect("a folder");
    fs::rename(arena.path().join("results/breakthrough"), arena.path().join("far/cup"))
        .expect("moved");
    assert_eq!(arena.run(&["verify", "far/cup"]).code, 0, "the reader stands beside its program");
    let away = arena.in_shell("cd far && exec \"$1\" verify cup", &[]);
    assert!(away.code == 2 && away.err.contains("add `--game FILE`"), "{away:?}");
    let named = arena.in_shell("cd far && exec \"$1\" verify cup --game ../tournament.toml", &[]);
    assert_eq!(named.code, 0, "{named:?}");
}

#[test]
fn a_game_file_may_be_a_link_into_another_folder() {
    let arena = Arena::new();
    fs::create_dir_all(arena.path().join("games/three")).expect("a folder");
    arena.write("games/three/game.toml", "command = [\"sh\", \"rules.sh\"]\n");
    arena.write("games/three/rules.sh", RULES);
    symlink("games/three/game.toml", arena.path().join("game.toml")).expect("a link");
    arena.write("tournament.toml", &CUP.replace("RULES", "from = \"game.toml\""));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    assert_eq!(arena.header()["program"]["dir"], "games/three");
    assert_eq!(arena.run(&["verify"]).code, 0);
    assert_eq!(arena.run(&["verify", "--game", "game.toml"]).code, 0);
}

/// What is in the place of a file or folder of results.
#[derive(Debug, Clone, Copy)]
enum Trap {
    Pipe,
    Link(&'static str),
}

/// A small tournament with a trap instead of one of its files, and the folder `elsewhere`.
fn trapped(name: &str, trap: Trap) -> Arena {
    let arena = Arena::played(&Config::small().change(|config| config.max_moves = 1));
    fs::create_dir(arena.path().join("elsewhere")).expect("a folder");
    arena.write("elsewhere/private", "private\n");
    let path = arena.results().join(name);
    arena.sh(&format!("rm -rf '{}'", path.display()));
    match trap {
        Trap::Pipe => arena.sh(&format!("mkfifo '{}'", path.display())),
        Trap::Link(to) => symlink(to, path).expect("a link"),
    }
    arena
}

/// What is in the folder `elsewhere`, which nobody may write to.
fn assert_untouched(arena: &Arena) {
    let entries = fs::read_dir(arena.path().join("elsewhere")).expect("a folder");
    assert_eq!(entries.count(), 1, "somebody wrote there");
    let private = fs::read_to_string(arena.path().join("elsewhere/private")).expect("a file");
    assert_eq!(private, "private\n");
}

#[test]
fn pipes_devices_and_links_in_results_are_not_opened() {
    let traps = [Trap::Pipe, Trap::Link("/dev/zero"), Trap::Link("../../elsewhere/private")];
    for trap in traps {
        for table in ["standings.csv", "games.csv"] {
            let arena = trapped(table, trap);
            let found = arena.run(&["verify"]);
            assert!(found.code == 1 && found.out.contains("it cannot be read"), "{found:?}");
            let run = arena.run(&["run", "--quiet"]);
            assert_eq!(run.code, 0, "it is replaced: {run:?}");
            assert_eq!(arena.run(&["verify"]).code, 0);
            assert_untouched(&arena);
        }
        for (name, commands) in [
            ("games.jsonl", &[&["verify"][..], &["rank"], &["report"], &["run", "-q"]][..]),
            ("lock", &[&["run", "-q"]]),
            ("games", &[&["report"]]),
            ("public", &[&["report", "--pseudonyms"]]),
            ("exchanges", &[&["run", "-q"]]),
        ] {
            let arena = trapped(name, trap);
            for command in commands {
                let refused = arena.run(command);
                let words = [command, &["results/cup"][..]].concat();
                assert!([2, 3].contains(&refused.code), "{trap:?} {words:?}: {refused:?}");
            }
            assert_untouched(&arena);
        }
        for name in ["report.html", "games/part-0.js", "games/index.js", "games/index.new"] {
            let arena = trapped(name, trap);
            let written = arena.run(&["report"]);
            assert_eq!(written.code, 0, "it is replaced: {written:?}");
            assert_untouched(&arena);
        }
    }
}

#[test]
fn folders_behind_links_are_not_written_to() {
    let to = Trap::Link("../../elsewhere");
    let refused = |name: &str, command: &[&str]| {
        let arena = trapped(name, to);
        let refused = arena.run(command);
        assert!(refused.err.contains("it is not a folder, or it is a link"), "{refused:?}");
        assert_eq!(refused.code, 3, "{refused:?}");
        assert_untouched(&arena);
    };
    refused("games", &["report"]);
    refused("public", &["report", "--pseudonyms"]);
    refused("exchanges", &["run", "--quiet"]);
    let arena = trapped("packets", to);
    assert_eq!(arena.run(&["report", "--packets"]).code, 2);
    assert_untouched(&arena);
    let arena = trapped("tables.unfinished", Trap::Link("../../elsewhere/private"));
    arena.edit_line(13, |_| String::new());
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0, "one game was missing");
    assert_untouched(&arena);
}

#[test]
fn a_secret_that_is_a_pipe_or_a_link_is_not_read() {
    let config = Config::small().change(|config| (config.max_moves, config.seed) = (1, None));
    for trap in ["mkfifo secret", "ln -s /dev/zero secret"] {
        let arena = Arena::with(&config);
        assert_eq!(arena.run(&["run", "-q"]).code, 0);
        arena.sh(&format!("cd results/cup && rm secret && {trap}"));
        let refused = arena.run(&["verify"]);
        assert!(refused.code == 3 && refused.err.contains("secret: it is"), "{refused:?}");
    }
}

/// How often a served page asks its rules program for a move, when this many visitors leave before
/// they get it and then one waits.
fn moves_asked_for(leaving: usize) -> usize {
    let arena = Arena::new();
    let trace = arena.path().join("trace");
    let traced = format!(
        "*'\"type\":\"play\"'*)\n [ ! -e served ] || {{ sleep 0.1; echo move >> '{}'; }}",
        trace.display()
    );
    arena.write("rules.sh", &RULES.replace("*'\"type\":\"play\"'*)", &traced));
    arena.write("tournament.toml", &CUP.replace("RULES", "command = [\"sh\", \"rules.sh\"]"));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    arena.write("served", "");
    let served = Served::of(arena, &["--containment", "off"]);
    for _ in 0..leaving {
        let mut stream = served.connect();
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", served.address());
        stream.write_all(request.as_bytes()).expect("sent");
        // A later answer shows that the server has read the request before.
        let answer = served.ask("/none", &[]);
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }
    let answer = served.ask("/", &[]);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let asked = fs::read_to_string(trace).expect("moves were asked for");
    asked.lines().count()
}

#[test]
fn visitors_who_leave_do_not_stack_computations_of_a_page() {
    let once = moves_asked_for(0);
    assert!(once > 0);
    assert_eq!(moves_asked_for(4), once);
}

/// A player that always plays `b`.
const SAME: &str = r#"
while read -r message; do
    id=${message#*\"id\":}; id=${id%%[,\}]*}
    case $message in
    *'"type":"init"'*) echo "{\"id\":$id}" ;;
    *'"type":"turn"'*) echo "{\"id\":$id,\"action\":\"b\"}" ;;
    esac
done
"#;

#[test]
fn a_published_report_names_neither_suspicions_nor_machines() {
    let arena = Arena::new();
    // A game of eight plies instead of three.
    let longer = RULES
        .replace("\n        ???)", "\n        ????????)")
        .replace("\n        ?)", "\n        ?|???|?????|???????)")
        .replace("\n        ??)", "\n        ??|????|??????)")
        .replace("\"max_plies\":3", "\"max_plies\":8");
    arena.write("rules.sh", &longer);
    arena.write("same.sh", SAME);
    arena.write("like.sh", &format!("{SAME}# another file\n"));
    arena.write("first.sh", &SAME.replace("\\\"b\\\"", "\\\"a\\\""));
    let config = CUP.replace("RULES", "command = [\"sh\", \"rules.sh\"]");
    let config = config.replacen("jobs = 1", "jobs = 2\npairs = 20", 1);
    let player = |name: &str, file: &str| {
        format!("[[players]]\nname = \"{name}\"\ncommand = [\"sh\", \"{file}.sh\"]\n")
    };
    let players = [
        player("cat", "same"),
        player("dog", "like"),
        player("eel", "first"),
        player("fox", "same"),
    ];
    arena.write("tournament.toml", &(config + &players.concat()));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let suspicions = [
        "cat and fox are the same player",
        "eel plays the first legal action",
        "cat, dog and fox made the same choice in at least 100%",
    ];
    let report = arena.read("report.html");
    for suspicion in suspicions {
        assert_eq!(report.matches(suspicion).count(), 1, "{suspicion}");
    }
    arena.edit_line(2, |line| {
        let mut game: Value = serde_json::from_str(line).expect("JSON");
        game["worker"] = "lab-machine-7".into();
        game.to_string()
    });
    assert_eq!(arena.run(&["report"]).code, 0);
    assert!(arena.read("report.html").contains("lab-machine-7"));
    assert_eq!(arena.run(&["report", "--pseudonyms"]).code, 0);
    assert_eq!(arena.run(&["report", "--packets"]).code, 0);
    let grep = |word: &str, folder: &str| {
        let found = arena.in_shell(&format!("grep -rl '{word}' results/cup/{folder}"), &[]);
        assert_eq!(found, Run::new(1, "", ""), "{word}");
    };
    for suspicion in
        ["are the same player", "first legal action", "made the same choice", "better than"]
    {
        grep(suspicion, "public");
    }
    grep("lab-machine-7", "public");
    grep("lab-machine-7", "packets");
}

#[test]
fn nothing_that_is_printed_commands_the_terminal() {
    let arena = Arena::played(&Config::small().change(|config| config.max_moves = 1));
    let bad = "x\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\u{7f}";
    let unsafe_in =
        |text: &str| text.chars().any(|it| it != '\n' && referee_games::is_unsafe_to_show(it));
    for words in [
        &["rank", "--results", bad][..],
        &["replay", bad],
        &["help", bad],
        &["rank", bad],
        &["check", bad],
        &["play", bad, "bot:random"],
        &["new", "player", "--language", bad],
        &["rank", &format!("--{bad}")],
        &[bad],
        &["run", bad, "-vv"],
    ] {
        let run = arena.run(words);
        assert!(run.code != 0, "{words:?}: {run:?}");
        assert!(!unsafe_in(&run.out) && !unsafe_in(&run.err), "{words:?}: {run:?}");
    }
}
