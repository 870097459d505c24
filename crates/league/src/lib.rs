//! A league: games without end, between players that come, improve and go while it runs.
//!
//! An author hands in by putting files into a folder. The [`intake_service`] notices that
//! (`hand_in_watch`) and queues it (`intake_worker`, [`check_queue`]). In a thread of its own
//! (`running_checks`), a check copies what is there ([`hand_in`]), builds it if it has to be built
//! (`prepared_submission`) and tries it out. The intake keeps it as a [`version`], and tells the run
//! to let it enter (`acceptance`). When nothing waits for a check, it plays the games that authors
//! ask for (`challenge_games`, [`challenge_records`]). A run that begins finds the versions that
//! entered before ([`present_players`]). What the organiser wants lies in a file ([`control`]), and
//! so do the links by which people come to the page ([`invitations`]). The page itself is not here:
//! whatever is written into these files, by a command, a page or a script, is followed alike.
//!
//! | place | holds | written by |
//! |---|---|---|
//! | `hand-in/AUTHOR/` | what an author hands in | the author, or the page |
//! | `hand-in/AUTHOR/report.txt` | what became of it | the run |
//! | `hand-in/AUTHOR/.comment.txt` | what the author says of it | the author, or the page |
//! | `hand-in/AUTHOR/.challenge.txt` | whom the author challenges | the author, or the page |
//! | `entrants/AUTHOR/challenges.json` | what became of challenges | the run |
//! | `entrants/AUTHOR/N/` | version N, as it plays | the run |
//! | `entrants/AUTHOR/N.json` | how a version that was built is started | the run |
//! | `entrants/AUTHOR/history.jsonl` | what was handed in, and what became of it | the run |
//! | `results/L/games.jsonl` | games, and who came and went | the run |
//! | `results/L/control.json` | what the organiser wants | commands and the page |
//! | `results/L/queue.json` | who waits for a check | the run |
//! | `results/L/invitations.json` | hashes of the secrets of links | `league invite` |
//!
//! The one odd thing: nothing says that a submission is new. The intake compares the digest of what is
//! in an author's folder with that of the version in the log, so that a run that was killed at any
//! moment goes on as if it had not been.
//!
//! ```
//! use referee_league::control::LeagueControl;
//!
//! let results = tempfile::tempdir()?;
//! LeagueControl::change(results.path(), |control| control.paused = true)?;
//! let wanted = LeagueControl::read(results.path())?;
//! // The run is told, and says why: a notice, and to pause.
//! assert_eq!(wanted.instructions_after(&LeagueControl::default()).len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod acceptance;
mod arrivals;
pub mod author_folder;
pub mod author_name;
mod author_report;
mod author_watches;
mod challenge_games;
pub mod challenge_records;
pub mod check_queue;
pub mod control;
pub mod game_hours;
pub mod hand_in;
pub mod hand_in_history;
mod hand_in_watch;
pub mod intake_service;
mod intake_worker;
pub mod invitations;
mod prepared_submission;
pub mod present_players;
mod running_checks;
pub mod version;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use referee_config::player_folders_to_hide;
use referee_match::player::PlayerSandbox;
use referee_protocol::escape::escape_line;
use referee_record::log::WriteError;
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::tournament::Tournament;
use referee_tournament::schedule::tournament_state::RecordError;

pub use acceptance::CHECK_LIMIT;
pub use author_folder::REPORT_FILE;
pub use author_report::entered_name_in_report;
pub use prepared_submission::SubmissionBuilds;

/// A league that is about to be played.
#[derive(Debug, Clone, Copy)]
pub struct PlannedLeague<'r> {
    /// Where authors hand in, and the bounds on what they send.
    pub settings: &'r LeagueSettings,
    /// Its games, and its configured players.
    pub tournament: &'r Tournament,
    /// The results folder.
    pub dir: &'r Path,
    /// The sandbox of its games, and of checks.
    pub containment: &'r Arc<PlayerSandbox>,
    /// How many games are played at once on this machine; `None` if they are played elsewhere.
    pub jobs: Option<usize>,
}

impl PlannedLeague<'_> {
    /// What players that came must not see: what others hand in.
    fn hidden_folders(&self) -> Vec<PathBuf> {
        hidden_league_folders(self.settings, &self.tournament.players)
    }
}

/// What players that came to a league with these players of its `own` must not see.
fn hidden_league_folders(settings: &LeagueSettings, own: &[PlayerSpec]) -> Vec<PathBuf> {
    player_folders_to_hide(own.iter().map(|player| player.dir.as_path()), &settings.entrants)
}

/// Why a league cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum LeagueError {
    /// One of its folders cannot be made.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No thread can be started for the intake.
    #[error("cannot start a thread: {0}")]
    NoThread(#[source] io::Error),
    /// No version can be started, which is hardly the fault of all of them.
    #[error(
        "none of the versions in {} can be started, so none was withdrawn: {}: {why}",
        entrants.display(),
        escape_line(player)
    )]
    NoneStarts {
        /// The folder of the versions.
        entrants: PathBuf,
        /// The first of them.
        player: String,
        /// Why it cannot be started.
        why: String,
    },
    /// A player cannot leave.
    #[error(transparent)]
    Change(#[from] RecordError),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] WriteError),
}

/// Seconds since 1970.
pub fn unix_seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A player that came, without sight of what others hand in.
fn with_hand_ins_hidden(mut spec: PlayerSpec, hidden: &[PathBuf]) -> PlayerSpec {
    spec.hidden.extend_from_slice(hidden);
    spec
}
