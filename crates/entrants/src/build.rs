//! Builds submissions in the sandbox.
//!
//! A submission is copied into the scratch folder of a sandboxed process, built there by a command,
//! and comes back as an archive on that process's stdout (`sandboxed_build`). So a build writes to no file
//! of this machine, its limits are those of the sandbox, and its result is unpacked with the same
//! care as any archive of a stranger. The result is kept under a hash of sources and command.

mod build_streams;
mod error;
mod sandboxed_build;
mod toolchains;

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use crate::build_plan::BuildPlan;
use crate::build_rules::{BuildRecords, BuildRules};
use crate::submissions::{UnpackLimits, refuse_links, unpack_archive_from};
use build_streams::{BuildArchive, BuildOutput};
pub use error::BuildError;
use referee_match::player::this_program_path;
use referee_record::disk::FolderAccess;
use referee_record::disk::lock::{LockKind, open_lock_file, wait_for_lock};
use referee_record::tree_walk::copy_sources;
use referee_record::{disk, plain_files};
use referee_sandbox::{
    Command, Level, Mechanism, Network, Policy, Request, ResolveError, SandboxedProcess, resolve,
};
pub use sandboxed_build::{NOT_DONE, serve_sandboxed_build};
use toolchains::Toolchains;

/// The beginning of the name of a folder with an unfinished build.
const UNFINISHED: &str = ".building-";
/// The file whose lock says that builds run.
const LOCK: &str = ".lock";
/// The time that another referee gets to remove what killed builds left.
const CLEANING: Duration = Duration::from_secs(60);
/// What programs say, in lower case, when they find no network.
const NO_NETWORK: [&str; 8] = [
    "resolve host",
    "name resolution",
    "unknown host",
    "unknownhostexception",
    "dial tcp",
    // Not the end of `FileNotFoundError`.
    " enotfound",
    "eai_again",
    "network is unreachable",
];
/// What programs say, in lower case, when they find no room on the disk.
const FULL_DISK: &str = "no space left on device";
/// The permissions of a result: sandboxed players may run as another user.
const FOR_ALL: u32 = 0o755;

/// Builds submissions, each in a sandbox of its own.
#[derive(Debug)]
pub struct Builder {
    rules: BuildRules,
    policy: Policy,
}

/// The result of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltFolder {
    /// The folder with the sources and what was built from them. Nobody may write to it.
    pub dir: PathBuf,
}

impl Builder {
    /// Finds out what the sandbox can do for builds on this machine: at this level, or at the
    /// strongest that works. It blocks, so do not call it from an asynchronous task.
    pub fn new(
        rules: BuildRules,
        level: Option<Level>,
        without: Vec<Mechanism>,
    ) -> Result<Self, ResolveError> {
        let (limits, network, hidden) = (rules.limits, rules.network, rules.hidden.clone());
        let request = Request { level, limits, network, without, hidden, ..Request::default() };
        let policy = resolve(&request)?;
        Ok(Self { rules, policy })
    }

