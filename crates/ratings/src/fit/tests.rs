//! Ratings compared with slow references, and their invariants.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::estimate::ELO;
use crate::matrices::triangle::Cells;
use crate::parameters::{ParameterLayout, SeatEffect};
use crate::rating_model::RatingModel;
use crate::rating_model::prior::{Prior, PriorSteps};
use crate::results::PlayedGame;
use crate::results::game_outcome::GameOutcome::{self, Draw, Loss, Win};
use crate::results::tests::{any_results, results};
use crate::significance::{Z95, count_as_f64};

type Games = Vec<(usize, usize, GameOutcome)>;

/// `wins`, `draws` and `losses` of one player at the first seat against another.
fn series(first: usize, second: usize, counts: [usize; 3]) -> Games {
    let results = [Win, Draw, Loss].into_iter().zip(counts);
    results.flat_map(|(result, n)| vec![(first, second, result); n]).collect()
}

fn uneven() -> Games {
    [
        series(0, 1, [6, 2, 2]),
        series(1, 0, [4, 3, 3]),
        series(1, 2, [5, 0, 1]),
        series(2, 3, [2, 4, 1]),
        series(3, 0, [0, 1, 7]),
        series(2, 0, [1, 0, 3]),
    ]
    .concat()
}

fn fitted(players: usize, games: &[(usize, usize, GameOutcome)]) -> Fit {
    let fit = fit(&results(players, games), &[]).expect("no anchor");
    assert!(fit.draw.is_finite() && fit.draw > 0.0);
    for estimate in fit.ratings.iter().chain([&fit.first_advantage]) {
        assert!(estimate.low <= estimate.value && estimate.value <= estimate.high, "{fit:?}");
        assert!(estimate.low.is_finite() && estimate.high.is_finite(), "{fit:?}");
    }
    let sum: f64 = fit.ratings.iter().map(|rating| rating.value).sum();
    assert!(sum.abs() < 1e-6, "mean 0: {fit:?}");
    fit
}

/// The log posterior, directly from its definition. `p` holds strengths and advantage in
/// natural units, then ln ν.
fn log_posterior(games: &[(usize, usize, GameOutcome)], p: &[f64]) -> f64 {
    let n = p.len() - 2;
    let likelihood: f64 = games
        .iter()
        .map(|&(i, j, result)| {
            let (a, b) = ((p[i] + p[n]).exp(), p[j].exp());
            let draw = p[n + 1].exp() * (a * b).sqrt();
            let part = match result {
                Win => a,
                Loss => b,
                Draw => draw,
            };
            (part / (a + b + draw)).ln()
        })
        .sum();
    let square = |x: f64, sd: f64| x * x / (2.0 * sd * sd);
    let strengths: f64 = p[..n].iter().map(|&s| square(s, Prior::WEAK.powf(-0.5))).sum();
    likelihood
        - strengths
        - square(p[n] * ELO, RatingModel::ADVANTAGE_SD)
        - square(p[n + 1] - RatingModel::DRAW_MEAN, RatingModel::DRAW_SD)
}

/// Maximises by slow gradient ascent with numeric derivatives.
fn reference(games: &[(usize, usize, GameOutcome)], players: usize) -> Vec<f64> {
    let mut p = vec![0.0; players + 2];
    for _ in 0..4000 {
        let slope = gradient(|p| log_posterior(games, p), &p, 1e-5);
        p.iter_mut().zip(slope).for_each(|(x, s)| *x += 0.05 * s);
    }
    p
}

#[test]
fn the_fit_matches_a_slow_reference() {
    let games = uneven();
    let fit = fit_weakly(&results(4, &games), &[]).expect("no anchor");
    let p = reference(&games, 4);
    let nu = p[5].exp();
    let unit = ELO * 2.0 / (2.0 + nu);
    let mean = p[..4].iter().sum::<f64>() / 4.0;
    for (rating, strength) in fit.ratings.iter().zip(&p) {
        assert!((rating.value - unit * (strength - mean)).abs() < 0.1, "{fit:?} {p:?}");
    }
    assert!((fit.first_advantage.value - unit * p[4]).abs() < 0.1);
    assert!((fit.draw - nu).abs() < 1e-3);
}

