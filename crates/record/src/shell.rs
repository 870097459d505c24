//! Words of commands that are shown for people to copy.

use referee_protocol::escape::escape_line;

/// Quotes a word for the shell if necessary, and makes it safe to show.
pub fn quote_for_shell(word: &str) -> String {
    // Only a zero byte cannot be quoted.
    let quoted = shlex::try_quote(word).unwrap_or(word.into());
    escape_line(&quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_if_necessary() {
        assert_eq!(quote_for_shell("players/ant.py"), "players/ant.py");
        assert_eq!(quote_for_shell("my ant"), "'my ant'");
        assert_eq!(quote_for_shell("a\u{1b}b"), r"'a\u{1b}b'");
    }
}
