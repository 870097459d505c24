//! `serve-game GAME`: a built-in game as a rules program.

use std::io;

use clap::Args;

use super::game_args::built_in_game;
use super::{Failure, Status};
use crate::printer::Printer;
use referee_games::GameKind;

/// Arguments of `serve-game`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  echo '{\"type\":\"game\",\"id\":1,\"protocol\":[1]}' | referee serve-game backdraughts")]
pub struct ServeGameArgs {
    /// The game
    #[arg(value_parser = built_in_game())]
    game: GameKind,
}

/// Answers requests until `quit` or the end of the input.
pub fn run(args: &ServeGameArgs, _printer: Printer) -> Result<Status, Failure> {
    let served = referee_rules_program::serve(args.game.game(), io::stdin().lock(), io::stdout());
    served.map_err(|error| Failure::input(format!("serve-game: {error}")))?;
    Ok(Status::Done)
}
