//! The positions that a seat may think about.

use rand::RngCore;

use super::{AnyPosition, GameError, Position};
use crate::seat::Seat;

/// The number of different draws of a guess.
const DRAWS: u64 = 1 << 53;

/// Positions that `seat` cannot tell from this one: the position itself if nothing is hidden, else
/// up to `most` guesses, which `rng` chooses. Empty if the game makes no guesses.
///
/// # Errors
/// A failure of the game.
pub fn draw_guesses(
    position: &dyn AnyPosition,
    is_hidden: bool,
    (seat, most): (Seat, u32),
    rng: &mut dyn RngCore,
) -> Result<Vec<Position>, GameError> {
    if !is_hidden {
        return Ok((0..most.min(1)).map(|_| position.boxed()).collect());
    }
    let guess = |_| position.guess(seat, rng.next_u64() % DRAWS).transpose();
    (0..most).filter_map(guess).collect()
}
