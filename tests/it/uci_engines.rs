//! Chess engines that speak UCI, as small scripts: what they are asked, what is recorded, and the
//! sentence for each way to fail.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::support::Arena;

/// A folder with the engine and the game, and a tournament of these players.
fn arena(game: &str, clock: &str, players: &str) -> Arena {
    let arena = Arena::new();
    arena.write("engine.sh", include_str!("../players/engine.sh"));
    arena.write("short_chess.py", include_str!("../rules/short_chess.py"));
    arena.write(
        "tournament.toml",
        &format!(
            "name = \"cup\"\nseed = 7\njobs = 2\nquarantine = 0\nformat = \"gauntlet\"\n\
             anchors = [\"good\"]\n\
             [clock]\nstartup = \"3s\"\n{clock}\n\
             [game]\ncommand = [\"python3\", \"short_chess.py\", \"{game}\"]\n\
             [[players]]\nname = \"good\"\nuci = [\"sh\", \"engine.sh\"]\nrestart = false\n\
             options = {{ Hash = 64 }}\n{players}"
        ),
    );
    arena
}

fn player(name: &str, keys: &str) -> String {
    format!("[[players]]\nname = \"{name}\"\nuci = [\"sh\", \"engine.sh\", \"{name}\"]\n{keys}\n")
}

