//! The ways to build sources, by build file and by language.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// Files that say how a folder is built, the kind of build, and its usual command.
const BUILDS: [(&str, &str, &str); 8] = [
    ("Makefile", "make", "make"),
    ("makefile", "make", "make"),
    ("GNUmakefile", "make", "make"),
    ("Cargo.toml", "cargo", "cargo build --release"),
    ("CMakeLists.txt", "cmake", "cmake -B build && cmake --build build"),
    ("go.mod", "go", "go build -o player ."),
    ("build.gradle", "gradle", "gradle build"),
    ("pom.xml", "maven", "mvn package"),
];

/// Files that name libraries, the kind of build that installs them, and its usual command, which
/// needs the network.
const LIBRARIES: [(&str, &str, &str); 2] = [
    ("package.json", "node", "npm install && npm run build --if-present"),
    (
        "requirements.txt",
        "python",
        "python3 -m pip install --target site-packages -r requirements.txt",
    ),
];

/// The folder for installed Python libraries, in which no player is looked for.
pub(crate) const SITE_PACKAGES: &str = "site-packages";

/// The kind of build of a folder of Java sources without a build file, and its usual command.
const JAVA: (&str, &str) = ("java", "find . -name '*.java' -exec javac -encoding UTF-8 -d . {} +");

/// One way to build a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BuildKind {
    /// Its name, which is its key in a configuration.
    pub(crate) name: &'static str,
    /// The usual command.
    pub(crate) command: &'static str,
    pub(crate) needs: Needs,
}

/// What a build needs besides its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// It installs libraries.
    Network,
}

impl BuildKind {
    /// Whether it compiles Java without a build file.
    pub(crate) fn is_java(self) -> bool {
        self.name == JAVA.0
    }
}

/// The ways to build the folder `dir` itself, the most telling first.
pub(crate) fn find_build_commands(dir: &Path) -> Vec<BuildKind> {
    let is_there = |file: &str| dir.join(file).is_file();
    let kind = |&(_, name, command): &(_, _, _)| BuildKind { name, command, needs: Needs::Nothing };
    let mut kinds: Vec<BuildKind> =
        BUILDS.iter().filter(|(file, ..)| is_there(file)).map(kind).collect();
    if list_build_folder(dir).iter().any(|name| is_java_source(name)) {
        kinds.push(BuildKind { name: JAVA.0, command: JAVA.1, needs: Needs::Nothing });
    }
    let libraries = LIBRARIES.iter().filter(|(file, ..)| is_there(file));
    kinds.extend(libraries.map(|found| BuildKind { needs: Needs::Network, ..kind(found) }));
    kinds
}

/// File extensions of compiled languages, and the compiler for a single file.
pub const COMPILERS: [(&str, &str); 9] = [
    ("c", "cc -O2 -o player"),
    ("cc", "c++ -O2 -o player"),
    ("cpp", "c++ -O2 -o player"),
    ("cxx", "c++ -O2 -o player"),
    ("rs", "rustc -O -o player"),
    ("go", "go build -o player"),
    ("hs", "ghc -O2 -o player"),
    ("java", "javac"),
    ("kt", "kotlinc"),
];

/// The most names in a folder to compare when suggesting a similar one.
const LOOKED_AT: usize = 1000;

/// The command that builds the sources at `path`, a file or a folder; `None` if there is nothing to
/// build.
pub fn build_command(path: &Path) -> Option<String> {
    if path.is_dir() {
        return find_build_file_command(path).or_else(|| {
            list_build_folder(path).iter().find_map(|name| find_source_build_command(name))
        });
    }
    let name = path.file_name()?.to_str()?;
    let compiler = find_source_build_command(name).filter(|_| path.is_file())?;
    Some(path.parent().and_then(find_build_file_command).unwrap_or(compiler))
}

/// Whether the folder `dir` itself can be built by what lies in it.
pub(crate) fn is_buildable(dir: &Path) -> bool {
    find_build_commands(dir).iter().any(|kind| kind.needs == Needs::Nothing)
}

/// Whether a file with this name says how to build a folder, or is in a compiled language.
pub(crate) fn has_build_command(name: &str) -> bool {
    BUILDS.iter().any(|(file, ..)| *file == name) || find_source_build_command(name).is_some()
}

fn find_build_file_command(dir: &Path) -> Option<String> {
    let found = BUILDS.iter().find(|(file, ..)| dir.join(file).is_file());
    found.map(|(.., command)| (*command).to_owned())
}

pub(crate) fn find_source_build_command(name: &str) -> Option<String> {
    let extension = extension(name)?;
    let found = COMPILERS.iter().find(|(known, _)| *known == extension);
    found.map(|(_, command)| format!("{command} {name}"))
}

/// Whether a file with this name is Java source code.
pub(crate) fn is_java_source(name: &str) -> bool {
    extension(name) == Some("java")
}

/// The part of a file name behind its last dot.
pub fn extension(name: &str) -> Option<&str> {
    Path::new(name).extension().and_then(OsStr::to_str)
}

/// The names in a folder that are not hidden, sorted and limited in number; empty if it cannot be read.
pub fn list_build_folder(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().take(LOOKED_AT);
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::make_test_folder;

    #[test]
    fn sources_are_built_by_what_lies_beside_them() {
        for (files, path, expected) in [
            (&["Makefile", "player.c"][..], "", Some("make")),
            (&["Makefile", "player.c"], "player.c", Some("make")),
            (&["Cargo.toml"], "", Some("cargo build --release")),
            (&["a.cpp", "notes.txt"], "", Some("c++ -O2 -o player a.cpp")),
            (&["a.cpp"], "a.cpp", Some("c++ -O2 -o player a.cpp")),
            (&["a.cpp"], "missing.cpp", None),
            (&["Makefile", "a.py"], "a.py", None),
            (&["notes.txt"], "", None),
        ] {
            let files: Vec<_> = files.iter().map(|&name| (name, "text")).collect();
            let dir = make_test_folder(&files);
            let command = build_command(&dir.path().join(path));
            assert_eq!(command.as_deref(), expected, "{files:?} {path}");
        }
    }
}
