//! The table `[build]`: how submissions that are source code become players.
//!
//! It only says what has to be built and where the result is kept; `crate::build` builds. So a
//! configuration can be read without starting anything.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use referee_record::bounded;
use referee_record::fingerprint::{Fingerprint, Parts, Unreadable};
use referee_record::model::containment::MOST_RESOURCES;
use referee_sandbox::limits::{KIB, MIB};
use referee_sandbox::{Limits, Network};

use super::containment::bytes;
use super::keys::{Field, FromTable, FromToml, TableReader, table_keys};
use super::limits::{TimeText, positive, whole};
use super::problem::{Problem, Problems};
use crate::entrants::detection::{is_compiled, is_nearer_than, nearest_folder};
use crate::entrants::recipes::{BuildKind, build_kinds};

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
/// The longest reason for a failed build that is read, in bytes.
const LARGEST_FAILURE: u64 = 64 * 1024;
/// What is hashed in place of a program's path, which belongs to no player.
const NO_PROGRAM: &str = "/";

table_keys! {
    /// The keys under `[build]`.
    BuildKeys, "`[build]`":
    "network" => network: Field<bool>,
    "time" => time: Field<TimeText>,
    "memory" => memory: Field<String>,
    "disk" => disk: Field<String>,
    "files" => files: Field<i128>,
    "processes" => processes: Field<i128>,
    "output" => output: Field<String>,
    "env" => env: Field<BTreeMap<String, String>>,
    "readable" => readable: Field<Vec<Spanned<String>>>,
    "make" => make: Field<CommandChoice>,
    "cargo" => cargo: Field<CommandChoice>,
    "cmake" => cmake: Field<CommandChoice>,
    "go" => go: Field<CommandChoice>,
    "gradle" => gradle: Field<CommandChoice>,
    "maven" => maven: Field<CommandChoice>,
    "java" => java: Field<CommandChoice>,
    "node" => node: Field<CommandChoice>,
    "python" => python: Field<CommandChoice>,
}

/// What the configuration says about one kind of build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandChoice {
    /// It is not built.
    Off,
    /// This command builds it, in a shell.
    Line(String),
}

impl FromToml for CommandChoice {
    const EXPECTED: &'static str = "a command in quotes, or false";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        match value {
            DeValue::Boolean(false) => Some(Self::Off),
            DeValue::String(line) if !line.trim().is_empty() && !line.contains('\0') => {
                Some(Self::Line(line.to_string()))
            }
            _ => None,
        }
    }
}

/// How submissions are built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BuildRules {
    /// The kinds that are not built in the usual way, by name.
    choices: BTreeMap<&'static str, CommandChoice>,
    /// Whether builds may use the network.
    pub(crate) network: Network,
    /// The time of one build.
    pub(crate) time: Duration,
    /// The limits on its resources. Its scratch folder holds the sources and the result.
    pub(crate) limits: Limits,
    /// The most bytes that it may print.
    pub(crate) output: u64,
    /// The variables added to its environment.
    pub(crate) env: BTreeMap<String, String>,
    /// Further files and folders that it may read.
    pub(crate) readable: Vec<PathBuf>,
    /// What builds never see: the results, the configuration's own folders and other submissions.
    pub(crate) hidden: Vec<PathBuf>,
    /// The folder that keeps the results.
    pub(crate) cache: PathBuf,
}

/// A folder to build, and the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BuildPlan {
    /// The folder with the build file. Nothing outside it is seen.
    pub(crate) source: PathBuf,
    /// The command, for a shell.
    pub(crate) command: String,
}

