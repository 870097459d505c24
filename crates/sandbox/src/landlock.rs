//! Landlock: limits the files that this process may use and the processes it may signal, and denies
//! TCP, except to a proxy.

use std::fs::{self, File};
use std::io::Error;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, NetPort, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope, make_bitflags, path_beneath_rules,
};

use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;

use crate::containment_request::Network;
use crate::file_tree::tree_file_type;
use crate::level::Mechanism;
use crate::loopback::PROXY_PORT;
use crate::machine_settings::machine_settings;
use crate::mounts::SCRATCH;
use crate::pinned_path::open_without_links;
use crate::supervisor_protocol::{SupervisorSetup, SupervisorSetupError};
use crate::system_paths::SYSTEM;
use crate::visible_paths::VisiblePaths;

/// The newest Landlock version to ask for. Older kernels provide what they can.
const NEWEST: ABI = ABI::V6;

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{Execute | ReadFile | ReadDir});

/// What a process may do with a device that was given to it.
const USE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | WriteFile | IoctlDev});

/// Files about the machine and the process itself, which language runtimes read.
const ABOUT_THE_MACHINE: &[&str] = &[
    "/dev/zero",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
];

/// Devices that a process may read and write. Not `/dev/zero`: a shared mapping of it is memory that
/// no poll finds.
const DEVICES: &[&str] = &["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// Restricts this process permanently, with everything that it executes and starts.
pub(crate) fn apply_landlock(
    setup: &SupervisorSetup,
    this: Option<&File>,
) -> Result<(), SupervisorSetupError> {
    let failed = |error: &(dyn std::error::Error + 'static)| {
        SupervisorSetupError::setting_up("its Landlock rules", error)
    };
    let rules = || -> Result<RulesetCreated, landlock::RulesetError> {
        let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?;
        if matches!(setup.network, Network::Closed | Network::Proxy) {
            ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
        }
        let mut ruleset = ruleset.scope(Scope::from_all(NEWEST))?.create()?;
        if setup.network == Network::Proxy {
            ruleset = ruleset.add_rule(NetPort::new(PROXY_PORT, AccessNet::ConnectTcp))?;
        }
        if setup.has(Mechanism::Namespaces) {
            landlock_with_namespaces(ruleset, setup)
        } else {
            landlock_without_namespaces(ruleset, setup)
        }
    };
    let mut ruleset = landlock_own_paths(rules().map_err(|error| failed(&error))?, setup)?;
    // The caller's own program may be anywhere, and its file may have been replaced.
    if let Some(this) = this {
        let rule = PathBeneath::new(this, make_bitflags!(AccessFs::{Execute | ReadFile}));
        ruleset = ruleset.add_rule(rule).map_err(|error| failed(&error))?;
    }
    ruleset.restrict_self().map(drop).map_err(|error| failed(&error))
}

/// The mounts already show only what the process may read, so Landlock allows reading all of it.
fn landlock_with_namespaces(
    ruleset: RulesetCreated,
    setup: &SupervisorSetup,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let everything = AccessFs::from_all(NEWEST);
    ruleset
        .add_rules(path_beneath_rules(["/"], READ))?
        .add_rules(path_beneath_rules([SCRATCH], everything))?
        .add_rules(path_beneath_rules(DEVICES, make_bitflags!(AccessFs::{ReadFile | WriteFile})))?
        .add_rules(path_beneath_rules(&setup.devices, USE))
}

/// Shows what is the process's own, without mounts that show nothing else. Each part is opened over no
/// link, must be the folder that was found before, and is closed at once: there may be more parts than
/// files that the process may open.
fn landlock_own_paths(
    mut ruleset: RulesetCreated,
    setup: &SupervisorSetup,
) -> Result<RulesetCreated, SupervisorSetupError> {
    if setup.has(Mechanism::Namespaces) {
        return Ok(ruleset);
    }
    let failed = |error: &(dyn std::error::Error + 'static)| {
        SupervisorSetupError::setting_up("its Landlock rules", error)
    };
    let mut own = LandlockPaths::default();
    for path in setup.visible.shown().iter().filter(|path| !path.is_symlink()) {
        own.add(path, &setup.visible);
    }
    let read = own.read.into_iter().map(|path| (path, READ));
    let listed = own.listed.into_iter().map(|path| (path, AccessFs::ReadDir.into()));
    for (path, access) in read.chain(listed) {
        let opened = match open_without_links(&path, OFlags::PATH) {
            Ok(opened) => opened,
            // The machine lacks something, which is not the player's fault.
            Err(error @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM)) => {
                return Err(failed(&Error::from(error)));
            }
            // Nothing is shown of what is missing, or lies behind a link.
            Err(_) => continue,
        };
        setup.check_place(&path, &opened)?;
        let access = match tree_file_type(&opened).map_err(|error| failed(&Error::from(error)))? {
            FileType::Symlink => continue,
            FileType::Directory => access,
            _ => access & AccessFs::from_file(NEWEST),
        };
        let rule = PathBeneath::new(opened, access);
        ruleset = ruleset.add_rule(rule).map_err(|error| failed(&error))?;
    }
    Ok(ruleset)
}

