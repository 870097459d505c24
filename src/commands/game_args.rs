//! Arguments that name a game and its options.

use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::Failure;
use crate::bounded;
use crate::config::LARGEST;
use crate::model::rules::GameRules;
use crate::printer::Printer;
use referee_games::options::{OptionKind, list_of_files};
use referee_games::{AnyGame, GameKind, OptionSpec, Options, SharedGame, Text};

/// Parses the name of a game; `--help` lists all names with their titles.
pub fn game_named() -> impl TypedValueParser<Value = GameKind> {
    let names =
        GameKind::all().iter().map(|game| PossibleValue::new(game.name()).help(game.title()));
    PossibleValuesParser::new(names)
        .try_map(|name| GameKind::named(&name).ok_or_else(|| format!("unknown game `{name}`")))
}

/// A game and the options it is played by.
#[derive(Debug, Clone, Args)]
pub struct GameArgs {
    /// The game
    #[arg(value_parser = game_named())]
    pub game: GameKind,

    #[expect(missing_docs, reason = "see OptionArgs")]
    #[command(flatten)]
    pub options: OptionArgs,
}

/// Options of the rules.
#[derive(Debug, Clone, Default, Args)]
pub struct OptionArgs {
    /// Set an option of the rules (repeatable; `referee rules GAME` lists them)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub options: Vec<(String, String)>,

    /// Play on the board in this file (repeatable; only for games with boards)
    #[arg(long = "board", value_name = "FILE")]
    pub boards: Vec<String>,
}

impl GameArgs {
    /// The rules of the game, with the given options and defaults for the others.
    pub fn rules(&self, printer: Printer) -> Result<GameRules, Failure> {
        let game = self.game.shared();
        let options = self.options.resolve(&*game, &[], printer)?;
        GameRules::new(game, options).map_err(|error| Failure::input(format!("--option: {error}")))
    }
}

impl OptionArgs {
    /// The options in force: the command line's first, then the `configured` ones, then the
    /// defaults. Reads the files that they name, and prints notes about these files.
    pub fn resolve(
        &self,
        game: &dyn AnyGame,
        configured: &[(Text, String)],
        printer: Printer,
    ) -> Result<Options, Failure> {
        let boards = self.boards(game)?;
        let configured = configured.iter().map(|(name, value)| (&**name, value.as_str()));
        let given = self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let boards = boards.iter().map(|(name, value)| (&**name, value.as_str()));
        let mut options = Options::resolve(game.options(), configured.chain(given).chain(boards))
            .map_err(|error| Failure::input(format!("--option: {error}")))?;
        for remark in &options.load(read_file)? {
            printer.note(remark);
        }
        Ok(options)
    }

    /// The rules with these options. Refuses options that allow endless games.
    pub fn of_whole_games(
        &self,
        game: &SharedGame,
        configured: &[(Text, String)],
        printer: Printer,
    ) -> Result<GameRules, Failure> {
        let options = self.resolve(&**game, configured, printer)?;
        match game.endless(&options)? {
            Some(why) => Err(Failure::input(why)),
            None => Ok(GameRules::new(game.clone(), options)?),
        }
    }

    /// The boards, as the option that they set.
    fn boards(&self, game: &dyn AnyGame) -> Result<Option<(Text, String)>, Failure> {
        if self.boards.is_empty() {
            return Ok(None);
        }
        let takes_files = |spec: &&OptionSpec| matches!(spec.kind, OptionKind::List(_));
        let Some(spec) = game.options().iter().find(takes_files) else {
            return Err(Failure::input(format!(
                "{} has no board files; leave out --board",
                game.name()
            )));
        };
        if self.options.iter().any(|(name, _)| *name == spec.name) {
            let name = &spec.name;
            return Err(Failure::input(format!(
                "--board and --option {name} both say what is played on; leave out one of them"
            )));
        }
        Ok(Some((spec.name.clone(), list_of_files(&self.boards))))
    }
}

/// Reads a file of the rules, or says why that fails.
fn read_file(name: &str) -> Result<String, String> {
    bounded::text(Path::new(name), LARGEST).map_err(|why| why.to_string())
}

/// Splits `name=value`.
fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err("expected NAME=VALUE".to_owned()),
    }
}
