//! Games of the old player that an earlier comparison recorded. They need not be played again: the new
//! player meets the same opponents with the same luck.

use std::path::Path;

use super::super::Failure;
use super::super::results_folder::other_comparison_folders;
use crate::printer::Printer;
use referee_protocol::escape::escape_line;
use referee_record::log::{LogError, LogReader};
use referee_record::model::opening_source::Openings;
use referee_record::model::record::{GameRecord, Header, HeaderPlayer};
use referee_record::model::seat_usage::SeatUsage;
use referee_record::model::stage::Format;
use referee_record::seeds::derive_game_id;
use referee_record::wording::pluralize;
use referee_tournament::folder::{FolderError, LockedFolder, read_folder_log};
use referee_tournament::run::resume::PreparedRun;

/// Adds the recorded games of the player called `old` to a comparison without games. They come from
/// the comparison next to it that has most of them.
pub(super) fn reuse_recorded_games(
    folder: &LockedFolder,
    prepared: &mut PreparedRun,
    old: &str,
    printer: Printer,
) -> Result<(), Failure> {
    let ours = prepared.contents.header.clone();
    let mut best: Option<(Vec<GameRecord>, String)> = None;
    for dir in other_comparison_folders(folder.dir()) {
        let shown = escape_line(&dir.display().to_string());
        match find_reusable_games(&dir, &ours, old) {
            Ok(games) if games.len() > best.as_ref().map_or(0, |(games, _)| games.len()) => {
                best = Some((games, shown));
            }
            Ok(_) => {}
            Err(error) => printer.note(&format!("{shown}: {error}; its games are not used")),
        }
    }
    let Some((games, from)) = best else { return Ok(()) };
    let mut taken = 0;
    for game in games {
        // Who has which seat in the first game of a deal depends on the names.
        let numbers = 1..=u8::try_from(game.players.values.values().len()).unwrap_or(u8::MAX);
        let found = numbers
            .map(|number| renumber_reused_game(game.clone(), number))
            .find(|game| prepared.contents.state.add(game).is_ok());
        if let Some(game) = found {
            prepared.log.append(&game).map_err(FolderError::from)?;
            taken += 1;
        }
    }
    if taken > 0 {
        prepared.contents = read_folder_log(folder.dir(), |_, _| {})?;
        printer.note(&format!(
            "{} by {} from {from} {} reused",
            pluralize(taken, "game"),
            escape_line(old),
            if taken == 1 { "is" } else { "are" },
        ));
    }
    Ok(())
}

/// The games in the log in `dir` of the program that is called `old` here, under that name, if they
/// are what it would play here.
fn find_reusable_games(dir: &Path, ours: &Header, old: &str) -> Result<Vec<GameRecord>, LogError> {
    let mut reader = LogReader::open(dir)?;
    let theirs = reader.header().clone();
    let (Some(name), Some(openings)) =
        (find_reused_player_name(&theirs, ours, old), count_reusable_openings(&theirs, ours))
    else {
        return Ok(Vec::new());
    };
    let mut games = Vec::new();
    while let Some(mut game) = reader.next_record()? {
        let is_used = usize::try_from(game.pair).is_ok_and(|pair| pair <= openings);
        let seat = game.players.seats().find(|&seat| game.players[seat] == name);
        if let Some(seat) = seat.filter(|_| is_used) {
            old.clone_into(&mut game.players.values[seat]);
            // It was used there.
            game.usage = SeatUsage::default();
            let number = game.game;
            games.push(renumber_reused_game(game, number));
        }
    }
    Ok(games)
}

/// The same game as the one with this number in its pair.
fn renumber_reused_game(mut game: GameRecord, number: u8) -> GameRecord {
    let names: Vec<&str> = game.players.values.values().iter().map(String::as_str).collect();
    game.id = derive_game_id(&names, game.pair, number);
    game.game = number;
    game
}

/// What the program that is called `old` in `ours` is called in `theirs`, if it met the same opponents
/// there under the same terms and with the same luck.
fn find_reused_player_name<'a>(theirs: &'a Header, ours: &Header, old: &str) -> Option<&'a str> {
    let rules = |header: &Header| header.program.as_ref().map(|program| program.hash.clone());
    let is_same = theirs.seed.is_some()
        && theirs.seed == ours.seed
        && theirs.game == ours.game
        && rules(theirs) == rules(ours)
        && theirs.options == ours.options
        && theirs.clock == ours.clock
        && theirs.fault_policy == ours.fault_policy
        && theirs.adjudication == ours.adjudication
        && theirs.containment == ours.containment;
    let [there, here] = [theirs, ours].map(|header| match header.stages.first()?.format {
        Format::Gauntlet { ref anchors, same_luck: true } => Some(anchors),
        _ => None,
    });
    let (there, here) = (there?, here?);
    let of =
        |header: &'a Header, name: &str| header.players.iter().find(|player| player.name == name);
    let plays_alike = |one: &HeaderPlayer, other: &HeaderPlayer| {
        let terms = |info: &HeaderPlayer| (info.tc, info.restart, info.outages);
        one.hash == other.hash && terms(one) == terms(other)
    };
    let known = |name: &String| {
        let ours = ours.players.iter().find(|player| player.name == *name);
        of(theirs, name).zip(ours).is_some_and(|(one, other)| plays_alike(one, other))
    };
    if !is_same || there != here || !here.iter().all(known) {
        return None;
    }
    let old = ours.players.iter().find(|player| player.name == old)?;
    let mut rivals = theirs.players.iter().filter(|player| !there.contains(&player.name));
    rivals.find(|player| plays_alike(player, old)).map(|player| player.name.as_str())
}

/// How many pairs begin with the same openings under both headers, if any do.
fn count_reusable_openings(theirs: &Header, ours: &Header) -> Option<usize> {
    match (&theirs.openings, &ours.openings) {
        (Some(Openings::Listed(there)), Some(Openings::Listed(here))) if there != here => {
            let known = there.len().min(here.len());
            (known > 0 && there[..known] == here[..known]).then_some(known)
        }
        (there, here) => (there == here).then_some(usize::MAX),
    }
}
