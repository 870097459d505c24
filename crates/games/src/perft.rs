//! Perft: counts of move sequences by depth, a quick test of whether two programs implement the
//! same rules.
//!
//! Depth counts plies. A forced pass is one ply. A simultaneous turn is one ply and counts the
//! pairs of actions. A chance outcome is not a ply, and all outcomes are followed. A game that ends
//! earlier adds nothing.

use std::convert::Infallible;

use super::{BySeat, Game, PASS, Seat, Step, StepOf, Turn};

/// Counts the ways to get from `game` to positions `depth` plies later.
pub fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => game.count_next_ply(),
        _ => {
            let mut nodes = 0;
            let Ok(()) = each_step::<G, Infallible>(game, |step| {
                nodes += below(game, step, depth);
                Ok(())
            });
            nodes
        }
    }
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

/// Calls `each` with every step that answers the turn of `game`, one by one, because there can be
/// too many pairs of actions to list.
fn each_step<G: Game, E>(
    game: &G,
    mut each: impl FnMut(StepOf<G>) -> Result<(), E>,
) -> Result<(), E> {
    match game.turn() {
        Turn::Move(seat) => game.legal_actions(seat).into_iter().map(Step::Move).try_for_each(each),
        Turn::Pass(_) => each(Step::Pass),
        Turn::Both => {
            let seconds = game.legal_actions(Seat::Second);
            game.legal_actions(Seat::First).into_iter().try_for_each(|first| {
                let both = |second: &G::Action| BySeat::new(first.clone(), second.clone());
                seconds.iter().map(both).map(Step::Both).try_for_each(&mut each)
            })
        }
        Turn::Chance(_) => {
            game.different_outcomes().into_iter().map(Step::Chance).try_for_each(each)
        }
        Turn::Over(_) => Ok(()),
    }
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
