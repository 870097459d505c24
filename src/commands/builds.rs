//! Builds submissions before a command needs them, several at the same time.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::Failure;
use super::runtime::until_interrupted;
use crate::build::{BuildError, Builder, BuiltFolder};
use crate::config::{self, BuildPlan, BuildRules, ConfiguredBuilds};
use crate::printer::Printer;
use crate::printer::activity::Activity;
use referee_protocol::escape;
use referee_sandbox::{Level, Mechanism};
use referee_tournament::run::cores::one_per_core;

/// How many lines of the output of a failed build to show.
const SHOWN: usize = 20;

/// What became of each build, by the name that it was given.
pub(super) type Builds = BTreeMap<String, Result<BuiltFolder, BuildError>>;

/// The level of the sandbox that a command asks for, and the mechanisms that it leaves out.
#[derive(Debug, Default)]
pub(super) struct BuildSandbox {
    pub(super) level: Option<Level>,
    pub(super) without: Vec<Mechanism>,
}

/// Builds the players of the configuration in the file `path`, and the submissions in the folders
/// among `words`. Returns the folder of each such word that was built; `None` if it was interrupted.
/// Without a table `[build]`, nothing is built.
pub(super) fn build_configured(
    path: &Path,
    words: &[String],
    sandbox: BuildSandbox,
    printer: Printer,
) -> Result<Option<BTreeMap<String, PathBuf>>, Failure> {
    let Some(ConfiguredBuilds { rules, level, mut plans }) = config::builds(path) else {
        return Ok(Some(BTreeMap::new()));
    };
    if !words.is_empty() {
        plans.retain(|(name, _)| words.contains(name));
        let named = |word: &String| plans.iter().any(|(name, _)| name == word);
        let folders = words.iter().filter(|word| Path::new(word).is_dir() && !named(word));
        let found = folders.filter_map(|word| Some((word.clone(), rules.plan(Path::new(word))?)));
        let found: Vec<_> = found.collect();
        plans.extend(found);
    }
    let sandbox = BuildSandbox { level: sandbox.level.or(level), ..sandbox };
    let Some(builds) = build_all(rules, plans, sandbox, printer)? else { return Ok(None) };
    let is_built = |(word, built): (String, Result<BuiltFolder, _>)| Some((word, built.ok()?.dir));
    let is_word = |(word, _): &(String, PathBuf)| words.contains(word);
    Ok(Some(builds.into_iter().filter_map(is_built).filter(is_word).collect()))
}

/// Carries out all plans. Says which were built, and shows the end of the output of those that were
/// not. `None` if it was interrupted.
pub(super) fn build_all(
    rules: BuildRules,
    plans: Vec<(String, BuildPlan)>,
    sandbox: BuildSandbox,
    printer: Printer,
) -> Result<Option<Builds>, Failure> {
    if plans.is_empty() {
        return Ok(Some(Builds::new()));
    }
    let commands: BTreeMap<String, (String, Option<PathBuf>)> = plans
        .iter()
        .map(|(name, plan)| {
            let log = rules.key(plan).ok().map(|key| rules.log(&key));
            (name.clone(), (plan.command.clone(), log))
        })
        .collect();
    let same = in_groups(&rules, plans);
    let builder = Arc::new(Builder::new(rules, sandbox.level, sandbox.without)?);
    until_interrupted(async {
        let (tell, mut news) = mpsc::unbounded_channel();
        let places = Arc::new(Semaphore::new(one_per_core(1).get()));
        let mut running = JoinSet::new();
        for (number, group) in same.into_iter().enumerate() {
            let (tell, builder, places) = (tell.clone(), Arc::clone(&builder), Arc::clone(&places));
            running.spawn(async move {
                // The semaphore is never closed.
                let _place = places.acquire_owned().await;
                for (name, plan) in group {
                    let mut say = |line: &str| {
                        drop(tell.send((number, name.clone(), BuildNews::Line(line.to_owned()))));
                    };
                    let built = builder.build(&plan, &mut say).await;
                    drop(tell.send((number, name, BuildNews::Ended(built))));
                }
            });
        }
        drop(tell);
        let mut activity = Activity::new(printer);
        let (mut builds, mut ends) = (Builds::new(), BTreeMap::<String, VecDeque<String>>::new());
        while let Some((number, name, news)) = news.recv().await {
            match news {
                BuildNews::Line(line) => {
                    activity.begin(number, format!("{name}: {line}"));
                    let end = ends.entry(name).or_default();
                    end.push_back(line);
                    if end.len() > SHOWN {
                        end.pop_front();
                    }
                }
                BuildNews::Ended(built) => {
                    activity.end(number);
                    let end = ends.remove(&name).unwrap_or_default();
                    if let Some((command, log)) = commands.get(&name) {
                        for line in told(&name, command, log.as_deref(), &built, &end) {
                            activity.note(&line);
                        }
                    }
                    builds.insert(name, built);
                }
            }
        }
        Ok(builds)
    })
}

/// A message from a build.
enum BuildNews {
    /// It printed this line.
    Line(String),
    /// It has ended.
    Ended(Result<BuiltFolder, BuildError>),
}

/// The plans in groups with the same result. Of each group, only the first one has to be built.
fn in_groups(rules: &BuildRules, plans: Vec<(String, BuildPlan)>) -> Vec<Vec<(String, BuildPlan)>> {
    let mut groups: BTreeMap<String, Vec<(String, BuildPlan)>> = BTreeMap::new();
    for (name, plan) in plans {
        // If the sources cannot be read, its build says so.
        let key = rules.key(&plan).unwrap_or_else(|_| format!("unreadable {name}"));
        groups.entry(key).or_default().push((name, plan));
    }
    groups.into_values().collect()
}

/// The lines that say what became of a build; none if it was built earlier.
fn told(
    name: &str,
    command: &str,
    log: Option<&Path>,
    built: &Result<BuiltFolder, BuildError>,
    end: &VecDeque<String>,
) -> Vec<String> {
    let name = escape::terminal(name);
    let command = escape::terminal(command);
    match built {
        Ok(built) if built.is_new => vec![format!("{name}: built with `{command}`")],
        Ok(_) => Vec::new(),
        Err(why) => {
            let mut lines = vec![format!("{name}: {why} (`{command}`)")];
            lines.extend(end.iter().map(|line| format!("  {line}")));
            let log = log.filter(|log| log.is_file() && !end.is_empty());
            lines.extend(log.map(|log| format!("  its whole output: {}", log.display())));
            lines
        }
    }
}
