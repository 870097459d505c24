//! The reasons why a submission was not built.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use humantime::format_duration;

use crate::submissions::{ArchiveError, NoPlayer};
use referee_record::fingerprint::Unreadable;
use referee_record::tree_walk::UnfitTree;
use referee_sandbox::resource_limits::format_bytes;
use referee_sandbox::{Overrun, Shortage, SpawnError};

/// The reason why a submission was not built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The sources were refused: they have a link that leads out, or too many files.
    #[error("it was not built: {0}")]
    Source(#[source] NoPlayer),
    /// The sources cannot be copied.
    #[error("it was not built: {0}")]
    Copy(#[source] UnfitTree),
    /// A file of the sources cannot be read.
    #[error("`{}` cannot be read: {}", .0.name, .0.error)]
    Unreadable(Unreadable),
    /// The path of the sources, or of the folder for results, is not text.
    #[error("the path of its folder is not UTF-8; rename the folder")]
    NotText,
    /// The folder for results cannot be written to.
    #[error("cannot write to {}: {}", .0.display(), .1)]
    Cache(PathBuf, #[source] io::Error),
    /// The sandbox has no private mounts, without which compilers cannot make programs executable.
    #[error(
        "builds need private mounts (`mounts`) or the level `off`; `referee probe` shows how to \
         get them"
    )]
    NoMounts,
    /// The sandbox could not be started.
    #[error("cannot start its build: {0}")]
    NotStarted(#[from] SpawnError),
    /// The supervisor of the sandbox is gone.
    #[error("its build was interrupted: the supervisor process was killed")]
    SupervisorEnded,
    /// It took longer than this.
    #[error("its build took more than {}", format_duration(*.0))]
    TimeUp(Duration),
    /// It exceeded a limit of the sandbox, and failed.
    #[error("its build exceeded the limit `{}` under `[build]`: {}", build_limit_key(.0), .0)]
    Overrun(Overrun),
    /// It printed more than this many bytes.
    #[error("its build printed more than {}", format_bytes(*.0))]
    Chatty(u64),
    /// The command failed.
    #[error("its build {}", describe_build_end(*.0))]
    Failed(ExitStatus),
    /// Its command failed, and its output says that it looked for a network.
    #[error(
        "its build {}; it has no network unless `network = true` is set under `[build]`",
        describe_build_end(*.0)
    )]
    NoNetwork(ExitStatus),
    /// Its command failed, and its output says that the disk was full. It may have removed its files
    /// before it ended.
    #[error("its build {}: its disk was full; raise `disk` or `files` under `[build]`", describe_build_end(*.0))]
    Full(ExitStatus),
    /// It failed before, with the same sources and the same rules.
    #[error("{why}, as before; remove `{}` to build it again", .record.display())]
    Known {
        /// The reason.
        why: String,
        /// The file that says so.
        record: PathBuf,
    },
    /// The result is larger than this many bytes.
    #[error("the result of its build is larger than {}", format_bytes(*.0))]
    TooLarge(u64),
    /// The result was refused.
    #[error("the result of its build cannot be used: {0}")]
    Result(#[source] ArchiveError),
    /// The result could not be received or written.
    #[error("cannot store the result of its build: {0}")]
    Unpacked(#[source] io::Error),
    /// The referee failed while it wrote the result.
    #[error(
        "cannot store the result of its build: the referee failed; this is a bug in the referee"
    )]
    Unpacking,
}

impl BuildError {
    /// What the machine lacked for building the player of this name, if that is the reason.
    pub fn shortage(&self, name: &str) -> Option<Shortage> {
        Shortage::from_error(&format!("build {name}"), self)
    }

    /// Whether the same sources would fail again.
    pub(super) fn is_lasting(&self) -> bool {
        match self {
            Self::TimeUp(_)
            | Self::Overrun(_)
            | Self::Chatty(_)
            | Self::Failed(_)
            | Self::NoNetwork(_)
            | Self::Full(_)
            | Self::TooLarge(_)
            | Self::Result(_) => true,
            Self::Source(_)
            | Self::Copy(_)
            | Self::Unreadable(_)
            | Self::NotText
            | Self::Cache(..)
            | Self::NoMounts
            | Self::NotStarted(_)
            | Self::SupervisorEnded
            | Self::Known { .. }
            | Self::Unpacked(_)
            | Self::Unpacking => false,
        }
    }
}

/// The key of a limit in a configuration.
fn build_limit_key(overrun: &Overrun) -> &'static str {
    match overrun {
        Overrun::Memory { .. } => "memory",
        Overrun::Processes { .. } => "processes",
        Overrun::Files { .. } => "files",
        Overrun::Scratch { .. } | Overrun::FileSize { .. } => "disk",
    }
}

/// How a process ended, as the end of a sentence.
fn describe_build_end(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("failed with exit code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "failed".to_owned(),
    }
}
