//! Turns a command and a policy into the supervisor's setup.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::cgroup::Cgroups;
use crate::command::{Command, IMAGE_PATH, THIS_PROGRAM};
use crate::level::{Level, Mechanism};
use crate::policy::Policy;
use crate::protocol::Setup;
use crate::request::Network;
use crate::users::User;
use crate::{descriptors, mounts, runtimes};

/// The supervisor's setup for a process. The process becomes `user`, if there is one, and joins
/// `groups`.
pub(crate) fn setup(
    command: &Command,
    policy: &Policy,
    user: Option<&User>,
    groups: &Cgroups,
) -> io::Result<Setup> {
    let contained = policy.level > Level::Off;
    let namespaces = policy.has(Mechanism::Namespaces);
    let is_this_program = command.program == Path::new(THIS_PROGRAM);
    let dir = real(&command.dir);
    if command.root.is_some() && !namespaces {
        return Err(io::Error::other("a root folder of its own needs the level `strict`"));
    }
    let scratch = (contained && !namespaces).then(scratch_folder).transpose()?;
    let mut program = command.program.clone();
    let mut env = command.env.clone();
    let mut readable = Vec::new();
    if contained {
        if is_this_program {
            readable = readable_paths(command, None);
        } else if command.root.is_some() {
            readable = own_paths(command, &dir);
        } else {
            program = runtimes::with_real_folder(&program);
            readable = readable_paths(command, Some((&program, &dir)));
        }
        env = environment(command, scratch.as_deref().unwrap_or(Path::new(mounts::SCRATCH)));
    }
    if contained && policy.network == Network::Open {
        readable.extend(runtimes::of_network());
    }
    let helper = command.helper.as_ref().map(|helper| real(&helper.program));
    if let (Some(path), Some(helper)) = (&helper, &command.helper) {
        let place = if namespaces { Path::new(mounts::HELPER) } else { path };
        env.entry(helper.variable.clone()).or_insert_with(|| place.display().to_string());
        readable.extend(Some(path.clone()).filter(|_| contained && !namespaces));
    }
    Ok(Setup {
        program,
        args: command.args.clone(),
        dir: if is_this_program && contained { PathBuf::from("/") } else { dir },
        env,
        level: policy.level,
        without: policy.without.clone(),
        user: user.map(|user| user.id),
        limits: policy.limits,
        readable,
        helper: helper.filter(|_| namespaces),
        network: policy.network,
        root: command.root.as_deref().map(real),
        devices: command.devices.clone(),
        hidden: policy.hidden.iter().chain(&command.hidden).map(|path| real(path)).collect(),
        scratch,
        groups: groups.setups.clone(),
        open_files: descriptors::given(),
    })
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The paths that a contained process may read besides the system folders: the installations of its
/// `own` program and of those that it starts, its `own` working folder, and the paths that the
/// command lists.
fn readable_paths(command: &Command, own: Option<(&Path, &Path)>) -> Vec<PathBuf> {
    let search = command.env.get("PATH").map(Into::into).or_else(|| std::env::var_os("PATH"));
    let starts = command.starts.iter().map(PathBuf::as_path);
    let programs = own.map(|(program, _)| program).into_iter().chain(starts);
    let of_program = |program: &Path| runtimes::of_program(program, search.as_deref());
    let mut readable: BTreeSet<PathBuf> = programs.flat_map(of_program).collect();
    readable.extend(command.readable.iter().map(|path| real(path)));
    readable.extend(own.map(|(_, dir)| dir.to_owned()));
    readable.retain(|path| !runtimes::is_system_path(path));
    readable.into_iter().collect()
}

/// The paths that a contained process with a root folder of its own may read besides that: its
/// working folder, and the paths that the command lists.
fn own_paths(command: &Command, dir: &Path) -> Vec<PathBuf> {
    let mut paths: BTreeSet<PathBuf> = command.readable.iter().map(|path| real(path)).collect();
    paths.insert(dir.to_owned());
    paths.into_iter().collect()
}

/// A new name for a scratch folder, which nobody can guess.
fn scratch_folder() -> io::Result<PathBuf> {
    let random = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    let name = format!("referee-scratch-{}-{random:016x}", std::process::id());
    let folder = std::env::temp_dir();
    Ok(std::fs::canonicalize(&folder).unwrap_or(folder).join(name))
}

/// The whole environment of a contained process: the search path, the language, its scratch folder,
/// and the command's own variables.
fn environment(command: &Command, scratch: &Path) -> BTreeMap<String, String> {
    let mut env = BTreeMap::new();
    for name in ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"] {
        if let Ok(value) = std::env::var(name) {
            env.insert(name.to_owned(), value);
        }
    }
    for name in ["HOME", "TMPDIR"] {
        env.insert(name.to_owned(), scratch.display().to_string());
    }
    if command.root.is_some() {
        env.insert("PATH".to_owned(), IMAGE_PATH.to_owned());
    }
    env.extend(command.env.clone());
    env
}
