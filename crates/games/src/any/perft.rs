//! Perft for any game, over texts.

use super::{AnyPosition, GameError};
use crate::seat::{BySeat, Seat};
use crate::turn::{PASS, Step, StepText, TextStep, Turn};

/// Counts the ways to get from a position of any game to positions `depth` plies later, as
/// [`perft`](crate::perft::perft) does, but follows all chance outcomes whose weight is not 0.
///
/// # Errors
/// The game does not list its actions, or failed.
pub fn perft_of_any(position: &dyn AnyPosition, depth: u32) -> Result<u64, GameError> {
    if depth == 0 {
        return Ok(1);
    }
    if depth == 1 && !matches!(position.turn(), Turn::Chance(_) | Turn::Pass(_)) {
        let counts = position.turn().asked().iter().map(|&seat| Ok(listed(position, seat)?.len()));
        let counts = counts.collect::<Result<Vec<_>, GameError>>()?;
        let product = counts.iter().map(|&count| count as u64).product();
        return Ok(if counts.is_empty() { 0 } else { product });
    }
    let mut nodes = 0;
    each_text_step(position, &mut |step| {
        nodes += below_text(position, step, depth)?;
        Ok(true)
    })?;
    Ok(nodes)
}

/// Calls `each` with the text of every step from a position of any game and the count below it,
/// until it returns `false`. `depth` must be at least 1.
///
/// # Errors
/// The game does not list its actions, or failed.
pub fn divide_of_any(
    position: &dyn AnyPosition,
    depth: u32,
    each: &mut dyn FnMut(&str, u64) -> bool,
) -> Result<(), GameError> {
    each_text_step(position, &mut |step| {
        let count = below_text(position, step, depth)?;
        let text = match step {
            Step::Move(text) | Step::Chance(text) => text.to_owned(),
            Step::Pass => PASS.to_owned(),
            Step::Both(BySeat { first, second }) => format!("{first} / {second}"),
        };
        Ok(each(&text, count))
    })
}

/// Calls `each` with every step that answers the turn, until it returns `false`.
fn each_text_step(
    position: &dyn AnyPosition,
    each: &mut dyn FnMut(StepText<'_>) -> Result<bool, GameError>,
) -> Result<(), GameError> {
    let steps: Vec<TextStep> = match position.turn() {
        Turn::Move(seat) => listed(position, seat)?.into_iter().map(Step::Move).collect(),
        Turn::Pass(_) => vec![Step::Pass],
        Turn::Both => {
            let seconds = listed(position, Seat::Second)?;
            for first in listed(position, Seat::First)? {
                for second in &seconds {
                    if !each(Step::Both(BySeat::new(&first, second)))? {
                        return Ok(());
                    }
                }
            }
            Vec::new()
        }
        Turn::Chance(_) => {
            let possible = position.outcomes().into_iter().filter(|(_, weight)| *weight > 0);
            possible.map(|(outcome, _)| Step::Chance(outcome)).collect()
        }
        Turn::Over(_) => Vec::new(),
    };
    for step in &steps {
        if !each(step.as_text())? {
            break;
        }
    }
    Ok(())
}

fn listed(position: &dyn AnyPosition, seat: Seat) -> Result<Vec<String>, GameError> {
    position.legal_list(seat).ok_or(GameError::Unlisted)
}

/// The count below one step. `depth` is counted from before the step.
fn below_text(
    position: &dyn AnyPosition,
    step: StepText<'_>,
    depth: u32,
) -> Result<u64, GameError> {
    let left = if matches!(step, Step::Chance(_)) { depth } else { depth - 1 };
    if left == 0 {
        return Ok(1);
    }
    let mut next = position.boxed();
    next.play(step, &mut Vec::new())?;
    perft_of_any(&*next, left)
}
