//! Whether text has colours.

/// Whether text for people has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Plain,
    /// With ANSI colours.
    Ansi,
}
