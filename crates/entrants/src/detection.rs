//! Detects the player in a file or a folder, and which program runs it.

mod after_build;
mod java_class;
mod package_json;
mod player_class;
mod program;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use self::after_build::{detect_after_build, new_files_after_build};
pub(crate) use self::java_class::find_java_class_root;
pub use self::program::installed_java_version;
pub(crate) use self::program::is_for_another_machine;

use self::java_class::find_java_class_name;
use self::package_json::find_package_json_main;
use self::player_class::{find_player_classes, is_player_class};
use self::program::{
    is_compiled_program, program_runs_on_java_here, start_program_by_shell,
    start_program_without_extension,
};
use super::build_commands::build_command;
use super::start_command::StartCommand;
use referee_record::model::player_spec::BRIDGE;
use referee_record::plain_files::read_plain_start_nofollow;

/// File names of a folder's player, the best first: build results come before their sources.
const NAMES: [&str; 15] = [
    "player",
    "run",
    "target/release/player",
    "Player.class",
    "player.jar",
    "player.py",
    "Player.py",
    "player.js",
    "player.mjs",
    "player.sh",
    "run.sh",
    "Player.java",
    "main.py",
    "main.js",
    "main.sh",
];
/// Names that a folder of a class may have, too: of a program that uses it, or of a part of it.
const WEAK_NAMES: [&str; 4] = ["Player.py", "main.py", "main.js", "main.sh"];
/// The maximum length of an author's comments, in bytes.
const COMMENTS: u64 = 64 * 1024;
/// How many levels of subfolders to search.
const DEEPEST: usize = 6;
/// The most folders to search.
const MOST_FOLDERS: usize = 200;
/// Folders that contain other people's code.
const NOT_SEARCHED: [&str; 4] = ["__pycache__", "__MACOSX", "node_modules", "site-packages"];

/// Python files that are never players; the last one is the helper of the starter kit.
const NEVER_PLAYERS: [&str; 3] = ["__init__.py", "setup.py", "referee_rules.py"];

/// A description of the files and folders that can be players, for messages.
pub const EXPECTED: &str = "a player is a program, a file that ends in .py, .js, .mjs, .sh, .java \
                            or .jar, or a folder with `player.py`, a program called `player`, or the like";

/// How the player at `path` is started; `None` if nothing there looks like one, or if several things
/// do.
pub fn detect_player(path: &Path) -> Option<StartCommand> {
    let mut candidates = detect_candidates(path);
    let last = candidates.pop();
    last.filter(|_| candidates.is_empty())
}

/// How the possible players at `path` are started. In a folder, these are the files that their author
/// named as the player, or else all Python files, or else all compiled programs. Files nearest to
/// the top hide everything below.
pub(crate) fn detect_candidates(path: &Path) -> Vec<StartCommand> {
    if !path.is_dir() {
        return detect_file(path).into_iter().collect();
    }
    let levels = levels_for_detection(path);
    let looks: [fn(&Path) -> Vec<StartCommand>; 4] = [
        detect_known_player,
        detect_named_player,
        detect_python_programs,
        detect_compiled_programs,
    ];
    let found = looks.into_iter().map(|look| detect_nearest_level(&levels, look));
    let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    if found.len() > 1 {
        detect_player_in_comments(path, &found).map_or(found, |one| vec![one])
    } else {
        found
    }
}

/// The only class among the candidates that the author's comments name. The course of 2018 asked
/// for a file `comments.txt`.
fn detect_player_in_comments(top: &Path, candidates: &[StartCommand]) -> Option<StartCommand> {
    let folders = candidates.iter().map(|start| start.dir.as_path()).chain([top]);
    let texts: Vec<String> = folders.filter_map(read_author_comments).collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mentions = |text: &String, word: &str| text.split(|c| !is_word(c)).any(|it| it == word);
    let mut mentioned = candidates.iter().filter(|found| {
        let module = found.file().trim_end_matches(".py");
        found.is_class() && texts.iter().any(|text| mentions(text, module))
    });
    let one = mentioned.next().cloned();
    one.filter(|_| mentioned.next().is_none())
}

