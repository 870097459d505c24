//! Diagnostics from a pass over a log.

use std::path::PathBuf;

use super::copies::copies;
use super::decisions::{DecisionHash, decisions};
use super::{Diagnostics, DiagnosticsCollector};
use crate::analysis::pass::{LoggedGame, PassError};
use crate::analysis::tournament::TournamentAnalysis;
use crate::folder::FolderError;
use referee_match::replay::ReplayError;
use referee_record::log::{LogError, LogProblem};
use referee_record::model::rules::GameRules;

/// Examines every game that counts, and its decisions.
pub struct Diagnoser {
    dir: PathBuf,
    observer: DiagnosticsCollector,
    rules: GameRules,
}

impl Diagnoser {
    /// Creates a diagnoser for the games of this tournament, which have these rules.
    pub fn new(analysis: &TournamentAnalysis, rules: GameRules) -> Self {
        let observer = DiagnosticsCollector::new(analysis.evaluation.results.names());
        Self { dir: analysis.dir().to_owned(), observer, rules }
    }

    /// Examines a game that was replayed already, with these decisions.
    ///
    /// # Errors
    /// It counts, but could not be replayed.
    pub fn add(
        &mut self,
        game: &LoggedGame<'_>,
        decisions: Result<Vec<DecisionHash>, ReplayError>,
    ) -> Result<(), PassError> {
        if !game.counts {
            return Ok(());
        }
        let decisions = decisions.map_err(|error| {
            let problem = LogProblem::Unplayable(error.into());
            FolderError::of_log(&self.dir)(LogError { line: game.line, problem })
        })?;
        self.observer.add(game.outline, game.summary, &decisions);
        Ok(())
    }

    /// Examines a game.
    ///
    /// # Errors
    /// It counts, but cannot be read or replayed.
    pub fn visit(&mut self, game: &LoggedGame<'_>) -> Result<(), PassError> {
        if !game.counts {
            return Ok(());
        }
        self.add(game, decisions(&self.rules.start, &*game.record()?))
    }

    /// The findings, after all games were visited.
    pub fn finish(self, analysis: &TournamentAnalysis) -> Diagnostics {
        let evaluation = &analysis.evaluation;
        let players = analysis.header.players.iter();
        let players = players.map(|player| (&*player.name, &*player.hash));
        let (fit, seats) = (&evaluation.ranking.fit, &evaluation.seats);
        let found = self.observer.conclude(&evaluation.results, fit, seats);
        Diagnostics { copies: copies(players), ..found }
    }
}
