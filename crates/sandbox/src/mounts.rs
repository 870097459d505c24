//! Mounts: a file system with what the process may read and a scratch folder, or at least a scratch
//! folder of limited size.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use nix::libc;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use rustix::fs::FileType;
use rustix::io::Errno;

use crate::file_tree::{
    Attributes, FileTree, FileTreeMount, MountScope, set_tree_attributes, tree_file_type,
};
use crate::machine_settings::machine_settings;
use crate::paths::is_path_in;
use crate::resource_limits::{Limits, Overrun};
use crate::start_request::StartRequest;
use crate::supervisor_protocol::{SupervisorSetup, SupervisorSetupError};
use crate::system_paths::{SYSTEM, system_network_files};
use crate::visible_paths::{VisibleLayer, VisiblePaths};

/// The name of an empty file in the scratch folder, which is mounted over hidden files.
const EMPTY: &str = ".nothing";
/// The name of a file in the scratch folder before it is mounted over another.
const NEW: &str = ".new";
/// What an image of a process's own does not show, because every process gets its own.
const MADE_ANEW: &[&str] = &["/dev", "/proc", "/sys", "/tmp", HELPER];
/// The scratch folder in the new file system.
pub(crate) const SCRATCH: &str = "/tmp";

const SHARED_MEMORY: &str = "/dev/shm";

/// The helper in the new file system.
pub(crate) const HELPER: &str = "/referee";

/// Mount flags: no setuid programs and no devices.
const QUIET: MsFlags = MsFlags::MS_NOSUID.union(MsFlags::MS_NODEV);
/// The attributes of what a process sees of the machine.
const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NODEV;

type SetupResult = Result<(), SupervisorSetupError>;

/// Gives this process and its children their own mounts without a new root: a scratch folder of
/// limited size that is also `/dev/shm`, and empty mounts over hidden paths. Everything else stays
/// unchanged. Call it in a process with one thread.
pub(crate) fn make_mounts_alone(
    setup: &SupervisorSetup,
    scratch: &Path,
    ids: (u32, u32),
) -> SetupResult {
    let namespaces = match setup.user {
        Some(_) => CloneFlags::CLONE_NEWNS,
        None => CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWUSER,
    };
    unshare(namespaces).map_err(|error| SupervisorSetupError::setting_up("its mounts", &error))?;
    if setup.user.is_none() {
        map_user_for_mounts(ids)
            .map_err(|error| SupervisorSetupError::setting_up("its user namespace", &error))?;
    }
    keep_mounts_private()?;
    let (user, group) = setup.user.map_or(ids, |user| (user, user));
    let options =
        format!("{},mode=700,uid={user},gid={group}", scratch_mount_options(&setup.limits));
    must(scratch, mount(Some("none"), scratch, Some("tmpfs"), QUIET, Some(options.as_str())))?;
    cover_mounts_alone(setup, scratch)?;
    if setup.user.is_some() {
        // Each sandboxed process has its own user, and sees only that user's processes.
        let flags = QUIET | MsFlags::MS_NOEXEC;
        must("/proc", mount(Some("proc"), "/proc", Some("proc"), flags, Some("hidepid=2")))?;
    }
    Ok(())
}

/// Makes everything read-only except the scratch folder, for this process and its children. The
/// supervisor keeps its own mounts, in which it writes to control groups.
pub(crate) fn mount_all_read_only(setup: &SupervisorSetup, scratch: &Path) -> SetupResult {
    unshare(CloneFlags::CLONE_NEWNS)
        .map_err(|error| SupervisorSetupError::setting_up("its mounts", &error))?;
    let read_only = libc::MOUNT_ATTR_RDONLY;
    let everything = Attributes { set: read_only | libc::MOUNT_ATTR_NOSUID, clear: 0 };
    let root = FileTree::at(Path::new("/"));
    let changed = root.map_err(io::Error::from);
    must("/", changed.and_then(|root| set_tree_attributes(root, everything, MountScope::AllInIt)))?;
    // Unless it is shown itself, it is a part of the scratch folder.
    let memory = find_shared_memory_mount().filter(|path| !setup.visible.shown().contains(path));
    for path in [scratch].into_iter().chain(memory.as_deref()) {
        let writable = Attributes { set: 0, clear: read_only };
        let folder = FileTree::at(path).map_err(io::Error::from);
        must(
            path,
            folder.and_then(|folder| set_tree_attributes(folder, writable, MountScope::Alone)),
        )?;
    }
    Ok(())
}

/// The folder of shared memory, where the machine has one.
fn find_shared_memory_mount() -> Option<PathBuf> {
    fs::canonicalize(SHARED_MEMORY).ok().filter(|path| path.is_dir())
}

