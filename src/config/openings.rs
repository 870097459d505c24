//! `[openings]`: how pairs start, by random legal play or from a file.

mod book;
mod entry;
mod pgn;

use std::sync::Arc;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::Map;
use toml::Spanned;

use self::book::BookFormat;
use self::entry::{BookEntry, EntryProblem};
use super::keys::{Field, FromTable, TableReader, table_keys};
use super::limits::whole;
use super::player::LookupPaths;
use super::player_keys::{PlayerKeys, RunMethod};
use super::problem::{ByteSpan, Problem, Problems};
use referee_match::openings::{Opening, OpeningError, listed};
use referee_record::bounded;
use referee_record::model::openings::{ListedOpening, MOST_PLIES, Openings};
use referee_record::model::player::BRIDGE;
use referee_record::model::rules::GameRules;

/// The most refused openings of a file to show.
const MOST_SHOWN: usize = 8;
/// The most openings of a file that are used.
const MOST_OPENINGS: usize = 10_000;
/// The size of the largest opening book, in bytes.
const LARGEST_BOOK: u64 = 64 << 20;

table_keys! {
    /// The keys under `[openings]`.
    OpeningsKeys[at], "`[openings]`":
    "plies" => plies: Field<i128>,
    "file" => file: Field<String>,
    "order" => order: Field<String>,
    "start" => start: Field<i128>,
    /// Whether neither `plies` nor `file` was given; a key with a wrong type counts as given.
    via(has_neither) => is_empty: bool,
}

fn has_neither(keys: &mut TableReader<'_>, _: &mut Problems) -> bool {
    keys.key("plies").is_none() && keys.key("file").is_none()
}

