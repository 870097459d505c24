//! Resources that the supervisor creates outside the sandbox and removes afterwards: control
//! groups, the scratch folder, mounts.

use std::fs;
use std::path::Path;

use nix::mount::{MntFlags, umount2};

use crate::cgroup::Cgroup;
use crate::leftovers::UnremovedScratch;
use crate::start_request::StartRequest;
use crate::supervisor_protocol::{Setup, SetupError};
use crate::{mounts, scratch_folder};

/// The resources created so far.
#[derive(Default)]
pub(crate) struct Resources {
    pub(crate) groups: Vec<Cgroup>,
    scratch: bool,
    mounts: bool,
}

impl Resources {
    /// Creates all resources. After a failure, [`remove`](Self::remove) removes those created
    /// before.
    pub(crate) fn make(&mut self, request: &StartRequest) -> Result<(), SetupError> {
        let setup = &request.setup;
        for group in &setup.groups {
            self.groups.push(Cgroup::make(group)?);
        }
        let Some(dir) = &setup.scratch else { return Ok(()) };
        scratch_folder::make(dir, setup.user)
            .map_err(|error| SetupError::setting_up("its scratch folder", &error))?;
        self.scratch = true;
        if setup.has_mounts_alone() {
            self.mounts = true;
            mounts::make_alone(setup, dir, request.ids)?;
        }
        Ok(())
    }

    /// Removes all resources once the process is gone. Returns the scratch folder if that cannot be
    /// removed.
    pub(crate) fn remove(self, setup: &Setup) -> Option<UnremovedScratch> {
        for group in self.groups {
            // A group that remains is empty and uses nothing.
            let _ = group.remove();
        }
        let dir = setup.scratch.as_ref().filter(|_| self.scratch)?;
        remove_scratch(dir, self.mounts)
    }
}

fn remove_scratch(dir: &Path, is_mounted: bool) -> Option<UnremovedScratch> {
    let removed = if is_mounted {
        // Unmounting removes its files.
        let _ = umount2(dir, MntFlags::MNT_DETACH);
        fs::remove_dir(dir)
    } else {
        scratch_folder::remove(dir)
    };
    unremoved(dir, removed)
}

fn unremoved(dir: &Path, removed: std::io::Result<()>) -> Option<UnremovedScratch> {
    let error = removed.err()?;
    Some(UnremovedScratch { dir: dir.to_owned(), reason: error.to_string() })
}

/// Removes the resources of a supervisor that was killed; for the caller.
pub(crate) fn remove_after_supervisor(setup: &Setup) -> Option<UnremovedScratch> {
    for group in &setup.groups {
        let _ = fs::remove_dir(&group.dir);
    }
    let dir = setup.scratch.as_ref().filter(|dir| dir.exists())?;
    // A mount there vanished with the supervisor and the process.
    unremoved(dir, scratch_folder::remove(dir))
}
