//! Where the results of builds are kept: each under a hash of its sources and command.

use std::path::{Path, PathBuf};
use std::{fs, io};

use referee_record::fingerprint::{Fingerprint, HashedPlayer, Unreadable, is_left_out_of_hash};
use referee_record::plain_files::read_plain_nofollow;
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
    pub fn cache_key(&self, plan: &BuildPlan) -> Result<String, Unreadable> {
        let mut executable = Vec::new();
        add_executable_names(&plan.source, "", &mut executable);
        self.fingerprint_result(plan, &executable).map(|(_, key)| key)
    }

    /// The fingerprint and the hash of the player that `words` start in the result. They are those
    /// of the sources, because few builds give the same bytes twice.
    pub fn fingerprint_result(
        &self,
        plan: &BuildPlan,
        words: &[String],
    ) -> Result<(Fingerprint, String), Unreadable> {
        let below = plan.below.to_string_lossy().into_owned();
        let build = ["build".to_owned(), plan.command.clone(), below];
        Fingerprint::read(HashedPlayer {
            dir: &plan.source,
            program: Path::new(NO_PROGRAM),
            words: &[&build, words].concat(),
            env: &self.env,
            files: &[".".to_owned()],
        })
    }

    /// The folder with the result under this key, if it has been built.
    pub fn cached_result(&self, key: &str) -> Option<PathBuf> {
        Some(self.cache.join(key)).filter(|dir| plain_files::check_folder_nofollow(dir).is_ok())
    }

    /// The reason why the build under this key failed, and the file that says so, if it would fail
    /// under these rules again.
    pub(crate) fn cached_failure(&self, key: &str) -> Option<(String, PathBuf)> {
        let record = self.failure_cache_file(key);
        let text = String::from_utf8(read_plain_nofollow(&record, LARGEST_FAILURE).ok()?).ok()?;
        let (rules, why) = text.split_once('\n')?;
        (rules == self.rules_digest()).then(|| (why.to_owned(), record))
    }

    /// Notes that the build under this key failed under these rules.
    pub(crate) fn cache_failure(&self, key: &str, why: &str) -> io::Result<()> {
        let record = format!("{}\n{why}", self.rules_digest());
        disk::write_atomically_unsynced(&self.failure_cache_file(key), record.as_bytes())
    }

    fn failure_cache_file(&self, key: &str) -> PathBuf {
        self.cache.join(format!("{key}.failed"))
    }

    /// A hash of everything that a build may use.
    fn rules_digest(&self) -> String {
        let Self { network, time, limits, output, readable, .. } = self;
        let rules = format!("{network:?} {time:?} {limits:?} {output} {readable:?}");
        blake3::hash(rules.as_bytes()).to_hex().to_string()
    }

    /// The file with the output of the build under this key.
    pub fn cached_log(&self, key: &str) -> PathBuf {
        self.cache.join(format!("{key}.log"))
    }
}

/// Adds the names of the files in a folder that can be executed, in the order of names.
fn add_executable_names(folder: &Path, below: &str, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.filter_map(|it| it.file_name().into_string().ok()).collect();
    entries.retain(|name| !is_left_out_of_hash(name));
    entries.sort_unstable();
    for name in entries {
        let (path, shown) = (folder.join(&name), format!("{below}/{name}"));
        let Ok(entry) = fs::symlink_metadata(&path) else { continue };
        if entry.is_dir() {
            add_executable_names(&path, &shown, found);
        } else if is_executable(&entry) {
            found.push(shown);
        }
    }
}
