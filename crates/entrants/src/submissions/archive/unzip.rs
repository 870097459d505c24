//! Zip files.

use std::collections::HashSet;
use std::io::{BufReader, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

use referee_record::plain_files::BoundedReader;

use super::{ArchiveRefusal, EntryKind, SHOWN, UnpackTarget};

/// The space for one directory entry, in bytes; most need a tenth of it.
const LISTED: u64 = 1024;
/// How many bytes at the end to search for the directory: a comment may follow it.
const COMMENT: u64 = 256 * 1024;

/// The first bytes of an entry in the directory of a zip file.
const ENTRY: &[u8; 4] = b"PK\x01\x02";

/// The most entries of a zip file whose names are only listed.
const MOST_NAMES: u64 = 200_000;

/// The names in a zip file; `None` if it cannot be read.
pub(super) fn list_zip_names(input: impl Read + Seek) -> Option<Vec<String>> {
    let archive = ZipArchive::new(BoundedReader::new(input, COMMENT + MOST_NAMES * LISTED)).ok()?;
    let names = archive.file_names().map(|name| Some(name.ok()?.into_owned()));
    names.collect()
}

/// Unpacks a zip file, reading at most `most` bytes of it.
pub(super) fn unzip(
    input: impl Read + Seek,
    target: &mut UnpackTarget<'_>,
    most: u64,
) -> Result<(), ArchiveRefusal> {
    // The library reads the whole directory at once.
    let entries = target.limits.entries;
    let input = BoundedReader::new(input, COMMENT + entries as u64 * LISTED);
    let left = input.read_limit();
    let archive = ZipArchive::new(input).map_err(|error| {
        if left.is_none() {
            ArchiveRefusal::TooMany(entries)
        } else {
            ArchiveRefusal::broken(&error)
        }
    })?;
    let directory = archive.central_directory_start();
    let mut input = archive.into_inner();
    refuse_duplicate_zip_names(&mut input, directory)?;
    left.set(most);
    let mut archive = ZipArchive::new(input).map_err(|error| ArchiveRefusal::broken(&error))?;
    (0..archive.len()).try_for_each(|number| {
        let put = unzip_entry(&mut archive, number, target);
        put.map_err(|why| {
            if left.is_none() { ArchiveRefusal::TooLarge(target.limits.bytes) } else { why }
        })
    })
}

fn unzip_entry(
    archive: &mut ZipArchive<impl Read + Seek>,
    number: usize,
    target: &mut UnpackTarget<'_>,
) -> Result<(), ArchiveRefusal> {
    let failed = |error| match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => ArchiveRefusal::Encrypted,
        ZipError::CompressionMethodNotSupported(_) => ArchiveRefusal::Method,
        error => ArchiveRefusal::broken(&format_args!("entry {}: {error}", number + 1)),
    };
    if archive.by_index_raw(number).map_err(failed)?.encrypted() {
        return Err(ArchiveRefusal::Encrypted);
    }
    let mut entry = archive.by_index(number).map_err(failed)?;
    let name = entry.name().map_err(failed)?.into_owned();
    let kind = if entry.is_dir() {
        EntryKind::Folder
    } else if entry.is_symlink() {
        EntryKind::Other
    } else {
        EntryKind::File { runs: entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0) }
    };
    target.unpack_entry(&name, kind, &mut entry)
}

/// Refuses two files of the same name, as the file system does for any other archive. The library
/// keeps only the last of them, so the directory is read once more.
fn refuse_duplicate_zip_names(
    input: &mut (impl Read + Seek),
    directory: u64,
) -> Result<(), ArchiveRefusal> {
    let failed = |error: std::io::Error| ArchiveRefusal::broken(&error);
    input.seek(SeekFrom::Start(directory)).map_err(failed)?;
    let mut input = BufReader::new(input);
    let mut seen = HashSet::new();
    loop {
        let mut header = [0; 46];
        let read = input.read_exact(&mut header);
        if read.is_err() || !header.starts_with(ENTRY) {
            return Ok(());
        }
        let length = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let mut name = vec![0; length(28)];
        input.read_exact(&mut name).map_err(failed)?;
        let rest = i64::try_from(length(30) + length(32)).unwrap_or_default();
        input.seek_relative(rest).map_err(failed)?;
        if !name.ends_with(b"/") && seen.contains(&name) {
            return Err(ArchiveRefusal::Twice(referee_protocol::escape::escape_bytes(
                &name, SHOWN,
            )));
        }
        seen.insert(name);
    }
}
