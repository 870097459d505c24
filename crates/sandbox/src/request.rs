//! The caller's request for containment.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::level::{Level, Mechanism};
use crate::limits::Limits;

/// The caller's request for containment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The level; `None` means the strongest that works.
    pub level: Option<Level>,
    /// Requirements. [`resolve`](crate::resolve) fails if one of them is not in force.
    pub require: Vec<Requirement>,
    /// The limits on the resources of a process.
    pub limits: Limits,
    /// Mechanisms to leave out, for tests.
    pub without: Vec<Mechanism>,
    /// Paths that no process may see, except those in its own folder or that its command lists.
    pub hidden: Vec<PathBuf>,
    /// Whether processes may use the network.
    pub network: Network,
}

/// Whether a process may use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// It may not, if it is contained.
    #[default]
    Closed,
    /// It may reach its own processes through a network of its own, such as a build tool the
    /// process that works for it. Without [`Mechanism::Namespaces`], it is [`Closed`](Self::Closed).
    Loopback,
    /// It may use the network of this machine.
    Open,
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
    fn everything_that_can_be_required_has_a_name() {
        for requirement in Requirement::all() {
            assert_eq!(Requirement::named(requirement.name()), Some(requirement));
        }
        assert_eq!(Requirement::named("off"), None);
        assert_eq!(Requirement::named("nothing"), None);
    }
}
