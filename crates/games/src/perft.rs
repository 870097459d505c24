//! Perft: counts of move sequences by depth, a quick test of whether two programs implement the
//! same rules.
//!
//! Depth counts plies. A forced pass is one ply. A simultaneous turn is one ply and counts the
//! combinations of actions. A chance outcome is not a ply, and all
//! [different outcomes](AnyPosition::different_outcomes) are followed. A game that ends earlier
//! adds nothing.

use std::iter;

use super::{AnyPosition, GameError, Step, TextStep, Turn};

/// Counts the ways to get from `position` to positions `depth` plies later.
///
/// # Errors
/// The game does not list its actions, or failed.
pub fn perft(position: &dyn AnyPosition, depth: u32) -> Result<u64, GameError> {
    match (depth, position.turn()) {
        (0, _) => Ok(1),
        (_, Turn::Over(_)) => Ok(0),
        (1, turn @ (Turn::Move(_) | Turn::Together(_))) => {
            let mut counts = turn.asked().iter().map(|seat| match position.legal_count(seat) {
                0 => Err(GameError::Unlisted),
                count => Ok(count),
            });
            counts.try_fold(1_u64, |product, count| {
                product.checked_mul(count?).ok_or(GameError::Uncountable)
            })
        }
        _ => perft_divide(position, depth)?
            .try_fold(0_u64, |sum, below| sum.checked_add(below?.1).ok_or(GameError::Uncountable)),
    }
}

/// Every step from `position`, and the count below it, in order. `depth` must be at least 1.
///
/// # Errors
/// The game does not list its actions, or failed.
pub fn perft_divide(
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
    Ok(perft_steps(position)?.map(below))
}

/// Every step that answers the turn, one by one, because there can be too many combinations of
/// actions to list.
fn perft_steps(
    position: &dyn AnyPosition,
) -> Result<Box<dyn Iterator<Item = TextStep>>, GameError> {
    let actions = |seat| position.all_actions(seat).ok_or(GameError::Unlisted);
    Ok(match position.turn() {
        Turn::Move(seat) => Box::new(actions(seat)?.into_iter().map(Step::Move)),
        Turn::Pass(_) => Box::new(iter::once(Step::Pass)),
        Turn::Together(seats) => {
            let lists = seats.iter().map(actions).collect::<Result<Vec<_>, _>>()?;
            let lengths = lists.iter().map(|list| list.len() as u128);
            let count = lengths.fold(1, u128::saturating_mul);
            Box::new(
                (0..count).map(move |number| Step::Together(perft_combination(&lists, number))),
            )
        }
        Turn::Chance(_) => Box::new(position.different_outcomes().into_iter().map(Step::Chance)),
        Turn::Over(_) => Box::new(iter::empty()),
    })
}

/// One action from each list: those of the last list change with every number.
fn perft_combination(lists: &[Vec<String>], mut number: u128) -> Vec<String> {
    let mut chosen: Vec<String> = lists
        .iter()
        .rev()
        .map(|list| {
            let count = list.len() as u128;
            let at = usize::try_from(number % count).unwrap_or_default();
            number /= count;
            list[at].clone()
        })
        .collect();
    chosen.reverse();
    chosen
}