    /// Builds what `plan` says, unless the same sources have been built before. Passes each line
    /// that the build prints to `say`, safe to show. Dropping the future ends the build.
    ///
    /// [`BuildRules::plan`] finds out what has to be built of a submission, if anything.
    pub async fn build(
        &self,
        plan: &BuildPlan,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<BuiltFolder, BuildError> {
        let kept = |error| BuildError::Cache(self.rules.cache.clone(), error);
        let (work, _lock) = self.work_folder().map_err(kept)?;
        // The sources may change meanwhile. What has this key is what is built.
        let source = work.path().join("source");
        copy_sources(&plan.source, &source, self.rules.limits).map_err(BuildError::Copy)?;
        let plan = &BuildPlan { source, ..plan.clone() };
        refuse_links(&plan.source).map_err(BuildError::Source)?;
        let key = self.rules.cache_key(plan).map_err(BuildError::Unreadable)?;
        if let Some(dir) = self.rules.cached_result(&key) {
            return Ok(BuiltFolder { dir });
        }
        if let Some((why, record)) = self.rules.cached_failure(&key) {
            return Err(BuildError::Known { why, record });
        }
        if !self.policy.has_shared_memory() {
            return Err(BuildError::NoMounts);
        }
        let mut output = BuildOutput::new(self.rules.output, say);
        let archive = self.run(plan, work.path(), &mut output).await;
        if self.rules.records == BuildRecords::Kept {
            disk::write_atomically_unsynced(&self.rules.cached_log(&key), output.log().as_bytes())
                .map_err(kept)?;
        }
        let result = match archive {
            Ok(archive) => self.unpack_result(archive, work.path().join("result")).await,
            Err(BuildError::Failed(status))
                if self.rules.network != Network::Open && build_found_no_network(output.text()) =>
            {
                Err(BuildError::NoNetwork(status))
            }
            // At the level `off`, it is the machine's disk.
            Err(BuildError::Failed(status))
                if self.policy.contains_processes() && build_found_full_disk(output.text()) =>
            {
                Err(BuildError::Full(status))
            }
            Err(why) => Err(why),
        };
        let result = match result {
            Err(why) if why.is_lasting() && self.rules.records == BuildRecords::Kept => {
                self.rules.cache_failure(&key, &why.to_string()).map_err(kept)?;
                return Err(why);
            }
            result => result?,
        };
        let dir = self.rules.cache.join(&key);
        match fs::rename(result, &dir) {
            Ok(()) => Ok(BuiltFolder { dir }),
            // Somebody else has built the same meanwhile.
            Err(_) if plain_files::check_folder_nofollow(&dir).is_ok() => Ok(BuiltFolder { dir }),
            Err(error) => Err(kept(error)),
        }
    }

    /// Unpacks a result into the new folder `result`.
    async fn unpack_result(&self, archive: File, result: PathBuf) -> Result<PathBuf, BuildError> {
        let limits = self.rules.limits;
        let entries = usize::try_from(limits.files).unwrap_or(usize::MAX);
        let limits = UnpackLimits { bytes: limits.scratch, entries };
        let unpacked = tokio::task::spawn_blocking(move || -> Result<PathBuf, BuildError> {
            fs::create_dir(&result).map_err(BuildError::Unpacked)?;
            unpack_archive_from(BufReader::new(archive), &result, limits)
                .map_err(BuildError::Result)?;
            seal_build_result(&result).map_err(BuildError::Unpacked)?;
            Ok(result)
        });
        unpacked.await.map_err(|_| BuildError::Unpacking)?
    }

    /// A new private folder for an unfinished build, and a lock that says that
    /// there is one. Those of processes that were killed are removed when no build runs.
    fn work_folder(&self) -> io::Result<(TempDir, File)> {
        let cache = &self.rules.cache;
        disk::create_results_subfolder(cache)?;
        // Players may be other users. Who does not have the sources cannot know a name in it.
        disk::restrict_folder_access(cache, FolderAccess::Passage)?;
        let lock = open_lock_file(&cache.join(LOCK))?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            for entry in fs::read_dir(cache)?.flatten() {
                if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                    fs::remove_dir_all(entry.path())?;
                }
            }
        }
        drop(lock);
        let lock = wait_for_lock(&cache.join(LOCK), LockKind::Shared, CLEANING)?;
        let work = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(cache)?;
        Ok((work, lock))
    }

    /// Runs the command in the sandbox. Returns its result as an archive.
    async fn run(
        &self,
        plan: &BuildPlan,
        work: &Path,
        output: &mut BuildOutput<'_>,
    ) -> Result<File, BuildError> {
        let command = self.sandbox_command(plan, work)?;
        let (mut process, pipes) = SandboxedProcess::spawn(&command, &self.policy).await?;
        drop(pipes.stdin);
        // The archive may have a header for each file.
        let most = self.rules.limits.scratch + self.rules.limits.files * 1024;
        let mut archive = BuildArchive::new(work, most).map_err(BuildError::Unpacked)?;
        let mut reading = Box::pin(async {
            tokio::try_join!(archive.read_to_end(pipes.stdout), output.read_to_end(pipes.stderr))
                .map(drop)
        });
        let mut is_read = false;
        let ended = tokio::time::timeout(self.rules.time, async {
            loop {
                tokio::select! {
                    status = process.wait() => {
                        break status.map_err(|_| BuildError::SupervisorEnded);
                    }
                    read = &mut reading, if !is_read => {
                        is_read = true;
                        read?;
                    }
                }
            }
        });
        let ended = ended.await.unwrap_or(Err(BuildError::TimeUp(self.rules.time)));
        let overrun = process.overrun();
        // Whatever it left behind holds the pipes open no longer.
        let left = process.kill().await;
        if let Some(scratch) = left.scratch {
            tracing::warn!(dir = %scratch.dir.display(), reason = scratch.reason, "not removed");
        }
        let read = if is_read {
            drop(reading);
            Ok(())
        } else {
            // The last lines of a build that failed are in the pipe.
            let rest = tokio::time::timeout(self.rules.time, reading).await;
            rest.unwrap_or(Err(BuildError::TimeUp(self.rules.time)))
        };
        let status = ended?;
        if !status.success() {
            return Err(match overrun {
                Some(overrun) => BuildError::Overrun(overrun),
                None => BuildError::Failed(status),
            });
        }
        read?;
        archive.finish().map_err(BuildError::Unpacked)
    }

    /// The command that copies the sources, builds them and packs the result.
    fn sandbox_command(&self, plan: &BuildPlan, work: &Path) -> Result<Command, BuildError> {
        let source = plan.source.canonicalize().map_err(BuildError::Unpacked)?;
        let shown = source.to_str().ok_or(BuildError::NotText)?.to_owned();
        let tools = Toolchains::find(&plan.command);
        let below = plan.below.to_str().ok_or(BuildError::NotText)?;
        let mut command = Command::new(this_program_path())
            .arg(sandboxed_build::BUILD)
            .arg(shown)
            .arg(below)
            .arg(plan.command.clone());
        command.env = tools.env;
        if !self.policy.contains_processes() {
            // It has no scratch folder.
            let home = work.to_str().ok_or(BuildError::NotText)?;
            command.env.extend(["HOME", "TMPDIR"].map(|name| (name.to_owned(), home.to_owned())));
        }
        command.env.extend(self.rules.env.clone());
        command.starts = tools.programs;
        command.readable = [vec![source], tools.folders, self.rules.readable.clone()].concat();
        Ok(command)
    }
}

