//! `bot NAME`: a built-in player as a separate program.

use super::{Failure, Status};
use crate::printer::Printer;

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
}

/// Plays until `quit` or the end of the input.
pub fn run(args: &BotArgs, _printer: Printer) -> Result<Status, Failure> {
    let kind =
        referee_bots::named(&args.name).map_err(|error| Failure::input(error.to_string()))?;
    referee_bots::serve(kind).map_err(|error| Failure::system(format!("bot {kind}: {error}")))?;
    Ok(Status::Done)
}
