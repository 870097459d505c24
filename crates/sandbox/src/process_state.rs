//! The state of a process, seen from outside.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;

#[cfg(target_os = "linux")]
use nix::libc;
#[cfg(target_os = "linux")]
use nix::unistd::Pid;

#[cfg(target_os = "linux")]
use crate::process_tree::ProcessInTree;
#[cfg(target_os = "linux")]
use crate::procfs::ProcfsFolder;

/// The state of a process and its descendants, seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// A thread waits for the standard input of the first process.
    ReadingInput,
    /// The first process is stopped by a signal.
    Stopped,
    /// The first process is running on a core, or waiting for one.
    Running,
    /// Any other state, or the system does not provide it.
    Other,
}

impl ProcessState {
    /// The current state of the process `leader`, which is one of `members`, and of the others.
    ///
    /// Many runtimes read in a thread of their own (Java, Haskell) or through an event loop (Node),
    /// and a script that starts the player without `exec` only waits for it.
    #[cfg(target_os = "linux")]
    pub(crate) fn observe(leader: Pid, members: &[ProcessInTree]) -> Self {
        let Some(first) = members.iter().find(|member| member.pid() == leader) else {
            return Self::Other;
        };
        match first.stat.state {
            'T' | 't' => return Self::Stopped,
            'R' => return Self::Running,
            _ => {}
        }
        // Helpers of the player have an input of their own, which says nothing.
        let Some(input) = first.folder.open_file(0) else { return Self::Other };
        if members.iter().any(|member| process_awaits_input(&member.folder, &input)) {
            Self::ReadingInput
        } else {
            Self::Other
        }
    }
}

/// Whether a thread of the process waits for the open file that is called `input`.
#[cfg(target_os = "linux")]
fn process_awaits_input(process: &ProcfsFolder, input: &OsStr) -> bool {
    let calls = process.threads().into_iter().filter_map(|thread| process.system_call(thread));
    calls
        .filter_map(|call| ProcessSystemCall::parse(&call))
        .any(|call| call.awaits_input(process, input))
}

/// The system call that a thread is in.
#[cfg(target_os = "linux")]
#[derive(Debug)]
struct ProcessSystemCall {
    number: i64,
    args: [u64; 4],
}

#[cfg(target_os = "linux")]
impl ProcessSystemCall {
    /// Reads `/proc/PID/task/TID/syscall`. It has no arguments if the thread is in no call.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut args = [0; 4];
        for arg in &mut args {
            *arg = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        }
        Some(Self { number: modern_process_wait(number), args })
    }

    fn awaits_input(&self, process: &ProcfsFolder, input: &OsStr) -> bool {
        /// A timeout of -1, which is 32 bits wide.
        const FOREVER: u64 = 0xffff_ffff;
        let is_input = |file: i32| process.open_file(file).is_some_and(|name| name == input);
        let [first, second, _, fourth] = self.args;
        let file = || i32::try_from(first).unwrap_or(-1);
        let is_watched = || process.files_polled_by(file()).into_iter().any(is_input);
        match self.number {
            libc::SYS_read | libc::SYS_readv => is_input(file()),
            libc::SYS_ppoll => {
                files_polled_by_process(process, first, second).into_iter().any(is_input)
            }
            libc::SYS_pselect6 => {
                files_selected_by_process(process, second, first).into_iter().any(is_input)
            }
            // An event loop always watches its input; one that ends by itself has a timer.
            libc::SYS_epoll_pwait => fourth & FOREVER == FOREVER && is_watched(),
            libc::SYS_epoll_pwait2 => fourth == 0 && is_watched(),
            _ => false,
        }
    }
}

/// The call that has replaced an older one, with the same first arguments.
#[cfg(target_os = "linux")]
fn modern_process_wait(number: i64) -> i64 {
    match number {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => libc::SYS_ppoll,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => libc::SYS_pselect6,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => libc::SYS_epoll_pwait,
        number => number,
    }
}

/// The most files that a call is searched for.
#[cfg(target_os = "linux")]
const MOST_FILES: u64 = 1024;

