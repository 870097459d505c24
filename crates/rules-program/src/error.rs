//! The failures of a rules program.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use referee_games::{EventError, GameError, ProgramError, is_unsafe_to_show};

use crate::contract::{
    LONGEST_ANSWER, LONGEST_ROW, LONGEST_STATE, LONGEST_TEXT, MOST_OUTCOMES, MOST_PLIES, MOST_ROWS,
    MOST_UNASKED, VERSION,
};

/// The length to which a request or an answer is cut in messages, in characters.
const SHOWN: usize = 600;

/// The failure of a rules program: the problem, the request and the answer.
#[derive(Debug)]
pub struct RulesProgramError {
    /// The problem.
    pub problem: ExchangeError,
    /// What the author of the program may not know, if it helps.
    pub advice: Option<&'static str>,
    /// The request, if there was one.
    pub request: Option<String>,
    /// The answer, if there was one.
    pub answer: Option<String>,
    /// The last lines that the program wrote to stderr.
    pub stderr: String,
}

impl fmt::Display for RulesProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the rules program failed: {}", self.problem)?;
        if let Some(advice) = self.advice {
            write!(f, "\n  note: {advice}")?;
        }
        if let Some(request) = &self.request {
            write!(f, "\n  request: {}", cut(request))?;
        }
        if let Some(answer) = &self.answer {
            write!(f, "\n  answer: {}", cut(answer))?;
        }
        for line in self.stderr.lines() {
            write!(f, "\n  stderr: {}", cut(line))?;
        }
        Ok(())
    }
}

impl Error for RulesProgramError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.problem)
    }
}

impl From<ExchangeError> for RulesProgramError {
    /// A problem without a request.
    fn from(problem: ExchangeError) -> Self {
        Self { problem, advice: None, request: None, answer: None, stderr: String::new() }
    }
}

impl From<RulesProgramError> for GameError {
    fn from(error: RulesProgramError) -> Self {
        Self::Program(ProgramError::new(error))
    }
}

/// The text as printable characters, shortened in the middle.
fn cut(text: &str) -> String {
    let plain = printable(text.trim_end());
    let length = plain.chars().count();
    if length <= SHOWN {
        return plain;
    }
    let head: String = plain.chars().take(SHOWN / 2).collect();
    let tail: String = plain.chars().skip(length - SHOWN / 2).collect();
    format!("{head} … {tail}")
}

/// The text with characters escaped that are not safe to show.
pub(crate) fn printable(text: &str) -> String {
    let escape = |character: char| {
        if is_unsafe_to_show(character) {
            character.escape_debug().collect::<String>()
        } else {
            character.to_string()
        }
    };
    text.chars().map(escape).collect()
}

/// A problem with a rules program or its answer.
#[derive(Debug)]
pub enum ExchangeError {
    /// It could not be started, for this reason.
    NotStarted(String),
    /// It ended in this way.
    Ended(String),
    /// It did not answer within this time.
    Silent(Duration),
    /// Its answer is longer than [`LONGEST_ANSWER`] bytes.
    TooLong,
    /// It cannot be written to or read from.
    Pipe(io::Error),
    /// Its answer is not the expected JSON.
    Json(serde_json::Error),
    /// It answered with this error instead.
    Told(String),
    /// Its answer has another id, or none.
    Id {
        /// The id of the request.
        asked: u64,
        /// The id of the answer.
        given: Option<u64>,
    },
    /// Its answer breaks the contract.
    Contract(Violation),
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(reason) => write!(f, "it could not be started: {reason}"),
            Self::Ended(how) => write!(f, "it ended: {how}"),
            Self::Silent(limit) => write!(f, "no answer within {} s", limit.as_secs_f64()),
            Self::TooLong => write!(f, "its answer is longer than {LONGEST_ANSWER} bytes"),
            Self::Pipe(error) => write!(f, "it cannot be written to or read from: {error}"),
            Self::Told(error) => write!(f, "it answered with an error: {}", printable(error)),
            Self::Json(error) if !error.is_data() => {
                write!(f, "its answer is not a line of JSON: {error}")
            }
            Self::Json(error) => write!(f, "its answer breaks the contract: {error}"),
            Self::Id { asked, given: Some(given) } => {
                write!(f, "its answer carries id {given}, but the request was {asked}")
            }
            Self::Id { asked, given: None } => {
                write!(f, "its answer carries no id; the request was {asked}")
            }
            Self::Contract(violation) => violation.fmt(f),
        }
    }
}

impl Error for ExchangeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Pipe(error) => Some(error),
            Self::Json(error) => Some(error),
            Self::Contract(violation) => Some(violation),
            _ => None,
        }
    }
}

