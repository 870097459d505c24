use std::collections::BTreeMap;

use super::*;
use crate::game_trial::{GameFinding, GamePortrait};

fn half(of: u32) -> PortraitShare {
    PortraitShare { share: 0.5, low: 0.25, high: 0.754, of }
}

fn sample(players: &str) -> GameSample {
    GameSample {
        players: players.to_owned(),
        games: 4,
        first_seat: half(4),
        decisive: half(4),
        plies: PortraitQuantiles { least: 1, lower: 2, median: 3, upper: 4, most: 9, mean: 3.26 },
        reasons: BTreeMap::from([("full".to_owned(), 1), ("taken".to_owned(), 3)]),
        winner_only: false,
    }
}

fn trial(findings: Vec<GameFinding>, portrait: Option<GamePortrait>) -> GameTrial {
    GameTrial {
        game: "nim".to_owned(),
        title: "Nim\u{1b}".to_owned(),
        seats: ["one", "two"].map(str::to_owned).into(),
        seed: 7,
        defaults: Vec::new(),
        games: 4,
        findings,
        hidden: None,
        portrait,
    }
}

fn finding(problem: &str, steps: &[&str]) -> GameFinding {
    let steps = steps.iter().map(|&step| step.to_owned()).collect();
    GameFinding { problem: problem.to_owned(), steps, count: 1 }
}

fn portrait() -> GamePortrait {
    GamePortrait { random: sample("random"), search: Some(sample("search-9")), branching: None }
}

#[test]
fn a_mistake_is_shown_with_the_steps_to_it() {
    let findings = vec![
        finding("it ended\n  request: {}", &[]),
        finding("`1` is listed twice", &["2"]),
        finding("no turn", &["2", "1"]),
    ];
    assert_eq!(
        format_trial(&trial(findings, None))[2..],
        [
            "1. it ended",
            "   at the start",
            "   request: {}",
            "2. `1` is listed twice",
            "   after one step: 2",
            "3. no turn",
            "   after 2 steps: 2, 1",
        ]
    );
}

#[test]
fn options_with_their_defaults_are_named() {
    let defaults = ["misere", "columns"].map(str::to_owned).to_vec();
    let trial = GameTrial { defaults, ..trial(Vec::new(), None) };
    let line = "options: only the defaults were tested (misere, columns); --option NAME=VALUE \
                tests others";
    assert_eq!(format_trial(&trial)[2..], ["nothing found", line]);
}

#[test]
fn a_portrait_is_shown_with_its_intervals() {
    let lines = format_trial(&trial(Vec::new(), Some(portrait())));
    assert!(lines[0].starts_with(r"Nim\u{1b} (nim), 4 random games, seed 7"), "{}", lines[0]);
    let says = |text: &str| assert!(lines.iter().any(|line| line.contains(text)), "{lines:?}");
    says("4 games between random players");
    says("4 games between search-9 players");
    says("points for one: 50% (95%: 25% to 75%)");
    says("plies: 1 to 9, half of them 2 to 4, median 3, mean 3.3");
    says("reasons: full 1, taken 3");
    assert!(!lines.iter().any(|line| line.contains("legal actions")), "they are not listed");
}

#[test]
fn a_note_says_that_games_only_tell_a_winner() {
    let note = |winner_only| {
        let random = GameSample { winner_only, ..sample("random") };
        let portrait = GamePortrait { random, ..portrait() };
        format_trial(&trial(Vec::new(), Some(portrait)))[3].clone()
    };
    assert!(note(true).starts_with("places: the games only say who won"), "{}", note(true));
    assert_eq!(note(false), "");
}
