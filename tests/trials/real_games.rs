//! Games of others behind the adapters in `games/`: `OpenSpiel`. Chess between real engines, and as
//! the package `chess` plays it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::harness::{Lacks, slow};
use crate::support::Arena;
use libtest_mimic::Trial;
use serde_json::Value;

/// Counts positions with `OpenSpiel` alone, as `test-game --perft` does.
const PERFT: &str = r"
import sys
import pyspiel

def count(state, depth):
    if depth == 0:
        return 1
    if state.is_terminal():
        return 0
    if state.is_chance_node():
        return sum(count(state.child(action), depth) for action, _ in state.chance_outcomes())
    if state.is_simultaneous_node():
        total = 0
        for first in state.legal_actions(0):
            for second in state.legal_actions(1):
                after = state.clone()
                after.apply_actions([first, second])
                total += count(after, depth - 1)
        return total
    return sum(count(state.child(action), depth - 1) for action in state.legal_actions())

print('nodes', count(pyspiel.load_game(sys.argv[1]).new_initial_state(), int(sys.argv[2])))
";

/// Games of `OpenSpiel`, each with the searcher that plays it against `random` and `greedy`.
const OPENSPIEL: [(&str, &str); 13] = [
    ("tic_tac_toe", "search-50"),
    ("connect_four", "search-30"),
    ("go(board_size=5)", "search-3"),
    ("backgammon(max_player_turns=4)", "search-3"),
    ("pig(winscore=20)", "search-30"),
    ("matrix_rps", "search-20"),
    // Both can gain in it.
    ("matrix_pd", "search-20"),
    ("goofspiel(num_cards=4)", "search-50"),
    ("goofspiel(imp_info=True,num_cards=4)", "search-50"),
    ("kuhn_poker", "search-50"),
    ("leduc_poker", "search-50"),
    ("phantom_ttt", "search-20"),
    // Its boards are drawn in colours.
    ("twixt(board_size=5)", "search-3"),
];

/// Games of `OpenSpiel` for more than two, with the number of their seats.
const MORE_SEATS: [(&str, usize); 5] = [
    ("kuhn_poker(players=3)", 3),
    ("leduc_poker(players=3)", 3),
    // Its winner is drawn after the last ply.
    ("first_sealed_auction(players=3)", 3),
    ("goofspiel(players=4,num_cards=4)", 4),
    ("hearts", 4),
];

/// Replays exported games with the package `chess`, and compares every position, its moves, their
/// algebraic notation, and how the game ends.
const AS_IN_PYTHON: &str = r#"
import json, sys
import chess

ENDS = ["checkmate", "stalemate", "dead-position", "repetition", "fifty-moves"]

def endings(board):
    return [board.is_checkmate(), board.is_stalemate(), board.is_insufficient_material(),
            board.is_repetition(3), board.halfmove_clock >= 100]

positions, reasons = 0, set()
for game in map(json.loads, sys.stdin):
    is_960 = game["options"]["chess960"]
    board = chess.Board(game["positions"][0]["state"]["start"], chess960=is_960)
    for position in game["positions"]:
        fen = board.shredder_fen(en_passant="fen") if is_960 else board.fen(en_passant="fen")
        assert position["state"]["fen"] == fen, (position["state"], fen)
        ended = [name for name, is_so in zip(ENDS, endings(board)) if is_so]
        turn = position["turn"]
        assert turn.get("reason") == next(iter(ended), None), (turn, ended, fen)
        positions += 1
        if "over" in turn:
            reasons.add(turn["reason"])
            continue
        seat = "white" if board.turn else "black"
        legal = sorted(board.uci(move) for move in board.legal_moves)
        assert position["legal"] == {seat: legal}, (position["legal"], legal, fen)
        move = board.parse_uci(position["step"]["move"])
        san = next(event["san"] for event in position["events"] if event["event"] == "played")
        assert board.san(move) == san, (board.san(move), san, fen)
        board.push(move)
print("positions", positions, *sorted(reasons))
"#;

/// Reads games in PGN with the package `chess`, and compares their ends with those of the board.
const READ_PGN: &str = r#"
import sys
import chess.pgn

