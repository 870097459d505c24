//! The last steps before the exec of the command. Each takes a privilege away from this process.

#![expect(unsafe_code, reason = "signal actions and descriptors of a process with one thread")]

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::libc;
use nix::sched::CloneFlags;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, signal, sigprocmask};
use nix::sys::stat::Mode;
use nix::unistd::{Gid, Uid};
use rustix::fs::OFlags;

use crate::cgroup::Cgroup;
use crate::containment_request::Network;
use crate::landlock::apply_landlock;
use crate::level::{Level, Mechanism};
use crate::mounts::mount_all_read_only;
use crate::pinned_path::open_without_links;
use crate::procfs::count_own_processes_in_procfs;
use crate::resource_limits::MIB;
use crate::seccomp::{
    Devices, Files, Freezing, Memory, SeccompSurroundings, SeesOthers, install_seccomp,
};
use crate::start_request::StartRequest;
use crate::supervisor_protocol::{SetupCgroup, StartStage, SupervisorSetup, SupervisorSetupError};
use crate::timer_gate::{FileTimers, MOST_TIMERS, install_timer_gate};

/// What connects a process with its supervisor until it executes the command.
pub(crate) struct SupervisorLink {
    /// Takes an error, and is closed by the exec.
    pub(crate) reporter: OwnedFd,
    /// Takes the descriptor of the timers; see [`timer_gate`](crate::timer_gate).
    pub(crate) timers: UnixStream,
}

/// Turns this process into the command, or reports why it cannot.
pub(crate) fn exec_command(request: &StartRequest, groups: &[Cgroup], link: SupervisorLink) -> ! {
    let this = request.this.as_ref();
    let prepared = prepare_exec(request, groups, &link.timers);
    let Err(failed) = prepared.and_then(|()| exec(&request.setup, this));
    report_exec_failure(link.reporter, &failed)
}

/// Reports a failure to the supervisor and exits.
pub(crate) fn report_exec_failure(reporter: OwnedFd, failed: &SupervisorSetupError) -> ! {
    // If even this fails, the supervisor sees that the process ended at once.
    let _ = serde_json::to_writer(File::from(reporter), failed);
    exit_without_exec()
}

/// Ends this process without running any of the supervisor's cleanup code.
pub(crate) fn exit_without_exec() -> ! {
    // SAFETY: nothing runs afterwards.
    unsafe { libc::_exit(127) }
}

/// Everything but the exec.
fn prepare_exec(
    request: &StartRequest,
    groups: &[Cgroup],
    timers: &UnixStream,
) -> Result<(), SupervisorSetupError> {
    let setup = &request.setup;
    let step =
        |what: &'static str| move |error: Errno| SupervisorSetupError::setting_up(what, &error);
    nix::unistd::setsid().map_err(step("its session"))?;
    reset_signals_before_exec().map_err(step("its signals"))?;
    for group in groups {
        group.join()?;
    }
    connect_stdio_before_exec(request).map_err(step("its pipes"))?;
    if setup.has(Mechanism::Rlimits) {
        set_rlimits_before_exec(setup).map_err(step("its limits"))?;
    } else if let Some(limit) = setup.open_files {
        let hard = getrlimit(Resource::RLIMIT_NOFILE).map_err(step("its limits"))?.1;
        setrlimit(Resource::RLIMIT_NOFILE, limit.min(hard), hard).map_err(step("its limits"))?;
    }
    if let Some(scratch) = setup.scratch.as_ref().filter(|_| setup.has_mounts_alone()) {
        mount_all_read_only(setup, scratch)?;
    }
    if setup.network == Network::Proxy && setup.has_mounts_alone() {
        nix::sched::unshare(CloneFlags::CLONE_NEWNET).map_err(step("its network"))?;
        request.open_proxy()?;
    }
    enter_command_folder(setup)?;
    if let Some(user) = setup.user {
        drop_root_before_exec(user).map_err(step("its user"))?;
    }
    // This must come after the change of user, which would undo it. The supervisor has one thread,
    // so the signal comes when the supervisor ends and not before.
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).map_err(step("its parent-death signal"))?;
    close_descriptors_on_exec().map_err(step("its descriptors"))?;
    if setup.level > Level::Off {
        nix::sys::prctl::set_no_new_privs().map_err(step("no new privileges"))?;
    }
    if setup.has(Mechanism::Landlock) {
        apply_landlock(setup, request.this.as_ref())?;
    }
    if setup.has(Mechanism::Seccomp) {
        install_seccomp(seccomp_surroundings_for_exec(setup, install_timer_gate(timers)))?;
    }
    Ok(())
}

