//! What reaches other processes, or changes how they share the cores with this one.

use nix::libc;

use super::filter::{
    Built, FilterRules, syscall_arg_differs, syscall_arg_equals, syscall_arg_has_bits,
    syscall_arg_is_given, syscall_arg_value,
};
use super::{Freezing, SeccompSurroundings, SeesOthers};
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
const USUAL_SCHEDULER: u64 = syscall_arg_value(libc::SCHED_OTHER);

/// The signal that ends a freeze.
const CONTINUE: u64 = syscall_arg_value(libc::SIGCONT);

/// The option of `prctl` that the crate `libc` does not name.
const PR_SCHED_CORE: libc::c_int = 62;
/// The command of `fcntl` that the crate `libc` does not name.
const F_SETSIG: libc::c_int = 10;

pub(super) fn refuse_process_calls(
    rules: &mut FilterRules,
    surroundings: SeccompSurroundings,
) -> Built<()> {
    rules.answer_always(REFUSED);
    rules.answer_when(libc::SYS_sched_setscheduler, [syscall_arg_differs(1, USUAL_SCHEDULER)])?;
    // Of other processes, and of groups and users.
    rules.answer_when(libc::SYS_setpriority, [syscall_arg_differs(0, 0)])?;
    rules.answer_when(libc::SYS_setpriority, [syscall_arg_differs(1, 0)])?;
    rules.answer_when(libc::SYS_prlimit64, [syscall_arg_differs(0, 0)])?;
    refuse_core_limit_calls(rules)?;
    // With a cookie of its own, the other thread of its core stands still while it runs.
    rules
        .answer_when(libc::SYS_prctl, [syscall_arg_equals(0, syscall_arg_value(PR_SCHED_CORE))])?;
    // Some processors slow down the other thread, too, or empty the cache at each switch.
    rules.answer_when(
        libc::SYS_prctl,
        [syscall_arg_equals(0, syscall_arg_value(libc::PR_SET_SPECULATION_CTRL))],
    )?;
    // The supervisor counts open files, which a process could hide this way.
    rules.answer_when(
        libc::SYS_prctl,
        [syscall_arg_equals(0, syscall_arg_value(libc::PR_SET_DUMPABLE)), syscall_arg_equals(1, 0)],
    )?;
    if surroundings.sees_others == SeesOthers::Yes {
        refuse_process_clock_calls(rules)?;
    }
    if surroundings.freezing == Freezing::BySignal {
        refuse_wake_signal_calls(rules)?;
    }
    Ok(())
}

/// Refuses to change the limit on core dumps. It is 1: the only limit at which the kernel does not
/// start the machine's handler of crashes either.
fn refuse_core_limit_calls(rules: &mut FilterRules) -> Built<()> {
    let core = u64::from(libc::RLIMIT_CORE);
    rules.answer_when(libc::SYS_setrlimit, [syscall_arg_equals(0, core)])?;
    rules.answer_when(libc::SYS_prlimit64, [syscall_arg_equals(1, core), syscall_arg_is_given(2)])
}

/// Refuses the CPU clocks of other processes. Such a clock has a negative number that contains the
/// inverted process number. If its third bit is set, it is a thread's clock, which only threads of
/// the same process can read.
fn refuse_process_clock_calls(rules: &mut FilterRules) -> Built<()> {
    const OF_PROCESS: u64 = 0x8000_0000;
    const KIND: u64 = OF_PROCESS | 0x4;
    /// The calling process's own clock: process number 0.
    const OWN: u64 = 0xffff_fffa;
    for call in CLOCKS {
        rules.answer_when(
            call,
            [syscall_arg_has_bits(0, KIND, OF_PROCESS), syscall_arg_differs(0, OWN)],
        )?;
    }
    Ok(())
}

/// Refuses every way to send the signal that ends a freeze.
fn refuse_wake_signal_calls(rules: &mut FilterRules) -> Built<()> {
    /// The part of the flags of `clone` that is the signal sent when the child ends.
    const AT_END: u64 = 0xff;
    for (call, signal) in SENDS {
        rules.answer_when(call, [syscall_arg_equals(signal, CONTINUE)])?;
    }
    rules.answer_when(libc::SYS_clone, [syscall_arg_has_bits(0, AT_END, CONTINUE)])?;
    rules.answer_when(
        libc::SYS_prctl,
        [
            syscall_arg_equals(0, syscall_arg_value(libc::PR_SET_PDEATHSIG)),
            syscall_arg_equals(1, CONTINUE),
        ],
    )?;
    // It chooses the signal that reports activity.
    rules.answer_when(libc::SYS_fcntl, [syscall_arg_equals(1, syscall_arg_value(F_SETSIG))])
}

pub(super) fn leave_out_process_calls(rules: &mut FilterRules, surroundings: SeccompSurroundings) {
    if surroundings.freezing == Freezing::BySignal {
        // It could send the signal that ends a freeze.
        rules.answer_always(&[libc::SYS_timer_create]);
    }
    if surroundings.file_timers == FileTimers::Absent {
        rules.answer_always(&[libc::SYS_timerfd_create]);
    }
}

/// Calls that report success and do nothing, because programs end without them.
pub(super) fn ignore_scheduler_calls(rules: &mut FilterRules) -> Built<()> {
    // Mono sets the scheduler that each of its threads already has. In that one, there is nothing to
    // choose.
    rules.answer_when(libc::SYS_sched_setscheduler, [syscall_arg_equals(1, USUAL_SCHEDULER)])?;
    rules.answer_always(&[libc::SYS_sched_setparam]);
    Ok(())
}
