//! Compares `games.csv` with a log while the log is read.

use std::io;
use std::path::{Path, PathBuf};

use blake3::Hasher;

use crate::commands::results::GAMES_TABLE;
use referee_record::bounded;
use referee_record::log::{GameLine, GameNames};
use referee_report::games::GamesTable;

/// Takes the games that `games.csv` should list, in order. Keeps only the hash of the table.
#[derive(Debug)]
pub(super) struct GamesComparison {
    path: PathBuf,
    table: io::Result<GamesTable<Hasher>>,
}

impl GamesComparison {
    /// With the table in `dir`, for a log with these names.
    pub(super) fn new(dir: &Path, names: GameNames) -> Self {
        Self { path: dir.join(GAMES_TABLE), table: GamesTable::new(Hasher::new(), names) }
    }

    /// Takes the next game.
    pub(super) fn add(&mut self, game: &GameLine) {
        if let Ok(table) = &mut self.table
            && let Err(error) = table.write(game)
        {
            self.table = Err(error);
        }
    }

    /// Whether the table lists exactly these games.
    ///
    /// # Errors
    ///
    /// When the table cannot be read.
    pub(super) fn conclude(self) -> io::Result<bool> {
        let mut found = Hasher::new();
        io::copy(&mut bounded::open(&self.path)?, &mut found)?;
        Ok(self.table?.finish()?.finalize() == found.finalize())
    }
}
