//! Ratings over time: fits of growing parts of a log, from its first games to the whole.

use crate::analysis::logged_game::LoggedGame;
use crate::analysis::named_results::{AnalysisError, NamedResults};
use crate::analysis::seen_games::SeenGames;
use crate::analysis::tournament_evaluation::TournamentEvaluation;
use referee_ratings::{Estimate, fit};
use referee_record::model::record::{Anchor, Header};

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
    /// A hash of these games.
    hash: u64,
}

/// The ratings over time.
#[derive(Debug)]
pub struct RatingHistory {
    /// The points so far, in order.
    pub points: Vec<RatingPoint>,
    /// Points of an earlier history. With many players, a fit takes seconds.
    known: Vec<RatingPoint>,
    results: NamedResults,
    anchors: Vec<Anchor>,
    /// In a league, the number of all games, and the ratings after them.
    last: Option<(usize, Vec<Estimate>)>,
    seen: SeenGames,
    /// When the last game began.
    at: u64,
    every: usize,
}

impl RatingHistory {
    /// Starts the history of an evaluated tournament. Its points may be found in `known`.
    pub(crate) fn new(
        header: &Header,
        evaluation: &TournamentEvaluation,
        known: Vec<RatingPoint>,
    ) -> Self {
        let mut results = NamedResults::for_header(header, evaluation.results.names());
        for (player, version) in evaluation.versions.iter().enumerate() {
            if let Some(before) = version.before {
                results.counts.set_previous_version(player, before);
            }
        }
        let games = evaluation.results.counts.games() as usize;
        let every = games.div_ceil(POINTS).max(1);
        // As a league grows, most points stay what they were.
        let every = if header.is_league() { every.next_power_of_two() } else { every };
        let last = evaluation.ranking.fit.ratings.clone();
        Self {
            points: Vec::new(),
            known,
            results,
            anchors: header.anchors.clone(),
            last: header.is_league().then_some((games, last)),
            seen: SeenGames::default(),
            at: 0,
            every,
        }
    }

    /// Adds the next game.
    pub(crate) fn add(&mut self, game: &LoggedGame) -> Result<(), AnalysisError> {
        let record = &game.record;
        self.results.add(record)?;
        self.at = record.clock.began;
        let names = record.players.values.values().iter();
        let numbers = names.map(|name| self.results.number(name)).collect::<Result<Vec<_>, _>>()?;
        self.seen.add(numbers.into_iter(), game);
        if self.seen.games.is_multiple_of(self.every) { self.add_point() } else { Ok(()) }
    }

    /// Adds the last point if it does not include the last games yet.
    pub(crate) fn finish(&mut self) -> Result<(), AnalysisError> {
        let done = self.points.last().map_or(0, |point| point.games);
        if self.seen.games > done { self.add_point() } else { Ok(()) }
    }

    fn add_point(&mut self) -> Result<(), AnalysisError> {
        let (games, hash, at) = (self.seen.games, self.seen.hash(), self.at);
        let counts = &self.results.counts;
        let played = |player: usize| counts.outcomes_of(player).games() > 0;
        let is_it = |point: &&RatingPoint| point.games == games && point.hash == hash;
        let ratings = if let Some(known) = self.known.iter().find(is_it) {
            let rating = |player| known.ratings.get(player).copied().flatten();
            (0..self.results.names().len()).map(rating).collect()
        } else {
            let ratings = match self.last.take_if(|(all, _)| *all == games) {
                Some((_, ratings)) => ratings,
                None => fit(counts, &self.results.given_ratings(&self.anchors)?)?.ratings,
            };
            let ratings = ratings.into_iter().enumerate();
            ratings.map(|(player, rating)| played(player).then_some(rating)).collect()
        };
        self.points.push(RatingPoint { games, at, ratings, hash });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::named_results::Faulted;
    use crate::schedule::progress_summary::ProgressSummary;
    use referee_record::model::record::examples::{distinct, game, header};
    use referee_record::model::stage::{Format, Stage};

    const NAMES: [&str; 3] = ["ant", "bee", "cat"];

    /// The history of a tournament of this many games.
    fn history(header: &Header, games: u32, known: Vec<RatingPoint>) -> RatingHistory {
        let played = |number| distinct(game("ant", "bee", "white"), number);
        let mut results = NamedResults::for_header(header, &NAMES.map(str::to_owned))
            .with_faulted(Faulted::Count);
        (0..games).for_each(|number| results.add(&played(number)).expect("known players"));
        let summary = ProgressSummary::default();
        let evaluation =
            TournamentEvaluation::new(results, &[], &[None; 3], summary).expect("no anchors");
        let mut history = RatingHistory::new(header, &evaluation, known);
        (0..games).for_each(|number| {
            history.add(&LoggedGame::counted(&played(number))).expect("known players");
        });
        history.finish().expect("a fit");
        history
    }

    fn games(history: &RatingHistory) -> Vec<usize> {
        history.points.iter().map(|point| point.games).collect()
    }

    #[test]
    fn the_last_point_of_the_history_covers_all_games() {
        let history = history(&header(&NAMES), 37, Vec::new());
        assert_eq!(games(&history), [3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 37]);
        let last = &history.points[12].ratings;
        let value = |player: usize| last[player].expect("it played").value;
        assert!(value(0) > value(1) && last[2].is_none());
    }

    #[test]
    fn a_league_keeps_the_points_of_its_first_games() {
        let stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
        let league = Header { stages, ..header(&NAMES) };
        let mut earlier = history(&league, 37, Vec::new()).points;
        assert_eq!(earlier.iter().map(|point| point.games).collect::<Vec<_>>()[..3], [4, 8, 12]);
        let fitted = earlier[1].clone();
        // So it shows which points were not fitted again.
        earlier[1].ratings[0] = None;
        earlier[2].hash += 1;
        let later = history(&league, 38, earlier.clone());
        assert_eq!(games(&later), [4, 8, 12, 16, 20, 24, 28, 32, 36, 38]);
        assert_eq!(later.points[0], earlier[0]);
        assert_eq!(later.points[1].ratings, [None, fitted.ratings[1], None]);
        assert_ne!(later.points[2], earlier[2], "it was of other games");
    }
}
