//! Finds, identifies and starts the programs that know the rules of games.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::error::Failure;
use crate::fingerprint::{Fingerprint, Parts, Unreadable, of_rules};
use crate::model::containment::ContainmentRequest;
use crate::model::record::Header;
use crate::model::rules::GameRules;
use crate::player::{ContainedRules, Sandbox, own_files};
use referee_games::{GameError, RulesProgram, SharedGame};
use referee_rules_program::{ChildLauncher, ProgramGame};
use referee_sandbox::{Command, ResolveError};

/// The time for an answer, unless the configuration sets another.
pub const DEFAULT_REPLY: Duration = Duration::from_secs(10);

/// A rules program that was found but not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundProgram {
    /// The words of its command.
    pub words: Vec<String>,
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// Its working folder, as an absolute path.
    pub dir: PathBuf,
    /// Its working folder relative to that of the configuration.
    pub configured: String,
    /// Other files that are part of the game, relative to the folder.
    pub files: Vec<String>,
    /// The time for an answer.
    pub reply: Duration,
}

/// The reason why a rules program cannot be used.
#[derive(Debug)]
pub enum OpenError {
    /// One of its files cannot be read.
    Unreadable(Unreadable),
    /// The requested containment is impossible.
    Containment(ResolveError),
    /// It failed.
    Game(GameError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(Unreadable { name, error }) => {
                write!(f, "cannot read `{}`, a file of the game: {error}", name.escape_debug())
            }
            Self::Containment(error) => error.fmt(f),
            Self::Game(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(unreadable) => Some(&unreadable.error),
            Self::Containment(error) => Some(error),
            Self::Game(error) => Some(error),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Containment(error) => error.into(),
            OpenError::Game(error) => error.into(),
            unreadable @ OpenError::Unreadable(_) => Self::input(unreadable.to_string()),
        }
    }
}

impl FoundProgram {
    /// The program that a log in the folder `results` names, if it can be found.
    fn recorded(program: &RulesProgram, results: &Path) -> Option<Self> {
        let dir = match program.dir.as_str() {
            "" => folder_of(program, results)?,
            dir => Some(PathBuf::from(dir)).filter(|dir| dir.is_dir())?,
        };
        let started = match program.program.as_str() {
            // Where the words of a log before this version led.
            path if Path::new(path).exists() => PathBuf::from(path),
            _ => lookup(program.command.first()?, &dir)?,
        };
        let program = RulesProgram {
            program: started.display().to_string(),
            dir: dir.display().to_string(),
            ..program.clone()
        };
        Some(Self::placed(&program))
    }

    /// The program at its place on this machine.
    fn placed(program: &RulesProgram) -> Self {
        Self {
            words: program.command.clone(),
            program: PathBuf::from(&program.program),
            dir: PathBuf::from(&program.dir),
            configured: program.configured.clone(),
            files: program.files.clone(),
            reply: Duration::from_millis(program.reply_ms),
        }
    }

    /// The program in the place of one that a log names, which has moved. Whether it is still the
    /// same is for its hash to say.
    pub fn in_place_of(&self, recorded: &RulesProgram) -> RulesProgram {
        RulesProgram { hidden: recorded.hidden, ..self.identity(recorded.hash.clone()) }
    }

    /// The same program, with its folder relative to that of the configuration.
    #[must_use]
    pub fn configured_in(self, folder: &str) -> Self {
        Self { configured: folder.to_owned(), ..self }
    }

    /// Starts the program, contained as `request` asks, and asks what the game is.
    ///
    /// # Errors
    /// Its files cannot be read, it cannot be contained, or it failed.
    pub fn open(self, request: &ContainmentRequest) -> Result<SharedGame, OpenError> {
        let Self { words, program, dir, files, .. } = &self;
        let env = BTreeMap::new();
        let parts = Parts { dir, program, words, env: &env, files };
        let (_, hash) = Fingerprint::read(parts).map_err(OpenError::Unreadable)?;
        let sandbox = Arc::new(Sandbox::resolve(request).map_err(OpenError::Containment)?);
        let launcher = Arc::new(ContainedRules { command: self.command(), sandbox });
        let identify = |answer: &str| self.identity(of_rules(answer, &hash));
        let game = ProgramGame::open(launcher, self.reply, identify).map_err(OpenError::Game)?;
        Ok(Arc::new(game))
    }

    fn command(&self) -> Command {
        Command {
            program: self.program.clone(),
            args: self.words[1..].to_vec(),
            dir: self.dir.clone(),
            readable: own_files(&self.words, &self.files, &self.dir),
            ..Command::default()
        }
    }

    fn identity(&self, hash: String) -> RulesProgram {
        RulesProgram {
            command: self.words.clone(),
            program: self.program.display().to_string(),
            dir: self.dir.display().to_string(),
            configured: self.configured.clone(),
            files: self.files.clone(),
            reply_ms: u64::try_from(self.reply.as_millis()).unwrap_or(u64::MAX),
            hash,
            hidden: false,
        }
    }
}

/// Opens a rules program without a sandbox of its own, for a process that is contained itself.
///
/// # Errors
/// The program failed.
pub fn open_uncontained(program: &RulesProgram) -> Result<SharedGame, GameError> {
    let found = FoundProgram::placed(program);
    let launcher = Arc::new(ChildLauncher {
        program: found.program.clone(),
        args: found.words[1..].to_vec(),
        dir: found.dir.clone(),
    });
    let game = ProgramGame::open(launcher, found.reply, |_| program.clone())?;
    Ok(Arc::new(game))
}

