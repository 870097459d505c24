//! The formats of tournaments: the next pairings, as pure functions of the results so far.
//!
//! A stage is played in sections. The next section is known when the last one is over. It depends
//! only on its results, not on the order in which they came.

pub mod check_stage;
pub mod knockout;
pub mod ladder;
pub mod swiss;

use self::check_stage::{next_check_partners, next_check_round};
use self::knockout::next_knockout_section;
use self::ladder::{LadderGoal, further_ladder_round, next_ladder_round};
use self::swiss::next_swiss_round;
use crate::schedule::meetings::{
    all_meetings, gauntlet_meetings, gauntlet_meetings_in_turn, late_player_meetings,
    meetings_of_round, partial_meetings,
};
use crate::schedule::pairings::{
    all_pairings, gauntlet_pairings, gauntlet_pairings_in_turn, late_player_pairings,
    partial_pairings,
};
use referee_ratings::{Fit, FixedRating, Results, fit};
use referee_record::model::fixture::Lineup;
use referee_record::model::player_spec::Out;
use referee_record::model::stage::Format;

/// The result of a meeting of players in a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatMeeting {
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

impl FormatMeeting {
    /// A meeting of these players without a result so far.
    pub fn without_games(players: Lineup) -> Self {
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
pub struct FormatInput<'a> {
    /// The number of seats of a game.
    pub seats: usize,
    /// The players that take part, the best seed first.
    pub entrants: &'a [usize],
    /// The meetings of each finished section, in order.
    pub sections: &'a [Vec<FormatMeeting>],
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

impl FormatInput<'_> {
    /// The entrants that were not taken out, the best seed first.
    pub(crate) fn remaining_entrants(&self) -> impl Iterator<Item = usize> {
        self.entrants.iter().copied().filter(|&player| self.out[player].is_none())
    }

    /// The entrants that the format does not name.
    fn unnamed_entrants(&self) -> Vec<usize> {
        self.entrants.iter().copied().filter(|player| !self.named.contains(player)).collect()
    }

    /// The ratings of all players so far; none if the given ratings are invalid.
    pub fn fit_ratings(&self) -> Option<Fit> {
        fit(self.results, self.fixed?).ok()
    }
}

/// The next section of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatSection {
    /// The players of each meeting.
    pub meetings: Vec<Lineup>,
    /// The number of deals in each meeting.
    pub(crate) deals: u32,
}

impl FormatSection {
    /// Meetings of two.
    fn from_pairings(pairings: Vec<(usize, usize)>, deals: u32) -> Self {
        Self { meetings: pairings.into_iter().map(Lineup::from).collect(), deals }
    }

    fn from_meetings(meetings: Vec<Vec<usize>>, deals: u32) -> Self {
        let meetings = meetings.into_iter().map(Lineup::from_iter);
        Self { meetings: meetings.collect(), deals }
    }
}

/// The next section of a stage of this format after `course`, if any. A format with one section has
/// none before it.
pub fn next_format_section(format: &Format, course: &FormatInput<'_>) -> Option<FormatSection> {
    if *format == Format::Check {
        return next_check_round(course)
            .map(|meetings| FormatSection::from_meetings(meetings, course.deals));
    }
    if let Format::Listed { .. } = format {
        let tables = course.named.chunks_exact(course.seats);
        let meetings = tables.map(|players| players.iter().copied().collect()).collect();
        return Some(FormatSection { meetings, deals: course.deals });
    }
    if course.seats > 2 {
        let meetings =
            next_format_meetings(format, course).filter(|meetings| !meetings.is_empty())?;
        return Some(FormatSection::from_meetings(meetings, course.deals));
    }
    let pairings = match format {
        Format::RoundRobin => all_pairings(course.entrants),
        Format::PartialRoundRobin { opponents, .. } => {
            partial_pairings(&course.unnamed_entrants(), course.named, *opponents)
        }
        Format::Gauntlet { same_luck: true, .. } => {
            gauntlet_pairings_in_turn(&course.unnamed_entrants(), course.named)
        }
        Format::Gauntlet { .. } => gauntlet_pairings(&course.unnamed_entrants(), course.named),
        Format::Swiss { rounds } => next_swiss_round(course, *rounds)?,
        Format::Knockout { tie_breaks } => {
            return next_knockout_section(course, *tie_breaks);
        }
        Format::Ladder { games, margin } => {
            let goal = LadderGoal { games: *games, margin: margin.map(f64::from) };
            next_ladder_round(course, goal)?
        }
        // The state of a league chooses its games itself.
        Format::Check | Format::Listed { .. } | Format::League => return None,
        Format::Further => return further_ladder_round(course),
    };
    Some(FormatSection::from_pairings(pairings, course.deals))
}

/// The meetings of the next section of games with more than two seats.
fn next_format_meetings(format: &Format, course: &FormatInput<'_>) -> Option<Vec<Vec<usize>>> {
    let seats = course.seats;
    Some(match format {
        Format::RoundRobin => all_meetings(course.entrants, seats),
        Format::PartialRoundRobin { opponents: rounds, .. } => {
            partial_meetings(&course.unnamed_entrants(), *rounds, seats)
        }
        Format::Gauntlet { same_luck: true, .. } => {
            gauntlet_meetings_in_turn(&course.unnamed_entrants(), course.named, seats)
        }
        Format::Gauntlet { .. } => {
            gauntlet_meetings(&course.unnamed_entrants(), course.named, seats)
        }
        Format::Further => {
            let players: Vec<usize> = course.remaining_entrants().collect();
            meetings_of_round(&players, course.sections.len(), seats)
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
pub(crate) fn next_late_format_section(
    format: &Format,
    late: usize,
    course: &FormatInput<'_>,
) -> Option<FormatSection> {
    let at = course.entrants.iter().position(|&player| player == late)?;
    let after = course.entrants[at + 1..].iter().chain(&course.entrants[..at]).copied();
    let others: Vec<usize> = after.filter(|&player| course.out[player].is_none()).collect();
    let next = match format {
        Format::PartialRoundRobin { opponents, .. } if course.seats == 2 => {
            FormatSection::from_pairings(
                late_player_pairings(late, &others, *opponents, 1),
                course.deals,
            )
        }
        Format::PartialRoundRobin { opponents: rounds, .. } => {
            let meetings = late_player_meetings(late, &others, *rounds, course.seats);
            FormatSection::from_meetings(meetings, course.deals)
        }
        _ => {
            let mut meeting = next_check_partners(course, &others)?.to_vec();
            meeting.insert(0, late);
            FormatSection::from_meetings(vec![meeting], course.deals)
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
        sections: &'a [Vec<FormatMeeting>],
        out: &'a [Option<Out>],
        results: &'a Results,
    ) -> FormatInput<'a> {
        FormatInput {
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
