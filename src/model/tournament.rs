//! A tournament that can be played: everything is set, possible and found.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::clock::TimeControl;
use super::grades::Grades;
use super::openings::Openings;
use super::player::PlayerSpec;
use super::record::{Anchor, FaultPolicy};
use super::stage::Stage;
use crate::model::containment::ContainmentRequest;
use referee_games::{GameKind, Options};

/// The most pairs a pairing.
pub const MOST_PAIRS: u32 = 100_000;
/// The most games at once.
pub const MOST_JOBS: usize = 1024;
/// The most times a turn may be asked again.
pub const MOST_RETRIES: u32 = 10;
/// Faults in a row that take a player out, where nothing is given.
pub const DEFAULT_QUARANTINE: u32 = 5;
/// The folder of the results, beside the configuration, where none is given.
pub const DEFAULT_RESULTS: &str = "results";

/// A tournament that can be played.
#[derive(Debug, Clone, PartialEq)]
pub struct Tournament {
    /// Its name, which is also that of its folder under [`results`](Self::results).
    pub name: String,
    /// The game.
    pub game: GameKind,
    /// The rules options in force; games under them end.
    pub options: Options,
    /// What is to be said about the files that the options name.
    pub remarks: Vec<String>,
    /// The stages, one or more, each with 1 to [`MOST_PAIRS`] pairs a meeting.
    pub stages: Vec<Stage>,
    /// Where the openings come from; games begin at the start where this is none.
    pub openings: Option<Openings>,
    /// The seed of everything random; a fresh secret where there is none.
    pub seed: Option<u64>,
    /// Games at once, at most [`MOST_JOBS`]; as many as there are cores where there is none.
    pub jobs: Option<NonZeroUsize>,
    /// The limits of time.
    pub clock: TimeControl,
    /// What contains the players.
    pub containment: ContainmentRequest,
    /// What happens after a refused action; 1 to [`MOST_RETRIES`] retries.
    pub fault_policy: FaultPolicy,
    /// Faults in a row that take a player out; 0 for never.
    pub quarantine: u32,
    /// Those of [`players`](Self::players) whose ratings are fixed, by name.
    pub anchors: Vec<Anchor>,
    /// What turns places and scores into marks, if anything.
    pub grades: Option<Grades>,
    /// The players, two or more, in the order of the file, every name once.
    pub players: Vec<PlayerSpec>,
    /// The folder that the results of all tournaments lie in, as an absolute path.
    pub results: PathBuf,
}
