//! The fast rules of Back to the Wall against a slow model written from the clauses alone: random
//! matches under every combination of options, compared in every position, event and refusal.

#[expect(clippy::unwrap_used, reason = "a model that panics fails its test")]
mod model;

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{BackToTheWallModel, BackToTheWallModelRules, ModelBoard};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha20Rng;
use referee_games::back_to_the_wall::{BackToTheWall, Rules};
use referee_games::two_player::{BySide, GameResult, Side, Step, Turn};
use referee_games::{Event, Game, Options, Refusal};
use serde_json::Value;

/// Small boards, on which rounds end for every reason.
const NARROW: &[&str] = &["G...C", ".....", "..#..", ".....", "c...g"];
const HALVES: &[&str] = &["G..#..C", "...#...", ".......", "...#...", "c..#..g"];
const MAZE: &[&str] = &["G....C", ".#.#..", "......", "..#.#.", "......", "c....g"];

fn shipped(name: &'static str) -> ModelBoard {
    match name {
        "once" => board(
            name,
            1,
            "king",
            &["G.....C", ".......", "..#.#..", ".......", "..#.#..", ".......", "c.....g"],
        ),
        "twice" => board(
            name,
            2,
            "rook",
            &[
                "G.......C",
                ".........",
                "..#...#..",
                ".........",
                ".........",
                ".........",
                "..#...#..",
                ".........",
                "c.......g",
            ],
        ),
        _ => board(
            "thrice",
            3,
            "none",
            &[
                "G.........C",
                "...........",
                "...........",
                "...#...#...",
                "...........",
                "...........",
                "...........",
                "...#...#...",
                "...........",
                "...........",
                "c.........g",
            ],
        ),
    }
}

fn board(
    name: &'static str,
    walls: usize,
    adjacency: &'static str,
    map: &[&'static str],
) -> ModelBoard {
    ModelBoard { name, walls, adjacency, map: map.to_vec() }
}

/// A match to play: the value of `rounds` if it is a word or names, the boards, and the number of
/// won rounds that ends it.
fn matches() -> Vec<(Option<&'static str>, Vec<ModelBoard>, usize)> {
    let all = || ["once", "twice", "thrice"].map(shipped).to_vec();
    vec![
        (Some("best-of-3"), all(), 2),
        (Some("play-all"), all(), usize::MAX),
        (Some("once,once,twice"), ["once", "once", "twice"].map(shipped).to_vec(), usize::MAX),
        (
            None,
            vec![board("narrow", 2, "none", NARROW), board("low", 1, "rook", NARROW)],
            usize::MAX,
        ),
        (
            None,
            vec![board("halves", 1, "king", HALVES), board("maze", 2, "rook", MAZE)],
            usize::MAX,
        ),
        (None, vec![board("maze", 3, "none", MAZE)], usize::MAX),
    ]
}

fn all_options() -> Vec<(Option<&'static str>, BackToTheWallModelRules)> {
    let mut all = Vec::new();
    for bits in 0..32 {
        let bit = |at: u32| bits >> at & 1 == 1;
        for max_turns in [1, 5, 25] {
            for (rounds, boards, enough) in matches() {
                let rules = BackToTheWallModelRules {
                    all_connected: bit(0),
                    walls_are_neighbours: bit(1),
                    survivors: bit(2),
                    cancel: bit(3),
                    start_captured: bit(4),
                    max_turns,
                    // The value of a tie affects nothing else, so the three values take turns.
                    tie: ["charge", "grunkle", "draw"][all.len() % 3],
                    boards,
                    enough,
                };
                all.push((rounds, rules));
            }
        }
    }
    all
}

/// The same rules by way of the options.
fn rules(rounds: Option<&str>, model: &BackToTheWallModelRules) -> Arc<Rules> {
    let word = |bit, yes: &'static str, no: &'static str| if bit { yes } else { no };
    let tie = word(model.tie == "draw", "draw", "dmo");
    let dmo = word(model.tie == "grunkle", "grunkle", "charge");
    let (turns, files) = (model.max_turns.to_string(), files(&model.boards));
    let given = [
        ("corner-rule", word(model.all_connected, "all-connected", "isolated")),
        ("adjacency-scope", word(model.walls_are_neighbours, "all", "submitted")),
        ("rule-1-input", word(model.survivors, "survivors", "submissions")),
        ("same-square", word(model.cancel, "cancel", "one-wall")),
        ("start-captured", word(model.start_captured, "true", "false")),
        ("max-turns", &turns),
        ("tie", tie),
        ("dmo", dmo),
        ("rounds", rounds.unwrap_or(&files)),
    ];
    let options = Options::resolve(&BackToTheWall::sheet().options, given).expect("options");
    Arc::new(BackToTheWall::rules(&options).expect("rules"))
}

fn files(boards: &[ModelBoard]) -> String {
    let file = |board: &ModelBoard| {
        let text = format!(
            "name = {:?}\nwalls = {}\nadjacency = {:?}\nmap = '''\n{}\n'''\n",
            board.name,
            board.walls,
            board.adjacency,
            board.map.join("\n")
        );
        serde_json::json!({"file": "a.toml", "text": text})
    };
    Value::Array(boards.iter().map(file).collect()).to_string()
}

/// Winner and reason, in the words of the model.
fn over(game: &BackToTheWall) -> Option<(&'static str, &'static str)> {
    let Turn::Over(outcome) = game.turn() else { return None };
    let winner = match outcome.result {
        GameResult::Win(seat) => BackToTheWall::SEATS[seat],
        GameResult::Draw => "draw",
    };
    Some((winner, outcome.reason))
}

/// A random submission. Many of the squares do harm, and some are also named by the other seat.
fn submission(model: &BackToTheWallModel, other: Option<&str>, rng: &mut ChaCha20Rng) -> String {
    let mut text = format!("{} {}", way(rng), way(rng));
    let (free, tender) = (model.free(), model.tender());
    let theirs: Vec<&str> = other.map_or(Vec::new(), |text| text.split(' ').skip(2).collect());
    let mut walls: Vec<String> = Vec::new();
    while walls.len() < model.walls_each() {
        let among = if rng.random_bool(0.6) && !tender.is_empty() { &tender } else { &free };
        let (column, row) = among.choose(rng).expect("a free square");
        let wall = match theirs.choose(rng) {
            Some(wall) if rng.random_bool(0.25) => (*wall).to_owned(),
            _ => format!("{column},{row}"),
        };
        if !walls.contains(&wall) {
            walls.push(wall);
        }
    }
    for wall in walls {
        text.push(' ');
        text.push_str(&wall);
    }
    text
}

fn way(rng: &mut ChaCha20Rng) -> &'static str {
    ["U", "D", "L", "R"].choose(rng).expect("a direction")
}

