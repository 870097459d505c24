//! `rank`: prints the ranking of a finished or running tournament.

use std::path::PathBuf;

use clap::Args;

use super::results::{Tables, find};
use super::{Failure, OutputFormat, Status};
use crate::analysis::TournamentAnalysis;
use crate::analysis::diagnostics::{Diagnoser, Diagnostics};
use crate::analysis::failed_checks::FailedChecks;
use crate::analysis::pass::{LogVisitor, Visitors};
use crate::analysis::results::Faulted;
use crate::printer::Printer;
use crate::report::details::details;
use crate::report::json::StandingsJson;
use crate::report::taken_out::taken_out;
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
    pub format: OutputFormat,
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
    let found = found(&tables.analysis, args.details, args.format == OutputFormat::Text)?;
    let LogFindings { diagnostics, out } = found;
    match args.format {
        OutputFormat::Text => {
            let (width, colour) = (printer.width(), printer.colour);
            printer.line(&terminal::ranking(&tables.standings, width, colour))?;
            if let Some(found) = diagnostics {
                printer.line(&format!("\n{}", details(&found, width, colour)))?;
            }
            for line in &out {
                printer.note(line);
            }
        }
        OutputFormat::Json => {
            let standings = StandingsJson { diagnostics, ..(&tables.standings).into() };
            let json = serde_json::to_string(&standings)
                .map_err(|error| Failure::system(error.to_string()))?;
            printer.line(&json)?;
        }
    }
    Ok(Status::Done)
}

/// The results of one pass over the log.
struct LogFindings {
    diagnostics: Option<Diagnostics>,
    /// One line per player that is out.
    out: Vec<String>,
}

/// Reads every game if the details or the lines about players that are out need it.
fn found(
    analysis: &TournamentAnalysis,
    details: bool,
    lines: bool,
) -> Result<LogFindings, Failure> {
    let mut diagnoser = details.then(|| Diagnoser::new(analysis)).transpose()?;
    let mut failed_checks = FailedChecks::default();
    let state = &analysis.state;
    let is_checked = lines && state.quarantined().any(|(_, game)| state.is_check(game));
    let mut visitors: Vec<&mut dyn LogVisitor> = Vec::new();
    visitors.extend(diagnoser.as_mut().map(|it| it as &mut dyn LogVisitor));
    if is_checked {
        visitors.push(&mut failed_checks);
    }
    if !visitors.is_empty() {
        analysis.visit(&mut Visitors(visitors))?;
    }
    let diagnostics = diagnoser.map(|diagnoser| diagnoser.finish(analysis));
    Ok(LogFindings { diagnostics, out: taken_out(analysis, &failed_checks) })
}
