//! A player argument of the command line: a name from the configuration, `bot:NAME`, `uci:ENGINE`,
//! `gtp:ENGINE`, `human`, a file or folder that contains a player, or a command.

use std::ffi::OsStr;
use std::path::Path;

use super::ConfigError;
use super::missing_programs::missing_compiled_program;
use super::player_spec::{
    only_player_start, spec_from_bot, spec_from_command, spec_from_decision, spec_from_engine,
};

use super::player_spec::{LookupPaths, PlayerTerms, UnresolvedCommand};
use super::problem::{InvalidValue, find_similar_word, format_alternatives};
use referee_entrants::build_rules::BuildRules;
use referee_entrants::detection::{EXPECTED, find_unbuilt_folder};
use referee_entrants::start_command::StartCommand;
use referee_entrants::start_decision::{StartDecision, decide_start};
use referee_record::model::player_spec::{
    EngineProtocol, EngineSettings, PlayerSpec, to_player_name,
};

/// The most files to list that may be the player of a folder.
const MOST_SHOWN: usize = 8;

/// The player that an argument stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerArgument {
    /// A person.
    Human,
    /// A program or a built-in player.
    Program(Box<PlayerSpec>),
}

impl PlayerArgument {
    /// The player's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Human => "human",
            Self::Program(spec) => &spec.name,
        }
    }

    /// Finds the player that `word` stands for. Names of `configured` players come first. A command
    /// is split as a shell would split it, and its paths are relative to the working directory. A
    /// folder is started as its build under `builds` says, if it needs one.
    pub fn parse(
        word: &str,
        configured: &[PlayerSpec],
        builds: Option<&BuildRules>,
    ) -> Result<Self, ConfigError> {
        let base = std::env::current_dir().map_err(ConfigError::NoPlace)?;
        let path = std::env::var_os("PATH");
        let place = LookupPaths { base: &base, path: path.as_deref() };
        parse_player_argument(word, configured, place, builds).map_err(|complaint| {
            ConfigError::input(
                complaint.describe_argument(&format!("player `{}`", word.escape_debug())),
            )
        })
    }
}

/// Finds the player that `word` stands for, with its program found in `place`.
pub(super) fn parse_player_argument(
    word: &str,
    configured: &[PlayerSpec],
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
) -> Result<PlayerArgument, InvalidValue> {
    if let Some(spec) = configured.iter().find(|spec| spec.name == word) {
        return Ok(PlayerArgument::Program(Box::new(spec.clone())));
    }
    if word == "human" {
        return Ok(PlayerArgument::Human);
    }
    let spec = if let Some(bot) = word.strip_prefix("bot:") {
        spec_from_bot(bot.to_owned(), bot, place.base)?
    } else if let Some((protocol, engine)) = EngineProtocol::split(word) {
        let settings = EngineSettings { protocol, ..EngineSettings::default() };
        spec_from_engine(to_player_name(engine), split_argument_command(engine)?, settings, place)?
    } else if let Some(spec) = find_player_at_path(word, place, builds)? {
        spec
    } else {
        spec_from_command(to_player_name(word), split_argument_command(word)?, place)
            .map_err(|error| suggest_player_argument(word, configured).unwrap_or(error))?
    };
    Ok(PlayerArgument::Program(Box::new(spec)))
}

/// The error that `word` is not a program, if it has a prefix or resembles another argument.
fn suggest_player_argument(word: &str, configured: &[PlayerSpec]) -> Option<InvalidValue> {
    if let Some((prefix, _)) = word.split_once(':')
        && prefix.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        && !prefix.is_empty()
    {
        let engines = EngineProtocol::ALL.map(EngineProtocol::name);
        let known = engines.map(|engine| format!("{engine}:"));
        let title = format!("unknown prefix `{prefix}:`");
        let [uci, gtp] = &known;
        return Some(InvalidValue::new(
            title,
            format!("expected {}", format_alternatives(&["bot:", uci, gtp])),
        ));
    }
    let names = configured.iter().map(|spec| spec.name.as_str());
    let people = std::iter::once("human").chain(names);
    let bots = || referee_bots::NAMES.iter().copied();
    let meant = find_similar_word(word, people)
        .map(str::to_owned)
        .or_else(|| find_similar_word(word, bots()).map(|bot| format!("bot:{bot}")))?;
    let title = format!("program `{}` not found", word.escape_debug());
    Some(InvalidValue::new(title, format!("did you mean `{}`?", meant.escape_debug())))
}

