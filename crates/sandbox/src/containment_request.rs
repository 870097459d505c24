//! The caller's request for containment.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::level::{Level, Mechanism, Requirement};
use crate::resource_limits::Limits;

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
    /// It may reach what its command lists, through a proxy of the caller. It has a network of its
    /// own, in which there is only this proxy.
    Proxy,
    /// It may use the network of this machine.
    Open,
}
