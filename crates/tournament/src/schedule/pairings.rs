//! The pairings of a section that follow from its players alone.

/// Everyone meets everyone, in the rounds of the circle method. With an odd number of players, one
/// sits out each round.
pub(super) fn all_pairings(players: &[usize]) -> Vec<(usize, usize)> {
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

/// Everyone meets the same number of others, regardless of results. Of an odd number of players
/// with an odd number of opponents, one meets one more.
///
/// The players stand in a circle, and each meets those that are some distances away. The distances
/// grow geometrically from 1, so that few steps lead from any player to any other: with up to 200
/// players and 6 or more opponents, ratings are as precise as with a random regular graph. A `late`
/// player meets as many earlier ones, spread over the circle, which changes no other pairing.
pub(super) fn partial_pairings(
    circle: &[usize],
    late: &[usize],
    opponents: usize,
) -> Vec<(usize, usize)> {
    let count = circle.len();
    let mut pairings = if opponents + 1 >= count {
        all_pairings(circle)
    } else {
        let ways = pairing_distances(count, opponents);
        let mut pairings: Vec<_> =
            ways.into_iter().flat_map(|way| pairings_at_distance(circle, way)).collect();
        if opponents % 2 == 1 {
            pairings.extend(opposite_pairings(circle));
        }
        pairings
    };
    let mut earlier = circle.to_vec();
    for (number, &player) in late.iter().enumerate() {
        // The next late player begins elsewhere.
        let from = number * (5 * earlier.len() / 13 + 1);
        pairings.extend(late_player_pairings(player, &earlier, opponents, from));
        earlier.push(player);
    }
    pairings
}

/// A late player meets some of the earlier ones, spread over them from the place `from` on.
pub(super) fn late_player_pairings(
    player: usize,
    earlier: &[usize],
    opponents: usize,
    from: usize,
) -> Vec<(usize, usize)> {
    let (many, most) = (earlier.len(), opponents.min(earlier.len()));
    (0..most).map(|at| (player, earlier[(at * many / most + from) % many])).collect()
}

/// Distances in a circle of `count` players at which each finds two of its opponents.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "from 1 to the number of players"
)]
fn pairing_distances(count: usize, opponents: usize) -> Vec<usize> {
    let (two, odd) = (opponents / 2, opponents % 2);
    // The longest distance of an odd number of opponents is for those who get only one there.
    let most = (count - 1) / 2 - odd * (count % 2);
    let mut found = Vec::with_capacity(two);
    for at in 0..two {
        let way = (count as f64).powf(at as f64 / two as f64).round() as usize;
        let free = (0..most).map(|more| (way.min(most) + more - 1) % most + 1);
        found.extend(free.into_iter().find(|way| !found.contains(way)));
    }
    found
}

/// The pairings of each player with the one at this distance, in two parts in which hardly anybody
/// plays twice.
fn pairings_at_distance(circle: &[usize], way: usize) -> Vec<(usize, usize)> {
    let mut places: Vec<usize> = (0..circle.len()).collect();
    places.sort_by_key(|at| at / way % 2);
    places.into_iter().map(|at| (circle[at], circle[(at + way) % circle.len()])).collect()
}

/// One opponent for each player, about half the circle away; of an odd number, one has two.
fn opposite_pairings(circle: &[usize]) -> Vec<(usize, usize)> {
    let (count, way) = (circle.len(), circle.len() / 2);
    let place = |step: usize| circle[step * way % count];
    if count % 2 == 0 {
        return (0..way).map(|at| (circle[at], circle[at + way])).collect();
    }
    (0..=way)
        .map(|at| (place((2 * at).min(count - 2)), place((2 * at + 1).min(count - 1))))
        .collect()
}

/// Every entrant meets every anchor. Each round moves the entrants to their next anchors.
pub(super) fn gauntlet_pairings(entrants: &[usize], anchors: &[usize]) -> Vec<(usize, usize)> {
    let opponent = |at: usize, round: usize| anchors[(at + round) % anchors.len()];
    let round = |round: usize| {
        entrants.iter().enumerate().map(move |(at, &entrant)| (entrant, opponent(at, round)))
    };
    (0..anchors.len()).flat_map(round).collect()
}

/// Every entrant meets the first anchor, then every entrant the second one, and so on.
pub(super) fn gauntlet_pairings_in_turn(
    entrants: &[usize],
    anchors: &[usize],
) -> Vec<(usize, usize)> {
    anchors.iter().flat_map(|&anchor| entrants.iter().map(move |&it| (it, anchor))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_meet_once_and_no_player_plays_twice_in_a_round(count in 0_usize..24) {
            let pairings = all_pairings(&(0..count).collect::<Vec<_>>());
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
        fn everyone_meets_as_many_others(
            count in 3_usize..60, opponents in 2_usize..12, late in 0_usize..5,
        ) {
            let all: Vec<usize> = (0..count + late).rev().collect();
            let (late, circle) = all.split_at(late);
            let pairings = partial_pairings(circle, late, opponents);
            let met: HashSet<_> =
                pairings.iter().map(|&(one, other)| (one.min(other), one.max(other))).collect();
            prop_assert_eq!(met.len(), pairings.len(), "nobody meets twice: {:?}", pairings);
            let of = |player: usize, among: &[(usize, usize)]| {
                among.iter().filter(|both| both.0 == player || both.1 == player).count()
            };
            let before = partial_pairings(circle, &[], opponents);
            prop_assert!(pairings.starts_with(&before), "late players change no other pairing");
            let expected = opponents.min(count - 1);
            let more = circle.iter().filter(|&&player| of(player, &before) == expected + 1).count();
            prop_assert!(circle.iter().all(|&player| of(player, &before) >= expected));
            prop_assert_eq!(more, expected * count % 2);
            for (number, &player) in late.iter().enumerate() {
                let own = pairings.iter().filter(|both| both.0 == player).count();
                prop_assert_eq!(own, opponents.min(count + number));
            }
            // The first pairing of each player with the next connects all.
            let mut group: Vec<usize> = (0..count).collect();
            for &(one, other) in before.iter().take(count) {
                let (one, other) = (group[one], group[other]);
                group.iter_mut().filter(|of| **of == other).for_each(|of| *of = one);
            }
            prop_assert!(opponents + 1 >= count || group.iter().all(|&of| of == group[0]));
        }

        #[test]
        fn every_entrant_meets_every_anchor(entrants in 0_usize..9, anchors in 0_usize..9) {
            let (new, known): (Vec<_>, Vec<_>) = (0..entrants + anchors).partition(|&at| at < entrants);
            let met: HashSet<_> = gauntlet_pairings(&new, &known).into_iter().collect();
            prop_assert_eq!(met.len(), entrants * anchors);
        }
    }
}
