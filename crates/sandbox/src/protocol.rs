//! The supervisor protocol: what caller and supervisor tell each other, as JSON lines over a socket.
//!
//! The caller sends one [`Setup`] together with the process's ends of the pipes. The supervisor
//! sends [`Message`]s. One byte from the caller asks the supervisor to kill everything; the end of
//! the socket asks for the same.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use nix::sys::wait::WaitStatus;
use serde::{Deserialize, Serialize};

use crate::command::THIS_PROGRAM;
use crate::error::{Shortage, os_error};
use crate::leftovers::Leftovers;
use crate::level::{Level, Mechanism};
use crate::limits::{Limits, Overrun};

/// The first argument that makes the calling program a supervisor.
pub(crate) const SUPERVISOR: &str = "__supervisor";

/// The second argument that makes it a process which only tests its sandbox.
pub(crate) const SELF_TEST: &str = "self-test";

/// The longest setup, in bytes.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// Everything that a supervisor needs to know to start its process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// The program, as an absolute path.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// Its working folder.
    pub(crate) dir: PathBuf,
    /// Its whole environment if it is contained; otherwise what is added to the supervisor's.
    pub(crate) env: BTreeMap<String, String>,
    /// How far it is contained.
    pub(crate) level: Level,
    /// Mechanisms that are left out.
    pub(crate) without: Vec<Mechanism>,
    /// The user and group that it becomes, if the caller is root.
    pub(crate) user: Option<u32>,
    /// How much it may use.
    pub(crate) limits: Limits,
    /// What it may read, besides the language runtimes; real paths.
    pub(crate) readable: Vec<PathBuf>,
    /// The helper, if it is mounted in a place of its own; a real path.
    pub(crate) helper: Option<PathBuf>,
    /// What it may not see although it lies in a readable folder; real paths.
    pub(crate) hidden: Vec<PathBuf>,
    /// The scratch folder to make and to remove, if it has no file system of its own.
    pub(crate) scratch: Option<PathBuf>,
    /// The control groups to make and to remove.
    pub(crate) groups: Vec<CgroupSetup>,
    /// How many files it may have open, if that is less than the supervisor may and nothing
    /// contains it.
    pub(crate) open_files: Option<u64>,
}

impl Setup {
    /// It runs the program of its caller.
    pub(crate) fn is_this_program(&self) -> bool {
        self.program == std::path::Path::new(THIS_PROGRAM)
    }

    /// `mechanism` is part of the level and not left out.
    pub(crate) fn has(&self, mechanism: Mechanism) -> bool {
        let part = match mechanism {
            Mechanism::Subreaper => true,
            Mechanism::Namespaces => self.level == Level::Strict,
            _ => self.level > Level::Off,
        };
        part && !self.without.contains(&mechanism)
    }

    /// It has mounts of its own but no other namespaces.
    pub(crate) fn has_mounts_alone(&self) -> bool {
        self.has(Mechanism::Mounts) && !self.has(Mechanism::Namespaces)
    }

    /// It has a user namespace of its own: only root has users to give.
    pub(crate) fn has_user_namespace(&self) -> bool {
        self.user.is_none() && (self.has(Mechanism::Namespaces) || self.has(Mechanism::Mounts))
    }
}

/// A control group to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CgroupSetup {
    /// Its folder.
    pub(crate) dir: PathBuf,
    /// The names of its files, and what to write to them.
    pub(crate) set: Vec<(String, String)>,
}

impl CgroupSetup {
    /// It limits the number of processes.
    pub(crate) fn bounds_processes(&self) -> bool {
        self.set.iter().any(|(name, _)| name == "pids.max")
    }

    /// It limits memory.
    pub(crate) fn bounds_memory(&self) -> bool {
        self.set.iter().any(|(name, _)| name == "memory.max" || name == "memory.limit_in_bytes")
    }
}

/// What a supervisor tells the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Message {
    /// The command runs.
    Started {
        /// The process that runs it, as the caller numbers processes.
        leader: i32,
        /// The first process of its PID namespace, if it has one.
        init: Option<i32>,
    },
    /// The command does not run.
    Failed(SetupError),
    /// A limit is exceeded; comes before the end of the command.
    Exceeded(Overrun),
    /// The command ended; its descendants may live on.
    Exited {
        /// Its wait status.
        status: i32,
    },
    /// Everything is killed.
    Gone(Leftovers),
}

/// Why a command does not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SetupError {
    /// Where it failed.
    pub(crate) stage: Stage,
    /// What failed and how.
    pub(crate) message: String,
    /// The number of the system's error, if it was one.
    pub(crate) error: Option<i32>,
}

/// Where a start failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stage {
    /// The sandbox could not be set up.
    Sandbox,
    /// The program could not be run in it.
    Program,
}

impl SetupError {
    /// The sandbox could not be set up: `what` failed.
    pub(crate) fn setting_up(what: &str, error: &(dyn Error + 'static)) -> Self {
        let number = os_error(error);
        Self { stage: Stage::Sandbox, message: format!("{what}: {error}"), error: number }
    }

    /// The shortage that was the cause, if it was one that the command had no part in.
    pub(crate) fn shortage(&self) -> Option<Shortage> {
        let ours = match self.stage {
            Stage::Sandbox => true,
            // The system counts processes at an exec, too. Memory is the program's own business.
            Stage::Program => self.error == Some(nix::libc::EAGAIN),
        };
        let (what, _) = self.message.split_once(": ").unwrap_or((&self.message, ""));
        Shortage::from_raw(&format!("set up {what}"), self.error.filter(|_| ours))
    }
}

/// Writes one message to the caller.
pub(crate) fn send(mut socket: &UnixStream, message: &Message) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    socket.write_all(&line)
}

/// A wait status as the kernel gives it.
pub(crate) fn wait_status(status: WaitStatus) -> i32 {
    match status {
        WaitStatus::Exited(_, code) => (code & 0xff) << 8,
        WaitStatus::Signaled(_, signal, dumped) => signal as i32 | if dumped { 0x80 } else { 0 },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use nix::errno::Errno;

    use super::*;

    #[test]
    fn only_what_no_process_can_bring_about_is_a_shortage() {
        let failed = |stage, errno: Errno| SetupError {
            stage,
            ..SetupError::setting_up("its sandbox", &errno)
        };
        for errno in [Errno::EAGAIN, Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM] {
            let shortage =
                failed(Stage::Sandbox, errno).shortage().expect("a shortage").to_string();
            assert!(shortage.starts_with("cannot set up its sandbox: "), "{shortage}");
            let of_program = failed(Stage::Program, errno).shortage();
            assert_eq!(of_program.is_some(), errno == Errno::EAGAIN, "{errno}");
        }
        assert_eq!(failed(Stage::Sandbox, Errno::EACCES).shortage(), None);
    }
}
