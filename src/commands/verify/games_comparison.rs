//! Compares `games.csv` with a log while the log is read.

use std::io;
use std::path::Path;

use super::same_as::SameAs;
use crate::commands::results::GAMES_TABLE;
use crate::log::{GameLine, GameNames};
use crate::report::games::GamesTable;

/// Takes the games that `games.csv` should list, in order.
#[derive(Debug)]
pub(super) struct GamesComparison(io::Result<GamesTable<SameAs>>);

impl GamesComparison {
    /// With the table in `dir`, for a log with these names.
    pub(super) fn new(dir: &Path, names: GameNames) -> Self {
        Self(GamesTable::new(SameAs::open(&dir.join(GAMES_TABLE)), names))
    }

    /// Takes the next game.
    pub(super) fn add(&mut self, game: &GameLine) {
        if let Ok(table) = &mut self.0
            && let Err(error) = table.write(game)
        {
            self.0 = Err(error);
        }
    }

    /// Whether the table lists exactly these games.
    ///
    /// # Errors
    ///
    /// When the table cannot be read.
    pub(super) fn conclude(self) -> io::Result<bool> {
        self.0.and_then(GamesTable::finish).and_then(SameAs::conclude)
    }
}
