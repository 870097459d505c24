//! `verify`: checks the log and the tables of a results folder.

mod repair;
mod table_check;

use std::io;
use std::path::{Path, PathBuf};

use blake3::{Hash, Hasher};
use clap::Args;

use self::repair::repair_log;
use self::table_check::{TableState, check_tables, table_check_failure};
use super::recorded_rules::RecordedRulesArgs;
use super::report::read_grades_config;
use super::results_folder::ResultsFolderArgs;
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use referee_match::openings::OpeningBook;
use referee_protocol::escape::escape_line;
use referee_record::log::{GameFront, GameLineNames, LogError, LogReader, RawLogLine, ScannedLine};
use referee_record::model::record::{GameRecord, Header};
use referee_record::parallel::map_in_parallel;
use referee_record::seeds::TournamentSecret;
use referee_record::wording::pluralize;
use referee_report::games_csv::GamesCsv;
use referee_report::tournament_tables::TournamentTables;
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::folder::{
    FolderError, LineProblem, LineProblemKind, LineProblems, LogContents, add_line_or_problem,
    is_folder_in_use, read_folder_secret,
};
use referee_tournament::schedule::progress_summary::ProgressSummary;
use referee_tournament::schedule::tournament_state::TournamentState;
use referee_tournament::verify_record::verify_record;

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee verify
  referee verify results/autumn-cup --format json
  referee verify --grades tournament.toml
  referee verify --repair              remove unusable lines from the log

Exit codes: 0 no problems, 1 problems found, 2 no log; with --repair: 3 cannot write to the
folder, 4 a run is writing to it.")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) folder: ResultsFolderArgs,
    /// Check the marks in grades.csv against [grades] in this configuration instead of the rules in
    /// the results folder
    #[arg(long, value_name = "CONFIG", conflicts_with = "repair")]
    pub(crate) grades: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
    /// Remove lines from the log that are unreadable, foreign or edited, so that `referee run`
    /// plays their games again. Keeps a copy of the log
    #[arg(long, conflicts_with = "format")]
    pub(crate) repair: bool,
    #[command(flatten)]
    pub(crate) rules: RecordedRulesArgs,
}

/// A problem that was found.
#[derive(Debug, serde::Serialize)]
struct VerifyFinding {
    file: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    problem: String,
}

/// Checks everything.
pub(crate) fn run(args: &VerifyArgs, printer: Printer) -> Result<Status, Failure> {
    let grades =
        args.grades.as_deref().map(|config| read_grades_config(config, printer)).transpose()?;
    let dir = args.folder.find(printer)?;
    if args.repair {
        repair_log(&dir, printer)?;
    }
    let is_running = is_folder_in_use(&dir);
    let checked = verify_log(&dir, &args.rules, printer)?;
    let (mut findings, mut found) = (checked.findings, checked.found);
    let (summary, torn) = (checked.contents.state.summary(), checked.contents.torn);
    // Changes by a run that has just begun or ended are not problems.
    let is_running = is_running || is_folder_in_use(&dir);
    let mut tables = TableState::Unchecked;
    if findings.is_empty() && !torn && !is_running {
        let analysis = TournamentAnalysis::from_contents(&dir, checked.contents, Faulted::Count)?;
        (tables, findings) = check_tables(
            &TournamentTables::from_analysis(analysis),
            checked.games,
            grades.as_ref(),
        )?;
        found = findings.len();
    }
    let status = if findings.is_empty() { Status::Done } else { Status::Found };
    if args.format == OutputFormat::Json {
        let json = serde_json::json!({
            "games": summary.played, "scheduled": summary.total_games(),
            "summary": summary, "torn": torn, "running": is_running,
            "seeds": checked.seeds, "tables": tables, "findings": findings,
        });
        printer.json(&json)?;
        return Ok(status);
    }
    for finding in &findings {
        printer.line(&describe_verify_finding(finding))?;
    }
    printer.line(&verify_verdict(&dir, &summary, checked.seeds, found))?;
    if is_running {
        printer
            .line("A run is writing to it: its tables can be compared when that run has ended.")?;
    } else if torn {
        printer.line(
            "The last line of the log is incomplete; `referee run` removes it and plays that game again.",
        )?;
    }
    if let Some(text) = tables.remark() {
        printer.line(text)?;
    }
    if checked.is_repairable {
        printer.line(
            "`referee verify --repair` moves unusable lines out of the log, and \
             `referee run` then plays their games again.",
        )?;
    }
    Ok(status)
}

