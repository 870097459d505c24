//! Handles the signals that would end the program: SIGINT (Ctrl-C), SIGTERM, SIGHUP, SIGQUIT,
//! SIGUSR1 and SIGUSR2. The first one asks the command to stop in order, if it listens; a second
//! one ends the program. A command may listen to a first Ctrl-C by itself, to finish what it does.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};
use tokio::sync::watch;

use referee_sandbox::is_signal_ignored;

/// The exit code of an interrupted program.
pub(crate) const INTERRUPTED: u8 = 130;

/// A signal this soon after another counts as the same one. A terminal sends it to all foreground
/// processes, and the referee's parent may send it on.
const ECHO: Duration = Duration::from_millis(300);

/// Becomes true at the first signal that asks to stop.
///
/// The first call starts signal handling. As long as a receiver lives and no signal came yet, a
/// signal is passed to the receivers; otherwise it ends the program at once. SIGHUP never counts as
/// a second signal, because a closing terminal sends several.
pub(crate) fn watch_stop_signal() -> io::Result<watch::Receiver<bool>> {
    Ok(start_signal_handling()?.stop.subscribe())
}

/// Becomes true at the first Ctrl-C, which then stops nothing: the next signal does.
pub(crate) fn watch_finish_signal() -> io::Result<watch::Receiver<bool>> {
    Ok(start_signal_handling()?.finish.subscribe())
}

/// The receivers of signals.
#[derive(Debug, Clone, Default)]
struct SignalChannels {
    finish: watch::Sender<bool>,
    stop: watch::Sender<bool>,
}

/// Starts signal handling, if that was not done before.
fn start_signal_handling() -> io::Result<SignalChannels> {
    static TOLD: Mutex<Option<SignalChannels>> = Mutex::new(None);
    let mut attended = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(told) = &*attended {
        return Ok(told.clone());
    }
    let told = SignalChannels::default();
    start_signal_thread(told.clone())?;
    *attended = Some(told.clone());
    Ok(told)
}

/// Tells it to those who listen and were not told before. Returns whether there is anybody.
fn notify_signal_receivers(to: &watch::Sender<bool>) -> bool {
    to.receiver_count() > 0 && !to.send_replace(true)
}

/// Becomes true once `event` has happened. Needs a runtime.
pub(crate) fn watch_event(
    event: impl Future<Output = ()> + Send + 'static,
) -> watch::Receiver<bool> {
    let (tell, told) = watch::channel(false);
    tokio::spawn(async move {
        event.await;
        tell.send_replace(true);
        // The channel stays open as long as there is a receiver.
        tell.closed().await;
    });
    told
}

/// Starts a thread only for signals, so that they are noticed even if other threads are busy.
fn start_signal_thread(told: SignalChannels) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    // It lives as long as the program. If no thread can be started, it must not be dropped here,
    // where another runtime may be at work.
    let runtime = Box::leak(Box::new(runtime));
    let mut signals = {
        let _within = runtime.enter();
        StopSignals::new()?
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async {
            let mut asked: Option<Instant> = None;
            loop {
                let kind = signals.next().await;
                let is_recent = asked.is_some_and(|last| last.elapsed() < ECHO);
                // Only another Ctrl-C is an echo of one that lets games finish.
                if is_recent && (kind == Signal::SIGINT || *told.stop.borrow()) {
                    continue;
                }
                let may_finish = kind == Signal::SIGINT && !*told.stop.borrow();
                if (may_finish && notify_signal_receivers(&told.finish))
                    || notify_signal_receivers(&told.stop)
                {
                    asked = Some(Instant::now());
                } else if asked.is_none() || kind != Signal::SIGHUP {
                    exit_on_signal();
                }
            }
        });
    })?;
    Ok(())
}

#[expect(clippy::exit, reason = "the other threads may be at anything")]
fn exit_on_signal() -> ! {
    std::process::exit(INTERRUPTED.into())
}

/// The signals that ask to stop.
struct StopSignals {
    interrupt: Signals,
    terminate: Signals,
    quit: Signals,
    user: [Signals; 2],
    /// `None` if the signal is ignored, as under `nohup`.
    hangup: Option<Signals>,
}

impl StopSignals {
    fn new() -> io::Result<Self> {
        let hears_hangup = !is_signal_ignored(Signal::SIGHUP as i32);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
            user: [signal(SignalKind::user_defined1())?, signal(SignalKind::user_defined2())?],
            hangup: hears_hangup.then(|| signal(SignalKind::hangup())).transpose()?,
        })
    }

    async fn next(&mut self) -> Signal {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        let [first, second] = &mut self.user;
        tokio::select! {
            _ = self.interrupt.recv() => Signal::SIGINT,
            _ = self.terminate.recv() => Signal::SIGTERM,
            _ = hangup => Signal::SIGHUP,
            _ = self.quit.recv() => Signal::SIGQUIT,
            _ = first.recv() => Signal::SIGUSR1,
            _ = second.recv() => Signal::SIGUSR2,
        }
    }
}
