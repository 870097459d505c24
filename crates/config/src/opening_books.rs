//! `[openings]`: how pairs start, by random legal play or from a file.

mod book;
mod book_bytes;
mod book_entry;
mod book_file;
mod book_lines;
mod pgn_reader;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use self::book::{Book, BookIndex, IndexError, UnplayableOpening};
use self::book_entry::{EntryError, EntryProblem};
use self::book_file::{BookFile, BookFormat};
use super::clock_limits::check_whole_number;
use super::player_keys::{PlayerKeys, RunMethod};
use super::player_spec::LookupPaths;
use super::problem::{ByteSpan, Problem, Problems};
use super::toml_keys::{Field, FromTable, TomlTableReader, table_keys};
use referee_record::model::game_rules::GameRules;
use referee_record::model::opening_source::{
    BookOrder, MOST_PLIES, OpeningBookSelection, OpeningSource,
};
use referee_record::model::player_spec::BRIDGE;

/// The most refused openings of a file to show.
const MOST_SHOWN: usize = 8;
/// The openings of a file that are tried before the first game.
const TRIED: usize = 10_000;

table_keys! {
    /// The keys under `[openings]`.
    OpeningsKeys[at], "`[openings]`":
    "plies" => plies: Field<i128>,
    "file" => file: Field<String>,
    "order" => order: Field<String>,
    "start" => start: Field<i128>,
    /// Whether neither `plies` nor `file` was given; a key with a wrong type counts as given.
    via(lacks_opening_keys) => is_empty: bool,
}

fn lacks_opening_keys(keys: &mut TomlTableReader<'_>, _: &mut Problems) -> bool {
    keys.span_of("plies").is_none() && keys.span_of("file").is_none()
}

/// A book whose first openings can be played.
struct TriedBook {
    book: Book,
    /// The plies of the longest of them.
    longest: usize,
}

impl TriedBook {
    /// Notes a `start` that this book, in a `file` of that name, does not have, and a `length` of games
    /// that its openings reach.
    fn note_unfit(
        &self,
        file: &Spanned<String>,
        start: Option<&Spanned<i128>>,
        length: Option<&Spanned<i128>>,
        problems: &mut Problems,
    ) {
        let Self { book, longest } = self;
        let OpeningBookSelection { start: first, size, .. } = book.selection;
        if let Some(start) = start.filter(|_| u64::from(first) > size) {
            let label = format!("expected at most {size}, the openings in the file");
            problems.add(Problem::new(start.span(), "invalid value for `start`").label(label));
        }
        if let Some(length) = length.filter(|length| *length.get_ref() <= *longest as i128) {
            let problem = Problem::new(length.span(), "`length` ends games in their opening");
            let problem = problem.earlier(file.span(), "the plies of these openings count too");
            problems.add(problem.label(format!("expected more than {longest}")));
        }
    }
}