fn describe_verify_finding(finding: &VerifyFinding) -> String {
    let place = finding.line.map_or(String::new(), |line| format!(", line {line}"));
    let game =
        finding.id.as_ref().map_or(String::new(), |id| format!(", game {}", escape_line(id)));
    format!("{}{place}{game}: {}", finding.file, escape_line(&finding.problem))
}

fn verify_verdict(dir: &Path, games: &ProgressSummary, seeds: bool, findings: usize) -> String {
    let seeds =
        if seeds { "seeds checked" } else { "seeds not checked, because the secret is missing" };
    let found = match findings {
        0 => "no problems".to_owned(),
        some => pluralize(some, "problem"),
    };
    format!("{}: {games}, {seeds}: {found}", escape_line(&dir.display().to_string()))
}

/// The finding that the front of a line says something else than the whole line.
const OTHER_FRONT: &str = "the fields before `seed`, from which the tables are made, do not match \
                           the full record";

/// The most findings that are listed: a forged log may have one in each byte.
const MOST_LISTED: usize = 1000;

struct VerifiedLog {
    /// The first ones, and how many more there are.
    findings: Vec<VerifyFinding>,
    /// The number of all of them.
    found: usize,
    contents: LogContents,
    /// The hash that the table of games should have.
    games: Hash,
    seeds: bool,
    /// Whether `--repair` would remove lines from the log.
    is_repairable: bool,
}

fn verify_log(
    dir: &Path,
    rules: &RecordedRulesArgs,
    printer: Printer,
) -> Result<VerifiedLog, Failure> {
    let reader = LogReader::open(dir).map_err(FolderError::of_log(dir))?;
    let header = reader.header().clone();
    let unusable = |error: &dyn std::error::Error| {
        Failure::input(format!("the log's header cannot be used: {error}"))
    };
    let rules = rules.open(&header, dir, printer)?;
    let secret = match header.seed {
        Some(seed) => Some(TournamentSecret::from_seed(seed)),
        None => read_folder_secret(dir)?,
    };
    let secret = secret.map(|secret| secret.for_stages(&header.stages));
    let book =
        OpeningBook::new(rules, header.openings.as_ref()).map_err(|error| unusable(&error))?;
    let audited = |record: &GameRecord| {
        let found = verify_record(&book, &header, secret.as_ref(), record);
        found.iter().map(ToString::to_string).collect()
    };
    verify_log_lines(reader, &header, secret.is_some(), audited)
        .map_err(|error| table_check_failure(&error))
}

