//! Text and numbers in the cells of CSV tables.

use std::borrow::Cow;
use std::io;

/// The bytes of a table.
pub(super) fn finish_csv_cells(table: csv::Writer<Vec<u8>>) -> io::Result<Vec<u8>> {
    table.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// A text cell. Text that a spreadsheet would read as a formula gets a leading `'`.
pub fn format_text_cell(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A number with one decimal, never `-0.0`.
pub(crate) fn format_decimal_cell(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0 + 0.0;
    format!("{tenths:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_disarmed() {
        for formula in ["=1+1", "+1", "-1", "@x", "\tx", "\rx"] {
            assert_eq!(format_text_cell(formula), format!("'{formula}"));
        }
        assert_eq!(format_text_cell("a=b"), "a=b");
    }

    #[test]
    fn a_rating_has_one_decimal_and_no_negative_zero() {
        assert_eq!(
            [-0.04, 0.0, -0.06, 12.34].map(format_decimal_cell),
            ["0.0", "0.0", "-0.1", "12.3"]
        );
    }
}
