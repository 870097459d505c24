//! `new game`: creates the rules program of a small game.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{Failure, Printer, Status, write_new_kit};
use crate::starter_kits::game_kit::{game_kit_files, game_kits};
use crate::starter_kits::{KitLanguage, StarterKit};
use referee_record::shell::quote_for_shell;

/// Arguments of `new game`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new game
  referee new game --language rust my-game")]
pub(crate) struct NewGameArgs {
    /// The folder to create; its name is the game's name
    #[arg(default_value = "my-game")]
    pub(crate) dir: PathBuf,
    /// The language
    #[arg(long = "language", value_name = "LANGUAGE", default_value = "python",
        value_parser = new_game_kit_parser())]
    pub(crate) kit: &'static StarterKit,
}

/// A parser for the name of a language that has a kit.
fn new_game_kit_parser() -> impl TypedValueParser<Value = &'static StarterKit> {
    let names = game_kits().iter().filter_map(|kit| kit.language.to_possible_value());
    PossibleValuesParser::new(names).try_map(|name| {
        let language = KitLanguage::from_str(&name, false)?;
        let kit = game_kits().iter().find(|kit| kit.language == language);
        kit.ok_or_else(|| "no starter kit in this language".to_owned())
    })
}

pub(super) fn run(args: &NewGameArgs, printer: Printer) -> Result<Status, Failure> {
    let folder = args.dir.file_name().unwrap_or_default().to_string_lossy();
    let name = Some(kebab_case_game_name(&folder)).filter(|name| !name.is_empty());
    let name = name.as_deref().unwrap_or("my-game");
    write_new_kit(&args.dir, &game_kit_files(args.kit, name), printer)?;
    let dir = quote_for_shell(&args.dir.to_string_lossy());
    let build = args.kit.build.map_or(String::new(), |build| format!(" && {build}"));
    printer.command("next", &format!("cd {dir}{build} && referee test-game game.toml"));
    Ok(Status::Done)
}

/// The text in lower-case letters and digits, with single hyphens in place of everything else.
fn kebab_case_game_name(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<_> =
        words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::kebab_case_game_name;

    #[test]
    fn names_become_kebab_case() {
        assert_eq!(kebab_case_game_name("My Game_2!"), "my-game-2");
        assert_eq!(kebab_case_game_name("..."), "");
    }
}
