//! `[league]`: where authors hand in, and the bounds on what they send.

use std::path::{Path, PathBuf};
use toml::Spanned;

use super::clock_limits::{TimeText, check_positive_duration, check_whole_number};
use super::config_file::ConfigFile;
use super::configured_tournament::check_tournament_name;
use super::containment_keys::check_byte_size;
use super::problem::{ByteSpan, Problem, Problems};
use super::toml_keys::{Field, FromTable, Given, TomlTableReader, table_keys};
use referee_record::model::league_settings::{LeagueGameBounds, LeagueQuietHours, LeagueSettings};
use referee_sandbox::resource_limits::{KIB, MIB};

/// The default folder that authors hand in to, beside the configuration.
const HAND_IN: &str = "hand-in";
/// The most games that a day can be limited to.
const MOST_GAMES: usize = 1_000_000;
/// The folder that keeps what was entered, beside the configuration.
const ENTRANTS: &str = "entrants";

table_keys! {
    /// The keys under `[league]`.
    LeagueKeys[at], "`[league]`":
    "hand-in" => hand_in: Field<String>,
    "continues" => continues: Field<String>,
    "pseudonyms" => pseudonyms: Field<bool>,
    "largest" => largest: Field<String>,
    "disk" => disk: Field<String>,
    "every" => every: Field<TimeText>,
    "games-per-day" => games_per_day: Field<i128>,
    "quiet" => quiet: Field<String>,
}

/// Checks the settings that `file` asks for; `None` if it is not a league.
pub(super) fn check_league_keys(
    file: &ConfigFile,
    base: &Path,
    problems: &mut Problems,
) -> Option<LeagueSettings> {
    let keys = file.league.as_ref();
    if !file.stages.are_a_league() {
        if let Some(keys) = keys {
            let problem = Problem::new(keys.at.clone(), "`[league]` has no effect");
            problems.add(problem.help("remove it, or write `format = \"league\"`"));
        }
        return None;
    }
    let none = LeagueKeys::default();
    let keys = keys.unwrap_or(&none);
    let mut size = |key, field: &Field<String>, least, usual| {
        check_byte_size(key, field.as_ref(), least, problems).unwrap_or(usual)
    };
    let largest = size("largest", &keys.largest, 4 * KIB, LeagueSettings::LARGEST);
    let disk = size("disk", &keys.disk, MIB, LeagueSettings::DISK.max(largest));
    if disk < largest
        && let Some(field) = keys.disk.as_ref().or(keys.largest.as_ref())
    {
        let problem = Problem::new(field.span(), "`disk` is less than `largest`");
        problems.add(problem.help("expected enough space for a submission of maximum size"));
    }
    let games = keys.games_per_day.as_ref();
    let bounds = LeagueGameBounds {
        per_day: check_whole_number("games-per-day", games, &(1..=MOST_GAMES), problems),
        quiet: check_quiet_hours_key(keys.quiet.as_ref(), problems),
    };
    Some(LeagueSettings {
        bounds,
        hand_in: check_hand_in_key(keys.hand_in.as_ref(), base, problems),
        entrants: base.join(ENTRANTS),
        continues: check_continued_league_key(
            keys.continues.as_ref(),
            file.name.as_ref(),
            problems,
        ),
        pseudonyms: keys.pseudonyms.as_ref().is_some_and(|field| *field.get_ref()),
        largest,
        disk,
        every: check_positive_duration("every", keys.every.as_ref(), problems)
            .unwrap_or(LeagueSettings::EVERY),
    })
}

/// The name of the league before this one, which is called `own`.
fn check_continued_league_key(
    field: Given<'_, String>,
    own: Given<'_, String>,
    problems: &mut Problems,
) -> Option<String> {
    let name = check_tournament_name(field, problems)?;
    if own.is_some_and(|own| *own.get_ref() == name) {
        let at = field.map(Spanned::span).unwrap_or_default();
        let problem = Problem::new(at, format!("`continues` is the name of this league, `{name}`"));
        problems.add(problem.help("give this league another `name`"));
        return None;
    }
    Some(name)
}

fn check_hand_in_key(field: Given<'_, String>, base: &Path, problems: &mut Problems) -> PathBuf {
    let Some(field) = field else { return base.join(HAND_IN) };
    let name = field.get_ref();
    if name.is_empty() || name.contains('\0') || base.join(name) == base.join(ENTRANTS) {
        let problem = Problem::new(field.span(), "invalid value for `hand-in`");
        problems.add(problem.label("expected the name of a separate folder"));
    }
    base.join(name)
}

/// The quiet hours in `field`.
fn check_quiet_hours_key(
    field: Given<'_, String>,
    problems: &mut Problems,
) -> Option<LeagueQuietHours> {
    let field = field?;
    let hours = field.get_ref().split_once('-').and_then(|(from, to)| {
        let hours =
            LeagueQuietHours { from: parse_quiet_minute(from)?, to: parse_quiet_minute(to)? };
        (hours.from != hours.to).then_some(hours)
    });
    if hours.is_none() {
        let problem = Problem::new(field.span(), "invalid value for `quiet`");
        let expected = "expected two different times of day, such as \"22:00-07:00\"";
        problems.add(problem.label(expected));
    }
    hours
}

/// The minute of the day that a text such as `07:30` names.
fn parse_quiet_minute(text: &str) -> Option<u16> {
    let number = |digits: &str, below: u16| {
        let is_number = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
        digits.parse().ok().filter(|&number: &u16| is_number && number < below)
    };
    let (hours, minutes) = text.trim().split_once(':')?;
    Some(number(hours, 24)? * 60 + number(minutes, 60)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_read_to_the_minute() {
        for (text, read) in [("00:00", Some(0)), ("23:59", Some(1439)), (" 07:30", Some(450))] {
            assert_eq!(parse_quiet_minute(text), read, "{text}");
        }
        for text in ["", "7:00", "24:00", "07:60", "+7:00", "07:0x", "07:00:00", "0700"] {
            assert_eq!(parse_quiet_minute(text), None, "{text}");
        }
    }
}
