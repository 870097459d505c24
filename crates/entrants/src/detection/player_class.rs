//! Detects classes with the 2018 interface by their source text.

use std::ffi::OsStr;
use std::path::Path;

use referee_record::plain_files::read_plain_start_nofollow;

/// The most bytes of a Python file to read.
const LOOKED_AT: u64 = 1024 * 1024;
/// The most neighbouring files to search for inherited methods.
const MOST_BESIDE: usize = 64;

/// Whether a Python file has a class `Player` of the 2018 interface, either its own or one taken
/// from neighbouring files.
pub(super) fn is_player_class(path: &Path) -> bool {
    if path.extension() != Some(OsStr::new("py")) {
        return false;
    }
    let Some(text) = read_class_source(path) else { return false };
    match find_player_class_origin(&text, is_player_file_name(path)) {
        Some(MethodOrigin::Here) => has_player_methods(&text),
        Some(MethodOrigin::Elsewhere) => {
            has_player_methods(&text)
                || read_neighbour_files(path).any(|text| has_player_methods(&text))
        }
        None => false,
    }
}

/// The names of the files with such a class among the Python files `names` of a folder. Each is read
/// once, however many inherit.
pub(super) fn find_player_classes(dir: &Path, names: Vec<String>) -> impl Iterator<Item = String> {
    let looked_at = |name: String| {
        let text = read_class_source(&dir.join(&name))?;
        let is_player = is_player_file_name(Path::new(&name));
        Some((name, find_player_class_origin(&text, is_player), has_player_methods(&text)))
    };
    let found: Vec<_> = names.into_iter().filter_map(looked_at).collect();
    let somewhere = found.iter().any(|(_, _, has_methods)| *has_methods);
    let is_class = move |origin, has_methods| match origin {
        Some(MethodOrigin::Here) => has_methods,
        Some(MethodOrigin::Elsewhere) => somewhere,
        None => false,
    };
    found.into_iter().filter(move |it| is_class(it.1, it.2)).map(|(name, ..)| name)
}

/// Whether a file is named like a player.
fn is_player_file_name(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("player"))
}

/// The place where the methods of a class are defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MethodOrigin {
    /// In this file.
    Here,
    /// In this file or another: the class inherits, or the whole class is imported.
    Elsewhere,
}

/// Whether a text has a class `Player`, at any indentation, or assigns one. Only a file named like a
/// player may import it, because others import it to use it.
fn find_player_class_origin(text: &str, may_import: bool) -> Option<MethodOrigin> {
    text.lines().map(str::trim).find_map(|line| match line.strip_prefix("class Player") {
        Some(rest) if rest.starts_with([':', '(', ' ', '\t']) => {
            let own = ["", "()", "(object)"].contains(&rest.split(':').next()?.trim());
            Some(if own { MethodOrigin::Here } else { MethodOrigin::Elsewhere })
        }
        _ => (assigns_player_class(line) || may_import && imports_player_class(line))
            .then_some(MethodOrigin::Elsewhere),
    })
}

/// Whether a line assigns something to `Player`.
fn assigns_player_class(line: &str) -> bool {
    line.split_once('=').is_some_and(|(name, _)| name.trim() == "Player")
}

/// Whether a line imports something as `Player`.
fn imports_player_class(line: &str) -> bool {
    let imported = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "));
    let is_last = |name: &str| name.split_whitespace().next_back() == Some("Player");
    imported.is_some_and(|(_, names)| names.split(['(', ')', ',', '#']).any(is_last))
}

fn has_player_methods(text: &str) -> bool {
    let defines = |name: &str| {
        let heads = text.lines().filter_map(|line| line.trim_start().strip_prefix("def "));
        let mut rests = heads.filter_map(|head| head.trim_start().strip_prefix(name));
        rests.any(|rest| rest.trim_start().starts_with('('))
    };
    defines("action") && defines("update")
}

/// The texts of the other Python files in the same folder.
fn read_neighbour_files(path: &Path) -> impl Iterator<Item = String> {
    let names = path.parent().map(super::list_python_files).unwrap_or_default();
    let others = names.into_iter().map(|name| path.with_file_name(name));
    others
        .filter(move |other| other != path)
        .take(MOST_BESIDE)
        .filter_map(|path| read_class_source(&path))
}

/// The beginning of a file, without a byte order mark.
fn read_class_source(path: &Path) -> Option<String> {
    let bytes = read_plain_start_nofollow(path, LOOKED_AT).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const METHODS: &str = "    def action(self, turns):\n        pass\n    def update (self, action):\n        pass\n";

    fn found(files: &[(&str, &str)]) -> bool {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(dir.path().join(name), text).expect("written");
        }
        is_player_class(&dir.path().join(files[0].0))
    }

    #[test]
    fn classes_are_detected_in_every_layout() {
        let inner: String = METHODS.replace("    ", "        ");
        for text in [
            format!("class Player:\n{METHODS}"),
            format!("class Player (object) :\n{METHODS}"),
            format!("\u{feff}class Player:\n{METHODS}"),
            format!("try:\n    import numpy\nfinally:\n    class Player:\n{inner}"),
            format!("class Base:\n{METHODS}class Player(Base):\n    pass\n"),
            format!("class MyAI:\n{METHODS}Player = MyAI\n"),
        ] {
            assert!(found(&[("team.py", &text)]), "{text}");
        }
        for text in [
            METHODS.to_owned(),
            format!("class PlayerBase:\n{METHODS}"),
            format!("# class Player:\n{METHODS}"),
            "class Player:\n    pass\n".to_owned(),
            format!("from team import Player\ndef play():\n{METHODS}"),
        ] {
            assert!(!found(&[("team.py", &text)]), "{text}");
        }
    }

    #[test]
    fn a_class_may_inherit_methods_from_a_neighbouring_file() {
        let base = format!("class Base:\n{METHODS}");
        let heir = "from base import Base\nclass Player(Base):\n    pass\n";
        assert!(found(&[("team.py", heir), ("base.py", &base)]));
        assert!(!found(&[("team.py", heir), ("base.py", "class Base: pass\n")]));
        let own = "class Player:\n    pass\n";
        assert!(!found(&[("team.py", own), ("base.py", &base)]));
        for text in ["from base import Base as Player\n", "import base\nPlayer = base.Base\n"] {
            assert!(found(&[("Player.py", text), ("base.py", &base)]), "{text}");
        }
    }
}
