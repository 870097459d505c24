//! `referee rules`: prints the options and clauses of a game, as text or JSON.

use clap::Args;
use serde::Serialize;

use super::game_args::GameArgument;
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use referee_games::options::{ListKind, OptionKind, OptionWords, option_value_text};
use referee_games::{AnyGame, Clause, GameKind, OptionSpec, Text};
use referee_record::model::containment::ContainmentRequest;
use referee_report::wrap::{wrap, wrap_paragraph};

const EXAMPLES: &str = "\
Examples:
  referee rules
  referee rules watch-your-back
  referee rules watch-your-back W6
  referee rules watch-your-back --format json";

/// The width of texts without a terminal, in columns.
const WIDTH: usize = 80;
/// The greatest width of texts that reads well.
const GREATEST_WIDTH: usize = 100;

/// Arguments of `rules`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RulesArgs {
    /// The game; without one, all games are listed
    #[arg(value_parser = super::game_args::game_argument_parser())]
    game: Option<GameArgument>,

    /// Show only this clause and its options, for example W6
    clause: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// The rules of a game, or the requested part.
#[derive(Debug, Serialize)]
struct RulesSheet {
    game: String,
    seats: Vec<Text>,
    options: Vec<OptionSheet>,
    clauses: Vec<Clause>,
}

/// An option, for JSON.
#[derive(Debug, Serialize)]
struct OptionSheet {
    name: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    clause: Option<Text>,
    /// The default, unless it depends on other options.
    default: Option<String>,
    /// How the default depends on other options, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    default_by: Option<Text>,
    help: Text,
    #[serde(flatten)]
    values: Values,
}

/// The values that an option may have, for JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Values {
    Choices(Vec<ValueHelp>),
    Range {
        min: i64,
        max: i64,
    },
    Text,
    #[serde(untagged)]
    List {
        words: Vec<ValueHelp>,
        items: Vec<ValueHelp>,
        files: Text,
    },
}

#[derive(Debug, Serialize)]
struct ValueHelp {
    value: String,
    help: String,
}

/// Runs `referee rules`.
pub(crate) fn run(args: &RulesArgs, printer: Printer) -> Result<Status, Failure> {
    let text = match (&args.game, args.format) {
        (None, OutputFormat::Text) => format_rules_overview(),
        (None, OutputFormat::Json) => format_rules_json(
            &GameKind::all().iter().map(|kind| build_rules_sheet(kind.game())).collect::<Vec<_>>(),
        )?,
        (Some(game), format) => {
            let game = game.open(&ContainmentRequest::default(), printer)?;
            let sheet = match &args.clause {
                None => build_rules_sheet(&*game),
                Some(id) => build_rules_sheet(&*game).keep_clause(id)?,
            };
            if format == OutputFormat::Json {
                format_rules_json(&sheet)?
            } else {
                sheet.text(printer.columns().unwrap_or(WIDTH).min(GREATEST_WIDTH))
            }
        }
    };
    printer.line(text.trim_end())?;
    Ok(Status::Done)
}

fn format_rules_overview() -> String {
    let lines = GameKind::all().iter().map(|kind| {
        let sheet = build_rules_sheet(kind.game());
        let (clauses, options) = (sheet.clauses.len(), sheet.options.len());
        format!("{}  {clauses} clauses, {options} options\n", sheet.game)
    });
    lines.chain(["\n`referee rules GAME` shows them.\n".to_owned()]).collect()
}

fn format_rules_json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value)
        .map_err(|error| Failure::system(format!("cannot write the rules as JSON: {error}")))
}

fn build_rules_sheet(game: &dyn AnyGame) -> RulesSheet {
    let seats = game.seats();
    RulesSheet {
        game: game.name().to_owned(),
        seats: seats.into_iter().collect(),
        options: game.options().iter().map(OptionSheet::new).collect(),
        clauses: game.clauses().to_vec(),
    }
}

fn rules_option_choices(words: OptionWords) -> Vec<ValueHelp> {
    words.0.into_iter().map(|(value, help)| ValueHelp { value, help }).collect()
}

