//! Problems in a configuration and how they are shown: file, line, column, the source line with a
//! caret, then what to do.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::ConfigError;
use referee_protocol::escape::{escape_line, escape_lines};
use referee_report::colour::{Colour, ColouredText};

fn problem_renderer(colour: Colour) -> Renderer {
    match colour {
        Colour::Plain => Renderer::plain(),
        Colour::Ansi => Renderer::styled(),
    }
}

/// A configuration's text and file name.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceText<'a> {
    /// The file's name as the user gave it.
    pub name: &'a str,
    /// The file's text.
    pub text: &'a str,
}

pub(super) type ByteSpan = Range<usize>;

/// The lines of a text that a problem is about. The renderer takes the source apart into lines, and
/// a file may have millions of them.
struct ProblemExcerpt<'a> {
    text: &'a str,
    /// The number of its first line.
    line: usize,
    /// Where it begins in the source.
    begin: usize,
}

impl<'a> ProblemExcerpt<'a> {
    /// The lines from the first to the last of these places. The renderer leaves out those between.
    fn around<'s>(source: &'a str, spans: impl Iterator<Item = &'s ByteSpan> + Clone) -> Self {
        let first = spans.clone().map(|span| span.start).min().unwrap_or(0);
        let last = spans.map(|span| span.end.max(span.start)).max().unwrap_or(0);
        let before = &source.as_bytes()[..first.min(source.len())];
        let begin = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let after = &source.as_bytes()[last.min(source.len())..];
        let end = after.iter().position(|&byte| byte == b'\n').map(|at| last + at + 1);
        let line = 1 + source[..begin].matches('\n').count();
        Self { text: &source[begin..end.unwrap_or(source.len())], line, begin }
    }

    /// A place of the source in the excerpt.
    fn span(&self, at: &ByteSpan) -> ByteSpan {
        let within = |at: usize| (at - self.begin).min(self.text.len());
        within(at.start)..within(at.end.max(at.start))
    }
}

/// The most lines to list that have the same problem.
const LISTED: usize = 10;

/// A line of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OtherLine {
    /// The name of the file.
    file: String,
    text: String,
    /// The number of the line, from 1.
    number: usize,
}

/// One problem: what is wrong, where, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    title: String,
    at: ByteSpan,
    label: String,
    earlier: Option<(ByteSpan, String)>,
    help: Option<String>,
    /// Further places with the same problem.
    again: Vec<ByteSpan>,
    /// The line that it is in, if that is not in the configuration.
    elsewhere: Option<OtherLine>,
}

impl Problem {
    /// Says that `text` is not TOML.
    pub(super) fn not_toml(text: &str, error: &toml::de::Error) -> Self {
        let at = error.span().unwrap_or(0..0);
        let is_player = text.get(at.clone()) == Some("players");
        let problem = Self::new(at, "this is not TOML").label(error.message());
        let help = "write `[[players]]`, in double brackets, above each player";
        if is_player { problem.help(help) } else { problem }
    }

    /// A problem at `at`.
    pub(super) fn new(at: ByteSpan, title: impl Into<String>) -> Self {
        let title = title.into();
        Self {
            title,
            at,
            label: String::new(),
            earlier: None,
            help: None,
            again: Vec::new(),
            elsewhere: None,
        }
    }

    /// Adds a label next to the caret that says what was expected.
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Also points at an earlier place in the file.
    pub(super) fn earlier(mut self, at: ByteSpan, label: impl Into<String>) -> Self {
        self.earlier = Some((at, label.into()));
        self
    }

    /// Adds help that says what to do.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Places the problem in a line of another file, one that the configuration names.
    pub(super) fn in_file(mut self, file: &str, text: String, number: usize) -> Self {
        self.elsewhere = Some(OtherLine { file: file.to_owned(), text, number });
        self
    }