/// Checks the openings that `keys` ask for, in games under these rules that end after `length`
/// plies at the latest, if that is given.
pub(super) fn check_openings_keys(
    keys: Option<&OpeningsKeys>,
    length: Option<&Spanned<i128>>,
    rules: Option<GameRules>,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<OpeningSource> {
    let keys = keys?;
    if keys.is_empty {
        let problem = Problem::new(keys.at.clone(), "`[openings]` has neither `plies` nor `file`");
        problems.add(problem.help(
            "add a line such as `plies = 8`, for random legal play, or `file = \"openings.txt\"`",
        ));
    }
    let plies = || keys.plies.as_ref();
    let Some(file) = &keys.file else {
        for at in [keys.order.as_ref().map(Spanned::span), keys.start.as_ref().map(Spanned::span)] {
            problems.extend(at.map(|at| Problem::new(at, "`order` and `start` need a `file`")));
        }
        return Some(OpeningSource::Random {
            plies: check_whole_number("plies", plies(), &(1..=MOST_PLIES), problems)?,
        });
    };
    let format = BookFormat::from_file_name(file.get_ref());
    if let (Some(plies), false) = (plies(), format == BookFormat::Pgn) {
        let problem = Problem::new(file.span(), "`[openings]` has both `plies` and `file`");
        let problem = problem.earlier(plies.span(), "`plies` is here");
        problems.add(problem.help("remove one of the two; `plies` only works with a `.pgn` file"));
        return None;
    }
    let Some(name) = Path::new(file.get_ref()).file_name() else {
        let problem = Problem::new(file.span(), "invalid value for `file`");
        problems.add(problem.label("expected the name of a file"));
        return None;
    };
    let selection = OpeningBookSelection {
        file: name.to_string_lossy().into_owned(),
        hash: String::new(),
        size: 0,
        read: 0,
        order: check_book_order(keys.order.as_ref(), problems)?,
        start: match &keys.start {
            None => 1,
            start => check_whole_number("start", start.as_ref(), &(1..=u32::MAX), problems)?,
        },
        plies: match plies() {
            None => None,
            plies => Some(check_whole_number("plies", plies, &(1..=MOST_PLIES), problems)?),
        },
    };
    let path = place.base.join(file.get_ref());
    let tried = read_opening_book((file, path), selection, rules?, problems)?;
    tried.note_unfit(file, keys.start.as_ref(), length, problems);
    Some(OpeningSource::Book(Arc::new(tried.book)))
}

/// The order of the openings.
fn check_book_order(order: Option<&Spanned<String>>, problems: &mut Problems) -> Option<BookOrder> {
    match order.map(|order| order.get_ref().as_str()) {
        None | Some("sequential") => Some(BookOrder::Sequential),
        Some("random") => Some(BookOrder::Random),
        Some(_) => {
            let at = order.map(Spanned::span).unwrap_or_default();
            let problem = Problem::new(at, "invalid value for `order`");
            problems.add(problem.label("expected `sequential` or `random`"));
            None
        }
    }
}

/// Notes every player that cannot start from an opening.
pub(super) fn refuse_bridge_with_openings(
    keys: Option<&OpeningsKeys>,
    players: Option<&[PlayerKeys]>,
    problems: &mut Problems,
) {
    let (Some(keys), Some(players)) = (keys, players) else { return };
    for player in players {
        let RunMethod::Command(Some(words)) = &player.run else { continue };
        if let Some(word) = words.get_ref().iter().find(|word| word.get_ref() == BRIDGE) {
            let title = "a player behind this bridge cannot start from an opening";
            let problem = Problem::new(word.span(), title);
            let problem = problem.earlier(keys.at.clone(), "openings are requested here");
            problems.add(problem.help(
                "the bridge cannot tell a player which actions it took: remove `[openings]`, or \
                 this player",
            ));
        }
    }
}

/// Reads a whole book once, and refuses it if too many of its first openings cannot be played.
fn read_opening_book(
    (named, path): (&Spanned<String>, PathBuf),
    selection: OpeningBookSelection,
    rules: GameRules,
    problems: &mut Problems,
) -> Option<TriedBook> {
    let refuse = |why: String| Problem::new(named.span(), "invalid value for `file`").label(why);
    let file = BookFile::new(path);
    let BookIndex { places, hash } = match BookIndex::read(&file) {
        Ok(index) => index,
        Err(IndexError::Entry(EntryError::Wrong(wrong))) => {
            problems.add(describe_book_problem(&file, named, &wrong));
            return None;
        }
        Err(IndexError::Open(why)) => {
            problems.add(refuse(why.to_string()));
            return None;
        }
        Err(IndexError::Entry(EntryError::Unreadable(why))) => {
            problems.add(refuse(format!("it cannot be read: {why}")));
            return None;
        }
        Err(IndexError::TooMany(most)) => {
            problems.add(refuse(format!("it has more than {most} openings; split it")));
            return None;
        }
    };
    if places.is_empty() {
        problems.add(refuse("this file contains no openings".to_owned()));
        return None;
    }
    let selection = OpeningBookSelection { hash, size: places.len() as u64, ..selection };
    let book = Book { file, rules, selection, places: Arc::new(places) };
    match try_book_openings(&book) {
        Ok(TriedOpenings { wrong, longest }) if wrong.is_empty() => {
            return Some(TriedBook { book, longest });
        }
        Ok(TriedOpenings { wrong, .. }) => {
            for problem in wrong.iter().take(MOST_SHOWN) {
                problems.add(describe_book_problem(&book.file, named, problem));
            }
            if let Some(more @ 1..) = wrong.len().checked_sub(MOST_SHOWN) {
                problems.add(refuse(format!("{more} more openings in this file cannot be played")));
            }
        }
        Err(UnplayableOpening::Dice) => {
            let title = "a game with dice cannot take openings from a file";
            let help =
                "what is legal depends on the dice: write `plies = 8`, for random legal play";
            problems.add(Problem::new(named.span(), title).help(help));
        }
        Err(UnplayableOpening::Entry(EntryError::Unreadable(why))) => {
            problems.add(refuse(format!("it cannot be read: {why}")));
        }
        Err(UnplayableOpening::Entry(EntryError::Wrong(wrong))) => {
            problems.add(describe_book_problem(&book.file, named, &wrong));
        }
    }
    None
}

/// What the first openings of a book are.
struct TriedOpenings {
    /// The problems that make it be refused: any mistake in a book written by hand; in others, only
    /// if half or more cannot be played.
    wrong: Vec<EntryProblem>,
    /// The plies of the longest of them.
    longest: usize,
}

fn try_book_openings(book: &Book) -> Result<TriedOpenings, UnplayableOpening> {
    let (mut wrong, mut tried, mut longest) = (Vec::new(), 0, 0);
    let mut bytes = book.file.open().map_err(io::Error::from)?;
    for &place in book.places.iter().take(TRIED) {
        tried += 1;
        match book.read_opening(&mut bytes, place) {
            Ok(opening) => longest = longest.max(opening.actions().len()),
            Err(UnplayableOpening::Entry(EntryError::Wrong(problem))) => wrong.push(problem),
            Err(other) => return Err(other),
        }
    }
    if !book.file.format.is_handwritten() && 2 * wrong.len() < tried {
        wrong.clear();
    }
    Ok(TriedOpenings { wrong, longest })
}

/// The problem with a line of a book, which the configuration names.
fn describe_book_problem(
    file: &BookFile,
    named: &Spanned<String>,
    wrong: &EntryProblem,
) -> Problem {
    match file.read_problem_line(wrong) {
        Ok(line) => Problem::new(line.at, "invalid opening").label(&*wrong.label).in_file(
            named.get_ref(),
            line.text,
            line.number,
        ),
        Err(why) => Problem::new(named.span(), "invalid value for `file`").label(why.to_string()),
    }
}
