//! The time that one reply may take.

use std::time::Duration;

use crate::clock::{Measure, wall_bound};

/// The longest wait where no time limit was given.
const UNLIMITED: Duration = Duration::from_secs(365 * 24 * 3600);

/// The time a reply may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    /// What is left; unlimited when absent.
    pub(super) left: Option<Duration>,
    /// The limit that it is left of, where a sentence is to name that instead.
    pub(super) of: Option<Duration>,
}

/// The limits of one reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// Of the time that decides.
    pub(super) allowance: Duration,
    /// Of wall time.
    pub(super) bound: Duration,
    /// Of wall time, as a sentence says it.
    pub(super) said: Duration,
}

impl Limit {
    pub(super) fn new(allowed: Allowed, measure: Measure) -> Self {
        let allowance = allowed.left.unwrap_or(UNLIMITED);
        Self {
            allowance,
            bound: wall_bound(measure, allowance),
            said: wall_bound(measure, allowed.of.unwrap_or(allowance)),
        }
    }
}
