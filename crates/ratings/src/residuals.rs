//! Results that the ratings do not explain: unexpected scores, and cycles.

use crate::fit::Fit;
use crate::rating_model::RatingChances;
use crate::results::Results;
use crate::results::pairs::{PairCounts, Side};
use crate::significance::{SIGNIFICANT, chi_square_above, count_as_f64, holm, sign_test};

/// A residual with less information than a few games between equals is not judged.
const LEAST_INFORMATION: f64 = 1.0;
/// The smallest share of a residual's variance that must remain after the fit.
const LEAST_LEFT: f64 = 0.1;

/// A player whose results vary between opponents more than chance explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unexplained {
    /// The player's number.
    pub player: usize,
    /// The probability that chance alone makes results at least as uneven, corrected for the number
    /// of players.
    pub p_value: f64,
    /// The opponent against whom it exceeded expectations most.
    pub best_against: usize,
    /// The deviation against that opponent, in standard errors.
    pub best_deviation: f64,
    /// The opponent against whom it fell short most.
    pub worst_against: usize,
    /// The deviation against that opponent, in standard errors; negative.
    pub worst_deviation: f64,
}

/// Three players: each beats the next, and the last the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// Their numbers.
    pub players: [usize; 3],
    /// The largest p-value of the three results, tested against equal strength and corrected for
    /// the number of pairings.
    pub p_value: f64,
}

/// The difference between a player's score against an opponent and the expected one, in standard
/// errors, clustered by pair and corrected for the influence of these games on the ratings. `None`
/// if too little information remains. Copies are left out.
fn residual_deviation(
    fit: &Fit,
    player: usize,
    opponent: usize,
    counts: &PairCounts,
) -> Option<f64> {
    let (layout, point) = (&fit.fitted.model.layout, &fit.fitted.point);
    let (mut score, mut expected, mut information) = (0.0, 0.0, 0.0);
    let nu = point[layout.draw_index()].exp();
    let leads = layout.pair_predictor(player, opponent).leads(point);
    let chances = leads.map(|lead| RatingChances::from_lead(lead, nu));
    for (side, chances) in Side::BOTH.into_iter().zip(chances) {
        let [wins, draws, losses] = counts.games_by_outcome(side).map(f64::from);
        let games = wins + draws + losses;
        let (got, sign) = if side == Side::Upper { (wins, 1.0) } else { (losses, -1.0) };
        score += got + draws / 2.0;
        expected += games * (0.5 + sign * chances.tilt());
        information += games * chances.covariance[0][0];
    }
    let [a, b] = chances.map(|chances| chances.covariance[0][0]);
    let clustered =
        information + f64::from(counts.pairs()) * 2.0 * fit.pair_correlation * (a * b).sqrt();
    let contrast = [(layout.slots[player], 1.0), (layout.slots[opponent], -1.0)];
    let left = 1.0 - information * fit.fitted.covariance.model_variance(&contrast);
    (information >= LEAST_INFORMATION && left >= LEAST_LEFT)
        .then(|| (score - expected) / (clustered * left).sqrt())
}

/// The players whose results the ratings explain too poorly, the worst first.
pub fn unexplained(results: &Results, fit: &Fit) -> Vec<Unexplained> {
    let mut by_player: Vec<Vec<(usize, f64)>> = vec![Vec::new(); results.players()];
    for (upper, lower, counts) in results.pairings() {
        if let Some(deviation) = residual_deviation(fit, upper, lower, &counts) {
            by_player[upper].push((lower, deviation));
            by_player[lower].push((upper, -deviation));
        }
    }
    let mut tested: Vec<(usize, f64)> = by_player
        .iter()
        .enumerate()
        .filter(|(_, deviations)| deviations.len() > 1)
        .map(|(player, deviations)| (player, residual_p_value(deviations)))
        .collect();
    holm(&mut tested);
    tested
        .into_iter()
        .take_while(|&(_, p_value)| p_value < SIGNIFICANT)
        .filter_map(|(player, p_value)| {
            let order = |one: &&(usize, f64), other: &&(usize, f64)| one.1.total_cmp(&other.1);
            let worst = by_player[player].iter().min_by(order)?;
            let best = by_player[player].iter().max_by(order)?;
            Some(Unexplained {
                player,
                p_value,
                best_against: best.0,
                best_deviation: best.1,
                worst_against: worst.0,
                worst_deviation: worst.1,
            })
        })
        .collect()
}

