//! `rank`: prints the ranking of a finished or running tournament.

mod joint_ranking;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;

use self::joint_ranking::print_joint_ranking;
use super::recorded_rules::RecordedRulesArgs;
use super::results_folder::{find_results_folder, note_results_problems};
use super::{Failure, Status};
use crate::printer::Printer;
use referee_ratings::Compared;
use referee_record::model::game_rules::GameRules;
use referee_record::model::stage::RankedBy;
use referee_report::diagnostics_text::render_diagnostics;
use referee_report::standings_json::StandingsJson;
use referee_report::taken_out::taken_out;
use referee_report::terminal_ranking::render_terminal_ranking;
use referee_report::tournament_tables::TournamentTables;
use referee_report::{Standings, StandingsRemedy, csv_tables};
use referee_tournament::analysis::diagnostics::copies::{describe_copies, group_copies};
use referee_tournament::analysis::diagnostics::known_decisions::KnownDecisions;
use referee_tournament::analysis::diagnostics::{Diagnoser, Diagnostics};
use referee_tournament::analysis::failed_checks::FailedChecks;
use referee_tournament::analysis::imported_games::read_imported_games;
use referee_tournament::analysis::logged_game::PassError;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::analysis::{TournamentAnalysis, TournamentEvaluation};
use referee_tournament::schedule::progress_summary::ProgressSummary;

/// Arguments of `rank`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee rank                          the tournament in tournament.toml
  referee rank results/autumn-cup
  referee rank results/spring-cup results/autumn-cup    both terms together
  referee rank --details                more about the games
  referee rank --without-faults         only games without a fault
  referee rank --format json | jq '.players[0]'
  referee rank --from games.csv         rate games from anywhere

A file for --from has one line per two-player game, after a header line that names the columns:

  first,second,result,pair,fault
  ant,bee,1-0,1,
  bee,ant,1/2-1/2,1,
  ant,cat,second,,timeout

`result` is `first`, `second` or `draw`, or `1-0`, `0-1` or `1/2-1/2`. `pair` is optional: the two
games of a pair, with the seats swapped, have the same number. `fault` is optional: the code of the
loser's fault. Other columns are ignored. Games of 2 to 16 seats have a line for each seat:

  game,seat,player,place,deal,fault
  1,red,ant,1,1,
  1,green,bee,2,1,
  1,blue,cat,2,1,

`place` is 1 for the best, and the same for players that are level; `final_score` can replace it.
`seat`, `deal` and `fault` are optional. A deal is a number shared by the games of a rotation, in
which each player takes every seat once.

Several folders are connected by anchors, and by players with the same name and the same files. If
the program behind a name has changed, each version is a separate player.")]
pub(crate) struct RankArgs {
    /// The results folder (default: from tournament.toml, otherwise the newest folder under
    /// results/). Several folders of the same game are rated together, in this order
    pub(crate) dirs: Vec<PathBuf>,
    /// Same as DIRS, for one folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dirs", "from"])]
    pub(crate) results: Option<PathBuf>,
    /// Rate the games in this CSV file instead (`-` reads stdin)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dirs", "details"])]
    pub(crate) from: Option<PathBuf>,
    /// What the places in the --from file mean
    #[arg(long, value_enum, default_value_t, requires = "from")]
    pub(crate) ranking: RankingArg,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: RankFormat,
    /// Ignore games that ended in a fault
    #[arg(long)]
    pub(crate) without_faults: bool,
    /// Also show endings, time use, unexpected results, and similar players
    #[arg(long)]
    pub(crate) details: bool,
    #[command(flatten)]
    pub(crate) rules: RecordedRulesArgs,
}

/// What the places of a game tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum RankingArg {
    /// Full order.
    #[default]
    Places,
    /// Winner only.
    Winner,
    /// Full order, computed from final scores.
    Scores,
}

/// The output format of the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum RankFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For spreadsheets, as `standings.csv`.
    Csv,
}

