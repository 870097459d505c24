//! A game of the log without its actions.

use std::collections::HashMap;

use super::front::GameFront;
use crate::model::fixture::{Fixture, Lineup};
use crate::model::game_summary::{GameSummary, summarize_places};
use crate::model::record::{Header, recorded_scores};
use crate::seeds::derive_game_id;
use referee_games::{BySeat, Seat};
use referee_protocol::Usage;

/// The names of a log's players, in the order of its header, and of its seats.
#[derive(Debug, Clone)]
pub struct GameLineNames {
    players: Vec<String>,
    numbers: HashMap<String, usize>,
    seats: BySeat<String>,
}

impl GameLineNames {
    /// The names in a header.
    pub fn of(header: &Header) -> Self {
        let players: Vec<String> = header.players.iter().map(|it| it.name.clone()).collect();
        let numbers = players.iter().cloned().zip(0..).collect();
        Self { players, numbers, seats: header.seats.clone() }
    }

    /// The name of the player at a seat.
    pub fn player(&self, game: &GameLine, seat: Seat) -> &str {
        self.players.get(game.fixture.players.at(seat)).map_or("", String::as_str)
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.seats.len()
    }

    /// The name of a seat.
    pub fn seat(&self, seat: Seat) -> &str {
        &self.seats[seat]
    }

    /// The name of the seat that is ahead of all others, or `draw`.
    pub fn result(&self, game: &GameLine) -> &str {
        game.winner().map_or("draw", |seat| self.seats[seat].as_str())
    }

    /// The name of the player that is ahead of all others; none for a draw.
    pub fn winner(&self, game: &GameLine) -> Option<&str> {
        game.winner().map(|seat| self.player(game, seat))
    }

    /// The game of the line with this front. `None` if it cannot belong to a tournament of these
    /// players: with unknown names, another id than theirs, or an unknown result.
    pub fn line(&self, front: &GameFront, place: LinePlace) -> Option<GameLine> {
        if front.players.values.len() != self.seats.len() {
            return None;
        }
        let names: Vec<&str> = front.players.values.values().iter().map(String::as_str).collect();
        let number = |name: &&str| self.numbers.get(*name).copied();
        let players = names.iter().map(number).collect::<Option<Lineup>>()?;
        if derive_game_id(&names, front.pair, front.game) != front.id {
            return None;
        }
        let places = summarize_places(&front.players.names, &front.result, front.places.as_ref())?;
        Some(GameLine {
            place,
            fixture: Fixture { players, pair: front.pair, game: front.game },
            pair_id: u64::from_str_radix(front.id.split_once('-')?.0, 16).ok()?,
            summary: GameSummary {
                places,
                faults: front.faults(),
                outages: front.outages(),
                fingerprint: front.fingerprint,
            },
            reason: front.reason.clone(),
            plies: front.plies,
            used_ms: front.used_ms(),
            points: front.points().cloned().map(Box::new),
            usage: front.usage(),
            wall_ns: front.wall_ns(),
        })
    }
}

/// The place of a line in the log. The default is for a game that is not in the log yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinePlace {
    /// Its number, from 1.
    pub line: usize,
    /// The byte offset where it begins.
    pub at: u64,
    /// Whether it is exactly as the referee wrote it.
    pub(crate) intact: bool,
}

/// A game that belongs to the players of its log, without its actions and texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameLine {
    /// The place in the log.
    pub place: LinePlace,
    /// Which game it is.
    pub fixture: Fixture,
    /// The part of the game's id that its pair has in common, a number of 12 hex digits.
    pub(crate) pair_id: u64,
    /// The summary that results need.
    pub summary: GameSummary,
    /// The reason why the game ended.
    pub reason: String,
    /// Plies played, opening and forced passes included.
    pub plies: u32,
    /// The total time of its turns by seat, in whole milliseconds, rounded down.
    pub used_ms: BySeat<u64>,
    /// The final scores by seat, if it had some.
    pub points: Option<Box<BySeat<serde_json::Number>>>,
    /// What the players reported to have used, by seat; none if nobody reported any.
    pub usage: Option<Box<BySeat<Usage>>>,
    /// The wall time of the whole game, in nanoseconds.
    pub wall_ns: u64,
}

impl GameLine {
    /// The game's id.
    pub fn id(&self) -> String {
        format!("{:012x}-{}", self.pair_id, self.fixture.game)
    }

    /// The final scores by seat, if it had some.
    pub fn final_scores(&self) -> Option<Box<[f64]>> {
        self.points.as_deref().map(recorded_scores)
    }

    /// The seat that is ahead of all others; none for a draw.
    fn winner(&self) -> Option<Seat> {
        self.summary.places.winner()
    }
}

#[cfg(test)]
mod tests;
