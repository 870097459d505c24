//! Reads the start positions and moves of games in PGN, without their comments and variations.
//!
//! It reads the import format of the standard as tokens. A tag after moves, or after the empty line
//! that ends a tag section, begins a game, even in a variation that was never closed.

use super::book_bytes::BookBytes;
use super::book_entry::{BookEntry, EntryError};

/// What ends a word of the moves.
const ENDS_WORD: &[u8] = b"{}()[];$*<>";
/// The most bytes of a word or a value that are kept; no move and no position is longer.
const KEPT: usize = 256;
/// The most plies of an opening that are kept.
const MOST_PLIES: usize = 2_000;

/// Goes past the next game. Returns the place of its first tag or move; `None` after the last game.
pub(super) fn skip_pgn_game(bytes: &mut BookBytes) -> Result<Option<u64>, EntryError> {
    let mut scanner = PgnScanner::new(bytes, 0);
    scanner.scan()?;
    Ok(scanner.start)
}

/// Reads the game that begins here, up to this many plies.
pub(super) fn read_pgn_game(bytes: &mut BookBytes, plies: usize) -> Result<BookEntry, EntryError> {
    let mut scanner = PgnScanner::new(bytes, plies.min(MOST_PLIES));
    scanner.scan()?;
    Ok(scanner.game)
}

/// The part of a game read so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GameSection {
    /// Nothing, or tags.
    Tags,
    /// Something that follows tags.
    Moves,
}

struct PgnScanner<'b> {
    bytes: &'b mut BookBytes,
    game: BookEntry,
    /// The most plies to keep.
    plies: usize,
    /// Where the game begins, if it has begun.
    start: Option<u64>,
    section: GameSection,
    /// How many variations are open, and the place of the outermost.
    depth: u32,
    opened: u64,
    /// The line ends since the last token.
    line_ends: u32,
}

impl<'b> PgnScanner<'b> {
    fn new(bytes: &'b mut BookBytes, plies: usize) -> Self {
        // The beginning of a game counts as that of a line.
        let (game, section) = (BookEntry::default(), GameSection::Tags);
        Self { bytes, game, plies, start: None, section, depth: 0, opened: 0, line_ends: 1 }
    }

    /// Reads the whole game.
    fn scan(&mut self) -> Result<(), EntryError> {
        while let Some(byte) = self.skip_blanks()? {
            let line_ends = std::mem::take(&mut self.line_ends);
            let from = self.bytes.at();
            match byte {
                b'[' => {
                    let is_next = self.section == GameSection::Moves || line_ends > 1;
                    if is_next && self.start.is_some() {
                        return Ok(());
                    }
                    self.start.get_or_insert(from);
                    self.read_tag()?;
                }
                b'{' if !self.bytes.pass_until(b'}')? => {
                    return Err(EntryError::new(from..from + 1, "this comment has no `}`"));
                }
                b'{' => {}
                b';' => self.skip_line()?,
                b'%' if line_ends > 0 => self.skip_line()?,
                _ => {
                    self.start.get_or_insert(from);
                    self.section = GameSection::Moves;
                    if self.read_token(byte)? {
                        if self.start != Some(from) {
                            return Ok(());
                        }
                        // A result of nothing.
                        (self.start, self.section) = (None, GameSection::Tags);
                    }
                }
            }
        }
        if self.depth > 0 {
            let at = self.opened..self.opened + 1;
            return Err(EntryError::new(at, "this variation has no `)`"));
        }
        Ok(())
    }

    /// Goes to the next byte that is not blank.
    fn skip_blanks(&mut self) -> Result<Option<u8>, EntryError> {
        while let Some(byte) = self.bytes.peek()? {
            self.line_ends += u32::from(byte == b'\n');
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.bytes.pass(1);
        }
        Ok(None)
    }

    /// Goes to the end of the line.
    fn skip_line(&mut self) -> Result<(), EntryError> {
        self.line_ends = u32::from(self.bytes.pass_until(b'\n')?);
        Ok(())
    }

