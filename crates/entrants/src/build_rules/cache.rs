//! Where the results of builds are kept: each under a hash of its sources and command.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use referee_record::fingerprint::{Fingerprint, Parts, Unreadable, is_left_out};
use referee_record::{disk, plain_files};

use super::BuildRules;
use crate::build_plan::BuildPlan;
use crate::is_executable;

/// The longest reason for a failed build that is read, in bytes.
const LARGEST_FAILURE: u64 = 64 * 1024;
/// Hashed in place of a program's path, which belongs to no player.
const NO_PROGRAM: &str = "/";

impl BuildRules {
    /// The name under which the result is kept: the same for the same sources and command. Which
    /// files can be executed counts too, because it can decide whether a build succeeds.
    pub fn key(&self, plan: &BuildPlan) -> Result<String, Unreadable> {
        let mut executable = Vec::new();
        add_executable(&plan.source, "", &mut executable);
        self.fingerprint(plan, &executable).map(|(_, key)| key)
    }

    /// The fingerprint and the hash of the player that `words` start in the result. They are those
    /// of the sources, because few builds give the same bytes twice.
    pub fn fingerprint(
        &self,
        plan: &BuildPlan,
        words: &[String],
    ) -> Result<(Fingerprint, String), Unreadable> {
        let below = plan.below.to_string_lossy().into_owned();
        let build = ["build".to_owned(), plan.command.clone(), below];
        Fingerprint::read(Parts {
            dir: &plan.source,
            program: Path::new(NO_PROGRAM),
            words: &[&build, words].concat(),
            env: &self.env,
            files: &[".".to_owned()],
        })
    }

    /// The folder with the result under this key, if it has been built.
    pub fn built(&self, key: &str) -> Option<PathBuf> {
        Some(self.cache.join(key)).filter(|dir| plain_files::check_folder(dir).is_ok())
    }

    /// The reason why the build under this key failed, and the file that says so, if it would fail
    /// under these rules again.
    pub(crate) fn kept_failure(&self, key: &str) -> Option<(String, PathBuf)> {
        let record = self.failure_record(key);
        let text = String::from_utf8(plain_files::read(&record, LARGEST_FAILURE).ok()?).ok()?;
        let (rules, why) = text.split_once('\n')?;
        (rules == self.digest()).then(|| (why.to_owned(), record))
    }

    /// Notes that the build under this key failed under these rules.
    pub(crate) fn keep_failure(&self, key: &str, why: &str) -> io::Result<()> {
        let record = format!("{}\n{why}", self.digest());
        disk::write_quickly(&self.failure_record(key), record.as_bytes())
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
    pub fn log(&self, key: &str) -> PathBuf {
        self.cache.join(format!("{key}.log"))
    }
}

/// Adds the names of the files in a folder that can be executed, in the order of names.
fn add_executable(folder: &Path, below: &str, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.filter_map(|it| it.file_name().into_string().ok()).collect();
    entries.retain(|name| !is_left_out(name));
    entries.sort_unstable();
    for name in entries {
        let (path, shown) = (folder.join(&name), format!("{below}/{name}"));
        let Ok(entry) = fs::symlink_metadata(&path) else { continue };
        if entry.is_dir() {
            add_executable(&path, &shown, found);
        } else if is_executable(&entry) {
            found.push(shown);
        }
    }
}
