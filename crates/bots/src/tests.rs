use std::time::Duration;

use rand::SeedableRng;

use super::*;
use referee_games::Options;
use referee_games::two_player::{GameResult, Step, Turn};
use referee_games::watch_your_back::WatchYourBack;

type Player = Box<dyn Bot<WatchYourBack>>;

fn bot(name: &str) -> Player {
    parse_bot_name(name).expect("a bot").create_bot()
}

fn start() -> WatchYourBack {
    let options = Options::resolve(&WatchYourBack::sheet().options, []).expect("defaults");
    WatchYourBack::start(&WatchYourBack::rules(&options).expect("rules").into())
}

/// Plays a game in process; every action must be legal. Returns the actions and the result.
fn game(white: &str, black: &str, seed: u64, time: Allotment) -> (Vec<String>, GameResult) {
    let (mut white, mut black) = (bot(white), bot(black));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut position, mut actions) = (start(), Vec::new());
    loop {
        let step = match position.turn() {
            Turn::Over(outcome) => return (actions, outcome.result),
            Turn::Pass(_) => Step::Pass,
            Turn::Move(seat) => {
                let player = if seat == Side::First { &mut white } else { &mut black };
                let choice = player.choose(&position, seat, time, &mut rng).expect("a choice");
                assert!(position.legal_actions(seat).contains(&choice.action));
                assert!(choice.eval.is_none_or(|eval| (-1.0..=1.0).contains(&eval)));
                actions.push(choice.action.to_string());
                Step::Move(choice.action)
            }
            turn => panic!("{turn:?}"),
        };
        position.play_silently(step);
    }
}

/// Returns how many of twenty games, ten in each seat, `name` wins against `other`.
fn wins(name: &str, other: &str) -> usize {
    let time = Allotment::default();
    let won = |seed| {
        let as_white = game(name, other, seed, time).1 == GameResult::Win(Side::First);
        let as_black = game(other, name, seed, time).1 == GameResult::Win(Side::Second);
        usize::from(as_white) + usize::from(as_black)
    };
    (0..10).map(won).sum()
}

#[test]
fn names_round_trip() {
    for name in NAMES.iter().copied().chain(["search-1", "search-2000"]) {
        assert_eq!(parse_bot_name(name).expect("a bot").to_string(), name);
    }
    for name in ["", "searcher", "search-", "search-0", "search-01", "search-x", "search-+5"] {
        let error = parse_bot_name(name).expect_err("refused");
        assert_eq!(
            error.to_string(),
            format!(
                "unknown built-in player `{name}`; expected `random`, `greedy`, `steady`, \
                 `search` or `search-<positions per move>`, for example `search-2000`"
            )
        );
    }
}

#[test]
fn all_kinds_play_legal_games_to_the_end() {
    for (seed, pair) in [("random", "random"), ("greedy", "greedy"), ("search-1", "search-50")]
        .into_iter()
        .cycle()
        .take(60)
        .enumerate()
    {
        game(pair.0, pair.1, seed as u64, Allotment::default());
    }
}

#[test]
fn the_searcher_beats_the_others() {
    for other in ["random", "greedy"] {
        let wins = wins("search-2000", other);
        assert!(wins >= 19, "{wins} of 20 against {other}");
    }
}

#[test]
fn the_greedy_player_beats_the_random_one() {
    assert!(wins("greedy", "random") >= 17);
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let play = |seed| game("search-300", "search-200", seed, Allotment::default());
    assert_eq!(play(5), play(5));
    assert_ne!(play(5).0, play(6).0);
}

#[test]
fn a_searching_player_without_time_still_chooses() {
    let time = Allotment { per_move: Some(Duration::ZERO), ..Allotment::default() };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let choice = bot("search").choose(&start(), Side::First, time, &mut rng).expect("a choice");
    assert!(start().legal_actions(Side::First).contains(&choice.action));
}