fn format_rules_choices(choices: &[ValueHelp], indent: usize) -> String {
    let line = |choice: &ValueHelp| format!("{:indent$}{}: {}\n", "", choice.value, choice.help);
    choices.iter().map(line).collect()
}

impl OptionSheet {
    fn new(spec: &OptionSpec) -> Self {
        let values = match spec.kind.clone() {
            OptionKind::Choice { values } => Values::Choices(rules_option_choices(values)),
            OptionKind::Number { min, max } => Values::Range { min, max },
            OptionKind::Text => Values::Text,
            OptionKind::Boolean => {
                let words = [("true", "yes"), ("false", "no")];
                let choice = |(value, help): (&str, &str)| ValueHelp {
                    value: value.to_owned(),
                    help: help.to_owned(),
                };
                Values::Choices(words.map(choice).into())
            }
            OptionKind::List(ListKind { words, items, files, .. }) => Values::List {
                words: rules_option_choices(words),
                items: rules_option_choices(items),
                files,
            },
        };
        let OptionSpec { name, clause, help, default, default_by, .. } = spec.clone();
        let default = default.as_ref().map(option_value_text);
        let default_by = match (&default, default_by) {
            (Some(_), _) => None,
            (None, Some(by)) => Some(by.words),
            (None, None) => Some("chosen by the game".into()),
        };
        Self { name, clause, default, default_by, help, values }
    }

    fn text(&self, columns: usize) -> String {
        let Self { name, clause, help, .. } = self;
        let values = match &self.values {
            Values::Range { min, max } => format!("    {min} to {max}\n"),
            Values::Text => "    any text\n".to_owned(),
            Values::Choices(choices) => format_rules_choices(choices, 4),
            Values::List { words, items, files } => format!(
                "{}    or a comma-separated list of:\n{}      FILE: {files}\n",
                format_rules_choices(words, 4),
                format_rules_choices(items, 6)
            ),
        };
        let clause = clause.as_ref().map(|id| format!("  ({id})")).unwrap_or_default();
        let default = match (&self.default, &self.default_by) {
            (Some(text), _) => format!("={text}{clause}"),
            (None, words) => format!("{clause}: {}", words.as_deref().unwrap_or_default()),
        };
        let (head, help) = (format!("  {name}{default}"), wrap_paragraph(help, 4, columns));
        format!("{}\n{help}\n{}", wrap(&head, columns), wrap(&values, columns))
    }
}

impl RulesSheet {
    /// Keeps only the clause called `id` (in upper or lower case) and its options.
    fn keep_clause(mut self, id: &str) -> Result<Self, Failure> {
        if !self.clauses.iter().any(|clause| clause.id.eq_ignore_ascii_case(id)) {
            let ids: Vec<_> = self.clauses.iter().map(|clause| &*clause.id).collect();
            let ids = ids.join(", ");
            return Err(Failure::input(format!(
                "{} has no clause `{id}`; it has {ids}",
                self.game
            )));
        }
        self.clauses.retain(|clause| clause.id.eq_ignore_ascii_case(id));
        let is_of_clause = |option: &OptionSheet| {
            option.clause.as_ref().is_some_and(|clause| clause.eq_ignore_ascii_case(id))
        };
        self.options.retain(is_of_clause);
        Ok(self)
    }

    /// As text, in lines of at most this many columns.
    fn text(&self, columns: usize) -> String {
        let mut parts = Vec::new();
        if !self.options.is_empty() {
            parts.push("Options, with their defaults:\n".to_owned());
            parts.extend(self.options.iter().map(|option| option.text(columns)));
        }
        if !self.clauses.is_empty() {
            parts.push("Clauses:\n".to_owned());
            parts.extend(self.clauses.iter().map(|clause| format_rules_clause(clause, columns)));
        }
        parts.join("\n")
    }
}

fn format_rules_clause(clause: &Clause, columns: usize) -> String {
    let Clause { id, title, text } = clause;
    format!("  {id} {title}\n{}\n", wrap_paragraph(text, 4, columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_every_game_fit_a_terminal_of_80_columns() {
        for kind in GameKind::all() {
            let text = build_rules_sheet(kind.game()).text(80);
            let long = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None, "{}", kind.game().name());
        }
    }
}
