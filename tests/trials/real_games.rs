//! Games of others behind the adapters in `games/`: `OpenSpiel`, and chess between real engines.

use std::path::Path;
use std::process::Command;

use crate::harness::{Lacks, slow};
use crate::support::Arena;
use libtest_mimic::Trial;

/// Games of `OpenSpiel`, each with the built-in players that play it.
const OPENSPIEL: [(&str, [&str; 2]); 14] = [
    ("tic_tac_toe", ["greedy", "search-50"]),
    ("connect_four", ["random", "search-30"]),
    ("breakthrough(rows=5,columns=4)", ["random", "search-30"]),
    ("othello", ["random", "random"]),
    ("go(board_size=5)", ["random", "random"]),
    ("chess", ["random", "random"]),
    ("backgammon", ["random", "random"]),
    ("pig(winscore=20)", ["random", "search-30"]),
    ("matrix_rps", ["greedy", "search-20"]),
    ("goofspiel(num_cards=4)", ["random", "search-50"]),
    ("goofspiel(imp_info=True,num_cards=4)", ["random", "search-50"]),
    ("kuhn_poker", ["greedy", "search-50"]),
    ("leduc_poker", ["random", "search-50"]),
    ("phantom_ttt", ["random", "search-20"]),
];

/// Debian's UCI engines.
const ENGINES: [&str; 3] = ["stockfish", "ethereal-chess", "glaurung"];

pub(crate) fn tests() -> Vec<Trial> {
    let openspiel = |(game, bots): (&'static str, [&'static str; 2])| {
        slow(format!("openspiel: {game}"), move || {
            without_package("pyspiel").or_else(|| openspiel(game, bots))
        })
    };
    let mut tests = vec![slow("chess between UCI engines", || {
        without_package("chess").or_else(|| without_engines().or_else(chess))
    })];
    tests.extend(OPENSPIEL.map(openspiel));
    tests
}

/// Says whether this package of Python is missing.
fn without_package(package: &str) -> Lacks {
    let import = Command::new("python3").args(["-c", &format!("import {package}")]).output();
    let works = import.is_ok_and(|output| output.status.success());
    (!works).then(|| format!("there is no package {package} for python3 here"))
}

fn without_engines() -> Lacks {
    let is_there = |engine: &&&str| Path::new("/usr/games").join(engine).exists();
    let missing = ENGINES.iter().find(|engine| !is_there(engine))?;
    Some(format!("there is no {missing} in /usr/games"))
}

/// Plays a pair of games without a fault, and verifies them.
fn openspiel(game: &str, bots: [&str; 2]) -> Lacks {
    let arena = Arena::new();
    arena.write("openspiel.py", include_str!("../../games/openspiel/openspiel.py"));
    let game = format!("command = [\"python3\", \"openspiel.py\", \"{game}\"]");
    let player =
        |(name, bot): (&str, &str)| format!("[[players]]\nname = \"{name}\"\nbot = \"{bot}\"\n");
    let players: String = ["ant", "bee"].into_iter().zip(bots).map(player).collect();
    play(&arena, &game, &players)
}

/// Plays a round-robin of engines, with openings from a file.
fn chess() -> Lacks {
    let arena = Arena::new();
    arena.write("chess_rules.py", include_str!("../../games/chess/chess_rules.py"));
    arena.write("uci.py", include_str!("../../players/uci.py"));
    arena.write("openings.txt", "[\"e2e4\", \"c7c5\"]\nd2d4; d7d5  # Queen's Pawn\n");
    let player = |engine| {
        format!(
            "[[players]]\nname = \"{engine}\"\n\
             command = [\"python3\", \"uci.py\", \"--go\", \"depth 3\", \"{engine}\"]\n"
        )
    };
    let players: String = ENGINES.map(player).concat();
    let openings = "[openings]\nfile = \"openings.txt\"\n";
    play(&arena, "command = [\"python3\", \"chess_rules.py\"]", &(openings.to_owned() + &players))
}

fn play(arena: &Arena, game: &str, rest: &str) -> Lacks {
    let config =
        "name = \"cup\"\nseed = 7\njobs = 1\n[clock]\nmove = \"60s\"\nstartup = \"60s\"\n[game]\n";
    arena.write("tournament.toml", &format!("{config}{game}\n{rest}"));
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let verify = arena.run(&["verify"]);
    assert_eq!(verify.code, 0, "{verify:?}");
    None
}
