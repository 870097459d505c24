//! Makes logs of any length for measurements: the games of a short tournament again and again,
//! under the names, numbers, ids and seeds that the schedule gives them.

use std::fs;
use std::path::{Path, PathBuf};

use referee_games::{BySeat, Seat};
use referee_record::log::{LOG, LogReader, LogWriter};
use referee_record::model::record::GameRecord;
use referee_record::seeds::Secret;
use referee_tournament::folder::SECRET;
use referee_tournament::schedule::state::TournamentState;

use crate::measure::Outcome;
use crate::program::referee;

/// The seed of the tournaments, from which all others follow.
const SEED: u64 = 7;

/// A tournament's folder with a made log.
#[derive(Debug)]
pub(crate) struct Made {
    /// The results folder.
    pub(crate) results: PathBuf,
    /// The number of games in the log.
    pub(crate) games: usize,
}

/// Makes a round-robin with at least `games` games of `players` players in the folder `dir`, whose
/// tables and page are not written yet.
pub(crate) fn make(dir: &Path, players: usize, games: usize) -> Outcome<Made> {
    let pairs = games.div_ceil(players * (players - 1));
    fs::create_dir_all(dir)?;
    configure(dir, players, 1)?;
    run(dir)?;
    configure(dir, players, pairs)?;
    let results = dir.join("results/made");
    let mut reader = LogReader::open(&results)?;
    let mut header = reader.header().clone();
    let mut played = Vec::new();
    while let Some(record) = reader.next_record()? {
        played.push(record);
    }
    for entry in fs::read_dir(&results)? {
        let path = entry?.path();
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else if path.file_name().is_some_and(|name| name != SECRET) {
            fs::remove_file(path)?;
        }
    }
    header.stages[0].pairs = u32::try_from(pairs)?;
    let schedule = TournamentState::new(&header);
    let mut log = LogWriter::create(&results, &header)?;
    for index in 0..schedule.len() {
        log.append(&again(&played[index % played.len()], &schedule, index))?;
    }
    log.finish()?;
    Ok(Made { results, games: schedule.len() })
}

/// A game as the one at `index` of the schedule.
fn again(played: &GameRecord, schedule: &TournamentState, index: usize) -> GameRecord {
    let fixture = schedule.fixture(index);
    let players = fixture.players.players();
    let names: BySeat<String> = players.map(|player| schedule.name(player).to_owned()).collect();
    let secret = Secret::from_seed(SEED);
    let seed = |seat: Seat| {
        let others: Vec<&str> = names.others(seat).map(|other| &*names[other]).collect();
        secret.player_seed(&names[seat], &others, fixture.pair, fixture.game)
    };
    let mut game = played.clone();
    game.seed.values = BySeat::from_fn(2, seed);
    game.players.values = names.clone();
    GameRecord { id: schedule.id(index), pair: fixture.pair, game: fixture.game, ..game }
}

fn configure(dir: &Path, players: usize, pairs: usize) -> Outcome<()> {
    let settings = format!(
        "name = \"made\"\ngame = \"watch-your-back\"\nseed = {SEED}\npairs = {pairs}\n\
         [containment]\nlevel = \"off\"\n"
    );
    let player = |number| format!("[[players]]\nname = \"player {number:03}\"\nbot = \"random\"\n");
    let text: Vec<String> = (0..players).map(player).collect();
    Ok(fs::write(dir.join("tournament.toml"), settings + &text.concat())?)
}

/// Runs the tournament in `dir`.
pub(crate) fn run(dir: &Path) -> Outcome<()> {
    referee(dir, &["run", "--quiet"])
}

/// The length of the log in bytes.
pub(crate) fn log_length(made: &Made) -> Outcome<u64> {
    Ok(fs::metadata(made.results.join(LOG))?.len())
}
