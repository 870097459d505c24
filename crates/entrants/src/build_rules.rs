//! What of a submission is built, and how. `crate::build` builds.

mod cache;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_sandbox::resource_limits::MIB;
use referee_sandbox::{Limits, Network};

use super::build_commands::{BuildKind, Needs, find_build_commands};
use super::build_plan::{BuildPlan, BuildPurpose};
use super::detection::{
    detect_candidates, find_java_class_root, is_compiled_player, nearest_folder,
};

/// The time that a build has unless the configuration says otherwise.
const DEFAULT_TIME: Duration = Duration::from_secs(300);
/// The limits on the resources of a build unless the configuration says otherwise.
const DEFAULT_LIMITS: Limits = Limits {
    memory: 2048 * MIB,
    processes: 256,
    open_files: 1024,
    file_size: 1024 * MIB,
    scratch: 1024 * MIB,
    files: 50_000,
};
/// The most bytes that a build may print unless the configuration says otherwise.
const DEFAULT_OUTPUT: u64 = 4 * MIB;

/// What the configuration says about one kind of build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandChoice {
    /// It is not built.
    Off,
    /// This command builds it, in a shell.
    Line(String),
}

/// The parts of a build that are kept besides its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildRecords {
    /// What it printed, and the reason if it failed.
    Kept,
    /// Nothing: in a league, the author receives both, and new sources would add to them forever.
    Dropped,
}

/// How submissions are built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRules {
    /// The kinds that are not built in the usual way, by name.
    pub choices: BTreeMap<&'static str, CommandChoice>,
    /// Whether builds may use the network.
    pub network: Network,
    /// The time of one build.
    pub time: Duration,
    /// The limits on its resources. Its scratch folder holds the sources and the result.
    pub limits: Limits,
    /// The most bytes that it may print.
    pub output: u64,
    /// The variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// Further files and folders that it may read.
    pub readable: Vec<PathBuf>,
    /// What builds never see: the results, the configuration's own folders and other submissions.
    pub hidden: Vec<PathBuf>,
    /// The folder that keeps the results.
    pub cache: PathBuf,
    /// What else is kept there.
    pub records: BuildRecords,
}

impl BuildRules {
    /// The usual rules, with results kept beside the folder `results`.
    pub fn usual(results: &Path) -> Self {
        let mut cache = results.as_os_str().to_owned();
        cache.push("-built");
        let cache = PathBuf::from(cache);
        Self {
            choices: BTreeMap::new(),
            network: Network::Loopback,
            time: DEFAULT_TIME,
            limits: DEFAULT_LIMITS,
            output: DEFAULT_OUTPUT,
            env: BTreeMap::new(),
            readable: Vec::new(),
            hidden: vec![results.to_owned(), cache.clone()],
            cache,
            records: BuildRecords::Kept,
        }
    }

    /// What has to be built of a submission: the nearest folder in it with a build file. `None` if
    /// there is none, or if its player is compiled already.
    pub fn plan(&self, submission: &Path) -> Option<BuildPlan> {
        let is_compiled = is_compiled_player(submission);
        let look = |dir: &Path| {
            self.allowed_kinds(dir).find(|(kind, _)| kind.needs == Needs::Network || !is_compiled)
        };
        let (folder, (kind, command)) = nearest_folder(submission, look)?;
        let depth = |dir: &Path| dir.components().count();
        let before = detect_candidates(submission);
        let is_nearer = before.first().is_some_and(|start| depth(&start.dir) < depth(&folder));
        let installs = kind.needs == Needs::Network && !before.is_empty();
        let purpose =
            if is_nearer || installs { BuildPurpose::Additions } else { BuildPurpose::Player };
        let folder =
            if kind.is_java() { find_java_class_root(&folder, submission) } else { folder };
        let below = folder.strip_prefix(submission).unwrap_or(Path::new("")).to_owned();
        Some(BuildPlan { source: submission.to_owned(), below, command, purpose })
    }

    /// How the folder `source` itself is built, if it is.
    pub fn plan_at(&self, source: &Path) -> Option<BuildPlan> {
        let (_, command) = self.allowed_kinds(source).next()?;
        let (source, below) = (source.to_owned(), PathBuf::new());
        Some(BuildPlan { source, below, command, purpose: BuildPurpose::Player })
    }

    /// The kinds of build of a folder that are not turned off, each with its command.
    fn allowed_kinds(&self, dir: &Path) -> impl Iterator<Item = (BuildKind, String)> {
        find_build_commands(dir).into_iter().filter_map(|kind| match self.choices.get(kind.name) {
            Some(CommandChoice::Off) => None,
            Some(CommandChoice::Line(line)) => Some((kind, line.clone())),
            None if kind.needs == Needs::Network && self.network != Network::Open => None,
            None => Some((kind, kind.command.to_owned())),
        })
    }
}
