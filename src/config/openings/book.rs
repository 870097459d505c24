//! Opening books: lines of actions, positions in EPD, and games in PGN.

use std::ops::Range;

use super::entry::{BookEntry, EntryProblem};
use super::pgn;

/// How a book is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BookFormat {
    /// One opening per line.
    Lines,
    /// One position per line.
    Epd,
    /// Games of chess.
    Pgn,
}

impl BookFormat {
    /// The format of the file with this name.
    pub(super) fn of(name: &str) -> Self {
        match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
            Some("epd") => Self::Epd,
            Some("pgn") => Self::Pgn,
            _ => Self::Lines,
        }
    }

    /// The openings of a book, in order.
    pub(super) fn entries(self, text: &str) -> Result<Vec<BookEntry>, EntryProblem> {
        match self {
            Self::Lines => lines(text),
            Self::Epd => Ok(positions(text)),
            Self::Pgn => pgn::games(text),
        }
    }
}

/// The lines of a book that have any actions. Actions are separated by `;`, or are a JSON list; a
/// comment follows `#`.
fn lines(text: &str) -> Result<Vec<BookEntry>, EntryProblem> {
    let mut start = 0;
    let mut entries = Vec::new();
    for line in text.split_inclusive('\n') {
        let actions = line.split('#').next().unwrap_or_default();
        if line.trim_start().starts_with('[') {
            let from = start + line.len() - line.trim_start().len();
            entries.push(json_list(line.trim(), from)?);
        } else if !actions.trim().is_empty() {
            let at = parts(actions, start).into_iter();
            let actions = at.map(|at| (text[at.clone()].to_owned(), at)).collect();
            entries.push(BookEntry { fen: None, actions });
        }
        start += line.len();
    }
    Ok(entries)
}

/// A line that begins with a JSON list of actions, perhaps followed by a comment. Every action has
/// the byte range of the list, which begins at `start`.
fn json_list(line: &str, start: usize) -> Result<BookEntry, EntryProblem> {
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<Vec<String>>();
    let whole = || EntryProblem {
        at: start..start + line.len(),
        label: "expected a JSON list of texts, such as `[\"e2e4\", \"e7e5\"]`".to_owned(),
    };
    let Some(Ok(texts)) = values.next() else { return Err(whole()) };
    let end = values.byte_offset();
    let rest = line[end..].trim_start();
    if texts.is_empty() || !(rest.is_empty() || rest.starts_with('#')) {
        return Err(whole());
    }
    let actions = texts.into_iter().map(|text| (text, start..start + end)).collect();
    Ok(BookEntry { fen: None, actions })
}

/// The byte ranges of the parts of `actions`, which begins at `start`, without outer blanks.
fn parts(actions: &str, mut start: usize) -> Vec<Range<usize>> {
    let part = |text: &str| {
        let from = start + text.len() - text.trim_start().len();
        start += text.len() + 1;
        from..from + text.trim().len()
    };
    actions.split(';').map(part).collect()
}

/// The positions of a book in EPD, one per line. Only the counters of a FEN are read behind the
/// position; operations are passed over.
fn positions(text: &str) -> Vec<BookEntry> {
    let mut start = 0;
    let mut entries = Vec::new();
    for line in text.split_inclusive('\n') {
        let from = start + line.len() - line.trim_start().len();
        start += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_number = |at: usize| fields.get(at).is_some_and(|it| it.parse::<u16>().is_ok());
        let count = if is_number(4) && is_number(5) { 6 } else { 4 };
        let fen = fields[..count.min(fields.len())].join(" ");
        entries.push(BookEntry { fen: Some((fen, from..from + line.len())), actions: Vec::new() });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(entry: &BookEntry) -> String {
        entry.actions.iter().map(|it| it.0.as_str()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_line_is_a_list_of_actions_or_a_json_list() {
        let all = |text| lines(text).map(|all| all.iter().map(texts).collect::<Vec<_>>());
        assert_eq!(all("a ; b # c\n\n# d\n"), Ok(vec!["a|b".to_owned()]));
        assert_eq!(all(" [\"a;b\", \"c#\"] # d\ne"), Ok(vec!["a;b|c#".to_owned(), "e".to_owned()]));
        for (text, at) in [("[1]", 0..3), ("a\n[] \n", 2..4), ("[\"a\"] b", 0..7)] {
            assert_eq!(all(text).expect_err("refused").at, at);
        }
        let entries = lines("x\n [\"a\", \"b\"]\n").expect("two");
        assert!(entries[1].actions.iter().all(|it| it.1 == (3..13)));
    }

    #[test]
    fn operations_of_epd_are_passed_over() {
        let text = "# a book\n8/8 w - - bm Nf3; id \"x\";\n\n 8/8 b - - 3 7\n";
        let fens: Vec<_> = positions(text).into_iter().filter_map(|it| it.fen).collect();
        assert_eq!(fens[0], ("8/8 w - -".to_owned(), 9..34));
        assert_eq!(fens[1], ("8/8 b - - 3 7".to_owned(), 37..50));
        assert_eq!(BookFormat::of("a.EPD"), BookFormat::Epd);
    }
}
