//! The ladder of built-in players: the rungs of each game's stored run are in order, and the run is
//! reproducible.
//!
//! Two rungs are separated if their 95% rank intervals are, and if the 95% interval of the higher
//! one's score against the lower lies above one half. Their rating intervals may still overlap: if
//! a rung never loses, no number of games shows how much stronger it is.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use referee_bots::LADDER;
use referee_games::GameKind;

/// Rungs that a game cannot tell apart, by game; named in docs/players.md.
const MERGED: &[(&str, &[&str])] =
    &[("backdraughts", &["search-100", "search-1000", "search-10000"])];
/// Games are repeated up to this pair.
const REPEATED: u32 = 1;

const STORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ladder");

fn stored(name: &str) -> String {
    fs::read_to_string(format!("{STORED}/{name}")).expect("a stored run")
}

/// The rank interval of each rung.
fn bands(standings: &str) -> BTreeMap<&str, [u32; 2]> {
    let mut rows = standings.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let column = |name: &str| header.iter().position(|column| *column == name).expect(name);
    let [low, high] = ["rank_low", "rank_high"].map(column);
    let number = |text: &str| text.parse().expect("a rank");
    rows.map(|row| (row[1], [number(row[low]), number(row[high])])).collect()
}

/// The lower end of the 95% interval of `higher`'s score against `lower`: Wilson's, as if a pair of
/// games were one, which is on the safe side.
fn least_score(games: &str, higher: &str, lower: &str) -> f64 {
    let (mut score, mut count) = (0.0, 0.0);
    for row in games.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()) {
        if [[higher, lower], [lower, higher]].contains(&[row[3], row[4]]) {
            count += 0.5;
            score += match row[6] {
                "" => 0.25,
                winner if winner == higher => 0.5,
                _ => 0.0,
            };
        }
    }
    let (mean, square) = (score / count, 1.96_f64.powi(2));
    let spread = (mean * (1.0 - mean) / count + square / (4.0 * count * count)).sqrt();
    (mean + square / (2.0 * count) - 1.96 * spread) / (1.0 + square / count)
}

#[test]
fn the_stored_ladders_are_in_order() {
    for kind in GameKind::all().iter().filter(|kind| **kind != GameKind::Chess) {
        let game = kind.name();
        let standings = stored(&format!("{game}.standings.csv"));
        let games = stored(&format!("{game}.games.csv"));
        let bands = bands(&standings);
        // The player that uses the clock depends on the machine.
        let rungs: Vec<&str> = LADDER.iter().copied().filter(|rung| *rung != "search").collect();
        assert_eq!(bands.len(), rungs.len());
        for pair in rungs.windows(2) {
            let (lower, higher) = (pair[0], pair[1]);
            let is_apart =
                bands[higher][1] < bands[lower][0] && least_score(&games, higher, lower) > 0.5;
            let is_merged = MERGED.iter().any(|(merged, rungs)| {
                *merged == game && rungs.contains(&lower) && rungs.contains(&higher)
            });
            assert_eq!(is_apart, !is_merged, "{game}: {lower} and {higher}: {bands:?}");
        }
    }
}

/// The machine-independent data of the repeated games.
fn results(games: &str) -> Vec<Vec<&str>> {
    let rows = games.lines().skip(1).map(|line| line.split(',').take(10).collect::<Vec<_>>());
    let mut rows: Vec<_> =
        rows.filter(|row| row[1].parse::<u32>().expect("a pair") <= REPEATED).collect();
    rows.sort();
    rows
}

#[test]
#[ignore = "slow: plays twenty games of each kind"]
fn stored_ladders_are_reproducible() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in GameKind::all().iter().filter(|kind| **kind != GameKind::Chess) {
        let game = kind.name();
        let config = stored(&format!("{game}.toml"));
        let config = config.replace("pairs = 45\n", &format!("pairs = {REPEATED}\n"));
        let path = folder.path().join("tournament.toml");
        fs::write(&path, config).expect("a configuration");
        let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
        command.args(["run", "--quiet"]).arg(path);
        assert!(command.output().expect("the referee starts").status.success());
        let games = folder.path().join("results").join(game).join("games.csv");
        let games = fs::read_to_string(games).expect("games");
        let stored = stored(&format!("{game}.games.csv"));
        assert_eq!(results(&games).len(), 20);
        assert_eq!(results(&games), results(&stored), "{game}");
    }
}
