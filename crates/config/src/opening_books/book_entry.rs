//! An opening of a book, and what is wrong with one.

use std::io;
use std::ops::Range;

/// A range of bytes of a book.
pub(super) type BookSpan = Range<u64>;

/// A text of a book, and the bytes where it stands.
pub(super) type BookText = (String, BookSpan);

/// An opening of a book, not yet checked.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct BookEntry {
    /// Its start position in FEN, if it has one.
    pub(super) fen: Option<BookText>,
    pub(super) actions: Vec<BookText>,
}

/// The problem with a book or one of its openings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryProblem {
    /// The bytes that are wrong.
    pub(super) at: BookSpan,
    /// The problem with them.
    pub(super) label: String,
}

/// The reason why an opening cannot be read.
#[derive(Debug)]
pub(super) enum EntryError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// Something in the file is wrong.
    Wrong(EntryProblem),
}

impl EntryError {
    /// Says what is wrong with these bytes.
    pub(super) fn new(at: BookSpan, label: &str) -> Self {
        Self::Wrong(EntryProblem { at, label: label.to_owned() })
    }
}

impl From<io::Error> for EntryError {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}
