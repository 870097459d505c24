//! The arguments that name a game and its options.

use std::sync::Arc;

use clap::Args;

use super::Failure;
use crate::rules::{Game, GameKind, Options};

/// A game and the options it is played by.
#[derive(Debug, Clone, Args)]
pub struct GameArgs {
    /// The game
    pub game: GameKind,

    /// Set an option of the rules (repeatable; `referee rules GAME` shows them)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub options: Vec<(String, String)>,
}

impl GameArgs {
    /// The rules of `G` with the given options on top of the defaults.
    pub fn rules<G: Game>(&self) -> Result<Arc<G::Rules>, Failure> {
        let given = self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let options = Options::resolve(G::OPTIONS, given)
            .map_err(|bad| Failure::input(format!("--option: {}", bad.message)))?;
        G::rules(&options)
            .map(Arc::new)
            .map_err(|message| Failure::input(format!("--option: {message}")))
    }
}

/// Splits `name=value`.
pub(super) fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err("expected NAME=VALUE".to_owned()),
    }
}
