//! Texts of programs, made safe to show.

use referee_games::is_unsafe_to_show;

/// The text with characters escaped that are not safe to show.
pub(crate) fn printable(text: &str) -> String {
    let escape = |character: char| {
        if is_unsafe_to_show(character) {
            character.escape_debug().collect::<String>()
        } else {
            character.to_string()
        }
    };
    text.chars().map(escape).collect()
}
