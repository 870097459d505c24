//! The installations that programs need: their libraries and interpreters, wherever they are.
//!
//! A program of the organiser's is one in a system folder, in a folder of the `PATH`, or named in
//! the command. Its links and the first line of a script are followed. What a process's own folder
//! names counts only if it is one of those, too.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::paths::{is_path_in, real_path};
use crate::system_paths::{is_system_path, real_program_path};

/// The names of folders of programs. What a program needs lies beside them.
const OF_PROGRAMS: &[&str] = &["bin", "sbin", "shims", "libexec"];

/// The parts of an installation, in the folder above its programs. Settings and keys of a person
/// often lie there, too, so the whole folder is never shown.
const PARTS: &[&str] = &[
    "bin",
    "sbin",
    "shims",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "include",
    "share",
    "conf",
    "boot",
    "versions",
    "version",
    "installs",
    "release",
    "pyvenv.cfg",
];

/// The mark of an installation of Go, and its further parts. In a person's folder of Go, `src` is
/// their own work.
const OF_GO: (&str, &[&str]) = ("VERSION", &["VERSION", "go.env", "src", "pkg", "misc"]);

/// The maximum number of links and interpreters to follow.
const MOST_STEPS: usize = 32;

/// The longest first line of a script, as for the kernel.
const LONGEST_LINE: u64 = 256;

/// The uids of people in a list of users, besides root.
const PEOPLE: std::ops::Range<u32> = 1000..65534;

/// Finds the installations that a process may see.
pub(crate) struct Installations<'a> {
    /// Where relative interpreters are found.
    dir: PathBuf,
    /// Folders and files that the process sees anyway; real paths.
    own: &'a BTreeSet<PathBuf>,
    hidden: &'a [&'a Path],
    /// The real paths of the folders in the `PATH` whose programs are the organiser's.
    search: Vec<PathBuf>,
    homes: Vec<PathBuf>,
    found: BTreeSet<PathBuf>,
}

/// Who named a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamedBy {
    Organiser,
    /// A file in the process's own folder.
    Own,
}

