//! A player argument of the command line: a name from the configuration, `bot:NAME`, `uci:ENGINE`,
//! `human`, a file or folder that contains a player, or a command.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::Failure;

use super::player::{self, LookupPaths, UnresolvedCommand};
use super::problem::{InvalidValue, similar};
use super::sources;
use crate::entrants::detection::{Detected, EXPECTED, after_build, candidates, detect, unbuilt};
use referee_record::model::player::{EngineSettings, LONGEST_NAME, PlayerSpec};

/// The most files to list that may be the player of a folder.
const MOST_SHOWN: usize = 8;
/// The number of hexadecimal digits of the hash in a shortened name.
const HASH_DIGITS: usize = 6;

/// The player that an argument stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlayerArgument {
    /// A person.
    Human,
    /// A program or a built-in player.
    Program(Box<PlayerSpec>),
}

impl PlayerArgument {
    /// The player's name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Human => "human",
            Self::Program(spec) => &spec.name,
        }
    }

    /// The player of the submission that `word` names, which was built into the folder `dir`.
    pub(crate) fn built(word: &str, dir: &Path) -> Result<Self, Failure> {
        let path = std::env::var_os("PATH");
        let place = LookupPaths { base: dir, path: path.as_deref() };
        let known = after_build(Path::new(word), dir);
        let found = match &known[..] {
            [known] => from_detected(word, Path::new(word), known.clone(), place),
            _ => Err(unrecognised(word, dir, &known)),
        };
        let spec = found.map_err(|why| {
            Failure::input(why.about(&format!("player `{}`, after its build", word.escape_debug())))
        })?;
        Ok(Self::Program(Box::new(spec)))
    }

    /// Finds the player that `word` stands for. Names of `configured` players come first. A command
    /// is split as a shell would split it, and its paths are relative to the working directory.
    pub(crate) fn parse(word: &str, configured: &[PlayerSpec]) -> Result<Self, Failure> {
        let base = std::env::current_dir().map_err(|error| {
            Failure::system(format!("cannot find the working directory: {error}"))
        })?;
        let path = std::env::var_os("PATH");
        let place = LookupPaths { base: &base, path: path.as_deref() };
        parse(word, configured, place).map_err(|complaint| {
            Failure::input(complaint.about(&format!("player `{}`", word.escape_debug())))
        })
    }
}

/// Finds the player that `word` stands for, with its program found in `place`.
pub(super) fn parse(
    word: &str,
    configured: &[PlayerSpec],
    place: LookupPaths<'_>,
) -> Result<PlayerArgument, InvalidValue> {
    if let Some(spec) = configured.iter().find(|spec| spec.name == word) {
        return Ok(PlayerArgument::Program(Box::new(spec.clone())));
    }
    if word == "human" {
        return Ok(PlayerArgument::Human);
    }
    let spec = if let Some(bot) = word.strip_prefix("bot:") {
        player::from_bot(bot.to_owned(), bot, place.base)?
    } else if let Some(engine) = word.strip_prefix("uci:") {
        let settings = EngineSettings::default();
        player::from_engine(name_of(engine), split(engine)?, settings, place)?
    } else if let Some(path) = found_at(word, place.base)? {
        at_path(word, &path, &path, place)?
    } else {
        player::from_command(name_of(word), split(word)?, place)
            .map_err(|error| nearest(word, configured).unwrap_or(error))?
    };
    Ok(PlayerArgument::Program(Box::new(spec)))
}

/// The error that `word` is no program, if it is nearly another argument.
fn nearest(word: &str, configured: &[PlayerSpec]) -> Option<InvalidValue> {
    let names = configured.iter().map(|spec| spec.name.as_str());
    let people = std::iter::once("human").chain(names);
    let bots = || referee_bots::NAMES.iter().copied();
    let meant = similar(word, people)
        .map(str::to_owned)
        .or_else(|| similar(word, bots()).map(|bot| format!("bot:{bot}")))?;
    let title = format!("there is no program `{}`", word.escape_debug());
    Some(InvalidValue::new(title, format!("did you mean `{}`?", meant.escape_debug())))
}