/// Keeps the user and group, and maps no others.
pub(crate) fn map_user_for_mounts((user, group): (u32, u32)) -> std::io::Result<()> {
    // The kernel requires this before the group is mapped.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Keeps new mounts from propagating to other namespaces.
fn keep_mounts_private() -> SetupResult {
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    must("/", mount(None::<&str>, "/", None::<&str>, flags, None::<&str>))
}

/// Builds a file system and makes it this process's root. Call it in new namespaces.
pub(crate) fn mount_new_root(request: &StartRequest) -> SetupResult {
    let setup = &request.setup;
    let settings = machine_settings();
    keep_mounts_private()?;
    // The new root needs a mount point that every machine has, and only for a moment.
    mount_tmpfs("/tmp", QUIET, "size=4m,nr_inodes=4096,mode=755")?;
    let old = found("/", FileTree::at(Path::new("/")))?;
    must("the new root", nix::unistd::chdir("/tmp"))?;
    // The machine's file system now lies above the new root, where no name leads to it.
    must("the new root", nix::unistd::pivot_root(".", "."))?;
    let root = MountedRoot { new: found("the new root", FileTree::at(Path::new("/")))?, old };
    if let Some(image) = &setup.root {
        root.show_image(image, Path::new("/"), setup)?;
    } else {
        let system = SYSTEM.iter().map(Path::new);
        let settings = settings.iter().map(PathBuf::as_path);
        system.chain(settings).try_for_each(|path| root.show_system(path))?;
        // Their targets are visible paths.
        system_network_files(setup.network).iter().try_for_each(|path| root.copy_link(path))?;
    }
    let scratch = format!("{},mode=1777", scratch_mount_options(&setup.limits));
    root.make_folder(SCRATCH)?;
    mount_tmpfs(SCRATCH, QUIET, &scratch)?;
    root.add_devices(setup)?;
    root.make_folder("/proc")?;
    let flags = QUIET | MsFlags::MS_NOEXEC;
    must("/proc", mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>))?;
    root.write_user(setup.user.map_or(request.ids, |user| (user, user)))?;
    if let Some(helper) = &setup.helper {
        root.show_at(helper, Path::new(HELPER))?;
    }
    let empty = Path::new(SCRATCH).join(EMPTY);
    mount_layers(&root.new, &setup.visible, &empty, |path| {
        mount_copy_of(setup, path, root.old.find(path))
    })?;
    must("the new root", umount2(".", MntFlags::MNT_DETACH))?;
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | QUIET;
    must("/", mount(None::<&str>, "/", None::<&str>, flags, None::<&str>))
}

/// Makes shared memory a part of the scratch folder, hides what is hidden, and shows again what is
/// shown in either.
fn cover_mounts_alone(setup: &SupervisorSetup, scratch: &Path) -> SetupResult {
    let visible = &setup.visible;
    let machine = found("/", FileTree::at(Path::new("/")))?;
    let mut kept = BTreeMap::new();
    for layer in visible.layers() {
        // The contents of a folder can no longer be found once it is covered.
        if let VisibleLayer::Shown(path) = layer
            && let Some(mount) = mount_copy_of(setup, path, machine.find(path))?
        {
            kept.insert(path.to_owned(), mount);
        }
    }
    if let Some(memory) = find_shared_memory_mount() {
        let folder = found(scratch, machine.find(scratch))?;
        let show_at = |path: &Path| {
            let mount = found(path, FileTreeMount::bind(&folder))?;
            at(path, machine.attach(&mount, path))
        };
        show_at(&memory)?;
        if is_path_in(scratch, &memory) {
            // It has just been covered.
            show_at(scratch)?;
        }
    }
    mount_layers(&machine, visible, &scratch.join(EMPTY), |path| Ok(kept.remove(path)))
}

/// Shows and hides paths in `tree`. Uses the file `empty`, and removes it afterwards.
fn mount_layers(
    tree: &FileTree,
    visible: &VisiblePaths,
    empty: &Path,
    mut source: impl FnMut(&Path) -> Result<Option<FileTreeMount>, SupervisorSetupError>,
) -> SetupResult {
    let mut covered = Vec::new();
    for layer in visible.layers() {
        match layer {
            VisibleLayer::Shown(path) => {
                if let Some(mount) = source(path)? {
                    must(path, mount.protect(READ_ONLY))?;
                    at(path, tree.attach(&mount, path))?;
                }
            }
            VisibleLayer::Hidden(path) => {
                let place = match tree.find(path) {
                    Ok(place) => place,
                    // It is not there, or only in the place of a link, where nothing is shown.
                    Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR | Errno::ACCESS) => continue,
                    Err(error) => return at(path, Err(error)),
                };
                let cover = if mounted_file_type(path, &place)? == FileType::Directory {
                    let mode = if visible.shows_in(path) { "711" } else { "000" };
                    found(path, FileTreeMount::empty_folder(mode))?
                } else {
                    found(path, mount_empty_file(tree, empty))?
                };
                at(path, cover.attach_to(&place))?;
                covered.push((path, cover));
            }
        }
    }
    for (path, cover) in covered {
        must(path, cover.protect(READ_ONLY))?;
    }
    match tree.remove_file(empty) {
        Err(Errno::NOENT) => Ok(()),
        removed => at(empty, removed),
    }
}

