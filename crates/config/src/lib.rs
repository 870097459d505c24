//! One file becomes one value, with all its problems.
//!
//! A [`Configuration`] is read and parsed once: its keys and their types are checked, unknown keys
//! are refused, and the place of everything is kept. A command then asks it for the part that it
//! needs: the whole [`tournament`](Configuration::tournament), or only the
//! [`league`](Configuration::league), the [`builds`](Configuration::builds) or the
//! [`grades`](Configuration::grades). Only that part is checked, so that a player whose program is
//! missing is not in the way of an organiser who pauses a league. Each check notes every problem it
//! finds, and all of them are reported together, with the lines they are in. No later code needs to
//! ask whether something is set or valid.
//!
//! The words for players on a command line are here too ([`PlayerArgument`]), because `bot:greedy`,
//! `./ant` and the name of a configured player are found in the same way.
//!
//! Odd at first: the builds come before the tournament, because whether a player is valid depends on
//! what was built. So each part is worked out on demand, not when the file is read.
//!
//! ```
//! use referee_config::Configuration;
//! use referee_report::colour::Colour;
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("tournament.toml");
//! std::fs::write(&file, "name = \"cup\"\ngame = \"chess\"\npears = 3\n")?;
//!
//! let problems = Configuration::read(&file, Colour::Plain)?.tournament().into_result().unwrap_err();
//! assert!(problems.to_string().contains("pears"), "with the line that it is in");
//! assert!(problems.to_string().contains("no players"), "and every other problem");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adjudication_keys;
mod build_keys;
mod clock_limits;
mod command_programs;
mod config_file;
mod configured_game;
mod configured_players;
mod configured_tournament;
mod containment_keys;
mod error;
mod game_file;
mod given_options;
mod grades_keys;
mod hidden_files;
mod hook_keys;
mod imports;
mod league_keys;
mod missing_programs;
mod opening_books;
mod option_files;
mod player_argument;
mod player_keys;
mod player_spec;
mod player_table_checks;
mod problem;
mod rank_key;
mod rules_program;
mod stages;
#[cfg(test)]
mod tests;
mod toml_keys;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub use clock_limits::{DEFAULT_MARGIN, DEFAULT_MOVE, DEFAULT_STARTUP};
pub use configured_tournament::ConfiguredBuilds;
pub use error::ConfigError;
pub use game_file::open_game_file;
pub use hidden_files::player_folders_to_hide;
pub use player_argument::{PlayerArgument, player_from_start};
pub use player_spec::remarks_on_player;
pub use problem::find_similar_word;
pub use rules_program::find_rules_program;

use config_file::ConfigFile;
use player_spec::LookupPaths;
use problem::{Problems, SourceText};
use referee_record::model::grades::Grades;
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::tournament::Tournament;
use referee_record::plain_files::{ReadError, read_plain_text};
use referee_report::colour::Colour;
use referee_sandbox::Level;
use toml_keys::FromTable;

use self::configured_players::split_absent_players;
use self::configured_tournament::{
    check_tournament, check_tournament_builds, tournament_results_folder,
};
use self::grades_keys::check_grades_keys;
use self::league_keys::check_league_keys;
use self::stages::check_stages;

/// The largest configuration, board or openings file that is read, in bytes.
pub const LARGEST: u64 = 4 << 20;

/// The configuration that is read if none is named.
pub const CONFIG: &str = "tournament.toml";

/// The kind of a configuration, and advice if it is missing.
const CONFIGURATION: (&str, &str) = ("configuration", "pass the tournament's file, or create one");

/// A configuration file, read and parsed.
#[derive(Debug)]
pub struct Configuration {
    /// The name as given by the user.
    name: String,
    text: String,
    /// The real path of its folder.
    base: PathBuf,
    colour: Colour,
    /// The contents, without people who have no player; `None` if it is not TOML.
    file: Option<ConfigFile>,
    /// Those without a player, and why.
    absent: BTreeMap<String, String>,
    /// The names of all players.
    names: Vec<String>,
    /// Problems with its keys and types.
    noted: Problems,
}

/// The tournament of a configuration, which may have problems.
#[derive(Debug)]
pub struct LoadedConfig {
    /// The tournament without players that have problems; `None` if anything else is wrong.
    pub tournament: Option<Tournament>,
    /// The problems, if any.
    pub problems: Option<ConfigError>,
    /// The names of all players, also of those that have problems.
    pub names: Vec<String>,
}

impl LoadedConfig {
    /// The tournament, or all problems.
    ///
    /// # Errors
    /// There are problems.
    pub fn into_result(self) -> Result<Tournament, ConfigError> {
        match (self.tournament, self.problems) {
            (Some(tournament), None) => Ok(tournament),
            (_, problems) => Err(problems.unwrap_or_else(|| ConfigError::input("no tournament"))),
        }
    }
}

/// What the commands of an organiser need of a league's configuration.
#[derive(Debug)]
pub struct LeaguePlace {
    /// The results folder.
    pub dir: PathBuf,
    /// Where authors hand in, and the bounds on what they send.
    pub settings: LeagueSettings,
    /// The names of the configured players.
    pub players: Vec<String>,
}

