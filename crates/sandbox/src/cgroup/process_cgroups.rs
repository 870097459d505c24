//! The control groups of a process, from the caller's side: measuring, freezing, killing.

#![expect(unsafe_code, reason = "waiting for the events of a file")]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::files::{Version, cgroup_file, parse_cgroup_field, write_cgroup_kill_file};
use crate::level::Mechanism;
use crate::supervisor_protocol::SetupCgroup;

/// The groups of one process and its descendants, as the caller sees them.
#[derive(Debug, Default)]
pub(crate) struct ProcessCgroups {
    /// The groups that the supervisor is to create.
    pub(crate) setups: Vec<SetupCgroup>,
    /// Which group provides which mechanism.
    pub(super) of: Vec<(Mechanism, Version, PathBuf)>,
    /// The files with the counts. They stay open after the first reading: opening them took more
    /// time than all else that the referee does between two games of a kept player.
    pub(super) opened: CountFiles,
}

/// The open files with the counts of processes.
#[derive(Debug, Default)]
pub(super) struct CountFiles {
    memory: OnceLock<File>,
    processes: OnceLock<File>,
}

/// How often limits were exceeded since the groups were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    /// The number of processes killed because memory ran out.
    pub(crate) killed_for_memory: u64,
    /// The number of processes and threads refused because there were too many.
    pub(crate) refused_processes: u64,
}

/// The file with the CPU time of a group.
#[derive(Debug)]
pub(crate) struct ProcessCgroupCpuFile {
    version: Version,
    file: File,
}

impl ProcessCgroupCpuFile {
    /// The CPU time of everything that was ever in the group.
    pub(crate) fn read(&self) -> Option<Duration> {
        read_process_cgroup_file(&self.file, |text| match self.version {
            Version::One => text.trim().parse().ok().map(Duration::from_nanos),
            Version::Two => parse_cgroup_field(text, "usage_usec").map(Duration::from_micros),
        })
    }
}

/// Reads a number from the beginning of an open file, however often it was read before.
fn read_process_cgroup_file<T>(file: &File, number: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let mut space = [0; 512];
    let count = file.read_at(&mut space, 0).ok()?;
    number(std::str::from_utf8(&space[..count]).ok()?)
}

impl ProcessCgroups {
    /// Kills everything in the groups, if the kernel supports it.
    pub(crate) fn kill(&self) {
        self.setups.iter().for_each(|group| write_cgroup_kill_file(&group.dir));
    }

    /// Whether one of the groups provides `mechanism`.
    pub(crate) fn provides(&self, mechanism: Mechanism) -> bool {
        self.group_of(mechanism).is_some()
    }

    fn group_of(&self, mechanism: Mechanism) -> Option<(Version, &Path)> {
        let (_, version, dir) = self.of.iter().find(|(one, ..)| *one == mechanism)?;
        Some((*version, dir))
    }

    fn read_number(&self, mechanism: Mechanism, names: [&str; 2]) -> Option<u64> {
        let (version, dir) = self.group_of(mechanism)?;
        let name = if version == Version::One { names[0] } else { names[1] };
        fs::read_to_string(dir.join(name)).ok()?.trim().parse().ok()
    }

    /// The number after `key` in this file of a group, which is opened if it was not.
    fn read_count(
        &self,
        mechanism: Mechanism,
        names: [&str; 2],
        key: &str,
        opened: &OnceLock<File>,
    ) -> Option<u64> {
        let (version, dir) = self.group_of(mechanism)?;
        let name = if version == Version::One { names[0] } else { names[1] };
        let file = if let Some(file) = opened.get() {
            file
        } else {
            let file = File::open(dir.join(name)).ok()?;
            opened.get_or_init(|| file)
        };
        read_process_cgroup_file(file, |text| parse_cgroup_field(text, key))
    }

    /// The highest memory use of all processes together, in bytes.
    pub(crate) fn memory_peak(&self) -> Option<u64> {
        self.read_number(Mechanism::Memory, ["memory.max_usage_in_bytes", "memory.peak"])
    }

    /// The counts so far.
    pub(crate) fn counts(&self) -> Counts {
        let (memory, processes) =
            (["memory.oom_control", "memory.events"], ["pids.events", "pids.events"]);
        let CountFiles { memory: of_memory, processes: of_processes } = &self.opened;
        let killed = self.read_count(Mechanism::Memory, memory, "oom_kill", of_memory);
        let refused = self.read_count(Mechanism::Processes, processes, "max", of_processes);
        Counts { killed_for_memory: killed.unwrap_or(0), refused_processes: refused.unwrap_or(0) }
    }

    /// The file with the CPU time; `None` until the supervisor has created the groups.
    pub(crate) fn open_cpu_file(&self) -> Option<ProcessCgroupCpuFile> {
        let (version, dir) = self.group_of(Mechanism::Cpu)?;
        let file = File::open(dir.join(cgroup_file(Mechanism::Cpu, version)?)).ok()?;
        Some(ProcessCgroupCpuFile { version, file })
    }

