//! A player's stderr: always read, so that no player blocks on it, and partly saved.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::watch;

use referee_protocol::escape::escape_bytes;
use referee_record::model::fault::is_fault_error_line;

/// The number of lines that a fault shows, and of bytes of each.
const SHOWN_LINES: usize = 12;
const SHOWN_BYTES: usize = 200;

/// The beginning and the end of the output, and the number of bytes dropped between them.
#[derive(Debug)]
struct StderrHeadAndTail {
    /// The number of bytes to save of the beginning, and of the end.
    each: usize,
    first: Vec<u8>,
    last: VecDeque<u8>,
    lost: u64,
}

impl StderrHeadAndTail {
    fn new(each: usize) -> Self {
        Self { each, first: Vec::new(), last: VecDeque::new(), lost: 0 }
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = (self.each - self.first.len()).min(bytes.len());
        self.first.extend_from_slice(&bytes[..room]);
        let rest = &bytes[room..];
        let (skipped, rest) = rest.split_at(rest.len().saturating_sub(self.each));
        let drop = (self.last.len() + rest.len()).saturating_sub(self.each);
        self.last.drain(..drop);
        self.last.extend(rest);
        self.lost += (skipped.len() + drop) as u64;
    }

    fn text(&self) -> Vec<u8> {
        let mut text = self.first.clone();
        if self.lost > 0 {
            text.extend_from_slice(format!("\n… {} bytes left out …\n", self.lost).as_bytes());
        }
        text.extend(&self.last);
        text
    }
}

/// A running capture of one player's stderr.
#[derive(Debug)]
pub(super) struct Stderr {
    kept: Arc<Mutex<StderrHeadAndTail>>,
    closed: watch::Receiver<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl Stderr {
    /// Reads `pipe` in the background until its end, and saves at most this many bytes.
    pub(super) fn capture(mut pipe: pipe::Receiver, keep: u64) -> Self {
        let each = usize::try_from(keep / 2).unwrap_or(usize::MAX);
        let kept = Arc::new(Mutex::new(StderrHeadAndTail::new(each)));
        let (close, closed) = watch::channel(false);
        let sink = Arc::clone(&kept);
        let task = tokio::spawn(async move {
            let mut buffer = vec![0; 16 * 1024];
            while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
                sink.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..read]);
            }
            close.send_replace(true);
        });
        Self { kept, closed, task }
    }

    /// Waits until everything is read, or until `grace` is over: another process may keep the pipe
    /// open.
    pub(super) async fn settle(&mut self, grace: std::time::Duration) {
        let _ = tokio::time::timeout(grace, self.closed.wait_for(|closed| *closed)).await;
    }

    /// The saved output, with a line that says how much was dropped.
    pub(super) fn text(&self) -> Vec<u8> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Drops everything that was saved.
    pub(super) fn clear(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = StderrHeadAndTail::new(kept.each);
    }

    /// The number of bytes dropped.
    pub(super) fn lost(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).lost
    }

    /// The last lines that are not blank, and the error that these lead to if it stands before them;
    /// all escaped and shortened.
    pub(super) fn last_lines(&self) -> Vec<String> {
        let text = self.text();
        let lines = text.split(|&byte| byte == b'\n');
        let lines = lines.filter(|line| !line.trim_ascii().is_empty());
        let shown =
            |line: &[u8]| escape_bytes(line.strip_suffix(b"\r").unwrap_or(line), SHOWN_BYTES);
        choose_stderr_lines(lines.map(shown).collect())
    }
}

/// The lines of these that are shown.
fn choose_stderr_lines(mut lines: Vec<String>) -> Vec<String> {
    let last = lines.split_off(lines.len().saturating_sub(SHOWN_LINES));
    // The long traces of some languages begin with the error.
    let is_told = last.iter().any(|line| is_fault_error_line(line));
    match lines.into_iter().rfind(|line| !is_told && is_fault_error_line(line)) {
        None => last,
        Some(error) => {
            [error, "…".to_owned()].into_iter().chain(last.into_iter().skip(2)).collect()
        }
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_above_a_long_trace_is_shown() {
        let trace = (1..20).map(|line| format!("    at f (a.js:{line})"));
        let lines: Vec<String> =
            ["throw err;", "Error: no `x`"].map(str::to_owned).into_iter().chain(trace).collect();
        let shown = choose_stderr_lines(lines.clone());
        assert_eq!(shown.len(), SHOWN_LINES);
        assert_eq!(shown[..3], ["Error: no `x`", "…", "    at f (a.js:10)"]);
        assert_eq!(shown[SHOWN_LINES - 1], lines[20]);
        let near = [&lines[2..], &["Error: y".to_owned()]].concat();
        assert_eq!(choose_stderr_lines(near.clone()), near[near.len() - SHOWN_LINES..]);
        assert_eq!(choose_stderr_lines(lines[..3].to_vec()), lines[..3]);
    }

    #[test]
    fn the_beginning_and_the_end_of_stderr_are_kept() {
        const EACH: usize = 32 * 1024;
        let mut kept = StderrHeadAndTail::new(EACH);
        kept.push(b"begin");
        for _ in 0..100 {
            kept.push(&[b'x'; 10_000]);
        }
        kept.push(b"end");
        let text = kept.text();
        assert!(text.starts_with(b"begin") && text.ends_with(b"end"));
        assert!(text.len() < 2 * EACH + 100);
        assert_eq!(kept.lost, 8 + 1_000_000 - 2 * EACH as u64);
    }
}
