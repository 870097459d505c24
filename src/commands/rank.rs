//! `rank`: the ranking of a finished or running tournament.

use std::path::PathBuf;

use clap::Args;

use super::results::{Tables, find};
use super::{Failure, Format, Status};
use crate::analysis::results::Faulted;
use crate::printer::Printer;
use crate::report::details::details;
use crate::report::json::StandingsJson;
use crate::report::terminal;

/// Arguments of `rank`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee rank                          the newest tournament under results/
  referee rank results/autumn-cup
  referee rank --details                more about the games
  referee rank --without-faults         only games without a fault
  referee rank --format json | jq '.players[0]'")]
pub struct RankArgs {
    /// The results folder (default: the newest under results/)
    pub dir: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Ignore games that ended in a fault
    #[arg(long)]
    pub without_faults: bool,
    /// Also show endings, time use, unexpected results, and similar players
    #[arg(long)]
    pub details: bool,
}

/// Prints the ranking.
pub fn run(args: &RankArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = find(args.dir.as_deref())?;
    let faulted = if args.without_faults { Faulted::LeaveOut } else { Faulted::Count };
    let tables = Tables::read(&dir, faulted)?;
    tables.warn(printer);
    let found = args.details.then(|| tables.diagnostics(&dir)).transpose()?;
    match args.format {
        Format::Text => {
            let (width, colour) = (printer.width(), printer.colour);
            printer.line(&terminal::ranking(&tables.standings, width, colour))?;
            if let Some(found) = found {
                printer.line(&format!("\n{}", details(&found, width, colour)))?;
            }
            for line in tables.out_lines(&dir)? {
                printer.note(&line);
            }
        }
        Format::Json => {
            let standings = StandingsJson { diagnostics: found, ..(&tables.standings).into() };
            let json = serde_json::to_string(&standings)
                .map_err(|error| Failure::system(error.to_string()))?;
            printer.line(&json)?;
        }
    }
    Ok(Status::Done)
}
