//! Makes untrusted text safe to show: removes everything that moves the cursor, changes terminal
//! colours, changes the text direction or is invisible.

use std::fmt::Write;

use referee_games::{is_unsafe_to_show, safe_one_line};

/// Writes every control, bidirectional and invisible character of `text` as `\u{…}`.
pub fn escape_line(text: &str) -> String {
    safe_one_line(text)
}

/// As [`escape_line`], but keeps tabs and the ends of lines, for a text of several lines.
pub fn escape_lines(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let line = if end.is_empty() { line } else { line.strip_suffix('\r').unwrap_or(line) };
        for character in line.chars() {
            match character {
                '\t' => safe.push('\t'),
                _ => push_escaped(&mut safe, character),
            }
        }
        safe.push_str(end);
    }
    safe
}

/// JSON with the same characters written as JSON does. Outside of texts, it has none of them.
pub fn escape_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_unsafe_to_show(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` cannot fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Shows raw bytes from a player as part of a one-line sentence.
///
/// Printable text stays unchanged, including quotes and backslashes. `\n`, `\r`, `\t` and the other
/// ASCII control characters are written as escapes, each byte that is not UTF-8 as `\x…`, and the
/// rest as in [`escape_line`]. Only characters within the first `most` bytes are shown; `…` replaces
/// what was cut.
pub fn escape_bytes(raw: &[u8], most: usize) -> String {
    // A character that starts within `most` bytes ends at most three bytes later.
    let near = &raw[..raw.len().min(most.saturating_add(3))];
    let mut safe = String::new();
    let mut used = 0;
    for chunk in near.utf8_chunks() {
        for character in chunk.valid().chars() {
            used += character.len_utf8();
            if used > most {
                return safe + "…";
            }
            push_short_escape(&mut safe, character);
        }
        for byte in chunk.invalid() {
            used += 1;
            if used > most {
                return safe + "…";
            }
            push_escaped_byte(&mut safe, *byte);
        }
    }
    safe
}

fn push_escaped(safe: &mut String, character: char) {
    if is_unsafe_to_show(character) {
        safe.extend(character.escape_unicode());
    } else {
        safe.push(character);
    }
}

/// Like [`push_escaped`], but with short escapes if there are any.
fn push_short_escape(safe: &mut String, character: char) {
    match character {
        '\n' | '\r' | '\t' => safe.extend(character.escape_default()),
        '\0'..='\x1f' | '\x7f' => push_escaped_byte(safe, u8::try_from(character).unwrap_or(0)),
        _ => push_escaped(safe, character),
    }
}

fn push_escaped_byte(safe: &mut String, byte: u8) {
    // Writing to a `String` cannot fail.
    let _ = write!(safe, "\\x{byte:02x}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn terminal_control_characters_are_escaped() {
        assert_eq!(escape_line("a\x1b[31mb\n\u{9b}c"), r"a\u{1b}[31mb\u{a}\u{9b}c");
        assert_eq!(escape_line("user\u{202e}txt.exe\u{2066}"), r"user\u{202e}txt.exe\u{2066}");
    }

    #[test]
    fn text_in_any_language_stays_readable() {
        let family = "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}";
        for text in ["Zoë 象棋 \"x\\y\"", "e\u{301}", "می\u{200c}خواهم", "שלום", family]
        {
            assert_eq!(
                (escape_line(text), escape_lines(text), escape_json(text)),
                (text.into(), text.into(), text.into())
            );
        }
    }

    #[test]
    fn the_ends_of_lines_are_kept() {
        assert_eq!(escape_lines("a\tb\r\n\x1bc\rd\n"), "a\tb\n\\u{1b}c\\u{d}d\n");
        assert_eq!(escape_lines(&escape_lines("\u{202e}\n\n")), "\\u{202e}\n\n");
    }

    #[test]
    fn json_stays_json() {
        assert_eq!(
            escape_json("{\"a\":\"\u{7f}\u{9b}\u{202e}\u{e0041}ü\"}\n"),
            "{\"a\":\"\\u007f\\u009b\\u202e\\udb40\\udc41ü\"}\n"
        );
    }

    #[test]
    fn bytes_are_escaped_in_their_short_forms() {
        assert_eq!(
            escape_bytes(b"{\"a\":\"\\n\"}\r\n\t\x00\x1b\x7f", 99),
            "{\"a\":\"\\n\"}\\r\\n\\t\\x00\\x1b\\x7f"
        );
        assert_eq!(escape_bytes("é\u{202e}".as_bytes(), 99), r"é\u{202e}");
        assert_eq!(escape_bytes(b"ok\xff\xfe\xe2\x82", 99), r"ok\xff\xfe\xe2\x82");
    }

    #[test]
    fn escaped_bytes_are_never_cut_within_a_character() {
        assert_eq!(escape_bytes(b"abc", 3), "abc");
        assert_eq!(escape_bytes(b"abcd", 3), "abc…");
        assert_eq!(escape_bytes("ab象".as_bytes(), 4), "ab…");
        assert_eq!(escape_bytes("ab象".as_bytes(), 5), "ab象");
        assert_eq!(escape_bytes(b"ab\xff\xff", 3), r"ab\xff…");
        assert_eq!(escape_bytes(b"x", 0), "…");
        assert_eq!(escape_bytes(b"", 0), "");
    }

    proptest! {
        #[test]
        fn unsafe_text_is_escaped(raw: Vec<u8>, most in 0..64_usize) {
            prop_assert!(!escape_bytes(&raw, most).chars().any(is_unsafe_to_show));
            prop_assert!(!escape_line(&String::from_utf8_lossy(&raw)).chars().any(is_unsafe_to_show));
        }
    }
}
