//! Unpacks archives from strangers: only plain files and folders, only below the given folder, and
//! only within limits on number and size. Memory is bounded regardless of what an archive claims
//! about itself.

mod error;
mod untar;
mod unzip;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;

pub use error::ArchiveError;
use error::ArchiveRefusal;
use referee_record::plain_files::{BoundedReader, open_plain_nofollow};

use self::untar::untar;
use self::unzip::unzip;

/// The limits of an archive's content.
#[derive(Debug, Clone, Copy)]
pub struct UnpackLimits {
    /// The number of files and folders.
    pub entries: usize,
    /// The total size of all files, unpacked, in bytes.
    pub bytes: u64,
}

/// The limits of a submission: 10,000 entries, 500 MiB.
pub(crate) const LIMITS: UnpackLimits = UnpackLimits { entries: 10_000, bytes: 500 * 1024 * 1024 };
/// The maximum number of folders around a file. Each costs time for every file below it.
const DEEPEST: usize = 64;
/// The bytes that an entry takes besides its content: headers and padding.
const AROUND: u64 = 4096;
/// The most bytes to show of a path, or of a message from a library.
const SHOWN: usize = 200;

const ENDINGS: [&str; 4] = [".zip", ".tar.gz", ".tgz", ".tar"];

/// Whether there is a file at `path` itself, not behind a link, whose name is that of an archive that
/// can be unpacked.
pub(super) fn is_archive(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
        && path.to_str().is_some_and(|name| strip_archive_ending(name).len() < name.len())
}

/// The name without its archive ending, if it has one.
pub(super) fn strip_archive_ending(name: &str) -> &str {
    let ending = ENDINGS.iter().find(|ending| {
        let start = name.len().checked_sub(ending.len());
        start
            .and_then(|start| name.get(start..))
            .is_some_and(|end| end.eq_ignore_ascii_case(ending))
    });
    ending.map_or(name, |ending| &name[..name.len() - ending.len()])
}

/// Unpacks `archive` into the new folder `to`. If the archive is refused, the folder is removed.
pub(crate) fn unpack_archive(
    archive: &Path,
    to: &Path,
    limits: UnpackLimits,
) -> Result<(), ArchiveError> {
    fs::create_dir(to).map_err(ArchiveError::Folder)?;
    let unpacked = open_archive(archive).and_then(|input| unpack_archive_from(input, to, limits));
    if unpacked.is_err() {
        // The partial content is useless, and the reason matters more than a failure here.
        let _ = fs::remove_dir_all(to);
    }
    unpacked
}

/// The names in a zip file; `None` if it cannot be read as one. Platforms export nothing else.
pub(super) fn list_archive_names(archive: &Path) -> Option<Vec<String>> {
    unzip::list_zip_names(open_archive(archive).ok()?)
}

fn open_archive(archive: &Path) -> Result<BufReader<File>, ArchiveError> {
    Ok(BufReader::new(open_plain_nofollow(archive).map_err(ArchiveRefusal::Unreadable)?))
}

/// Unpacks the archive at the beginning of `input` into the folder `to`. Its kind is detected from
/// its first bytes, because people rename archives instead of repacking them.
pub fn unpack_archive_from(
    input: impl Read + Seek,
    to: &Path,
    limits: UnpackLimits,
) -> Result<(), ArchiveError> {
    let mut input = input;
    let start = read_archive_start(&mut input).map_err(ArchiveRefusal::Unreadable)?;
    let mut target = UnpackTarget { to, limits, entries: 0, bytes: 0 };
    let is = |magic: &[u8]| start.starts_with(magic);
    // An archive within the limits is not larger than this, packed or not.
    let most = limits.bytes.saturating_add(limits.entries as u64 * AROUND);
    if is(b"Rar!") {
        Err(ArchiveError::Unknown(".rar"))
    } else if is(b"7z\xbc\xaf") {
        Err(ArchiveError::Unknown(".7z"))
    } else if is(b"PK") {
        Ok(unzip(input, &mut target, most)?)
    } else if is(b"\x1f\x8b") {
        Ok(untar(BoundedReader::new(GzDecoder::new(input), most), &mut target)?)
    } else {
        Ok(untar(BoundedReader::new(input, most), &mut target)?)
    }
}

/// Reads the first bytes, and goes back to the start.
fn read_archive_start(input: &mut (impl Read + Seek)) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    input.by_ref().take(4).read_to_end(&mut start)?;
    input.rewind()?;
    Ok(start)
}

/// The kind of an archive entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    Folder,
    File {
        /// Whether it is executable.
        runs: bool,
    },
    /// A link, a device or a pipe.
    Other,
}

