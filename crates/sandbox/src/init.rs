//! The first process of a PID namespace: it builds the file system, starts the command, and reaps
//! orphans. When it dies, everything in the namespace dies.

#![expect(unsafe_code, reason = "fork of a process with one thread")]

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::errno::Errno;
use nix::sched::CloneFlags;
use nix::sys::signal::Signal;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, fork};

use crate::cgroup::Cgroup;
use crate::containment_request::Network;
use crate::exec::{SupervisorLink, exec_command, exit_without_exec, report_exec_failure};
use crate::loopback::start_loopback;
use crate::mounts;
use crate::mounts::{find_full_scratch_mount, map_user_for_mounts, mount_new_root};
use crate::start_request::StartRequest;
use crate::supervisor_protocol::{
    SupervisorMessage, SupervisorSetup, SupervisorSetupError, encode_wait_status,
    send_supervisor_message,
};

/// The namespaces of a new process. Root needs no user namespace, since it gives the process its
/// own user.
pub(crate) fn init_namespace_flags(setup: &SupervisorSetup) -> CloneFlags {
    let mut flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    if setup.network != Network::Open {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    match setup.user {
        Some(_) => flags,
        None => flags | CloneFlags::CLONE_NEWUSER,
    }
}

/// Runs as the first process of the namespaces, and never returns. It waits for `ready` before it
/// reaps anything.
pub(crate) fn run_init(
    socket: &UnixStream,
    request: StartRequest,
    groups: &[Cgroup],
    link: SupervisorLink,
    ready: &OwnedFd,
) -> ! {
    let limits = request.setup.limits;
    let leader = match build_init_sandbox(&request) {
        // SAFETY: this process has one thread, so the child may do anything that the parent may.
        Ok(()) => match unsafe { fork() } {
            Ok(ForkResult::Parent { child }) => child,
            Ok(ForkResult::Child) => exec_command(&request, groups, link),
            Err(error) => report_exec_failure(
                link.reporter,
                &SupervisorSetupError::setting_up("its first process", &error),
            ),
        },
        Err(failed) => report_exec_failure(link.reporter, &failed),
    };
    drop((request, link));
    // The supervisor must see the process before it can be reaped.
    if nix::unistd::read(ready, &mut [0]) != Ok(1) {
        exit_without_exec();
    }
    loop {
        match waitpid(None, None) {
            Ok(status) if status.pid() == Some(leader) => {
                let full = find_full_scratch_mount(Path::new(mounts::SCRATCH), &limits);
                if let Some(full) = full {
                    let _ = send_supervisor_message(socket, &SupervisorMessage::Exceeded(full));
                }
                let _ = send_supervisor_message(
                    socket,
                    &SupervisorMessage::Exited { status: encode_wait_status(status) },
                );
            }
            Ok(_) | Err(Errno::EINTR) => {}
            // No process is left that could start another one.
            Err(_) => nix::unistd::pause(),
        }
    }
}

/// Builds the sandbox for this process and its children.
fn build_init_sandbox(request: &StartRequest) -> Result<(), SupervisorSetupError> {
    let setup = &request.setup;
    let step =
        |what: &'static str| move |error: Errno| SupervisorSetupError::setting_up(what, &error);
    // The supervisor has one thread, so the signal comes when it ends and not before.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).map_err(step("its parent-death signal"))?;
    if setup.user.is_none() {
        map_user_for_mounts(request.ids)
            .map_err(|error| SupervisorSetupError::setting_up("its user namespace", &error))?;
    }
    nix::unistd::sethostname("player").map_err(step("its host name"))?;
    match setup.network {
        Network::Closed | Network::Open => {}
        Network::Loopback => start_loopback().map_err(step("its loopback device"))?,
        Network::Proxy => request.open_proxy()?,
    }
    mount_new_root(request)?;
    // No process in the namespaces may inspect this one.
    nix::sys::prctl::set_dumpable(false).map_err(step("its first process"))
}
