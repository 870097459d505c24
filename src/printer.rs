//! The only place that writes to the terminal: data to stdout, everything else to stderr.
//!
//! Names, messages and files of others end up in nearly everything that is printed. So all of it is
//! escaped here, regardless of what was done before: text by [`ColouredText`], which alone can have our
//! colours, and JSON as JSON does.

pub(crate) mod activity;

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;

use serde::Serialize;

use crate::command_failure::Failure;
use referee_protocol::escape;
use referee_protocol::escape::{escape_json, escape_line};
pub(crate) use referee_report::colour::{Colour, ColouredText};

/// Uses colours on a terminal, unless `NO_COLOR` is set.
fn detect_terminal_colour(stream: &impl IsTerminal) -> Colour {
    let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if allowed && stream.is_terminal() { Colour::Ansi } else { Colour::Plain }
}

/// Writes to stdout and stderr, with or without colours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    /// Whether stderr only shows errors.
    pub(crate) quiet: bool,
    /// Whether stdout has colours.
    pub(crate) colour: Colour,
    /// Whether stderr has colours.
    pub(crate) colour_err: Colour,
}

#[expect(clippy::unused_self, reason = "only who holds the printer may print")]
impl Printer {
    /// Creates a printer for this process, with colours only on a terminal and without `NO_COLOR`.
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            colour: detect_terminal_colour(&io::stdout()),
            colour_err: detect_terminal_colour(&io::stderr()),
        }
    }

    /// Whether a progress bar can be drawn on stderr.
    pub(crate) fn has_progress_bar(self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Whether stdout is a terminal.
    pub(crate) fn is_terminal(self) -> bool {
        io::stdout().is_terminal()
    }

    /// The width of the terminal on stdout, in columns, if there is one.
    pub(crate) fn columns(self) -> Option<usize> {
        self.is_terminal().then(|| usize::from(console::Term::stdout().size().1).max(40))
    }

    /// The width of the terminal on stdout, in columns; 100 if there is none.
    pub(crate) fn width(self) -> usize {
        self.columns().unwrap_or(100)
    }

    /// Shows text to the person at the terminal, who types behind it.
    pub(crate) fn prompt(self, text: &str) {
        let text = Self::fit_stderr(text);
        let mut err = io::stderr().lock();
        // If the terminal is gone, the next read fails.
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// Writes a line of data to stdout.
    pub(crate) fn line(self, text: &str) -> Result<(), Failure> {
        self.styled(&ColouredText::plain(text))
    }

    /// Writes the path of a file to stdout, in one line.
    pub(crate) fn path(self, path: &Path) -> Result<(), Failure> {
        self.line(&escape_line(&path.display().to_string()))
    }

    /// Writes lines that may have colours to stdout.
    pub(crate) fn styled(self, text: &ColouredText) -> Result<(), Failure> {
        self.safe_line(text)
    }

    /// Writes text over the last lines on stdout, which is a terminal.
    pub(crate) fn overwrite(self, lines: usize, text: &ColouredText) -> Result<(), Failure> {
        let back = if lines > 0 { format!("\x1b[{lines}A\x1b[J") } else { String::new() };
        self.safe_line(&format!("{back}{text}"))
    }

    fn safe_line(self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .map_err(|error| Self::broken(&error))
    }

    /// Writes a value to stdout, as JSON in one line.
    pub(crate) fn json(self, value: &impl Serialize) -> Result<(), Failure> {
        let json = serde_json::to_string(value);
        self.json_text(&json.map_err(|error| Failure::system(error.to_string()))?)
    }

    /// Writes a line of JSON to stdout.
    pub(crate) fn json_text(self, json: &str) -> Result<(), Failure> {
        self.safe_line(&escape_json(json))
    }

    /// Writes lines of text for people to stdout. On a terminal, long ones are broken between words.
    pub(crate) fn text(self, text: &ColouredText) -> Result<(), Failure> {
        match self.columns() {
            Some(columns) => self.styled(&text.wrapped(columns)),
            None => self.styled(text),
        }
    }

    /// Stdout for many lines of data. The caller flushes it.
    pub(crate) fn stream(self) -> Escaping<BufWriter<StdoutLock<'static>>> {
        Escaping::text(BufWriter::new(io::stdout().lock()))
    }

    /// Stdout for lines of JSON, flushed because programs wait for each.
    pub(crate) fn json_stream(self) -> Escaping<StdoutLock<'static>> {
        Escaping { out: io::stdout().lock(), escape: escape::escape_json }
    }

    /// Stdout for bytes that only a program reads. The caller flushes it.
    pub(crate) fn bytes(self) -> BufWriter<StdoutLock<'static>> {
        BufWriter::new(io::stdout().lock())
    }

    /// The failure to report when stdout accepts no more; a quiet one if its reader has left.
    pub(crate) fn broken(error: &io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::closed();
        }
        Failure::system(format!("cannot write to standard output: {error}"))
    }

    /// Writes a status line to stderr, unless quiet.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            let text = Self::fit_stderr(text);
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// Writes a command for people to copy to stderr, in one line behind its label, unless quiet.
    pub(crate) fn command(self, label: &str, command: &str) {
        if !self.quiet {
            let command = ColouredText::plain(command);
            let _ = writeln!(io::stderr().lock(), "{label}: {command}");
        }
    }

    /// The text with its long lines broken between words, if stderr is a terminal.
    fn fit_stderr(text: &str) -> ColouredText {
        let text = ColouredText::plain(text);
        if !io::stderr().is_terminal() {
            return text;
        }
        text.wrapped(usize::from(console::Term::stderr().size().1).max(40))
    }

    /// Writes an error to stderr without a label, for errors that show their own place.
    pub(crate) fn bare_error(self, text: &ColouredText) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Writes an error to stderr.
    pub(crate) fn error(self, text: &ColouredText) {
        let label = self.colour_err.paint("error", "1;31");
        let _ = writeln!(io::stderr().lock(), "{label}: {text}");
    }
}

/// Escapes text on its way to a terminal, or to a file that is read on one.
#[derive(Debug)]
pub(crate) struct Escaping<W> {
    out: W,
    escape: fn(&str) -> String,
}

impl<W> Escaping<W> {
    /// Escapes text of several lines.
    pub(crate) fn text(out: W) -> Self {
        Self { out, escape: escape::escape_lines }
    }
}

impl<W: Write> Write for Escaping<W> {
    /// Writes all of the text, which has to end with a whole character.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.out.write_all((self.escape)(&String::from_utf8_lossy(text)).as_bytes())?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_failure::FailureKind;

    #[test]
    fn a_file_has_no_colours() {
        let file = tempfile::tempfile().expect("a file");
        assert_eq!(detect_terminal_colour(&file), Colour::Plain);
    }

    #[test]
    fn a_closed_output_is_not_an_error() {
        let left = Printer::broken(&io::ErrorKind::BrokenPipe.into());
        assert_eq!(left.kind, FailureKind::Closed);
        let full = Printer::broken(&io::Error::other("no room"));
        assert_eq!(full, Failure::system("cannot write to standard output: no room"));
    }

    #[test]
    fn a_quiet_printer_draws_no_bar() {
        assert!(!Printer::new(true).has_progress_bar());
    }
}
