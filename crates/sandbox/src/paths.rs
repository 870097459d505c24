//! Paths: without links, and one in another.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The path without `.` and `..`, as written: links are not followed.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut found, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(found.pop()),
            other => found.push(other),
        }
        found
    })
}

/// The path without links, as far as it exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder != Path::new("") => real(folder).join(name),
        _ => path.to_owned(),
    }
}

/// Whether `path` is `folder` or lies in it. Both are plain absolute paths, and there can be very
/// many of them, so it compares bytes.
pub(crate) fn is_in(path: &Path, folder: &Path) -> bool {
    let (path, folder) = (path.as_os_str().as_bytes(), folder.as_os_str().as_bytes());
    match path.strip_prefix(folder) {
        Some(rest) => rest.is_empty() || rest[0] == b'/' || folder.ends_with(b"/"),
        None => false,
    }
}
