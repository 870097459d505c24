//! The data for the page's scripts: names, results by pairing, and what the page of a player shows.

use serde::Serialize;

use super::page_head::head_featured_game;
use super::ranking_section::ranking_marks;
use super::{
    PageData, format_elo, format_large_number, format_mean_nanoseconds, format_nanoseconds,
};
use crate::StandingsRow;
use crate::unranked::describe_unranked;
use referee_protocol::escape::escape_line;
use referee_ratings::{Estimate, Outcomes};
use referee_tournament::analysis::diagnostics::search_use::SearchUse;

/// Wins, draws and losses.
type WinsDrawsLosses = [u32; 3];

/// Everything but the replay frames.
#[derive(Debug, Serialize)]
struct ScriptData {
    /// The players' names, by number.
    names: Vec<String>,
    /// The players' numbers, in ranking order.
    order: Vec<usize>,
    /// The names of the seats, if there are more than two.
    #[serde(skip_serializing_if = "Option::is_none")]
    seats: Option<Vec<String>>,
    /// Whether all games are listed and stored beside the page.
    index: bool,
    /// The id of the game in the head.
    featured: Option<String>,
    /// Pairings with at least one game: both players' numbers, the smaller first, and the score of
    /// the first.
    pairs: Vec<(usize, usize, WinsDrawsLosses)>,
    /// The players, by number.
    players: Vec<PlayerData>,
    /// The ratings after some numbers of games, unless they would reveal the order of the games.
    history: Vec<RatingData>,
}

/// A player.
#[derive(Debug, Clone, Default, Serialize)]
struct PlayerData {
    /// Its place in the ranking.
    place: Option<usize>,
    /// Its rank interval, or why it has no rank.
    ranks: String,
    /// Its rating with its margin, in Elo.
    rating: Option<String>,
    /// What sets it apart from others, such as `built in`.
    marks: Vec<String>,
    /// Its score at each seat; of more than two seats, in comparisons with the others.
    seats: Vec<WinsDrawsLosses>,
    /// Its faults by code.
    faults: Vec<(String, u32)>,
    /// Its time per turn: the number of turns, the median, the 95th percentile and the longest.
    clock: Option<(u64, [String; 3])>,
    /// What it reports about its searches, on average, each with its name.
    searches: Vec<(&'static str, String)>,
}

/// The ratings after a number of games.
#[derive(Debug, Serialize)]
struct RatingData {
    games: usize,
    /// By player number, in Elo.
    ratings: Vec<Option<f64>>,
}

/// The data as JSON.
pub(super) fn page_script_data(material: &PageData<'_>) -> String {
    let names = material.results.names();
    let data = ScriptData {
        names: names.iter().map(|name| escape_line(name)).collect(),
        order: material.standings.rows.iter().map(|row| row.number).collect(),
        seats: script_data_seat_names(material),
        index: true,
        featured: head_featured_game(material).map(|(record, _)| escape_line(&record.id)),
        pairs: script_data_pairs(material),
        players: script_data_players(material),
        history: script_data_rating_history(material),
    };
    // Nothing in it can fail to become JSON.
    serde_json::to_string(&data).unwrap_or_else(|_| "{}".to_owned())
}

fn script_data_seat_names(material: &PageData<'_>) -> Option<Vec<String>> {
    let seats = material.header.seats.values();
    (seats.len() > 2).then(|| seats.iter().map(|seat| escape_line(seat)).collect())
}

fn script_data_outcomes(outcomes: Outcomes) -> WinsDrawsLosses {
    [outcomes.wins, outcomes.draws, outcomes.losses]
}

fn script_data_pairs(material: &PageData<'_>) -> Vec<(usize, usize, WinsDrawsLosses)> {
    let count = material.results.names().len();
    let all = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
    let played = all.filter_map(|(one, other)| {
        let outcomes = material.results.counts.outcomes_between(one, other);
        (outcomes.games() > 0).then(|| (one, other, script_data_outcomes(outcomes)))
    });
    played.collect()
}

fn script_data_players(material: &PageData<'_>) -> Vec<PlayerData> {
    let mut players = vec![PlayerData::default(); material.results.names().len()];
    for row in &material.standings.rows {
        players[row.number] = script_data_player(material, row);
    }
    players
}

fn script_data_player(material: &PageData<'_>, row: &StandingsRow) -> PlayerData {
    let counts = &material.results.counts;
    let searches = material.found.searches.iter().find(|search| search.player == row.player);
    let clock = material.found.clocks.iter().find(|clock| clock.player == row.player);
    PlayerData {
        place: row.place(),
        ranks: match row.rank {
            Ok(rank) => rank.interval.to_string(),
            Err(why) => describe_unranked(why).to_owned(),
        },
        rating: row
            .shown_rating()
            .map(|rating| format!("{} ±{}", format_elo(rating.value), format_elo(rating.margin()))),
        marks: ranking_marks(material, &row.player),
        seats: (0..counts.seats())
            .map(|seat| script_data_outcomes(counts.outcomes_at_seat(row.number, seat)))
            .collect(),
        faults: row.faults.iter().map(|(code, count)| (code.to_string(), *count)).collect(),
        clock: clock.map(|clock| {
            (clock.turns, [clock.median_ns, clock.p95_ns, clock.max_ns].map(format_nanoseconds))
        }),
        searches: searches.map(script_data_search_means).unwrap_or_default(),
    }
}

/// What a player reports about its searches, as far as it does.
fn script_data_search_means(search: &SearchUse) -> Vec<(&'static str, String)> {
    let depth = search.depth.map(|depth| format!("{depth:.1}"));
    let all = [
        ("depth", depth),
        ("nodes", search.nodes.map(format_large_number)),
        ("nodes per second", search.nps.map(format_large_number)),
        ("time", search.time_ns.map(format_mean_nanoseconds)),
        ("latency", search.latency_ns.map(format_mean_nanoseconds)),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The order of the games would reveal who is who, because the schedule can be computed.
fn script_data_rating_history(material: &PageData<'_>) -> Vec<RatingData> {
    if !material.names_players() {
        return Vec::new();
    }
    let whole = |rating: &Option<Estimate>| rating.map(|it| it.value.round());
    let points = material.summary.history.points.iter().map(|point| RatingData {
        games: point.games,
        ratings: point.ratings.iter().map(whole).collect(),
    });
    points.collect()
}
