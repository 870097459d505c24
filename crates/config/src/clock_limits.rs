//! Checks that numbers and durations are within their ranges.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use toml::de::DeValue;

use referee_record::model::clock::{LONGEST, MOST_OVERRUNS, Measure, TimeControl};
use referee_record::model::short_clock::{NotShortClock, ShortClock};
use referee_sandbox::resource_limits::MIB;

use super::problem::{Problem, Problems, suggest_similar_word};
use super::toml_keys::{Field, FromTable, FromToml, Given, TomlTableReader, table_keys};

/// The default start-up limit.
pub const DEFAULT_STARTUP: Duration = Duration::from_secs(10);
/// The move limit if there is neither a move limit nor a budget.
pub const DEFAULT_MOVE: Duration = Duration::from_secs(5);

/// The default margin of wall time.
pub const DEFAULT_MARGIN: Duration = Duration::from_millis(20);

/// The number in `field`, which must be in `range`.
pub(super) fn check_whole_number<T>(
    key: &str,
    field: Given<'_, i128>,
    range: &RangeInclusive<T>,
    problems: &mut Problems,
) -> Option<T>
where
    T: TryFrom<i128> + PartialOrd + Display,
{
    let field = field?;
    let number = T::try_from(*field.get_ref()).ok().filter(|number| range.contains(number));
    if number.is_none() {
        let expected = format!("expected a whole number from {} to {}", range.start(), range.end());
        let problem = Problem::new(field.span(), format!("`{key}` is out of range"));
        problems.add(problem.label(expected));
    }
    number
}

/// The values that a preset gives to keys that are not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LimitPreset {
    budget: Option<Duration>,
    measure: Measure,
    count_startup: bool,
    /// Memory in bytes.
    pub(super) memory: Option<u64>,
}

