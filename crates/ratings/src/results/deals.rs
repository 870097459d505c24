//! Games of several seats, as comparisons of places.
//!
//! Every two players of a game whose order counts are one *comparison*: a game of two, as the model
//! sees it. The comparisons of a game depend on each other, so each counts with a weight below 1.
//! Between equals every order is equally likely for any kind of luck, and with this weight the
//! covariance of the likelihood's gradient is its curvature, as in a game of two.
//!
//! Games come in *deals*: games between the same players with the same luck, in which everyone sits
//! once in every seat. With two seats that is a pair. The games of a deal may depend on each other;
//! different deals are independent.

use std::collections::{BTreeMap, HashMap};

use crate::results::game_outcome::GameOutcome;
use crate::results::pairs::Side;
use crate::significance::count_as_f64;

/// Which players of a game are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compared {
    /// Every two.
    #[default]
    All,
    /// The winner with each of the others: the places of the others are not known.
    Winner,
}

/// What the games of several seats are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DealTable {
    /// The number of seats.
    pub seats: usize,
    /// Whether it is known who had which seat. Otherwise, seats have no value.
    pub seating: Seating,
    /// Which players are compared.
    pub compared: Compared,
}

/// Whether it is known who had which seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seating {
    /// It is.
    Known,
    /// It is not: players are listed in any order.
    Unknown,
}

impl DealTable {
    /// The weight of a comparison.
    pub fn comparison_weight(self) -> f64 {
        let seats = count_as_f64(self.seats);
        match self.compared {
            Compared::All => 3.0 / (seats + 1.0),
            Compared::Winner => 2.0 / seats,
        }
    }

    /// The information of a game about the difference of two equals, as a multiple of what a game
    /// of two does.
    pub(crate) fn game_information(self) -> f64 {
        let seats = count_as_f64(self.seats);
        match self.compared {
            Compared::All => self.comparison_weight() * seats / 2.0,
            // Only this many of the comparisons count.
            Compared::Winner => self.comparison_weight() * seats / 2.0 * (2.0 / seats),
        }
    }
}

/// The comparisons of two players at two seats, *a* and *b*.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeriesCounts {
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    pub(crate) seats: [usize; 2],
    /// Wins, draws and losses of seat *a*: with the upper player there, and with the lower one.
    pub(crate) games: [[u32; 3]; 2],
    pub(crate) weight: f64,
}

/// A comparison in a game: of the player at one seat with that at another, by the outcome for the
/// first of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SeatComparison {
    pub(crate) seats: [u8; 2],
    pub(crate) outcome: GameOutcome,
}

/// A game, without the comparisons that do not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DealtGame {
    /// The players by seat.
    pub(crate) players: Box<[u32]>,
    pub(crate) comparisons: Box<[SeatComparison]>,
}

/// The games that were added so far, by deal.
#[derive(Debug, Clone, Default)]
pub(crate) struct DealList {
    /// The place in the list of a deal of these players, in the order of their numbers.
    places: HashMap<(Box<[u32]>, u32), usize>,
    list: Vec<Vec<DealtGame>>,
}

impl DealList {
    /// Adds a game, to the deal of its players that has this number.
    pub(crate) fn add(&mut self, deal: Option<u32>, game: DealtGame) {
        let last = self.list.len();
        let place = deal.map_or(last, |number| {
            *self.places.entry((sort_deal_players(&game.players), number)).or_insert(last)
        });
        if place == last {
            self.list.push(Vec::new());
        }
        self.list[place].push(game);
    }

    /// The deals as ratings are fitted to them, in an order that does not depend on that in which
    /// games were added: sums of rounded numbers do.
    pub(crate) fn rated_deals(&self, table: DealTable) -> Deals {
        let mut list: Vec<DealtGames<'_>> =
            self.list.iter().map(|games| sort_deal_games(games)).collect();
        list.sort_unstable();
        Deals::new(table, &list)
    }
}

/// The players of a deal, in the order of their numbers, and its games.
type DealtGames<'a> = (Box<[u32]>, Vec<&'a DealtGame>);

fn sort_deal_games(games: &[DealtGame]) -> DealtGames<'_> {
    let mut games: Vec<&DealtGame> = games.iter().collect();
    games.sort_unstable();
    (sort_deal_players(&games[0].players), games)
}

