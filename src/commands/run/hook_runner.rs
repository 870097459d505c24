//! Tells a command of the organiser what happens, without holding up a game.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::command_failure::Failure;
use crate::commands::runtime::new_runtime;
use referee_league::intake_service::IntakeEvent;
use referee_record::model::tournament::Hook;
use referee_record::wording::pluralize;

/// The most events that wait.
const WAITING: usize = 1000;
/// How long the command may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The pauses before the command is tried again.
const PAUSES: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(10), Duration::from_secs(60)];

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum HookEvent {
    /// A version entered a league.
    Entered {
        /// The name.
        player: String,
        author: String,
    },
    /// A submission to a league was refused.
    Refused {
        author: String,
        /// Why.
        reason: String,
    },
    /// A player of a league is now clearly behind another one that was behind it.
    Overtaken {
        /// The name.
        player: String,
        /// The name of the other one.
        by: String,
    },
    /// The run is over.
    Finished {
        /// The number of games in the log.
        games: usize,
        /// The results folder.
        results: String,
    },
}

impl From<IntakeEvent> for HookEvent {
    fn from(event: IntakeEvent) -> Self {
        match event {
            IntakeEvent::Entered { player, author } => Self::Entered { player, author },
            IntakeEvent::Refused { author, reason } => Self::Refused { author, reason },
        }
    }
}

/// An event as the command reads it: one JSON object.
#[derive(Serialize)]
struct HookMessage<'e> {
    #[serde(flatten)]
    event: &'e HookEvent,
    tournament: &'e str,
    /// Seconds since 1970.
    at: u64,
}

/// Tells events to the command, if there is one.
#[derive(Debug, Clone, Default)]
pub(in crate::commands) struct HookSender(Option<Arc<HookQueue>>);

#[derive(Debug)]
struct HookQueue {
    tournament: String,
    /// `None` is the last.
    events: SyncSender<Option<String>>,
}

impl HookSender {
    /// Tells an event. It never waits: when too many wait already, this one is lost.
    pub(super) fn send(&self, event: &HookEvent) {
        let Some(queue) = &self.0 else { return };
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let told = HookMessage { event, tournament: &queue.tournament, at };
        // Nothing in an event can fail to become JSON.
        let text = serde_json::to_string(&told).unwrap_or_default();
        if queue.events.try_send(Some(text)).is_err() {
            tracing::warn!(
                ?event,
                "too many events are waiting for the hook; this one was dropped"
            );
        }
    }
}

/// The thread that calls the command.
#[derive(Debug)]
pub(super) struct HookRunner {
    bell: HookSender,
    closing: watch::Sender<bool>,
    thread: Option<JoinHandle<Undelivered>>,
}

/// The events that could not be told: how many, and why the last one.
type Undelivered = Option<(usize, String)>;

impl HookRunner {
    /// Starts sending events of this tournament to the hook, if any.
    pub(super) fn begin(hook: Option<&Hook>, tournament: &str) -> Result<Self, Failure> {
        let closing = watch::channel(false).0;
        let Some(hook) = hook.cloned() else {
            return Ok(Self { bell: HookSender::default(), closing, thread: None });
        };
        let (events, waiting) = sync_channel(WAITING);
        let close = closing.subscribe();
        let runtime = new_runtime()?;
        let thread = thread::Builder::new()
            .name("hooks".to_owned())
            .spawn(move || runtime.block_on(deliver_hook_events(&hook, &waiting, close)))
            .map_err(|error| Failure::system(format!("cannot start a thread: {error}")))?;
        let queue = HookQueue { tournament: tournament.to_owned(), events };
        Ok(Self { bell: HookSender(Some(Arc::new(queue))), closing, thread: Some(thread) })
    }

    /// The sender of events.
    pub(super) fn sender(&self) -> HookSender {
        self.bell.clone()
    }

    /// Sends that the run is over, and waits for the events that were not sent yet, each of which
    /// is tried once. Returns what to say about those that failed.
    pub(super) fn end(self, games: usize, results: &Path) -> Option<String> {
        let results = results.display().to_string();
        self.bell.send(&HookEvent::Finished { games, results });
        self.closing.send_replace(true);
        if let Some(queue) = &self.bell.0 {
            // It fails only if the thread has ended.
            let _ = queue.events.send(None);
        }
        let (lost, why) = self.thread?.join().ok()??;
        let calls = pluralize(lost, "call");
        Some(format!("hook: {calls} failed (the last one: {why})"))
    }
}

