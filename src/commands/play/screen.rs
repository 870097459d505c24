//! Shows the positions of a game: one below the other, or on a terminal all in one place.

use std::time::Duration;

use console::Term;

use crate::command_failure::Failure;
use crate::printer::{ColouredText, Printer};

/// The default pause after each position on a terminal.
const PAUSE: Duration = Duration::from_millis(150);

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
    /// Positions replace each other on a terminal, unless the `delay` is zero or a person plays, who
    /// types below them.
    pub(super) fn new(printer: Printer, delay: Option<Duration>, has_human: bool) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        let can_move_back = !has_human && !is_dumb && printer.is_terminal();
        let delay = delay.or(can_move_back.then_some(PAUSE)).filter(|delay| !delay.is_zero());
        Self { printer, delay, in_place: can_move_back && delay.is_some(), lines: 0 }
    }

    /// Shows a position, and waits. The players' clocks do not run meanwhile.
    pub(super) fn show(&mut self, text: &ColouredText) -> Result<(), Failure> {
        if self.in_place {
            self.show_over_the_last(text)?;
        } else {
            self.printer.text(text)?;
        }
        if let Some(delay) = self.delay {
            std::thread::sleep(delay);
        }
        Ok(())
    }

    /// Shows the text, no line wider than the terminal, in place of the last one, unless the start
    /// of that has scrolled away.
    fn show_over_the_last(&mut self, text: &ColouredText) -> Result<(), Failure> {
        let (rows, columns) = Term::stdout().size();
        let text = text.cut_lines(usize::from(columns));
        let last = if self.lines < usize::from(rows) { self.lines } else { 0 };
        self.lines = text.lines().count();
        self.printer.overwrite(last, &text)
    }
}