games = 0
while game := chess.pgn.read_game(sys.stdin):
    assert not game.errors, game.errors
    board = game.end().board()
    assert int(game.headers["PlyCount"]) == len(list(game.mainline_moves())), game.headers
    ended = board.outcome(claim_draw=True) or board.is_insufficient_material()
    assert ended and game.headers["Termination"] == "normal", game.headers
    if board.is_checkmate():
        assert game.headers["Result"] == board.result(), game.headers
    games += 1
print("games", games)
"#;

/// Debian's UCI engines.
const ENGINES: [&str; 3] = ["stockfish", "ethereal-chess", "glaurung"];

pub(crate) fn tests() -> Vec<Trial> {
    let openspiel = |(game, searcher): (&'static str, &'static str)| {
        slow(format!("openspiel: {game}"), move || {
            without_package("pyspiel").or_else(|| openspiel(game, searcher))
        })
    };
    let run = |lacks: Lacks, run: fn()| {
        lacks.is_none().then(run);
        lacks
    };
    let chess = move |name: &str, test: fn()| slow(name, move || run(without_engines(), test));
    let python = move || run(without_package("chess"), random_games_as_in_python);
    let fuzzed = move || run(without_package("chess"), fuzzed_chess_as_in_python);
    let mut tests = vec![
        slow("chess as in Python", python),
        slow("fuzzed chess as in Python", fuzzed),
        chess("chess between UCI engines", round_robin_of_engines),
        chess("200 games of chess under strict", long_match_of_engines),
    ];
    tests.extend(OPENSPIEL.map(openspiel));
    let more = |(game, seats): (&'static str, usize)| {
        slow(format!("openspiel: {game}"), move || {
            without_package("pyspiel").or_else(|| openspiel_of_more(game, seats))
        })
    };
    tests.extend(MORE_SEATS.map(more));
    tests.extend(["connect_four_v3", "tictactoe_v3"].map(|game| {
        slow(format!("pettingzoo: {game}"), move || {
            without_package("pettingzoo").or_else(|| pettingzoo(game))
        })
    }));
    tests
}

/// Says whether this package of Python is missing.
pub(crate) fn without_package(package: &str) -> Lacks {
    let import = Command::new("python3").args(["-c", &format!("import {package}")]).output();
    let works = import.is_ok_and(|output| output.status.success());
    (!works).then(|| format!("there is no package {package} for python3 here"))
}

fn without_engines() -> Lacks {
    let is_there = |engine: &&&str| Path::new("/usr/games").join(engine).exists();
    let missing = ENGINES.iter().find(|engine| !is_there(engine))?;
    Some(format!("there is no {missing} in /usr/games"))
}

/// Finds nothing wrong with a game, counts its positions as `OpenSpiel` does, and plays a round-robin
/// without a fault, with a kill after its first game.
fn openspiel(game: &str, searcher: &str) -> Lacks {
    let arena = Arena::with_packages();
    arena.write("openspiel.py", include_str!("../../games/openspiel/openspiel.py"));
    arena.write("perft.py", PERFT);
    let name = game;
    let game = format!("command = [\"python3\", \"openspiel.py\", \"{name}\"]");
    arena.write("game.toml", &game);
    let game = format!("game = {{ {game} }}");
    let trial = arena.run(&["test-game", "game.toml", "--games", "1", "--search-games", "0"]);
    assert!(trial.out.contains("\nnothing found\n"), "{trial:?}");
    let depth = if name.starts_with("backgammon") { "1" } else { "2" };
    let counted = arena.in_shell(&format!("python3 perft.py '{name}' {depth}"), &[]).out;
    let perft = arena.run(&["test-game", "game.toml", "--perft", depth]).out;
    assert!(counted.starts_with("nodes "), "{counted}");
    assert_eq!(perft.lines().last(), counted.lines().last(), "{perft}");
    let player =
        |(name, bot): (&str, &str)| format!("[[players]]\nname = \"{name}\"\nbot = \"{bot}\"\n");
    let bots = ["random", "greedy", searcher];
    let players: String = ["ant", "bee", "cat"].into_iter().zip(bots).map(player).collect();
    play(&arena, &game, &players);
    None
}

