//! The loopback device of a network namespace, which is down at first, and the listener of a proxy
//! on it.

#![expect(unsafe_code, reason = "an ioctl for which `nix` has no wrapper")]

use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrIn, bind, listen, setsockopt, socket,
    sockopt,
};

/// The port of a proxy. The kernel gives none like it to a socket that connects, so no socket can
/// take its place, not even by connecting to itself.
pub(crate) const PROXY_PORT: u16 = 3128;
/// How many connections can wait for the proxy.
const WAITING: i32 = 16;
/// The size of each of the two buffers of the proxy's sockets, in bytes. The kernel would let them
/// grow, and nothing would count their memory as the process's.
pub(crate) const BUFFER: usize = 128 * 1024;

/// Listens for connections to the proxy, in this process's network namespace, which must be its own.
pub(crate) fn listen_on_loopback() -> nix::Result<OwnedFd> {
    start_loopback()?;
    let listener = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&listener, sockopt::RcvBuf, &BUFFER)?;
    setsockopt(&listener, sockopt::SndBuf, &BUFFER)?;
    bind(listener.as_raw_fd(), &SockaddrIn::new(127, 0, 0, 1, PROXY_PORT))?;
    listen(&listener, Backlog::new(WAITING)?)?;
    Ok(listener)
}

/// Starts the loopback device of this process's network namespace, which must be its own.
pub(crate) fn start_loopback() -> nix::Result<()> {
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
