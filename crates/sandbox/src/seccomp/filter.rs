//! Builds filters of system calls.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

pub(super) type Built<T> = Result<T, seccompiler::BackendError>;

/// The calls that a filter answers, each with the arguments for which it does.
#[derive(Debug, Default)]
pub(super) struct FilterRules(BTreeMap<i64, Vec<SeccompRule>>);

impl FilterRules {
    /// Answers these calls with any arguments.
    pub(super) fn answer_always(&mut self, calls: &[libc::c_long]) {
        self.0.extend(calls.iter().map(|&call| (call, Vec::new())));
    }

    /// Answers `call` also if all these conditions hold.
    pub(super) fn answer_when<const N: usize>(
        &mut self,
        call: libc::c_long,
        conditions: [Built<SeccompCondition>; N],
    ) -> Built<()> {
        let rule = SeccompRule::new(conditions.into_iter().collect::<Built<_>>()?)?;
        match self.0.entry(call) {
            Entry::Vacant(free) => drop(free.insert(vec![rule])),
            // Without any rule, the call is always answered.
            Entry::Occupied(rules) if rules.get().is_empty() => {}
            Entry::Occupied(mut rules) => rules.get_mut().push(rule),
        }
        Ok(())
    }

    /// A filter that answers these calls with an error; with 0, it reports success and does nothing.
    pub(super) fn build_program(self, errno: libc::c_int) -> Built<BpfProgram> {
        let answer = SeccompAction::Errno(errno.cast_unsigned());
        let arch = TargetArch::try_from(std::env::consts::ARCH)?;
        SeccompFilter::new(self.0, SeccompAction::Allow, answer, arch)?.try_into()
    }
}

/// A number of the C library as the kernel sees it in an argument.
pub(super) const fn syscall_arg_value(of: libc::c_int) -> u64 {
    of.cast_unsigned() as u64
}

/// A condition on the lower half of one argument. The kernel looks at no more of those that are
/// filtered, regardless of the upper half.
pub(super) fn compare_syscall_arg(
    position: u8,
    is: SeccompCmpOp,
    value: u64,
) -> Built<SeccompCondition> {
    SeccompCondition::new(position, SeccompCmpArgLen::Dword, is, value)
}

pub(super) fn syscall_arg_equals(position: u8, value: u64) -> Built<SeccompCondition> {
    compare_syscall_arg(position, SeccompCmpOp::Eq, value)
}

pub(super) fn syscall_arg_differs(position: u8, value: u64) -> Built<SeccompCondition> {
    compare_syscall_arg(position, SeccompCmpOp::Ne, value)
}

/// Whether the bits `mask` of an argument are those of `value`.
pub(super) fn syscall_arg_has_bits(position: u8, mask: u64, value: u64) -> Built<SeccompCondition> {
    compare_syscall_arg(position, SeccompCmpOp::MaskedEq(mask), value)
}

/// Whether a pointer leads anywhere.
pub(super) fn syscall_arg_is_given(position: u8) -> Built<SeccompCondition> {
    SeccompCondition::new(position, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

/// Refuses x32 calls on x86-64: a second set of numbers for the same calls, which the other filters
/// would not recognize.
pub(super) fn x32_filter() -> Option<BpfProgram> {
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
