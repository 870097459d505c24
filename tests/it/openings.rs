//! Tournaments whose pairs begin with openings, and games that are copies of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::support::{Arena, Config, Dice, Run};
use serde_json::{Value, json};

/// A tournament of three built-in players that choose the same every time.
fn toml(game: &str, pairs: u32, lines: &str) -> String {
    let players = ["ant", "bee", "cat"];
    let players = players.map(|name| format!("[[players]]\nname = \"{name}\"\nbot = \"greedy\"\n"));
    format!(
        "name = \"cup\"\ngame = \"{game}\"\nseed = 7\njobs = 2\npairs = {pairs}\n{lines}\n{}",
        players.concat()
    )
}

fn arena(game: &str, pairs: u32, lines: &str) -> Arena {
    let arena = Arena::new();
    arena.write("tournament.toml", &toml(game, pairs, lines));
    arena
}

fn played(game: &str, pairs: u32, lines: &str) -> Arena {
    let arena = arena(game, pairs, lines);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    arena
}

fn games(arena: &Arena) -> Vec<Value> {
    arena.lines().values().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The different openings by the key that `key` gives to a game.
fn openings<K: Ord>(games: &[Value], key: impl Fn(&Value) -> K) -> BTreeMap<K, BTreeSet<String>> {
    let mut all: BTreeMap<K, BTreeSet<String>> = BTreeMap::new();
    for game in games {
        all.entry(key(game)).or_default().insert(game["opening"].to_string());
    }
    all
}

fn clean(arena: &Arena, games: usize) {
    let clean =
        format!("results/cup: {games} of {games} games played, seeds checked: no problems\n");
    assert_eq!(arena.run(&["verify"]), Run::new(0, &clean, ""));
}

#[test]
#[ignore = "slow: whole tournaments"]
fn without_dice_every_pairing_begins_alike() {
    for game in ["watch-your-back", "back-to-the-wall"] {
        let arena = played(game, 3, "[openings]\nplies = 2");
        clean(&arena, 18);
        assert_eq!(arena.header()["openings"], json!({"random": {"plies": 2}}));
        let games = games(&arena);
        let by_pair = openings(&games, |game| game["pair"].as_u64());
        assert!(by_pair.values().all(|openings| openings.len() == 1), "{game}: {by_pair:?}");
        let different: BTreeSet<_> = by_pair.values().collect();
        assert_eq!(different.len(), 3, "{game}: {by_pair:?}");
        let acts = if game == "watch-your-back" { 2 } else { 4 };
        for game in &games {
            assert_eq!(game["opening"].as_array().map(Vec::len), Some(acts), "{game}");
        }
    }
}

#[test]
fn with_dice_both_games_of_a_pair_begin_alike() {
    let arena = played("backdraughts", 3, "[openings]\nplies = 5");
    clean(&arena, 18);
    let id = |game: &Value| game["id"].as_str().expect("an id")[..12].to_owned();
    let by_pair = openings(&games(&arena), id);
    assert_eq!(by_pair.len(), 9);
    assert!(by_pair.values().all(|openings| openings.len() == 1), "{by_pair:?}");
    for game in games(&arena) {
        let opening = game["opening"].as_array().expect("a list").len();
        let rolls = game["rolls"].as_array().expect("a list").len();
        // Random games are short now and then, and an opening is at most half of its game.
        assert!(opening >= 1 && rolls > opening, "{opening} {rolls}");
    }
}

#[test]
fn openings_of_a_file_are_taken_in_turn() {
    let arena = arena(
        "back-to-the-wall",
        3,
        "options = { rounds = \"once\" }\n[openings]\nfile = \"two.txt\"",
    );
    arena.write("two.txt", "# two\nR U 3,5; L D 3,1\nR R 1,3; L L 5,3 # the other\n");
    let run = arena.run(&["run", "--plan"]);
    let plan = "cup: back-to-the-wall, 3 players, 3 pairings of 3 pairs\n\
                openings: 2 openings from two.txt, in turn\n0 of 18 games played\n\
                if strengths scatter by 200 Elo, rank intervals are about 2 ranks wide\n\
                no estimate before the first game\n";
    assert_eq!(run, Run::new(0, plan, ""));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    clean(&arena, 18);
    let by_pair = openings(&games(&arena), |game| game["pair"].as_u64());
    let (one, other) = ("[\"R U 3,5\",\"L D 3,1\"]", "[\"R R 1,3\",\"L L 5,3\"]");
    let expected = [(1, one), (2, other), (3, one)];
    let expected = expected.map(|(pair, text)| (Some(pair), BTreeSet::from([text.to_owned()])));
    assert_eq!(by_pair, BTreeMap::from(expected));
}

/// The openings in the header of a tournament in a fresh folder, from a book of forty.
fn drawn_with(seed: &str) -> Value {
    let arena = Arena::new();
    let lines = "[openings]\nfile = \"many.txt\"\norder = \"random\"";
    let text = toml("watch-your-back", 1, lines).replace("seed = 7\n", seed);
    arena.write("tournament.toml", &text);
    let many = (0..8).flat_map(|file| (1..6).map(move |rank| format!("{file},{rank}\n")));
    arena.write("many.txt", &many.collect::<String>());
    for _ in 0..2 {
        let run = arena.run(&["run", "--quiet"]);
        assert_eq!(run.code, 0, "{}", run.err);
    }
    clean(&arena, 6);
    arena.header()["openings"].clone()
}

#[test]
fn a_random_order_is_that_of_the_seed_or_a_fresh_one() {
    let [one, other] = [drawn_with(""), drawn_with("")];
    assert_ne!(one, other);
    assert_eq!(drawn_with("seed = 7\n"), drawn_with("seed = 7\n"));
    assert_ne!(drawn_with("seed = 7\n"), drawn_with("seed = 8\n"));
}

#[test]
fn more_pairs_draw_more_openings_of_the_same_book() {
    let at = |pairs| toml("watch-your-back", pairs, "[openings]\nfile = \"many.txt\"");
    let arena = arena("watch-your-back", 1, "");
    // The last two lines are needed when there are more pairs than the usual number of openings.
    arena.write("many.txt", &"3,3\n3,4\n".repeat(5001));
    arena.write("tournament.toml", &at(1).replace("\"greedy\"", "\"random\""));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let drawn = |arena: &Arena| arena.header()["openings"]["listed"].as_array().map(Vec::len);
    assert_eq!(drawn(&arena), Some(10_000));
    arena.write("tournament.toml", &at(10_001).replace("\"greedy\"", "\"random\""));
    let plan = arena.run(&["run", "--plan"]);
    assert!(
        plan.out.contains("openings: 10001 of 10002 openings from many.txt, in turn"),
        "{plan:?}"
    );
    assert!(plan.err.contains("openings: 10000 became 10001"), "{plan:?}");
}

#[test]
fn an_edited_opening_is_found() {
    let arena = played("watch-your-back", 1, "[openings]\nplies = 2");
    let line = 2;
    let mut found = String::new();
    arena.edit_line(line, |text| {
        let mut game: Value = serde_json::from_str(text).expect("JSON");
        let id = game["id"].as_str().expect("an id").to_owned();
        let mut opening = game["opening"].as_array().expect("a list").clone();
        let before: Vec<_> = opening.iter().map(|text| text.as_str().expect("a text")).collect();
        let expected = before.join("; ");
        // The second action of the opening is recorded as the player's own.
        let moved = opening.pop().expect("two actions");
        let begins = opening[0].as_str().expect("a text").to_owned();
        game["opening"] = opening.into();
        game["actions"].as_array_mut().expect("a list").insert(0, moved);
        let at = format!("games.jsonl, line {line}, game {id}: ");
        found = format!(
            "{at}the record was edited after it was written\n\
             {at}it begins with `{begins}`, pair 1 begins with `{expected}`\n\
             results/cup: 6 of 6 games played, seeds checked: 2 problems\n\
             `referee verify --repair` moves unusable lines out of the log, and \
             `referee run` then plays their games again.\n"
        );
        game.to_string()
    });
    assert_eq!(arena.run(&["verify"]), Run::new(1, &found, ""));
}

#[test]
fn changed_openings_are_another_tournament() {
    let arena = played("watch-your-back", 1, "[openings]\nplies = 2");
    arena.write("list.txt", "3,3");
    for (lines, now) in [
        ("", "none"),
        ("[openings]\nplies = 1", "1 ply of random legal play"),
        ("[openings]\nfile = \"list.txt\"", "1 opening from a file (HASH)"),
    ] {
        arena.write("tournament.toml", &toml("watch-your-back", 1, lines));
        let error = format!(
            "error: the configuration differs from the results in DIR/results/cup:\n  openings: \
             the results have 2 plies of random legal play, the configuration {now}\nnothing was \
             changed; give the tournament another name, or restore the configuration\n"
        );
        assert_eq!(arena.run(&["run"]), Run::new(4, "", &error));
    }
}

#[test]
#[ignore = "slow: whole tournaments"]
fn a_killed_run_resumes_with_the_same_openings() {
    let lines = "[openings]\nplies = 4";
    let undisturbed = played("backdraughts", 10, lines);
    let arena = arena("backdraughts", 10, lines);
    let mut dice = Dice::new(3);
    for _ in 0..8 {
        let mut child = arena.start(&["run"]);
        std::thread::sleep(Duration::from_micros(dice.below(60_000)));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    assert_eq!(arena.essence(), undisturbed.essence());
    clean(&arena, 60);
}

#[test]
#[ignore = "slow: whole tournaments"]
fn openings_are_shown_and_sent_again() {
    for game in ["watch-your-back", "backdraughts", "back-to-the-wall"] {
        let arena = played(game, 1, "[openings]\nplies = 2");
        let page = arena.read("report.html");
        let words = "2 plies of random legal play, by pair number";
        assert!(page.contains(words) && page.contains(" (opening)"), "{game}");
        let id = arena.lines().into_keys().next().expect("a game");
        let replay = arena.run(&["replay", &id]);
        assert_eq!(replay.code, 0);
        let marked = replay.out.lines().filter(|line| line.contains(" (opening)")).count();
        assert_eq!(marked, 2, "{game}: {}", replay.out);
        // The bot receives the opening and plays as before. No decision comes before the opening
        // ends.
        let asked = arena.run(&[
            "ask",
            "bot:greedy",
            "--record",
            &id,
            "--ply",
            "2",
            "--no-clock",
            "--seat",
            seat(game),
        ]);
        assert!(
            asked.code == 0 && asked.out.contains("; it is legal"),
            "{game}: {}{}",
            asked.out,
            asked.err
        );
        let asked =
            arena.run(&["ask", "bot:greedy", "--record", &id, "--ply", "1", "--seat", seat(game)]);
        let error = "error: --ply 1: the opening takes 2 plies; choose a later ply\n";
        assert_eq!(asked, Run::new(2, "", error), "{game}");
    }
}

/// The seat that decides after two plies.
fn seat(game: &str) -> &'static str {
    if game == "back-to-the-wall" { "grunkle" } else { "white" }
}

/// A player that always chooses the first legal action.
const FIRST: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "init":
        print("ok", flush=True)
    elif message["type"] == "turn":
        print(message["legal"][0], flush=True)
"#;

#[test]
#[ignore = "slow: whole tournaments"]
fn copies_are_reported_and_openings_prevent_them() {
    let first = "command = [\"python3\", \"first.py\"]";
    let config = Config::empty().player("ant", first).player("bee", first);
    let arena = Arena::with(&config.change(|config| config.pairs = 3));
    arena.write("first.py", FIRST);
    let run = arena.run(&["run"]);
    let warning = "Warning: 4 of 6 games are copies of earlier ones (ant–bee 2, bee–ant 2): copies";
    assert!(run.code == 0 && run.out.contains(warning), "{}", run.out);
    assert!(arena.read("report.html").contains(warning));

    let arena = Arena::with(&config.change(|config| {
        config.pairs = 3;
        config.more = "openings = { plies = 4 }".to_owned();
    }));
    arena.write("first.py", FIRST);
    let run = arena.run(&["run"]);
    assert!(run.code == 0 && !run.out.contains("copies"), "{}", run.out);
}

#[test]
fn the_seed_of_a_comparison_decides_its_openings() {
    let config = Config::empty().bot("ant", "greedy").bot("bee", "random");
    let arena = Arena::with(&config.change(|config| {
        config.more = "openings = { file = \"many.txt\", order = \"random\" }".to_owned();
    }));
    let many = (0..8).flat_map(|file| (2..6).map(move |rank| format!("{file},{rank}\n")));
    arena.write("many.txt", &many.collect::<String>());
    let openings = |seed: &str| {
        let words =
            ["compare", "ant", "bee", "--max-pairs", "1", "--format", "json", "--seed", seed];
        let verdict: Value = serde_json::from_str(&arena.run(&words).out).expect("JSON");
        let folder = verdict["results"].as_str().expect("a folder");
        let folder = folder.strip_prefix("DIR/").expect("in the arena");
        let log = std::fs::read_to_string(arena.path().join(folder).join("games.jsonl"));
        let header = log.expect("a log").lines().next().map(str::to_owned).expect("a header");
        serde_json::from_str::<Value>(&header).expect("JSON")["openings"].clone()
    };
    assert_eq!(openings("1"), openings("1"));
    assert_ne!(openings("1"), openings("2"));
}

#[test]
fn a_comparison_takes_the_openings_of_the_configuration() {
    let config = Config::empty().bot("ant", "search-300").bot("bee", "random");
    let arena = Arena::with(&config.change(|config| {
        config.more = "openings = { plies = 4 }".to_owned();
    }));
    let run = arena.run(&["compare", "ant", "bee", "--max-pairs", "2", "--format", "json"]);
    let verdict: Value = serde_json::from_str(&run.out).expect("JSON");
    let folder = verdict["results"].as_str().expect("a folder");
    let folder = folder.strip_prefix("DIR/").expect("in the arena");
    let log = std::fs::read_to_string(arena.path().join(folder).join("games.jsonl"));
    let log = log.expect("a log");
    let games: Vec<Value> =
        log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(games.iter().all(|game| game["opening"].as_array().map(Vec::len) == Some(4)));
    assert_eq!(arena.run(&["verify", folder]).code, 0);
}
