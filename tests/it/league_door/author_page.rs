//! What an author's page does for its author besides handing in: where lost games turned, and
//! challenges.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Door, LEAGUE, Value, json, league_of, status};
use crate::support::{Config, wait_until};

/// What the page says while it does not know all.
const LOOKING: &str = "still being searched";

#[test]
fn a_lost_game_says_where_it_turned_and_leads_there() {
    let games = Config::empty().change(|config| config.max_moves = 200);
    let door = Door::of(league_of(LEAGUE, games, ["greedy", "random", "random"]));
    let page = |query: &str| door.served.ask(&format!("/author{query}"), &[&door.bob]);
    assert!(page("?games=lost").contains(LOOKING), "the page does not wait for it");
    wait_until(|| !page("?games=lost").contains(LOOKING));
    let shown = page("");
    let (_, rest) = shown.split_once("data-label=\"Turned at\"").expect("a game that turned");
    let (cell, _) = rest.split_once("</td>").expect("a cell");
    let (_, link) = cell.split_once("href=\"/#game=").expect("a link to the game");
    let (id, rest) = link.split_once("&amp;ply=").expect("a ply");
    let (ply, rest) = rest.split_once('"').expect("the end of the link");
    let (_, better) = rest.split_once(": search-1000 plays ").expect("what would have been better");
    let better = better.split('<').next().expect("its text");
    // It leads to the position before the ply. The terminal says the same.
    let arena = door.served.arena();
    let ply = (1 + ply.parse::<u32>().expect("a number")).to_string();
    let words = ["replay", id, "--with", "bot:search-1000", "--ply", &ply];
    let replay = arena.command(&words).output().expect("started");
    let replay = String::from_utf8(replay.stdout).expect("UTF-8");
    assert!(replay.contains(&format!("search-1000 plays {better}")), "{better}: {replay}");
    // Only what was lost has turned.
    let log = arena.log();
    let games = log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON"));
    let game: Value = games.into_iter().find(|game: &Value| game["id"] == id).expect("the game");
    let winner = game["result"].as_str().expect("a result");
    let mut losers = game["players"].as_object().expect("two").iter().filter(|it| it.0 != winner);
    assert!(losers.all(|(_, name)| name.as_str().is_some_and(|name| name.starts_with("bob v"))));
}

/// What became of challenges, as a run writes it.
fn challenges(games: &[Value], count: u32) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let one = |number| json!({ "number": number, "at": now, "version": 1, "opponent": "bob v2", "games": games });
    json!({ "played": (1..=count).map(one).collect::<Vec<_>>(), "refused": null }).to_string()
}

#[test]
fn a_challenge_is_written_for_the_run_and_its_games_are_for_its_author() {
    let door = Door::open(LEAGUE);
    let arena = door.served.arena();
    let file = door.hand_in().join("ann/.challenge.txt");
    let token = door.token("/author", &door.ann);
    let ask = |token: &str, opponent: &str| {
        let fields = [("token", token.as_bytes()), ("opponent", opponent.as_bytes())];
        status(&door.post("/author/challenge", &[&door.ann], &fields))
    };
    let page = || door.served.ask("/author", &[&door.ann]);
    let shown = page();
    assert!(shown.contains("<option value=\"bob v2\">") && !shown.contains("value=\"ann v1\""));
    assert_eq!(
        (ask("a guess", "bob v2"), ask(&token, "eve v1"), ask(&token, "ann v1")),
        (403, 400, 400)
    );
    assert!(!file.exists());
    assert_eq!(ask(&token, "bob v2"), 303);
    assert_eq!(fs::read_to_string(&file).expect("a file"), "bob v2\n");
    assert!(page().contains("is queued or in progress"));
    assert_eq!(ask(&token, "bob v1"), 429, "one at a time");
    fs::remove_file(&file).expect("removed");
    // As if the run had played it.
    let log = arena.log();
    let games = log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON"));
    let of_both = |game: &Value| {
        let players = game["players"].to_string();
        players.contains("ann v1") && players.contains("bob v2")
    };
    let mut game = games.into_iter().find(of_both).expect("a game");
    game["id"] = "1-1".into();
    fs::create_dir_all(arena.path().join("entrants/ann")).expect("a folder");
    arena.write("entrants/ann/challenges.json", &challenges(&[game], 1));
    let shown = page();
    assert!(shown.contains("href=\"/author/challenges/1/\"") && shown.contains(" as "), "{shown}");
    let games = |cookie: &str| door.served.ask("/author/challenges/1/", &[cookie]);
    let own = games(&door.ann);
    assert!(own.contains("#game=1-1&amp;ply=0") && own.contains("do not count"), "{own:.2000}");
    assert!(own.contains("<a href=\"/author#challenges\">Your page</a></nav>"), "{own:.3000}");
    assert_eq!((status(&own), status(&games(&door.bob)), status(&games("x: y"))), (200, 404, 403));
    arena.write("entrants/ann/challenges.json", &challenges(&[], 5));
    assert_eq!(ask(&token, "bob v2"), 429, "five in an hour");
    arena.write("entrants/ann/challenges.json", &challenges(&[], 4));
    assert_eq!(ask(&token, "bob v2"), 303);
    fs::remove_file(&file).expect("removed");
    let paused = arena.command(&["league", "pause"]).status().expect("started");
    assert!(paused.success());
    assert_eq!(ask(&token, "bob v2"), 403);
    assert!(!page().contains("<select") && !file.exists());
}
