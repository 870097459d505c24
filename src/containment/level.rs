//! How far a player is contained, and by what.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How far a player is contained.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A player can do whatever the referee can; all its processes are still killed in the end.
    Off,
    /// A player can read its own files and language runtimes, and write to its scratch folder. It
    /// has no network and no access to other processes.
    Basic,
    /// A player has a system of its own, in which nothing else is visible.
    Strict,
}

impl Level {
    /// Every level, the weakest first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Basic, Self::Strict];

    /// The level as files and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Basic => "basic",
            Self::Strict => "strict",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that contains a player.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// Orphans come back to the guard, which kills and reaps them.
    Subreaper,
    /// Limits of single processes: open files, file size, core dumps, and more.
    Rlimits,
    /// What may be read and written, and whom signals reach.
    Landlock,
    /// System calls that are refused.
    Seccomp,
    /// A user of the player's own; only root has them to give.
    User,
    /// Mounts of its own: a scratch folder of limited size, `/dev/shm` in it, and nothing where
    /// something is hidden. Part of the namespaces.
    Mounts,
    /// Namespaces: a file system, process numbers, a network and IPC of its own.
    Namespaces,
    /// The memory of all its processes together.
    Memory,
    /// The number of all its processes and threads.
    Processes,
    /// CPU time that cannot be hidden.
    Cpu,
    /// All its processes stopped at once.
    Freeze,
    /// All its processes killed at once.
    Kill,
}

impl Mechanism {
    /// Every mechanism, those that need least first.
    pub const ALL: [Self; 12] = [
        Self::Subreaper,
        Self::Rlimits,
        Self::Landlock,
        Self::Seccomp,
        Self::User,
        Self::Mounts,
        Self::Namespaces,
        Self::Memory,
        Self::Processes,
        Self::Cpu,
        Self::Freeze,
        Self::Kill,
    ];

    /// The mechanism as files and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Subreaper => "subreaper",
            Self::Rlimits => "rlimits",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
            Self::User => "user",
            Self::Mounts => "mounts",
            Self::Namespaces => "namespaces",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Cpu => "cpu",
            Self::Freeze => "freeze",
            Self::Kill => "kill",
        }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
