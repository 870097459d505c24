//! 49 games decided by the course's own rules code of 2018.

use std::sync::Arc;

use referee_games::Game;
use referee_games::two_player::{GameResult, Side, Step, Turn};
use referee_games::watch_your_back::{EndCheck, MutualBlock, Rules, WatchYourBack};
use serde::Deserialize;

const GAMES: &str = include_str!("../data/watch-your-back.jsonl");

#[derive(Deserialize)]
struct Recorded {
    actions: Vec<String>,
    boards: Vec<String>,
    result: String,
}

fn recorded() -> Vec<Recorded> {
    GAMES.lines().map(|line| serde_json::from_str(line).expect("a recorded game")).collect()
}

/// The rules of the recordings, without W11.
fn rules(end_check: EndCheck) -> Arc<Rules> {
    Arc::new(Rules { end_check, mutual_block: MutualBlock::Off, repetition: 0, max_moves: 0 })
}

/// The board in the signs of the recordings.
fn signs(game: &WatchYourBack) -> String {
    let sign = |symbol| match symbol {
        'W' => 'O',
        'B' => '@',
        '.' => '-',
        '#' => ' ',
        corner => corner,
    };
    game.rows().concat().chars().map(sign).collect()
}

fn result(game: &WatchYourBack) -> &'static str {
    match game.turn() {
        Turn::Over(outcome) => {
            assert_eq!(outcome.reason, "elimination");
            match outcome.result {
                GameResult::Win(seat) => WatchYourBack::SEATS[seat],
                GameResult::Draw => "draw",
            }
        }
        _ => "unfinished",
    }
}

/// Plays a recording and compares every board and the result.
fn agrees(recorded: &Recorded, end_check: EndCheck) -> Result<(), String> {
    let mut game = WatchYourBack::start(&rules(end_check));
    for (number, (text, board)) in recorded.actions.iter().zip(&recorded.boards).enumerate() {
        let text = if text == "-" { "pass" } else { text };
        let (Turn::Move(seat) | Turn::Pass(seat)) = game.turn() else {
            return Err(format!("over before action {number}"));
        };
        assert_eq!(matches!(game.turn(), Turn::Pass(_)), text == "pass", "action {number}");
        let action = game.parse_action(seat, text).map_err(|refusal| refusal.to_string())?;
        game.play_unchecked(Step::Move(action), &mut Vec::new());
        if signs(&game) != *board {
            return Err(format!("another board after action {number}, {text}"));
        }
    }
    let result = result(&game);
    if result == recorded.result {
        Ok(())
    } else {
        Err(format!("{result}, not {}", recorded.result))
    }
}

#[test]
fn every_board_and_result_agrees() {
    let games = recorded();
    assert_eq!(games.len(), 49);
    for (index, game) in games.iter().enumerate() {
        assert_eq!(game.actions.len(), game.boards.len());
        assert_eq!(agrees(game, EndCheck::BeforeAndAfterShrink), Ok(()), "line {}", index + 1);
    }
}

#[test]
fn the_w10_option_changes_two_recorded_games() {
    let differs = |(index, game)| agrees(game, EndCheck::AfterShrink).is_err().then_some(index + 1);
    let games = recorded();
    let lines: Vec<usize> = games.iter().enumerate().filter_map(differs).collect();
    assert_eq!(lines, [25, 39]);
}

#[test]
fn recorded_games_cover_rare_cases() {
    let games = recorded();
    let count = |wanted: fn(&Recorded) -> bool| games.iter().filter(|game| wanted(game)).count();
    assert_eq!(count(|game| game.actions.iter().any(|text| text == "-")), 4);
    assert_eq!(count(|game| game.actions.len() == 24), 3);
    assert_eq!(count(|game| game.result == "unfinished"), 2);
    assert!(count(|game| game.actions.len() >= 24 + 192) > 0);
}

#[test]
fn no_seat_is_asked_after_the_end() {
    for recorded in recorded().iter().filter(|game| game.result != "unfinished") {
        let mut game = WatchYourBack::start(&rules(EndCheck::BeforeAndAfterShrink));
        for text in &recorded.actions {
            let text = if text == "-" { "pass" } else { text };
            let seat = game.board().to_move();
            let action = game.parse_action(seat, text).expect("a legal action");
            game.play_silently(Step::Move(action));
        }
        for seat in Side::BOTH {
            assert_eq!(game.legal_actions(seat), []);
            let refusal = game.parse_action(seat, "pass").expect_err("a refusal").to_string();
            assert_eq!(refusal, "W9: pass comes after the end");
        }
    }
}
