//! `[league]`: where authors hand in, and the bounds on what they send.

use std::path::{Path, PathBuf};
use toml::Spanned;

use super::containment::bytes;
use super::file::ConfigFile;
use super::keys::{Field, FromTable, Given, TableReader, table_keys};
use super::limits::{TimeText, positive};
use super::problem::{ByteSpan, Problem, Problems};
use super::tournament;
use referee_record::model::league::LeagueSettings;
use referee_sandbox::limits::{KIB, MIB};

/// The default folder that authors hand in to, beside the configuration.
const HAND_IN: &str = "hand-in";
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
}

/// Checks the settings that `file` asks for; `None` if it is not a league.
pub(super) fn check(
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
        bytes(key, field.as_ref(), least, problems).unwrap_or(usual)
    };
    let largest = size("largest", &keys.largest, 4 * KIB, LeagueSettings::LARGEST);
    let disk = size("disk", &keys.disk, MIB, LeagueSettings::DISK.max(largest));
    if disk < largest
        && let Some(field) = keys.disk.as_ref().or(keys.largest.as_ref())
    {
        let problem = Problem::new(field.span(), "`disk` is less than `largest`");
        problems.add(problem.help("an author's disk must hold a submission of the largest size"));
    }
    Some(LeagueSettings {
        hand_in: hand_in(keys.hand_in.as_ref(), base, problems),
        entrants: base.join(ENTRANTS),
        continues: continued(keys.continues.as_ref(), file.name.as_ref(), problems),
        pseudonyms: keys.pseudonyms.as_ref().is_some_and(|field| *field.get_ref()),
        largest,
        disk,
        every: positive("every", keys.every.as_ref(), problems).unwrap_or(LeagueSettings::EVERY),
    })
}

/// The name of the league before this one, which is called `own`.
fn continued(
    field: Given<'_, String>,
    own: Given<'_, String>,
    problems: &mut Problems,
) -> Option<String> {
    let name = tournament::name(field, problems)?;
    if own.is_some_and(|own| *own.get_ref() == name) {
        let at = field.map(Spanned::span).unwrap_or_default();
        let problem = Problem::new(at, format!("`continues` is the name of this league, `{name}`"));
        problems.add(problem.help("give this league another `name`"));
        return None;
    }
    Some(name)
}

fn hand_in(field: Given<'_, String>, base: &Path, problems: &mut Problems) -> PathBuf {
    let Some(field) = field else { return base.join(HAND_IN) };
    let name = field.get_ref();
    if name.is_empty() || name.contains('\0') || base.join(name) == base.join(ENTRANTS) {
        let problem = Problem::new(field.span(), "invalid value for `hand-in`");
        problems.add(problem.label("expected the name of a folder of its own"));
    }
    base.join(name)
}
