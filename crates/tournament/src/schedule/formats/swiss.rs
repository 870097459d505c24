//! The Swiss system: in each round, players with about the same score meet. No two players meet
//! twice. With an odd number of players, one sits out each round, none twice.

use std::collections::HashSet;

use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};

use super::FormatInput;

/// The pairings of the next round; none after `rounds` rounds, or when no meetings are left.
pub(crate) fn next_swiss_round(
    course: &FormatInput<'_>,
    rounds: u32,
) -> Option<Vec<(usize, usize)>> {
    if course.sections.len() >= rounds as usize {
        return None;
    }
    let table = SwissTable::new(course);
    let pairings = table.pairings();
    (!pairings.is_empty()).then_some(pairings)
}

/// The maximum number of rounds that never needs a repeated meeting: half of
/// the players (by Dirac's theorem, those who have not met have a perfect matching).
pub fn max_swiss_rounds(players: usize) -> usize {
    players.div_ceil(2)
}

/// The players to be paired, in the order of their scores.
struct SwissTable {
    /// Players by place. With an odd number of players, the place after the last stands for sitting
    /// out.
    players: Vec<usize>,
    /// The half points of each player.
    halves: Vec<usize>,
    /// The pairs of places that may not meet.
    met: HashSet<(usize, usize)>,
}

impl SwissTable {
    fn new(course: &FormatInput<'_>) -> Self {
        let mut rows: Vec<(usize, usize, bool)> =
            course.remaining_entrants().map(|player| swiss_score(course, player)).collect();
        // The sort is stable: players with equal scores stay in the order of the seeds.
        rows.sort_by_key(|row| std::cmp::Reverse(row.0));
        let players: Vec<usize> = rows.iter().map(|row| row.1).collect();
        let place = |player| players.iter().position(|&known| known == player);
        let mut met = HashSet::new();
        for meeting in course.sections.iter().flatten() {
            let [one, other] = meeting.players.two();
            if let (Some(one), Some(other)) = (place(one), place(other)) {
                met.insert((one.min(other), one.max(other)));
            }
        }
        for (at, _) in rows.iter().enumerate().filter(|(_, row)| row.2) {
            met.insert((at, players.len()));
        }
        Self { halves: rows.iter().map(|row| row.0).collect(), players, met }
    }

    /// The number of places: one for each player, and one for sitting out if they are odd.
    fn places(&self) -> usize {
        self.players.len() + self.players.len() % 2
    }

    /// Pairs from the top down: everyone gets the best opponent that leaves a way to pair the
    /// others.
    fn pairings(&self) -> Vec<(usize, usize)> {
        let mut free: Vec<usize> = (0..self.places()).collect();
        let mut pairings = Vec::new();
        let mut unpaired = free.len() - 2 * self.matching(&free);
        while let Some((&one, rest)) = free.split_first() {
            let fitting = self.candidates(one, rest).into_iter().find(|&other| {
                let others: Vec<usize> = rest.iter().copied().filter(|&at| at != other).collect();
                others.len() - 2 * self.matching(&others) == unpaired
            });
            // A player that has met all the others sits out.
            unpaired -= usize::from(fitting.is_none());
            if let Some(other) = fitting.filter(|&other| other < self.players.len()) {
                pairings.push((self.players[one], self.players[other]));
            }
            free.retain(|&at| at != one && Some(at) != fitting);
        }
        pairings
    }

    /// The maximum number of meetings among these places.
    fn matching(&self, free: &[usize]) -> usize {
        let mut graph = UnGraph::<(), ()>::new_undirected();
        let nodes: Vec<NodeIndex> = free.iter().map(|_| graph.add_node(())).collect();
        for (low, &one) in free.iter().enumerate() {
            for (high, &other) in free.iter().enumerate().skip(low + 1) {
                if !self.met.contains(&(one, other)) {
                    graph.add_edge(nodes[low], nodes[high], ());
                }
            }
        }
        maximum_matching(&graph).len()
    }

