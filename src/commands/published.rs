//! What is given away under pseudonyms: every game of a log, in an order and with numbers that
//! follow from the pseudonyms alone.
//!
//! The order of a log is that of the schedule, and whoever knows the configuration can work that
//! out. So can it be with the number of a game in its pair, which says who of the two is first in
//! the schedule, and with the numbers of pairs where rounds follow each other.

use std::path::Path;

use super::Failure;
use crate::folder::{self, Contents, log_failure};
use crate::log::places::LogPlaces;
use crate::model::record::GameRecord;
use crate::report::pseudonyms::Pseudonyms;
use referee_games::Seat;

/// The games of a log under pseudonyms.
#[derive(Debug)]
pub(super) struct Published {
    /// Who is who.
    pub(super) names: Pseudonyms,
    /// The games in the order in which they are shown.
    games: Vec<Place>,
}

/// A game of the log, in twenty-four bytes; they sort as the games are shown.
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
    /// Where its line begins in the log.
    at: u64,
}

impl Published {
    /// Looks at every game of the log in `dir` with these contents.
    pub(super) fn read(dir: &Path, contents: &Contents) -> Result<Self, Failure> {
        let Contents { header, ledger, .. } = contents;
        let names = Pseudonyms::new(&header.identity, ledger.names());
        let mut games = Vec::new();
        folder::games(dir, ledger, |index, entry| {
            let counts = !ledger.is_void(index);
            games.extend(place(&names, &entry.record, counts, entry.at));
            Ok(())
        })?;
        games.sort_unstable();
        number_pairs(&mut games);
        Ok(Self { names, games })
    }

    /// Gives every game of the log in `dir` to `to`, in the order in which they are shown and with
    /// the numbers that they have there; and whether it counts. Names, id and all else are as the
    /// log has them.
    pub(super) fn each(
        &self,
        dir: &Path,
        mut to: impl FnMut(&GameRecord, bool) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let failure = |error| log_failure(dir, &error);
        let mut log = LogPlaces::open(dir).map_err(failure)?;
        self.games.iter().try_for_each(|place| {
            let record = log.record(place.at).map_err(failure)?;
            to(&GameRecord { pair: place.pair, game: place.game, ..record }, place.counts)
        })
    }
}

/// Where a game stands; none for a player that has no pseudonym.
fn place(names: &Pseudonyms, record: &GameRecord, counts: bool, at: u64) -> Option<Place> {
    let first = names.number(&record.players[Seat::First])?;
    let second = names.number(&record.players[Seat::Second])?;
    let players = (first.min(second), first.max(second));
    let game = if first < second { 1 } else { 2 };
    Some(Place { players, pair: record.pair, game, counts, at })
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
