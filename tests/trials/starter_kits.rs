//! Starter kits: each is written, built with its real toolchain and checked; skipped if the
//! toolchain is missing.

use std::path::Path;
use std::process::Command;

use crate::harness::{Lacks, quick, slow, without};
use crate::support::{Arena, Run};
use libtest_mimic::Trial;

/// The kit of a language.
#[derive(Clone, Copy)]
struct Kit {
    language: &'static str,
    /// The programs needed to build and play it.
    needs: &'static [&'static str],
    /// The build command, in its folder; empty if it needs no build.
    build: &'static str,
}

const PYTHON: Kit = Kit { language: "python", needs: &["python3"], build: "" };
const OTHERS: [Kit; 7] = [
    Kit { language: "c", needs: &["cc", "make"], build: "make CFLAGS='-O1 -Wall -Wextra -Werror'" },
    Kit { language: "shell", needs: &[], build: "" },
    Kit { language: "javascript", needs: &["node"], build: "" },
    Kit {
        language: "cpp",
        needs: &["c++", "make"],
        build: "make CXXFLAGS='-O1 -Wall -Wextra -Werror -std=c++17'",
    },
    Kit { language: "java", needs: &["javac", "java", "make"], build: "make" },
    Kit {
        language: "rust",
        needs: &["cargo"],
        build: "unset CARGO_TARGET_DIR && \
                RUSTFLAGS='-D warnings' cargo build --release --offline --quiet",
    },
    Kit { language: "go", needs: &["go", "make"], build: "make GOFLAGS=-buildvcs=false" },
];

const GOOFSPIEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/goofspiel.py");
const GAMES: [&str; 3] = ["watch-your-back", "backdraughts", "back-to-the-wall"];

pub(crate) fn tests() -> Vec<Trial> {
    let fits =
        |kit: Kit, games: &'static [&str]| move || without(kit.needs).or_else(|| kit.fits(games));
    let mut tests = vec![quick("python in one game", fits(PYTHON, &GAMES[..1]))];
    let kits = [PYTHON].into_iter().chain(OTHERS);
    tests.extend(kits.clone().map(|kit| slow(kit.language, fits(kit, &GAMES))));
    tests.extend(kits.map(|kit| {
        let plays = move || without(kit.needs).or_else(|| kit.plays_at_a_table());
        slow(format!("{} at a table of four", kit.language), plays)
    }));
    tests.push(quick("the_rules_can_be_used_from_python", the_rules_can_be_used_from_python));
    tests.extend(["off", "basic", "strict"].map(|level| {
        quick(format!("a_player_looks_ahead_with_the_rules: {level}"), || looks_ahead(level))
    }));
    tests.push(slow("the_example_in_rust_is_ready", the_example_in_rust_is_ready));
    tests
}

