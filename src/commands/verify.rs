//! `verify`: whether a results folder can be true.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::results::{GAMES_TABLE, Tables, find, write_games};
use super::{Failure, Format, Status};
use crate::printer::Printer;
use crate::rating::tally::Faulted;
use crate::record::log::{LogError, LogReader};
use crate::record::{GameRecord, Header};
use crate::rules::Game;
use crate::seeds::Secret;
use crate::tournament::audit::{audit, options_of};
use crate::tournament::folder::{log_failure, read_secret};
use crate::tournament::ledger::{Ledger, Misfit};
use crate::tournament::openings::Book;
use crate::with_game;

/// Replay every record through the rules, and compute the tables again
///
/// Every line of the log is checked: its form, its seal, its place in the schedule, its actions,
/// result, times and seeds; then the tables are computed again and compared with the files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee verify
  referee verify results/autumn-cup --format json

Exit codes: 0 nothing was found, 1 something was, 2 there is no log to read.")]
pub struct VerifyArgs {
    /// The tournament's folder (default: the newest under results/)
    pub dir: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Something that is not as it should be.
#[derive(Debug, serde::Serialize)]
struct Finding {
    file: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    problem: String,
}

/// Checks everything.
pub fn run(args: &VerifyArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = find(args.dir.as_deref())?;
    let checked = check_log(&dir)?;
    let mut findings = checked.findings;
    if findings.is_empty() && !checked.torn {
        findings.extend(check_tables(&dir)?);
    }
    let status = if findings.is_empty() { Status::Done } else { Status::Found };
    if args.format == Format::Json {
        let json = serde_json::json!({
            "games": checked.games, "scheduled": checked.scheduled, "torn": checked.torn,
            "seeds": checked.seeds, "findings": findings,
        });
        printer.line(&json.to_string())?;
        return Ok(status);
    }
    for finding in &findings {
        printer.line(&in_words(finding))?;
    }
    printer.line(&summary(
        &dir,
        checked.games,
        checked.scheduled,
        checked.seeds,
        findings.len(),
    ))?;
    if checked.torn {
        printer.line("The last line is torn: `referee run` drops it and plays that game again.")?;
    }
    Ok(status)
}

fn in_words(finding: &Finding) -> String {
    let place = finding.line.map_or(String::new(), |line| format!(", line {line}"));
    let game = finding
        .id
        .as_ref()
        .map_or(String::new(), |id| format!(", game {}", crate::escape::terminal(id)));
    format!("{}{place}{game}: {}", finding.file, crate::escape::terminal(&finding.problem))
}

fn summary(dir: &Path, games: usize, scheduled: usize, seeds: bool, findings: usize) -> String {
    let seeds =
        if seeds { "seeds checked" } else { "seeds not checked, for the secret is not there" };
    let found = match findings {
        0 => "nothing wrong".to_owned(),
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    format!("{}: {games} of {scheduled} games, {seeds}: {found}", dir.display())
}

struct Checked {
    findings: Vec<Finding>,
    games: usize,
    scheduled: usize,
    torn: bool,
    seeds: bool,
}

fn check_log(dir: &Path) -> Result<Checked, Failure> {
    let reader = LogReader::open(dir).map_err(|error| log_failure(dir, &error))?;
    let header = reader.header().clone();
    let (kind, options) = options_of(&header)
        .map_err(|message| Failure::input(format!("the header cannot be used: {message}")))?;
    let secret = match header.seed {
        Some(seed) => Some(Secret::from_seed(seed)),
        None => read_secret(dir)?,
    };
    with_game!(kind, G => {
        let rules = Arc::new(G::rules(&options).map_err(Failure::input)?);
        let book = Book::new(&rules, header.openings.as_ref())
            .map_err(|message| Failure::input(format!("the header cannot be used: {message}")))?;
        Ok(check_lines(reader, &header, secret.is_some(), |record| {
            audit::<G>(&book, &header, secret.as_ref(), record)
        }))
    })
}

fn check_lines(
    mut reader: LogReader,
    header: &Header,
    seeds: bool,
    audit: impl Fn(&GameRecord) -> Vec<String>,
) -> Checked {
    let names = header.players.iter().map(|player| player.name.clone()).collect();
    let mut ledger = Ledger::new(names, &header.stages, header.quarantine);
    let mut findings = Vec::new();
    if !reader.header_intact() {
        findings.push(finding(1, None, "the header was edited after it was written"));
    }
    loop {
        let entry = match reader.next_entry() {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(LogError { line: 0, message }) => {
                findings.push(Finding { line: None, ..finding(0, None, &message) });
                break;
            }
            Err(LogError { line, message }) => {
                findings.push(finding(line, None, &message));
                continue;
            }
        };
        let id = Some(entry.record.id.as_str());
        if !entry.intact {
            findings.push(finding(entry.line, id, "the record was edited after it was written"));
        }
        match ledger.add(&entry.record) {
            Ok(_) => {}
            Err(Misfit::Foreign) => {
                findings.push(finding(entry.line, id, "it is not a game of this tournament"));
            }
            Err(Misfit::Double) => {
                findings.push(finding(entry.line, id, "the game stands there already"));
            }
        }
        findings.extend(audit(&entry.record).iter().map(|text| finding(entry.line, id, text)));
    }
    let (games, scheduled) = (ledger.played(), ledger.expected());
    Checked { findings, games, scheduled, torn: reader.torn(), seeds }
}

fn finding(line: usize, id: Option<&str>, problem: &str) -> Finding {
    let (id, problem) = (id.map(str::to_owned), problem.to_owned());
    Finding { file: crate::record::log::LOG, line: Some(line), id, problem }
}

fn check_tables(dir: &Path) -> Result<Vec<Finding>, Failure> {
    let tables = Tables::read(dir, Faulted::Count)?;
    let system = |error: std::io::Error| Failure::system(format!("cannot compute tables: {error}"));
    let mut games = Vec::new();
    write_games(dir, &mut games)?;
    let mut findings = Vec::new();
    let files = tables.files().map_err(system)?.into_iter().chain([(GAMES_TABLE, games)]);
    for (file, expected) in files {
        let problem = match fs::read(dir.join(file)) {
            Ok(found) if found == expected => continue,
            Ok(_) => "it differs from what the log says".to_owned(),
            Err(error) => format!("it cannot be read: {error}"),
        };
        findings.push(Finding { file, line: None, id: None, problem });
    }
    Ok(findings)
}
