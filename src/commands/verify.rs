//! `verify`: checks the log and the tables of a results folder.

mod repair;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::results::{GAMES_TABLE, Tables, UNFINISHED, find};
use super::{Failure, OutputFormat, Status};
use crate::analysis::TournamentAnalysis;
use crate::analysis::pass::Visitors;
use crate::analysis::results::Faulted;
use crate::folder::{
    LineProblem, LineProblemKind, LineProblems, LogContents, is_being_written, log_failure, place,
    read_secret,
};
use crate::game_program::recorded_rules;
use crate::log::{LogLine, LogReader};
use crate::model::record::{GameRecord, Header};
use crate::openings::OpeningBook;
use crate::printer::Printer;
use crate::schedule::state::TournamentState;
use crate::schedule::summary::Summary;
use crate::seeds::Secret;
use crate::verify::audit;

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee verify
  referee verify results/autumn-cup --format json
  referee verify --repair              remove unusable lines from the log

Exit codes: 0 no problems, 1 problems found, 2 there is no log; with --repair: 3 cannot write to the
folder, 4 a run is writing to it.")]
pub struct VerifyArgs {
    /// The results folder (default: the newest under results/)
    pub dir: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Remove lines from the log that are unreadable, foreign or edited, so that `referee run`
    /// plays their games again. Keeps a copy of the log
    #[arg(long, conflicts_with = "format")]
    pub repair: bool,
}

/// A problem that was found.
#[derive(Debug, serde::Serialize)]
struct LogFinding {
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
    if args.repair {
        repair::repair(&dir, printer)?;
    }
    let is_running = is_being_written(&dir);
    let checked = check_log(&dir)?;
    let mut findings = checked.findings;
    let (summary, torn) = (checked.contents.state.summary(), checked.contents.torn);
    // Changes by a run that has just begun or ended are not problems.
    let is_running = is_running || is_being_written(&dir);
    let mut tables = TableState::Unchecked;
    if findings.is_empty() && !torn && !is_running {
        let analysis = TournamentAnalysis::of(&dir, checked.contents, Faulted::Count)?;
        (tables, findings) = check_tables(&Tables::of(analysis))?;
    }
    let status = if findings.is_empty() { Status::Done } else { Status::Found };
    if args.format == OutputFormat::Json {
        let json = serde_json::json!({
            "games": summary.played, "scheduled": summary.total(),
            "summary": summary, "torn": torn, "running": is_running,
            "seeds": checked.seeds, "findings": findings,
        });
        printer.line(&json.to_string())?;
        return Ok(status);
    }
    for finding in &findings {
        printer.line(&describe(finding))?;
    }
    printer.line(&verdict(&dir, &summary, checked.seeds, findings.len()))?;
    if is_running {
        printer.line("A run is writing to it: its tables can be compared when that has ended.")?;
    } else if torn {
        printer.line("The last line is torn: `referee run` drops it and plays that game again.")?;
    }
    match tables {
        TableState::Missing => {
            printer.line("It has no tables yet: `referee run` writes them when it ends.")?;
        }
        TableState::Unfinished => printer.line(
            "The last run did not end, and its tables may be older than the log: `referee run` \
             writes them again.",
        )?,
        TableState::Unchecked | TableState::Compared => {}
    }
    if checked.is_repairable {
        printer.line(
            "`referee verify --repair` moves lines that cannot be used out of the log, and \
             `referee run` then plays their games again.",
        )?;
    }
    Ok(status)
}

fn describe(finding: &LogFinding) -> String {
    let place = finding.line.map_or(String::new(), |line| format!(", line {line}"));
    let game = finding
        .id
        .as_ref()
        .map_or(String::new(), |id| format!(", game {}", crate::escape::terminal(id)));
    format!("{}{place}{game}: {}", finding.file, crate::escape::terminal(&finding.problem))
}

