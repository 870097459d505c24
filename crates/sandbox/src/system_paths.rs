//! The system folders that every program may read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::settings::settings;

/// System folders that every program may read. Missing ones are skipped.
pub(crate) const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Configuration that programs read before they use the network.
pub(crate) const NETWORK: &[&str] = &[
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
];

/// The real paths of that configuration, as far as it exists.
pub(crate) fn network_paths() -> impl Iterator<Item = PathBuf> {
    NETWORK.iter().filter_map(|path| fs::canonicalize(path).ok())
}

/// The program's path with links resolved in its folder, but not in its own name. Python finds a
/// virtual environment by the name of its link.
pub(crate) fn with_real_folder(program: &Path) -> PathBuf {
    match (program.parent(), program.file_name()) {
        (Some(folder), Some(name)) => fs::canonicalize(folder).map(|folder| folder.join(name)),
        _ => fs::canonicalize(program),
    }
    .unwrap_or_else(|_| program.to_owned())
}

/// Whether it is in a folder that every program may read.
pub fn is_system_path(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
        || settings().iter().any(|folder| path.starts_with(folder))
}
