//! The command to run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use referee_containment::Endpoint;

use crate::paths::real_path;
use crate::pinned_path::PinnedPath;

/// The path by which a program starts itself again, even if its file has been replaced.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

/// Where programs are found in a root folder of its own, unless the command's environment has
/// another `PATH`.
pub const IMAGE_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The maximum number of connections at the same time to what a command lists.
pub(crate) const MOST_CONNECTIONS: usize = 16;

/// The maximum of open files of the caller for the network of one process: the proxy's listener, and
/// both ends of its connections.
pub const MOST_NETWORK_FILES: usize = 1 + 2 * MOST_CONNECTIONS;

/// A command line, and what it may see of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// The program, as a path. [`THIS_PROGRAM`] runs the caller itself.
    pub program: PathBuf,
    /// Arguments.
    pub args: Vec<String>,
    /// Working folder.
    pub dir: PathBuf,
    /// What of `dir` it may read.
    pub view: DirView,
    /// Variables that are added to its environment.
    pub env: BTreeMap<String, String>,
    /// Other paths that it may read if it is contained. It may always read the system folders and
    /// the installation that its program belongs to. What lies in `dir` or in another of these
    /// folders is shown with it, and links there are not followed.
    pub readable: Vec<PathBuf>,
    /// Where `dir` and the readable files were when access was granted. If something
    /// else is in the place of such a folder now, the command is not started.
    pub places: Vec<PinnedPath>,
    /// A folder with a system of its own, such as an unpacked image of a container: it sees that in
    /// place of the system folders, and finds its program there. Needs namespaces of its own.
    pub root: Option<PathBuf>,
    /// Devices that it may use, as paths.
    pub devices: Vec<PathBuf>,
    /// What it may reach over the network, through a proxy of the caller that its environment names.
    /// Needs mounts or namespaces of its own. Uncontained, it may reach everything anyway.
    pub network: Vec<Endpoint>,
    /// Paths in readable folders that it may not read; real paths.
    pub hidden: Vec<PathBuf>,
    /// Programs that it starts itself, as paths: their installations are readable for it.
    pub starts: Vec<PathBuf>,
    /// Another program that it may run.
    pub helper: Option<Helper>,
}

/// What a process may read of its working folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DirView {
    /// All of it.
    #[default]
    Whole,
    /// Those files of it that are listed as readable, unless they are links.
    Listed,
}

/// A program that a sandboxed process may run. An environment variable has its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helper {
    /// The program.
    pub program: PathBuf,
    /// The environment variable with its path. In namespaces of its own, the process finds it at
    /// `/referee`.
    pub variable: String,
}

impl Command {
    /// Runs `program` without arguments, in the folder `/`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), dir: PathBuf::from("/"), ..Self::default() }
    }

    /// The place of `path`, if it was found before.
    pub(crate) fn find_pinned_place(&self, path: &Path) -> Option<&PinnedPath> {
        self.places.iter().find(|place| place.given_path() == path)
    }

    /// Where `path` lies, without links.
    pub(crate) fn resolve_path(&self, path: &Path) -> PathBuf {
        self.find_pinned_place(path)
            .map_or_else(|| real_path(path), |place| place.real().to_owned())
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }
}
