//! What the referee tells a guard, and what a guard tells the referee: JSON lines over a socket.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Lack, Leavings, Level, Limits, Mechanism, Overrun};

/// The longest specification, in bytes.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// Everything a guard needs to know. The player's stdin, stdout and stderr come beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spec {
    /// The program, as an absolute path.
    pub(super) program: PathBuf,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// Its working folder.
    pub(super) dir: PathBuf,
    /// Its whole environment where it is contained; otherwise what is added to the guard's.
    pub(super) env: BTreeMap<String, String>,
    /// How far it is contained.
    pub(super) level: Level,
    /// What is left out, by a test.
    pub(super) without: Vec<Mechanism>,
    /// The user and group it becomes, where the referee is root.
    pub(super) user: Option<u32>,
    /// How much it may use.
    pub(super) limits: Limits,
    /// What it may read, besides the language runtimes; real paths.
    pub(super) readable: Vec<PathBuf>,
    /// This program, where it is shown to it in a place of its own; a real path.
    pub(super) rules: Option<PathBuf>,
    /// What it may not see although it lies in a readable folder; real paths.
    pub(super) hidden: Vec<PathBuf>,
    /// The folder to be made for it and removed after it, where it has no file system of its own.
    pub(super) scratch: Option<PathBuf>,
    /// The groups to be made for it and removed after it.
    pub(super) groups: Vec<Group>,
    /// How many files it may have open, where nothing contains it and the guard may have more.
    pub(super) open_files: Option<u64>,
}

impl Spec {
    /// The player is a house player.
    pub(super) fn is_this_program(&self) -> bool {
        self.program == std::path::Path::new(super::THIS_PROGRAM)
    }

    /// `mechanism` is part of the level and not left out.
    pub(super) fn has(&self, mechanism: Mechanism) -> bool {
        let part = match mechanism {
            Mechanism::Subreaper => true,
            Mechanism::Namespaces => self.level == Level::Strict,
            _ => self.level > Level::Off,
        };
        part && !self.without.contains(&mechanism)
    }

    /// It has mounts of its own, though no namespaces.
    pub(super) fn has_mounts_alone(&self) -> bool {
        self.has(Mechanism::Mounts) && !self.has(Mechanism::Namespaces)
    }

    /// It has a user namespace of its own: only root has users to give.
    fn has_user_namespace(&self) -> bool {
        self.user.is_none() && (self.has(Mechanism::Namespaces) || self.has(Mechanism::Mounts))
    }
}

/// How many processes a user may have beyond those it has, where they are only a safety net: the
/// user is the referee's own, and has others.
const NET: u64 = 4096;

impl Spec {
    /// How many processes the player's user may have in all.
    pub(super) fn most_of_user(&self) -> Option<u64> {
        // A group that counts them also says when it refused one.
        if self.groups.iter().any(Group::bounds_processes) {
            return None;
        }
        match (self.user, self.has_user_namespace()) {
            (Some(_), _) => Some(self.limits.processes),
            // The init of its box, or its guard, counts too.
            (None, true) => Some(self.limits.processes + 1),
            (None, false) => Some(processes_of_this_user()? + NET),
        }
    }
}

fn processes_of_this_user() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let user = nix::unistd::geteuid().as_raw();
    let own = |entry: std::fs::DirEntry| entry.metadata().is_ok_and(|found| found.uid() == user);
    Some(std::fs::read_dir("/proc").ok()?.flatten().map(own).filter(|&own| own).count() as u64)
}

/// A control group of one player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Group {
    /// Its folder.
    pub(super) dir: PathBuf,
    /// Which of its files are given which content.
    pub(super) set: Vec<(String, String)>,
}

impl Group {
    /// It bounds the number of all its processes.
    pub(super) fn bounds_processes(&self) -> bool {
        self.set.iter().any(|(name, _)| name == "pids.max")
    }

    /// It bounds the memory of all its processes.
    pub(super) fn bounds_memory(&self) -> bool {
        self.set.iter().any(|(name, _)| name == "memory.max" || name == "memory.limit_in_bytes")
    }
}

/// What a guard says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Message {
    /// The player runs.
    Started {
        /// Its first process, as the referee numbers processes.
        leader: i32,
        /// The first process of its box, where it has process numbers of its own.
        init: Option<i32>,
    },
    /// The player does not run.
    Failed(Failed),
    /// The player ran into a limit: to be said before its end.
    Overran(Overrun),
    /// The player's first process ended.
    Exited {
        /// Its wait status.
        status: i32,
    },
    /// Nothing of the player runs any more.
    Gone(Leavings),
}

/// Why a player does not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Failed {
    /// Whose doing it is.
    pub(super) stage: Stage,
    /// What failed and how.
    pub(super) message: String,
    /// The number of the system's error, where it was one.
    pub(super) error: Option<i32>,
}

/// Where a start failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Stage {
    /// The box could not be set up.
    Box,
    /// The program could not be run in it.
    Program,
}

impl Failed {
    /// The box could not be set up: `what` failed.
    pub(super) fn setting_up(what: &str, error: &(dyn Error + 'static)) -> Self {
        let number = super::lack::number_of(error);
        Self { stage: Stage::Box, message: format!("{what}: {error}"), error: number }
    }

    /// What the referee lacked, if that was why: nothing of the player had a part in it.
    pub(super) fn lack(&self) -> Option<Lack> {
        let ours = match self.stage {
            Stage::Box => true,
            // Processes are counted when a program takes the place of another one. Memory is the
            // program's own business.
            Stage::Program => self.error == Some(nix::libc::EAGAIN),
        };
        let (what, _) = self.message.split_once(": ").unwrap_or((&self.message, ""));
        Lack::new(&format!("set up {what}"), self.error.filter(|_| ours))
    }
}

#[cfg(test)]
mod tests {
    use nix::errno::Errno;

    use super::*;

    #[test]
    fn only_what_no_player_can_bring_about_is_a_lack() {
        let failed =
            |stage, errno: Errno| Failed { stage, ..Failed::setting_up("its box", &errno) };
        for errno in [Errno::EAGAIN, Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM] {
            let lack = failed(Stage::Box, errno).lack().expect("a lack").to_string();
            assert!(lack.starts_with("the referee cannot set up its box: "), "{lack}");
            let of_program = failed(Stage::Program, errno).lack();
            assert_eq!(of_program.is_some(), errno == Errno::EAGAIN, "{errno}");
        }
        assert_eq!(failed(Stage::Box, Errno::EACCES).lack(), None);
    }
}
