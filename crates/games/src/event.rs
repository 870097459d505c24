//! The events of a game, as players and replays receive them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::board::Square;
use super::safe_text::Text;
use super::seat::{BySeat, SeatMap};
use super::turn::Outcome;

/// An event of a game. Seats are given by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A seat played an action.
    Action {
        /// The seat.
        by: Text,
        /// The action's canonical text.
        action: String,
        /// The only seat that receives the action, if it is secret.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<[Text; 1]>,
        /// Whether the seat had no legal action, so that the referee passed for it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        forced: bool,
        /// Whether the action belongs to a given opening and was not chosen by the player.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        opening: bool,
        /// The other seat, if the action was played on its behalf.
        #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
        on_behalf_of: Option<Text>,
    },
    /// A die was rolled for a seat.
    Roll {
        /// The seat.
        seat: Text,
        /// The number on the die.
        value: u8,
    },
    /// The dice were rolled to decide who begins; equal numbers are rolled again.
    First {
        /// The numbers on the dice, the first seat's first.
        rolls: [u8; 2],
    },
    /// A piece captured pieces beside it.
    Captured {
        /// The squares where they stood, sorted by text.
        squares: Vec<Square>,
    },
    /// Pieces were removed from the board.
    Removed {
        /// The squares where they stood, sorted by text.
        squares: Vec<Square>,
        /// The cause.
        why: Why,
    },
    /// The board shrank.
    Shrink {
        /// The new side length of the board.
        size: u8,
        /// The squares of pieces that stood on the removed ring or on a new corner, sorted by text.
        removed: Vec<Square>,
    },
    /// The squares named by the two seats were placed as walls or refused.
    Walls {
        /// The squares that became walls, by row.
        placed: Vec<Square>,
        /// The squares that did not, by row.
        not_placed: Vec<NotPlaced>,
    },
    /// A piece could not go in the chosen direction and was redirected.
    Redirected {
        /// The seat of the piece.
        by: Text,
        /// The name of the piece.
        piece: Text,
        /// The chosen direction.
        from: Text,
        /// The direction in which it goes.
        to: Text,
    },
    /// A piece moved.
    Moved {
        /// The seat of the piece.
        by: Text,
        /// The name of the piece.
        piece: Text,
        /// The squares it entered, in order.
        path: Vec<Square>,
        /// The squares of the path that it did not capture, because of an enemy.
        contested: Vec<Square>,
    },
    /// A round of a match ended.
    RoundEnd {
        /// The name of its board.
        board: String,
        /// The name of the winning seat, or `draw`.
        winner: Text,
        /// The reason.
        reason: Text,
        /// The number of squares of each seat.
        squares: SeatMap<u32>,
    },
    /// The next round of a match started.
    RoundStart {
        /// The name of its board.
        board: String,
        /// The board as rows.
        map: Vec<String>,
        /// The squares of the pieces.
        pieces: SeatMap<PieceSquares>,
    },
    /// A piece of chess moved.
    Played {
        /// The move in algebraic notation, which shows captures, check and checkmate.
        san: String,
    },
    /// The game ended.
    Over {
        /// The name of the winning seat, or `draw`, in a game for two.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Text>,
        /// The places from 1, in a game with more seats.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        places: Option<SeatMap<u8>>,
        /// The reason.
        reason: Text,
        /// The scores by seat, if the higher one decided the game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scores: Option<SeatMap<Number>>,
    },
    /// An event that only its own game knows.
    #[serde(untagged)]
    Other(OtherEvent),
}

impl Event {
    /// The end of a game with these seats.
    pub fn over(outcome: &Outcome, seats: &BySeat<Text>, scores: Option<SeatMap<Number>>) -> Self {
        let result = outcome.places.result(seats).map(|name| name.to_owned().into());
        let by_seat = || SeatMap::new(seats.clone(), outcome.places.counted_from_one());
        let places = if result.is_none() { Some(by_seat()) } else { None };
        Self::Over { result, places, reason: outcome.reason.clone(), scores }
    }

    /// Returns whether the seat called `seat` may know the event.
    pub fn is_known_to(&self, seat: &str) -> bool {
        match self {
            Self::Action { to: Some([told]), .. } => told == seat,
            Self::Other(event) => event.is_known_to(seat),
            _ => true,
        }
    }

    /// The events that the seat called `seat` may know: all of them, unless some are hidden.
    pub fn known_to<'e>(events: &'e [Self], seat: &str) -> Cow<'e, [Self]> {
        if events.iter().all(|event| event.is_known_to(seat)) {
            return Cow::Borrowed(events);
        }
        events.iter().filter(|event| event.is_known_to(seat)).cloned().collect()
    }
}

