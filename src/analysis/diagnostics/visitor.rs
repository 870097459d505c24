//! Diagnostics from a pass over a log.

use std::path::PathBuf;

use super::copies::copies;
use super::decisions::decisions;
use super::{Diagnostics, DiagnosticsCollector};
use crate::analysis::pass::{LogVisitor, LoggedGame};
use crate::analysis::tournament::TournamentAnalysis;
use crate::error::Failure;
use crate::folder::log_failure;
use crate::game_program::recorded_rules;
use crate::log::{LogError, LogProblem};
use crate::model::rules::GameRules;

/// Examines every game that counts, and its decisions.
pub struct Diagnoser {
    dir: PathBuf,
    observer: DiagnosticsCollector,
    rules: GameRules,
}

impl Diagnoser {
    /// Creates a diagnoser for the games of this tournament.
    ///
    /// # Errors
    ///
    /// When the header names an unknown game or unknown options.
    pub fn new(analysis: &TournamentAnalysis) -> Result<Self, Failure> {
        let rules = recorded_rules(&analysis.header)?;
        let observer = DiagnosticsCollector::new(analysis.evaluation.results.names());
        Ok(Self { dir: analysis.dir().to_owned(), observer, rules })
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

impl LogVisitor for Diagnoser {
    fn visit(&mut self, game: &LoggedGame<'_>) -> Result<(), Failure> {
        if !game.counts {
            return Ok(());
        }
        let made = decisions(&self.rules.start, game.record).map_err(|error| {
            let problem = LogProblem::Unplayable(error.into());
            log_failure(&self.dir, &LogError { line: game.line, problem })
        })?;
        self.observer.add(game.record, &made);
        Ok(())
    }
}
