//! The games that show a finding, kept as a log so that they can be stepped through and asked
//! about again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::commands::Failure;
use crate::record::log::{LOG, LogWriter};
use crate::record::{GameRecord, Header};

/// A folder for the records of one player, made when the first is kept.
#[derive(Debug)]
pub(super) struct Records {
    dir: PathBuf,
    header: Header,
    log: Option<LogWriter>,
}

impl Records {
    /// Records of the player called `name` in the folder `under`.
    pub(super) fn new(under: &Path, name: &str, header: Header) -> Self {
        Self { dir: under.join(folder_name(name)), header, log: None }
    }

    /// Where they are.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Keeps a record; the first one replaces what an earlier check left there.
    pub(super) fn keep(&mut self, record: &GameRecord) -> Result<(), Failure> {
        let path = self.dir.join(LOG);
        let failed = |error| Failure::system(format!("cannot write {}: {error}", path.display()));
        let log = if let Some(log) = &mut self.log {
            log
        } else {
            fs::create_dir_all(&self.dir).map_err(failed)?;
            let log = LogWriter::create(&self.dir, &self.header).map_err(failed)?;
            self.log.insert(log)
        };
        log.append(record).map_err(failed)
    }
}

/// A player's name as the name of a folder.
fn folder_name(name: &str) -> String {
    let plain = |character: char| match character {
        '-' | '_' | '.' => character,
        other if other.is_alphanumeric() => other,
        _ => '-',
    };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "player".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_plain_folder() {
        assert_eq!(folder_name("python3 ../my player.py"), "python3-..-my-player.py");
        assert_eq!(folder_name("../.."), "player");
    }
}
