//! An opening of a book.

use std::ops::Range;

/// A text of a book, and the bytes where it stands.
pub(super) type BookText = (String, Range<usize>);

/// An opening of a book, not yet checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BookEntry {
    /// Its start position in FEN, if it has one.
    pub(super) fen: Option<BookText>,
    /// Its actions.
    pub(super) actions: Vec<BookText>,
}

/// The reason why a book cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EntryProblem {
    /// The bytes that are wrong.
    pub(super) at: Range<usize>,
    /// What is wrong with them.
    pub(super) label: String,
}
