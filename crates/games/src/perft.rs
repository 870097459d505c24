//! Perft: counts of move sequences by depth, a quick test of whether two programs implement the
//! same rules.
//!
//! Depth counts plies. A forced pass is one ply. A simultaneous turn is one ply and counts the
//! pairs of actions. A chance outcome is not a ply, and all
//! [different outcomes](AnyPosition::different_outcomes) are followed. A game that ends earlier
//! adds nothing.

use std::iter;

use super::{AnyPosition, BySeat, GameError, Seat, Step, TextStep, Turn};

/// Counts the ways to get from `position` to positions `depth` plies later.
///
/// # Errors
/// The game does not list its actions, or failed.
pub fn perft(position: &dyn AnyPosition, depth: u32) -> Result<u64, GameError> {
    match (depth, position.turn()) {
        (0, _) => Ok(1),
        (_, Turn::Over(_)) => Ok(0),
        (1, turn @ (Turn::Move(_) | Turn::Both)) => {
            let counts = turn.asked().iter().map(|&seat| match position.legal_count(seat) {
                0 => Err(GameError::Unlisted),
                count => Ok(count),
            });
            counts.product()
        }
        _ => divide(position, depth)?.map(|below| Ok(below?.1)).sum(),
    }
}

/// Every step from `position`, and the count below it, in order. `depth` must be at least 1.
///
/// # Errors
/// The game does not list its actions, or failed.
pub fn divide(
    position: &dyn AnyPosition,
    depth: u32,
) -> Result<impl Iterator<Item = Result<(TextStep, u64), GameError>>, GameError> {
    let below = move |step: TextStep| {
        let left = if matches!(step, Step::Chance(_)) { depth } else { depth - 1 };
        if left == 0 {
            return Ok((step, 1));
        }
        let mut next = position.boxed();
        next.play_silently(step.as_text())?;
        Ok((step, perft(&*next, left)?))
    };
    Ok(steps(position)?.map(below))
}

/// Every step that answers the turn, one by one, because there can be too many pairs of actions to
/// list.
fn steps(position: &dyn AnyPosition) -> Result<Box<dyn Iterator<Item = TextStep>>, GameError> {
    let actions = |seat| position.all_actions(seat).ok_or(GameError::Unlisted);
    Ok(match position.turn() {
        Turn::Move(seat) => Box::new(actions(seat)?.into_iter().map(Step::Move)),
        Turn::Pass(_) => Box::new(iter::once(Step::Pass)),
        Turn::Both => {
            let (firsts, seconds) = (actions(Seat::First)?, actions(Seat::Second)?);
            Box::new(firsts.into_iter().flat_map(move |first| {
                let both = move |second| Step::Both(BySeat::new(first.clone(), second));
                seconds.clone().into_iter().map(both)
            }))
        }
        Turn::Chance(_) => Box::new(position.different_outcomes().into_iter().map(Step::Chance)),
        Turn::Over(_) => Box::new(iter::empty()),
    })
}