/// The folder of a program that a log in the folder `results` names. It is relative to that of the
/// configuration, which is usually above the results: of the folders above them, and the current
/// one, the first in which most of the program's files are.
fn folder_of(program: &RulesProgram, results: &Path) -> Option<PathBuf> {
    let results = fs::canonicalize(results).unwrap_or_else(|_| results.to_owned());
    let current = std::env::current_dir().ok();
    let above = results.ancestors().chain(current.as_deref());
    let folders = above.filter_map(|base| fs::canonicalize(base.join(&program.configured)).ok());
    let folders: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
    let files = |folder: &&PathBuf| own_files(&program.command, &program.files, folder).len();
    // Of equal ones, the last is taken.
    folders.iter().rev().max_by_key(files).cloned()
}

/// The program that the first word of a command names.
fn lookup(word: &str, dir: &Path) -> Option<PathBuf> {
    if word.contains('/') {
        return Some(dir.join(word)).filter(|path| path.exists());
    }
    let search = std::env::var_os("PATH")?;
    std::env::split_paths(&search).map(|folder| dir.join(folder).join(word)).find(|it| it.is_file())
}

/// The rules of the games of a log in the folder `results`, whose game may be a program.
///
/// # Errors
/// The header names an unknown game, or its rules program is missing, has changed or failed.
pub fn recorded_rules(header: &Header, results: &Path) -> Result<GameRules, Failure> {
    let Some(program) = &header.program else { return Ok(GameRules::of(header)?) };
    let found = FoundProgram::recorded(program, results);
    let found = found.ok_or_else(|| Failure::input(missing(program)))?;
    let game = found.open(&of_a_reader(header))?;
    match game.program() {
        Some(now) if now.hash != program.hash => Err(Failure::input(changed(program, now))),
        _ => Ok(GameRules::by_header(game, header)?),
    }
}

/// The limits of the tournament, at the strongest level that works here, whatever the log says: it
/// may come from a stranger, and names the program that is started.
fn of_a_reader(header: &Header) -> ContainmentRequest {
    let limits = header.containment.limits;
    ContainmentRequest { limits, ..ContainmentRequest::default() }
}

fn missing(program: &RulesProgram) -> String {
    format!(
        "cannot find the rules program of these games, `{}` in the folder `{}`, in any folder above \
         the results or in this one; restore it, or if it has moved, name its game file with --game",
        program.command.join(" "),
        program.configured
    )
}

fn changed(before: &RulesProgram, now: &RulesProgram) -> String {
    format!(
        "the rules program `{}` in {} has changed since these games were played ({} became {}); \
         `referee run` replays the recorded games with it, and accepts it if their results are \
         the same",
        now.command.join(" "),
        now.dir,
        before.hash,
        now.hash
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program in this folder, as a log names it.
    fn program(configured: &str) -> RulesProgram {
        RulesProgram {
            command: ["sh", "rules.sh"].map(str::to_owned).to_vec(),
            program: String::new(),
            dir: String::new(),
            configured: configured.to_owned(),
            files: Vec::new(),
            reply_ms: 1,
            hash: String::new(),
            hidden: false,
        }
    }

    #[test]
    fn a_recorded_program_is_found_above_the_results() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("a path");
        let results = root.join("cup/results/spring");
        fs::create_dir_all(&results).expect("a folder");
        fs::create_dir_all(root.join("cup/results/game")).expect("a folder without the game");
        fs::create_dir_all(root.join("cup/game")).expect("a folder");
        fs::write(root.join("cup/game/rules.sh"), "").expect("a file");
        let game = root.join("cup/game");
        assert_eq!(folder_of(&program("game"), &results).as_ref(), Some(&game));
        assert_eq!(folder_of(&program("no/such/game"), &results), None);
        let found = FoundProgram::recorded(&program("game"), &results).expect("found");
        assert!(found.dir == game && found.program.ends_with("sh"), "{found:?}");
    }

    #[test]
    fn a_log_names_the_configured_folder_and_not_its_place() {
        let root = tempfile::tempdir().expect("a folder");
        let dir = root.path().display().to_string();
        let here = RulesProgram { dir: dir.clone(), ..program("no/such/game") };
        let found = FoundProgram::recorded(&here, Path::new("/")).expect("found");
        assert_eq!((found.dir, &*found.configured), (PathBuf::from(dir), "no/such/game"));
        assert_eq!(here.without_places(), program("no/such/game"));
        let logged = serde_json::to_value(here.without_places()).expect("plain data");
        assert_eq!((&logged["dir"], logged.get("place")), (&"no/such/game".into(), None));
    }

    #[test]
    fn logs_of_older_versions_say_where_the_program_is() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("a path");
        let (dir, tool) = (root.display().to_string(), root.join("tool").display().to_string());
        fs::write(&tool, "").expect("a file");
        let old = RulesProgram { program: tool.clone(), ..program(&dir) };
        let found = FoundProgram::recorded(&old, Path::new("/")).expect("found");
        assert_eq!((found.dir, found.program), (root, PathBuf::from(tool)));
    }
}
