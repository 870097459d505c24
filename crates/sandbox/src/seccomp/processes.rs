//! What reaches other processes, or changes how they share the cores with this one.

use nix::libc;

use super::filter::{Built, Rules, differs, equals, has_bits, is_given, number};
use super::{Freezing, SeesOthers, Surroundings};
use crate::timer_gate::FileTimers;

const REFUSED: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // A process stays where its caller has put it.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_ioprio_set,
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

/// The scheduler of every process that asked for no other.
const USUAL_SCHEDULER: u64 = number(libc::SCHED_OTHER);

/// The signal that ends a freeze.
const CONTINUE: u64 = number(libc::SIGCONT);

/// The option of `prctl` that the crate `libc` does not name.
const PR_SCHED_CORE: libc::c_int = 62;
/// The command of `fcntl` that the crate `libc` does not name.
const F_SETSIG: libc::c_int = 10;

pub(super) fn refuse(rules: &mut Rules, surroundings: Surroundings) -> Built<()> {
    rules.always(REFUSED);
    rules.when(libc::SYS_sched_setscheduler, [differs(1, USUAL_SCHEDULER)])?;
    // Of other processes, and of groups and users.
    rules.when(libc::SYS_setpriority, [differs(0, 0)])?;
    rules.when(libc::SYS_setpriority, [differs(1, 0)])?;
    rules.when(libc::SYS_prlimit64, [differs(0, 0)])?;
    refuse_core_dumps(rules)?;
    // With a cookie of its own, the other thread of its core stands still while it runs.
    rules.when(libc::SYS_prctl, [equals(0, number(PR_SCHED_CORE))])?;
    // Some processors slow down the other thread, too, or empty the cache at each switch.
    rules.when(libc::SYS_prctl, [equals(0, number(libc::PR_SET_SPECULATION_CTRL))])?;
    // The supervisor counts open files, which a process could hide this way.
    rules.when(libc::SYS_prctl, [equals(0, number(libc::PR_SET_DUMPABLE)), equals(1, 0)])?;
    if surroundings.sees_others == SeesOthers::Yes {
        refuse_clocks_of_others(rules)?;
    }
    if surroundings.freezing == Freezing::BySignal {
        refuse_to_wake(rules)?;
    }
    Ok(())
}

/// Refuses to change the limit on core dumps. It is 1: the only limit at which the kernel does not
/// start the machine's handler of crashes either.
fn refuse_core_dumps(rules: &mut Rules) -> Built<()> {
    let core = u64::from(libc::RLIMIT_CORE);
    rules.when(libc::SYS_setrlimit, [equals(0, core)])?;
    rules.when(libc::SYS_prlimit64, [equals(1, core), is_given(2)])
}

/// Refuses the CPU clocks of other processes. Such a clock has a negative number that contains the
/// inverted process number. If its third bit is set, it is a thread's clock, which only threads of
/// the same process can read.
fn refuse_clocks_of_others(rules: &mut Rules) -> Built<()> {
    const OF_PROCESS: u64 = 0x8000_0000;
    const KIND: u64 = OF_PROCESS | 0x4;
    /// The calling process's own clock: process number 0.
    const OWN: u64 = 0xffff_fffa;
    for call in CLOCKS {
        rules.when(call, [has_bits(0, KIND, OF_PROCESS), differs(0, OWN)])?;
    }
    Ok(())
}

/// Refuses every way to send the signal that ends a freeze.
fn refuse_to_wake(rules: &mut Rules) -> Built<()> {
    /// The part of the flags of `clone` that is the signal sent when the child ends.
    const AT_END: u64 = 0xff;
    for (call, signal) in SENDS {
        rules.when(call, [equals(signal, CONTINUE)])?;
    }
    rules.when(libc::SYS_clone, [has_bits(0, AT_END, CONTINUE)])?;
    rules
        .when(libc::SYS_prctl, [equals(0, number(libc::PR_SET_PDEATHSIG)), equals(1, CONTINUE)])?;
    // It chooses the signal that reports activity.
    rules.when(libc::SYS_fcntl, [equals(1, number(F_SETSIG))])
}

pub(super) fn leave_out(rules: &mut Rules, surroundings: Surroundings) {
    if surroundings.freezing == Freezing::BySignal {
        // It could send the signal that ends a freeze.
        rules.always(&[libc::SYS_timer_create]);
    }
    if surroundings.file_timers == FileTimers::Absent {
        rules.always(&[libc::SYS_timerfd_create]);
    }
}

/// Calls that report success and do nothing, because programs end without them.
pub(super) fn ignore(rules: &mut Rules) -> Built<()> {
    // Mono sets the scheduler that each of its threads already has. In that one, there is nothing to
    // choose.
    rules.when(libc::SYS_sched_setscheduler, [equals(1, USUAL_SCHEDULER)])?;
    rules.always(&[libc::SYS_sched_setparam]);
    Ok(())
}
