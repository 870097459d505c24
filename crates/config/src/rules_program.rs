//! Finds the rules program of a game file or a configuration, for games that were played already.

use std::fs;
use std::path::Path;

use toml::de::DeTable;

use super::config_file::ConfigFile;
use super::game_file::{GAME_FILE, LocatedGame, find_game_file_program};
use super::player_spec::LookupPaths;
use super::problem::{Problems, SourceText};
use super::toml_keys::FromTable;
use super::{ConfigError, containment_keys, read_config_text};
use referee_match::game_program::FoundGameProgram;
use referee_record::model::containment::PlayerLimits;
use referee_report::colour::Colour;

/// Finds the rules program that a game file or a configuration describes, and the limits that the
/// file sets. Starts nothing. `None` if the game is built in. Other problems of a configuration do
/// not matter.
///
/// # Errors
/// The file cannot be read, or its game has problems.
pub fn find_rules_program(
    path: &Path,
    colour: Colour,
) -> Result<Option<(FoundGameProgram, PlayerLimits)>, ConfigError> {
    let search = std::env::var_os("PATH");
    let base = fs::canonicalize(path.parent().unwrap_or(path).join(".")).unwrap_or_default();
    let place = LookupPaths { base: &base, path: search.as_deref() };
    let name = path.display().to_string();
    let text = read_config_text(path, GAME_FILE, &name)?;
    let (mut unsaid, mut problems) = (Problems::default(), Problems::default());
    let is_configuration =
        DeTable::parse(&text).is_ok_and(|document| document.get_ref().contains_key("game"));
    if !is_configuration {
        let found = find_game_file_program(path, place, colour)?;
        return Ok(Some((found, PlayerLimits::default())));
    }
    let file = ConfigFile::from_text(&text, &mut unsaid);
    let limits =
        file.as_ref().map(|file| containment_keys::configured_player_limits(file, &mut unsaid));
    match file.and_then(|file| file.game).and_then(|game| game.find(place, &mut problems)) {
        Some(LocatedGame::Program(found)) => Ok(Some((found, limits.unwrap_or_default()))),
        Some(LocatedGame::BuiltIn(_)) => Ok(None),
        None => {
            let problems = if problems.is_empty() { unsaid } else { problems };
            Err(problems.into_error(SourceText { name: &name, text: &text }, colour))
        }
    }
}
