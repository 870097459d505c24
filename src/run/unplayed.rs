//! The games of a run that could not be played.

use crate::error::Failure;

/// At most this many games are named.
const NAMED: usize = 5;

/// The games that could not be played.
#[derive(Debug, Default)]
pub(super) struct Unplayed {
    count: usize,
    /// The first of them, with reasons.
    named: Vec<String>,
}

impl Unplayed {
    /// Notes that a worker panicked twice in this game, the second time with this message.
    pub(super) fn add(&mut self, game: &str, message: &str) {
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push(format!("{game}: {message}"));
        }
    }

    /// The error that they cause for the run, if there are any.
    pub(super) fn failure(&self) -> Option<Failure> {
        let games = match self.count {
            0 => return None,
            1 => "1 game".to_owned(),
            count => format!("{count} games"),
        };
        let more = match self.count - self.named.len() {
            0 => String::new(),
            more => format!("\n  and {more} more"),
        };
        Some(Failure::system(format!(
            "{games} could not be played, because the referee panicked twice:\n  {}{more}\nThis is \
             a bug of the referee or of the game's rules. Every other game that was due was \
             played; run the same command again to try the rest once more",
            self.named.join("\n  ")
        )))
    }
}
