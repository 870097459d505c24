//! `help`: describes a command, or shows a page of the documentation as text.

use clap::{Args, Command};

use super::{Failure, Status};
use crate::printer::{Colour, ColouredText, Printer};
use referee_config::find_similar_word;
use referee_report::wrap::{wrap, wrap_paragraph};

/// The greatest width of text that reads well, in columns.
const GREATEST_WIDTH: usize = 100;

/// Arguments of `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A command, or a topic
    #[arg(value_name = "COMMAND or TOPIC")]
    pub(crate) words: Vec<String>,
}

/// A page of the documentation, or a section of one.
struct HelpTopic {
    name: &'static str,
    page: &'static str,
    /// The line with the heading of the section; empty for the whole page.
    heading: &'static str,
}

/// Defines topics by the names of their pages, and by a heading if they are sections.
macro_rules! topics {
    ($($name:literal: $page:literal $($heading:literal)?,)*) => {
        [$(HelpTopic {
            name: $name,
            page: include_str!(concat!("../../docs/", $page, ".md")),
            heading: concat!($($heading)?),
        }),*]
    };
}

static TOPICS: &[HelpTopic] = &topics! {
    "players": "players",
    "protocol": "protocol",
    "faults": "protocol" "## Faults",
    "clock": "configuration" "## `[clock]`",
    "limits": "containment" "## Configuration",
    "containment": "containment",
    "configuration": "configuration",
    "formats": "configuration" "## Formats",
    "running": "running",
    "recipes": "recipes",
    "league": "league",
    "many-machines": "many-machines",
    "results": "results",
    "ratings": "ratings",
    "report": "report",
    "games": "games",
    "classes": "classes",
};

/// The names of the topics.
fn help_topic_names<'a>() -> impl Iterator<Item = &'a str> {
    TOPICS.iter().map(|topic| topic.name)
}

/// Shows the help of `program` or of one of its commands, or a topic.
pub(crate) fn run(
    args: &HelpArgs,
    mut program: Command,
    printer: Printer,
) -> Result<Status, Failure> {
    let width = printer.width().min(GREATEST_WIDTH);
    let topic = match &args.words[..] {
        [word] => TOPICS.iter().find(|topic| topic.name == word),
        _ => None,
    };
    let text = if let Some(topic) = topic {
        topic.text(printer.colour, width)
    } else {
        program.build();
        let command = find_help_command(&mut program, &args.words)?;
        let is_short = args.words.is_empty();
        let help = if is_short { command.render_help() } else { command.render_long_help() };
        match printer.colour {
            Colour::Ansi => help.ansi().to_string(),
            Colour::Plain => help.to_string(),
        }
    };
    printer.styled(&ColouredText::coloured_by_library(text.trim_end()))?;
    if args.words.is_empty() {
        let topics = help_topic_names().collect::<Vec<_>>().join(", ");
        printer.line(&format!("\n{}", wrap(&format!("Topics: {topics}"), width)))?;
    }
    Ok(Status::Done)
}

/// The command of `program` that these words name.
fn find_help_command<'p>(
    program: &'p mut Command,
    words: &[String],
) -> Result<&'p mut Command, Failure> {
    let Some((word, rest)) = words.split_first() else { return Ok(program) };
    let unknown = unknown_help_topic(word, program);
    find_help_command(program.find_subcommand_mut(word).ok_or(unknown)?, rest)
}

/// The failure if `word` is neither a command of `program` nor a topic.
fn unknown_help_topic(word: &str, program: &Command) -> Failure {
    let shown = program.get_subcommands().filter(|it| !it.is_hide_set());
    let known: Vec<&str> = shown.map(Command::get_name).chain(help_topic_names()).collect();
    let advice = match find_similar_word(word, known) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`referee help` lists them".to_owned(),
    };
    Failure::input(format!("no command or topic `{}`; {advice}", word.escape_debug()))
}

