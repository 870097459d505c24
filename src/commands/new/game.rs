//! `new game`: creates the rules program of a small game.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{Failure, Printer, Status, ask_language, write_all};
use crate::templates::{Language, StarterKit, game};

/// The message about a language that has no kit.
const NO_KIT: &str = "no starter kit in this language";

/// Arguments of `new game`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new game
  referee new game --language rust my-game")]
pub struct NewGameArgs {
    /// The folder to create; its name is the game's name
    #[arg(default_value = "my-game")]
    pub dir: PathBuf,
    /// The language (default: asks on a terminal, Python elsewhere)
    #[arg(long = "language", value_name = "LANGUAGE", value_parser = kit_named())]
    pub kit: Option<&'static StarterKit>,
}

/// A parser for the name of a language that has a kit.
fn kit_named() -> impl TypedValueParser<Value = &'static StarterKit> {
    let names = game::kits().iter().filter_map(|kit| kit.language.to_possible_value());
    PossibleValuesParser::new(names)
        .try_map(|name| Language::from_str(&name, false).ok().and_then(kit_in).ok_or(NO_KIT))
}

/// The kit in a language, if there is one.
fn kit_in(language: Language) -> Option<&'static StarterKit> {
    game::kits().iter().find(|kit| kit.language == language)
}

/// The kit in the language that the person at the terminal chooses.
fn ask_kit(printer: Printer) -> Result<&'static StarterKit, Failure> {
    let languages: Vec<Language> = game::kits().iter().map(|kit| kit.language).collect();
    let language = ask_language(&languages, printer)?;
    kit_in(language).ok_or_else(|| Failure::input(NO_KIT))
}

pub(super) fn run(args: &NewGameArgs, printer: Printer) -> Result<Status, Failure> {
    let kit = args.kit.map_or_else(|| ask_kit(printer), Ok)?;
    let folder = args.dir.file_name().unwrap_or_default().to_string_lossy();
    let name = Some(kebab_case(&folder)).filter(|name| !name.is_empty());
    let name = name.as_deref().unwrap_or("my-game");
    write_all(&args.dir, &game::files(kit, name), printer)?;
    Ok(Status::Done)
}

/// The text in lower-case letters and digits, with single hyphens in place of everything else.
fn kebab_case(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<_> =
        words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::kebab_case;

    #[test]
    fn names_become_kebab_case() {
        assert_eq!(kebab_case("My Game_2!"), "my-game-2");
        assert_eq!(kebab_case("..."), "");
    }
}
