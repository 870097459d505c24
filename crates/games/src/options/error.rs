//! Errors in options.

use std::error::Error;
use std::fmt;

use crate::text::Text;

/// An error in the options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionError {
    /// The game has no option of this name.
    Unknown {
        /// The name that was given.
        name: String,
        /// The names of the game's options.
        known: Vec<Text>,
    },
    /// The option cannot have this value.
    Value {
        /// The option.
        name: String,
        /// The value that was given.
        value: String,
        /// The expected value.
        expected: Expected,
    },
    /// The default of an option is not one of its values, which is a bug in the game.
    Default {
        /// The option.
        name: String,
        /// The expected value.
        expected: Expected,
    },
    /// A file that an option names cannot be read.
    Unreadable {
        /// The option.
        name: String,
        /// The file.
        file: String,
        /// The expected kind of file, in two or three words.
        wanted: Text,
        /// The reason why it cannot be read.
        reason: String,
        /// The expected value of the option.
        expected: Expected,
    },
    /// A file that an option names was read, but its contents are invalid.
    File {
        /// The option.
        name: String,
        /// The error in the file.
        error: FileError,
    },
    /// The values contradict each other, for this reason.
    Rules(Text),
}

impl OptionError {
    /// The name of the refused option, if it is a single one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Unknown { name, .. }
            | Self::Value { name, .. }
            | Self::Default { name, .. }
            | Self::Unreadable { name, .. }
            | Self::File { name, .. } => Some(name),
            Self::Rules(_) => None,
        }
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, known } => {
                let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
                let known = known.join(", ");
                write!(f, "unknown option `{name}`; expected one of {known}")
            }
            Self::Value { name, value, expected } => {
                write!(f, "invalid value `{value}` for `{name}`; {expected}")
            }
            Self::Default { expected, .. } => write!(f, "default: {expected}"),
            Self::Unreadable { file, wanted, reason, expected, .. } => {
                write!(f, "`{file}` cannot be read as {wanted}: {reason}; {expected}")
            }
            Self::File { error, .. } => error.fmt(f),
            Self::Rules(reason) => f.write_str(reason),
        }
    }
}

impl Error for OptionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Value { expected, .. } | Self::Default { expected, .. } => Some(expected),
            Self::File { error, .. } => Some(error),
            Self::Unknown { .. } | Self::Unreadable { .. } | Self::Rules(_) => None,
        }
    }
}

/// A description of an option's expected value: `expected a whole number from 1 to 9`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected(pub(super) String);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Expected {}

/// An error in a file that an option names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, reason } = self;
        write!(f, "{file}:{line}: {reason}")
    }
}

impl Error for FileError {}

impl From<FileError> for OptionError {
    /// For files that were already read, when the options are checked together.
    fn from(error: FileError) -> Self {
        Self::Rules(error.to_string().into())
    }
}
