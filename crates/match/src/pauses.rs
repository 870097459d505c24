//! Notices when this process was stopped and continued: by Ctrl-Z, SIGSTOP, or a machine that was
//! paused. Time limits that ran out meanwhile prove nothing.
//!
//! A thread wakes at short intervals. If it wakes late although it did not wait for a core, the
//! process was paused.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// How often the thread wakes.
const BEAT: Duration = Duration::from_millis(50);
/// The thread wakes this much later than planned only after a pause, or if it waits for a core.
const PAUSE: Duration = Duration::from_millis(100);

/// What the thread has seen.
#[derive(Debug, Default)]
struct Beats {
    /// When it last woke; `None` before it is started.
    last: Option<Instant>,
    /// When the last pause ended.
    pause_ended: Option<Instant>,
}

static BEATS: Mutex<Beats> = Mutex::new(Beats { last: None, pause_ended: None });
static BEAT_SEEN: Condvar = Condvar::new();

/// Starts to watch for pauses, if nothing does yet. The watching thread runs on the cores of the
/// first caller.
///
/// # Errors
/// No thread can be started.
pub fn watch_for_pauses() -> io::Result<()> {
    let mut beats = lock_beats();
    if beats.last.is_none() {
        thread::Builder::new().name("pauses".to_owned()).spawn(run_beats)?;
        beats.last = Some(Instant::now());
    }
    Ok(())
}

/// Whether this process was paused after `began`. Waits up to a twentieth of a second for the
/// thread that watches; without it, no pause is known.
pub fn paused_since(began: Instant) -> bool {
    let asked = Instant::now();
    let beats = BEAT_SEEN
        .wait_while(lock_beats(), |beats| beats.last.is_some_and(|last| last < asked))
        .unwrap_or_else(PoisonError::into_inner);
    beats.pause_ended.is_some_and(|ended| ended >= began)
}

fn lock_beats() -> MutexGuard<'static, Beats> {
    BEATS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run_beats() {
    let (mut last, mut waited) = (Instant::now(), waited_for_core());
    loop {
        thread::sleep(BEAT);
        let (now, waited_now) = (Instant::now(), waited_for_core());
        let is_pause = is_pause(now - last, waited_now.saturating_sub(waited));
        (last, waited) = (now, waited_now);
        let mut beats = lock_beats();
        beats.last = Some(now);
        if is_pause {
            beats.pause_ended = Some(now);
        }
        drop(beats);
        BEAT_SEEN.notify_all();
    }
}

/// Whether the process was paused in an interval between two beats, in which the thread waited this
/// long for a core.
fn is_pause(interval: Duration, waited: Duration) -> bool {
    interval.saturating_sub(waited) >= BEAT + PAUSE
}

/// How long this thread has waited for a core so far; zero if the system does not say.
fn waited_for_core() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let waited = text.split_whitespace().nth(1).and_then(|nanos| nanos.parse().ok());
    waited.map_or(Duration::ZERO, Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_late_beat_is_a_pause_unless_the_thread_waited_for_a_core() {
        assert!(!is_pause(50 * MS, Duration::ZERO) && !is_pause(149 * MS, Duration::ZERO));
        assert!(is_pause(150 * MS, Duration::ZERO) && is_pause(9000 * MS, 100 * MS));
        assert!(!is_pause(9000 * MS, 8900 * MS), "the machine was busy");
    }
}
