//! The contract with rules programs: the lines in both directions, and their bounds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use referee_games::{
    BoardLook, BySeat, Clause, DrawnBoard, OptionSpec, Outcome, Places, PlacesTell, Seat, SeatSet,
    StepText, Stream, Text, Turn, WholeNumber,
};

/// The version of the contract.
pub(crate) const VERSION: u32 = 1;
/// The longest answer, in bytes, including its newline.
pub(crate) const LONGEST_ANSWER: usize = 1 << 20;
/// The longest state, in bytes.
pub(crate) const LONGEST_STATE: usize = 64 << 10;
/// The longest text of an action or of a chance outcome, in bytes.
pub(crate) const LONGEST_TEXT: usize = 256;
/// The most outcomes of one chance event.
pub(crate) const MOST_OUTCOMES: usize = 4096;
/// The most plies that a game may allow.
pub(crate) const MOST_PLIES: u32 = 100_000;
/// The most chance events and forced passes in a row.
pub(crate) const MOST_UNASKED: u32 = 1000;
/// The maximum of rows of a board or plain text, and of columns of a board.
pub(crate) const MOST_ROWS: usize = 64;
/// The longest row or caption, in characters.
pub(crate) const LONGEST_ROW: usize = 256;
/// The longest drawing, in bytes.
pub(crate) const LONGEST_SVG: usize = 64 << 10;
/// The most characters on a square.
pub(crate) const MOST_ON_SQUARE: usize = 32;
/// The most characters of a label or a glyph.
pub(crate) const LONGEST_LABEL: usize = 4;
/// The most characters in a legend.
pub(crate) const MOST_SYMBOLS: usize = 128;
/// The number of different draws.
pub(crate) const DRAWS: u64 = 1 << 53;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RequestType {
    /// Describes the game.
    Game,
    /// Asks for the first position.
    Start,
    /// Asks for the position after a step.
    Play,
    /// Asks which action a text means.
    Judge,
    /// Asks for a random legal action.
    Sample,
    /// Asks for a position that a seat cannot tell from this one.
    Guess,
    /// Tells the program to exit. It has no answer.
    Quit,
}

/// A request to a rules program. It contains everything that its answer depends on.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RulesRequest<'a> {
    /// The type.
    #[serde(rename = "type")]
    pub kind: RequestType,
    /// The id that the answer must have.
    #[serde(default)]
    pub(crate) id: u64,
    /// The supported versions of the contract, in `game`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<[u32; 1]>,
    /// The options in force, by name.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) options: Option<&'a RawValue>,
    /// The state of the position.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub state: Option<&'a RawValue>,
    /// The step to play.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<ContractStep<'a>>,
    /// The seat that the request is about.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) seat: Option<Cow<'a, str>>,
    /// The text to judge.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// A random number below [`DRAWS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) draw: Option<u64>,
}

impl RulesRequest<'_> {
    /// A request of this type, without parameters.
    pub(crate) fn new(kind: RequestType) -> Self {
        Self {
            kind,
            id: 0,
            protocol: None,
            options: None,
            state: None,
            step: None,
            seat: None,
            text: None,
            draw: None,
        }
    }
}

