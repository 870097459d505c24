//! Forks this process with flags that no library's `fork` takes.

#![expect(unsafe_code, reason = "clone of a process with one thread")]

use nix::errno::Errno;
use nix::libc;
use nix::sched::CloneFlags;
use nix::unistd::{ForkResult, Pid};

/// Forks this process, which must have one thread.
pub(crate) fn fork_with_flags(flags: CloneFlags) -> nix::Result<ForkResult> {
    let flags = libc::c_long::from(flags.bits() | libc::SIGCHLD);
    // SAFETY: without a new stack or shared memory this is a fork, and this process has one thread.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0_usize, 0_usize, 0_usize, 0_usize) };
    match Errno::result(pid)? {
        0 => Ok(ForkResult::Child),
        pid => {
            let pid = i32::try_from(pid).map_err(|_| Errno::EOVERFLOW)?;
            Ok(ForkResult::Parent { child: Pid::from_raw(pid) })
        }
    }
}
