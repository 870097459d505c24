//! Turns a command and a policy into the supervisor's setup.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::cgroup::ProcessCgroups;
use crate::command::{Command, IMAGE_PATH, THIS_PROGRAM};
use crate::containment_request::Network;
use crate::descriptor_limit::given_descriptor_limit;
use crate::level::{Level, Mechanism};
use crate::loopback::PROXY_PORT;
use crate::mounts;
use crate::paths::{is_path_in, real_path};
use crate::policy::Policy;
use crate::sandbox_users::SandboxUser;
use crate::supervisor_protocol::SupervisorSetup;
use crate::system_paths::{real_program_path, system_network_files};
use crate::visible_paths::{Program, VisiblePaths};

/// The supervisor's setup for a process. The process becomes `user`, if there is one, and joins
/// `groups`.
pub(crate) fn prepare_setup(
    command: &Command,
    policy: &Policy,
    user: Option<&SandboxUser>,
    groups: &ProcessCgroups,
) -> io::Result<SupervisorSetup> {
    let contained = policy.level > Level::Off;
    let namespaces = policy.has(Mechanism::Namespaces);
    let is_this_program = command.program == Path::new(THIS_PROGRAM);
    let dir = command.resolve_path(&command.dir);
    check_prepared_root(command, policy, &dir)?;
    check_prepared_network(command, policy)?;
    let is_listed = contained && !command.network.is_empty();
    let network = if is_listed { Network::Proxy } else { policy.network };
    let scratch = (contained && !namespaces).then(prepare_scratch_path).transpose()?;
    let mut program = command.program.clone();
    let mut env = command.env.clone();
    let mut visible = VisiblePaths::default();
    if contained {
        let runs = match &command.root {
            _ if is_this_program => Program::Caller,
            Some(_) => Program::InImage,
            None => {
                program = real_program_path(&program);
                Program::Here(&command.program)
            }
        };
        visible = VisiblePaths::for_command(command, runs, &policy.hidden);
        env =
            prepare_environment(command, scratch.as_deref().unwrap_or(Path::new(mounts::SCRATCH)));
    }
    if contained && command.root.is_none() {
        let files = system_network_files(network).iter();
        files.filter_map(|path| fs::canonicalize(path).ok()).for_each(|path| visible.show(path));
    }
    if network == Network::Proxy {
        let address = format!("http://127.0.0.1:{PROXY_PORT}");
        for name in PROXY_VARIABLES {
            env.entry(name.to_owned()).or_insert_with(|| address.clone());
        }
    }
    let helper = command.helper.as_ref().map(|helper| real_path(&helper.program));
    if let (Some(path), Some(helper)) = (&helper, &command.helper) {
        let place = if namespaces { Path::new(mounts::HELPER) } else { path };
        env.entry(helper.variable.clone()).or_insert_with(|| place.display().to_string());
        if contained && !namespaces {
            visible.show(path.clone());
        }
    }
    Ok(SupervisorSetup {
        program,
        args: command.args.clone(),
        dir: if is_this_program && contained { PathBuf::from("/") } else { dir },
        env,
        level: policy.level,
        without: policy.without.clone(),
        user: user.map(|user| user.id),
        limits: policy.limits,
        visible,
        places: command
            .places
            .iter()
            .filter_map(|place| Some((place.real().to_owned(), place.id()?)))
            .collect(),
        helper: helper.filter(|_| namespaces),
        network,
        root: command.root.as_deref().map(real_path),
        devices: command.devices.clone(),
        scratch,
        groups: groups.setups.clone(),
        freezer: groups.provides(Mechanism::Freeze),
        open_files: given_descriptor_limit(),
    })
}

/// Refuses a system of its own without namespaces, or in a folder that holds more than that.
fn check_prepared_root(command: &Command, policy: &Policy, dir: &Path) -> io::Result<()> {
    let Some(root) = command.root.as_deref().map(real_path) else { return Ok(()) };
    if !policy.has(Mechanism::Namespaces) {
        return Err(io::Error::other("a root folder of its own needs the level `strict`"));
    }
    let hidden = || policy.hidden.iter().map(PathBuf::as_path);
    let holds_others = std::iter::once(dir).chain(hidden()).any(|path| is_path_in(path, &root));
    if holds_others || hidden().any(|path| is_path_in(&root, path)) {
        let message = format!(
            "{} overlaps a player's folder or one that players must not see; unpack the image into \
             a folder of its own",
            root.display()
        );
        return Err(io::Error::other(message));
    }
    Ok(())
}

/// The variables in which programs look for a proxy; each knows some of these names.
const PROXY_VARIABLES: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];

/// Refuses a network for a process that cannot have one of its own.
fn check_prepared_network(command: &Command, policy: &Policy) -> io::Result<()> {
    let has_own = policy.has(Mechanism::Namespaces) || policy.has(Mechanism::Mounts);
    if command.network.is_empty() || policy.level == Level::Off || has_own {
        return Ok(());
    }
    Err(io::Error::other("a network of its own needs private mounts: see `referee probe`"))
}

/// A new, unguessable name for a scratch folder.
fn prepare_scratch_path() -> io::Result<PathBuf> {
    let random = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    let name = format!("referee-scratch-{}-{random:016x}", std::process::id());
    let folder = std::env::temp_dir();
    Ok(std::fs::canonicalize(&folder).unwrap_or(folder).join(name))
}

/// The whole environment of a contained process: the search path, the language, its scratch folder,
/// and the command's own variables.
fn prepare_environment(command: &Command, scratch: &Path) -> BTreeMap<String, String> {
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
    if command.root.is_none()
        && let Some(path) = env.get_mut("PATH")
    {
        *path = prepare_search_path(path);
    }
    env
}

/// A list like `PATH` without links to folders. Installations are shown where they really lie, and a
/// link that leads there, such as a toolchain's name for its version, may lie where nothing is shown.
fn prepare_search_path(list: &str) -> String {
    let folders = std::env::split_paths(list);
    let folders =
        folders.map(|folder| if folder.is_absolute() { real_path(&folder) } else { folder });
    let joined = std::env::join_paths(folders).ok().and_then(|list| list.into_string().ok());
    joined.unwrap_or_else(|| list.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_path_names_folders_where_they_really_lie() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = real_path(dir.path());
        std::fs::create_dir_all(root.join("stable/bin")).expect("a folder");
        std::os::unix::fs::symlink("stable", root.join("1.95")).expect("a link");
        let list = format!("{0}/1.95/bin:own:{0}/missing", root.display());
        let expected = format!("{0}/stable/bin:own:{0}/missing", root.display());
        assert_eq!(prepare_search_path(&list), expected);
    }
}