/// The player in the file or folder that the whole of `word` names. A program without a `/` is
/// looked up in `PATH`, as in a shell, so it is not looked for here.
fn find_player_at_path(
    word: &str,
    place: LookupPaths<'_>,
    builds: Option<&BuildRules>,
) -> Result<Option<PlayerSpec>, InvalidValue> {
    let path = place.base.join(word);
    let decision = decide_start(&path, builds);
    if let Some(complaint) =
        missing_compiled_program(&path, word).filter(|_| decision.found.is_empty())
    {
        return Err(complaint);
    }
    let is_command = !word.contains('/') && path.extension().is_none() && !path.is_dir();
    if !path.is_dir() && (is_command || decision.found.is_empty()) {
        return Ok(None);
    }
    let start = only_player_start(&decision)
        .ok_or_else(|| unrecognised_player_argument(word, &path, &decision));
    let files = if path.is_dir() { vec![".".to_owned()] } else { Vec::new() };
    let terms = PlayerTerms { files, ..PlayerTerms::default() };
    let spec = spec_from_decision(&decision, start, builds, terms, place)?;
    Ok(Some(PlayerSpec { name: player_name_at_path(word, &path), ..spec }))
}

/// The name of the player at `path`: the last part of `word`, which leads there.
fn player_name_at_path(word: &str, path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    to_player_name(whole.file_name().and_then(OsStr::to_str).unwrap_or(word))
}

/// The player called `name` that is started like this.
pub fn player_from_start(name: &str, start: &StartCommand) -> Result<PlayerSpec, ConfigError> {
    let path = std::env::var_os("PATH");
    let place = LookupPaths { base: &start.dir, path: path.as_deref() };
    let decision = StartDecision { found: Vec::new(), build: None };
    let terms = PlayerTerms::default();
    let spec = spec_from_decision(&decision, Ok(start), None, terms, place);
    let spec = spec.map_err(|why| {
        ConfigError::input(why.describe_argument(&format!("player `{}`", name.escape_debug())))
    })?;
    Ok(PlayerSpec { name: name.to_owned(), ..spec })
}

/// The error that a folder has no player, or several files that may be it.
fn unrecognised_player_argument(word: &str, path: &Path, decision: &StartDecision) -> InvalidValue {
    let known = &decision.found;
    let title = format!("no player found in `{}`", word.escape_debug());
    if let Some((dir, command)) = find_unbuilt_folder(path).filter(|_| known.is_empty()) {
        let dir = Path::new(word).join(dir.strip_prefix(path).unwrap_or(&dir));
        let help = format!(
            "run `{command}` in `{}`; if you have already done so, pass the program itself",
            dir.display().to_string().trim_end_matches('/').escape_debug()
        );
        return InvalidValue::new(
            format!("{title}, only source code that must be built first"),
            help,
        );
    }
    let result = decision.build.as_ref().and_then(|build| build.dir.as_deref());
    let shown = known.iter().take(MOST_SHOWN).map(|found| {
        let dir = found.dir.strip_prefix(result.unwrap_or(path)).unwrap_or(&found.dir);
        format!("`{}`", dir.join(found.file()).display().to_string().escape_debug())
    });
    match shown.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => InvalidValue::new(title, EXPECTED),
        several => InvalidValue::new(title, format!("pass one of these instead: {several}")),
    }
}

fn split_argument_command(word: &str) -> Result<UnresolvedCommand, InvalidValue> {
    let words = shlex::split(word).ok_or_else(|| {
        let help = "close every quote, and do not end with a backslash";
        InvalidValue::new("it cannot be split into words", help)
    })?;
    Ok(UnresolvedCommand { words, ..UnresolvedCommand::default() })
}
