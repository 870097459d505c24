//! The formats of tournaments: the next pairings, as pure functions of the results so far.
//!
//! A stage is played in sections. The next section is known when the last one is over. It depends
//! only on its results, not on the order in which they came.

pub mod check;
pub mod knockout;
pub mod ladder;
pub mod swiss;

use self::ladder::Goal;
use crate::schedule::pairings::{everyone, field, of_late, some};
use referee_ratings::{Fit, FixedRating, Results, fit};
use referee_record::model::player::Out;
use referee_record::model::stage::Format;

/// The result of a meeting of two players in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// The players' numbers, the lower first.
    pub players: (usize, usize),
    /// Half points of each, over the games that count. Games not played because one of the two was
    /// taken out count as wins for the other, unless it was out too when the section ended.
    pub halves: (usize, usize),
    /// Whether a fault ended one of these games.
    pub faulted: bool,
    /// Whether each was out of the tournament when the section ended.
    pub out: (bool, bool),
}

impl Meeting {
    /// The half points of `player`; none if it did not take part.
    pub(crate) fn halves_of(&self, player: usize) -> Option<usize> {
        match self.players {
            (low, _) if low == player => Some(self.halves.0),
            (_, high) if high == player => Some(self.halves.1),
            _ => None,
        }
    }
}

/// The state of a stage so far.
#[derive(Debug, Clone, Copy)]
pub struct StageState<'a> {
    /// The players that take part, the best seed first.
    pub entrants: &'a [usize],
    /// The meetings of each finished section, in order.
    pub sections: &'a [Vec<Meeting>],
    /// By player number, the reason why a player was taken out of the tournament.
    pub out: &'a [Option<Out>],
    /// The numbers of the players that the format names: the anchors of a gauntlet, or the late
    /// players of a partial round-robin.
    pub named: &'a [usize],
    /// The number of pairs in each meeting.
    pub pairs: u32,
    /// The results of the whole tournament so far.
    pub results: &'a Results,
    /// The given ratings; none if they are invalid.
    pub fixed: Option<&'a [FixedRating]>,
}

impl StageState<'_> {
    /// The entrants that were not taken out, the best seed first.
    pub(crate) fn there(&self) -> impl Iterator<Item = usize> {
        self.entrants.iter().copied().filter(|&player| self.out[player].is_none())
    }

    /// The entrants that the format does not name.
    fn others(&self) -> Vec<usize> {
        self.entrants.iter().copied().filter(|player| !self.named.contains(player)).collect()
    }

    /// The ratings of all players so far; none if the given ratings are invalid.
    pub fn fit(&self) -> Option<Fit> {
        fit(self.results, self.fixed?).ok()
    }
}

/// The next section of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    /// The two players of each pairing.
    pub pairings: Vec<(usize, usize)>,
    /// The number of pairs in each meeting.
    pub(crate) pairs: u32,
}

/// The next section of a stage of this format after `course`, if any. A format with one section has
/// none before it.
pub fn next(format: &Format, course: &StageState<'_>) -> Option<Next> {
    let pairings = match format {
        Format::Check => check::next(course)?,
        Format::RoundRobin => everyone(course.entrants),
        Format::PartialRoundRobin { opponents, .. } => {
            some(&course.others(), course.named, *opponents)
        }
        Format::Gauntlet { .. } => field(&course.others(), course.named),
        Format::Swiss { rounds } => swiss::next(course, *rounds)?,
        Format::Knockout { tie_breaks } => return knockout::next(course, *tie_breaks),
        Format::Ladder { games, margin } => {
            let goal = Goal { games: *games, margin: margin.map(f64::from) };
            ladder::next(course, goal)?
        }
        // The state of a league chooses its games itself.
        Format::League => return None,
        Format::Further => return ladder::further(course),
    };
    Some(Next { pairings, pairs: course.pairs })
}

/// The next section of a late player, in a check of its own or its games against some of those that
/// are there: in the circle of the entrants, those after it.
pub(crate) fn next_of_late(format: &Format, late: usize, course: &StageState<'_>) -> Option<Next> {
    let at = course.entrants.iter().position(|&player| player == late)?;
    let after = course.entrants[at + 1..].iter().chain(&course.entrants[..at]).copied();
    let others: Vec<usize> = after.filter(|&player| course.out[player].is_none()).collect();
    let pairings = match format {
        Format::PartialRoundRobin { opponents, .. } => of_late(late, &others, *opponents, 1),
        _ => vec![(late, check::next_partner(course, &others)?)],
    };
    course.out[late].is_none().then_some(Next { pairings, pairs: course.pairs })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A course with one pair in each meeting.
    pub(crate) fn course<'a>(
        entrants: &'a [usize],
        sections: &'a [Vec<Meeting>],
        out: &'a [Option<Out>],
        results: &'a Results,
    ) -> StageState<'a> {
        StageState { entrants, sections, out, named: &[], pairs: 1, results, fixed: Some(&[]) }
    }
}
