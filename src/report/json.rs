//! The standings for `--format json`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::unranked::name;
use super::{Row, Standings};
use crate::analysis::diagnostics::Diagnostics;
use crate::model::fault::FaultCode;
use crate::schedule::summary::Summary;
use referee_ratings::{Estimate, Points};

/// The standings as a JSON document; ratings in Elo, intervals of 95%.
#[derive(Debug, Serialize)]
pub struct StandingsJson<'a> {
    /// The number of games that count.
    pub games: u32,
    /// How far the tournament is.
    pub summary: &'a Summary,
    /// The number of drawn games.
    pub draws: u32,
    /// The number of faults of all players.
    pub faults: u32,
    /// The first seat's advantage.
    pub first_advantage: Estimate,
    /// The fitted chance of a draw between equals, 0 … 1.
    pub draw_rate: f64,
    /// How many groups of players there are that no chain of games connects.
    pub groups: usize,
    /// The correlation between a player's scores in the two games of a pair, −1 … 1.
    pub pair_correlation: f64,
    /// How likely players' seat effects differ this much by chance, 0 … 1.
    pub seat_effects_p: f64,
    /// The number of games that are copies of earlier ones.
    pub copies: u32,
    /// The players, best first.
    pub players: Vec<PlayerJson<'a>>,
    /// What else the games show, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Diagnostics>,
}

/// A player in [`StandingsJson`]: the columns of `standings.csv`.
#[derive(Debug, Serialize)]
pub struct PlayerJson<'a> {
    /// The place, from 1; null where it has none.
    pub rank: Option<usize>,
    /// Why it has no rank: `apart`, `no-game`, `faults`, `quarantine` or `check`; else null.
    pub unranked: Option<&'static str>,
    /// The name as configured, not escaped.
    pub player: &'a str,
    /// The rating; null where only faults are known of it, or no game.
    pub rating: Option<f64>,
    /// The lower end of its interval.
    pub rating_low: Option<f64>,
    /// The upper end of its interval.
    pub rating_high: Option<f64>,
    /// The number of games.
    pub games: u32,
    /// The score of all games.
    pub score: Points,
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// The score at the first seat.
    pub first_score: Points,
    /// The score at the second seat.
    pub second_score: Points,
    /// How often each fault happened, by code; codes that did not happen are absent.
    pub faults: &'a BTreeMap<FaultCode, u32>,
    /// The best rank of its interval.
    pub rank_low: Option<usize>,
    /// The worst.
    pub rank_high: Option<usize>,
    /// How likely it is better than the next in its group, 0 … 1; null for the last.
    pub superiority: Option<f64>,
    /// How many more games between the two would tell; null where a million would not.
    pub games_to_separate: Option<u32>,
    /// The group, from 1: only players of one group can be compared.
    pub group: usize,
    /// The rating at the first seat, where seats are not worth the same to all; else null.
    pub first_rating: Option<Estimate>,
    /// The rating at the second seat.
    pub second_rating: Option<Estimate>,
}

impl<'a> From<&'a Standings> for StandingsJson<'a> {
    fn from(standings: &'a Standings) -> Self {
        Self {
            games: standings.total.games(),
            summary: &standings.summary,
            draws: standings.total.draws,
            faults: standings.fault_total(),
            first_advantage: standings.first_advantage,
            draw_rate: standings.draw_rate,
            groups: standings.groups,
            pair_correlation: standings.pair_correlation,
            seat_effects_p: standings.seat_effects_p,
            copies: standings.copies.iter().map(|(.., count)| count).sum(),
            players: standings.rows.iter().map(PlayerJson::from).collect(),
            diagnostics: None,
        }
    }
}

impl<'a> From<&'a Row> for PlayerJson<'a> {
    fn from(row: &'a Row) -> Self {
        let rating = row.shown_rating();
        let by_seat = row.seat_ratings.filter(|_| rating.is_some());
        Self {
            rank: row.place(),
            unranked: row.rank.err().map(name),
            player: &row.player,
            rating: rating.map(|rating| rating.value),
            rating_low: rating.map(|rating| rating.low),
            rating_high: rating.map(|rating| rating.high),
            games: row.outcomes.games(),
            score: row.score(),
            wins: row.outcomes.wins,
            draws: row.outcomes.draws,
            losses: row.outcomes.losses,
            first_score: row.by_seat.first,
            second_score: row.by_seat.second,
            faults: &row.faults,
            rank_low: row.rank_interval().map(|interval| interval.low),
            rank_high: row.rank_interval().map(|interval| interval.high),
            superiority: row.next.map(|next| next.los),
            games_to_separate: row.next.and_then(|next| next.games),
            group: row.group,
            first_rating: by_seat.map(|at| at.first),
            second_rating: by_seat.map(|at| at.second),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::standings;
    use super::*;
    use crate::analysis::results::tests::results;
    use crate::model::record::examples::{faulty, game};

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
