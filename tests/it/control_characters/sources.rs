//! The same for what plays and what is configured: players, engines, rules programs, books,
//! configurations, hand-ins and their names.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{EVIL, READERS, complaint, with_texts};
use crate::foreign_games::{CUP, RULES};
use crate::support::{Arena, unsafe_output, wait_until};

/// What is called with a player, `PLAYER`.
const PLAYER_CALLS: &[&str] = &[
    "check PLAYER --against random",
    "check PLAYER --against random --format json",
    "ask PLAYER",
    "ask PLAYER --format json",
    "play PLAYER bot:random --delay 0s",
    "play bot:random PLAYER --delay 0s",
    "compare PLAYER bot:random --max-pairs 1 --jobs 1",
    "compare PLAYER bot:random --max-pairs 1 --jobs 1 --format json",
    "tune tune.toml --max-pairs 1 --jobs 1",
    "tune tune.toml --max-pairs 1 --jobs 1 --format json",
];

/// What `tune` is called with.
const TUNE: &str = "player = \"ant\"\nsteps = 1\npairs = 1\n[[parameters]]\nenv = \"SPEED\"\n\
                    start = 1\nmin = 0\nmax = 2\nstep = 1\n";

/// What is called with a configuration.
const CONFIG_CALLS: &[&str] = &["run --plan", "run --jobs 1 -vv", "check --all --against random"];

/// What is called with a game whose rules are a program.
const GAME_CALLS: &[&str] = &[
    "rules game.toml",
    "rules game.toml --format json",
    "test-game game.toml --games 2 --search-games 0",
    "test-game game.toml --games 2 --search-games 0 --format json",
    "trace game.toml --legal",
    "play bot:random bot:random --game game.toml --delay 0s",
    "ask bot:random --game game.toml",
    "new player --language python --game game.toml mine",
];

/// Some of them, which show most of what a rules program says.
const FEW_GAME_CALLS: &[&str] = &[
    "rules game.toml",
    "test-game game.toml --games 2 --search-games 0",
    "trace game.toml --legal",
];

/// What is called with a word that is not what it should be: `WORD`, or `EVIL` in names of files.
const WORD_CALLS: &[&str] = &[
    "WORD",
    "run WORD",
    "run --until WORD",
    "run --replace WORD",
    "play WORD bot:random",
    "compare WORD bot:random",
    "tune WORD",
    "tune tune.toml",
    "new WORD",
    "new tournament WORD",
    "new player WORD/WORD",
    "new game WORD",
    "check WORD",
    "check subs/EVIL",
    "check subs/EVIL --format json",
    "ask WORD",
    "ask subs/EVIL",
    "rank WORD",
    "rank --from WORD",
    "rank --from games.csv",
    "report WORD",
    "serve WORD",
    "serve --listen WORD",
    "league WORD",
    "league invite names.csv --config tournament.toml",
    "league remove WORD --config tournament.toml",
    "league message WORD --config tournament.toml",
    "league close --config tournament.toml",
    "replay WORD",
    "verify WORD",
    "verify --grades WORD",
    "export WORD",
    "rules WORD",
    "rules chess WORD",
    "rules chess --format WORD",
    "test-game WORD",
    "test-game chess --option WORD=WORD",
    "trace WORD",
    "trace chess --option WORD",
    "probe WORD",
    "probe --format json",
    "worker WORD",
    "help WORD",
    "bot WORD",
    "completions WORD",
    "man WORD",
    "new tournament subs --into out",
];

/// Everything that is wrong with the output of these calls.
fn complaints(arena: &Arena, calls: &[&str], player: &str) -> Vec<String> {
    let words = |call: &str| -> Vec<String> {
        let word = EVIL.replace('\n', "");
        let words = call.split(' ').map(|it| it.replace("EVIL", EVIL).replace("WORD", &word));
        words.map(|word| if word == "PLAYER" { player.to_owned() } else { word }).collect()
    };
    let found = calls.iter().filter_map(|call| {
        let words = words(call);
        complaint(arena, &words.iter().map(String::as_str).collect::<Vec<_>>())
    });
    found.collect()
}

