//! What the games of a league tell an author: the last ones, the scores against each opponent, and
//! the ratings over time.

use std::collections::{BTreeMap, HashMap};

use super::author_routes::format_author_date;
use crate::live_tournament::LivePage;
use referee_games::Seat;
use referee_ratings::Outcomes;
use referee_record::model::fault::FaultCode;
use referee_report::page::PlayedGame;
use referee_report::page::league_pages::{
    DatedRating, GameFilter, GameResult, ListedGame, OpponentScore, OpponentStep, TurnedAt,
    VersionStep,
};
use referee_report::standings::standings_version_gain;

/// The most games that are listed.
const MOST_GAMES: usize = 50;

/// What an author's versions did.
pub(super) struct OwnGames<'a> {
    live: &'a LivePage,
    author: &'a str,
    /// The author's versions, by their numbers in the results.
    own: BTreeMap<usize, u32>,
    /// What each player is called here, by number: an author for all versions, as far as names are
    /// shown.
    labels: HashMap<usize, &'a str>,
}

/// A game of one of the author's versions.
pub(super) struct OwnGame<'a> {
    pub(super) game: &'a PlayedGame,
    /// The version's seat.
    pub(super) seat: Seat,
    pub(super) result: GameResult,
}

impl OwnGame<'_> {
    /// Whether it was lost, but not by a fault.
    pub(super) fn was_lost_in_play(&self) -> bool {
        self.result == GameResult::Lost && FaultCode::from_name(&self.game.reason).is_none()
    }
}

impl<'a> OwnGames<'a> {
    pub(super) fn new(live: &'a LivePage, author: &'a str) -> Self {
        let analysis = &live.tables.analysis;
        let results = &analysis.evaluation.results;
        let (mut own, mut labels) = (BTreeMap::new(), HashMap::new());
        for player in &live.entrants {
            let shown = analysis.shown_name(&player.name);
            let Ok(number) = results.number(shown) else { continue };
            let entry = player.entry.as_ref();
            match entry.filter(|entry| entry.author == author) {
                Some(entry) => drop(own.insert(number, entry.version)),
                // Whose version a pseudonym is must not be known.
                None if shown != player.name => drop(labels.insert(number, shown)),
                None => drop(labels.insert(number, entry.map_or(shown, |entry| &entry.author))),
            }
        }
        Self { live, author, own, labels }
    }

    /// The last games, the newest first.
    pub(super) fn last_games(&self, filter: GameFilter) -> Vec<OwnGame<'a>> {
        let newest = self.live.games.iter().rev().filter_map(|game| self.find_own_game(game));
        let shown = newest.filter(|game| match filter {
            GameFilter::All => true,
            GameFilter::Lost => game.result == GameResult::Lost,
        });
        shown.take(MOST_GAMES).collect()
    }

    /// A game of one of the author's versions; `None` if it is another one.
    fn find_own_game(&self, game: &'a PlayedGame) -> Option<OwnGame<'a>> {
        let of_seat = |&seat: &Seat| self.own.contains_key(&game.players[seat]);
        let seat = game.players.seats().find(of_seat)?;
        let result = match game.winner {
            None => GameResult::Drawn,
            Some(winner) if winner == seat => GameResult::Won,
            Some(_) => GameResult::Lost,
        };
        Some(OwnGame { game, seat, result })
    }

    /// A game as the page shows it.
    pub(super) fn shown_game(
        &self,
        own: &OwnGame<'_>,
        turned: Option<TurnedAt>,
    ) -> Option<ListedGame> {
        let OwnGame { game, seat, result } = *own;
        let other = game.players.seats().find(|&other| other != seat)?;
        let header = &self.live.tables.analysis.header;
        Some(ListedGame {
            when: if game.began == 0 { String::new() } else { format_author_date(game.began) },
            id: game.id.clone(),
            version: self.own[&game.players[seat]],
            seat: header.seats[seat].clone(),
            opponent: self.label(game.players[other]).to_owned(),
            result,
            reason: game.reason.clone(),
            plies: game.plies,
            turned,
        })
    }

    fn label(&self, number: usize) -> &str {
        self.labels.get(&number).copied().unwrap_or(self.author)
    }

    /// The scores of all versions against each opponent, the most games first.
    pub(super) fn opponents(&self) -> Vec<OpponentScore> {
        let counts = &self.live.tables.analysis.evaluation.results.counts;
        let mut scores: BTreeMap<&str, Outcomes> = BTreeMap::new();
        for (&number, label) in &self.labels {
            let against = self.own.keys().map(|&own| counts.outcomes_between(own, number));
            let all = scores.entry(label).or_default();
            *all = against.chain([*all]).sum();
        }
        let scores = scores.into_iter().filter(|(_, outcomes)| outcomes.games() > 0);
        let mut scores: Vec<OpponentScore> = scores
            .map(|(name, outcomes)| OpponentScore { name: name.to_owned(), outcomes })
            .collect();
        scores.sort_by_key(|one| std::cmp::Reverse(one.outcomes.games()));
        scores
    }

    /// The newest version beside the one before, and how they did against players that both have met:
    /// where the score changed most first.
    pub(super) fn last_step(&self) -> Option<VersionStep> {
        let mut versions: Vec<(u32, usize)> =
            self.own.iter().map(|(&number, &version)| (version, number)).collect();
        versions.sort_unstable();
        let [.., (before, old), (version, new)] = versions[..] else { return None };
        let evaluation = &self.live.tables.analysis.evaluation;
        let counts = &evaluation.results.counts;
        let mut all: BTreeMap<&str, OpponentStep> = BTreeMap::new();
        for (&number, &label) in &self.labels {
            let [before, after] = [old, new].map(|own| counts.outcomes_between(own, number));
            if before.games() == 0 || after.games() == 0 {
                continue;
            }
            let empty = || OpponentStep {
                name: label.to_owned(),
                before: Outcomes::default(),
                after: Outcomes::default(),
            };
            let sum = all.entry(label).or_insert_with(empty);
            sum.before = sum.before + before;
            sum.after = sum.after + after;
        }
        let mut opponents: Vec<OpponentStep> = all.into_values().collect();
        let share = |of: Outcomes| of.score().value() / f64::from(of.games());
        let change = |step: &OpponentStep| {
            let games = step.before.games().min(step.after.games());
            f64::from(games) * (share(step.after) - share(step.before)).abs()
        };
        opponents.sort_by(|one, other| change(other).total_cmp(&change(one)));
        // Under pseudonyms, the ranking must not tell whose versions belong together; their author
        // knows.
        let gain = standings_version_gain(evaluation, old, new);
        Some(VersionStep { version, before, gain, opponents })
    }

    /// The ratings over time: at each time, that of the newest version that had played. Empty where
    /// times must not be known.
    pub(super) fn ratings(&self) -> Vec<DatedRating> {
        let points = self.live.history.iter().filter(|point| point.at > 0);
        let rating = |point: &referee_tournament::analysis::rating_history::RatingPoint| {
            let rated = self
                .own
                .iter()
                .filter_map(|(&number, &version)| Some((version, (*point.ratings.get(number)?)?)));
            let (version, rating) = rated.max_by_key(|(version, _)| *version)?;
            Some(DatedRating { when: format_author_date(point.at), version, rating })
        };
        points.filter_map(rating).collect()
    }
}
