//! Games of more than two seats: `play`, `test-game`, the protocol, and what is refused.

use std::fs;

use serde_json::Value;

use crate::support::Arena;

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/game.toml");

/// Plays the last card of its hand, and writes down what it is told. With a word after the name of
/// the file, it plays that instead at its second turn.
const PLAYER: &str = r#"
import json, sys
told = open(sys.argv[1], "w")
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    told.write(line)
    told.flush()
    if message["type"] == "init":
        print(json.dumps({"id": message["id"]}), flush=True)
    elif message["type"] == "turn":
        turns += 1
        action = sys.argv[2] if turns == 2 and len(sys.argv) > 2 else message["legal"][-1]
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
    elif message["type"] == "quit":
        break
"#;

/// The configuration of a tournament of three.
fn config(more: &str) -> String {
    let players: String = ["a", "b", "c"]
        .map(|name| format!("[[players]]\nname = {name:?}\nbot = \"random\"\n"))
        .concat();
    format!("name = \"cup\"\ngame = {{ from = {GAME:?} }}\n{players}{more}")
}

fn play(arena: &Arena, players: &[&str], more: &[&str]) -> crate::support::Run {
    let game = ["--game", GAME, "--containment", "off", "--delay", "0s", "--seed", "3"];
    arena.run(&[&["play"], players, &game[..], more].concat())
}

fn told(arena: &Arena, kind: &str) -> Vec<Value> {
    let text = fs::read_to_string(arena.path().join("told")).expect("it wrote");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter(|message| message["type"] == kind).collect()
}

