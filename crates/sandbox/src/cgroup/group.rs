//! The control group of a process, from its supervisor's side.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::files::write_cgroup_kill_file;
use super::parent::remove_unused_parent;
use crate::supervisor_protocol::{SetupCgroup, SupervisorSetupError};

/// The files to write to, to join a group: the first that exists. `tasks` of version 1 moves a
/// single thread, at once. To move a whole process, the kernel waits until no core creates or ends
/// a thread, which often takes milliseconds.
const JOIN: [&str; 2] = ["tasks", "cgroup.procs"];

/// A group that the supervisor has created for its process.
#[derive(Debug)]
pub(crate) struct Cgroup {
    dir: PathBuf,
    join: File,
}

impl Cgroup {
    /// Creates the group with its settings. Settings whose name begins with `?` are skipped if the
    /// kernel does not know them.
    pub(crate) fn make(group: &SetupCgroup) -> Result<Self, SupervisorSetupError> {
        let dir = &group.dir;
        let make = || {
            fs::create_dir(dir)?;
            for (name, value) in &group.set {
                let optional = name.strip_prefix('?');
                let file = dir.join(optional.unwrap_or(name));
                if optional.is_none() || file.exists() {
                    fs::write(file, value)?;
                }
            }
            open_cgroup_join_file(dir)
        };
        make().map(|join| Self { dir: dir.clone(), join }).map_err(|error: io::Error| {
            let _ = fs::remove_dir(dir);
            SupervisorSetupError::setting_up(
                &format!("its control group {}", dir.display()),
                &error,
            )
        })
    }

    /// Moves this process, which has a single thread, into the group.
    pub(crate) fn join(&self) -> Result<(), SupervisorSetupError> {
        (&self.join).write_all(b"0").map_err(|error| {
            SupervisorSetupError::setting_up(
                &format!("its control group {}", self.dir.display()),
                &error,
            )
        })
    }

    /// Kills everything in the group at once, if the kernel supports it.
    pub(crate) fn kill(&self) {
        write_cgroup_kill_file(&self.dir);
    }

    /// Removes the group and, if the caller is gone, the caller's group above it.
    pub(crate) fn remove(self) -> io::Result<()> {
        drop(self.join);
        let removed = fs::remove_dir(&self.dir);
        if let Some(above) = self.dir.parent() {
            remove_unused_parent(above);
        }
        removed
    }
}

/// Opens the first of [`JOIN`] that the group `dir` has.
fn open_cgroup_join_file(dir: &Path) -> io::Result<File> {
    let open = |name| OpenOptions::new().write(true).open(dir.join(name));
    let [tasks, procs] = JOIN;
    match open(tasks) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => open(procs),
        opened => opened,
    }
}
