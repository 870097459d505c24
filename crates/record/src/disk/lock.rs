//! Locks on files that only their owner can open. Whoever can open a file, if only to read it, can also
//! lock it, and would keep everybody else waiting.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::PRIVATE;
use crate::plain_files::open_plain_nofollow_with;

/// The longest wait for a lock that others hold only for a moment.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// The time between two attempts.
const SOON: Duration = Duration::from_millis(10);

/// Who else may hold a lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKind {
    /// Nobody.
    Exclusive,
    /// Others that share it, too.
    Shared,
}

/// Opens the file of a lock, which is created if it is missing.
///
/// If others could open it, as version 0.1 let everyone, someone may already hold it, or lock it
/// later, so a new file takes its place, unless a run has locked it for writing. Another user's file
/// stays unchanged.
pub fn open_lock_file(path: &Path) -> io::Result<File> {
    let file = create_lock_file(path)?;
    if !is_lock_open_to_others(&file)? || is_write_locked_by_another(&file)? {
        return Ok(file);
    }
    // Only who holds the new file may move it, so that two programs do not replace each other's.
    let mut fresh = path.to_owned().into_os_string();
    fresh.push(".fresh");
    let fresh = Path::new(&fresh);
    let held = wait_for_lock(fresh, LockKind::Exclusive, PATIENCE)?;
    if is_lock_open_to_others(&create_lock_file(path)?)? {
        fs::rename(fresh, path)?;
    } else {
        super::remove_if_there(fresh)?;
    }
    drop(held);
    create_lock_file(path)
}

fn create_lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(PRIVATE);
    open_plain_nofollow_with(&mut options, path)
}

/// Whether others can open this file of ours.
fn is_lock_open_to_others(file: &File) -> io::Result<bool> {
    let found = file.metadata()?;
    Ok(found.mode() & 0o077 != 0 && found.uid() == nix::unistd::geteuid().as_raw())
}

/// Waits at most `patience` for the lock on the file at `path`. It ends when the file that is
/// returned is closed.
pub fn wait_for_lock(path: &Path, kind: LockKind, patience: Duration) -> io::Result<File> {
    let file = open_lock_file(path)?;
    let operation = match kind {
        LockKind::Exclusive => FlockOperation::NonBlockingLockExclusive,
        LockKind::Shared => FlockOperation::NonBlockingLockShared,
    };
    let begun = Instant::now();
    loop {
        match flock(&file, operation) {
            Ok(()) => return Ok(file),
            Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) if begun.elapsed() < patience => sleep(SOON),
            Err(Errno::WOULDBLOCK) => {
                let (path, holder) = (path.display(), describe_lock_holder(&file));
                let why = format!("`{path}` is still locked by {holder}; stop it and try again");
                return Err(io::Error::new(io::ErrorKind::WouldBlock, why));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Who holds a lock on this file, as far as the system says.
fn describe_lock_holder(file: &File) -> String {
    let inode = file.metadata().map(|found| format!(":{}", found.ino())).unwrap_or_default();
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    // Such as `1: FLOCK  ADVISORY  WRITE 1234 08:02:5678 0 EOF`.
    let process = locks.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(4);
        let process = words.next()?.parse::<u32>().ok()?;
        words.next()?.ends_with(&inode).then_some(process)
    });
    process.map_or("another program".to_owned(), |process| format!("process {process}"))
}

/// Whether another process holds a lock on the whole of a file for writing, as a run does. Others
/// may lock it for reading if they can read it, which means nothing.
#[expect(clippy::cast_possible_truncation, reason = "constants of the system that fit")]
pub fn is_write_locked_by_another(file: &File) -> io::Result<bool> {
    let mut lock = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    fcntl(file, FcntlArg::F_GETLK(&mut lock))?;
    // The types of both differ between systems.
    Ok(i64::from(lock.l_type) == i64::from(libc::F_WRLCK))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn own_locks_do_not_count_as_foreign() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = open_lock_file(&dir.path().join("lock")).expect("a file");
        assert!(!is_write_locked_by_another(&file).expect("known"));
        rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).expect("locked");
        assert!(!is_write_locked_by_another(&file).expect("known"));
    }

    #[test]
    fn only_its_owner_can_open_the_file_of_a_lock() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("lock");
        let mode = || fs::metadata(&path).expect("a file").mode() & 0o777;
        open_lock_file(&path).expect("made");
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("as version 0.1 did");
        open_lock_file(&path).expect("opened");
        assert_eq!(mode(), 0o600);
    }

    /// Locks a file as another process would.
    #[cfg(target_os = "linux")]
    #[expect(clippy::cast_possible_truncation, reason = "constants of the system that fit")]
    fn stranger(path: &Path, kind: libc::c_int) -> File {
        let file = OpenOptions::new().read(true).write(true).open(path).expect("a file");
        let lock = libc::flock {
            l_type: kind as libc::c_short,
            l_whence: libc::SEEK_SET as libc::c_short,
            l_start: 0,
            l_len: 0,
            l_pid: 0,
        };
        fcntl(&file, FcntlArg::F_OFD_SETLK(&lock)).expect("locked");
        file
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_locked_a_file_that_everybody_could_open_is_in_nobodys_way() {
        use rustix::fs::fcntl_lock;
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("lock");
        let exclusive = FlockOperation::NonBlockingLockExclusive;
        let wide = || {
            fs::write(&path, "").expect("a file");
            fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("as version 0.1 did");
        };
        wide();
        let reads = stranger(&path, libc::F_RDLCK);
        flock(&reads, FlockOperation::LockShared).expect("locked");
        let file = open_lock_file(&path).expect("opened");
        fcntl_lock(&file, exclusive).expect("free");
        wait_for_lock(&path, LockKind::Exclusive, Duration::ZERO).expect("free");
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing else is left");
        fs::remove_file(&path).expect("removed");
        wide();
        let _run = stranger(&path, libc::F_WRLCK);
        fcntl_lock(open_lock_file(&path).expect("opened"), exclusive)
            .expect_err("a run of version 0.1");
    }

    #[test]
    fn whoever_waits_for_a_lock_is_told_for_whom() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("lock");
        let wait = |kind| wait_for_lock(&path, kind, Duration::ZERO);
        let shared = wait(LockKind::Shared).expect("locked");
        wait(LockKind::Shared).expect("locked by both");
        let why = wait(LockKind::Exclusive).expect_err("locked").to_string();
        let expected = format!("lock` is still locked by process {};", std::process::id());
        assert!(!cfg!(target_os = "linux") || why.contains(&expected), "{why}");
        drop(shared);
        wait(LockKind::Exclusive).expect("free");
    }

    #[test]
    fn a_lock_on_the_folder_itself_is_in_nobodys_way() {
        let dir = tempfile::tempdir().expect("a folder");
        let stranger = File::open(dir.path()).expect("a folder");
        flock(&stranger, FlockOperation::LockExclusive).expect("locked");
        super::super::lock_folder(dir.path()).expect("held");
    }
}
