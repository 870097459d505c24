//! Measures how the commands that read a log grow with it.
//!
//! `cargo bench --bench log` makes a log of 10,000 games (another number with `-- GAMES`), and
//! prints the time of each command, and how often the log's bytes could be read meanwhile.
//! `cargo bench --bench log -- make DIR PLAYERS GAMES` only makes a log.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod made;
mod program;

use std::error::Error;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use made::{Made, log_length, make};
use program::referee;
use referee::log::LOG;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How often each command is measured.
const TIMES: usize = 5;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["make", dir, players, games] => {
            let made = make(Path::new(dir), players.parse()?, games.parse()?)?;
            println!(
                "{}: {} games, {} bytes",
                made.results.display(),
                made.games,
                log_length(&made)?
            );
            Ok(())
        }
        [games] => measure(games.parse()?),
        _ => measure(10_000),
    }
}

fn measure(games: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path();
    let made = make(dir, 10, games)?;
    let bytes = log_length(&made)?;
    let read = median(|| read_all(&made))?;
    #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
    let mega = |bytes: u64| bytes as f64 / 1e6;
    println!("{} games, a log of {:.1} MB: read in {:.4} s", made.games, mega(bytes), read);
    let index = made.results.join("games.index");
    let print = |what: &str, seconds: f64| {
        println!("{what:34} {seconds:8.3} s, {:7.1} × reading the log", seconds / read);
    };
    print(
        "rank, without an index",
        median(|| {
            fs::remove_file(&index)?;
            timed(|| referee(dir, &["rank", "results/made"]))
        })?,
    );
    print("rank", median(|| timed(|| referee(dir, &["rank", "results/made"])))?);
    print("run, first page", timed(|| made::run(dir))?.as_secs_f64());
    print("run, nothing to play", median(|| timed(|| made::run(dir)))?);
    print("report", median(|| timed(|| referee(dir, &["report", "results/made"])))?);
    print("verify", median(|| timed(|| referee(dir, &["verify", "results/made"])))?);
    let (files, size) = weigh(&made.results.join("games"))?;
    println!(
        "games.index: {:.2} MB; games/: {files} files, {:.2} MB; report.html: {:.2} MB",
        mega(fs::metadata(&index)?.len()),
        mega(size),
        mega(fs::metadata(made.results.join("report.html"))?.len())
    );
    Ok(())
}

/// The number of files in a folder, and their total length in bytes.
fn weigh(dir: &Path) -> Outcome<(usize, u64)> {
    let mut all = (0, 0);
    for entry in fs::read_dir(dir)? {
        all = (all.0 + 1, all.1 + entry?.metadata()?.len());
    }
    Ok(all)
}

/// Reads the log's bytes once.
fn read_all(made: &Made) -> Outcome<Duration> {
    timed(|| {
        let mut file = File::open(made.results.join(LOG))?;
        let mut buffer = vec![0; 1 << 16];
        while file.read(&mut buffer)? > 0 {}
        Ok(())
    })
}

fn timed(work: impl FnOnce() -> Outcome<()>) -> Outcome<Duration> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed())
}

/// The median of several measurements, in seconds.
fn median(mut measure: impl FnMut() -> Outcome<Duration>) -> Outcome<f64> {
    let mut all: Vec<Duration> = (0..TIMES).map(|_| measure()).collect::<Outcome<_>>()?;
    all.sort_unstable();
    Ok(all[TIMES / 2].as_secs_f64())
}
