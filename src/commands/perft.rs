//! `referee perft`: counts positions by depth.

use std::io::{self, Write};

use clap::Args;

use super::game_args::GameArgs;
use super::{Failure, Status};
use crate::printer::Printer;
use referee_games::{AnyPosition, divide, perft};

const EXAMPLES: &str = "\
Examples:
  referee perft watch-your-back --depth 2
  referee perft watch-your-back --depth 2 --divide
  referee perft back-to-the-wall --depth 1 --option rounds=twice";

/// Arguments of `perft`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct PerftArgs {
    #[command(flatten)]
    game: GameArgs,

    /// Depth in plies
    #[arg(long, value_name = "N")]
    depth: u32,

    /// Also print the count for each action at the root
    #[arg(long)]
    divide: bool,
}

/// Runs `referee perft`.
pub fn run(args: &PerftArgs, printer: Printer) -> Result<Status, Failure> {
    let start = args.game.rules(printer)?.start;
    if args.divide && args.depth > 0 {
        return divided(&*start, args.depth, printer);
    }
    printer.line(&format!("nodes {}", perft(&*start, args.depth)?))?;
    Ok(Status::Done)
}

/// Prints one line per action as soon as it is counted, and the total last.
fn divided(start: &dyn AnyPosition, depth: u32, printer: Printer) -> Result<Status, Failure> {
    let (mut out, mut total) = (printer.stream(), 0);
    let broken = |error: io::Error| Printer::broken(&error);
    for below in divide(start, depth)? {
        let (step, count) = below?;
        total += count;
        writeln!(out, "{} {count}", step.text()).map_err(broken)?;
    }
    writeln!(out, "nodes {total}").and_then(|()| out.flush()).map_err(broken)?;
    Ok(Status::Done)
}