/// The gradient of `f` by central differences.
fn gradient(f: impl Fn(&[f64]) -> f64, p: &[f64], by: f64) -> Vec<f64> {
    let moved = |k: usize, by: f64| {
        let mut p = p.to_vec();
        p[k] += by;
        f(&p)
    };
    (0..p.len()).map(|k| (moved(k, by) - moved(k, -by)) / (2.0 * by)).collect()
}

/// Solves a linear system by elimination.
fn solve(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    for pivot in 0..rows.len() {
        for row in (0..rows.len()).filter(|&row| row != pivot) {
            let factor = rows[row][pivot] / rows[pivot][pivot];
            let source = rows[pivot].clone();
            rows[row].iter_mut().zip(source).for_each(|(cell, from)| *cell -= factor * from);
            right[row] -= factor * right[pivot];
        }
    }
    right.iter().enumerate().map(|(n, value)| value / rows[n][n]).collect()
}

/// The margin of the quantity that `elo` computes, from the numeric curvature of the reference.
fn reference_margin(games: &[(usize, usize, GameOutcome)], elo: impl Fn(&[f64]) -> f64) -> f64 {
    let peak = reference(games, 4);
    let slope =
        |k: usize| move |p: &[f64]| gradient(|p: &[f64]| -log_posterior(games, p), p, 1e-4)[k];
    let information = (0..6).map(|k| gradient(slope(k), &peak, 1e-4)).collect();
    let direction = gradient(elo, &peak, 1e-5);
    let solution = solve(information, direction.clone());
    Z95 * direction.iter().zip(solution).map(|(a, b)| a * b).sum::<f64>().sqrt()
}

#[test]
fn intervals_agree_with_the_curvature_of_the_reference() {
    let games = uneven();
    let unit = |p: &[f64]| ELO * 2.0 / (2.0 + p[5].exp());
    let free = fit_weakly(&results(4, &games), &[]).expect("no anchor");
    let anchor = FixedRating { player: 2, rating: 100.0 };
    let anchored = fit_weakly(&results(4, &games), &[anchor]).expect("a known anchor");
    for player in 0..4 {
        let to_mean = |p: &[f64]| unit(p) * (p[player] - p[..4].iter().sum::<f64>() / 4.0);
        let to_anchor = |p: &[f64]| unit(p) * (p[player] - p[2]);
        let margins = [reference_margin(&games, to_mean), reference_margin(&games, to_anchor)];
        assert!((free.ratings[player].margin() - margins[0]).abs() < 0.1, "{margins:?}");
        assert!((anchored.ratings[player].margin() - margins[1]).abs() < 0.1, "{margins:?}");
    }
    let margin = reference_margin(&games, |p| unit(p) * p[4]);
    assert!((free.first_advantage.margin() - margin).abs() < 0.1);
}

#[test]
fn a_small_difference_means_the_logistic_expected_score() {
    for draws in [0, 2_000, 20_000] {
        let half = [5_200 + draws / 50, draws, 4_800 + draws / 50];
        let games = [series(0, 1, half), series(1, 0, [half[2], half[1], half[0]])].concat();
        let fit = fitted(2, &games);
        let lead = fit.ratings[0].value - fit.ratings[1].value;
        let expected = 1.0 / (1.0 + 10_f64.powf(-lead / 400.0));
        let games = f64::from(u32::try_from(half.iter().sum::<usize>()).expect("small"));
        let wins = f64::from(u32::try_from(2 * half[0] + draws).expect("small"));
        assert!((expected - wins / 2.0 / games).abs() < 2e-4, "{draws} draws: {expected}");
    }
}

#[test]
fn an_anchor_shifts_all_ratings_and_has_no_interval() {
    let results = results(4, &uneven());
    let anchored = |rating| {
        let anchor = FixedRating { player: 2, rating };
        fit(&results, &[anchor]).expect("a known anchor")
    };
    let (zero, high) = (anchored(0.0), anchored(1500.0));
    let free = fit(&results, &[]).expect("no anchor");
    assert_eq!(high.ratings[2], Estimate { value: 1500.0, low: 1500.0, high: 1500.0 });
    for player in 0..4 {
        let [a, b, c] = [&zero, &high, &free].map(|fit| fit.ratings[player].value);
        assert!((b - a - 1500.0).abs() < 1e-9);
        assert!((c - free.ratings[2].value - a).abs() < 1e-9);
    }
}

