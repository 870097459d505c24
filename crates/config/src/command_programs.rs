//! Finds out how to run a player, so that a missing program is noticed before the first game.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::missing_programs;
use super::missing_programs::{missing_compiled_program, missing_program, missing_script};
use super::problem::{InvalidValue, suggest_similar_word};
use referee_entrants::build_commands::build_command;
use referee_entrants::is_executable;
use referee_record::model::player_spec::PlayerKind;
use referee_sandbox::is_system_path;

/// The built-in player called `name`.
pub(super) fn built_in_player_kind(name: &str) -> Result<PlayerKind, InvalidValue> {
    if referee_bots::parse_bot_name(name).is_ok() {
        return Ok(PlayerKind::Bot(name.to_owned()));
    }
    let title = format!("unknown built-in player `{}`", name.escape_debug());
    let is_limited = name.starts_with("search-");
    let help = "write the number of positions per move, for example `search-100`".to_owned();
    let nearest = || suggest_similar_word(name, referee_bots::NAMES.iter().copied());
    Err(InvalidValue::new(title, if is_limited { help } else { nearest() }))
}

/// The program of a command that runs in `dir`; a program without a `/` is looked up in `path`.
pub(super) fn find_command_program(
    words: &[String],
    dir: &Path,
    path: Option<&OsStr>,
) -> Result<PathBuf, InvalidValue> {
    let program = command_program_word(words)?;
    let file = find_command_file(program, dir, path)?;
    if !is_venv_python_command(&file) {
        refuse_command_link(program, dir)?;
    }
    check_command_arguments(words, dir)?;
    Ok(file)
}

/// The program of a command that runs in `dir` with the system in the folder `root`, as the player
/// finds it there. A program without a `/` is looked up in `path`.
pub(super) fn find_command_in_root(
    root: &Path,
    words: &[String],
    dir: &Path,
    path: &OsStr,
) -> Result<PathBuf, InvalidValue> {
    let word = command_program_word(words)?;
    let is_there = |program: &PathBuf| {
        let below = program.strip_prefix("/").ok();
        // A link may lead to something that is only there inside.
        below.is_some_and(|below| fs::symlink_metadata(root.join(below)).is_ok())
    };
    let own = dir.join(word);
    let found = if !word.contains('/') {
        std::env::split_paths(path).map(|folder| folder.join(word)).find(is_there)
    } else if is_there(&own) {
        Some(own)
    } else {
        return find_command_program(words, dir, None);
    };
    let found = found.ok_or_else(|| {
        let title = format!("cannot find `{}` in `{}`", word.escape_debug(), root.display());
        InvalidValue::new(title, "`root` is the folder of an unpacked image with the program")
    })?;
    check_command_arguments(words, dir)?;
    Ok(found)
}

/// The word of a command that names its program.
fn command_program_word(words: &[String]) -> Result<&str, InvalidValue> {
    let Some(program) = words.first().filter(|program| !program.is_empty()) else {
        let help = "give a program and its arguments";
        return Err(InvalidValue::new("the command is empty", help));
    };
    if words.iter().any(|word| word.contains('\0')) {
        let help = "remove `\\u0000`; programs cannot receive it";
        return Err(InvalidValue::new("the command contains a NUL character", help));
    }
    Ok(program)
}

/// Checks the files that a command names behind its program.
fn check_command_arguments(words: &[String], dir: &Path) -> Result<(), InvalidValue> {
    words[1..].iter().try_for_each(|word| refuse_command_link(word, dir))?;
    match missing_script(words, dir) {
        Some(script) => Err(missing_program("file", script, dir)),
        None => Ok(()),
    }
}

/// Refuses a file in the player's folder that is a link out of it: the player may read every file
/// of its command, so a link would give it a private file or another player's program. A program of
/// the system may be a link.
fn refuse_command_link(word: &str, dir: &Path) -> Result<(), InvalidValue> {
    match link_target_outside(word, dir) {
        Some(target) if target.is_file() && !is_system_path(&target) => {
            Err(outside_link_error(word))
        }
        _ => Ok(()),
    }
}

