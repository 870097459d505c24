//! The game of a configuration: a built-in one by name, or a program.

use std::fs;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::DeValue;

use super::clock_limits::{TimeText, check_positive_duration};
use super::command_programs::find_command_program;
use super::player_spec::LookupPaths;
use super::problem::{ByteSpan, InvalidValue, Problem, Problems, SourceText, suggest_similar_word};
use super::toml_keys::{Field, FromTable, TomlTableReader, table_keys};
use super::{ConfigError, read_config_text};
use referee_entrants::relative_path::relative_path;
use referee_games::{GameKind, RulesProgram, SharedGame};
use referee_match::game_program::{DEFAULT_REPLY, FoundGameProgram};
use referee_record::model::bounds::LONGEST_TEXT;
use referee_record::model::clock::whole_millis;
use referee_record::model::containment::ContainmentRequest;
use referee_report::colour::Colour;

/// The value of `game`.
#[derive(Debug, Clone)]
pub(super) enum GameFileValue {
    /// The name of a game, or the path of a file that describes one.
    Word(Spanned<String>),
    /// A table that describes a program.
    Program(GameKeys),
}

impl GameFileValue {
    /// Whether it is a program, or the file of one in the folder `place`, a real path. The file is
    /// seen from the folder `around`.
    pub(super) fn is_program_in(&self, around: &Path, place: &Path) -> bool {
        match self {
            Self::Word(word) => {
                let file = around.join(word.get_ref());
                fs::canonicalize(file).is_ok_and(|file| file.starts_with(place))
            }
            Self::Program(_) => true,
        }
    }
}

/// A game that was found. Its program, if it has one, was not started.
pub(super) enum LocatedGame {
    BuiltIn(GameKind),
    Program(FoundGameProgram),
}

table_keys! {
    /// The keys that describe a rules program in a game file.
    ProgramKeys[at], "the game file":
    "command" => command: Field<Vec<Spanned<String>>>,
    "files" => files: Field<Vec<Spanned<String>>>,
    "reply" => reply: Field<TimeText>,
}

table_keys! {
    /// The keys of `[game]`: those of a game file, or the path of one.
    GameKeys, "`[game]`":
    "from" => from: Field<String>,
    via(ProgramKeys::from_keys) => program: ProgramKeys,
}

impl GameFileValue {
    /// Reads the value; `None` if it is missing or of another type, which is noted.
    pub(super) fn read(keys: &mut TomlTableReader<'_>, problems: &mut Problems) -> Option<Self> {
        match keys.value("game").map(Spanned::get_ref) {
            Some(DeValue::Table(_)) => {
                keys.optional::<Option<_>>("game", problems).map(Self::Program)
            }
            _ => {
                keys.required::<Option<_>>("game", "\"watch-your-back\"", problems).map(Self::Word)
            }
        }
    }