    /// Reads something of the moves that begins with `byte`; true if it is the result.
    fn read_token(&mut self, byte: u8) -> Result<bool, EntryError> {
        match byte {
            b'(' => {
                if self.depth == 0 {
                    self.opened = self.bytes.at();
                }
                self.depth += 1;
                self.bytes.pass(1);
            }
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                self.bytes.pass(1);
            }
            _ => return self.read_word(),
        }
        Ok(false)
    }

    /// Reads a tag such as `[FEN "…"]`.
    fn read_tag(&mut self) -> Result<(), EntryError> {
        let from = self.bytes.at();
        let wrong = |at: u64| EntryError::new(from..at, "expected a tag such as `[White \"Ann\"]`");
        self.bytes.pass(1);
        self.skip_blanks()?;
        let mut name = Vec::new();
        while let Some(byte) = self.bytes.peek()? {
            if !(byte.is_ascii_alphanumeric() || byte == b'_') {
                break;
            }
            push_pgn_byte(&mut name, byte);
            self.bytes.pass(1);
        }
        let quote = self.skip_blanks()?;
        if name.is_empty() || quote != Some(b'"') {
            return Err(wrong(self.bytes.at()));
        }
        self.bytes.pass(1);
        let value = self.read_tag_value()?.ok_or_else(|| wrong(self.bytes.at()))?;
        if name.eq_ignore_ascii_case(b"FEN") {
            let at = from..self.bytes.at();
            if self.game.fen.is_some() {
                return Err(EntryError::new(at, "this game already has a start position"));
            }
            self.game.fen = Some((value, at));
        }
        self.line_ends = 0;
        Ok(())
    }

    /// Reads the value of a tag behind its first quote, and the end of the tag. `None` if it is not
    /// one. A quote that the tag does not end with belongs to the value, in one line.
    fn read_tag_value(&mut self) -> Result<Option<String>, EntryError> {
        let (mut value, mut has_quote, mut lines) = (Vec::new(), false, 0);
        self.line_ends = 0;
        while let Some(byte) = self.bytes.next()? {
            match byte {
                b'\\' => push_pgn_byte(&mut value, self.bytes.next()?.unwrap_or(byte)),
                b'"' if self.skip_blanks()? == Some(b']') => {
                    self.bytes.pass(1);
                    return Ok(Some(String::from_utf8_lossy(&value).into_owned()));
                }
                _ => {
                    has_quote |= byte == b'"';
                    lines += u32::from(byte == b'\n');
                    push_pgn_byte(&mut value, byte);
                }
            }
            if has_quote && lines + self.line_ends > 0 {
                return Ok(None);
            }
            self.line_ends = 0;
        }
        Ok(None)
    }

    /// Reads a move, its number, a mark or a result; true if it is the result of the game.
    fn read_word(&mut self) -> Result<bool, EntryError> {
        let from = self.bytes.at();
        let mut word = Vec::new();
        // A mark such as `$1` begins with a character that ends a word.
        while let Some(byte) = self.bytes.peek()? {
            let ends = byte.is_ascii_whitespace() || ENDS_WORD.contains(&byte);
            if ends && self.bytes.at() > from {
                break;
            }
            push_pgn_byte(&mut word, byte);
            self.bytes.pass(1);
            if byte == b'*' {
                break;
            }
        }
        if self.depth > 0 {
            return Ok(false);
        }
        let word = String::from_utf8_lossy(&word);
        if ["1-0", "0-1", "1/2-1/2", "1/2", "*"].contains(&&*word) {
            return Ok(true);
        }
        let unnumbered = word.trim_start_matches(|it: char| it.is_ascii_digit());
        let bare = match unnumbered {
            "" => "",
            rest if rest.starts_with('.') => rest.trim_start_matches('.'),
            _ => &*word,
        };
        let is_mark = bare.trim_matches(['!', '?']).is_empty() || bare.starts_with('$');
        if !is_mark && bare != "e.p." && self.game.actions.len() < self.plies {
            let to = self.bytes.at();
            let at = from.max(to.saturating_sub(bare.len() as u64))..to;
            self.game.actions.push((bare.to_owned(), at));
        }
        Ok(false)
    }
}

