//! The loopback device of a network namespace, which is down at first.

#![expect(unsafe_code, reason = "an ioctl for which `nix` has no wrapper")]

use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

/// Starts the loopback device of this process's network namespace, which must be its own.
pub(crate) fn start() -> nix::Result<()> {
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    // SAFETY: zeros are a valid value of this structure of numbers.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = from.cast_signed() as libc::c_char;
    }
    let up = libc::c_short::try_from(libc::IFF_UP).map_err(|_| Errno::EOVERFLOW)?;
    request.ifr_ifru.ifru_flags = up;
    // SAFETY: the request outlives the call, which only reads it.
    let done =
        unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) };
    Errno::result(done).map(drop)
}
