//! Options as typed: of the rules, or of an engine.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::DeValue;

use super::problem::Problems;
use super::toml_keys::{FromKey, FromToml, read_toml_table, read_toml_value};

/// An entry of `options`, with its value as text.
#[derive(Debug, Clone)]
pub(super) struct GivenOption {
    pub name: Spanned<String>,
    pub(super) value: Spanned<String>,
    /// Whether the value was quoted.
    pub(super) quoted: bool,
}

impl GivenOption {
    /// The name and the value, as texts of their own.
    pub(super) fn owned(&self) -> (String, String) {
        (self.name.get_ref().clone(), self.value.get_ref().clone())
    }

    /// The name and the value.
    pub(super) fn texts(&self) -> (&str, &str) {
        (self.name.get_ref(), self.value.get_ref())
    }
}

/// The entries of `options`.
#[derive(Debug, Clone, Default)]
pub(super) struct GivenOptions(pub(super) Vec<GivenOption>);

impl FromKey for GivenOptions {
    fn from_value(
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        problems: &mut Problems,
    ) -> Self {
        let entries = read_toml_table(key, value, problems).into_iter().flatten();
        let option = |(name, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let name = Spanned::new(name.span(), name.get_ref().to_string());
            let GivenOptionText(text) =
                read_toml_value::<GivenOptionText>(name.get_ref(), value, problems)?.into_inner();
            let quoted = value.get_ref().is_str();
            Some(GivenOption { value: Spanned::new(value.span(), text), name, quoted })
        };
        Self(entries.filter_map(option).collect())
    }
}

/// The value of an option as text.
struct GivenOptionText(String);

impl FromToml for GivenOptionText {
    const EXPECTED: &'static str = "a string, a number, true or false";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        let text = match value {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(_) => i128::typed(value)?.to_string(),
            DeValue::Float(number) => number.as_str().to_owned(),
            DeValue::Boolean(flag) => flag.to_string(),
            _ => return None,
        };
        Some(Self(text))
    }
}
