//! The named options of a rule set: their possible values, their defaults and the values in force.

mod error;
mod list;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

pub(crate) use error::FileError;
pub use error::{Expected, OptionError};
pub use list::{Item, ListKind, list_of_files};

use list::items_to_list_value;

use super::safe_text::{Text, is_unsafe_to_show};

/// The longest value of an option that is a text, in bytes.
const LONGEST_TEXT: usize = 256;

/// One option of a rule set, in the form that descriptions of games have.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OptionSpec {
    /// Its name, in kebab-case.
    pub name: Text,
    /// Possible values.
    #[serde(flatten)]
    pub kind: OptionKind,
    /// Its default. Without one, it depends on other options, or the game chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// How its default depends on another option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_by: Option<DefaultBy>,
    /// A sentence about what it decides.
    #[serde(rename = "text")]
    pub help: Text,
    /// The clause it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<Text>,
}

/// A default that depends on an option before it in the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DefaultBy {
    /// A description for people.
    pub words: Text,
    /// The other option.
    option: String,
    /// The default for each of its values. Without one, the option has no effect.
    values: BTreeMap<String, String>,
}

/// The possible values of an option.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum OptionKind {
    /// A whole number in this range, ends included.
    #[serde(rename = "integer")]
    Number {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// `true` or `false`.
    Boolean,
    /// Any text of 1 to 256 bytes that is safe to show.
    Text,
    /// One of these words.
    Choice {
        /// The words.
        values: OptionWords,
    },
    /// A word, or a list of names and files.
    List(ListKind),
}

/// Words, each with its meaning.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "WordList")]
pub struct OptionWords(pub Vec<(String, String)>);

/// Words, with or without their meanings.
#[derive(Deserialize)]
#[serde(untagged)]
enum WordList {
    Plain(Vec<String>),
    /// The words as keys, their meanings as values.
    Explained(Map<String, Value>),
}

impl From<WordList> for OptionWords {
    fn from(list: WordList) -> Self {
        Self(match list {
            WordList::Plain(words) => words.into_iter().map(|word| (word, String::new())).collect(),
            WordList::Explained(words) => words
                .into_iter()
                .map(|(word, meaning)| (word, option_value_text(&meaning)))
                .collect(),
        })
    }
}

impl Serialize for OptionWords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(word, meaning)| (word, meaning)))
    }
}

impl OptionWords {
    /// Returns whether `word` is one of them.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.0.iter().any(|(known, _)| known == word)
    }

    /// The words in backquotes, for messages.
    fn quoted(&self) -> Vec<String> {
        self.0.iter().map(|(word, _)| format!("`{word}`")).collect()
    }
}

impl OptionSpec {
    /// Parses `text` as a value, or returns what was expected instead.
    pub fn parse(&self, text: &str) -> Result<Value, Expected> {
        let word = || Some(Value::from(text));
        let value = match &self.kind {
            OptionKind::Choice { values } if values.contains(text) => word(),
            OptionKind::Text if is_plain_option_text(text) => word(),
            OptionKind::Choice { .. } | OptionKind::Text => None,
            OptionKind::Number { min, max } => {
                text.parse().ok().filter(|number| (min..=max).contains(&number)).map(Value::from)
            }
            OptionKind::Boolean => text.parse().ok().map(Value::Bool),
            OptionKind::List(kind) if kind.words.contains(text) => word(),
            OptionKind::List(kind) => {
                kind.parse_items(text).map(|items| items_to_list_value(&items))
            }
        };
        value.ok_or_else(|| self.expected())
    }

    fn expected(&self) -> Expected {
        Expected(match &self.kind {
            OptionKind::Choice { values } => {
                format!("expected {}", values.quoted().join(" or "))
            }
            OptionKind::Number { min, max } => {
                format!("expected a whole number from {min} to {max}")
            }
            OptionKind::Boolean => "expected `true` or `false`".to_owned(),
            OptionKind::Text => {
                format!("expected 1 to {LONGEST_TEXT} bytes of text without control characters")
            }
            OptionKind::List(kind) => kind.expected(),
        })
    }
}

/// The options in force of a game, in the order of the specs. Every option has a value, except
/// those that have no effect given the others.
#[derive(Debug, Clone, Default)]
pub struct Options {
    specs: Arc<[OptionSpec]>,
    in_force: Vec<InForce>,
}

impl PartialEq for Options {
    fn eq(&self, other: &Self) -> bool {
        self.in_force == other.in_force
    }
}

impl Eq for Options {}

/// An option that is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InForce {
    name: Text,
    value: Value,
    /// Whether it was given explicitly.
    given: bool,
}

