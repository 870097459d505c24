//! Errors of archives.

use std::{fmt, io};

use super::SHOWN;

/// The reason why an archive was refused or could not be unpacked. Names are those in the archive,
/// made safe to show.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The folder to unpack into could not be created.
    #[error("cannot create a folder for it: {0}")]
    Folder(#[source] io::Error),
    /// It is an archive of a kind that cannot be unpacked.
    #[error("{0} archives are not supported; use .zip or .tar.gz")]
    Unknown(&'static str),
    /// It is not an archive that may be unpacked.
    #[error("the archive was refused: {0}")]
    Refused(#[from] ArchiveRefusal),
}

/// The reason why an archive was refused.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveRefusal {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// It is not a valid archive of the kind that its first bytes announce; the problem, safe to
    /// show.
    #[error("it is damaged, or not an archive ({0})")]
    Broken(String),
    /// The entries need a password.
    #[error("it is encrypted; pack it without a password")]
    Encrypted,
    /// It is compressed in a way that cannot be unpacked.
    #[error("it uses an unusual kind of compression; pack it as an ordinary .zip")]
    Method,
    /// It has more entries than this limit.
    #[error("it contains more than {0} entries")]
    TooMany(usize),
    /// Its unpacked size is above this limit, in bytes.
    #[error("it is larger than {} MiB unpacked", .0 / (1024 * 1024))]
    TooLarge(u64),
    /// An entry lies below more folders than this limit.
    #[error("its folders are nested more than {0} deep")]
    TooDeep(usize),
    /// The name of an entry is longer than a path may be.
    #[error("a name in it is too long")]
    LongName,
    /// An entry lies outside the archive's folder.
    #[error("`{0}` is outside the archive; pack the folder itself, without `..`")]
    Outside(String),
    /// An entry is a link, a device or a pipe.
    #[error("`{0}` is not a plain file; if it is a link, pack its target instead")]
    Link(String),
    /// Two entries have the same name, or one is a file that another uses as a folder.
    #[error("two files are called `{0}`")]
    Twice(String),
    /// An entry could not be written.
    #[error("cannot unpack `{name}`: {error}")]
    Entry {
        /// The entry's name.
        name: String,
        /// The cause.
        #[source]
        error: io::Error,
    },
}

impl ArchiveRefusal {
    /// The archive is not valid for its kind. The library's message may quote it, so it is escaped.
    pub(super) fn broken(why: &dyn fmt::Display) -> Self {
        Self::Broken(referee_protocol::escape::escape_bytes(why.to_string().as_bytes(), SHOWN))
    }

    /// The entry `name` could not be written.
    pub(super) fn entry(name: String, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => Self::Twice(name),
            _ => Self::Entry { name, error },
        }
    }
}
