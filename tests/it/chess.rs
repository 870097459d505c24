//! Tournaments of chess.

use crate::support::{Arena, Run};
use serde_json::Value;

/// A tournament with these lines in front of its players.
fn arena(lines: &str, players: &[(&str, &str)]) -> Arena {
    let arena = Arena::new();
    let player = |(name, line): &(&str, &str)| format!("[[players]]\nname = \"{name}\"\n{line}\n");
    let players: String = players.iter().map(player).collect();
    let head = "name = \"cup\"\ngame = \"chess\"\nseed = 7\n";
    arena.write("tournament.toml", &format!("{head}{lines}\n{players}"));
    arena
}

fn clean(arena: &Arena, games: usize) {
    let clean =
        format!("results/cup: {games} of {games} games played, seeds checked: no problems\n");
    assert_eq!(arena.run(&["verify"]), Run::new(0, &clean, ""));
}

fn games(arena: &Arena) -> Vec<Value> {
    arena.lines().values().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_bare_king_does_not_win_on_time() {
    let fen = "[options]\nfen = \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"\n[clock]\nmove = \"200ms\"";
    let sleeper = "command = [\"sh\", \"does.sh\", \"sleep 9\"]";
    let arena = arena(fen, &[("ant", "bot = \"greedy\""), ("bee", sleeper)]);
    arena.write("does.sh", include_str!("../players/does.sh"));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    clean(&arena, 2);
    for game in games(&arena) {
        let ending = (game["result"].as_str(), game["reason"].as_str(), game["scores"].to_string());
        if game["players"]["white"] == "bee" {
            let draw = r#"{"white":0.5,"black":0.5}"#.to_owned();
            assert_eq!(ending, (Some("draw"), Some("timeout-drawn"), draw));
            assert_eq!(game["fault"]["white"]["code"], "timeout");
        } else {
            let won = r#"{"white":1,"black":0}"#.to_owned();
            assert_eq!(ending, (Some("white"), Some("timeout"), won));
        }
    }
    let table = arena.read("games.csv");
    assert!(table.contains(",draw,,timeout-drawn,timeout+none,"), "{table}");
    assert_eq!(arena.run(&["rank", "--from", "results/cup/games.csv"]).code, 0);
}

#[test]
fn each_game_is_in_the_pgn_file_once() {
    let lines = "pairs = 20\njobs = 1\npgn = \"games.pgn\"\n[options]\n\
                 fen = \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"";
    let arena = arena(lines, &[("ant", "bot = \"greedy\""), ("bee", "bot = \"greedy\"")]);
    arena.write("games.pgn", "mine");
    let mut killed = arena.start(&["run"]);
    arena.wait_for_lines(3);
    killed.kill().expect("killed");
    killed.wait().expect("ended");
    let file = arena.path().join("results/cup/games.pgn");
    let kept = std::fs::read(&file).expect("a file");
    std::fs::write(&file, &kept[..kept.len().saturating_sub(9)]).expect("a torn game");
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let written = || std::fs::read_to_string(&file).expect("a file");
    assert_eq!(written().matches("[Event \"cup\"]\n").count(), 40);
    assert_eq!(written(), arena.run(&["export", "--pgn"]).out);
    let files = arena.result_files();
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    assert_eq!(arena.result_files(), files, "nothing was left to play");
    // It is among the results, which are hidden from players, and not beside the configuration.
    let mine = std::fs::read_to_string(arena.path().join("games.pgn"));
    assert_eq!(mine.expect("a file"), "mine");
}

#[test]
fn positions_are_counted_from_any_start() {
    let arena = Arena::new();
    let perft = |args: &[&str]| {
        let run = arena.run(&[&["test-game", "chess", "--perft", "3"], args].concat());
        run.out.lines().last().map(str::to_owned)
    };
    assert_eq!(perft(&[]).as_deref(), Some("nodes 8902"));
    let kiwipete = "fen=r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert_eq!(perft(&["--option", kiwipete]).as_deref(), Some("nodes 97862"));
    let wrong = arena.run(&["test-game", "chess", "--perft", "3", "--option", "fen=8/8 w - -"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.err.contains("a FEN has 8 rows with `/` between them, not 2"), "{wrong:?}");
}

#[test]
fn pairs_begin_at_the_positions_of_a_book() {
    let players = [("ant", "bot = \"random\""), ("bee", "bot = \"random\"")];
    let arena = arena("pairs = 3\n[openings]\nfile = \"book.epd\"", &players);
    let fens = ["4k3/8/8/8/8/8/2P5/4K3 w - -", "4k3/8/8/8/8/8/6P1/4K3 b - -"];
    arena.write("book.epd", &format!("{} bm c4;\n{}\n", fens[0], fens[1]));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    clean(&arena, 6);
    let games = games(&arena);
    for game in &games {
        let pair = game["pair"].as_u64().expect("a number");
        assert_eq!(game["options"]["fen"], fens[usize::from(pair == 2)], "{game}");
    }
    let id = games[0]["id"].as_str().expect("an id");
    let shown = arena.run(&["replay", id, "--ply", "0"]);
    assert!(shown.out.contains('k'), "{shown:?}");
    let exported = arena.run(&["export"]).out;
    let starts =
        exported.lines().map(|line| -> Value { serde_json::from_str(line).expect("JSON") });
    let starts: Vec<Value> =
        starts.map(|game| game["positions"][0]["state"]["fen"].clone()).collect();
    assert!(starts.iter().all(|fen| fen.as_str().is_some_and(|it| it.starts_with("4k3/8/"))));
    let pgn = arena.run(&["export", "--pgn"]).out;
    assert_eq!(pgn.matches("[SetUp \"1\"]\n[FEN \"4k3/8/").count(), 6, "{pgn}");
    assert_eq!(pgn.matches("[Termination \"normal\"]\n").count(), 6, "{pgn}");
    arena.edit_line(2, |line| line.replacen("2P5", "3P4", 1));
    let verified = arena.run(&["verify"]);
    assert_ne!(verified.code, 0, "{verified:?}");
}
