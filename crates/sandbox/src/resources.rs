//! Resources that the supervisor creates outside the sandbox and removes afterwards: control
//! groups, the scratch folder, mounts.

use std::fs;
use std::path::Path;

use nix::mount::{MntFlags, umount2};

use crate::cgroup::Cgroup;
use crate::leftovers::UnremovedScratch;
use crate::mounts::make_mounts_alone;
use crate::scratch_folder::{make_scratch_folder, remove_scratch_folder};
use crate::start_request::StartRequest;
use crate::supervisor_protocol::{SupervisorSetup, SupervisorSetupError};

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
    pub(crate) fn make(&mut self, request: &StartRequest) -> Result<(), SupervisorSetupError> {
        let setup = &request.setup;
        for group in &setup.groups {
            self.groups.push(Cgroup::make(group)?);
        }
        let Some(dir) = &setup.scratch else { return Ok(()) };
        make_scratch_folder(dir, setup.user)
            .map_err(|error| SupervisorSetupError::setting_up("its scratch folder", &error))?;
        self.scratch = true;
        if setup.has_mounts_alone() {
            self.mounts = true;
            make_mounts_alone(setup, dir, request.ids)?;
        }
        Ok(())
    }

    /// Removes all resources once the process is gone. Returns the scratch folder if that cannot be
    /// removed.
    pub(crate) fn remove(self, setup: &SupervisorSetup) -> Option<UnremovedScratch> {
        for group in self.groups {
            // A group that remains is empty and uses nothing.
            let _ = group.remove();
        }
        let dir = setup.scratch.as_ref().filter(|_| self.scratch)?;
        remove_scratch_resource(dir, self.mounts)
    }
}

fn remove_scratch_resource(dir: &Path, is_mounted: bool) -> Option<UnremovedScratch> {
    let removed = if is_mounted {
        // Unmounting removes its files.
        let _ = umount2(dir, MntFlags::MNT_DETACH);
        fs::remove_dir(dir)
    } else {
        remove_scratch_folder(dir)
    };
    unremoved_scratch_resource(dir, removed)
}

fn unremoved_scratch_resource(
    dir: &Path,
    removed: std::io::Result<()>,
) -> Option<UnremovedScratch> {
    let error = removed.err()?;
    Some(UnremovedScratch { dir: dir.to_owned(), reason: error.to_string() })
}

/// Removes the resources of a supervisor that was killed; for the caller.
pub(crate) fn remove_resources_after_supervisor(
    setup: &SupervisorSetup,
) -> Option<UnremovedScratch> {
    for group in &setup.groups {
        let _ = fs::remove_dir(&group.dir);
    }
    let dir = setup.scratch.as_ref().filter(|dir| dir.exists())?;
    // A mount there vanished with the supervisor and the process.
    unremoved_scratch_resource(dir, remove_scratch_folder(dir))
}
