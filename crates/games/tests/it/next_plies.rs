//! Compares the fast way to play every next ply with playing step by step.

use referee_games::{Game, Step, Turn};

/// Checks that both ways lead to the same positions, and that they are counted.
pub(crate) fn check_next_plies<G: Game>(game: &G) {
    let mut fast = Vec::new();
    game.each_next_ply(|next| fast.push(format!("{next:?}")));
    let mut slow = Vec::new();
    play_step_by_step(game, &mut slow);
    fast.sort();
    slow.sort();
    assert_eq!(fast, slow, "after {game:?}");
    assert_eq!(game.count_next_ply(), slow.len() as u64, "after {game:?}");
}

fn play_step_by_step<G: Game>(game: &G, nexts: &mut Vec<String>) {
    let steps: Vec<_> = match game.turn() {
        Turn::Chance(_) => game.different_outcomes().into_iter().map(Step::Chance).collect(),
        Turn::Move(seat) => game.legal_actions(seat).into_iter().map(Step::Move).collect(),
        Turn::Pass(_) => vec![Step::Pass],
        Turn::Both | Turn::Over(_) => Vec::new(),
    };
    for step in steps {
        let is_chance = matches!(step, Step::Chance(_));
        let mut next = game.clone();
        next.play_silently(step);
        if is_chance {
            play_step_by_step(&next, nexts);
        } else {
            nexts.push(format!("{next:?}"));
        }
    }
}
