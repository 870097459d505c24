//! The error of a command, and the exit code that it leads to.

use std::path::Path;

use referee_check::ExamError;
use referee_config::ConfigError;
use referee_games::{GameError, OptionError};
use referee_league::LeagueError;
use referee_league::control::ControlError;
use referee_league::invitations::InvitationError;
use referee_match::game_program::OpenError;
use referee_match::openings::BookError;
use referee_match::player::player_sandbox::{
    describe_sandbox_shortage, describe_unresolved_sandbox,
};
use referee_match::reask::NotAsked;
use referee_match::referee::Unplayable;
use referee_match::replay::ReplayError;
use referee_record::log::WriteError;
use referee_record::model::game_rules::{HeaderError, MoreSeats, OtherGame, RefusedBots};
use referee_record::seeds::NoRandomNumbers;
use referee_report::ReportError;
use referee_report::colour::ColouredText;
use referee_sandbox::{ResolveError, Shortage, TooFewDescriptors};
use referee_tournament::analysis::logged_game::PassError;
use referee_tournament::folder::FolderError;
use referee_tournament::run::RunError;
use referee_tournament::run::resume::ResumeError;
use referee_tournament::run::resume::continuation::ContinuationError;
use referee_web::WebError;

/// The error of a command: a message for the user, and a kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    /// The kind, which decides the exit code.
    pub kind: FailureKind,
    /// The message: the problem, its place, and what to do. May have several lines. Its causes are
    /// escaped with it.
    pub message: ColouredText,
}

/// The kinds of failure, by exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// Bad command line, configuration or input (exit code 2).
    Input,
    /// A bad line of input (exit code 2). The message begins with the line number, where scripts
    /// look for it, and is printed without a label.
    BadLine,
    /// Something could not be run, read or written (exit code 3).
    System,
    /// The results folder is locked, or the configuration differs from the results (exit code 4).
    Conflict,
    /// The reader of standard output has closed it, as `head` does. Nothing is printed (exit code
    /// 141, as for a program killed by `SIGPIPE`).
    Closed,
}

impl Failure {
    /// Bad command line, configuration or input.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Input, message: message.into().into() }
    }

    /// A bad line of input; the message begins with `line N: `.
    pub(crate) fn bad_line(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::BadLine, message: message.into().into() }
    }

    /// A file could not be written.
    pub(crate) fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Self {
        Self::system(format!("cannot write {}: {error}", path.display()))
    }

    /// Something could not be run, read or written.
    pub(crate) fn system(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::System, message: message.into().into() }
    }

    /// Standard output was closed by its reader.
    pub(crate) fn closed() -> Self {
        Self { kind: FailureKind::Closed, message: "standard output was closed".into() }
    }

    /// The results folder is locked, or the configuration differs from the results.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Conflict, message: message.into().into() }
    }
}

