//! Finds the cgroup hierarchies of the machine.

use std::path::{Path, PathBuf};

use super::files::Version;
use crate::level::Mechanism;

/// A hierarchy, and the group of this process in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CgroupHierarchy {
    /// The folder of this process's group.
    pub(super) own: PathBuf,
    /// The names of the controllers; empty for version 2.
    controllers: Vec<String>,
}

impl CgroupHierarchy {
    pub(super) fn version(&self) -> Version {
        if self.controllers.is_empty() { Version::Two } else { Version::One }
    }

    /// Whether it may provide `mechanism`. For version 2, creating a group shows what it really
    /// has.
    pub(super) fn may_provide(&self, mechanism: Mechanism) -> bool {
        let controller = match mechanism {
            _ if self.version() == Version::Two => return true,
            Mechanism::Memory => "memory",
            Mechanism::Processes => "pids",
            Mechanism::Cpu => "cpuacct",
            _ => return false,
        };
        self.controllers.iter().any(|own| own == controller)
    }
}

/// The group of this name holds the processes that are aside: a group that passes controllers on
/// may not contain processes itself.
pub(super) const ASIDE: &str = "aside.referee";

/// The hierarchies listed in `mountinfo` of `/proc/self`, and the groups that `cgroup` of a process
/// lists in them.
pub(super) fn parse_cgroup_hierarchies(mountinfo: &str, cgroup: &str) -> Vec<CgroupHierarchy> {
    let mut found = Vec::new();
    for line in mountinfo.lines() {
        let Some((mount, file_system)) = line.split_once(" - ") else { continue };
        let mut file_system = file_system.split(' ');
        let (kind, options) = (file_system.next().unwrap_or(""), file_system.nth(1).unwrap_or(""));
        let mut mount = mount.split(' ').skip(3);
        let (Some(root), Some(folder)) = (mount.next(), mount.next()) else { continue };
        let own = cgroup.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            let same = match kind {
                "cgroup2" => controllers.is_empty(),
                "cgroup" => {
                    !controllers.is_empty()
                        && controllers.split(',').all(|name| options.split(',').any(|o| o == name))
                }
                _ => false,
            };
            same.then(|| (controllers.to_owned(), path.to_owned()))
        });
        let Some((controllers, path)) = own else { continue };
        let Ok(mut below) = Path::new(&path).strip_prefix(root) else { continue };
        if below.ends_with(ASIDE) {
            // A later run from the same script would otherwise go down by one group each time.
            below = below.parent().unwrap_or(below);
        }
        let controllers = controllers.split(',').filter(|name| !name.is_empty());
        let hierarchy = CgroupHierarchy {
            own: Path::new(folder).join(below),
            controllers: controllers.map(str::to_owned).collect(),
        };
        if !found.contains(&hierarchy) {
            found.push(hierarchy);
        }
    }
    // Version 2 comes first: version 1 only provides what version 2 does not.
    found.sort_by_key(|hierarchy| !hierarchy.controllers.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_was_moved_aside_still_belongs_to_the_group_above() {
        let mountinfo = "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let found = parse_cgroup_hierarchies(mountinfo, &format!("0::/a.service/{ASIDE}\n"));
        let own: Vec<_> = found.into_iter().map(|hierarchy| hierarchy.own).collect();
        assert_eq!(own, [PathBuf::from("/sys/fs/cgroup/a.service")]);
    }

    #[test]
    fn hierarchies_of_both_versions_are_found() {
        let mountinfo = "\
30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
31 25 0:27 /docker/x /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
33 25 0:29 / /proc rw - proc proc rw
";
        let cgroup = "4:memory:/a/b\n3:cpu,cpuacct:/docker/x/y\n0::/user.slice\n";
        let of = |own: &str, controllers: &[&str]| CgroupHierarchy {
            own: PathBuf::from(own),
            controllers: controllers.iter().map(|&name| name.to_owned()).collect(),
        };
        assert_eq!(
            parse_cgroup_hierarchies(mountinfo, cgroup),
            [
                of("/sys/fs/cgroup/unified/user.slice", &[]),
                of("/sys/fs/cgroup/memory/a/b", &["memory"]),
                of("/sys/fs/cgroup/cpu,cpuacct/y", &["cpu", "cpuacct"]),
            ]
        );
    }
}
