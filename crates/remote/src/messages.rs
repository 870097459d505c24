//! The messages between a coordinator and its workers, as JSON.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The version of these messages. A worker only plays for a coordinator of the same version.
pub(crate) const PROTOCOL: u32 = 7;

/// How often the coordinator announces its run, and workers send heartbeats.
pub const HEARTBEAT: Duration = Duration::from_secs(2);

/// What a coordinator repeats every few seconds, for workers that look for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAnnouncement {
    /// [`PROTOCOL`].
    pub(crate) protocol: u32,
    /// The coordinator's version of the referee.
    pub(crate) version: String,
    /// The run.
    pub run: String,
    /// The coordinator: the time at which it started, and a random number. The later one continues.
    pub(crate) coordinator: String,
    /// The keys of workers from which nothing is accepted.
    pub(crate) excluded: Vec<String>,
    /// For how many more milliseconds games may begin, if the run has an end time.
    pub(crate) open_for_ms: Option<u64>,
    /// Whether the run is over.
    pub(crate) over: bool,
}

/// What a worker repeats every few seconds, and whenever it takes a job.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkerHeartbeat {
    /// How many games it plays at once; 0 if it plays none.
    pub slots: usize,
    /// How many cores it may use.
    pub cores: usize,
    /// How many jobs it has done for this run.
    pub played: u64,
    /// The names of the jobs that it has taken.
    pub jobs: Vec<String>,
    /// How long a fixed computation took on one core when it started, in microseconds.
    pub calibration_us: u64,
    /// The containment in force.
    pub containment: String,
    /// Why it cannot play, if it cannot.
    pub problem: Option<String>,
    /// Whether it leaves now.
    pub leaves: bool,
}
