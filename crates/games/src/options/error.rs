//! Why options are refused.

use std::error::Error;
use std::fmt;

use crate::text::Text;

/// Why options were refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionError {
    /// The game has no option of this name.
    Unknown {
        /// The name that was given.
        name: String,
        /// The names that it has.
        known: Vec<&'static str>,
    },
    /// The option cannot have this value.
    Value {
        /// The option.
        name: String,
        /// What was given.
        value: String,
        /// What was expected.
        expected: Expected,
    },
    /// The default of an option is not one of its values, which is a mistake in the game.
    Default {
        /// The option.
        name: String,
        /// What was expected.
        expected: Expected,
    },
    /// A file that an option names cannot be read.
    Unreadable {
        /// The option.
        name: String,
        /// The file.
        file: String,
        /// What the file should be, in two or three words.
        wanted: &'static str,
        /// Why it cannot be read.
        reason: String,
        /// What was expected as the value of the option.
        expected: Expected,
    },
    /// A file that an option names was read, and its contents are refused.
    File {
        /// The option.
        name: String,
        /// What is wrong with the file.
        error: FileError,
    },
    /// The values make no sense together, for this reason.
    Rules(Text),
}

impl OptionError {
    /// The option that is refused, if it is a single one.
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
                write!(f, "there is no option `{name}`; expected one of {known}")
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

/// What was expected as the value of an option, in words: `expected a whole number from 1 to 9`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected(pub(super) String);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Expected {}

/// What is wrong with a file that an option names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
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
    /// For files that were read before, when the options are looked at together.
    fn from(error: FileError) -> Self {
        Self::Rules(error.to_string().into())
    }
}