/// Calls the command for each event, until the last.
async fn deliver_hook_events(
    hook: &Hook,
    events: &Receiver<Option<String>>,
    mut closing: watch::Receiver<bool>,
) -> Undelivered {
    let mut undelivered: Undelivered = None;
    while let Ok(Some(event)) = events.recv() {
        let mut told = call_hook_command(hook, &event, sleep(PATIENCE)).await;
        for pause in PAUSES {
            let over = closing.wait_for(|closing| *closing);
            if told.is_ok() || tokio::time::timeout(pause, over).await.is_ok() {
                break;
            }
            told = call_hook_command(hook, &event, sleep(PATIENCE)).await;
        }
        if let Err(why) = told {
            tracing::warn!(event, why, "the hook failed");
            let lost = undelivered.take().map_or(1, |(lost, _)| lost + 1);
            undelivered = Some((lost, why));
        }
    }
    undelivered
}

/// Calls the command with an event on its stdin. When the time is up, kills it with everything that
/// it started.
async fn call_hook_command(
    hook: &Hook,
    event: &str,
    time: impl Future<Output = ()>,
) -> Result<(), String> {
    let Some((program, args)) = hook.command.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(args).current_dir(&hook.dir).kill_on_drop(true).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
    let group = child.id().map(|id| Pid::from_raw(id.cast_signed()));
    let stdin = child.stdin.take();
    let ended = async {
        if let Some(mut stdin) = stdin {
            // It may end without reading.
            let _ = stdin.write_all(format!("{event}\n").as_bytes()).await;
        }
        child.wait().await
    };
    tokio::select! {
        ended = ended => match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("it ended with {status}")),
            Err(error) => Err(error.to_string()),
        },
        () = time => {
            if let Some(group) = group {
                // It has not been reaped, so the number is its own.
                let _ = killpg(group, Signal::SIGKILL);
            }
            Err(format!("it took more than {} seconds", PATIENCE.as_secs()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(dir: &Path, script: &str) -> Hook {
        Hook { command: ["sh", "-c", script].map(str::to_owned).into(), dir: dir.to_owned() }
    }

    #[test]
    fn events_are_told_in_order_and_tried_again() {
        let dir = tempfile::tempdir().expect("a folder");
        // The first call fails.
        let script = "test -e tried || { touch tried; exit 1; }; cat >> events";
        let hooks = HookRunner::begin(Some(&hook(dir.path(), script)), "cup").expect("a thread");
        let bell = hooks.sender();
        let (player, by) = ("ann v1".to_owned(), "bob v2".to_owned());
        bell.send(&HookEvent::Overtaken { player, by });
        bell.send(&HookEvent::Refused {
            author: "eve".to_owned(),
            reason: "a <reason>".to_owned(),
        });
        // Until both were told.
        let told = || std::fs::read_to_string(dir.path().join("events")).unwrap_or_default();
        let began = std::time::Instant::now();
        while told().lines().count() < 2 {
            assert!(began.elapsed() < Duration::from_secs(60), "{}", told());
            thread::yield_now();
        }
        assert_eq!(hooks.end(7, Path::new("results/cup")), None);
        let told = told();
        let events: Vec<serde_json::Value> =
            told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(events[0]["event"], "overtaken");
        assert_eq!((&events[0]["by"], &events[0]["tournament"]), (&"bob v2".into(), &"cup".into()));
        assert_eq!(events[1]["reason"], "a <reason>");
        assert_eq!((&events[2]["event"], &events[2]["games"]), (&"finished".into(), &7.into()));
    }

    #[test]
    fn a_hook_that_fails_holds_nothing_up() {
        let dir = tempfile::tempdir().expect("a folder");
        let hooks = HookRunner::begin(Some(&hook(dir.path(), "exit 3")), "cup").expect("a thread");
        let said = hooks.end(0, Path::new("results")).expect("it failed");
        assert!(
            said.starts_with("hook: 1 call failed (the last one: ") && said.contains('3'),
            "{said}"
        );
    }

    #[test]
    fn a_hook_that_takes_too_long_leaves_no_children() {
        let dir = tempfile::tempdir().expect("a folder");
        let pipe = dir.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        let hook = hook(dir.path(), "(touch started; sleep 60; echo late) > pipe & wait");
        // Reads until the last writer closes the pipe.
        let reader = thread::spawn(move || std::fs::read_to_string(pipe));
        let started = dir.path().join("started");
        let until_started = async {
            while !started.exists() {
                tokio::task::yield_now().await;
            }
        };
        let runtime = new_runtime().expect("a runtime");
        let told = runtime.block_on(call_hook_command(&hook, "{}", until_started));
        assert_eq!(told, Err("it took more than 30 seconds".to_owned()));
        assert_eq!(reader.join().expect("a thread").expect("text"), "", "its child is gone");
    }
}
