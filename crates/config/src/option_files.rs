//! Files and folders that the options of an engine name, such as `EvalFile` and `SyzygyPath`.

use std::fs;
use std::path::Path;

use super::command_programs::{link_target_outside, outside_link_error};
use super::problem::InvalidValue;
use referee_record::model::player_spec::EngineSettings;

/// The files and folders that options name, as written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OptionFiles {
    pub(super) files: Vec<String>,
    pub(super) folders: Vec<String>,
}

impl OptionFiles {
    /// Those that exist, for an engine that runs in `dir`.
    ///
    /// # Errors
    /// One of them is a link out of the engine's own folder.
    pub(super) fn find(settings: &EngineSettings, dir: &Path) -> Result<Self, InvalidValue> {
        let mut found = Self::default();
        for name in settings.options.iter().flat_map(|(_, value)| names_in_option(value, dir)) {
            let Ok(metadata) = fs::metadata(dir.join(name)) else { continue };
            // It would show the engine what its author wants to see.
            if link_target_outside(name, dir).is_some() {
                return Err(outside_link_error(name));
            }
            if metadata.is_file() {
                found.files.push(name.to_owned());
            } else if metadata.is_dir() {
                found.folders.push(name.to_owned());
            }
        }
        Ok(found)
    }
}

/// Says which option names a file that does not exist, if one does.
pub(super) fn find_missing_option_file(settings: &EngineSettings, dir: &Path) -> Option<String> {
    let missing = |(option, value): &(String, String)| {
        let name = names_in_option(value, dir).find(|name| !dir.join(name).exists())?;
        option_looks_like_path(option, name).then(|| {
            format!(
                "the option `{}` names `{}`, which does not exist in {}",
                option.escape_debug(),
                name.escape_debug(),
                dir.display()
            )
        })
    };
    settings.options.iter().find_map(missing)
}

/// The names in a value: the whole, or its parts between colons, as in a list of folders.
fn names_in_option<'v>(value: &'v str, dir: &Path) -> impl Iterator<Item = &'v str> {
    let is_one = dir.join(value).exists() || !value.contains('/');
    let parts = if is_one { vec![value] } else { value.split(':').collect() };
    // Nobody means the file `64` by `Hash = 64`.
    let is_name =
        |name: &&str| !["", "true", "false"].contains(name) && name.parse::<f64>().is_err();
    parts.into_iter().filter(is_name)
}

/// Whether the value of an option is meant to be an existing file or folder. Engines create the
/// files that they log to.
fn option_looks_like_path(option: &str, name: &str) -> bool {
    let option = option.to_lowercase();
    let is_said = option.contains("file") || option.contains("path");
    let is_empty = name.starts_with('<') || name.eq_ignore_ascii_case("none");
    !is_empty && !option.contains("log") && (is_said || name.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_entrants::test_folder::make_test_folder;

    fn settings(options: &[(&str, &str)]) -> EngineSettings {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        EngineSettings { options: options.iter().map(owned).collect(), ..EngineSettings::default() }
    }

    #[test]
    fn values_that_exist_are_files_of_the_player() {
        let dir = make_test_folder(&[
            ("net.nnue", ""),
            ("a/KQvK.rtbw", ""),
            ("b/KRvK.rtbw", ""),
            ("64", ""),
        ]);
        let lists = format!("a:{}", dir.path().join("b").display());
        let given = settings(&[
            ("EvalFile", "net.nnue"),
            ("SyzygyPath", &lists),
            ("Hash", "64"),
            ("Style", "Solid"),
            ("BookFile", "<empty>"),
        ]);
        let found = OptionFiles::find(&given, dir.path()).expect("no links");
        assert_eq!(found.files, ["net.nnue"]);
        assert_eq!(found.folders, ["a", &lists[2..]]);
        assert_eq!(find_missing_option_file(&given, dir.path()), None);
    }

    #[test]
    fn a_path_that_does_not_exist_is_named() {
        let dir = make_test_folder(&[("a/x", "")]);
        let missing = |name, value| {
            let text = find_missing_option_file(&settings(&[(name, value)]), dir.path())?;
            Some(text.split(", which").next()?.to_owned())
        };
        for (name, value, wrong) in [
            ("EvalFile", "net.nnue", "net.nnue"),
            ("SyzygyPath", "a:b/c", "b/c"),
            ("Weights", "./gone", "./gone"),
        ] {
            let expected = format!("the option `{name}` names `{wrong}`");
            assert_eq!(missing(name, value), Some(expected));
        }
        for (name, value) in [
            ("Style", "Solid"),
            ("EvalFile", "<empty>"),
            ("SyzygyPath", ""),
            ("Debug Log File", "log.txt"),
            ("Use Book File", "true"),
        ] {
            assert_eq!(missing(name, value), None, "{name}");
        }
    }

    #[test]
    fn a_link_out_of_the_folder_of_the_engine_is_refused() {
        let (dir, other) = (make_test_folder(&[]), make_test_folder(&[("secret", "")]));
        let link = dir.path().join("net.nnue");
        std::os::unix::fs::symlink(other.path().join("secret"), link).expect("a link");
        let refused = OptionFiles::find(&settings(&[("EvalFile", "net.nnue")]), dir.path());
        assert!(refused.is_err());
    }
}
