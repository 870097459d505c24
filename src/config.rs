//! Reads the configuration of a tournament and checks it.
//!
//! A file is read in two steps. The first reads keys and types, refuses unknown keys, and keeps the
//! place of everything; the second checks names, numbers, rules, programs and folders. Each step
//! notes every problem it finds, and all of them are reported together, with the lines they are in.
//! No later code needs to ask whether something is set or valid.

mod adjudication;
mod build;
mod containment;
mod file;
mod game_file;
mod given_options;
mod grades;
mod hooks;
mod isolation;
mod keys;
mod launch;
mod league;
mod limits;
mod openings;
mod option_files;
mod player;
mod player_argument;
mod player_keys;
mod problem;
mod rules_program;
mod sources;
mod stages;
#[cfg(all(test, unix))]
mod tests;
mod tournament;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(crate) use game_file::open_game_file;
pub(crate) use isolation::player_folders;
pub(crate) use limits::{DEFAULT_MARGIN, DEFAULT_MOVE, DEFAULT_STARTUP};
pub(crate) use player::remarks;
pub(crate) use player_argument::{PlayerArgument, program_of};
pub(crate) use problem::similar;
pub(crate) use rules_program::find_rules_program;
pub(crate) use tournament::ConfiguredBuilds;

use crate::error::Failure;
use crate::printer::Colour;
use file::ConfigFile;
use keys::FromTable;
use player::LookupPaths;
use problem::{Problems, SourceText};
use referee_record::bounded::{self, ReadError};
use referee_record::model::grades::Grades;
use referee_record::model::league::LeagueSettings;
use referee_record::model::tournament::Tournament;
use referee_sandbox::Level;

/// The largest configuration, board or openings file that is read, in bytes.
pub(crate) const LARGEST: u64 = 4 << 20;

/// The result of reading a configuration, which may have problems.
#[derive(Debug)]
pub struct LoadedConfig {
    /// The tournament without players that have problems; `None` if anything else is wrong.
    pub(crate) tournament: Option<Tournament>,
    /// The problems, if any.
    pub(crate) problems: Option<Failure>,
    /// The names of all players, also of those that have problems.
    pub(crate) names: Vec<String>,
}

impl LoadedConfig {
    /// A configuration that cannot be read.
    fn failed(failure: Failure) -> Self {
        Self { tournament: None, problems: Some(failure), names: Vec::new() }
    }

    /// Returns the tournament, or all problems.
    pub fn whole(self) -> Result<Tournament, Failure> {
        match (self.tournament, self.problems) {
            (Some(tournament), None) => Ok(tournament),
            (_, problems) => Err(problems.unwrap_or_else(|| Failure::input("no configuration"))),
        }
    }
}

/// Reads and checks the configuration file at `path`.
pub fn load(path: &Path, colour: Colour) -> Result<Tournament, Failure> {
    read(path, colour).whole()
}

/// Reads the configuration file at `path` as far as possible.
pub fn read(path: &Path, colour: Colour) -> LoadedConfig {
    let name = path.display().to_string();
    let (text, base) = match text_and_folder(path, &name) {
        Ok(found) => found,
        Err(failure) => return LoadedConfig::failed(failure),
    };
    let search = std::env::var_os("PATH");
    let place = LookupPaths { base: &base, path: search.as_deref() };
    check(SourceText { name: &name, text: &text }, place, colour)
}

/// The rules for marks in the configuration file at `path`, if it has some.
pub(crate) fn grades(path: &Path, colour: Colour) -> Result<Option<Grades>, Failure> {
    part(path, colour, |mut file, _, problems| {
        let absent = tournament::absent(&mut file, problems);
        let players = file.players.as_deref();
        let stages = stages::check(&file.stages, players, problems);
        grades::check(file.grades.as_ref(), (players, &absent), &stages, problems)
    })
}

/// What the commands of an organiser need of a league's configuration.
#[derive(Debug)]
pub(crate) struct LeaguePlace {
    /// The results folder.
    pub(crate) dir: PathBuf,
    pub(crate) settings: LeagueSettings,
    /// The names of the configured players.
    pub(crate) players: Vec<String>,
}

/// The league that the configuration file at `path` describes, if it describes one.
pub(crate) fn league(path: &Path, colour: Colour) -> Result<Option<LeaguePlace>, Failure> {
    part(path, colour, |file, base, problems| {
        let players = file.players.as_deref();
        let stages = stages::check(&file.stages, players, problems);
        let settings = league::check(file.league.as_ref(), &stages, base, problems)?;
        let dir = tournament::results_folder(&file, base, problems)?;
        let names = players.into_iter().flatten().filter_map(|keys| keys.name.as_ref());
        let players = names.map(|name| name.get_ref().clone()).collect();
        Some(LeaguePlace { dir, settings, players })
    })
}