fn sort_deal_players(players: &[u32]) -> Box<[u32]> {
    let mut players: Box<[u32]> = players.into();
    players.sort_unstable();
    players
}

/// The deals that ratings are fitted to.
#[derive(Debug, Clone)]
pub(crate) struct Deals {
    pub(crate) table: DealTable,
    /// All comparisons, by players and seats.
    pub(crate) series: Vec<SeriesCounts>,
    pub(crate) list: Vec<Deal>,
}

#[derive(Debug, Clone)]
pub(crate) struct Deal {
    /// The players, in the order of their numbers.
    pub(crate) players: Box<[u32]>,
    /// How many deals these players had.
    pub(crate) of_these: u32,
    pub(crate) games: Vec<Vec<Comparison>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Comparison {
    /// The place of the upper player among those of the deal, and of the lower one.
    pub(crate) players: [u8; 2],
    /// The place of its series in the list.
    pub(crate) series: u32,
    /// Who had seat *a* of the series.
    pub(crate) side: Side,
    /// The outcome for seat *a*.
    pub(crate) outcome: GameOutcome,
}

/// The upper and the lower player of a series, and its seats.
type SeriesKey = (u32, u32, [u8; 2]);

impl Deals {
    fn new(table: DealTable, list: &[DealtGames<'_>]) -> Self {
        let mut places: BTreeMap<SeriesKey, u32> = BTreeMap::new();
        for game in list.iter().flat_map(|(_, games)| games) {
            for comparison in &game.comparisons {
                places.insert(deal_series_key(table, game, *comparison).0, 0);
            }
        }
        let mut series = Vec::with_capacity(places.len());
        for (number, (&(upper, lower, seats), place)) in (0..).zip(&mut places) {
            *place = number;
            series.push(SeriesCounts {
                upper: upper as usize,
                lower: lower as usize,
                seats: seats.map(usize::from),
                games: [[0; 3]; 2],
                weight: table.comparison_weight(),
            });
        }
        let mut deals: Vec<Deal> = Vec::with_capacity(list.len());
        for (players, games) in list {
            let place = |player| {
                let place = players.partition_point(|&other| other < player);
                u8::try_from(place).unwrap_or(u8::MAX)
            };
            let compare = |game: &DealtGame, comparison: SeatComparison| {
                let ((upper, lower, seats), side) = deal_series_key(table, game, comparison);
                let series = places[&(upper, lower, seats)];
                let (players, outcome) = ([upper, lower].map(place), comparison.outcome);
                Comparison { players, series, side, outcome }
            };
            let all = |game: &&DealtGame| {
                game.comparisons.iter().map(|&one| compare(game, one)).collect::<Vec<_>>()
            };
            let games: Vec<_> = games.iter().map(all).collect();
            for one in games.iter().flatten() {
                series[one.series as usize].games[one.side as usize][one.outcome.index()] += 1;
            }
            deals.push(Deal { players: players.clone(), of_these: 1, games });
        }
        // Deals of the same players are neighbours.
        for same in deals.chunk_by_mut(|one, other| one.players == other.players) {
            let of_these = u32::try_from(same.len()).unwrap_or(u32::MAX);
            for deal in same {
                deal.of_these = of_these;
            }
        }
        Self { table, series, list: deals }
    }

    /// The number of games in the largest deal.
    pub(crate) fn most_games(&self) -> usize {
        self.list.iter().map(|deal| deal.games.len()).max().unwrap_or(0)
    }
}

/// The series of a comparison, and who has its seat *a*. Where seats are not known, they have no
/// value, so one pair of them stands for all.
fn deal_series_key(
    table: DealTable,
    game: &DealtGame,
    comparison: SeatComparison,
) -> (SeriesKey, Side) {
    let [one, other] = comparison.seats.map(|seat| game.players[usize::from(seat)]);
    let side = if one < other { Side::Upper } else { Side::Lower };
    let seats = match table.seating {
        Seating::Known => comparison.seats,
        Seating::Unknown => [0, 1],
    };
    ((one.min(other), one.max(other), seats), side)
}

#[cfg(test)]
mod tests;