/// Makes the command's folder the working folder, unless something else is in its place now.
fn enter_command_folder(setup: &SupervisorSetup) -> Result<(), SupervisorSetupError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let entered = open_without_links(&setup.dir, flags).and_then(|folder| {
        rustix::process::fchdir(&folder)?;
        Ok(folder)
    });
    match entered {
        Ok(folder) => setup.check_place(&setup.dir, folder),
        // It was real when it was found.
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
            Err(SupervisorSetupError::folder_replaced(&setup.dir))
        }
        Err(error) => Err(SupervisorSetupError {
            stage: StartStage::Program,
            message: format!(
                "in the folder {}: {}",
                setup.dir.display(),
                std::io::Error::from(error)
            ),
            error: Some(error.raw_os_error()),
        }),
    }
}

/// What the filters of system calls depend on.
fn seccomp_surroundings_for_exec(
    setup: &SupervisorSetup,
    file_timers: FileTimers,
) -> SeccompSurroundings {
    let namespaces = setup.has(Mechanism::Namespaces);
    let is_read_only = namespaces || setup.has_mounts_alone();
    let is_counted = setup.groups.iter().any(SetupCgroup::bounds_memory);
    SeccompSurroundings {
        sees_others: if namespaces { SeesOthers::No } else { SeesOthers::Yes },
        files: if is_read_only { Files::ReadOnly } else { Files::Writable },
        devices: if setup.devices.is_empty() { Devices::None } else { Devices::Given },
        network: setup.network,
        memory: if is_counted { Memory::Counted } else { Memory::Polled },
        freezing: if setup.freezer { Freezing::ByControlGroup } else { Freezing::BySignal },
        file_timers,
    }
}

/// Restores the default actions of all signals and unblocks them.
fn reset_signals_before_exec() -> nix::Result<()> {
    for one in Signal::iterator().filter(|one| !matches!(one, Signal::SIGKILL | Signal::SIGSTOP)) {
        // SAFETY: the default action runs no code of this program.
        unsafe { signal(one, SigHandler::SigDfl) }?;
    }
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)
}

fn connect_stdio_before_exec(request: &StartRequest) -> nix::Result<()> {
    let [stdin, stdout, stderr] = &request.pipes;
    nix::unistd::dup2_stdin(stdin)?;
    nix::unistd::dup2_stdout(stdout)?;
    nix::unistd::dup2_stderr(stderr)
}

/// How much more memory than allowed a process may reserve if only polling limits what it uses.
/// Runtimes such as those of Lisp and Java reserve whole heaps at their start, and use little.
const MOST_RESERVED: u64 = 8 * 1024 * MIB;

fn set_rlimits_before_exec(setup: &SupervisorSetup) -> nix::Result<()> {
    let limits = &setup.limits;
    let set = |resource, limit| {
        // A process cannot exceed its own hard limit.
        let limit = getrlimit(resource)?.1.min(limit);
        setrlimit(resource, limit, limit)
    };
    set_core_limit_before_exec()?;
    set(Resource::RLIMIT_NOFILE, limits.open_files)?;
    set(Resource::RLIMIT_FSIZE, limits.file_size)?;
    set(Resource::RLIMIT_MSGQUEUE, 0)?;
    set(Resource::RLIMIT_RTPRIO, 0)?;
    set(Resource::RLIMIT_SIGPENDING, MOST_TIMERS)?;
    if let Some(most) = process_limit_for_exec(setup) {
        set(Resource::RLIMIT_NPROC, most)?;
    }
    if !setup.groups.iter().any(SetupCgroup::bounds_memory) {
        set(Resource::RLIMIT_DATA, limits.memory.saturating_add(MOST_RESERVED))?;
    }
    Ok(())
}