/// The files that `poll` waits to read from.
#[cfg(target_os = "linux")]
fn files_polled_by_process(process: &ProcfsFolder, array: u64, length: u64) -> Vec<i32> {
    // A file, the awaited events, and those that happened.
    let bytes = process.memory_at(array, 8 * length.min(MOST_FILES)).unwrap_or_default();
    let (entries, _) = bytes.as_chunks::<8>();
    let entries = entries.iter().map(|&[a, b, c, d, low, high, ..]| {
        (i32::from_ne_bytes([a, b, c, d]), i16::from_ne_bytes([low, high]))
    });
    entries.filter(|(_, events)| events & libc::POLLIN != 0).map(|(file, _)| file).collect()
}

/// The files that `select` waits to read from: a set of bits below `length`.
#[cfg(target_os = "linux")]
fn files_selected_by_process(process: &ProcfsFolder, set: u64, length: u64) -> Vec<i32> {
    let length = length.min(MOST_FILES);
    let bytes = process.memory_at(set, length.div_ceil(8)).unwrap_or_default();
    let files = (0_i32..).zip(bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1)));
    files.filter(|(_, bit)| *bit == 1).map(|(file, _)| file).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::process_tree::find_process_descendants;

    fn start(program: &str, args: &[&str]) -> Child {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::null());
        command.spawn().expect("it starts")
    }

    fn all(child: &Child) -> (Pid, Vec<ProcessInTree>) {
        let pid = Pid::from_raw(child.id().cast_signed());
        let mut all = find_process_descendants(pid);
        all.extend(ProcessInTree::open(pid));
        (pid, all)
    }

    /// Waits at most half a minute.
    fn becomes_true(child: &Child, what: &str, condition: impl Fn(Pid, &[ProcessInTree]) -> bool) {
        let began = Instant::now();
        loop {
            let (pid, all) = all(child);
            if condition(pid, &all) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{what}");
            sleep(Duration::from_millis(1));
        }
    }

    fn end(mut child: Child) {
        for member in all(&child).1 {
            member.signal(crate::process_tree::Signal::KILL);
        }
        child.wait().expect("reaped");
    }

    #[test]
    fn a_player_waits_for_its_input_in_any_thread_process_or_event_loop() {
        let epoll = "import select; e = select.epoll(); e.register(0, select.EPOLLIN); ";
        for (program, code) in [
            ("sh", "read line"),
            ("sh", "cat; true"),
            ("sh", "cat | cat; true"),
            ("python3", "input()"),
            ("python3", "import os; os.readv(0, [bytearray(9)])"),
            ("python3", "import os; os.read(os.dup(0), 9)"),
            ("python3", "import select, os; select.select([os.pipe()[0], 0], [], [])"),
            ("python3", "import select; p = select.poll(); p.register(0); p.poll()"),
            ("python3", &format!("{epoll}e.poll()")),
            (
                "python3",
                "import threading, os; t = threading.Thread(target=os.read, args=(0, 9)); \
                 t.start(); t.join()",
            ),
        ] {
            let child = start(program, &["-c", code]);
            becomes_true(&child, code, |leader, members| {
                ProcessState::observe(leader, members) == ProcessState::ReadingInput
            });
            end(child);
        }
    }

    #[test]
    fn other_waits_are_not_for_input() {
        let epoll = "import select; e = select.epoll(); e.register(0, select.EPOLLIN); ";
        let helper = "import subprocess as s, time; s.Popen(['cat'], stdin=s.PIPE); time.sleep(99)";
        // The calls that its processes are in once they wait.
        let sleeps: &[i64] = &[libc::SYS_clock_nanosleep];
        for (code, calls) in [
            ("import time; time.sleep(99)", sleeps),
            ("import select; select.select([], [], [], 99)", &[libc::SYS_pselect6]),
            ("import os, select; select.select([os.pipe()[0]], [], [])", &[libc::SYS_pselect6]),
            (&format!("{epoll}e.poll(99)"), &[libc::SYS_epoll_pwait]),
            ("import select; select.epoll().poll()", &[libc::SYS_epoll_pwait]),
            (helper, &[libc::SYS_read, libc::SYS_clock_nanosleep]),
        ] {
            let child = start("python3", &["-c", code]);
            let call = |member: &ProcessInTree| {
                let text = member.folder.system_call(member.pid())?;
                ProcessSystemCall::parse(&text).map(|found| found.number)
            };
            becomes_true(&child, code, |_, members| {
                members.iter().map(call).eq(calls.iter().copied().map(Some))
            });
            let (leader, members) = all(&child);
            assert_eq!(ProcessState::observe(leader, &members), ProcessState::Other, "{code}");
            end(child);
        }
    }
}
