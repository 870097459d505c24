//! Source files by language: how they are built and what runs them.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::problem::{InvalidValue, similar};

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
    ("requirements.txt", "python", "python3 -m pip install --target . -r requirements.txt"),
];

/// The kind of build of a folder of Java sources without a build file, and its usual command.
const JAVA: (&str, &str) = ("java", "find . -name '*.java' -exec javac -encoding UTF-8 -d . {} +");

/// One way to build a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BuildKind {
    /// Its name, which is its key in a configuration.
    pub(super) name: &'static str,
    /// Its usual command.
    pub(super) command: &'static str,
    /// Whether it only installs libraries, for which it needs the network.
    pub(super) installs: bool,
}

/// The ways to build the folder `dir` itself, the most telling first.
pub(super) fn build_kinds(dir: &Path) -> Vec<BuildKind> {
    let is_there = |file: &str| dir.join(file).is_file();
    let kind = |&(_, name, command): &(_, _, _)| BuildKind { name, command, installs: false };
    let mut kinds: Vec<BuildKind> =
        BUILDS.iter().filter(|(file, ..)| is_there(file)).map(kind).collect();
    if names_in(dir).iter().any(|name| extension(name) == Some("java")) {
        kinds.push(BuildKind { name: JAVA.0, command: JAVA.1, installs: false });
    }
    let libraries = LIBRARIES.iter().filter(|(file, ..)| is_there(file));
    kinds.extend(libraries.map(|found| BuildKind { installs: true, ..kind(found) }));
    kinds
}

/// File extensions of compiled languages, and the compiler for a single file.
const COMPILERS: [(&str, &str); 9] = [
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

/// File extensions that an interpreter runs.
const SCRIPTS: [&str; 11] =
    ["py", "js", "mjs", "sh", "java", "jar", "rb", "pl", "lua", "php", "ts"];

/// Interpreters, which run the file given first, without version numbers.
const INTERPRETERS: [&str; 14] = [
    "python", "pypy", "node", "sh", "bash", "dash", "zsh", "java", "ruby", "perl", "lua", "php",
    "deno", "bun",
];

/// The most names in a folder to compare when suggesting a similar one.
const LOOKED_AT: usize = 1000;

/// The command that builds the sources at `path`, a file or a folder; `None` if there is nothing to
/// build.
pub(super) fn build_command(path: &Path) -> Option<String> {
    if path.is_dir() {
        return by_build_file(path)
            .or_else(|| names_in(path).iter().find_map(|name| compiler(name)));
    }
    let name = path.file_name()?.to_str()?;
    let compiler = compiler(name).filter(|_| path.is_file())?;
    Some(path.parent().and_then(by_build_file).unwrap_or(compiler))
}

/// Whether the folder `dir` itself can be built by what lies in it.
pub(crate) fn is_buildable(dir: &Path) -> bool {
    build_kinds(dir).iter().any(|kind| !kind.installs)
}

/// Whether a file with this name says how to build a folder, or is in a compiled language.
pub(crate) fn is_source(name: &str) -> bool {
    BUILDS.iter().any(|(file, ..)| *file == name) || compiler(name).is_some()
}

fn by_build_file(dir: &Path) -> Option<String> {
    let found = BUILDS.iter().find(|(file, ..)| dir.join(file).is_file());
    found.map(|(.., command)| (*command).to_owned())
}

fn compiler(name: &str) -> Option<String> {
    let extension = extension(name)?;
    let found = COMPILERS.iter().find(|(known, _)| *known == extension);
    found.map(|(_, command)| format!("{command} {name}"))
}

/// The error that `path`, shown as `shown`, is a source file given as a program; `None` if it is
/// not one.
pub(super) fn not_built(path: &Path, shown: &str) -> Option<InvalidValue> {
    let command = build_command(path).filter(|_| path.is_file())?;
    Some(InvalidValue::new(
        format!("`{}` is source code, not a program", shown.escape_debug()),
        format!("build it with `{command}`, and name the program"),
    ))
}

/// The error that `dir` contains no `word`; `what` says what it was meant to be.
pub(super) fn missing(what: &str, word: &str, dir: &Path) -> InvalidValue {
    let path = Path::new(word);
    let folder = path.parent().map_or(dir.to_owned(), |parent| dir.join(parent));
    let names = names_in(&folder);
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or(word);
    let help = match similar(name, names.iter().map(String::as_str)) {
        Some(other) if other != name => {
            format!("did you mean `{}`?", path.with_file_name(other).display())
        }
        _ => format!("it should be in `{}`", dir.display()),
    };
    InvalidValue::new(format!("cannot find the {what} `{}`", word.escape_debug()), help)
}

/// Whether `word` looks like the name of a source file, not of a program.
pub(super) fn is_file_name(word: &str) -> bool {
    let known = |extension| {
        SCRIPTS.contains(&extension) || COMPILERS.iter().any(|(known, _)| *known == extension)
    };
    !word.contains(char::is_whitespace) && extension(word).is_some_and(known)
}

/// The script in a command for an interpreter, if `dir` contains no such file.
pub(super) fn missing_script<'a>(words: &'a [String], dir: &Path) -> Option<&'a str> {
    let (program, args) = words.split_first()?;
    let program = Path::new(program).file_name()?.to_str()?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&program) {
        return None;
    }
    let args = args.iter().take_while(|arg| !names_code(arg)).filter(|arg| !arg.starts_with('-'));
    // The values of options may come before the script.
    let mut files = args.filter(|arg| dir.join(arg).is_file() || is_file_name(arg));
    files.next().map(String::as_str).filter(|file| !dir.join(file).exists())
}

/// Whether an option is followed by code or a module instead of a file: `-c`, `-lc`, `-m`, `-e`.
fn names_code(arg: &str) -> bool {
    arg == "--eval"
        || arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with(['c', 'e', 'm'])
}

fn extension(name: &str) -> Option<&str> {
    Path::new(name).extension().and_then(OsStr::to_str)
}

/// The names in a folder, sorted and limited in number; empty if it cannot be read.
fn names_in(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().take(LOOKED_AT);
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for file in files {
            fs::write(dir.path().join(file), "text").expect("written");
        }
        dir
    }

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
            let dir = folder(files);
            let command = build_command(&dir.path().join(path));
            assert_eq!(command.as_deref(), expected, "{files:?} {path}");
        }
    }

    #[test]
    fn the_script_of_an_interpreter_is_looked_for() {
        let dir = folder(&["there.py", "there"]);
        let missing = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            missing_script(&words, dir.path()).map(str::to_owned)
        };
        for words in [
            "python3 there.py gone.py",
            "python3 there gone.py",
            "python3 -W ignore there.py",
            "python3 -m package.module",
            "sh -c gone.sh",
            "bash -lc gone.sh",
            "java -cp build Player",
            "./own gone.py",
            "python3",
            "python3 .",
        ] {
            assert_eq!(missing(words), None, "{words}");
        }
        for words in ["python3 gone.py", "/usr/bin/python3.11 -u gone.py x", "java -jar gone.jar"] {
            assert!(missing(words).is_some_and(|file| file.starts_with("gone")), "{words}");
        }
    }

    #[test]
    fn similar_names_are_suggested() {
        let dir = folder(&["player.py"]);
        let about = |word| missing("file", word, dir.path()).about("it");
        assert_eq!(
            about("playr.py"),
            "it: cannot find the file `playr.py`; did you mean `player.py`?"
        );
        let folder = dir.path().display();
        let expected = format!("it: cannot find the file `x/y.py`; it should be in `{folder}`");
        assert_eq!(about("x/y.py"), expected);
    }
}
