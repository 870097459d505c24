//! Measures how costs grow: with games, players, jobs and plies.

use std::fs;
use std::path::Path;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::instant::{INSTANT, Script};
use crate::log::{weigh, write_table};
use crate::made;
use crate::measure::{Outcome, timed};
use crate::program::referee;

/// The first argument of a process that calls one command and prints its cost.
const COST: &str = "--cost";

/// The cost of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandCost {
    /// In seconds.
    wall: f64,
    /// In seconds, with the players' where the command plays.
    pub(crate) cpu: f64,
    /// The largest process, in megabytes.
    memory: f64,
}

impl CommandCost {
    /// Calls the referee in `dir`. A process in between makes sure that only this command counts.
    pub(crate) fn measure(dir: &Path, args: &[&str]) -> Outcome<Self> {
        let mut command = std::process::Command::new(std::env::current_exe()?);
        let output = command.arg(COST).args(args).current_dir(dir).output()?;
        let text = String::from_utf8(output.stdout)?;
        let numbers: Vec<f64> =
            text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        match numbers[..] {
            [wall, cpu, memory] => Ok(Self { wall, cpu, memory }),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
        }
    }

    fn print(&self, what: &str, units: usize) {
        let Self { wall, cpu, memory } = self;
        let each = 1e6 / float(units);
        println!(
            "{what:44} {wall:8.2} s {:9.1} µs each, CPU {cpu:8.2} s {:9.1} µs each, {memory:6.0} MB",
            wall * each,
            cpu * each
        );
    }
}

/// Calls a command in the current folder if this process was started for that, and prints its wall
/// time, its CPU time and its memory.
pub(crate) fn serve(args: &[&str]) -> Outcome<bool> {
    let [COST, args @ ..] = args else { return Ok(false) };
    let wall = timed(|| referee(Path::new("."), args))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    println!("{wall} {} {}", cpu_of(&usage)?, float(usize::try_from(usage.max_rss())?) / 1e3);
    Ok(true)
}

/// User and system time, in seconds.
fn cpu_of(usage: &Usage) -> Outcome<f64> {
    let both = usage.user_time() + usage.system_time();
    Ok(float(usize::try_from(both.num_microseconds())?) / 1e6)
}

/// Prints how costs grow with `players`, `jobs` or `plies`, or with games, up to so many.
pub(crate) fn print(script: &Script, with: &str) -> Outcome<()> {
    match with {
        "players" => [10, 100, 1_000, 2_000].into_iter().try_for_each(of_ratings),
        "jobs" => [1, 10, 100, 800].into_iter().try_for_each(|jobs| of_jobs(script, jobs)),
        "plies" => [4, 40, 400, 4_000].into_iter().try_for_each(of_plies),
        games => {
            let most: usize = games.parse()?;
            let decades = [1_000, 10_000, 100_000, 1_000_000];
            decades.into_iter().filter(|&games| games <= most).try_for_each(of_log)
        }
    }
}

/// Prints what the commands cost that read a log of so many games.
fn of_log(games: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path();
    let made = made::make(dir, 10, games)?;
    let games = made.games;
    println!("{games} games of ten players");
    for (what, args) in [
        ("rank", &["rank", "results/made"][..]),
        ("run, nothing to play, first page", &["run", "--quiet"]),
        ("run, nothing to play", &["run", "--quiet"]),
        ("verify", &["verify", "results/made"]),
    ] {
        CommandCost::measure(dir, args)?.print(what, games);
    }
    for name in ["games.jsonl", "games", "report.html"] {
        let (files, size) = weigh(&made.results.join(name))?;
        println!("{name:44} {:8.0} bytes each, {files} files", bytes(size) / float(games));
    }
    Ok(())
}

/// Prints what ratings cost for so many players, each with twenty games.
fn of_ratings(players: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    write_table(&folder.path().join("games.csv"), players, 10 * players)?;
    let cost = CommandCost::measure(folder.path(), &["rank", "--from", "games.csv"])?;
    cost.print(
        &format!("rank --from, {players} players, 20 games each"),
        usize::try_from(players)?,
    );
    Ok(())
}

/// Prints what games cost of which so many are played at once, by players that need 1 ms for a move
/// and may use 100 ms.
fn of_jobs(script: &Script, jobs: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path();
    let pairs = jobs.max(8);
    let program = std::env::current_exe()?;
    let player = |name| {
        format!(
            "[[players]]\nname = \"{name}\"\ncommand = [\"{}\", \"{INSTANT}\", \"{}\", \"[]\", \
             \"1\"]\n",
            program.display(),
            script.path.display()
        )
    };
    let settings = format!(
        "name = \"growth\"\ngame = \"watch-your-back\"\nseed = 7\npairs = {pairs}\njobs = {jobs}\n\
         [clock]\nmove = \"100ms\"\nstartup = \"60s\"\n[containment]\nlevel = \"off\"\n{}{}",
        player("ant"),
        player("bee")
    );
    fs::write(dir.join("tournament.toml"), settings)?;
    let cost = CommandCost::measure(dir, &["run", "--quiet"])?;
    cost.print(&format!("{jobs} jobs, {} games", 2 * pairs), 2 * pairs);
    let table = fs::read_to_string(dir.join("results/growth/games.csv"))?;
    println!("{:44} {} timeouts", "", table.matches(",timeout").count());
    Ok(())
}

/// Prints what games of at most so many plies cost, between built-in players that avoid the end.
fn of_plies(most: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let settings = format!(
        "name = \"growth\"\ngame = \"backdraughts\"\nseed = 7\npairs = 50\njobs = 2\n\
         [options]\nmax-plies = {most}\n[containment]\nlevel = \"off\"\n\
         [[players]]\nname = \"ant\"\nbot = \"steady\"\n[[players]]\nname = \"bee\"\nbot = \"steady\"\n"
    );
    fs::write(folder.path().join("tournament.toml"), settings)?;
    let cost = CommandCost::measure(folder.path(), &["run", "--quiet"])?;
    let results = folder.path().join("results/growth");
    let mut plies = 0;
    for row in csv::Reader::from_path(results.join("games.csv"))?.records() {
        plies += row?[9].parse::<usize>()?;
    }
    cost.print(&format!("{plies} plies, at most {most} per game"), plies);
    let (_, log) = weigh(&results.join("games.jsonl"))?;
    println!("{:44} {:8.1} bytes of log per ply", "", bytes(log) / float(plies));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
fn float(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
fn bytes(size: u64) -> f64 {
    size as f64
}