fn read_author_comments(dir: &Path) -> Option<String> {
    let bytes = read_plain_start_nofollow(&dir.join("comments.txt"), COMMENTS).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// How to build a folder in which no player is detected: the folder inside it to build, and the
/// command.
pub fn find_unbuilt_folder(dir: &Path) -> Option<(PathBuf, String)> {
    nearest_folder(dir, build_command)
}

/// The first folder at or below `dir`, the nearest first, in which `look` finds something.
pub(crate) fn nearest_folder<T>(
    dir: &Path,
    look: impl Fn(&Path) -> Option<T>,
) -> Option<(PathBuf, T)> {
    let levels = levels_for_detection(dir);
    levels.iter().flatten().find_map(|dir| Some((dir.clone(), look(dir)?)))
}

/// Whether the only player at `path` is already compiled: neither source code nor a script.
pub(crate) fn is_compiled_player(path: &Path) -> bool {
    detect_player(path).is_some_and(|found| match found.words.first().map(String::as_str) {
        Some("java") => Path::new(found.file()).extension() != Some(OsStr::new("java")),
        Some(own) if own.starts_with("./") => program::is_machine_code(&found.dir.join(own)),
        _ => false,
    })
}

fn detect_file(path: &Path) -> Option<StartCommand> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    detect_file_in(dir.unwrap_or(Path::new(".")), path.file_name()?.to_str()?)
}

/// The results of `look` on the first level of folders that has any.
fn detect_nearest_level(
    levels: &[Vec<PathBuf>],
    look: fn(&Path) -> Vec<StartCommand>,
) -> Vec<StartCommand> {
    let in_level = |level: &Vec<PathBuf>| level.iter().flat_map(|dir| look(dir)).collect();
    levels.iter().map(in_level).find(|found: &Vec<_>| !found.is_empty()).unwrap_or_default()
}

/// The folder `top`, then the folders in it, then the folders in those, and so on.
fn levels_for_detection(top: &Path) -> Vec<Vec<PathBuf>> {
    let mut levels = vec![vec![top.to_owned()]];
    let mut left = MOST_FOLDERS;
    while let Some(last) = levels.last().filter(|_| levels.len() <= DEEPEST) {
        let next: Vec<PathBuf> =
            last.iter().flat_map(|dir| folders_for_detection(dir)).take(left).collect();
        left -= next.len();
        if next.is_empty() {
            break;
        }
        levels.push(next);
    }
    levels
}

/// The subfolders in which an author may have put a player. Links are not followed.
fn folders_for_detection(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut paths: Vec<PathBuf> = folders
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            !name.starts_with('.') && !NOT_SEARCHED.contains(&&*name)
        })
        .map(|entry| entry.path())
        .filter(|path| !path.join("pyvenv.cfg").exists())
        .collect();
    paths.sort();
    paths
}

/// The player of a folder by file name, if the name says enough, or else every player class.
fn detect_known_player(dir: &Path) -> Vec<StartCommand> {
    let named = NAMES.iter().find_map(|name| {
        detect_named_file(dir, name).filter(|found| !WEAK_NAMES.contains(name) || found.is_class())
    });
    let player = named.or_else(|| find_package_json_main(dir));
    let classes = || {
        find_player_classes(dir, list_python_files(dir)).map(|name| start_player_class(dir, &name))
    };
    player.map_or_else(|| classes().collect(), |found| vec![found])
}

/// The player of a folder by file name.
fn detect_named_player(dir: &Path) -> Vec<StartCommand> {
    NAMES.iter().find_map(|name| detect_named_file(dir, name)).into_iter().collect()
}

/// The player in the file `name` in `dir`, or in one with its ending in capitals, as some systems
/// write names.
fn detect_named_file(dir: &Path, name: &str) -> Option<StartCommand> {
    let shouted = || {
        let ending = Path::new(name).extension()?.to_str()?.to_uppercase();
        let is_it = |other: &String| {
            other.eq_ignore_ascii_case(name) && other.ends_with(&format!(".{ending}"))
        };
        detect_file_in(dir, &super::build_commands::list_build_folder(dir).into_iter().find(is_it)?)
    };
    detect_file_in(dir, name).or_else(shouted)
}

