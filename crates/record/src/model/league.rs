//! What the organiser of a league settles: where authors hand in, and the bounds on what they send.

use std::path::PathBuf;
use std::time::Duration;

/// The settings of a league.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeagueSettings {
    /// The folder that authors hand in to, as an absolute path: a folder for each author.
    pub hand_in: PathBuf,
    /// The folder that keeps what was entered, as an absolute path: a folder for each author, and
    /// in it one for each version.
    pub entrants: PathBuf,
    /// The name of the league that it continues under other rules, with its authors and their
    /// versions. The results of both are in folders side by side.
    pub continues: Option<String>,
    /// Whether authors see each other by pseudonyms only.
    pub pseudonyms: bool,
    /// The most bytes of one submission, packed or unpacked.
    pub largest: u64,
    /// The most bytes of all that is kept for an author.
    pub disk: u64,
    /// The least time between two submissions of an author.
    pub every: Duration,
}

impl LeagueSettings {
    /// The default of [`largest`](Self::largest).
    pub const LARGEST: u64 = 64 << 20;
    /// The default of [`disk`](Self::disk).
    pub const DISK: u64 = 512 << 20;
    /// The default of [`every`](Self::every).
    pub const EVERY: Duration = Duration::from_secs(60);
}
