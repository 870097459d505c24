//! Seccomp: refuses system calls.
//!
//! It is a list of refused calls and not of allowed ones: language runtimes use many calls, and a
//! program must not crash because it uses a new one. The refused calls reach other processes, the
//! network, or parts of the kernel that ordinary programs do not need.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use crate::protocol::SetupError;
use crate::request::Network;

/// Calls refused with `EPERM`, whatever their arguments.
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // Cores and priorities: a process stays where its caller has put it.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_ioprio_set,
    // Memory and queues that outlive a process.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    // Namespaces and file systems.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    // Parts of the kernel that are often attacked.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The machine as a whole.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
];

/// More such calls on x86-64.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[libc::c_long] = &[];

/// Calls that change a file's mode, owner, times or attributes. Landlock does not know them, so
/// they would reach every file that the process's user owns. Those with a descriptor are among
/// them: one for reading is enough.
const METADATA: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

// Newer calls have the same number everywhere.
const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

/// Requests of `ioctl` that change a file's attributes.
const ATTRIBUTES: [u32; 4] = [
    // FS_IOC_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR, FS_IOC32_SETFLAGS
    0x4008_6602,
    0x4008_7602,
    0x401c_5820,
    0x4004_6602,
];

/// More such calls on x86-64.
#[cfg(target_arch = "x86_64")]
const METADATA_HERE: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_HERE: &[libc::c_long] = &[];

/// Calls refused with `ENOSYS`, so that libraries fall back to calls whose arguments can be
/// filtered.
const ABSENT: &[libc::c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Hundreds of timers per process could fire while the opponent computes.
    libc::SYS_timerfd_create,
    // It shows who reads which of the shared files.
    libc::SYS_inotify_init1,
];

/// More such calls on x86-64.
#[cfg(target_arch = "x86_64")]
const ABSENT_HERE: &[libc::c_long] = &[libc::SYS_inotify_init];
#[cfg(not(target_arch = "x86_64"))]
const ABSENT_HERE: &[libc::c_long] = &[];

/// Calls whose first argument is a clock.
const CLOCKS: [libc::c_long; 4] = [
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_timer_create,
];

/// Flags of `clone` that ask for a namespace.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Whether the process can address processes outside its sandbox by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeesOthers {
    /// It has no PID namespace of its own, so it can.
    Yes,
    /// It has its own PID namespace, so it cannot.
    No,
}

/// Whether files outside the scratch folder can be changed as far as the mounts are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    /// They are mounted read-only.
    ReadOnly,
    /// Only permissions protect them.
    Writable,
}

