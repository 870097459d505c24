//! `[hooks]`: a command that is called for events.

use toml::Spanned;

use super::player_spec::LookupPaths;
use super::problem::{Problem, Problems};
use super::toml_keys::{Field, FromTable, TomlTableReader, table_keys};
use referee_record::model::tournament::Hook;

table_keys! {
    /// The keys under `[hooks]`.
    HookKeys, "`[hooks]`":
    "command" like "[\"sh\", \"tell.sh\"]" => command: Field<Vec<Spanned<String>>>,
}

/// Checks the hook that `keys` ask for.
pub(super) fn check_hook_keys(
    keys: Option<&HookKeys>,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<Hook> {
    let words = keys?.command.as_ref()?;
    let command: Vec<String> = words.get_ref().iter().map(|word| word.get_ref().clone()).collect();
    if command.first().is_none_or(String::is_empty) || command.iter().any(|it| it.contains('\0')) {
        let problem = Problem::new(words.span(), "invalid value for `command`");
        problems.add(problem.label("expected a program and its arguments"));
        return None;
    }
    Some(Hook { command, dir: place.base.to_owned() })
}