fn verify_log_lines(
    mut reader: LogReader,
    header: &Header,
    seeds: bool,
    audit: impl Fn(&GameRecord) -> Vec<String> + Sync,
) -> io::Result<VerifiedLog> {
    let names = GameLineNames::of(header);
    let mut checks = VerifiedLines::new(header, &names)?;
    if !reader.header_intact() {
        checks.note(verify_line_finding(1, None, "the header was edited after it was written"));
    }
    let check = |line: RawLogLine| {
        let front = GameFront::read(&line.bytes);
        let line = line.parse(&header.identity);
        let own = line.record.as_ref().ok().map(GameFront::of);
        let audited = line.record.as_ref().map_or_else(
            |_| Vec::new(),
            |record| {
                let is_other = line.intact && front.is_some() && front != own;
                let other = is_other.then(|| OTHER_FRONT.to_owned());
                other.into_iter().chain(audit(record)).collect()
            },
        );
        (ScannedLine::with_front(line, own, &names), audited)
    };
    let all = loop {
        match reader.next_batch() {
            Ok(lines) if lines.is_empty() => break Ok::<(), LogError>(()),
            Ok(lines) => {
                let checked: Vec<(ScannedLine, Vec<String>)> = map_in_parallel(lines, check);
                checked.iter().try_for_each(|(line, audited)| checks.add(line, audited))?;
            }
            Err(error) => break Err(error),
        }
    };
    if let Err(error) = all {
        checks
            .note(VerifyFinding { line: None, ..verify_line_finding(0, None, &error.to_string()) });
    }
    let VerifiedLines { state, problems, mut findings, found, is_repairable, tables } = checks;
    if let Some(more @ 1..) = found.checked_sub(findings.len()) {
        let more = format!("and {more} more problems");
        findings.push(VerifyFinding { line: None, ..verify_line_finding(0, None, &more) });
    }
    let is_repairable = is_repairable && reader.header_intact();
    let contents = LogContents {
        header: header.clone(),
        state,
        whole: reader.whole(),
        torn: reader.torn(),
        problems,
    };
    let [without, with] = tables;
    let games = if contents.state.has_scores() { with } else { without };
    let games = games.finish()?.finalize();
    Ok(VerifiedLog { findings, found, contents, games, seeds, is_repairable })
}

/// What is known of a log after some of its lines.
struct VerifiedLines {
    state: TournamentState,
    problems: LineProblems,
    /// The first findings.
    findings: Vec<VerifyFinding>,
    /// The number of all of them.
    found: usize,
    is_repairable: bool,
    /// The table of games without and with final scores: only at the end of the log it is known
    /// whether games have any.
    tables: [GamesCsv<Hasher>; 2],
}

impl VerifiedLines {
    fn new(header: &Header, names: &GameLineNames) -> io::Result<Self> {
        let table = |has_scores| GamesCsv::new(Hasher::new(), names.clone(), has_scores);
        Ok(Self {
            state: TournamentState::new(header),
            problems: LineProblems::default(),
            findings: Vec::new(),
            found: 0,
            is_repairable: false,
            tables: [table(false)?, table(true)?],
        })
    }

    /// Adds the next line, and what the verification of its game found.
    fn add(&mut self, line: &ScannedLine, audited: &[String]) -> io::Result<()> {
        let (_, problem) = add_line_or_problem(line, &mut self.state);
        if let (ScannedLine::Game(game), None) = (line, &problem) {
            self.tables.iter_mut().try_for_each(|table| table.write_game(game))?;
        }
        self.is_repairable |= problem.is_some();
        for finding in verify_line_problems(line, problem.as_ref()) {
            self.note(finding);
        }
        if let Some(problem) = problem {
            self.problems.add(problem);
        }
        let (number, id) = (line.number(), line.id());
        for text in audited {
            self.note(verify_line_finding(number, id.as_deref(), text));
        }
        Ok(())
    }

    fn note(&mut self, finding: VerifyFinding) {
        self.found += 1;
        if self.findings.len() < MOST_LISTED {
            self.findings.push(finding);
        }
    }
}

/// The problems with a line's format, hash and place.
fn verify_line_problems(line: &ScannedLine, problem: Option<&LineProblem>) -> Vec<VerifyFinding> {
    let edited = line.is_edited().then(|| LineProblem::new(line, LineProblemKind::Edited));
    let others = problem.filter(|problem| !matches!(problem.kind, LineProblemKind::Edited));
    let problems = edited.iter().chain(others);
    problems
        .map(|problem| {
            verify_line_finding(problem.line, problem.id.as_deref(), &problem.kind.to_string())
        })
        .collect()
}

fn verify_line_finding(line: usize, id: Option<&str>, problem: &str) -> VerifyFinding {
    let (id, problem) = (id.map(str::to_owned), problem.to_owned());
    VerifyFinding { file: referee_record::log::LOG, line: Some(line), id, problem }
}
