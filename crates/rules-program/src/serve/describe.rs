//! The description of a game, as a rules program gives it.

use referee_games::options::{OptionKind, Preset, Words};
use referee_games::{AnyGame, BySeat, OptionSpec};
use serde_json::Value;

use crate::contract::{GameAnswer, OptionValues, OptionWords, VERSION, WordList};

/// The description of the game.
pub(super) fn describe(game: &dyn AnyGame) -> GameAnswer {
    let BySeat { first, second } = game.seats().map(std::borrow::Cow::into_owned);
    GameAnswer {
        protocol: VERSION,
        name: game.name().to_owned(),
        title: game.title().to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        seats: [first, second],
        hidden: false,
        options: game.options().iter().map(option).collect(),
        clauses: game.clauses().to_vec(),
    }
}

fn option(spec: &OptionSpec) -> OptionWords {
    let values = match &spec.kind {
        OptionKind::Choice(words) => OptionValues::Choice { values: word_list(words) },
        OptionKind::Number { min, max } => OptionValues::Integer { min: *min, max: *max },
        OptionKind::Boolean => OptionValues::Boolean,
        OptionKind::List(list) => OptionValues::List {
            words: word_list(&list.words),
            items: word_list(&list.items),
            files: list.files.to_string(),
        },
    };
    let (default, text) = match &spec.default {
        Preset::Always(text) => (Some(typed(&spec.kind, text)), spec.help.to_string()),
        Preset::Depends { words, .. } => (None, format!("{}: {words}", spec.help)),
    };
    let clause = spec.clause.as_ref().map(ToString::to_string);
    OptionWords { name: spec.name.to_string(), values, default, text, clause }
}

/// A default in the type of its option.
fn typed(kind: &OptionKind, text: &str) -> Value {
    match kind {
        OptionKind::Number { .. } | OptionKind::Boolean => {
            serde_json::from_str(text).unwrap_or_else(|_| text.into())
        }
        OptionKind::Choice(_) | OptionKind::List(_) => text.into(),
    }
}

fn word_list(words: &Words) -> WordList {
    let explained = words.iter().map(|(word, meaning)| (word.to_owned(), meaning.into()));
    WordList::Explained(explained.collect())
}
