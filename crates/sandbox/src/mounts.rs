//! Mounts: a file system with what the process may read and a scratch folder, or at least a scratch
//! folder of limited size.

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

use crate::limits::{MOST_FILES, Overrun};
use crate::protocol::{Setup, SetupError};
use crate::request::Network;
use crate::runtimes::{NETWORK, SETTINGS, SYSTEM};
use crate::start_request::StartRequest;

/// The mount point of the machine's own file system while the new one is built.
const OLD: &str = "/.old";
/// The name of an empty file that is mounted over hidden files.
const EMPTY: &str = ".nothing";
/// The name of a file while it is mounted over another.
const NEW: &str = ".new";
/// What an image of a process's own does not show, because every process gets its own.
const MADE_ANEW: &[&str] = &["/dev", "/proc", "/sys", "/tmp", OLD];
/// The scratch folder in the new file system.
pub(crate) const SCRATCH: &str = "/tmp";

/// The helper in the new file system.
pub(crate) const HELPER: &str = "/referee";

/// Mount flags: no setuid programs and no devices.
const QUIET: MsFlags = MsFlags::MS_NOSUID.union(MsFlags::MS_NODEV);

type SetupResult = Result<(), SetupError>;

/// Gives this process and its children their own mounts without a new root: a scratch folder of
/// limited size that is also `/dev/shm`, and empty mounts over hidden paths. Everything else stays
/// as it is. Call it in a process with one thread.
pub(crate) fn make_alone(setup: &Setup, scratch: &Path, ids: (u32, u32)) -> SetupResult {
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
    hide(&setup.hidden, &scratch.join(EMPTY))?;
    if setup.user.is_some() {
        // Each sandboxed process has its own user, and sees only that user's processes.
        let flags = QUIET | MsFlags::MS_NOEXEC;
        must("/proc", mount(Some("proc"), "/proc", Some("proc"), flags, Some("hidepid=2")))?;
    }
    let shared = Path::new("/dev/shm");
    if shared.is_dir() && !scratch.starts_with(shared) {
        must(shared, mount(Some(scratch), shared, None::<&str>, MsFlags::MS_BIND, None::<&str>))?;
    }
    Ok(())
}

/// Makes everything read-only except the scratch folder, for this process and its children. The
/// supervisor keeps its own mounts, in which it writes to control groups.
pub(crate) fn make_read_only(scratch: &Path) -> SetupResult {
    unshare(CloneFlags::CLONE_NEWNS)
        .map_err(|error| SetupError::setting_up("its mounts", &error))?;
    must("/", protect(Path::new("/"), libc::MOUNT_ATTR_RDONLY))?;
    let shared = Path::new("/dev/shm");
    for path in [Some(scratch), Some(shared).filter(|path| path.is_dir())].into_iter().flatten() {
        must(
            path,
            set_attributes(path, MountAttributes { set: 0, clear: libc::MOUNT_ATTR_RDONLY }),
        )?;
    }
    Ok(())
}

