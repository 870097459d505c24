//! Errors of starting processes, and reasons why something cannot be enforced here.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use nix::errno::Errno;
use thiserror::Error;

use crate::level::{Level, Mechanism, Requirement};

/// The machine has no descriptors, processes or memory left for the caller. The cause is neither
/// the command nor the sandbox, and the same call may succeed later.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot {action}: {}", self.cause())]
pub struct Shortage {
    /// The action that failed, as in "start a supervisor".
    pub action: String,
    /// `EMFILE`, `ENFILE`, `EAGAIN`, `ENOMEM`, `ENOSPC` or `EDQUOT`; `ETIMEDOUT` if the machine was
    /// too slow.
    #[source]
    errno: Errno,
}

impl Shortage {
    /// Returns the shortage that caused `error` when `action` failed, if there was one.
    pub fn from_error(action: &str, error: &(dyn Error + 'static)) -> Option<Self> {
        Self::from_raw(action, find_os_error(error))
    }

    /// The same, from the number of the system error.
    pub(crate) fn from_raw(action: &str, error: Option<i32>) -> Option<Self> {
        let errno = Errno::from_raw(error?);
        let is_shortage = matches!(
            errno,
            Errno::EAGAIN
                | Errno::EMFILE
                | Errno::ENFILE
                | Errno::ENOMEM
                | Errno::ENOSPC
                | Errno::EDQUOT
        );
        is_shortage.then(|| Self { action: action.to_owned(), errno })
    }

    /// The machine was too busy for `action` within its time.
    pub fn machine_too_busy(action: String) -> Self {
        Self { action, errno: Errno::ETIMEDOUT }
    }

    fn cause(&self) -> String {
        match self.errno {
            Errno::ETIMEDOUT => "the machine is too busy".to_owned(),
            errno => io::Error::from(errno).to_string(),
        }
    }

    /// The resource that ran out.
    pub fn resource(&self) -> Resource {
        match self.errno {
            Errno::EMFILE => Resource::OpenFiles,
            Errno::EAGAIN => Resource::Processes,
            Errno::ENOSPC | Errno::EDQUOT => Resource::Disk,
            _ => Resource::System,
        }
    }
}

/// The resource that ran out in a [`Shortage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Open files of this process (`ulimit -n`).
    OpenFiles,
    /// Processes of this user (`ulimit -u`).
    Processes,
    /// Space on a disk, or this user's share of it.
    Disk,
    /// Memory, time or open files of the whole machine.
    System,
}

