//! Finds a results folder, and reads and writes its tables.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;

use super::Failure;
use crate::printer::Printer;
use referee_config::{CONFIG, Configuration};
use referee_protocol::escape::escape_line;
use referee_record::log::LOG;
use referee_record::model::record::Header;
use referee_record::model::tournament::DEFAULT_RESULTS;
use referee_record::plain_files::plain_file_has_content;
use referee_record::shell::quote_for_shell;
use referee_report::csv_tables::{self, KEY, PACKETS, PAGE, PUBLIC};
use referee_report::tournament_tables::TournamentTables;
use referee_tournament::analysis::pseudonyms::Pseudonyms;

/// The results folder that a command is about.
#[derive(Debug, Args)]
pub(crate) struct ResultsFolderArgs {
    /// The results folder (default: from tournament.toml, otherwise the newest folder under
    /// results/)
    pub(crate) dir: Option<PathBuf>,
    /// Same as DIR
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    pub(crate) results: Option<PathBuf>,
}

impl ResultsFolderArgs {
    /// The folder, which has a log.
    pub(super) fn find(&self, printer: Printer) -> Result<PathBuf, Failure> {
        find_results_folder(self.dir.as_deref().or(self.results.as_deref()), printer)
    }
}

/// The named folder; or that of the tournament in `tournament.toml`; or the newest under
/// `results/`, where comparisons come last. The folder has a log. Says which one it is if there are
/// several.
pub(super) fn find_results_folder(
    named: Option<&Path>,
    printer: Printer,
) -> Result<PathBuf, Failure> {
    if let Some(dir) = named {
        let shown = escape_line(&dir.display().to_string());
        return match dir.join(LOG).is_file() {
            true => Ok(dir.to_owned()),
            false if dir.extension().is_some_and(|end| end == "csv") => {
                let games = quote_for_shell(&dir.to_string_lossy());
                Err(Failure::input(format!(
                    "{shown} is not a results folder; `referee rank --from {games}` rates the games in a CSV file"
                )))
            }
            false => Err(Failure::input(format!(
                "{shown} contains no {LOG}; pass a tournament's folder, for example results/NAME"
            ))),
        };
    }
    // A missing or broken configuration does not matter here.
    let configured = Configuration::read(Path::new(CONFIG), printer.colour_err).ok();
    let configured = configured.and_then(|configuration| configuration.results_folder());
    let configured = configured.filter(|dir| dir.join(LOG).is_file());
    let mut others = results_folders_by_age(Path::new(DEFAULT_RESULTS));
    others.retain(|dir| Some(dir) != configured.as_ref());
    let (found, what) = if let Some(dir) = configured {
        (dir, format!("the tournament in {CONFIG}"))
    } else {
        let newest = others.pop().ok_or_else(|| {
            Failure::input("no results under results/; play a tournament with `referee run`")
        })?;
        (newest, format!("the newest tournament under {DEFAULT_RESULTS}/"))
    };
    if let Some(other) = others.last() {
        let other = quote_for_shell(&other.to_string_lossy());
        let found = escape_line(&found.display().to_string());
        printer.note(&format!("{found}, {what}; to choose another: --results {other}"));
    }
    Ok(found)
}

/// The folders of other comparisons next to the results folder `dir`.
pub(super) fn other_comparison_folders(dir: &Path) -> Vec<PathBuf> {
    let mut found = results_folders_by_age(dir.parent().unwrap_or(Path::new("")));
    let is_comparison = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(COMPARISON))
    };
    found.retain(|path| path != dir && is_comparison(path));
    found
}

/// The folders in `dir` that have a log: comparisons, then all others, each from the oldest to the
/// newest.
fn results_folders_by_age(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut logs: Vec<(bool, SystemTime, PathBuf)> = entries
        .filter_map(|entry| {
            let is_comparison = entry.file_name().to_string_lossy().starts_with(COMPARISON);
            Some((
                !is_comparison,
                results_folder_change_time(&entry.path().join(LOG))?,
                entry.path(),
            ))
        })
        .collect();
    logs.sort();
    logs.into_iter().map(|(_, _, dir)| dir).collect()
}

fn results_folder_change_time(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).ok()?.modified().ok()
}

/// Files of the results in `dir` that were handed out before the last game, and how to make them
/// anew.
pub(super) fn list_outdated_results_files(dir: &Path, header: &Header) -> Vec<String> {
    let log = results_folder_change_time(&dir.join(LOG));
    let handed_out = [
        (PACKETS, KEY, "remove it and run `referee report --packets`"),
        (PUBLIC, PAGE, "run `referee report --pseudonyms`"),
    ];
    let old = handed_out.into_iter().filter(|(folder, file, _)| {
        results_folder_change_time(&dir.join(folder).join(file)).is_some_and(|at| Some(at) < log)
    });
    let mut lines: Vec<String> = old
        .map(|(folder, _, advice)| format!("`{folder}` is older than these results: {advice}"))
        .collect();
    if results_have_other_pseudonyms(&dir.join(PACKETS).join(KEY), header) {
        lines.push("the pseudonyms have changed: hand out all packets again".to_owned());
    }
    lines
}

/// Whether there is a key of pseudonyms at `path` that is not the key of this tournament. Players
/// that were added since change the pseudonyms of others.
fn results_have_other_pseudonyms(path: &Path, header: &Header) -> bool {
    let names: Vec<String> = header.players.iter().map(|player| player.name.clone()).collect();
    let key = csv_tables::pseudonym_key_csv(&Pseudonyms::new(&header.identity, &names));
    key.is_ok_and(|key| plain_file_has_content(path, &key).is_ok_and(|same| !same))
}

/// Says what to know about lines of the log that do not count or were edited.
pub(super) fn note_results_problems(tables: &TournamentTables, printer: Printer) {
    tables.problems().iter().for_each(|line| printer.note(line));
}

/// Says how many sealed games were left out.
pub(super) fn note_sealed_results(games: usize, printer: Printer) {
    if games > 0 {
        printer.note(&format!(
            "games left out, because the other game of their pair, with the same luck, is still to \
             be played: {games}"
        ));
    }
}

/// How the names of the results folders of comparisons begin.
pub(super) const COMPARISON: &str = "compare-";
/// What the name of a tuning's results folder begins with.
pub(super) const TUNING: &str = "tune-";
