//! Errors of archives.

use std::fmt;
use std::io;

use super::SHOWN;

/// The reason why an archive was refused or could not be unpacked. Names are those in the archive,
/// made safe to show.
#[derive(Debug)]
pub enum ArchiveError {
    /// The folder to unpack into could not be created.
    Folder(io::Error),
    /// It is a device or a pipe.
    NoFile,
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is an archive of a kind that cannot be unpacked.
    Unknown(&'static str),
    /// It is not a valid archive of the kind that its first bytes announce.
    Broken {
        /// The kind it should be.
        kind: &'static str,
        /// The problem, safe to show.
        why: String,
    },
    /// It has more entries than this limit.
    TooMany(usize),
    /// Its unpacked size is above this limit, in bytes.
    TooLarge(u64),
    /// An entry lies below more folders than this limit.
    TooDeep(usize),
    /// The name of an entry is longer than a path may be.
    LongName,
    /// An entry lies outside the archive's folder.
    Outside(String),
    /// An entry is a link, a device or a pipe.
    Link(String),
    /// Two entries have the same name, or one is a file that another uses as a folder.
    Twice(String),
    /// An entry could not be written.
    Entry {
        /// The entry's name.
        name: String,
        /// The cause.
        error: io::Error,
    },
}

impl ArchiveError {
    /// The archive is not valid for its kind. The library's message may quote it, so it is escaped.
    pub(super) fn broken(kind: &'static str, why: &dyn fmt::Display) -> Self {
        Self::Broken {
            kind,
            why: referee_protocol::escape::bytes(why.to_string().as_bytes(), SHOWN),
        }
    }

    /// The entry `name` could not be written.
    pub(super) fn entry(name: String, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => Self::Twice(name),
            _ => Self::Entry { name, error },
        }
    }
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(error) => return write!(f, "cannot create a folder for it: {error}"),
            Self::Unknown(ending) => {
                return write!(
                    f,
                    "a {ending} archive cannot be unpacked: ask for a .zip or a .tar.gz"
                );
            }
            _ => f.write_str("the archive was refused: ")?,
        }
        match self {
            Self::Folder(_) | Self::Unknown(_) => Ok(()),
            Self::NoFile => f.write_str("it is not a plain file"),
            Self::Unreadable(error) => write!(f, "it cannot be read: {error}"),
            Self::Broken { kind, why } => write!(f, "not a {kind} file: {why}"),
            Self::TooMany(entries) => write!(f, "it contains more than {entries} entries"),
            Self::TooDeep(folders) => write!(f, "its folders are more than {folders} deep"),
            Self::TooLarge(bytes) => {
                write!(f, "it is larger than {} MiB unpacked", bytes / (1024 * 1024))
            }
            Self::LongName => f.write_str("a name in it is too long"),
            Self::Outside(name) => {
                write!(f, "`{name}` lies outside of it; pack the folder itself, without `..`")
            }
            Self::Link(name) => {
                write!(f, "`{name}` is not a plain file; if it is a link, pack its target instead")
            }
            Self::Twice(name) => write!(f, "there are two files `{name}`"),
            Self::Entry { name, error } => write!(f, "`{name}` cannot be unpacked: {error}"),
        }
    }
}

impl std::error::Error for ArchiveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder(error) | Self::Unreadable(error) | Self::Entry { error, .. } => {
                Some(error)
            }
            _ => None,
        }
    }
}
