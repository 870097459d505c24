//! A process without containment: a child in its own process group.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::process::Child;
use tokio::time::timeout;

use crate::command::Command;
use crate::core_waits::CoreWaits;
use crate::cpu_clock::CpuClock;
use crate::error::{Shortage, SpawnError, SupervisorGone};
use crate::leftovers::Leftovers;
use crate::policy::Policy;
use crate::process_pipes::Pipes;
use crate::process_state::ProcessState;
use crate::resource_limits::Overrun;

/// The time that a process gets to die.
const DEATH: Duration = Duration::from_secs(10);

/// A running process. Dropping this kills its process group.
#[derive(Debug)]
pub struct SandboxedProcess {
    child: Child,
    leader: Pid,
}

impl SandboxedProcess {
    /// Starts the command. Call this in a Tokio runtime with I/O and time enabled.
    #[expect(clippy::unused_async, reason = "other systems wait for a supervisor")]
    pub async fn spawn(command: &Command, _: &Policy) -> Result<(Self, Pipes), SpawnError> {
        if let Some(place) = command.find_pinned_place(&command.dir)
            && place.open().is_err()
        {
            return Err(SpawnError::Replaced { folder: command.dir.clone() });
        }
        let (child, pipes) =
            start_uncontained(command).map_err(|error| {
                match Shortage::from_error("start a process", &error) {
                    Some(shortage) => shortage.into(),
                    None => SpawnError::Program {
                        program: command.program.clone(),
                        reason: error.to_string(),
                        denied_to: None,
                        interpreter: None,
                    },
                }
            })?;
        let leader = Pid::from_raw(child.id().unwrap_or_default().cast_signed());
        Ok((Self { child, leader }, pipes))
    }

    /// A clock without readings, since this system does not provide CPU times.
    pub fn cpu_clock(&self) -> CpuClock {
        CpuClock::without_readings()
    }

    /// No waits, since this system does not provide them.
    pub fn core_waits(&self) -> CoreWaits {
        CoreWaits::default()
    }

    /// The state of the process. This system does not provide it.
    pub fn state(&self) -> ProcessState {
        ProcessState::Other
    }

    /// The memory of the process and its descendants. This system does not provide it.
    pub fn peak_memory(&self) -> Option<u64> {
        None
    }

    /// Sends the signal with this number to the process itself, not to its descendants.
    pub fn signal(&self, signal: i32) {
        if let Ok(signal) = Signal::try_from(signal) {
            let _ = kill(self.leader, signal);
        }
    }

    /// Does nothing, since there is no supervisor here.
    pub fn wake_supervisor(&self) {}

    /// Does nothing, since nothing is counted here.
    pub fn reset_overruns(&mut self) {}

    /// The limit that was exceeded. Always `None`, since no limits are in force.
    pub fn overrun(&self) -> Option<Overrun> {
        None
    }

    /// Stops the process group until [`thaw`](Self::thaw). Returns false: nothing is searched.
    pub fn freeze(&mut self) -> bool {
        let _ = killpg(self.leader, Signal::SIGSTOP);
        false
    }

    /// Lets the process group continue.
    #[expect(clippy::unused_async, reason = "other systems wait until it goes on")]
    pub async fn thaw(&mut self) {
        let _ = killpg(self.leader, Signal::SIGCONT);
    }

    /// Waits until the process has ended. It is cancel-safe, and can be called again.
    pub async fn wait(&mut self) -> Result<ExitStatus, SupervisorGone> {
        self.child.wait().await.map_err(|_| SupervisorGone)
    }

    /// Kills the process group and reaps the process.
    pub async fn kill(&mut self) -> Leftovers {
        let _ = killpg(self.leader, Signal::SIGKILL);
        let _ = timeout(DEATH, self.child.wait()).await;
        Leftovers::default()
    }
}

impl Drop for SandboxedProcess {
    fn drop(&mut self) {
        let _ = killpg(self.leader, Signal::SIGKILL);
    }
}

fn start_uncontained(command: &Command) -> io::Result<(Child, Pipes)> {
    let (pipes, [stdin, stdout, stderr]) = Pipes::new()?;
    let helper = command.helper.iter().map(|helper| (&helper.variable, &helper.program));
    let child = tokio::process::Command::new(&command.program)
        .args(&command.args)
        .current_dir(command.resolve_path(&command.dir))
        .envs(helper)
        .envs(&command.env)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        .process_group(0)
        .spawn()?;
    Ok((child, pipes))
}
