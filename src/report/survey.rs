//! One look at every game of a log for the page: how long games were, which are worth
//! seeing, every fault, and how the ratings came about.

pub mod chosen;
pub mod course;
pub mod faults;

use std::collections::BTreeMap;

use self::chosen::Chosen;
use self::course::Course;
use self::faults::Faults;
use super::Standings;
use crate::analysis::results::{AnalysisError, NamedResults};
use crate::model::record::{GameRecord, Header};
use referee_games::Seat;

/// What was seen. Its size depends on the players and on the bounds of its parts, not on the
/// number of games.
#[derive(Debug)]
pub struct Survey {
    /// How many games were so many plies long.
    pub lengths: BTreeMap<u32, u32>,
    /// The games worth seeing.
    pub chosen: Chosen,
    /// The faults.
    pub faults: Faults,
    /// The ratings over time.
    pub course: Course,
    /// The numbers of the players by name, as in the results.
    numbers: BTreeMap<String, usize>,
    /// The ratings by number.
    ratings: Vec<f64>,
}

impl Survey {
    /// A survey of a log with this header and ranking that holds `games` games that count.
    pub fn new(
        header: &Header,
        results: &NamedResults,
        standings: &Standings,
        games: usize,
    ) -> Self {
        let mut ratings = vec![0.0; results.names().len()];
        for row in &standings.rows {
            ratings[row.number] = row.rating.value;
        }
        let names = results.names().iter().cloned();
        Self {
            lengths: BTreeMap::new(),
            chosen: Chosen::default(),
            faults: Faults::default(),
            course: Course::new(results.names(), header.anchors.clone(), games),
            numbers: names.enumerate().map(|(number, name)| (name, number)).collect(),
            ratings,
        }
    }

    /// Takes in a game that counts.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), AnalysisError> {
        *self.lengths.entry(record.plies).or_default() += 1;
        let rating = |seat: Seat| {
            let number = self.numbers.get(&record.players[seat]);
            number.map_or(0.0, |&number| self.ratings[number])
        };
        self.chosen.add(record, rating(Seat::First) - rating(Seat::Second));
        self.faults.add(record);
        self.course.add(record)
    }
}
