//! The table `[build]`: how submissions that are source code become players.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use toml::de::DeValue;

use referee_record::model::containment::MOST_RESOURCES;
use referee_sandbox::Network;
use referee_sandbox::resource_limits::{KIB, MIB};

use super::clock_limits::{TimeText, check_positive_duration, check_whole_number};
use super::containment_keys::check_byte_size;
use super::problem::{Problem, Problems};
use super::toml_keys::{Field, FromTable, FromToml, TomlTableReader, table_keys};
use referee_entrants::build_rules::{BuildRules, CommandChoice};

table_keys! {
    /// The keys under `[build]`.
    BuildKeys, "`[build]`":
    "network" => network: Field<bool>,
    "time" => time: Field<TimeText>,
    "memory" => memory: Field<String>,
    "disk" => disk: Field<String>,
    "files" => files: Field<i128>,
    "processes" => processes: Field<i128>,
    "output" => output: Field<String>,
    "env" => env: Field<BTreeMap<String, String>>,
    "readable" => readable: Field<Vec<Spanned<String>>>,
    "make" => make: Field<CommandChoice>,
    "cargo" => cargo: Field<CommandChoice>,
    "cmake" => cmake: Field<CommandChoice>,
    "go" => go: Field<CommandChoice>,
    "gradle" => gradle: Field<CommandChoice>,
    "maven" => maven: Field<CommandChoice>,
    "java" => java: Field<CommandChoice>,
    "node" => node: Field<CommandChoice>,
    "python" => python: Field<CommandChoice>,
}

impl FromToml for CommandChoice {
    const EXPECTED: &'static str = "a command in quotes, or false";

    fn typed(value: &DeValue<'_>) -> Option<Self> {
        match value {
            DeValue::Boolean(false) => Some(Self::Off),
            DeValue::String(line) if !line.trim().is_empty() && !line.contains('\0') => {
                Some(Self::Line(line.to_string()))
            }
            _ => None,
        }
    }
}

/// Checks the rules that `keys` ask for. The results are kept beside the folder `results`.
pub(super) fn check_build_keys(
    keys: &BuildKeys,
    base: &Path,
    results: &Path,
    problems: &mut Problems,
) -> BuildRules {
    let mut rules = BuildRules::usual(results);
    let mut size = |key, field: &Field<String>, least, usual: &mut u64| {
        *usual = check_byte_size(key, field.as_ref(), least, problems).unwrap_or(*usual);
    };
    size("memory", &keys.memory, 16 * MIB, &mut rules.limits.memory);
    size("disk", &keys.disk, 64 * KIB, &mut rules.limits.scratch);
    size("output", &keys.output, 4 * KIB, &mut rules.output);
    rules.limits.file_size = rules.limits.scratch;
    let mut number = |key, field: &Field<i128>, least, usual: &mut u64| {
        *usual = check_whole_number(key, field.as_ref(), &(least..=MOST_RESOURCES), problems)
            .unwrap_or(*usual);
    };
    number("processes", &keys.processes, 4, &mut rules.limits.processes);
    number("files", &keys.files, 100, &mut rules.limits.files);
    rules.time =
        check_positive_duration("time", keys.time.as_ref(), problems).unwrap_or(rules.time);
    if keys.network.as_ref().is_some_and(|open| *open.get_ref()) {
        rules.network = Network::Open;
    }
    rules.env = keys.env.as_ref().map(|env| env.get_ref().clone()).unwrap_or_default();
    for path in keys.readable.iter().flat_map(Spanned::get_ref) {
        let found = base.join(path.get_ref());
        if !found.exists() {
            let title = format!("cannot find `{}`", path.get_ref().escape_debug());
            let help = "`readable` lists files and folders that builds may read";
            problems.add(Problem::new(path.span(), title).help(help));
        }
        rules.readable.push(found);
    }
    let choices = [
        ("make", &keys.make),
        ("cargo", &keys.cargo),
        ("cmake", &keys.cmake),
        ("go", &keys.go),
        ("gradle", &keys.gradle),
        ("maven", &keys.maven),
        ("java", &keys.java),
        ("node", &keys.node),
        ("python", &keys.python),
    ];
    let given = choices.into_iter().filter_map(|(name, choice)| Some((name, choice.as_ref()?)));
    rules.choices = given.map(|(name, choice)| (name, choice.get_ref().clone())).collect();
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_entrants::test_folder::make_test_folder;

    /// The build of a folder with these files under this table.
    fn planned(table: &str, files: &[&str]) -> Option<(String, String)> {
        let files: Vec<_> = files.iter().map(|&name| (name, "")).collect();
        let dir = make_test_folder(&files);
        let mut problems = Problems::default();
        let keys = BuildKeys::from_text(table, &mut problems).expect("TOML");
        let rules =
            check_build_keys(&keys, Path::new("/cup"), Path::new("/cup/results"), &mut problems);
        assert!(problems.is_empty(), "{table}");
        let plan = rules.plan(dir.path())?;
        Some((plan.below.display().to_string(), plan.command))
    }

    #[test]
    fn the_nearest_build_file_that_is_not_turned_off_decides() {
        let plan = |dir: &str, command: &str| Some((dir.to_owned(), command.to_owned()));
        assert_eq!(planned("", &["deep/Makefile", "deep/a.java"]), plan("deep", "make"));
        let java = "find . -name '*.java' -exec javac -encoding UTF-8 -d . {} +";
        assert_eq!(planned("make = false", &["Makefile", "a.java"]), plan("", java));
        assert_eq!(planned("make = \"make -j2\"", &["Makefile"]), plan("", "make -j2"));
        assert_eq!(planned("", &["main.py"]), None);
    }

    #[test]
    fn libraries_are_installed_only_with_a_network_or_a_command() {
        let files = &["main.py", "requirements.txt"][..];
        assert_eq!(planned("", files), None);
        let (_, usual) = planned("network = true", files).expect("a build");
        assert!(usual.contains("pip install"), "{usual}");
        let (_, own) = planned("python = \"pip install x\"", files).expect("a build");
        assert_eq!(own, "pip install x");
    }

    #[test]
    fn a_source_or_a_script_does_not_replace_a_build() {
        assert!(planned("", &["Player.java"]).is_some(), "it would be compiled at every start");
        assert!(planned("", &["run.sh", "Makefile"]).is_some(), "a script may start the result");
    }
}
