//! What a run shows and writes after its last game.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::planned_run::RunOutcome;
use super::{RunArgs, RunRequest};
use crate::commands::report::{self, command_options, describe_removed_players};
use crate::commands::results_folder::list_outdated_results_files;
use crate::commands::watch_reason::WatchReason;
use crate::commands::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use crate::progress::format_match_progress;
use referee_record::model::fixture::Fixture;
use referee_record::model::game_rules::GameRules;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::tournament::Tournament;
use referee_record::wording::pluralize;
use referee_report::standings_json::StandingsJson;
use referee_report::terminal_ranking::render_terminal_ranking;
use referee_report::tournament_tables::TournamentTables;
use referee_report::{Standings, ci_report};
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::run::RunEnd;

/// Writes the results of a run that had this outcome into `dir`, and shows them.
pub(super) fn conclude_run(
    request: &RunRequest<'_>,
    mut outcome: RunOutcome,
    dir: &Path,
) -> Result<Status, Failure> {
    let RunRequest { args, tournament, until, printer, .. } = request;
    if let (RunEnd::Stopped, Some(_)) = (&outcome.end, &tournament.league) {
        // For many versions, the tables take longer than a service may take to stop.
        let played = format!("{} played", pluralize(outcome.games, "game"));
        conclude_stopped_run(&played, dir, *printer);
        // It has no end of its own, so nothing is missing.
        return Ok(Status::Done);
    }
    let is_idle = outcome.unchanged.is_some();
    let tables = outcome.tables(dir)?;
    let out = if is_idle && report::is_up_to_date(dir, &args.config, outcome.games) {
        describe_removed_players(&tables)?
    } else {
        let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
        report::write_tables_and_page(&tables, &args.config, rules)?
    };
    write_run_marks(tournament, &tables, *printer)?;
    if let (RunEnd::TimeUp, Some(until)) = (&outcome.end, until) {
        printer.note(&until.time_up(&tables));
    }
    match outcome.end {
        RunEnd::Failed(failure) => Err(failure.into()),
        RunEnd::Stopped | RunEnd::Finished => {
            conclude_stopped_run(&tables.standings.summary, dir, *printer);
            Ok(Status::Interrupted)
        }
        RunEnd::TimeUp | RunEnd::Complete => conclude_complete_run(request, &tables, &out),
    }
}

/// Writes the marks, and who has no player.
fn write_run_marks(
    tournament: &Tournament,
    tables: &TournamentTables,
    printer: Printer,
) -> Result<(), Failure> {
    report::write_absent_authors(&tournament.absent, tables.analysis.dir())?;
    let Some(grades) = &tournament.grades else { return Ok(()) };
    report::write_final_grades(grades, tables, printer)
}

/// Says how to continue after an interruption.
fn conclude_stopped_run(played: &impl fmt::Display, dir: &Path, printer: Printer) {
    printer.note(&format!(
        "stopped: {played}, in {}; run the same command again to continue",
        dir.display()
    ));
}

/// Prints the ranking, what is to be said about players that are `out`, and what to do next.
fn conclude_complete_run(
    request: &RunRequest<'_>,
    tables: &TournamentTables,
    out: &[String],
) -> Result<Status, Failure> {
    let RunRequest { args, tournament, printer, .. } = request;
    let dir = tables.analysis.dir();
    print_run_ranking(args, &tournament.name, &tables.standings, *printer)?;
    if let (OutputFormat::Text, Some(line)) =
        (args.format, format_match_progress(&tables.analysis.state))
    {
        printer.line(&line)?;
    }
    for line in out {
        printer.note(line);
    }
    printer.note(&format!("Results: {}", dir.display()));
    for line in list_outdated_results_files(dir, &tables.analysis.header) {
        printer.note(&line);
    }
    let called =
        command_options::replay_command_options(dir, &args.config, &tables.analysis.header);
    let replay = choose_game_for_conclusion(&tables.analysis)
        .map(|id| format!(", or referee replay {id} {called}"))
        .unwrap_or_default();
    printer.note(&format!("next: open report.html there{replay}"));
    let found = args.strict && tables.standings.fault_total() > 0;
    Ok(if found { Status::Found } else { Status::Done })
}

/// The id of a game that counts and is worth watching.
fn choose_game_for_conclusion(analysis: &TournamentAnalysis) -> Option<String> {
    let TournamentAnalysis { header, state, .. } = analysis;
    let reason =
        |game: &(Fixture, GameSummary)| WatchReason::for_game(header, game.0.players, game.1);
    let (fixture, _) = state.counted_games().min_by_key(reason)?;
    state.index(fixture).map(|index| state.id(index))
}

/// Prints the ranking, and writes it to the files that were asked for.
fn print_run_ranking(
    args: &RunArgs,
    name: &str,
    standings: &Standings,
    printer: Printer,
) -> Result<(), Failure> {
    match args.format {
        OutputFormat::Text => {
            printer.styled(&render_terminal_ranking(standings, printer.width(), printer.colour))?;
        }
        OutputFormat::Json => printer.json(&StandingsJson::from(standings))?,
    }
    let failed = |path: &Path, error: io::Error| Failure::cannot_write(path, &error);
    if let Some(path) = &args.junit {
        fs::write(path, ci_report::junit(name, standings)).map_err(|error| failed(path, error))?;
    }
    if let Some(path) = &args.summary {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| {
            file.write_all(ci_report::render_ci_summary(name, standings).as_bytes())
        })
        .map_err(|error| failed(path, error))?;
    }
    Ok(())
}
