//! What is made for a player outside of its box, and removed after it.

use std::fs;
use std::path::Path;

use nix::mount::{MntFlags, umount2};

use crate::leftovers::UnremovedScratch;
use crate::protocol::{Setup, SetupError};
use crate::start_request::StartRequest;
use crate::{cgroup, mounts, scratch};

/// What was made so far.
#[derive(Default)]
pub(crate) struct Resources {
    pub(crate) groups: Vec<cgroup::Cgroup>,
    scratch: bool,
    mounts: bool,
}

impl Resources {
    /// Makes it all. What was made before something failed is there to be removed.
    pub(crate) fn make(&mut self, request: &StartRequest) -> Result<(), SetupError> {
        let setup = &request.setup;
        for group in &setup.groups {
            self.groups.push(cgroup::Cgroup::make(group)?);
        }
        let Some(dir) = &setup.scratch else { return Ok(()) };
        scratch::make(dir, setup.user)
            .map_err(|error| SetupError::setting_up("its scratch folder", &error))?;
        self.scratch = true;
        if setup.has_mounts_alone() {
            self.mounts = true;
            mounts::make_alone(setup, dir, request.ids)?;
        }
        Ok(())
    }

    /// Removes it all once the player is gone; the scratch folder, if it stays.
    pub(crate) fn remove(self, setup: &Setup, referee_is_gone: bool) -> Option<UnremovedScratch> {
        for group in self.groups {
            // Nothing of a group is used once it is empty.
            let _ = group.remove(referee_is_gone);
        }
        let dir = setup.scratch.as_ref().filter(|_| self.scratch)?;
        remove_scratch(dir, self.mounts)
    }
}

fn remove_scratch(dir: &Path, is_mounted: bool) -> Option<UnremovedScratch> {
    let removed = if is_mounted {
        // What was mounted goes with it.
        let _ = umount2(dir, MntFlags::MNT_DETACH);
        fs::remove_dir(dir)
    } else {
        scratch::remove(dir)
    };
    if_it_stays(dir, removed)
}

fn if_it_stays(dir: &Path, removed: std::io::Result<()>) -> Option<UnremovedScratch> {
    let error = removed.err()?;
    Some(UnremovedScratch { dir: dir.to_owned(), reason: error.to_string() })
}

/// Removes what was made for a player whose supervisor was killed, once the player is gone; what stays.
pub(crate) fn remove_after_supervisor(setup: &Setup) -> Option<UnremovedScratch> {
    for group in &setup.groups {
        let _ = fs::remove_dir(&group.dir);
    }
    let dir = setup.scratch.as_ref().filter(|dir| dir.exists())?;
    // What was mounted there went with the supervisor and the player.
    if_it_stays(dir, scratch::remove(dir))
}