impl BuildRules {
    /// The usual rules, with results kept beside the folder `results`.
    pub(crate) fn usual(results: &Path) -> Self {
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
        }
    }

    /// What has to be built of a submission: the nearest folder in it with a build file. `None` if
    /// there is none, if its player is compiled already, or if a player lies nearer to the top.
    pub(crate) fn plan(&self, submission: &Path) -> Option<BuildPlan> {
        let is_compiled = is_compiled(submission);
        let look = |dir: &Path| self.kinds(dir).find(|(kind, _)| kind.installs || !is_compiled);
        let (source, (_, command)) = nearest_folder(submission, look)?;
        if is_nearer_than(&source, submission) {
            return None;
        }
        Some(BuildPlan { source, command })
    }

    /// How the folder `source` itself is built, if it is.
    pub(super) fn plan_at(&self, source: &Path) -> Option<BuildPlan> {
        let (_, command) = self.kinds(source).next()?;
        Some(BuildPlan { source: source.to_owned(), command })
    }

    /// The kinds of build of a folder that are not turned off, each with its command.
    fn kinds(&self, dir: &Path) -> impl Iterator<Item = (BuildKind, String)> {
        build_kinds(dir).into_iter().filter_map(|kind| match self.choices.get(kind.name) {
            Some(CommandChoice::Off) => None,
            Some(CommandChoice::Line(line)) => Some((kind, line.clone())),
            None if kind.installs && self.network != Network::Open => None,
            None => Some((kind, kind.command.to_owned())),
        })
    }

    /// The name under which the result is kept: the same for the same sources and command.
    pub(crate) fn key(&self, plan: &BuildPlan) -> Result<String, Unreadable> {
        self.fingerprint(plan, &[]).map(|(_, key)| key)
    }

    /// The fingerprint and the hash of the player that `words` start in the result. They are those
    /// of the sources, because few builds give the same bytes twice.
    pub(super) fn fingerprint(
        &self,
        plan: &BuildPlan,
        words: &[String],
    ) -> Result<(Fingerprint, String), Unreadable> {
        let build = ["build".to_owned(), plan.command.clone()];
        Fingerprint::read(Parts {
            dir: &plan.source,
            program: Path::new(NO_PROGRAM),
            words: &[&build, words].concat(),
            env: &self.env,
            files: &[".".to_owned()],
        })
    }

    /// The folder with the result under this key, if it has been built.
    pub(crate) fn built(&self, key: &str) -> Option<PathBuf> {
        Some(self.cache.join(key)).filter(|dir| dir.is_dir())
    }

    /// The reason why the build under this key failed, and the file that says so, if it would fail
    /// under these rules again.
    pub(crate) fn failure(&self, key: &str) -> Option<(String, PathBuf)> {
        let record = self.failure_record(key);
        let text = bounded::text(&record, LARGEST_FAILURE).ok()?;
        let (rules, why) = text.split_once('\n')?;
        (rules == self.digest()).then(|| (why.to_owned(), record))
    }

    /// Notes that the build under this key failed under these rules.
    pub(crate) fn keep_failure(&self, key: &str, why: &str) -> io::Result<()> {
        fs::write(self.failure_record(key), format!("{}\n{why}", self.digest()))
    }

    fn failure_record(&self, key: &str) -> PathBuf {
        self.cache.join(format!("{key}.failed"))
    }

    /// A hash of everything that a build may use.
    fn digest(&self) -> String {
        let Self { network, time, limits, output, readable, .. } = self;
        let rules = format!("{network:?} {time:?} {limits:?} {output} {readable:?}");
        blake3::hash(rules.as_bytes()).to_hex().to_string()
    }

    /// The file with the output of the build under this key.
    pub(crate) fn log(&self, key: &str) -> PathBuf {
        self.cache.join(format!("{key}.log"))
    }
}

