//! The knockout: the loser of a meeting is out, and the best seeds meet last.

use std::cmp::Ordering;

use super::{FormatInput, FormatMeeting, FormatSection};
use referee_record::model::fixture::Lineup;

/// The next section: a round of the bracket, or another pair for each tied meeting of a round.
pub(crate) fn next_knockout_section(
    course: &FormatInput<'_>,
    tie_breaks: u32,
) -> Option<FormatSection> {
    let mut alive = knockout_bracket(course.entrants);
    let mut sections = course.sections.iter();
    loop {
        let meetings = knockout_pairings(&alive);
        if meetings.is_empty() {
            return None;
        }
        let Some(section) = sections.next() else {
            return Some(FormatSection::from_pairings(meetings, course.deals));
        };
        let mut scores: Vec<FormatMeeting> = section.clone();
        for _ in 0..tie_breaks {
            let tied = tied_knockout_pairings(&scores);
            if tied.is_empty() {
                break;
            }
            let Some(more) = sections.next() else {
                return Some(FormatSection::from_pairings(tied, 1));
            };
            for meeting in more {
                add_tie_break_scores(&mut scores, meeting);
            }
        }
        alive = advance_knockout_winners(&alive, |one, other| {
            knockout_winner(course.entrants, &scores, one, other)
        });
    }
}

/// The places of the bracket in order; neighbours meet first. Missing players leave a bye to the
/// best seeds.
fn knockout_bracket(entrants: &[usize]) -> Vec<Option<usize>> {
    let mut seeds = vec![0];
    while seeds.len() < entrants.len() {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    seeds.into_iter().map(|seed| entrants.get(seed).copied()).collect()
}

fn knockout_pairings(alive: &[Option<usize>]) -> Vec<(usize, usize)> {
    alive.chunks(2).filter_map(|seats| Some((seats[0]?, (*seats.get(1)?)?))).collect()
}

/// The winners of a round, in the order of the bracket.
fn advance_knockout_winners(
    alive: &[Option<usize>],
    winner: impl Fn(usize, usize) -> usize,
) -> Vec<Option<usize>> {
    let meet = |seats: &[Option<usize>]| match (seats[0], seats.get(1).copied().flatten()) {
        (Some(one), Some(other)) => Some(winner(one, other)),
        (one, other) => one.or(other),
    };
    alive.chunks(2).map(meet).collect()
}

/// Adds the scores of a further pair.
fn add_tie_break_scores(scores: &mut [FormatMeeting], more: &FormatMeeting) {
    if let Some(known) = scores.iter_mut().find(|known| known.players == more.players) {
        known.halves.iter_mut().zip(&more.halves).for_each(|(sum, more)| *sum += more);
        known.out.clone_from(&more.out);
    }
}

/// The tied meetings, except those in which a player was taken out.
fn tied_knockout_pairings(scores: &[FormatMeeting]) -> Vec<(usize, usize)> {
    scores
        .iter()
        .filter(|meeting| meeting.halves[0] == meeting.halves[1] && !meeting.out.contains(&true))
        .map(|meeting| meeting.players.two().into())
        .collect()
}

/// The winner of a meeting: a player that was not out when it ended, then the better score, then
/// the better seed.
fn knockout_winner(
    entrants: &[usize],
    scores: &[FormatMeeting],
    one: usize,
    other: usize,
) -> usize {
    let seed = |player| entrants.iter().position(|&known| known == player);
    let better_seed = if seed(one) <= seed(other) { one } else { other };
    let players = Lineup::from([one, other]).sorted();
    let Some(meeting) = scores.iter().find(|meeting| meeting.players == players) else {
        return better_seed;
    };
    let [low, high] = players.two();
    let score = |at: usize| (!meeting.out[at], meeting.halves[at]);
    match score(0).cmp(&score(1)) {
        Ordering::Greater => low,
        Ordering::Less => high,
        Ordering::Equal => better_seed,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::course;
    use super::*;
    use referee_ratings::Results;

    /// The sections of a knockout; `result` gives the result of each meeting.
    fn play(
        players: usize,
        tie_breaks: u32,
        mut result: impl FnMut(usize, usize) -> usize,
    ) -> Vec<Vec<FormatMeeting>> {
        let entrants: Vec<usize> = (0..players).collect();
        let out = vec![None; players];
        let mut sections: Vec<Vec<FormatMeeting>> = Vec::new();
        loop {
            let results = Results::new(0);
            let course = FormatInput { deals: 2, ..course(&entrants, &sections, &out, &results) };
            let Some(FormatSection { meetings, deals }) =
                next_knockout_section(&course, tie_breaks)
            else {
                return sections;
            };
            let meeting = |players: Lineup| {
                let [one, other] = players.sorted().two();
                let whole = 4 * deals as usize;
                let first = result(one, other).min(whole);
                FormatMeeting {
                    halves: vec![first, whole - first],
                    ..FormatMeeting::without_games(players)
                }
            };
            sections.push(meetings.into_iter().map(meeting).collect());
        }
    }

    fn players(section: &[FormatMeeting]) -> Vec<[usize; 2]> {
        section.iter().map(|meeting| meeting.players.two()).collect()
    }

    proptest! {
        #[test]
        fn every_meeting_of_a_knockout_eliminates_one_player(
            count in 1_usize..40,
            results in prop::collection::vec(0_usize..=8, 400),
        ) {
            let mut results = results.into_iter();
            let sections = play(count, 2, |_, _| results.next().expect("enough"));
            let mut met: Vec<_> = sections.iter().flat_map(|section| players(section)).collect();
            met.sort_unstable();
            met.dedup();
            prop_assert_eq!(met.len(), count - 1);
        }
    }

    #[test]
    fn the_best_seeds_meet_last() {
        let stronger = |one: usize, other: usize| if one < other { 8 } else { 0 };
        let sections = play(6, 1, stronger);
        assert_eq!(players(&sections[0]), [[3, 4], [2, 5]]);
        assert_eq!(players(&sections[1]), [[0, 3], [1, 2]]);
        assert_eq!(players(&sections[2]), [[0, 1]]);
        assert_eq!(sections.len(), 3);
    }

    #[test]
    fn ties_continue_and_then_the_better_seed_advances() {
        let lengths = |tie_breaks, results: &[usize]| {
            let mut results = results.iter().copied();
            let sections = play(2, tie_breaks, |_, _| results.next().expect("enough"));
            sections.len()
        };
        assert_eq!(lengths(2, &[5]), 1, "decided at once");
        assert_eq!(lengths(2, &[4, 3]), 2, "decided by the first tie-break");
        assert_eq!(lengths(2, &[4, 2, 2]), 3, "the better seed after the second");
        assert_eq!(lengths(0, &[4]), 1, "the better seed at once");
    }
}
