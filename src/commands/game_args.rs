//! The arguments that name a game and its options.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::Failure;
use crate::bounded;
use crate::config::LARGEST;
use crate::printer::Printer;
use referee_games::options::{OptionKind, list_of_files};
use referee_games::{Game, GameKind, Options};

/// Reads the name of a game; `--help` lists the names with their titles.
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
#[derive(Debug, Clone, Args)]
pub struct OptionArgs {
    /// Set an option of the rules (repeatable; `referee rules GAME` lists them)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub options: Vec<(String, String)>,

    /// Play on the board in this file (repeatable; only for games with boards)
    #[arg(long = "board", value_name = "FILE")]
    pub boards: Vec<String>,
}

impl GameArgs {
    /// The rules of `G` with the given options on top of the defaults.
    pub fn rules<G: Game>(&self, printer: Printer) -> Result<Arc<G::Rules>, Failure> {
        let options = self.options.resolve::<G>(&[], printer)?;
        G::rules(&options)
            .map(Arc::new)
            .map_err(|message| Failure::input(format!("--option: {message}")))
    }
}

impl OptionArgs {
    /// The options in force: the defaults, on top of them those `configured`, and on top of these
    /// those of the command line. The files that they name are read, and remarks about them go to
    /// the user.
    pub fn resolve<G: Game>(
        &self,
        configured: &[(&'static str, String)],
        printer: Printer,
    ) -> Result<Options, Failure> {
        let boards = self.boards::<G>()?;
        let configured = configured.iter().map(|(name, value)| (*name, value.as_str()));
        let given = self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let boards = boards.iter().map(|(name, value)| (*name, value.as_str()));
        let mut options = Options::resolve(G::OPTIONS, configured.chain(given).chain(boards))
            .map_err(|bad| Failure::input(format!("--option: {}", bad.message)))?;
        let remarks =
            options.load(G::OPTIONS, read_file).map_err(|bad| Failure::input(bad.message))?;
        for remark in &remarks {
            printer.note(remark);
        }
        Ok(options)
    }

    /// The same with the rules under them; refused where there are games that would not end.
    pub fn of_whole_games<G: Game>(
        &self,
        configured: &[(&'static str, String)],
        printer: Printer,
    ) -> Result<(Options, G::Rules), Failure> {
        let options = self.resolve::<G>(configured, printer)?;
        let rules = G::rules(&options).map_err(Failure::input)?;
        match G::endless(&rules) {
            Some(why) => Err(Failure::input(why)),
            None => Ok((options, rules)),
        }
    }

    /// The boards as the option that they stand for.
    fn boards<G: Game>(&self) -> Result<Option<(&'static str, String)>, Failure> {
        if self.boards.is_empty() {
            return Ok(None);
        }
        let takes_files = |kind| matches!(kind, OptionKind::List(_));
        let Some(spec) = G::OPTIONS.iter().find(|spec| takes_files(spec.kind)) else {
            return Err(Failure::input(format!(
                "{} has no board files; leave out --board",
                G::NAME
            )));
        };
        if self.options.iter().any(|(name, _)| name == spec.name) {
            let name = spec.name;
            return Err(Failure::input(format!(
                "--board and --option {name} both say what is played on; leave out one of them"
            )));
        }
        Ok(Some((spec.name, list_of_files(&self.boards))))
    }
}

/// The text of a file of the rules, or why there is none.
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
