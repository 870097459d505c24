//! `referee perft`: how many positions lie how deep.

use std::fmt::Write;

use clap::Args;

use super::game_args::GameArgs;
use super::{Failure, Status};
use crate::printer::Printer;
use crate::rules::{Game, perft};
use crate::with_game;

const EXAMPLES: &str = "\
Examples:
  referee perft watch-your-back --depth 2
  referee perft watch-your-back --depth 2 --divide";

/// Count the positions a number of plies deep, to compare rules with another program
///
/// Depth counts plies: an outcome of chance is none and all are followed, a forced pass is one,
/// and a simultaneous turn counts pairs of actions. A game that ends earlier adds nothing.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct PerftArgs {
    #[command(flatten)]
    game: GameArgs,

    /// How many plies deep
    #[arg(long, value_name = "N")]
    depth: u32,

    /// First print the count behind each action at the root
    #[arg(long)]
    divide: bool,
}

/// Runs `referee perft`.
pub fn run(args: &PerftArgs, printer: Printer) -> Result<Status, Failure> {
    with_game!(args.game.game, G => count::<G>(args, printer))
}

fn count<G: Game>(args: &PerftArgs, printer: Printer) -> Result<Status, Failure> {
    let start = G::start(&args.game.rules::<G>()?);
    if args.divide && args.depth > 0 {
        printer.line(&divided(&perft::divide(&start, args.depth)))?;
    } else {
        printer.line(&format!("nodes {}", perft::perft(&start, args.depth)))?;
    }
    Ok(Status::Done)
}

/// A line for each action, and the total last.
fn divided(counts: &[(String, u64)]) -> String {
    let mut text = String::new();
    for (action, count) in counts {
        let _ = writeln!(text, "{action} {count}");
    }
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let _ = write!(text, "nodes {total}");
    text
}
