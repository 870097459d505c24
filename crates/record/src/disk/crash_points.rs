//! Crash points for tests. A test build reads `REFEREE_CRASH` from its environment (for example
//! `tear 17`) and fails at that disk step.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::DiskStep;

/// The kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CrashKind {
    /// The program is killed before the step.
    Kill,
    /// The program is killed in the middle of a write.
    Tear,
    /// The disk is full: one write stops half way, and every later write fails.
    Full,
    /// The program is killed, and all data not yet synced is lost.
    Power,
}

/// The failure, and the step where it happens, counted from 1.
#[derive(Debug, Clone, Copy)]
struct CrashPlan {
    crash: CrashKind,
    at: u64,
}

/// The data that a power failure would lose.
#[derive(Debug, Default)]
struct UnsyncedData {
    steps: u64,
    /// Files, each with the length that is synced.
    files: Vec<(File, u64)>,
    /// Unsynced renames, each with the file that it replaced.
    renames: Vec<(PathBuf, PathBuf, Option<File>)>,
}

static STATE: Mutex<Option<UnsyncedData>> = Mutex::new(None);

/// Fails here if the plan says so.
pub(super) fn crash_point(step: DiskStep) -> io::Result<()> {
    static PLAN: OnceLock<Option<CrashPlan>> = OnceLock::new();
    let plan = PLAN.get_or_init(|| parse_crash_plan(&std::env::var("REFEREE_CRASH").ok()?));
    let Some(plan) = plan else { return Ok(()) };
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = state.get_or_insert_default();
    state.steps += 1;
    if state.steps < plan.at {
        return if plan.crash == CrashKind::Power { state.take_in(step) } else { Ok(()) };
    }
    match (plan.crash, step) {
        (CrashKind::Full, DiskStep::Write(mut file, bytes)) => {
            // After its first failure a full disk takes nothing at all.
            let room = if state.steps == plan.at { bytes.len() / 2 } else { 0 };
            file.write_all(&bytes[..room])?;
            Err(Errno::ENOSPC.into())
        }
        (CrashKind::Full, DiskStep::MakeFolder(path)) if !path.exists() => {
            Err(Errno::ENOSPC.into())
        }
        (CrashKind::Full, _) => Ok(()),
        (CrashKind::Tear, DiskStep::Write(mut file, bytes)) => {
            file.write_all(&bytes[..bytes.len() / 2])?;
            kill_this_process()
        }
        (CrashKind::Power, _) => state.lose(),
        (CrashKind::Kill | CrashKind::Tear, _) => kill_this_process(),
    }
}

fn parse_crash_plan(text: &str) -> Option<CrashPlan> {
    let (crash, at) = text.split_once(' ')?;
    let crash = match crash {
        "kill" => CrashKind::Kill,
        "tear" => CrashKind::Tear,
        "full" => CrashKind::Full,
        "power" => CrashKind::Power,
        _ => return None,
    };
    Some(CrashPlan { crash, at: at.parse().ok()? })
}

/// Kills this process, as `kill -9` does.
fn kill_this_process() -> io::Result<()> {
    kill(Pid::this(), Signal::SIGKILL)?;
    Ok(())
}

impl UnsyncedData {
    /// Notes which data a step syncs or leaves unsynced.
    fn take_in(&mut self, step: DiskStep) -> io::Result<()> {
        match step {
            DiskStep::Write(file, _)
                if !self.files.iter().any(|(known, _)| is_same(known, file)) =>
            {
                self.files.push((file.try_clone()?, file.metadata()?.len()));
            }
            DiskStep::Sync(file) => self.files.retain(|(known, _)| !is_same(known, file)),
            DiskStep::Rename(from, to) => {
                self.renames.push((from.to_owned(), to.to_owned(), File::open(to).ok()));
            }
            DiskStep::SyncFolder(folder) => {
                self.renames.retain(|(_, to, _)| to.parent() != Some(folder));
            }
            DiskStep::Write(..) | DiskStep::MakeFolder(_) => {}
        }
        Ok(())
    }

    /// Reverts everything that is not synced, and kills this process.
    fn lose(&mut self) -> io::Result<()> {
        for (from, to, before) in self.renames.drain(..).rev() {
            fs::rename(&to, from)?;
            if let Some(mut before) = before {
                io::copy(&mut before, &mut File::create(&to)?)?;
            }
        }
        for (file, safe) in &self.files {
            file.set_len(*safe)?;
        }
        kill_this_process()
    }
}

fn is_same(one: &File, other: &File) -> bool {
    let identity = |file: &File| file.metadata().map(|of| (of.dev(), of.ino())).ok();
    identity(one) == identity(other)
}
