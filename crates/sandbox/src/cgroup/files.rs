//! The files of a control group.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use crate::level::Mechanism;

/// The version of a cgroup hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// The mechanisms that control groups provide.
pub(crate) const GIVEN: [Mechanism; 5] =
    [Mechanism::Memory, Mechanism::Processes, Mechanism::Cpu, Mechanism::Freeze, Mechanism::Kill];

/// The file that must exist for a mechanism to be available.
pub(super) fn cgroup_file(mechanism: Mechanism, version: Version) -> Option<&'static str> {
    Some(match (mechanism, version) {
        (Mechanism::Memory, Version::One) => "memory.limit_in_bytes",
        (Mechanism::Memory, Version::Two) => "memory.max",
        (Mechanism::Processes, _) => "pids.max",
        (Mechanism::Cpu, Version::One) => "cpuacct.usage",
        (Mechanism::Cpu, Version::Two) => "cpu.stat",
        (Mechanism::Freeze, Version::Two) => "cgroup.freeze",
        (Mechanism::Kill, Version::Two) => "cgroup.kill",
        _ => return None,
    })
}

/// The number after `key` in a text with one key and number per line.
pub(super) fn parse_cgroup_field(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (name, number) = line.split_once(' ')?;
        (name == key).then(|| number.trim().parse().ok())?
    })
}

/// Kills everything in the group `dir` at once, if the kernel supports it.
pub(super) fn write_cgroup_kill_file(dir: &Path) {
    // On older kernels, each process is killed separately.
    let control = OpenOptions::new().write(true).open(dir.join("cgroup.kill"));
    let _ = control.and_then(|mut file| file.write_all(b"1"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_their_key() {
        let text = "low 0\noom 3\noom_kill 2\n";
        assert_eq!(
            (parse_cgroup_field(text, "oom_kill"), parse_cgroup_field(text, "max")),
            (Some(2), None)
        );
    }
}
