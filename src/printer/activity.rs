//! A line at the bottom of a terminal that shows the current work; nothing elsewhere.

use std::collections::BTreeMap;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::Printer;
use referee_protocol::escape::escape_line;

/// A line that shows who is at which step.
#[derive(Debug)]
pub(crate) struct Activity {
    printer: Printer,
    line: Option<ProgressBar>,
    /// The current work, by the number of who does it.
    now: BTreeMap<usize, String>,
}

impl Activity {
    /// Creates the line, with no work yet.
    pub(crate) fn new(printer: Printer) -> Self {
        let line = printer.has_progress_bar().then(|| {
            let line = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}") {
                line.set_style(style);
            }
            line.enable_steady_tick(Duration::from_millis(500));
            line
        });
        Self { printer, line, now: BTreeMap::new() }
    }

    /// Shows that number `who` now does `what`.
    pub(crate) fn begin(&mut self, who: usize, what: String) {
        self.now.insert(who, what);
        self.draw();
    }

    /// Removes number `who`, which is done.
    pub(crate) fn end(&mut self, who: usize) {
        self.now.remove(&who);
        self.draw();
    }

    /// Writes a status line to stderr, unless quiet.
    pub(crate) fn note(&self, text: &str) {
        self.aside(|| self.printer.note(text));
    }

    /// Hides the line while `work` runs, so that it may print.
    pub(crate) fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.line {
            Some(line) => line.suspend(work),
            None => work(),
        }
    }

    fn draw(&self) {
        if let Some(line) = &self.line {
            let now: Vec<&str> = self.now.values().map(String::as_str).collect();
            line.set_message(escape_line(&now.join("; ")));
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        if let Some(line) = self.line.take() {
            line.finish_and_clear();
        }
    }
}