    fn render(&self, source: SourceText<'_>, level: Level<'_>, colour: Colour) -> String {
        let line = self.elsewhere.as_ref();
        let first = line.map_or(1, |line| line.number);
        let source =
            line.map_or(source, |OtherLine { file, text, .. }| SourceText { name: file, text });
        let earlier = self.earlier.as_ref();
        let spans = [Some(&self.at), earlier.map(|(at, _)| at)];
        let excerpt = ProblemExcerpt::around(source.text, spans.into_iter().flatten());
        // The renderer escapes the source text, but not all of the rest.
        let primary =
            AnnotationKind::Primary.span(excerpt.span(&self.at)).label(escape_lines(&self.label));
        let earlier = earlier.map(|(at, label)| {
            AnnotationKind::Context.span(excerpt.span(at)).label(escape_lines(label))
        });
        let snippet = Snippet::source(excerpt.text)
            .line_start(first + excerpt.line - 1)
            .path(escape_line(source.name))
            .annotation(primary)
            .annotations(earlier);
        let again = self.describe_repeats(source.text).map(|again| Level::NOTE.message(again));
        let help = self.help.as_ref().map(|help| Level::HELP.message(escape_lines(help)));
        let title = escape_lines(&self.title);
        let group: Group<'_> =
            level.primary_title(title).element(snippet).elements(again).elements(help);
        problem_renderer(colour).render(&[group])
    }

    /// Lists the further lines with the same problem.
    fn describe_repeats(&self, text: &str) -> Option<String> {
        let line = |at: &ByteSpan| 1 + text[..at.start].matches('\n').count();
        let lines: Vec<String> =
            self.again.iter().take(LISTED).map(|at| line(at).to_string()).collect();
        let rest = match self.again.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        match &lines[..] {
            [] => None,
            [line] => Some(format!("the same on line {line}")),
            lines => Some(format!("the same on lines {}{rest}", lines.join(", "))),
        }
    }

    /// Whether `other` is the same problem at another place in the configuration.
    fn is_repeat_of(&self, other: &Self) -> bool {
        (&self.title, &self.label, &self.help) == (&other.title, &other.label, &other.help)
            && self.earlier == other.earlier
            && self.elsewhere.is_none()
            && other.elsewhere.is_none()
    }
}

/// A problem with a value given in a file or on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InvalidValue {
    title: String,
    help: String,
}

impl InvalidValue {
    /// Says what is wrong, and what to do about it.
    pub(super) fn new(title: impl Into<String>, help: impl Into<String>) -> Self {
        Self { title: title.into(), help: help.into() }
    }

    /// The same error with other advice.
    pub(super) fn with_help(self, help: String) -> Self {
        Self { help, ..self }
    }

    /// Turns the error into a problem at a place in the file.
    pub(super) fn into_problem(self, at: ByteSpan) -> Problem {
        Problem::new(at, self.title).help(self.help)
    }

    /// The error about `thing` on the command line, as a sentence.
    pub(super) fn describe_argument(self, thing: &str) -> String {
        format!("{thing}: {}; {}", self.title, self.help)
    }
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    found: Vec<Problem>,
    /// How many of them concern only a single player.
    of_players: usize,
    /// A failure that the file did not cause, if there was one.
    failure: Option<ConfigError>,
}

impl Problems {
    /// The problems that were noted with the keys, for a check that notes its own after them.
    pub(super) fn copy_for_check(&self) -> Self {
        Self { found: self.found.clone(), of_players: self.of_players, failure: None }
    }

    /// Notes a failure that the file did not cause. It is reported instead of all problems.
    pub(super) fn fail(&mut self, failure: impl Into<ConfigError>) {
        self.failure.get_or_insert(failure.into());
    }

    /// Notes a problem.
    pub(super) fn add(&mut self, problem: Problem) {
        self.found.push(problem);
    }

    /// Notes several problems.
    pub(super) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.found.extend(problems);
    }

    /// Runs `work`, in which every problem concerns only a single player.
    pub(super) fn in_players<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.found.len();
        let done = work(self);
        self.of_players += self.found.len() - before;
        done
    }

    /// Whether no problems were noted.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether all problems concern only single players.
    pub(super) fn are_only_of_players(&self) -> bool {
        self.found.len() == self.of_players
    }

    /// The problems in the order of the file, with those of other files last. A repeated problem is
    /// listed once, at its first place, with the others named.
    fn sorted(mut self) -> Vec<Problem> {
        self.found.sort_by_key(|problem| {
            let line = problem.elsewhere.as_ref().map(|line| line.number);
            (line, problem.at.start)
        });
        let mut sorted: Vec<Problem> = Vec::new();
        for problem in self.found {
            match sorted.iter_mut().find(|first| first.is_repeat_of(&problem)) {
                // Two checks may find it at the same place.
                Some(first) if first.at == problem.at => {}
                Some(first) => first.again.push(problem.at),
                None => sorted.push(problem),
            }
        }
        sorted
    }

    /// Renders all problems as one message, in the order of the file, with those of other files
    /// last. Whoever prints the message adds the first `error:`.
    pub(super) fn render(self, source: SourceText<'_>, colour: Colour) -> ColouredText {
        let texts = self.sorted().into_iter().enumerate().map(|(index, problem)| {
            let level = if index == 0 { Level::ERROR.no_name() } else { Level::ERROR };
            problem.render(source, level, colour)
        });
        ColouredText::coloured_by_library(&texts.collect::<Vec<_>>().join("\n\n"))
    }

    /// Turns all problems into an error.
    pub(super) fn into_error(self, source: SourceText<'_>, colour: Colour) -> ConfigError {
        match self.failure {
            Some(failure) => failure,
            None => ConfigError::Written(self.render(source, colour)),
        }
    }
}

