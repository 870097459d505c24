//! A league: players that come, improve and go while it runs.
//!
//! | place | holds | written by |
//! |---|---|---|
//! | `hand-in/AUTHOR/` | what an author hands in | the author, or the page |
//! | `hand-in/AUTHOR/report.txt` | what became of it | the run |
//! | `entrants/AUTHOR/N/` | version N, as it plays | the run |
//! | `results/L/games.jsonl` | games, and who came and went | the run |
//! | `results/L/control.json` | what the organiser wants | commands and the page |
//! | `results/L/invitations.json` | hashes of the secrets of links | `league invite` |

pub(crate) mod control;
pub(crate) mod hand_in;
pub(crate) mod invitations;

use std::path::PathBuf;

use referee_record::model::entry::Entry;
use referee_record::model::league::LeagueSettings;

/// The file in an author's folder that tells what became of the submission.
pub(crate) const REPORT: &str = "report.txt";

/// The folder of a version.
pub(crate) fn version_dir(league: &LeagueSettings, entry: &Entry) -> PathBuf {
    league.entrants.join(&entry.author).join(entry.version.to_string())
}
