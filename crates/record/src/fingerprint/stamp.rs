//! The file metadata that reveals a change.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The file metadata that reveals a change. It differs if the file was written to or replaced; it
/// may also differ without that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    file: (u64, u64),
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a file with this metadata.
    pub(super) fn from_metadata(found: &Metadata) -> Self {
        Self {
            file: (found.dev(), found.ino()),
            size: found.size(),
            written: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}