#[test]
fn several_anchors_have_their_ratings_and_hold_the_others() {
    let anchor = |player, rating| FixedRating { player, rating };
    let anchors = [anchor(0, 1200.0), anchor(2, 900.0)];
    let fit = fit(&results(4, &uneven()), &anchors).expect("known anchors");
    assert_eq!(fit.ratings[0], Estimate { value: 1200.0, low: 1200.0, high: 1200.0 });
    assert_eq!(fit.ratings[2], Estimate { value: 900.0, low: 900.0, high: 900.0 });
    let lead = fit.rating_difference(0, 2).expect("they met");
    assert!((lead.value - 300.0).abs() < 1e-6 && lead.margin() < 1e-6, "{lead:?}");
    // The results alone hold the two closer together, and so bee closer to cat.
    assert!(fit.ratings[1].value < 1200.0 && fit.ratings[1].margin() > 10.0);
}

/// Slow ascent over the points at which ant and cat are `apart` natural units from each other;
/// the first parameter is their mean.
fn constrained_reference(games: &[(usize, usize, GameOutcome)], apart: f64) -> Vec<f64> {
    let all = |q: &[f64]| vec![q[0] + apart / 2.0, q[1], q[0] - apart / 2.0, q[2], q[3], q[4]];
    let mut q = vec![0.0; 5];
    for _ in 0..8000 {
        let slope = gradient(|q| log_posterior(games, &all(q)), &q, 1e-5);
        q.iter_mut().zip(slope).for_each(|(x, s)| *x += 0.03 * s);
    }
    all(&q)
}

#[test]
fn several_anchors_agree_with_a_slow_constrained_reference() {
    let games = uneven();
    let unit = ELO * 2.0 / (2.0 + reference(&games, 4)[5].exp());
    for apart in [0.001, 100.0, 300.0, 1000.0] {
        let anchor = |player, rating| FixedRating { player, rating };
        let anchors = [anchor(0, 1000.0 + apart), anchor(2, 1000.0)];
        let fit = fit_weakly(&results(4, &games), &anchors).expect("known anchors");
        let p = constrained_reference(&games, apart / unit);
        for player in 0..4 {
            let expected = 1000.0 + unit * (p[player] - p[2]);
            let found = fit.ratings[player].value;
            assert!((found - expected).abs() < 0.1, "{apart}: {found} {expected}");
        }
        assert!((fit.first_advantage.value - unit * p[4]).abs() < 0.1);
    }
}

#[test]
fn contradictory_anchors_do_not_change_the_scale() {
    let games = [series(0, 1, [0, 50, 0]), series(1, 2, [1, 50, 0])].concat();
    let anchor = |player, rating| FixedRating { player, rating };
    let anchors = [anchor(0, 1500.0), anchor(1, 1000.0)];
    let fit = fit(&results(3, &games), &anchors).expect("known anchors");
    assert_eq!(fit.ratings[1], Estimate { value: 1000.0, low: 1000.0, high: 1000.0 });
    assert!(fit.ratings[2].margin() > 1.0, "{fit:?}");
}

#[test]
fn groups_that_never_met_have_means_of_their_own() {
    let games = [series(0, 1, [3, 1, 1]), series(2, 3, [1, 0, 4])].concat();
    let anchor = FixedRating { player: 2, rating: 500.0 };
    let fit = fit(&results(4, &games), &[anchor]).expect("a known anchor");
    let [ant, bee, cat, dog] = [0, 1, 2, 3].map(|player: usize| fit.ratings[player].value);
    assert!((ant + bee).abs() < 1e-6 && ant > bee);
    assert!((cat - 500.0).abs() < 1e-9 && dog > 500.0);
    assert_eq!(fit.groups, [0, 0, 1, 1]);
}

#[test]
fn a_bad_anchor_is_an_error() {
    let results = results(4, &[]);
    let anchor = |player, rating| FixedRating { player, rating };
    assert!(fit(&results, &[anchor(4, 0.0)]).is_err());
    assert!(fit(&results, &[anchor(0, f64::NAN)]).is_err());
    assert!(fit(&results, &[anchor(0, 0.0), anchor(0, 1.0)]).is_err());
}