/// The p-value of deviations as large as these. Each has variance 1, and fitting the player's own
/// rating used one degree of freedom.
fn residual_p_value(deviations: &[(usize, f64)]) -> f64 {
    let free = deviations.len() - 1;
    let squares: f64 = deviations.iter().map(|(_, deviation)| deviation.powi(2)).sum();
    chi_square_above(squares * count_as_f64(free) / count_as_f64(deviations.len()), free)
}

/// The significant three-cycles, clearest first. Each player has beaten the next in significantly
/// more pairs than it lost (sign tests, corrected for the number of pairings).
pub fn cycles(results: &Results) -> Vec<Cycle> {
    let mut edges: Vec<((usize, usize), f64)> = results
        .pairings()
        .iter()
        .filter_map(|(upper, lower, counts)| {
            let [lost_both, lost, _, won, won_both] = counts.pentanomial();
            let (won, lost) = (won + won_both, lost + lost_both);
            let edge = if won >= lost { (*upper, *lower) } else { (*lower, *upper) };
            (won + lost > 0).then(|| (edge, sign_test(won.max(lost), won.min(lost))))
        })
        .collect();
    holm(&mut edges);
    edges.retain(|&(_, p_value)| p_value < SIGNIFICANT);
    let mut beats: Vec<Vec<(usize, f64)>> = vec![Vec::new(); results.players()];
    for &((winner, loser), p_value) in &edges {
        beats[winner].push((loser, p_value));
    }
    let mut cycles = Vec::new();
    for (first, beaten) in beats.iter().enumerate() {
        // Each cycle is listed from its lowest number.
        for &(second, p1) in beaten.iter().filter(|(other, _)| *other > first) {
            for &(third, p2) in beats[second].iter().filter(|(other, _)| *other > first) {
                if let Some(&(_, p3)) = beats[third].iter().find(|(other, _)| *other == first) {
                    let players = [first, second, third];
                    cycles.push(Cycle { players, p_value: p1.max(p2).max(p3) });
                }
            }
        }
    }
    cycles.sort_by(|one, other| one.p_value.total_cmp(&other.p_value));
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::fit;
    use crate::results::PlayedGame;
    use crate::results::game_outcome::GameOutcome::{self, Loss, Win};

    /// Adds pairs in which `winner` wins both games, except that it loses both in every fifth pair.
    fn dominate(results: &mut Results, winner: usize, loser: usize, pairs: u32) {
        for pair in 1..=pairs {
            let (one, other): (GameOutcome, _) =
                if pair % 5 == 0 { (Loss, Win) } else { (Win, Loss) };
            results.add(PlayedGame::by_rules(winner, loser, pair, one));
            results.add(PlayedGame::by_rules(loser, winner, pair, other));
        }
    }

    #[test]
    fn cycles_of_three_are_found_as_unexplained_results() {
        let mut results = Results::new(4);
        for (winner, loser) in [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)] {
            dominate(&mut results, winner, loser, 30);
        }
        let found = cycles(&results);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].players, [0, 1, 2]);
        let fit = fit(&results, &[]).expect("no anchor");
        let odd: Vec<usize> = unexplained(&results, &fit).into_iter().map(|it| it.player).collect();
        assert_eq!(odd.len(), 3, "{odd:?}");
        assert!(!odd.contains(&3));
    }

    #[test]
    fn ordered_results_have_no_cycles() {
        let mut results = Results::new(4);
        for (winner, loser) in [(0, 1), (1, 2), (2, 3)] {
            dominate(&mut results, winner, loser, 30);
        }
        assert!(cycles(&results).is_empty());
        let fit = fit(&results, &[]).expect("no anchor");
        // In a chain of players, nothing can be compared with the results.
        for (upper, lower, counts) in results.pairings() {
            assert_eq!(residual_deviation(&fit, upper, lower, &counts), None);
        }
        assert!(unexplained(&results, &fit).is_empty());
    }

    #[test]
    fn few_games_show_no_difference() {
        let mut results = Results::new(4);
        for (winner, loser) in [(0, 1), (1, 2), (2, 0)] {
            dominate(&mut results, winner, loser, 2);
        }
        assert!(cycles(&results).is_empty());
    }
}
