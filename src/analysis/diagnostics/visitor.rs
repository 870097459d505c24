//! Diagnostics from a pass over a log.

use std::path::PathBuf;

use super::copies::copies;
use super::decisions::decisions;
use super::{Diagnostics, Observer};
use crate::analysis::pass::{LogVisitor, LoggedGame};
use crate::analysis::tournament::TournamentAnalysis;
use crate::error::Failure;
use crate::folder::log_failure;
use crate::log::LogError;
use crate::model::rules::Rules;

/// Looks at every game that counts, and at what was decided in it.
pub struct Diagnoser {
    dir: PathBuf,
    observer: Observer,
    rules: Rules,
}

impl Diagnoser {
    /// For the games of this tournament.
    ///
    /// # Errors
    ///
    /// When the header names no game, or options that it does not have.
    pub fn new(analysis: &TournamentAnalysis) -> Result<Self, Failure> {
        let rules = Rules::of(&analysis.header)?;
        let observer = Observer::new(analysis.evaluation.results.names());
        Ok(Self { dir: analysis.dir().to_owned(), observer, rules })
    }

    /// What was found, once all games were taken in.
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
            log_failure(&self.dir, &LogError { line: game.line, message: error.to_string() })
        })?;
        self.observer.add(game.record, &made);
        Ok(())
    }
}