/// Why a process was not started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The machine has too few resources left to start it.
    #[error(transparent)]
    Shortage(#[from] Shortage),
    /// The program cannot be run in the sandbox.
    #[error("{} cannot be run: {reason}", program.display())]
    Program {
        /// The program of the command.
        program: PathBuf,
        /// The system's message.
        reason: String,
        /// The user that the process runs as, if the failure is that this user may not read the
        /// program.
        denied_to: Option<u32>,
        /// The interpreter that its first line names, if the failure is that this is missing.
        interpreter: Option<Vec<u8>>,
    },
    /// A folder that it would see is not the one that was found before.
    #[error("its folder {} {}", folder.display(), crate::pinned_path::REPLACED)]
    Replaced {
        /// The folder.
        folder: PathBuf,
    },
    /// The sandbox cannot be set up.
    #[error("its sandbox cannot be set up: {reason}")]
    Sandbox {
        /// The step that failed, and why.
        reason: String,
    },
    /// The supervisor cannot be started.
    #[error("its supervisor cannot be started: {0}")]
    Supervisor(#[source] io::Error),
    /// The supervisor ended before the process was started.
    #[error("its supervisor ended before the process was started")]
    SupervisorEnded,
}

/// The supervisor of a process is gone, and the state of the process is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the supervisor of the process ended")]
pub struct SupervisorGone;

/// Why a level or a mechanism is not available.
#[derive(Debug, Error)]
pub enum Unavailable {
    /// No process can be started with it.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The process that tests it gave no answer.
    #[error("a test process {0}")]
    Untested(String),
    /// It was put in force without an error, but the self-test got around it.
    #[error("{0} was applied but does not hold")]
    Ineffective(Mechanism),
    /// No control group can be created.
    #[error("cannot create a control group in {}: {error}", dir.display())]
    Cgroup {
        /// The group of this process.
        dir: PathBuf,
        /// The reason why no group can be created in it.
        #[source]
        error: Arc<io::Error>,
    },
    /// systemd gave no control group to create others in.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The groups that can be created lack it.
    #[error("the control groups in {} have no `{file}`", dir.display())]
    NotPassedOn {
        /// The group that contains them.
        dir: PathBuf,
        /// The file that they lack.
        file: &'static str,
    },
    /// The control groups of this machine do not provide it.
    #[error("no control group hierarchy on this machine provides it")]
    NoController,
    /// Only root can give a process its own user.
    #[error("only root can give each process a user of its own")]
    NotRoot,
    /// It only works together with another mechanism.
    #[error("it only works together with another mechanism")]
    NotAlone,
    /// The level in force does not include it.
    #[error("the level `{0}` does not include it")]
    NotAtLevel(Level),
    /// Only Linux has it.
    #[error("only Linux can contain processes")]
    NotLinux,
}

/// Why systemd gave no control group.
#[derive(Debug, Clone, Error)]
pub enum ScopeError {
    /// The user has no systemd manager of its own.
    #[error("no systemd user manager is running for user {user}")]
    NoUserManager {
        /// The number of the user.
        user: u32,
    },
    /// systemd refused, or did not answer.
    #[error("systemd provided no control group: {0}")]
    Refused(String),
}

/// Why a request cannot be satisfied.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// The machine has too few resources left to find out.
    #[error(transparent)]
    Shortage(#[from] Shortage),
    /// The requested level is not available.
    #[error("the level `{level}` is not available: {why}")]
    Level {
        /// The requested level.
        level: Level,
        /// Why it is not available.
        #[source]
        why: Unavailable,
    },
    /// Not even a process without a sandbox can be started.
    #[error("no process can be started: {0}")]
    NoLevel(#[source] Unavailable),
    /// A requirement is not in force.
    #[error("`{requirement}` is required but not in force: {why}")]
    Required {
        /// The requirement.
        requirement: Requirement,
        /// Why it is not in force.
        #[source]
        why: Unavailable,
    },
}

/// This process may open too few files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this process may open at most {most} files at once, but needs at least {needed}")]
pub struct TooFewDescriptors {
    /// The highest number that it may open.
    pub most: u64,
    /// The number that it needs.
    pub needed: u64,
}

/// The number of the system error at the bottom of `error`.
pub(crate) fn find_os_error(error: &(dyn Error + 'static)) -> Option<i32> {
    if let Some(errno) = error.downcast_ref::<Errno>() {
        return Some(*errno as i32);
    }
    match error.downcast_ref::<io::Error>() {
        Some(error) => error.raw_os_error().or_else(|| find_os_error(error.get_ref()?)),
        None => find_os_error(error.source()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortages_are_distinguished_from_other_errors() {
        let start =
            |errno: Errno| Shortage::from_error("start a supervisor", &io::Error::from(errno));
        assert_eq!(
            start(Errno::EMFILE).expect("a shortage").to_string(),
            "cannot start a supervisor: Too many open files (os error 24)"
        );
        let others = [Errno::EAGAIN, Errno::ENFILE, Errno::ENOMEM, Errno::ENOSPC, Errno::EDQUOT];
        for errno in others {
            assert!(start(errno).is_some(), "{errno}");
            assert_eq!(Shortage::from_error("start a supervisor", &errno), start(errno));
            let within = io::Error::other(errno);
            let found = Shortage::from_error("start a supervisor", &within);
            assert_eq!(found, start(errno), "at the bottom");
        }
        for errno in [Errno::ENOENT, Errno::EACCES, Errno::EPERM] {
            assert_eq!(start(errno), None);
        }
        let no_number = io::Error::other("no number");
        assert_eq!(Shortage::from_error("start a supervisor", &no_number), None);
    }

    #[test]
    fn a_shortage_says_what_ran_out() {
        let resource =
            |errno: Errno| Shortage::from_error("fork", &errno).map(|found| found.resource());
        assert_eq!(resource(Errno::EMFILE), Some(Resource::OpenFiles));
        assert_eq!(resource(Errno::EAGAIN), Some(Resource::Processes));
        assert_eq!(resource(Errno::ENOSPC), Some(Resource::Disk));
        assert_eq!(resource(Errno::ENFILE), Some(Resource::System));
        assert_eq!(resource(Errno::ENOMEM), Some(Resource::System));
    }

    #[test]
    fn the_system_error_is_found_below_errors_of_this_crate() {
        let below = SpawnError::Supervisor(io::Error::from(Errno::ENOSPC));
        assert_eq!(find_os_error(&below), Some(Errno::ENOSPC as i32));
        let level = Level::Basic;
        let deeper = ResolveError::Level { level, why: Unavailable::Spawn(below) };
        assert_eq!(find_os_error(&deeper), Some(Errno::ENOSPC as i32));
        assert_eq!(find_os_error(&SpawnError::SupervisorEnded), None);
    }

    #[test]
    fn missing_mechanisms_are_explained() {
        let requirement = Requirement::Mechanism(Mechanism::Memory);
        let required = ResolveError::Required { requirement, why: Unavailable::NoController };
        assert_eq!(
            required.to_string(),
            "`memory` is required but not in force: no control group hierarchy on this machine \
             provides it"
        );
        let level = ResolveError::Level {
            level: Level::Strict,
            why: Unavailable::Ineffective(Mechanism::Seccomp),
        };
        assert_eq!(
            level.to_string(),
            "the level `strict` is not available: seccomp was applied but does not hold"
        );
    }
}
