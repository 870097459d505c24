//! Measures the commands that read a log, and the files beside it.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use referee_record::log::LOG;

use crate::growth::CommandCost;
use crate::made::{self, Made, log_length};
use crate::measure::{Outcome, median_of, timed};
use crate::program::referee;

/// How often each command is measured.
const ROUNDS: usize = 5;

/// How long the commands take on a log, in seconds, and how large the files are, in bytes.
#[derive(Debug)]
pub(crate) struct LogCosts {
    pub(crate) games: usize,
    pub(crate) log: u64,
    /// The files beside the page: how many, and their size.
    pub(crate) packs: (usize, u64),
    pub(crate) page: u64,
    /// To read the log's bytes once.
    pub(crate) reading: f64,
    pub(crate) rank: f64,
    pub(crate) first_page: f64,
    pub(crate) run_again: f64,
    pub(crate) report: f64,
    /// The CPU time of the report per ply, in microseconds.
    pub(crate) page_cpu: f64,
    pub(crate) verify: f64,
}

impl LogCosts {
    /// Makes a log of at least `games` games of ten players, and measures everything on it.
    pub(crate) fn measure(games: usize) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let dir = folder.path();
        let made = made::make(dir, 10, games)?;
        let command = |args: &'static [&str]| median_of(ROUNDS, || timed(|| referee(dir, args)));
        let rank = &["rank", "results/made"];
        let reading = median_of(ROUNDS, || read_all(&made))?;
        Ok(Self {
            games: made.games,
            log: log_length(&made)?,
            reading,
            rank: command(rank)?,
            first_page: timed(|| made::run(dir))?,
            run_again: median_of(ROUNDS, || timed(|| made::run(dir)))?,
            report: command(&["report", "results/made"])?,
            page_cpu: page_cpu(dir, &made)?,
            verify: command(&["verify", "results/made"])?,
            packs: weigh(&made.results.join("games"))?,
            page: fs::metadata(made.results.join("report.html"))?.len(),
        })
    }

    /// Prints everything.
    pub(crate) fn print(&self) {
        println!("page: {:.1} µs of CPU time per ply", self.page_cpu);
        println!(
            "{} games, a log of {:.1} MB: read in {:.4} s",
            self.games,
            mega(self.log),
            self.reading
        );
        for (what, seconds) in [
            ("rank", self.rank),
            ("run, first page", self.first_page),
            ("run, nothing to play", self.run_again),
            ("report", self.report),
            ("verify", self.verify),
        ] {
            println!("{what:34} {seconds:8.3} s, {:7.1} × reading the log", seconds / self.reading);
        }
        let (files, size) = self.packs;
        println!(
            "games/: {files} files, {:.2} MB; report.html: {:.2} MB",
            mega(size),
            mega(self.page)
        );
    }
}

/// The CPU time of a report per ply, in microseconds.
fn page_cpu(dir: &Path, made: &Made) -> Outcome<f64> {
    let cost = CommandCost::measure(dir, &["report", "results/made"])?;
    let mut plies = 0.0;
    for row in csv::Reader::from_path(made.results.join("games.csv"))?.records() {
        plies += row?[9].parse::<f64>()?;
    }
    Ok(cost.cpu * 1e6 / plies)
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// How long `rank --from` takes for a table of a million games between a hundred players, in
/// seconds.
pub(crate) fn rank_a_table() -> Outcome<f64> {
    let folder = tempfile::tempdir()?;
    write_table(&folder.path().join("games.csv"), 100, 1_000_000)?;
    median_of(ROUNDS, || timed(|| referee(folder.path(), &["rank", "--from", "games.csv"])))
}

/// Writes a table of games, whose results follow from the players' numbers and the game's.
pub(crate) fn write_table(path: &Path, players: u64, games: u64) -> Outcome<()> {
    let mut table = std::io::BufWriter::new(File::create(path)?);
    writeln!(table, "first,second,result")?;
    for game in 0..games {
        let (first, step) = (game % players, 1 + game / players * 7919 % (players - 1));
        let second = (first + step) % players;
        let result = if game * 37 % 100 < 30 + 50 * first / players { "1-0" } else { "0-1" };
        writeln!(table, "player {first},player {second},{result}")?;
    }
    Ok(table.flush()?)
}

/// The number of files at a path, in a folder or alone, and their total length in bytes.
pub(crate) fn weigh(path: &Path) -> Outcome<(usize, u64)> {
    let found = fs::metadata(path)?;
    if !found.is_dir() {
        return Ok((1, found.len()));
    }
    let mut all = (0, 0);
    for entry in fs::read_dir(path)? {
        all = (all.0 + 1, all.1 + entry?.metadata()?.len());
    }
    Ok(all)
}

/// The seconds to read the log's bytes once.
fn read_all(made: &Made) -> Outcome<f64> {
    timed(|| {
        let mut file = File::open(made.results.join(LOG))?;
        let mut buffer = vec![0; 1 << 16];
        while file.read(&mut buffer)? > 0 {}
        Ok(())
    })
}
