//! `rank A B C`: the ranking of several tournaments of the same game, and its history.

use super::{RankArgs, RankFormat, print, print_json};
use crate::analysis::joined::JoinedTournaments;
use crate::analysis::results::Faulted;
use crate::commands::results::find;
use crate::commands::{Failure, Status};
use crate::escape;
use crate::folder::{self, LogContents};
use crate::printer::Printer;
use crate::report::elo::{margin, whole};
use crate::report::json::{HistoryJson, StandingsJson};
use crate::report::{Remedy, Standings};

/// Prints the ranking of all folders together. For people and as JSON, it adds the ratings
/// after each of them.
pub(super) fn rank(args: &RankArgs, faulted: Faulted, printer: Printer) -> Result<Status, Failure> {
    if args.details {
        return Err(Failure::input("--details is about one folder; name only one"));
    }
    let mut logs: Vec<LogContents> = Vec::new();
    for dir in &args.dirs {
        logs.push(folder::read(&find(Some(dir), printer)?, |_, _| {})?);
    }
    for log in &logs {
        log.problems.lines().iter().for_each(|line| printer.note(line));
    }
    let joined = JoinedTournaments::new(&logs, faulted)
        .map_err(|error| Failure::input(error.to_string()))?;
    let mut steps = Vec::new();
    for count in 1..=logs.len() {
        let evaluation =
            joined.evaluate(count).map_err(|error| Failure::input(error.to_string()))?;
        steps.push(Standings { remedy: Remedy::Unknown, ..Standings::new(&evaluation) });
    }
    let Some(last) = steps.last() else { return Ok(Status::Done) };
    let names: Vec<&str> = logs.iter().map(|log| &*log.header.tournament).collect();
    match args.format {
        RankFormat::Json => {
            let step = |(name, standings): (&&str, &Standings)| HistoryJson::new(name, standings);
            let history = Some(names.iter().zip(&steps).map(step).collect());
            print_json(&StandingsJson { history, ..last.into() }, printer)?;
        }
        RankFormat::Csv => print(last, None, args.format, printer)?,
        RankFormat::Text => {
            print(last, None, args.format, printer)?;
            printer.line(&format!("\n{}", history(last, &names, &steps)))?;
        }
    }
    Ok(Status::Done)
}

/// The ratings after each tournament, from all games up to then.
fn history(last: &Standings, names: &[&str], steps: &[Standings]) -> String {
    let mut lines = vec!["Ratings after each tournament:".to_owned()];
    for row in &last.rows {
        let rating = |(name, standings): (&&str, &Standings)| {
            let found = standings.rows.iter().find(|other| other.player == row.player);
            let rating = found?.shown_rating()?;
            let name = escape::terminal(name);
            Some(format!("{} {} ({name})", whole(rating.value), margin(rating.margin())))
        };
        let ratings: Vec<String> = names.iter().zip(steps).filter_map(rating).collect();
        let shown = if ratings.is_empty() { "–".to_owned() } else { ratings.join(", ") };
        lines.push(format!("  {}: {shown}", escape::terminal(&row.player)));
    }
    lines.join("\n")
}
