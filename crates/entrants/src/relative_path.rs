//! Paths relative to a folder.

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

#[cfg(test)]
mod tests {
    use super::*;

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
