//! Text for the terminal, with or without colours.

use std::fmt;
use std::ops::Deref;

use console::strip_ansi_codes;
use referee_protocol::escape::escape_lines;

use crate::wrap::wrap;

/// Whether text for people has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Plain,
    /// With ANSI colours.
    Ansi,
}

impl Colour {
    /// The text in the colour with this ANSI code.
    pub fn paint(self, text: &str, code: &str) -> ColouredText {
        let text = ColouredText::plain(text);
        match self {
            Self::Plain => text,
            Self::Ansi => ColouredText(format!("\x1b[{code}m{text}\x1b[0m")),
        }
    }
}

/// Text that is safe to print. It is escaped when it becomes one, before it gets our colours, so an
/// escape sequence in it is always ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColouredText(String);

impl ColouredText {
    /// Text without colours; everything that is not safe to show is escaped.
    pub fn plain(text: &str) -> Self {
        Self(escape_lines(text))
    }

    /// Text that a library has coloured, from parts that held no escape characters. Everything but
    /// its colours is escaped.
    pub fn coloured_by_library(text: &str) -> Self {
        let mut styled = Self::default();
        let mut rest = text;
        while let Some(start) = rest.find("\x1b[") {
            styled.push(&rest[..start]);
            let code = &rest[start + 2..];
            let length = code.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
            let is_colour = code[length..].starts_with('m');
            let end = start + 2 + if is_colour { length + 1 } else { 0 };
            if is_colour {
                styled.0.push_str(&rest[start..end]);
            } else {
                styled.push(&rest[start..end]);
            }
            rest = &rest[end..];
        }
        styled.push(rest);
        styled
    }

    /// Appends plain text.
    pub fn push(&mut self, text: &str) {
        self.0.push_str(&escape_lines(text));
    }

    /// Appends text that may have colours.
    pub fn append(&mut self, text: &Self) {
        self.0.push_str(&text.0);
    }

    /// The parts, with `between` between any two.
    pub fn join(parts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::default();
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                joined.push(between);
            }
            joined.append(&part);
        }
        joined
    }

    /// The lines. No colour may reach beyond the end of a line.
    pub fn split_lines(&self) -> impl Iterator<Item = Self> {
        self.0.lines().map(|line| Self(line.to_owned()))
    }

    /// The text with its long lines broken between words.
    #[must_use]
    pub fn wrapped(&self, columns: usize) -> Self {
        Self(wrap(&self.0, columns))
    }

    /// The text with each line cut to this many columns.
    #[must_use]
    pub fn cut_lines(&self, columns: usize) -> Self {
        let cut = |line| console::truncate_str(line, columns, "…");
        Self(self.0.lines().map(cut).collect::<Vec<_>>().join("\n"))
    }

    /// The text without blanks at its end.
    #[must_use]
    pub(crate) fn trimmed(mut self) -> Self {
        self.0.truncate(self.0.trim_end().len());
        self
    }

    /// The text in this colour mode.
    #[must_use]
    pub fn with_colour(&self, colour: Colour) -> Self {
        match colour {
            Colour::Ansi => self.clone(),
            Colour::Plain => Self(strip_ansi_codes(&self.0).into_owned()),
        }
    }
}

impl Deref for ColouredText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ColouredText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<&str> for ColouredText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl From<&str> for ColouredText {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl From<String> for ColouredText {
    fn from(text: String) -> Self {
        Self::plain(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_colours_are_colours() {
        let text = Colour::Ansi.paint("\x1b[31mred\x07\n\u{9b}2J", "1");
        assert_eq!(text, "\x1b[1m\\u{1b}[31mred\\u{7}\n\\u{9b}2J\x1b[0m");
        assert_eq!(Colour::Plain.paint("a", "1"), "a");
        let mut text = ColouredText::plain("\x1b[1m");
        text.push("\r\x1b[0m");
        assert_eq!(text, r"\u{1b}[1m\u{d}\u{1b}[0m");
    }

    #[test]
    fn of_a_library_only_colours_are_kept() {
        let text =
            ColouredText::coloured_by_library("\x1b[1;31ma\x1b[0m \x1b[2J\x1b]0;t\x07\u{9b}\x1b[");
        assert_eq!(text, "\x1b[1;31ma\x1b[0m \\u{1b}[2J\\u{1b}]0;t\\u{7}\\u{9b}\\u{1b}[");
    }
}
