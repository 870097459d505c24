//! Paths: without links, and one in another.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

pub(crate) use referee_containment::pinned_path::real_path;

/// The path without `.` and `..`, as written: links are not followed.
pub(crate) fn lexical_path(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut found, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(found.pop()),
            other => found.push(other),
        }
        found
    })
}

/// Whether `path` is `folder` or lies in it. Both are plain absolute paths, and there can be very
/// many of them, so it compares bytes.
pub(crate) fn is_path_in(path: &Path, folder: &Path) -> bool {
    let (path, folder) = (path.as_os_str().as_bytes(), folder.as_os_str().as_bytes());
    match path.strip_prefix(folder) {
        Some(rest) => rest.is_empty() || rest[0] == b'/' || folder.ends_with(b"/"),
        None => false,
    }
}
