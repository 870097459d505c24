//! Diagnostics from a pass over a log.

use std::path::PathBuf;
use std::sync::Arc;

use super::copies::copies;
use super::{Diagnostics, Observer};
use crate::analysis::pass::{LogVisitor, LoggedGame};
use crate::analysis::tournament::TournamentAnalysis;
use crate::error::Failure;
use crate::folder::log_failure;
use crate::log::LogError;
use crate::model::record::GameRecord;
use crate::tournament::audit::options_of;
use crate::tournament::decisions::{Decision, decisions};
use referee_games::{Game, with_game};

type Decide = dyn Fn(&GameRecord) -> Result<Vec<Decision>, String>;

/// Looks at every game that counts, and at what was decided in it.
pub struct Diagnoser {
    dir: PathBuf,
    observer: Observer,
    decide: Box<Decide>,
}

impl Diagnoser {
    /// For the games of this tournament.
    ///
    /// # Errors
    ///
    /// When the header names no game, or options that it does not have.
    pub fn new(analysis: &TournamentAnalysis) -> Result<Self, Failure> {
        let (kind, options) = options_of(&analysis.header)
            .map_err(|message| Failure::input(format!("the header cannot be used: {message}")))?;
        let decide: Box<Decide> = with_game!(kind, G => {
            let rules = Arc::new(G::rules(&options).map_err(Failure::input)?);
            Box::new(move |record: &GameRecord| decisions::<G>(&rules, record))
        });
        let observer = Observer::new(analysis.evaluation.results.names());
        Ok(Self { dir: analysis.dir().to_owned(), observer, decide })
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
        let made = (self.decide)(game.record)
            .map_err(|message| log_failure(&self.dir, &LogError { line: game.line, message }))?;
        self.observer.add(game.record, &made);
        Ok(())
    }
}
