//! `replay` without a game: lists games to choose from.

use std::collections::BTreeMap;
use std::path::Path;

use crate::command_failure::Failure;
use crate::commands::watch_reason::WatchReason;
use crate::printer::Printer;
use referee_match::replay::frames::describe_end_of_seats;
use referee_protocol::escape::escape_line;
use referee_record::log::{GameLine, GameLineNames};
use referee_report::csv_tables::GAMES_TABLE;
use referee_tournament::folder::{read_folder_header, read_folder_log};

/// The most games to list.
const LISTED: usize = 20;

/// Lists games of the results in `dir`, those to watch first at the top, and says where all of them
/// are. `called` are the options with which `replay` finds the results.
pub(super) fn list_games_to_replay(
    dir: &Path,
    called: &str,
    printer: Printer,
) -> Result<(), Failure> {
    let header = read_folder_header(dir)?;
    let names = GameLineNames::of(&header);
    let mut count = 0;
    let mut chosen: BTreeMap<WatchReason, Vec<GameLine>> = BTreeMap::new();
    read_folder_log(dir, |_, game| {
        count += 1;
        let games = chosen
            .entry(WatchReason::for_game(&header, game.fixture.players, game.summary))
            .or_default();
        if games.len() < LISTED {
            games.push(game.clone());
        }
    })?;
    let mut listed = chosen.values().flatten().take(LISTED).peekable();
    let Some(first) = listed.peek().map(|game| game.id()) else {
        printer.note(&format!("{}: no games yet", escape_line(&dir.to_string_lossy())));
        return Ok(());
    };
    for game in listed {
        printer.line(&format_game_choice(game, &names))?;
    }
    if count > LISTED {
        printer.note(&format!("{LISTED} of {count} games: faults, then losses, then others"));
    }
    let table = dir.join(GAMES_TABLE);
    if table.is_file() {
        printer.note(&format!("All games: {}", escape_line(&table.to_string_lossy())));
    }
    printer.command("next", &format!("referee replay {first} {called}"));
    Ok(())
}

/// The game in one line: its id, its players, who won and why.
fn format_game_choice(game: &GameLine, names: &GameLineNames) -> String {
    let seats = game.fixture.players.seats();
    let players: Vec<String> = seats.map(|seat| escape_line(names.player(game, seat))).collect();
    let at = |seat| (names.player(game, seat), names.seat(seat));
    let end = describe_end_of_seats(game.summary.places, &game.reason, at);
    format!("{}  {}: {end}", game.id(), players.join(" – "))
}