impl From<GameError> for Failure {
    fn from(error: GameError) -> Self {
        match error {
            GameError::Program(_) => Self::system(error.to_string()),
            _ => Self::input(error.to_string()),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        match error {
            ConfigError::Written(message) => Self { kind: FailureKind::Input, message },
            ConfigError::NoPlace(_) => Self::system(error.to_string()),
            ConfigError::Program(error) => (*error).into(),
            ConfigError::Game(error) => error.into(),
        }
    }
}

impl From<LeagueError> for Failure {
    fn from(error: LeagueError) -> Self {
        match error {
            LeagueError::Log(error) => error.into(),
            LeagueError::Change(_) => Self::input(error.to_string()),
            error => Self::system(error.to_string()),
        }
    }
}

impl From<InvitationError> for Failure {
    fn from(error: InvitationError) -> Self {
        match error {
            InvitationError::Name { .. }
            | InvitationError::Stranger(_)
            | InvitationError::Url(_) => Self::input(error.to_string()),
            _ => Self::system(error.to_string()),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Folder(error) => error.into(),
            ReportError::Pass(error) => error.into(),
            ReportError::Game(error) => error.into(),
            error => Self::system(error.to_string()),
        }
    }
}

impl From<WebError> for Failure {
    fn from(error: WebError) -> Self {
        match error {
            WebError::Report(error) => error.into(),
            WebError::Folder(error) => error.into(),
            WebError::Invitations(error) => error.into(),
            WebError::RulesChanged => Self::input(error.to_string()),
            error => Self::system(error.to_string()),
        }
    }
}

impl From<Shortage> for Failure {
    fn from(shortage: Shortage) -> Self {
        Self::system(describe_sandbox_shortage(&shortage))
    }
}

impl From<ResolveError> for Failure {
    fn from(error: ResolveError) -> Self {
        Self::system(describe_unresolved_sandbox(&error))
    }
}

impl From<TooFewDescriptors> for Failure {
    fn from(error: TooFewDescriptors) -> Self {
        let TooFewDescriptors { most, needed } = error;
        Self::system(format!(
            "this process may open at most {most} files at once, but the referee needs at least \
             {needed}: raise the limit (`ulimit -n`)"
        ))
    }
}

impl From<HeaderError> for Failure {
    fn from(error: HeaderError) -> Self {
        Self::input(format!("the log's header cannot be used: {error}"))
    }
}

impl From<OtherGame> for Failure {
    fn from(error: OtherGame) -> Self {
        Self::input(error.to_string())
    }
}

impl From<MoreSeats> for Failure {
    fn from(error: MoreSeats) -> Self {
        Self::input(error.to_string())
    }
}

impl From<RefusedBots> for Failure {
    fn from(error: RefusedBots) -> Self {
        match error {
            RefusedBots::Game(error) => error.into(),
            RefusedBots::Unsuited(_) => Self::input(error.to_string()),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Containment(error) => error.into(),
            OpenError::Game(error) => error.into(),
            OpenError::Unreadable(_) => Self::input(error.to_string()),
        }
    }
}

impl From<ExamError> for Failure {
    fn from(error: ExamError) -> Self {
        match error {
            ExamError::Game(error) => error.into(),
            ExamError::Question(why) => (*why).into(),
            error => Self::system(error.to_string()),
        }
    }
}

impl From<Unplayable> for Failure {
    fn from(why: Unplayable) -> Self {
        match why {
            Unplayable::Shortage(shortage) => shortage.into(),
            Unplayable::Game(_) => Self::system(why.to_string()),
        }
    }
}

impl From<NotAsked> for Failure {
    fn from(why: NotAsked) -> Self {
        match why {
            NotAsked::Unplayable(why) => why.into(),
            why => Self::input(why.to_string()),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match &error {
            WriteError::Held(_) => Self::conflict(error.to_string()),
            WriteError::Moved(_) | WriteError::Changed { .. } => Self::system(format!(
                "{error}; nothing more was written: restore the log, or remove it, and run again"
            )),
            WriteError::Header { .. } => Self::input(error.to_string()),
            WriteError::Failed { .. } => Self::system(format!(
                "{error}; every game in the log is complete: free some space and run again to \
                 continue"
            )),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Write(error) => error.into(),
            FolderError::InvalidSecret(_) | FolderError::Log(_) | FolderError::LogLine { .. } => {
                Self::input(error.to_string())
            }
            FolderError::Unwritable { .. }
            | FolderError::UnreadableSecret { .. }
            | FolderError::UnsavedSecret { .. }
            | FolderError::Random(_)
            | FolderError::Count { .. } => Self::system(error.to_string()),
        }
    }
}

impl From<PassError> for Failure {
    fn from(error: PassError) -> Self {
        match error {
            PassError::Folder(error) => error.into(),
            error => Self::input(error.to_string()),
        }
    }
}

impl From<ResumeError> for Failure {
    fn from(error: ResumeError) -> Self {
        match error {
            ResumeError::Folder(error) => error.into(),
            ResumeError::Game(error) => error.into(),
            ResumeError::Unknown(_) | ResumeError::Foreign(_) | ResumeError::LostSecret(_) => {
                Self::input(error.to_string())
            }
            ResumeError::Differs { .. }
            | ResumeError::Programs { .. }
            | ResumeError::Rules { .. } => Self::conflict(error.to_string()),
            ResumeError::Continuation(error) => error.into(),
            ResumeError::Book { .. } => Self::input(error.to_string()),
            ResumeError::NotCreated(_) | ResumeError::Superseded { .. } => {
                Self::system(error.to_string())
            }
        }
    }
}

impl From<ContinuationError> for Failure {
    fn from(error: ContinuationError) -> Self {
        match error {
            ContinuationError::Folder(error) => error.into(),
            ContinuationError::Playing(_) => Self::conflict(error.to_string()),
            _ => Self::input(error.to_string()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Write(error) => error.into(),
            RunError::Game(error) => error.into(),
            RunError::Openings(error) => error.into(),
            error => Self::system(error.to_string()),
        }
    }
}

/// Errors that are always of the same kind.
macro_rules! of_kind {
    ($kind:ident: $($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::$kind(error.to_string())
            }
        }
    )*};
}

of_kind!(input: OptionError, ReplayError, BookError);
of_kind!(system: NoRandomNumbers, ControlError);

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::{Path, PathBuf};

    use super::*;
    use referee_tournament::folder::{LockedFolder, check_folder_game_count};

    #[test]
    fn a_failure_to_write_says_what_to_do() {
        let path = PathBuf::from("results/cup");
        let held = Failure::from(FolderError::from(WriteError::Held(path.clone())));
        assert_eq!(held.kind, FailureKind::Conflict);
        assert!(held.message.starts_with("another run is writing to results/cup;"), "{held}");
        let moved = Failure::from(WriteError::Moved(path.clone()));
        assert!(moved.message.ends_with("restore the log, or remove it, and run again"));
        let full = Failure::from(WriteError::Failed { path, source: io::Error::other("no room") });
        assert!(full.message.ends_with("free some space and run again to continue"), "{full}");
    }

    #[test]
    fn the_problems_of_a_folder_have_their_kinds() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let unusable = LockedFolder::open(&file.path().join("cup")).expect_err("not a folder");
        assert_eq!(Failure::from(unusable).kind, FailureKind::System);
        let damaged = FolderError::InvalidSecret(PathBuf::from("secret"));
        assert_eq!(Failure::from(damaged).kind, FailureKind::Input);
        let lost =
            check_folder_game_count(Path::new("results/cup"), 3, 4).expect_err("one is missing");
        assert_eq!(Failure::from(lost).kind, FailureKind::System);
    }
}
