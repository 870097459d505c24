//! The description of a game, as a rules program gives it.

use referee_games::{AnyGame, OptionSpec, PlacesTell};

use crate::contract::{GameAnswer, VERSION};

pub(super) fn describe_game(game: &dyn AnyGame) -> GameAnswer {
    GameAnswer {
        protocol: VERSION,
        name: game.name().to_owned(),
        title: game.title().to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        seats: game.seats().into_iter().map(std::borrow::Cow::into_owned).collect(),
        hidden: false,
        ranking: PlacesTell::Places,
        options: game.options().iter().map(describe_option).collect(),
        clauses: game.clauses().to_vec(),
        board: game.look().cloned(),
    }
}

/// The option without its dependence on another one, which the text describes instead.
fn describe_option(spec: &OptionSpec) -> OptionSpec {
    let spec = spec.clone();
    match &spec.default_by {
        Some(by) => {
            let help = format!("{}: {}", spec.help, by.words).into();
            OptionSpec { help, default_by: None, ..spec }
        }
        None => spec,
    }
}
