//! What the commands that read a results folder share: finding it, and its tables.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::Failure;
use super::published::Published;
use crate::analysis::Evaluation;
use crate::analysis::diagnostics::copies::copies;
use crate::analysis::diagnostics::{Diagnostics, Observer};
use crate::analysis::results::Faulted;
use crate::analysis::results::{AnalysisError, NamedResults};
use crate::escape;
use crate::folder::{self, Contents, Problems, log_failure};
use crate::log::{LOG, LogError, write_whole};
use crate::model::player::Out;
use crate::model::record::{GameRecord, Header};
use crate::printer::Printer;
use crate::report::games::GamesTable;
use crate::report::{Remedy, Standings, tables};
use crate::schedule::ledger::Ledger;
use crate::tournament::audit::options_of;
use crate::tournament::decisions::decisions;
use referee_games::with_game;
use referee_games::{Game, Seat};
use referee_ratings::{Ranking, SeatEffects};

/// The folder that is named, or the newest one with a log under `results/`.
pub fn find(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(dir) = named {
        return dir.join(LOG).is_file().then(|| dir.to_owned()).ok_or_else(|| {
            Failure::input(format!(
                "{} holds no {LOG}; name the folder of a tournament, for example results/NAME",
                dir.display()
            ))
        });
    }
    let newest = fs::read_dir("results")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((changed(&entry.path().join(LOG))?, entry.path())))
        .max();
    newest.map(|(_, dir)| dir).ok_or_else(|| {
        Failure::input("there are no results under results/; play a tournament with `referee run`")
    })
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// Everything that is computed from a log.
#[derive(Debug)]
pub struct Tables {
    /// The header.
    pub header: Header,
    /// What is done, and who is out.
    pub ledger: Ledger,
    /// The results by pairing.
    pub results: NamedResults,
    /// Who is better, and the ratings.
    pub ranking: Ranking<Out>,
    /// Whether the seat is worth the same to all.
    pub seats: SeatEffects,
    /// The ranking as tables show it.
    pub standings: Standings,
    /// What is given away, where all of this is under pseudonyms; the ledger never is.
    pub(super) published: Option<Arc<Published>>,
    /// The lines of the log that do not count, or were edited.
    pub problems: Problems,
}

/// A game as those may see it who see the tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    /// The record.
    pub(super) record: &'a GameRecord,
    /// It counts: it does not come after a quarantine.
    pub(super) counts: bool,
    /// The check of its line; none under pseudonyms, for it would tell whose game it is.
    pub(super) check: Option<&'a str>,
    /// Its line in the log; 0 under pseudonyms.
    line: usize,
}

impl Tables {
    /// Computes everything from the log in `dir`.
    pub fn read(dir: &Path, faulted: Faulted) -> Result<Self, Failure> {
        let contents = folder::read(dir, |_, _| {})?;
        let evaluation =
            Evaluation::of(&contents.ledger, faulted).map_err(|error| unrated(&error))?;
        Ok(Self::of(contents, evaluation, None))
    }

    /// The same of what is given away under pseudonyms.
    pub(super) fn under_pseudonyms(dir: &Path) -> Result<(Self, Arc<Published>), Failure> {
        let contents = folder::read(dir, |_, _| {})?;
        let published = Arc::new(Published::read(dir, &contents)?);
        let names = &published.names;
        let evaluation = Evaluation::renamed(&contents.ledger, &names.all(), |name| names.of(name));
        let header = names.header(&contents.header);
        let shown = Contents { header, ..contents };
        let tables = Self::of(
            shown,
            evaluation.map_err(|error| unrated(&error))?,
            Some(Arc::clone(&published)),
        );
        Ok((tables, published))
    }

    fn of(contents: Contents, evaluation: Evaluation, published: Option<Arc<Published>>) -> Self {
        let Contents { header, ledger, problems, .. } = contents;
        let remedy = Remedy::of(&header);
        let standings = Standings { remedy, ..Standings::new(&evaluation) };
        let Evaluation { results, ranking, seats, .. } = evaluation;
        Self { header, ledger, results, ranking, seats, standings, published, problems }
    }

