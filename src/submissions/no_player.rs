//! The reasons why a submission has no player.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::{ArchiveError, listed};
use crate::config::Detected;

/// The reasons why a submission has no player. The names come from strangers.
#[derive(Debug)]
pub enum NoPlayer {
    /// Its name is not valid text.
    NotText,
    /// It is only a text written on the platform.
    OnlyText,
    /// It is an archive of a kind that cannot be unpacked.
    Packed(String),
    /// It is an archive that was refused.
    Refused(ArchiveError),
    /// It is an archive nested too deep in other archives.
    TooDeep(String),
    /// Several files may be the player. For each: the folder it runs in and how to run it.
    Several(Vec<(PathBuf, Detected)>),
    /// It must be built first, with this command.
    Unbuilt(String),
    /// These files are neither programs nor archives.
    NoProgram(Vec<String>),
    /// Nothing in it looks like a player.
    Unrecognised {
        /// Some of its files.
        holds: Vec<String>,
    },
    /// This file in it is a link that leads out of it.
    Link(String),
    /// It has more files and folders than this limit.
    TooMany(usize),
    /// The folder for players could not be created.
    NoFolder(io::Error),
    /// A file could not be copied.
    Copy(io::Error),
}

impl fmt::Display for NoPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText => f.write_str("its name is not UTF-8; rename it"),
            Self::OnlyText => f.write_str("only text was submitted, no file"),
            Self::Packed(file) => {
                write!(f, "`{file}` cannot be unpacked: ask for a .zip or a .tar.gz")
            }
            Self::Refused(why) => write!(f, "{why}"),
            Self::TooDeep(file) => {
                write!(f, "`{file}` is nested too deeply in archives; unpack it by hand")
            }
            Self::Several(_) => f.write_str("several files in it may be the player; choose one"),
            Self::Unbuilt(command) => {
                write!(f, "no player was recognised; build it first with `{command}`")
            }
            Self::NoProgram(files) if files.len() == 1 => {
                f.write_str("it is neither a program nor an archive")
            }
            Self::NoProgram(files) => {
                let files = listed(files.iter().map(String::as_str));
                write!(f, "none of {files} is a program or an archive")
            }
            Self::Unrecognised { holds } if holds.is_empty() => {
                f.write_str("no player was recognised; it is empty")
            }
            Self::Unrecognised { holds } => {
                let holds = listed(holds.iter().map(String::as_str));
                write!(f, "no player was recognised; it contains {holds}")
            }
            Self::Link(name) => write!(
                f,
                "`{name}` is a link that leads out of the submission; ask for the file itself"
            ),
            Self::TooMany(entries) => write!(f, "it contains more than {entries} files"),
            Self::NoFolder(error) => write!(f, "cannot create a folder for it: {error}"),
            Self::Copy(error) => write!(f, "it could not be copied: {error}"),
        }
    }
}

impl std::error::Error for NoPlayer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(why) => Some(why),
            Self::NoFolder(error) | Self::Copy(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_says_what_is_there_or_what_to_do() {
        let text = |why: NoPlayer| why.to_string();
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        assert!(text(NoPlayer::Packed("x.rar".to_owned())).contains("`x.rar`"));
        assert!(text(NoPlayer::Unbuilt("make".to_owned())).contains("`make`"));
        assert!(text(NoPlayer::TooDeep("x.zip".to_owned())).contains("`x.zip`"));
        let one = text(NoPlayer::NoProgram(names(&["a.txt"])));
        let two = text(NoPlayer::NoProgram(names(&["a.txt", "b.txt"])));
        assert!(!one.contains("a.txt") && two.contains("a.txt") && two.contains("b.txt"), "{two}");
        let empty = text(NoPlayer::Unrecognised { holds: Vec::new() });
        let holds = text(NoPlayer::Unrecognised { holds: names(&["a.txt"]) });
        assert!(empty.contains("empty") && holds.contains("a.txt"), "{empty} {holds}");
    }

    #[test]
    fn a_failure_of_the_system_is_the_source() {
        use std::error::Error;
        let copy = NoPlayer::Copy(io::Error::other("no room"));
        assert!(copy.to_string().contains("no room") && copy.source().is_some());
        assert!(NoPlayer::NotText.source().is_none());
    }
}
