//! A book: where its openings are, and those that are drawn from it.

use std::io;
use std::sync::Arc;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::Map;

use super::book_bytes::BookBytes;
use super::book_entry::{BookEntry, EntryError, EntryProblem};
use super::book_file::{BookFile, BookFormat, BookOpenError};
use super::book_lines::{book_line_has_opening, parse_book_action_line, parse_book_position_line};
use super::pgn_reader;
use referee_match::openings::{Opening, OpeningError, play_opening_list};
use referee_protocol::escape::escape_line;
use referee_record::model::game_rules::GameRules;
use referee_record::model::opening_source::{
    BookOrder, DrawnOpenings, ListedOpening, OpeningBookSelection, OpeningFile, UnreadableBook,
};

/// The most openings of a book. Their places need 800 MiB at most.
const MOST_OPENINGS: usize = 50_000_000;
/// The most bytes of all openings that are drawn.
const MOST_DRAWN: usize = 32 << 20;

/// A book whose openings are known by their places. They are read when they are drawn.
#[derive(Debug, Clone)]
pub(super) struct Book {
    pub(super) file: BookFile,
    pub(super) rules: GameRules,
    pub(super) selection: OpeningBookSelection,
    /// Where each opening begins.
    pub(super) places: Arc<Vec<u64>>,
}

/// The places of the openings of a book, and a hash of the book.
pub(super) struct BookIndex {
    pub(super) places: Vec<u64>,
    pub(super) hash: String,
}

/// The reason why a book has no index.
pub(super) enum IndexError {
    Open(BookOpenError),
    Entry(EntryError),
    /// There are more openings than this.
    TooMany(usize),
}

impl<T: Into<EntryError>> From<T> for IndexError {
    fn from(error: T) -> Self {
        Self::Entry(error.into())
    }
}

impl BookIndex {
    /// Reads a whole book once.
    pub(super) fn read(file: &BookFile) -> Result<Self, IndexError> {
        let mut bytes = file.open().map_err(IndexError::Open)?;
        let (mut places, mut line) = (Vec::new(), Vec::new());
        while let Some(place) = match file.format {
            BookFormat::Pgn => pgn_reader::skip_pgn_game(&mut bytes)?,
            BookFormat::Lines | BookFormat::Epd => next_opening_line(&mut bytes, &mut line)?,
        } {
            if places.len() == MOST_OPENINGS {
                return Err(IndexError::TooMany(MOST_OPENINGS));
            }
            places.push(place);
        }
        Ok(Self { places, hash: bytes.hash() })
    }
}