    /// Gives every game of the log in `dir`, the one that this was computed from, to `to`; under
    /// pseudonyms in the order in which they are shown.
    pub(super) fn games(
        &self,
        dir: &Path,
        mut to: impl FnMut(Seen<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if let Some(published) = &self.published {
            return published.each(dir, |record, counts| {
                let record = published.names.for_everyone(record);
                to(Seen { record: &record, counts, check: None, line: 0 })
            });
        }
        folder::games(dir, &self.ledger, |index, entry| {
            let counts = !self.ledger.is_void(index);
            let check = Some(entry.check());
            to(Seen { record: &entry.record, counts, check, line: entry.line })
        })
    }

    /// The same, those alone that count.
    pub(super) fn counted(
        &self,
        dir: &Path,
        mut to: impl FnMut(Seen<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.games(dir, |game| if game.counts { to(game) } else { Ok(()) })
    }

    /// Looks at every game of the log in `dir`, the one that this was computed from.
    pub fn diagnostics(&self, dir: &Path) -> Result<Diagnostics, Failure> {
        let (kind, options) = options_of(&self.header)
            .map_err(|message| Failure::input(format!("the header cannot be used: {message}")))?;
        let mut observer = Observer::new(self.results.names());
        with_game!(kind, G => {
            let rules = Arc::new(G::rules(&options).map_err(Failure::input)?);
            self.counted(dir, |game| {
                let made = decisions::<G>(&rules, game.record).map_err(|message| {
                    log_failure(dir, &LogError { line: game.line, message })
                })?;
                observer.add(game.record, &made);
                Ok(())
            })
        })?;
        let players = self.header.players.iter().map(|player| (&*player.name, &*player.hash));
        let found = observer.conclude(&self.results, &self.ranking.fit, &self.seats);
        Ok(Diagnostics { copies: copies(players), ..found })
    }

    /// Says which lines of the log do not count, or were edited.
    pub fn warn(&self, printer: Printer) {
        self.problems.in_words().iter().for_each(|line| printer.note(line));
    }

    /// A line for each player that is out, with the diagnosis of those that did not pass a check.
    pub fn out_lines(&self, dir: &Path) -> Result<Vec<String>, Failure> {
        let mut faults = HashMap::new();
        if self.ledger.quarantined().any(|(_, index)| self.ledger.is_check(index)) {
            folder::counted(dir, &self.ledger, |entry| {
                if self.ledger.place(&entry.record).is_some_and(|at| self.ledger.is_check(at)) {
                    let shown =
                        self.published.as_ref().map(|it| it.names.for_everyone(&entry.record));
                    let seen = shown.as_ref().unwrap_or(&entry.record);
                    for seat in Seat::BOTH {
                        let fault = seen.fault_of(seat).cloned();
                        faults
                            .extend(fault.map(|fault| (entry.record.players[seat].clone(), fault)));
                    }
                }
                Ok(())
            })?;
        }
        let line = |(player, index)| {
            let name = self.ledger.name(player);
            let shown =
                escape::terminal(self.published.as_ref().map_or(name, |it| it.names.of(name)));
            // Where in the schedule it was is nobody's business under pseudonyms.
            let id = self.published.is_none().then(|| self.ledger.id(index));
            let at = |before: &str| {
                id.as_ref().map_or(String::new(), |id| format!(" {before} game {id}"))
            };
            match faults.get(name) {
                Some(fault) => format!(
                    "{shown} failed the check and is out: {}{}: {}",
                    fault.code,
                    at("in"),
                    escape::terminal(&fault.message),
                ),
                None => format!(
                    "{shown} is quarantined: {} faults in a row{}; its later games were not \
                     played or do not count",
                    self.header.quarantine,
                    at("up to"),
                ),
            }
        };
        let mut lines: Vec<String> = self.ledger.quarantined().map(line).collect();
        if self.published.is_some() {
            lines.sort_unstable();
        }
        Ok(lines)
    }

    /// The tables as files: name and content. `games.csv` is apart, for its size.
    pub fn files(&self) -> io::Result<[(&'static str, Vec<u8>); 2]> {
        table_files(&self.standings, &self.results)
    }
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

fn unrated(error: &AnalysisError) -> Failure {
    Failure::input(format!("the ratings cannot be computed: {error}"))
}

/// The table of games.
pub const GAMES_TABLE: &str = "games.csv";

/// Writes `games.csv` from the log in `dir`, a game at a time.
pub fn write_games(dir: &Path, ledger: &Ledger, out: &mut dyn Write) -> Result<(), Failure> {
    let system = |error: io::Error| Failure::system(format!("cannot write {GAMES_TABLE}: {error}"));
    let mut table = GamesTable::new(out).map_err(system)?;
    folder::games(dir, ledger, |_, entry| table.write(&entry.record).map_err(system))?;
    table.finish().map(|_| ()).map_err(system)
}

/// Computes the tables from the log in `dir` and writes them beside it.
pub fn write_tables(dir: &Path) -> Result<Tables, Failure> {
    let tables = Tables::read(dir, Faulted::Count)?;
    let failed = |name: &str, error: &io::Error| {
        Failure::system(format!("cannot write {}: {error}", dir.join(name).display()))
    };
    for (name, content) in tables.files().map_err(|error| failed("the tables", &error))? {
        write_whole(&dir.join(name), |out| out.write_all(&content))
            .map_err(|error| failed(name, &error))?;
    }
    write_whole(&dir.join(GAMES_TABLE), |out| {
        write_games(dir, &tables.ledger, out).map_err(|failure| io::Error::other(failure.message))
    })
    .map_err(|error| failed(GAMES_TABLE, &error))?;
    Ok(tables)
}