impl<'a> Installations<'a> {
    pub(crate) fn new(
        command: &Command,
        own: &'a BTreeSet<PathBuf>,
        hidden: &'a [&'a Path],
    ) -> Self {
        let dir = command.resolve_path(&command.dir);
        let of_caller = installation_search_folders(std::env::var_os("PATH").as_deref());
        let mut search = match command.env.get("PATH") {
            Some(path) => installation_search_folders(Some(OsStr::new(path))),
            None => of_caller.clone(),
        };
        // What the caller's own PATH names is the organiser's, such as an active virtual
        // environment, even if it lies in the process's folder. What another one names there is
        // the author's.
        let is_own = |folder: &Path| own.iter().any(|own| is_path_in(folder, own));
        search.retain(|folder| {
            if is_own(folder) {
                of_caller.contains(folder)
            } else {
                !hidden.iter().any(|hidden| is_path_in(folder, hidden))
            }
        });
        Self { dir, own, hidden, search, homes: find_home_folders(), found: BTreeSet::new() }
    }

    /// The paths found so far.
    pub(crate) fn paths(self) -> BTreeSet<PathBuf> {
        self.found
    }

    /// Adds what a program that the organiser named needs.
    pub(crate) fn add(&mut self, program: &Path) {
        self.follow(program, NamedBy::Organiser);
    }

    /// Adds what a program in the process's own folder needs.
    pub(crate) fn add_own(&mut self, program: &Path) {
        self.follow(program, NamedBy::Own);
    }

    fn follow(&mut self, program: &Path, by: NamedBy) {
        let mut due = Some((program.to_owned(), by));
        for step in 0..MOST_STEPS {
            let Some((path, by)) = due else { return };
            // Only an executable can be an interpreter.
            if !is_executable(&path) {
                return;
            }
            let path = real_program_path(&path);
            let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
            let is_own = self.is_own(&path);
            let by = if self.search.contains(&folder) {
                NamedBy::Organiser
            } else if is_own {
                NamedBy::Own
            } else if by == NamedBy::Organiser || self.is_installed(&path) {
                NamedBy::Organiser
            } else {
                return;
            };
            if !is_own {
                // The organiser may name another player's program, but nothing leads to it.
                if step > 0 && self.hidden.iter().any(|hidden| is_path_in(&path, hidden)) {
                    return;
                }
                self.add_installation(&path, &folder);
            }
            due = match fs::read_link(&path) {
                Ok(target) => Some((folder.join(target), by)),
                Err(_) => self.interpreter(&path, by),
            };
        }
    }

    /// Whether it lies in the process's own folder.
    fn is_own(&self, path: &Path) -> bool {
        self.own.iter().any(|own| is_path_in(path, own))
    }

    /// Whether a program is part of an installation of the organiser's: in a system folder, in a
    /// folder of the `PATH` or in what belongs to one, or the target of a link there. A link elsewhere
    /// to such a program is not: private files may be beside it.
    fn is_installed(&self, path: &Path) -> bool {
        let is_part = |folder: &PathBuf| {
            self.parts(folder).is_some_and(|parts| parts.iter().any(|part| is_path_in(path, part)))
        };
        let is_linked = || {
            let named = path.file_name().and_then(|name| self.find_in_search_path(name));
            named.is_some_and(|named| fs::canonicalize(named).is_ok_and(|target| target == path))
        };
        is_system_path(path) || self.search.iter().any(is_part) || is_linked()
    }

    /// Adds the program, or the installation that it belongs to.
    fn add_installation(&mut self, path: &Path, folder: &Path) {
        if is_system_path(path) {
            return;
        }
        let is_searched = self.search.iter().any(|searched| searched == folder);
        // A folder `bin` for collected programs has nothing of theirs beside it.
        match self.parts(folder).filter(|parts| is_searched || parts.len() > 1) {
            Some(parts) => self.found.extend(parts),
            None => drop(self.found.insert(path.to_owned())),
        }
    }

    /// The parts of the installation whose programs lie in `folder`, if it is one of its own.
    fn parts(&self, folder: &Path) -> Option<Vec<PathBuf>> {
        let name = folder.file_name()?;
        let prefix = folder.parent().filter(|_| OF_PROGRAMS.iter().any(|known| name == *known))?;
        if !self.stands_alone(prefix) {
            return None;
        }
        let (mark, of_go) = OF_GO;
        let of_go = if prefix.join(mark).is_file() { of_go } else { &[] };
        let parts = PARTS.iter().chain(of_go).map(|part| prefix.join(part));
        // A link elsewhere would show what its author wants.
        let inside = real_path(prefix);
        let stays =
            |part: &PathBuf| fs::canonicalize(part).is_ok_and(|it| is_path_in(&it, &inside));
        Some(parts.filter(stays).collect())
    }

    /// Whether a folder holds nothing but an installation: it is not a home or `~/.local`, and
    /// neither the process's own folder nor one that is hidden from it lies in it.
    fn stands_alone(&self, prefix: &Path) -> bool {
        let holds = |path: &Path| is_path_in(path, prefix);
        let is_of_person = prefix.parent() == Some(Path::new("/home"))
            || self.homes.iter().any(|home| holds(home) || prefix == home.join(".local"));
        let has_own = self.dir != Path::new("/") && holds(&self.dir);
        let has_hidden = self.hidden.iter().any(|hidden| holds(hidden) && hidden.is_dir());
        !(is_of_person || has_own || has_hidden)
    }

    /// The interpreter that the first line of a script names.
    fn interpreter(&self, path: &Path, by: NamedBy) -> Option<(PathBuf, NamedBy)> {
        let mut start = Vec::new();
        File::open(path).ok()?.take(LONGEST_LINE).read_to_end(&mut start).ok()?;
        let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?.trim_ascii();
        let end = line.iter().position(|byte| b" \t".contains(byte)).unwrap_or(line.len());
        let (program, argument) = line.split_at(end);
        let program = real_program_path(&self.dir.join(OsStr::from_bytes(program)));
        if program.file_name() != Some(OsStr::new("env")) || !is_system_path(&program) {
            return Some((program, by));
        }
        // The kernel passes one argument. Only the name of a program means the same to every `env`.
        let argument = argument.trim_ascii();
        let is_name = !argument.is_empty()
            && !argument.starts_with(b"-")
            && !argument.iter().any(|byte| b"/= \t".contains(byte));
        let found = self.find_in_search_path(OsStr::from_bytes(argument)).filter(|_| is_name)?;
        Some((found, NamedBy::Organiser))
    }

    /// The program of this name in the `PATH`.
    fn find_in_search_path(&self, name: &OsStr) -> Option<PathBuf> {
        self.search.iter().map(|folder| folder.join(name)).find(|program| is_executable(program))
    }
}

/// The folders of a list such as `PATH`. A relative one would depend on where the process is.
fn installation_search_folders(list: Option<&OsStr>) -> Vec<PathBuf> {
    let folders = list.map(std::env::split_paths).into_iter().flatten();
    folders.filter(|folder| folder.is_absolute()).map(|folder| real_path(&folder)).collect()
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The folders of the people of this machine.
fn find_home_folders() -> Vec<PathBuf> {
    let own = std::env::home_dir().into_iter().flat_map(|home| [real_path(&home), home]);
    let list = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let of_person = |line: &str| {
        let mut fields = line.split(':').skip(2);
        let user: u32 = fields.next()?.parse().ok()?;
        let home = PathBuf::from(fields.nth(2)?);
        (user == 0 || PEOPLE.contains(&user)).then_some(home)
    };
    own.chain(list.lines().filter_map(of_person))
        .filter(|home| home.is_absolute() && home != Path::new("/"))
        .collect()
}