impl LimitPreset {
    /// The names of the presets.
    pub(super) const NAMES: [&'static str; 1] = ["comp30024-2018"];

    /// The preset called `name`. The 2018 course gave each player 100 MiB, and a minute of CPU time
    /// for its construction, actions and updates.
    pub(super) fn named(name: &str) -> Option<Self> {
        let course = Self {
            budget: Some(Duration::from_secs(60)),
            measure: Measure::Cpu,
            count_startup: true,
            memory: Some(100 * MIB),
        };
        (name == Self::NAMES[0]).then_some(course)
    }
}

/// The time limits that `keys` ask for, on top of the preset's.
pub(super) fn check_clock_keys(
    keys: &ClockKeys,
    preset: &LimitPreset,
    problems: &mut Problems,
) -> TimeControl {
    if preset.budget.is_none() {
        check_clock_budget_keys(keys, problems);
    }
    let short = check_short_clock(keys, problems);
    let measure = check_clock_measure_key(keys.measure.as_ref(), preset.measure, problems);
    let margin = if measure == Measure::Wall { DEFAULT_MARGIN } else { Duration::ZERO };
    let limited = keys.tc.is_some()
        || keys.budget.is_some()
        || keys.per_move.is_some()
        || preset.budget.is_some();
    let default_move = (!limited).then_some(DEFAULT_MOVE);
    let mut control = TimeControl {
        startup: check_positive_duration("startup", keys.startup.as_ref(), problems)
            .unwrap_or(DEFAULT_STARTUP),
        budget: check_positive_duration("budget", keys.budget.as_ref(), problems).or(preset.budget),
        moves: None,
        increment: check_duration("increment", keys.increment.as_ref(), problems)
            .unwrap_or_default(),
        per_move: check_positive_duration("move", keys.per_move.as_ref(), problems)
            .or(default_move),
        margin: check_duration("margin", keys.margin.as_ref(), problems).unwrap_or(margin),
        overruns: check_clock_overruns_key(keys.overruns.as_ref(), measure, problems),
        measure,
        count_startup: keys
            .count_startup
            .as_ref()
            .map_or(preset.count_startup, |flag| *flag.get_ref()),
        ponder: is_clock_flag_set(keys.ponder.as_ref()),
    };
    if let Some(short) = short {
        let per_move = control.per_move;
        short.set(&mut control);
        control.per_move = per_move;
    }
    control
}

/// The clock in short form, which excludes the keys that it stands for.
fn check_short_clock(keys: &ClockKeys, problems: &mut Problems) -> Option<ShortClock> {
    let field = keys.tc.as_ref()?;
    for (key, given) in [("budget", &keys.budget), ("increment", &keys.increment)] {
        if let Some(given) = given {
            let problem = Problem::new(given.span(), format!("`tc` also sets `{key}`"));
            problems.add(problem.help(format!("remove `{key}` or `tc`")));
        }
    }
    check_tc_key(Some(field), problems)
}

/// The clock in short form in `field`.
pub(super) fn check_tc_key(
    field: Given<'_, String>,
    problems: &mut Problems,
) -> Option<ShortClock> {
    let field = field?;
    let read = field.get_ref().parse().map_err(|error: NotShortClock| {
        let problem = Problem::new(field.span(), "invalid value for `tc`");
        problems.add(problem.label(error.to_string()));
    });
    read.ok()
}

/// Reports keys that need a budget where none is set.
fn check_clock_budget_keys(keys: &ClockKeys, problems: &mut Problems) {
    if keys.budget.is_some() || keys.tc.is_some() {
        return;
    }
    let nothing = |text: &&toml::Spanned<TimeText>| {
        parse_limit_duration(&text.get_ref().0) != Some(Duration::ZERO)
    };
    if let Some(increment) = keys.increment.as_ref().filter(nothing) {
        let problem = Problem::new(increment.span(), "`increment` needs a `budget` to add to");
        problems.add(problem.help("add `budget = \"60s\"`, or remove `increment`"));
    }
    if let Some(count) = keys.count_startup.as_ref().filter(|flag| *flag.get_ref()) {
        let title = "`count-startup` needs a `budget` to charge";
        let problem = Problem::new(count.span(), title);
        problems.add(problem.help("add `budget = \"60s\"`, or remove `count-startup`"));
    }
}

/// How many late turns of a game are forgiven. Nothing waits for one that used up its CPU time.
fn check_clock_overruns_key(
    field: Given<'_, i128>,
    measure: Measure,
    problems: &mut Problems,
) -> u32 {
    if let Some(field) = field
        && measure == Measure::Cpu
    {
        let title = "cannot use `overruns` together with `measure = \"cpu\"`";
        problems.add(Problem::new(field.span(), title).help("remove one of them"));
    }
    check_whole_number("overruns", field, &(0..=MOST_OVERRUNS), problems).unwrap_or(0)
}

fn is_clock_flag_set(field: Given<'_, bool>) -> bool {
    field.is_some_and(|flag| *flag.get_ref())
}

fn check_clock_measure_key(
    field: Given<'_, String>,
    preset: Measure,
    problems: &mut Problems,
) -> Measure {
    let Some(field) = field else { return preset };
    match field.get_ref().as_str() {
        "wall" => Measure::Wall,
        "cpu" => Measure::Cpu,
        other => {
            let problem = Problem::new(field.span(), "invalid value for `measure`");
            problems.add(problem.label(suggest_similar_word(other, ["wall", "cpu"])));
            Measure::default()
        }
    }
}

/// A duration as written.
#[derive(Debug, Clone)]
pub(super) struct TimeText(String);

impl FromToml for TimeText {
    const EXPECTED: &'static str =
        "a duration with its unit, in quotes, such as \"5s\" or \"500ms\"";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        String::typed(value).map(Self)
    }
}

/// The duration in `field`, more than zero and at most [`LONGEST`]; `None` if it was not given, or
/// cannot be read. Notes what is wrong.
pub(super) fn check_positive_duration(
    key: &str,
    field: Given<'_, TimeText>,
    problems: &mut Problems,
) -> Option<Duration> {
    let duration = check_duration(key, field, problems)?;
    if duration.is_zero() {
        let at = field.map(toml::Spanned::span).unwrap_or_default();
        let problem = Problem::new(at, format!("`{key}` leaves no time"));
        problems.add(problem.label("expected more than zero"));
    }
    Some(duration)
}

