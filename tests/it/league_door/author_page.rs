//! What an author's page finds out for its author: where lost games turned.

use super::{Door, LEAGUE, Value, league_of};
use crate::support::{Config, wait_until};

/// What the page says while it does not know all.
const LOOKING: &str = "still being looked through";

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
    // The terminal says the same.
    let arena = door.served.arena();
    let words = ["replay", id, "--with", "bot:search-1000", "--ply", ply];
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