    /// The possible opponents of `one`, the best first: in its own score group, those about half a
    /// group further down, then lower scores, then sitting out.
    fn candidates(&self, one: usize, rest: &[usize]) -> Vec<usize> {
        let score = self.halves.get(one);
        let same = |&&at: &&usize| self.halves.get(at) == score;
        let group = 1 + rest.iter().filter(same).count();
        let ideal = group / 2;
        let distance = |place: usize| {
            if place < group { place.abs_diff(ideal) } else { group + place }
        };
        let mut found: Vec<(usize, usize)> = rest
            .iter()
            .enumerate()
            .filter(|&(_, &other)| !self.met.contains(&(one, other)))
            .map(|(at, &other)| (distance(at + 1), other))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, other)| other).collect()
    }
}

/// The score of a player in half points, with a round of sitting out as a win; its number; whether
/// it sat out.
fn swiss_score(course: &FormatInput<'_>, player: usize) -> (usize, usize, bool) {
    let mut halves = 0;
    let mut sat_out = false;
    for section in course.sections {
        let met = section.iter().find_map(|meeting| meeting.halves_of(player));
        sat_out |= met.is_none();
        halves += met.unwrap_or(4 * course.deals as usize);
    }
    (halves, player, sat_out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::course;
    use super::*;
    use crate::schedule::formats::FormatMeeting;
    use referee_ratings::Results;

    /// The rounds of a tournament; `result` gives the result of each meeting.
    fn play(
        players: usize,
        rounds: u32,
        mut result: impl FnMut(usize, usize) -> usize,
    ) -> Vec<Vec<FormatMeeting>> {
        let entrants: Vec<usize> = (0..players).collect();
        let out = vec![None; players];
        let mut sections: Vec<Vec<FormatMeeting>> = Vec::new();
        loop {
            let results = Results::new(0);
            let course = course(&entrants, &sections, &out, &results);
            let Some(pairings) = next_swiss_round(&course, rounds) else { return sections };
            let meeting = |&(one, other): &(usize, usize)| {
                let first = result(one, other);
                FormatMeeting {
                    halves: vec![first, 4 - first],
                    ..FormatMeeting::without_games([one, other].into())
                }
            };
            sections.push(pairings.iter().map(meeting).collect());
        }
    }

    proptest! {
        #[test]
        fn no_swiss_player_meets_an_opponent_or_sits_out_twice(
            players in 2_usize..20,
            results in prop::collection::vec(0_usize..=4, 200),
        ) {
            let rounds = u32::try_from(max_swiss_rounds(players)).expect("few");
            let mut results = results.into_iter();
            let sections = play(players, rounds, |_, _| results.next().expect("enough"));
            prop_assert_eq!(sections.len(), rounds as usize);
            let mut met = HashSet::new();
            let mut sat_out = vec![0; players];
            for section in &sections {
                prop_assert_eq!(section.len(), players / 2, "as many meet as can");
                let mut seen = vec![false; players];
                for meeting in section {
                    let [one, other] = meeting.players.two();
                    prop_assert!(met.insert((one, other)));
                    prop_assert!(!seen[one] && !seen[other]);
                    (seen[one], seen[other]) = (true, true);
                }
                for player in (0..players).filter(|&player| !seen[player]) {
                    sat_out[player] += 1;
                }
            }
            prop_assert!(sat_out.iter().all(|&rounds| rounds <= 1));
        }
    }

    #[test]
    fn swiss_rounds_pair_score_groups_from_the_fold() {
        let stronger = |one: usize, other: usize| if one < other { 4 } else { 0 };
        let sections = play(8, 3, stronger);
        let pairings = |round: usize| -> Vec<_> {
            sections[round].iter().map(|meeting| meeting.players.two()).collect()
        };
        assert_eq!(pairings(0), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(pairings(1), [[0, 2], [1, 3], [4, 6], [5, 7]]);
        assert_eq!(pairings(2)[0], [0, 1]);
    }

    #[test]
    fn with_an_odd_number_the_last_player_sits_out_first() {
        let sections = play(5, 2, |_, _| 2);
        let meets = |round: usize, player| {
            sections[round].iter().any(|meeting| meeting.halves_of(player).is_some())
        };
        assert!(!meets(0, 4) && meets(1, 4));
    }
}
