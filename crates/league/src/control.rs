//! What the organiser of a league wants. Commands and the page write it; a run follows it.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use referee_record::disk;
use referee_record::plain_files::{ReadError, read_plain_text};
use referee_tournament::run::instruction::Instruction;

/// Its file in the results folder.
pub(crate) const CONTROL: &str = "control.json";
/// The most bytes of that file that are read.
const LARGEST: u64 = 1 << 20;
/// The most characters of a message.
pub const LONGEST_MESSAGE: usize = 2000;

/// What the organiser wants.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeagueControl {
    /// Whether no games are to be played for now.
    pub paused: bool,
    /// Whether the league is over: nothing is taken in, and the run ends.
    pub closed: bool,
    /// The authors whose versions play no more.
    pub removed: BTreeSet<String>,
    /// What all authors are told; empty if nothing.
    pub message: String,
}

/// The reason why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// It cannot be read.
    #[error("cannot read {CONTROL}: {0}")]
    Unreadable(#[source] ReadError),
    /// It is not what a command or the page writes.
    #[error("{CONTROL} is invalid: {0}; remove it, or rewrite it with `referee league`")]
    Invalid(#[source] serde_json::Error),
    /// It cannot be written.
    #[error("cannot write {CONTROL}: {0}")]
    Unwritable(#[source] io::Error),
}

impl LeagueControl {
    /// Games go on, and what authors hand in is taken in.
    pub fn resume(&mut self) {
        (self.paused, self.closed) = (false, false);
    }

    /// Fails if a message is too long, with a sentence.
    ///
    /// # Errors
    /// It has more than [`LONGEST_MESSAGE`] characters.
    pub fn refuse_long_message(message: &str) -> Result<(), String> {
        match message.chars().count() {
            0..=LONGEST_MESSAGE => Ok(()),
            length => Err(format!(
                "the message has {length} characters; the maximum is {LONGEST_MESSAGE}"
            )),
        }
    }

    /// What a run is to do that followed `before` so far.
    pub fn instructions_after(&self, before: &Self) -> Vec<Instruction> {
        let mut all = Vec::new();
        let mut add = |next, why: &str| all.extend([Instruction::Notice(why.to_owned()), next]);
        match (before.paused, self.paused) {
            (false, true) => add(Instruction::Pause, "the league is paused"),
            (true, false) => add(Instruction::GoOn, "the league has resumed"),
            _ => {}
        }
        if self.closed && !before.closed {
            add(Instruction::Close, "the league is closed");
        }
        all
    }

    /// Reads it from the results folder `dir`. Without a file, nothing is wanted.
    pub fn read(dir: &Path) -> Result<Self, ControlError> {
        let path = dir.join(CONTROL);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = read_plain_text(&path, LARGEST).map_err(ControlError::Unreadable)?;
        serde_json::from_str(&text).map_err(ControlError::Invalid)
    }

    /// Takes over what was wanted of the league in the folder `before`, unless something is wanted
    /// in `dir`: who was removed stays so, and the message is still shown.
    pub fn take_over(dir: &Path, before: &Path) -> Result<(), ControlError> {
        if dir.join(CONTROL).exists() {
            return Ok(());
        }
        let Self { removed, message, .. } = Self::read(before)?;
        let inherited = Self { removed, message, ..Self::default() };
        Self::change(dir, |control| {
            // Another process may have been faster.
            if *control == Self::default() {
                *control = inherited;
            }
        })
        .map(drop)
    }

    /// Changes it in the results folder `dir`, in one step.
    pub fn change(dir: &Path, change: impl FnOnce(&mut Self)) -> Result<Self, ControlError> {
        let _held = disk::lock_folder(dir).map_err(ControlError::Unwritable)?;
        let mut control = Self::read(dir)?;
        change(&mut control);
        let text = serde_json::to_vec_pretty(&control).map_err(ControlError::Invalid)?;
        disk::write_private_atomically(&dir.join(CONTROL), |out| out.write_all(&text))
            .map_err(ControlError::Unwritable)?;
        Ok(control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_at_the_same_time_are_all_kept() {
        let dir = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for number in 0..20 {
                let author = format!("author {number}");
                let change = |control: &mut LeagueControl| control.removed.extend([author]);
                let dir = dir.path();
                scope.spawn(move || LeagueControl::change(dir, change).expect("changed"));
            }
        });
        assert_eq!(LeagueControl::read(dir.path()).expect("read").removed.len(), 20);
    }
}