pub(crate) fn run(args: &RankArgs, printer: Printer) -> Result<Status, Failure> {
    let faulted = if args.without_faults { Faulted::LeaveOut } else { Faulted::Count };
    if let Some(file) = &args.from {
        print_ranking(&rank_csv_games(file, faulted, args.ranking)?, None, args.format, printer)?;
        return Ok(Status::Done);
    }
    if args.dirs.len() > 1 {
        return print_joint_ranking(args, faulted, printer);
    }
    let dir = find_results_folder(
        args.dirs.first().or(args.results.as_ref()).map(PathBuf::as_path),
        printer,
    )?;
    let tables = TournamentTables::read(&dir, faulted)?;
    note_results_problems(&tables, printer);
    let header = &tables.analysis.header;
    let rules = args.details.then(|| args.rules.open(header, &dir, printer)).transpose()?;
    let is_text = args.format == RankFormat::Text;
    let RankFindings { diagnostics, out } =
        collect_rank_findings(&tables.analysis, rules, is_text)?;
    print_ranking(&tables.standings, diagnostics, args.format, printer)?;
    if is_text {
        for line in &out {
            printer.note(line);
        }
        let programs = tables.analysis.header.players.iter();
        let programs = programs.filter(|player| !player.command.starts_with("bot:"));
        let hashes = programs.map(|player| (&*player.name, &*player.hash));
        for names in group_copies(hashes) {
            printer.note(&describe_copies(&names));
        }
    }
    Ok(Status::Done)
}

/// The standings of the games in a CSV file. Its games have no record, so copies cannot be
/// recognised.
fn rank_csv_games(file: &Path, faulted: Faulted, tell: RankingArg) -> Result<Standings, Failure> {
    let failed =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", file.display()));
    let input: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(file).map_err(|error| failed(&error))?))
    };
    let (compared, rank) = match tell {
        RankingArg::Places => (Compared::All, RankedBy::Ratings),
        RankingArg::Winner => (Compared::Winner, RankedBy::Ratings),
        RankingArg::Scores => (Compared::All, RankedBy::Scores),
    };
    let results =
        read_imported_games(input, faulted, compared, rank).map_err(|error| failed(&error))?;
    let out = vec![None; results.names().len()];
    let played = results.counts.games() as usize;
    let summary = ProgressSummary { played, counted: played, ..ProgressSummary::default() };
    let evaluation =
        TournamentEvaluation::new(results, &[], &out, summary).map_err(|error| failed(&error))?;
    Ok(Standings { remedy: StandingsRemedy::Unknown, ..Standings::new(&evaluation) })
}

fn print_ranking(
    standings: &Standings,
    diagnostics: Option<Diagnostics>,
    format: RankFormat,
    printer: Printer,
) -> Result<(), Failure> {
    let system = |error: io::Error| Failure::system(error.to_string());
    match format {
        RankFormat::Text => {
            let (width, colour) = (printer.width(), printer.colour);
            printer.styled(&render_terminal_ranking(standings, width, colour))?;
            if let Some(found) = diagnostics {
                printer.line("")?;
                printer.styled(&render_diagnostics(
                    &found,
                    standings.seats.as_ref(),
                    width,
                    colour,
                ))?;
            }
        }
        RankFormat::Json => {
            printer.json(&StandingsJson { diagnostics, ..standings.into() })?;
        }
        RankFormat::Csv => {
            let table = csv_tables::standings_csv(standings).map_err(system)?;
            printer.line(String::from_utf8_lossy(&table).trim_end())?;
        }
    }
    Ok(())
}

/// The results of one pass over the log.
struct RankFindings {
    diagnostics: Option<Diagnostics>,
    /// One line per player that is out.
    out: Vec<String>,
}

/// Reads every game if the details, which need the rules, or the lines about players that are out
/// need it.
fn collect_rank_findings(
    analysis: &TournamentAnalysis,
    rules: Option<GameRules>,
    lines: bool,
) -> Result<RankFindings, Failure> {
    let mut diagnoser =
        rules.map(|rules| Diagnoser::new(analysis, rules, KnownDecisions::default()));
    let mut failed_checks = FailedChecks::default();
    let state = &analysis.state;
    let is_checked = lines && state.taken_out().any(|(_, game)| state.is_check(game));
    if diagnoser.is_some() || is_checked {
        analysis.each_game::<PassError>(|game| {
            failed_checks.add(game);
            diagnoser.as_mut().map_or(Ok(()), |diagnoser| diagnoser.visit(game))
        })?;
    }
    let found = diagnoser.map(|diagnoser| diagnoser.finish(analysis)).transpose()?;
    let diagnostics = found.map(|(diagnostics, _)| diagnostics);
    Ok(RankFindings { diagnostics, out: taken_out(analysis, &failed_checks) })
}
