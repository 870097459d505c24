//! Reads information about processes from `/proc`.

use std::fs;
use std::time::Duration;

use nix::time::ClockId;
use nix::unistd::Pid;

/// The children of all threads of `pid`.
pub(crate) fn children(pid: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| {
            list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()
        })
        .map(Pid::from_raw)
        .collect()
}

/// The fields of `/proc/PID/stat`, from the third.
fn stat(pid: Pid) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(stat.rsplit_once(") ")?.1.to_owned())
}

/// The letter of the process's state.
pub(crate) fn state(pid: Pid) -> Option<char> {
    stat(pid)?.chars().next()
}

/// The parent of the process.
pub(crate) fn parent(pid: Pid) -> Option<Pid> {
    stat(pid)?.split(' ').nth(1)?.parse().ok().map(Pid::from_raw)
}

/// The number of its threads.
pub(crate) fn threads(pid: Pid) -> u64 {
    let fields = stat(pid).unwrap_or_default();
    fields.split(' ').nth(17).and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// The CPU time that it has used itself.
pub(crate) fn cpu_time(pid: Pid) -> Option<Duration> {
    let clock = ClockId::pid_cpu_clock_id(pid).ok()?;
    Some(clock.now().ok()?.into())
}

/// How long each of its threads has waited for a core so far, by the number of the thread.
pub(crate) fn core_waits(pid: Pid) -> Vec<(i32, Duration)> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let of_thread = |thread: fs::DirEntry| {
        let number = thread.file_name().to_str()?.parse().ok()?;
        // The time on a core, the time of waiting for one, and how often it got one.
        let times = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let nanos = times.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some((number, Duration::from_nanos(nanos)))
    };
    threads.flatten().filter_map(of_thread).collect()
}

/// The CPU time of the children that it has waited for (fields 16 and 17).
pub(crate) fn waited_for(pid: Pid) -> Duration {
    let fields = stat(pid).unwrap_or_default();
    let ticks: u64 =
        fields.split(' ').skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    // The kernel shows these in units of 1/100 s, whatever its own tick is.
    Duration::from_millis(ticks * 10)
}

/// The peak resident memory of the process, in bytes.
pub(crate) fn peak_memory(pid: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    bytes_of(&status, "VmHWM:")
}

/// Its current resident memory, in bytes.
pub(crate) fn resident_memory(pid: Pid) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    bytes_of(&status, "VmRSS:").unwrap_or(0)
}

/// The memory of one process, in bytes. Memory that several processes share is divided between
/// them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryShare {
    /// Private memory, including pages shared since a fork.
    pub(crate) private: u64,
    /// Shared mappings.
    pub(crate) shared: u64,
}

/// The process's share of memory, added up page by page, which is slow.
pub(crate) fn memory_share(pid: Pid) -> Option<MemoryShare> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    Some(MemoryShare {
        private: bytes_of(&rollup, "Pss_Anon:")?,
        shared: bytes_of(&rollup, "Pss_Shmem:")?,
    })
}

/// The number after `name`, converted from KiB to bytes.
fn bytes_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kib * 1024)
}

/// The number of processes of this process's user.
pub(crate) fn processes_of_this_user() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let user = nix::unistd::geteuid().as_raw();
    let own = |entry: &fs::DirEntry| entry.metadata().is_ok_and(|found| found.uid() == user);
    Some(fs::read_dir("/proc").ok()?.flatten().filter(own).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_found_in_proc() {
        let this = Pid::this();
        assert_eq!(parent(this), Some(Pid::parent()));
        assert!(threads(this) >= 1);
        assert!(cpu_time(this).is_some());
        assert!(core_waits(this).iter().any(|(thread, _)| *thread == this.as_raw()));
        assert!(core_waits(Pid::from_raw(i32::MAX)).is_empty());
        assert!(processes_of_this_user() >= Some(1));
        assert_eq!(state(Pid::from_raw(i32::MAX)), None, "no such process");
    }

    #[test]
    fn the_peak_keeps_memory_that_was_given_back() {
        // The kernel counts approximately, so half of it has to do.
        const USED: usize = 64 << 20;
        let memory = std::hint::black_box(vec![1_u8; USED]);
        assert!(resident_memory(Pid::this()) >= USED as u64 / 2);
        drop(memory);
        assert!(peak_memory(Pid::this()) >= Some(USED as u64 / 2));
    }

    #[test]
    fn sizes_are_given_in_kib() {
        let status = "VmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(bytes_of(status, "VmHWM:"), Some(2048 * 1024));
        assert_eq!(bytes_of(status, "VmSwap:"), None);
    }
}