/// An event that only its own game knows: a JSON object whose `event` names it. `to`, if it is a
/// list, names the seats that may know it. `action` and `over` are the same in every game and thus
/// cannot be the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct OtherEvent(Map<String, Value>);

impl OtherEvent {
    /// The name of the event.
    pub fn name(&self) -> &str {
        self.0["event"].as_str().unwrap_or_default()
    }

    /// All fields, in order, with `event` and `to`.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Whether the seat called `seat` may know the event.
    pub fn is_known_to(&self, seat: &str) -> bool {
        match self.0.get("to") {
            Some(Value::Array(seats)) => seats.iter().any(|named| named == seat),
            _ => true,
        }
    }
}

impl TryFrom<Map<String, Value>> for OtherEvent {
    type Error = EventError;

    fn try_from(fields: Map<String, Value>) -> Result<Self, EventError> {
        match fields.get("event").and_then(Value::as_str) {
            None => Err(EventError::NoName),
            Some(name @ ("action" | "over")) => Err(EventError::Reserved(name.to_owned())),
            Some(_) => Ok(Self(fields)),
        }
    }
}

/// An error in an object that should be an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// `event` is missing or is not a string.
    #[error("an event needs a name in `event` (a string)")]
    NoName,
    /// The name is one that all games share, but the fields that belong to it are missing or
    /// invalid.
    #[error("`{0}` is a reserved event name")]
    Reserved(String),
}

/// A named square that did not become a wall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotPlaced {
    /// The square.
    pub square: Square,
    /// The ids of the clauses that kept it from being placed.
    pub clauses: Vec<Text>,
}

/// The squares of a seat's two pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PieceSquares {
    pub(crate) circle: Square,
    pub(crate) square: Square,
}

/// The cause of a piece's removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Two enemies, or an enemy and a corner, on opposite sides after an arrival.
    Surrounded,
    /// A new corner on one side and an enemy on the other, after a shrink.
    Corner,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> serde_json::Result<Event> {
        serde_json::from_str(text)
    }

    #[test]
    fn every_event_reads_as_it_is_written() {
        for text in [
            r#"{"event":"action","by":"white","action":"3,4"}"#,
            r#"{"event":"action","by":"white","action":"pass","forced":true,"for":"black"}"#,
            r#"{"event":"roll","seat":"white","value":6}"#,
            r#"{"event":"first","rolls":[3,5]}"#,
            r#"{"event":"removed","squares":["3,4","10,0"],"why":"corner"}"#,
            r#"{"event":"walls","placed":["1,2"],"not_placed":[{"square":"0,0","clauses":["B4"]}]}"#,
            r#"{"event":"round-end","board":"lake","winner":"draw","reason":"full","squares":{"one":3,"two":3}}"#,
            r#"{"event":"played","san":"exd8=Q+"}"#,
            r#"{"event":"over","result":"draw","reason":"repetition"}"#,
            r#"{"event":"drop","column":3,"depth":{"b":1,"a":[1.5,null]},"to":["red"]}"#,
            r#"{"event":"roll","dice":[1,2]}"#,
        ] {
            let event = read(text).expect(text);
            assert_eq!(serde_json::to_string(&event).expect("plain data"), text);
        }
    }

    #[test]
    fn a_seat_receives_the_events_that_it_may_know() {
        let events = [
            r#"{"event":"peek","to":["red"]}"#,
            r#"{"event":"action","by":"red","action":"\"","to":["red"]}"#,
            r#"{"event":"action","by":"red","action":"\""}"#,
            r#"{"event":"roll","seat":"red","value":6}"#,
        ];
        let list = events.map(|text| read(text).expect(text));
        let sent = |events: &[Event], seat| {
            serde_json::to_string(&Event::known_to(events, seat)).expect("plain data")
        };
        assert_eq!(sent(&list, "red"), format!("[{}]", events.join(",")));
        assert_eq!(sent(&list, "blue"), format!("[{}]", events[2..].join(",")));
        assert_eq!(sent(&list[..2], "blue"), "[]");
    }

    #[test]
    fn custom_events_list_the_seats_that_may_see_them() {
        let Event::Other(event) = read(r#"{"event":"peek","to":["red"]}"#).expect("an event")
        else {
            panic!("no built-in game has it");
        };
        assert_eq!(event.name(), "peek");
        assert!(event.is_known_to("red") && !event.is_known_to("blue"));
    }

    #[test]
    fn invalid_events_are_refused() {
        for text in [r#"{"by":"white"}"#, r#"{"event":"action"}"#, "3"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
