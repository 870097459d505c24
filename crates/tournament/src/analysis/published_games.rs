//! The games of a log under pseudonyms, in an order and with numbers that follow from the
//! pseudonyms alone.
//!
//! The log follows the order of the schedule, which anyone who knows the configuration can work
//! out. The same is true of a game's number in its pair, which shows who of the two comes first in
//! the schedule, and of the pair numbers when rounds follow each other.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::logged_game::{LoggedGame, PassError};
use super::pseudonyms::Pseudonyms;
use super::sealed_games::SealedGames;
use crate::folder::{FolderError, LogContents, read_folder_header, read_folder_log};
use referee_record::log::GameLine;
use referee_record::log::random_access::RandomAccessLog;
use referee_record::model::fixture::Lineup;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::GameRecord;

/// The games of a log under pseudonyms.
#[derive(Debug)]
pub struct PublishedGames {
    /// The players' pseudonyms.
    pub names: Pseudonyms,
    /// The games in the order in which they are published.
    games: Vec<PublishedPlace>,
}

/// The place of a game in the log, in a few bytes.
#[derive(Debug, Clone, Copy)]
struct PublishedPlace {
    /// The numbers of the pseudonyms by seat.
    players: Lineup,
    /// The number of its deal: as scheduled, and renumbered before publication among the deals of
    /// these players.
    pair: u32,
    /// The number of the seat of the lowest pseudonym, from 1.
    game: u8,
    /// Whether it counts, that is, does not come after a quarantine.
    counts: bool,
    /// Whether it belongs to a check.
    in_check: bool,
    /// Whether its moves must not be shown yet.
    is_sealed: bool,
    /// The offset of its line in the log.
    at: u64,
}

impl PublishedGames {
    /// The published games of the log in `dir`.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn open(dir: &Path) -> Result<Self, FolderError> {
        Ok(Self::read(dir)?.0)
    }

    /// Reads the log in `dir`.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(crate) fn read(dir: &Path) -> Result<(Self, LogContents), FolderError> {
        let header = read_folder_header(dir)?;
        let players: Vec<String> =
            header.players.iter().map(|player| player.name.clone()).collect();
        let names = Pseudonyms::new(&header.identity, &players);
        let numbers: Vec<Option<u32>> = players.iter().map(|name| names.number(name)).collect();
        let mut games = Vec::new();
        let contents = read_folder_log(dir, |index, game| {
            games.extend(published_place(&numbers, game).map(|place| (index, place)));
        })?;
        // Only the whole log shows which games count.
        let state = &contents.state;
        let sealed = SealedGames::from_state(&contents.header, state);
        let settled = |(index, place): (usize, PublishedPlace)| PublishedPlace {
            counts: !state.is_void(index),
            in_check: state.is_check(index),
            is_sealed: sealed.contains(index),
            ..place
        };
        let mut games: Vec<PublishedPlace> = games.into_iter().map(settled).collect();
        games.sort_unstable_by_key(|place| {
            (place.players.sorted(), place.pair, place.game, place.at)
        });
        number_published_deals(&mut games);
        Ok((Self { names, games }, contents))
    }

    /// The numbers of the pseudonyms of those who played with the player of this number, and that
    /// number.
    pub fn met_by(&self, player: usize) -> BTreeSet<usize> {
        let own = self.games.iter().filter(|place| place.players.players().any(|it| it == player));
        own.flat_map(|place| place.players.players()).chain([player]).collect()
    }

    /// Calls `to` with every game of the log in `dir`, in the order of publication and with the
    /// published numbers. Names, id and everything else are as in the log.
    pub fn each_game<E: From<PassError>>(
        &self,
        dir: &Path,
        to: impl FnMut(&LoggedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_wanted_game(dir, |_| true, to)
    }

    /// The same for the games of the player of this name.
    pub fn each_game_of<E: From<PassError>>(
        &self,
        name: &str,
        dir: &Path,
        to: impl FnMut(&LoggedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let number = self.names.number(name).map(|number| number as usize);
        let plays = |place: &PublishedPlace| place.players.players().any(|it| Some(it) == number);
        self.for_each_wanted_game(dir, plays, to)
    }

    /// Calls `to` with every game as anyone may see it, in the order of publication.
    pub fn for_each_public_game<E: From<PassError>>(
        &self,
        dir: &Path,
        mut to: impl FnMut(&LoggedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_game(dir, |game| to(&self.as_public_game(game)))
    }

    /// The game that is published with this id, as anyone may see it.
    pub fn game(&self, dir: &Path, id: &str) -> Result<Option<LoggedGame>, PassError> {
        let names = self.names.names();
        let is_it = |place: &PublishedPlace| {
            let players: Vec<&str> = place.players.players().map(|player| names[player]).collect();
            self.names.game_id(&players, place.pair, place.game) == id
        };
        let mut found = None;
        self.for_each_wanted_game(dir, is_it, |game| {
            found = Some(self.as_public_game(game));
            Ok::<(), PassError>(())
        })?;
        Ok(found)
    }

    fn as_public_game(&self, game: &LoggedGame) -> LoggedGame {
        let record = Arc::new(self.names.public_record(&game.record));
        LoggedGame { record, ..game.clone() }
    }

    /// Calls `to` with the games whose places are `wanted`.
    fn for_each_wanted_game<E: From<PassError>>(
        &self,
        dir: &Path,
        wanted: impl Fn(&PublishedPlace) -> bool,
        mut to: impl FnMut(&LoggedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let failure = |error| PassError::from(FolderError::of_log(dir)(error));
        let mut log = RandomAccessLog::open(dir).map_err(failure)?;
        self.games.iter().filter(|place| wanted(place)).try_for_each(|place| {
            let record = log.record(place.at).map_err(failure)?;
            let PublishedPlace { pair, game, counts, in_check, is_sealed, .. } = *place;
            let record = Arc::new(GameRecord { pair, game, ..record });
            let summary = GameSummary::from_record(&record).map_err(PassError::Result)?;
            to(&LoggedGame { record, summary, counts, in_check, line: 0, is_sealed })
        })
    }
}

/// The place of a game, with the numbers of the pseudonyms by player; `None` if a player has none.
fn published_place(numbers: &[Option<u32>], line: &GameLine) -> Option<PublishedPlace> {
    let number = |player: usize| numbers.get(player).copied().flatten().map(|it| it as usize);
    let players = line.fixture.players.players().map(number).collect::<Option<Lineup>>()?;
    let lowest = players.seats().min_by_key(|&seat| players.at(seat))?;
    let (pair, at) = (line.fixture.pair, line.place.at);
    Some(PublishedPlace {
        players,
        pair,
        game: u8::try_from(lowest.index() + 1).ok()?,
        counts: true,
        in_check: false,
        is_sealed: false,
        at,
    })
}

/// Numbers the deals of the same players from 1, because a number from the schedule may reveal the
/// round.
fn number_published_deals(games: &mut [PublishedPlace]) {
    let are_same = |one: &PublishedPlace, other: &PublishedPlace| {
        one.players.sorted() == other.players.sorted()
    };
    for meetings in games.chunk_by_mut(are_same) {
        for (number, pair) in (1..).zip(meetings.chunk_by_mut(|one, other| one.pair == other.pair))
        {
            for game in pair {
                game.pair = number;
            }
        }
    }
}

#[cfg(test)]
mod tests;
