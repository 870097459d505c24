//! The failures of a rules program.

use std::io;
use std::time::Duration;

use referee_games::{EventError, GameError, ProgramError, SEATS};

use crate::contract::{
    LONGEST_ANSWER, LONGEST_ROW, LONGEST_STATE, LONGEST_TEXT, MOST_OUTCOMES, MOST_PLIES, MOST_ROWS,
    MOST_UNASKED, VERSION,
};

use crate::printable::printable;
use crate::svg::SvgError;

/// The length to which a request or an answer is cut in messages, in characters.
const SHOWN: usize = 600;

/// The failure of a rules program: the problem, the request and the answer.
#[derive(Debug, thiserror::Error)]
#[error("the rules program failed: {problem}{}", self.details())]
pub(crate) struct RulesProgramError {
    /// The problem.
    #[source]
    pub problem: ExchangeError,
    /// What the author of the program may not know, if it helps.
    pub(crate) advice: Option<&'static str>,
    /// The request, if there was one.
    pub(crate) request: Option<String>,
    /// The answer, if there was one.
    pub answer: Option<String>,
    /// The last lines that the program wrote to stderr.
    pub(crate) stderr: Vec<String>,
}

impl RulesProgramError {
    /// Details besides the problem, in separate lines.
    fn details(&self) -> String {
        let advice = self.advice.map(|advice| format!("\n  note: {advice}"));
        let request = self
            .request
            .as_ref()
            .map(|text| format!("\n  request: {}", shorten_program_text(text)));
        let answer =
            self.answer.as_ref().map(|text| format!("\n  answer: {}", shorten_program_text(text)));
        let stderr =
            self.stderr.iter().map(|line| format!("\n  stderr: {}", shorten_program_text(line)));
        [advice, request, answer].into_iter().flatten().chain(stderr).collect()
    }
}

impl From<ExchangeError> for RulesProgramError {
    /// A problem without a request.
    fn from(problem: ExchangeError) -> Self {
        Self { problem, advice: None, request: None, answer: None, stderr: Vec::new() }
    }
}

impl From<RulesProgramError> for GameError {
    fn from(error: RulesProgramError) -> Self {
        Self::Program(ProgramError::new(error))
    }
}

/// The text as printable characters, shortened in the middle.
fn shorten_program_text(text: &str) -> String {
    let plain = printable(text.trim_end());
    let length = plain.chars().count();
    if length <= SHOWN {
        return plain;
    }
    let head: String = plain.chars().take(SHOWN / 2).collect();
    let tail: String = plain.chars().skip(length - SHOWN / 2).collect();
    format!("{head} … {tail}")
}