/// The text, perhaps changed so that it may be illegal.
fn spoilt(text: &str, rng: &mut ChaCha20Rng) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let last = words.len() - 1;
    match rng.random_range(0..4) {
        0 => words[last] = format!("{},{}", rng.random_range(0..13), rng.random_range(0..13)),
        1 => words.push(words[last].clone()),
        2 => words.truncate(last),
        _ => {
            let again = words[rng.random_range(2..=last)].clone();
            words[last] = again;
        }
    }
    words.join(" ")
}

/// Plays a random match, and counts the ends of rounds and the clauses that kept walls from being
/// placed.
fn play(
    rounds: Option<&str>,
    options: &BackToTheWallModelRules,
    seed: u64,
    met: &mut BTreeMap<String, u32>,
) {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut model = BackToTheWallModel::new(options.clone());
    let mut game = BackToTheWall::start(&rules(rounds, options));
    loop {
        let place = format!("seed {seed}, {options:?}, {:?}", game.rows());
        assert_eq!(serde_json::to_value(game.state()).expect("JSON"), model.state(), "{place}");
        assert_eq!(over(&game), model.over, "{place}");
        if model.over.is_some() {
            return;
        }
        let first = submission(&model, None, &mut rng);
        let second = submission(&model, Some(&first), &mut rng);
        let bad = spoilt(&first, &mut rng);
        let answer = game.parse_action(Side::Second, &bad);
        assert_eq!(answer.is_ok(), model.is_legal(&bad), "{bad}, {place}");
        if let Err(why) = answer {
            let cites = matches!(&why, Refusal::Illegal { clause, .. } if clause == "T10");
            assert!(cites, "{why}, {place}");
        }
        let parse = |seat, text: &str| game.parse_action(seat, text).expect("a legal action");
        let step =
            Step::Both(BySide::new(parse(Side::First, &first), parse(Side::Second, &second)));
        let mut events: Vec<Event> = Vec::new();
        game.play_unchecked(step, &mut events);
        let events = serde_json::to_value(events).expect("JSON");
        let expected = Value::Array(model.play(&first, &second));
        assert_eq!(events, expected, "{first} / {second}, {place}");
        note(&events, met);
    }
}

fn note(events: &Value, met: &mut BTreeMap<String, u32>) {
    let mut add = |name: &Value| {
        *met.entry(name.as_str().unwrap_or_default().to_owned()).or_default() += 1;
    };
    for event in events.as_array().expect("events") {
        add(&event["event"]);
        if event["event"] == "round-end" {
            add(&event["reason"]);
        }
        for square in event["not_placed"].as_array().into_iter().flatten() {
            for clause in square["clauses"].as_array().into_iter().flatten() {
                add(clause);
            }
        }
    }
}

fn agree(seeds: std::ops::Range<u64>) -> BTreeMap<String, u32> {
    let mut met = BTreeMap::new();
    for (index, (rounds, options)) in all_options().iter().enumerate() {
        for seed in seeds.clone() {
            play(*rounds, options, 10_000 * index as u64 + seed, &mut met);
        }
    }
    met
}

#[test]
fn the_model_agrees_in_random_matches() {
    let met = agree(0..1);
    let often = ["majority", "no-walls-left", "turn-limit", "redirected", "round-start"];
    for what in often.into_iter().chain(["T1", "T2", "T3", "T5"]) {
        assert!(met.get(what).is_some_and(|count| *count >= 100), "{what}: {met:?}");
    }
}

#[test]
#[ignore = "slow: 2,880 matches"]
fn the_model_agrees_in_very_many_matches() {
    // Pieces are seldom separated, because every corner must reach another one.
    assert!(agree(1..6).contains_key("separated"));
}