/// A mount of the unreadable file `empty`.
fn mount_empty_file(tree: &FileTree, empty: &Path) -> rustix::io::Result<FileTreeMount> {
    match tree.make_file(empty) {
        Ok(file) => rustix::fs::fchmod(&file, rustix::fs::Mode::empty())?,
        Err(Errno::EXIST) => {}
        Err(error) => return Err(error),
    }
    FileTreeMount::bind(tree.find(empty)?)
}

/// The mount options that limit a scratch folder.
fn scratch_mount_options(Limits { scratch, files, .. }: &Limits) -> String {
    format!("size={scratch},nr_inodes={files}")
}

/// The limit that the scratch folder has reached, if any.
pub(crate) fn find_full_scratch_mount(scratch: &Path, limits: &Limits) -> Option<Overrun> {
    let found = nix::sys::statvfs::statvfs(scratch).ok()?;
    if found.files_available() == 0 {
        return Some(Overrun::Files { limit: limits.files });
    }
    let limit = limits.scratch;
    let used = (found.blocks() - found.blocks_free()) * found.fragment_size();
    (found.blocks_available() == 0).then_some(Overrun::Scratch { used, limit })
}

/// Adds `path` to the error.
fn must<E: Error + 'static>(path: impl AsRef<Path>, result: Result<(), E>) -> SetupResult {
    result.map_err(|error| mount_error(path.as_ref(), &error))
}

fn at(path: &Path, result: rustix::io::Result<()>) -> SetupResult {
    found(path, result)
}

fn mounted_file_type(path: &Path, place: impl AsFd) -> Result<FileType, SupervisorSetupError> {
    found(path, tree_file_type(place))
}

/// Adds `path` to the error.
fn found<T>(
    path: impl AsRef<Path>,
    result: rustix::io::Result<T>,
) -> Result<T, SupervisorSetupError> {
    result.map_err(|error| mount_error(path.as_ref(), &io::Error::from(error)))
}

fn mount_error(path: &Path, error: &(dyn Error + 'static)) -> SupervisorSetupError {
    SupervisorSetupError::setting_up(&format!("its file system, {}", path.display()), error)
}

fn mount_tmpfs(path: &str, flags: MsFlags, options: &str) -> SetupResult {
    must(path, mount(Some("none"), path, Some("tmpfs"), flags, Some(options)))
}

/// A second mount of what was found at `path`; `None` if nothing was. Fails if it is not the
/// folder that lay there before.
fn mount_copy_of(
    setup: &SupervisorSetup,
    path: &Path,
    place: rustix::io::Result<OwnedFd>,
) -> Result<Option<FileTreeMount>, SupervisorSetupError> {
    match place {
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR) => Err(SupervisorSetupError::folder_replaced(path)),
        place => {
            let place = found(path, place)?;
            setup.check_place(path, &place)?;
            found(path, FileTreeMount::bind(place)).map(Some)
        }
    }
}

/// A new root, and the machine's file system that it is made of.
struct MountedRoot {
    new: FileTree,
    old: FileTree,
}

impl MountedRoot {
    fn make_folder(&self, path: &str) -> SetupResult {
        at(Path::new(path), self.new.make_folder(Path::new(path)).map(drop))
    }

    /// Shows a system file or folder of the machine at its own path, unless it is missing.
    fn show_system(&self, path: &Path) -> SetupResult {
        self.show(path, self.old.find_behind_links(path))
    }

    /// Copies a link of the machine, if it is one.
    fn copy_link(&self, path: &str) -> SetupResult {
        let path = Path::new(path);
        let is_link =
            |place: &OwnedFd| tree_file_type(place).is_ok_and(|it| it == FileType::Symlink);
        match self.old.find_behind_links(path).ok().filter(is_link) {
            Some(link) => self.show(path, Ok(link)),
            None => Ok(()),
        }
    }

    /// Shows a file or folder of the machine at `path`, unless it is missing.
    fn show_at(&self, original: &Path, path: &Path) -> SetupResult {
        self.show(path, self.old.find(original))
    }