/// The one of `known` that the user may have meant by `given`.
pub fn find_similar_word<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    known
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(given, word), word))
        .filter(|&(distance, word)| distance <= 1 + word.chars().count() / 4)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, word)| word)
}

/// Suggests the most similar of `known` instead of `given`, or lists all of them.
pub(super) fn suggest_similar_word<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<_> = known.into_iter().collect();
    match find_similar_word(given, known.iter().copied()) {
        Some(word) => format!("did you mean `{}`?", word.escape_debug()),
        None => format!("expected {}", format_alternatives(&known)),
    }
}

/// Joins the words: `` `a`, `b` or `c` ``.
pub(super) fn format_alternatives(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{}`", word.escape_debug())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_offered_and_a_far_one_is_not() {
        let known = ["name", "game", "pairs", "fault-policy"];
        assert_eq!(suggest_similar_word("pair", known), "did you mean `pairs`?");
        assert_eq!(suggest_similar_word("fault_policy", known), "did you mean `fault-policy`?");
        assert_eq!(
            suggest_similar_word("x", ["a-long-one", "b-long-one", "c-long-one"]),
            "expected `a-long-one`, `b-long-one` or `c-long-one`"
        );
    }

    #[test]
    fn problems_are_shown_in_the_order_of_the_file() {
        let source = SourceText { name: "cup.toml", text: "a = 1\nb = 2\n" };
        let mut problems = Problems::default();
        problems.add(Problem::new(6..7, "second").label("there"));
        problems.add(Problem::new(0..1, "first").help("write it well"));
        let expected = "\
first
 --> cup.toml:1:1
  |
1 | a = 1
  | ^
  |
  = help: write it well

error: second
 --> cup.toml:2:1
  |
2 | b = 2
  | ^ there";
        assert_eq!(problems.render(source, Colour::Plain), expected);
    }

    #[test]
    fn only_the_lines_of_a_problem_are_taken_apart() {
        let source = "a = 1\nb = 2\nc = 3\nd = 4\n";
        let around = |one: ByteSpan, other: ByteSpan| {
            let ProblemExcerpt { text, line, begin } =
                ProblemExcerpt::around(source, [&one, &other].into_iter());
            (text.to_owned(), line, begin)
        };
        assert_eq!(around(6..7, 6..7), ("b = 2\n".to_owned(), 2, 6));
        assert_eq!(around(14..15, 6..7), ("b = 2\nc = 3\n".to_owned(), 2, 6));
        assert_eq!(around(24..24, 24..24), (String::new(), 5, 24));
        let text = "\n".repeat(200_000) + "x = 1\n";
        let mut problems = Problems::default();
        problems.add(Problem::new(200_000..200_001, "wrong"));
        let shown = problems.render(SourceText { name: "book", text: &text }, Colour::Plain);
        assert!(shown.contains("--> book:200001:1\n"), "{shown}");
    }

    #[test]
    fn repeated_problems_are_listed_once() {
        let text = "a = 1\n".repeat(14);
        let source = SourceText { name: "cup.toml", text: &text };
        let mut problems = Problems::default();
        for at in (0..text.len()).step_by(6) {
            problems.add(Problem::new(at..at + 1, "no Python").help("install it"));
        }
        problems.add(Problem::new(4..5, "no Python").help("write another"));
        let expected = "\
no Python
 --> cup.toml:1:1
  |
1 | a = 1
  | ^
  |
  = note: the same on lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more
  = help: install it

error: no Python
 --> cup.toml:1:5
  |
1 | a = 1
  |     ^
  |
  = help: write another";
        assert_eq!(problems.render(source, Colour::Plain), expected);
    }
}
