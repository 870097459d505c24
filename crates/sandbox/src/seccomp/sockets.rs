//! What reaches a network that is closed, or other programs of the machine through their sockets.

use nix::libc;

use super::filter::{Built, Rules, differs, has_bits, number};
use crate::containment_request::Network;

/// Refuses all sockets that need a network which is closed, and those that reach programs of this
/// machine by a path or name. Only connected pairs remain: their ends cannot send anywhere else. With
/// a proxy, connections to it remain, too.
pub(super) fn refuse(rules: &mut Rules, network: Network) -> Built<()> {
    match network {
        Network::Closed => {
            rules.always(&[libc::SYS_socket, libc::SYS_bind, libc::SYS_connect]);
        }
        Network::Proxy => {
            // The kernel keeps flags above the four bits of the type: streams are 0001. Of their
            // protocols, only TCP is allowed, with and without its name.
            rules.always(&[libc::SYS_bind, libc::SYS_listen]);
            rules.when(libc::SYS_socket, [differs(0, number(libc::AF_INET))])?;
            rules.when(libc::SYS_socket, [differs(2, 0), differs(2, number(libc::IPPROTO_TCP))])?;
            for (bit, value) in [(0b0001, 0), (0b0010, 0b0010), (0b0100, 0b0100), (0b1000, 0b1000)]
            {
                rules.when(libc::SYS_socket, [has_bits(1, bit, value)])?;
            }
        }
        Network::Loopback | Network::Open => {
            // Netlink says which addresses this machine has.
            let [four, six, netlink] =
                [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(number);
            rules
                .when(libc::SYS_socket, [differs(0, four), differs(0, six), differs(0, netlink)])?;
        }
    }
    rules.when(libc::SYS_socketpair, [differs(0, number(libc::AF_UNIX))])?;
    // Of the types, streams (1) and sequenced packets (5) are those with bit 0, and without bits 1
    // and 3. Every other type of this family sends to any path, connected or not. The kernel keeps
    // flags in the higher bits.
    for (bit, value) in [(0b0001, 0), (0b0010, 0b0010), (0b1000, 0b1000)] {
        rules.when(libc::SYS_socketpair, [has_bits(1, bit, value)])?;
    }
    Ok(())
}