/// The file or folder that the whole of `word` names. A program without a `/` is looked up in
/// `PATH`, as in a shell, so it is not looked for here.
fn found_at(word: &str, base: &Path) -> Result<Option<PathBuf>, InvalidValue> {
    let path = base.join(word);
    let known = candidates(&path);
    if let Some(complaint) = sources::not_built(&path, word).filter(|_| known.is_empty()) {
        return Err(complaint);
    }
    if path.is_dir() && known.len() != 1 {
        return Err(unrecognised(word, &path, &known));
    }
    let is_command = !word.contains('/') && path.extension().is_none() && !path.is_dir();
    Ok(Some(path).filter(|_| !known.is_empty() && !is_command))
}

/// The error that a folder has no player, or several files that may be it.
fn unrecognised(word: &str, path: &Path, known: &[(PathBuf, Detected)]) -> InvalidValue {
    let title = format!("no player is recognised in `{}`", word.escape_debug());
    if let Some((dir, command)) = unbuilt(path).filter(|_| known.is_empty()) {
        let dir = Path::new(word).join(dir.strip_prefix(path).unwrap_or(&dir));
        let help = format!(
            "run `{command}` in `{}`; if that is done, name the program itself",
            dir.display().to_string().trim_end_matches('/').escape_debug()
        );
        return InvalidValue::new(format!("{title}, but sources that have to be built"), help);
    }
    let shown = known.iter().take(MOST_SHOWN).map(|(dir, found)| {
        let dir = dir.strip_prefix(path).unwrap_or(dir);
        format!("`{}`", dir.join(found.file()).display().to_string().escape_debug())
    });
    match shown.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => InvalidValue::new(title, EXPECTED),
        several => InvalidValue::new(title, format!("name one of these instead: {several}")),
    }
}

/// The player detected at `path`, named after the last part of `word`, which leads to `named`.
fn at_path(
    word: &str,
    named: &Path,
    path: &Path,
    place: LookupPaths<'_>,
) -> Result<PlayerSpec, InvalidValue> {
    let Some(known) = detect(path) else {
        return Err(InvalidValue::new("no player is recognised", EXPECTED));
    };
    from_detected(word, named, known, place)
}

/// The player that was detected, named like [`at_path`].
fn from_detected(
    word: &str,
    named: &Path,
    (dir, found): (PathBuf, Detected),
    place: LookupPaths<'_>,
) -> Result<PlayerSpec, InvalidValue> {
    let whole = named.canonicalize().unwrap_or_else(|_| named.to_owned());
    let name = name_of(whole.file_name().and_then(OsStr::to_str).unwrap_or(word));
    let place = LookupPaths { base: &dir, ..place };
    // A class has no other way to name its modules.
    let files = if found.is_class() { vec![".".to_owned()] } else { Vec::new() };
    let command = UnresolvedCommand { words: found.words, files, ..UnresolvedCommand::default() };
    player::from_command(name, command, place)
}

fn split(word: &str) -> Result<UnresolvedCommand, InvalidValue> {
    let words = shlex::split(word).ok_or_else(|| {
        let help = "close every quote, and do not end with a backslash";
        InvalidValue::new("it cannot be split into words", help)
    })?;
    Ok(UnresolvedCommand { words, ..UnresolvedCommand::default() })
}

/// Makes `text` a player's name: each run of blanks and control characters becomes one blank. A
/// name that is too long is cut and ends in a hash of the whole, so that two long texts give two
/// names.
pub(crate) fn name_of(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let name = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.chars().count() <= LONGEST_NAME {
        return name;
    }
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let end = format!("~{}", &hash[..HASH_DIGITS]);
    let start: String = name.chars().take(LONGEST_NAME - end.len()).collect();
    start + &end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_with_the_same_beginning_get_different_names() {
        assert_eq!(name_of(" an \t ant "), "an ant");
        let long = "a".repeat(LONGEST_NAME);
        assert_eq!(name_of(&long), long);
        let names = ["b", "c"].map(|end| name_of(&format!("{long}{end}")));
        assert_ne!(names[0], names[1]);
        assert!(names.iter().all(|name| name.chars().count() == LONGEST_NAME), "{names:?}");
    }
}
