//! Measures what a long league costs: choosing the next games, and the memory of its state.

use std::time::{Duration, Instant};

use referee_record::log::LogWriter;
use referee_record::model::entry::Entry;
use referee_record::model::record::examples::{game, header};
use referee_record::model::record::{GameRecord, Header, PlayerInfo};
use referee_record::model::roster::RosterChange;
use referee_record::model::stage::{Format, Stage};
use referee_tournament::folder;
use referee_tournament::schedule::state::TournamentState;

use crate::measure::Outcome;

/// The longest time to choose a pair of games.
const GOAL: Duration = Duration::from_millis(50);

/// Plays a league of this many entrants in name only, writes its log, reads it again, and prints
/// what choosing costs as it grows.
pub(crate) fn print(entrants: usize, games: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
    let header = Header { stages, quarantine: 0, ..header(&["ant", "bee"]) };
    let mut state = TournamentState::new(&header);
    let mut log = LogWriter::create(folder.path(), &header)?;
    for number in 0..entrants {
        let author = format!("author {number}");
        let name = Entry::name(&author, 1);
        let entry = Entry { author, version: 1, at: 0, source: String::new() };
        let player = PlayerInfo { name, entry: Some(entry), ..header.players[0].clone() };
        let change = RosterChange::Entered { player, files: [].into() };
        state.change(&change)?;
        log.append_change(&change)?;
    }
    let (mut longest, mut chosen, mut shown) = (Duration::ZERO, 0_u32, 1_000);
    let before = memory()?;
    while state.played() < games {
        let began = Instant::now();
        state.choose();
        let took = began.elapsed();
        (longest, chosen) = (longest.max(took), chosen + 1);
        while let Some(index) = state.next_due(0) {
            let record = record(&state, index);
            state.add(&record)?;
            log.append(&record)?;
        }
        if state.played() >= shown {
            let bytes = memory()?.saturating_sub(before) / state.played() as u64;
            println!(
                "{:9} games: choosing took at most {longest:?}, the state has {bytes} bytes per game",
                state.played()
            );
            shown *= 10;
        }
    }
    log.finish()?;
    drop((state, log));
    let began = Instant::now();
    let mut read = folder::read(folder.path(), |_, _| {})?;
    println!("reading the log of {} games: {:?}", read.state.played(), began.elapsed());
    let began = Instant::now();
    read.state.choose();
    let next = began.elapsed();
    println!(
        "choosing the next games: {next:?}, goal {GOAL:?}: {}",
        said(next.max(longest) < GOAL)
    );
    println!("{chosen} pairs were chosen among {entrants} entrants");
    Ok(())
}

fn said(holds: bool) -> &'static str {
    if holds { "holds" } else { "missed" }
}

/// The memory of this process, in bytes.
fn memory() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = status.split(' ').nth(1).unwrap_or_default().parse()?;
    Ok(pages * 4096)
}

/// The game at `index`, unlike all others.
fn record(state: &TournamentState, index: usize) -> GameRecord {
    let fixture = state.fixture(index);
    let names = fixture.players.map(|player| state.name(player));
    GameRecord {
        id: state.id(index),
        pair: fixture.pair,
        game: fixture.game,
        actions: vec![index.to_string()],
        ..game(names.first, names.second, ["white", "black", "draw"][index % 3])
    }
}