#[test]
fn player_numbers_do_not_affect_ratings() {
    let games = uneven();
    let turned: Games = games.iter().map(|&(i, j, r)| (3 - i, 3 - j, r)).collect();
    let (plain, turned) = (fitted(4, &games), fitted(4, &turned));
    for player in 0..4 {
        let (a, b) = (plain.ratings[player], turned.ratings[3 - player]);
        assert!((a.value - b.value).abs() < 1e-6 && (a.low - b.low).abs() < 1e-6);
    }
    let [plain, mut turned] = [plain, turned].map(|fit| fit.rank_intervals());
    turned.reverse();
    assert_eq!(plain, turned);
}

#[test]
fn swapped_seats_turn_the_advantage_round() {
    let games = uneven();
    let swap = |result| match result {
        Win => Loss,
        Loss => Win,
        Draw => Draw,
    };
    let swapped: Games = games.iter().map(|&(i, j, r)| (j, i, swap(r))).collect();
    let (plain, swapped) = (fitted(4, &games), fitted(4, &swapped));
    assert!((plain.first_advantage.value + swapped.first_advantage.value).abs() < 1e-6);
    assert!((plain.ratings[0].value - swapped.ratings[0].value).abs() < 1e-6);
}

#[test]
fn symmetric_results_give_equal_ratings() {
    let games: Games =
        (0..4).flat_map(|i| (1..4).flat_map(move |k| series(i, (i + k) % 4, [3, 1, 2]))).collect();
    let fit = fitted(4, &games);
    assert!(fit.ratings.iter().all(|rating| rating.value.abs() < 1e-6));
    assert!(fit.first_advantage.value > 10.0);
}

#[test]
fn every_shape_of_results_has_finite_ratings() {
    assert!(fitted(0, &[]).ratings.is_empty());
    assert!(fitted(1, &[]).ratings[0].margin() > 300.0);
    assert!(fitted(4, &[]).ratings[0].margin() > 300.0);
    let one = fitted(4, &[(0, 1, Win)]);
    assert!(one.ratings[0].value > one.ratings[2].value);
    let wins = fitted(4, &[series(0, 1, [5000, 0, 0]), series(1, 0, [0, 0, 5000])].concat());
    assert!(wins.ratings[0].value > 400.0);
    let draws = fitted(4, &series(0, 1, [0, 5000, 0]));
    assert!(draws.ratings[0].value.abs() < 1e-6 && draws.draw_rate() > 0.9);
    let first = fitted(4, &[series(0, 1, [500, 0, 0]), series(1, 0, [500, 0, 0])].concat());
    assert!(first.ratings[0].value.abs() < 1e-6 && first.first_advantage.value > 200.0);
    let groups = fitted(4, &[series(0, 1, [9, 0, 1]), series(2, 3, [5, 0, 5])].concat());
    assert!(groups.ratings[0].value > groups.ratings[2].value);
}

proptest! {
    #[test]
    fn any_results_have_finite_ratings(results in any_results()) {
        let fit = fit(&results, &[]).expect("no anchor");
        for estimate in fit.ratings.iter().chain([&fit.first_advantage]) {
            prop_assert!(estimate.low < estimate.value && estimate.value < estimate.high);
            prop_assert!(estimate.low.is_finite() && estimate.high.is_finite());
        }
    }
}

#[test]
fn two_hundred_players_are_rated_together() {
    let all = (0..200).flat_map(|i| (0..200).map(move |j| (i, j))).filter(|(i, j)| i != j);
    let result = |i, j| match (i * 7 + j * 13) % 5 {
        0 => Draw,
        1 | 2 => Win,
        _ if i < j => Win,
        _ => Loss,
    };
    let games: Games = all.map(|(i, j)| (i, j, result(i, j))).collect();
    let results = results(200, &games);
    let fit = fit(&results, &[]).expect("no anchor");
    assert!(fit.ratings[0].value > fit.ratings[199].value + 100.0);
}

