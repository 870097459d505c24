//! The text type of names, reasons and clauses.

use std::borrow::Cow;

/// Text that is either part of the program or created at run time.
pub type Text = Cow<'static, str>;
