//! Tests whether the seats of games of several seats are worth the same to every player, by turning
//! the seats of whole deals.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::fit::Fit;
use crate::rating_model::RatingChances;
use crate::results::deals::{Deal, Deals};
use crate::results::pairs::Side;
use crate::significance::count_as_f64;

/// How often the seats are turned.
const ROUNDS: u32 = 999;
/// The same results always have the same p-value.
const SEED: u64 = 0x7365_6174_7365_6174;

/// A player's result in a game, as what the ratings do not explain.
#[derive(Debug, Clone, Copy)]
struct SeatResult {
    player: usize,
    seat: usize,
    /// How far its share of the others is above the expected one.
    residual: f64,
}

/// The p-value of the players' results by seat: the probability that they differ this much if no
/// seat suits one player more than another. If so, the seats of a deal may as well be turned, all
/// by as much.
pub(crate) fn permutation_p_value(fit: &Fit, deals: &Deals) -> f64 {
    let all: Vec<Vec<SeatResult>> =
        deals.list.iter().map(|deal| permutation_residuals(fit, deals, deal)).collect();
    let seats = deals.table.seats;
    let observed = permuted_unevenness(fit.ratings.len(), seats, all.iter().map(|deal| (deal, 0)));
    let mut luck = ChaCha8Rng::seed_from_u64(SEED);
    let mut above = 0;
    for _ in 0..ROUNDS {
        let turned = all.iter().map(|deal| (deal, luck.random_range(0..seats)));
        // Rounding must not decide where nothing changes.
        let is_above =
            permuted_unevenness(fit.ratings.len(), seats, turned) >= observed * (1.0 - 1e-9);
        above += u32::from(is_above);
    }
    f64::from(above + 1) / f64::from(ROUNDS + 1)
}

/// How far the mean results of players at each seat are from their own means, squared and summed.
fn permuted_unevenness<'a>(
    players: usize,
    seats: usize,
    deals: impl Iterator<Item = (&'a Vec<SeatResult>, usize)>,
) -> f64 {
    let mut sums = vec![(0.0, 0_usize); players * seats];
    for (deal, turn) in deals {
        for result in deal {
            let sum = &mut sums[result.player * seats + (result.seat + turn) % seats];
            *sum = (sum.0 + result.residual, sum.1 + 1);
        }
    }
    let of_player = |sums: &[(f64, usize)]| {
        let all = sums.iter().map(|(_, games)| games).sum::<usize>().max(1);
        let mean = sums.iter().map(|(sum, _)| sum).sum::<f64>() / count_as_f64(all);
        let seated = sums.iter().filter(|(_, games)| *games > 0);
        seated
            .map(|&(sum, games)| count_as_f64(games) * (sum / count_as_f64(games) - mean).powi(2))
            .sum::<f64>()
    };
    sums.chunks(seats).map(of_player).sum()
}

fn permutation_residuals(fit: &Fit, deals: &Deals, deal: &Deal) -> Vec<SeatResult> {
    let fitted = &fit.fitted;
    let mut all = Vec::new();
    for game in &deal.games {
        let mut by_player = vec![(0, 0.0, 0_usize); deal.players.len()];
        for one in game {
            let series = &deals.series[one.series as usize];
            let layout = &fitted.model.layout;
            let predictor = layout.predictor_at_seats(series.upper, series.lower, series.seats);
            let lead = predictor.leads(&fitted.point)[one.side as usize];
            let [score, _] = RatingChances::from_lead(lead, fit.draw).residual(one.outcome);
            let [upper, lower] = one.players.map(usize::from);
            let [a, b] = if one.side == Side::Upper { [upper, lower] } else { [lower, upper] };
            for (player, seat, score) in [(a, series.seats[0], score), (b, series.seats[1], -score)]
            {
                let (_, sum, compared) = by_player[player];
                by_player[player] = (seat, sum + score, compared + 1);
            }
        }
        let seen = by_player.iter().zip(&deal.players).filter(|((.., compared), _)| *compared > 0);
        all.extend(seen.map(|(&(seat, sum, compared), &player)| SeatResult {
            player: player as usize,
            seat,
            residual: sum / count_as_f64(compared),
        }));
    }
    all
}
