//! Which signals this process was told to ignore.

#![expect(unsafe_code, reason = "nothing safe asks what is done about a signal")]

use nix::libc;

/// The signal with this number is ignored, as a program like `nohup` asks of those that it starts.
pub fn is_ignored(signal: i32) -> bool {
    // SAFETY: zeroes are a valid `sigaction`.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action this only writes the present one to `now`, which is valid. A
    // number that is no signal is an error.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut now) };
    asked == 0 && now.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_told_from_others() {
        // The runtime ignores SIGPIPE before `main`.
        assert!(is_ignored(libc::SIGPIPE));
        assert!(!is_ignored(libc::SIGWINCH));
        assert!(!is_ignored(0), "no signal");
    }
}