/// Keeps the user and group as they are, and maps no others.
pub(crate) fn map_user((user, group): (u32, u32)) -> std::io::Result<()> {
    // The kernel requires this before the group is mapped.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Keeps new mounts from propagating to other namespaces.
fn keep_private() -> SetupResult {
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    must("/", mount(None::<&str>, "/", None::<&str>, flags, None::<&str>))
}

/// Builds a file system and makes it this process's root. Call it in new namespaces.
pub(crate) fn build(request: &StartRequest) -> SetupResult {
    let setup = &request.setup;
    keep_private()?;
    // The new root needs a mount point that every machine has, and only for a moment.
    tmpfs("/tmp", QUIET, "size=4m,nr_inodes=4096,mode=755")?;
    make_dir(Path::new("/tmp/.old"))?;
    must("the new root", nix::unistd::pivot_root("/tmp", "/tmp/.old"))?;
    must("the new root", nix::unistd::chdir("/"))?;
    match &setup.root {
        Some(root) => show_image(root, Path::new("/"), &setup.readable)?,
        None => SYSTEM.iter().chain(SETTINGS).map(Path::new).try_for_each(show)?,
    }
    if setup.network == Network::Open {
        // Their targets are readable paths.
        let links = NETWORK.iter().map(Path::new);
        links.filter(|path| is_link(&in_old(path))).try_for_each(show)?;
    }
    let scratch = format!("size={},nr_inodes={MOST_FILES},mode=1777", setup.limits.scratch);
    make_dir(Path::new(SCRATCH))?;
    tmpfs(SCRATCH, QUIET, &scratch)?;
    devices()?;
    setup.devices.iter().try_for_each(|path| show_device(path))?;
    make_dir(Path::new("/proc"))?;
    let flags = QUIET | MsFlags::MS_NOEXEC;
    must("/proc", mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>))?;
    write_user(setup.user.map_or(request.ids, |user| (user, user)))?;
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
    hide(&setup.hidden, &Path::new("/").join(EMPTY))?;
    must(OLD, umount2(OLD, MntFlags::MNT_DETACH))?;
    must(OLD, fs::remove_dir(OLD))?;
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | QUIET;
    must("/", mount(None::<&str>, "/", None::<&str>, flags, None::<&str>))
}

/// Mounts something empty and unreadable over each of the `paths` that exists. Uses the file
/// `empty`, and removes it afterwards.
fn hide(paths: &[PathBuf], empty: &Path) -> SetupResult {
    for path in paths {
        if path.is_dir() {
            let flags = QUIET | MsFlags::MS_RDONLY;
            must(path, mount(Some("none"), path, Some("tmpfs"), flags, Some("size=4k,mode=000")))?;
        } else if path.exists() {
            if !empty.exists() {
                must(empty, File::create(empty).map(drop))?;
                must(empty, fs::set_permissions(empty, Permissions::from_mode(0o000)))?;
            }
            must(path, mount(Some(empty), path, None::<&str>, MsFlags::MS_BIND, None::<&str>))?;
            must(path, protect(path, libc::MOUNT_ATTR_RDONLY))?;
        }
    }
    if empty.exists() { must(empty, fs::remove_file(empty)) } else { Ok(()) }
}

/// The limit that the scratch folder has reached, if any: `limit` bytes or [`MOST_FILES`].
pub(crate) fn full_scratch(scratch: &Path, limit: u64) -> Option<Overrun> {
    let found = nix::sys::statvfs::statvfs(scratch).ok()?;
    if found.files_available() == 0 {
        return Some(Overrun::Files);
    }
    let used = (found.blocks() - found.blocks_free()) * found.fragment_size();
    (found.blocks_available() == 0).then_some(Overrun::Scratch { used, limit })
}

/// Adds `path` to the error.
fn must<E: std::error::Error + 'static>(
    path: impl AsRef<Path>,
    result: Result<(), E>,
) -> SetupResult {
    result.map_err(|error| of_file_system(path.as_ref(), &error))
}

fn of_file_system(path: &Path, error: &(dyn std::error::Error + 'static)) -> SetupError {
    SetupError::setting_up(&format!("its file system, {}", path.display()), error)
}

fn make_dir(path: &Path) -> SetupResult {
    must(path, fs::create_dir_all(path))
}

fn tmpfs(path: &str, flags: MsFlags, options: &str) -> SetupResult {
    must(path, mount(Some("none"), path, Some("tmpfs"), flags, Some(options)))
}

/// The path of a file of the machine while the new file system is built.
fn in_old(path: &Path) -> PathBuf {
    Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path))
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// Shows a file or folder of the machine at its own path.
fn show(path: &Path) -> SetupResult {
    show_at(path, path)
}

