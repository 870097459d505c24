//! Reads the openings of books with one opening per line: actions, or a position.

use super::book_entry::{BookEntry, BookText, EntryError};

/// Whether a line of actions or a position has an opening: it is not blank, nor a comment.
pub(super) fn book_line_has_opening(line: &[u8]) -> bool {
    !matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}

/// Reads a line of actions, which begins at `start`. They are separated by `;`, or are a JSON list;
/// a comment follows `#`.
pub(super) fn parse_book_action_line(line: &[u8], start: u64) -> Result<BookEntry, EntryError> {
    let text = decode_book_line(line, start)?;
    if text.trim_start().starts_with('[') {
        return parse_book_json_line(text, start);
    }
    let text = text.split('#').next().unwrap_or_default();
    Ok(BookEntry { fen: None, actions: split_book_actions(text, start) })
}

/// Reads a line that begins with a JSON list of actions, perhaps followed by a comment. Every action
/// has the byte range of the list.
fn parse_book_json_line(line: &str, start: u64) -> Result<BookEntry, EntryError> {
    let start = start + (line.len() - line.trim_start().len()) as u64;
    let line = line.trim();
    let whole = || {
        let label = "expected a JSON list of strings, such as `[\"e2e4\", \"e7e5\"]`";
        EntryError::new(start..start + line.len() as u64, label)
    };
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<Vec<String>>();
    let Some(Ok(texts)) = values.next() else { return Err(whole()) };
    let end = values.byte_offset();
    let rest = line[end..].trim_start();
    if texts.is_empty() || !(rest.is_empty() || rest.starts_with('#')) {
        return Err(whole());
    }
    let actions = texts.into_iter().map(|text| (text, start..start + end as u64)).collect();
    Ok(BookEntry { fen: None, actions })
}

/// The parts of a line that begins at `start`, without outer blanks.
fn split_book_actions(actions: &str, mut start: u64) -> Vec<BookText> {
    let part = |text: &str| {
        let from = start + (text.len() - text.trim_start().len()) as u64;
        start += text.len() as u64 + 1;
        let text = text.trim();
        (text.to_owned(), from..from + text.len() as u64)
    };
    actions.split(';').map(part).collect()
}

/// Reads a position in FEN or EPD, which begins at `start`. Of the operations of EPD, only those are
/// used that stand for the counters of a FEN: `hmvc` and `fmvn`.
pub(super) fn parse_book_position_line(line: &[u8], start: u64) -> Result<BookEntry, EntryError> {
    let text = decode_book_line(line, start)?;
    let from = start + (text.len() - text.trim_start().len()) as u64;
    let text = text.trim();
    let at = from..from + text.len() as u64;
    let words: Vec<&str> = text.split_ascii_whitespace().map(|it| it.trim_matches(';')).collect();
    // Operations begin with a letter. Whatever looks like a number is a counter, even a wrong one.
    let looks_like_one = |it: &&str| it.starts_with(|it: char| it == '-' || it.is_ascii_digit());
    let is_counter = |at: usize| words.get(at).is_some_and(looks_like_one);
    let counters = (4..6).take_while(|&at| is_counter(at)).count();
    let mut fen = words[..(4 + counters).min(words.len())].join(" ").trim_end().to_owned();
    if counters == 0 && words.len() > 4 {
        let [stale, number] =
            ["hmvc", "fmvn"].map(|code| find_epd_operand(text, code).unwrap_or("-"));
        if [stale, number] != ["-", "-"] {
            fen = format!("{fen} {stale} {number}");
        }
    }
    Ok(BookEntry { fen: Some((fen, at)), actions: Vec::new() })
}

/// The operand of the operation with this code behind the four fields of a position.
fn find_epd_operand<'l>(line: &'l str, code: &str) -> Option<&'l str> {
    let mut rest = line;
    for _ in 0..4 {
        rest = rest.trim_start().split_once(|it: char| it.is_ascii_whitespace())?.1;
    }
    let mut is_quoted = false;
    let ends = |it: char| {
        is_quoted ^= it == '"';
        it == ';' && !is_quoted
    };
    let words = rest.split(ends).map(|operation| operation.trim().split_once(' '));
    let (_, operand) = words.flatten().find(|(found, _)| *found == code)?;
    Some(operand.trim()).filter(|it| is_epd_counter(it))
}

fn is_epd_counter(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// The text of a line, which begins at `start`.
fn decode_book_line(line: &[u8], start: u64) -> Result<&str, EntryError> {
    std::str::from_utf8(line).map_err(|error| {
        let at = start + error.valid_up_to() as u64;
        EntryError::new(at..at + 1, "this is not UTF-8; save the file as UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening_books::book_entry::BookSpan;

    #[test]
    fn a_line_is_a_list_of_actions_or_a_json_list() {
        let all = |line: &str| -> Result<String, BookSpan> {
            let texts = |it: BookEntry| it.actions.into_iter().map(|it| it.0).collect::<Vec<_>>();
            match parse_book_action_line(line.as_bytes(), 10) {
                Ok(entry) => Ok(texts(entry).join("|")),
                Err(EntryError::Wrong(problem)) => Err(problem.at),
                Err(EntryError::Unreadable(error)) => panic!("{error}"),
            }
        };
        assert_eq!(all("a ; b # c"), Ok("a|b".to_owned()));
        assert_eq!(all(" [\"a;b\", \"c#\"] # d"), Ok("a;b|c#".to_owned()));
        assert_eq!(all("[1]"), Err(10..13));
        assert_eq!(all(" [] "), Err(11..13));
        assert_eq!(all("[\"a\"] b"), Err(10..17));
        let entry = parse_book_action_line(b" [\"a\", \"b\"]", 2).expect("two");
        assert!(entry.actions.iter().all(|it| it.1 == (3..13)));
        assert_eq!(
            parse_book_action_line(b"ab; cd", 2).expect("two").actions[1],
            ("cd".to_owned(), 6..8)
        );
        assert!(parse_book_action_line(b"a;\xff", 0).is_err());
        assert!(
            book_line_has_opening(b" x")
                && !book_line_has_opening(b"  ")
                && !book_line_has_opening(b" # x")
        );
    }

    #[test]
    fn counters_come_from_a_fen_or_from_operations() {
        for (line, fen) in [
            ("8/8 w - - bm Nf3; id \"x\";", "8/8 w - -"),
            ("8/8 b - - 3 7", "8/8 b - - 3 7"),
            ("8/8 b - - 3 7 bm Nf3;", "8/8 b - - 3 7"),
            ("8/8 b - - - -", "8/8 b - - - -"),
            ("8/8 b - - 3", "8/8 b - - 3"),
            ("8/8 b - - -1 7", "8/8 b - - -1 7"),
            ("8/8 b - - ;", "8/8 b - -"),
            ("8/8 b - -;", "8/8 b - -"),
            ("8/8 b", "8/8 b"),
            ("8/8 w - - hmvc 5; fmvn 9; id \"a b;c\";", "8/8 w - - 5 9"),
            ("8/8 w - - id \"hmvc 5; fmvn 9;\"; fmvn 4;", "8/8 w - - - 4"),
            ("8/8 w - - hmvc 7;", "8/8 w - - 7 -"),
            ("8/8 w - - hmvc x;", "8/8 w - -"),
        ] {
            let entry = parse_book_position_line(line.as_bytes(), 5).expect(line);
            assert_eq!(entry.fen, Some((fen.to_owned(), 5..5 + line.len() as u64)));
        }
    }
}
