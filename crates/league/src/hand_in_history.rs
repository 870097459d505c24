//! What an author handed in, and what became of it: a line each, in a file beside the versions. The
//! author's folder has only the last submission, and its author could change what it says.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use referee_record::plain_files::open_plain_nofollow;

/// The file, in the folder of an author's versions.
const HISTORY: &str = "history.jsonl";
/// The most bytes of it that are read, at its end: an author may hand in for months.
const READ: u64 = 1 << 20;
/// The most bytes of a text in it: reasons for a refusal can be long.
const LONGEST_TEXT: usize = 1000;

/// A submission in the past.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastHandIn {
    /// When that was decided, in seconds since 1970.
    pub at: u64,
    /// The digest of what was handed in; empty if it could not be read.
    pub digest: String,
    /// The names of its files and folders, at the top.
    pub files: Vec<String>,
    /// What its author says of it; empty if nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: PastOutcome,
}

/// The outcome of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum PastOutcome {
    /// It entered.
    Entered {
        /// The number of the version.
        version: u32,
    },
    /// It was refused.
    Refused {
        /// Why.
        why: String,
    },
}

fn hand_in_history_file(entrants: &Path, author: &str) -> PathBuf {
    entrants.join(author).join(HISTORY)
}

/// The last submissions of an author, the first one first. Lines that cannot be read are left out: a run
/// may have been killed while it wrote one.
///
/// # Errors
/// The file exists, but cannot be read.
pub fn read_hand_in_history(entrants: &Path, author: &str) -> io::Result<Vec<PastHandIn>> {
    let mut file = match open_plain_nofollow(&hand_in_history_file(entrants, author)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let end = file.metadata()?.len();
    file.seek(SeekFrom::Start(end.saturating_sub(READ)))?;
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes)?;
    let lines = bytes.split(|&byte| byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Adds a submission to those of its author.
pub(crate) fn add_to_hand_in_history(
    entrants: &Path,
    author: &str,
    one: PastHandIn,
) -> io::Result<()> {
    let short = |text: String| -> String { text.chars().take(LONGEST_TEXT).collect() };
    let outcome = match one.outcome {
        PastOutcome::Refused { why } => PastOutcome::Refused { why: short(why) },
        entered @ PastOutcome::Entered { .. } => entered,
    };
    let line = serde_json::to_string(&PastHandIn { outcome, ..one })?;
    let path = hand_in_history_file(entrants, author);
    fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
    // Whatever a run that was killed left of a line ends before this one.
    let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.write_all(format!("\n{line}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_survives_a_line_that_broke_off() {
        let dir = tempfile::tempdir().expect("a folder");
        let league = dir.path();
        let refused = PastHandIn {
            at: 7,
            digest: "ab".to_owned(),
            files: vec!["player.py".to_owned()],
            comment: "a new book".to_owned(),
            outcome: PastOutcome::Refused { why: "it crashes".to_owned() },
        };
        let entered =
            PastHandIn { outcome: PastOutcome::Entered { version: 1 }, ..refused.clone() };
        assert_eq!(read_hand_in_history(league, "ann").expect("nothing yet"), []);
        add_to_hand_in_history(league, "ann", refused.clone()).expect("written");
        let mut log = OpenOptions::new()
            .append(true)
            .open(hand_in_history_file(league, "ann"))
            .expect("there");
        log.write_all(b"{\"at\":8,\"dig").expect("written");
        add_to_hand_in_history(league, "ann", entered.clone()).expect("written");
        assert_eq!(
            read_hand_in_history(league, "ann").expect("a history"),
            [refused, entered.clone()]
        );
        assert_eq!(read_hand_in_history(league, "bob").expect("nothing"), []);
        log.write_all(&vec![b'x'; usize::try_from(READ).expect("small")]).expect("written");
        add_to_hand_in_history(league, "ann", entered.clone()).expect("written");
        assert_eq!(read_hand_in_history(league, "ann").expect("its end"), [entered]);
    }
}
