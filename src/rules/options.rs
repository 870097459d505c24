//! The named options of a rule set: what may be set, to what, and what is in force.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// One option of a rule set.
#[derive(Debug, Clone, Copy)]
pub struct OptionSpec {
    /// Its name, in kebab-case.
    pub name: &'static str,
    /// The clause it belongs to.
    pub clause: &'static str,
    /// What it may be.
    pub kind: OptionKind,
    /// The default, as text.
    pub default: &'static str,
    /// What it decides, in a sentence.
    pub help: &'static str,
}

/// What an option may be set to.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    /// One of these words, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// A whole number in this range, ends included.
    Number {
        /// The least value.
        min: u32,
        /// The greatest value.
        max: u32,
    },
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// A word.
    Word(String),
    /// A whole number.
    Number(u32),
}

impl OptionSpec {
    /// The value that `text` stands for, or what was expected instead.
    pub fn parse(&self, text: &str) -> Result<OptionValue, String> {
        match self.kind {
            OptionKind::Choice(words) if words.iter().any(|(word, _)| *word == text) => {
                Ok(OptionValue::Word(text.to_owned()))
            }
            OptionKind::Number { min, max } => match text.parse() {
                Ok(number) if (min..=max).contains(&number) => Ok(OptionValue::Number(number)),
                _ => Err(self.expected()),
            },
            OptionKind::Choice(_) => Err(self.expected()),
        }
    }

    fn expected(&self) -> String {
        match self.kind {
            OptionKind::Choice(words) => {
                let words: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
                format!("expected {}", words.join(" or "))
            }
            OptionKind::Number { min, max } => {
                format!("expected a whole number from {min} to {max}")
            }
        }
    }
}

/// Why a given option was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadOption {
    /// The name that was given.
    pub name: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// The options of a game that are in force: every option has a value, in the order of the specs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options(Vec<(&'static str, OptionValue)>);

impl Options {
    /// The defaults with `given` names and values (as text) on top.
    pub fn resolve<'a>(
        specs: &'static [OptionSpec],
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, BadOption> {
        let mut values = Vec::new();
        for spec in specs {
            let value = spec.parse(spec.default).map_err(|message| BadOption {
                name: spec.name.to_owned(),
                message: format!("default: {message}"),
            })?;
            values.push((spec.name, value));
        }
        for (name, text) in given {
            let bad = |message| BadOption { name: name.to_owned(), message };
            let Some(at) = specs.iter().position(|spec| spec.name == name) else {
                let names: Vec<_> = specs.iter().map(|spec| format!("`{}`", spec.name)).collect();
                return Err(bad(format!(
                    "there is no option `{name}`; expected one of {}",
                    names.join(", ")
                )));
            };
            values[at].1 = specs[at]
                .parse(text)
                .map_err(|expected| bad(format!("`{text}` is no value of `{name}`; {expected}")))?;
        }
        Ok(Self(values))
    }

    /// The value of a number option; 0 for a name that is none.
    pub fn number(&self, name: &str) -> u32 {
        match self.get(name) {
            Some(OptionValue::Number(number)) => *number,
            _ => 0,
        }
    }

    /// The value of a word option; empty for a name that is none.
    pub fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Some(OptionValue::Word(word)) => word,
            _ => "",
        }
    }

    /// The options in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &OptionValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The options in order, their values as text.
    pub fn texts(&self) -> Vec<(&'static str, String)> {
        let text = |value: &OptionValue| match value {
            OptionValue::Word(word) => word.clone(),
            OptionValue::Number(number) => number.to_string(),
        };
        self.iter().map(|(name, value)| (name, text(value))).collect()
    }

    fn get(&self, name: &str) -> Option<&OptionValue> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.iter() {
            match value {
                OptionValue::Word(word) => map.serialize_entry(name, word)?,
                OptionValue::Number(number) => map.serialize_entry(name, number)?,
            }
        }
        map.end()
    }
}