impl Configuration {
    /// Reads the file at `path`. Messages about its problems have these colours.
    ///
    /// # Errors
    /// It cannot be read. Other problems are noted, and reported by the part that needs them.
    pub fn read(path: &Path, colour: Colour) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let text = read_config_text(path, CONFIGURATION, &name)?;
        let folder = path.parent().unwrap_or(path).join(".");
        let base = fs::canonicalize(folder).map_err(|error| {
            ConfigError::input(format!("cannot find the folder of `{name}`: {error}"))
        })?;
        Ok(Self::from_text(name, text, base, colour))
    }

    fn from_text(name: String, text: String, base: PathBuf, colour: Colour) -> Self {
        let mut noted = Problems::default();
        let mut file = ConfigFile::from_text(&text, &mut noted);
        let players = file.iter().flat_map(|file| &file.players).flatten();
        let names = players.filter_map(|keys| Some(keys.name.as_ref()?.get_ref().clone()));
        let names = names.collect();
        let absent = file.as_mut().map(|file| split_absent_players(file, &mut noted));
        Self { name, text, base, colour, file, absent: absent.unwrap_or_default(), names, noted }
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tournament, with everything in it set, valid and found.
    pub fn tournament(&self) -> LoadedConfig {
        let search = std::env::var_os("PATH");
        self.tournament_in(LookupPaths { base: &self.base, path: search.as_deref() })
    }

    fn tournament_in(&self, place: LookupPaths<'_>) -> LoadedConfig {
        let mut problems = self.noted.copy_for_check();
        let tournament = self
            .file
            .clone()
            .and_then(|file| check_tournament(file, self.absent.clone(), place, &mut problems));
        let tournament = tournament.filter(|_| problems.are_only_of_players());
        let is_whole = tournament.is_some() && problems.is_empty();
        let problems = (!is_whole).then(|| self.error(problems));
        LoadedConfig { tournament, problems, names: self.names.clone() }
    }

    /// The rules for marks, if it has some.
    ///
    /// # Errors
    /// They have problems.
    pub fn grades(&self) -> Result<Option<Grades>, ConfigError> {
        self.check_part(|file, problems| {
            let players = file.players.as_deref();
            let stages = check_stages(&file.stages, players, None, problems);
            check_grades_keys(file.grades.as_ref(), (players, &self.absent), &stages, problems)
        })
    }

    /// The league that it describes, if it describes one.
    ///
    /// # Errors
    /// The settings have problems.
    pub fn league(&self) -> Result<Option<LeaguePlace>, ConfigError> {
        self.check_part(|file, problems| {
            let settings = check_league_keys(file, &self.base, problems)?;
            let dir = tournament_results_folder(file, &self.base, problems)?;
            Some(LeaguePlace { dir, settings, players: self.names.clone() })
        })
    }

    /// The builds that it asks for, if it asks for any.
    ///
    /// # Errors
    /// They have problems, which are reported with all others of the configuration.
    pub fn builds(&self) -> Result<Option<ConfiguredBuilds>, ConfigError> {
        let builds =
            self.check_part(|file, problems| check_tournament_builds(file, &self.base, problems));
        builds.map_err(|problems| self.tournament().problems.unwrap_or(problems))
    }

    /// The results folder of the tournament, relative to the folder that the file's path is relative
    /// to; `None` if the file does not say. Its other problems do not matter.
    pub fn results_folder(&self) -> Option<PathBuf> {
        let here = Path::new(&self.name).parent().unwrap_or(Path::new(""));
        tournament_results_folder(self.file.as_ref()?, here, &mut Problems::default())
    }

    /// A key that decides what programs may do, or that takes the place of one of the files `words`.
    /// A configuration that may be that of the player in the folder `place`, a real path, must have
    /// none.
    pub fn find_unsafe_key(&self, words: &[&String], place: &Path) -> Option<&'static str> {
        let file = self.file.as_ref()?;
        let level = file.containment.as_ref().and_then(|keys| keys.level.as_ref());
        let is_weaker = level.is_some_and(|level| level.get_ref() != Level::Strict.name());
        let is_program =
            file.game.as_ref().is_some_and(|game| game.is_program_in(&self.base, place));
        let takes_place = self.names.iter().any(|name| words.contains(&name));
        let keys = [
            (is_weaker, "`level` under `[containment]`"),
            (file.build.is_some(), "`[build]`"),
            (is_program, "a `game` that is a program"),
            (takes_place, "a player with this name"),
        ];
        keys.into_iter().find_map(|(is_there, key)| is_there.then_some(key))
    }

    /// Checks a part of the file. Other parts are neither checked nor started, and no problem of a
    /// player's is in the way.
    fn check_part<T>(
        &self,
        check: impl FnOnce(&ConfigFile, &mut Problems) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let mut problems = self.noted.copy_for_check();
        let part = self.file.as_ref().and_then(|file| check(file, &mut problems));
        if problems.are_only_of_players() { Ok(part) } else { Err(self.error(problems)) }
    }

    fn error(&self, problems: Problems) -> ConfigError {
        problems.into_error(SourceText { name: &self.name, text: &self.text }, self.colour)
    }
}

/// The text of the file at `path`, called `name`; `advice` says what to do if it is missing.
fn read_config_text(
    path: &Path,
    (kind, advice): (&str, &str),
    name: &str,
) -> Result<String, ConfigError> {
    read_plain_text(path, LARGEST).map_err(|why| match why {
        ReadError::Failed(error) if error.kind() == ErrorKind::NotFound => {
            ConfigError::input(format!("cannot find the {kind} `{name}`; {advice}"))
        }
        ReadError::Folder => {
            ConfigError::input(format!("`{name}` is a folder; specify the {kind} file in it"))
        }
        ReadError::NotText { .. } => ConfigError::input(format!("`{name}`: {why}")),
        why => ConfigError::input(format!("cannot read the {kind} `{name}`: {why}")),
    })
}