/// The mean and the standard deviation of each strength's distance from the mean under the
/// posterior with these standard deviations of strengths and their mean, by Metropolis' algorithm.
fn posterior(games: &Games, deviation: f64, means: f64) -> Vec<(f64, f64)> {
    let density = |p: &[f64]| {
        let mean = p[..4].iter().sum::<f64>() / 4.0;
        let within: f64 = p[..4].iter().map(|s| (s - mean).powi(2)).sum();
        let weak: f64 = p[..4].iter().map(|s| s * s).sum::<f64>() * Prior::WEAK / 2.0;
        let of_mean = mean * mean / (2.0 * (means * means + deviation * deviation / 4.0));
        log_posterior(games, p) + weak - within / (2.0 * deviation * deviation) - of_mean
    };
    let mut luck = ChaCha8Rng::seed_from_u64(1);
    let mut here = vec![0.0; 6];
    let mut level = density(&here);
    let mut sums = [[0.0; 2]; 4];
    for _ in 0..SAMPLES {
        let next: Vec<f64> = here.iter().map(|x| x + luck.random_range(-0.5..0.5)).collect();
        let reached = density(&next);
        if luck.random::<f64>() < (reached - level).exp() {
            (here, level) = (next, reached);
        }
        let mean = here[..4].iter().sum::<f64>() / 4.0;
        for (sums, strength) in sums.iter_mut().zip(&here) {
            sums[0] += (strength - mean) / f64::from(SAMPLES);
            sums[1] += (strength - mean).powi(2) / f64::from(SAMPLES);
        }
    }
    sums.map(|[mean, square]| (mean, (square - mean * mean).sqrt())).to_vec()
}

const SAMPLES: u32 = 300_000;

#[test]
fn strengths_are_those_of_the_posterior_even_where_one_wins_everything() {
    let games = [
        series(0, 1, [4, 0, 0]),
        series(1, 0, [0, 0, 4]),
        series(1, 2, [2, 1, 1]),
        series(2, 3, [2, 0, 2]),
        series(3, 1, [1, 1, 2]),
        series(0, 2, [2, 0, 0]),
    ]
    .concat();
    let fit = fitted(4, &games);
    let fitted = &fit.fitted;
    let prior = fitted.model.prior();
    assert_eq!(prior.camps.iter().map(Vec::len).sum::<usize>(), 4);
    let mut known = prior.clone();
    (known.camps, known.dispersion) = (vec![(0..4).collect()], 1.0);
    let mut other = fitted.clone();
    other.model.set_prior(known);
    let assumed = FittedModelPrior::Fitted(&other);
    let known = FittedModel::new(&results(4, &games), &[], SeatEffect::Common, &assumed);
    let known = known.expect("no anchor");
    let expected = posterior(&games, prior.deviation, 500.0 / ELO);
    let mean = known.point[..4].iter().sum::<f64>() / 4.0;
    for (player, (strength, _)) in expected.iter().enumerate() {
        let found = known.point[player] - mean;
        assert!((found - strength).abs() < 0.1, "{player}: {found} for {expected:?}");
    }
}

/// How many players are in each camp if the true strengths are these, in Elo, and how far apart the
/// players of a camp are.
fn camps(truth: &[f64]) -> (Vec<usize>, f64) {
    let mut luck = ChaCha8Rng::seed_from_u64(7);
    let mut games = Vec::new();
    for one in 0..truth.len() {
        for step in [1, 3, 6, 10, 15, 21, 28, 36] {
            let other = (one + step) % truth.len();
            let lead = (truth[one] - truth[other]) / ELO;
            let won = luck.random::<f64>() < 1.0 / (1.0 + (-lead).exp());
            games.push((one, other, if won { Win } else { Loss }));
        }
    }
    let fit = fitted(truth.len(), &games);
    let prior = fit.fitted.model.prior();
    let mut sizes: Vec<usize> = prior.camps.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    (sizes, prior.deviation * ELO)
}

#[test]
fn the_spread_of_the_strengths_is_learned() {
    let alike: Vec<f64> = vec![0.0; 40];
    let apart: Vec<f64> = (0..40).map(|player| 30.0 * f64::from(player)).collect();
    let (one, narrow) = camps(&alike);
    let (whole, wide) = camps(&apart);
    assert_eq!([one, whole], [[40], [40]]);
    assert!(narrow < 150.0 && (250.0..500.0).contains(&wide), "{narrow} {wide}");
}

