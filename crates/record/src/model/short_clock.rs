//! Time controls as testers of chess engines write them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::clock::{LONGEST, TimeControl};

/// A clock in short form: `10+0.1` (seconds and increment), `5:00+2` (minutes first), or
/// `40/60+0.6` (60 seconds for every 40 moves).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ShortClock {
    moves: Option<u32>,
    budget: Duration,
    increment: Duration,
}

/// The clock of a game, as a command takes it: in short form, or a limit per move such as `500ms` or
/// `5s`.
///
/// ```
/// use referee_record::model::short_clock::ClockArgument;
///
/// let clock: ClockArgument = "1.5s".parse().unwrap();
/// assert_eq!(clock.to_string(), "1.5s");
/// assert!("5m".parse::<ClockArgument>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockArgument {
    /// A clock in short form.
    Short(ShortClock),
    /// No limit but this one for each move.
    PerMove(Duration),
}

/// A text is not a clock that a command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected seconds and an increment such as 10+0.1, 5:00+2 or 40/60+0.6, or a limit per move such \
     as 500ms or 5s, up to 24 hours"
)]
pub struct NotClockArgument;

impl ClockArgument {
    /// The clock with these limits of moves and games; `None` if it has both or neither.
    pub fn of(control: &TimeControl) -> Option<Self> {
        let TimeControl { moves, budget, increment, per_move, .. } = *control;
        match (budget, per_move) {
            (Some(budget), None) => Some(Self::Short(ShortClock { moves, budget, increment })),
            (None, Some(limit)) => Some(Self::PerMove(limit)),
            _ => None,
        }
    }

    /// Replaces the budget, increment, moves and move limit of `control`.
    pub fn set(self, control: &mut TimeControl) {
        match self {
            Self::Short(tc) => tc.set(control),
            Self::PerMove(limit) => {
                *control = TimeControl {
                    moves: None,
                    budget: None,
                    increment: Duration::ZERO,
                    per_move: Some(limit),
                    ..*control
                };
            }
        }
    }
}

impl FromStr for ClockArgument {
    type Err = NotClockArgument;

    fn from_str(text: &str) -> Result<Self, NotClockArgument> {
        if let Ok(tc) = text.parse() {
            return Ok(Self::Short(tc));
        }
        let milliseconds = || parse_clock_seconds(text.strip_suffix("ms")?).map(|time| time / 1000);
        let limit = milliseconds().or_else(|| parse_clock_seconds(text.strip_suffix('s')?));
        let limit = limit.filter(|limit| !limit.is_zero() && *limit <= LONGEST);
        limit.map(Self::PerMove).ok_or(NotClockArgument)
    }
}

impl fmt::Display for ClockArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short(tc) => tc.fmt(f),
            Self::PerMove(limit) => write!(f, "{}s", limit.as_secs_f64()),
        }
    }
}

/// A text is not a clock in short form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected seconds and an increment such as 10+0.1, 5:00+2 or 40/60+0.6, up to 24 hours")]
pub struct NotShortClock;

impl ShortClock {
    /// 2+0.02: short games between engines, without anyone waiting.
    pub const QUICK: Self =
        Self { moves: None, budget: Duration::from_secs(2), increment: Duration::from_millis(20) };

    /// Replaces the budget, increment, moves and move limit of `control`.
    pub fn set(self, control: &mut TimeControl) {
        let Self { moves, budget, increment } = self;
        *control =
            TimeControl { moves, budget: Some(budget), increment, per_move: None, ..*control };
    }
}

/// The time limits of a player that may have a clock of its own.
pub fn with_own_short_clock(control: &TimeControl, tc: Option<ShortClock>) -> TimeControl {
    let mut control = *control;
    if let Some(tc) = tc {
        tc.set(&mut control);
    }
    control
}

impl TryFrom<String> for ShortClock {
    type Error = NotShortClock;

    fn try_from(text: String) -> Result<Self, NotShortClock> {
        text.parse()
    }
}

impl From<ShortClock> for String {
    fn from(tc: ShortClock) -> Self {
        tc.to_string()
    }
}

impl FromStr for ShortClock {
    type Err = NotShortClock;

