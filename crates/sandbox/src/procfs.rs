//! Reads information about processes from `/proc`.

use std::ffi::{CString, OsString};
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use nix::dir::Dir;
use nix::fcntl::{AtFlags, OFlag, open, openat, readlinkat};
use nix::poll::PollFlags;
use nix::sys::stat::{FileStat, Mode, fstatat};
use nix::time::ClockId;
use nix::unistd::{Pid, read};

/// The folder of a process in `/proc`. It is never that of another process: once the process has
/// been reaped, nothing can be read in it, even if its number is used again.
#[derive(Debug)]
pub(crate) struct ProcfsFolder {
    pid: Pid,
    folder: OwnedFd,
}

impl ProcfsFolder {
    /// Opens the folder of the process that has the number `pid` now.
    pub(crate) fn open(pid: Pid) -> Option<Self> {
        let path = format!("/proc/{pid}");
        let folder = open(path.as_str(), FOLDER, Mode::empty()).ok()?;
        Some(Self { pid, folder })
    }

    /// The process's number.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// The text of a file in it. A process chooses its own name, so bytes that are not text are
    /// replaced.
    fn read_text(&self, name: &str) -> Option<String> {
        let file = openat(&self.folder, name, OFlag::O_RDONLY | OFlag::O_CLOEXEC, Mode::empty());
        let (file, mut bytes) = (file.ok()?, Vec::new());
        let mut chunk = [0; 4096];
        loop {
            match read(&file, &mut chunk).ok()? {
                0 => return Some(String::from_utf8_lossy(&bytes).into_owned()),
                count => bytes.extend_from_slice(&chunk[..count]),
            }
        }
    }

    /// What the process is doing now.
    pub(crate) fn stat(&self) -> Option<ProcfsStat> {
        ProcfsStat::parse(&self.read_text("stat")?)
    }

    /// The system call that the thread is in, and its arguments.
    pub(crate) fn system_call(&self, thread: Pid) -> Option<String> {
        self.read_text(&format!("task/{thread}/syscall"))
    }

    /// The identity of its open file with this number, such as `pipe:[1234]`.
    pub(crate) fn open_file(&self, number: i32) -> Option<OsString> {
        readlinkat(&self.folder, format!("fd/{number}").as_str()).ok()
    }

    /// What its open files are. Files that it closes meanwhile may be missing.
    pub(crate) fn open_files(&self) -> Vec<FileStat> {
        let Ok(mut dir) = Dir::openat(&self.folder, "fd", FOLDER, Mode::empty()) else {
            return Vec::new();
        };
        let numbers: Vec<CString> =
            dir.iter().flatten().map(|entry| entry.file_name().to_owned()).collect();
        let follow = AtFlags::empty();
        numbers.iter().filter_map(|number| fstatat(&dir, &**number, follow).ok()).collect()
    }

    /// The files whose input its event loop with this number waits for.
    pub(crate) fn files_polled_by(&self, number: i32) -> Vec<i32> {
        let list = self.read_text(&format!("fdinfo/{number}")).unwrap_or_default();
        let polled = |line: &str| {
            let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
            let file = words.next()?.parse().ok()?;
            let events = u32::from_str_radix(words.nth(1)?, 16).ok()?;
            // EPOLLIN has the same number as POLLIN.
            (events & u32::from(PollFlags::POLLIN.bits().cast_unsigned()) != 0).then_some(file)
        };
        list.lines().filter_map(polled).collect()
    }

    /// The bytes at an address of its memory.
    pub(crate) fn memory_at(&self, address: u64, length: u64) -> Option<Vec<u8>> {
        let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC;
        let memory = openat(&self.folder, "mem", flags, Mode::empty()).ok()?;
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        fs::File::from(memory).read_exact_at(&mut bytes, address).ok()?;
        Some(bytes)
    }

