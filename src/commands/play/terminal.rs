//! The terminal at which a person plays.

use std::future::pending;
use std::io::{IsTerminal, stdin};

use nix::sys::signal::{Signal, raise};
use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::task::spawn_blocking;

use crate::printer::{ColouredText, Printer};
use referee_match::player::user_interface::{PendingLine, Question, UserInterface};

/// The terminal of this process; a line can be edited, and earlier ones recalled. Otherwise the
/// lines of standard input.
pub(super) fn terminal_interface(printer: Printer) -> Box<dyn UserInterface> {
    let is_terminal = stdin().is_terminal() && printer.is_terminal();
    match is_terminal.then(|| EditedTerminalLines::new(printer)).flatten() {
        Some(edited) => Box::new(edited),
        None => Box::new(PlainLines { lines: BufReader::new(tokio::io::stdin()).lines(), printer }),
    }
}

/// The lines of standard input, unchanged.
#[derive(Debug)]
struct PlainLines {
    lines: Lines<BufReader<Stdin>>,
    printer: Printer,
}

impl UserInterface for PlainLines {
    fn tell(&mut self, text: &str) {
        self.printer.prompt(text);
    }

    fn ask(&mut self, question: Question) -> PendingLine<'_> {
        self.printer.prompt(&question.prompt());
        Box::pin(async { self.lines.next_line().await.ok().flatten() })
    }
}

/// Lines that are typed at a terminal, with a line editor.
#[derive(Debug)]
struct EditedTerminalLines {
    /// The editor, unless it waits for a line.
    editor: Option<DefaultEditor>,
    /// The settings of the terminal, which the editor changes while it waits.
    before: Termios,
    printer: Printer,
}

impl EditedTerminalLines {
    fn new(printer: Printer) -> Option<Self> {
        let before = tcgetattr(stdin()).ok()?;
        Some(Self { editor: Some(DefaultEditor::new().ok()?), before, printer })
    }

    async fn next(&mut self, question: String) -> Option<String> {
        let mut editor = self.editor.take()?;
        let typed = spawn_blocking(move || {
            let line = editor.readline(&question);
            if let Ok(line) = &line {
                // Without it, the line just cannot be recalled.
                let _ = editor.add_history_entry(line);
            }
            (editor, line)
        });
        let (editor, line) = typed.await.ok()?;
        self.editor = Some(editor);
        match line {
            Ok(line) => Some(line),
            Err(ReadlineError::Interrupted) => {
                // The editor reads Ctrl-C as a key. It means the same as everywhere else.
                raise(Signal::SIGINT).ok()?;
                pending().await
            }
            Err(_) => None,
        }
    }
}

impl UserInterface for EditedTerminalLines {
    fn tell(&mut self, text: &str) {
        self.printer.prompt(text);
    }

    fn ask(&mut self, question: Question) -> PendingLine<'_> {
        Box::pin(self.next(ColouredText::from(question.prompt()).to_string()))
    }
}

impl Drop for EditedTerminalLines {
    fn drop(&mut self) {
        // The editor may still wait for a line. If the terminal is gone, nothing is to restore.
        let _ = tcsetattr(stdin(), SetArg::TCSANOW, &self.before);
    }
}