fn verdict(dir: &Path, games: &Summary, seeds: bool, findings: usize) -> String {
    let seeds =
        if seeds { "seeds checked" } else { "seeds not checked, for the secret is not there" };
    let found = match findings {
        0 => "nothing wrong".to_owned(),
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    format!("{}: {games}, {seeds}: {found}", dir.display())
}

struct Checked {
    findings: Vec<LogFinding>,
    /// The contents of the log.
    contents: LogContents,
    seeds: bool,
    /// Whether `--repair` would remove lines from the log.
    is_repairable: bool,
}

fn check_log(dir: &Path) -> Result<Checked, Failure> {
    let reader = LogReader::open(dir).map_err(|error| log_failure(dir, &error))?;
    let header = reader.header().clone();
    let unusable = |error: &dyn std::error::Error| {
        Failure::input(format!("the header cannot be used: {error}"))
    };
    let rules = recorded_rules(&header)?;
    let secret = match header.seed {
        Some(seed) => Some(Secret::from_seed(seed)),
        None => read_secret(dir)?,
    };
    let book =
        OpeningBook::new(rules, header.openings.as_ref()).map_err(|error| unusable(&error))?;
    Ok(check_lines(reader, &header, secret.is_some(), |record| {
        let found = audit(&book, &header, secret.as_ref(), record);
        found.iter().map(ToString::to_string).collect()
    }))
}

fn check_lines(
    mut reader: LogReader,
    header: &Header,
    seeds: bool,
    audit: impl Fn(&GameRecord) -> Vec<String>,
) -> Checked {
    let (mut state, mut problems) = (TournamentState::new(header.into()), LineProblems::default());
    let mut findings = Vec::new();
    if !reader.header_intact() {
        findings.push(finding(1, None, "the header was edited after it was written"));
    }
    let mut is_repairable = false;
    loop {
        let line = match reader.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                findings.push(LogFinding { line: None, ..finding(0, None, &error.to_string()) });
                break;
            }
        };
        let problem = place(&line, &mut state).1;
        is_repairable |= problem.is_some() && reader.header_intact();
        findings.extend(problems_of(&line, problem.as_ref()));
        if let Some(problem) = problem {
            problems.add(problem);
        }
        if let Ok(record) = &line.record {
            let id = Some(record.id.as_str());
            findings.extend(audit(record).iter().map(|text| finding(line.number, id, text)));
        }
    }
    let contents = LogContents {
        header: header.clone(),
        state,
        whole: reader.whole(),
        torn: reader.torn(),
        problems,
    };
    Checked { findings, contents, seeds, is_repairable }
}

/// The problems with a line's format, hash and place.
fn problems_of(line: &LogLine, problem: Option<&LineProblem>) -> Vec<LogFinding> {
    let edited = LineProblem::of(line, LineProblemKind::Edited);
    let is_edited = line.record.is_ok() && !line.intact;
    let others = problem.filter(|problem| problem.kind != LineProblemKind::Edited);
    let problems = Some(&edited).filter(|_| is_edited).into_iter().chain(others);
    problems
        .map(|problem| finding(problem.line, problem.id.as_deref(), &problem.kind.to_string()))
        .collect()
}

fn finding(line: usize, id: Option<&str>, problem: &str) -> LogFinding {
    let (id, problem) = (id.map(str::to_owned), problem.to_owned());
    LogFinding { file: crate::log::LOG, line: Some(line), id, problem }
}

/// Whether the tables were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TableState {
    /// The log has problems to solve first, or a run is writing to the folder.
    Unchecked,
    /// No run has ended yet, so there are no tables.
    Missing,
    /// The last run did not end, so the tables may be older than the log.
    Unfinished,
    /// The tables were compared.
    Compared,
}

fn check_tables(tables: &Tables) -> Result<(TableState, Vec<LogFinding>), Failure> {
    let dir = tables.analysis.dir();
    if dir.join(UNFINISHED).exists() {
        return Ok((TableState::Unfinished, Vec::new()));
    }
    let system = |error: std::io::Error| Failure::system(format!("cannot compute tables: {error}"));
    let mut games = Vec::new();
    tables.write_games(&mut games, &mut Visitors::default())?;
    let files = tables.files().map_err(system)?.into_iter().chain([(GAMES_TABLE, games)]);
    let files: Vec<_> = files.collect();
    let is_missing = |file: &str| !dir.join(file).exists();
    if tables.analysis.state.due() > 0 && files.iter().all(|(file, _)| is_missing(file)) {
        return Ok((TableState::Missing, Vec::new()));
    }
    let mut findings = Vec::new();
    for (file, expected) in files {
        let problem = match fs::read(dir.join(file)) {
            Ok(found) if found == expected => continue,
            Ok(_) => "it differs from what the log says; `referee run` writes it again".to_owned(),
            Err(error) => format!("it cannot be read: {error}; `referee run` writes it again"),
        };
        findings.push(LogFinding { file, line: None, id: None, problem });
    }
    Ok((TableState::Compared, findings))
}
