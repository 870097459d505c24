//! Who sits where in the games of a deal.

use referee_games::Seat;
use referee_record::model::fixture::Lineup;

/// The players by seat in a game of a deal, whose number is from 0, as is that of the game in it.
///
/// In the games of a deal everyone sits once in every seat. Who sits next to whom is balanced as far
/// as it can be: with an even number of seats, everyone sits directly behind everyone else once in a
/// deal (a Williams square); with an odd number, which no single square can balance, the deals take
/// turns.
pub(super) fn seating_of_game(players: Lineup, deal: u32, game: usize) -> Lineup {
    let count = players.seats().len();
    let turn = deal as usize + game;
    let place = |seat: Seat| (base_seating(seat.index(), deal, count) + turn) % count;
    let at = |seat| players.at(Seat::new(place(seat)));
    players.seats().map(at).collect()
}

/// Who has a seat before the players move on by one with every game.
fn base_seating(seat: usize, deal: u32, count: usize) -> usize {
    if count.is_multiple_of(2) {
        // Forwards and backwards from the first: 0, 1, 5, 2, 4, 3.
        if seat % 2 == 1 { seat.div_ceil(2) } else { (count - seat / 2) % count }
    } else {
        let steps: Vec<usize> = (1..count).filter(|&step| are_coprime(step, count)).collect();
        seat * steps[deal as usize % steps.len()]
    }
}

fn are_coprime(one: usize, other: usize) -> bool {
    let (mut one, mut other) = (one, other);
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one == 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn rows(count: usize, deal: u32) -> Vec<Vec<usize>> {
        let players: Lineup = (0..count).collect();
        (0..count).map(|game| seating_of_game(players, deal, game).players().collect()).collect()
    }

    #[test]
    fn two_players_swap_their_seats() {
        assert_eq!(rows(2, 0), [[0, 1], [1, 0]]);
        assert_eq!(rows(2, 1), [[1, 0], [0, 1]]);
    }

    #[test]
    fn small_deals_are_as_they_always_were() {
        assert_eq!(rows(3, 0), [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
        assert_eq!(rows(3, 1), [[1, 0, 2], [2, 1, 0], [0, 2, 1]]);
        assert_eq!(rows(4, 0), [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]);
    }

    #[test]
    fn everyone_sits_once_in_every_seat_and_as_often_behind_everyone() {
        for count in 2..=16 {
            // After these deals, an odd number of seats is as balanced as it gets.
            let deals = u32::try_from(count).expect("few") * 16;
            let mut behind: BTreeMap<(usize, usize), u32> = BTreeMap::new();
            for deal in 0..deals {
                let rows = rows(count, deal);
                for seat in 0..count {
                    let mut there: Vec<usize> = rows.iter().map(|row| row[seat]).collect();
                    there.sort_unstable();
                    assert_eq!(there, (0..count).collect::<Vec<_>>(), "{count} seats");
                }
                let mut in_deal: BTreeMap<(usize, usize), u32> = BTreeMap::new();
                for row in &rows {
                    for next in row.windows(2) {
                        *behind.entry((next[0], next[1])).or_default() += 1;
                        *in_deal.entry((next[0], next[1])).or_default() += 1;
                    }
                }
                if count % 2 == 0 {
                    assert_eq!(in_deal.len(), count * (count - 1), "{count} seats");
                }
            }
            let is_prime = (2..count).all(|part| count % part > 0);
            if is_prime {
                assert_eq!(behind.len(), count * (count - 1), "{count} seats");
            }
        }
    }
}
