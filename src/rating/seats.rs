//! Whether the first seat is worth the same to everyone, and ratings by seat where it is not.

use statrs::function::gamma::gamma_ur;

use super::cholesky::{Symmetric, dot};
use super::fit::{Estimate, Scale, count};
use super::layout::Seats;
use super::{RatingError, Tally};
use crate::model::record::Anchor;
use referee_games::BySeat;

/// Below this chance a difference between players' seat effects is taken to be real.
pub const SIGNIFICANT: f64 = 0.01;

/// The seat effects of all players.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatEffects {
    /// How likely effects differ this much where they are all the same, 0 … 1: a χ² test over
    /// pairs.
    pub p_value: f64,
    /// The ratings in Elo at each seat, in the tally's order of players; the advantage that all
    /// share is not in them. None where the test gives no reason to tell them apart.
    pub by_seat: Option<Vec<BySeat<Estimate>>>,
}

/// Tests whether players' seat effects differ and, if so, rates each player at each seat.
///
/// # Errors
///
/// Those of [`fit`](super::fit()).
pub fn seat_effects(tally: &Tally, anchors: &[Anchor]) -> Result<SeatEffects, RatingError> {
    let scale = Scale::fitted(tally, anchors, Seats::Own)?;
    let seated: Vec<usize> = (0..tally.names().len())
        .filter(|&player| {
            let at = |seat| tally.at(player, seat).games();
            at(referee_games::Seat::First) > 0 && at(referee_games::Seat::Second) > 0
        })
        .collect();
    let p_value = p_value(&scale, &seated);
    let by_seat = (p_value < SIGNIFICANT).then(|| {
        let rating = |player: usize, sign: f64| {
            let layout = &scale.model.layout;
            let share = -sign / 2.0 / count(seated.len());
            let mut more = vec![(layout.own(player), sign / 2.0)];
            more.extend(seated.iter().map(|&other| (layout.own(other), share)));
            scale.rating(player, &more)
        };
        let players = 0..tally.names().len();
        players.map(|player| BySeat::new(rating(player, 1.0), rating(player, -1.0))).collect()
    });
    Ok(SeatEffects { p_value, by_seat })
}

/// Wald's test of the effects' deviations from their mean.
fn p_value(scale: &Scale, seated: &[usize]) -> f64 {
    let layout = &scale.model.layout;
    let Some(free) = seated.len().checked_sub(1).filter(|&free| free > 0) else { return 1.0 };
    let effects: Vec<f64> =
        seated.iter().map(|&player| scale.peak.point[layout.own(player)]).collect();
    let mean = effects.iter().sum::<f64>() / count(effects.len());
    let halves: Vec<Vec<f64>> = seated[..free]
        .iter()
        .map(|&player| {
            let mut gradient = vec![0.0; layout.len()];
            for &other in seated {
                gradient[layout.own(other)] = -1.0 / count(seated.len());
            }
            gradient[layout.own(player)] += 1.0;
            scale.spread.half(&gradient)
        })
        .collect();
    let mut covariance = Symmetric::diagonal(&vec![0.0; free]);
    for (row, one) in halves.iter().enumerate() {
        for (column, other) in halves[..=row].iter().enumerate() {
            covariance.add(row, column, dot(one, other));
        }
    }
    let apart: Vec<f64> = effects[..free].iter().map(|effect| effect - mean).collect();
    let statistic = dot(&apart, &covariance.factor(f64::MIN_POSITIVE).solve(&apart));
    chi_square_above(statistic, free)
}

/// The chance that a χ² number of so many degrees of freedom is above `x`.
pub(super) fn chi_square_above(x: f64, free: usize) -> f64 {
    if x <= 0.0 { 1.0 } else { gamma_ur(count(free) / 2.0, x / 2.0) }
}

#[cfg(test)]
mod tests {
    use super::super::tally::tests::tally;
    use super::*;

    type Games<'a> = Vec<(usize, usize, &'a str)>;

    /// Every two of four players meet `times` times at each seat; who wins is `winner`'s word.
    fn all_meet(times: usize, winner: impl Fn(usize, usize, usize) -> &'static str) -> Tally {
        let all = (0..4).flat_map(|first| (1..4).map(move |step| (first, (first + step) % 4)));
        let games: Games<'_> = all
            .flat_map(|(first, second)| (0..times).map(move |game| (first, second, game)))
            .map(|(first, second, game)| (first, second, winner(first, second, game)))
            .collect();
        tally(&["ant", "bee", "cat", "dog"], &games)
    }

    #[test]
    fn a_common_advantage_is_no_difference() {
        let tally = all_meet(20, |_, _, game| if game % 3 == 0 { "black" } else { "white" });
        let effects = seat_effects(&tally, &[]).expect("no anchor");
        assert!(effects.p_value > 0.9 && effects.by_seat.is_none(), "{effects:?}");
    }

    #[test]
    fn a_player_that_needs_the_first_seat_is_found() {
        let tally = all_meet(20, |first, second, game| match (first, second) {
            (0, _) | (_, 0) if game % 5 > 0 => "white",
            _ if game % 2 == 0 => "white",
            _ => "black",
        });
        let effects = seat_effects(&tally, &[]).expect("no anchor");
        assert!(effects.p_value < 1e-3, "{effects:?}");
        let ratings = effects.by_seat.expect("a difference");
        assert!(ratings[0].first.value > ratings[0].second.value + 50.0, "{ratings:?}");
    }

    #[test]
    fn too_few_players_cannot_differ() {
        let none = Tally::new(&["ant".to_owned()]);
        assert!((seat_effects(&none, &[]).expect("no anchor").p_value - 1.0).abs() < 1e-12);
        let two = tally(&["ant", "bee"], &[(0, 1, "white"), (1, 0, "white")]);
        assert!(seat_effects(&two, &[]).expect("no anchor").p_value > 0.5);
    }

    #[test]
    fn the_tail_of_chi_square() {
        // 95% quantiles from tables.
        for (x, free) in [(3.841_459, 1), (5.991_465, 2), (18.307_038, 10)] {
            assert!((chi_square_above(x, free) - 0.05).abs() < 1e-6);
        }
    }
}