/// Adds a byte to a text, if its kept beginning has room.
fn push_pgn_byte(text: &mut Vec<u8>, byte: u8) {
    if text.len() < KEPT {
        text.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening_books::book_bytes::BookStream;
    use crate::opening_books::book_entry::BookSpan;

    fn bytes(text: &[u8]) -> BookBytes {
        let text = text.to_vec();
        BookBytes::new(BookStream::Unpacked(Box::new(std::io::Cursor::new(text)))).expect("bytes")
    }

    fn games(text: &[u8]) -> Result<Vec<BookEntry>, EntryError> {
        let mut scanned = bytes(text);
        let mut starts = Vec::new();
        while let Some(start) = skip_pgn_game(&mut scanned)? {
            starts.push(start);
        }
        let mut read = bytes(text);
        let game = |start| {
            read.skip_to(start)?;
            read_pgn_game(&mut read, usize::MAX)
        };
        starts.into_iter().map(game).collect()
    }

    fn words(game: &BookEntry) -> String {
        let fen = game.fen.iter().map(|it| format!("<{}>", it.0));
        fen.chain(game.actions.iter().map(|it| it.0.clone())).collect::<Vec<_>>().join(" ")
    }

    fn moves(text: &str) -> Vec<String> {
        games(text.as_bytes()).expect("games").iter().map(words).collect()
    }

    fn wrong(text: &str) -> (BookSpan, String) {
        match games(text.as_bytes()).expect_err(text) {
            EntryError::Wrong(problem) => (problem.at, problem.label),
            EntryError::Unreadable(error) => panic!("{error}"),
        }
    }

    #[test]
    fn comments_marks_and_variations_are_passed_over() {
        let text = "[Event \"a [b] c\"]\r\n[White \"Ann\"]\r\n\r\n1. e4 {good (or not)} e5 $1 2.Nf3! \
                    (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 ; the end\n% no\n3. O-O-O ?! 0-0 1-0\n\n\
                    [Event \"x\"]\n\n*\n[Event \"y\"]\n1.d4 d5\n[Event \"z\"]\n1. c4 1/2-1/2";
        assert_eq!(moves(text), ["e4 e5 Nf3! Nc6 O-O-O 0-0", "", "d4 d5", "c4"]);
        assert_eq!(moves("1. e4 e5"), ["e4 e5"]);
        assert_eq!(moves("; a book\n\n% of nothing\n{at all}\n"), [""; 0]);
    }

    #[test]
    fn tags_are_tokens() {
        for tags in [
            "[SetUp \"1\"] [FEN \"8/8 w\"]\n\n",
            "[Event\"x\"][FEN\"8/8 w\"]",
            "[Event\n\"x\"]\n[\n FEN\n  \"8/8 w\"\n]\n",
            "[Event \"x\"] ; a comment\n[FEN \"8/8 w\"] {and\n\nmore}\n",
            "[FEN \"8/8 w\"]\n[White \"The \\\"Big\\\" one\"]\n[Black \"The \"Big\" one\"]\n\n",
            "% a line\n[FEN \"8/8 w\"]\n",
        ] {
            let text = format!("{tags}1. e4 Nc6*\n2. d4 *");
            assert_eq!(moves(&text), ["<8/8 w> e4 Nc6", "d4"], "{tags}");
        }
    }

    #[test]
    fn any_bytes_may_stand_in_tags_and_comments() {
        let text = b"\xef\xbb\xbf[White \"M\xfcller\"]\n\n1. e4 {K\xf6ln} e5 *";
        assert_eq!(games(text).expect("a game").iter().map(words).collect::<Vec<_>>(), ["e4 e5"]);
    }

    #[test]
    fn a_tag_section_begins_a_game() {
        let text = "[FEN \"a\"]\n\n[FEN \"b\"]\n\n[Event \"c\"]\n\n1. e4 (1. d4 (1. c4) d5 *\n\n[Event \
                    \"d\"]\n\n1. d4 *\n\n[Event \"e\"]\n";
        assert_eq!(moves(text), ["<a>", "<b>", "e4", "d4", ""]);
    }

    #[test]
    fn a_game_has_its_own_start() {
        let text = "[SetUp \"1\"]\n[FEN \"8/8 w - - 0 1\"]\n\n1. e4 *\n";
        let games = games(text.as_bytes()).expect("a game");
        assert_eq!(games[0].fen, Some(("8/8 w - - 0 1".to_owned(), 12..33)));
        assert_eq!(games[0].actions, [("e4".to_owned(), 38..40)]);
    }

    #[test]
    fn what_is_not_closed_is_an_error() {
        assert_eq!(wrong("1. e4 {good").0, 6..7);
        assert_eq!(wrong("1. e4 (1. d4 (1. c4) *\n1. d4 *").0, 6..7);
        for (text, at) in [
            ("[Event]\n", 0..6),
            ("[\"a\"]\n", 0..1),
            ("[White \"Ann]\n[FEN \"8/8 w\"]\n\n1. e4 *", 0..19),
            ("[White \"A \"B\" C]\n1. e4 *", 0..17),
            ("[White \"Ann", 0..11),
        ] {
            assert_eq!(wrong(text).0, at, "{text}");
        }
        let twice = wrong("[FEN \"a\"]\n[FEN \"b\"]\n");
        assert_eq!(twice, (10..19, "this game already has a start position".to_owned()));
    }
}
