//! The game of a configuration: a built-in one by name, or a program.

use std::fs;
use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{Field, TableReader};
use super::launch;
use super::limits::positive;
use super::player::LookupPaths;
use super::problem::{ByteSpan, InvalidValue, Problem, Problems, SourceText, instead};
use super::text;
use crate::error::Failure;
use crate::game_program::{DEFAULT_REPLY, FoundProgram};
use crate::model::containment::ContainmentRequest;
use crate::printer::Colour;
use referee_games::{GameKind, SharedGame};

/// The value of `game`.
#[derive(Debug)]
pub(super) enum GameValue {
    /// The name of a game, or the path of a file that describes one.
    Word(Spanned<String>),
    /// A table that describes a program.
    Program(GameKeys),
}

/// The keys that describe a rules program: those of a game file, or of `[game]`.
#[derive(Debug)]
pub(super) struct GameKeys {
    at: ByteSpan,
    command: Field<Vec<Spanned<String>>>,
    files: Field<Vec<Spanned<String>>>,
    reply: Field<String>,
    /// The game file with these keys, in `[game]`.
    from: Field<String>,
}

impl GameValue {
    /// Reads the value; `None` if it is missing or of another type, which is noted.
    pub(super) fn read(keys: &mut TableReader<'_>, problems: &mut Problems) -> Option<Self> {
        let value = keys.value("game");
        let Some(DeValue::Table(entries)) = value.map(Spanned::get_ref) else {
            return keys.required("game", "\"watch-your-back\"", problems).map(Self::Word);
        };
        let at = value.map(Spanned::span).unwrap_or_default();
        let mut keys = TableReader::new("`[game]`", at, entries);
        let from = keys.optional("from", problems);
        let program = GameKeys { from, ..GameKeys::read(&mut keys, problems) };
        keys.finish(problems);
        Some(Self::Program(program))
    }

    /// The place of the value.
    pub(super) fn span(&self) -> ByteSpan {
        match self {
            Self::Word(word) => word.span(),
            Self::Program(keys) => keys.at.clone(),
        }
    }

    /// The game, whose program, if it has one, is started and contained as `request` asks; `None`
    /// if a problem was noted.
    pub(super) fn open(
        &self,
        place: LookupPaths<'_>,
        request: &ContainmentRequest,
        problems: &mut Problems,
    ) -> Option<SharedGame> {
        match self {
            Self::Word(word) if is_path(word.get_ref()) => {
                from_file(word, place, request, problems)
            }
            Self::Word(word) => built_in(word, problems),
            Self::Program(GameKeys { from: Some(from), command, .. }) => {
                if let Some(command) = command {
                    let title = "`[game]` has both `from` and `command`";
                    let problem = Problem::new(command.span(), title).help("remove one of them");
                    problems.add(problem);
                    return None;
                }
                from_file(from, place, request, problems)
            }
            Self::Program(keys) => {
                let found = keys.find(place, problems)?.configured_in(".");
                opened(found, request, problems)
            }
        }
    }
}

/// Whether a word is the path of a game file, not the name of a game.
fn is_path(word: &str) -> bool {
    word.contains('/') || Path::new(word).extension().is_some_and(|end| end == "toml")
}

fn built_in(word: &Spanned<String>, problems: &mut Problems) -> Option<SharedGame> {
    let kind = GameKind::named(word.get_ref());
    if kind.is_none() {
        let title = format!("unknown game `{}`", word.get_ref().escape_debug());
        let known = GameKind::all().iter().map(|kind| kind.name());
        let label = instead(word.get_ref(), known);
        problems.add(Problem::new(word.span(), title).label(label));
    }
    kind.map(GameKind::shared)
}

fn from_file(
    path: &Spanned<String>,
    place: LookupPaths<'_>,
    request: &ContainmentRequest,
    problems: &mut Problems,
) -> Option<SharedGame> {
    match find_in_file(&place.base.join(path.get_ref()), place, Colour::Plain) {
        Ok(found) => {
            let folder = configured_folder(Path::new(path.get_ref()), place.base, &found.dir);
            opened(found.configured_in(&folder), request, problems)
        }
        Err(failure) => {
            let title = "this game file cannot be used";
            problems.add(Problem::new(path.span(), title).help(failure.message));
            None
        }
    }
}

/// Starts a program. Its failure is one of the system, not of the configuration.
fn opened(
    found: FoundProgram,
    request: &ContainmentRequest,
    problems: &mut Problems,
) -> Option<SharedGame> {
    match found.open(request) {
        Ok(game) => Some(game),
        Err(error) => {
            problems.fail(error.into());
            None
        }
    }
}