/// The folder to unpack into, and how much is unpacked.
struct UnpackTarget<'a> {
    to: &'a Path,
    limits: UnpackLimits,
    entries: usize,
    bytes: u64,
}

impl UnpackTarget<'_> {
    /// Counts entries of any kind.
    fn count_entries(&mut self, entries: usize) -> Result<(), ArchiveRefusal> {
        self.entries = self.entries.saturating_add(entries);
        if self.entries > self.limits.entries {
            return Err(ArchiveRefusal::TooMany(self.limits.entries));
        }
        Ok(())
    }

    fn unpack_entry(
        &mut self,
        name: &str,
        kind: EntryKind,
        content: &mut dyn Read,
    ) -> Result<(), ArchiveRefusal> {
        self.count_entries(1)?;
        let shown = || referee_protocol::escape::escape_bytes(name.as_bytes(), SHOWN);
        let below = safe_entry_path(name).ok_or_else(|| ArchiveRefusal::Outside(shown()))?;
        let failed = |error: io::Error| ArchiveRefusal::entry(shown(), error);
        if below.components().count() > DEEPEST {
            return Err(ArchiveRefusal::TooDeep(DEEPEST));
        }
        let path = self.to.join(&below);
        match kind {
            EntryKind::Other => Err(ArchiveRefusal::Link(shown())),
            EntryKind::Folder => self.create_folders(&below, shown),
            EntryKind::File { runs } => {
                self.create_folders(below.parent().unwrap_or(Path::new("")), shown)?;
                let copied =
                    write_unpacked_file(&path, runs, content, self.limits.bytes - self.bytes);
                self.bytes += copied.map_err(failed)?;
                if self.bytes >= self.limits.bytes {
                    return Err(ArchiveRefusal::TooLarge(self.limits.bytes));
                }
                Ok(())
            }
        }
    }

    /// Creates a folder and its parents, and counts each.
    fn create_folders(
        &mut self,
        below: &Path,
        shown: impl Fn() -> String,
    ) -> Result<(), ArchiveRefusal> {
        let ancestors: Vec<&Path> = below.ancestors().collect();
        for folder in ancestors.into_iter().rev() {
            let path = self.to.join(folder);
            if !path.is_dir() {
                self.count_entries(1)?;
                fs::create_dir(path).map_err(|error| ArchiveRefusal::entry(shown(), error))?;
            }
        }
        Ok(())
    }
}

/// Copies the file at `from`, which a stranger made, to the new file `to`: at most `most` bytes of it,
/// and of its mode only whether its owner may execute it. Returns how many bytes were copied.
///
/// `fs::copy` would follow a link, wait for a pipe, and make a setuid program of root's.
pub(super) fn copy_untrusted_file(from: &Path, to: &Path, most: u64) -> io::Result<u64> {
    let mut from = open_plain_nofollow(from)?;
    let runs = from.metadata()?.mode() & 0o100 != 0;
    write_unpacked_file(to, runs, &mut from, most)
}

