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
use crate::timer_gate::FileTimers;

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
const MEMFD_SECRET: libc::c_long = 447;
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
    // The machine has a fixed number of contexts for asynchronous I/O.
    libc::SYS_io_setup,
    // Its pages are counted in no process.
    MEMFD_SECRET,
    // It shows who reads which of the shared files.
    libc::SYS_inotify_init1,
];

/// More such calls on x86-64.
#[cfg(target_arch = "x86_64")]
const ABSENT_HERE: &[libc::c_long] = &[libc::SYS_inotify_init];
#[cfg(not(target_arch = "x86_64"))]
const ABSENT_HERE: &[libc::c_long] = &[];

/// Calls refused with `ENOSYS` if only polling limits memory: they keep pages that no process has
/// mapped, where no poll finds them.
const UNCOUNTED: &[libc::c_long] = &[
    libc::SYS_memfd_create,
    // A pipe or socket that refers to a page instead of copying a few bytes of it.
    libc::SYS_splice,
    libc::SYS_vmsplice,
    libc::SYS_tee,
    libc::SYS_sendfile,
];

/// Calls that send the signal in this argument.
const SENDS: [(libc::c_long, u8); 6] = [
    (libc::SYS_kill, 1),
    (libc::SYS_tkill, 1),
    (libc::SYS_tgkill, 2),
    (libc::SYS_rt_sigqueueinfo, 1),
    (libc::SYS_rt_tgsigqueueinfo, 2),
    (libc::SYS_pidfd_send_signal, 1),
];

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

/// What limits the memory of all processes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// A control group, which counts everything.
    Counted,
    /// Polling, which only sees what processes have mapped and opened.
    Polled,
}

/// How the processes are frozen while the opponent is on turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freezing {
    /// By a control group: no signal wakes them.
    ByControlGroup,
    /// By a signal that stops them, so nothing may send them the one that wakes them.
    BySignal,
}

/// What the filters depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    pub(crate) sees_others: SeesOthers,
    pub(crate) files: Files,
    pub(crate) network: Network,
    pub(crate) memory: Memory,
    pub(crate) freezing: Freezing,
    pub(crate) file_timers: FileTimers,
}

