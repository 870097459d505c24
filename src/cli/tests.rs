use std::path::{Path, PathBuf};
use std::{fs, iter};

use super::*;

#[test]
fn mistyped_commands_are_corrected_to_the_nearest() {
    for (given, meant) in [("rnu", "run"), ("chekc", "check"), ("rnak", "rank")] {
        let error = Cli::try_parse_from(["referee", given]).expect_err("no command");
        let error = suggest_cli_word(error).to_string();
        assert!(error.contains(&format!("tip: a similar subcommand exists: '{meant}'")), "{error}");
    }
}

#[test]
fn a_mistyped_value_is_corrected_or_another_way_is_shown() {
    let error_of = |line: &str| {
        let error = Cli::try_parse_from(line.split(' ')).expect_err("no such value");
        suggest_cli_word(error).to_string()
    };
    let near = error_of("referee play a b --game bakdraughts");
    assert!(near.contains("tip: a similar value exists: 'backdraughts'"), "{near}");
    let far = error_of("referee play a b --game go");
    assert!(far.contains("tip: any other game needs a rules program"), "{far}");
    let cobol = error_of("referee new player --language cobol");
    assert!(cobol.contains("tip: any other language will do"), "{cobol}");
    assert!(!cobol.contains("similar value"), "{cobol}");
}

#[test]
fn the_help_lists_each_command_in_one_group() {
    let command = Cli::command();
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let mut shown: Vec<&str> = shown.map(clap::Command::get_name).collect();
    let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
    shown.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, shown);
}

#[test]
fn all_commands_in_the_documents_are_commands() {
    let (mut found, mut wrong) = (0, Vec::new());
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for (line, is_whole) in
            examples(&text).zip(iter::repeat(true)).chain(mentions(&text).zip(iter::repeat(false)))
        {
            found += 1;
            let error = error_of(line).filter(|error| is_wrong(error.kind(), is_whole));
            wrong.extend(error.map(|error| format!("{}: {line}: {error}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found > 100, "{found}");
}

/// Whether an error is one in a document, which may have placeholders as values. What a text
/// mentions need not be whole.
fn is_wrong(kind: ErrorKind, is_whole: bool) -> bool {
    match kind {
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => false,
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => true,
        _ => is_whole,
    }
}

#[test]
fn all_examples_in_the_help_are_commands() {
    let (mut found, mut wrong) = (0, Vec::new());
    let mut commands = vec![Cli::command()];
    while let Some(command) = commands.pop() {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples = help.lines().filter_map(|line| line.strip_prefix("  referee "));
        for example in examples.map(|line| line.split("  ").next().unwrap_or_default()) {
            found += 1;
            let error = error_of(&format!("referee {example}"));
            wrong.extend(error.map(|error| format!("{}: {example}: {error}", command.get_name())));
        }
        commands.extend(command.get_subcommands().cloned());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found > 20, "{found}");
}

/// The pages for people.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).expect("a folder").flatten();
    let pages =
        docs.map(|entry| entry.path()).filter(|path| path.extension() == Some("md".as_ref()));
    pages
        .chain(["README.md", "games/README.md", "players/README.md"].map(|it| root.join(it)))
        .collect()
}

/// The lines of code blocks that call the referee, without prompt and comment.
fn examples(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("\n```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).map(|line| line.strip_prefix("$ ").unwrap_or(line));
    lines.filter(|line| line.starts_with("referee "))
}

/// The commands named within a text. `COMMAND` stands for any of them.
fn mentions(page: &str) -> impl Iterator<Item = &str> {
    let texts = page.split("\n```").step_by(2);
    let spans = texts.flat_map(|text| text.split('`').skip(1).step_by(2));
    let is_one = |span: &&str| !span.contains('\n') && !span.contains("COMMAND");
    spans.filter(|span| span.starts_with("referee ")).filter(is_one)
}

/// The problem with a command line, read up to a comment, a redirection or another command.
fn error_of(line: &str) -> Option<clap::Error> {
    let command = line.split(['\\', ';', '|', '<', '>', '&']).next().unwrap_or_default();
    let command = command.split(" #").next().unwrap_or_default();
    let words = shlex::split(command).expect(line);
    let is_help = |kind| matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    Cli::try_parse_from(&words).err().filter(|error| !is_help(error.kind()))
}
