//! The table of all costs and their goals.

use std::path::Path;

use referee_sandbox::Level;

use crate::engines::{EngineCosts, PLIES};
use crate::instant::Script;
use crate::levels::extra_start;
use crate::log::{LogCosts, rank_a_table};
use crate::measure::Outcome;
use crate::moves::{MoveCosts, WANTS};
use crate::rates::random_games;
use crate::runs::RunSpeed;
use crate::tournaments::{RatingTimes, round_robin};

/// The number of games in the log that commands read.
const GAMES: usize = 10_000;
/// The random games per second on one core when the goals were set, in the order of
/// [`random_games`].
const EARLIER_RANDOM_GAMES: [f64; 3] = [22_000.0, 26_000.0, 1_170.0];

/// Measures and prints all rows.
pub(crate) fn print(script: &Script, folder: &Path) -> Outcome<()> {
    row("", "now", "goal");
    moves(script)?;
    engines(folder)?;
    let speed = RunSpeed::measure(script)?;
    row(
        "moves per second of a run, two jobs, against two ping-pongs",
        &format!("{:.0} % ({:.0})", 100.0 * speed.share, speed.moves_per_second),
        "≥ 60 %",
    );
    match extra_start(script) {
        Ok(extra) => row("a start at strict, above off", &format!("{extra:+.2} ms"), "≤ +1.5 ms"),
        Err(error) => row("a start at strict, above off", &error.to_string(), "≤ +1.5 ms"),
    }
    ratings();
    log()?;
    games();
    Ok(())
}

fn row(what: &str, now: &str, goal: &str) {
    println!("{what:64} {now:>24} {goal:>28}");
}

fn moves(script: &Script) -> Outcome<()> {
    let costs = MoveCosts::measure(script)?;
    for (at, goal) in [(1, "≤ 1.8 ×"), (2, "≤ 2.6 ×")] {
        let what = format!("CPU time per move, {}, against a ping-pong", WANTS[at]);
        row(&what, &format!("{:.2} ×", costs.ratios[at].cpu), goal);
    }
    let what = format!("wall time per move, {}, players on one core", WANTS[1]);
    row(&what, &format!("{:.2} ×", costs.ratios[1].wall), "≤ 1.5 ×");
    Ok(())
}

fn engines(folder: &Path) -> Outcome<()> {
    let EngineCosts([short, long]) = EngineCosts::measure(folder, Level::Off)?;
    let what = format!("CPU time per move of an engine, {} plies, against a ping-pong", PLIES[0]);
    row(&what, &format!("{:.2} ×", short.cpu), "≤ 6 ×");
    let what = format!("the same in games of {} plies, against those of {}", PLIES[1], PLIES[0]);
    row(&what, &format!("{:.2} ×", long.cpu / short.cpu), "≤ 1.1 ×");
    Ok(())
}

fn ratings() {
    let few = RatingTimes::measure(200, &round_robin(200, 1));
    let plain = few.plain.map_or(String::new(), |plain| {
        format!(", {:.1} × a plain Cholesky factorisation", few.fit / plain)
    });
    row(&format!("fit with intervals, 200 players{plain}"), &milliseconds(few.fit), "≤ 10 ms");
    let many = RatingTimes::measure(1000, &round_robin(1000, 1));
    row("1,000 players, 999,000 games: all", &milliseconds(many.total()), "≤ 1,000 ms");
}

fn milliseconds(time: f64) -> String {
    format!("{time:.1} ms")
}

fn log() -> Outcome<()> {
    let costs = LogCosts::measure(GAMES)?;
    for (what, seconds, goal) in [
        ("rank", costs.rank, "≤ 0.03 s"),
        ("run, nothing left to play", costs.run_again, "≤ 0.05 s"),
        ("verify", costs.verify, "≤ 0.4 s"),
    ] {
        let what = format!("{what}, a log of {} games", costs.games);
        row(&what, &format!("{seconds:.3} s ({:.1} × reading)", seconds / costs.reading), goal);
    }
    row("page, CPU time per ply", &format!("{:.1} µs", costs.page_cpu), "≤ 8 µs");
    let (files, size) = costs.packs;
    #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
    let share = size as f64 / costs.log as f64;
    row(
        "files beside the page, against the log",
        &format!("{share:.2} ×, {files} files"),
        "≤ 1.5 ×, some hundred files",
    );
    row("rank --from, a million lines", &format!("{:.2} s", rank_a_table()?), "≤ 2 s");
    Ok(())
}

fn games() {
    for (random, earlier) in random_games().iter().zip(EARLIER_RANDOM_GAMES) {
        row(
            &format!("random games per second on one core, {}", random.game),
            &format!(
                "{:.0} ({:.0} ns per ply)",
                random.per_second,
                1e9 / (random.per_second * random.plies)
            ),
            &format!("≥ {:.0}", 3.0 * earlier),
        );
    }
}
