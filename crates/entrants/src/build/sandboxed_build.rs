//! The part of a build that runs in the sandbox: copies the sources into the scratch folder, runs
//! the command there, and packs the result onto stdout.
//!
//! The command may do to this process what it likes: what comes out is checked outside.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use crate::detection::is_for_another_machine;
use referee_record::fingerprint::is_left_out_of_hash;

/// The first argument that makes this program the inside of a build.
pub(super) const BUILD: &str = "__build";
/// The exit code if the sources cannot be copied, or the result not packed.
pub const NOT_DONE: u8 = 125;
/// The permission that builds need for all files.
const OWNER_WRITES: u32 = 0o200;

/// Runs the inside of a build if this process was started as one, and returns its exit code. The
/// result goes to `out`, as an archive. After an error, the exit code is [`NOT_DONE`].
pub fn serve_sandboxed_build(out: impl Write) -> Option<io::Result<ExitCode>> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != BUILD {
        return None;
    }
    let (source, below) = (PathBuf::from(args.next()?), PathBuf::from(args.next()?));
    let command = args.next()?;
    Some(
        run_sandboxed_build(&source, &below, &command, out)
            .map(|status| ExitCode::from(sandboxed_build_exit_code(status))),
    )
}

/// The exit code that a shell would report.
fn sandboxed_build_exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(NOT_DONE)
}

fn run_sandboxed_build(
    source: &Path,
    below: &Path,
    command: &OsString,
    out: impl Write,
) -> io::Result<ExitStatus> {
    let dir = std::env::temp_dir().join("build");
    copy_sandboxed_build_sources(source, &dir)?;
    // What it prints is its output; stdout is for the result.
    let output = Stdio::from(io::stderr().as_fd().try_clone_to_owned()?);
    let status = Command::new("sh")
        .arg("-c")
        .arg(command)
        .current_dir(dir.join(below))
        .stdin(Stdio::null())
        .stdout(output)
        .status()?;
    if status.success() {
        let mut archive = tar::Builder::new(out);
        archive.follow_symlinks(false);
        // Files count by their content, holes included, and within the limit on the result.
        archive.sparse(false);
        pack_sandboxed_build(&mut archive, &dir, Path::new(""))?;
        archive.into_inner()?.flush()?;
    }
    Ok(status)
}

fn add_path_to_error(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Copies a folder to the new folder `to`. Links stay links.
fn copy_sandboxed_build_sources(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to).map_err(add_path_to_error(to))?;
    for entry in fs::read_dir(from).map_err(add_path_to_error(from))? {
        let entry = entry.map_err(add_path_to_error(from))?;
        let (path, name, kind) = (entry.path(), entry.file_name(), entry.file_type()?);
        let to = to.join(&name);
        if name.to_str().is_some_and(|name| {
            is_left_out_of_hash(name) || is_skipped_sandboxed_source(name, kind.is_dir())
        }) {
            continue;
        }
        // The author's machine configured it, with paths that are only there.
        if kind.is_dir() && path.join("CMakeCache.txt").is_file() {
            continue;
        }
        if kind.is_dir() {
            copy_sandboxed_build_sources(&path, &to)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&path)?, &to).map_err(add_path_to_error(&path))?;
        // `make` and `javac` would take it for their own result, or could not replace it.
        } else if kind.is_file() && !is_for_another_machine(&path) {
            fs::copy(&path, &to).map_err(add_path_to_error(&path))?;
            let mode = fs::metadata(&to)?.permissions().mode();
            fs::set_permissions(&to, Permissions::from_mode(mode | OWNER_WRITES))?;
        }
    }
    Ok(())
}

/// Whether a name is that of what a Mac or an editor keeps beside sources. Two hidden folders say how
/// to build.
fn is_skipped_sandboxed_source(name: &str, is_folder: bool) -> bool {
    let says_how = [".cargo", ".mvn"].contains(&name);
    name == "__MACOSX" || name.starts_with("._") || is_folder && name.starts_with('.') && !says_how
}

/// Packs what is in the folder `below` of `top`. A link to a file in `top` becomes that file. Any
/// other link is packed unchanged, and refused outside. Pipes and sockets are left out.
fn pack_sandboxed_build(
    archive: &mut tar::Builder<impl Write>,
    top: &Path,
    below: &Path,
) -> io::Result<()> {
    let mut names: Vec<OsString> = Vec::new();
    for entry in fs::read_dir(top.join(below))? {
        names.push(entry?.file_name());
    }
    names.sort();
    for name in names {
        let name = below.join(name);
        let path = top.join(&name);
        let kind = fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() {
            archive.append_dir(&name, &path).map_err(add_path_to_error(&name))?;
            pack_sandboxed_build(archive, top, &name)?;
        } else if kind.is_file() || kind.is_symlink() && is_build_link_to_file(&path, top) {
            append_sandboxed_build_file(archive, &name, &path).map_err(add_path_to_error(&name))?;
        } else if kind.is_symlink() {
            archive.append_path_with_name(&path, &name).map_err(add_path_to_error(&name))?;
        }
    }
    Ok(())
}

fn append_sandboxed_build_file(
    archive: &mut tar::Builder<impl Write>,
    name: &Path,
    path: &Path,
) -> io::Result<()> {
    archive.append_file(name, &mut File::open(path)?)
}

fn is_build_link_to_file(link: &Path, top: &Path) -> bool {
    let inside = || Ok::<_, io::Error>(link.canonicalize()?.starts_with(top.canonicalize()?));
    link.is_file() && inside().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_machines_leave_beside_sources_is_not_copied() {
        let dir = tempfile::tempdir().expect("a folder");
        let from = dir.path().join("from");
        let names = [
            "Player.java",
            "._Player.java",
            "__MACOSX/._Player.java",
            ".metadata/Template.java",
            "build/CMakeCache.txt",
            ".cargo/config.toml",
            "player",
        ];
        for name in names {
            let path = from.join(name);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
            let text: &[u8] = if name == "player" { b"\xcf\xfa\xed\xfe" } else { b"" };
            fs::write(&path, text).expect("written");
            fs::set_permissions(path, Permissions::from_mode(0o444)).expect("set");
        }
        let to = dir.path().join("to");
        copy_sandboxed_build_sources(&from, &to).expect("copied");
        let copied: Vec<&str> = names.into_iter().filter(|name| to.join(name).exists()).collect();
        assert_eq!(copied, ["Player.java", ".cargo/config.toml"]);
        let mode = fs::metadata(to.join("Player.java")).expect("copied").permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "a build may write to it");
    }
}
