//! The levels of containment, and the mechanisms that enforce them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How strongly a process is contained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// It may do anything that the caller may. It and its descendants are still killed at the end.
    Off,
    /// It reads its own files and the language runtimes, writes to its scratch folder, and
    /// reaches neither the network nor other processes.
    Basic,
    /// It runs in its own namespaces and file system, and sees nothing else of the machine.
    Strict,
}

impl Level {
    /// Every level, from the weakest.
    pub const ALL: [Self; 3] = [Self::Off, Self::Basic, Self::Strict];

    /// The level with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Whether `mechanism` is part of it and not left out.
    pub fn has(self, mechanism: Mechanism, without: &[Mechanism]) -> bool {
        let part = match mechanism {
            Mechanism::Subreaper => true,
            Mechanism::Namespaces => self == Self::Strict,
            _ => self > Self::Off,
        };
        part && !without.contains(&mechanism)
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

/// A mechanism that helps to contain a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// Orphans become children of the supervisor, which kills and reaps them.
    Subreaper,
    /// Limits per process: open files, file size, core dumps, and more.
    Rlimits,
    /// Restricts which files a process may read and write, and which processes it may signal.
    Landlock,
    /// Refuses dangerous system calls.
    Seccomp,
    /// Gives the process its own user. Only root can do that.
    User,
    /// Gives the process its own mounts: a scratch folder of limited size that is also `/dev/shm`,
    /// and empty mounts over hidden paths. Part of [`Namespaces`](Self::Namespaces).
    Mounts,
    /// Gives the process its own file system, process numbers, network and IPC.
    Namespaces,
    /// Limits the memory of all processes together.
    Memory,
    /// Limits the number of all processes and threads.
    Processes,
    /// Measures CPU time that no descendant can hide.
    Cpu,
    /// Stops all processes at once.
    Freeze,
    /// Kills all processes at once.
    Kill,
}

impl Mechanism {
    /// Every mechanism, in order of increasing demands on the system.
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

    /// The mechanism with this name.
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

/// Something that must be in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Requirement {
    /// This level or a stronger one.
    Level(Level),
    /// This mechanism.
    Mechanism(Mechanism),
}

impl Requirement {
    /// The level or mechanism with this name. `off` cannot be required, since it is always in
    /// force.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|requirement| requirement.name() == name)
    }

    /// Everything that can be required.
    pub fn all() -> impl Iterator<Item = Self> {
        let levels = [Level::Basic, Level::Strict].map(Self::Level);
        levels.into_iter().chain(Mechanism::ALL.map(Self::Mechanism))
    }

    /// The name of the level or mechanism.
    pub fn name(self) -> &'static str {
        match self {
            Self::Level(level) => level.name(),
            Self::Mechanism(mechanism) => mechanism.name(),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_and_mechanism_is_found_by_its_name() {
        for level in Level::ALL {
            assert_eq!(Level::named(level.name()), Some(level));
            assert_eq!(serde_json::to_value(level).expect("plain data"), level.name());
        }
        for mechanism in Mechanism::ALL {
            assert_eq!(Mechanism::named(mechanism.name()), Some(mechanism));
            assert_eq!(serde_json::to_value(mechanism).expect("plain data"), mechanism.name());
        }
        assert_eq!((Level::named("Strict"), Mechanism::named("")), (None, None));
    }

    #[test]
    fn a_stronger_level_is_greater() {
        assert!(Level::ALL.is_sorted());
        assert!(Level::Strict > Level::Basic && Level::Basic > Level::Off);
    }

    #[test]
    fn mechanisms_are_listed_in_their_order() {
        assert!(Mechanism::ALL.is_sorted(), "what is in force is sorted and shown in this order");
    }

    #[test]
    fn everything_that_can_be_required_has_a_name() {
        for requirement in Requirement::all() {
            assert_eq!(Requirement::named(requirement.name()), Some(requirement));
        }
        assert_eq!(Requirement::named("off"), None);
        assert_eq!(Requirement::named("nothing"), None);
    }
}
