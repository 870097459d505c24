//! Paths relative to a folder.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The path from a folder to another folder or a file, both absolute. If they share only the root,
/// it is the other's absolute path.
pub fn relative_path(base: &Path, dir: &Path) -> PathBuf {
    let shared = base.components().zip(dir.components()).take_while(|(one, other)| one == other);
    let shared = shared.count();
    if shared <= 1 {
        return dir.to_owned();
    }
    let up = base.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(dir.components().skip(shared)).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

/// The absolute path of a folder without links. It may not exist, nor the folders around it.
///
/// # Errors
/// The system reports an error, other than that it does not exist.
pub fn absolute_path(folder: &Path) -> io::Result<PathBuf> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    match (folder.canonicalize(), folder.parent(), folder.file_name()) {
        (Err(error), Some(around), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
            Ok(absolute_path(around)?.join(name))
        }
        (found, ..) => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_path_has_no_links_as_far_as_it_exists() {
        let dir = tempfile::tempdir().expect("a folder");
        let real = dir.path().canonicalize().expect("it exists");
        std::os::unix::fs::symlink(&real, real.join("link")).expect("a link");
        assert_eq!(
            absolute_path(&real.join("link/new/cup")).expect("a path"),
            real.join("new/cup")
        );
        assert_eq!(
            absolute_path(Path::new("")).expect("a path"),
            std::env::current_dir().expect("here")
        );
    }

    #[test]
    fn relative_paths_lead_from_one_folder_to_another() {
        let seen = |base: &str, dir: &str| {
            relative_path(Path::new(base), Path::new(dir)).display().to_string()
        };
        assert_eq!(seen("/home/ann/cup", "/home/ann/cup/results/cup"), "results/cup");
        assert_eq!(seen("/home/ann/cup", "/home/ann/out/cup"), "../out/cup");
        assert_eq!(seen("/home/ann/cup", "/home/ann/cup"), ".");
        assert_eq!(seen("/home/ann/cup", "/srv/cup"), "/srv/cup");
    }
}
