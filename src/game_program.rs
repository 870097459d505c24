//! Finds, identifies and starts the programs that know the rules of games.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::error::Failure;
use crate::fingerprint::{Fingerprint, Parts, Unreadable, of_rules};
use crate::model::containment::{Containment, ContainmentRequest};
use crate::model::record::Header;
use crate::model::rules::GameRules;
use crate::player::{ContainedRules, Sandbox, own_files};
use referee_games::{GameError, RulesProgram, SharedGame};
use referee_rules_program::{ChildLauncher, ProgramGame};
use referee_sandbox::{Command, Level, ResolveError};

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
    /// The program that a log names.
    fn recorded(program: &RulesProgram) -> Self {
        Self {
            words: program.command.clone(),
            program: PathBuf::from(&program.program),
            dir: PathBuf::from(&program.dir),
            files: program.files.clone(),
            reply: Duration::from_millis(program.reply_ms),
        }
    }

    /// The program in the place of one that a log names, which has moved. Whether it is still the
    /// same is for its hash to say.
    pub fn in_place_of(&self, recorded: &RulesProgram) -> RulesProgram {
        RulesProgram { hidden: recorded.hidden, ..self.identity(recorded.hash.clone()) }
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
    let found = FoundProgram::recorded(program);
    let launcher = Arc::new(ChildLauncher {
        program: found.program.clone(),
        args: found.words[1..].to_vec(),
        dir: found.dir.clone(),
    });
    let game = ProgramGame::open(launcher, found.reply, |_| program.clone())?;
    Ok(Arc::new(game))
}

/// The rules of the games of a log, whose game may be a program.
///
/// # Errors
/// The header names an unknown game, or its rules program has changed or failed.
pub fn recorded_rules(header: &Header) -> Result<GameRules, Failure> {
    let Some(program) = &header.program else { return Ok(GameRules::of(header)?) };
    let found = FoundProgram::recorded(program);
    if !Path::new(&program.program).exists() || !found.dir.is_dir() {
        return Err(Failure::input(missing(program)));
    }
    let game = found.open(&as_recorded(header))?;
    match game.program() {
        Some(now) if now.hash != program.hash => Err(Failure::input(changed(program, now))),
        _ => Ok(GameRules::by_header(game, header)?),
    }
}

/// The containment of the tournament, or the strongest that works if it was `strict`: the log may
/// be read on another machine.
fn as_recorded(header: &Header) -> ContainmentRequest {
    let Containment { level, limits, .. } = header.containment.clone();
    let level = Some(level).filter(|level| *level != Level::Strict);
    ContainmentRequest { level, limits, ..ContainmentRequest::default() }
}

fn missing(program: &RulesProgram) -> String {
    format!(
        "cannot find the rules program of these games, `{}` in {}; restore it, or if it has moved, \
         name its game file with --game",
        program.command.join(" "),
        program.dir
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