fn assert_clean(found: &[String]) {
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The value as JSON, in one line.
fn line(value: &Value) -> String {
    format!("{value}\n")
}

#[test]
fn every_command_of_the_help_is_called_here_in_all_its_formats() {
    let arena = Arena::new();
    let readers = READERS.iter().flat_map(|(_, calls)| *calls);
    let calls: Vec<&str> = [PLAYER_CALLS, CONFIG_CALLS, GAME_CALLS, WORD_CALLS]
        .into_iter()
        .flatten()
        .chain(readers)
        .copied()
        .collect();
    let help = arena.run(&["--help"]).out;
    let is_command = |line: &&str| line.starts_with("  ") && !line.trim_start().starts_with('-');
    let listed = help.split("\nOptions:").next().expect("a part").lines().filter(is_command);
    let listed: BTreeSet<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(listed.len() > 15, "{help}");
    for command in listed {
        let of_command = |call: &&&str| call.split(' ').next() == Some(command);
        assert!(calls.iter().any(|call| of_command(&call)), "`{command}` is not called here");
        let help = arena.run(&[command, "-h"]).out;
        let Some((_, formats)) = help.split_once("--format <FORMAT>") else { continue };
        let (_, values) = formats.split_once("[possible values: ").expect("values");
        for value in values.split(']').next().expect("a list").split(',').map(str::trim) {
            // It is the format without the option.
            let is_called = |call: &&str| call.contains(&format!("--format {value}"));
            let is_called = calls.iter().filter(of_command).any(is_called);
            assert!(is_called || value == "text", "`{command} --format {value}` is not called");
        }
    }
}

/// What is read is repeated in answers.
#[test]
fn answers_to_programs_are_printed_escaped() {
    let arena = Arena::new();
    let told = |id: u32, fields: Value| {
        let mut message = json!({"id": id, EVIL: EVIL});
        message
            .as_object_mut()
            .expect("an object")
            .extend(fields.as_object().cloned().into_iter().flatten());
        line(&message)
    };
    let requests = [
        told(0, json!({"type": "game", "protocol": [1]})),
        told(1, json!({"type": "start", "options": {EVIL: EVIL}})),
        told(2, json!({"type": "start", "options": {}})),
        told(3, json!({"type": "play", "options": {}, "state": EVIL, "step": {"move": EVIL}})),
        told(4, json!({"type": EVIL})),
    ];
    for (words, input) in [
        (&["trace", "chess", "--requests"][..], requests.concat()),
        (&["trace", "chess", "--requests"], requests[..3].concat()),
        (&["trace", "chess", "--requests"], format!("{EVIL}\n")),
        (&["trace", "chess"], format!("e2e4\n{}\n", EVIL.replace('\n', ""))),
        (&["bot", "random"], told(0, json!({"type": "init", "game": EVIL}))),
        (&["bot", "random"], told(0, json!({"type": EVIL}))),
        (&["bot", "random"], format!("{EVIL}\n")),
        (&["play", "human", "bot:random"], format!("{EVIL}\nresign\n")),
        (&["rank", "--from", "-"], format!("first,second,result\n{EVIL},{EVIL},{EVIL}\n")),
    ] {
        let run = arena.run_with(words, &input);
        for text in [&run.out, &run.err] {
            assert_eq!(unsafe_output(text.as_bytes()), None, "{words:?}: {run:?}");
        }
    }
    // A rules program that fails is named in the reply of a bot.
    arena.write("evil", EVIL);
    arena.write("rules.sh", "cat evil >&2; cat evil; exit 3\n");
    let shell = "/bin/sh";
    let rules = json!({"command": ["sh", "rules.sh"], "program": shell, "dir": ".",
        "place": arena.path(), "reply_ms": 1000, "hash": "", "code": ""});
    let words = ["bot", "random", "--rules-program", &rules.to_string()];
    let run = arena.run_with(&words, &told(7, json!({"type": "init"})));
    assert!(run.out.contains("\"id\":7"), "{run:?}");
    assert_eq!(unsafe_output(run.out.as_bytes()), None, "{run:?}");
}

#[test]
fn words_that_are_wrong_are_printed_escaped() {
    let arena = Arena::new();
    arena.write("tournament.toml", &CUP.replace("RULES", "command = [\"sh\", \"rules.sh\"]"));
    arena.write("tune.toml", &TUNE.replace("\"ant\"", &json!(EVIL).to_string()));
    arena.write("names.csv", &format!("Ann\n\"{EVIL}\"\n{}\n", EVIL.replace('\n', "")));
    arena.write("games.csv", &format!("first,second,result\n\"{EVIL}\",bee,{EVIL}\n"));
    let folder = arena.path().join("subs").join(EVIL);
    fs::create_dir_all(&folder).expect("a folder");
    for name in ["player.py", "Makefile"] {
        fs::write(folder.join(format!("{EVIL}{name}")), EVIL).expect("written");
    }
    fs::write(arena.path().join(format!("subs/{EVIL}.zip")), EVIL).expect("written");
    fs::write(arena.path().join(format!("subs/{EVIL}.py")), "import os\n").expect("written");
    assert_clean(&complaints(&arena, WORD_CALLS, ""));
}

/// A player that greets and replies with these lines, and says something on its stderr.
fn player(arena: &Arena, greeting: &str, reply: &str) {
    arena.write("greeting", greeting);
    arena.write("reply", reply);
    arena.write("stderr", EVIL);
    arena.write(
        "player.sh",
        "read -r line; cat greeting\nwhile read -r line; do\n    cat stderr >&2; id=${line##*\\\"id\\\":}\n    \
         sed \"s/ID/${id%%[,\\}]*}/\" reply\ndone\nexit 3\n",
    );
}

#[test]
#[ignore = "slow: hundreds of runs of the program"]
fn what_players_say_is_printed_escaped() {
    let said = json!({"id": 0, "name": EVIL, "version": EVIL, "author": EVIL});
    let reply = json!({"id": "ID", "action": EVIL, "note": EVIL, "eval": 0.5, "pv": [EVIL]});
    let reply = line(&reply).replace("\"ID\"", "ID");
    for (greeting, reply) in [
        (line(&said), reply),
        (line(&said), format!("{EVIL}\n")),
        (format!("{EVIL}\n"), String::new()),
        (line(&json!({"id": 0, EVIL: EVIL})), line(&json!({EVIL: EVIL}))),
    ] {
        let arena = Arena::new();
        player(&arena, &greeting, &reply);
        arena.write("tune.toml", TUNE);
        arena.write(
            "tournament.toml",
            "name = \"cup\"\ngame = \"watch-your-back\"\nseed = 7\n[[players]]\nname = \"ant\"\n\
             command = [\"sh\", \"player.sh\"]\nfiles = [\".\"]\n[[players]]\nname = \"bee\"\n\
             bot = \"random\"\n",
        );
        assert_clean(&complaints(&arena, PLAYER_CALLS, "ant"));
        assert_clean(&complaints(&arena, CONFIG_CALLS, "ant"));
        assert_clean(&complaints(&arena, &["rank --details", "report", "verify"], "ant"));
    }
}

#[test]
#[ignore = "slow: hundreds of runs of the program"]
fn what_engines_say_is_printed_escaped() {
    let arena = Arena::new();
    let options = format!(
        "id name {EVIL}\nid author {EVIL}\noption name {EVIL} type spin default 1 min 0 max 2\n\
         option name Style{EVIL} type combo default {EVIL} var {EVIL}\n\
         option name Hash type spin default 1 min {EVIL} max 2\noption name Bad type {EVIL}\n"
    );
    // A line break would end a line of UCI.
    let options = options.replace("\nFORGED", "FORGED");
    arena.write("options", &options);
    arena.write("tune.toml", TUNE);
    arena.write("said", &format!("info depth 1 score cp 3 pv {EVIL}\nbestmove {EVIL}\n"));
    arena.write(
        "engine.sh",
        "while read -r line; do case $line in\nuci) cat options; echo uciok ;;\n\
         isready) echo readyok ;;\ngo*) cat options said; cat options >&2 ;;\nquit) exit ;;\nesac; done\n",
    );
    for given in ["Nope = 1", "Style = \"x\"", "Hash = 7", "\"x\\u001b\\u202e\" = 1"] {
        arena.write(
            "tournament.toml",
            &format!(
                "name = \"cup\"\ngame = \"chess\"\nseed = 7\n[[players]]\nname = \"ant\"\n\
                 uci = [\"sh\", \"engine.sh\"]\nfiles = [\".\"]\noptions = {{ {given} }}\n\
                 [[players]]\nname = \"bee\"\nbot = \"random\"\n"
            ),
        );
        assert_clean(&complaints(&arena, &["ask ant", "run --plan", "run --jobs 1"], "ant"));
        arena.sh("rm -rf results");
    }
    let config = fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
    let without = config.lines().filter(|line| !line.starts_with("options"));
    arena.write("tournament.toml", &without.collect::<Vec<_>>().join("\n"));
    assert_clean(&complaints(&arena, PLAYER_CALLS, "ant"));
    assert_clean(&complaints(&arena, CONFIG_CALLS, "ant"));
}

#[test]
#[ignore = "slow: hundreds of runs of the program"]
fn what_rules_programs_say_is_printed_escaped() {
    let rules = RULES.replace("echo \"{\\\"id\\\"", "printf '%s\\n' \"{\\\"id\\\"");
    assert_ne!(rules, RULES);
    // Each text of each answer in turn.
    let evil = json!(EVIL).to_string();
    let evil = evil.trim_matches('"').replace('$', "");
    let ends: Vec<usize> = rules.match_indices("\",").map(|(at, _)| at).collect();
    let ends = ends.into_iter().chain(rules.match_indices("\"]").map(|(at, _)| at));
    let ends = ends.chain(rules.match_indices("\"}").map(|(at, _)| at));
    let mut tried = 0;
    for end in ends {
        if !rules[..end].lines().last().is_some_and(|line| line.contains("answer=")) {
            continue;
        }
        let arena = Arena::new();
        arena.write("rules.sh", &format!("{}{evil}{}", &rules[..end], &rules[end..]));
        arena.write("game.toml", "command = [\"sh\", \"rules.sh\"]\n");
        assert_clean(&complaints(&arena, FEW_GAME_CALLS, ""));
        tried += 1;
    }
    assert!(tried > 8, "{tried}");
    for broken in ["echo EVIL >&2; exit 3", "cat evil >&2; cat evil; exit 3", "cat evil; read -r l"]
    {
        let arena = Arena::new();
        arena.write("evil", EVIL);
        arena.write("rules.sh", broken);
        arena.write("game.toml", "command = [\"sh\", \"rules.sh\"]\nfiles = [\"evil\"]\n");
        assert_clean(&complaints(&arena, GAME_CALLS, ""));
    }
}

/// A configuration with nearly every key that is a text.
fn config() -> Value {
    json!({
        "name": "cup", "game": "watch-your-back", "results": "results", "pgn": "cup.pgn",
        "fault-policy": "lose", "anchors": ["bee"], "format": "round-robin", "seed": 7,
        "options": {"mutual-block": "draw"},
        "clock": {"startup": "5s", "tc": "10+0.1", "move": "1s", "measure": "wall"},
        "openings": {"file": "book.txt", "order": "sequential"},
        "containment": {"level": "strict", "memory": "1GiB", "require": ["memory"]},
        "build": {"make": "make", "time": "1m", "readable": ["."]},
        "hooks": {"command": ["sh", "hook.sh"]},
        "grades": {"marks": "1"},
        "league": {"every": "1s", "largest": "1MiB", "hand-in": "hand-in"},
        "stages": [{"format": "round-robin"}],
        "players": [
            {"name": "ant", "command": ["sh", "player.sh"], "dir": ".", "files": ["greeting"],
                "env": {"NAME": "value"}, "root": "/nowhere", "devices": ["/dev/null"], "tc": "1+1"},
            {"name": "bee", "bot": "random"},
            {"name": "cat", "uci": ["sh", "engine.sh"], "options": {"Hash": "x"}},
            {"name": "dog", "absent": "why"},
        ],
    })
}

#[test]
fn texts_of_a_configuration_are_printed_escaped() {
    let classes = std::cell::RefCell::new(BTreeSet::new());
    with_texts(&config(), "", &|class, text| {
        classes.borrow_mut().insert(class.to_owned());
        text.to_owned()
    });
    let arena = Arena::new();
    player(&arena, "ok\n", "1,1\n");
    arena.write("book.txt", "3,3; 3,4\n");
    for class in classes.into_inner() {
        let evil = with_texts(&config(), "", &|other, text| {
            if other == class { format!("{text}{EVIL}") } else { text.to_owned() }
        });
        let text = toml::to_string(&evil).expect("TOML");
        arena.write("tournament.toml", &text);
        let found = complaints(&arena, &CONFIG_CALLS[..1], "");
        assert!(found.is_empty(), "{class}: {}", found.join("\n"));
        // What TOML allows as it is, beside something that is wrong.
        arena
            .write("tournament.toml", &text.replace("\"cup", "7 # \u{9b}2J\u{202e}\u{2028} \"cup"));
        assert_clean(&complaints(&arena, &CONFIG_CALLS[..1], ""));
    }
    for text in [EVIL.to_owned(), format!("name = \"{EVIL}\"\n"), format!("{EVIL} = 1\n")] {
        arena.write("tournament.toml", &text);
        assert_clean(&complaints(&arena, &["run", "rank", "check --all", "play x y"], ""));
    }
}

#[test]
fn lines_of_books_are_printed_escaped() {
    let evil = EVIL.replace('\n', "");
    let fen = "8/8/8/8/8/8/8/K1k5 w - -";
    for (file, game, text) in [
        ("book.txt", "watch-your-back", format!("3,3; {evil}\n")),
        ("book.txt", "watch-your-back", json!([EVIL]).to_string()),
        ("book.epd", "chess", format!("{evil}\n")),
        ("book.epd", "chess", format!("{fen} id \"{evil}\"; {evil}\n")),
        ("book.pgn", "chess", format!("[Event \"{evil}\"]\n[FEN \"{evil}\"]\n\n1. e4 *\n")),
        ("book.pgn", "chess", format!("[Event \"x\"]\n\n1. {evil} *\n")),
        ("book.pgn", "chess", format!("[Event \"x\"]\n\n1. e4 {{{evil} e5 *\n")),
    ] {
        let arena = Arena::new();
        arena.write(file, &text);
        arena.write(
            "tournament.toml",
            &format!(
                "name = \"cup\"\ngame = \"{game}\"\nseed = 7\n[openings]\nfile = \"{file}\"\n\
                 [[players]]\nname = \"ant\"\nbot = \"random\"\n[[players]]\nname = \"bee\"\n\
                 bot = \"random\"\n"
            ),
        );
        assert_clean(&complaints(&arena, &CONFIG_CALLS[..2], ""));
    }
}

#[test]
fn a_server_of_a_stranger_s_results_prints_them_escaped() {
    let arena = Arena::hostile();
    let evil = format!("results/{EVIL}");
    fs::rename(arena.results(), arena.path().join(&evil)).expect("moved");
    let log = fs::File::create(arena.path().join("said")).expect("a file");
    let mut command = arena.command(&["serve", &evil, "--listen", "127.0.0.1:0", "-vv"]);
    command.stdout(log.try_clone().expect("a file")).stderr(log).stdin(Stdio::null());
    let mut server = command.spawn().expect("the referee starts");
    let said = || fs::read(arena.path().join("said")).expect("a file");
    wait_until(|| String::from_utf8_lossy(&said()).contains("http://"));
    server.kill().expect("it lives");
    server.wait().expect("it ends");
    assert_eq!(unsafe_output(&said()), None);
}
