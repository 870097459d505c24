//! A validated tournament, ready to be played.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::adjudication::Adjudication;
use super::clock::TimeControl;
use super::grades::Grades;
use super::league_settings::LeagueSettings;
use super::opening_source::OpeningSource;
use super::player_spec::PlayerSpec;
use super::record::{Anchor, FaultPolicy};
use super::stage::{RankedBy, Stage};
use crate::model::containment::ContainmentRequest;
use referee_games::{Options, SharedGame};

/// The maximum number of games at once.
pub const MOST_JOBS: usize = 1024;
/// The default number of faults in a row that quarantines a player.
pub const DEFAULT_QUARANTINE: u32 = 5;
/// The default results folder, beside the configuration.
pub const DEFAULT_RESULTS: &str = "results";

/// The organiser's command for events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder it runs in.
    pub dir: PathBuf,
}

/// A validated tournament, ready to be played.
#[derive(Debug, Clone)]
pub struct Tournament {
    /// Its name, which is also that of its folder under [`results`](Self::results).
    pub name: String,
    /// The game.
    pub game: SharedGame,
    /// The rules options in force. Games under them are sure to end.
    pub options: Options,
    /// Warnings about the files that the options name.
    pub remarks: Vec<String>,
    /// The stages, one or more, each with 1 to [`MOST_PAIRS`](super::stage::MOST_PAIRS) pairs in a meeting.
    pub stages: Vec<Stage>,
    /// What puts the players in order.
    pub rank: RankedBy,
    /// The source of the openings; if absent, games begin at the start position.
    pub openings: Option<OpeningSource>,
    /// The seed of everything random; if absent, a fresh secret is drawn.
    pub seed: Option<u64>,
    /// Games at once, at most [`MOST_JOBS`]; if absent, one per core.
    pub jobs: Option<NonZeroUsize>,
    /// The time limits.
    pub clock: TimeControl,
    /// The containment of the players.
    pub containment: ContainmentRequest,
    /// The policy after a rejected action, with 1 to [`MOST_RETRIES`](super::record::MOST_RETRIES) retries.
    pub fault_policy: FaultPolicy,
    /// When the referee ends games before their rules do; if absent, never.
    pub adjudication: Option<Adjudication>,
    /// The number of faults in a row that quarantines a player; 0 for never.
    pub quarantine: u32,
    /// Those of [`players`](Self::players) whose ratings are fixed, by name.
    pub anchors: Vec<Anchor>,
    /// What the organiser of a league settles, if it is one.
    pub league: Option<LeagueSettings>,
    /// The command for events, if any.
    pub hook: Option<Hook>,
    /// How ranks and scores become marks, if marks are given.
    pub grades: Option<Grades>,
    /// People without a player, each with the reason.
    pub absent: BTreeMap<String, String>,
    /// The players, two or more, in the order of the file, with unique names.
    pub players: Vec<PlayerSpec>,
    /// The folder that holds the results of all tournaments, as an absolute path.
    pub results: PathBuf,
    /// The file in the results folder that gets each game in PGN when it ends, if there is one.
    pub pgn: Option<String>,
}
