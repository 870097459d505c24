//! Shows the positions of a game: one below the other, or on a terminal all in one place.

use std::time::Duration;

use console::Term;

use crate::error::Failure;
use crate::printer::Printer;

/// The pause after each position on a terminal, unless another one is asked for.
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
    pub(super) fn show(&mut self, text: &str) -> Result<(), Failure> {
        let text = if self.in_place { self.over_the_last(text) } else { text.to_owned() };
        self.printer.text(&text)?;
        if let Some(delay) = self.delay {
            std::thread::sleep(delay);
        }
        Ok(())
    }

    /// The text, no line wider than the terminal, with what moves the cursor back to the start of
    /// the last one and clears it, unless its start has scrolled away.
    fn over_the_last(&mut self, text: &str) -> String {
        let (rows, columns) = Term::stdout().size();
        let lines: Vec<_> = text
            .lines()
            .map(|line| console::truncate_str(line, usize::from(columns), "…"))
            .collect();
        let back = match self.lines {
            lines if lines == 0 || lines >= usize::from(rows) => String::new(),
            lines => format!("\x1b[{lines}A\x1b[J"),
        };
        self.lines = lines.len();
        back + &lines.join("\n")
    }
}