/// Shows a file or folder of the machine at `path`, read-only. Copies links, and skips what does
/// not exist.
fn show_at(original: &Path, path: &Path) -> SetupResult {
    let source = in_old(original);
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

/// Shows what lies in the folder `below` of the system in the folder `root`. Where something else
/// is shown in one of its folders, that folder is made anew, because a mount is read-only.
fn show_image(root: &Path, below: &Path, others: &[PathBuf]) -> SetupResult {
    let original = |path: &Path| root.join(path.strip_prefix("/").unwrap_or(path));
    let source = in_old(&original(below));
    for entry in fs::read_dir(&source).map_err(|error| of_file_system(&source, &error))?.flatten() {
        let path = below.join(entry.file_name());
        if MADE_ANEW.iter().any(|own| path == Path::new(own)) || others.contains(&path) {
            continue;
        }
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && others.iter().any(|other| other.starts_with(&path)) {
            make_dir(&path)?;
            show_image(root, &path, others)?;
        } else {
            show_at(&original(&path), &path)?;
        }
    }
    Ok(())
}

/// Shows a device at its own path.
fn show_device(path: &Path) -> SetupResult {
    if let Some(above) = path.parent() {
        make_dir(above)?;
    }
    must(path, File::create(path).map(drop))?;
    let source = in_old(path);
    must(path, mount(Some(&source), path, None::<&str>, MsFlags::MS_BIND, None::<&str>))?;
    must(path, protect(path, libc::MOUNT_ATTR_NOEXEC))
}

/// Adds the attributes `rights`, and no-setuid, to a mount and all mounts below it.
fn protect(path: &Path, rights: u64) -> nix::Result<()> {
    set_attributes(path, MountAttributes { set: rights | libc::MOUNT_ATTR_NOSUID, clear: 0 })
}

/// The attributes that a mount gets and loses.
#[derive(Debug, Clone, Copy)]
struct MountAttributes {
    set: u64,
    clear: u64,
}

/// Changes the attributes of a mount and of all mounts below it.
fn set_attributes(path: &Path, change: MountAttributes) -> nix::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
    // SAFETY: a plain structure of four numbers, for which zero is valid.
    let mut wanted: libc::mount_attr = unsafe { std::mem::zeroed() };
    (wanted.attr_set, wanted.attr_clr) = (change.set, change.clear);
    let flags = libc::AT_RECURSIVE | libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: the path ends with a zero byte, and the size is that of the structure.
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

/// Adds the harmless devices. Shared memory is in the scratch folder, and so under its limit.
fn devices() -> SetupResult {
    make_dir(Path::new("/dev"))?;
    for name in ["null", "zero", "full", "random", "urandom"] {
        show_device(&Path::new("/dev").join(name))?;
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

/// Writes lists of users and groups that contain only those of the process.
fn write_user((user, group): (u32, u32)) -> SetupResult {
    make_dir(Path::new("/etc"))?;
    for (path, text) in [
        ("/etc/passwd", format!("player:x:{user}:{group}::{SCRATCH}:/bin/sh\n")),
        ("/etc/group", format!("player:x:{group}:\n")),
    ] {
        write_over(Path::new(path), &text)?;
    }
    Ok(())
}

/// Writes a file. If an image of the process's own shows one there, mounts the new one over it; if
/// that image has a folder without the file, the process does without it.
fn write_over(path: &Path, text: &str) -> SetupResult {
    if !path.exists() {
        return match fs::write(path, text) {
            Err(error) if error.kind() == std::io::ErrorKind::ReadOnlyFilesystem => Ok(()),
            written => must(path, written),
        };
    }
    let new = Path::new("/").join(NEW);
    must(path, fs::write(&new, text))?;
    must(path, mount(Some(&new), path, None::<&str>, MsFlags::MS_BIND, None::<&str>))?;
    must(path, protect(path, libc::MOUNT_ATTR_RDONLY))?;
    must(path, fs::remove_file(new))
}
