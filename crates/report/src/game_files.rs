//! Writes the games beside the page: scripts with many games each, which pass them to the viewer,
//! and one that lists all games. A page opened from disk can load only scripts.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Serialize;
use serde_json::{Number, Value, json};

use crate::ReportError;
use crate::page::SHOWN_GAMES;
use referee_games::{BySeat, Places, Seat};
use referee_match::replay::ReplayError;
use referee_match::replay::frames::{
    SEALED_REASON, describe_end_of_seats, describe_game_end_for_reason,
};
use referee_record::disk::{create_results_subfolder, remove_if_there, write_atomically_unsynced};
use referee_record::log::{GameLine, GameLineNames};
use referee_record::model::record::GameRecord;
use referee_tournament::analysis::diagnostics::decision_hashes::DecisionHash;
use referee_tournament::analysis::logged_game::LoggedGame;
use referee_tournament::analysis::named_results::NamedResults;

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
        create_results_subfolder(&folder)
            .and_then(|()| remove_game_files(&folder))
            .map_err(ReportError::unwritable(&folder))?;
        Ok(Self { folder, index: begin_game_index(), parts: 0 })
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
            games.iter().filter_map(|game| index_game_record(number, &game.record, game.is_sealed));
        self.index.extend(lines);
        let path = self.folder.join(game_file_name(self.parts));
        self.parts += 1;
        packed
            .and_then(|(pack, decisions)| {
                write_atomically_unsynced(&path, format!("refereePack(\"{pack}\");\n").as_bytes())?;
                Ok(decisions)
            })
            .map_err(ReportError::unwritable(&path))
    }

    /// Completes the list and moves it into place.
    pub(crate) fn finish(self) -> Result<(), ReportError> {
        let end = format!("], {SIZE});\n");
        let path = self.folder.join(INDEX);
        write_atomically_unsynced(&path, (self.index + &end).as_bytes())
            .map_err(ReportError::unwritable(&path))
    }
}

/// The paths in a results folder of all scripts for this many games.
pub fn game_file_paths(games: usize) -> impl Iterator<Item = PathBuf> {
    let parts = (0..games.min(SHOWN_GAMES).div_ceil(SIZE)).map(game_file_name);
    let names = parts.chain(std::iter::once(INDEX.to_owned()));
    names.map(|name| Path::new(FOLDER).join(name))
}

/// The file name of a script, counted from 0.
fn game_file_name(number: usize) -> String {
    format!("part-{number}.js")
}

/// Removes all scripts.
fn remove_game_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "js") {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}

/// The script that passes a replay to the viewer.
pub fn game_file_script(replay: &str) -> String {
    format!("refereeGame({replay});\n")
}

/// The beginning of the list of all games.
pub fn begin_game_index() -> String {
    "refereeIndex([\n".to_owned()
}

/// The end of the list of all games.
pub const INDEX_END: &str = "]);\n";

/// A game's entry in the list: its id, the numbers of its first two players, its deal, its ending,
/// its plies, and the numbers of all further players. Of a sealed game, the reason of its ending and
/// the plies are left out. `None` if a player has no number.
pub fn index_game_record<N: Serialize>(
    number: impl Fn(&str) -> Option<N>,
    game: &GameRecord,
    is_sealed: bool,
) -> Option<String> {
    let numbers = game.players.values.values().iter().map(|name| number(name));
    let numbers: Vec<N> = numbers.collect::<Option<_>>()?;
    let reason = if is_sealed { SEALED_REASON } else { &game.reason };
    let scores = game.final_scores.as_ref().map(|scores| &scores.values);
    Some(format_game_index_entry(&IndexEntry {
        id: &game.id,
        players: &numbers,
        deal: (game.pair, game.game),
        end: append_final_scores(
            describe_game_end_for_reason(game, reason),
            game.places(),
            scores.filter(|_| !is_sealed),
        ),
        plies: (!is_sealed).then_some(game.plies),
    }))
}

/// The same entry, from the front of its line.
pub fn index_game_line(names: &GameLineNames, game: &GameLine, is_sealed: bool) -> String {
    let reason = if is_sealed { SEALED_REASON } else { &game.reason };
    let players: Vec<usize> = game.fixture.players.players().collect();
    let who = |seat| (names.player(game, seat), names.seat(seat));
    let places = game.summary.places;
    let end = describe_end_of_seats(places, reason, who);
    format_game_index_entry(&IndexEntry {
        id: &game.id(),
        players: &players,
        deal: (game.fixture.pair, game.fixture.game),
        end: append_final_scores(end, Some(places), game.points.as_deref().filter(|_| !is_sealed)),
        plies: (!is_sealed).then_some(game.plies),
    })
}

/// An ending with the final scores, if there are some, in the order of the places.
fn append_final_scores(
    end: String,
    places: Option<Places>,
    scores: Option<&BySeat<Number>>,
) -> String {
    let Some((places, scores)) = places.zip(scores) else { return end };
    let mut seats: Vec<Seat> = scores.seats().collect();
    seats.sort_by_key(|&seat| places.place_of(seat));
    let scores: Vec<String> = seats.into_iter().map(|seat| scores[seat].to_string()).collect();
    format!("{end}, {}", scores.join(" to "))
}

/// A game's entry in the list.
struct IndexEntry<'a, N> {
    id: &'a str,
    /// By seat.
    players: &'a [N],
    /// The number of the deal, and of the game in it.
    deal: (u32, u8),
    end: String,
    plies: Option<u32>,
}

fn format_game_index_entry<N: Serialize>(game: &IndexEntry<'_, N>) -> String {
    let IndexEntry { id, players, deal, end, plies } = game;
    let (two, more) = players.split_at(players.len().min(2));
    let mut line = vec![json!(id)];
    line.extend(two.iter().map(|number| json!(number)));
    line.extend([json!(format!("{}.{}", deal.0, deal.1)), json!(end), json!(plies)]);
    line.extend(more.iter().map(|number| json!(number)));
    format!("{},\n", Value::Array(line))
}
