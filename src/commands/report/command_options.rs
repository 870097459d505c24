//! The options with which the commands on a page find the tournament from its configuration's
//! folder.

use std::path::Path;

use referee_config::CONFIG;
use referee_entrants::relative_path::relative_path;
use referee_record::model::record::Header;
use referee_record::shell::quote_for_shell;

/// The options with which `ask` finds the tournament in `dir`, and its configured players, from the
/// configuration's folder. If `config` is unknown, that folder is the nearest one around `dir` with
/// a configuration, or else the working directory.
pub(in crate::commands) fn ask_command_options(dir: &Path, config: Option<&Path>) -> String {
    command_options_with_config(dir, config, "--config")
}

/// The options with which `replay` finds the tournament in `dir` and, if its rules are a program,
/// that program.
pub(in crate::commands) fn replay_command_options(
    dir: &Path,
    config: &Path,
    header: &Header,
) -> String {
    if header.program.is_some() {
        command_options_with_config(dir, Some(config), "--game")
    } else {
        results_command_option(dir, Some(config))
    }
}

/// The results, and the configuration under this option if it does not have the usual name.
fn command_options_with_config(dir: &Path, config: Option<&Path>, option: &str) -> String {
    let results = results_command_option(dir, config);
    match config.and_then(Path::file_name) {
        Some(name) if name != CONFIG => {
            format!("{results} {option} {}", quote_for_shell(&name.to_string_lossy()))
        }
        _ => results,
    }
}

fn results_command_option(dir: &Path, config: Option<&Path>) -> String {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let around = || dir.ancestors().find(|folder| folder.join(CONFIG).is_file());
    let base = match config {
        Some(config) => config.canonicalize().ok().and_then(|it| it.parent().map(Path::to_owned)),
        None => around().map(Path::to_owned).or_else(|| std::env::current_dir().ok()),
    };
    let seen = base.map_or_else(|| dir.clone(), |base| relative_path(&base, &dir));
    format!("--results {}", quote_for_shell(&seen.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn commands_are_relative_to_the_configuration_folder() {
        let dir = tempfile::tempdir().expect("a folder");
        let results = dir.path().join("a class/elsewhere/cup");
        fs::create_dir_all(&results).expect("made");
        let config = dir.path().join("a class").join(CONFIG);
        fs::write(&config, "").expect("written");
        assert_eq!(ask_command_options(&results, None), "--results elsewhere/cup");
        assert_eq!(ask_command_options(&results, Some(&config)), "--results elsewhere/cup");
        let other = dir.path().join("autumn cup.toml");
        fs::write(&other, "").expect("written");
        assert_eq!(
            ask_command_options(&results, Some(&other)),
            "--results 'a class/elsewhere/cup' --config 'autumn cup.toml'"
        );
    }
}
