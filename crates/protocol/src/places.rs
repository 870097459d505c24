//! Hides where files lie on the machine in what its authors read: messages and tracebacks name
//! folders of the organiser and of others.

/// The folders that are the same on every machine.
const EVERYWHERE: [&str; 9] =
    ["/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/etc/", "/dev/", "/proc/", "/sys/"];
/// A folder in one of them that is not.
const LOCAL: &str = "/usr/local/";

/// The text with only the last name of each absolute path, as in `…/player.py`. A path between
/// quotation marks may have blanks.
pub fn shorten(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some(length) = path_length(before, rest) {
            let path = &rest[..length];
            let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if is_everywhere(path) {
                short.push_str(path);
            } else {
                short.push('…');
                short.push('/');
                short.push_str(last);
            }
            before = path.chars().next_back();
            rest = &rest[length..];
        } else {
            short.push(next);
            before = Some(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    short
}

fn is_everywhere(path: &str) -> bool {
    EVERYWHERE.iter().any(|folder| path.starts_with(folder)) && !path.starts_with(LOCAL)
        // A way out of such a folder.
        && !path.contains("/../")
}

/// The length of the absolute path of two names or more that begins here, if one does.
fn path_length(before: Option<char>, text: &str) -> Option<usize> {
    let is_beginning =
        before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '~' | '…')));
    let is_address = before == Some(':') && text.starts_with("//");
    if !is_beginning || is_address || !text.starts_with('/') {
        return None;
    }
    let quote = before.filter(|c| matches!(c, '"' | '\'' | '`'));
    let line = text.find('\n').unwrap_or(text.len());
    let quoted = quote.and_then(|quote| text[..line].find(quote));
    let ends = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>|,;:)]}".contains(c);
    let length = quoted.unwrap_or_else(|| text.find(ends).unwrap_or(text.len()));
    let path = &text[..length];
    let names = path.split('/').filter(|name| !name.is_empty()).count();
    (names >= 2 && !path.starts_with("//")).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_keep_their_last_name_only() {
        for (text, short) in [
            ("File \"/srv/my cup/ann/player.py\", line 3", "File \"…/player.py\", line 3"),
            ("`/srv/cup/ann/player` cannot be run", "`…/player` cannot be run"),
            ("/srv/cup/player cannot be run: x", "…/player cannot be run: x"),
            ("cc: -o=/srv/cup/a /srv/cup/b.c:12:3", "cc: -o=…/a …/b.c:12:3"),
            ("at file:/srv/cup/ann/Player.class", "at file:…/Player.class"),
            ("it's in '/srv/ann' and/or \"/home/prof/\"", "it's in '…/ann' and/or \"…/prof\""),
            ("/srv/a\n/srv/b", "…/a\n…/b"),
            ("/usr/local/cup/ann, /usr/../srv/x", "…/ann, …/x"),
        ] {
            assert_eq!(shorten(text), short);
            assert_eq!(shorten(short), short);
        }
    }

    #[test]
    fn what_is_no_place_of_this_machine_stays() {
        for text in [
            "#!/usr/bin/env python3",
            "it needs /dev/shm",
            "src/main.rs, ./player and ../x/y",
            "https://example.org/a/b",
            "1/2 - 1/2 /quit //comment/x",
            "File \"/usr/lib/python3.11/json/decoder.py\"",
            "",
        ] {
            assert_eq!(shorten(text), text);
        }
    }
}