/// Lets everybody read the result, and makes sure that it survives a crash before it is kept.
fn seal_build_result(result: &Path) -> io::Result<()> {
    fs::set_permissions(result, fs::Permissions::from_mode(FOR_ALL))?;
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(result)?)?;
    Ok(())
}

/// Whether this output of a build says that the disk was full.
fn build_found_full_disk(output: &str) -> bool {
    output.to_lowercase().contains(FULL_DISK)
}

/// Whether this output of a build says that it found no network.
fn build_found_no_network(output: &str) -> bool {
    let output = output.to_lowercase();
    NO_NETWORK.iter().any(|sign| output.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_recognised_in_the_output_of_a_build() {
        assert!(build_found_full_disk("OSError: [Errno 28] No space left on device: 'x'"));
        assert!(build_found_full_disk("error: no space left on device (os error 28)"));
        assert!(!build_found_full_disk("error: no space before `(`"));
    }

    #[test]
    fn a_missing_network_is_told_from_a_missing_file() {
        for output in [
            "npm error code ENOTFOUND",
            "getaddrinfo EAI_AGAIN registry",
            "curl: (6) Could not resolve host: crates",
            "Caused by: java.net.UnknownHostException: repo",
        ] {
            assert!(build_found_no_network(output), "{output}");
        }
        let output = "FileNotFoundError: [Errno 2] No such file or directory: 'data'";
        assert!(!build_found_no_network(output));
    }
}