/// Every Python file of a folder that may be run.
fn detect_python_programs(dir: &Path) -> Vec<StartCommand> {
    let names = list_python_files(dir);
    let programs = names.iter().filter(|name| !NEVER_PLAYERS.contains(&name.as_str()));
    // None of them is a class: `detect_known_player` would have found it.
    programs.map(|name| StartCommand::new(dir, &["python3", name])).collect()
}

/// Every compiled program of a folder.
fn detect_compiled_programs(dir: &Path) -> Vec<StartCommand> {
    let names = super::build_commands::list_build_folder(dir);
    let programs = names.iter().filter(|name| is_compiled_program(&dir.join(name)));
    programs.filter_map(|name| detect_file_in(dir, name)).collect()
}

/// The names of the Python files in a folder, sorted.
fn list_python_files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| {
            let ending = Path::new(name).extension();
            ending.is_some_and(|ending| ending.eq_ignore_ascii_case("py"))
        })
        .filter(|name| !name.starts_with('.') && dir.join(name).is_file())
        .collect();
    names.sort();
    names
}

fn start_player_class(dir: &Path, name: &str) -> StartCommand {
    StartCommand::new(dir, &["python3", BRIDGE, name])
}

/// The player in the file `name` in `dir`.
fn detect_file_in(dir: &Path, name: &str) -> Option<StartCommand> {
    let path = dir.join(name);
    if !path.is_file() {
        return None;
    }
    if is_player_class(&path) {
        return Some(start_player_class(dir, name));
    }
    let ending = path.extension().and_then(OsStr::to_str).map(str::to_lowercase);
    let words = match ending.as_deref() {
        Some("py") => &["python3", name][..],
        Some("js" | "mjs") => &["node", name],
        Some("java") => &["java", name],
        Some("jar") => &["java", "-jar", name],
        Some("class") => {
            let (root, class) =
                find_java_class_name(&path).filter(|_| program_runs_on_java_here(&path))?;
            return Some(StartCommand::new(&root, &["java", "-cp", ".", &class]));
        }
        Some("sh") => return Some(start_program_by_shell(dir, name)),
        _ => return start_program_without_extension(dir, name),
    };
    Some(StartCommand::new(dir, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::make_test_folder;

    const CLASS: &str = "class Player(object):\n    def action(self, turns):\n        pass\n    def update (self, action):\n        pass\n";

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    fn class(module: &str) -> Vec<String> {
        words(&["python3", BRIDGE, &format!("{module}.py")])
    }

    /// The possible players in a folder with these files, each with its subfolder.
    fn found(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let dir = make_test_folder(files);
        let shown =
            |path: &Path| path.strip_prefix(dir.path()).expect("below").display().to_string();
        detect_candidates(dir.path()).iter().map(|it| (shown(&it.dir), it.words.clone())).collect()
    }

    #[test]
    fn files_run_with_the_interpreter_of_their_language() {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, expected) in [
            ("a.py", Some(words(&["python3", "a.py"]))),
            ("a b.js", Some(words(&["node", "a b.js"]))),
            ("a.sh", Some(words(&["sh", "a.sh"]))),
            ("A.java", Some(words(&["java", "A.java"]))),
            ("A.jar", Some(words(&["java", "-jar", "A.jar"]))),
            ("notes.txt", None),
        ] {
            let path = dir.path().join(name);
            fs::write(&path, "text").expect("written");
            let found = detect_player(&path);
            assert_eq!(
                found.as_ref().map(|found| found.dir.as_path()),
                expected.as_ref().map(|_| dir.path())
            );
            assert_eq!(found.map(|found| found.words), expected);
        }
        assert_eq!(detect_player(&dir.path().join("missing.py")), None);
    }

    #[test]
    fn folders_and_classes_are_detected_as_players() {
        let only =
            |files: &[(&str, &str)]| found(files).into_iter().map(|(_, it)| it).collect::<Vec<_>>();
        assert!(only(&[]).is_empty());
        let search = ("search.py", "import sys\n");
        assert_eq!(only(&[search]), [words(&["python3", "search.py"])]);
        assert_eq!(only(&[search, ("__init__.py", "")]), [words(&["python3", "search.py"])]);
        assert_eq!(only(&[search, ("referee_rules.py", "")]), [words(&["python3", "search.py"])]);
        assert_eq!(only(&[search, ("team.py", CLASS)]), [class("team")]);
        let player = ("player.py", "import team\n");
        assert_eq!(only(&[player, ("team.py", CLASS)]), [words(&["python3", "player.py"])]);
        assert_eq!(only(&[("Player.py", CLASS), ("random.py", CLASS)]), [class("Player")]);
        // Neither a part of a class nor a program that uses it beats the class.
        let main = ("main.py", "import ai\n");
        let part = ("Player.py", "class Player:\n    pass\n");
        for weak in [main, part] {
            assert_eq!(only(&[weak, ("ai.py", CLASS)]), [class("ai")]);
            assert_eq!(found(&[weak, ("src/ai.py", CLASS)]), [("src".to_owned(), class("ai"))]);
        }
        assert_eq!(only(&[main]), [words(&["python3", "main.py"])]);
        let two = [("one.py", CLASS), ("two.py", CLASS)];
        assert_eq!(only(&two).len(), 2);
        let comments = ("comments.txt", "Our class is in two.py; do not use none.py.\n");
        assert_eq!(only(&[two[0], two[1], comments]), [class("two")]);
    }

    #[test]
    fn the_player_may_be_in_a_subfolder() {
        let here = |dir: &str, found: Vec<String>| vec![(dir.to_owned(), found)];
        let notes = ("README.md", "");
        assert_eq!(found(&[notes, ("src/team.py", CLASS)]), here("src", class("team")));
        assert_eq!(
            found(&[notes, ("a/b/c/only.py", "")]),
            here("a/b/c", words(&["python3", "only.py"]))
        );
        let setup = ("setup.py", "");
        let top = ("util.py", "");
        assert_eq!(found(&[setup, top, ("src/team.py", CLASS)]), here("src", class("team")));
        let hidden = (".git/player.py", CLASS);
        assert_eq!(found(&[hidden, ("venv/pyvenv.cfg", ""), ("venv/player.py", CLASS)]), []);
    }

    #[test]
    fn indistinguishable_candidates_are_listed() {
        let dir = make_test_folder(&[("old/player.py", CLASS), ("new/player.py", CLASS)]);
        assert_eq!(detect_player(dir.path()), None);
        let two = [("new".to_owned(), class("player")), ("old".to_owned(), class("player"))];
        assert_eq!(found(&[("old/player.py", CLASS), ("new/player.py", CLASS)]), two);
        let programs = found(&[("one.py", ""), ("two.py", ""), ("deep/three.py", "")]);
        let programs: Vec<Vec<String>> = programs.into_iter().map(|(_, found)| found).collect();
        assert_eq!(programs, [words(&["python3", "one.py"]), words(&["python3", "two.py"])]);
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        let secret = tempfile::NamedTempFile::new().expect("a file");
        fs::write(secret.path(), CLASS).expect("written");
        for name in ["x.jar", "A.class", "player", "package.json", "comments.txt"] {
            nix::unistd::mkfifo(&at(name), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        }
        // As a program, it is refused later.
        std::os::unix::fs::symlink(secret.path(), at("one.py")).expect("a link");
        assert!(!detect_candidates(dir.path()).iter().any(StartCommand::is_class));
        fs::write(at("two.py"), "").expect("written");
        assert_eq!(detect_candidates(dir.path()).len(), 2, "without the text of the other");
    }

    #[test]
    fn each_file_is_read_once_however_many_inherit() {
        let heirs: Vec<String> = (0..50).map(|number| format!("heir{number:02}.py")).collect();
        let mut files: Vec<(&str, &str)> =
            heirs.iter().map(|name| (name.as_str(), "class Player(Base):\n    pass\n")).collect();
        assert!(found(&files).iter().all(|(_, words)| words.len() == 2), "no class");
        let base = "class Base:\n    def action(self):\n        pass\n    def update(self):\n        pass\n";
        files.push(("base.py", base));
        assert_eq!(found(&files).len(), 50);
    }
}