    /// Shows something at `path`, read-only. Copies a link.
    fn show(&self, path: &Path, source: rustix::io::Result<OwnedFd>) -> SetupResult {
        let source = match source {
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
            source => found(path, source)?,
        };
        if mounted_file_type(path, &source)? == FileType::Symlink {
            let target = found(path, rustix::fs::readlinkat(&source, "", Vec::new()))?;
            let target = OsString::from_vec(target.into_bytes());
            return match self.new.make_link(path, Path::new(&target)) {
                // Several lists can have the same path.
                Err(Errno::EXIST) => Ok(()),
                made => at(path, made),
            };
        }
        let mount = found(path, FileTreeMount::bind(source))?;
        must(path, mount.protect(READ_ONLY))?;
        at(path, self.new.attach(&mount, path))
    }

    /// Shows what lies in the folder `below` of the system in the folder `image`. Where something of
    /// the machine is shown in one of its folders, that folder is made anew, because a mount is
    /// read-only; a link or a file that is in the way is left out.
    fn show_image(&self, image: &Path, below: &Path, setup: &SupervisorSetup) -> SetupResult {
        let original = |path: &Path| image.join(path.strip_prefix("/").unwrap_or(path));
        let of_machine = || setup.visible.shown().iter().chain(&setup.devices);
        let folder = original(below);
        for (entry, kind) in found(&folder, self.old.list(&folder))? {
            let path = below.join(entry.file_name().unwrap_or_default());
            let is_taken = of_machine().any(|other| *other == path);
            if is_taken || MADE_ANEW.iter().any(|own| path == Path::new(own)) {
                continue;
            }
            if !of_machine().any(|other| is_path_in(other, &path)) {
                self.show_at(&original(&path), &path)?;
            } else if kind == FileType::Directory {
                at(&path, self.new.make_folder(&path).map(drop))?;
                self.show_image(image, &path, setup)?;
            }
        }
        Ok(())
    }

    /// Adds the harmless devices and those that were given. Shared memory is in the scratch folder,
    /// and so under its limit.
    fn add_devices(&self, setup: &SupervisorSetup) -> SetupResult {
        self.make_folder("/dev")?;
        for name in ["null", "zero", "full", "random", "urandom"] {
            self.show_device(&Path::new("/dev").join(name))?;
        }
        let links = [
            ("fd", "/proc/self/fd"),
            ("stdin", "/proc/self/fd/0"),
            ("stdout", "/proc/self/fd/1"),
            ("stderr", "/proc/self/fd/2"),
        ];
        for (name, target) in links {
            let path = Path::new("/dev").join(name);
            at(&path, self.new.make_link(&path, Path::new(target)))?;
        }
        let shared = Path::new(SHARED_MEMORY);
        if setup.visible.shows_in(shared) {
            // Nothing can be shown behind a link.
            let scratch =
                found(shared, self.new.find(Path::new(SCRATCH)).and_then(FileTreeMount::bind))?;
            at(shared, self.new.attach(&scratch, shared))?;
        } else {
            at(shared, self.new.make_link(shared, Path::new(SCRATCH)))?;
        }
        setup.devices.iter().try_for_each(|path| self.show_device(path))
    }

    /// Shows a device at its own path.
    fn show_device(&self, path: &Path) -> SetupResult {
        let mount = found(path, self.old.follow(path).and_then(FileTreeMount::bind))?;
        // Its times could carry a message to a later game. It can be written to all the same.
        must(path, mount.protect(libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOEXEC))?;
        at(path, self.new.attach(&mount, path))
    }

    /// Writes lists of users and groups that contain only those of the process.
    fn write_user(&self, (user, group): (u32, u32)) -> SetupResult {
        for (path, text) in [
            ("/etc/passwd", format!("player:x:{user}:{group}::{SCRATCH}:/bin/sh\n")),
            ("/etc/group", format!("player:x:{group}:\n")),
        ] {
            self.write_over(Path::new(path), &text)?;
        }
        Ok(())
    }

    /// Writes a file. If an image of the process's own has one there, mounts the new one over it. If
    /// that image has a folder without the file, or a link in its place, the process does without
    /// it.
    fn write_over(&self, path: &Path, text: &str) -> SetupResult {
        match self.new.make_file(path) {
            Ok(mut file) => return must(path, file.write_all(text.as_bytes())),
            Err(Errno::EXIST) => {}
            Err(Errno::ROFS | Errno::LOOP | Errno::NOTDIR) => return Ok(()),
            Err(error) => return at(path, Err(error)),
        }
        let place = found(path, self.new.find(path))?;
        if mounted_file_type(path, &place)? != FileType::RegularFile {
            return Ok(());
        }
        let new = Path::new(SCRATCH).join(NEW);
        let mut file = found(path, self.new.make_file(&new))?;
        must(path, file.write_all(text.as_bytes()))?;
        let mount = found(path, self.new.find(&new).and_then(FileTreeMount::bind))?;
        must(path, mount.protect(READ_ONLY))?;
        at(path, mount.attach_to(&place))?;
        at(path, self.new.remove_file(&new))
    }
}
