//! Finds a recorded game: by its id in a results folder, or in a file of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Failure;
use super::results_folder::find_results_folder;
use crate::printer::Printer;
use referee_record::log::random_access::RandomAccessLog;
use referee_record::log::{
    GameLine, GameLineNames, LogError, LogProblem, LogReader, LogScan, ScannedLine,
};
use referee_record::model::record::{GameRecord, Header};
use referee_report::csv_tables::GAMES_TABLE;
use referee_tournament::folder::FolderError;

/// A recorded game, with the header of its log.
#[derive(Debug)]
pub(super) struct FoundGame {
    pub(super) header: Header,
    pub(super) record: GameRecord,
    /// The folder of the log.
    pub(super) dir: PathBuf,
}

impl FoundGame {
    /// Finds the game that `word` names: a log with one game; or an id or its prefix, in the folder
    /// `results` (default: see [`find_results_folder`]). A prefix without `-1` or `-2` means the
    /// pair's first game.
    pub(super) fn find(
        word: &str,
        results: Option<&Path>,
        printer: Printer,
    ) -> Result<Self, Failure> {
        let file = Path::new(word);
        if results.is_none() && file.is_file() {
            return find_only_game(file);
        }
        let dir = find_results_folder(results, printer)?;
        let failed = FolderError::of_log(&dir);
        let mut log = LogScan::open(&dir).map_err(failed)?;
        let at = find_game_in_log(&dir, &mut log, word)?;
        let record =
            RandomAccessLog::open(&dir).and_then(|mut log| log.record(at)).map_err(failed)?;
        Ok(Self { header: log.header().clone(), record, dir })
    }
}

fn find_only_game(file: &Path) -> Result<FoundGame, Failure> {
    let failed = |error: LogError| {
        let line = if error.line == 0 { String::new() } else { format!(" line {}", error.line) };
        Failure::input(format!("{}{line}: {}", file.display(), error.problem))
    };
    let mut reader = LogReader::open_file(file).map_err(failed)?;
    let mut records = Vec::new();
    while let Some(line) = reader.next_line().map_err(failed)? {
        let bad = |error| LogError { line: line.number, problem: LogProblem::Line(error) };
        records.push(line.record.map_err(|error| failed(bad(error)))?);
        if records.len() > 1 {
            return Err(Failure::input(format!(
                "{} contains more than one game; pass the id of one, and its folder with --results",
                file.display()
            )));
        }
    }
    let none = || Failure::input(format!("{} contains no games", file.display()));
    let record = records.pop().ok_or_else(none)?;
    let dir = file.parent().unwrap_or(file).join(".");
    Ok(FoundGame { header: reader.header().clone(), record, dir })
}

/// The maximum number of pairs to list for an ambiguous prefix.
const LISTED: usize = 8;

/// Finds where the line of the game that `word` names begins in the log.
fn find_game_in_log(dir: &Path, log: &mut LogScan, word: &str) -> Result<u64, Failure> {
    let wanted = GameIdPrefix::read(word);
    let names = GameLineNames::of(log.header());
    let mut found: Option<(u8, u64)> = None;
    let mut pairs = BTreeMap::new();
    while let Some(line) = log.next_line().map_err(FolderError::of_log(dir))? {
        let (id, at, number, players) = match &line {
            ScannedLine::Game(game) => {
                (game.id(), game.place.at, game.fixture.game, describe_found_players(game, &names))
            }
            // A game of a player that the header does not name, such as the copy that `check` uses.
            ScannedLine::Other(line) => {
                let Ok(record) = &line.record else { continue };
                let names = record.players.values.values().join(" and ");
                let players = format!("{names}, pair {}", record.pair);
                (record.id.clone(), line.at, record.game, players)
            }
        };
        if id == word {
            return Ok(at);
        }
        if !wanted.fits(&id) {
            continue;
        }
        if pairs.len() <= LISTED {
            pairs.insert(game_id_pair(&id).to_owned(), players);
        }
        // Of the two games of a pair, the first is meant.
        if found.is_none_or(|(other, _)| number < other) {
            found = Some((number, at));
        }
    }
    let why = match found {
        Some((_, at)) if pairs.len() == 1 => return Ok(at),
        Some(_) => {
            let mut lines = Vec::new();
            for (id, who) in pairs.iter().take(LISTED) {
                lines.push(format!("\n    {id}  {}", referee_protocol::escape::escape_line(who)));
            }
            let more = if pairs.len() > LISTED { "\n    and others" } else { "" };
            format!("`{word}` matches several pairs; give more digits:{}{more}", lines.concat())
        }
        None if dir.join(GAMES_TABLE).exists() => {
            format!("cannot find the game `{word}`; {GAMES_TABLE} there lists all games")
        }
        None => format!("cannot find the game `{word}`; `referee replay` lists games"),
    };
    Err(Failure::input(format!("{}: {why}", dir.display())))
}

/// The players of a pair, for people.
fn describe_found_players(game: &GameLine, names: &GameLineNames) -> String {
    let seats = game.fixture.players.seats();
    let mut players: Vec<&str> = seats.map(|seat| names.player(game, seat)).collect();
    players.sort_unstable();
    format!("{}, pair {}", players.join(" and "), game.fixture.pair)
}

/// A parsed game id or prefix: the first digits of the pair, and which game of the pair.
struct GameIdPrefix<'a> {
    digits: &'a str,
    game: Option<&'a str>,
}

impl<'a> GameIdPrefix<'a> {
    fn read(word: &'a str) -> Self {
        match word.split_once('-') {
            Some((digits, game)) => Self { digits, game: Some(game).filter(|it| !it.is_empty()) },
            None => Self { digits: word, game: None },
        }
    }

    fn fits(&self, id: &str) -> bool {
        let (pair, game) = id.split_once('-').unwrap_or((id, ""));
        pair.starts_with(self.digits) && self.game.is_none_or(|wanted| wanted == game)
    }
}

/// The digits that both games of a pair share.
fn game_id_pair(id: &str) -> &str {
    id.split_once('-').map_or(id, |(pair, _)| pair)
}