/// Allows reading only system folders.
fn landlock_without_namespaces(
    ruleset: RulesetCreated,
    setup: &SupervisorSetup,
) -> Result<RulesetCreated, landlock::RulesetError> {
    // A rule for a link would apply to its target, wherever that lies.
    let settings =
        machine_settings().iter().map(PathBuf::as_path).filter(|path| !path.is_symlink());
    let mut system = LandlockPaths::default();
    for path in SYSTEM.iter().map(Path::new).chain(settings) {
        system.add(path, &setup.visible);
    }
    // `/proc/self` is this process alone: its children cannot look at themselves, as Mono does at its
    // start. Where `/proc` shows nothing of other users, they may.
    let is_private = setup.has(Mechanism::Mounts) && setup.user.is_some();
    let processes = if is_private { "/proc" } else { "/proc/self" };
    ruleset
        .add_rules(path_beneath_rules(ABOUT_THE_MACHINE, READ))?
        .add_rules(path_beneath_rules([processes], READ))?
        .add_rules(path_beneath_rules(system.read, READ))?
        .add_rules(path_beneath_rules(system.listed, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(&setup.scratch, AccessFs::from_all(NEWEST)))?
        .add_rules(path_beneath_rules(DEVICES, make_bitflags!(AccessFs::{ReadFile | WriteFile})))?
        .add_rules(path_beneath_rules(&setup.devices, USE))
}

/// The readable paths that remain after hidden ones are left out.
#[derive(Debug, Default)]
struct LandlockPaths {
    /// Paths that are readable with everything in them.
    read: Vec<PathBuf>,
    /// Folders that contain something hidden. They can be listed, because interpreters could not
    /// find modules in them otherwise. Landlock then also allows listing the folders in them.
    listed: Vec<PathBuf>,
}

impl LandlockPaths {
    /// Adds `path`; if something in it is hidden, adds everything else in it. What is shown in
    /// something hidden is added by itself.
    fn add(&mut self, path: &Path, visible: &VisiblePaths) {
        if visible.hides(path) {
            return;
        }
        if !visible.hides_in(path) {
            self.read.push(path.to_owned());
            return;
        }
        self.listed.push(path.to_owned());
        let Ok(entries) = fs::read_dir(path) else { return };
        // A rule for a link would apply to its target, wherever that lies.
        let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        for entry in entries.flatten().filter(|entry| !is_link(entry)) {
            self.add(&entry.path(), visible);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths shown of `path` if `hidden` is hidden, in a folder with some files.
    fn shown(path: &str, hidden: &str) -> [Vec<String>; 2] {
        let dir = tempfile::tempdir().expect("a folder");
        for folder in ["a/results/cup", "a/b", "c"] {
            fs::create_dir_all(dir.path().join(folder)).expect("a folder");
        }
        std::os::unix::fs::symlink("/etc", dir.path().join("a/link")).expect("a link");
        let mut shown = LandlockPaths::default();
        let path = dir.path().join(path);
        shown.add(&path, &VisiblePaths::example(&[&path], &[&dir.path().join(hidden)]));
        [shown.read, shown.listed].map(|mut found| {
            found.sort();
            let names = found.iter().map(|path| path.strip_prefix(dir.path()).expect("below"));
            names.map(|name| name.display().to_string()).collect()
        })
    }

    #[test]
    fn a_hidden_folder_is_left_out_wherever_it_lies() {
        assert_eq!(shown("", "a/results")[0], ["a/b", "c"]);
        assert_eq!(shown("c", "a/results")[0], ["c"]);
        let own = shown("a/results/cup", "a/results")[0].clone();
        assert_eq!(own, ["a/results/cup"], "what is shown in something hidden stays visible");
    }

    #[test]
    fn a_folder_that_contains_something_hidden_may_be_listed() {
        assert_eq!(shown("", "a/results")[1], ["", "a"]);
        assert_eq!(shown("c", "a/results")[1], [""; 0]);
    }

    #[test]
    fn link_targets_in_visible_folders_stay_hidden() {
        assert_eq!(shown("a", "a/results")[0], ["a/b"]);
    }
}
