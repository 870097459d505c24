//! What is made for a player outside of its box, and removed after it.

use std::fs;
use std::path::Path;

use nix::mount::{MntFlags, umount2};

use super::guard::Order;
use super::spec::{Failed, Spec};
use super::{cgroup, mounts, scratch};

/// What was made so far.
#[derive(Default)]
pub(super) struct Made {
    pub(super) groups: Vec<cgroup::Joined>,
    scratch: bool,
    mounts: bool,
}

impl Made {
    /// Makes it all. What was made before something failed is there to be removed.
    pub(super) fn make(&mut self, order: &Order) -> Result<(), Failed> {
        let spec = &order.spec;
        for group in &spec.groups {
            self.groups.push(cgroup::Joined::make(group)?);
        }
        let Some(dir) = &spec.scratch else { return Ok(()) };
        scratch::make(dir, spec.user)
            .map_err(|error| Failed::setting_up("its scratch folder", &error))?;
        self.scratch = true;
        if spec.has_mounts_alone() {
            self.mounts = true;
            mounts::settle(spec, dir, order.ids)?;
        }
        Ok(())
    }

    /// Removes it all once the player is gone; what stays, if anything, as a sentence without a
    /// subject.
    pub(super) fn remove(self, spec: &Spec, referee_is_gone: bool) -> Option<String> {
        for group in self.groups {
            // Nothing of a group is used once it is empty.
            let _ = group.remove(referee_is_gone);
        }
        let dir = spec.scratch.as_ref().filter(|_| self.scratch)?;
        remove_scratch(dir, self.mounts)
    }
}

fn remove_scratch(dir: &Path, is_mounted: bool) -> Option<String> {
    let removed = if is_mounted {
        // What was mounted goes with it.
        let _ = umount2(dir, MntFlags::MNT_DETACH);
        fs::remove_dir(dir)
    } else {
        scratch::remove(dir)
    };
    what_stays(dir, removed)
}

fn what_stays(dir: &Path, removed: std::io::Result<()>) -> Option<String> {
    let error = removed.err()?;
    Some(format!("left files that cannot be removed in {}: {error}", dir.display()))
}

/// Removes what was made for a player whose guard was killed, once the player is gone; what stays.
pub(super) fn remove_after_guard(spec: &Spec) -> Option<String> {
    for group in &spec.groups {
        let _ = fs::remove_dir(&group.dir);
    }
    let dir = spec.scratch.as_ref().filter(|dir| dir.exists())?;
    // What was mounted there went with the guard and the player.
    what_stays(dir, scratch::remove(dir))
}
