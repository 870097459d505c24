//! The file system of a box: what the player may read, a scratch folder of its own, and nothing
//! else.

#![expect(unsafe_code, reason = "one system call that no crate offers")]

use std::ffi::CString;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};

use crate::Overrun;
use crate::limits::MOST_FILES;
use crate::protocol::{Setup, SetupError};
use crate::runtimes::{SETTINGS, SYSTEM};
use crate::start_request::StartRequest;

/// Where the machine's own file system is while the box is built.
const OLD: &str = "/.old";
/// The name of a file that stands for those that are hidden.
const NOTHING: &str = ".nothing";
/// The scratch folder of a player in its box.
pub(crate) const SCRATCH: &str = "/tmp";

/// Where the helper is in the sandbox.
pub(crate) const HELPER: &str = "/referee";

const QUIET: MsFlags = MsFlags::MS_NOSUID.union(MsFlags::MS_NODEV);

type Done = Result<(), SetupError>;

/// Gives this process, and what it starts, mounts of its own where the player has no box: a scratch
/// folder of limited size with `/dev/shm` in it, and nothing where something is hidden. Everything
/// else stays as it is. To be called by a process with one thread.
pub(crate) fn make_alone(setup: &Setup, scratch: &Path, ids: (u32, u32)) -> Done {
    let namespaces = match setup.user {
        Some(_) => CloneFlags::CLONE_NEWNS,
        None => CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWUSER,
    };
    unshare(namespaces).map_err(|error| SetupError::setting_up("its mounts", &error))?;
    if setup.user.is_none() {
        map_user(ids).map_err(|error| SetupError::setting_up("its user namespace", &error))?;
    }
    keep_private()?;
    let (user, group) = setup.user.map_or(ids, |user| (user, user));
    let size = setup.limits.scratch;
    let options = format!("size={size},nr_inodes={MOST_FILES},mode=700,uid={user},gid={group}");
    must(scratch, mount(Some("none"), scratch, Some("tmpfs"), QUIET, Some(options.as_str())))?;
    hide(&setup.hidden, &scratch.join(NOTHING))?;
    if setup.user.is_some() {
        // Players are users of their own, and each sees its own processes alone.
        let flags = QUIET | MsFlags::MS_NOEXEC;
        must("/proc", mount(Some("proc"), "/proc", Some("proc"), flags, Some("hidepid=2")))?;
    }
    let shared = Path::new("/dev/shm");
    if shared.is_dir() && !scratch.starts_with(shared) {
        must(shared, mount(Some(scratch), shared, None::<&str>, MsFlags::MS_BIND, None::<&str>))?;
    }
    Ok(())
}

/// The user and group stay what they are, and nobody else exists.
pub(crate) fn map_user((user, group): (u32, u32)) -> std::io::Result<()> {
    // The kernel wants this before the group is mapped.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// What is mounted here is mounted nowhere else.
fn keep_private() -> Done {
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    must("/", mount(None::<&str>, "/", None::<&str>, flags, None::<&str>))
}

/// Builds the file system and makes it this process's root. To be called in namespaces of its own.
pub(crate) fn build(request: &StartRequest) -> Done {
    let setup = &request.setup;
    keep_private()?;
    // The new root begins on a folder that every machine has, and leaves it at once.
    tmpfs("/tmp", QUIET, "size=4m,nr_inodes=4096,mode=755")?;
    make_dir(Path::new("/tmp/.old"))?;
    must("the new root", nix::unistd::pivot_root("/tmp", "/tmp/.old"))?;
    must("the new root", nix::unistd::chdir("/"))?;
    for path in SYSTEM.iter().chain(SETTINGS).map(Path::new) {
        show(path)?;
    }
    let scratch = format!("size={},nr_inodes={MOST_FILES},mode=1777", setup.limits.scratch);
    make_dir(Path::new(SCRATCH))?;
    tmpfs(SCRATCH, QUIET, &scratch)?;
    devices()?;
    make_dir(Path::new("/proc"))?;
    let flags = QUIET | MsFlags::MS_NOEXEC;
    must("/proc", mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>))?;
    people(setup.user.map_or(request.ids, |user| (user, user)))?;
    let mut shown: Vec<&PathBuf> = Vec::new();
    for path in &setup.readable {
        if !shown.iter().any(|above| path.starts_with(above)) {
            show(path)?;
            shown.push(path);
        }
    }
    if let Some(helper) = &setup.helper {
        show_at(helper, Path::new(HELPER))?;
    }
    hide(&setup.hidden, &Path::new("/").join(NOTHING))?;
    must(OLD, umount2(OLD, MntFlags::MNT_DETACH))?;
    must(OLD, fs::remove_dir(OLD))?;
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | QUIET;
    must("/", mount(None::<&str>, "/", None::<&str>, flags, None::<&str>))
}

