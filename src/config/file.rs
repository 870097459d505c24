//! The configuration file as typed: its keys and their places, with only types checked.
//! [`tournament`](super::tournament) works out what they mean.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::DeValue;

use super::containment::ContainmentKeys;
use super::game_file::GameValue;
use super::grades::GradesKeys;
use super::keys::{Field, FromKey, FromTable, FromToml, TableReader, as_table, table_keys, typed};
use super::limits::ClockKeys;
use super::openings::OpeningsKeys;
use super::player_keys::{PlayerKeys, players};
use super::problem::Problems;
use super::stages::StagesKeys;

table_keys! {
    /// A configuration file.
    ConfigFile, "the configuration":
    "name" like "\"autumn-cup\"" => name: Field<String>,
    via(GameValue::read) => game: Option<GameValue>,
    via(StagesKeys::read) => stages: StagesKeys,
    "preset" => preset: Field<String>,
    "seed" => seed: Field<i128>,
    "jobs" => jobs: Field<i128>,
    "fault-policy" => fault_policy: Field<FaultPolicyValue>,
    "quarantine" => quarantine: Field<i128>,
    "results" => results: Field<String>,
    "grades" => grades: Option<GradesKeys>,
    "openings" => openings: Option<OpeningsKeys>,
    "options" => options: GivenOptions,
    "clock" => clock: Option<ClockKeys>,
    "containment" => containment: Option<ContainmentKeys>,
    /// `None` if `players` is not a list of tables.
    via(players) => players: Option<Vec<PlayerKeys>>,
}

/// The value of `fault-policy`.
#[derive(Debug)]
pub(super) enum FaultPolicyValue {
    Lose,
    Retry(i128),
}

/// An entry of `[options]`, with its value as text.
#[derive(Debug)]
pub(super) struct GivenOption {
    pub name: Spanned<String>,
    pub(crate) value: Spanned<String>,
    /// Whether the value was quoted.
    pub(crate) quoted: bool,
}

impl GivenOption {
    /// The name and the value.
    pub(super) fn texts(&self) -> (&str, &str) {
        (self.name.get_ref(), self.value.get_ref())
    }
}

impl FromToml for FaultPolicyValue {
    const EXPECTED: &'static str = "\"lose\" or { retry = 2 }";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        match value {
            DeValue::String(word) if word == "lose" => Some(Self::Lose),
            DeValue::Table(table) if table.len() == 1 => {
                i128::typed(table.get("retry")?.get_ref()).map(Self::Retry)
            }
            _ => None,
        }
    }
}

/// The entries of `[options]`.
#[derive(Debug, Default)]
pub(super) struct GivenOptions(pub(super) Vec<GivenOption>);

impl FromKey for GivenOptions {
    fn from_value(
        key: &'static str,
        value: &Spanned<DeValue<'_>>,
        problems: &mut Problems,
    ) -> Self {
        let entries = as_table(key, value, problems).into_iter().flatten();
        let option = |(name, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let name = Spanned::new(name.span(), name.get_ref().to_string());
            let GivenOptionText(text) =
                typed::<GivenOptionText>(name.get_ref(), value, problems)?.into_inner();
            let quoted = value.get_ref().is_str();
            Some(GivenOption { value: Spanned::new(value.span(), text), name, quoted })
        };
        Self(entries.filter_map(option).collect())
    }
}

/// The value of an option as text.
struct GivenOptionText(String);

impl FromToml for GivenOptionText {
    const EXPECTED: &'static str = "a string, a whole number, true or false";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        let text = match value {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(_) => i128::typed(value)?.to_string(),
            DeValue::Boolean(flag) => flag.to_string(),
            _ => return None,
        };
        Some(Self(text))
    }
}
