//! Tar files in GNU and POSIX format.

use std::io::{self, Read};

use tar::{Entry, EntryType, PaxExtensions};

use referee_record::plain_files::BoundedReader;

use super::{ArchiveRefusal, EntryKind, UnpackTarget};

/// The most bytes of metadata before an entry; a path has 4,096 at most.
const LONGEST: u64 = 64 * 1024;

/// Unpacks a tar file.
pub(super) fn untar(
    input: BoundedReader<impl Read>,
    target: &mut UnpackTarget<'_>,
) -> Result<(), ArchiveRefusal> {
    let left = input.read_limit();
    let most = target.limits.bytes;
    unpack_tar_entries(input, target)
        .map_err(|why| if left.is_none() { ArchiveRefusal::TooLarge(most) } else { why })
}

fn unpack_tar_entries(
    input: impl Read,
    target: &mut UnpackTarget<'_>,
) -> Result<(), ArchiveRefusal> {
    let mut archive = tar::Archive::new(input);
    let mut long = None;
    // The library would read a long name completely, however long it is.
    for entry in archive.entries().map_err(broken_tar)?.raw(true) {
        let mut entry = entry.map_err(broken_tar)?;
        match entry.header().entry_type() {
            EntryType::GNULongName => {
                target.count_entries(1)?;
                long = Some(read_tar_long_name(&mut entry)?);
            }
            EntryType::XHeader => {
                target.count_entries(1)?;
                long = read_pax_path(&mut entry)?.or(long);
            }
            // A long link name, whose link is refused anyway, or metadata for all files.
            EntryType::GNULongLink | EntryType::XGlobalHeader => target.count_entries(1)?,
            _ => {
                let name = long.take().unwrap_or_else(|| entry.path_bytes().into_owned());
                let name = String::from_utf8_lossy(&name);
                target.unpack_entry(&name, tar_entry_kind(&entry, &name), &mut entry)?;
            }
        }
    }
    Ok(())
}

fn tar_entry_kind(entry: &Entry<'_, impl Read>, name: &str) -> EntryKind {
    let header = entry.header();
    match header.entry_type() {
        EntryType::Directory => EntryKind::Folder,
        // The oldest archives mark folders only this way.
        EntryType::Regular if name.ends_with('/') => EntryKind::Folder,
        EntryType::Regular | EntryType::Continuous => {
            EntryKind::File { runs: header.mode().is_ok_and(|mode| mode & 0o111 != 0) }
        }
        _ => EntryKind::Other,
    }
}

/// The name that a GNU entry gives to the next entry.
fn read_tar_long_name(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, ArchiveRefusal> {
    let mut name = read_tar_metadata(entry)?;
    name.truncate(name.iter().position(|&byte| byte == 0).unwrap_or(name.len()));
    Ok(name)
}

/// The path that a POSIX entry gives to the next entry, if any.
fn read_pax_path(entry: &mut Entry<'_, impl Read>) -> Result<Option<Vec<u8>>, ArchiveRefusal> {
    let text = read_tar_metadata(entry)?;
    let mut path = None;
    for record in PaxExtensions::new(&text) {
        let record = record.map_err(broken_tar)?;
        match record.key_bytes() {
            b"path" => path = Some(record.value_bytes().to_vec()),
            // Only files of 8 GiB and more need this.
            b"size" => {
                return Err(broken_tar(io::Error::other("the size of a file is given twice")));
            }
            _ => {}
        }
    }
    Ok(path)
}

/// The content of an entry that describes the next one.
fn read_tar_metadata(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, ArchiveRefusal> {
    if entry.header().entry_size().map_err(broken_tar)? > LONGEST {
        return Err(ArchiveRefusal::LongName);
    }
    let mut text = Vec::new();
    entry.take(LONGEST).read_to_end(&mut text).map_err(broken_tar)?;
    Ok(text)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn broken_tar(error: io::Error) -> ArchiveRefusal {
    ArchiveRefusal::broken(&error)
}