    /// The numbers of its threads.
    pub(crate) fn threads(&self) -> Vec<Pid> {
        let Ok(mut dir) = Dir::openat(&self.folder, "task", FOLDER, Mode::empty()) else {
            return Vec::new();
        };
        let number = |entry: nix::Result<nix::dir::Entry>| {
            entry.ok()?.file_name().to_str().ok()?.parse().ok().map(Pid::from_raw)
        };
        dir.iter().filter_map(number).collect()
    }

    /// The children of all its threads; `stat` has their number.
    pub(crate) fn children(&self, stat: &ProcfsStat) -> Vec<Pid> {
        // Most processes have one thread, with the number of the process.
        let threads = if stat.threads == 1 { vec![self.pid] } else { self.threads() };
        let lists =
            threads.iter().filter_map(|thread| self.read_text(&format!("task/{thread}/children")));
        lists.flat_map(|list| parse_procfs_pids(&list)).collect()
    }

    /// How long each of its threads has waited for a core so far, by the number of the thread.
    pub(crate) fn core_waits(&self) -> Vec<(i32, Duration)> {
        let of_thread = |thread: Pid| {
            // The time on a core, the time of waiting for one, and how often it got one.
            let times = self.read_text(&format!("task/{thread}/schedstat"))?;
            let nanos = times.split_ascii_whitespace().nth(1)?.parse().ok()?;
            Some((thread.as_raw(), Duration::from_nanos(nanos)))
        };
        self.threads().into_iter().filter_map(of_thread).collect()
    }

    /// The peak resident memory of the process, in bytes.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        parse_procfs_bytes(&self.read_text("status")?, "VmHWM:")
    }

    /// Its current memory, in bytes: resident pages, those in swap, and the tables that list them.
    pub(crate) fn memory(&self) -> u64 {
        let Some(status) = self.read_text("status") else { return 0 };
        let bytes = |name| parse_procfs_bytes(&status, name).unwrap_or(0);
        ["VmRSS:", "VmSwap:", "HugetlbPages:", PAGE_TABLES].map(bytes).iter().sum()
    }

    /// The process's share of memory, added up page by page, which is slow.
    pub(crate) fn memory_share(&self) -> Option<MemoryShare> {
        let rollup = self.read_text("smaps_rollup")?;
        Some(MemoryShare {
            private: parse_procfs_bytes(&rollup, "Pss_Anon:")?
                + parse_procfs_bytes(&rollup, "SwapPss:").unwrap_or(0)
                + parse_procfs_bytes(&self.read_text("status")?, PAGE_TABLES).unwrap_or(0),
            shared: parse_procfs_bytes(&rollup, "Pss_Shmem:")?,
        })
    }
}

impl AsFd for ProcfsFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// How folders are opened.
const FOLDER: OFlag = OFlag::O_RDONLY.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC);

/// The contents of `/proc/PID/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcfsStat {
    /// The letter of its state.
    pub(crate) state: char,
    pub(crate) parent: Pid,
    /// The number of its threads.
    pub(crate) threads: u64,
    /// The CPU time of the children that it has waited for.
    pub(crate) waited_for: Duration,
}

impl ProcfsStat {
    fn parse(text: &str) -> Option<Self> {
        // The second field is the name, which may contain anything.
        let (_, rest) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        // The manual counts from 1, and the third field is the first here.
        let field = |number: usize| fields.get(number - 3).copied();
        let ticks = |number| field(number)?.parse::<u64>().ok();
        Some(Self {
            state: field(3)?.chars().next()?,
            parent: Pid::from_raw(field(4)?.parse().ok()?),
            threads: field(20)?.parse().ok()?,
            // The kernel shows these in units of 1/100 s, regardless of its own tick.
            waited_for: Duration::from_millis((ticks(16)? + ticks(17)?) * 10),
        })
    }

    /// Whether a signal stopped the process.
    pub(crate) fn is_stopped(&self) -> bool {
        self.state == 'T'
    }

