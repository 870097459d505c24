//! Perft: counts of move sequences by depth, a quick test of whether two programs implement the
//! same rules.
//!
//! Depth counts plies. A forced pass is one ply. A simultaneous turn is one ply and counts the
//! pairs of actions. A chance outcome is not a ply, and all outcomes are followed. A game that ends
//! earlier adds nothing.

use super::game::each_step;
use super::{BySeat, Game, PASS, Step, StepOf};

/// Counts the ways to get from `game` to positions `depth` plies later.
pub fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => game.count_next_ply(),
        2 => total(game, G::count_next_ply),
        _ => total(game, |next| perft(next, depth - 1)),
    }
}

/// The sum of `count` over the positions one ply later.
fn total<G: Game>(game: &G, count: impl Fn(&G) -> u64) -> u64 {
    let mut nodes = 0;
    game.each_next_ply(|next| nodes += count(next));
    nodes
}

/// Calls `each` with the text of every step from `game` and the count below it, in order, until
/// `each` fails. `depth` must be at least 1.
pub fn divide<G: Game, E>(
    game: &G,
    depth: u32,
    mut each: impl FnMut(&str, u64) -> Result<(), E>,
) -> Result<(), E> {
    each_step(game, |step| each(&text::<G>(&step), below(game, step, depth)))
}

/// The count below one step. `depth` is counted from before the step.
fn below<G: Game>(game: &G, step: StepOf<G>, depth: u32) -> u64 {
    let left = if matches!(step, Step::Chance(_)) { depth } else { depth - 1 };
    if left == 0 {
        return 1;
    }
    let mut next = game.clone();
    next.play_silently(step);
    perft(&next, left)
}

fn text<G: Game>(step: &StepOf<G>) -> String {
    match step {
        Step::Move(action) => action.to_string(),
        Step::Pass => PASS.to_owned(),
        Step::Both(BySeat { first, second }) => format!("{first} / {second}"),
        Step::Chance(outcome) => outcome.to_string(),
    }
}