fn games(arena: &Arena) -> Vec<Value> {
    arena.lines().values().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A message without the time that an earlier step took, and with long rows of `x` as one.
fn plain(message: &str) -> String {
    let mut text = message.replace("xx", "x");
    while text.contains("xx") {
        text = text.replace("xx", "x");
    }
    match text.split_once(" within 2.9") {
        Some((what, rest)) => format!("{what} within 3 s{}", &rest[rest.find(':').unwrap_or(0)..]),
        None => text,
    }
}

/// The ways to fail, each with the code and the sentence of the fault. The last three are engines
/// that do not take an option as it is given.
const FAILURES: [(&str, &str, &str); 19] = [
    ("exits-at-once", "no-start", "it exited with code 3 before uciok"),
    (
        "silent",
        "no-start",
        "no uciok within 3 s: waiting for input: a missing flush, or it waits for a second line",
    ),
    (
        "wrong-greeting",
        "no-start",
        "no uciok within 3 s: waiting for input: a missing flush, or it waits for a second line; it \
         wrote \"hello\"",
    ),
    (
        "not-ready",
        "no-start",
        "no readyok within 3 s: waiting for input: a missing flush, or it waits for a second line",
    ),
    ("no-move", "malformed", "\"bestmove (none)\": it finds no move, but has 1 legal move"),
    ("null-move", "malformed", "\"bestmove 0000\": it passes, but has 1 legal move"),
    ("empty", "malformed", "\"bestmove\": it has no move"),
    ("san", "malformed", "\"bestmove Nf3\": it has no move in UCI notation, such as e2e4 or e7e8q"),
    ("illegal", "illegal", "CH1: a1a8 is not legal"),
    ("segv", "crash", "it was killed by SIGSEGV before bestmove"),
    ("exits", "crash", "it exited with code 4 before bestmove"),
    (
        "late",
        "timeout",
        "no bestmove within 2 s and a margin of 0.02 s: waiting for input: a missing flush, or it waits for a second line",
    ),
    (
        "garbage",
        "timeout",
        "no bestmove within 2 s and a margin of 0.02 s: waiting for input: a missing flush, or it waits for a second line; \
         it wrote 2 other lines, the last one \"best is e4\"",
    ),
    ("closes", "closed-output", "it closed its stdout and kept running"),
    (
        "long",
        "oversize",
        "more than 64 KiB without a newline, beginning \
         \"x…\"",
    ),
    ("flood", "oversize", "more than 2 MiB of output and no bestmove"),
    ("Hsah", "no-start", "the engine has no option `Hsah`; the nearest one is `Hash`"),
    (
        "Hash",
        "no-start",
        "the option `Hash = 4096` is refused: the engine accepts a whole number from 1 to 1024",
    ),
    (
        "Style",
        "no-start",
        "the option `Style = 4096` is refused: the engine accepts one of Solid, Normal",
    ),
];

#[test]
fn each_failure_of_an_engine_has_its_own_sentence() {
    let failures = || FAILURES.into_iter();
    let players: String = failures()
        .map(|(name, _, _)| {
            let is_option = name.starts_with(char::is_uppercase);
            let options = format!("options = {{ {name} = 4096 }}");
            player(name, if is_option { &options } else { "" })
        })
        .collect();
    let limits = "[containment]\noutput = \"2MiB\"\n";
    let arena = arena("chess", "move = \"2s\"", &(players + limits));
    let run = arena.run(&["run", "--quiet"]);
    assert!(run.code <= 1, "{run:?}");
    let mut found = BTreeMap::new();
    for game in games(&arena) {
        let players = game["players"].as_object().expect("players");
        let (seat, name) = players.iter().find(|(_, name)| **name != "good").expect("another");
        let fault = &game["fault"][seat];
        let text = |key: &str| plain(fault[key].as_str().unwrap_or_default());
        found.insert(name.as_str().expect("a name").to_owned(), (text("code"), text("message")));
    }
    let expected = |(name, code, message): (&str, &str, &str)| {
        (name.to_owned(), (code.to_owned(), message.to_owned()))
    };
    assert_eq!(found, failures().map(expected).collect());
}

/// Writes a second move from another thread, a few milliseconds after the first.
const THREADS: &str = r#"
import sys, threading
moves = []
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        moves = words[3:]
    elif words[0] == "go":
        print("bestmove", ["e2e4", "e7e5", "g1f3"][len(moves)], flush=True)
        threading.Timer(0.004, print, ("bestmove a2a3",), {"flush": True}).start()
"#;

/// On the turn of a slow opponent it is frozen, so that its other thread only goes on writing when it
/// is asked again.
#[test]
fn a_line_of_a_frozen_thread_belongs_to_the_search_before() {
    let late = "[[players]]\nname = \"late\"\nuci = [\"python3\", \"threads.py\"]\n";
    let players = player("slow", "") + late;
    let arena = arena("chess", "budget = \"20s\"", &players);
    arena.write("threads.py", THREADS);
    let text = fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
    let text = text.replace("anchors = [\"good\"]", "pairs = 4\nanchors = [\"slow\"]");
    arena.write("tournament.toml", &text);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    for game in games(&arena) {
        assert_eq!(
            (&game["fault"], &game["actions"]),
            (&Value::Null, &json!(["e2e4", "e7e5", "g1f3"]))
        );
    }
}

#[test]
fn a_line_after_the_move_belongs_to_the_search_before() {
    let players = player("two-moves", "") + &player("late-score", "");
    let arena = arena("chess", "budget = \"20s\"", &players);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    for game in games(&arena) {
        assert_eq!(game["actions"], json!(["e2e4", "e7e5", "g1f3"]));
        let scores: Vec<&Value> =
            game["notes"].as_array().expect("notes").iter().map(|note| &note["score"]).collect();
        assert_eq!(scores, [34, 34, 34]);
        if game["players"]["white"] != "good" {
            let line = match game["players"]["white"].as_str() {
                Some("two-moves") => "bestmove a2a3",
                _ => "info depth 9 score cp 900",
            };
            let warning = format!("white wrote after its move at ply 0: \"{line}\"");
            assert_eq!(game["warnings"][0], warning);
        }
    }
}

#[test]
fn a_game_of_engines_records_what_they_report() {
    let twin = player("twin", "depth = 2\nrestart = false");
    let arena = arena("chess", "budget = \"20s\"\nincrement = \"1s\"", &twin);
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let header = arena.header();
    assert_eq!(header["players"][0]["command"], "uci:sh engine.sh (Hash=64)");
    assert_eq!(header["players"][1]["command"], "uci:sh engine.sh twin (depth 2)");
    let game = &games(&arena)[0];
    assert_eq!(game["actions"], json!(["e2e4", "e7e5", "g1f3"]));
    assert_eq!(game["reported"], json!({"white": "Fake 1", "black": "Fake 1"}));
    assert_eq!(
        game["notes"][0],
        json!({"ply": 0, "by": "white", "note": "e2e4 e7e5", "eval": 0.0975,
               "score": 34, "depth": 2, "nodes": 45, "time_ms": 2})
    );
    assert_eq!(arena.run(&["verify"]).code, 0);
    let replay = arena.run(&["replay", game["id"].as_str().expect("an id")]);
    assert!(replay.out.contains("+0.34, depth 2, 45 nodes: e2e4 e7e5"), "{replay:?}");
}

/// A game of built-in chess between two engines, which ends after three plies.
fn short_game(arena: &Arena, clock: &str) -> Value {
    arena.write("engine.sh", include_str!("../players/engine.sh"));
    arena.write(
        "tournament.toml",
        &format!(
            "name = \"cup\"\ngame = \"chess\"\nseed = 7\n[adjudication]\nlength = 3\n\
             [clock]\n{clock}\n\
             [[players]]\nname = \"one\"\nuci = [\"sh\", \"engine.sh\"]\n\
             options = {{ \"Clear Hash\" = false }}\n\
             [[players]]\nname = \"two\"\nuci = [\"sh\", \"engine.sh\"]\n"
        ),
    );
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(arena.run(&["verify"]).code, 0);
    games(arena).into_iter().find(|game| game["players"]["white"] == "one").expect("one of two")
}

#[test]
fn wrong_lines_and_buttons_are_warned_about() {
    let arena = Arena::new();
    let game = short_game(&arena, "budget = \"20s\"");
    // On a busy machine, the record has more.
    let told = game["warnings"].as_array().expect("warnings").iter();
    let told: Vec<&Value> =
        told.filter(|text| !text.to_string().contains("no core was free")).collect();
    assert_eq!(
        json!(told),
        json!([
            "white set the button `Clear Hash` to `false`, which does nothing; remove \
             the option",
            "white reported a wrong main line at ply 2: its move 1, `e2e4`, is not legal",
            "black reported a wrong main line at ply 1: its move 1, `e2e4`, is not legal"
        ])
    );
    let details = arena.run(&["rank", "--details"]);
    assert!(details.out.contains("means per move"), "{details:?}");
    // Whichever game was over first.
    assert!(details.out.contains("\ntwo reported a wrong main line at ply "), "{details:?}");
    let details = arena.run(&["rank", "--details", "--format", "json"]);
    let json: Value = serde_json::from_str(&details.out).expect("JSON");
    let search = &json["diagnostics"]["searches"][0];
    assert_eq!((&search["player"], &search["moves"]), (&json!("one"), &json!(3)));
    assert_eq!((&search["depth"], &search["nodes"]), (&json!(2.0), &json!(45.0)));
    let times = ["nps", "time_ns", "latency_ns"].map(|key| search[key].is_f64());
    assert_eq!(times, [true; 3], "{search}");
    assert!(arena.read("report.html").contains("[\"depth\",\"2.0\"]"));
    let pgn = arena.run(&["export", "--pgn", "--pv"]).out.replace('\n', " ");
    assert!(pgn.contains("s, pv=\"e2e4 e7e5\"} 1... e5 {+0.34/2 "), "{pgn}");
    let end = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - hmvc 1; fmvn 2; id \"";
    let ends = arena.run(&["export", "--epd"]).out;
    assert_eq!(ends.lines().filter(|line| line.starts_with(end)).count(), 2, "{ends}");
}

#[test]
fn overruns_are_forgiven_as_often_as_configured() {
    let arena = Arena::new();
    let late = "budget = \"20s\"\nmove = \"1ns\"\nmargin = \"0s\"\noverruns = 2";
    let game = short_game(&arena, late);
    assert_eq!((&game["reason"], &game["fault"]), (&json!("adjudicated-length"), &Value::Null));
    let told: Vec<&str> = game["warnings"]
        .as_array()
        .expect("warnings")
        .iter()
        .filter_map(|text| text.as_str()?.strip_prefix("white overran its time at ply "))
        .map(|text| text.split_once(" by ").map_or(text, |(ply, _)| ply))
        .collect();
    assert_eq!(told, ["0", "2"], "{}", game["warnings"]);
    assert!(game["warnings"].to_string().contains("which was forgiven (2 of 2)"));
    assert!(arena.read("report.html").contains("2 overruns forgiven per game"));
    let arena = Arena::new();
    let game = short_game(&arena, &late.replace("= 2", "= 1"));
    assert_eq!(game["reason"], "timeout");
    let message = game["fault"]["white"]["message"].as_str().expect("a message");
    assert!(message.starts_with("used ") && message.ends_with(" s too much"), "{message}");
}

#[test]
fn an_engine_is_told_its_clock() {
    let arena = arena("chess", "budget = \"20s\"\nincrement = \"1s\"", &player("twin", ""));
    let asked = arena.run(&["ask", "uci:sh engine.sh", "--emit", "lines.txt"]);
    assert_eq!(asked.code, 0, "{asked:?}");
    let lines = std::fs::read_to_string(arena.path().join("lines.txt")).expect("lines");
    assert_eq!(
        lines,
        "uci\nisready\nucinewgame\nisready\nposition startpos\n\
         go wtime 20000 btime 20000 winc 1000 binc 1000\n"
    );
    let args = ["ask", "uci:sh engine.sh", "--emit", "lines.txt", "--tc", "40/60+0.6"];
    assert_eq!(arena.run(&args).code, 0);
    let lines = std::fs::read_to_string(arena.path().join("lines.txt")).expect("lines");
    let go = "\ngo wtime 60000 btime 60000 winc 600 binc 600 movestogo 40\n";
    assert!(lines.ends_with(go), "{lines}");
}

#[test]
fn an_engine_has_its_own_clock() {
    let arena = arena(
        "chess",
        "budget = \"20s\"\nincrement = \"1s\"",
        &player("twin", "tc = \"40/60+0.5\""),
    );
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let players = arena.header()["players"].clone();
    assert_eq!((&players[0]["tc"], &players[1]["tc"]), (&Value::Null, &json!("40/60+0.5")));
    for game in games(&arena) {
        let own = |seat: &str| {
            if game["players"][seat] == "twin" { json!("40/60+0.5") } else { Value::Null }
        };
        assert_eq!(game["clock"]["tc"], json!({"white": own("white"), "black": own("black")}));
    }
    assert_eq!(arena.run(&["verify"]).code, 0);
    let asked = |words: &[&str]| {
        let run = arena.run(&[&["ask"], words, &["--emit", "lines.txt"]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        let lines = std::fs::read_to_string(arena.path().join("lines.txt")).expect("lines");
        lines.lines().last().expect("a line").to_owned()
    };
    let own = "go wtime 60000 btime 60000 winc 500 binc 500 movestogo 40";
    assert_eq!(asked(&["twin"]), own);
    let games = games(&arena);
    let first = games.iter().find(|game| game["players"]["white"] == "good").expect("one of two");
    let id = first["id"].as_str().expect("an id");
    let told = asked(&["good", "--record", id, "--ply", "0"]);
    assert_eq!(told, "go wtime 20000 btime 60000 winc 1000 binc 500");
    let unlimited = asked(&["twin", "--record", id, "--ply", "1", "--no-clock"]);
    assert_eq!(unlimited, "go movetime 1000");
    let page = arena.read("report.html");
    assert!(
        page.contains("twin has its own clock: 40/60+0.5") || page.contains("has its own clock")
    );
    arena.edit_line(1, |text| text.replace("40/60+0.5", "40/90+0.5"));
    let found = arena.run(&["verify"]);
    assert!(found.out.contains("black's clock does not match its player's"), "{found:?}");
}

#[test]
fn a_file_that_an_option_names_belongs_to_the_engine() {
    let outside = Arena::new();
    outside.write("net", "77\n");
    let net = outside.path().join("net").display().to_string();
    let options = format!("options = {{ EvalFile = \"{net}\", Style = \"Solid\" }}");
    let arena = arena("chess", "budget = \"20s\"\nincrement = \"1s\"", &player("twin", &options));
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    for game in games(&arena) {
        let notes = game["notes"].as_array().expect("notes");
        let own = notes
            .iter()
            .filter(|note| game["players"][note["by"].as_str().expect("a seat")] == "twin");
        assert!(
            own.clone().count() > 0 && own.clone().all(|note| note["score"] == 77),
            "{notes:?}"
        );
    }
    outside.write("net", "78\n");
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(
        run.err.contains("programs have changed") && run.err.contains("--replace twin"),
        "{run:?}"
    );
    std::fs::remove_file(&net).expect("removed");
    let text = std::fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
    let text = text.replace("Style = \"Solid\"", "uci_chess960 = true");
    arena.write("tournament.toml", &text);
    let plan = arena.run(&["run", "--plan", "--replace", "twin"]);
    assert!(plan.err.contains("twin: remove the option `UCI_Chess960`"), "{plan:?}");
    assert!(plan.err.contains("twin: the option `EvalFile` names `"), "{plan:?}");
}

#[test]
fn engines_play_chess_only_and_have_keys_of_their_own() {
    let refused = |game: &str, players: &str| {
        let players = players.to_owned() + &player("twin", "");
        let run = arena(game, "move = \"2s\"", &players).run(&["run", "--plan"]);
        assert_eq!(run.code, 2, "{run:?}");
        run.err
    };
    let chess_only = "UCI engines play chess only, and the game is draughts";
    assert!(refused("draughts", "").contains(chess_only));
    let key = "[[players]]\nname = \"x\"\nbot = \"random\"\ndepth = 3\n";
    assert!(refused("chess", key).contains("`depth` is only for UCI engines"));
    let depth = refused("chess", &player("x", "depth = 0"));
    assert!(depth.contains("`depth` is out of range"), "{depth}");
    let missing = "[[players]]\nname = \"x\"\nuci = \"./missing\"\n";
    let missing = refused("chess", missing);
    assert!(missing.contains("cannot find the program `./missing`"), "{missing}");
    let plain = "[[players]]\nname = \"x\"\nuci = \"./engine.sh\"\n";
    let plain = refused("chess", plain);
    assert!(plain.contains("`./engine.sh` is not executable"), "{plain}");
}

#[test]
fn a_tournament_of_engines_is_written_and_runs() {
    let arena = Arena::new();
    arena.write("engine.sh", &format!("#!/bin/sh\n{}", include_str!("../players/engine.sh")));
    arena.sh("chmod +x engine.sh");
    let new = ["new", "tournament", "--engines", "./engine.sh", "./engine.sh"];
    let written = arena.run(&new);
    let said = "./tournament.toml: 2 engines\nnext: referee run\n";
    assert_eq!((written.code, written.err.as_str()), (0, said));
    let text = std::fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
    assert!(text.contains("name = \"engine.sh\"\nuci = \"./engine.sh\"\n"), "{text}");
    assert!(text.contains("name = \"engine.sh 2\"\n"), "{text}");
    assert!(arena.run(&new).err.contains("already exists"));
    let few = text.replace("pairs = 10", "pairs = 1").replace("10+0.1", "10+0");
    arena.write("tournament.toml", &few);
    let run = arena.run(&["run", "--quiet", "--results", "results"]);
    assert!(run.code == 0 && run.out.contains("2 of 2 games played"), "{run:?}");

    let engines = ["--engines", "sh engine.sh one", "sh engine.sh two"];
    let into = |folder| [&["new", "tournament", "--into", folder][..], &engines].concat();
    let written = arena.run(&into("the cup"));
    assert!(written.err.ends_with("next: referee run 'the cup/tournament.toml'\n"), "{written:?}");
    let plan = arena.run(&["run", "--plan", "the cup/tournament.toml"]);
    assert_eq!(plan.code, 0, "{plan:?}");
    let missing = arena.run(&["new", "tournament", "--into", "x", "--engines", "gone", "away"]);
    assert!(missing.code == 2 && missing.err.contains("player `uci:gone`"), "{missing:?}");
    let twice = ["new", "tournament", "--into", "y", "--engines", "gone", "--engines", "away"];
    let missing = arena.run(&twice);
    assert!(missing.code == 2 && missing.err.contains("player `uci:gone`"), "{missing:?}");
    let alone = arena.run(&["new", "tournament", "--into", "z", "--engines", "./engine.sh"]);
    assert!(alone.code == 2 && alone.err.contains("one engine has no opponent"), "{alone:?}");
}

#[test]
fn an_engine_is_checked() {
    let arena = arena("chess", "move = \"2s\"", &player("san", ""));
    let check = |player: &str| arena.run(&["check", player, "--against", "random"]);
    let good = check("uci:sh engine.sh");
    assert_eq!(good.code, 0, "{good:?}");
    let bad = check("san");
    let expected = "expected: `bestmove` and a move such as e2e4 or e7e8q";
    assert!(bad.code == 1 && bad.out.contains(expected), "{bad:?}");
}

#[test]
fn without_a_configuration_an_engine_plays_chess_quickly() {
    let arena = Arena::new();
    arena.write("engine.sh", include_str!("../players/engine.sh"));
    let asked = arena.run(&["ask", "uci:sh engine.sh", "--format", "json"]);
    assert!(asked.out.contains("wtime 2000 btime 2000 winc 20 binc 20"), "{asked:?}");
    let own = ["ask", "uci:sh engine.sh", "--format", "json", "--tc", "5+0.05"];
    let asked = arena.run(&own);
    assert!(asked.out.contains("wtime 5000 btime 5000 winc 50"), "{asked:?}");
    let other = arena.run(&["ask", "uci:sh engine.sh", "--game", "backdraughts"]);
    let chess_only =
        "UCI engines play chess only, and the game is backdraughts; write `--game chess`";
    assert!(other.code == 2 && other.err.contains(chess_only), "{other:?}");
}

#[test]
fn engines_that_do_not_start_are_not_compared() {
    let arena = Arena::new();
    arena.write("engine.sh", include_str!("../players/engine.sh"));
    let compare = ["compare", "uci:sh engine.sh exits-at-once", "bot:random", "--max-pairs", "50"];
    let run = arena.run(&compare);
    assert_eq!(run.code, 2, "{run:?}");
    let why = "so nothing was compared: it exited with code 3 before uciok";
    assert!(run.err.contains("did not play in ") && run.err.contains(why), "{}", run.err);
}

#[test]
fn a_match_ends_with_its_elo_and_a_comparison_writes_its_games() {
    let arena = Arena::new();
    arena.write("engine.sh", include_str!("../players/engine.sh"));
    arena.write(
        "tournament.toml",
        "name = \"cup\"\ngame = \"chess\"\npairs = 12\nseed = 1\npgn = \"games.pgn\"\n\
         [openings]\nplies = 4\n\
         [[players]]\nname = \"ant\"\nbot = \"random\"\n\
         [[players]]\nname = \"bee\"\nbot = \"random\"\n",
    );
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{run:?}");
    let told = run.out.lines().any(|line| line.starts_with("ant ") && line.contains(" Elo, "));
    assert!(told, "{}", run.out);
    let compared = arena.run(&["compare", "ant", "bee", "--max-pairs", "2"]);
    assert!(compared.code != 2, "{compared:?}");
    arena.sh("grep -q '\\[White \"ant\"\\]' results/compare-*/games.pgn");
}
