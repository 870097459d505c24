//! What reaches a network that is closed, or other programs of the machine through their sockets.

use nix::libc;

use super::filter::{
    Built, FilterRules, syscall_arg_differs, syscall_arg_has_bits, syscall_arg_value,
};
use crate::containment_request::Network;

/// Refuses all sockets that need a network which is closed, and those that reach programs of this
/// machine by a path or name. Only connected pairs remain: their ends cannot send anywhere else. With
/// a proxy, connections to it remain, too.
pub(super) fn refuse_socket_calls(rules: &mut FilterRules, network: Network) -> Built<()> {
    match network {
        Network::Closed => {
            rules.answer_always(&[libc::SYS_socket, libc::SYS_bind, libc::SYS_connect]);
        }
        Network::Proxy => {
            // The kernel keeps flags above the four bits of the type: streams are 0001. Of their
            // protocols, only TCP is allowed, with and without its name.
            rules.answer_always(&[libc::SYS_bind, libc::SYS_listen]);
            rules.answer_when(
                libc::SYS_socket,
                [syscall_arg_differs(0, syscall_arg_value(libc::AF_INET))],
            )?;
            rules.answer_when(
                libc::SYS_socket,
                [
                    syscall_arg_differs(2, 0),
                    syscall_arg_differs(2, syscall_arg_value(libc::IPPROTO_TCP)),
                ],
            )?;
            for (bit, value) in [(0b0001, 0), (0b0010, 0b0010), (0b0100, 0b0100), (0b1000, 0b1000)]
            {
                rules.answer_when(libc::SYS_socket, [syscall_arg_has_bits(1, bit, value)])?;
            }
        }
        Network::Loopback | Network::Open => {
            // Netlink says which addresses this machine has.
            let [four, six, netlink] =
                [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(syscall_arg_value);
            rules.answer_when(
                libc::SYS_socket,
                [
                    syscall_arg_differs(0, four),
                    syscall_arg_differs(0, six),
                    syscall_arg_differs(0, netlink),
                ],
            )?;
        }
    }
    rules.answer_when(
        libc::SYS_socketpair,
        [syscall_arg_differs(0, syscall_arg_value(libc::AF_UNIX))],
    )?;
    // Of the types, streams (1) and sequenced packets (5) are those with bit 0, and without bits 1
    // and 3. Every other type of this family sends to any path, connected or not. The kernel keeps
    // flags in the higher bits.
    for (bit, value) in [(0b0001, 0), (0b0010, 0b0010), (0b1000, 0b1000)] {
        rules.answer_when(libc::SYS_socketpair, [syscall_arg_has_bits(1, bit, value)])?;
    }
    Ok(())
}
