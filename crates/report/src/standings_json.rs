//! The standings for `--format json`.

use serde::Serialize;

pub(crate) use super::standings_columns::PlayerJson;
use super::{Standings, StandingsRow};
use referee_ratings::Estimate;
use referee_tournament::analysis::diagnostics::Diagnostics;
use referee_tournament::schedule::progress_summary::ProgressSummary;

/// The standings as a JSON document; ratings in Elo, intervals of 95%.
#[derive(Debug, Serialize)]
pub struct StandingsJson<'a> {
    /// The number of games that count.
    pub games: u32,
    /// The tournament's progress.
    pub summary: &'a ProgressSummary,
    /// The number of drawn games; with more than two seats, of comparisons between level players.
    pub draws: u32,
    /// The number of faults of all players.
    pub faults: u32,
    /// The first seat's advantage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_advantage: Option<Estimate>,
    /// With more than two seats: the value of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats: Option<Vec<SeatJson<'a>>>,
    /// The fitted chance of a draw between equals, 0 … 1.
    pub draw_rate: f64,
    /// The number of groups of players that no chain of games connects.
    pub groups: usize,
    /// The correlation between a player's scores in the two games of a pair, −1 … 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair_correlation: Option<f64>,
    /// With more than two seats: how the games scatter.
    #[serde(flatten)]
    pub scatter: Option<ScatterJson>,
    /// What final scores show beside the ranks, if they put the players in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<PointsJson<'a>>,
    /// The p-value of the players' seat effects: how likely they differ this much by chance, 0 … 1.
    pub seat_effects_p: f64,
    /// The number of games that copy earlier ones.
    pub copies: u32,
    /// The players, best first.
    pub players: Vec<PlayerJson<'a>>,
    /// The ratings after each tournament, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<HistoryJson>>,
    /// The diagnostics, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Diagnostics>,
}

/// The value of a seat in Elo or points, compared with the mean of all seats.
#[derive(Debug, Serialize)]
pub struct SeatJson<'a> {
    seat: &'a str,
    advantage: f64,
    low: f64,
    high: f64,
}

/// What final scores show beside the ranks.
#[derive(Debug, Serialize)]
pub struct PointsJson<'a> {
    /// The values of the seats, in points.
    seats: Vec<SeatJson<'a>>,
    /// The variance of a player's luck in a deal, as a multiple of that in as many single games.
    deal_dispersion: f64,
    /// The number of games that ended by the rules without final scores.
    without_scores: u32,
}

/// How the results of games with more than two seats scatter.
#[derive(Debug, Serialize)]
pub struct ScatterJson {
    /// The correlation between a player's scores in two games of a deal, −1 … 1.
    deal_correlation: f64,
    /// The variance of the scores in a game, as a multiple of what is expected between equals.
    game_dispersion: f64,
    /// The p-value of the values of seats: how likely they differ this much by chance, 0 … 1.
    seats_p: Option<f64>,
}

impl<'a> SeatJson<'a> {
    fn from_estimate((seat, value): &'a (String, Estimate)) -> Self {
        let Estimate { value: advantage, low, high } = *value;
        Self { seat, advantage, low, high }
    }
}

impl<'a> From<&'a Standings> for StandingsJson<'a> {
    fn from(standings: &'a Standings) -> Self {
        let seats = standings.seats.as_ref();
        Self {
            games: standings.games,
            summary: &standings.summary,
            draws: standings.total.draws,
            faults: standings.fault_total(),
            first_advantage: seats.is_none().then_some(standings.first_advantage),
            seats: seats.map(|seats| seats.values.iter().map(SeatJson::from_estimate).collect()),
            draw_rate: standings.draw_rate,
            groups: standings.groups,
            pair_correlation: seats.is_none().then_some(standings.pair_correlation),
            scatter: seats.map(|seats| ScatterJson {
                deal_correlation: standings.pair_correlation,
                game_dispersion: seats.game_dispersion,
                seats_p: seats.values_p,
            }),
            points: standings.points.as_ref().map(|points| PointsJson {
                seats: points.seats.iter().map(SeatJson::from_estimate).collect(),
                deal_dispersion: points.deal_dispersion,
                without_scores: points.without_scores,
            }),
            seat_effects_p: standings.seat_effects_p,
            copies: standings.copies.iter().map(|(.., count)| count).sum(),
            players: standings.rows.iter().map(PlayerJson).collect(),
            history: None,
            diagnostics: None,
        }
    }
}

/// The ratings from the games of a tournament and those before it.
#[derive(Debug, Serialize)]
pub struct HistoryJson {
    /// The tournament's name.
    tournament: String,
    /// The players that have a rating then.
    ratings: Vec<RatingJson>,
}

/// A player's rating at some time.
#[derive(Debug, Serialize)]
struct RatingJson {
    player: String,
    rating: f64,
    rating_low: f64,
    rating_high: f64,
}

impl HistoryJson {
    /// The ratings after this tournament.
    pub fn new(tournament: &str, standings: &Standings) -> Self {
        let rating = |row: &StandingsRow| {
            let shown = row.shown_rating()?;
            let player = row.player.clone();
            let Estimate { value: rating, low: rating_low, high: rating_high } = shown;
            Some(RatingJson { player, rating, rating_low, rating_high })
        };
        let ratings = standings.rows.iter().filter_map(rating).collect();
        Self { tournament: tournament.to_owned(), ratings }
    }
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::standings;
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::examples::{faulty, game};
    use referee_tournament::analysis::named_results::examples::results;

    #[test]
    fn the_document_has_the_columns_of_the_table() {
        let mut results = results(&["ant", "bee"], &[(0, 1, "white"), (1, 0, "draw")]);
        let late = [("black", FaultCode::Timeout)];
        results.add(&faulty(game("ant", "bee", "white"), &late)).expect("known players");
        let standings = standings(&results);
        let json = serde_json::to_value(StandingsJson::from(&standings)).expect("plain data");
        assert_eq!(json["games"], 3);
        let (ant, bee) = (&json["players"][0], &json["players"][1]);
        assert_eq!(
            (&ant["player"], &ant["rank"], &ant["score"]),
            (&"ant".into(), &1.into(), &2.5.into())
        );
        assert_eq!(bee["faults"], serde_json::json!({"timeout": 1}));
        assert!(ant["rating_low"].as_f64() < ant["rating"].as_f64());
    }
}
