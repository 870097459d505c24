//! Writes the games to a file in PGN while they are played.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::Failure;
use referee_record::disk;
use referee_record::log::WriteError;
use referee_record::model::record::{GameRecord, Header};
use referee_record::model::rules::GameRules;
use referee_record::model::tournament::Tournament;
use referee_report::pgn::{event_tag, pgn};
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::analysis::results::Faulted;
use referee_tournament::run::event::{Listener, RunEvent};
use referee_tournament::schedule::state::TournamentState;

/// A file that has every game of the log, in PGN.
pub(super) struct PgnFile<'a> {
    path: &'a Path,
    file: File,
    rules: GameRules,
    header: Header,
}

impl<'a> PgnFile<'a> {
    /// Writes the games in the log of `dir` to a new file, which is to get the games that follow.
    pub(super) fn begin(
        path: &'a Path,
        tournament: &Tournament,
        dir: &Path,
    ) -> Result<Self, Failure> {
        let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
        let analysis = TournamentAnalysis::read(dir, Faulted::Count)?;
        refuse_others(path, &event_tag(&analysis.header))?;
        let failed = |error: io::Error| Failure::cannot_write(path, &error);
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        disk::write_whole(path, |out| {
            let written = analysis.each_game(|game| {
                let text = pgn(&rules, &analysis.header, &game.record);
                let broken = |why| Failure::input(format!("game {}: {why}", game.record.id));
                out.write_all(text.map_err(broken)?.as_bytes()).map_err(failed)
            });
            written.map_err(|failure| io::Error::other(failure.message))
        })
        .map_err(failed)?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok(Self { path, file, rules, header: analysis.header })
    }

    fn append(&mut self, record: &GameRecord) -> io::Result<()> {
        let text = pgn(&self.rules, &self.header, record).map_err(io::Error::other)?;
        self.file.write_all(text.as_bytes())
    }
}

/// Refuses what is no file, or a file that does not begin with a game of this tournament.
fn refuse_others(path: &Path, event: &str) -> Result<(), Failure> {
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    let mut begin = Vec::new();
    if found.is_file() {
        let read =
            File::open(path).and_then(|file| file.take(event.len() as u64).read_to_end(&mut begin));
        read.map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())))?;
        // A crash may have left a part of a game.
        if event.as_bytes().starts_with(&begin) {
            return Ok(());
        }
    }
    Err(Failure::conflict(format!(
        "{} does not have games of this tournament; name another file under `pgn`",
        path.display()
    )))
}

impl Listener for PgnFile<'_> {
    fn on(&mut self, event: RunEvent<'_>, _: &TournamentState) -> Result<(), WriteError> {
        if let RunEvent::GameFinished { record, .. } = event {
            let path = PathBuf::from(self.path);
            self.append(record).map_err(|source| WriteError::Failed { path, source })?;
        }
        Ok(())
    }
}
