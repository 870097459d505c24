//! The system folders that every program may read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::containment_request::Network;
use crate::machine_settings::machine_settings;

/// System folders that every program may read. Missing ones are skipped.
pub(crate) const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Configuration that programs read before they use the network: first how they find hosts, then whom
/// they trust.
const NETWORK: &[&str] = &[
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
];
/// How many of those are about finding hosts, which a proxy does for the process.
const FOR_HOSTS: usize = 5;

/// The configuration that a process with this network reads.
pub(crate) fn system_network_files(network: Network) -> &'static [&'static str] {
    match network {
        Network::Closed | Network::Loopback => &[],
        Network::Proxy => &NETWORK[FOR_HOSTS..],
        Network::Open => NETWORK,
    }
}

/// The program's path with links resolved in its folder, but not in its own name. Python finds a
/// virtual environment by the name of its link.
pub(crate) fn real_program_path(program: &Path) -> PathBuf {
    match (program.parent(), program.file_name()) {
        (Some(folder), Some(name)) => fs::canonicalize(folder).map(|folder| folder.join(name)),
        _ => fs::canonicalize(program),
    }
    .unwrap_or_else(|_| program.to_owned())
}

/// Whether it is in a folder that every program may read.
pub fn is_system_path(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
        || machine_settings().iter().any(|folder| path.starts_with(folder))
}
