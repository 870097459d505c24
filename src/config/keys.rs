//! Reads tables key by key. A derived reader stops at the first error; this one notes every unknown
//! key, missing key and wrong type of a file, each with its place.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{ByteSpan, Problem, Problems, instead};

/// A value with its place in the file; `None` if it was not given, or was refused and noted.
pub(super) type Field<T> = Option<Spanned<T>>;

/// A borrowed [`Field`].
pub(super) type Given<'a, T> = Option<&'a Spanned<T>>;

/// A type that values in the file can have.
pub(super) trait FromToml: Sized {
    /// The expected value, for messages.
    const EXPECTED: &'static str;

    /// Converts the value if it has this type.
    fn typed(value: &DeValue<'_>) -> Option<Self>;
}

/// A table that is being read. A key is known after it was asked for.
pub(super) struct TableReader<'a> {
    /// The table's name in messages, for example `` `[clock]` ``.
    title: &'static str,
    /// The place of the table's header; for the whole file, its start.
    at: ByteSpan,
    entries: &'a DeTable<'a>,
    known: Vec<&'static str>,
}

impl<'a> TableReader<'a> {
    /// Starts reading the table `entries`, called `title`, with its header at `at`.
    pub(super) fn new(title: &'static str, at: ByteSpan, entries: &'a DeTable<'a>) -> Self {
        Self { title, at, entries, known: Vec::new() }
    }

    /// The place of the table's header.
    pub(super) fn at(&self) -> ByteSpan {
        self.at.clone()
    }

    /// The place of `key`, if it was given.
    pub(super) fn key(&self, key: &str) -> Option<ByteSpan> {
        self.entries.keys().find(|known| known.get_ref() == key).map(Spanned::span)
    }

    /// The value under `key`, whatever its type.
    pub(super) fn value(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.entries.get(key)
    }

    /// The value under `key`, which is optional.
    pub(super) fn optional<T: FromToml>(
        &mut self,
        key: &'static str,
        problems: &mut Problems,
    ) -> Field<T> {
        typed(key, self.value(key)?, problems)
    }

    /// The value under `key`, which is required; `example` shows how to write it.
    pub(super) fn required<T: FromToml>(
        &mut self,
        key: &'static str,
        example: &str,
        problems: &mut Problems,
    ) -> Field<T> {
        if !self.entries.contains_key(key) {
            problems.add(
                Problem::new(self.at(), format!("`{key}` is missing in {}", self.title))
                    .help(format!("add a line such as `{key} = {example}`")),
            );
        }
        self.optional(key, problems)
    }

    /// The table under `key`.
    pub(super) fn table(
        &mut self,
        key: &'static str,
        title: &'static str,
        problems: &mut Problems,
    ) -> Option<TableReader<'a>> {
        let value = self.value(key)?;
        let entries = value.get_ref().as_table();
        if entries.is_none() {
            problems.add(wrong_type(key, value.span(), "a table"));
        }
        entries.map(|entries| TableReader::new(title, value.span(), entries))
    }

    /// All entries, for tables whose keys the user chooses.
    pub(super) fn entries(&self) -> &'a DeTable<'a> {
        self.entries
    }

    /// Notes every unknown key, that is, every key that was not asked for.
    pub(super) fn finish(self, problems: &mut Problems) {
        for key in self.entries.keys() {
            let name = key.get_ref().as_ref();
            if !self.known.contains(&name) {
                let title = format!("unknown key `{}` in {}", name.escape_debug(), self.title);
                let known = self.known.iter().copied();
                problems.add(Problem::new(key.span(), title).label(instead(name, known)));
            }
        }
    }
}

/// Converts `value` to a `T`, and notes a wrong type.
pub(super) fn typed<T: FromToml>(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    problems: &mut Problems,
) -> Field<T> {
    let found = T::typed(value.get_ref());
    if found.is_none() {
        problems.add(wrong_type(key, value.span(), T::EXPECTED));
    }
    found.map(|found| Spanned::new(value.span(), found))
}

fn wrong_type(key: &str, at: ByteSpan, expected: &str) -> Problem {
    let title = format!("unexpected value of `{}`", key.escape_debug());
    Problem::new(at, title).label(format!("expected {expected}"))
}

impl FromToml for String {
    const EXPECTED: &'static str = "a string in quotes";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl FromToml for bool {
    const EXPECTED: &'static str = "true or false";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        value.as_bool()
    }
}

/// `i128` holds the range of every key.
impl FromToml for i128 {
    const EXPECTED: &'static str = "a whole number";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        let number = value.as_integer()?;
        Self::from_str_radix(number.as_str(), number.radix()).ok()
    }
}

impl FromToml for f64 {
    const EXPECTED: &'static str = "a number";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        match value {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            _ => None,
        }
    }
}

impl FromToml for Vec<Spanned<String>> {
    const EXPECTED: &'static str = "a list of strings, such as [\"python3\", \"player.py\"]";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        let text = |item: &Spanned<DeValue<'_>>| {
            Some(Spanned::new(item.span(), String::typed(item.get_ref())?))
        };
        value.as_array()?.iter().map(text).collect()
    }
}

impl FromToml for BTreeMap<String, String> {
    const EXPECTED: &'static str = "a table of strings, such as { THREADS = \"1\" }";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        let table = value.as_table()?.iter();
        table
            .map(|(key, value)| Some((key.get_ref().to_string(), String::typed(value.get_ref())?)))
            .collect()
    }
}