/// Puts something empty, which nobody may open, in place of each file and folder that is there.
/// The file `nothing`, which is made for that, is gone afterwards.
fn hide(paths: &[PathBuf], nothing: &Path) -> Done {
    for path in paths {
        if path.is_dir() {
            let flags = QUIET | MsFlags::MS_RDONLY;
            must(path, mount(Some("none"), path, Some("tmpfs"), flags, Some("size=4k,mode=000")))?;
        } else if path.exists() {
            if !nothing.exists() {
                must(nothing, File::create(nothing).map(drop))?;
                must(nothing, fs::set_permissions(nothing, Permissions::from_mode(0o000)))?;
            }
            must(path, mount(Some(nothing), path, None::<&str>, MsFlags::MS_BIND, None::<&str>))?;
            must(path, protect(path, libc::MOUNT_ATTR_RDONLY))?;
        }
    }
    if nothing.exists() { must(nothing, fs::remove_file(nothing)) } else { Ok(()) }
}

/// Why nothing more goes into the scratch folder of `limit` bytes, if that is so.
pub(crate) fn full_scratch(scratch: &Path, limit: u64) -> Option<Overrun> {
    let found = nix::sys::statvfs::statvfs(scratch).ok()?;
    if found.files_available() == 0 {
        return Some(Overrun::Files);
    }
    let used = (found.blocks() - found.blocks_free()) * found.fragment_size();
    (found.blocks_available() == 0).then_some(Overrun::Scratch { used, limit })
}

/// What failed is about `path`.
fn must<E: std::error::Error + 'static>(path: impl AsRef<Path>, result: Result<(), E>) -> Done {
    result.map_err(|error| {
        SetupError::setting_up(&format!("its file system, {}", path.as_ref().display()), &error)
    })
}

fn make_dir(path: &Path) -> Done {
    must(path, fs::create_dir_all(path))
}

fn tmpfs(path: &str, flags: MsFlags, options: &str) -> Done {
    must(path, mount(Some("none"), path, Some("tmpfs"), flags, Some(options)))
}

/// Shows a file or folder of the machine in its place.
fn show(path: &Path) -> Done {
    show_at(path, path)
}

/// Shows a file or folder of the machine at `path`, to be read and run only; a link is made anew.
/// What does not exist is passed over.
fn show_at(original: &Path, path: &Path) -> Done {
    let source = Path::new(OLD).join(original.strip_prefix("/").unwrap_or(original));
    let Ok(found) = fs::symlink_metadata(&source) else { return Ok(()) };
    if let Some(above) = path.parent() {
        make_dir(above)?;
    }
    if found.is_symlink() {
        return must(path, fs::read_link(&source).and_then(|target| symlink(target, path)));
    }
    if found.is_dir() {
        make_dir(path)?;
    } else {
        must(path, File::create(path).map(drop))?;
    }
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    must(path, mount(Some(&source), path, None::<&str>, flags, None::<&str>))?;
    must(path, protect(path, libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NODEV))
}

/// Takes rights away from a mount and all mounts below it, and setuid from all of them.
fn protect(path: &Path, rights: u64) -> nix::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
    // SAFETY: a plain structure of four numbers, for which zero is a value.
    let mut wanted: libc::mount_attr = unsafe { std::mem::zeroed() };
    wanted.attr_set = rights | libc::MOUNT_ATTR_NOSUID;
    let flags = libc::AT_RECURSIVE | libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: the path ends with a zero, and the structure is as long as is said.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const wanted,
            size_of::<libc::mount_attr>(),
        )
    };
    Errno::result(done).map(drop)
}

/// The harmless devices; shared memory lies in the scratch folder, under its limit.
fn devices() -> Done {
    make_dir(Path::new("/dev"))?;
    for name in ["null", "zero", "full", "random", "urandom"] {
        let path = Path::new("/dev").join(name);
        must(&path, File::create(&path).map(drop))?;
        let source = Path::new(OLD).join("dev").join(name);
        must(&path, mount(Some(&source), &path, None::<&str>, MsFlags::MS_BIND, None::<&str>))?;
        must(&path, protect(&path, libc::MOUNT_ATTR_NOEXEC))?;
    }
    let links = [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("shm", SCRATCH),
    ];
    links.into_iter().try_for_each(|(name, target)| {
        let path = Path::new("/dev").join(name);
        must(&path, symlink(target, &path))
    })
}

/// The player and nobody else.
fn people((user, group): (u32, u32)) -> Done {
    make_dir(Path::new("/etc"))?;
    for (path, text) in [
        ("/etc/passwd", format!("player:x:{user}:{group}::{SCRATCH}:/bin/sh\n")),
        ("/etc/group", format!("player:x:{group}:\n")),
    ] {
        must(path, fs::write(path, text))?;
    }
    Ok(())
}
