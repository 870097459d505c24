//! Texts of names, reasons and clauses, and which characters are safe to show.

use std::borrow::Cow;

/// Text that is either part of the program or created at run time.
pub type Text = Cow<'static, str>;

/// The text as a part of one line that is safe to show: every character that
/// [is not](is_unsafe_to_show) becomes `\u{…}`, ends of lines too.
pub fn safe_one_line(text: &str) -> String {
    // Nearly all texts, of which a page has several for each ply.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unsafe_to_show(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Whether a character must not be shown unchanged: it moves the cursor, changes the direction of
/// text, or is invisible and not needed by names. The joiners that scripts and emoji need are safe.
pub fn is_unsafe_to_show(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
