//! Reads the start positions and moves of games in PGN, without their comments and variations.

use super::entry::{BookEntry, EntryProblem};

/// The games of a file in PGN.
pub(super) fn games(text: &str) -> Result<Vec<BookEntry>, EntryProblem> {
    let mut scanner =
        PgnScanner { text, at: 0, depth: 0, game: BookEntry::default(), games: vec![] };
    while scanner.skip_blanks() {
        scanner.next()?;
    }
    scanner.end();
    Ok(scanner.games)
}

/// What ends a word of the moves.
const ENDS_WORD: [char; 8] = ['{', '}', '(', ')', '[', ']', ';', '$'];

struct PgnScanner<'t> {
    text: &'t str,
    /// The next byte.
    at: usize,
    /// How many variations are open.
    depth: u32,
    /// The game so far.
    game: BookEntry,
    games: Vec<BookEntry>,
}

impl PgnScanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Goes to the next character that is not blank; false at the end.
    fn skip_blanks(&mut self) -> bool {
        self.at += self.rest().len() - self.rest().trim_start().len();
        !self.rest().is_empty()
    }

    /// Reads one tag, comment, bracket or word.
    fn next(&mut self) -> Result<(), EntryProblem> {
        let starts_line = self.at == 0 || self.text[..self.at].ends_with('\n');
        match self.rest().chars().next().unwrap_or_default() {
            '[' if self.depth == 0 => self.tag()?,
            '{' => self.at = self.behind('}', "this comment has no `}`")?,
            ';' => self.skip_line(),
            '%' if starts_line => self.skip_line(),
            bracket @ ('(' | ')') => {
                self.depth =
                    if bracket == '(' { self.depth + 1 } else { self.depth.saturating_sub(1) };
                self.at += 1;
            }
            _ => self.word(),
        }
        Ok(())
    }

    /// The place behind the next `end`.
    fn behind(&self, end: char, missing: &str) -> Result<usize, EntryProblem> {
        let found = self.rest().find(end).map(|length| self.at + length + 1);
        found.ok_or_else(|| EntryProblem { at: self.at..self.at + 1, label: missing.to_owned() })
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Reads a tag such as `[FEN "…"]`. After moves, a new game begins.
    fn tag(&mut self) -> Result<(), EntryProblem> {
        if !self.game.actions.is_empty() {
            self.end();
        }
        let line = self.rest().lines().next().unwrap_or_default().trim_end();
        let (from, length) = (self.at, line.len());
        let parts = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')).and_then(|inner| {
            let (name, value) = inner.trim().split_once(|it: char| it.is_ascii_whitespace())?;
            Some((name, value.trim().strip_prefix('"')?.strip_suffix('"')?))
        });
        let Some((name, value)) = parts else {
            let label = "expected a tag such as `[White \"Ann\"]`".to_owned();
            return Err(EntryProblem { at: from..from + length.max(1), label });
        };
        if name.eq_ignore_ascii_case("FEN") {
            self.game.fen = Some((value.to_owned(), from..from + length));
        }
        self.at = from + length;
        Ok(())
    }

    /// Reads a move, its number, a mark or a result.
    fn word(&mut self) {
        // A mark such as `$1` begins with a character that ends a word.
        let first = self.rest().chars().next().map_or(1, char::len_utf8);
        let ends = |it: char| it.is_whitespace() || ENDS_WORD.contains(&it);
        let length = self.rest()[first..].find(ends).map_or(self.rest().len(), |it| first + it);
        let (from, word) = (self.at, self.rest()[..length].to_owned());
        self.at += length;
        if ["1-0", "0-1", "1/2-1/2", "*"].contains(&word.as_str()) {
            if self.depth == 0 {
                self.end();
            }
            return;
        }
        let unnumbered = word.trim_start_matches(|it: char| it.is_ascii_digit());
        let bare = match unnumbered {
            "" => "",
            rest if rest.starts_with('.') => rest.trim_start_matches('.'),
            _ => word.as_str(),
        };
        let is_mark = bare.trim_matches(['!', '?']).is_empty() || bare.starts_with('$');
        if self.depth == 0 && !is_mark && bare != "e.p." {
            let at = from + length - bare.len()..from + length;
            self.game.actions.push((bare.to_owned(), at));
        }
    }

    /// Ends the game, if it has begun.
    fn end(&mut self) {
        let game = std::mem::take(&mut self.game);
        if game != BookEntry::default() {
            self.games.push(game);
        }
        self.depth = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<String> {
        let texts =
            |it: BookEntry| it.actions.into_iter().map(|it| it.0).collect::<Vec<_>>().join(" ");
        games(text).expect("games").into_iter().map(texts).collect()
    }

    #[test]
    fn comments_marks_and_variations_are_passed_over() {
        let text = "[Event \"a [b] c\"]\r\n[White \"Ann\"]\r\n\r\n1. e4 {good (or not)} e5 $1 2.Nf3! \
                    (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 ; the end\n% no\n3. O-O-O ?! 0-0 1-0\n\n\
                    [Event \"x\"]\n\n*\n[Event \"y\"]\n1.d4 d5\n[Event \"z\"]\n1. c4 1/2-1/2";
        assert_eq!(moves(text), ["e4 e5 Nf3! Nc6 O-O-O 0-0", "d4 d5", "c4"]);
        assert_eq!(moves("1. e4 e5"), ["e4 e5"]);
    }

    #[test]
    fn a_game_has_its_own_start() {
        let text = "[SetUp \"1\"]\n[FEN \"8/8 w - - 0 1\"]\n\n1. e4 *\n";
        let games = games(text).expect("a game");
        assert_eq!(games[0].fen, Some(("8/8 w - - 0 1".to_owned(), 12..33)));
        assert_eq!(games[0].actions, [("e4".to_owned(), 38..40)]);
    }

    #[test]
    fn what_is_not_closed_is_an_error() {
        assert_eq!(games("1. e4 {good").expect_err("open").at, 6..7);
        assert_eq!(games("[Event]\n").expect_err("no value").at, 0..7);
    }
}