/// Checks the openings that `keys` ask for, in games under these rules. `seed` decides their random
/// order.
pub(super) fn check(
    keys: Option<&OpeningsKeys>,
    rules: Option<GameRules>,
    (place, seed): (LookupPaths<'_>, Option<u64>),
    problems: &mut Problems,
) -> Option<Openings> {
    let keys = keys?;
    if keys.is_empty {
        let problem = Problem::new(keys.at.clone(), "`[openings]` says neither `plies` nor `file`");
        problems.add(problem.help(
            "add a line such as `plies = 8`, for random legal play, or `file = \"openings.txt\"`",
        ));
    }
    let plies = || keys.plies.as_ref();
    let Some(file) = &keys.file else {
        for at in [keys.order.as_ref().map(Spanned::span), keys.start.as_ref().map(Spanned::span)] {
            problems
                .extend(at.map(|at| Problem::new(at, "only a `file` has an order and a start")));
        }
        return Some(Openings::Random {
            plies: whole("plies", plies(), &(1..=MOST_PLIES), problems)?,
        });
    };
    let format = BookFormat::of(file.get_ref());
    if let (Some(plies), false) = (plies(), format == BookFormat::Pgn) {
        let problem = Problem::new(file.span(), "`[openings]` has both `plies` and `file`");
        let problem = problem.earlier(plies.span(), "`plies` is here");
        problems.add(problem.help("remove one of the two; only a `.pgn` file can have `plies`"));
        return None;
    }
    let part = BookPart {
        is_random: is_random(keys.order.as_ref(), problems)?,
        seed: seed.unwrap_or_default(),
        start: match &keys.start {
            None => 1,
            start => whole("start", start.as_ref(), &(1..=u32::MAX), problems)? as usize,
        },
        plies: match plies() {
            None => usize::MAX,
            plies => whole("plies", plies, &(1..=MOST_PLIES), problems)? as usize,
        },
    };
    read((file, format), &part, &rules?, place, problems)
}

/// Whether the openings have a random order.
fn is_random(order: Option<&Spanned<String>>, problems: &mut Problems) -> Option<bool> {
    match order.map(|order| order.get_ref().as_str()) {
        None | Some("sequential") => Some(false),
        Some("random") => Some(true),
        Some(_) => {
            let at = order.map(Spanned::span).unwrap_or_default();
            let problem = Problem::new(at, "unexpected value of `order`");
            problems.add(problem.label("expected `sequential` or `random`"));
            None
        }
    }
}

/// The part of a book that is used.
struct BookPart {
    is_random: bool,
    seed: u64,
    /// The number of the first opening, from 1, in the order of the pairs.
    start: usize,
    /// The most plies of an opening.
    plies: usize,
}

impl BookPart {
    /// The entries in the order of the pairs.
    fn of<T>(&self, mut entries: Vec<T>) -> Vec<T> {
        if self.is_random {
            entries.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        }
        let count = entries.len().max(1);
        entries.rotate_left((self.start - 1) % count);
        entries.truncate(MOST_OPENINGS);
        entries
    }
}

/// Notes every player that cannot start from an opening.
pub(super) fn refuse_bridge(
    keys: Option<&OpeningsKeys>,
    players: Option<&[PlayerKeys]>,
    problems: &mut Problems,
) {
    let (Some(keys), Some(players)) = (keys, players) else { return };
    for player in players {
        let RunMethod::Command(Some(words)) = &player.run else { continue };
        if let Some(word) = words.get_ref().iter().find(|word| word.get_ref() == BRIDGE) {
            let title = "a player behind this bridge cannot begin after an opening";
            let problem = Problem::new(word.span(), title);
            let problem = problem.earlier(keys.at.clone(), "openings are requested here");
            problems.add(problem.help(
                "the bridge cannot tell a player its own first actions: remove `[openings]`, or \
                 this player",
            ));
        }
    }
}

/// Reads the openings from a file.
fn read(
    (file, format): (&Spanned<String>, BookFormat),
    part: &BookPart,
    rules: &GameRules,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<Openings> {
    let name = file.get_ref();
    let refuse = |why: String| Problem::new(file.span(), "unexpected value of `file`").label(why);
    let text: Arc<str> = match bounded::text(&place.base.join(name), LARGEST_BOOK) {
        Ok(text) => text.into(),
        Err(why) => {
            problems.add(refuse(format!("it cannot be read: {why}")));
            return None;
        }
    };
    let entries = match format.entries(&text) {
        Ok(entries) => entries,
        Err(EntryProblem { at, label }) => {
            let problem = Problem::new(at, "invalid opening").label(label);
            problems.add(problem.in_file(name, &text));
            return None;
        }
    };
    if entries.is_empty() {
        problems.add(refuse("this file contains no openings".to_owned()));
    }
    let (mut openings, mut refused) = (Vec::new(), 0);
    for entry in part.of(entries) {
        match opening(rules, &entry, part.plies) {
            Ok(opening) => openings.push(opening),
            Err(None) => {
                let title = "a game with dice cannot take openings from a file";
                let help = "what is legal depends on the dice: write `plies = 8`, for random legal \
                            play";
                problems.add(Problem::new(file.span(), title).help(help));
                return None;
            }
            Err(Some(EntryProblem { at, label })) => {
                refused += 1;
                if refused <= MOST_SHOWN {
                    let problem = Problem::new(at, "invalid opening").label(label);
                    problems.add(problem.in_file(name, &text));
                }
            }
        }
    }
    if refused > MOST_SHOWN {
        let more = refused - MOST_SHOWN;
        problems.add(refuse(format!("{more} more openings of this file are refused")));
    }
    Some(Openings::Listed(openings))
}

/// The opening of an entry, of at most so many plies. Without a problem, the game has dice.
fn opening(
    rules: &GameRules,
    entry: &BookEntry,
    plies: usize,
) -> Result<ListedOpening, Option<EntryProblem>> {
    let mut own = Map::new();
    let mut at_start = 0..0;
    if let Some((fen, at)) = &entry.fen {
        own.insert("fen".to_owned(), fen.clone().into());
        at_start = at.clone();
    }
    let unfit = |label: String| EntryProblem { at: at_start.clone(), label };
    let own_rules = rules.with(&own).map_err(|why| unfit(why.to_string()))?;
    let texts: Vec<String> = entry.actions.iter().take(plies).map(|it| it.0.clone()).collect();
    match listed(&own_rules.start, &texts) {
        Ok(steps) => Ok(ListedOpening::new(own, Opening::texts_of(&steps))),
        Err(OpeningError::Dice) => Err(None),
        Err(OpeningError::Start(why)) => Err(Some(unfit(why.to_string()))),
        Err(OpeningError::Action(number, why)) => {
            let at = entry.actions.get(number).map(|it| it.1.clone()).unwrap_or_default();
            Err(Some(EntryProblem { at, label: why.to_string() }))
        }
    }
}