/// Where a file or folder in the player's folder leads, if it is a link out of it.
pub(super) fn link_target_outside(word: &str, dir: &Path) -> Option<PathBuf> {
    let (target, inside) = (dir.join(word).canonicalize().ok()?, dir.canonicalize().ok()?);
    let is_named_outside = Path::new(word).is_absolute() || word.contains("..");
    (!is_named_outside && !target.starts_with(inside)).then_some(target)
}

/// The error that a player's file or folder is a link out of its folder.
pub(super) fn outside_link_error(word: &str) -> InvalidValue {
    let title =
        format!("`{}` is a link that points outside the player's folder", word.escape_debug());
    InvalidValue::new(title, "put the file itself there, or specify the target of the link")
}

/// Whether a program is that of a virtual environment of Python, which is a link.
fn is_venv_python_command(program: &Path) -> bool {
    let is_called_so = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))
    };
    let environment = program.parent().and_then(Path::parent);
    environment.is_some_and(|environment| environment.join("pyvenv.cfg").is_file())
        && is_called_so(program)
        && program.canonicalize().is_ok_and(|target| is_called_so(&target))
}

/// The program that `word` names: relative to `dir` if it has a `/`, otherwise from `path`.
fn find_command_file(
    word: &str,
    dir: &Path,
    path: Option<&OsStr>,
) -> Result<PathBuf, InvalidValue> {
    if word.contains('/') {
        find_command_in_dir(word, dir)
    } else {
        find_command_in_path(word, dir, path)
    }
}

fn find_command_in_dir(word: &str, dir: &Path) -> Result<PathBuf, InvalidValue> {
    let program = dir.join(word);
    let shown = word.escape_debug();
    let Ok(metadata) = fs::metadata(&program) else {
        let build = program.parent().and_then(build_command);
        return Err(build.filter(|_| !missing_programs::is_source_file_name(word)).map_or_else(
            || missing_program(program_or_file(word), word, dir),
            |build| {
                let help = format!("build it with `{build}`");
                InvalidValue::new(format!("cannot find the program `{shown}`"), help)
            },
        ));
    };
    if metadata.is_dir() {
        let help = "specify the program in it";
        return Err(InvalidValue::new(format!("`{shown}` is a folder, not a program"), help));
    }
    if !is_executable(&metadata) {
        return Err(missing_compiled_program(&program, word).unwrap_or_else(|| {
            let help = "make it executable with `chmod +x`, or put its interpreter before it";
            InvalidValue::new(format!("`{shown}` is not executable"), help)
        }));
    }
    Ok(program)
}

fn find_command_in_path(
    word: &str,
    dir: &Path,
    path: Option<&OsStr>,
) -> Result<PathBuf, InvalidValue> {
    let folders = path.map(std::env::split_paths).into_iter().flatten();
    let mut programs = folders.map(|folder| dir.join(folder).join(word));
    let runs = |file: &PathBuf| fs::metadata(file).is_ok_and(|found| is_executable(&found));
    if let Some(program) = programs.find(runs) {
        return Ok(program);
    }
    let own = dir.join(word);
    if let Some(complaint) = missing_compiled_program(&own, word) {
        return Err(complaint);
    }
    if missing_programs::is_source_file_name(word) && !own.is_file() {
        return Err(missing_program("file", word, dir));
    }
    let shown = word.escape_debug();
    let help = if own.is_file() {
        format!("for the program in the player's folder write `./{shown}`")
    } else {
        "install it, or give its path with a `/`".to_owned()
    };
    Err(InvalidValue::new(format!("cannot find the program `{shown}` in PATH"), help))
}

fn program_or_file(word: &str) -> &'static str {
    if missing_programs::is_source_file_name(word) { "file" } else { "program" }
}

/// The command as one would type it in a shell.
pub(super) fn format_player_command(launch: &PlayerKind, words: &[String]) -> String {
    match launch {
        PlayerKind::Bot(name) => format!("bot:{name}"),
        PlayerKind::Command { .. } => {
            let words = words.iter().map(String::as_str);
            shlex::try_join(words).unwrap_or_default()
        }
    }
}
