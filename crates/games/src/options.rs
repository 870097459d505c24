//! The named options of a rule set: their possible values, their defaults and the values in force.

mod error;
mod list;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value, json};

pub(crate) use error::FileError;
pub use error::{Expected, OptionError};
pub use list::{Item, ListKind, list_of_files};

use list::names;

use super::text::Text;

/// One option of a rule set.
#[derive(Debug, Clone)]
pub struct OptionSpec {
    /// Its name, in kebab-case.
    pub name: Text,
    /// The clause it belongs to, if any.
    pub clause: Option<Text>,
    /// Its possible values.
    pub kind: OptionKind,
    /// Its default.
    pub default: Preset,
    /// A sentence about what it decides.
    pub help: Text,
}

impl OptionSpec {
    /// Creates an option of a built-in game.
    pub(crate) const fn new(
        name: &'static str,
        clause: &'static str,
        kind: OptionKind,
        default: Preset,
        help: &'static str,
    ) -> Self {
        let clause = Some(Cow::Borrowed(clause));
        Self { name: Cow::Borrowed(name), clause, kind, default, help: Cow::Borrowed(help) }
    }
}

/// The default of an option.
#[derive(Debug, Clone)]
pub enum Preset {
    /// A fixed default, as text.
    Always(Text),
    /// A default that depends on the options before it in the list.
    Depends {
        /// A description for people.
        words: Text,
        /// The default as text; `None` if the option has no effect and thus no value.
        choose: fn(&Options) -> Option<&'static str>,
    },
}

impl Preset {
    /// Creates a fixed default of a built-in game.
    pub(crate) const fn always(text: &'static str) -> Self {
        Self::Always(Cow::Borrowed(text))
    }

    /// Creates a default of a built-in game that depends on the options before it.
    pub(crate) const fn depends(
        words: &'static str,
        choose: fn(&Options) -> Option<&'static str>,
    ) -> Self {
        Self::Depends { words: Cow::Borrowed(words), choose }
    }

    /// The default as text, given the `others`, which come before it in the list.
    pub(crate) fn text(&self, others: &Options) -> Option<&str> {
        match self {
            Self::Always(text) => Some(text),
            Self::Depends { choose, .. } => choose(others),
        }
    }
}

/// The possible values of an option.
#[derive(Debug, Clone)]
pub enum OptionKind {
    /// One of these words.
    Choice(Words),
    /// A whole number in this range, ends included.
    Number {
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// `true` or `false`.
    Boolean,
    /// A word, or a list of names and files.
    List(Cow<'static, ListKind>),
}

impl OptionKind {
    /// One of these words of a built-in game, each with its meaning.
    pub(crate) const fn choice(words: &'static [(&'static str, &'static str)]) -> Self {
        Self::Choice(Words::Fixed(words))
    }
}

/// Words, each with its meaning.
#[derive(Debug, Clone)]
pub enum Words {
    /// Those of a built-in game.
    Fixed(&'static [(&'static str, &'static str)]),
    /// Those of a game that is known only at run time.
    Named(Vec<(String, String)>),
}

impl Words {
    /// The words with their meanings, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let (fixed, named) = match self {
            Self::Fixed(words) => (*words, &[][..]),
            Self::Named(words) => (&[][..], &words[..]),
        };
        let fixed = fixed.iter().copied();
        fixed.chain(named.iter().map(|(word, meaning)| (word.as_str(), meaning.as_str())))
    }

    /// Returns whether `word` is one of them.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.iter().any(|(known, _)| known == word)
    }

    /// The words in backquotes, for messages.
    fn quoted(&self) -> Vec<String> {
        self.iter().map(|(word, _)| format!("`{word}`")).collect()
    }
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// A word.
    Word(String),
    /// A whole number.
    Number(i64),
    /// True or false.
    Boolean(bool),
    /// Names and files.
    List(Vec<Item>),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Number(number) => number.fmt(f),
            Self::Boolean(value) => value.fmt(f),
            Self::List(items) => match names(items) {
                Some(names) => f.write_str(&names),
                None => f.write_str(&json!(items).to_string()),
            },
        }
    }
}

impl OptionValue {
    /// The value as JSON.
    fn to_json(&self) -> Value {
        match self {
            Self::Word(word) => json!(word),
            Self::Number(number) => json!(number),
            Self::Boolean(value) => json!(value),
            Self::List(items) => names(items).map_or_else(|| json!(items), Value::from),
        }
    }
}

impl OptionSpec {
    /// Parses `text` as a value, or returns what was expected instead.
    pub fn parse(&self, text: &str) -> Result<OptionValue, Expected> {
        let word = || Some(OptionValue::Word(text.to_owned()));
        let value = match &self.kind {
            OptionKind::Choice(words) if words.contains(text) => word(),
            OptionKind::Choice(_) => None,
            OptionKind::Number { min, max } => text
                .parse()
                .ok()
                .filter(|number| (min..=max).contains(&number))
                .map(OptionValue::Number),
            OptionKind::Boolean => text.parse().ok().map(OptionValue::Boolean),
            OptionKind::List(kind) if kind.words.contains(text) => word(),
            OptionKind::List(kind) => kind.items(text).map(OptionValue::List),
        };
        value.ok_or_else(|| self.expected())
    }

