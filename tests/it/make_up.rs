//! Meetings of four of which one member is removed: the others meet again.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::Arena;

const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/goofspiel.py");
const FINE: &str = include_str!("../players/fine.py");
const CRASHES: &str = "import sys; sys.exit(3)";
const NAMES: [&str; 7] = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"];

/// A tournament of seven bots and `bad`, which crashes at once.
fn cup() -> Arena {
    let arena = Arena::new();
    arena.write("bad.py", CRASHES);
    let players = NAMES.map(|name| format!("[[players]]\nname = {name:?}\nbot = \"random\"\n"));
    let text = format!(
        "name = \"cup\"\ngame = {{ command = [\"python3\", {RULES:?}, \"4\"] }}\nseed = 5\n\
         jobs = 1\nquarantine = 2\nmeetings = 3\n[options]\ncards = 4\n\
         [containment]\nlevel = \"off\"\n{}\
         [[players]]\nname = \"bad\"\ncommand = [\"python3\", \"bad.py\"]\n",
        players.concat()
    );
    arena.write("tournament.toml", &text);
    arena
}

fn games(arena: &Arena) -> Vec<Value> {
    let log = arena.log();
    log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn players(game: &Value) -> Vec<&str> {
    let players = game["players"].as_object().expect("players").values();
    players.map(|name| name.as_str().expect("a name")).collect()
}

/// The ids of the games in the order of the log.
fn ids(arena: &Arena) -> Vec<String> {
    games(arena).iter().map(|game| game["id"].as_str().expect("an id").to_owned()).collect()
}

/// The number of games of each player in which nobody failed.
fn fair_games(arena: &Arena) -> BTreeMap<String, usize> {
    let mut fair = BTreeMap::new();
    for game in games(arena).iter().filter(|game| game["fault"].is_null()) {
        for name in players(game) {
            *fair.entry(name.to_owned()).or_default() += 1;
        }
    }
    fair
}

fn has_enough(arena: &Arena, names: &[&str]) -> bool {
    let fair = fair_games(arena);
    names.iter().all(|name| fair.get(*name).is_some_and(|&games| games >= 3 * 4))
}

fn run(arena: &Arena, args: &[&str]) -> crate::support::Run {
    let run = arena.run(&[&["run"], args].concat());
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    run
}

fn is_clean(arena: &Arena) {
    let verify = arena.run(&["verify"]);
    assert_eq!(verify.code, 0, "{}", verify.out);
    assert!(verify.out.contains("no problems"), "{}", verify.out);
}

#[test]
fn whoever_met_a_removed_player_meets_others_again_even_after_a_kill() {
    let (whole, killed) = (cup(), cup());
    let played = run(&whole, &[]);
    assert!(played.err.contains("bad is quarantined"), "{}", played.err);
    assert!(has_enough(&whole, &NAMES), "{:?}", fair_games(&whole));
    is_clean(&whole);
    assert_eq!(whole.run(&["rank"]).code, 0);
    let all = ids(&whole);
    let plan = run(&whole, &["--plan"]).out;
    assert!(plan.contains(&format!("{0} of {0} games played", all.len())), "{plan}");
    let mut child = killed.start(&["run"]);
    killed.wait_for_lines(all.len() - 4);
    child.kill().expect("killed");
    child.wait().expect("ended");
    run(&killed, &[]);
    assert_eq!(ids(&killed), all);
    is_clean(&killed);
}

#[test]
fn meetings_that_were_made_up_stay_when_the_removed_player_is_replaced() {
    let arena = cup();
    run(&arena, &[]);
    let of_others = |arena: &Arena| {
        let all = games(arena).into_iter().filter(|game| !players(game).contains(&"bad"));
        all.map(|game| game["id"].clone()).collect::<Vec<_>>()
    };
    let before = of_others(&arena);
    // A late player does not meet the removed one.
    let path = arena.path().join("tournament.toml");
    let text = std::fs::read_to_string(&path).expect("a file");
    arena.write("tournament.toml", &(text + "[[players]]\nname = \"late\"\nbot = \"random\"\n"));
    let faults = |arena: &Arena| games(arena).iter().filter(|it| !it["fault"].is_null()).count();
    let failed = faults(&arena);
    run(&arena, &[]);
    assert!(has_enough(&arena, &["late"]), "{:?}", fair_games(&arena));
    assert_eq!(faults(&arena), failed);
    let with_late = of_others(&arena);
    assert!(with_late.starts_with(&before) && with_late.len() == before.len() + 3 * 4);
    arena.write("bad.py", FINE);
    run(&arena, &["--replace", "bad"]);
    assert_eq!(of_others(&arena), with_late);
    assert!(has_enough(&arena, &["bad"]) && faults(&arena) == 0, "{:?}", fair_games(&arena));
    is_clean(&arena);
    assert_eq!(arena.run(&["rank"]).code, 0);
}

/// With one game at a time, which further games are played follows from the results alone.
#[test]
#[ignore = "slow: some hundred games whose rules are a program"]
fn further_games_come_after_those_that_were_made_up_even_after_a_kill() {
    let (whole, killed) = (cup(), cup());
    run(&killed, &[]);
    let planned = ids(&killed);
    let until = |arena: &Arena, games: usize| {
        let mut child = arena.start(&["run", "-q", "--until", "20h"]);
        // The header is a line, too.
        arena.wait_for_lines(1 + games);
        child.kill().expect("killed");
        child.wait().expect("ended");
    };
    let all = planned.len() + 8;
    until(&whole, all);
    for games in [planned.len() + 2, all] {
        until(&killed, games);
        is_clean(&killed);
    }
    assert_eq!(ids(&killed)[..all], ids(&whole)[..all]);
    let further = games(&killed).split_off(planned.len());
    assert!(further.iter().all(|game| !players(game).contains(&"bad")));
    // Nothing of it has to be played.
    let played = ids(&killed);
    run(&killed, &[]);
    assert_eq!(ids(&killed), played);
}
