//! `report`: writes the HTML page about a tournament, beside its tables.

pub(super) mod command_options;
mod up_to_date;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::recorded_rules::RecordedRulesArgs;
use super::results_folder::{ResultsFolderArgs, note_results_problems, note_sealed_results};
use super::turning_args::TurningArgs;
use super::{Failure, Status};
use crate::printer::Printer;
use referee_config::Configuration;
use referee_record::disk;
use referee_record::log::write_atomically;
use referee_record::model::game_rules::GameRules;
use referee_record::model::grades::Grades;
use referee_record::plain_files::plain_file_has_content;
use referee_report::csv_tables::{ABSENT, GRADES_RULES, GRADES_TABLE, PACKETS, PAGE, PUBLIC};
use referee_report::packet_writer::{PacketPlan, make_packets_folder, write_packets};
use referee_report::page_builder::write_page;
use referee_report::replay_renderer::{ReplayRenderer, TurningPoints};
use referee_report::taken_out::taken_out;
use referee_report::tournament_tables::TournamentTables;
use referee_tournament::analysis::failed_checks::FailedChecks;
use referee_tournament::analysis::named_results::Faulted;
pub(super) use up_to_date::{file_is_up_to_date, is_up_to_date};

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee report                        the tournament in tournament.toml
  referee report results/autumn-cup
  referee report --grades tournament.toml
  referee report --pseudonyms           a report without names, in the folder public
  referee report --packets              a folder for each player's authors, in packets
  referee report --packets=for-students --grades tournament.toml
  referee report --packets --with bot:search-1000   and say where each game turned")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) folder: ResultsFolderArgs,
    /// Also write grades.csv, using [grades] in this configuration; with --packets, write each
    /// player's marks into its packet instead
    #[arg(long, value_name = "CONFIG")]
    pub(crate) grades: Option<PathBuf>,
    /// Write a report with the pseudonyms used in the packets into the folder `public`
    #[arg(long, conflicts_with = "grades")]
    pub(crate) pseudonyms: bool,
    /// Write one folder per player, for its authors, into `packets` beside the log or into DIR,
    /// which must not exist
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with = "pseudonyms"
    )]
    #[expect(clippy::option_option, reason = "may be given without a folder")]
    pub(crate) packets: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) turning: TurningArgs,
    #[command(flatten)]
    pub(crate) rules: RecordedRulesArgs,
}

/// Writes the page and prints its path.
pub(crate) fn run(args: &ReportArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = args.folder.find(printer)?;
    let grades =
        args.grades.as_deref().map(|config| read_grades_config(config, printer)).transpose()?;
    if let Some(out) = &args.packets {
        let out = out.clone().unwrap_or_else(|| dir.join(PACKETS));
        return report_all_packets(&dir, &out, grades.as_ref(), args, printer);
    }
    let turned = |tables: &TournamentTables, rules: &GameRules| {
        let count = tables.analysis.state.played();
        args.turning.points_of_all((count, printer), rules, |each| tables.analysis.each_game(each))
    };
    if args.pseudonyms {
        let public = dir.join(PUBLIC);
        let tables = TournamentTables::read_under_pseudonyms(&dir)?;
        let rules = args.rules.open(&tables.analysis.header, &dir, printer)?;
        note_results_problems(&tables, printer);
        disk::create_results_subfolder(&public)
            .map_err(|error| report_write_failure(&public, &error))?;
        let turned = turned(&tables, &rules)?;
        write_page(
            &public,
            &tables,
            &command_options::ask_command_options(&dir, None),
            (rules, turned),
        )?;
        return printer.path(&public.join(PAGE)).map(|()| Status::Done);
    }
    let tables = TournamentTables::read(&dir, Faulted::Count)?;
    let rules = args.rules.open(&tables.analysis.header, &dir, printer)?;
    note_results_problems(&tables, printer);
    if tables.analysis.header.is_hidden() {
        disk::make_new_files_private();
    }
    if let Some(grades) = &grades {
        write_grades_csv(grades, &tables, printer)?;
    }
    let turned = turned(&tables, &rules)?;
    write_page(&dir, &tables, &command_options::ask_command_options(&dir, None), (rules, turned))?;
    printer.path(&dir.join(PAGE)).map(|()| Status::Done)
}

