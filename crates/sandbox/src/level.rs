//! How far a process is contained, and by what.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How far a process is contained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// It may do what the caller may. It and its descendants are still killed in the end.
    Off,
    /// It reads its own files and the language runtimes, writes to its scratch folder, and
    /// reaches neither the network nor other processes.
    Basic,
    /// It has a system of its own: nothing else is there.
    Strict,
}

impl Level {
    /// Every level, the weakest first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Basic, Self::Strict];

    /// The level of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Its name, for example in configuration files.
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

/// One thing that contains a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// Orphans become children of the supervisor, which kills and reaps them.
    Subreaper,
    /// Limits of single processes: open files, file size, core dumps, and more.
    Rlimits,
    /// What may be read and written, and whom signals reach.
    Landlock,
    /// System calls that are refused.
    Seccomp,
    /// A user of its own; only root has users to give.
    User,
    /// Mounts of its own: a scratch folder of limited size, `/dev/shm` in it, and nothing in place
    /// of what is hidden. Part of [`Namespaces`](Self::Namespaces).
    Mounts,
    /// Namespaces: a file system, process numbers, a network and IPC of its own.
    Namespaces,
    /// A limit on the memory of all processes together.
    Memory,
    /// A limit on the number of all processes and threads.
    Processes,
    /// CPU time that no descendant can hide.
    Cpu,
    /// All processes stopped at once.
    Freeze,
    /// All processes killed at once.
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

    /// The mechanism of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mechanism| mechanism.name() == name)
    }

    /// Its name, for example in configuration files.
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
