//! Which signals this process was told to ignore.

#![expect(unsafe_code, reason = "nothing safe asks what is done about a signal")]

use nix::libc;
use nix::sys::signal::Signal;

/// The signal is ignored, as a program like `nohup` asks of those that it starts.
pub(crate) fn is_ignored(signal: Signal) -> bool {
    // SAFETY: zeroes are a valid `sigaction`.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action this only writes the present one to `now`, which is valid.
    let asked = unsafe { libc::sigaction(signal as libc::c_int, std::ptr::null(), &raw mut now) };
    asked == 0 && now.sa_sigaction == libc::SIG_IGN
}
