//! `rank A B C`: the ranking of several tournaments of the same game, and its history.

use super::{RankArgs, RankFormat, print_ranking};
use crate::commands::results_folder::find_results_folder;
use crate::commands::{Failure, Status};
use crate::printer::Printer;
use referee_report::standings_json::{HistoryJson, StandingsJson};
use referee_report::terminal_ranking::render_terminal_ranking_history;
use referee_report::{Standings, StandingsRemedy};
use referee_tournament::analysis::joined_tournaments::JoinedTournaments;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::folder::{LogContents, read_folder_log};

/// Prints the ranking of all folders together. For people and as JSON, it adds the ratings
/// after each of them.
pub(super) fn print_joint_ranking(
    args: &RankArgs,
    faulted: Faulted,
    printer: Printer,
) -> Result<Status, Failure> {
    if args.details {
        return Err(Failure::input("--details needs a single folder"));
    }
    let mut logs: Vec<LogContents> = Vec::new();
    for dir in &args.dirs {
        logs.push(read_folder_log(&find_results_folder(Some(dir), printer)?, |_, _| {})?);
    }
    for log in &logs {
        log.problems.describe().iter().for_each(|line| printer.note(line));
    }
    let joined = JoinedTournaments::new(&logs, faulted)
        .map_err(|error| Failure::input(error.to_string()))?;
    let mut steps: Vec<(&str, Standings)> = Vec::new();
    for (log, count) in logs.iter().zip(1..) {
        let evaluation =
            joined.evaluate(count).map_err(|error| Failure::input(error.to_string()))?;
        let standings =
            Standings { remedy: StandingsRemedy::Unknown, ..Standings::new(&evaluation) };
        steps.push((&log.header.tournament, standings));
    }
    let Some((_, last)) = steps.last() else { return Ok(Status::Done) };
    match args.format {
        RankFormat::Json => {
            let step = |(name, standings): &(&str, Standings)| HistoryJson::new(name, standings);
            let history = Some(steps.iter().map(step).collect());
            printer.json(&StandingsJson { history, ..last.into() })?;
        }
        RankFormat::Csv => print_ranking(last, None, args.format, printer)?,
        RankFormat::Text => {
            print_ranking(last, None, args.format, printer)?;
            let history = render_terminal_ranking_history(&steps, printer.width(), printer.colour);
            printer.line("")?;
            printer.styled(&history)?;
        }
    }
    Ok(Status::Done)
}