#[test]
fn two_camps_and_a_player_far_above_are_found() {
    let two: Vec<f64> = (0..40).map(|player| 1000.0 * f64::from(player % 2)).collect();
    let (sizes, _) = camps(&two);
    assert!(sizes.len() == 2 && sizes[0] >= 18, "{sizes:?}");
    let mut star: Vec<f64> = (0..40).map(|player| 2.0 * f64::from(player)).collect();
    star[3] = 2000.0;
    assert_eq!(camps(&star).0[0], 1);
}
/// All of these players win all their games against those after them: `pairs` pairs each.
fn in_order(players: usize, pairs: usize) -> Fit {
    let meetings = (0..players).flat_map(|one| (one + 1..players).map(move |other| (one, other)));
    let won = |(one, other)| [series(one, other, [pairs, 0, 0]), series(other, one, [0, 0, pairs])];
    fitted(players, &meetings.flat_map(won).collect::<Vec<_>>().concat())
}

#[test]
fn players_who_win_everything_are_not_infinitely_far_above() {
    for (players, pairs) in [(3, 3), (3, 500), (10, 1), (10, 20)] {
        let fit = in_order(players, pairs);
        let best = fit.ratings[0];
        assert!(best.low > 0.0 && best.value < 5000.0, "{players} {pairs}: {best:?}");
    }
    let ranks: Vec<usize> = in_order(4, 20).rank_intervals().iter().map(|it| it.low).collect();
    assert_eq!(ranks, [1, 2, 3, 4]);
}

/// Two authors with three and two versions: the parameters of each version and of the one before.
fn versions() -> Prior {
    let steps = PriorSteps { list: vec![[2, 0], [3, 1], [4, 2]], deviation: 0.5 };
    Prior { camps: vec![vec![0, 1]], deviation: 1.2, steps, ..Prior::weak() }
}

#[test]
fn a_version_starts_where_the_one_before_stood() {
    let results = results(5, &[(0, 1, Win), (4, 3, Win)]);
    let layout = ParameterLayout::new(&[None; 5], SeatEffect::Common);
    let model = RatingModel::new(layout, &results.rated_games(), versions());
    let information = model.information_matrix(1.0, std::iter::empty()).dense().cells;
    let information =
        ndarray::Array2::from_shape_fn((5, 5), |(one, other)| information.cell(one, other));
    // Directly from the definition: first versions scatter around an unknown mean, and so do steps.
    let [mean, mean_step] = [500.0 / ELO, 100.0 / ELO].map(|sd| sd * sd);
    let first = |one, other| mean + if one == other { 1.44 } else { 0.0 };
    let step = |one: usize, other: usize| mean_step + if one == other { 0.25 } else { 0.0 };
    // The first version and the steps up to each.
    let sums: [(usize, &[usize]); 5] = [(0, &[]), (1, &[]), (0, &[0]), (1, &[1]), (0, &[0, 2])];
    let covariance = ndarray::Array2::from_shape_fn((5, 5), |(row, column)| {
        let ((one, steps), (other, others)) = (sums[row], sums[column]);
        let of_steps = steps.iter().flat_map(|&a| others.iter().map(move |&b| step(a, b)));
        first(one, other) + of_steps.sum::<f64>()
    });
    let product = information.dot(&covariance);
    for (one, other) in product.iter().zip(&ndarray::Array2::<f64>::eye(5)) {
        assert!((one - other).abs() < 1e-9, "{product}");
    }
    let smallest = 1.0 / covariance.diag().sum();
    assert!(model.curvature_floor() <= smallest, "{} {smallest}", model.curvature_floor());
}

#[test]
fn the_fit_of_versions_is_at_the_maximum_of_its_posterior() {
    let games = [uneven(), series(4, 3, [3, 1, 2]), series(1, 4, [2, 0, 2])].concat();
    let layout = ParameterLayout::new(&[None; 5], SeatEffect::Common);
    let model = RatingModel::new(layout, &results(5, &games).rated_games(), versions());
    let point = model.map_estimate().point;
    for at in 0..point.len() {
        let moved = |by: f64| {
            let mut point = point.clone();
            point[at] += by;
            model.log_posterior(&point)
        };
        let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
        assert!(slope.abs() < 1e-5, "{at}: {slope}");
    }
}

