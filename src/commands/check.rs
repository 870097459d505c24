//! `check`: tests whether players are ready for a tournament, one player or a whole folder.

mod candidates;
mod check_table;
mod parallel_checks;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use self::candidates::{
    UnknownCandidate, candidate_file_name, free_candidate_name, group_same_candidates,
    read_candidates,
};
use self::check_table::CheckTable;
use self::parallel_checks::run_parallel_checks;
use super::settings::{GameSettingsArgs, GivenSettings, Settings};
use super::{Failure, OutputFormat, Status};
use crate::printer::activity::Activity;
use crate::printer::{Colour, ColouredText, Printer};
use referee_bots::LADDER;
use referee_check::{Candidate, CheckReport, CheckReportText, CheckStep, Exam, Readiness, drills};
use referee_match::player::PlayerSandbox;
use referee_protocol::path_shortener::shorten_paths;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::shell::quote_for_shell;
use referee_tournament::analysis::diagnostics::copies::describe_copies;

/// The maximum number of pairs of games against each built-in player.
const MOST_PAIRS: i64 = 10_000;

/// The built-in players that choose in no time.
const QUICK: [&str; 2] = ["random", "greedy"];

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee check player.py
  referee check \"java -cp build Player\" --game backdraughts
  referee check players/* --csv players.csv
  referee check --all --reports reports
  referee check . --watch

Checks several players at the same time, one per core. If an argument is not a player, the report
says why. Games with failures are kept in the folder `check-results`.

Exit codes: 0 all players are ready; 1 a player is not ready, or its check did not finish; 2 invalid
command line; 3 the referee failed during a check; 130 interrupted (prints findings so far).")]
pub(crate) struct CheckArgs {
    /// The players: files, folders, names from the configuration, `bot:NAME`, or commands
    #[arg(required_unless_present = "all", value_name = "PLAYER")]
    pub(crate) players: Vec<String>,
    /// Check every program in the configuration, and list players without one
    #[arg(long, conflicts_with = "players")]
    pub(crate) all: bool,
    /// Check again whenever a player's files change, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
    /// The game and its terms
    #[command(flatten)]
    pub(crate) settings: GameSettingsArgs,
    /// Pairs of games against each built-in player
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=MOST_PAIRS))]
    pub(crate) pairs: u32,
    /// Play only these built-in players (repeatable; default: random, greedy)
    #[arg(long = "against", value_name = "BOT")]
    pub(crate) against: Vec<String>,
    /// Also play search-100, search-1000 and search-10000, to see how strong the player is
    #[arg(long, conflicts_with = "against")]
    pub(crate) ladder: bool,
    /// Seed for all random numbers
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Time limit for checking a player (for example 90s, 20m)
    #[arg(long, value_name = "SPAN", default_value = "5m")]
    pub(crate) within: humantime::Duration,
    /// Number of players checked at the same time (default: one per core)
    #[arg(long)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Folder for the games with failures
    #[arg(long, value_name = "DIR", default_value = "check-results")]
    pub(crate) records: PathBuf,
    /// Write a table of all players to a CSV file
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write each player's report to a file of its own in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) reports: Option<PathBuf>,
    /// Output format; JSON prints one line per player
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
}

/// Checks the players.
pub(crate) fn run(args: &CheckArgs, printer: Printer) -> Result<Status, Failure> {
    if args.watch {
        return watch::check_on_every_change(args, printer, || run_check_once(args, printer));
    }
    run_check_once(args, printer)
}

/// What the tests of a player consist of.
#[derive(Debug)]
pub(super) struct ExamTerms<'a> {
    /// The built-in players to play, if not the usual ones.
    pub(super) against: &'a [String],
    /// Whether to play all that show how strong the player is.
    pub(super) ladder: bool,
    /// Pairs of games against each.
    pub(super) pairs: u32,
    /// The seed of all random numbers.
    pub(super) seed: u64,
    /// How long the tests may take.
    pub(super) within: Duration,
}

impl Default for ExamTerms<'_> {
    fn default() -> Self {
        Self { against: &[], ladder: false, pairs: 1, seed: 1, within: Duration::from_secs(300) }
    }
}

fn run_check_once(args: &CheckArgs, printer: Printer) -> Result<Status, Failure> {
    let Some(opened) = args.settings.open(&args.players, printer)? else {
        return Ok(Status::Interrupted);
    };
    let settings = opened.resolve(GivenSettings::default(), printer)?;
    let words = if args.all { settings.programs()? } else { args.players.clone() };
    let terms = ExamTerms {
        against: &args.against,
        ladder: args.ladder,
        pairs: args.pairs,
        seed: args.seed,
        within: args.within.into(),
    };
    let mut exam = prepare_check_exam(&terms, &settings, settings.sandbox(None)?, printer)?;
    let mut entries = read_candidates(args, &words, &settings, &exam)?;
    if args.all {
        entries.extend(
            settings.base.absent.iter().map(|absent| Err(UnknownCandidate::absent(absent))),
        );
    }
    if args.all && settings.problems().is_some() {
        entries.push(Err(UnknownCandidate::others(&settings)));
    }
    if let [Err(refused)] = &entries[..] {
        return Err(refused.why.clone());
    }
    let mut activity = Activity::new(printer);
    activity.begin(0, "looking for the kinds of turn".to_owned());
    exam.drills = drills(&exam.rules)?;
    drop(activity);
    let next_if_ready = suggest_after_check(args, &settings, &exam, &entries);
    let same = group_same_candidates(&entries, &words);
    let bots: Vec<String> = exam.bots.iter().map(|bot| bot.name.clone()).collect();
    let table = args.csv.as_deref().map(|path| CheckTable::create(path, bots)).transpose()?;
    if let Some(dir) = &args.reports {
        fs::create_dir_all(dir).map_err(|error| {
            Failure::system(format!("cannot create {}: {error}", dir.display()))
        })?;
    }
    let mut report_printer = CheckReportPrinter {
        format: args.format,
        table,
        reports: args.reports.clone(),
        report_names: BTreeSet::new(),
        printer,
        ready: 0,
        followed: None,
        next_if_ready,
        no_players: BTreeMap::new(),
    };
    let players = entries.len();
    let is_interrupted = run_parallel_checks(args.jobs, exam, entries, &mut report_printer)?;
    for names in &same {
        printer.note(&describe_copies(names));
    }
    if players > 1 {
        printer.note(&format!("{} of {players} players are ready", report_printer.ready));
    }
    Ok(match report_printer.ready == players {
        _ if is_interrupted => Status::Interrupted,
        true => Status::Done,
        false => Status::Found,
    })
}

/// What to do next with the only player if it is ready: play the tournament that it is in, or watch
/// it against the last of its opponents.
fn suggest_after_check(
    args: &CheckArgs,
    settings: &Settings,
    exam: &Exam,
    entries: &[Result<Candidate, UnknownCandidate>],
) -> Option<String> {
    let [Ok(Candidate { spec, .. })] = entries else { return None };
    let is_entered = settings.base.players.iter().any(|entered| entered.hash == spec.hash);
    let mut words = vec!["referee".to_owned()];
    if is_entered && args.settings.game.is_none() {
        words.push("run".to_owned());
        words.extend(args.settings.config.iter().map(|path| path.display().to_string()));
    } else {
        let player = args.players.first()?.clone();
        let bot = format!("bot:{}", exam.bots.last()?.name);
        words.extend(["play".to_owned(), player]);
        words.extend(vec![bot; exam.rules.seats().len() - 1]);
        words.extend(args.settings.words());
    }
    Some(words.iter().map(|word| quote_for_shell(word)).collect::<Vec<_>>().join(" "))
}

/// The tests that every player takes. The drills, which take a while to find, are added later.
pub(super) fn prepare_check_exam(
    terms: &ExamTerms<'_>,
    settings: &Settings,
    containment: Arc<PlayerSandbox>,
    printer: Printer,
) -> Result<Exam, Failure> {
    let rules = settings.rules(printer)?;
    let built_in = |name: &str| {
        let word = format!("bot:{name}");
        settings.program(&word, &format!("player `{word}`: it is not a built-in player"))
    };
    let looks_ahead = rules.suits("steady")?;
    let bots = if terms.against.is_empty() {
        let quick: &[&str] = if terms.ladder { LADDER } else { &QUICK };
        let bots = quick.iter().take(if looks_ahead { quick.len() } else { 1 });
        bots.filter(|name| **name != "search").map(|name| built_in(name)).collect()
    } else {
        terms.against.iter().map(|name| built_in(name)).collect::<Result<Vec<PlayerSpec>, _>>()
    }?;
    rules.refuse_bots(&bots)?;
    Ok(Exam {
        drills: Vec::new(),
        rules,
        control: settings.base.clock,
        containment,
        policy: settings.base.fault_policy,
        partner: built_in(if looks_ahead { "steady" } else { "random" })?,
        bots,
        pairs: terms.pairs,
        seed: terms.seed,
        within: terms.within,
    })
}

/// Takes the reports in order. Each is written to the table and printed at once.
struct CheckReportPrinter {
    format: OutputFormat,
    table: Option<CheckTable>,
    /// The folder for the report of each player, to hand out.
    reports: Option<PathBuf>,
    /// The names of the files there, without their extension.
    report_names: BTreeSet<String>,
    printer: Printer,
    ready: usize,
    /// The report that is printed step by step: that of a single player.
    followed: Option<CheckReportText>,
    /// What to do next if that player is ready.
    next_if_ready: Option<String>,
    /// The reasons why entries are not players, each with the first such entry.
    no_players: BTreeMap<String, String>,
}

impl CheckReportPrinter {
    /// Prints this report, the only one, step by step from now on.
    fn follow(&mut self, report: &CheckReport) -> Result<(), Failure> {
        if self.format == OutputFormat::Json {
            return Ok(());
        }
        self.followed =
            Some(CheckReportText::new(report, self.printer.colour, self.printer.columns()));
        self.printer.text(&CheckReportText::heading(report))
    }

    /// Prints a step that has ended, if the report is printed step by step.
    fn step(&mut self, step: &CheckStep) -> Result<(), Failure> {
        match &mut self.followed {
            Some(text) => self.printer.styled(&text.step(step)),
            None => Ok(()),
        }
    }

    /// The report of one of several players. The same reason why entries are not players is given
    /// only once.
    fn format_report(&mut self, report: &CheckReport) -> ColouredText {
        let Some(reason) = report.no_player() else {
            return report.describe(self.printer.colour, self.printer.columns());
        };
        if let Some(other) = self.no_players.get(reason) {
            let player = &report.player;
            return format!("{player}: NOT READY, for the same reason as {other}").into();
        }
        self.no_players.insert(reason.to_owned(), report.player.clone());
        report.describe(self.printer.colour, self.printer.columns())
    }

    fn print(&mut self, report: &CheckReport) -> Result<(), Failure> {
        self.ready += usize::from(report.ready);
        if let Some(table) = &mut self.table {
            table.write(report)?;
        }
        if let Some(dir) = &self.reports {
            let name =
                free_candidate_name(&candidate_file_name(&report.player), &mut self.report_names);
            let path = dir.join(format!("{name}.txt"));
            let text = shorten_paths(&report.describe(Colour::Plain, None));
            fs::write(&path, format!("{text}\n"))
                .map_err(|error| Failure::cannot_write(&path, &error))?;
        }
        let mut text = match (self.format, &mut self.followed) {
            (OutputFormat::Text, Some(followed)) => followed.rest(report),
            (OutputFormat::Text, None) => self.format_report(report),
            (OutputFormat::Json, _) => return self.printer.json(report),
        };
        text.push("\n");
        self.printer.styled(&text)?;
        if self.followed.is_some() {
            let next = match report.outcome() {
                Readiness::Ready => self.next_if_ready.as_deref(),
                Readiness::NotReady => report.repeats(),
                Readiness::Unfinished => None,
            };
            if let Some(next) = next {
                self.printer.command("next", next);
            }
        }
        Ok(())
    }
}
