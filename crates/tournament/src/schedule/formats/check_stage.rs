//! The check: everyone plays until it finishes a meeting in which no player made a fault. A player
//! that makes a fault is out.
//!
//! A fault of another may end a game before it says anything about a player, so such a meeting does
//! not count for that player. Every meeting lets its players through or takes one out, so the check
//! ends.

use super::FormatInput;

/// The meetings of the next round; none when everyone is through or out, as far as can be
/// determined.
pub(crate) fn next_check_round(course: &FormatInput<'_>) -> Option<Vec<Vec<usize>>> {
    let mut passed = vec![false; course.out.len()];
    for meeting in course.sections.iter().flatten().filter(|meeting| !meeting.faulted) {
        meeting.players.players().for_each(|player| passed[player] = true);
    }
    let mut open: Vec<usize> =
        course.remaining_entrants().filter(|&player| !passed[player]).collect();
    let missing = open.len().next_multiple_of(course.seats) - open.len();
    let partners: Vec<usize> =
        course.remaining_entrants().filter(|&player| passed[player]).take(missing).collect();
    if partners.len() == missing {
        open.extend(partners);
    }
    // If too few players are through yet, the last ones wait for a round.
    let meetings: Vec<Vec<usize>> = open.chunks_exact(course.seats).map(<[_]>::to_vec).collect();
    (!meetings.is_empty()).then_some(meetings)
}

/// The partners of the next meeting in the check of a single player; none if it is through, or if
/// all others had their turn.
pub(crate) fn next_check_partners<'a>(
    course: &FormatInput<'_>,
    others: &'a [usize],
) -> Option<&'a [usize]> {
    let is_through = course.sections.iter().flatten().any(|meeting| !meeting.faulted);
    others.chunks_exact(course.seats - 1).nth(course.sections.len()).filter(|_| !is_through)
}

#[cfg(test)]
mod tests {
    use super::super::FormatMeeting;
    use super::super::tests::course;
    use super::*;
    use referee_ratings::Results;
    use referee_record::model::player_spec::Out;

    /// Plays a check with this many players and seats; the listed ones make a fault in every game.
    fn rounds(players: usize, seats: usize, bad: &[usize]) -> (Vec<Vec<Vec<usize>>>, Vec<bool>) {
        let entrants: Vec<usize> = (0..players).collect();
        let (mut rounds, mut sections) = (Vec::new(), Vec::<Vec<FormatMeeting>>::new());
        let mut out = vec![None; players];
        loop {
            let results = Results::new(players);
            let course = FormatInput { seats, ..course(&entrants, &sections, &out, &results) };
            let Some(meetings) = next_check_round(&course) else {
                let is_out = out.iter().map(Option::is_some);
                return (rounds, is_out.collect());
            };
            let meeting = |players: &Vec<usize>| {
                let faulted = players.iter().any(|player| bad.contains(player));
                FormatMeeting {
                    faulted,
                    ..FormatMeeting::without_games(players.iter().copied().collect())
                }
            };
            sections.push(meetings.iter().map(meeting).collect());
            for players in &meetings {
                // The first of several faulty players to fail ends the meeting.
                let failed = players.iter().copied().find(|player| bad.contains(player));
                if let Some(player) = failed {
                    out[player] = Some(Out::Unchecked);
                }
            }
            rounds.push(meetings);
        }
    }

    #[test]
    fn a_check_without_faults_is_one_meeting_each() {
        assert_eq!(rounds(4, 2, &[]).0, [[[0, 1], [2, 3]]]);
        assert_eq!(rounds(5, 2, &[]).0, [vec![[0, 1], [2, 3]], vec![[4, 0]]]);
        assert_eq!(rounds(5, 3, &[]).0, [[[0, 1, 2]], [[3, 4, 0]]]);
    }

    #[test]
    fn opponents_of_a_faulty_player_are_checked_again() {
        let (played, out) = rounds(4, 2, &[0]);
        assert_eq!(played, [vec![[0, 1], [2, 3]], vec![[1, 2]]]);
        assert_eq!(out, [true, false, false, false]);
    }

    #[test]
    fn every_faulty_player_is_found_unless_too_few_others_are_left() {
        for (players, seats) in (2..8).map(|players| (players, 2)).chain((3..9).map(|it| (it, 3))) {
            for set in 0..1_usize << players {
                let bad: Vec<usize> =
                    (0..players).filter(|player| set >> player & 1 == 1).collect();
                let out = rounds(players, seats, &bad).1;
                let found = (0..players).filter(|&player| out[player]).count();
                let most = players + 1 - seats;
                assert_eq!(found, bad.len().min(most), "{players} players, {bad:?}");
                assert!((0..players).all(|player| !out[player] || bad.contains(&player)));
            }
        }
    }
}
