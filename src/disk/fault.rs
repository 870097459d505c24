//! Crash points, for tests alone: a program that was built for tests and finds `REFEREE_CRASH` in
//! its environment (for example `tear 17`) goes wrong at that step on disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Step;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crash {
    /// The program is killed before the step.
    Kill,
    /// It is killed in the middle of a write.
    Tear,
    /// The disk is full: a write ends half way, and none succeeds from then on.
    Full,
    /// It is killed, and all that was not synced is gone.
    Power,
}

/// What goes wrong, and at which step, from 1.
#[derive(Debug, Clone, Copy)]
struct Plan {
    crash: Crash,
    at: u64,
}

/// What a power failure would take.
#[derive(Debug, Default)]
struct Unsafe {
    steps: u64,
    /// Files with the length that is safe.
    files: Vec<(File, u64)>,
    /// Renames, with the file that was there before.
    renames: Vec<(PathBuf, PathBuf, Option<File>)>,
}

static STATE: Mutex<Option<Unsafe>> = Mutex::new(None);

/// Goes wrong if the plan says so.
pub(super) fn before(step: Step) -> io::Result<()> {
    static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
    let plan = PLAN.get_or_init(|| plan(&std::env::var("REFEREE_CRASH").ok()?));
    let Some(plan) = plan else { return Ok(()) };
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = state.get_or_insert_default();
    state.steps += 1;
    if state.steps < plan.at {
        return if plan.crash == Crash::Power { state.take_in(step) } else { Ok(()) };
    }
    match (plan.crash, step) {
        (Crash::Full, Step::Write(mut file, bytes)) => {
            // A full disk has room for nothing at all the second time.
            let room = if state.steps == plan.at { bytes.len() / 2 } else { 0 };
            file.write_all(&bytes[..room])?;
            Err(Errno::ENOSPC.into())
        }
        (Crash::Full, Step::MakeFolder(path)) if !path.exists() => Err(Errno::ENOSPC.into()),
        (Crash::Full, _) => Ok(()),
        (Crash::Tear, Step::Write(mut file, bytes)) => {
            file.write_all(&bytes[..bytes.len() / 2])?;
            die()
        }
        (Crash::Power, _) => state.lose(),
        (Crash::Kill | Crash::Tear, _) => die(),
    }
}

fn plan(text: &str) -> Option<Plan> {
    let (crash, at) = text.split_once(' ')?;
    let crash = match crash {
        "kill" => Crash::Kill,
        "tear" => Crash::Tear,
        "full" => Crash::Full,
        "power" => Crash::Power,
        _ => return None,
    };
    Some(Plan { crash, at: at.parse().ok()? })
}

/// Ends as with `kill -9`.
fn die() -> io::Result<()> {
    kill(Pid::this(), Signal::SIGKILL)?;
    Ok(())
}

impl Unsafe {
    /// Notes what a step makes safe or leaves unsafe.
    fn take_in(&mut self, step: Step) -> io::Result<()> {
        match step {
            Step::Write(file, _) if !self.files.iter().any(|(known, _)| is_same(known, file)) => {
                self.files.push((file.try_clone()?, file.metadata()?.len()));
            }
            Step::Sync(file) => self.files.retain(|(known, _)| !is_same(known, file)),
            Step::Rename(from, to) => {
                self.renames.push((from.to_owned(), to.to_owned(), File::open(to).ok()));
            }
            Step::SyncFolder(folder) => {
                self.renames.retain(|(_, to, _)| to.parent() != Some(folder));
            }
            Step::Write(..) | Step::MakeFolder(_) => {}
        }
        Ok(())
    }

    /// Takes everything back that is not safe, and ends.
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
        die()
    }
}

fn is_same(one: &File, other: &File) -> bool {
    let identity = |file: &File| file.metadata().map(|of| (of.dev(), of.ino())).ok();
    identity(one) == identity(other)
}