/// Reads the next line with an opening. Returns its place.
fn next_opening_line(bytes: &mut BookBytes, line: &mut Vec<u8>) -> Result<Option<u64>, EntryError> {
    while let Some(place) = bytes.read_line(line)? {
        if book_line_has_opening(line) {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// The reason why an opening of a book cannot be played.
pub(super) enum UnplayableOpening {
    /// Something in the file is wrong.
    Entry(EntryError),
    /// The referee rolls dice in this game.
    Dice,
}

impl<T: Into<EntryError>> From<T> for UnplayableOpening {
    fn from(error: T) -> Self {
        Self::Entry(error.into())
    }
}

impl Book {
    /// The opening at a place of the book, which `bytes` reach next.
    pub(super) fn read_opening(
        &self,
        bytes: &mut BookBytes,
        place: u64,
    ) -> Result<ListedOpening, UnplayableOpening> {
        bytes.skip_to(place)?;
        let plies = self.selection.plies.map_or(usize::MAX, |plies| plies as usize);
        let mut line = Vec::new();
        let entry = match self.file.format {
            BookFormat::Pgn => pgn_reader::read_pgn_game(bytes, plies)?,
            format => {
                bytes.read_line(&mut line)?;
                match format {
                    BookFormat::Epd => parse_book_position_line(&line, place)?,
                    _ => parse_book_action_line(&line, place)?,
                }
            }
        };
        play_book_entry(&self.rules, entry)
    }

    /// The numbers of the openings from 0, in the order of the pairs.
    fn order(&self, seed: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..).take(self.places.len()).collect();
        if self.selection.order == BookOrder::Random {
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        let count = order.len().max(1);
        order.rotate_left((self.selection.start as usize - 1) % count);
        order
    }

    /// Says how many of the openings that were read cannot be played.
    fn describe_left_out(&self, wrong: &LeftOutOfBook, read: usize) -> io::Result<Option<String>> {
        let LeftOutOfBook { count, first: Some(first) } = wrong else { return Ok(None) };
        let line = self.file.read_problem_line(first)?.number;
        let all = if read == self.places.len() {
            format!("{read} openings in {}", self.selection.file)
        } else {
            format!("{read} openings drawn from {}", self.selection.file)
        };
        let why = escape_line(&first.label);
        Ok(Some(format!(
            "{count} of {all} cannot be played and were left out, the first on line {line}: {why}"
        )))
    }
}

/// The openings that cannot be played.
#[derive(Default)]
struct LeftOutOfBook {
    count: usize,
    /// The first of them in the file.
    first: Option<EntryProblem>,
}

impl LeftOutOfBook {
    fn add(&mut self, problem: EntryProblem) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|first| problem.at.start < first.at.start) {
            self.first = Some(problem);
        }
    }
}

impl OpeningFile for Book {
    fn selection(&self) -> &OpeningBookSelection {
        &self.selection
    }

    fn draw(&self, seed: u64, count: usize) -> Result<DrawnOpenings, UnreadableBook> {
        self.draw_openings(seed, count).map_err(|error| UnreadableBook(error.to_string()))
    }

    fn starting_at(&self, start: u32) -> Arc<dyn OpeningFile> {
        let selection = OpeningBookSelection { start, ..self.selection.clone() };
        Arc::new(Self { selection, ..self.clone() })
    }
}

impl Book {
    fn draw_openings(&self, seed: u64, count: usize) -> io::Result<DrawnOpenings> {
        let order = self.order(seed);
        let (mut list, mut wrong) = (Vec::new(), LeftOutOfBook::default());
        let (mut read, mut size) = (0, 0);
        while list.len() < count && read < order.len() && size < MOST_DRAWN {
            // In the order of the file, so that a packed one is unpacked once.
            let next = &order[read..order.len().min(read + count - list.len())];
            let mut by_place: Vec<(u32, usize)> = next.iter().copied().zip(0..).collect();
            by_place.sort_unstable();
            let mut found: Vec<Option<ListedOpening>> = vec![None; next.len()];
            let mut bytes = self.file.open()?;
            for (number, at) in by_place {
                match self.read_opening(&mut bytes, self.places[number as usize]) {
                    Ok(opening) => found[at] = Some(opening),
                    Err(UnplayableOpening::Entry(EntryError::Wrong(problem))) => {
                        if self.file.format.is_handwritten() {
                            let line = self.file.read_problem_line(&problem)?.number;
                            let why = format!("line {line}: {}", problem.label);
                            return Err(io::Error::other(why));
                        }
                        wrong.add(problem);
                    }
                    Err(UnplayableOpening::Entry(EntryError::Unreadable(error))) => {
                        return Err(error);
                    }
                    Err(UnplayableOpening::Dice) => {
                        return Err(io::Error::other("this game has dice"));
                    }
                }
            }
            read += next.len();
            for opening in found.into_iter().flatten() {
                size += opening.actions().iter().map(String::len).sum::<usize>();
                if size < MOST_DRAWN || list.is_empty() {
                    list.push(opening);
                }
            }
        }
        Ok(DrawnOpenings {
            left_out: self.describe_left_out(&wrong, read)?,
            read: read as u64,
            list,
        })
    }
}

/// An opening that can be played under these rules.
fn play_book_entry(
    rules: &GameRules,
    entry: BookEntry,
) -> Result<ListedOpening, UnplayableOpening> {
    let mut own = Map::new();
    let mut at_start = 0..0;
    if let Some((fen, at)) = entry.fen {
        own.insert("fen".to_owned(), fen.into());
        at_start = at;
    }
    let unfit = |label: String| EntryError::new(at_start.clone(), &label);
    let own_rules = rules.with_own_options(&own).map_err(|why| unfit(why.to_string()))?;
    let (texts, places): (Vec<_>, Vec<_>) = entry.actions.into_iter().unzip();
    match play_opening_list(&own_rules.start, &texts) {
        Ok(steps) => Ok(ListedOpening::new(own, Opening::action_texts(&steps))),
        Err(OpeningError::Dice) => Err(UnplayableOpening::Dice),
        Err(OpeningError::Start(why)) => Err(unfit(why.to_string()).into()),
        Err(OpeningError::Action(number, why)) => {
            let at = places.get(number).cloned().unwrap_or_default();
            Err(EntryError::new(at, &why.to_string()).into())
        }
    }
}
