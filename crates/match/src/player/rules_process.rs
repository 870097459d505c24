//! A rules program in a sandbox: it runs like a player, but its pipes are used elsewhere.
//!
//! The referee asks it with blocking calls, also from asynchronous code. So a separate thread owns
//! the process: it starts it, reads its stderr, and ends it. The thread and the process run on the
//! cores of the thread that asked first.

use std::error::Error;
use std::os::fd::OwnedFd;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::fault_messages;
use super::player_sandbox::{NotStarted, PlayerSandbox};
use super::stderr::Stderr;
use referee_rules_program::{ProgramEnd, ProgramLauncher, ProgramPipes, RulesProcess};
use referee_sandbox::{Command, Pipes, SandboxedProcess};

/// The number of bytes of its stderr to keep.
const KEPT_STDERR: u64 = 64 * 1024;
/// The time that the process gets to exit once its stdin is closed.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time to wait for the end of its stderr.
const GRACE: Duration = Duration::from_millis(200);

/// Starts a rules program in a sandbox.
#[derive(Debug)]
pub(crate) struct ContainedRules {
    /// The command.
    pub(crate) command: Command,
    /// The sandbox.
    pub(crate) sandbox: Arc<PlayerSandbox>,
}

/// The other ends of a process's stdin and stdout, or why it did not start.
type Started = Result<(OwnedFd, OwnedFd), Box<dyn Error + Send + Sync>>;

impl ProgramLauncher for ContainedRules {
    fn start(&self) -> Result<(Box<dyn RulesProcess>, ProgramPipes), Box<dyn Error>> {
        let (command, sandbox) = (self.command.clone(), Arc::clone(&self.sandbox));
        let (started, ends) = mpsc::sync_channel(1);
        let (stop, stopped) = oneshot::channel();
        let work = move || keep_rules_process(&command, &sandbox, &started, stopped);
        let thread = thread::Builder::new().name("rules program".to_owned()).spawn(work)?;
        let kept = KeptProcess { stop: Some(stop), thread: Some(thread) };
        let (stdin, stdout) = ends.recv()?.map_err(|error| error as Box<dyn Error>)?;
        Ok((Box::new(kept), ProgramPipes::new(stdin, stdout)?))
    }
}

/// A rules program that a thread owns.
#[derive(Debug)]
struct KeptProcess {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<ProgramEnd>>,
}

impl RulesProcess for KeptProcess {
    /// Ends the process and its thread.
    fn end(&mut self) -> ProgramEnd {
        self.stop.take();
        let end = self.thread.take().and_then(|thread| thread.join().ok());
        end.unwrap_or_default()
    }
}

impl Drop for KeptProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts the process and owns it until `stopped` ends.
fn keep_rules_process(
    command: &Command,
    sandbox: &PlayerSandbox,
    started: &mpsc::SyncSender<Started>,
    stopped: oneshot::Receiver<()>,
) -> ProgramEnd {
    let report = |ends| {
        // If no receiver is left, the result is not needed.
        let _ = started.send(ends);
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            report(Err(error.into()));
            return ProgramEnd::default();
        }
    };
    runtime.block_on(async {
        let (process, Pipes { stdin, stdout, stderr }) =
            match SandboxedProcess::spawn(command, sandbox.policy()).await {
                Ok(spawned) => spawned,
                Err(error) => {
                    report(Err(NotStarted::from(error).into()));
                    return ProgramEnd::default();
                }
            };
        let stderr = Stderr::capture(stderr, KEPT_STDERR);
        let ends =
            stdin.into_nonblocking_fd().and_then(|to| Ok((to, stdout.into_nonblocking_fd()?)));
        report(ends.map_err(Into::into));
        // The sender sends nothing. It is dropped.
        let _ = stopped.await;
        end_rules_process(process, stderr).await
    })
}

async fn end_rules_process(mut process: SandboxedProcess, mut stderr: Stderr) -> ProgramEnd {
    process.wake_supervisor();
    let how = match timeout(PATIENCE, process.wait()).await {
        Ok(Ok(status)) => fault_messages::describe_process_end(status),
        Ok(Err(_)) => "ended together with its supervisor".to_owned(),
        Err(_) => "closed its output and kept running".to_owned(),
    };
    let how = match process.overrun() {
        Some(overrun) => format!("{how} ({overrun})"),
        None => how,
    };
    process.kill().await;
    stderr.settle(GRACE).await;
    ProgramEnd { how, stderr: stderr.last_lines() }
}
