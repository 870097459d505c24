//! Values as JSON.

use serde::Serialize;

/// Appends `value` to `json`.
///
/// # Panics
/// Never for the values of this crate: they are plain data.
#[expect(clippy::expect_used, reason = "plain data serialises")]
pub(crate) fn write_json(value: &(impl Serialize + ?Sized), json: &mut Vec<u8>) {
    serde_json::to_writer(json, value).expect("plain data serialises");
}