impl Options {
    /// Resolves the `given` names and values (as text) and fills in the defaults. If a name is
    /// given twice, the last value counts.
    pub fn resolve<'a>(
        specs: &[OptionSpec],
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, OptionError> {
        let mut values = vec![None; specs.len()];
        for (name, text) in given {
            let at = option_index(specs, name)?;
            values[at] = Some(specs[at].parse(text).map_err(|expected| OptionError::Value {
                name: name.to_owned(),
                value: text.to_owned(),
                expected,
            })?);
        }
        let mut options = Self { specs: specs.into(), in_force: Vec::new() };
        for (spec, value) in specs.iter().zip(values) {
            let given = value.is_some();
            if let Some(value) =
                value.map_or_else(|| options.default_value(spec), |v| Ok(Some(v)))?
            {
                options.in_force.push(InForce { name: spec.name.clone(), value, given });
            }
        }
        Ok(options)
    }

    /// Resolves options in JSON, such as those of a log or a message, and fills in the defaults.
    ///
    /// # Errors
    /// The game does not have such an option, or not with this value.
    pub fn from_json(
        specs: &[OptionSpec],
        given: &Map<String, Value>,
    ) -> Result<Self, OptionError> {
        let given: Vec<_> =
            given.iter().map(|(name, value)| (name, option_value_text(value))).collect();
        Self::resolve(specs, given.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// These options, but with other values for some.
    ///
    /// # Errors
    /// The game does not have such an option, or not with this value.
    pub fn with_values(&self, others: &Map<String, Value>) -> Result<Self, OptionError> {
        let mut all = self.to_json();
        all.extend(others.clone());
        Self::from_json(&self.specs, &all)
    }

    /// The default of `spec`, given these options, which come before it.
    fn default_value(&self, spec: &OptionSpec) -> Result<Option<Value>, OptionError> {
        let bad = |expected| OptionError::Default { name: spec.name.to_string(), expected };
        let text = match (&spec.default, &spec.default_by) {
            (Some(value), _) => Some(option_value_text(value)),
            (None, Some(by)) => {
                let other = self.iter().find(|(name, _)| *name == by.option);
                other.and_then(|(_, value)| by.values.get(&option_value_text(value)).cloned())
            }
            (None, None) => None,
        };
        text.map(|text| spec.parse(&text).map_err(bad)).transpose()
    }

    /// The values as the rules of a game that declares these options.
    ///
    /// # Panics
    /// If the rules do not fit the declared options, which is a bug in the game.
    pub(crate) fn read<R: DeserializeOwned>(&self) -> R {
        serde_json::from_value(Value::from(self.to_json()))
            .unwrap_or_else(|error| panic!("the rules do not fit the game's options: {error}"))
    }

    /// Loads the text of all files named in lists with `read`, so that the options no longer depend
    /// on the files. Returns the remarks about them.
    pub fn load_files<E: fmt::Display>(
        &mut self,
        read: impl Fn(&str) -> Result<String, E>,
    ) -> Result<Vec<String>, OptionError> {
        let mut remarks = Vec::new();
        for InForce { name, value, .. } in &mut self.in_force {
            let spec = &self.specs[option_index(&self.specs, name)?];
            let (OptionKind::List(kind), Value::Array(_)) = (&spec.kind, &*value) else {
                continue;
            };
            let mut items: Vec<Item> = serde_json::from_value(value.take()).unwrap_or_default();
            for item in &mut items {
                let Item::File { file, text: text @ None } = item else { continue };
                let found = read(file).map_err(|reason| OptionError::Unreadable {
                    name: name.to_string(),
                    file: file.clone(),
                    wanted: kind.files.clone(),
                    reason: reason.to_string(),
                    expected: Expected(kind.expected()),
                })?;
                let remark = (kind.check)(file, &found)
                    .map_err(|error| OptionError::File { name: name.to_string(), error })?;
                remarks.extend(remark);
                *text = Some(found);
            }
            *value = json!(items);
        }
        Ok(remarks)
    }

    /// The options in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.in_force.iter().map(|option| (&*option.name, &option.value))
    }

    /// The explicitly given options, in order, with their values as text. The others are defaults,
    /// which may depend on these.
    pub fn given(&self) -> Vec<(Text, String)> {
        let given = self.in_force.iter().filter(|option| option.given);
        given.map(|option| (option.name.clone(), option_value_text(&option.value))).collect()
    }

    /// The options in order, with their values as text.
    pub fn texts(&self) -> Vec<(&str, String)> {
        self.iter().map(|(name, value)| (name, option_value_text(value))).collect()
    }

    /// The options in order, as a JSON object.
    pub fn to_json(&self) -> Map<String, Value> {
        self.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }
}

fn is_plain_option_text(text: &str) -> bool {
    (1..=LONGEST_TEXT).contains(&text.len()) && !text.chars().any(is_unsafe_to_show)
}

/// The text of a value, without the quotes of a string.
pub fn option_value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The index of the option called `name` in the list.
fn option_index(specs: &[OptionSpec], name: &str) -> Result<usize, OptionError> {
    specs.iter().position(|spec| spec.name == name).ok_or_else(|| OptionError::Unknown {
        name: name.to_owned(),
        known: specs.iter().map(|spec| spec.name.clone()).collect(),
    })
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests;
