//! Short texts of actions and squares, built without memory from the heap.

use std::fmt;

use serde::ser::{Serialize, Serializer};

/// The most bytes: two squares with a character between them.
const MOST: usize = 15;

/// A short ASCII text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ShortText {
    bytes: [u8; MOST],
    length: usize,
}

impl ShortText {
    /// Appends an ASCII character. At most [`MOST`] fit.
    #[inline]
    pub(crate) fn push(&mut self, character: u8) {
        self.bytes[self.length] = character;
        self.length += 1;
    }

    /// Appends an ASCII text.
    pub(crate) fn push_text(&mut self, text: &str) {
        text.bytes().for_each(|character| self.push(character));
    }

    /// Appends a number.
    #[inline]
    pub(crate) fn push_number(&mut self, number: u8) {
        if number >= 100 {
            self.push(b'0' + number / 100);
        }
        if number >= 10 {
            self.push(b'0' + number / 10 % 10);
        }
        self.push(b'0' + number % 10);
    }

    fn as_str(&self) -> &str {
        // It is always ASCII.
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ShortText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_what_was_appended() {
        for number in 0..=u8::MAX {
            let mut text = ShortText::default();
            text.push_number(number);
            text.push(b'>');
            text.push_text("pass");
            assert_eq!(text.to_string(), format!("{number}>pass"));
        }
    }
}