    /// The freezer; `None` until the supervisor has created the groups.
    pub(crate) fn open_freezer(&self) -> Option<ProcessCgroupFreezer> {
        let (_, dir) = self.group_of(Mechanism::Freeze)?;
        let control = OpenOptions::new().write(true).open(dir.join("cgroup.freeze")).ok()?;
        let events = File::open(dir.join("cgroup.events")).ok()?;
        // SAFETY: the file owns its descriptor, and keeps the same one open as long as it lives.
        let events = unsafe { AsyncFd::register_with_interest(events, Interest::PRIORITY) };
        Some(ProcessCgroupFreezer { control, events: events.ok()? })
    }
}

/// Stops all processes of a group at once.
#[derive(Debug)]
pub(crate) struct ProcessCgroupFreezer {
    control: File,
    events: AsyncFd<File>,
}

impl ProcessCgroupFreezer {
    /// Asks the kernel to stop the processes. Returns whether it accepted.
    pub(crate) fn freeze(&self) -> bool {
        (&self.control).write_all(b"1").is_ok()
    }

    /// Lets the processes continue. Returns true once they run.
    pub(crate) async fn thaw(&self) -> bool {
        (&self.control).write_all(b"0").is_ok() && self.wait_for_state(0).await
    }

    /// Waits for all processes to stop. Returns true once they have.
    pub(crate) async fn wait_until_frozen(&self) -> bool {
        self.wait_for_state(1).await
    }

    async fn wait_for_state(&self, wanted: u64) -> bool {
        loop {
            let mut space = [0; 128];
            let Ok(count) = self.events.get_ref().read_at(&mut space, 0) else { return false };
            let text = String::from_utf8_lossy(&space[..count]);
            match parse_cgroup_field(&text, "frozen") {
                Some(state) if state == wanted => return true,
                Some(_) => {}
                None => return false,
            }
            match self.events.ready(Interest::PRIORITY).await {
                Ok(mut ready) => ready.clear_ready(),
                Err(_) => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The groups of a process in one hierarchy, with these files.
    fn groups(version: Version, files: &[(&str, &str)]) -> (tempfile::TempDir, ProcessCgroups) {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(dir.path().join(name), text).expect("written");
        }
        let given = [Mechanism::Memory, Mechanism::Processes, Mechanism::Cpu];
        let of = given.map(|one| (one, version, dir.path().to_owned())).to_vec();
        (dir, ProcessCgroups { of, ..ProcessCgroups::default() })
    }

    #[test]
    fn both_versions_are_read() {
        let (_one, one) = groups(
            Version::One,
            &[
                ("memory.max_usage_in_bytes", "4096\n"),
                ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"),
                ("pids.events", "max 5\n"),
                ("cpuacct.usage", "1500000000\n"),
            ],
        );
        let (_two, two) = groups(
            Version::Two,
            &[
                ("memory.peak", "4096\n"),
                ("memory.events", "low 0\nmax 9\noom 3\noom_kill 2\n"),
                ("pids.events", "max 5\n"),
                ("cpu.stat", "usage_usec 1500000\nuser_usec 1\n"),
            ],
        );
        for groups in [one, two] {
            assert_eq!(groups.memory_peak(), Some(4096));
            assert_eq!(groups.counts(), Counts { killed_for_memory: 2, refused_processes: 5 });
            let cpu = groups.open_cpu_file().and_then(|file| file.read());
            assert_eq!(cpu, Some(Duration::from_millis(1500)));
        }
    }

    #[test]
    fn a_cpu_file_is_read_again_from_its_beginning() {
        let (dir, groups) = groups(Version::One, &[("cpuacct.usage", "1001")]);
        let file = groups.open_cpu_file().expect("a file");
        assert_eq!(file.read(), Some(Duration::from_nanos(1001)));
        fs::write(dir.path().join("cpuacct.usage"), "3001").expect("written");
        assert_eq!(file.read(), Some(Duration::from_nanos(3001)));
    }

    #[test]
    fn the_files_with_the_counts_are_opened_once() {
        let (dir, groups) = groups(Version::Two, &[("pids.events", "max 5\n")]);
        let refused = || groups.counts().refused_processes;
        assert_eq!(refused(), 5);
        fs::write(dir.path().join("pids.events"), "max 6\n").expect("written");
        assert_eq!(refused(), 6);
        fs::rename(dir.path().join("pids.events"), dir.path().join("moved")).expect("renamed");
        assert_eq!(refused(), 6);
    }

    #[test]
    fn unreadable_control_groups_have_no_readings() {
        let nothing = ProcessCgroups::default();
        assert_eq!((nothing.memory_peak(), nothing.counts()), (None, Counts::default()));
        assert!(nothing.open_cpu_file().is_none() && nothing.open_freezer().is_none());
        let (_dir, odd) =
            groups(Version::Two, &[("memory.peak", "max\n"), ("cpu.stat", "user_usec 1\n")]);
        assert_eq!((odd.memory_peak(), odd.counts()), (None, Counts::default()));
        assert_eq!(odd.open_cpu_file().and_then(|file| file.read()), None);
    }
}
