//! The containment of players: the configured request, and what was in force.

use std::path::PathBuf;
use std::time::Duration;

use referee_containment::resource_limits::{KIB, MIB};
use referee_containment::{Level, Mechanism, Requirement};
use serde::{Deserialize, Serialize};

use crate::model::clock::{LONGEST, nanos};

/// The maximum size that a configuration may set, in bytes.
pub const MOST_BYTES: u64 = 1 << 50;
/// The maximum number of processes or open files that a configuration may set.
pub const MOST_RESOURCES: u64 = 1_000_000;

/// The containment of a tournament's players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Containment {
    /// The level in force.
    pub level: Level,
    /// The mechanisms in force.
    pub in_force: Vec<Mechanism>,
    /// The resource limits of a player.
    pub limits: PlayerLimits,
}

/// The containment that a configuration asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContainmentRequest {
    /// The level; `None` for the strongest that works.
    pub level: Option<Level>,
    /// Mechanisms that must be in force; without them, nothing is played.
    pub require: Vec<Requirement>,
    /// The resource limits of a player.
    pub limits: PlayerLimits,
    /// Mechanisms that a test turns off.
    #[serde(skip)]
    pub without: Vec<Mechanism>,
    /// Real paths that are hidden from every player, even inside its own folder.
    #[serde(skip)]
    pub hidden: Vec<PathBuf>,
}

/// The resource limits of a player. Which of them hold depends on the level and the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerLimits {
    /// The limits that the sandbox enforces.
    #[serde(flatten)]
    pub sandbox: referee_containment::Limits,
    /// Maximum output in one game, in bytes, at least 64 KiB.
    pub output: u64,
    /// The number of bytes of its stderr to keep, half from the beginning and half from the end; at
    /// least 2 KiB.
    pub stderr: u64,
    /// CPU time of one move.
    #[serde(rename = "cpu_move_ns", with = "nanos::option")]
    pub cpu_move: Option<Duration>,
    /// CPU time of one game, start-up included.
    #[serde(rename = "cpu_game_ns", with = "nanos::option")]
    pub cpu_game: Option<Duration>,
}

impl PlayerLimits {
    /// Whether no limit is larger than a configuration allows.
    pub(crate) fn is_within_bounds(&self) -> bool {
        let own = &self.sandbox;
        let sizes = [own.memory, own.file_size, own.scratch, self.output, self.stderr];
        let times = [self.cpu_move, self.cpu_game].into_iter().flatten();
        sizes.into_iter().all(|size| size <= MOST_BYTES)
            && own.processes.max(own.open_files) <= MOST_RESOURCES
            && times.into_iter().all(|time| time <= LONGEST)
    }
}

impl Default for PlayerLimits {
    fn default() -> Self {
        Self {
            sandbox: referee_containment::Limits::default(),
            output: 16 * MIB,
            stderr: 64 * KIB,
            cpu_move: None,
            cpu_game: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_one_flat_object() {
        let limits =
            PlayerLimits { cpu_move: Some(Duration::from_secs(2)), ..PlayerLimits::default() };
        let text = serde_json::to_string(&limits).expect("JSON");
        assert_eq!(
            text,
            "{\"memory\":1073741824,\"processes\":64,\"open_files\":256,\"file_size\":67108864,\
             \"scratch\":268435456,\"output\":16777216,\"stderr\":65536,\
             \"cpu_move_ns\":2000000000,\"cpu_game_ns\":null}"
        );
        assert_eq!(serde_json::from_str::<PlayerLimits>(&text).expect("limits"), limits);
    }
}
