//! What is given away under pseudonyms: every game of a log, in an order and with numbers that
//! follow from the pseudonyms alone.
//!
//! The order of a log is that of the schedule, and whoever knows the configuration can work that
//! out. So can it be with the number of a game in its pair, which says who of the two is first in
//! the schedule, and with the numbers of pairs where rounds follow each other.

use std::path::Path;

use super::pseudonyms::Pseudonyms;
use crate::error::Failure;
use crate::folder::{self, Contents, log_failure};
use crate::log::LogReader;
use crate::log::places::LogPlaces;
use crate::model::record::GameRecord;
use referee_games::Seat;

/// The games of a log under pseudonyms.
#[derive(Debug)]
pub struct Published {
    /// Who is who.
    pub names: Pseudonyms,
    /// The games in the order in which they are shown.
    games: Vec<Place>,
}

/// A game of the log, in a few bytes; they sort as the games are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The numbers of the two pseudonyms, the lower one first.
    players: (u32, u32),
    /// The number of its pair; in the end among the pairs of these two that were played.
    pair: u32,
    /// 1 where the lower pseudonym has the first seat, else 2.
    game: u8,
    /// It counts: it does not come after a quarantine.
    counts: bool,
    /// It belongs to a check.
    in_check: bool,
    /// Where its line begins in the log.
    at: u64,
}

impl Published {
    /// Reads the log in `dir`.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(dir: &Path) -> Result<(Self, Contents), Failure> {
        let reader = LogReader::open(dir).map_err(|error| log_failure(dir, &error))?;
        let header = reader.header();
        let players: Vec<String> =
            header.players.iter().map(|player| player.name.clone()).collect();
        let names = Pseudonyms::new(&header.identity, &players);
        let mut games = Vec::new();
        let contents = folder::read(dir, |index, entry| {
            games.extend(place(&names, &entry.record, entry.at).map(|place| (index, place)));
        })?;
        // What counts is known once the whole log was read.
        let ledger = &contents.ledger;
        let settled = |(index, place): (usize, Place)| Place {
            counts: !ledger.is_void(index),
            in_check: ledger.is_check(index),
            ..place
        };
        let mut games: Vec<Place> = games.into_iter().map(settled).collect();
        games.sort_unstable();
        number_pairs(&mut games);
        Ok((Self { names, games }, contents))
    }

    /// Gives every game of the log in `dir` to `to`, in the order in which they are shown and with
    /// the numbers that they have there; whether it counts; and whether it belongs to a check. Names, id and all else are as the
    /// log has them.
    pub fn each(
        &self,
        dir: &Path,
        mut to: impl FnMut(&GameRecord, bool, bool) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let failure = |error| log_failure(dir, &error);
        let mut log = LogPlaces::open(dir).map_err(failure)?;
        self.games.iter().try_for_each(|place| {
            let record = log.record(place.at).map_err(failure)?;
            to(
                &GameRecord { pair: place.pair, game: place.game, ..record },
                place.counts,
                place.in_check,
            )
        })
    }
}

/// Where a game stands; none for a player that has no pseudonym.
fn place(names: &Pseudonyms, record: &GameRecord, at: u64) -> Option<Place> {
    let first = names.number(&record.players[Seat::First])?;
    let second = names.number(&record.players[Seat::Second])?;
    let players = (first.min(second), first.max(second));
    let game = if first < second { 1 } else { 2 };
    Some(Place { players, pair: record.pair, game, counts: true, in_check: false, at })
}

/// Numbers the pairs of any two players from 1: a number of the schedule may tell the round.
fn number_pairs(games: &mut [Place]) {
    for meetings in games.chunk_by_mut(|one, other| one.players == other.players) {
        for (number, pair) in (1..).zip(meetings.chunk_by_mut(|one, other| one.pair == other.pair))
        {
            for game in pair {
                game.pair = number;
            }
        }
    }
}