impl HelpTopic {
    /// The topic as text, in lines of at most this many columns, except in code.
    fn text(&self, colour: Colour, columns: usize) -> String {
        let (mut is_code, mut is_wanted) = (false, self.heading.is_empty());
        let mut lines = Vec::new();
        for line in self.page.lines() {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            if !is_code && line.starts_with("## ") && !self.heading.is_empty() {
                is_wanted = line == self.heading;
            }
            let is_shown = !is_fence && !line.starts_with("![") && !line.starts_with("|---");
            if is_wanted && is_shown {
                lines.push(if is_code {
                    format!("    {line}")
                } else {
                    let line = render_help_line(line, colour);
                    let is_item = line.starts_with([' ', '-']);
                    if is_item { wrap(&line, columns) } else { wrap_paragraph(&line, 0, columns) }
                });
            }
        }
        lines.join("\n").trim_end().to_owned()
    }
}

/// A line of a page as text: without links, with a table's row as a sentence.
fn render_help_line(line: &str, colour: Colour) -> String {
    let line = strip_help_links(line);
    if line.starts_with('#') {
        return render_help_emphasis(line.trim_start_matches('#').trim(), colour);
    }
    if let Some(row) = line.strip_prefix('|').and_then(|row| row.strip_suffix('|')) {
        let row = row.replace("\\|", "¦");
        let mut cells = row.split('|').map(str::trim).filter(|cell| !cell.is_empty());
        let first = cells.next().unwrap_or_default();
        let rest = cells.collect::<Vec<_>>().join("; ");
        return format!("  {first}: {rest}").replace('¦', "|");
    }
    let parts = line.split("**").enumerate();
    parts
        .map(
            |(at, part)| {
                if at % 2 == 1 { render_help_emphasis(part, colour) } else { part.to_owned() }
            },
        )
        .collect()
}

fn render_help_emphasis(text: &str, colour: Colour) -> String {
    colour.paint(text, "1").to_string()
}

/// The line with the text of each link in its place.
fn strip_help_links(line: &str) -> String {
    let mut text = line.to_owned();
    while let Some(middle) = text.find("](") {
        let Some(end) = text[middle..].find(')') else { break };
        let mut depth = 0;
        let begin = text[..middle].char_indices().rev().find(|(_, letter)| {
            depth += i32::from(*letter == ']') - i32::from(*letter == '[');
            depth < 0
        });
        let Some((begin, _)) = begin else { break };
        let label = text[begin + 1..middle].to_owned();
        text.replace_range(begin..=middle + end, &label);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_topic_is_a_page_or_a_section_as_text() {
        for topic in TOPICS {
            let text = topic.text(Colour::Plain, 100);
            assert!(text.lines().count() > 5, "{}: {text}", topic.name);
            assert!(!text.contains("](") && !text.contains("```"), "{}: {text}", topic.name);
        }
        let faults = TOPICS.iter().find(|topic| topic.name == "faults").expect("a topic");
        let faults = faults.text(Colour::Plain, 100);
        assert!(faults.starts_with("Faults\n\nA player that commits a fault loses"), "{faults}");
        assert!(faults.contains("\n  `timeout`: no reply in time\n"), "{faults}");
        assert!(faults.contains("\nRetries. With `fault-policy"), "{faults}");
    }

    #[test]
    fn links_become_their_text() {
        let line = "`[clock]` and [`[grades]`](report.md#grades), [a](b) [c]";
        assert_eq!(strip_help_links(line), "`[clock]` and `[grades]`, a [c]");
        assert_eq!(strip_help_links("a](b)"), "a](b)");
    }

    /// Who installs the program has no folder `docs`.
    #[test]
    fn messages_name_topics_and_no_pages() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = ["src", "crates", "templates"].map(|name| root.join(name)).to_vec();
        let (page, command) = (&["docs", "/"].concat(), &["`referee", " help "].concat());
        let mut found = 0;
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).expect("a folder").flatten().map(|it| it.path()) {
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let Ok(text) = fs::read_to_string(&path) else { continue };
                let is_comment = |line: &&str| line.trim_start().starts_with("//");
                for line in text.lines().filter(|line| !is_comment(line)) {
                    let is_page = line.replace("../docs/", "").contains(page);
                    assert!(!is_page, "{}: {line}", path.display());
                    for word in line.split(command).skip(1) {
                        let word = word.split('`').next().unwrap_or_default();
                        let is_known = help_topic_names().any(|name| name == word);
                        assert!(is_known, "{}: {line}", path.display());
                        found += 1;
                    }
                }
            }
        }
        assert!(found > 8, "{found}");
    }
}
