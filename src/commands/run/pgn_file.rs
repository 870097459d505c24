//! Writes the games to a file in PGN while they are played.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::command_failure::Failure;
use referee_record::disk;
use referee_record::log::WriteError;
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::{GameRecord, Header};
use referee_record::model::tournament::Tournament;
use referee_record::plain_files::open_plain_nofollow_with;
use referee_report::pgn::{PgnComments, pgn};
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::run::run_event::{RunEvent, RunListener};
use referee_tournament::schedule::tournament_state::TournamentState;

/// A file of the results folder that has every game of the log, in PGN.
pub(super) struct PgnFile {
    path: PathBuf,
    file: File,
    rules: GameRules,
    header: Header,
}

impl PgnFile {
    /// Writes the games in the log of `dir` to a new file there, which is to get the games that
    /// follow.
    pub(super) fn begin(name: &str, tournament: &Tournament, dir: &Path) -> Result<Self, Failure> {
        let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
        let analysis = TournamentAnalysis::read(dir, Faulted::Count)?;
        let path = dir.join(name);
        let failed = |error: io::Error| Failure::cannot_write(&path, &error);
        disk::write_atomically(&path, |out| {
            let written = analysis.each_game(|game| {
                let text = pgn(&rules, &analysis.header, &game.record, PgnComments::Scores);
                let broken = |why| Failure::input(format!("game {}: {why}", game.record.id));
                out.write_all(text.map_err(broken)?.as_bytes()).map_err(failed)
            });
            written.map_err(io::Error::other)
        })
        .map_err(failed)?;
        let file =
            open_plain_nofollow_with(OpenOptions::new().append(true), &path).map_err(failed)?;
        Ok(Self { path, file, rules, header: analysis.header })
    }

    fn append(&mut self, record: &GameRecord) -> io::Result<()> {
        let text = pgn(&self.rules, &self.header, record, PgnComments::Scores)
            .map_err(io::Error::other)?;
        self.file.write_all(text.as_bytes())
    }
}

impl RunListener for PgnFile {
    fn on(&mut self, event: RunEvent<'_>, _: &TournamentState) -> Result<(), WriteError> {
        if let RunEvent::GameFinished { record, .. } = event {
            self.append(record)
                .map_err(|source| WriteError::Failed { path: self.path.clone(), source })?;
        }
        Ok(())
    }
}