impl GameKeys {
    fn read(keys: &mut TableReader<'_>, problems: &mut Problems) -> Self {
        Self {
            at: keys.at(),
            command: keys.optional("command", problems),
            files: keys.optional("files", problems),
            reply: keys.optional("reply", problems),
            from: None,
        }
    }

    /// Finds the program; `None` if a problem was noted.
    fn find(&self, place: LookupPaths<'_>, problems: &mut Problems) -> Option<FoundProgram> {
        let Some(command) = &self.command else {
            let help = "add `command = [\"python3\", \"my_game.py\"]`, or `from = \"game.toml\"`";
            let problem = Problem::new(self.at.clone(), "`command` is missing in the game");
            problems.add(problem.help(help));
            return None;
        };
        let words: Vec<String> =
            command.get_ref().iter().map(|word| word.get_ref().clone()).collect();
        let program = launch::command(&words, place.base, place.path);
        let program = program.map_err(|error| problems.add(error.at(command.span()))).ok()?;
        let reply = positive("reply", self.reply.as_ref(), problems);
        let mut files = Vec::new();
        for file in self.files.iter().flat_map(Spanned::get_ref) {
            if !place.base.join(file.get_ref()).exists() {
                problems.add(no_file(file.get_ref()).at(file.span()));
                return None;
            }
            files.push(file.get_ref().clone());
        }
        let dir = place.base.to_owned();
        let (reply, configured) = (reply.unwrap_or(DEFAULT_REPLY), String::new());
        Some(FoundProgram { words, program, dir, configured, files, reply })
    }
}

fn no_file(name: &str) -> InvalidValue {
    let title = format!("cannot find the file `{}`", name.escape_debug());
    InvalidValue::new(title, "a game's `files` are relative to the folder of its file")
}

/// The folder of the game file `path`, relative to `base`: as configured if that is relative.
fn configured_folder(path: &Path, base: &Path, folder: &Path) -> String {
    let relative = match path.parent() {
        _ if path.is_absolute() => between(base, folder),
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    relative.display().to_string()
}

/// The way from the folder `from` to the folder `to`.
fn between(from: &Path, to: &Path) -> PathBuf {
    let same = from.components().zip(to.components()).take_while(|(one, other)| one == other);
    let shared = same.count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

/// Finds the program that a game file describes.
fn find_in_file(
    path: &Path,
    place: LookupPaths<'_>,
    colour: Colour,
) -> Result<FoundProgram, Failure> {
    let name = path.display().to_string();
    let text = text(path, ("game file", "name another file, or write this one"), &name)?;
    let folder = path.parent().unwrap_or(path).join(".");
    let base = fs::canonicalize(folder)
        .map_err(|error| Failure::input(format!("cannot find the folder of `{name}`: {error}")))?;
    let mut problems = Problems::default();
    let place = LookupPaths { base: &base, ..place };
    let found = find_in_text(&text, place, &mut problems).filter(|_| problems.is_empty());
    found.ok_or_else(|| problems.into_failure(SourceText { name: &name, text: &text }, colour))
}

fn find_in_text(
    text: &str,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<FoundProgram> {
    let document =
        DeTable::parse(text).map_err(|error| problems.add(Problem::not_toml(&error))).ok()?;
    let mut keys = TableReader::new("the game file", 0..0, document.get_ref());
    let game = GameKeys::read(&mut keys, problems);
    keys.finish(problems);
    game.find(place, problems)
}

/// Finds the program that the game file at `path` describes.
///
/// # Errors
/// The file has problems.
pub fn find_game_file(path: &Path, colour: Colour) -> Result<FoundProgram, Failure> {
    let search = std::env::var_os("PATH");
    let place = LookupPaths { base: Path::new("."), path: search.as_deref() };
    let found = find_in_file(path, place, colour)?;
    let here = std::env::current_dir().unwrap_or_default();
    let folder = configured_folder(path, &here, &found.dir);
    Ok(found.configured_in(&folder))
}

/// Opens the game that the file at `path` describes.
///
/// # Errors
/// The file has problems, or its program cannot be used.
pub fn open_game_file(
    path: &Path,
    request: &ContainmentRequest,
    colour: Colour,
) -> Result<SharedGame, Failure> {
    Ok(find_game_file(path, colour)?.open(request)?)
}