/// Writes at most `most` bytes to a new file and returns how many were written.
fn write_unpacked_file(
    path: &Path,
    runs: bool,
    content: &mut dyn Read,
    most: u64,
) -> io::Result<u64> {
    let mode = if runs { 0o755 } else { 0o644 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    io::copy(&mut content.take(most), &mut file)
}

/// The path of an entry below the folder; `None` if it would lie outside, because of a root, a
/// drive or `..`. Programs on Windows write `\` between the parts.
fn safe_entry_path(name: &str) -> Option<PathBuf> {
    let name = name.replace('\\', "/");
    if name.contains('\0') || name.as_bytes().get(1) == Some(&b':') {
        return None;
    }
    let mut path = PathBuf::new();
    for component in Path::new(&name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    use super::*;

    const SMALL: UnpackLimits = UnpackLimits { entries: 3, bytes: 100 };

    fn zipped(dir: &Path, files: &[(&str, &str)]) -> PathBuf {
        let path = dir.join("a.zip");
        let mut writer = zip::ZipWriter::new(File::create(&path).expect("a file"));
        for (name, text) in files {
            let options = SimpleFileOptions::default().unix_permissions(0o755);
            writer.start_file(*name, options).expect("an entry");
            writer.write_all(text.as_bytes()).expect("written");
        }
        writer.finish().expect("an archive");
        path
    }

    fn refused(files: &[(&str, &str)]) -> String {
        let dir = tempfile::tempdir().expect("a folder");
        let to = dir.path().join("to");
        let why = unpack_archive(&zipped(dir.path(), files), &to, SMALL)
            .expect_err("refused")
            .to_string();
        assert!(!to.exists(), "nothing is left");
        assert_eq!(fs::read_dir(dir.path()).expect("a list").count(), 1, "nothing lies beside");
        why
    }

    #[test]
    fn a_plain_archive_is_unpacked() {
        let dir = tempfile::tempdir().expect("a folder");
        let to = dir.path().join("to");
        // On Windows, some programs write backslashes.
        let files = [("a/b.py", "text"), ("a\\c.py", "more")];
        unpack_archive(&zipped(dir.path(), &files), &to, SMALL).expect("unpacked");
        let text = |name: &str| fs::read_to_string(to.join(name)).expect("text");
        assert_eq!([text("a/b.py"), text("a/c.py")], ["text", "more"]);
    }

    #[test]
    fn paths_outside_an_archive_are_refused() {
        for name in ["../evil.py", "/evil.py", "a/../../evil.py", "..\\evil.py", "C:evil.py"] {
            let why = refused(&[(name, "text")]);
            assert!(why.contains("is outside the archive"), "{name}: {why}");
        }
    }

    #[test]
    fn too_much_is_refused() {
        let many = [("a", ""), ("b", ""), ("c", ""), ("d", "")];
        assert_eq!(refused(&many), "the archive was refused: it contains more than 3 entries");
        let deep = [("a/b/c/d", "")];
        assert_eq!(refused(&deep), "the archive was refused: it contains more than 3 entries");
        let large = "x".repeat(200);
        let why = refused(&[("a", &large)]);
        assert_eq!(why, "the archive was refused: it is larger than 0 MiB unpacked");
    }

    #[test]
    fn folders_without_end_are_refused() {
        let name = |folders: usize| format!("{}a.py", "d/".repeat(folders));
        let dir = tempfile::tempdir().expect("a folder");
        let limits = UnpackLimits { entries: 100, bytes: 100 };
        let deep = zipped(dir.path(), &[(&name(DEEPEST - 1), "x")]);
        unpack_archive(&deep, &dir.path().join("deep"), limits).expect("unpacked");
        let deeper = zipped(dir.path(), &[(&name(DEEPEST), "x")]);
        let why = unpack_archive(&deeper, &dir.path().join("deeper"), limits).expect_err("refused");
        assert_eq!(
            why.to_string(),
            "the archive was refused: its folders are nested more than 64 deep"
        );
    }

    #[test]
    fn duplicate_file_names_are_refused() {
        assert_eq!(
            refused(&[("a/b", "1"), ("a\\b", "2")]),
            "the archive was refused: two files are called `a\\b`"
        );
        assert_eq!(
            refused(&[("a", "1"), ("a/b", "2")]),
            "the archive was refused: two files are called `a/b`"
        );
    }

    /// The library keeps only one of two entries with the same bytes as names, so the second name is
    /// changed after writing.
    fn zipped_twice(dir: &Path, names: [&str; 2]) -> PathBuf {
        let path = zipped(dir, &[(names[0], "1"), (&names[1].replace('a', "b"), "2")]);
        let bytes = fs::read(&path).expect("an archive");
        let (other, name) = (names[1].replace('a', "b"), names[1].as_bytes());
        let mut bytes = bytes;
        let places: Vec<usize> = (0..bytes.len() - other.len())
            .filter(|&at| bytes[at..].starts_with(other.as_bytes()))
            .collect();
        for at in places {
            bytes[at..at + name.len()].copy_from_slice(name);
        }
        fs::write(&path, bytes).expect("written");
        path
    }

    #[test]
    fn a_name_twice_is_refused_in_every_kind_of_archive() {
        let twice = "the archive was refused: two files are called `a.py`";
        let dir = tempfile::tempdir().expect("a folder");
        let zip = zipped_twice(dir.path(), ["a.py", "a.py"]);
        let why =
            unpack_archive(&zip, &dir.path().join("to"), SMALL).expect_err("refused").to_string();
        assert_eq!(why, twice);
        let (_, why) = untarred(|builder| {
            for _ in 0..2 {
                let mut header = header(tar::EntryType::Regular, 4);
                builder.append_data(&mut header, "a.py", &b"text"[..]).expect("an entry");
            }
        });
        assert_eq!(why, twice);
        let dir = tempfile::tempdir().expect("a folder");
        let folders = zipped_twice(dir.path(), ["a/", "a/"]);
        unpack_archive(&folders, &dir.path().join("to"), SMALL).expect("one folder");
    }

    #[test]
    fn encrypted_archives_are_named_so() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = zipped(dir.path(), &[("a.py", "text")]);
        let mut bytes = fs::read(&path).expect("an archive");
        // The lowest bit of an entry's flags, in both of its headers.
        for (magic, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
            let at = bytes.windows(4).position(|window| window == magic).expect("a header");
            bytes[at + flags] |= 1;
        }
        fs::write(&path, bytes).expect("written");
        let why =
            unpack_archive(&path, &dir.path().join("to"), SMALL).expect_err("refused").to_string();
        assert_eq!(why, "the archive was refused: it is encrypted; pack it without a password");
    }

    /// Writes a tar archive, compressed if its name says so.
    fn tarred(path: &Path, fill: impl FnOnce(&mut tar::Builder<Vec<u8>>)) {
        let mut builder = tar::Builder::new(Vec::new());
        fill(&mut builder);
        let bytes = builder.into_inner().expect("an archive");
        fs::write(path, bytes).expect("written");
    }

    fn header(kind: tar::EntryType, size: u64) -> tar::Header {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_cksum();
        header
    }

    fn untarred(fill: impl FnOnce(&mut tar::Builder<Vec<u8>>)) -> (tempfile::TempDir, String) {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.tar");
        tarred(&path, fill);
        let limits = UnpackLimits { entries: 10, bytes: 1024 * 1024 };
        let refused = unpack_archive(&path, &dir.path().join("to"), limits).err();
        (dir, refused.map_or(String::new(), |why| why.to_string()))
    }

    #[test]
    fn links_are_refused() {
        let (_, why) = untarred(|builder| {
            let mut header = header(tar::EntryType::Symlink, 0);
            builder.append_link(&mut header, "passwords", "/etc/passwd").expect("an entry");
        });
        assert_eq!(
            why,
            "the archive was refused: `passwords` is not a plain file; if it is a link, pack its \
             target instead"
        );
    }

    #[test]
    fn long_names_are_kept() {
        let name = format!("{}/{}.py", "a".repeat(120), "b".repeat(120));
        let (dir, why) = untarred(|builder| {
            let mut header = header(tar::EntryType::Regular, 4);
            builder.append_data(&mut header, &name, &b"text"[..]).expect("an entry");
        });
        assert_eq!(why, "");
        assert_eq!(fs::read_to_string(dir.path().join("to").join(name)).expect("text"), "text");
        let record = "17 path=long/b.py\n".replace("17", "18");
        let (dir, why) = untarred(|builder| {
            let pax = header(tar::EntryType::XHeader, record.len() as u64);
            builder.append(&pax, record.as_bytes()).expect("an entry");
            let mut file = header(tar::EntryType::Regular, 4);
            builder.append_data(&mut file, "short.py", &b"text"[..]).expect("an entry");
        });
        assert_eq!(why, "");
        assert_eq!(fs::read_to_string(dir.path().join("to/long/b.py")).expect("text"), "text");
    }

    #[test]
    fn names_without_end_are_refused_before_they_are_read() {
        for kind in [tar::EntryType::GNULongName, tar::EntryType::XHeader] {
            let (_, why) = untarred(|builder| {
                let size = 1 << 40;
                builder.append(&header(kind, size), &[b'a'; 8192][..]).expect("an entry");
            });
            assert_eq!(why, "the archive was refused: a name in it is too long", "{kind:?}");
        }
    }

    #[test]
    fn skipped_archive_entries_are_bounded_too() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.tar.gz");
        let file = File::create(&path).expect("a file");
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let folder = header(tar::EntryType::Directory, 1 << 40);
        packed.write_all(folder.as_bytes()).expect("written");
        io::copy(&mut io::repeat(0).take(1 << 20), &mut packed).expect("written");
        packed.finish().expect("an archive");
        let why =
            unpack_archive(&path, &dir.path().join("to"), SMALL).expect_err("refused").to_string();
        assert_eq!(why, "the archive was refused: it is larger than 0 MiB unpacked");
    }

    #[test]
    fn archives_are_recognised_by_their_content() {
        let dir = tempfile::tempdir().expect("a folder");
        let zip = zipped(dir.path(), &[("a.py", "text")]);
        let path = dir.path().join("really-a-zip.tar.gz");
        fs::rename(zip, &path).expect("renamed");
        unpack_archive(&path, &dir.path().join("to"), SMALL).expect("unpacked");
        let rar = dir.path().join("rar.zip");
        fs::write(&rar, b"Rar!\x1a\x07\x01\x00").expect("written");
        let why =
            unpack_archive(&rar, &dir.path().join("rar"), SMALL).expect_err("refused").to_string();
        assert_eq!(why, ".rar archives are not supported; use .zip or .tar.gz");
    }
}
