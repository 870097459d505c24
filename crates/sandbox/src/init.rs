//! The first process of a box: it builds the box, starts the player in it, and reaps whatever is
//! left to it. When it dies, everything in the box dies.

#![expect(unsafe_code, reason = "clone into new namespaces")]

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::errno::Errno;
use nix::libc;
use nix::sched::CloneFlags;
use nix::sys::signal::Signal;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork};

use crate::protocol::{Message, Setup, SetupError, send, wait_status};
use crate::start_request::StartRequest;
use crate::{cgroup, exec, mounts};

/// The namespaces of a box. Root needs none for users: it gives the player a user of its own.
fn namespaces(setup: &Setup) -> CloneFlags {
    let flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    match setup.user {
        Some(_) => flags,
        None => flags | CloneFlags::CLONE_NEWUSER,
    }
}

/// Forks this process into the namespaces of a box.
pub(crate) fn clone(setup: &Setup) -> nix::Result<ForkResult> {
    let flags = libc::c_long::from(namespaces(setup).bits() | libc::SIGCHLD);
    // SAFETY: without a new stack and with no memory shared this is a fork, and this process has
    // one thread.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0_usize, 0_usize, 0_usize, 0_usize) };
    match Errno::result(pid)? {
        0 => Ok(ForkResult::Child),
        pid => {
            let pid = i32::try_from(pid).map_err(|_| Errno::EOVERFLOW)?;
            Ok(ForkResult::Parent { child: Pid::from_raw(pid) })
        }
    }
}

/// Lives as the first process of the box.
pub(crate) fn live(
    socket: &UnixStream,
    request: StartRequest,
    groups: &[cgroup::Cgroup],
    reporter: OwnedFd,
    ready: &OwnedFd,
) -> ! {
    let limit = request.setup.limits.scratch;
    let leader = match build(&request) {
        // SAFETY: this process has one thread, so the child may do all that the parent may.
        Ok(()) => match unsafe { fork() } {
            Ok(ForkResult::Parent { child }) => child,
            Ok(ForkResult::Child) => exec::leader(&request, groups, reporter),
            Err(error) => {
                exec::fail(reporter, &SetupError::setting_up("its first process", &error))
            }
        },
        Err(failed) => exec::fail(reporter, &failed),
    };
    drop((request, reporter));
    // The supervisor first notes the leader while it cannot have been reaped.
    if nix::unistd::read(ready, &mut [0]) != Ok(1) {
        exec::leave();
    }
    loop {
        match waitpid(None, None) {
            Ok(status) if status.pid() == Some(leader) => {
                let full = mounts::full_scratch(Path::new(mounts::SCRATCH), limit);
                if let Some(full) = full {
                    let _ = send(socket, &Message::Exceeded(full));
                }
                let _ = send(socket, &Message::Exited { status: wait_status(status) });
            }
            Ok(_) | Err(Errno::EINTR) => {}
            // Nothing can be born here any more.
            Err(_) => nix::unistd::pause(),
        }
    }
}

/// Builds the box around this process.
fn build(request: &StartRequest) -> Result<(), SetupError> {
    let setup = &request.setup;
    let step = |what: &'static str| move |error: Errno| SetupError::setting_up(what, &error);
    // The supervisor has one thread, so this fires when it ends and never before.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).map_err(step("its end with its supervisor"))?;
    if setup.user.is_none() {
        mounts::map_user(request.ids)
            .map_err(|error| SetupError::setting_up("its user namespace", &error))?;
    }
    nix::unistd::sethostname("player").map_err(step("its host name"))?;
    mounts::build(request)?;
    // Nobody in the box may look into this process.
    nix::sys::prctl::set_dumpable(false).map_err(step("its first process"))
}
