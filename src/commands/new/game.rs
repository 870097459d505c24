//! `new game`: creates the rules program of a small game.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{Failure, Printer, Status, write_all};
use crate::templates::{StarterKit, game};

/// Arguments of `new game`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new game --language python
  referee new game --language rust my-game")]
pub struct NewGameArgs {
    /// The folder to create; its name is the game's name
    #[arg(default_value = "my-game")]
    pub dir: PathBuf,
    /// The language
    #[arg(long = "language", value_name = "LANGUAGE", value_parser = kit_named())]
    pub kit: &'static StarterKit,
}

/// A parser for the name of a language that has a kit.
fn kit_named() -> impl TypedValueParser<Value = &'static StarterKit> {
    let named =
        |kit: &StarterKit| kit.language.to_possible_value().expect("every language has a name");
    let is = move |kit: &StarterKit, name: &str| named(kit).get_name() == name;
    PossibleValuesParser::new(game::kits().iter().map(named)).try_map(move |name| {
        let kit = game::kits().iter().find(|kit| is(kit, &name));
        kit.ok_or("no starter kit in this language")
    })
}

pub(super) fn run(args: &NewGameArgs, printer: Printer) -> Result<Status, Failure> {
    let folder = args.dir.file_name().unwrap_or_default().to_string_lossy();
    let name = Some(kebab_case(&folder)).filter(|name| !name.is_empty());
    let name = name.as_deref().unwrap_or("my-game");
    write_all(&args.dir, &game::files(args.kit, name), printer)?;
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
