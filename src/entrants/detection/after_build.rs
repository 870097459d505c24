//! What a build leaves: the player in its result.

use std::path::{Path, PathBuf};

use super::{Detected, candidates, in_file, levels, program};
use crate::entrants::recipes::{build_kinds, names_in};

/// The possible players in the folder `result`, which was built from `source`.
///
/// Installing libraries changes no player: what it was in the source it is in the result. After any
/// other build it is what a folder's player is, or else the only program that the build made.
pub(crate) fn after_build(source: &Path, result: &Path) -> Vec<(PathBuf, Detected)> {
    let before = candidates(source);
    if !before.is_empty() && build_kinds(source).first().is_some_and(|kind| kind.installs) {
        let moved = |(dir, found): (PathBuf, Detected)| {
            (result.join(dir.strip_prefix(source).unwrap_or(Path::new(""))), found)
        };
        return before.into_iter().map(moved).collect();
    }
    let found = candidates(result);
    let made = made_by_build(source, result);
    let depth = |found: &[(PathBuf, Detected)]| {
        found.first().map_or(usize::MAX, |(dir, _)| dir.components().count())
    };
    if depth(&made) < depth(&found) { made } else { found }
}

/// The programs in the topmost level of folders in `result` that has any which `source` has not.
fn made_by_build(source: &Path, result: &Path) -> Vec<(PathBuf, Detected)> {
    let is_ours = |dir: &Path| dir.components().all(|part| part.as_os_str() != "CMakeFiles");
    let in_folder = |dir: &PathBuf| {
        let from = source.join(dir.strip_prefix(result).unwrap_or(Path::new("")));
        let new = names_in(dir)
            .into_iter()
            .filter(move |name| !from.join(name).exists() && program::is_made(&dir.join(name)));
        let found = new.filter_map(|name| Some((dir.clone(), in_file(dir, &name)?)));
        found.collect::<Vec<_>>()
    };
    let in_level = |level: &Vec<PathBuf>| -> Vec<_> {
        level.iter().filter(|dir| is_ours(dir)).flat_map(in_folder).collect()
    };
    levels(result).iter().map(in_level).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Whether a player is recognised in `top` nearer to the top than the folder `build` in it.
pub(crate) fn is_nearer_than(build: &Path, top: &Path) -> bool {
    let depth = |dir: &Path| dir.components().count();
    candidates(top).first().is_some_and(|(dir, _)| depth(dir) < depth(build))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The commands of the possible players, with their folders in the result.
    fn found(source: &[&str], result: &[&str], programs: &[&str]) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a folder");
        let (from, to) = (dir.path().join("source"), dir.path().join("result"));
        let place = |top: &Path, name: &str| {
            let path = top.join(name);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
            path
        };
        for (top, names) in [(&from, source), (&to, source), (&to, result)] {
            for name in names {
                fs::write(place(top, name), "").expect("written");
            }
        }
        for name in programs {
            fs::copy("/bin/sh", place(&to, name)).expect("copied");
        }
        let shown = |(dir, found): (PathBuf, Detected)| {
            let below = dir.strip_prefix(&to).expect("in the result").display();
            format!("{below}:{}", found.words.join(" "))
        };
        after_build(&from, &to).into_iter().map(shown).collect()
    }

    #[test]
    fn installed_libraries_change_no_player() {
        let libraries = &["dotenv/main.py", "six.py", "typing_extensions.py"];
        assert_eq!(found(&["bot.py", "requirements.txt"], libraries, &[]), [":python3 bot.py"]);
    }

    #[test]
    fn the_only_program_that_a_build_made_is_the_player() {
        let rust = &["target/release/my_bot", "target/release/deps/my_bot-1"];
        assert_eq!(found(&["Cargo.toml"], &[], rust), ["target/release:./my_bot"]);
        let cmake = &["build/MyBot", "build/CMakeFiles/a.out"];
        assert_eq!(found(&["CMakeLists.txt"], &[], cmake), ["build:./MyBot"]);
        assert_eq!(found(&["Makefile", "tools/gen.py"], &[], &["bot"]), [":./bot"]);
        assert_eq!(found(&["Makefile", "player.py"], &[], &["solver"]), [":python3 player.py"]);
        assert_eq!(found(&["Makefile"], &[], &["one", "two"]).len(), 2);
        assert_eq!(found(&["Makefile"], &["notes"], &[]), [""; 0]);
    }
}