/// A step as the contract writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    rename_all = "lowercase",
    expecting = "an object with `move`, `both`, `together`, `pass` or `chance`"
)]
pub enum ContractStep<'a> {
    /// The action of the seat on turn.
    Move(#[serde(borrow)] Cow<'a, str>),
    /// The actions of both seats of a game for two, in seat order.
    Both(Cow<'a, str>, Cow<'a, str>),
    /// The actions of the seats that were asked together, in a game with more seats.
    Together(Map<String, Value>),
    /// A forced pass. Always true.
    Pass(bool),
    /// The chance outcome that was drawn.
    Chance(Cow<'a, str>),
}

impl<'a> ContractStep<'a> {
    /// The words for a step of a game with these seats, in which these were asked.
    pub fn from_step(step: &StepText<'a>, asked: SeatSet, seats: &BySeat<Text>) -> Self {
        match step {
            StepText::Move(action) => Self::Move((*action).into()),
            StepText::Together(answers) => match answers.as_slice() {
                [first, second] if seats.len() == 2 => {
                    Self::Both((*first).into(), (*second).into())
                }
                answers => {
                    let by_name = asked.iter().zip(answers);
                    let words =
                        by_name.map(|(seat, &action)| (seats[seat].to_string(), action.into()));
                    Self::Together(words.collect())
                }
            },
            StepText::Pass => Self::Pass(true),
            StepText::Chance(outcome) => Self::Chance((*outcome).into()),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct AnswerId {
    #[serde(default)]
    pub(crate) id: Option<WholeNumber<u64>>,
}

/// The error in an answer that has nothing else to say.
#[derive(Debug, Deserialize)]
pub(crate) struct AnswerError {
    pub(crate) error: String,
}

/// The answer to `game`: the description of the game.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct GameAnswer {
    /// The version of the contract.
    pub(crate) protocol: u32,
    /// The name, in kebab-case.
    pub name: String,
    /// The name for people.
    pub(crate) title: String,
    /// The version of the rules, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// The names of the seats, first seat first.
    pub(crate) seats: Vec<String>,
    /// Whether the game has hidden information.
    #[serde(default)]
    pub(crate) hidden: bool,
    /// What the places of games with more than two seats tell.
    #[serde(default, skip_serializing_if = "PlacesTell::is_all")]
    pub(crate) ranking: PlacesTell,
    /// The options, in order.
    #[serde(default)]
    pub(crate) options: Vec<OptionSpec>,
    /// The clauses, in order.
    #[serde(default)]
    pub(crate) clauses: Vec<Clause>,
    /// What the characters on its boards mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) board: Option<BoardLook>,
}

/// The answer to `start`, `play` and `guess`: a position.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct PositionAnswer {
    /// The error, in an answer to `start` without a position: the options contradict each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The complete state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<ContractTurn>,
    /// The legal actions, if they can be listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) legal: Option<LegalWords>,
    /// The data that players get as `legal` instead, by seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) show: Option<BTreeMap<String, Value>>,
    /// The effects of the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) events: Vec<Map<String, Value>>,
    /// The state as each seat sees it, in a game with hidden information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) views: Option<BTreeMap<String, Box<RawValue>>>,
    /// Whether only its own seat receives the last action.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) secret: bool,
    /// The seat for which the action was played, if not the seat that chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) on_behalf_of: Option<String>,
    /// The position as plain text, if there is no board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rows: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) board: Option<DrawnBoard>,
    /// The position as SVG, for pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) svg: Option<Box<str>>,
    /// A line below the board.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) caption: String,
    /// Estimates of the result by seat, from −1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) values: Option<BTreeMap<String, f64>>,
    /// The seats that can no longer win.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) cannot_win: Vec<String>,
    /// The seats that are out of the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) eliminated: Vec<String>,
    /// The most plies of a game, in the answer to `start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_plies: Option<u32>,
}

/// The turn of a position: exactly one of `move`, `both`, `together`, `pass`, `chance` and `over`.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object with `move`, `both`, `together`, `pass`, `chance` or `over`")]
pub struct ContractTurn {
    /// The seat that chooses an action.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub(crate) moves: Option<String>,
    /// True if both seats choose, in a game for two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) both: Option<bool>,
    /// The seats that choose at the same time, in a game with more seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) together: Option<Vec<String>>,
    /// The seat that is forced to pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pass: Option<String>,
    /// The chance outcomes with their weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chance: Option<Vec<(String, u32)>>,
    /// The seat whose stream of luck is used, with `chance`.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub(crate) whose: Option<String>,
    /// How the game ended: the seat that won, `draw`, an object with the `scores`, the first seat's
    /// first, or one with the `places` by seat, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) over: Option<Value>,
    /// The reason for the result, with `over`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl ContractTurn {
    /// The words for a turn, whose outcomes matter only if it is chance.
    pub fn from_turn(turn: &Turn, seats: &BySeat<Text>, outcomes: Vec<(String, u32)>) -> Self {
        let name = |seat: &Seat| Some(seats[*seat].to_string());
        let words = Self::default();
        match turn {
            Turn::Move(seat) => Self { moves: name(seat), ..words },
            Turn::Pass(seat) => Self { pass: name(seat), ..words },
            Turn::Together(_) if seats.len() == 2 => Self { both: Some(true), ..words },
            Turn::Together(asked) => {
                let names = asked.iter().map(|seat| seats[seat].to_string());
                Self { together: Some(names.collect()), ..words }
            }
            Turn::Chance(Stream::Shared) => Self { chance: Some(outcomes), ..words },
            Turn::Chance(Stream::Seat(seat)) => {
                Self { chance: Some(outcomes), whose: name(seat), ..words }
            }
            Turn::Over(Outcome { places, reason }) => {
                let over = Some(places_to_contract(*places, seats));
                Self { over, reason: Some(reason.to_string()), ..words }
            }
        }
    }
}

/// How a game ended with these places.
fn places_to_contract(places: Places, seats: &BySeat<Text>) -> Value {
    if let Some(result) = places.result(seats) {
        return result.into();
    }
    let place =
        |(seat, name): (Seat, &Text)| (name.to_string(), (places.place_of(seat) + 1).into());
    Value::Object(Map::from_iter([(
        "places".to_owned(),
        Value::Object(seats.iter().map(place).collect()),
    )]))
}

/// The legal actions.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum LegalWords {
    /// The actions of the seat on turn.
    List(Vec<String>),
    /// The actions of the seats that choose at the same time.
    BySeat(BTreeMap<String, Vec<String>>),
}

/// The answer to `judge`: an action, or a refusal. Also the answer to `sample`: an action.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ActionAnswer {
    /// The canonical text of a legal action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The reason why the text is not a legal action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    /// The clause that forbids it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) clause: Option<String>,
    /// Whether the text does not even have the form of an action.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) malformed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_be_written_as_a_floating_point_number() {
        let id = |text: &str| serde_json::from_str::<AnswerId>(text).map(|answer| answer.id);
        for text in [r#"{"id":1.0}"#, r#"{"id":1}"#] {
            assert_eq!(id(text).expect("an answer"), Some(WholeNumber(1)));
        }
        assert_eq!(id("{}").expect("an answer"), None);
        let error = id(r#"{"id":1.5}"#).expect_err("not whole").to_string();
        assert!(error.contains("expected a whole number"), "{error}");
    }
}
