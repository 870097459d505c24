//! Writes the games beside the page: scripts with many games each, which pass them to the viewer,
//! and one that lists all games. A page opened from disk can load only scripts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use crate::ReportError;
use crate::page::SHOWN_GAMES;
use referee_games::Seat;
use referee_match::replay::ReplayError;
use referee_match::replay::frames::{SEALED_REASON, describe_end};
use referee_record::disk::{make_own_folder, remove_if_there, write_quickly};
use referee_record::log::{GameLine, GameNames};
use referee_record::model::record::GameRecord;
use referee_tournament::analysis::diagnostics::decisions::DecisionHash;
use referee_tournament::analysis::logged_game::LoggedGame;
use referee_tournament::analysis::results::NamedResults;

/// The folder of the game scripts.
const FOLDER: &str = "games";
/// The script that lists all games.
const INDEX: &str = "index.js";
/// The number of games in a full script.
pub(crate) const SIZE: usize = 128;

/// The decisions in a game, or why it cannot be replayed.
pub(crate) type GameDecisions = Result<Vec<DecisionHash>, ReplayError>;

/// Writes the games beside a page.
#[derive(Debug)]
pub(crate) struct GameFiles {
    folder: PathBuf,
    index: String,
    /// The number of scripts written so far.
    parts: usize,
}

impl GameFiles {
    /// Makes the folder in `dir`, and removes the scripts of the page before.
    pub(crate) fn new(dir: &Path) -> Result<Self, ReportError> {
        let folder = dir.join(FOLDER);
        make_own_folder(&folder)
            .and_then(|()| clean(&folder))
            .map_err(ReportError::unwritable(&folder))?;
        Ok(Self { folder, index: index_begin(), parts: 0 })
    }

    /// Writes the next script with these games, and returns the decisions in each. Only the last
    /// script has fewer games than [`SIZE`].
    pub(crate) fn add(
        &mut self,
        results: &NamedResults,
        games: &[LoggedGame],
        packed: io::Result<(String, Vec<GameDecisions>)>,
    ) -> Result<Vec<GameDecisions>, ReportError> {
        let number = |name: &str| results.number(name).ok();
        let lines =
            games.iter().filter_map(|game| index_line(number, &game.record, game.is_sealed));
        self.index.extend(lines);
        let path = self.folder.join(part_name(self.parts));
        self.parts += 1;
        packed
            .and_then(|(pack, decisions)| {
                write_quickly(&path, format!("refereePack(\"{pack}\");\n").as_bytes())?;
                Ok(decisions)
            })
            .map_err(ReportError::unwritable(&path))
    }

    /// Completes the list and moves it into place.
    pub(crate) fn finish(self) -> Result<(), ReportError> {
        let end = format!("], {SIZE});\n");
        let path = self.folder.join(INDEX);
        write_quickly(&path, (self.index + &end).as_bytes()).map_err(ReportError::unwritable(&path))
    }
}

/// The paths in a results folder of all scripts for so many games.
pub fn names(games: usize) -> impl Iterator<Item = PathBuf> {
    let parts = (0..games.min(SHOWN_GAMES).div_ceil(SIZE)).map(part_name);
    let names = parts.chain(std::iter::once(INDEX.to_owned()));
    names.map(|name| Path::new(FOLDER).join(name))
}

/// The file name of a script, counted from 0.
fn part_name(number: usize) -> String {
    format!("part-{number}.js")
}

/// Removes all scripts.
fn clean(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "js") {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}

/// The script that passes a replay to the viewer.
pub fn game_script(replay: &str) -> String {
    format!("refereeGame({replay});\n")
}

/// The beginning of the list of all games.
pub fn index_begin() -> String {
    "refereeIndex([\n".to_owned()
}

/// The end of the list of all games.
pub const INDEX_END: &str = "]);\n";

/// A game's entry in the list: its id, its players' numbers, its pair, its ending, its plies. Of a
/// sealed game, the reason of its ending and the plies are left out. `None` if a player has no
/// number.
pub fn index_line<N: Serialize>(
    number: impl Fn(&str) -> Option<N>,
    game: &GameRecord,
    is_sealed: bool,
) -> Option<String> {
    let (first, second) =
        (number(&game.players[Seat::FIRST])?, number(&game.players[Seat::SECOND])?);
    let pair = format!("{}.{}", game.pair, game.game);
    let reason = if is_sealed { SEALED_REASON } else { &game.reason };
    let end = describe_end(game.winner(), &game.result, reason);
    let plies = (!is_sealed).then_some(game.plies);
    let line = json!([game.id, first, second, pair, end, plies]);
    Some(format!("{line},\n"))
}

/// The same entry, from the front of its line.
pub fn listed(names: &GameNames, game: &GameLine, is_sealed: bool) -> String {
    let reason = if is_sealed { SEALED_REASON } else { &game.reason };
    let end = describe_end(names.winner(game), names.result(game), reason);
    let plies = (!is_sealed).then_some(game.plies);
    let [first, second] = game.fixture.players.two();
    let pair = format!("{}.{}", game.fixture.pair, game.fixture.game);
    let line = json!([game.id(), first, second, pair, end, plies]);
    format!("{line},\n")
}
