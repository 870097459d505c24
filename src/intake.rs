//! Taking in other people's players: a folder of submissions, as a learning platform exports it,
//! becomes the players of a tournament.

mod archive;

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use archive::{LIMITS, Limits, is_archive, unpack};

use crate::config::{Found, LONGEST_NAME, recognise};

/// How many folders that hold nothing but one folder are gone through.
const DEEPEST: usize = 4;

/// A submission, and what was found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The name of the player: its author's, as far as the platform's file names tell.
    pub name: String,
    /// What it was called in the folder.
    pub entry: String,
    /// The player's folder and how it is run; or why there is none.
    pub player: Result<(PathBuf, Found), String>,
}

/// The submissions in the folder `from`, sorted by name. Archives are unpacked below `to`.
pub fn take_in(from: &Path, to: &Path) -> io::Result<Vec<Submission>> {
    let mut entries: Vec<String> = fs::read_dir(from)?
        .collect::<io::Result<Vec<_>>>()?
        .into_iter()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with(['.', '_']))
        .collect();
    entries.sort();
    let mut taken: Vec<Submission> = Vec::new();
    for entry in entries {
        let path = from.join(&entry);
        if !path.is_dir() && !is_archive(&path) && recognise(&path).is_none() {
            continue;
        }
        let name = unlike(&author(&entry), &taken);
        let player = player_in(&path, &to.join(folder_of(&name)));
        taken.push(Submission { name, entry, player });
    }
    Ok(taken)
}

/// The player in a submission; what is packed is unpacked into `to` first.
fn player_in(path: &Path, to: &Path) -> Result<(PathBuf, Found), String> {
    if is_archive(path) {
        return unpack_and_look(path, to);
    }
    if let Some(found) = look(path) {
        return Ok(found);
    }
    let packed: Vec<PathBuf> = names_in(path)
        .into_iter()
        .map(|name| path.join(name))
        .filter(|path| is_archive(path))
        .collect();
    match &packed[..] {
        [archive] => unpack_and_look(archive, to),
        _ => Err(unrecognised(path)),
    }
}

fn unpack_and_look(archive: &Path, to: &Path) -> Result<(PathBuf, Found), String> {
    if to.exists() {
        return Err(format!(
            "{} is there already; remove it to unpack the archive again",
            to.display()
        ));
    }
    unpack(archive, to, LIMITS)?;
    look(to).ok_or_else(|| unrecognised(to))
}

/// The player at `path`, or in the folder that is all there is in it.
fn look(path: &Path) -> Option<(PathBuf, Found)> {
    let mut path = path.to_owned();
    for _ in 0..DEEPEST {
        if let Some(found) = recognise(&path) {
            return Some(found);
        }
        let names = names_in(&path);
        let [only] = &names[..] else { return None };
        path = path.join(only);
    }
    None
}

fn unrecognised(path: &Path) -> String {
    let names = names_in(path);
    let has = |name: &&str| names.iter().any(|other| other == name);
    match ["Makefile", "Cargo.toml", "go.mod", "CMakeLists.txt"].iter().find(|name| has(name)) {
        Some(file) => format!("no player was recognised, but there is a {file}: build it first"),
        None => "no player was recognised".to_owned(),
    }
}

/// What stands in a folder, but for what systems and platforms add.
fn names_in(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && name != "__MACOSX" && name != "onlinetext.html")
        .collect();
    names.sort();
    names
}

/// The author by the file name of a platform: `Ada Byron_1234_assignsubmission_file_` (Moodle),
/// `byronada_12345_678_player.zip` (Canvas), or just the name of a file or a folder.
fn author(entry: &str) -> String {
    let stem = archive::stem(entry);
    let stem = if is_source(stem) { without_extension(stem) } else { stem };
    let mut parts = stem.split('_').peekable();
    let mut name = parts.next().unwrap_or_default().to_owned();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !stem.split('_').skip(1).any(|part| is_number(&part)) {
        stem.clone_into(&mut name);
    }
    let plain = name.replace(char::is_control, " ");
    let name: String = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = name.chars().take(LONGEST_NAME - 4).collect();
    if name.is_empty() { "player".to_owned() } else { name }
}

/// Whether a file of this name may be a player, so that its extension is no part of a name.
fn is_source(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    matches!(extension, Some("py" | "js" | "mjs" | "sh" | "java" | "jar"))
}

fn without_extension(name: &str) -> &str {
    Path::new(name).file_stem().and_then(OsStr::to_str).unwrap_or(name)
}

/// `name`, with a number where it is taken.
fn unlike(name: &str, taken: &[Submission]) -> String {
    let is_free = |name: &str| taken.iter().all(|other| other.name != *name);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| is_free(name)).unwrap_or_else(|| name.to_owned())
}

fn folder_of(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let folder: String = name.chars().map(plain).collect();
    folder.trim_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_are_read_from_the_names_of_platforms() {
        for (entry, name) in [
            ("Ada Byron_1234_assignsubmission_file_", "Ada Byron"),
            ("byronada_LATE_12345_678_player.zip", "byronada"),
            ("team_42", "team"),
            ("my_player.py", "my_player"),
            ("team-7.tar.gz", "team-7"),
            ("greedy", "greedy"),
        ] {
            assert_eq!(author(entry), name, "{entry}");
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let taken = |name: &str| Submission {
            name: name.to_owned(),
            entry: String::new(),
            player: Err(String::new()),
        };
        assert_eq!(unlike("ant", &[taken("ant"), taken("ant-2")]), "ant-3");
    }
}
