//! The referee's messages.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::message_clock::{InitClock, TurnClock};
use crate::score::Score;
use referee_games::{Event, SeatMap};

/// A line from the referee to a player.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Message<'a> {
    /// A game begins; the player must greet.
    Init(InitMessage<'a>),
    /// The player is on turn and must send an action.
    Turn(TurnMessage<'a>),
    /// The last reply was refused; the turn will be asked again.
    Error(ErrorMessage<'a>),
    /// The game is over.
    End(EndMessage<'a>),
    /// The player must exit.
    Quit,
}

/// The start of a game.
#[derive(Debug, Serialize, Deserialize)]
pub struct InitMessage<'a> {
    /// The id that the greeting must match.
    pub id: u64,
    /// The protocol versions spoken.
    pub protocol: Cow<'a, [u32]>,
    /// The game's name.
    #[serde(borrow)]
    pub game: Cow<'a, str>,
    /// The rules options in force.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The player's seat.
    pub you: Cow<'a, str>,
    /// The seats, in order.
    pub seats: Vec<Cow<'a, str>>,
    /// The time limits.
    #[serde(default)]
    pub clock: InitClock,
    /// The player's own seed.
    #[serde(default)]
    pub seed: u64,
    /// The position at the first turn.
    pub state: Cow<'a, RawValue>,
    /// The opening's actions.
    #[serde(default)]
    pub opening: Cow<'a, [String]>,
}

/// A request for an action.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TurnMessage<'a> {
    /// The id that the reply must match.
    pub id: u64,
    /// Plies played so far.
    #[serde(default)]
    pub ply: u32,
    /// The position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Cow<'a, RawValue>>,
    /// The events since this player's last turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Cow<'a, [Event]>>,
    /// The legal actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<Cow<'a, RawValue>>,
    /// Positions that the seat cannot tell from this one, as the game's rules program describes
    /// them. If nothing is hidden, there is one: the position itself.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub guesses: Cow<'a, [Box<RawValue>]>,
    /// The clocks.
    #[serde(default)]
    pub clock: TurnClock,
    /// The number of this retry, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<u32>,
}

/// The reason why a reply was refused.
#[derive(Debug, Serialize, Deserialize)]
pub struct ErrorMessage<'a> {
    /// The fault's code.
    #[serde(borrow)]
    pub code: Cow<'a, str>,
    /// The diagnosis.
    pub message: Cow<'a, str>,
    /// The clause that was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<Cow<'a, str>>,
    /// The reply, escaped and cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Cow<'a, str>>,
}

/// The end of a game.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EndMessage<'a> {
    /// `win`, `loss` or `draw`, for this player, in a game for two.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Cow<'a, str>>,
    /// This player's place, from 1, in a game with more seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u8>,
    /// The reason for the result.
    pub reason: Cow<'a, str>,
    /// The scores by seat, in a game for two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<SeatMap<Score>>,
    /// The places by seat, from 1, in a game with more seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<SeatMap<u8>>,
    /// The scores by which the rules decided the game, if they did, in a game with more seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_scores: Option<SeatMap<Number>>,
    /// The events since this player's last turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Cow<'a, [Event]>>,
    /// The final position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Cow<'a, RawValue>>,
}

impl<'a> Message<'a> {
    /// Writes the message as one line into `line`, which is cleared first.
    ///
    /// # Panics
    /// Never: a message is plain data.
    #[expect(clippy::expect_used, reason = "plain data serialises")]
    pub fn write(&self, line: &mut Vec<u8>) {
        line.clear();
        serde_json::to_writer(&mut *line, self).expect("plain data serialises");
        line.push(b'\n');
    }

    /// Reads a line from the referee. `None` is a message of another type, which a player ignores.
    ///
    /// # Errors
    /// The line is not a message of the protocol.
    pub fn read(line: &'a str) -> serde_json::Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Tag<'t> {
            #[serde(borrow, rename = "type")]
            name: Cow<'t, str>,
        }
        let Tag { name } = serde_json::from_str(line)?;
        Ok(Some(match &*name {
            "init" => Self::Init(serde_json::from_str(line)?),
            "turn" => Self::Turn(serde_json::from_str(line)?),
            "error" => Self::Error(serde_json::from_str(line)?),
            "end" => Self::End(serde_json::from_str(line)?),
            "quit" => Self::Quit,
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests;
