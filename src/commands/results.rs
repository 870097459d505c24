//! Finds a results folder, and reads and writes its tables.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Failure;
use super::same_as::SameAs;
use crate::analysis::failed_checks::FailedChecks;
use crate::analysis::results::Faulted;
use crate::analysis::{NamedResults, TournamentAnalysis};
use crate::disk;
use crate::folder;
use crate::log::{GameNames, LOG, write_whole};
use crate::printer::Printer;
use crate::report::games::GamesTable;
use crate::report::taken_out::taken_out;
use crate::report::{Remedy, Standings, tables};

/// The named folder, or the newest one with a log under `results/`. Says which one that is if there
/// are several.
pub fn find(named: Option<&Path>, printer: Printer) -> Result<PathBuf, Failure> {
    if let Some(dir) = named {
        return dir.join(LOG).is_file().then(|| dir.to_owned()).ok_or_else(|| {
            Failure::input(format!(
                "{} contains no {LOG}; name the folder of a tournament, for example results/NAME",
                dir.display()
            ))
        });
    }
    let entries = fs::read_dir("results").into_iter().flatten().flatten();
    let mut logs: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| Some((changed(&entry.path().join(LOG))?, entry.path())))
        .collect();
    logs.sort();
    let (_, newest) = logs.pop().ok_or_else(|| {
        Failure::input("no results under results/; play a tournament with `referee run`")
    })?;
    if !logs.is_empty() {
        let newest = crate::escape::terminal(&newest.display().to_string());
        printer.note(&format!("{newest}, the newest of {} results", logs.len() + 1));
    }
    Ok(newest)
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// What was handed out of the results in `dir` before their last game, and how to make it
/// anew.
pub(super) fn outdated(dir: &Path) -> Vec<String> {
    let log = changed(&dir.join(LOG));
    let handed_out = [
        (PACKETS, "key.csv", "remove it and call `referee packets`"),
        (PUBLIC, PAGE, "call `referee report --pseudonyms`"),
    ];
    let old = handed_out.into_iter().filter(|(folder, file, _)| {
        changed(&dir.join(folder).join(file)).is_some_and(|at| Some(at) < log)
    });
    old.map(|(folder, _, advice)| format!("`{folder}` is older than these results: {advice}"))
        .collect()
}

/// A tournament with the ranking that its tables show.
#[derive(Debug)]
pub struct Tables {
    /// The analysis of the log.
    pub analysis: TournamentAnalysis,
    /// The ranking.
    pub standings: Standings,
}

impl Tables {
    /// Computes everything from the log in `dir`.
    pub fn read(dir: &Path, faulted: Faulted) -> Result<Self, Failure> {
        TournamentAnalysis::read(dir, faulted).map(Self::of)
    }

    /// The same under pseudonyms, with only what may be published.
    pub(super) fn under_pseudonyms(dir: &Path) -> Result<Self, Failure> {
        TournamentAnalysis::under_pseudonyms(dir).map(Self::of)
    }

    /// The tables of a tournament.
    pub(super) fn of(analysis: TournamentAnalysis) -> Self {
        let remedy = Remedy::of(&analysis.header);
        let standings = Standings { remedy, ..Standings::new(&analysis.evaluation) };
        Self { analysis, standings }
    }

    /// Warns about lines of the log that do not count or were edited.
    pub fn warn(&self, printer: Printer) {
        self.analysis.problems.lines().iter().for_each(|line| printer.note(line));
    }

    /// The tables as files: name and content. `games.csv` is separate because of its size.
    pub fn files(&self) -> io::Result<[(&'static str, Vec<u8>); 2]> {
        table_files(&self.standings, &self.analysis.evaluation.results)
    }

    /// Writes the tables beside the log, as far as they have changed.
    pub(super) fn write(&self) -> Result<(), Failure> {
        let dir = self.analysis.dir();
        let failed = |name: &str, error: &io::Error| {
            Failure::system(format!("cannot write {}: {error}", dir.join(name).display()))
        };
        for (name, content) in self.files().map_err(|error| failed("the tables", &error))? {
            let path = dir.join(name);
            if fs::read(&path).is_ok_and(|found| found == content) {
                disk::remove_unfinished(&path).map_err(|error| failed(name, &error))?;
                continue;
            }
            write_whole(&path, |out| out.write_all(&content))
                .map_err(|error| failed(name, &error))?;
        }
        let path = dir.join(GAMES_TABLE);
        let same = self.write_games(SameAs::open(&path))?.conclude();
        if !same.is_ok_and(|same| same) {
            let mut failure = Ok(());
            write_whole(&path, |out| {
                failure = self.write_games(out).map(drop);
                failure
                    .as_ref()
                    .map_or_else(|why| Err(io::Error::other(why.to_string())), |()| Ok(()))
            })
            .map_err(|error| failure.err().unwrap_or_else(|| failed(GAMES_TABLE, &error)))?;
        }
        disk::remove_unfinished(&path)
            .and_then(|()| disk::remove_if_there(&dir.join(UNFINISHED)))
            .map_err(|error| failed(UNFINISHED, &error))
    }

    /// Writes `games.csv` to `out`, and returns that.
    fn write_games<W: Write>(&self, out: W) -> Result<W, Failure> {
        let system =
            |error: io::Error| Failure::system(format!("cannot write {GAMES_TABLE}: {error}"));
        let names = GameNames::of(&self.analysis.header);
        let mut table = GamesTable::new(out, names).map_err(system)?;
        let mut written = Ok(());
        folder::read(self.analysis.dir(), |_, game| {
            if written.is_ok() {
                written = table.write(game);
            }
        })?;
        written.and_then(|()| table.finish()).map_err(system)
    }
}

/// One line for each player that is out. Reads the log only if a player failed a check.
pub(super) fn players_out(analysis: &TournamentAnalysis) -> Result<Vec<String>, Failure> {
    let mut failed_checks = FailedChecks::default();
    let state = &analysis.state;
    if state.quarantined().any(|(_, game)| state.is_check(game)) {
        analysis.visit(&mut failed_checks)?;
    }
    Ok(taken_out(analysis, &failed_checks))
}

/// The tables of these standings as files: name and content.
pub(super) fn table_files(
    standings: &Standings,
    results: &NamedResults,
) -> io::Result<[(&'static str, Vec<u8>); 2]> {
    Ok([
        ("standings.csv", tables::standings(standings)?),
        ("crosstable.csv", tables::crosstable(standings, results)?),
    ])
}

/// An empty file that marks the tables of a run that has not ended: they may be older than the log.
pub const UNFINISHED: &str = "tables.unfinished";

/// The folder of the packets.
pub(super) const PACKETS: &str = "packets";
/// The folder of the report under pseudonyms.
pub(super) const PUBLIC: &str = "public";
/// The file name of the report.
pub(super) const PAGE: &str = "report.html";

/// The file name of the table of games.
pub const GAMES_TABLE: &str = "games.csv";
/// The file name of the table of marks.
pub(super) const GRADES_TABLE: &str = "grades.csv";
