//! The keys under `[[players]]`.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::given_options::GivenOptions;
use super::problem::{ByteSpan, Problems};
use super::toml_keys::{Field, FromTable, FromToml, TomlTableReader, read_toml_tables, table_keys};
use referee_record::model::player_spec::EngineProtocol;

table_keys! {
    /// The keys under one `[[players]]`.
    PlayerKeys[at], "this `[[players]]`":
    "name" like "\"greedy\"" => name: Field<String>,
    via(RunMethod::read) => run: RunMethod,
    "dir" => dir: Field<String>,
    "restart" => restart: Field<bool>,
    "guesses" => guesses: Field<bool>,
    "outages" => outages: Field<i128>,
    "tokens" => tokens: Field<i128>,
    "cost" => cost: Field<f64>,
    "long-notes" => long_notes: Field<bool>,
    "tc" => tc: Field<String>,
    "rating" => rating: Field<f64>,
    "env" => env: Field<BTreeMap<String, String>>,
    "files" => files: Field<Vec<Spanned<String>>>,
    "root" => root: Field<String>,
    "devices" => devices: Field<Vec<Spanned<String>>>,
    "network" => network: Field<NetworkList>,
    "disqualified" => disqualified: Field<String>,
    "options" => options: GivenOptions,
    "nodes" => nodes: Field<i128>,
    "depth" => depth: Field<i128>,
}

/// Which of `command`, `uci`, `gtp`, `bot` and `absent` was given. The inner value is `None` if its
/// type is wrong.
#[derive(Debug, Clone, Default)]
pub(super) enum RunMethod {
    Command(Field<Vec<Spanned<String>>>),
    Engine(EngineProtocol, Field<EngineCommand>),
    Bot(Field<String>),
    /// Why this person has no player.
    Absent(Field<String>),
    /// Two or more were given.
    Several([(&'static str, ByteSpan); 2]),
    #[default]
    Neither,
}

impl RunMethod {
    fn read(keys: &mut TomlTableReader<'_>, problems: &mut Problems) -> Self {
        let command = keys.optional("command", problems);
        let [uci, gtp] = ["uci", "gtp"].map(|key| keys.optional(key, problems));
        let bot = keys.optional("bot", problems);
        let absent = keys.optional("absent", problems);
        let given = ["command", "uci", "gtp", "bot", "absent"]
            .into_iter()
            .filter_map(|key| Some((key, keys.span_of(key)?)))
            .collect::<Vec<_>>();
        match &given[..] {
            [] => Self::Neither,
            [("command", _)] => Self::Command(command),
            [("uci", _)] => Self::Engine(EngineProtocol::Uci, uci),
            [("gtp", _)] => Self::Engine(EngineProtocol::Gtp, gtp),
            [("bot", _)] => Self::Bot(bot),
            [_] => Self::Absent(absent),
            [one, other, ..] => Self::Several([one.clone(), other.clone()]),
        }
    }
}

/// What a player may reach over the network.
#[derive(Debug, Clone)]
pub(super) struct NetworkList(pub(super) Vec<Spanned<String>>);

impl FromToml for NetworkList {
    const EXPECTED: &'static str = "a list of what the player may reach, such as [\"api.example.com\", \
         \"localhost:11434\"]";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        Vec::<Spanned<String>>::typed(value).map(Self)
    }
}

/// The program of an engine and its arguments.
#[derive(Debug, Clone)]
pub(super) struct EngineCommand(pub(super) Vec<String>);

impl FromToml for EngineCommand {
    const EXPECTED: &'static str = "a program, such as \"stockfish\", or a list of strings";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        if let Some(program) = String::typed(value) {
            return Some(Self(vec![program]));
        }
        let words = Vec::<Spanned<String>>::typed(value)?;
        Some(Self(words.into_iter().map(Spanned::into_inner).collect()))
    }
}

/// Reads the players of the file; `None` if `players` is not a list of tables.
pub(super) fn read_player_keys(
    keys: &mut TomlTableReader<'_>,
    problems: &mut Problems,
) -> Option<Vec<PlayerKeys>> {
    let Some(value) = keys.value("players") else { return Some(Vec::new()) };
    let expected = "`[[players]]`, in double brackets, above each player";
    problems.in_players(|problems| read_toml_tables("players", value, expected, problems))
}
