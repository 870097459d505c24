//! The formats of tournaments: the next pairings, as pure functions of the results so far.
//!
//! A stage is played in sections. The next section is known when the last one is over. It depends
//! only on its results, not on the order in which they came.

pub mod check_stage;
pub mod knockout;
pub mod ladder;
pub mod swiss;

use self::ladder::Goal;
use crate::schedule::{meetings, pairings};
use referee_ratings::{Fit, FixedRating, Results, fit};
use referee_record::model::fixture::Lineup;
use referee_record::model::player_spec::Out;
use referee_record::model::stage::Format;

/// The result of a meeting of players in a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meeting {
    /// The players, in the order of their numbers.
    pub players: Lineup,
    /// Half points of each in the same order, over the games that count. Games not played because
    /// one of them was taken out count as wins for the others, unless they were out too when the
    /// section ended.
    pub halves: Vec<usize>,
    /// Whether a fault ended one of these games.
    pub faulted: bool,
    /// Whether each was out of the tournament when the section ended.
    pub out: Vec<bool>,
}

impl Meeting {
    /// A meeting of these players without a result so far.
    pub fn of(players: Lineup) -> Self {
        let count = players.seats().len();
        let players = players.sorted();
        Self { players, halves: vec![0; count], faulted: false, out: vec![false; count] }
    }

    /// The half points of `player`; none if it did not take part.
    pub(crate) fn halves_of(&self, player: usize) -> Option<usize> {
        self.players.players().position(|it| it == player).map(|at| self.halves[at])
    }
}

/// The state of a stage so far.
#[derive(Debug, Clone, Copy)]
pub struct StageState<'a> {
    /// The number of seats of a game.
    pub seats: usize,
    /// The players that take part, the best seed first.
    pub entrants: &'a [usize],
    /// The meetings of each finished section, in order.
    pub sections: &'a [Vec<Meeting>],
    /// By player number, the reason why a player was taken out of the tournament.
    pub out: &'a [Option<Out>],
    /// The numbers of the players that the format names: the anchors of a gauntlet, the late players
    /// of a partial round-robin, or those of each listed meeting.
    pub named: &'a [usize],
    /// The number of deals in each meeting.
    pub deals: u32,
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
    /// The players of each meeting.
    pub meetings: Vec<Lineup>,
    /// The number of deals in each meeting.
    pub(crate) deals: u32,
}

impl Next {
    /// Meetings of two.
    fn of_two(pairings: Vec<(usize, usize)>, deals: u32) -> Self {
        Self { meetings: pairings.into_iter().map(Lineup::from).collect(), deals }
    }

    fn of_more(meetings: Vec<Vec<usize>>, deals: u32) -> Self {
        let meetings = meetings.into_iter().map(Lineup::from_iter);
        Self { meetings: meetings.collect(), deals }
    }
}

/// The next section of a stage of this format after `course`, if any. A format with one section has
/// none before it.
pub fn next(format: &Format, course: &StageState<'_>) -> Option<Next> {
    if *format == Format::Check {
        return check_stage::next(course).map(|meetings| Next::of_more(meetings, course.deals));
    }
    if let Format::Listed { .. } = format {
        let tables = course.named.chunks_exact(course.seats);
        let meetings = tables.map(|players| players.iter().copied().collect()).collect();
        return Some(Next { meetings, deals: course.deals });
    }
    if course.seats > 2 {
        let meetings = next_of_more(format, course).filter(|meetings| !meetings.is_empty())?;
        return Some(Next::of_more(meetings, course.deals));
    }
    let pairings = match format {
        Format::RoundRobin => pairings::everyone(course.entrants),
        Format::PartialRoundRobin { opponents, .. } => {
            pairings::some(&course.others(), course.named, *opponents)
        }
        Format::Gauntlet { same_luck: true, .. } => {
            pairings::in_turn(&course.others(), course.named)
        }
        Format::Gauntlet { .. } => pairings::field(&course.others(), course.named),
        Format::Swiss { rounds } => swiss::next(course, *rounds)?,
        Format::Knockout { tie_breaks } => return knockout::next(course, *tie_breaks),
        Format::Ladder { games, margin } => {
            let goal = Goal { games: *games, margin: margin.map(f64::from) };
            ladder::next(course, goal)?
        }
        // The state of a league chooses its games itself.
        Format::Check | Format::Listed { .. } | Format::League => return None,
        Format::Further => return ladder::further(course),
    };
    Some(Next::of_two(pairings, course.deals))
}

/// The meetings of the next section of games with more than two seats.
fn next_of_more(format: &Format, course: &StageState<'_>) -> Option<Vec<Vec<usize>>> {
    let seats = course.seats;
    Some(match format {
        Format::RoundRobin => meetings::all(course.entrants, seats),
        Format::PartialRoundRobin { opponents: rounds, .. } => {
            meetings::some(&course.others(), *rounds, seats)
        }
        Format::Gauntlet { same_luck: true, .. } => {
            meetings::in_turn(&course.others(), course.named, seats)
        }
        Format::Gauntlet { .. } => meetings::field(&course.others(), course.named, seats),
        Format::Further => {
            let players: Vec<usize> = course.there().collect();
            meetings::round(&players, course.sections.len(), seats)
        }
        // No configuration has them, see `Stage::suits`.
        Format::Check
        | Format::Swiss { .. }
        | Format::Knockout { .. }
        | Format::Ladder { .. }
        | Format::Listed { .. }
        | Format::League => return None,
    })
}

/// The next section of a late player, in a check of its own or its games against some of those that
/// are there: in the circle of the entrants, those after it.
pub(crate) fn next_of_late(format: &Format, late: usize, course: &StageState<'_>) -> Option<Next> {
    let at = course.entrants.iter().position(|&player| player == late)?;
    let after = course.entrants[at + 1..].iter().chain(&course.entrants[..at]).copied();
    let others: Vec<usize> = after.filter(|&player| course.out[player].is_none()).collect();
    let next = match format {
        Format::PartialRoundRobin { opponents, .. } if course.seats == 2 => {
            Next::of_two(pairings::of_late(late, &others, *opponents, 1), course.deals)
        }
        Format::PartialRoundRobin { opponents: rounds, .. } => {
            let meetings = meetings::of_late(late, &others, *rounds, course.seats);
            Next::of_more(meetings, course.deals)
        }
        _ => {
            let mut meeting = check_stage::next_partners(course, &others)?.to_vec();
            meeting.insert(0, late);
            Next::of_more(vec![meeting], course.deals)
        }
    };
    course.out[late].is_none().then_some(next)
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
        StageState {
            seats: 2,
            entrants,
            sections,
            out,
            named: &[],
            deals: 1,
            results,
            fixed: Some(&[]),
        }
    }
}