    /// Whether the process is dead and waits to be reaped.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// The numbers of processes in a list.
fn parse_procfs_pids(list: &str) -> Vec<Pid> {
    list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect()
}

/// What the process with this number is doing now.
pub(crate) fn read_procfs_stat(pid: Pid) -> Option<ProcfsStat> {
    ProcfsFolder::open(pid)?.stat()
}

/// The clock of the CPU time that a process has used itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessClock(ClockId);

impl ProcessClock {
    /// The clock of the process with this number.
    pub(crate) fn of_process(pid: Pid) -> Option<Self> {
        ClockId::pid_cpu_clock_id(pid).ok().map(Self)
    }

    /// The CPU time so far; `None` once the process has been reaped.
    pub(crate) fn read(self) -> Option<Duration> {
        Some(self.0.now().ok()?.into())
    }
}

/// The memory of one process, in bytes. Memory that several processes share is divided between
/// them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryShare {
    /// Private memory, including pages shared since a fork, pages in swap, and page tables.
    pub(crate) private: u64,
    /// Shared mappings.
    pub(crate) shared: u64,
}

/// The line of `/proc/PID/status` with the size of the page tables.
const PAGE_TABLES: &str = "VmPTE:";

/// The number after `name`, converted from KiB to bytes.
fn parse_procfs_bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kib * 1024)
}

/// The number of processes of this process's user.
pub(crate) fn count_own_processes_in_procfs() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let user = nix::unistd::geteuid().as_raw();
    let own = |entry: &fs::DirEntry| entry.metadata().is_ok_and(|found| found.uid() == user);
    Some(fs::read_dir("/proc").ok()?.flatten().filter(own).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn this() -> ProcfsFolder {
        ProcfsFolder::open(Pid::this()).expect("this process")
    }

    #[test]
    fn this_process_is_found_in_proc() {
        let stat = this().stat().expect("this process");
        assert_eq!(stat.parent, Pid::parent());
        assert!(stat.threads >= 1 && !stat.is_dead());
        assert!(ProcessClock::of_process(Pid::this()).and_then(ProcessClock::read).is_some());
        let waits = this().core_waits();
        assert!(waits.iter().any(|(thread, _)| *thread == Pid::this().as_raw()));
        assert!(count_own_processes_in_procfs() >= Some(1));
        assert!(ProcfsFolder::open(Pid::from_raw(i32::MAX)).is_none(), "no such process");
    }

    #[test]
    fn the_folder_of_a_reaped_process_stays_empty() {
        let mut child = std::process::Command::new("true").spawn().expect("it starts");
        let pid = Pid::from_raw(child.id().cast_signed());
        let folder = ProcfsFolder::open(pid).expect("it is not reaped yet");
        child.wait().expect("reaped");
        assert_eq!(folder.stat(), None);
        assert_eq!((folder.peak_memory(), folder.memory()), (None, 0));
        assert!(folder.threads().is_empty());
    }

    #[test]
    fn a_name_may_contain_anything() {
        let line = "7 (a) R 1 (b) S 5 7 7 0 -1 4 9 0 0 0 1 2 30 4 20 0 3 0 8 9";
        let stat = ProcfsStat::parse(line).expect("a whole line");
        let waited_for = Duration::from_millis(340);
        assert_eq!(
            stat,
            ProcfsStat { state: 'S', parent: Pid::from_raw(5), threads: 3, waited_for }
        );
        assert_eq!(ProcfsStat::parse("7 (a) S 5"), None, "a part of a line");
    }

    #[test]
    fn the_peak_keeps_memory_that_was_given_back() {
        // The kernel counts approximately, so half of it has to do.
        const USED: usize = 64 << 20;
        let memory = std::hint::black_box(vec![1_u8; USED]);
        assert!(this().memory() >= USED as u64 / 2);
        drop(memory);
        assert!(this().peak_memory() >= Some(USED as u64 / 2));
    }

    #[test]
    fn sizes_are_given_in_kib() {
        let status = "VmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(parse_procfs_bytes(status, "VmHWM:"), Some(2048 * 1024));
        assert_eq!(parse_procfs_bytes(status, "VmSwap:"), None);
    }
}
