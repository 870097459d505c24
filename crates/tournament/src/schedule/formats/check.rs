//! The check: everyone plays until it finishes a meeting in which neither player made a fault. A
//! player that makes a fault is out.
//!
//! A fault of the opponent may end a game before it says anything about a player, so such a meeting
//! does not count for that player. Every meeting lets two players through or takes one out, so the
//! check ends.

use super::StageState;

/// The pairings of the next round; none when everyone is through or out, as far as can be
/// determined.
pub(crate) fn next(course: &StageState<'_>) -> Option<Vec<(usize, usize)>> {
    let mut passed = vec![false; course.out.len()];
    for meeting in course.sections.iter().flatten().filter(|meeting| !meeting.faulted) {
        passed[meeting.players.0] = true;
        passed[meeting.players.1] = true;
    }
    let mut open: Vec<usize> = course.there().filter(|&player| !passed[player]).collect();
    if open.len() % 2 == 1 {
        // If no player is through yet, the last one waits for a round.
        match course.there().find(|&player| passed[player]) {
            Some(partner) => open.push(partner),
            None => open.truncate(open.len() - 1),
        }
    }
    let in_order = |pair: &[usize]| (pair[0].min(pair[1]), pair[0].max(pair[1]));
    (!open.is_empty()).then(|| open.chunks_exact(2).map(in_order).collect())
}

/// The partner of the next meeting in the check of a single player; none if it is through, or if all
/// others had their turn.
pub(crate) fn next_partner(course: &StageState<'_>, others: &[usize]) -> Option<usize> {
    let is_through = course.sections.iter().flatten().any(|meeting| !meeting.faulted);
    others.get(course.sections.len()).copied().filter(|_| !is_through)
}

#[cfg(test)]
mod tests {
    use super::super::Meeting;
    use super::super::tests::course;
    use super::*;
    use referee_ratings::Results;
    use referee_record::model::player::Out;

    /// Plays a check with this many players; the listed ones make a fault in every game.
    fn rounds(players: usize, bad: &[usize]) -> (Vec<Vec<(usize, usize)>>, Vec<bool>) {
        let entrants: Vec<usize> = (0..players).collect();
        let (mut rounds, mut sections) = (Vec::new(), Vec::<Vec<Meeting>>::new());
        let mut out = vec![None; players];
        loop {
            let results = Results::new(players);
            let course = course(&entrants, &sections, &out, &results);
            let Some(pairings) = next(&course) else {
                let is_out = out.iter().map(Option::is_some);
                return (rounds, is_out.collect());
            };
            let meeting = |&players: &(usize, usize)| {
                let faulted = bad.contains(&players.0) || bad.contains(&players.1);
                Meeting { players, halves: (2, 2), faulted, out: (false, false) }
            };
            sections.push(pairings.iter().map(meeting).collect());
            for &(one, other) in &pairings {
                // The first of two faulty players to fail ends the meeting.
                let failed = [one, other].into_iter().find(|player| bad.contains(player));
                if let Some(player) = failed {
                    out[player] = Some(Out::Unchecked);
                }
            }
            rounds.push(pairings);
        }
    }

    #[test]
    fn a_check_without_faults_is_one_meeting_each() {
        assert_eq!(rounds(4, &[]).0, [vec![(0, 1), (2, 3)]]);
        assert_eq!(rounds(5, &[]).0, [vec![(0, 1), (2, 3)], vec![(0, 4)]]);
    }

    #[test]
    fn opponents_of_a_faulty_player_are_checked_again() {
        let (played, out) = rounds(4, &[0]);
        assert_eq!(played, [vec![(0, 1), (2, 3)], vec![(1, 2)]]);
        assert_eq!(out, [true, false, false, false]);
    }

    #[test]
    fn every_faulty_player_is_found_unless_nobody_else_is_left() {
        for players in 2..8_usize {
            for set in 0..1_usize << players {
                let bad: Vec<usize> =
                    (0..players).filter(|player| set >> player & 1 == 1).collect();
                let out = rounds(players, &bad).1;
                let found = (0..players).filter(|&player| out[player]).count();
                let alone = usize::from(bad.len() == players);
                assert_eq!(found, bad.len() - alone, "{players} players, {bad:?}");
                assert!(bad.iter().filter(|&&player| !out[player]).count() == alone);
            }
        }
    }
}