#[test]
fn three_players_play_a_game_and_watch_it_again() {
    let arena = Arena::new();
    let run = play(&arena, &["bot:greedy", "bot:random", "bot:search-20"], &["--save", "kept"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let end = run.out.lines().rfind(|line| line.contains("(red)")).expect("an end");
    assert!(end.starts_with("1 ") && end.ends_with(": points"), "{end}");
    assert!(end.contains("greedy (red)") && end.contains("random (green)"), "{end}");
    let log = fs::read_to_string(arena.path().join("kept/games.jsonl")).expect("a log");
    let game: Value = serde_json::from_str(log.lines().nth(1).expect("a game")).expect("JSON");
    let places = game["places"].as_object().expect("places");
    assert_eq!(places.keys().collect::<Vec<_>>(), ["red", "green", "blue"]);
    assert_eq!(game["result"], Value::Null);
    assert_eq!(game["actions"].as_array().expect("a list").len(), 7 * 3);
    let id = game["id"].as_str().expect("an id");
    let replay =
        arena.run(&["replay", id, "--results", "kept", "--game", GAME, "--containment", "off"]);
    assert_eq!(replay.code, 0, "{}", replay.err);
    assert!(replay.out.contains("greedy (red) against random (green) against search-20 (blue)"));
    assert!(replay.out.trim_end().ends_with(end), "{}", replay.out);
}

#[test]
fn a_player_is_told_of_all_the_others() {
    let arena = Arena::new();
    fs::write(arena.path().join("player.py"), PLAYER).expect("a file");
    fs::write(arena.path().join("tournament.toml"), config("[clock]\nbudget = \"60s\"\n"))
        .expect("a file");
    let run = play(&arena, &["bot:greedy", "python3 player.py told", "bot:random"], &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let init = &told(&arena, "init")[0];
    assert_eq!(init["seats"], serde_json::json!(["red", "green", "blue"]));
    assert_eq!(init["you"], "green");
    let turn = &told(&arena, "turn")[1];
    let left = turn["clock"]["others_left_ms"].as_object().expect("the clocks of the others");
    assert_eq!(left.keys().collect::<Vec<_>>(), ["red", "blue"]);
    assert_eq!(turn["clock"]["opponent_left_ms"], Value::Null);
    let by: Vec<&Value> = turn["events"].as_array().expect("events").iter().collect();
    let by: Vec<&str> = by.iter().filter_map(|event| event["by"].as_str()).collect();
    assert_eq!(by, ["red", "green", "blue"], "all actions, once all have answered");
    let end = &told(&arena, "end")[0];
    assert_eq!((&end["result"], &end["scores"]), (&Value::Null, &Value::Null));
    assert_eq!(end["places"]["green"], end["place"]);
    let scores = end["final_scores"].as_object().expect("final scores");
    assert_eq!(scores.len(), 3);
}

#[test]
fn a_fault_of_one_leaves_the_others_level() {
    let arena = Arena::new();
    fs::write(arena.path().join("player.py"), PLAYER).expect("a file");
    let run = play(&arena, &["bot:greedy", "python3 player.py told 99", "bot:random"], &[]);
    assert_eq!(run.code, 1, "a program lost by a fault: {}", run.err);
    let end = run.out.lines().last().expect("an end");
    assert_eq!(
        end,
        "1 greedy (red) and random (blue), 3 python3 player.py told 99 (green): illegal"
    );
}

#[test]
fn every_seat_needs_a_player() {
    let arena = Arena::new();
    let run = play(&arena, &["bot:greedy", "bot:random"], &[]);
    assert_eq!(run.code, 2);
    let why = "goofspiel has 3 seats (red, green, blue), and there are 2 players";
    assert!(run.err.contains(why), "{}", run.err);
}

#[test]
fn a_player_may_play_itself_in_a_kept_game() {
    let arena = Arena::new();
    let kept = ["play", "bot:random", "bot:random", "--delay", "0s", "--save", "kept"];
    assert_eq!(arena.run(&kept).code, 0);
    let ranked = arena.run(&["rank", "kept"]);
    assert_eq!(ranked.code, 0, "{}", ranked.err);
    assert!(ranked.out.contains("random-2"), "{}", ranked.out);
}

#[test]
fn options_may_stand_between_players() {
    let arena = Arena::new();
    let clash = ["play", "bot:random", "--seed", "1", "bot:random", "--delay", "0s"];
    let run = arena.run(&[&clash[..], &["--option", "max-moves=4"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let bots = ["bot:random"; 15];
    let run = arena.run(&[&clash[..], &bots].concat());
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("a game has 2 to 16 seats"), "{}", run.err);
}

#[test]
fn a_kept_game_of_three_is_no_tournament() {
    let arena = Arena::new();
    play(&arena, &["bot:greedy", "bot:random", "bot:random"], &["--save", "kept"]);
    for command in ["rank", "verify", "report", "export"] {
        let run = arena.run(&[command, "kept"]);
        assert_eq!(run.code, 2, "{command}: {}", run.out);
        let why = "games of 3 seats are not results of a tournament; `referee replay ID";
        assert!(run.err.contains(why), "{command}: {}", run.err);
    }
    let before = fs::read_to_string(arena.path().join("kept/games.jsonl")).expect("a log");
    assert_eq!(arena.run(&["verify", "--repair", "kept"]).code, 2);
    let after = fs::read_to_string(arena.path().join("kept/games.jsonl")).expect("a log");
    assert_eq!(before, after);
}

#[test]
fn a_record_of_other_seats_than_its_game_has_is_refused() {
    let arena = Arena::new();
    play(&arena, &["bot:greedy", "bot:random", "bot:random"], &["--save", "kept"]);
    let log = arena.path().join("kept/games.jsonl");
    let text = fs::read_to_string(&log).expect("a log");
    let id = text.split_once("\"id\":\"").expect("an id").1[..14].to_owned();
    // As if the games were of a built-in game for two.
    let mut header: Value =
        serde_json::from_str(text.lines().next().expect("a header")).expect("JSON");
    header["game"] = "watch-your-back".into();
    header["options"] = serde_json::json!({});
    header.as_object_mut().expect("an object").remove("program");
    let line = text.lines().nth(1).expect("a game");
    fs::write(&log, format!("{header}\n{line}\n")).expect("written");
    for command in [
        &["replay", &id, "--results", "kept"][..],
        &["ask", "bot:random", "--record", &id, "--results", "kept"],
    ] {
        let run = arena.run(command);
        assert_eq!(run.code, 2, "{command:?}: {}{}", run.out, run.err);
        assert!(run.err.contains("the record is of 3 seats, unlike the game"), "{}", run.err);
    }
}

#[test]
fn the_rules_of_three_seats_pass_their_trial() {
    let arena = Arena::new();
    let run = arena.run(&["test-game", GAME, "--games", "5"]);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
}

#[test]
fn tournaments_say_that_they_are_for_two() {
    let arena = Arena::new();
    fs::write(arena.path().join("cup.toml"), config("")).expect("a file");
    let run = arena.run(&["run", "cup.toml", "--containment", "off"]);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("goofspiel has 3 seats, and only games for two"), "{}", run.err);
}