/// How the description of a game breaks the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescriptionError {
    /// The program speaks another version of the contract.
    Version(u32),
    /// A name is not in kebab-case.
    Name(String),
    /// Both seats have the same name, or one is called `draw`.
    Seats,
    /// An option or a clause is listed twice.
    Twice(String),
    /// The default of an option is not one of its values.
    Default(String),
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => {
                write!(
                    f,
                    "it speaks version {version} of the contract, the referee speaks version \
                     {VERSION}"
                )
            }
            Self::Name(name) => write!(
                f,
                "the name `{}` is not in kebab-case: up to 64 of a to z, 0 to 9 and `-`",
                printable(name)
            ),
            Self::Seats => f.write_str("`seats` needs two different names, neither of them `draw`"),
            Self::Twice(name) => write!(f, "`{}` is listed twice", printable(name)),
            Self::Default(name) => {
                write!(f, "the default of the option `{name}` is not one of its values")
            }
        }
    }
}

impl Error for DescriptionError {}

/// A violation of the contract by an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Violation {
    /// The description of the game is not valid.
    Description(DescriptionError),
    /// A field is missing.
    Missing(&'static str),
    /// A field is present that is not allowed here.
    Unexpected {
        /// The field.
        field: &'static str,
        /// The reason why it is not allowed.
        why: &'static str,
    },
    /// The state is too long, in bytes.
    State(usize),
    /// `turn` has none or several of its five forms.
    Turn,
    /// A seat has a name that is not among the game's.
    Seat(String),
    /// The text of an action or an outcome is invalid.
    Text(String),
    /// An action is listed twice.
    ListedTwice(String),
    /// A seat that must move has no legal action.
    NoAction(String),
    /// An outcome of chance is listed twice, or their number is not from 1 to [`MOST_OUTCOMES`].
    Outcomes(usize),
    /// All weights are 0.
    Weights,
    /// `to` of an event is not a list of seats.
    Addressees,
    /// An event is not valid.
    Event(EventError),
    /// An estimate is not a number from −1 to 1.
    Value(f64),
    /// The board has too many rows, or a row or the caption is too long or has control characters.
    Board,
    /// `max_plies` is not from 1 to [`MOST_PLIES`].
    MostPlies(u32),
    /// The game goes on after `max_plies`.
    Endless(u32),
    /// No seat was asked for too many steps.
    Unasked,
    /// An action is not in the list of legal actions.
    NotLegal(String),
    /// A clause is unknown.
    Clause(String),
    /// The answer has neither an action nor a refusal.
    Undecided,
    /// The game now refuses options that it accepted before.
    Refused(String),
    /// The answer differs from an earlier answer to the same request.
    Impure,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Description(error) => error.fmt(f),
            Self::Missing(field) => write!(f, "`{field}` is missing"),
            Self::Unexpected { field, why } => write!(f, "`{field}` is not allowed here: {why}"),
            Self::State(length) => {
                write!(f, "the state has {length} bytes; the maximum is {LONGEST_STATE}")
            }
            Self::Turn => {
                f.write_str("`turn` needs exactly one of `move`, `both`, `pass`, `chance`, `over`")
            }
            Self::Seat(name) => write!(f, "unknown seat `{}`", printable(name)),
            Self::Text(text) => write!(
                f,
                "\"{}\" cannot be the text of an action or outcome: it needs 1 to {LONGEST_TEXT} \
                 bytes, no control or invisible characters, no blank at either end and no `{{` at the start",
                printable(text)
            ),
            Self::ListedTwice(text) => write!(f, "`{}` is listed twice", printable(text)),
            Self::NoAction(seat) => {
                write!(f, "{seat} must move but has no legal action; write a forced pass as `pass`")
            }
            Self::Outcomes(count) => write!(
                f,
                "`chance` has {count} outcomes; it needs 1 to {MOST_OUTCOMES}, all different"
            ),
            Self::Weights => f.write_str("all weights of `chance` are 0"),
            Self::Addressees => f.write_str("`to` of an event is not a list of seats"),
            Self::Event(error) => error.fmt(f),
            Self::Value(value) => write!(f, "the estimate {value} is not from -1 to 1"),
            Self::Board => write!(
                f,
                "the board needs at most {MOST_ROWS} rows, and rows and caption at most \
                 {LONGEST_ROW} characters without control or invisible ones"
            ),
            Self::MostPlies(plies) => {
                write!(f, "`max_plies` is {plies}; it must be from 1 to {MOST_PLIES}")
            }
            Self::Endless(plies) => {
                write!(f, "the game is not over after {plies} plies, its own `max_plies`")
            }
            Self::Unasked => {
                write!(f, "no seat was asked for an action in more than {MOST_UNASKED} steps")
            }
            Self::NotLegal(text) => {
                write!(f, "`{}` is not among the legal actions", printable(text))
            }
            Self::Clause(id) => write!(f, "unknown clause `{}`", printable(id)),
            Self::Undecided => f.write_str("both `action` and `refused` are missing"),
            Self::Refused(reason) => {
                write!(f, "it now refuses options that it accepted before: {}", printable(reason))
            }
            Self::Impure => f.write_str("it answered the same request differently before"),
        }
    }
}

impl Error for Violation {}

impl From<DescriptionError> for Violation {
    fn from(error: DescriptionError) -> Self {
        Self::Description(error)
    }
}

impl From<Violation> for ExchangeError {
    fn from(violation: Violation) -> Self {
        Self::Contract(violation)
    }
}

impl From<serde_json::Error> for ExchangeError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}