/// Checks a part of the configuration file at `path`, with its folder as a real path. Other parts
/// are neither checked nor started: no problem of a player's is in the way.
fn part<T>(
    path: &Path,
    colour: Colour,
    check: impl FnOnce(ConfigFile, &Path, &mut Problems) -> Option<T>,
) -> Result<Option<T>, Failure> {
    let name = path.display().to_string();
    let (text, base) = text_and_folder(path, &name)?;
    let mut problems = Problems::default();
    let file = ConfigFile::from_text(&text, &mut problems);
    let part = file.and_then(|file| check(file, &base, &mut problems));
    if problems.is_empty() {
        return Ok(part);
    }
    Err(problems.into_failure(SourceText { name: &name, text: &text }, colour))
}

/// The text of the configuration file at `path`, called `name`, and the real path of its folder.
fn text_and_folder(path: &Path, name: &str) -> Result<(String, PathBuf), Failure> {
    let text = text(path, CONFIGURATION, name)?;
    let folder = path.parent().unwrap_or(path).join(".");
    let base = fs::canonicalize(folder)
        .map_err(|error| Failure::input(format!("cannot find the folder of `{name}`: {error}")))?;
    Ok((text, base))
}

/// The builds that the configuration file at `path` asks for, if it asks for any.
pub(crate) fn builds(path: &Path) -> Option<ConfiguredBuilds> {
    let text = bounded::text(path, LARGEST).ok()?;
    let file = ConfigFile::from_text(&text, &mut Problems::default())?;
    let base = fs::canonicalize(path.parent().unwrap_or(path).join(".")).ok()?;
    tournament::builds(&file, &base)
}

/// A key of the configuration file at `path` that decides what programs may do, or that takes the
/// place of one of the files `words`. A configuration that may be that of the player in the folder
/// `place`, a real path, must have none.
pub(crate) fn power_over(path: &Path, words: &[&String], place: &Path) -> Option<&'static str> {
    let text = bounded::text(path, LARGEST).ok()?;
    let file = ConfigFile::from_text(&text, &mut Problems::default())?;
    let level = file.containment.as_ref().and_then(|keys| keys.level.as_ref());
    let is_weaker = level.is_some_and(|level| level.get_ref() != Level::Strict.name());
    let around = path.parent().unwrap_or(Path::new(""));
    let is_program = file.game.as_ref().is_some_and(|game| game.is_program_in(around, place));
    let names = file.players.iter().flatten().filter_map(|keys| keys.name.as_ref());
    let takes_place = names.into_iter().any(|name| words.contains(&name.get_ref()));
    let keys = [
        (is_weaker, "`level` under `[containment]`"),
        (file.build.is_some(), "`[build]`"),
        (is_program, "a `game` that is a program"),
        (takes_place, "a player of this name"),
    ];
    keys.into_iter().find_map(|(is_there, key)| is_there.then_some(key))
}

/// The results folder of the tournament that the configuration file at `path` describes, seen from
/// that file's folder. `None` if the file does not say; its other problems do not matter.
pub(crate) fn results_folder(path: &Path) -> Option<PathBuf> {
    let text = bounded::text(path, LARGEST).ok()?;
    let mut unsaid = Problems::default();
    let file = ConfigFile::from_text(&text, &mut unsaid)?;
    let here = path.parent().unwrap_or(Path::new(""));
    tournament::results_folder(&file, here, &mut unsaid)
}

/// Checks the text of a configuration with paths relative to `place`.
fn check(source: SourceText<'_>, place: LookupPaths<'_>, colour: Colour) -> LoadedConfig {
    let mut problems = Problems::default();
    let file = ConfigFile::from_text(source.text, &mut problems);
    let players = file.iter().flat_map(|file| &file.players).flatten();
    let names = players.filter_map(|keys| Some(keys.name.as_ref()?.get_ref().clone())).collect();
    let tournament = file.and_then(|file| tournament::check(file, place, &mut problems));
    let tournament = tournament.filter(|_| problems.only_of_players());
    let is_whole = tournament.is_some() && problems.is_empty();
    LoadedConfig {
        tournament,
        problems: (!is_whole).then(|| problems.into_failure(source, colour)),
        names,
    }
}

/// The configuration that is read if none is named.
pub(crate) const CONFIG: &str = "tournament.toml";

/// The kind of a configuration, and advice if it is missing.
const CONFIGURATION: (&str, &str) =
    ("configuration", "name the file of the tournament, or write one");

/// The text of the file at `path`, called `name`; `advice` says what to do if it is missing.
fn text(path: &Path, (kind, advice): (&str, &str), name: &str) -> Result<String, Failure> {
    bounded::text(path, LARGEST).map_err(|why| match why {
        ReadError::Failed(error) if error.kind() == ErrorKind::NotFound => {
            Failure::input(format!("cannot find the {kind} `{name}`; {advice}"))
        }
        ReadError::Folder => {
            Failure::input(format!("`{name}` is a folder; name the {kind} file in it"))
        }
        ReadError::NotText { .. } => Failure::input(format!("`{name}`: {why}")),
        why => Failure::input(format!("cannot read the {kind} `{name}`: {why}")),
    })
}
