//! A player found by looking at a file or a folder: which program runs it.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How a player that was found is run, in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// By these words: a program and its arguments.
    Command(Vec<String>),
    /// As the class of this module, by the 2018 interface.
    Class(String),
}

/// The most bytes of a Python file that are looked at for a class.
const LOOKED_AT: usize = 1024 * 1024;
/// Names of a folder's player, the best first: what was built before what it was built from.
const NAMES: [&str; 14] = [
    "player",
    "run",
    "target/release/player",
    "Player.class",
    "player.jar",
    "player.py",
    "player.js",
    "player.mjs",
    "player.sh",
    "run.sh",
    "Player.java",
    "main.py",
    "main.js",
    "main.sh",
];

/// What is expected of a file or a folder, for messages.
pub const EXPECTED: &str = "a player is a program, a file that ends in .py, .js, .mjs, .sh, .java \
                            or .jar, or a folder with `player.py`, a program `player`, or the like";

/// The player at `path`, and the folder it runs in; `None` when nothing there looks like one.
pub fn recognise(path: &Path) -> Option<(PathBuf, Found)> {
    if !path.is_dir() {
        let found = in_file(path.parent()?, path.file_name()?.to_str()?)?;
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        return Some((dir.unwrap_or(Path::new(".")).to_owned(), found));
    }
    let named = NAMES.iter().find_map(|name| in_file(path, name));
    let found = named.or_else(|| only_python(path))?;
    Some((path.to_owned(), found))
}

/// The player that is the file `name` in `dir`.
fn in_file(dir: &Path, name: &str) -> Option<Found> {
    let path = dir.join(name);
    if !path.is_file() {
        return None;
    }
    let command =
        |words: &[&str]| Some(Found::Command(words.iter().map(|&word| word.to_owned()).collect()));
    let extension = path.extension().and_then(OsStr::to_str);
    let class = class_in(&path).filter(|_| extension == Some("py"));
    if let Some(module) = class {
        return Some(Found::Class(module));
    }
    if runs_by_itself(&path) {
        return command(&[&format!("./{name}")]);
    }
    match extension {
        Some("py") => command(&["python3", name]),
        Some("js" | "mjs") => command(&["node", name]),
        Some("sh") => command(&["sh", name]),
        Some("java") => command(&["java", name]),
        Some("jar") => command(&["java", "-jar", name]),
        Some("class") => command(&["java", "-cp", ".", name.strip_suffix(".class")?]),
        _ => None,
    }
}

/// Whether a file is a program: it may be executed, and begins as the system's programs or a
/// script do. Archives make any file executable.
fn runs_by_itself(path: &Path) -> bool {
    let may = fs::metadata(path).is_ok_and(|found| super::launch::is_executable(&found));
    let mut start = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    let machine = [*b"\x7fELF", *b"\xcf\xfa\xed\xfe", *b"\xca\xfe\xba\xbe"];
    let is_class = path.extension() == Some(OsStr::new("class"));
    may && read.is_ok() && !is_class && (start.starts_with(b"#!") || machine.contains(&start))
}

/// The one Python file of a folder; of several, the one with a class.
fn only_python(dir: &Path) -> Option<Found> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension() == Some(OsStr::new("py")))
        .collect();
    names.sort();
    if let [name] = &names[..] {
        return in_file(dir, name);
    }
    let mut classes = names.iter().filter_map(|name| class_in(&dir.join(name)));
    let class = classes.next()?;
    classes.next().is_none().then_some(Found::Class(class))
}

/// The module of a Python file that defines a class `Player` of the 2018 interface.
fn class_in(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]).into_owned();
    let mut lines = text.lines();
    let heads = lines.by_ref().any(|line| {
        line.strip_prefix("class Player").is_some_and(|rest| rest.starts_with([':', '(', ' ']))
    });
    let methods: Vec<&str> =
        lines.filter_map(|line| line.trim_start().strip_prefix("def ")).collect();
    let has = |name: &str| {
        methods.iter().any(|line| {
            line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('))
        })
    };
    let module = path.file_stem()?.to_str()?.to_owned();
    (heads && has("action") && has("update")).then_some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Found {
        Found::Command(words.iter().map(|&word| word.to_owned()).collect())
    }

    #[test]
    fn files_are_run_by_what_they_are_written_in() {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, expected) in [
            ("a.py", Some(words(&["python3", "a.py"]))),
            ("a b.js", Some(words(&["node", "a b.js"]))),
            ("a.sh", Some(words(&["sh", "a.sh"]))),
            ("A.java", Some(words(&["java", "A.java"]))),
            ("A.class", Some(words(&["java", "-cp", ".", "A"]))),
            ("notes.txt", None),
        ] {
            let path = dir.path().join(name);
            fs::write(&path, "text").expect("written");
            let found = recognise(&path);
            assert_eq!(
                found.as_ref().map(|(dir, _)| dir.as_path()),
                expected.as_ref().map(|_| dir.path())
            );
            assert_eq!(found.map(|(_, found)| found), expected);
        }
        assert_eq!(recognise(&dir.path().join("missing.py")), None);
    }

    #[test]
    fn a_folder_is_its_player_and_a_class_is_known_by_its_methods() {
        let dir = tempfile::tempdir().expect("a folder");
        let found = || recognise(dir.path()).map(|(_, found)| found);
        let write =
            |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("written");
        assert_eq!(found(), None);
        write("search.py", "import sys\n");
        assert_eq!(found(), Some(words(&["python3", "search.py"])));
        write(
            "team.py",
            "class Player(object):\n    def action(self, turns):\n        pass\n    def update (self, action):\n        pass\n",
        );
        assert_eq!(found(), Some(Found::Class("team".to_owned())));
        write("player.py", "import team\n");
        assert_eq!(found(), Some(words(&["python3", "player.py"])));
    }
}
