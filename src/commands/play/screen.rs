//! Shows the positions of a game: one below the other, or on a terminal all in one place.

use std::time::Duration;

use crate::error::Failure;
use crate::printer::Printer;

/// Where and how fast positions are shown.
#[derive(Debug)]
pub(super) struct Screen {
    pub(super) printer: Printer,
    /// The pause after each position.
    delay: Option<Duration>,
    /// Whether positions replace each other.
    pub(super) in_place: bool,
    /// The lines of the last position, which the next one replaces.
    lines: usize,
}

impl Screen {
    /// Positions replace each other on a terminal if there is a `delay` and no person plays, who
    /// types below them.
    pub(super) fn new(printer: Printer, delay: Option<Duration>, has_human: bool) -> Self {
        let in_place = delay.is_some() && !has_human && printer.is_terminal();
        Self { printer, delay, in_place, lines: 0 }
    }

    /// Shows a position, and waits. The players' clocks do not run meanwhile.
    pub(super) fn show(&mut self, text: &str) -> Result<(), Failure> {
        let text = if self.in_place { self.over_the_last(text) } else { text.to_owned() };
        self.printer.text(&text)?;
        if let Some(delay) = self.delay {
            std::thread::sleep(delay);
        }
        Ok(())
    }

    /// The text, no line wider than the terminal, with what moves the cursor back to the start of
    /// the last one and clears it.
    fn over_the_last(&mut self, text: &str) -> String {
        let width = self.printer.width();
        let lines: Vec<_> =
            text.lines().map(|line| console::truncate_str(line, width, "…")).collect();
        let back = match self.lines {
            0 => String::new(),
            lines => format!("\x1b[{lines}A\x1b[J"),
        };
        self.lines = lines.len();
        back + &lines.join("\n")
    }
}