/// A problem with a rules program or its answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExchangeError {
    /// It could not be started, for this reason.
    #[error("it could not be started: {0}")]
    NotStarted(String),
    /// It closed its pipes and ended in this way.
    #[error("it stopped ({0})")]
    Ended(String),
    /// It did not answer within this time.
    #[error("no answer within {} s", .0.as_secs_f64())]
    Silent(Duration),
    /// Its answer is longer than [`LONGEST_ANSWER`] bytes.
    #[error("its answer is longer than {LONGEST_ANSWER} bytes")]
    TooLong,
    /// It cannot be written to or read from.
    #[error("it cannot be written to or read from: {0}")]
    Pipe(#[from] io::Error),
    /// Its answer is not the expected JSON.
    #[error(
        "its answer {}: {}",
        if .0.is_data() { "violates the protocol" } else { "is not a line of JSON" }, .0
    )]
    Json(#[from] serde_json::Error),
    /// It answered with this error instead.
    #[error("it answered with an error: {}", printable(.0))]
    Told(String),
    /// Its answer has another id, or none.
    #[error("its answer has {}", describe_answer_ids(*asked, *given))]
    Id {
        /// The id of the request.
        asked: u64,
        /// The id of the answer.
        given: Option<u64>,
    },
    /// An answer violates the protocol.
    #[error("{0}")]
    Contract(#[from] Violation),
}

/// Which id an answer carries, and which it should.
fn describe_answer_ids(asked: u64, given: Option<u64>) -> String {
    match given {
        Some(given) => format!("id {given}, but the request had {asked}"),
        None => format!("no id (expected {asked})"),
    }
}

/// A violation of the contract by an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum Violation {
    /// The program speaks another version of the contract.
    #[error("it speaks protocol version {0}, the referee speaks version {VERSION}")]
    Version(u32),
    /// A name is not in kebab-case.
    #[error(
        "the name `{}` is not in kebab-case (up to 64 characters: a to z, 0 to 9 and `-`)",
        printable(.0)
    )]
    Name(String),
    /// The game has too few or too many seats.
    #[error("the number of `seats` is {0}; a game has {least} to {most}", least = SEATS.start(), most = SEATS.end())]
    SeatCount(usize),
    /// Two seats have the same name, or one is called `draw`.
    #[error("`seats` needs different names, none of them `draw`")]
    SeatNames,
    /// An action, an option or a clause is listed twice.
    #[error("`{}` is listed twice", printable(.0))]
    ListedTwice(String),
    /// The default of an option is not one of its values.
    #[error("the default of the option `{0}` is not one of its values")]
    Default(String),
    /// A field is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field is present that is not allowed here.
    #[error("`{field}` is not allowed here: {why}")]
    Unexpected {
        field: &'static str,
        /// The reason why it is not allowed.
        why: &'static str,
    },
    /// A seat has no value in this field.
    #[error("`{field}` has no value for `{seat}`")]
    NoValue {
        field: &'static str,
        /// The name of the seat.
        seat: String,
    },
    /// The scores of a game that is over are not numbers.
    #[error("`scores` needs numbers, not {0}")]
    Score(String),
    /// The scores are too few or too many.
    #[error("`scores` needs {seats} numbers, one for each seat, not {scores}")]
    Scores {
        /// How many there are.
        scores: usize,
        /// The number of the game's seats.
        seats: usize,
    },
    /// The state is too long, in bytes.
    #[error("the state has {0} bytes; the maximum is {LONGEST_STATE}")]
    State(usize),
    /// `turn` has none or several of its five forms.
    #[error(
        "`turn` needs exactly one of `move`, `{}`, `pass`, `chance`, `over`",
        if *seats == 2 { "both" } else { "together" }
    )]
    Turn {
        /// The number of the game's seats.
        seats: usize,
    },
    /// `together` does not list several different seats.
    #[error("`together` needs two or more different seats; use `move` for a single seat")]
    Together,
    /// A seat that is out of the game has a turn.
    #[error("`{0}` is listed in `eliminated`, but is asked to move")]
    Eliminated(String),
    /// A seat has a name that is not among the game's.
    #[error("unknown seat `{}`", printable(.0))]
    Seat(String),
    /// `over` of a game for two is neither a text nor two scores.
    #[error(
        "invalid `over`: expected a seat, `draw` or `{{\"scores\":[A,B]}}` (two numbers, in seat \
         order)"
    )]
    Over,
    /// `over` of a game with more seats gives neither places nor scores.
    #[error(
        "invalid `over`: expected `draw`, `{{\"scores\":[…]}}` (one number per seat, in seat \
         order) or `{{\"places\":{{…}}}}` (a place for each seat, starting at 1). With \
         `\"ranking\":\"winner\"`, the winning seat alone is also valid"
    )]
    OverPlaces,
    /// The places are not such as a game can end with.
    #[error(
        "invalid `places`: each seat's place is 1 plus the number of seats ahead of it, as in 1, \
         1, 3, 4"
    )]
    Places,
    /// The text of an action or an outcome is invalid.
    #[error(
        "\"{}\" cannot be the text of an action or outcome: it must be 1 to {LONGEST_TEXT} bytes, \
         with no control or invisible characters, no blank at either end and no `{{` at the start",
        printable(.0)
    )]
    Text(String),
    /// A seat that must move has no legal action.
    #[error("{0} must move but has no legal action; write a forced pass as `pass`")]
    NoAction(String),
    /// An outcome of chance is listed twice, or their number is not from 1 to [`MOST_OUTCOMES`].
    #[error("`chance` has {0} outcomes; expected 1 to {MOST_OUTCOMES} distinct outcomes")]
    Outcomes(usize),
    /// All weights are 0.
    #[error("all weights of `chance` are 0")]
    Weights,
    /// `to` of an event is not a list of seats.
    #[error("an event's `to` is not a list of seats")]
    Addressees,
    /// An event is not valid.
    #[error("{0}")]
    Event(EventError),
    /// An estimate is not a number from −1 to 1.
    #[error("the estimate {0} is not between -1 and 1")]
    Value(f64),
    /// The board has too many rows, or a row or the caption is too long or has control characters.
    #[error(
        "expected at most {MOST_ROWS} `rows`; each of them and the caption can have up to \
         {LONGEST_ROW} characters, and no control or invisible ones"
    )]
    Rows,
    /// The board cannot be drawn, for this reason.
    #[error("`board` cannot be drawn: {0}")]
    Board(String),
    /// The drawing has something that is not allowed.
    #[error(transparent)]
    Svg(#[from] SvgError),
    /// `max_plies` is not from 1 to [`MOST_PLIES`].
    #[error("`max_plies` is {0}; it must be from 1 to {MOST_PLIES}")]
    MostPlies(u32),
    /// The game continues after `max_plies`.
    #[error("the game is not over after {0} plies, its own `max_plies`")]
    Endless(u32),
    /// No seat was asked for too many steps.
    #[error("no seat was asked for an action in more than {MOST_UNASKED} steps")]
    Unasked,
    /// An action is not in the list of legal actions.
    #[error("`{}` is not among the legal actions", printable(.0))]
    NotLegal(String),
    /// A clause is unknown.
    #[error("unknown clause `{}`", printable(.0))]
    Clause(String),
    /// The answer has neither an action nor a refusal.
    #[error("expected `action` or `refused`")]
    Undecided,
}
