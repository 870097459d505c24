//! `bot NAME`: a built-in player as a separate program.

use super::{Failure, Status};
use crate::game_program::open_uncontained;
use crate::printer::Printer;
use referee_bots::Session;
use referee_games::SharedGame;

/// Arguments of `bot`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  referee bot greedy
  referee bot search-2000      the same moves on every machine")]
pub struct BotArgs {
    /// `random`, `greedy`, `steady` (prolongs the game), `search`, or `search-N` (at most N
    /// positions per move, without a clock)
    pub name: String,

    /// The program that knows the rules of the game, as a log's header describes it
    #[arg(long, value_name = "JSON", hide = true)]
    rules_program: Option<String>,
}

/// Plays until `quit` or the end of the input.
pub fn run(args: &BotArgs, _printer: Printer) -> Result<Status, Failure> {
    let kind =
        referee_bots::named(&args.name).map_err(|error| Failure::input(error.to_string()))?;
    let session = match &args.rules_program {
        None => Session::new(kind),
        Some(json) => Session::with_game(kind, foreign_game(json)?),
    };
    referee_bots::serve(session)
        .map_err(|error| Failure::system(format!("bot {kind}: {error}")))?;
    Ok(Status::Done)
}

fn foreign_game(json: &str) -> Result<SharedGame, Failure> {
    let program = serde_json::from_str(json)
        .map_err(|error| Failure::input(format!("--rules-program: {error}")))?;
    Ok(open_uncontained(&program)?)
}
