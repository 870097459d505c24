//! Errors in options.

use crate::safe_text::{Text, safe_one_line};

/// An error in the options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The game has no option of this name.
    #[error("unknown option `{}`; {}", safe_one_line(name), describe_known_options(known))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names of the game's options.
        known: Vec<Text>,
    },
    /// The option cannot have this value.
    #[error("invalid value `{}` for `{}`; {expected}", safe_one_line(value), safe_one_line(name))]
    Value {
        /// The option.
        name: String,
        /// The value that was given.
        value: String,
        /// The expected value.
        #[source]
        expected: Expected,
    },
    /// The default of an option is not one of its values, which is a bug in the game.
    #[error("default: {expected}")]
    Default {
        /// The option.
        name: String,
        /// The expected value.
        #[source]
        expected: Expected,
    },
    /// A file that an option names cannot be read.
    #[error("`{file}` cannot be read as {wanted}: {reason}; {expected}")]
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
    #[error("{error}")]
    File {
        /// The option.
        name: String,
        /// The error in the file.
        #[source]
        error: FileError,
    },
    /// The values contradict each other, for this reason.
    #[error("{0}")]
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

/// What could be written instead of an unknown option.
fn describe_known_options(known: &[Text]) -> String {
    match known {
        [] => "this game has no options".to_owned(),
        known => format!("expected one of {}", quote_option_names(known)),
    }
}

/// The names in quotes, with commas.
fn quote_option_names(names: &[Text]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A description of an option's expected value: `expected a whole number from 1 to 9`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Expected(pub(super) String);

impl Expected {
    /// A description that begins with `expected`.
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }
}

/// An error in a file that an option names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {reason}")]
pub struct FileError {
    pub(crate) file: String,
    /// The line, from 1.
    pub line: usize,
    pub(crate) reason: String,
}

impl From<FileError> for OptionError {
    /// For files that were already read, when the options are checked together.
    fn from(error: FileError) -> Self {
        Self::Rules(error.to_string().into())
    }
}