/// The player in `examples/`, which looks ahead with the library's rules, in every game.
fn the_example_in_rust_is_ready() -> Lacks {
    let mut cargo = Command::new(env!("CARGO"));
    // With the features of the other tests, so that nothing is built twice.
    cargo.args(["build", "--quiet", "--workspace", "--locked", "--example", "lookahead"]);
    assert!(cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo").success());
    let own = std::env::current_exe().expect("this test");
    let built = own.parent().and_then(Path::parent).expect("a target folder");
    let player = built.join("examples/lookahead");
    for game in GAMES {
        let arena = Arena::new();
        let player = player.to_str().expect("a plain path");
        let check = arena.run(&["check", player, "--game", game, "--against", "random"]);
        assert_eq!((check.code, check.err.lines().count()), (0, 1), "{game}: {check:?}");
        assert!(check.err.starts_with("next: referee play "), "{game}: {}", check.err);
    }
    None
}

impl Kit {
    /// Writes the kit for each of these games, builds it and checks it.
    fn fits(self, games: &[&str]) -> Lacks {
        for &game in games {
            let arena = Arena::new();
            let new = ["new", "player", "--language", self.language, "--game", game, "my bot"];
            let step = if self.build.is_empty() { "" } else { " && " };
            let build = if self.language == "rust" { "cargo build --release" } else { "make" };
            let build = if self.build.is_empty() { "" } else { build };
            let written = format!(
                "created my bot; its README.md describes the next steps\n\
                 next: cd 'my bot'{step}{build} && referee check .\n"
            );
            assert_eq!(arena.run(&new), Run::new(0, "", &written));
            if !self.build.is_empty() && self.language != "java" {
                let unbuilt = arena.run(&["check", "my bot", "--game", game]);
                assert_eq!((unbuilt.code, unbuilt.out.as_str()), (2, ""), "{unbuilt:?}");
                let (has, build) = (unbuilt.err, self.build.split(' ').next().unwrap_or_default());
                let build = if self.language == "rust" { "cargo build" } else { build };
                assert!(has.contains(&format!("; run `{build}")), "{has}");
            }
            arena.sh(&format!("cd 'my bot'\n{}", self.build));
            let check = ["check", "my bot", "--game", game, "--against", "random"];
            let check = arena.run(&[&check[..], &["--format", "json"]].concat());
            assert_eq!((check.code, check.err.as_str()), (0, ""), "{game}: {}", check.out);
            assert!(check.out.starts_with("{\"player\":\"my bot\""), "{}", check.out);
            let play = ["play", "my bot", "bot:random", "--game", game, "--seed", "1"];
            let one = arena.run(&play);
            assert_eq!((one.code, one.err.as_str()), (0, ""), "{game}: {}", one.out);
            assert_eq!(one, arena.run(&play), "{game}: its seed decides");
            let planned = arena.run(&["run", "--plan", "my bot/tournament.toml"]);
            assert_eq!(planned.code, 0, "the kit's tournament can be played: {planned:?}");
            assert!(planned.out.contains(game), "{game}: {}", planned.out);
            let other = if game == "backdraughts" { "watch-your-back" } else { "backdraughts" };
            let refused = arena.run(&["check", "my bot", "--game", other]);
            let sentence = format!("no-start: this player plays {game} only (--game {game})");
            assert_eq!(refused.code, 1, "{refused:?}");
            assert!(refused.out.contains(&sentence), "{}", refused.out);
        }
        None
    }

    /// Writes the kit for a game of four, builds it and plays a game.
    fn plays_at_a_table(self) -> Lacks {
        let arena = Arena::new();
        arena.write("four.toml", &format!("command = [\"python3\", {GOOFSPIEL:?}, \"4\"]\n"));
        let new = ["new", "player", "--language", self.language, "--game", "four.toml", "mine"];
        let new = arena.run(&new);
        assert_eq!(new.code, 0, "{}", new.err);
        arena.sh(&format!("cd mine\n{}", self.build));
        let bots = ["bot:random", "mine", "bot:greedy", "bot:random"];
        let one = [&["play"], &bots[..], &["--game", "four.toml", "--seed", "1"]].concat();
        let one = arena.run(&one);
        assert_eq!((one.code, one.err.as_str()), (0, ""), "{}", one.out);
        None
    }
}

fn the_rules_can_be_used_from_python() -> Lacks {
    let lacks = without(&["python3"]);
    if lacks.is_some() {
        return lacks;
    }
    let arena = Arena::new();
    assert_eq!(arena.run(&["new", "player", "--language", "python", "kit"]).code, 0);
    let rules = include_str!("../../templates/game/python/rules_program.py");
    arena.write("kit/rules_program.py", rules);
    arena.write("kit/game.py", include_str!("../rules/lowest-out/game.py"));
    let script = "\
from referee_rules import Environment, Illegal, Rules
import random, sys
rules = Rules('watch-your-back', {'max-moves': 100}, referee=sys.argv[1])
after = rules.play(['3,3', '3,4'])
print(after.ply, after.turn, len(after.legal))
print(after.before.before.state == rules.start().state)
try:
    rules.play(['0,0'])
except Illegal as error:
    print(error)
print(rules.start().playout(random.Random(1)) in (*rules.seats, 'draw'))
for game in 'backdraughts', 'back-to-the-wall', ['python3', 'game.py', '4']:
    env = Environment(Rules(game, referee=sys.argv[1]))
    env.reset(seed=1)
    while env.agent is not None:
        assert env.observe() == env.position.state
        env.step(env.position.sample(env.agent, env.rng))
    places = env.position.places
    ahead = {seat: sum(place < it for it in places.values()) for seat, place in places.items()}
    behind = {seat: sum(place > it for it in places.values()) for seat, place in places.items()}
    print(env.rewards == {seat: ahead[seat] - behind[seat] for seat in env.seats})
    winner = [seat for seat in env.seats if behind[seat] == 0]
    print(env.position.winner == (winner[0] if len(winner) == 1 else 'draw'))
    position, told, rng = env.rules.start(), [], random.Random(2)
    while position.winner is None:
        if position.asked:
            actions = [position.sample(seat, rng) for seat in position.asked]
            told += [{'event': 'action', 'by': seat, 'action': action}
                     for seat, action in zip(position.asked, actions)]
            position = position.play(actions if len(actions) > 1 else actions[0])
        else:
            if 'pass' in position.turn:
                told.append({'event': 'action', 'by': position.turn['pass'], 'action': 'pass'})
            position = position.random_step(rng)
        told += position.events
    print(env.rules.start().follow(told).state == position.state)
    if not any(event['event'] in ('roll', 'first') for event in told):
        played = [event['action'] for event in told if event['event'] == 'action']
        assert env.rules.play(played).state == position.state
try:
    rules.ask('play', options=rules.options, state={'to_move': 'white'}, step={'move': '3,3'})
except RuntimeError as error:
    print('the `state` that a player gets is different' in str(error))
";
    let output = Command::new("python3")
        .args(["-c", script, env!("CARGO_BIN_EXE_referee")])
        .current_dir(arena.path().join("kit"))
        .output()
        .expect("Python 3 starts");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!("2 {{'move': 'white'}} 44\nTrue\nW1: 0,0 is a corner\n{}", "True\n".repeat(11)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    None
}

/// A program of the kit that asks the rules about its choice, in a sandbox of this level.
fn looks_ahead(level: &str) -> Lacks {
    // If the referee is root, the player's user must be able to run this file.
    let search = "/usr/local/bin:/usr/bin:/bin";
    let arena = Arena::new();
    assert_eq!(arena.run(&["new", "player", "--language", "python", "kit"]).code, 0);
    let ready = "python3 -c 'import sys; sys.exit(sys.version_info < (3, 7))'";
    let found = Command::new("sh").args(["-c", ready]).env("PATH", search).status();
    if !found.is_ok_and(|status| status.success()) {
        return Some("there is no python3 of the system here".to_owned());
    }
    let player = std::fs::read_to_string(arena.path().join("kit/player.py")).expect("a player");
    let asks = "    from referee_rules import Rules
    if not POSITION:
        POSITION.append(Rules('watch-your-back').start())
    POSITION.append(POSITION.pop().follow(message['events']))
    assert POSITION[-1].legal == legal
    return rng.choice(legal)


POSITION = []
";
    let place = "\nassert __import__('os').environ['REFEREE'] == '/referee'\n";
    let asks = format!("{asks}{}", if level == "strict" { place } else { "" });
    let player = player.replace("    return rng.choice(legal)\n", &asks);
    assert!(player.contains(&asks));
    arena.write("kit/player.py", &player);
    let args = ["play", "kit", "bot:random", "--seed", "1", "--option", "max-moves=4"];
    let mut play = arena.command(&[&args[..], &["--containment", level]].concat());
    let run = arena.finish(play.env("PATH", search).spawn().expect("the referee starts"), "");
    if run.err.contains("players cannot be contained at the level") {
        return Some(format!("{level}: {}", run.err));
    }
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("4 moves made"), "{}", run.out);
    None
}
