use std::time::Duration;

use rand::SeedableRng;

use super::*;
use crate::{parse_bot_name, random};
use referee_games::Options;
use referee_games::two_player::GameResult;

type Player = Box<dyn Bot<BackToTheWall>>;

fn start(rounds: &str) -> BackToTheWall {
    let options =
        Options::resolve(&BackToTheWall::sheet().options, [("rounds", rounds)]).expect("options");
    BackToTheWall::start(&BackToTheWall::rules(&options).expect("rules").into())
}

fn bot(name: &str) -> Player {
    parse_bot_name(name).expect("a bot").create_bot()
}

/// Plays a match in process; every action must be legal.
fn game(names: &BySide<&str>, rounds: &str, seed: u64) -> (Vec<String>, GameResult) {
    let mut players = names.map(bot);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut position, mut actions) = (start(rounds), Vec::new());
    loop {
        if let Turn::Over(outcome) = position.turn() {
            return (actions, outcome.result);
        }
        let turn = BySide::from_fn(|seat| {
            let choice = players[seat].choose(&position, seat, Allotment::default(), &mut rng);
            let Choice { action, eval } = choice.expect("a choice");
            assert_eq!(position.parse_action(seat, &action.to_string()), Ok(action));
            assert!(eval.is_none_or(|eval| (-1.0..=1.0).contains(&eval)));
            action
        });
        actions.extend(turn.iter().map(|(_, action)| action.to_string()));
        position.play_silently(Step::Both(turn));
    }
}

/// Returns how many of twenty matches on `rounds`, ten in each seat, `name` wins against `other`.
fn wins(name: &str, other: &str, rounds: &str) -> usize {
    let won = |seed| {
        let first = game(&BySide::new(name, other), rounds, seed).1;
        let second = game(&BySide::new(other, name), rounds, seed).1;
        usize::from(first == GameResult::Win(Side::First))
            + usize::from(second == GameResult::Win(Side::Second))
    };
    (0..10).map(won).sum()
}

#[test]
fn all_kinds_play_legal_matches_to_the_end() {
    for (names, rounds) in [
        (BySide::new("random", "greedy"), "best-of-3"),
        (BySide::new("search-1", "search-100"), "once,thrice"),
        (BySide::new("search-500", "random"), "twice"),
    ] {
        game(&names, rounds, 4);
    }
}

#[test]
fn the_greedy_player_beats_the_random_one() {
    let wins = wins("greedy", "random", "once,twice,thrice");
    assert!(wins >= 18, "{wins} of 20");
}

#[test]
#[ignore = "slow: twenty matches"]
fn the_searcher_beats_the_greedy_one() {
    let wins = wins("search-1500", "greedy", "best-of-3");
    assert!(wins >= 16, "{wins} of 20");
}

#[test]
fn the_same_seed_plays_the_same_match() {
    let play = |seed| game(&BySide::new("search-400", "greedy"), "once", seed);
    assert_eq!(play(5), play(5));
    assert_ne!(play(5).0, play(6).0);
}

#[test]
fn a_searching_player_without_time_still_chooses() {
    let time = Allotment { per_move: Some(Duration::ZERO), ..Allotment::default() };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for rounds in ["once", "thrice"] {
        let choice = bot("search").choose(&start(rounds), Side::First, time, &mut rng);
        assert!(choice.is_some(), "{rounds}");
    }
}

#[test]
fn no_seat_chooses_after_the_end() {
    let mut position = start("once");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    while position.turn() == Turn::Both {
        let action = |seat| position.random_action(seat, &mut rng).expect("an action");
        position.play_silently(Step::Both(BySide::from_fn(action)));
    }
    for player in [Box::new(random::RandomBot) as Player, bot("greedy"), bot("search-9")] {
        let mut player = player;
        let choice = player.choose(&position, Side::First, Allotment::default(), &mut rng);
        assert_eq!(choice, None);
    }
}
