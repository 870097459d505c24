//! A summary of a log for the page: the lengths of games, the highlights, every fault, and the
//! ratings over time.

use std::collections::BTreeMap;

use super::fault_cases::FaultCases;
use super::highlights::Highlights;
use super::logged_game::{LoggedGame, PassError};
use super::rating_history::{RatingHistory, RatingPoint};
use super::tournament_evaluation::TournamentEvaluation;
use referee_record::model::record::Header;

/// A summary of the games. Its size depends on the number of players and on the bounds of its
/// parts, not on the number of games.
#[derive(Debug)]
pub struct LogSummary {
    /// The number of games by length in plies.
    pub lengths: BTreeMap<u32, u32>,
    /// The most interesting games.
    pub highlights: Highlights,
    /// The faults.
    pub faults: FaultCases,
    /// The ratings over time.
    pub history: RatingHistory,
    /// The players' numbers in the results, by name.
    numbers: BTreeMap<String, usize>,
    /// The ratings by player number.
    ratings: Vec<f64>,
    /// The hashes of the players' programs by name, if they may be seen.
    hashes: BTreeMap<String, String>,
}

impl LogSummary {
    /// Starts the summary of a log with this header and this evaluation. `known` are points of an
    /// earlier history of the same log.
    pub fn new(
        header: &Header,
        evaluation: &TournamentEvaluation,
        known: Vec<RatingPoint>,
    ) -> Self {
        let TournamentEvaluation { results, ranking, .. } = evaluation;
        let names = results.names().iter().cloned();
        let seen = header.players.iter().filter(|player| !player.hash.is_empty());
        Self {
            lengths: BTreeMap::new(),
            highlights: Highlights::default(),
            faults: FaultCases::default(),
            history: RatingHistory::new(header, evaluation, known),
            numbers: names.enumerate().map(|(number, name)| (name, number)).collect(),
            ratings: ranking.fit.ratings.iter().map(|rating| rating.value).collect(),
            hashes: seen.map(|player| (player.name.clone(), player.hash.clone())).collect(),
        }
    }

    /// Completes the summary after all games were added.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used.
    pub fn finish(&mut self) -> Result<(), PassError> {
        Ok(self.history.finish()?)
    }

    /// Adds a game, if it counts.
    ///
    /// # Errors
    /// Its record cannot be read, or the given ratings cannot be used.
    pub fn add(&mut self, game: &LoggedGame) -> Result<(), PassError> {
        if !game.counts {
            return Ok(());
        }
        let LoggedGame { record, summary, .. } = game;
        *self.lengths.entry(record.plies).or_default() += 1;
        let names = &record.players.values;
        let rating = |name: &String| {
            let number = self.numbers.get(name);
            number.map_or(0.0, |&number| self.ratings[number])
        };
        let mut hashes = names.values().iter().map(|name| self.hashes.get(name));
        let first = hashes.next().flatten();
        let are_copies = first.is_some() && hashes.all(|hash| hash == first);
        self.highlights.add(game, &names.as_ref().map(rating), are_copies);
        if summary.is_faulted() {
            if self.faults.is_full() {
                self.faults.total += summary.faults.count();
            } else {
                self.faults.add(record);
            }
        }
        Ok(self.history.add(game)?)
    }
}