/// Forbids core dumps, also to the program that the machine may start for each: it ignores every
/// limit but 1. Without that right, such as under a hard limit of 0, files are still forbidden.
fn set_core_limit_before_exec() -> nix::Result<()> {
    setrlimit(Resource::RLIMIT_CORE, 1, 1).or_else(|_| setrlimit(Resource::RLIMIT_CORE, 0, 0))
}

/// How many more processes the caller's own user may have. It is only a safety net, since that user
/// has other processes, too.
const SAFETY_NET: u64 = 4096;

/// The maximum number of processes of this process's user; `None` for no limit.
fn process_limit_for_exec(setup: &SupervisorSetup) -> Option<u64> {
    // A control group does this better: it also reports refused processes.
    if setup.groups.iter().any(SetupCgroup::bounds_processes) {
        return None;
    }
    match (setup.user, setup.has_user_namespace()) {
        (Some(_), _) => Some(setup.limits.processes),
        // The init of its PID namespace, or its supervisor, counts too.
        (None, true) => Some(setup.limits.processes + 1),
        (None, false) => Some(count_own_processes_in_procfs()? + SAFETY_NET),
    }
}

fn drop_root_before_exec(user: u32) -> nix::Result<()> {
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
    nix::unistd::setgroups(&[])?;
    nix::unistd::setresgid(group, group, group)?;
    nix::unistd::setresuid(user, user, user)
}

/// Lets the command inherit only stdin, stdout and stderr.
fn close_descriptors_on_exec() -> nix::Result<()> {
    let flags = libc::c_int::try_from(libc::CLOSE_RANGE_CLOEXEC).unwrap_or_default();
    // SAFETY: the descriptors stay open until the exec, and their owners do not change.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, flags) };
    match Errno::result(done) {
        // Before Linux 5.11, there is no such flag; before 5.9, no such call.
        Err(Errno::EINVAL | Errno::ENOSYS) => close_each_descriptor_on_exec(),
        done => done.map(drop),
    }
}

/// The same, one by one.
fn close_each_descriptor_on_exec() -> nix::Result<()> {
    let here = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let mut dir = Dir::open("/proc/self/fd", here, Mode::empty())?;
    for entry in dir.iter() {
        let Some(number) = entry?.file_name().to_str().ok().and_then(|name| name.parse().ok())
        else {
            continue;
        };
        if number > libc::STDERR_FILENO {
            // SAFETY: nothing is read from it or written to it.
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            match fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)) {
                // It is closed by now.
                Ok(_) | Err(Errno::EBADF) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Replaces this process with the program. Returns only on failure.
fn exec(
    setup: &SupervisorSetup,
    this: Option<&File>,
) -> Result<std::convert::Infallible, SupervisorSetupError> {
    let failed =
        |message: String| SupervisorSetupError { stage: StartStage::Program, message, error: None };
    let text = |bytes: &[u8]| {
        CString::new(bytes).map_err(|_| failed("it contains a NUL character".to_owned()))
    };
    let program = text(setup.program.as_os_str().as_bytes())?;
    let mut args = vec![program.clone()];
    for arg in &setup.args {
        args.push(text(arg.as_bytes())?);
    }
    let mut env = Vec::new();
    if setup.level == Level::Off {
        for (name, value) in std::env::vars_os() {
            if name.to_str().is_none_or(|name| !setup.env.contains_key(name)) {
                env.push(text(&[name.as_bytes(), b"=", value.as_bytes()].concat())?);
            }
        }
    }
    for (name, value) in &setup.env {
        env.push(text(format!("{name}={value}").as_bytes())?);
    }
    let error = match this {
        Some(this) => {
            let flags = nix::fcntl::AtFlags::AT_EMPTY_PATH;
            nix::unistd::execveat(this, c"", &args, &env, flags)
        }
        None => nix::unistd::execve(&program, &args, &env),
    };
    error.map_err(|error| SupervisorSetupError {
        error: Some(error as i32),
        ..failed(std::io::Error::from(error).to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_closed_on_exec_by_kernels_without_the_flag_too() {
        let file = tempfile::tempfile().expect("a file");
        let flags = || fcntl(&file, FcntlArg::F_GETFD).expect("its flags");
        fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty())).expect("set");
        close_each_descriptor_on_exec().expect("set");
        assert_eq!(flags(), FdFlag::FD_CLOEXEC.bits());
    }
}