/// Finds nothing wrong with a game of `PettingZoo`, and plays a round-robin.
fn pettingzoo(name: &str) -> Lacks {
    let arena = Arena::with_packages();
    arena.write("adapter.py", include_str!("../../games/pettingzoo/pettingzoo_game.py"));
    arena.write("rules_program.py", include_str!("../../games/pettingzoo/rules_program.py"));
    let game = format!("command = [\"python3\", \"adapter.py\", \"{name}\"]");
    arena.write("game.toml", &game);
    let trial = arena.run(&["test-game", "game.toml", "--games", "5", "--search-games", "0"]);
    assert!(trial.out.contains("\nnothing found\n"), "{trial:?}");
    let bots = [("ant", "random"), ("bee", "greedy"), ("cat", "search-20")];
    let player = |(name, bot)| format!("[[players]]\nname = \"{name}\"\nbot = \"{bot}\"\n");
    play(&arena, &format!("game = {{ {game} }}"), &bots.map(player).concat());
    None
}

/// Finds nothing wrong with a game of more than two seats, and plays it between as many players.
fn openspiel_of_more(name: &str, seats: usize) -> Lacks {
    let arena = Arena::with_packages();
    arena.write("openspiel.py", include_str!("../../games/openspiel/openspiel.py"));
    arena.write("game.toml", &format!("command = [\"python3\", \"openspiel.py\", \"{name}\"]"));
    let trial = arena.run(&["test-game", "game.toml", "--games", "1", "--search-games", "0"]);
    assert!(trial.out.contains("\nnothing found\n"), "{trial:?}");
    let bots = ["bot:random", "bot:greedy"].into_iter().cycle().take(seats);
    let play = ["play", "--game", "game.toml", "--seed", "7", "--delay", "0s"];
    let played = arena.run(&play.into_iter().chain(bots).collect::<Vec<_>>());
    assert_eq!(played.code, 0, "{played:?}");
    let end = played.out.lines().last().expect("an end");
    let named = (0..seats).all(|seat| end.contains(&format!("(player-{seat})")));
    assert!(named && end.starts_with("1 "), "{end}");
    None
}

/// Plays random games from several start positions, and replays them in Python.
fn random_games_as_in_python() {
    let starts = [
        "",
        "fen = \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"",
        "fen = \"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -\"",
        "chess960 = true\nfen = \"bqnb1rkr/pppppppp/2n5/8/8/5N2/PPPPPPPP/BQNB1RKR w KQkq - 0 1\"",
        "chess960 = true\nfen = \"1r3k1r/8/8/8/8/8/8/1R3K1R b HBhb - 0 1\"",
    ];
    for options in starts {
        let arena = Arena::with_packages();
        let config = "name = \"cup\"\ngame = \"chess\"\nseed = 7\npairs = 20\n";
        let players = ["ant", "bee"]
            .map(|name| format!("[[players]]\nname = \"{name}\"\nbot = \"random\"\n"))
            .concat();
        arena.write("tournament.toml", &format!("{config}[options]\n{options}\n{players}"));
        arena.write("replay.py", AS_IN_PYTHON);
        assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
        let replayed = arena.in_shell("\"$1\" export | python3 replay.py", &[]);
        assert!(replayed.out.starts_with("positions "), "{replayed:?}");
        arena.write("read.py", READ_PGN);
        let read = arena.in_shell("\"$1\" export --pgn | python3 read.py", &[]);
        assert_eq!((read.out.as_str(), read.err.as_str()), ("games 40\n", ""));
    }
}

