//! Zip files.

use std::io::{Read, Seek};

use zip::ZipArchive;

use super::bounds::Bounded;
use super::{ArchiveRefusal, EntryKind, UnpackTarget};

/// The space for one directory entry, in bytes; most need a tenth of it.
const LISTED: u64 = 1024;
/// How many bytes at the end to search for the directory: a comment may follow it.
const COMMENT: u64 = 256 * 1024;

/// Unpacks a zip file, reading at most `most` bytes of it.
pub(super) fn unzip(
    input: impl Read + Seek,
    target: &mut UnpackTarget<'_>,
    most: u64,
) -> Result<(), ArchiveRefusal> {
    // The library reads the whole directory at once.
    let entries = target.limits.entries;
    let input = Bounded::new(input, COMMENT + entries as u64 * LISTED);
    let left = input.left();
    let mut archive = ZipArchive::new(input).map_err(|error| {
        if left.is_none() {
            ArchiveRefusal::TooMany(entries)
        } else {
            ArchiveRefusal::broken(&error)
        }
    })?;
    left.set(most);
    (0..archive.len()).try_for_each(|number| {
        let put = put(&mut archive, number, target);
        put.map_err(|why| {
            if left.is_none() { ArchiveRefusal::TooLarge(target.limits.bytes) } else { why }
        })
    })
}

fn put(
    archive: &mut ZipArchive<impl Read + Seek>,
    number: usize,
    target: &mut UnpackTarget<'_>,
) -> Result<(), ArchiveRefusal> {
    let failed = |error| ArchiveRefusal::broken(&format_args!("entry {}: {error}", number + 1));
    let mut entry = archive.by_index(number).map_err(failed)?;
    let name = entry.name().map_err(failed)?.into_owned();
    let kind = if entry.is_dir() {
        EntryKind::Folder
    } else if entry.is_symlink() {
        EntryKind::Other
    } else {
        EntryKind::File { runs: entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0) }
    };
    target.put(&name, kind, &mut entry)
}
