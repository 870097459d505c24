//! One interface to built-in players of all games.

use rand_chacha::ChaCha8Rng;

use super::{Allotment, Choice};
use referee_games::{AnyPosition, GameError, Seat, StepText};

/// A built-in player during a game. It follows the game step by step, and chooses an action when
/// asked.
pub trait BotEngine: Send {
    /// The current position of the game it follows.
    fn position(&self) -> &dyn AnyPosition;

    /// Plays the next step of the game.
    ///
    /// # Errors
    /// The step does not answer the turn, or is illegal.
    fn follow(&mut self, step: StepText<'_>) -> Result<(), GameError>;

    /// Calls `then` at the position after this step, and returns to the one before it.
    ///
    /// # Errors
    /// As [`follow`](Self::follow); `then` is then not called.
    fn branch(
        &mut self,
        step: StepText<'_>,
        then: &mut dyn FnMut(&mut dyn BotEngine),
    ) -> Result<(), GameError>;

    /// Chooses an action for `seat`, whose turn it must be; `None` only if there is no legal
    /// action.
    fn choose(
        &mut self,
        seat: Seat,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<String>>;
}
