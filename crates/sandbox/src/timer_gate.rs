//! Counts the timers that are files.
//!
//! Runtimes such as those of Erlang and Haskell need a few of them. Each fires at most once until it
//! is read, but then also in the opponent's turn, and no limit of the kernel bounds their number. So
//! the kernel asks the supervisor about each one, and the supervisor counts.

#![expect(unsafe_code, reason = "a filter of system calls that reports to a descriptor")]

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::libc;

use crate::descriptor_link::{receive_descriptor, send_descriptor};

/// The maximum number of timers of each kind: of all processes together, and for timers that are
/// files, in their whole life. Each could fire while the opponent computes, in time that the opponent
/// is charged for.
pub(crate) const MOST_TIMERS: u64 = 64;

/// What happens when the process asks for a timer that is a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileTimers {
    /// The supervisor counts it.
    Counted,
    /// It is refused: the kernel cannot ask.
    Absent,
}

/// Makes the kernel ask the other end of `link` about each such timer of this process
/// and those that it starts. Call it in a process with one thread, before other filters refuse to
/// send the descriptor.
pub(crate) fn install_timer_gate(link: &UnixStream) -> FileTimers {
    let sent = install_timer_filter().and_then(|listener| send_descriptor(link, listener));
    // Kernels before 5.5 cannot, nor some containers, which listen themselves. If only the message
    // failed, there are no answers, and the kernel refuses each call.
    if sent.is_ok() { FileTimers::Counted } else { FileTimers::Absent }
}

/// Installs the filter and returns the descriptor to which it reports.
fn install_timer_filter() -> nix::Result<OwnedFd> {
    // The kernel's BPF_LD | BPF_W | BPF_ABS, BPF_JMP | BPF_JEQ | BPF_K and BPF_RET | BPF_K.
    const LOAD_NUMBER: u16 = 0x20;
    const SKIP_UNLESS_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let call = u32::try_from(libc::SYS_timerfd_create).map_err(|_| Errno::EINVAL)?;
    let line = |code, jf, k| libc::sock_filter { code, jt: 0, jf, k };
    let mut lines = [
        line(LOAD_NUMBER, 0, 0),
        line(SKIP_UNLESS_EQUAL, 1, call),
        line(RETURN, 0, libc::SECCOMP_RET_USER_NOTIF),
        line(RETURN, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let len = u16::try_from(lines.len()).map_err(|_| Errno::EINVAL)?;
    let program = libc::sock_fprog { len, filter: lines.as_mut_ptr() };
    // SAFETY: the program and its lines live until the call returns.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    let fd = Errno::result(fd)?;
    let fd = i32::try_from(fd).map_err(|_| Errno::EOVERFLOW)?;
    // SAFETY: the kernel has just opened it for this process, and no one else knows its number.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The flag of an answer that lets the call continue.
#[expect(clippy::cast_possible_truncation, reason = "the kernel has 32 bits for it")]
const CONTINUE: u32 = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;

/// The supervisor's side: it answers the kernel.
#[derive(Debug)]
pub(crate) struct TimerGate {
    listener: OwnedFd,
    left: u64,
}

impl TimerGate {
    /// Takes the descriptor that [`install_timer_gate`] sent, if it has sent one. It does not wait.
    pub(crate) fn receive(link: &UnixStream) -> Option<Self> {
        let listener = receive_descriptor(link)?;
        Some(Self { listener, left: MOST_TIMERS })
    }

    /// Lets the kernel make the timer that it asks about. Returns whether it may ask again: once
    /// this is dropped, it refuses without asking. Call it when the descriptor is readable.
    pub(crate) fn answer(&mut self) -> bool {
        // SAFETY: zero is a valid value of each field.
        let mut asked: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        if self.exchange(libc::SECCOMP_IOCTL_NOTIF_RECV, &mut asked).is_err() {
            // The process that asked is gone.
            return true;
        }
        let answer = |error, flags| libc::seccomp_notif_resp { id: asked.id, val: 0, error, flags };
        let sent = self.exchange(libc::SECCOMP_IOCTL_NOTIF_SEND, &mut answer(0, CONTINUE));
        if sent.is_err_and(|error| error.raw_os_error() == Some(libc::EINVAL)) {
            // Before version 5.5, the kernel cannot let a call continue.
            return false;
        }
        self.left -= 1;
        self.left > 0
    }

    fn exchange<T>(&self, request: libc::Ioctl, message: &mut T) -> io::Result<()> {
        // SAFETY: each request is used with the type that the kernel expects for it.
        let done = unsafe { libc::ioctl(self.listener.as_raw_fd(), request, &raw mut *message) };
        Errno::result(done).map(drop).map_err(io::Error::from)
    }
}

impl AsFd for TimerGate {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}
