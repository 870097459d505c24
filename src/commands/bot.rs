//! `bot NAME`: a house player as a program of its own.

use super::{Failure, Status};
use crate::printer::Printer;

/// Play as a house player, speaking the protocol on stdin and stdout
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  referee bot greedy
  referee bot search-2000      the same moves on every machine")]
pub struct BotArgs {
    /// `random`, `greedy`, `steady` (keeps the game going), `search`, or `search-N`: at most N nodes
    /// a move and no look at a clock
    pub name: String,
}

/// Plays until `quit` or the end of the input.
pub fn run(args: &BotArgs, _printer: Printer) -> Result<Status, Failure> {
    let kind = referee_bots::named(&args.name).map_err(Failure::input)?;
    referee_bots::serve(kind).map_err(|error| Failure::system(format!("bot {kind}: {error}")))?;
    Ok(Status::Done)
}
