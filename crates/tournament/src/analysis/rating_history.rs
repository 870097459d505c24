//! Ratings over time: fits of growing parts of a log, from its first games to the whole.

use crate::analysis::results::{AnalysisError, NamedResults};
use referee_ratings::{Estimate, fit};
use referee_record::model::record::{Anchor, GameRecord, Header};

/// The most fits.
const POINTS: usize = 16;

/// The ratings after a number of games.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingPoint {
    /// The number of games, in the order in which they ended.
    pub games: usize,
    /// When the last of them began, in seconds since 1970; 0 under pseudonyms.
    pub at: u64,
    /// The ratings by player number; `None` for players that have not played yet.
    pub ratings: Vec<Option<Estimate>>,
}

/// The ratings over time.
#[derive(Debug)]
pub struct RatingHistory {
    /// The points so far, in order.
    pub points: Vec<RatingPoint>,
    results: NamedResults,
    anchors: Vec<Anchor>,
    games: usize,
    /// When the last game began.
    at: u64,
    every: usize,
}

impl RatingHistory {
    /// Starts the history of a tournament of `games` games.
    pub(crate) fn new(header: &Header, names: &[String], games: usize) -> Self {
        let every = games.div_ceil(POINTS).max(1);
        let (results, anchors) = (NamedResults::of(header, names), header.anchors.clone());
        Self { points: Vec::new(), results, anchors, games: 0, at: 0, every }
    }

    /// Adds the next game.
    pub(crate) fn add(&mut self, game: &GameRecord) -> Result<(), AnalysisError> {
        self.results.add(game)?;
        self.games += 1;
        self.at = game.clock.began;
        if self.games.is_multiple_of(self.every) { self.fit() } else { Ok(()) }
    }

    /// Adds the last point if it does not include the last games yet.
    pub(crate) fn finish(&mut self) -> Result<(), AnalysisError> {
        let done = self.points.last().map_or(0, |point| point.games);
        if self.games > done { self.fit() } else { Ok(()) }
    }

    fn fit(&mut self) -> Result<(), AnalysisError> {
        let fit = fit(&self.results.counts, &self.results.fixed(&self.anchors)?)?;
        let played = |player: usize| self.results.counts.of(player).games() > 0;
        let ratings = fit.ratings.iter().enumerate();
        let ratings = ratings.map(|(player, rating)| played(player).then_some(*rating)).collect();
        self.points.push(RatingPoint { games: self.games, at: self.at, ratings });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::record::examples::{game, header};

    #[test]
    fn the_last_point_of_the_history_covers_all_games() {
        let names = ["ant", "bee", "cat"].map(str::to_owned);
        let mut history = RatingHistory::new(&header(&["ant", "bee", "cat"]), &names, 37);
        for _ in 0..37 {
            let game = game("ant", "bee", "white");
            history.add(&game).expect("known players");
        }
        history.finish().expect("a fit");
        let games: Vec<usize> = history.points.iter().map(|point| point.games).collect();
        assert_eq!(games, [3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 37]);
        let last = &history.points[12].ratings;
        let value = |player: usize| last[player].expect("it played").value;
        assert!(value(0) > value(1) && last[2].is_none());
    }
}
