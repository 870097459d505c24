//! `rank`: the ranking of a finished or running tournament.

use std::path::PathBuf;

use clap::Args;

use super::results::{Tables, find};
use super::{Failure, Format, Status};
use crate::printer::Printer;
use crate::report::json::StandingsJson;
use crate::report::terminal;

/// Show the ranking of a tournament, finished or running
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee rank                          the newest tournament under results/
  referee rank results/autumn-cup
  referee rank --format json | jq '.players[0]'")]
pub struct RankArgs {
    /// The tournament's folder (default: the newest under results/)
    pub dir: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Prints the ranking.
pub fn run(args: &RankArgs, printer: Printer) -> Result<Status, Failure> {
    let tables = Tables::read(&find(args.dir.as_deref())?)?;
    match args.format {
        Format::Text => {
            let standings = &tables.standings;
            printer.line(&terminal::ranking(standings, printer.width(), printer.dress()))?;
            for line in tables.quarantine_lines() {
                printer.note(&line);
            }
        }
        Format::Json => {
            let json = serde_json::to_string(&StandingsJson::from(&tables.standings))
                .map_err(|error| Failure::system(error.to_string()))?;
            printer.line(&json)?;
        }
    }
    Ok(Status::Done)
}
