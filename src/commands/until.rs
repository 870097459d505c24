//! `--until TIME`: a time of day, a date with a time, or a duration from now.

use std::time::{Duration, Instant, SystemTime};

use jiff::civil::{DateTime, Time};
use jiff::{Timestamp, ToSpan, Zoned};

use super::Failure;
use referee_record::wording::pluralize;
use referee_report::tournament_tables::TournamentTables;
use referee_tournament::run::deadline::DeadlineTime;

/// The longest time that a run may be planned ahead.
const FARTHEST: Duration = Duration::from_secs(366 * 24 * 3600);

/// When a run must end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Until {
    /// The local time with its UTC offset, for people.
    pub(super) text: String,
    /// The time from now until then.
    pub(super) left: Duration,
    /// The same moment for the run.
    pub(super) at: DeadlineTime,
}

impl Until {
    /// The summary of a run whose time is up.
    pub(super) fn time_up(&self, tables: &TournamentTables) -> String {
        let state = &tables.analysis.state;
        let time = &self.text;
        if state.count_due() > 0 {
            let due = pluralize(state.count_due(), "game");
            return format!("the time is up ({time}): {due} left to play; run again to continue");
        }
        let further = pluralize(state.further_played(), "more game");
        format!("the time is up ({time}): everything was played, plus {further}")
    }

    /// Parses `text` as an end, relative to the current time.
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        Self::from(text, &Zoned::now())
            .map_err(|problem| Failure::input(format!("--until {text}: {problem}")))
    }

    fn from(text: &str, now: &Zoned) -> Result<Self, UntilError> {
        let (end, is_duration) = parse_until_time(text, now)?;
        let left = Duration::try_from(now.duration_until(&end)).unwrap_or_default();
        if left.is_zero() {
            return Err(UntilError::Passed);
        }
        if left > FARTHEST {
            return Err(UntilError::TooFar);
        }
        let text = end.strftime("%Y-%m-%d %H:%M %:z").to_string();
        let at = if is_duration {
            DeadlineTime::After(Instant::now() + left)
        } else {
            DeadlineTime::At(SystemTime::from(end.timestamp()))
        };
        Ok(Self { text, left, at })
    }
}

/// The moment that `text` names, and whether it is a duration from now. For a time of day, the next
/// such moment.
fn parse_until_time(text: &str, now: &Zoned) -> Result<(Zoned, bool), UntilError> {
    if let Ok(span) = humantime::parse_duration(text) {
        return Ok((now.checked_add(span).map_err(UntilError::Invalid)?, true));
    }
    Ok((parse_until_time_of_day(text, now)?, false))
}

fn parse_until_time_of_day(text: &str, now: &Zoned) -> Result<Zoned, UntilError> {
    let failed = UntilError::Invalid;
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at.to_zoned(now.time_zone().clone()));
    }
    if let Some(time) = text.parse::<Time>().ok().filter(|_| text.contains(':') && text.len() <= 8)
    {
        let today = now.with().time(time).build().map_err(failed)?;
        return if today > *now { Ok(today) } else { today.checked_add(1.day()).map_err(failed) };
    }
    if let Some(at) = text.parse::<DateTime>().ok().filter(|_| text.contains(':')) {
        return at.to_zoned(now.time_zone().clone()).map_err(failed);
    }
    Err(UntilError::NotATime)
}

/// An error in the text of an end time.
#[derive(Debug, thiserror::Error)]
enum UntilError {
    /// It does not have the form of a time.
    #[error(
        "expected a time of day (18:30), a date and time (\"2026-11-23 08:00\" in local time, or \
         RFC 3339), or a duration (90m, 36h)"
    )]
    NotATime,
    /// It is not a valid time, or is out of range.
    #[error("invalid time: {0}")]
    Invalid(#[source] jiff::Error),
    /// The time has passed.
    #[error("that time has passed; choose a future time")]
    Passed,
    /// The time is more than [`FARTHEST`] away.
    #[error("that is more than a year away; choose an earlier time")]
    TooFar,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the end and the seconds left, or the message.
    fn parsed(text: &str) -> Result<(String, u64), String> {
        let now: Zoned = "2026-11-22T17:00:00+11:00[+11:00]".parse().expect("a time");
        let until = Until::from(text, &now).map_err(|error| error.to_string())?;
        Ok((until.text, until.left.as_secs()))
    }

    #[test]
    fn times_of_day_are_the_next_ones() {
        assert_eq!(parsed("18:30"), Ok(("2026-11-22 18:30 +11:00".to_owned(), 90 * 60)));
        assert_eq!(parsed("17:00"), Ok(("2026-11-23 17:00 +11:00".to_owned(), 24 * 3600)));
        assert_eq!(parsed("16:59:59"), Ok(("2026-11-23 16:59 +11:00".to_owned(), 24 * 3600 - 1)));
    }

    #[test]
    fn dates_and_spans() {
        let morning = ("2026-11-23 08:00 +11:00".to_owned(), 15 * 3600);
        assert_eq!(parsed("2026-11-23 08:00"), Ok(morning.clone()));
        assert_eq!(parsed("2026-11-23T08:00"), Ok(morning.clone()));
        assert_eq!(parsed("2026-11-22T21:00:00Z"), Ok(morning.clone()));
        assert_eq!(parsed("2026-11-23T08:00:00+11:00"), Ok(morning.clone()));
        assert_eq!(parsed("15h"), Ok(morning));
        assert_eq!(parsed("1h 30m"), parsed("90m"));
    }

    #[test]
    fn a_time_of_day_does_not_shift_with_suspend() {
        let now: Zoned = "2026-11-22T17:00:00+11:00[+11:00]".parse().expect("a time");
        let at = |text| Until::from(text, &now).expect("a time").at;
        let evening = now.timestamp() + 90.minutes();
        for text in ["18:30", "2026-11-22 18:30", "2026-11-22T07:30:00Z"] {
            assert_eq!(at(text), DeadlineTime::At(SystemTime::from(evening)), "{text}");
        }
        assert!(matches!(at("90m"), DeadlineTime::After(_)));
    }

    #[test]
    fn past_and_invalid_times_are_refused() {
        let passed = Err("that time has passed; choose a future time".to_owned());
        assert_eq!(parsed("2026-11-22 16:59"), passed);
        assert_eq!(parsed("2026-11-22 17:00"), passed);
        assert_eq!(parsed("0s"), passed);
        assert!(parsed("400d").is_err_and(|problem| problem.contains("more than a year")));
        for text in ["", "soon", "18", "1830", "25:00", "2026-11-23", "-5m", "2026-02-30 08:00"] {
            let problem = parsed(text).expect_err(text);
            assert!(problem.starts_with("expected a time of day"), "{text}: {problem}");
        }
    }
}
