//! Counts of positions by depth, which tell quickly whether two programs play by the same rules.
//!
//! Depth counts plies. An outcome of chance is none, and all outcomes are followed; a forced pass
//! is one; a simultaneous turn is one and counts the pairs of actions. A game that ends earlier
//! adds nothing.

use super::{BySeat, Game, Seat, Step, StepOf, Turn};

/// How many ways lead from `game` to positions `depth` plies later.
pub fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    match game.turn() {
        Turn::Move(seat) if depth == 1 => game.legal_count(seat),
        Turn::Both if depth == 1 => Seat::BOTH.map(|seat| game.legal_count(seat)).iter().product(),
        _ => steps(game).into_iter().map(|step| below(game, step, depth)).sum(),
    }
}

/// The counts behind each step from `game`, with the step's text, in order; `depth` at least 1.
pub fn divide<G: Game>(game: &G, depth: u32) -> Vec<(String, u64)> {
    steps(game).into_iter().map(|step| (text::<G>(&step), below(game, step, depth))).collect()
}

/// Every step that answers the turn of `game`.
fn steps<G: Game>(game: &G) -> Vec<StepOf<G>> {
    match game.turn() {
        Turn::Move(seat) => game.legal_actions(seat).into_iter().map(Step::Move).collect(),
        Turn::Pass(_) => vec![Step::Move(G::pass())],
        Turn::Both => pairs(game).into_iter().map(Step::Both).collect(),
        Turn::Chance(..) => game.different_outcomes().into_iter().map(Step::Chance).collect(),
        Turn::Over(_) => Vec::new(),
    }
}

fn pairs<G: Game>(game: &G) -> Vec<BySeat<G::Action>> {
    let seconds = game.legal_actions(Seat::Second);
    let with_each = |first: G::Action| {
        seconds.iter().map(move |second| BySeat::new(first.clone(), second.clone()))
    };
    game.legal_actions(Seat::First).into_iter().flat_map(with_each).collect()
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
        Step::Both(BySeat { first, second }) => format!("{first} / {second}"),
        Step::Chance(outcome) => outcome.to_string(),
    }
}
