//! Counts of positions by depth, which tell quickly whether two programs play by the same rules.
//!
//! Depth counts plies. An outcome of chance is none, and all outcomes are followed; a forced pass
//! is one; a simultaneous turn is one and counts the pairs of actions. A game that ends earlier
//! adds nothing.

use std::convert::Infallible;

use super::{BySeat, Game, PASS, Seat, Step, StepOf, Turn};

/// How many ways lead from `game` to positions `depth` plies later.
pub fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    match game.turn() {
        Turn::Move(seat) if depth == 1 => game.legal_count(seat),
        Turn::Both if depth == 1 => Seat::BOTH.map(|seat| game.legal_count(seat)).iter().product(),
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

/// Hands the count behind each step from `game` to `each`, with the step's text, in order, until
/// that fails; `depth` at least 1.
pub fn divide<G: Game, E>(
    game: &G,
    depth: u32,
    mut each: impl FnMut(&str, u64) -> Result<(), E>,
) -> Result<(), E> {
    each_step(game, |step| each(&text::<G>(&step), below(game, step, depth)))
}

/// Every step that answers the turn of `game`, one by one: pairs of actions are too many to list.
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

/// The count behind one step, `depth` plies from before it.
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