    fn from_str(text: &str) -> Result<Self, NotShortClock> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves.parse().map_err(|_| NotShortClock)?), rest),
            None => (None, text),
        };
        let (budget, increment) = match rest.split_once('+') {
            Some((budget, increment)) => {
                (budget, parse_clock_seconds(increment).ok_or(NotShortClock)?)
            }
            None => (rest, Duration::ZERO),
        };
        let budget = match budget.split_once(':') {
            Some((minutes, rest)) => {
                let minutes: u32 = minutes.parse().map_err(|_| NotShortClock)?;
                parse_clock_seconds(rest)
                    .and_then(|rest| rest.checked_add(Duration::from_secs(60) * minutes))
            }
            None => parse_clock_seconds(budget),
        };
        let is_fit = |budget: &Duration| !budget.is_zero() && *budget <= LONGEST;
        let budget = budget.filter(is_fit).ok_or(NotShortClock)?;
        if moves == Some(0) || increment > LONGEST {
            return Err(NotShortClock);
        }
        Ok(Self { moves, budget, increment })
    }
}

fn parse_clock_seconds(text: &str) -> Option<Duration> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = text.parse().ok().filter(|_| is_plain)?;
    Duration::try_from_secs_f64(seconds).ok()
}

impl fmt::Display for ShortClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}+{}", self.budget.as_secs_f64(), self.increment.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_command_takes_a_limit_per_move_too() {
        let mut control = TimeControl::unlimited(MS);
        assert_eq!(ClockArgument::of(&control), None);
        for text in ["5s", "0.25s", "10+0.1", "40/60+0"] {
            let clock: ClockArgument = text.parse().expect(text);
            clock.set(&mut control);
            assert_eq!(
                (clock.to_string(), ClockArgument::of(&control)),
                (text.into(), Some(clock))
            );
        }
        assert_eq!("250ms".parse(), Ok(ClockArgument::PerMove(250 * MS)));
        for text in ["0s", "0.1ns", "-5s", "90000s", "5m", "s", ""] {
            assert!(text.parse::<ClockArgument>().is_err(), "{text}");
        }
        control.per_move = Some(MS);
        assert_eq!(ClockArgument::of(&control), None, "a budget and a limit per move");
    }

    #[test]
    fn clocks_are_read_in_short_form() {
        let read = |text: &str| {
            let ShortClock { moves, budget, increment } = text.parse().expect(text);
            (moves, budget, increment)
        };
        assert_eq!(read("10+0.1"), (None, 10_000 * MS, 100 * MS));
        assert_eq!(read("40/60+0.6"), (Some(40), 60_000 * MS, 600 * MS));
        assert_eq!(read("5:00+2"), (None, 300_000 * MS, 2000 * MS));
        assert_eq!(read("40/1:30"), (Some(40), 90_000 * MS, Duration::ZERO));
        assert_eq!("40/1:30".parse::<ShortClock>().expect("a clock").to_string(), "40/90+0");
    }

    #[test]
    fn a_player_s_own_clock_replaces_budget_and_move_limit() {
        let control = TimeControl {
            per_move: Some(MS),
            margin: 20 * MS,
            ..TimeControl::unlimited(10_000 * MS)
        };
        assert_eq!(with_own_short_clock(&control, None), control);
        let tc: ShortClock = serde_json::from_str("\"40/0.1+0.025\"").expect("a clock");
        assert_eq!(serde_json::to_string(&tc).expect("a text"), "\"40/0.1+0.025\"");
        let own = TimeControl {
            budget: Some(100 * MS),
            moves: Some(40),
            increment: 25 * MS,
            per_move: None,
            ..control
        };
        assert_eq!(with_own_short_clock(&control, Some(tc)), own);
        assert!(serde_json::from_str::<ShortClock>("\"0+1\"").is_err());
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "+1",
            "0+1",
            "x",
            "-1",
            "1e3",
            "10+",
            "10+x",
            "0/10",
            "40/",
            "1:2:3",
            "inf",
            "99999999",
            "10+99999999",
            "4294967295:00",
            "4294967295:18446744073709549568",
            "86400.1",
            "1440:01",
            "10+86400.1",
        ] {
            assert_eq!(text.parse::<ShortClock>(), Err(NotShortClock), "{text}");
            let logged = serde_json::json!(text);
            assert!(serde_json::from_value::<ShortClock>(logged).is_err(), "in a log: {text}");
        }
    }
}
