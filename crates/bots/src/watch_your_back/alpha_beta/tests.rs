use std::sync::Arc;

use rand::SeedableRng;

use super::evaluation::evaluate_game_result;
use super::*;
use referee_games::two_player::GameResult;
use referee_games::watch_your_back::Board;
use referee_games::{Game, Options};

/// Returns the choice of a search of `nodes` after `moves` moves on a board with these rows.
fn choice(rows: [&str; 8], moves: u32, nodes: u64) -> Choice<Action> {
    let options = Options::resolve(&WatchYourBack::sheet().options, []).expect("defaults");
    let rules = Arc::new(WatchYourBack::rules(&options).expect("rules"));
    let board = Board::from_rows(&rows, 24 + moves).expect("a board");
    let position = WatchYourBack::from_board(&rules, board);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    AlphaBeta::new(Limit::Nodes(nodes))
        .choose(&position, board.to_move(), Allotment::default(), &mut rng)
        .expect("a choice")
}

#[test]
fn it_finishes_the_enemy_off() {
    let rows = [
        "X......X", "........", "...W....", "...B....", "..W.....", "......B.", "........",
        "X......X",
    ];
    let choice = choice(rows, 10, 2000);
    assert_eq!(choice.action.to_string(), "2,4>3,4");
    assert_eq!(choice.eval, Some(1.0));
}

#[test]
fn the_searcher_leaves_the_ring_before_it_is_removed() {
    let rows = [
        "X......X", "........", "....W...", "W.......", "........", "....B...", ".....B..",
        "X......X",
    ];
    assert_eq!(choice(rows, 126, 2000).action.to_string(), "0,3>1,3");
}

#[test]
fn it_chooses_even_with_a_single_node() {
    let rows = [
        "X......X", "W.......", "W.......", "........", "........", "........", "BB......",
        "X......X",
    ];
    assert!(matches!(choice(rows, 0, 1).action, Action::Move { .. }));
}

#[test]
fn evals_stay_between_loss_and_win() {
    assert!(scale_alpha_beta_score(100) > 0.2 && scale_alpha_beta_score(100) < 0.3);
    let won = |seat| {
        scale_alpha_beta_score(evaluate_game_result(
            &Board::START,
            GameResult::Win(seat),
            Side::First,
        ))
    };
    assert!((won(Side::First) - 1.0).abs() < f64::EPSILON);
    assert!((won(Side::Second) + 1.0).abs() < f64::EPSILON);
}
