//! The request that a supervisor receives: the setup and its process's descriptors.

#![expect(unsafe_code, reason = "descriptors that come through a socket")]

use std::fs::File;
use std::io::{self, IoSliceMut, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::unistd::{getegid, geteuid};

use crate::command::THIS_PROGRAM;
use crate::descriptor_link::send_descriptor;
use crate::loopback::listen_on_loopback;
use crate::supervisor_protocol::{LONGEST, SupervisorSetup, SupervisorSetupError};

/// The request that a supervisor receives.
pub(crate) struct StartRequest {
    /// The setup of the sandbox and the command.
    pub(crate) setup: SupervisorSetup,
    /// The process's stdin, stdout and stderr.
    pub(crate) pipes: [OwnedFd; 3],
    /// Takes the listener of a proxy, if the process gets one.
    proxy: UnixStream,
    /// The user and group that this process runs as.
    pub(crate) ids: (u32, u32),
    /// The file of this process's own program, if the command is to run it, too.
    pub(crate) this: Option<File>,
}

impl StartRequest {
    /// Gives the pipes to the user that the process becomes. That user could not open them by name
    /// otherwise, as in `/dev/stdout`.
    pub(crate) fn give_pipes(&self) -> Result<(), SupervisorSetupError> {
        let Some(user) = self.setup.user else { return Ok(()) };
        self.pipes.iter().try_for_each(|pipe| {
            std::os::unix::fs::fchown(pipe, Some(user), Some(user))
                .map_err(|error| SupervisorSetupError::setting_up("its pipes", &error))
        })
    }

    /// Sends the caller a listener for its proxy in this process's network namespace.
    pub(crate) fn open_proxy(&self) -> Result<(), SupervisorSetupError> {
        let listener = listen_on_loopback();
        let sent = listener.and_then(|listener| send_descriptor(&self.proxy, listener));
        sent.map_err(|error| SupervisorSetupError::setting_up("its network", &error))
    }

    /// Receives the setup and the pipes from the socket.
    pub(crate) fn receive(mut socket: &UnixStream) -> io::Result<Self> {
        let mut text = vec![0; 64 * 1024];
        let mut space = nix::cmsg_space!([i32; 4]);
        let (read, fds) = {
            let mut parts = [IoSliceMut::new(&mut text)];
            let flags = MsgFlags::MSG_CMSG_CLOEXEC;
            let message = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
            let mut fds = Vec::new();
            for part in message.cmsgs()? {
                if let ControlMessageOwned::ScmRights(numbers) = part {
                    // SAFETY: the kernel has just opened these for this process, and nobody else
                    // knows their numbers.
                    fds.extend(numbers.iter().map(|&fd| unsafe { OwnedFd::from_raw_fd(fd) }));
                }
            }
            (message.bytes, fds)
        };
        text.truncate(read);
        let mut chunk = vec![0; 64 * 1024];
        while !text.ends_with(b"\n") && text.len() < LONGEST {
            match socket.read(&mut chunk)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => text.extend_from_slice(&chunk[..count]),
            }
        }
        let setup: SupervisorSetup = serde_json::from_slice(&text)?;
        let this = setup.is_this_program().then(|| File::open(THIS_PROGRAM)).transpose()?;
        let [stdin, stdout, stderr, proxy] =
            <[OwnedFd; 4]>::try_from(fds).map_err(|_| io::ErrorKind::InvalidInput)?;
        let proxy = UnixStream::from(proxy);
        let ids = (geteuid().as_raw(), getegid().as_raw());
        Ok(Self { setup, pipes: [stdin, stdout, stderr], proxy, ids, this })
    }
}
