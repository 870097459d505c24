//! Reads a log as tables need it: of each line only the front, unless it was edited or is older.

use std::collections::VecDeque;
use std::path::Path;

use super::error::LogError;
use super::front::GameFront;
use super::game_line::{GameLine, GameLineNames};
use super::reader::RawLogLine;
use super::{LogLine, LogReader};
use crate::model::record::Header;
use crate::parallel::map_in_parallel;

/// Reads every line of a log. A few thousand lines are in memory at once.
#[derive(Debug)]
pub struct LogScan {
    log: LogReader,
    names: GameLineNames,
    /// The lines that were read and not yet passed on, with the bytes of each game.
    ahead: VecDeque<(ScannedLine, Vec<u8>)>,
}

/// A line of a log.
#[derive(Debug)]
pub enum ScannedLine {
    /// A game between players of the log's header.
    Game(GameLine),
    /// Any other line.
    Other(Box<LogLine>),
}

impl ScannedLine {
    /// The line of a log with these players.
    pub fn from_line(line: LogLine, names: &GameLineNames) -> Self {
        let front = line.record.as_ref().ok().map(GameFront::of);
        Self::with_front(line, front, names)
    }

    /// The line of a log with these players; `front` is the front of its record, if it is one.
    pub fn with_front(line: LogLine, front: Option<GameFront>, names: &GameLineNames) -> Self {
        let game = front.and_then(|front| names.line(&front, line.place()));
        game.map_or_else(|| Self::Other(line.into()), Self::Game)
    }

    /// Its number, from 1.
    pub fn number(&self) -> usize {
        match self {
            Self::Game(game) => game.place.line,
            Self::Other(line) => line.number,
        }
    }

    /// The id of its game, if it is a record.
    pub fn id(&self) -> Option<String> {
        match self {
            Self::Game(game) => Some(game.id()),
            Self::Other(line) => line.record.as_ref().ok().map(|record| record.id.clone()),
        }
    }

    /// Whether it is a record that was edited after it was written.
    pub fn is_edited(&self) -> bool {
        match self {
            Self::Game(game) => !game.place.intact,
            Self::Other(line) => (line.record.is_ok() || line.change.is_some()) && !line.intact,
        }
    }
}

impl LogScan {
    /// Opens the log of the results folder `dir` and reads its header.
    pub fn open(dir: &Path) -> Result<Self, LogError> {
        let log = LogReader::open(dir)?;
        Ok(Self { names: GameLineNames::of(log.header()), log, ahead: VecDeque::new() })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        self.log.header()
    }

    /// Whether the last line is torn: it has no newline. All lines before it are complete. Known at
    /// the end.
    pub fn torn(&self) -> bool {
        self.log.torn()
    }

    /// The length of all complete lines, in bytes. Known at the end.
    pub fn whole(&self) -> u64 {
        self.log.whole()
    }

    /// Returns the next line, or `None` at the end of the log or at a torn last line.
    pub fn next_line(&mut self) -> Result<Option<ScannedLine>, LogError> {
        Ok(self.next()?.map(|(line, _)| line))
    }

    /// Returns the next game between players of the header, with the bytes of its line.
    pub fn next_game(&mut self) -> Result<Option<(GameLine, Vec<u8>)>, LogError> {
        while let Some((line, bytes)) = self.next()? {
            if let ScannedLine::Game(game) = line {
                return Ok(Some((game, bytes)));
            }
        }
        Ok(None)
    }

    fn next(&mut self) -> Result<Option<(ScannedLine, Vec<u8>)>, LogError> {
        if self.ahead.is_empty() {
            let lines = self.log.next_batch()?;
            let (names, identity) = (&self.names, &self.log.header().identity);
            self.ahead = map_in_parallel(lines, |line| scan_line(line, names, identity)).into();
        }
        Ok(self.ahead.pop_front())
    }
}

/// Reads a line, and returns the bytes of a game.
fn scan_line(line: RawLogLine, names: &GameLineNames, identity: &str) -> (ScannedLine, Vec<u8>) {
    let place = line.place(identity);
    // Only the whole of an edited line says whether it still is a record.
    let front = if place.intact { GameFront::read(&line.bytes) } else { None };
    if let Some(game) = front.and_then(|front| names.line(&front, place)) {
        return (ScannedLine::Game(game), line.bytes);
    }
    let line = line.parse(identity);
    let bytes = line.raw.clone();
    (ScannedLine::from_line(line, names), bytes)
}

#[cfg(test)]
mod tests;
