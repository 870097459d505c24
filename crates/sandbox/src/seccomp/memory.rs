//! What keeps memory that no process has mapped, where no poll finds it.

use nix::libc;

use super::filter::{
    Built, FilterRules, syscall_arg_equals, syscall_arg_has_bits, syscall_arg_value,
};
use super::{Files, Memory, SeccompSurroundings};
use crate::containment_request::Network;

const UNCOUNTED: &[libc::c_long] = &[
    libc::SYS_memfd_create,
    // A pipe or socket that refers to a page instead of copying a few bytes of it.
    libc::SYS_splice,
    libc::SYS_vmsplice,
    libc::SYS_tee,
    libc::SYS_sendfile,
];

/// Its pages are counted in no process, and in no control group either. It has the same number
/// everywhere.
const MEMFD_SECRET: libc::c_long = 447;

pub(super) fn refuse_memory_calls(
    rules: &mut FilterRules,
    surroundings: SeccompSurroundings,
) -> Built<()> {
    let is_closed = matches!(surroundings.network, Network::Closed | Network::Proxy);
    if surroundings.memory == Memory::Polled {
        // Shared mappings without a file, and larger buffers of sockets.
        let shared = syscall_arg_value(libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        rules.answer_when(libc::SYS_mmap, [syscall_arg_has_bits(3, shared, shared)])?;
        if is_closed {
            for buffer in [libc::SO_SNDBUF, libc::SO_RCVBUF] {
                let [level, buffer] = [libc::SOL_SOCKET, buffer].map(syscall_arg_value);
                rules.answer_when(
                    libc::SYS_setsockopt,
                    [syscall_arg_equals(1, level), syscall_arg_equals(2, buffer)],
                )?;
            }
        }
    }
    if surroundings.files == Files::Writable && is_closed {
        // A file that was deleted, and is on its way through a socket, is found by no poll.
        rules.answer_always(&[libc::SYS_sendmsg, libc::SYS_sendmmsg]);
    }
    Ok(())
}

pub(super) fn leave_out_memory_calls(rules: &mut FilterRules, memory: Memory) {
    rules.answer_always(&[MEMFD_SECRET]);
    if memory == Memory::Polled {
        rules.answer_always(UNCOUNTED);
    }
}