    fn expected(&self) -> Expected {
        Expected(match &self.kind {
            OptionKind::Choice(words) => format!("expected {}", words.quoted().join(" or ")),
            OptionKind::Number { min, max } => {
                format!("expected a whole number from {min} to {max}")
            }
            OptionKind::Boolean => "expected `true` or `false`".to_owned(),
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
    value: OptionValue,
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
            let at = position(specs, name)?;
            values[at] = Some(specs[at].parse(text).map_err(|expected| OptionError::Value {
                name: name.to_owned(),
                value: text.to_owned(),
                expected,
            })?);
        }
        let mut options = Self { specs: specs.into(), in_force: Vec::new() };
        for (spec, value) in specs.iter().zip(values) {
            let given = value.is_some();
            if let Some(value) = value.map_or_else(|| options.default_of(spec), |v| Ok(Some(v)))? {
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
        let given: Vec<_> = given.iter().map(|(name, value)| (name, plain(value))).collect();
        Self::resolve(specs, given.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// The default of `spec`, given these options, which come before it.
    fn default_of(&self, spec: &OptionSpec) -> Result<Option<OptionValue>, OptionError> {
        let bad = |expected| OptionError::Default { name: spec.name.to_string(), expected };
        spec.default.text(self).map(|text| spec.parse(text).map_err(bad)).transpose()
    }

    /// The value of a number option; 0 if it has no effect given the others.
    ///
    /// # Panics
    /// If the game has no number option of this name whose values fit.
    pub fn number(&self, name: &str) -> u32 {
        let number = match self.get(name) {
            Some(OptionValue::Number(number)) => u32::try_from(*number).ok(),
            None => Some(0),
            Some(_) => None,
        };
        number.unwrap_or_else(|| panic!("the option `{name}` is not a number of 32 bits"))
    }

    /// The value of an option that is a word; empty if it is a list or has no effect given the
    /// others.
    ///
    /// # Panics
    /// If the game has no option of this name whose value may be a word.
    pub(crate) fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Some(OptionValue::Word(word)) => word,
            None | Some(OptionValue::List(_)) => "",
            Some(_) => panic!("the option `{name}` is neither a word nor a list"),
        }
    }

    /// The items of a list option; empty if the value is a word.
    ///
    /// # Panics
    /// If the game has no list option of this name.
    pub(crate) fn items(&self, name: &str) -> &[Item] {
        match self.get(name) {
            Some(OptionValue::List(items)) => items,
            None | Some(OptionValue::Word(_)) => &[],
            Some(_) => panic!("the option `{name}` is neither a word nor a list"),
        }
    }

    /// Loads the text of all files named in lists with `read`, so that the options no longer depend
    /// on the files. Returns the remarks about them.
    pub fn load<E: fmt::Display>(
        &mut self,
        read: impl Fn(&str) -> Result<String, E>,
    ) -> Result<Vec<String>, OptionError> {
        let mut remarks = Vec::new();
        for InForce { name, value, .. } in &mut self.in_force {
            let spec = &self.specs[position(&self.specs, name)?];
            let (OptionKind::List(kind), OptionValue::List(items)) = (&spec.kind, value) else {
                continue;
            };
            for item in items {
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
        }
        Ok(remarks)
    }

    /// The options in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OptionValue)> {
        self.in_force.iter().map(|option| (&*option.name, &option.value))
    }

    /// The explicitly given options, in order, with their values as text. The others are defaults,
    /// which may depend on these.
    pub fn given(&self) -> Vec<(Text, String)> {
        let given = self.in_force.iter().filter(|option| option.given);
        given.map(|option| (option.name.clone(), option.value.to_string())).collect()
    }

    /// Returns whether the option has a value: it was given, or it has an effect given the others.
    ///
    /// # Panics
    /// If the game has no option of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The options in order, with their values as text.
    pub fn texts(&self) -> Vec<(&str, String)> {
        self.iter().map(|(name, value)| (name, value.to_string())).collect()
    }

    /// The options in order, as a JSON object.
    pub fn to_json(&self) -> Map<String, Value> {
        self.iter().map(|(name, value)| (name.to_owned(), value.to_json())).collect()
    }

    fn get(&self, name: &str) -> Option<&OptionValue> {
        assert!(self.specs.iter().any(|spec| spec.name == name), "the game has no option `{name}`");
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// The text of a value, without the quotes of a string.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The index of the option called `name` in the list.
fn position(specs: &[OptionSpec], name: &str) -> Result<usize, OptionError> {
    specs.iter().position(|spec| spec.name == name).ok_or_else(|| OptionError::Unknown {
        name: name.to_owned(),
        known: specs.iter().map(|spec| spec.name.clone()).collect(),
    })
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(name, value)| (name, value.to_json())))
    }
}

#[cfg(test)]
mod tests;