/// Checks the rules that `keys` ask for. The results are kept beside the folder `results`.
pub(super) fn check(
    keys: &BuildKeys,
    base: &Path,
    results: &Path,
    problems: &mut Problems,
) -> BuildRules {
    let mut rules = BuildRules::usual(results);
    let mut size = |key, field: &Field<String>, least, usual: &mut u64| {
        *usual = bytes(key, field.as_ref(), least, problems).unwrap_or(*usual);
    };
    size("memory", &keys.memory, 16 * MIB, &mut rules.limits.memory);
    size("disk", &keys.disk, 64 * KIB, &mut rules.limits.scratch);
    size("output", &keys.output, 4 * KIB, &mut rules.output);
    rules.limits.file_size = rules.limits.scratch;
    let mut number = |key, field: &Field<i128>, least, usual: &mut u64| {
        *usual = whole(key, field.as_ref(), &(least..=MOST_RESOURCES), problems).unwrap_or(*usual);
    };
    number("processes", &keys.processes, 4, &mut rules.limits.processes);
    number("files", &keys.files, 100, &mut rules.limits.files);
    rules.time = positive("time", keys.time.as_ref(), problems).unwrap_or(rules.time);
    if keys.network.as_ref().is_some_and(|open| *open.get_ref()) {
        rules.network = Network::Open;
    }
    rules.env = keys.env.as_ref().map(|env| env.get_ref().clone()).unwrap_or_default();
    for path in keys.readable.iter().flat_map(Spanned::get_ref) {
        let found = base.join(path.get_ref());
        if !found.exists() {
            let title = format!("cannot find `{}`", path.get_ref().escape_debug());
            let help = "`readable` lists files and folders that builds may read";
            problems.add(Problem::new(path.span(), title).help(help));
        }
        rules.readable.push(found);
    }
    let choices = [
        ("make", &keys.make),
        ("cargo", &keys.cargo),
        ("cmake", &keys.cmake),
        ("go", &keys.go),
        ("gradle", &keys.gradle),
        ("maven", &keys.maven),
        ("java", &keys.java),
        ("node", &keys.node),
        ("python", &keys.python),
    ];
    let given = choices.into_iter().filter_map(|(name, choice)| Some((name, choice.as_ref()?)));
    rules.choices = given.map(|(name, choice)| (name, choice.get_ref().clone())).collect();
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The build of a folder with these files under this table.
    fn planned(table: &str, files: &[&str]) -> Option<(String, String)> {
        let dir = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
            fs::write(path, "").expect("written");
        }
        let mut problems = Problems::default();
        let keys = BuildKeys::from_text(table, &mut problems).expect("TOML");
        let rules = check(&keys, Path::new("/cup"), Path::new("/cup/results"), &mut problems);
        assert!(problems.is_empty(), "{table}");
        let plan = rules.plan(dir.path())?;
        let source = plan.source.strip_prefix(dir.path()).expect("below").display().to_string();
        Some((source, plan.command))
    }

    #[test]
    fn the_nearest_build_file_that_is_not_turned_off_decides() {
        let plan = |dir: &str, command: &str| Some((dir.to_owned(), command.to_owned()));
        assert_eq!(planned("", &["deep/Makefile", "deep/a.java"]), plan("deep", "make"));
        let java = "find . -name '*.java' -exec javac -encoding UTF-8 -d . {} +";
        assert_eq!(planned("make = false", &["Makefile", "a.java"]), plan("", java));
        assert_eq!(planned("make = \"make -j2\"", &["Makefile"]), plan("", "make -j2"));
        assert_eq!(planned("", &["main.py"]), None);
    }

    #[test]
    fn a_player_nearer_to_the_top_than_a_build_file_plays() {
        for below in ["manual/Makefile", "tools/Gen.java", "wasm/Cargo.toml"] {
            assert_eq!(planned("", &["player.py", below]), None, "{below}");
        }
        assert_eq!(planned("network = true", &["player.py", "tools/requirements.txt"]), None);
        assert!(planned("", &["tools/gen.py", "Makefile"]).is_some());
    }

    #[test]
    fn libraries_are_installed_only_with_a_network_or_a_command() {
        let files = &["main.py", "requirements.txt"][..];
        assert_eq!(planned("", files), None);
        let (_, usual) = planned("network = true", files).expect("a build");
        assert!(usual.contains("pip install"), "{usual}");
        let (_, own) = planned("python = \"pip install x\"", files).expect("a build");
        assert_eq!(own, "pip install x");
    }

    #[test]
    fn what_is_compiled_already_is_not_built() {
        assert_eq!(planned("", &["Player.class", "Player.java"]), None);
        assert!(planned("", &["Player.java"]).is_some(), "it would be compiled at every start");
        assert!(planned("", &["run.sh", "Makefile"]).is_some(), "a script may start the result");
    }
}
