//! The compilers and build tools of this machine that lie outside the system folders.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Programs that builds usually start.
const USUAL: [&str; 15] = [
    "make", "cmake", "cc", "c++", "gcc", "g++", "cargo", "rustc", "go", "java", "javac", "mvn",
    "gradle", "node", "python3",
];
/// The program that stands for all programs of a Rust toolchain, and the variable with the folder
/// of its toolchains.
const RUSTUP: (&str, &str) = ("rustup", "RUSTUP_HOME");

/// The programs that a build may start, and what they need.
#[derive(Debug, Default)]
pub(super) struct Toolchains {
    /// The programs; the sandbox shows their installations.
    pub(super) programs: Vec<PathBuf>,
    /// Further folders that they read.
    pub(super) folders: Vec<PathBuf>,
    /// The variables that they need.
    pub(super) env: BTreeMap<String, String>,
}

impl Toolchains {
    /// The usual programs and those that the command names.
    pub(super) fn find(command: &str) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let words = command.split_whitespace().filter(|word| !word.contains('/'));
        let programs: Vec<PathBuf> = USUAL
            .into_iter()
            .chain(words)
            .filter_map(|name| find_tool_in_path(name, &path))
            .collect();
        let mut found = Self { programs, ..Self::default() };
        found.add_rustup();
        found
    }

    /// Adds the folder of Rust toolchains, if `rustup` manages them.
    fn add_rustup(&mut self) {
        let is_rustup = |program: &PathBuf| {
            program.canonicalize().is_ok_and(|real| real.file_name() == Some(OsStr::new(RUSTUP.0)))
        };
        let given = || std::env::var_os(RUSTUP.1).map(PathBuf::from);
        let usual = || std::env::home_dir().map(|home| home.join(".rustup"));
        let home = given().or_else(usual).filter(|home| home.is_dir());
        if let Some(home) = home.filter(|_| self.programs.iter().any(is_rustup))
            && let Some(text) = home.to_str()
        {
            self.env.insert(RUSTUP.1.to_owned(), text.to_owned());
            self.folders.push(home);
        }
    }
}

fn find_tool_in_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    let found = std::env::split_paths(path).map(|folder| folder.join(name));
    found.filter(|program| program.is_absolute()).find(|program| Path::is_file(program))
}
