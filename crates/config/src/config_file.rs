//! The configuration file as typed: its keys and their places, with only types checked.
//! [`configured_tournament`](super::configured_tournament) works out what they mean.

use toml::de::DeValue;

use super::adjudication_keys::AdjudicationKeys;
use super::build_keys::BuildKeys;
use super::clock_limits::ClockKeys;
use super::containment_keys::ContainmentKeys;
use super::game_file::GameFileValue;
use super::given_options::GivenOptions;
use super::grades_keys::GradesKeys;
use super::hook_keys::HookKeys;
use super::league_keys::LeagueKeys;
use super::opening_books::OpeningsKeys;
use super::player_keys::{PlayerKeys, read_player_keys};
use super::problem::Problems;
use super::stages::StagesKeys;
use super::toml_keys::{Field, FromTable, FromToml, TomlTableReader, table_keys};

table_keys! {
    /// A configuration file.
    ConfigFile, "the configuration":
    "name" like "\"autumn-cup\"" => name: Field<String>,
    via(GameFileValue::read) => game: Option<GameFileValue>,
    via(StagesKeys::read) => stages: StagesKeys,
    "preset" => preset: Field<String>,
    "seed" => seed: Field<i128>,
    "jobs" => jobs: Field<i128>,
    "fault-policy" => fault_policy: Field<FaultPolicyValue>,
    "adjudication" => adjudication: Option<AdjudicationKeys>,
    "quarantine" => quarantine: Field<i128>,
    "rank" => rank: Field<String>,
    "results" => results: Field<String>,
    "pgn" => pgn: Field<String>,
    "hooks" => hooks: Option<HookKeys>,
    "league" => league: Option<LeagueKeys>,
    "grades" => grades: Option<GradesKeys>,
    "openings" => openings: Option<OpeningsKeys>,
    "options" => options: GivenOptions,
    "clock" => clock: Option<ClockKeys>,
    "containment" => containment: Option<ContainmentKeys>,
    "build" => build: Option<BuildKeys>,
    /// `None` if `players` is not a list of tables.
    via(read_player_keys) => players: Option<Vec<PlayerKeys>>,
}

/// The value of `fault-policy`.
#[derive(Debug, Clone)]
pub(super) enum FaultPolicyValue {
    Lose,
    Retry(i128),
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
