//! The failure of a program that knows the rules.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// An error of the program that knows the rules of a game. This crate does not know how such
/// programs run, so the cause is any error.
#[derive(Debug, Clone)]
pub struct ProgramError(Arc<dyn Error + Send + Sync>);

impl ProgramError {
    /// Wraps the cause.
    pub fn new(cause: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(cause))
    }
}

impl PartialEq for ProgramError {
    /// Returns whether both are the same failure.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ProgramError {}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for ProgramError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
