//! Finds out which signals this process ignores.

#![expect(unsafe_code, reason = "nothing safe asks what is done about a signal")]

use nix::libc;

/// Whether this process ignores the signal with this number, as programs started by `nohup` do.
pub fn is_signal_ignored(signal: i32) -> bool {
    // SAFETY: zeroes are a valid `sigaction`.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action, this only writes the current one to `now`, which is valid. An
    // invalid signal number is an error.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut now) };
    asked == 0 && now.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_told_from_others() {
        // The runtime ignores SIGPIPE before `main`.
        assert!(is_signal_ignored(libc::SIGPIPE));
        assert!(!is_signal_ignored(libc::SIGWINCH));
        assert!(!is_signal_ignored(0), "no signal");
    }
}
