//! Entrants: a file, a folder or a build becomes how a program is started.

pub(crate) mod build_plan;
pub(crate) mod build_rules;
pub(crate) mod detection;
pub(crate) mod recipes;
pub(crate) mod relative_path;
pub(crate) mod start;
pub(crate) mod start_command;
#[cfg(test)]
pub(crate) mod test_folder;

use std::fs;

#[cfg(unix)]
pub(crate) fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}
