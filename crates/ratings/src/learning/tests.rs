use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::fit;
use crate::outcome::GameOutcome::{Loss, Win};
use crate::results::{PlayedGame, Results};

const AUTHORS: usize = 10;

/// A league of this many versions of each author, all equally strong, each of which has met ten
/// versions of others that were there at about the same time.
pub(crate) fn league(versions: usize) -> Results {
    let mut results = Results::new(versions * AUTHORS);
    let mut luck = ChaCha8Rng::seed_from_u64(7);
    for version in AUTHORS..versions * AUTHORS {
        results.set_before(version, version - AUTHORS);
    }
    let players = (0..versions * AUTHORS).flat_map(|player| [player; 10]);
    for (pair, one) in (0..).zip(players) {
        let (author, round) = (one % AUTHORS, one / AUTHORS);
        let other = (author + luck.random_range(1..AUTHORS)) % AUTHORS;
        let round = (round + luck.random_range(0..2)).min(versions - 1);
        let lead = count(author) - count(other);
        let wins = luck.random::<f64>() < 1.0 / (1.0 + 10_f64.powf(-lead / 12.0));
        let outcome = if wins { Win } else { Loss };
        results.add(PlayedGame::by_rules(one, round * AUTHORS + other, pair, outcome));
    }
    results
}

#[test]
fn the_steps_of_a_league_are_learned_to_the_end() {
    let results = league(AUTHORS);
    let fitted = fit(&results, &[]).expect("no anchor").fitted;
    let map = fitted.model.map_estimate_from(fitted.point, ROUGH);
    let mut prior = fitted.model.prior().clone();
    let covariance = approximate(&fitted.model, &map, &mut prior, &results.rated());
    let (step, _) = Width::OfSteps.newton(&prior, &map.point, &covariance);
    assert!(step.abs() < 2.0 * SHORT, "{step}");
}

/// In a long league, only a part of the inverse is computed.
#[test]
fn all_that_is_read_of_the_inverse_is_known() {
    let results = league(90);
    let fitted = fit(&results, &[]).expect("no anchor").fitted;
    let map = fitted.model.map_estimate_from(fitted.point, ROUGH);
    assert!(map.information.is_sparse());
    let columns = (0..map.point.len()).flat_map(|at| {
        let mut unit = vec![0.0; map.point.len()];
        unit[at] = 1.0;
        map.information.product(&unit).to_vec()
    });
    let size = (map.point.len(), map.point.len());
    let whole = Array2::from_shape_vec(size, columns.collect()).expect("a square");
    let dense = Factor::new(whole, fitted.model.floor());
    let read = |factor: &Factor| {
        let (prior, games) = (fitted.model.prior(), results.rated());
        let inverse = factor.known_inverse();
        let spread = dispersion(&fitted.model, &map.point, &inverse, &games);
        let covariance = KnownCovariance::new(prior, factor, inverse);
        let widths = [Width::OfCamps, Width::OfSteps];
        // Differences of sums over all players: of each, rounding is less.
        let slope = |of: Width| of.slope(prior, &map.point, &covariance).0 / count(size.0);
        let [one, other] = widths.map(slope);
        let learned = Learned {
            model: fitted.model.clone(),
            point: map.point.clone(),
            covariance,
            error: 1.0,
            step_error: None,
            evidence: 0.0,
        };
        let torn = learned.torn().iter().flat_map(|it| it.pulls.clone()).map(|it| it.1).sum();
        let evidence = evidence(&learned.model, &learned.point, &learned.covariance, 0.0);
        [one, other, spread, torn, evidence, factor.log_determinant()]
    };
    let [known, all] = [&map.information, &dense].map(read);
    assert!(known.iter().zip(all).all(|(a, b)| (a - b).abs() < 1e-9), "{known:?} {all:?}");
}

/// The steps that a search takes to the end of one of Newton's, whose step at a distance is this.
fn searched(newton: impl Fn(f64) -> f64) -> usize {
    let (mut search, mut away) = (WidthSearch::default(), 3.0);
    (0..MOST_STEPS)
        .find(|_| {
            let step = newton(away);
            away += search.step(step);
            step.abs() < SHORT
        })
        .expect("an end")
}

#[test]
fn a_search_ends_soon_whether_steps_are_right_too_long_or_too_short() {
    assert!(searched(|away| (-away).clamp(-LONGEST, LONGEST)) <= 6);
    assert!(searched(|away| (-2.0 * away).clamp(-LONGEST, LONGEST)) <= 8, "to and fro for ever");
    assert!(searched(|away| (-9.0 * away).clamp(-LONGEST, LONGEST)) <= 10, "further each time");
    assert!(searched(|away| -away / 10.0) <= 25, "0.9 of what is left each time");
}

/// All players are equals, so neither standard deviation can be told well.
#[test]
fn a_league_of_equals_is_learned_to_the_end() {
    let mut results = Results::new(12 * AUTHORS);
    let mut luck = ChaCha8Rng::seed_from_u64(5);
    for version in AUTHORS..12 * AUTHORS {
        results.set_before(version, version - AUTHORS);
    }
    for pair in 0..800 {
        let one = luck.random_range(0..11 * AUTHORS);
        let other = one + luck.random_range(1..AUTHORS);
        let outcome = if luck.random() { Win } else { Loss };
        results.add(PlayedGame::by_rules(one, other, pair, outcome));
    }
    let fitted = fit(&results, &[]).expect("no anchor").fitted;
    let map = fitted.model.map_estimate_from(fitted.point, ROUGH);
    let mut prior = fitted.model.prior().clone();
    let covariance = approximate(&fitted.model, &map, &mut prior, &results.rated());
    for width in [Width::OfCamps, Width::OfSteps] {
        let (step, _) = width.newton(&prior, &map.point, &covariance);
        assert!(step.abs() < 2.0 * SHORT, "{width:?} {step}");
    }
}
