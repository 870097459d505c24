//! What the commands that read a results folder share: finding it, and its tables.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::Failure;
use crate::diagnostics::{Diagnostics, Observer};
use crate::escape;
use crate::rating::tally::Faulted;
use crate::rating::{self, Fit, SeatEffects, Tally};
use crate::record::log::{LOG, LogError, LogReader, write_whole};
use crate::record::{GameRecord, Header};
use crate::report::games::GamesTable;
use crate::report::pseudonyms::Pseudonyms;
use crate::report::{Standings, tables};
use crate::rules::{Game, Seat};
use crate::tournament::audit::options_of;
use crate::tournament::decisions::decisions;
use crate::tournament::folder::{self, Contents, log_failure};
use crate::tournament::ledger::Ledger;
use crate::tournament::schedule::Fixture;
use crate::with_game;

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
    pub tally: Tally,
    /// The ratings.
    pub fit: Fit,
    /// Whether the seat is worth the same to all.
    pub seats: SeatEffects,
    /// The ranking.
    pub standings: Standings,
    /// The pseudonyms under which all of this is, the ledger excepted.
    pub pseudonyms: Option<Pseudonyms>,
}

impl Tables {
    /// Computes everything from the log in `dir`.
    pub fn read(dir: &Path, faulted: Faulted) -> Result<Self, Failure> {
        let Contents { header, ledger, .. } = folder::read(dir, |_, _| {})?;
        let tally = folder::tally(dir, &ledger, faulted)?;
        Self::of(header, ledger, tally, None)
    }

    /// The same under pseudonyms.
    pub fn read_under_pseudonyms(dir: &Path) -> Result<Self, Failure> {
        let Contents { header, ledger, .. } = folder::read(dir, |_, _| {})?;
        let pseudonyms = Pseudonyms::new(&header.identity, ledger.names());
        let mut tally = Tally::new(&pseudonyms.all());
        folder::counted(dir, &ledger, |entry| {
            tally.add(&pseudonyms.for_everyone(&entry.record)).map_err(|error| {
                log_failure(dir, &LogError { line: entry.line, message: error.to_string() })
            })
        })?;
        Self::of(pseudonyms.header(&header), ledger, tally, Some(pseudonyms))
    }

    fn of(
        header: Header,
        ledger: Ledger,
        tally: Tally,
        pseudonyms: Option<Pseudonyms>,
    ) -> Result<Self, Failure> {
        let failure = |error| Failure::input(format!("the ratings cannot be computed: {error}"));
        let anchors = &header.anchors;
        let fit = rating::fit(&tally, anchors).map_err(failure)?;
        let seats = rating::seat_effects(&tally, anchors).map_err(failure)?;
        let contradiction = rating::contradiction(&tally, anchors).map_err(failure)?;
        let standings = Standings { contradiction, ..Standings::new(&tally, &fit, &seats) };
        Ok(Self { header, ledger, tally, fit, seats, standings, pseudonyms })
    }

    /// The record of a game as those may see it who see the tables.
    pub fn seen<'r>(&self, record: &'r GameRecord) -> Cow<'r, GameRecord> {
        match &self.pseudonyms {
            None => Cow::Borrowed(record),
            Some(pseudonyms) => Cow::Owned(pseudonyms.for_everyone(record)),
        }
    }

    /// Looks at every game of the log in `dir`, the one that this was computed from.
    pub fn diagnostics(&self, dir: &Path) -> Result<Diagnostics, Failure> {
        let (kind, options) = options_of(&self.header)
            .map_err(|message| Failure::input(format!("the header cannot be used: {message}")))?;
        let mut observer = Observer::new(self.tally.names());
        with_game!(kind, G => {
            let rules = Arc::new(G::rules(&options).map_err(Failure::input)?);
            folder::counted(dir, &self.ledger, |entry| {
                let made = decisions::<G>(&rules, &entry.record).map_err(|message| {
                    log_failure(dir, &LogError { line: entry.line, message })
                })?;
                observer.add(&self.seen(&entry.record), &made);
                Ok(())
            })
        })?;
        Ok(observer.conclude(&self.tally, &self.fit, &self.seats))
    }

    /// A line for each player that is out, with the diagnosis of those that did not pass a check.
    pub fn out_lines(&self, dir: &Path) -> Result<Vec<String>, Failure> {
        let mut faults = HashMap::new();
        if self.ledger.quarantined().any(|(_, index)| self.ledger.is_check(index)) {
            folder::counted(dir, &self.ledger, |entry| {
                if self.ledger.place(&entry.record).is_some_and(|at| self.ledger.is_check(at)) {
                    let seen = self.seen(&entry.record);
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
            let (shown, game) = self.shown(player, index);
            let shown = escape::terminal(shown);
            match faults.get(name) {
                Some(fault) => format!(
                    "{shown} did not pass the check and plays no further: {} in game {game}: {}",
                    fault.code,
                    escape::terminal(&fault.message),
                ),
                None => format!(
                    "{shown} is quarantined: {} faults in a row up to game {game}; its later \
                     games were not played or do not count",
                    self.header.quarantine,
                ),
            }
        };
        Ok(self.ledger.quarantined().map(line).collect())
    }

    /// The name of a player and the id of the game at `index` as those may see them who see the
    /// tables.
    fn shown(&self, player: usize, index: usize) -> (&str, String) {
        let name = self.ledger.name(player);
        let Some(pseudonyms) = &self.pseudonyms else { return (name, self.ledger.id(index)) };
        let Fixture { players, pair, game } = self.ledger.fixture(index);
        let [first, second] = Seat::BOTH.map(|seat| self.ledger.name(players[seat]));
        (pseudonyms.of(name), pseudonyms.game_id(first, second, pair, game))
    }

    /// The tables as files: name and content. `games.csv` is apart, for its size.
    pub fn files(&self) -> io::Result<[(&'static str, Vec<u8>); 2]> {
        Ok([
            ("standings.csv", tables::standings(&self.standings)?),
            ("crosstable.csv", tables::crosstable(&self.standings, &self.tally)?),
        ])
    }
}

/// The table of games.
pub const GAMES_TABLE: &str = "games.csv";

/// Writes `games.csv` from the log in `dir`, a game at a time.
pub fn write_games(dir: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let failure = |error| log_failure(dir, &error);
    let system = |error: io::Error| Failure::system(format!("cannot write {GAMES_TABLE}: {error}"));
    let mut reader = LogReader::open(dir).map_err(failure)?;
    let mut table = GamesTable::new(out).map_err(system)?;
    while let Some(entry) = reader.next_entry().map_err(failure)? {
        table.write(&entry.record).map_err(system)?;
    }
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
        write_games(dir, out).map_err(|failure| io::Error::other(failure.message))
    })
    .map_err(|error| failed(GAMES_TABLE, &error))?;
    Ok(tables)
}
