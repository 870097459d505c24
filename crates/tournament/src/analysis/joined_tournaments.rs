//! Several tournaments of the same game, rated together: over terms, and over versions of players.
//!
//! Players with the same name and the same hash are the same player in all tournaments, and so are
//! anchors with the same name. They connect the tournaments. If the program behind a name has
//! changed, each version is a player of its own, named after the tournament in which it appeared.

use std::collections::{BTreeMap, HashMap};

use super::named_results::{AnalysisError, Faulted};
use super::tournament_evaluation::{EvaluatedGames, TournamentEvaluation};
use crate::folder::LogContents;
use crate::schedule::progress_summary::ProgressSummary;
use referee_record::model::player_spec::Out;
use referee_record::model::record::{Anchor, Header, HeaderPlayer};

/// The reason why tournaments cannot be rated together.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// Two tournaments are of different games, or of one game under different options.
    #[error("{} and {} differ in the game or its options, so their ratings cannot be compared", .0[0], .0[1])]
    Game([String; 2]),
    /// Two tournaments put their players in order by different things.
    #[error(
        "{} and {} rank players differently, one by ratings and one by final scores; give both the \
         same `rank`",
        .0[0], .0[1]
    )]
    Rank([String; 2]),
    /// An anchor has different ratings in two tournaments.
    #[error("the anchor {name:?} has the ratings {} and {}; they must agree", ratings[0], ratings[1])]
    Anchor {
        /// The name.
        name: String,
        /// The two ratings.
        ratings: [f64; 2],
    },
    /// The games cannot be rated.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

/// Tournaments of the same game.
#[derive(Debug)]
pub struct JoinedTournaments<'a> {
    logs: &'a [LogContents],
    names: JoinedNames,
    anchors: Vec<Anchor>,
    faulted: Faulted,
}

impl<'a> JoinedTournaments<'a> {
    /// Joins the tournaments of these logs.
    ///
    /// # Errors
    /// They are of different games, rank players differently, or their anchors contradict each
    /// other.
    pub fn new(logs: &'a [LogContents], faulted: Faulted) -> Result<Self, JoinError> {
        let headers: Vec<&Header> = logs.iter().map(|log| &log.header).collect();
        let differs = |other: &&&Header| !are_games_joinable(headers[0], other);
        if let Some(other) = headers.iter().skip(1).find(differs) {
            return Err(JoinError::Game([headers[0], other].map(|it| it.tournament.clone())));
        }
        if let Some(other) = headers.iter().skip(1).find(|it| it.rank != headers[0].rank) {
            return Err(JoinError::Rank([headers[0], other].map(|it| it.tournament.clone())));
        }
        let anchors = join_anchors(&headers)?;
        let names = JoinedNames::from_headers(&headers, &anchors);
        let anchors = anchors
            .into_iter()
            .map(|(player, rating)| Anchor { player: player.to_owned(), rating })
            .collect();
        Ok(Self { logs, names, anchors, faulted })
    }

    /// Evaluates the games of the first `count` tournaments, under the names of all of them.
    ///
    /// # Errors
    /// The ratings cannot be computed.
    pub fn evaluate(&self, count: usize) -> Result<TournamentEvaluation, JoinError> {
        let mut games = EvaluatedGames::new(&self.logs[0].header, &self.names.all, self.faulted);
        // A player may have been taken out of several tournaments, but is one player.
        let mut taken_out: BTreeMap<&str, Out> = BTreeMap::new();
        let mut summary = ProgressSummary::default();
        for log in &self.logs[..count] {
            let joined = |name: &str| self.names.joined_name(&log.header, name).to_owned();
            games.add_tournament(&log.state, joined)?;
            games.add_usage(&log.state, joined)?;
            for (name, why) in log.state.names().iter().zip(log.state.outs()) {
                taken_out.extend(why.map(|why| (self.names.joined_name(&log.header, name), why)));
            }
            summary = join_summaries(summary, log.state.summary());
        }
        let count = |reason| taken_out.values().filter(|&&why| why == reason).count();
        summary.unchecked = count(Out::Unchecked);
        summary.quarantined = count(Out::Quarantined);
        summary.disqualified = count(Out::Disqualified);
        Ok(games.evaluate(&self.anchors, summary)?)
    }
}

fn are_games_joinable(one: &Header, other: &Header) -> bool {
    let hash = |header: &Header| header.program.as_ref().map(|program| program.hash.clone());
    let is_same = one.game == other.game && one.seats == other.seats;
    is_same && one.options == other.options && hash(one) == hash(other)
}

/// The given ratings of all tournaments, by name.
fn join_anchors<'a>(headers: &[&'a Header]) -> Result<BTreeMap<&'a str, f64>, JoinError> {
    let mut all: BTreeMap<&str, f64> = BTreeMap::new();
    for anchor in headers.iter().flat_map(|header| &header.anchors) {
        let known = *all.entry(&anchor.player).or_insert(anchor.rating);
        if known.to_bits() != anchor.rating.to_bits() {
            let ratings = [known, anchor.rating];
            return Err(JoinError::Anchor { name: anchor.player.clone(), ratings });
        }
    }
    Ok(all)
}

/// The games of two tournaments together. Does not count the players that were taken out.
fn join_summaries(one: ProgressSummary, other: ProgressSummary) -> ProgressSummary {
    ProgressSummary {
        played: one.played + other.played,
        counted: one.counted + other.counted,
        due: one.due + other.due,
        is_estimate: one.is_estimate || other.is_estimate,
        never: one.never + other.never,
        annulled: one.annulled + other.annulled,
        corrected: one.corrected + other.corrected,
        ..ProgressSummary::default()
    }
}

/// The names of the players over all tournaments.
#[derive(Debug)]
struct JoinedNames {
    /// All names, in the order in which they appear.
    all: Vec<String>,
    /// The name for a player's own name and hash, if the program behind the name has changed.
    versions: HashMap<(String, String), String>,
}

impl JoinedNames {
    fn from_headers(headers: &[&Header], anchors: &BTreeMap<&str, f64>) -> Self {
        let players: Vec<(&Header, &HeaderPlayer)> = headers
            .iter()
            .flat_map(|header| header.players.iter().map(|player| (*header, player)))
            .collect();
        let has_changed = |player: &HeaderPlayer| {
            let is_other = |(_, it): &(&Header, &HeaderPlayer)| {
                it.name == player.name && it.hash != player.hash
            };
            !anchors.contains_key(&*player.name) && players.iter().any(is_other)
        };
        let mut names = Self { all: Vec::new(), versions: HashMap::new() };
        for (header, player) in &players {
            let key = (player.name.clone(), player.hash.clone());
            if has_changed(player) && !names.versions.contains_key(&key) {
                let mut name = format!("{} ({})", player.name, header.tournament);
                if names.all.contains(&name) {
                    name = format!("{} ({})", player.name, player.hash);
                }
                names.versions.insert(key, name);
            }
            let name = names.joined_name(header, &player.name).to_owned();
            if !names.all.contains(&name) {
                names.all.push(name);
            }
        }
        names
    }

    /// The name over all tournaments of the player called `name` in one of them.
    fn joined_name<'n>(&'n self, header: &Header, name: &'n str) -> &'n str {
        let player = header.players.iter().find(|player| player.name == name);
        let key = player.map(|player| (player.name.clone(), player.hash.clone()));
        key.and_then(|key| self.versions.get(&key)).map_or(name, String::as_str)
    }
}
