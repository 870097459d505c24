//! Folders for tests.

use std::fs;

/// Makes a folder with these files and their texts.
///
/// # Panics
/// It cannot be made.
pub fn make_test_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    dir
}
