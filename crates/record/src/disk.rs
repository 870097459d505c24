//! Durable changes to a results folder: every write, sync and rename that must survive a crash.
//! Tests stop the program before and inside each of them. `docs/results.md` lists what is
//! guaranteed.

#[cfg(debug_assertions)]
mod crash_points;
pub mod lock;

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, flock};
use tempfile::NamedTempFile;

#[cfg(debug_assertions)]
use self::crash_points::crash_point;
use self::lock::{LockKind, wait_for_lock};
use crate::plain_files;

/// The name of the log in a results folder.
pub const LOG: &str = "games.jsonl";

/// The permissions of an ordinary file, before the umask applies.
static ORDINARY: AtomicU32 = AtomicU32::new(0o666);
/// The permissions of a file that only its owner may read.
const PRIVATE: u32 = 0o600;
/// The number of random characters in the name of an unfinished file, and the end of the name.
const RANDOM: usize = 8;
const UNFINISHED: &str = ".new";
/// The file that is locked while small files beside it change.
const CHANGES: &str = "changes.lock";

/// From now on, only their owner may read the files that this process writes into results folders:
/// those of games that hide something, which other accounts must not see while they are played.
pub fn make_new_files_private() {
    ORDINARY.store(PRIVATE, Ordering::Relaxed);
}

/// The permissions of an ordinary file in a results folder, before the umask applies.
pub fn new_file_mode() -> u32 {
    ORDINARY.load(Ordering::Relaxed)
}

/// One change to the disk, or one sync.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(debug_assertions), expect(dead_code, reason = "crash points look at it"))]
enum DiskStep<'a> {
    Write(&'a File, &'a [u8]),
    Sync(&'a File),
    Rename(&'a Path, &'a Path),
    SyncFolder(&'a Path),
    MakeFolder(&'a Path),
}

/// Builds other than for tests have no crash points.
#[cfg(not(debug_assertions))]
#[expect(clippy::unnecessary_wraps, reason = "crash points can fail")]
fn crash_point(_: DiskStep) -> io::Result<()> {
    Ok(())
}

/// Writes all of `bytes`.
pub(crate) fn write_to_disk(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    crash_point(DiskStep::Write(file, bytes))?;
    file.write_all(bytes)
}

/// Makes sure that what was written to `file` survives a power failure.
pub(crate) fn sync_to_disk(file: &File) -> io::Result<()> {
    crash_point(DiskStep::Sync(file))?;
    file.sync_data()
}

/// Creates a folder and its parents.
pub(crate) fn create_folder_on_disk(path: &Path) -> io::Result<()> {
    crash_point(DiskStep::MakeFolder(path))?;
    fs::create_dir_all(path)
}

/// Creates a folder in a results folder, or removes what killed programs left unfinished in it.
/// Refuses a link in its place, which could lead anywhere.
pub fn create_results_subfolder(path: &Path) -> io::Result<()> {
    create_folder_on_disk(path)?;
    plain_files::check_folder_nofollow(path)?;
    remove_unfinished(path)
}

/// Who besides the owner of a folder may do what in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderAccess {
    /// Nobody.
    Owner,
    /// Others may use what they know the name of.
    Passage,
}

/// Restricts access to a folder, if it is this user's.
pub fn restrict_folder_access(folder: &Path, access: FolderAccess) -> io::Result<()> {
    let found = fs::symlink_metadata(folder)?;
    let mode = match access {
        FolderAccess::Owner => 0o700,
        FolderAccess::Passage => 0o711,
    };
    if found.is_dir() && found.uid() == nix::unistd::geteuid().as_raw() {
        fs::set_permissions(folder, Permissions::from_mode(mode))?;
    }
    Ok(())
}

/// Waits until no other process or thread changes small files in `folder`. They wait for this one
/// until it drops what is returned.
pub fn lock_folder(folder: &Path) -> io::Result<File> {
    wait_for_lock(&folder.join(CHANGES), LockKind::Exclusive, lock::PATIENCE)
}

/// Writes a temporary file and renames it to `path`. Readers, even after a crash or a power
/// failure, find either the old file or the new one, never a mix.
pub fn write_atomically(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write_replacement(path, new_file_mode(), content, Durability::OverPowerFailures)
}

/// Like [`write_atomically`], for a file that only its owner may read.
pub fn write_private_atomically(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write_replacement(path, PRIVATE, content, Durability::OverPowerFailures)
}

/// Like [`write_atomically`], but without a sync. After a crash of the program the file is whole;
/// after a power failure it may be empty.
pub fn write_atomically_unsynced(path: &Path, content: &[u8]) -> io::Result<()> {
    write_replacement(path, new_file_mode(), |out| out.write_all(content), Durability::OverCrashes)
}

/// The durability of a written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    OverCrashes,
    OverPowerFailures,
}

fn write_replacement(
    path: &Path,
    mode: u32,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    kept: Durability,
) -> io::Result<()> {
    let replacement = ReplacementFile::with_mode(path, mode)?;
    let mut out = io::BufWriter::new(Steps(replacement.file.as_file()));
    content(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?;
    replacement.place(kept)
}

/// A new file that takes the place of another one when it is complete. It has a random name, so that
/// two programs that write the same file do not meet. Unless it takes its place, it is removed when
/// this value is dropped; if the program is killed before, by [`remove_unfinished`].
#[derive(Debug)]
pub(crate) struct ReplacementFile {
    /// The file, locked while open.
    file: NamedTempFile,
    /// The place that it takes.
    path: PathBuf,
}

impl ReplacementFile {
    fn with_mode(path: &Path, mode: u32) -> io::Result<Self> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".");
        loop {
            let file = tempfile::Builder::new()
                .prefix(&name)
                .rand_bytes(RANDOM)
                .suffix(UNFINISHED)
                .permissions(Permissions::from_mode(mode))
                .tempfile_in(folder_of(path))?;
            // Where a file system has no locks, no one can take this file for a leftover.
            let is_free = flock(&file, FlockOperation::NonBlockingLockExclusive)
                != Err(rustix::io::Errno::WOULDBLOCK);
            // Another program may have locked it first, to remove it or to be in the way.
            if is_free && file.as_file().metadata()?.nlink() > 0 {
                return Ok(Self { file, path: path.to_owned() });
            }
        }
    }

    fn place(self, kept: Durability) -> io::Result<()> {
        let Self { file, path } = self;
        if kept == Durability::OverPowerFailures {
            sync_to_disk(file.as_file())?;
        }
        crash_point(DiskStep::Rename(file.path(), &path))?;
        file.persist(&path)?;
        if kept == Durability::OverPowerFailures { sync_folder_of(&path) } else { Ok(()) }
    }
}

