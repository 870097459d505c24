//! Measures what a long league costs: choosing the next games, and the memory of its state.

use std::time::Instant;

use referee_record::log::LogWriter;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::model::record::examples::{game, header};
use referee_record::model::record::{GameRecord, Header, HeaderPlayer};
use referee_record::model::roster_change::RosterChange;
use referee_record::model::stage::{Format, Stage};
use referee_tournament::folder::read_folder_log;
use referee_tournament::schedule::tournament_state::TournamentState;

use crate::measure::{Outcome, cpu};

/// The longest CPU time to choose a pair of games, in microseconds.
const GOAL: f64 = 50_000.0;

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
        let name = LeagueEntry::version_name(&author, 1);
        let entry =
            LeagueEntry { author, version: 1, at: 0, source: String::new(), kept: String::new() };
        let player = HeaderPlayer { name, entry: Some(entry), ..header.players[0].clone() };
        let change = RosterChange::Entered { player: Box::new(player), files: [].into() };
        state.apply_league_roster_change(&change)?;
        log.append_change(&change)?;
    }
    let (mut longest, mut whole, mut chosen, mut shown) = (0.0_f64, 0.0, 0_u32, 1_000);
    let empty = memory()?;
    while state.played() < games {
        let before = cpu()?;
        state.choose_league_deal();
        let took = cpu()? - before;
        (longest, whole, chosen) = (longest.max(took), whole + took, chosen + 1);
        while let Some(index) = state.next_due(0) {
            let record = record(&state, index);
            state.add(&record)?;
            log.append(&record)?;
        }
        if state.played() >= shown {
            let bytes = memory()?.saturating_sub(empty) / state.played() as u64;
            println!(
                "{:9} games: choosing took {:.0} µs on average and {longest:.0} µs at most, the \
                 state has {bytes} bytes per game",
                state.played(),
                whole / f64::from(chosen),
            );
            shown *= 10;
        }
    }
    log.finish()?;
    drop((state, log));
    let began = Instant::now();
    let mut read = read_folder_log(folder.path(), |_, _| {})?;
    println!("reading the log of {} games: {:?}", read.state.played(), began.elapsed());
    let before = cpu()?;
    read.state.choose_league_deal();
    let next = cpu()? - before;
    let holds = if next.max(longest) < GOAL { "holds" } else { "missed" };
    println!("choosing the next games: {next:.0} µs, goal {GOAL:.0} µs: {holds}");
    println!("{chosen} pairs were chosen among {entrants} entrants");
    Ok(())
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
    let names = fixture.players.two().map(|player| state.name(player));
    GameRecord {
        id: state.id(index),
        pair: fixture.pair,
        game: fixture.game,
        actions: vec![index.to_string()],
        ..game(names[0], names[1], ["white", "black", "draw"][index % 3])
    }
}
