//! House players behind one interface, whichever game they play.

use rand_chacha::ChaCha8Rng;

use super::{Allotment, Choice};
use referee_games::{AnyPosition, GameError, Seat, StepText};

/// A house player in the middle of a game: it follows the game step by step, and chooses when it
/// is asked.
pub trait Engine: Send {
    /// The position that it has followed the game to.
    fn position(&self) -> &dyn AnyPosition;

    /// Takes in the next step of the game.
    ///
    /// # Errors
    /// The step does not answer the turn, or is illegal.
    fn follow(&mut self, step: StepText<'_>) -> Result<(), GameError>;

    /// Chooses an action for `seat`, which is asked; `None` only if there is no legal action.
    fn choose(
        &mut self,
        seat: Seat,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<String>>;
}
