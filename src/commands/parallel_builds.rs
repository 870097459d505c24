//! Builds submissions before a command needs them, several at the same time.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::Failure;
use super::runtime::run_until_interrupted;
use crate::printer::Printer;
use crate::printer::activity::Activity;
use referee_config::ConfiguredBuilds;
use referee_entrants::build::{BuildError, Builder, BuiltFolder};
use referee_entrants::build_plan::BuildPlan;
use referee_entrants::build_rules::BuildRules;
use referee_protocol::escape::escape_line;
use referee_sandbox::{Level, Mechanism};
use referee_tournament::run::cores::count_games_for_cores;

/// How many lines of the output of a failed build to show.
const SHOWN: usize = 20;

/// The outcome of each build, by its given name.
pub(super) type Builds = BTreeMap<String, Result<BuiltFolder, Arc<BuildError>>>;

/// The level of the sandbox that a command asks for, and the mechanisms that it leaves out.
#[derive(Debug, Default)]
pub(super) struct BuildSandbox {
    pub(super) level: Option<Level>,
    pub(super) without: Vec<Mechanism>,
}

/// Builds the players of a configuration, and the submissions in the folders among `words`, as
/// `configured`. Returns whether it was not interrupted.
pub(super) fn build_configured_players(
    configured: ConfiguredBuilds,
    words: &[String],
    sandbox: BuildSandbox,
    printer: Printer,
) -> Result<bool, Failure> {
    let ConfiguredBuilds { rules, level, mut plans } = configured;
    if !words.is_empty() {
        plans.retain(|(name, _)| words.contains(name));
        let named = |word: &String| plans.iter().any(|(name, _)| name == word);
        let folders = words.iter().filter(|word| Path::new(word).is_dir() && !named(word));
        let found = folders.filter_map(|word| Some((word.clone(), rules.plan(Path::new(word))?)));
        let found: Vec<_> = found.collect();
        plans.extend(found);
    }
    let sandbox = BuildSandbox { level: sandbox.level.or(level), ..sandbox };
    Ok(build_in_parallel(rules, plans, sandbox, printer)?.is_some())
}

/// Carries out all plans. Says which were built, and shows the end of the output of those that were
/// not. `None` if it was interrupted.
///
/// # Errors
/// Also if the machine ran out of something for one of them, which is not the author's fault.
pub(super) fn build_in_parallel(
    rules: BuildRules,
    plans: Vec<(String, BuildPlan)>,
    sandbox: BuildSandbox,
    printer: Printer,
) -> Result<Option<Builds>, Failure> {
    let (mut builds, due) = group_identical_builds(&rules, plans);
    if due.is_empty() {
        return Ok(Some(builds));
    }
    let builder = Arc::new(Builder::new(rules, sandbox.level, sandbox.without)?);
    run_until_interrupted(async {
        let mut news = RunningBuilds::start(&builder, &due);
        let mut activity = Activity::new(printer);
        let mut ends = vec![VecDeque::new(); due.len()];
        while let Some((number, news)) = news.next().await {
            let (group, end) = (&due[number], &mut ends[number]);
            match news {
                BuildNews::Line(line) => {
                    activity.begin(number, format!("{}: {line}", group.names.join(", ")));
                    end.push_back(line);
                    if end.len() > SHOWN {
                        end.pop_front();
                    }
                }
                BuildNews::Ended(built) => {
                    activity.end(number);
                    for line in describe_build_outcome(group, &built, end) {
                        activity.note(&line);
                    }
                    let built = built.map_err(Arc::new);
                    builds.extend(group.names.iter().map(|name| (name.clone(), built.clone())));
                }
            }
        }
        let short = builds.iter().find_map(|(name, built)| built.as_ref().err()?.shortage(name));
        short.map_or(Ok(builds), |shortage| Err(shortage.into()))
    })
}

/// Submissions whose build has the same result. It is built once.
struct BuildGroup {
    names: Vec<String>,
    plan: BuildPlan,
    /// The file with its output.
    log: Option<PathBuf>,
}

/// Earlier builds, and those that are due.
fn group_identical_builds(
    rules: &BuildRules,
    plans: Vec<(String, BuildPlan)>,
) -> (Builds, Vec<BuildGroup>) {
    let (mut builds, mut due) = (Builds::new(), BTreeMap::<String, BuildGroup>::new());
    for (name, plan) in plans {
        // If the sources cannot be read, the build says so.
        let key = rules.cache_key(&plan).ok();
        if let Some(dir) = key.as_ref().and_then(|key| rules.cached_result(key)) {
            builds.insert(name, Ok(BuiltFolder { dir }));
            continue;
        }
        let log = key.as_ref().map(|key| rules.cached_log(key));
        let group = due
            .entry(key.unwrap_or_else(|| format!("unreadable {name}")))
            .or_insert(BuildGroup { names: Vec::new(), plan, log });
        group.names.push(name);
    }
    (builds, due.into_values().collect())
}

/// A message from a build.
enum BuildNews {
    /// It printed this line.
    Line(String),
    Ended(Result<BuiltFolder, BuildError>),
}

/// Builds that run at the same time. Dropping it ends them.
struct RunningBuilds {
    news: mpsc::UnboundedReceiver<(usize, BuildNews)>,
    _running: JoinSet<()>,
}

impl RunningBuilds {
    /// Starts the builds, one per core at a time.
    fn start(builder: &Arc<Builder>, due: &[BuildGroup]) -> Self {
        let (tell, news) = mpsc::unbounded_channel();
        let places = Arc::new(Semaphore::new(count_games_for_cores(1).get()));
        let mut running = JoinSet::new();
        for (number, group) in due.iter().enumerate() {
            let (tell, plan) = (tell.clone(), group.plan.clone());
            let (builder, places) = (Arc::clone(builder), Arc::clone(&places));
            running.spawn(async move {
                // It is never closed.
                let _place = places.acquire_owned().await;
                // Without a receiver, the news are not needed.
                let mut say = |line: &str| {
                    let _ = tell.send((number, BuildNews::Line(line.to_owned())));
                };
                let built = builder.build(&plan, &mut say).await;
                let _ = tell.send((number, BuildNews::Ended(built)));
            });
        }
        Self { news, _running: running }
    }

    /// The next message, with the number of its build; `None` when all have ended.
    async fn next(&mut self) -> Option<(usize, BuildNews)> {
        self.news.recv().await
    }
}

/// The lines that say what became of a build.
fn describe_build_outcome(
    BuildGroup { names, plan, log }: &BuildGroup,
    built: &Result<BuiltFolder, BuildError>,
    end: &VecDeque<String>,
) -> Vec<String> {
    let (names, command) = (names.join(", "), &plan.command);
    let Err(why) = built else {
        return vec![escape_line(&format!("{names}: built with `{command}`"))];
    };
    let mut lines = vec![escape_line(&format!("{names}: {why} (`{command}`)"))];
    lines.extend(end.iter().map(|line| format!("  {line}")));
    let has_log = !end.is_empty() || matches!(why, BuildError::Known { .. });
    let log = log.as_ref().filter(|log| has_log && log.is_file());
    lines.extend(log.map(|log| format!("  its full output: {}", log.display())));
    lines
}
