//! Reads tables key by key. A reader derived with serde stops at the first error; this one notes
//! every unknown key, missing key and wrong type of a file, each with its place. Most tables are
//! defined with the macro `table_keys`.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{ByteSpan, Problem, Problems, suggest_similar_word};

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
pub(super) struct TomlTableReader<'a> {
    /// The table's name in messages, for example `` `[clock]` ``.
    title: &'static str,
    /// The place of the table's header; for the whole file, its start.
    at: ByteSpan,
    entries: &'a DeTable<'a>,
    known: Vec<&'static str>,
}

impl<'a> TomlTableReader<'a> {
    /// The place of the table's header.
    pub(super) fn at(&self) -> ByteSpan {
        self.at.clone()
    }

    /// The place of `key`, if it was given.
    pub(super) fn span_of(&self, key: &str) -> Option<ByteSpan> {
        self.entries.keys().find(|known| known.get_ref() == key).map(Spanned::span)
    }

    /// The value under `key`, of any type.
    pub(super) fn value(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.entries.get(key)
    }

    /// What stands under `key`, which is optional.
    pub(super) fn optional<T: FromKey>(&mut self, key: &'static str, problems: &mut Problems) -> T {
        match self.value(key) {
            Some(value) => T::from_value(key, value, problems),
            None => T::default(),
        }
    }

    /// What stands under `key`, which is required; `example` shows how to write it.
    pub(super) fn required<T: FromKey>(
        &mut self,
        key: &'static str,
        example: &str,
        problems: &mut Problems,
    ) -> T {
        if !self.entries.contains_key(key) {
            problems.add(
                Problem::new(self.at(), format!("`{key}` is missing from {}", self.title))
                    .help(format!("add a line such as `{key} = {example}`")),
            );
        }
        self.optional(key, problems)
    }

    /// Notes every unknown key, that is, every key that was not asked for.
    fn finish(self, problems: &mut Problems) {
        for key in self.entries.keys() {
            let name = key.get_ref().as_ref();
            if !self.known.contains(&name) {
                let title = format!("unknown key `{}` in {}", name.escape_debug(), self.title);
                let known = self.known.iter().copied();
                problems
                    .add(Problem::new(key.span(), title).label(suggest_similar_word(name, known)));
            }
        }
    }
}

/// What a table with certain keys is read as.
pub(super) trait FromTable: Sized {
    /// The table's name in messages, for example `` `[clock]` ``.
    const TITLE: &'static str;

    /// Reads the keys of the table.
    fn from_keys(keys: &mut TomlTableReader<'_>, problems: &mut Problems) -> Self;

    /// Reads the table `entries` with its header at `at`, and notes unknown keys.
    fn from_table(at: ByteSpan, entries: &DeTable<'_>, problems: &mut Problems) -> Self {
        let mut keys = TomlTableReader { title: Self::TITLE, at, entries, known: Vec::new() };
        let table = Self::from_keys(&mut keys, problems);
        keys.finish(problems);
        table
    }

    /// Reads a whole file; `None` if it is not valid TOML, which is noted.
    fn from_text(text: &str, problems: &mut Problems) -> Option<Self> {
        let document =
            DeTable::parse(text).map_err(|error| problems.add(Problem::not_toml(text, &error)));
        let document = document.ok()?;
        Some(Self::from_table(0..0, document.get_ref(), problems))
    }
}

/// What can stand under a key. Its default stands for a key that was not given, or whose value was
/// refused and noted.
pub(super) trait FromKey: Default {
    /// Reads the value under `key`.
    fn from_value(key: &'static str, value: &Spanned<DeValue<'_>>, problems: &mut Problems)
    -> Self;
}

impl<T: FromToml> FromKey for Field<T> {
    fn from_value(
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        problems: &mut Problems,
    ) -> Self {
        read_toml_value(key, value, problems)
    }
}

impl<T: FromTable> FromKey for Option<T> {
    fn from_value(
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        problems: &mut Problems,
    ) -> Self {
        let entries = read_toml_table(key, value, problems)?;
        Some(T::from_table(value.span(), entries, problems))
    }
}

impl<T: FromTable> FromKey for Vec<T> {
    fn from_value(
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        problems: &mut Problems,
    ) -> Self {
        let expected = "a list of tables, such as [{ …, marks = 10 }]";
        read_toml_tables(key, value, expected, problems).unwrap_or_default()
    }
}

/// The entries of a table; if it is something else, notes that.
pub(super) fn read_toml_table<'a>(
    key: &str,
    value: &'a Spanned<DeValue<'_>>,
    problems: &mut Problems,
) -> Option<&'a DeTable<'a>> {
    let entries = value.get_ref().as_table();
    if entries.is_none() {
        problems.add(wrong_toml_type(key, value.span(), "a table"));
    }
    entries
}

/// Reads a list of tables; if it is something else, notes what was `expected`.
pub(super) fn read_toml_tables<'v, T: FromTable>(
    key: &str,
    value: &'v Spanned<DeValue<'v>>,
    expected: &str,
    problems: &mut Problems,
) -> Option<Vec<T>> {
    let table = |item: &'v Spanned<DeValue<'v>>| Some((item.span(), item.get_ref().as_table()?));
    let items = value.get_ref().as_array();
    let entries: Option<Vec<_>> = items.and_then(|items| items.iter().map(table).collect());
    let Some(entries) = entries else {
        problems.add(wrong_toml_type(key, value.span(), expected));
        return None;
    };
    let read = |(at, entries)| T::from_table(at, entries, problems);
    Some(entries.into_iter().map(read).collect())
}

/// Defines a table: its name in messages, and for each field the key in the file, with an example
/// if the key is required; or `via` a function, which reads several keys. A field in brackets after
/// the name is the place of the table.
macro_rules! table_keys {
    (
        $(#[$about:meta])*
        $name:ident $([$at:ident])?, $title:literal:
        $(
            $(#[$about_field:meta])*
            $(via($read:path))? $($key:literal $(like $example:literal)?)? => $field:ident: $type:ty,
        )*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default)]
        pub(super) struct $name {
            $(pub(super) $at: ByteSpan,)?
            $($(#[$about_field])* pub(super) $field: $type,)*
        }

        impl FromTable for $name {
            const TITLE: &'static str = $title;

            fn from_keys(keys: &mut TomlTableReader<'_>, problems: &mut Problems) -> Self {
                Self {
                    $($at: keys.at(),)?
                    $($field: table_keys!(
                        @read keys, problems $(, via $read)? $(, $key $(, $example)?)?
                    ),)*
                }
            }
        }
    };
    (@read $keys:ident, $problems:ident, via $read:path) => {
        $read($keys, $problems)
    };
    (@read $keys:ident, $problems:ident, $key:literal) => {
        $keys.optional($key, $problems)
    };
    (@read $keys:ident, $problems:ident, $key:literal, $example:literal) => {
        $keys.required($key, $example, $problems)
    };
}
pub(super) use table_keys;

/// Converts `value` to a `T`, and notes a wrong type.
pub(super) fn read_toml_value<T: FromToml>(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    problems: &mut Problems,
) -> Field<T> {
    let found = T::typed(value.get_ref());
    if found.is_none() {
        problems.add(wrong_toml_type(key, value.span(), T::EXPECTED));
    }
    found.map(|found| Spanned::new(value.span(), found))
}

fn wrong_toml_type(key: &str, at: ByteSpan, expected: &str) -> Problem {
    let title = format!("invalid value for `{}`", key.escape_debug());
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
