//! Text of names, reasons and clauses.

use std::borrow::Cow;

/// Text that is part of the program, or was made while it runs.
pub type Text = Cow<'static, str>;