/// Installs the filters permanently for this process and everything that it executes or starts.
pub(crate) fn install(
    sees_others: SeesOthers,
    files: Files,
    network: Network,
) -> Result<(), SetupError> {
    let failed = |error: &(dyn std::error::Error + 'static)| {
        SetupError::setting_up("its system call filter", error)
    };
    let programs = [
        refusals(sees_others, files, network).map_err(|error| failed(&error))?,
        absences().map_err(|error| failed(&error))?,
    ];
    if let Some(x32) = x32() {
        apply_filter(&x32).map_err(|error| failed(&error))?;
    }
    for program in programs {
        apply_filter(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

type Built<T> = Result<T, seccompiler::BackendError>;

fn refusals(sees_others: SeesOthers, files: Files, network: Network) -> Built<BpfProgram> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().chain(REFUSED_HERE).map(|&call| (call, Vec::new())).collect();
    if network == Network::Closed {
        // All sockets except pairs.
        rules.insert(libc::SYS_socket, Vec::new());
    }
    let namespaces = NAMESPACES.iter().map(|&flag| {
        let flag = u64::from(flag.cast_unsigned());
        when(0, SeccompCmpOp::MaskedEq(flag), flag)
    });
    rules.insert(libc::SYS_clone, namespaces.collect::<Built<_>>()?);
    let other = |argument| when(argument, SeccompCmpOp::Ne, 0);
    rules.insert(libc::SYS_prlimit64, vec![other(0)?]);
    rules.insert(libc::SYS_setpriority, vec![other(0)?, other(1)?]);
    let terminal = [libc::TIOCSTI, libc::TIOCLINUX].map(|it| u32::try_from(it).unwrap_or(0));
    let mut requests = terminal.to_vec();
    if files == Files::Writable {
        requests.extend(ATTRIBUTES);
        rules.extend(METADATA.iter().chain(METADATA_HERE).map(|&call| (call, Vec::new())));
    }
    // The kernel only looks at the lower half of a request.
    let requests = requests.into_iter().map(|it| when(1, SeccompCmpOp::Eq, u64::from(it)));
    rules.insert(libc::SYS_ioctl, requests.collect::<Built<_>>()?);
    // Notifications about activity in a folder, and leases, which make others wait.
    let notices = [libc::F_NOTIFY, libc::F_SETLEASE]
        .map(|command| when(1, SeccompCmpOp::Eq, u64::from(command.cast_unsigned())));
    rules.insert(libc::SYS_fcntl, notices.into_iter().collect::<Built<_>>()?);
    // The supervisor counts open files, which a process could hide this way.
    let hide = [(0, libc::PR_SET_DUMPABLE), (1, 0)];
    let hide = hide.map(|(argument, value)| {
        SeccompCondition::new(
            argument,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::Eq,
            value.cast_unsigned().into(),
        )
    });
    let hide = SeccompRule::new(hide.into_iter().collect::<Built<_>>()?)?;
    rules.insert(libc::SYS_prctl, vec![hide]);
    if sees_others == SeesOthers::Yes {
        for call in CLOCKS {
            rules.insert(call, vec![clock_of_another_process()?]);
        }
    }
    program(rules, libc::EPERM)
}

fn absences() -> Built<BpfProgram> {
    program(
        ABSENT.iter().chain(ABSENT_HERE).map(|&call| (call, Vec::new())).collect(),
        libc::ENOSYS,
    )
}

/// Matches the CPU clock of another process. Such a clock has a negative number that contains the
/// inverted process number. If its third bit is set, it is a thread's clock, which only threads of
/// the same process can read.
fn clock_of_another_process() -> Built<SeccompRule> {
    const OF_PROCESS: u64 = 0x8000_0000;
    const KIND: u64 = OF_PROCESS | 0x4;
    /// The calling process's own clock: process number 0.
    const OWN: u64 = 0xffff_fffa;
    let length = SeccompCmpArgLen::Dword;
    SeccompRule::new(vec![
        SeccompCondition::new(0, length.clone(), SeccompCmpOp::MaskedEq(KIND), OF_PROCESS)?,
        SeccompCondition::new(0, length, SeccompCmpOp::Ne, OWN)?,
    ])
}

/// A condition on the lower half of one argument.
fn when(argument: u8, is: SeccompCmpOp, value: u64) -> Built<SeccompRule> {
    let length = SeccompCmpArgLen::Dword;
    SeccompRule::new(vec![SeccompCondition::new(argument, length, is, value)?])
}

fn program(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: libc::c_int) -> Built<BpfProgram> {
    let refuse = SeccompAction::Errno(errno.cast_unsigned());
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?.try_into()
}

/// Refuses x32 calls on x86-64: a second set of numbers for the same calls, which the other filters
/// would not recognize.
fn x32() -> Option<BpfProgram> {
    const X32: u32 = 0x4000_0000;
    // The kernel's BPF_LD | BPF_W | BPF_ABS, BPF_JMP | BPF_JGE | BPF_K and BPF_RET | BPF_K.
    const LOAD_NUMBER: u16 = 0x20;
    const SKIP_UNLESS_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let refuse = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
    cfg!(target_arch = "x86_64").then(|| {
        vec![
            sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 },
            sock_filter { code: SKIP_UNLESS_AT_LEAST, jt: 0, jf: 1, k: X32 },
            sock_filter { code: RETURN, jt: 0, jf: 0, k: refuse },
            sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW },
        ]
    })
}