/// Reads fuzzed books as the package does: the same positions and games are refused, and the others
/// have the same moves. Then plays endings with few pieces, which end by every rule.
fn fuzzed_chess_as_in_python() {
    let arena = Arena::with_packages();
    arena.write("fuzzed.py", include_str!("real_games/fuzzed_chess.py"));
    arena.sh("python3 fuzzed.py write");
    let config = |book: &str, more: &str| {
        let name = book.split('.').next().unwrap_or(book);
        let bots = "[[players]]\nname = \"ant\"\nbot = \"random\"\n\
                    [[players]]\nname = \"bee\"\nbot = \"random\"\n";
        let head = format!("name = \"{name}\"\ngame = \"chess\"\nseed = 7\n");
        arena.write(
            "tournament.toml",
            &format!("{head}{more}[openings]\nfile = \"{book}\"\n{bots}"),
        );
        let run = arena.run(&["run", "--quiet"]);
        assert_eq!(run.code, 0, "{run:?}");
    };
    config("positions.epd", "[adjudication]\nlength = 2\n");
    config("games.pgn", "[adjudication]\nlength = 100\n");
    let compared = arena.in_shell("python3 fuzzed.py compare", &[]);
    assert_eq!(compared.out, "positions 793 of 1000\ngames 369 of 400\n", "{compared:?}");
    config("endings.epd", "pairs = 60\n");
    arena.write("replay.py", AS_IN_PYTHON);
    let replayed = arena.in_shell("\"$1\" export | python3 replay.py", &[]);
    let endings = " checkmate dead-position fifty-moves repetition stalemate\n";
    assert!(replayed.out.ends_with(endings), "{replayed:?}");
}

/// Plays a round-robin of engines, with openings from a file.
fn round_robin_of_engines() {
    let arena = Arena::new();
    arena.write("openings.txt", "[\"e2e4\", \"c7c5\"]\nd2d4; d7d5  # Queen's Pawn\n");
    let player =
        |engine| format!("[[players]]\nname = \"{engine}\"\nuci = \"{engine}\"\ndepth = 3\n");
    let players: String = ENGINES.map(player).concat();
    let openings = "[openings]\nfile = \"openings.txt\"\n";
    play(&arena, "game = \"chess\"", &(openings.to_owned() + &players));
}

/// The match of [`long_match_of_engines`]. Glaurung clears its hash for each game, which would take
/// half of the time with its default size.
const MATCH: &str = r#"
name = "cup"
seed = 7
jobs = 2
pairs = 100
game = "chess"

[clock]
move = "60s"
startup = "60s"

[containment]
level = "strict"

[openings]
file = "openings.txt"

[[players]]
name = "ethereal"
uci = "ethereal-chess"
depth = 5

[[players]]
name = "glaurung"
uci = "glaurung"
options = { Threads = 1, Hash = 4 }
depth = 1
"#;

/// Plays 100 openings with both colours, without a fault. The ratings are those that the table of
/// games gives by itself.
fn long_match_of_engines() {
    let arena = Arena::new();
    let first = "a2a3 b2b3 c2c4 d2d3 d2d4 e2e3 e2e4 f2f4 g2g3 g1f3";
    let second = "a7a6 b7b6 c7c5 d7d5 d7d6 e7e5 e7e6 g7g6 g8f6 b8c6";
    let openings = first
        .split(' ')
        .flat_map(|white| second.split(' ').map(move |black| format!("{white}; {black}\n")));
    arena.write("openings.txt", &openings.collect::<String>());
    arena.write("tournament.toml", MATCH);
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert_eq!(arena.header()["containment"]["level"], "strict");
    let games = arena.essence();
    let opening = |game: &Value| game["opening"].to_string();
    let played: BTreeSet<String> = games.values().map(opening).collect();
    assert_eq!((games.len(), played.len()), (200, 100));
    assert!(games.values().all(|game| game.get("faults").is_none()), "{games:?}");
    assert_eq!(arena.run(&["verify"]).code, 0);
    let rank = |args: &[&str]| arena.run(&[&["rank", "--format", "csv"], args].concat());
    let again = rank(&["--from", "results/cup/games.csv"]);
    assert_eq!((again.code, &again), (0, &rank(&[])));
}

fn play(arena: &Arena, game: &str, rest: &str) {
    let head = "name = \"cup\"\nseed = 7\njobs = 1\n";
    let clock = "[clock]\nmove = \"60s\"\nstartup = \"60s\"\n";
    arena.write("tournament.toml", &format!("{head}{game}\n{clock}{rest}"));
    let mut killed = arena.start(&["run", "--quiet", "--strict"]);
    arena.wait_for_lines(2);
    // It may have ended.
    let _ = (killed.kill(), killed.wait());
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let verify = arena.run(&["verify"]);
    assert_eq!(verify.code, 0, "{verify:?}");
}
