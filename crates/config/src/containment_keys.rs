//! The keys under `[containment]`: the level, the requirements and the resource limits of a player.

use std::time::Duration;

use toml::Spanned;

use referee_record::model::containment::{
    ContainmentRequest, MOST_BYTES, MOST_RESOURCES, PlayerLimits,
};
use referee_sandbox::{Level, Requirement, resource_limits};

use super::clock_limits::{LimitPreset, TimeText, check_positive_duration, check_whole_number};
use super::config_file::ConfigFile;
use super::problem::{Problem, Problems, suggest_similar_word};
use super::toml_keys::{Field, FromTable, Given, TomlTableReader, table_keys};

table_keys! {
    /// The keys under `[containment]`.
    ContainmentKeys, "`[containment]`":
    "level" => level: Field<String>,
    "require" => require: Field<Vec<Spanned<String>>>,
    "memory" => memory: Field<String>,
    "processes" => processes: Field<i128>,
    "open-files" => open_files: Field<i128>,
    "file-size" => file_size: Field<String>,
    "scratch" => scratch: Field<String>,
    "output" => output: Field<String>,
    "stderr" => stderr: Field<String>,
    "cpu-move" => cpu_move: Field<TimeText>,
    "cpu-game" => cpu_game: Field<TimeText>,
}

/// The resource limits that `file` gives each player.
pub(super) fn configured_player_limits(file: &ConfigFile, problems: &mut Problems) -> PlayerLimits {
    let preset = check_containment_preset(file.preset.as_ref(), problems);
    let none = ContainmentKeys::default();
    let keys = file.containment.as_ref().unwrap_or(&none);
    check_containment_keys(keys, &preset, problems).limits
}

/// The limits that a preset stands for.
pub(super) fn check_containment_preset(
    field: Given<'_, String>,
    problems: &mut Problems,
) -> LimitPreset {
    let Some(field) = field else { return LimitPreset::default() };
    LimitPreset::named(field.get_ref()).unwrap_or_else(|| {
        let problem = Problem::new(field.span(), "invalid value for `preset`");
        problems.add(problem.label(suggest_similar_word(field.get_ref(), LimitPreset::NAMES)));
        LimitPreset::default()
    })
}

/// Checks the containment that `keys` ask for, on top of the preset's limits.
pub(super) fn check_containment_keys(
    keys: &ContainmentKeys,
    preset: &LimitPreset,
    problems: &mut Problems,
) -> ContainmentRequest {
    let usual = PlayerLimits::default();
    let mut size = |key, field: &Field<String>, least, usual| {
        check_byte_size(key, field.as_ref(), least, problems).unwrap_or(usual)
    };
    let memory = preset.memory.unwrap_or(usual.sandbox.memory);
    let sandbox = referee_sandbox::Limits {
        memory: size("memory", &keys.memory, 16 * resource_limits::MIB, memory),
        file_size: size(
            "file-size",
            &keys.file_size,
            4 * resource_limits::KIB,
            usual.sandbox.file_size,
        ),
        scratch: size("scratch", &keys.scratch, 64 * resource_limits::KIB, usual.sandbox.scratch),
        ..usual.sandbox
    };
    let mut limits = PlayerLimits {
        sandbox,
        output: size("output", &keys.output, 64 * resource_limits::KIB, usual.output),
        stderr: size("stderr", &keys.stderr, 2 * resource_limits::KIB, usual.stderr),
        ..usual
    };
    let mut number = |key, field: &Field<i128>, least, usual: u64| {
        check_whole_number(key, field.as_ref(), &(least..=MOST_RESOURCES), problems)
            .unwrap_or(usual)
    };
    let usual = usual.sandbox;
    limits.sandbox.processes = number("processes", &keys.processes, 4, usual.processes);
    limits.sandbox.open_files = number("open-files", &keys.open_files, 32, usual.open_files);
    let mut time = |key, field: &Field<TimeText>| -> Option<Duration> {
        check_positive_duration(key, field.as_ref(), problems)
    };
    limits.cpu_move = time("cpu-move", &keys.cpu_move);
    limits.cpu_game = time("cpu-game", &keys.cpu_game);
    ContainmentRequest {
        level: check_containment_level(keys.level.as_ref(), problems),
        require: check_containment_requirements(keys.require.as_ref(), problems),
        limits,
        ..ContainmentRequest::default()
    }
}

fn check_containment_level(field: Given<'_, String>, problems: &mut Problems) -> Option<Level> {
    let field = field?;
    let level = Level::named(field.get_ref());
    if level.is_none() {
        let problem = Problem::new(field.span(), "invalid value for `level`");
        problems
            .add(problem.label(suggest_similar_word(field.get_ref(), Level::ALL.map(Level::name))));
    }
    level
}

fn check_containment_requirements(
    field: Given<'_, Vec<Spanned<String>>>,
    problems: &mut Problems,
) -> Vec<Requirement> {
    let given = field.into_iter().flat_map(Spanned::get_ref);
    given
        .filter_map(|name| {
            let requirement = Requirement::named(name.get_ref());
            if requirement.is_none() {
                let title =
                    format!("unknown entry `{}` in `require`", name.get_ref().escape_debug());
                let label =
                    suggest_similar_word(name.get_ref(), Requirement::all().map(Requirement::name));
                problems.add(Problem::new(name.span(), title).label(label));
            }
            requirement
        })
        .collect()
}

/// The number of bytes in `field`, at least `least`.
pub(super) fn check_byte_size(
    key: &str,
    field: Given<'_, String>,
    least: u64,
    problems: &mut Problems,
) -> Option<u64> {
    let field = field?;
    let expected = match parse_byte_size(field.get_ref()) {
        Some(count) if (least..=MOST_BYTES).contains(&count) => return Some(count),
        Some(count) => {
            let (bound, which) =
                if count < least { (least, "least") } else { (MOST_BYTES, "most") };
            format!(
                "expected at {which} \"{}\"",
                resource_limits::format_bytes(bound).replace(' ', "")
            )
        }
        None => "expected a size such as \"64KiB\", \"100MiB\" or \"2GiB\"".to_owned(),
    };
    let problem = Problem::new(field.span(), format!("invalid value for `{key}`"));
    problems.add(problem.label(expected));
    None
}

fn parse_byte_size(text: &str) -> Option<u64> {
    let units = [
        ("KiB", resource_limits::KIB),
        ("MiB", resource_limits::MIB),
        ("GiB", 1024 * resource_limits::MIB),
    ];
    let (digits, unit) =
        units.into_iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    digits.trim_end().parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_unit() {
        assert_eq!(parse_byte_size("64KiB"), Some(65_536));
        assert_eq!(parse_byte_size("2 GiB"), Some(2 << 30));
        for refused in ["", "64", "64KB", "-1MiB", "1.5GiB", "99999999999999999999KiB"] {
            assert_eq!(parse_byte_size(refused), None, "{refused}");
        }
    }
}
