//! Turns the copy of a submission into a player: unpacks it, and finds what to run.

use std::fs;
use std::path::{Path, PathBuf};

use super::player_in;
use crate::league::hand_in::{self, HandedIn};
use crate::submissions::take_in;
use referee_record::model::player::PlayerSpec;

/// The only entry of the folder that is taken in.
const ENTRY: &str = "player";

/// A submission that was taken in, in a folder that is not its last one.
#[derive(Debug)]
pub(super) struct Taken {
    /// What its author handed in.
    pub(super) handed_in: HandedIn,
    /// All its files, unpacked.
    pub(super) tree: PathBuf,
    /// The hashes of these files, and how many bytes they have.
    pub(super) files: HandedIn,
    /// Its player, as it would run there.
    pub(super) spec: PlayerSpec,
    /// Remarks for its author.
    pub(super) remarks: Vec<String>,
}

/// The reason why a submission was not taken in, as a sentence for its author.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// It changed while it was copied, so it is read again.
    Changed,
    /// It is not one that can play.
    Refused(String),
}

/// Copies the submission in the folder `from`, of at most this many bytes, into the new folder
/// `work`, and finds its player, which is called `name`.
pub(super) fn take(
    from: &Path,
    expected: &HandedIn,
    work: &Path,
    name: &str,
    largest: u64,
) -> Result<Taken, NotTaken> {
    let refused = |why: &dyn std::fmt::Display| NotTaken::Refused(why.to_string());
    let (inbox, unpacked) = (work.join("in"), work.join("out"));
    fs::create_dir_all(&inbox).map_err(|error| refused(&error))?;
    let copied = hand_in::read(from, Some(&inbox.join(ENTRY)), largest);
    let handed_in = copied.map_err(|error| refused(&error))?;
    if handed_in != *expected {
        return Err(NotTaken::Changed);
    }
    let intake = take_in(&inbox, &unpacked).map_err(|error| refused(&error))?;
    let Some(submission) = intake.taken.into_iter().next() else {
        return Err(NotTaken::Refused("nothing in it can play".to_owned()));
    };
    let (dir, _) = submission.player.map_err(|why| refused(&why))?;
    let top = [inbox.join(ENTRY), unpacked.clone()].into_iter().find(|top| dir.starts_with(top));
    let tree = top.unwrap_or(dir);
    let files = hand_in::read(&tree, None, largest).map_err(|error| refused(&error))?;
    let spec = player_in(&tree, name).map_err(|error| refused(&error.message))?;
    Ok(Taken { handed_in, tree, files, spec, remarks: submission.remarks })
}