/// Removes abandoned unfinished files in `folder`.
pub fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !is_unfinished(&entry.file_name()) || !entry.file_type()?.is_file() {
            continue;
        }
        // A file that cannot be opened, or is gone by now, is left alone.
        let Ok(file) = File::open(entry.path()) else { continue };
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            remove_if_there(&entry.path())?;
        }
    }
    Ok(())
}

/// Whether a file has the name of a [`ReplacementFile`]: `NAME.`, random letters and digits, `.new`.
fn is_unfinished(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_suffix(UNFINISHED)?.rsplit_once('.'));
    random.is_some_and(|(name, random)| {
        let is_random = random.bytes().all(|byte| byte.is_ascii_alphanumeric());
        !name.is_empty() && random.len() == RANDOM && is_random
    })
}

/// Removes a file. A missing file is not an error.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes sure that a rename to `path` survives a power failure.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    crash_point(DiskStep::SyncFolder(folder))?;
    File::open(folder)?.sync_all()
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// A file in which every write counts as one step.
struct Steps<'a>(&'a File);

impl Write for Steps<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_to_disk(self.0, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn text(path: &Path) -> String {
        fs::read_to_string(path).expect("a file")
    }

    #[test]
    fn files_are_written_completely_or_not_at_all() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("table");
        write_atomically(&path, |out| out.write_all(b"old")).expect("written");
        let half = |out: &mut dyn Write| {
            out.write_all(b"half")?;
            Err(io::Error::other("full"))
        };
        write_atomically(&path, half).expect_err("it failed half way");
        assert_eq!(text(&path), "old");
        write_atomically_unsynced(&path, b"new").expect("written");
        assert_eq!(text(&path), "new");
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing else is left");
    }

    #[test]
    fn private_files_are_private_from_the_start() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("secret");
        let begun = ReplacementFile::with_mode(&path, PRIVATE).expect("begun");
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode(begun.file.path()), 0o600);
        write_private_atomically(&path, |out| out.write_all(b"hidden")).expect("written");
        assert_eq!((text(&path).as_str(), mode(&path)), ("hidden", 0o600));
    }

    fn begun(path: &Path) -> ReplacementFile {
        ReplacementFile::with_mode(path, new_file_mode()).expect("begun")
    }

    fn add(to: &ReplacementFile, bytes: &[u8]) {
        write_to_disk(to.file.as_file(), bytes).expect("written");
    }

    #[test]
    fn two_writers_of_one_file_do_not_mix() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("page");
        let [first, second] = [(); 2].map(|()| begun(&path));
        add(&first, b"on");
        add(&second, b"tw");
        remove_unfinished(dir.path()).expect("swept");
        add(&first, b"e");
        first.place(Durability::OverCrashes).expect("in its place");
        assert_eq!(text(&path), "one");
        add(&second, b"o");
        second.place(Durability::OverCrashes).expect("in its place");
        assert_eq!(text(&path), "two");
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing else is left");
    }

    #[test]
    fn a_replacement_takes_its_place_only_when_it_is_complete() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("index");
        fs::write(&path, "old").expect("written");
        let files = || fs::read_dir(dir.path()).expect("a folder").count();
        let given_up = begun(&path);
        add(&given_up, b"half");
        assert_eq!((text(&path).as_str(), files()), ("old", 2));
        drop(given_up);
        assert_eq!((text(&path).as_str(), files()), ("old", 1));
        let complete = begun(&path);
        add(&complete, b"new");
        complete.place(Durability::OverCrashes).expect("in its place");
        assert_eq!((text(&path).as_str(), files()), ("new", 1));
    }

    #[test]
    fn leftovers_of_killed_programs_are_removed() {
        let dir = tempfile::tempdir().expect("a folder");
        let own = ["table.csv.new", "notes.old.new", "table.csv.a1B2c3D.new", ".a1B2c3D4.new"];
        for name in own.iter().chain(&["table.csv.a1B2c3D4.new"]) {
            fs::write(dir.path().join(name), "half").expect("written");
        }
        std::os::unix::fs::symlink("table.csv.new", dir.path().join("link.a1B2c3D4.new"))
            .expect("linked");
        remove_unfinished(dir.path()).expect("swept");
        let left = |name: &str| dir.path().join(name).exists();
        assert!(own.into_iter().all(left) && left("link.a1B2c3D4.new"));
        assert!(!left("table.csv.a1B2c3D4.new"));
        remove_if_there(dir.path()).expect_err("a folder is not a file");
    }

    #[test]
    fn nothing_is_written_into_a_folder_that_is_not_there() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("missing/table");
        let error = write_atomically_unsynced(&path, b"x").expect_err("there is no folder");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        create_folder_on_disk(&dir.path().join("missing/deeper")).expect("made");
        write_atomically_unsynced(&path, b"x").expect("written");
    }
}
