//! The only place that writes to the terminal: data to stdout, everything else to stderr.

pub mod activity;

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use crate::error::Failure;

/// Whether text for people is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Plain,
    /// With ANSI colours.
    Ansi,
}

impl Colour {
    /// Colour on a terminal, unless `NO_COLOR` is set.
    fn on(stream: &impl IsTerminal) -> Self {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        if allowed && stream.is_terminal() { Self::Ansi } else { Self::Plain }
    }
}

/// What goes to stdout and stderr, and whether it is coloured.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    /// Only errors are shown on stderr.
    pub quiet: bool,
    /// Whether stdout is coloured.
    pub colour: Colour,
    /// Whether stderr is coloured.
    pub colour_err: Colour,
}

impl Printer {
    /// A printer for this process: colour only on a terminal and without `NO_COLOR`.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, colour: Colour::on(&io::stdout()), colour_err: Colour::on(&io::stderr()) }
    }

    /// A progress bar can be drawn on stderr.
    pub fn bar(self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Standard output is a terminal.
    pub fn is_terminal(self) -> bool {
        io::stdout().is_terminal()
    }

    /// The columns of the terminal on stdout; 100 where there is none.
    pub fn width(self) -> usize {
        if !self.is_terminal() {
            return 100;
        }
        usize::from(console::Term::stdout().size().1).max(40)
    }

    /// Asks the person at the terminal for a line.
    pub fn prompt(self, text: &str) {
        let mut err = io::stderr().lock();
        // A terminal that is gone shows itself at the next read.
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// Writes a line of data to stdout.
    pub fn line(self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .map_err(|error| Self::broken(&error))
    }

    /// Standard output for many lines of data; to be flushed by who writes them.
    pub fn stream(self) -> BufWriter<StdoutLock<'static>> {
        BufWriter::new(io::stdout().lock())
    }

    /// The failure when standard output takes no more; a quiet one when its reader has left.
    pub fn broken(error: &io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::closed();
        }
        Failure::system(format!("cannot write to standard output: {error}"))
    }

    /// Writes a line about what is going on to stderr, unless quiet.
    pub fn note(self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// Writes an error to stderr that says itself where it is: without a label.
    pub fn bare_error(self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Writes an error to stderr.
    pub fn error(self, text: &str) {
        let label = match self.colour_err {
            Colour::Ansi => "\x1b[1;31merror\x1b[0m",
            Colour::Plain => "error",
        };
        let _ = writeln!(io::stderr().lock(), "{label}: {text}");
    }
}
