//! The paths that a program must be able to read besides its own folder: the system libraries and
//! its language runtime, wherever that is installed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// System folders that every program may read. Missing ones are skipped.
pub(crate) const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Configuration that every program may read: library paths, the time zone, and Debian's settings
/// of language runtimes.
pub(crate) const SETTINGS: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/locale.alias",
    "/etc/mime.types",
    "/etc/alternatives",
    "/etc/ssl/openssl.cnf",
    "/etc/python3",
    "/etc/python3.11",
    "/etc/python3.12",
    "/etc/python3.13",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/java-25-openjdk",
];

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
pub(crate) fn of_network() -> impl Iterator<Item = PathBuf> {
    NETWORK.iter().filter_map(|path| fs::canonicalize(path).ok())
}

/// The parts of an installation, in the folder above its programs.
const PARTS: &[&str] = &[
    "bin",
    "sbin",
    "shims",
    "lib",
    "lib64",
    "libexec",
    "versions",
    "version",
    "conf",
    "pyvenv.cfg",
];

/// The maximum number of links and interpreters to follow.
const MOST_STEPS: usize = 32;

/// The program's path with links resolved in its folder, but not in its own name. Python finds a
/// virtual environment by the name of its link.
pub(crate) fn with_real_folder(program: &Path) -> PathBuf {
    let folder = program.parent().and_then(|folder| fs::canonicalize(folder).ok());
    match (folder, program.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => program.to_owned(),
    }
}

/// The paths that must be readable for `program` to run, besides the system folders. If a script
/// names its interpreter without a folder, it is looked up in `search`, a list like `PATH`.
pub(crate) fn of_program(program: &Path, search: Option<&OsStr>) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut due = vec![with_real_folder(program)];
    for _ in 0..MOST_STEPS {
        let Some(path) = due.pop() else { break };
        add_installation(&path, &mut found);
        let folder = path.parent().unwrap_or(Path::new("/"));
        match fs::read_link(&path) {
            Ok(target) => due.push(with_real_folder(&folder.join(target))),
            Err(_) => due.extend(interpreter(&path, search)),
        }
    }
    found
}

/// Adds the file, or the installation it belongs to.
fn add_installation(path: &Path, found: &mut BTreeSet<PathBuf>) {
    if is_system_path(path) {
        return;
    }
    let folder = path.parent().unwrap_or(path);
    let of_programs = folder.file_name().is_some_and(|name| {
        ["bin", "sbin", "shims", "libexec"].into_iter().any(|known| name == known)
    });
    match folder.parent().filter(|_| of_programs) {
        Some(prefix) => {
            let parts = PARTS.iter().map(|part| prefix.join(part));
            found.extend(parts.filter(|part| part.exists()));
        }
        None => {
            found.insert(path.to_owned());
        }
    }
}

/// Whether it is in a folder that every program may read.
pub fn is_system_path(path: &Path) -> bool {
    SYSTEM.iter().chain(SETTINGS).any(|folder| path.starts_with(folder))
}

/// The interpreter named in the first line of a script.
fn interpreter(path: &Path, search: Option<&OsStr>) -> Option<PathBuf> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(256).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let program = Path::new(OsStr::from_bytes(words.next()?));
    if program.file_name() != Some(OsStr::new("env")) {
        return Some(with_real_folder(program));
    }
    let name = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?;
    std::env::split_paths(search?)
        .map(|folder| folder.join(OsStr::from_bytes(name)))
        .find(|candidate| candidate.is_file())
        .map(|candidate| with_real_folder(&candidate))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_installation_outside_the_system_is_found_through_links_and_scripts() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(dir.path()).expect("a path");
        for folder in ["venv/bin", "python/bin", "python/lib", "python/share"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        fs::write(root.join("venv/pyvenv.cfg"), "").expect("a file");
        fs::write(root.join("python/bin/python3"), "binary").expect("a file");
        symlink("../../python/bin/python3", root.join("venv/bin/python3")).expect("a link");
        fs::write(root.join("player"), "#!/usr/bin/env python3\n").expect("a file");
        let found = of_program(&root.join("player"), Some(root.join("venv/bin").as_os_str()));
        let expected = ["player", "python/bin", "python/lib", "venv/bin", "venv/pyvenv.cfg"];
        assert_eq!(found, expected.iter().map(|name| root.join(name)).collect());
    }

    #[test]
    fn system_programs_need_no_extra_paths() {
        assert_eq!(of_program(Path::new("/bin/sh"), None), BTreeSet::new());
    }
}
