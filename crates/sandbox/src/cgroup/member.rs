//! The control group of a process, from its supervisor's side.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use super::files::kill_in;
use crate::protocol::{CgroupSetup, SetupError};

/// A group that the supervisor has created for its process.
#[derive(Debug)]
pub(crate) struct Cgroup {
    dir: PathBuf,
    procs: File,
}

impl Cgroup {
    /// Creates the group with its settings. Settings whose name begins with `?` are skipped if the
    /// kernel does not know them.
    pub(crate) fn make(group: &CgroupSetup) -> Result<Self, SetupError> {
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
            OpenOptions::new().write(true).open(dir.join("cgroup.procs"))
        };
        make().map(|procs| Self { dir: dir.clone(), procs }).map_err(|error: io::Error| {
            let _ = fs::remove_dir(dir);
            SetupError::setting_up(&format!("its control group {}", dir.display()), &error)
        })
    }

    /// Moves this process into the group.
    pub(crate) fn join(&self) -> Result<(), SetupError> {
        (&self.procs).write_all(b"0").map_err(|error| {
            SetupError::setting_up(&format!("its control group {}", self.dir.display()), &error)
        })
    }

    /// Kills everything in the group at once, if the kernel supports it.
    pub(crate) fn kill(&self) {
        kill_in(&self.dir);
    }

    /// Removes the group and, if the caller is gone, the caller's group above it.
    pub(crate) fn remove(self, caller_is_gone: bool) -> io::Result<()> {
        drop(self.procs);
        let removed = fs::remove_dir(&self.dir);
        if let Some(above) = self.dir.parent().filter(|_| caller_is_gone) {
            // Other supervisors may still have processes in it; the last one succeeds.
            let _ = fs::remove_dir(above);
        }
        removed
    }
}
