//! The configuration file as typed: its keys and their places, with only types checked.
//! [`tournament`](super::tournament) works out what they mean.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::containment::ContainmentKeys;
use super::game::GameValue;
use super::grades::GradesKeys;
use super::keys::{Field, FromToml, TableReader, typed};
use super::limits::ClockKeys;
use super::openings::OpeningsKeys;
use super::player_keys::{PlayerKeys, players};
use super::problem::{Problem, Problems};
use super::stages::StagesKeys;

/// A configuration file.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub name: Field<String>,
    pub game: Option<GameValue>,
    pub stages: StagesKeys,
    pub preset: Field<String>,
    pub seed: Field<i128>,
    pub jobs: Field<i128>,
    pub fault_policy: Field<FaultPolicyValue>,
    pub quarantine: Field<i128>,
    pub results: Field<String>,
    pub grades: Option<GradesKeys>,
    pub openings: Option<OpeningsKeys>,
    pub options: Vec<GivenOption>,
    pub clock: ClockKeys,
    pub containment: ContainmentKeys,
    /// `None` if `players` is not a list of tables.
    pub players: Option<Vec<PlayerKeys>>,
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
    pub value: Spanned<String>,
    /// Whether the value was quoted.
    pub quoted: bool,
}

impl GivenOption {
    /// The name and the value.
    pub(super) fn texts(&self) -> (&str, &str) {
        (self.name.get_ref(), self.value.get_ref())
    }
}

impl ConfigFile {
    /// Reads `text`, noting every unknown key and wrong type. Text that is not valid TOML is not
    /// read any further.
    pub(super) fn read(text: &str, problems: &mut Problems) -> Option<Self> {
        let document =
            DeTable::parse(text).map_err(|error| problems.add(Problem::not_toml(&error))).ok()?;
        let mut keys = TableReader::new("the configuration", 0..0, document.get_ref());
        let file = Self::from_keys(&mut keys, problems);
        keys.finish(problems);
        Some(file)
    }

    fn from_keys(keys: &mut TableReader<'_>, problems: &mut Problems) -> Self {
        Self {
            name: keys.required("name", "\"autumn-cup\"", problems),
            game: GameValue::read(keys, problems),
            stages: StagesKeys::read(keys, problems),
            preset: keys.optional("preset", problems),
            seed: keys.optional("seed", problems),
            jobs: keys.optional("jobs", problems),
            fault_policy: keys.optional("fault-policy", problems),
            quarantine: keys.optional("quarantine", problems),
            results: keys.optional("results", problems),
            grades: GradesKeys::read(keys, problems),
            openings: OpeningsKeys::read(keys, problems),
            options: options(keys, problems),
            clock: ClockKeys::read(keys, problems),
            containment: ContainmentKeys::read(keys, problems),
            players: players(keys, problems),
        }
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

fn options(keys: &mut TableReader<'_>, problems: &mut Problems) -> Vec<GivenOption> {
    let Some(keys) = keys.table("options", "`[options]`", problems) else { return Vec::new() };
    let entries = keys.entries().iter();
    entries
        .filter_map(|(name, value)| {
            let name = Spanned::new(name.span(), name.get_ref().to_string());
            let GivenOptionText(text) =
                typed::<GivenOptionText>(name.get_ref(), value, problems)?.into_inner();
            let quoted = value.get_ref().is_str();
            Some(GivenOption { value: Spanned::new(value.span(), text), name, quoted })
        })
        .collect()
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
