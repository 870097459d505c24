//! What the referee tells a supervisor, and what a supervisor tells the referee: JSON lines over a socket.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use nix::sys::wait::WaitStatus;
use serde::{Deserialize, Serialize};

use crate::error::os_error;
use crate::{Leftovers, Level, Limits, Mechanism, Overrun, Shortage, THIS_PROGRAM};

/// The first argument that makes the calling program a supervisor.
pub(crate) const SUPERVISOR: &str = "__supervisor";

/// The second argument that makes it a process which only tests its sandbox.
pub(crate) const SELF_TEST: &str = "self-test";

/// The longest specification, in bytes.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// Everything a supervisor needs to know. The player's stdin, stdout and stderr come beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// The program, as an absolute path.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// Its working folder.
    pub(crate) dir: PathBuf,
    /// Its whole environment where it is contained; otherwise what is added to the supervisor's.
    pub(crate) env: BTreeMap<String, String>,
    /// How far it is contained.
    pub(crate) level: Level,
    /// What is left out, by a test.
    pub(crate) without: Vec<Mechanism>,
    /// The user and group it becomes, where the referee is root.
    pub(crate) user: Option<u32>,
    /// How much it may use.
    pub(crate) limits: Limits,
    /// What it may read, besides the language runtimes; real paths.
    pub(crate) readable: Vec<PathBuf>,
    /// The helper, where it is shown to it in a place of its own; a real path.
    pub(crate) helper: Option<PathBuf>,
    /// What it may not see although it lies in a readable folder; real paths.
    pub(crate) hidden: Vec<PathBuf>,
    /// The folder to be made for it and removed after it, where it has no file system of its own.
    pub(crate) scratch: Option<PathBuf>,
    /// The groups to be made for it and removed after it.
    pub(crate) groups: Vec<CgroupSetup>,
    /// How many files it may have open, where nothing contains it and the supervisor may have more.
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

    /// It has mounts of its own, though no namespaces.
    pub(crate) fn has_mounts_alone(&self) -> bool {
        self.has(Mechanism::Mounts) && !self.has(Mechanism::Namespaces)
    }

    /// It has a user namespace of its own: only root has users to give.
    pub(crate) fn has_user_namespace(&self) -> bool {
        self.user.is_none() && (self.has(Mechanism::Namespaces) || self.has(Mechanism::Mounts))
    }
}

/// A control group of one player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CgroupSetup {
    /// Its folder.
    pub(crate) dir: PathBuf,
    /// Which of its files are given which content.
    pub(crate) set: Vec<(String, String)>,
}

impl CgroupSetup {
    /// It bounds the number of all its processes.
    pub(crate) fn bounds_processes(&self) -> bool {
        self.set.iter().any(|(name, _)| name == "pids.max")
    }

    /// It bounds the memory of all its processes.
    pub(crate) fn bounds_memory(&self) -> bool {
        self.set.iter().any(|(name, _)| name == "memory.max" || name == "memory.limit_in_bytes")
    }
}

/// What a supervisor says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Message {
    /// The player runs.
    Started {
        /// Its first process, as the referee numbers processes.
        leader: i32,
        /// The first process of its box, where it has process numbers of its own.
        init: Option<i32>,
    },
    /// The player does not run.
    Failed(SetupError),
    /// The player ran into a limit: to be said before its end.
    Exceeded(Overrun),
    /// The player's first process ended.
    Exited {
        /// Its wait status.
        status: i32,
    },
    /// Nothing of the player runs any more.
    Gone(Leftovers),
}

/// Why a player does not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SetupError {
    /// Whose doing it is.
    pub(crate) stage: Stage,
    /// What failed and how.
    pub(crate) message: String,
    /// The number of the system's error, where it was one.
    pub(crate) error: Option<i32>,
}

/// Where a start failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stage {
    /// The box could not be set up.
    Sandbox,
    /// The program could not be run in it.
    Program,
}

impl SetupError {
    /// The box could not be set up: `what` failed.
    pub(crate) fn setting_up(what: &str, error: &(dyn Error + 'static)) -> Self {
        let number = os_error(error);
        Self { stage: Stage::Sandbox, message: format!("{what}: {error}"), error: number }
    }

    /// What the referee lacked, if that was why: nothing of the player had a part in it.
    pub(crate) fn shortage(&self) -> Option<Shortage> {
        let ours = match self.stage {
            Stage::Sandbox => true,
            // Processes are counted when a program takes the place of another one. Memory is the
            // program's own business.
            Stage::Program => self.error == Some(nix::libc::EAGAIN),
        };
        let (what, _) = self.message.split_once(": ").unwrap_or((&self.message, ""));
        Shortage::from_raw(&format!("set up {what}"), self.error.filter(|_| ours))
    }
}

/// Writes one message to the referee.
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
        let failed =
            |stage, errno: Errno| SetupError { stage, ..SetupError::setting_up("its box", &errno) };
        for errno in [Errno::EAGAIN, Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM] {
            let shortage =
                failed(Stage::Sandbox, errno).shortage().expect("a shortage").to_string();
            assert!(shortage.starts_with("cannot set up its box: "), "{shortage}");
            let of_program = failed(Stage::Program, errno).shortage();
            assert_eq!(of_program.is_some(), errno == Errno::EAGAIN, "{errno}");
        }
        assert_eq!(failed(Stage::Sandbox, Errno::EACCES).shortage(), None);
    }
}
