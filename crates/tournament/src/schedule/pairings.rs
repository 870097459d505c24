//! The pairings of a section that follow from its players alone.

/// Everyone meets everyone, in the rounds of the circle method. With an odd number of players, one
/// sits out each round.
pub(super) fn everyone(players: &[usize]) -> Vec<(usize, usize)> {
    let odd = players.len() % 2;
    // The place in the circle that never moves: that of the last player, or of sitting out.
    let last = (players.len() + odd).saturating_sub(1);
    let tables = odd..players.len().div_ceil(2);
    let seats = |round: usize, table: usize| match table {
        0 => (players[last], players[round]),
        table => (players[(round + table) % last], players[(round + last - table) % last]),
    };
    (0..last).flat_map(|round| tables.clone().map(move |table| seats(round, table))).collect()
}

/// Every entrant meets every anchor. Each round moves the entrants to their next anchors.
pub(super) fn field(entrants: &[usize], anchors: &[usize]) -> Vec<(usize, usize)> {
    let opponent = |at: usize, round: usize| anchors[(at + round) % anchors.len()];
    let round = |round: usize| {
        entrants.iter().enumerate().map(move |(at, &entrant)| (entrant, opponent(at, round)))
    };
    (0..anchors.len()).flat_map(round).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_meet_once_and_no_player_plays_twice_in_a_round(count in 0_usize..24) {
            let pairings = everyone(&(0..count).collect::<Vec<_>>());
            prop_assert_eq!(pairings.len(), count * count.saturating_sub(1) / 2);
            let met: HashSet<_> =
                pairings.iter().map(|&(one, other)| (one.min(other), one.max(other))).collect();
            prop_assert_eq!(met.len(), pairings.len());
            for round in pairings.chunks((count / 2).max(1)) {
                let players: HashSet<usize> =
                    round.iter().flat_map(|&(one, other)| [one, other]).collect();
                prop_assert_eq!(players.len(), 2 * round.len());
            }
        }

        #[test]
        fn every_entrant_meets_every_anchor(entrants in 0_usize..9, anchors in 0_usize..9) {
            let (new, known): (Vec<_>, Vec<_>) = (0..entrants + anchors).partition(|&at| at < entrants);
            let met: HashSet<_> = field(&new, &known).into_iter().collect();
            prop_assert_eq!(met.len(), entrants * anchors);
        }
    }
}
