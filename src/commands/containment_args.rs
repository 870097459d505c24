//! Parses containment levels and mechanisms on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use referee_sandbox::{Level, Mechanism};

/// Parses the name of a level, and lists all levels for `--help`.
pub(super) fn containment_level_parser() -> impl TypedValueParser<Value = Level> {
    let names = Level::ALL
        .map(|level| PossibleValue::new(level.name()).help(containment_level_help(level)));
    PossibleValuesParser::new(names)
        .try_map(|name| Level::named(&name).ok_or_else(|| format!("unknown level `{name}`")))
}

/// Parses the name of a mechanism.
pub(super) fn containment_mechanism_parser() -> impl TypedValueParser<Value = Mechanism> {
    PossibleValuesParser::new(Mechanism::ALL.map(Mechanism::name)).try_map(|name| {
        Mechanism::named(&name).ok_or_else(|| format!("unknown mechanism `{name}`"))
    })
}

fn containment_level_help(level: Level) -> &'static str {
    match level {
        Level::Off => {
            "A player can do whatever the referee can; all its processes are still killed at the \
             end"
        }
        Level::Basic => {
            "A player can read its own files and language runtimes, and write to its scratch \
             folder. It has no network and no access to other processes"
        }
        Level::Strict => "A player runs in an isolated system, in which nothing else is visible",
    }
}