/// Installs the filters permanently for this process and everything that it executes or starts.
pub(crate) fn install(surroundings: Surroundings) -> Result<(), SetupError> {
    let failed = |error: &(dyn std::error::Error + 'static)| {
        SetupError::setting_up("its system call filter", error)
    };
    let programs = surroundings.programs().map_err(|error| failed(&error))?;
    for program in x32().into_iter().chain(programs) {
        apply_filter(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

type Built<T> = Result<T, seccompiler::BackendError>;

/// The calls that a filter answers, each with the arguments for which it does; without any, it
/// always does.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

impl Surroundings {
    fn programs(self) -> Built<[BpfProgram; 3]> {
        Ok([
            program(self.refused()?, libc::EPERM)?,
            program(self.absent(), libc::ENOSYS)?,
            program(Self::without_effect()?, 0)?,
        ])
    }

    /// Calls that report success and do nothing, because programs end without them.
    fn without_effect() -> Built<Rules> {
        Ok(Rules::from([
            // Mono sets the scheduler that each of its threads already has. In that one, there is
            // nothing to choose.
            (libc::SYS_sched_setscheduler, vec![when(1, SeccompCmpOp::Eq, USUAL_SCHEDULER)?]),
            (libc::SYS_sched_setparam, Vec::new()),
        ]))
    }

    fn refused(self) -> Built<Rules> {
        let mut rules = always(REFUSED);
        rules.extend(always(REFUSED_HERE));
        if self.files == Files::Writable {
            rules.extend(always(METADATA));
            rules.extend(always(METADATA_HERE));
        }
        rules.extend(sockets(self.network)?);
        rules.insert(libc::SYS_clone, self.clone_flags()?);
        rules.insert(libc::SYS_ioctl, self.requests()?);
        rules.insert(libc::SYS_fcntl, self.file_commands()?);
        rules.insert(libc::SYS_prctl, self.process_commands()?);
        let other = |argument| when(argument, SeccompCmpOp::Ne, 0);
        let other_scheduler = when(1, SeccompCmpOp::Ne, USUAL_SCHEDULER)?;
        rules.insert(libc::SYS_sched_setscheduler, vec![other_scheduler]);
        rules.insert(libc::SYS_setpriority, vec![other(0)?, other(1)?]);
        let [set_core, set_core_too] = core_limit()?;
        rules.insert(libc::SYS_setrlimit, vec![set_core]);
        rules.insert(libc::SYS_prlimit64, vec![other(0)?, set_core_too]);
        if self.freezing == Freezing::BySignal {
            for (call, argument) in SENDS {
                rules.insert(call, vec![when(argument, SeccompCmpOp::Eq, CONTINUE)?]);
            }
        }
        if self.memory == Memory::Polled {
            rules.extend(uncounted(self.network)?);
        }
        if self.files == Files::Writable && self.network == Network::Closed {
            // A file that was deleted, and is on its way through a socket, is found by no poll.
            rules.extend(always(&[libc::SYS_sendmsg, libc::SYS_sendmmsg]));
        }
        if self.sees_others == SeesOthers::Yes {
            for call in CLOCKS {
                rules.insert(call, vec![clock_of_another_process()?]);
            }
        }
        Ok(rules)
    }

    fn absent(self) -> Rules {
        let mut rules = always(ABSENT);
        rules.extend(always(ABSENT_HERE));
        if self.memory == Memory::Polled {
            rules.extend(always(UNCOUNTED));
        }
        if self.freezing == Freezing::BySignal {
            // It could send the signal that ends a freeze.
            rules.extend(always(&[libc::SYS_timer_create]));
        }
        if self.file_timers == FileTimers::Absent {
            rules.extend(always(&[libc::SYS_timerfd_create]));
        }
        rules
    }

    fn clone_flags(self) -> Built<Vec<SeccompRule>> {
        /// The part of the flags that is the signal sent when the child ends.
        const SIGNAL: u64 = 0xff;
        let namespaces = NAMESPACES.map(|flag| u64::from(flag.cast_unsigned()));
        let mut rules = namespaces
            .into_iter()
            .map(|flag| when(0, SeccompCmpOp::MaskedEq(flag), flag))
            .collect::<Built<Vec<_>>>()?;
        if self.freezing == Freezing::BySignal {
            rules.push(when(0, SeccompCmpOp::MaskedEq(SIGNAL), CONTINUE)?);
        }
        Ok(rules)
    }

    fn requests(self) -> Built<Vec<SeccompRule>> {
        let terminal = [libc::TIOCSTI, libc::TIOCLINUX].map(|it| u32::try_from(it).unwrap_or(0));
        let mut requests = terminal.to_vec();
        if self.files == Files::Writable {
            requests.extend(ATTRIBUTES);
        }
        let requests = requests.into_iter();
        requests.map(|request| when(1, SeccompCmpOp::Eq, request.into())).collect()
    }

    fn file_commands(self) -> Built<Vec<SeccompRule>> {
        // Notifications about activity in a folder, and leases, which make others wait.
        let mut commands = vec![libc::F_NOTIFY, libc::F_SETLEASE];
        if self.freezing == Freezing::BySignal {
            // It chooses the signal that reports activity.
            commands.push(F_SETSIG);
        }
        let commands = commands.into_iter();
        commands.map(|one| when(1, SeccompCmpOp::Eq, one.cast_unsigned().into())).collect()
    }

    fn process_commands(self) -> Built<Vec<SeccompRule>> {
        // The supervisor counts open files, which a process could hide this way.
        let mut rules = vec![both((0, libc::PR_SET_DUMPABLE), (1, 0))?];
        if self.freezing == Freezing::BySignal {
            rules.push(both((0, libc::PR_SET_PDEATHSIG), (1, libc::SIGCONT))?);
        }
        Ok(rules)
    }
}

/// The scheduler of every process that asked for no other.
const USUAL_SCHEDULER: u64 = libc::SCHED_OTHER.cast_unsigned() as u64;

/// The signal that ends a freeze.
const CONTINUE: u64 = libc::SIGCONT.cast_unsigned() as u64;

/// The command of `fcntl` that the crate `libc` does not name.
const F_SETSIG: libc::c_int = 10;

fn always(calls: &[libc::c_long]) -> Rules {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

/// Refuses all sockets that need a network which is closed, and those that reach programs of this
/// machine by a path or name. Only connected pairs remain: their ends cannot send anywhere else.
fn sockets(network: Network) -> Built<Rules> {
    let family = |is, value: libc::c_int| {
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, is, value.cast_unsigned().into())
    };
    let mut rules = Rules::new();
    match network {
        Network::Closed => {
            rules.extend(always(&[libc::SYS_socket, libc::SYS_bind, libc::SYS_connect]));
        }
        Network::Loopback | Network::Open => {
            // Netlink says which addresses this machine has.
            let reaches_others = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
                .map(|known| family(SeccompCmpOp::Ne, known));
            let others = SeccompRule::new(reaches_others.into_iter().collect::<Built<_>>()?)?;
            rules.insert(libc::SYS_socket, vec![others]);
        }
    }
    // Of the types, streams (1) and sequenced packets (5) are those with bit 0, and without bits 1
    // and 3. Every other type of this family sends to any path, connected or not. The kernel keeps
    // flags in the higher bits.
    rules.insert(
        libc::SYS_socketpair,
        vec![
            SeccompRule::new(vec![family(SeccompCmpOp::Ne, libc::AF_UNIX)?])?,
            when(1, SeccompCmpOp::MaskedEq(0b0001), 0)?,
            when(1, SeccompCmpOp::MaskedEq(0b0010), 0b0010)?,
            when(1, SeccompCmpOp::MaskedEq(0b1000), 0b1000)?,
        ],
    );
    Ok(rules)
}

/// Refuses to change the limit on core dumps, for `setrlimit` and `prlimit64`. It is 1: the only
/// limit at which the kernel does not start the machine's handler of crashes either.
fn core_limit() -> Built<[SeccompRule; 2]> {
    let core = u64::from(libc::RLIMIT_CORE);
    let is_core =
        |argument| SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, core);
    let sets = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    Ok([SeccompRule::new(vec![is_core(0)?])?, SeccompRule::new(vec![is_core(1)?, sets])?])
}

/// Refuses what else keeps memory where no poll finds it: shared mappings without a file, and
/// larger buffers of sockets.
fn uncounted(network: Network) -> Built<Rules> {
    let shared = u64::from((libc::MAP_SHARED | libc::MAP_ANONYMOUS).cast_unsigned());
    let nameless = when(3, SeccompCmpOp::MaskedEq(shared), shared)?;
    let mut rules = Rules::from([(libc::SYS_mmap, vec![nameless])]);
    if network == Network::Closed {
        let buffer = both((1, libc::SOL_SOCKET), (2, libc::SO_SNDBUF))?;
        rules.insert(libc::SYS_setsockopt, vec![buffer]);
    }
    Ok(rules)
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

/// A condition on the lower half of one argument. The kernel looks at no more of those that are
/// filtered, whatever a program writes into the upper half.
fn when(argument: u8, is: SeccompCmpOp, value: u64) -> Built<SeccompRule> {
    let length = SeccompCmpArgLen::Dword;
    SeccompRule::new(vec![SeccompCondition::new(argument, length, is, value)?])
}

/// Conditions on the lower halves of two arguments, each with its position and value.
fn both(one: (u8, libc::c_int), other: (u8, libc::c_int)) -> Built<SeccompRule> {
    let is = |(argument, value): (u8, libc::c_int)| {
        let value = value.cast_unsigned().into();
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
    };
    SeccompRule::new(vec![is(one)?, is(other)?])
}

/// A filter that answers these calls with an error; with 0, it reports success and does nothing.
fn program(rules: Rules, errno: libc::c_int) -> Built<BpfProgram> {
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