    /// The place of the value.
    pub(super) fn span(&self) -> ByteSpan {
        match self {
            Self::Word(word) => word.span(),
            Self::Program(keys) => keys.program.at.clone(),
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
        match self.find(place, problems)? {
            LocatedGame::BuiltIn(kind) => Some(kind.shared()),
            // Its failure is one of the system, not of the configuration.
            LocatedGame::Program(found) => {
                found.open(request).map_err(|error| problems.fail(error)).ok()
            }
        }
    }

    /// Finds the game, and starts nothing; `None` if a problem was noted.
    pub(super) fn find(
        &self,
        place: LookupPaths<'_>,
        problems: &mut Problems,
    ) -> Option<LocatedGame> {
        match self {
            Self::Word(word) if is_game_file_path(word.get_ref()) => {
                locate_game_in_file(word, place, problems)
            }
            Self::Word(word) => check_built_in_game(word, problems).map(LocatedGame::BuiltIn),
            Self::Program(GameKeys { from: Some(from), program }) => {
                if program.note_keys_beside(from, problems) {
                    return None;
                }
                locate_game_in_file(from, place, problems)
            }
            Self::Program(GameKeys { from: None, program }) => {
                Some(LocatedGame::Program(program.find(place, problems)?.configured_in(".")))
            }
        }
    }
}

/// Whether a word is the path of a game file, not the name of a game.
fn is_game_file_path(word: &str) -> bool {
    word.contains('/') || Path::new(word).extension().is_some_and(|end| end == "toml")
}

fn check_built_in_game(word: &Spanned<String>, problems: &mut Problems) -> Option<GameKind> {
    let kind = GameKind::named(word.get_ref());
    if kind.is_none() {
        let title = format!("unknown game `{}`", word.get_ref().escape_debug());
        let known = GameKind::all().iter().map(|kind| kind.name());
        let label = suggest_similar_word(word.get_ref(), known);
        let help = "any other game needs a rules program: `game = \"./game.toml\"`";
        problems.add(Problem::new(word.span(), title).label(label).help(help));
    }
    kind
}

fn locate_game_in_file(
    path: &Spanned<String>,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<LocatedGame> {
    match find_game_file_program(&place.base.join(path.get_ref()), place, Colour::Plain) {
        Ok(found) => {
            let folder =
                relative_path(place.base, Path::new(&found.program.dir)).display().to_string();
            Some(LocatedGame::Program(found.configured_in(&folder)))
        }
        Err(failure) => {
            let title = "invalid game file";
            problems.add(Problem::new(path.span(), title).help(failure.to_string()));
            None
        }
    }
}

impl ProgramKeys {
    /// Notes the keys beside `from`, which belong in the file that it names. Returns whether there
    /// are any.
    fn note_keys_beside(&self, from: &Spanned<String>, problems: &mut Problems) -> bool {
        let Self { command, files, reply, at: _ } = self;
        let given = [
            ("command", command.as_ref().map(Spanned::span)),
            ("files", files.as_ref().map(Spanned::span)),
            ("reply", reply.as_ref().map(Spanned::span)),
        ];
        let given = given.into_iter().filter_map(|(key, at)| Some((key, at?)));
        let noted = given.map(|(key, at)| {
            let title = format!("`[game]` has both `from` and `{key}`");
            let help =
                format!("remove `{key}` here; it belongs in `{}`", from.get_ref().escape_debug());
            problems.add(Problem::new(at, title).help(help));
        });
        noted.count() > 0
    }

    /// Finds the program; `None` if a problem was noted.
    fn find(&self, place: LookupPaths<'_>, problems: &mut Problems) -> Option<FoundGameProgram> {
        let Some(command) = &self.command else {
            let help = "add `command = [\"python3\", \"my_game.py\"]`, or `from = \"game.toml\"`";
            let problem = Problem::new(self.at.clone(), "a game needs `command`");
            problems.add(problem.help(help));
            return None;
        };
        for word in command.get_ref() {
            if word.get_ref().len() > LONGEST_TEXT {
                let label =
                    format!("{} bytes; expected at most {LONGEST_TEXT}", word.get_ref().len());
                let problem = Problem::new(word.span(), "this word of the command is too long");
                problems.add(problem.label(label));
                return None;
            }
        }
        let words: Vec<String> =
            command.get_ref().iter().map(|word| word.get_ref().clone()).collect();
        let program = find_command_program(&words, place.base, place.path);
        let program =
            program.map_err(|error| problems.add(error.into_problem(command.span()))).ok()?;
        let reply = check_positive_duration("reply", self.reply.as_ref(), problems);
        let mut files = Vec::new();
        for file in self.files.iter().flat_map(Spanned::get_ref) {
            if !place.base.join(file.get_ref()).exists() {
                problems.add(missing_game_file(file.get_ref()).into_problem(file.span()));
                return None;
            }
            files.push(file.get_ref().clone());
        }
        Some(FoundGameProgram::from_named(RulesProgram {
            command: words,
            program: program.display().to_string(),
            dir: place.base.display().to_string(),
            files,
            reply_ms: whole_millis(reply.unwrap_or(DEFAULT_REPLY)),
            ..RulesProgram::default()
        }))
    }
}

fn missing_game_file(name: &str) -> InvalidValue {
    let title = format!("cannot find the file `{}`", name.escape_debug());
    InvalidValue::new(title, "`files` are relative to the game file's folder")
}

/// Finds the program that a game file describes.
pub(super) fn find_game_file_program(
    path: &Path,
    place: LookupPaths<'_>,
    colour: Colour,
) -> Result<FoundGameProgram, ConfigError> {
    let name = path.display().to_string();
    let text = read_config_text(path, GAME_FILE, &name)?;
    let base = game_file_folder(path)?;
    let mut problems = Problems::default();
    let place = LookupPaths { base: &base, ..place };
    let keys = ProgramKeys::from_text(&text, &mut problems);
    let found = keys.and_then(|keys| keys.find(place, &mut problems));
    let found = found.filter(|_| problems.is_empty());
    found.ok_or_else(|| problems.into_error(SourceText { name: &name, text: &text }, colour))
}

/// The kind of a game file, and advice if it is missing.
pub(super) const GAME_FILE: (&str, &str) = ("game file", "pass another file, or create this one");

/// The folder of the file at `path`, which may be a link to a file in another folder.
fn game_file_folder(path: &Path) -> Result<PathBuf, ConfigError> {
    let found = fs::canonicalize(path).map_err(|error| {
        ConfigError::input(format!("cannot find the folder of `{}`: {error}", path.display()))
    })?;
    Ok(found.parent().unwrap_or(&found).to_owned())
}

/// Opens the game that the file at `path` describes.
///
/// # Errors
/// The file has problems, or its program cannot be used.
pub fn open_game_file(
    path: &Path,
    request: &ContainmentRequest,
    colour: Colour,
) -> Result<SharedGame, ConfigError> {
    let search = std::env::var_os("PATH");
    let place = LookupPaths { base: Path::new("."), path: search.as_deref() };
    let found = find_game_file_program(path, place, colour)?;
    let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    let folder = relative_path(&here, Path::new(&found.program.dir)).display().to_string();
    Ok(found.configured_in(&folder).open(request)?)
}
