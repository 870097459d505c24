//! Sends a descriptor over a socket, from a process that is being set up.

#![expect(unsafe_code, reason = "a descriptor that comes through a socket")]

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

/// Sends `descriptor`.
pub(crate) fn send_descriptor(link: &UnixStream, descriptor: impl AsFd) -> nix::Result<()> {
    let rights = [descriptor.as_fd().as_raw_fd()];
    let text = [IoSlice::new(b"d")];
    let rights = [ControlMessage::ScmRights(&rights)];
    sendmsg::<()>(link.as_raw_fd(), &text, &rights, MsgFlags::MSG_NOSIGNAL, None).map(drop)
}

/// Takes the descriptor that [`send_descriptor`] sent, if it has sent one. It does not wait.
pub(crate) fn receive_descriptor(link: &UnixStream) -> Option<OwnedFd> {
    let mut text = [0];
    let mut parts = [IoSliceMut::new(&mut text)];
    let mut space = nix::cmsg_space!(i32);
    let flags = MsgFlags::MSG_CMSG_CLOEXEC | MsgFlags::MSG_DONTWAIT;
    let message = recvmsg::<()>(link.as_raw_fd(), &mut parts, Some(&mut space), flags).ok()?;
    let fd = message.cmsgs().ok()?.find_map(|part| match part {
        ControlMessageOwned::ScmRights(numbers) => numbers.first().copied(),
        _ => None,
    })?;
    // SAFETY: the kernel has just opened it for this process, and no one else knows its number.
    Some(unsafe { OwnedFd::from_raw_fd(fd) })
}
