//! How a player is run, and finding its program before the first game instead of in it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::problem::{Complaint, instead};
use crate::bots;

/// How a player is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// By a program of its own.
    Command {
        /// The program, as an absolute path.
        program: PathBuf,
        /// Its arguments.
        args: Vec<String>,
    },
    /// By a Python interpreter, which hosts a class of the COMP30024 interface of 2018.
    Class {
        /// The interpreter, as an absolute path.
        python: PathBuf,
        /// The module in the player's folder, with or without the class.
        class: String,
        /// What the class returns is converted where it is unambiguous.
        lenient: bool,
    },
    /// By the house player of this name, one that [`bots::named`] knows.
    Bot(String),
}

/// The Python interpreter that `word` names: a program, or a virtual environment's folder.
pub(super) fn python(word: &str, dir: &Path, path: Option<&OsStr>) -> Result<PathBuf, Complaint> {
    let folder = dir.join(word);
    if folder.is_dir() { find("bin/python3", &folder, path) } else { find(word, dir, path) }
}

/// A house player called `name`.
pub(super) fn bot(name: &str) -> Result<Launch, Complaint> {
    if bots::named(name).is_ok() {
        return Ok(Launch::Bot(name.to_owned()));
    }
    let title = format!("there is no house player `{}`", name.escape_debug());
    Err(Complaint::new(title, instead(name, bots::NAMES.iter().copied())))
}

/// A command that runs in `dir`; a program named without a `/` is looked for in `path`.
pub(super) fn command(
    words: &[String],
    dir: &Path,
    path: Option<&OsStr>,
) -> Result<Launch, Complaint> {
    let Some((program, args)) = words.split_first().filter(|(program, _)| !program.is_empty())
    else {
        let help = "give a program and its arguments";
        return Err(Complaint::new("the command names no program", help));
    };
    if words.iter().any(|word| word.contains('\0')) {
        let help = "no program can be given one; remove `\\u0000`";
        return Err(Complaint::new("the command contains a zero character", help));
    }
    Ok(Launch::Command { program: find(program, dir, path)?, args: args.to_vec() })
}

/// The program that `word` names: relative to `dir` with a `/`, otherwise in `path`.
fn find(word: &str, dir: &Path, path: Option<&OsStr>) -> Result<PathBuf, Complaint> {
    if word.contains('/') { beside(word, dir) } else { in_path(word, dir, path) }
}

fn beside(word: &str, dir: &Path) -> Result<PathBuf, Complaint> {
    let program = dir.join(word);
    let shown = word.escape_debug();
    let Ok(metadata) = fs::metadata(&program) else {
        let help = "a program with a `/` is looked for from the player's folder, its `dir`";
        return Err(Complaint::new(format!("there is no program `{shown}`"), help));
    };
    if metadata.is_dir() {
        let help = "name the program in it";
        return Err(Complaint::new(format!("`{shown}` is a folder, not a program"), help));
    }
    if !is_executable(&metadata) {
        let help = "make it executable with `chmod +x`, or put its interpreter before it";
        return Err(Complaint::new(format!("`{shown}` is not executable"), help));
    }
    Ok(program)
}

fn in_path(word: &str, dir: &Path, path: Option<&OsStr>) -> Result<PathBuf, Complaint> {
    let folders = path.map(std::env::split_paths).into_iter().flatten();
    let mut programs = folders.map(|folder| dir.join(folder).join(word));
    let runs = |file: &PathBuf| fs::metadata(file).is_ok_and(|found| is_executable(&found));
    programs.find(runs).ok_or_else(|| {
        let shown = word.escape_debug();
        let help = if dir.join(word).is_file() {
            format!("for the program in the player's folder write `./{shown}`")
        } else {
            "install it, or give its path with a `/`".to_owned()
        };
        Complaint::new(format!("there is no program `{shown}` in the PATH"), help)
    })
}

#[cfg(unix)]
pub(super) fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(super) fn is_executable(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}

/// The command as one would type it.
pub(super) fn in_words(launch: &Launch, words: &[String]) -> String {
    match launch {
        Launch::Bot(name) => format!("bot:{name}"),
        Launch::Class { class, .. } => format!("comp30024:{}:{class}", words.concat()),
        Launch::Command { .. } => {
            let words = words.iter().map(String::as_str);
            shlex::try_join(words).unwrap_or_default()
        }
    }
}