#[test]
fn a_version_with_few_games_is_rated_by_the_one_before() {
    // Each of eight authors has two versions, far apart from those of others; the second has played
    // only one game.
    let mut games = Vec::new();
    for one in 0..8 {
        for other in 0..one {
            games.extend(series(one, other, [9, 1, 1]));
            games.extend(series(other, one, [1, 1, 9]));
        }
    }
    games.extend((0..8).map(|author| (8 + author, (author + 1) % 8, Draw)));
    let mut results = results(16, &games);
    let apart = |results: &Results| {
        let ratings = fit(results, &[]).expect("no anchor").ratings;
        (0..8).map(|at| (ratings[at].value - ratings[at + 8].value).abs()).sum::<f64>() / 8.0
    };
    let alone = apart(&results);
    for author in 0..8 {
        results.set_previous_version(8 + author, author);
    }
    let chained = apart(&results);
    assert!(chained < alone / 2.0, "{chained} {alone}");
}

#[test]
fn a_version_that_met_nobody_of_its_authors_group_stands_alone() {
    let mut results = results(4, &[(0, 1, Win), (2, 3, Win)]);
    results.set_previous_version(2, 0);
    let fit = fit(&results, &[]).expect("no anchor");
    assert_eq!(fit.groups, [0, 0, 1, 1]);
    assert!((fit.ratings[2].value + fit.ratings[3].value).abs() < 1e-9, "{:?}", fit.ratings);
}

/// The results of players whose opponents are `near` places away in the order of their strengths,
/// or anywhere, with these strengths in Elo.
fn matched(near: Option<usize>) -> (Results, Vec<f64>) {
    const PLAYERS: usize = 60;
    let mut luck = ChaCha8Rng::seed_from_u64(5);
    let mut normal = || (0..12).map(|_| luck.random::<f64>()).sum::<f64>() - 6.0;
    let mut strengths: Vec<f64> = (0..PLAYERS).map(|_| 300.0 * normal()).collect();
    strengths.sort_by(f64::total_cmp);
    let mut results = Results::new(PLAYERS);
    let mut luck = ChaCha8Rng::seed_from_u64(6);
    for (pair, one) in (0..).zip((0..PLAYERS).flat_map(|one| [one; 15])) {
        let other = loop {
            let other = luck.random_range(0..PLAYERS);
            if one != other && near.is_none_or(|near| one.abs_diff(other) <= near) {
                break other;
            }
        };
        for (first, second) in [(one, other), (other, one)] {
            let lead = strengths[first] - strengths[second];
            let wins = luck.random::<f64>() < 1.0 / (1.0 + 10_f64.powf(-lead / 400.0));
            let outcome = if wins { Win } else { Loss };
            results.add(PlayedGame::by_rules(first, second, pair, outcome));
        }
    }
    (results, strengths)
}

/// How far apart ratings are, compared with the strengths; and how many intervals hold.
fn slope_and_coverage(fit: &Fit, strengths: &[f64]) -> (f64, usize) {
    let mean = strengths.iter().sum::<f64>() / count_as_f64(strengths.len());
    let around = strengths.iter().map(|strength| strength - mean).zip(&fit.ratings);
    let both: f64 = around.clone().map(|(strength, rating)| strength * rating.value).sum();
    let squares: f64 = strengths.iter().map(|strength| (strength - mean).powi(2)).sum();
    let holds =
        |(strength, rating): &(f64, &Estimate)| (rating.low..=rating.high).contains(strength);
    (both / squares, around.filter(holds).count())
}

/// Divisions, say: the results show how near opponents are, but not that they were chosen so.
#[test]
fn opponents_who_were_chosen_by_strength_elsewhere_do_not_pull_ratings_together() {
    for near in [3, 5] {
        let (mut results, strengths) = matched(Some(near));
        let (slope, _) = slope_and_coverage(&fit(&results, &[]).expect("no anchor"), &strengths);
        assert!(slope < 0.5, "{slope}: the learned prior is right");
        results.set_matched_elsewhere();
        let fit = fit(&results, &[]).expect("no anchor");
        let (slope, held) = slope_and_coverage(&fit, &strengths);
        assert!(!fit.is_learned && slope > 0.6 && held >= 45, "{near}: {slope}, {held} of 60");
    }
}

#[test]
fn where_opponents_are_any_the_prior_is_learned() {
    let (mut results, _) = matched(None);
    let before = fit(&results, &[]).expect("no anchor");
    results.set_matched_elsewhere();
    let after = fit(&results, &[]).expect("no anchor");
    assert!(after.is_learned);
    assert_eq!(before.ratings, after.ratings);
}
