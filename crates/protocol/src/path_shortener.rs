//! Hides where files lie on the machine in what its authors read: messages and tracebacks name
//! folders of the organiser and of others.

/// The folders that are the same on every machine.
const EVERYWHERE: [&str; 9] =
    ["/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/etc/", "/dev/", "/proc/", "/sys/"];
/// Folders in some of them that are not.
const LOCAL: [&str; 2] = ["/usr/local/", "/dev/shm/"];
/// The beginning of an address that is a path.
const FILE: &str = "file://";

/// Folders whose paths are hidden wherever they stand, even where no rule shows where a path ends:
/// unquoted ones with blanks, or those in addresses.
#[derive(Debug, Clone, Default)]
pub struct PathShortener(Vec<String>);

impl PathShortener {
    /// These folders, by absolute paths.
    pub fn new(folders: impl IntoIterator<Item = String>) -> Self {
        Self(folders.into_iter().filter(|folder| folder.len() > 1).collect())
    }

    /// The text with only the last name of each absolute path, as in `…/player.py`. A path between
    /// quotation marks may have blanks.
    pub fn shorten(&self, text: &str) -> String {
        let mut short = String::with_capacity(text.len());
        let mut before = None;
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            if let Some(known) = self.known_folder_length(rest) {
                let length = known + find_path_end(before, &rest[known..]);
                push_last_path_name(&mut short, &rest[..length]);
                before = rest[..length].chars().next_back();
                rest = &rest[length..];
            } else if rest.get(..FILE.len()).is_some_and(|it| it.eq_ignore_ascii_case(FILE)) {
                short.push_str(&rest[..FILE.len()]);
                before = None;
                rest = &rest[FILE.len()..];
            } else if let Some(length) = path_length(before, rest) {
                let path = &rest[..length];
                if is_shared_path(path) {
                    short.push_str(path);
                } else {
                    push_last_path_name(&mut short, path);
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

    /// The length of the longest of the folders at the beginning of the text.
    fn known_folder_length(&self, text: &str) -> Option<usize> {
        self.0.iter().filter_map(|folder| folder_prefix_length(text, folder)).max()
    }
}

/// The length of the beginning of `text` that names this folder, plain or percent-encoded.
fn folder_prefix_length(text: &str, folder: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    for expected in folder.bytes() {
        let encoded = || {
            let digits = text.get(at..at + 3)?.strip_prefix('%')?;
            u8::from_str_radix(digits, 16).ok()
        };
        at += match bytes.get(at)? {
            found if *found == expected => 1,
            b'%' if encoded() == Some(expected) => 3,
            _ => return None,
        };
    }
    let goes_on = |next: char| next.is_alphanumeric() || "-_.%".contains(next);
    text.get(at..)?.chars().next().is_none_or(|next| !goes_on(next)).then_some(at)
}

/// Adds the last name of a path.
fn push_last_path_name(short: &mut String, path: &str) {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    short.push_str("…/");
    short.push_str(last);
}

/// [`PathShortener::shorten`] where no folder is known.
pub fn shorten_paths(text: &str) -> String {
    PathShortener::default().shorten(text)
}

fn is_shared_path(path: &str) -> bool {
    let is_in = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    // Two dots lead out of such a folder.
    is_in(&EVERYWHERE) && !is_in(&LOCAL) && !path.contains("/../")
}

/// The length of the absolute path of two names or more that begins here, if one does.
fn path_length(before: Option<char>, text: &str) -> Option<usize> {
    let is_beginning =
        before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '~' | '…')));
    let is_address = before == Some(':') && text.starts_with("//");
    if !is_beginning || is_address || !text.starts_with('/') {
        return None;
    }
    let length = find_path_end(before, text);
    let path = &text[..length];
    let names = path.split('/').filter(|name| !name.is_empty()).count();
    (names >= 2 && !path.starts_with("//")).then_some(length)
}

/// Where the path at the beginning of the text ends, after this character.
fn find_path_end(before: Option<char>, text: &str) -> usize {
    let quote = before.filter(|c| matches!(c, '"' | '\'' | '`'));
    let line = text.find('\n').unwrap_or(text.len());
    // A quotation mark within a word is part of the path.
    let closes = |at: &usize| !text[at + 1..line].starts_with(char::is_alphanumeric);
    let quoted = quote.and_then(|quote| {
        let mut marks = text[..line].match_indices(quote).map(|(at, _)| at);
        marks.find(closes)
    });
    let ends = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>|,;:)]}".contains(c);
    quoted.unwrap_or_else(|| text.find(ends).unwrap_or(text.len()))
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
            ("at file:///srv/my%20cup/ann/player.mjs:1", "at file://…/player.mjs:1"),
            ("jar:FILE:///srv/cup/x.jar!/Player.class", "jar:FILE://…/Player.class"),
            ("'/srv/Zoë's (x)/ann/player' is '/srv/b'", "'…/player' is '…/b'"),
            ("/dev/shm/cup/ann/player", "…/player"),
        ] {
            assert_eq!(shorten_paths(text), short);
            assert_eq!(shorten_paths(short), short);
        }
    }

    #[test]
    fn known_folders_are_hidden_wherever_they_stand() {
        let places = PathShortener::new(["/srv/my cup (x)", "/home/Zoë's", "/"].map(str::to_owned));
        for (text, short) in [
            ("/srv/my cup (x)/ann/player cannot be run", "…/player cannot be run"),
            ("-I/srv/my cup (x)/ann/src", "-I…/src"),
            ("url(file:///srv/my%20cup%20%28x)/ann/a.mjs)", "url(file://…/a.mjs)"),
            ("/home/Zo%c3%ab's/a.py and /home/Zoë's", "…/a.py and …/Zoë's"),
            ("/home/Zoë's-2 and 1/2", "…/Zoë's-2 and 1/2"),
            ("'/srv/my cup (x)/ann's/player' x", "'…/player' x"),
        ] {
            assert_eq!(places.shorten(text), short);
            assert_eq!(places.shorten(short), short);
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
            assert_eq!(shorten_paths(text), text);
        }
    }
}