/// Writes all packets of the results in `dir` into the new folder `out`, with the marks that these
/// `grades` give.
fn report_all_packets(
    dir: &Path,
    out: &Path,
    grades: Option<&Grades>,
    args: &ReportArgs,
    printer: Printer,
) -> Result<Status, Failure> {
    let tables = TournamentTables::read_under_pseudonyms(dir)?;
    let header = &tables.analysis.header;
    let rules = args.rules.open(header, dir, printer)?;
    make_packets_folder(out, header).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::input(format!(
            "{} already exists; remove it, or use another folder with --packets=DIR",
            out.display()
        )),
        _ => report_write_failure(out, &error),
    })?;
    note_results_problems(&tables, printer);
    let count = tables.analysis.state.played();
    let turned = match &tables.analysis.published {
        Some(published) => args
            .turning
            .points_of_all((count, printer), &rules, |each| published.each_game(dir, each))?,
        None => TurningPoints::new(),
    };
    let renderer = ReplayRenderer { rules, control: header.clock, turned };
    let sealed = write_packets(out, PacketPlan { dir, tables: &tables, renderer, grades })?;
    note_sealed_results(sealed, printer);
    printer.path(out).map(|()| Status::Done)
}

/// Writes the tables and the page of a tournament into its folder. `config` is the configuration, and
/// `rules` are those of the games. Returns one line per player that is out.
pub(super) fn write_tables_and_page(
    tables: &TournamentTables,
    config: &Path,
    rules: GameRules,
) -> Result<Vec<String>, Failure> {
    tables.write()?;
    let dir = tables.analysis.dir();
    let called = command_options::ask_command_options(dir, Some(config));
    Ok(write_page(dir, tables, &called, (rules, TurningPoints::new()))?)
}

/// One line per player that is out, of a tournament whose page is written already.
pub(super) fn describe_removed_players(tables: &TournamentTables) -> Result<Vec<String>, Failure> {
    let analysis = &tables.analysis;
    let mut failed_checks = FailedChecks::default();
    if analysis.state.taken_out().next().is_some() {
        analysis.each_game(|game| {
            if !game.is_sealed {
                failed_checks.add(game);
            }
            Ok::<(), Failure>(())
        })?;
    }
    Ok(taken_out(analysis, &failed_checks))
}

/// Reads `[grades]` in a configuration.
pub(super) fn read_grades_config(config: &Path, printer: Printer) -> Result<Grades, Failure> {
    let configuration = Configuration::read(config, printer.colour_err)?;
    configuration
        .grades()?
        .ok_or_else(|| Failure::input(format!("{} has no table [grades]", config.display())))
}

/// Writes the marks if all games are played. Otherwise removes old ones, and says when they are
/// written.
pub(super) fn write_final_grades(
    grades: &Grades,
    tables: &TournamentTables,
    printer: Printer,
) -> Result<(), Failure> {
    if tables.analysis.state.count_due() == 0 {
        return write_grades_csv(grades, tables, printer);
    }
    for file in [GRADES_TABLE, GRADES_RULES] {
        let path = tables.analysis.dir().join(file);
        disk::remove_if_there(&path).map_err(|error| {
            Failure::system(format!("cannot remove {}: {error}", path.display()))
        })?;
    }
    printer.note(&format!("{GRADES_TABLE} is written once all games are played"));
    Ok(())
}

/// Writes down who has no player and why, for the packets.
pub(super) fn write_absent_authors(
    absent: &BTreeMap<String, String>,
    dir: &Path,
) -> Result<(), Failure> {
    let path = dir.join(ABSENT);
    let written = if absent.is_empty() {
        disk::remove_if_there(&path)
    } else {
        let text = serde_json::to_vec_pretty(absent).map_err(io::Error::from);
        text.and_then(|text| write_report_if_changed(&path, &text))
    };
    written.map_err(|error| report_write_failure(&path, &error))
}

/// Writes `grades.csv`, and the rules by which it was made. Says what to know about the marks.
fn write_grades_csv(
    grades: &Grades,
    tables: &TournamentTables,
    printer: Printer,
) -> Result<(), Failure> {
    let players = tables.grade_players(grades);
    let table = players.to_csv();
    let rules = serde_json::to_vec_pretty(grades).map_err(io::Error::from);
    for (file, content) in [(GRADES_TABLE, table), (GRADES_RULES, rules)] {
        let path = tables.analysis.dir().join(file);
        content
            .and_then(|content| write_report_if_changed(&path, &content))
            .map_err(|error| report_write_failure(&path, &error))?;
    }
    players.notes().iter().for_each(|note| printer.note(note));
    Ok(())
}

/// Writes a file unless it has this content already.
fn write_report_if_changed(path: &Path, content: &[u8]) -> io::Result<()> {
    match plain_file_has_content(path, content) {
        Ok(true) => Ok(()),
        _ => write_atomically(path, |out| out.write_all(content)),
    }
}

pub(super) fn report_write_failure(path: &Path, error: &io::Error) -> Failure {
    Failure::cannot_write(path, error)
}