/// The duration in `field`, from zero to [`LONGEST`].
fn check_duration(
    key: &str,
    field: Given<'_, TimeText>,
    problems: &mut Problems,
) -> Option<Duration> {
    let field = field?;
    let expected = match parse_limit_duration(&field.get_ref().0) {
        Some(duration) if duration <= LONGEST => return Some(duration),
        Some(_) => "expected at most 24h",
        None => "expected a duration such as \"500ms\", \"10s\" or \"1m30s\"",
    };
    let problem = Problem::new(field.span(), format!("invalid value for `{key}`"));
    problems.add(problem.label(expected));
    None
}

fn parse_limit_duration(text: &str) -> Option<Duration> {
    humantime::parse_duration(text).ok()
}

table_keys! {
    /// The keys under `[clock]`.
    ClockKeys, "`[clock]`":
    "startup" => startup: Field<TimeText>,
    "tc" => tc: Field<String>,
    "budget" => budget: Field<TimeText>,
    "increment" => increment: Field<TimeText>,
    "move" => per_move: Field<TimeText>,
    "margin" => margin: Field<TimeText>,
    "overruns" => overruns: Field<i128>,
    "measure" => measure: Field<String>,
    "count-startup" => count_startup: Field<bool>,
    "ponder" => ponder: Field<bool>,
}

#[cfg(test)]
mod tests {
    use toml::Spanned;

    use super::*;

    fn field<T>(value: T) -> Spanned<T> {
        Spanned::new(0..1, value)
    }

    #[test]
    fn durations_are_read_from_zero_to_a_day() {
        let read = |text: &str| {
            let mut problems = Problems::default();
            let read =
                check_duration("move", Some(&field(TimeText(text.to_owned()))), &mut problems);
            assert_eq!(read.is_none(), !problems.is_empty());
            read
        };
        assert_eq!(read("0s"), Some(Duration::ZERO));
        assert_eq!(read("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(read("1m30s"), Some(Duration::from_secs(90)));
        assert_eq!(read("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(read("24h"), Some(LONGEST));
        for refused in ["24h 1ns", "", "10", "-1s", "ten seconds", "99999999999999999999h"] {
            assert_eq!(read(refused), None, "{refused}");
        }
    }

    #[test]
    fn numbers_are_read_at_both_ends_of_their_range() {
        let read = |number| {
            check_whole_number::<u64>(
                "seed",
                Some(&field(number)),
                &(0..=u64::MAX),
                &mut Problems::default(),
            )
        };
        assert_eq!(read(0), Some(0));
        assert_eq!(read(u64::MAX.into()), Some(u64::MAX));
        assert_eq!(read(-1), None);
        assert_eq!(read(i128::from(u64::MAX) + 1), None);
    }

    #[test]
    fn the_default_move_limit_holds_only_without_a_budget() {
        let control =
            |keys| check_clock_keys(&keys, &LimitPreset::default(), &mut Problems::default());
        let default = control(ClockKeys::default());
        assert_eq!((default.startup, default.per_move), (DEFAULT_STARTUP, Some(DEFAULT_MOVE)));
        assert_eq!((default.budget, default.increment), (None, Duration::ZERO));
        assert_eq!(default.margin, DEFAULT_MARGIN);
        let cpu = ClockKeys { measure: Some(field("cpu".to_owned())), ..ClockKeys::default() };
        assert_eq!(control(cpu).margin, Duration::ZERO);
        let tc = ClockKeys { tc: Some(field("40/60+0.6".to_owned())), ..ClockKeys::default() };
        let tc = control(tc);
        assert_eq!((tc.budget, tc.moves), (Some(Duration::from_secs(60)), Some(40)));
        assert_eq!((tc.increment, tc.per_move), (Duration::from_millis(600), None));
        let budget =
            ClockKeys { budget: Some(field(TimeText("60s".to_owned()))), ..ClockKeys::default() };
        let budget = control(budget);
        assert_eq!((budget.budget, budget.per_move), (Some(Duration::from_secs(60)), None));
    }
}
