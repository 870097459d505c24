use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::width::LONGEST;
use super::*;
use crate::covariance::pair_spread::PairSpreads;
use crate::fit;
use crate::matrices::cholesky::CholeskyFactor;
use crate::results::game_outcome::GameOutcome::{Loss, Win};
use crate::results::{PlayedGame, Results};

const AUTHORS: usize = 10;

/// A league of this many versions of each of so many authors, all equally strong, each of which has
/// met ten versions of others that were there at about the same time.
pub(crate) fn league(authors: usize, versions: usize) -> Results {
    let mut results = Results::new(versions * authors);
    let mut luck = ChaCha8Rng::seed_from_u64(7);
    for version in authors..versions * authors {
        results.set_previous_version(version, version - authors);
    }
    let players = (0..versions * authors).flat_map(|player| [player; 10]);
    for (pair, one) in (0..).zip(players) {
        let (author, round) = (one % authors, one / authors);
        let other = (author + luck.random_range(1..authors)) % authors;
        let round = (round + luck.random_range(0..2)).min(versions - 1);
        let lead = count_as_f64(author) - count_as_f64(other);
        let wins = luck.random::<f64>() < 1.0 / (1.0 + 10_f64.powf(-lead / 12.0));
        let outcome = if wins { Win } else { Loss };
        results.add(PlayedGame::by_rules(one, round * authors + other, pair, outcome));
    }
    results
}

#[test]
fn the_steps_of_a_league_are_learned_to_the_end() {
    let results = league(AUTHORS, AUTHORS);
    let fitted = fit(&results, &[]).expect("no anchor").fitted;
    let map = fitted.model.map_estimate_from(fitted.point, ROUGH);
    let mut prior = fitted.model.prior().clone();
    let covariance =
        learn_dispersion_and_blurs(&fitted.model, &map, &mut prior, &results.rated_games());
    let (step, _) = Width::OfSteps.newton_step(&prior, &map.point, &covariance);
    assert!(step.abs() < 2.0 * SHORT, "{step}");
}

/// In a long league, only a part of the inverse is computed.
#[test]
fn all_that_is_read_of_the_inverse_is_known() {
    let results = league(20, 45);
    let fitted = fit(&results, &[]).expect("no anchor").fitted;
    let map = fitted.model.map_estimate_from(fitted.point, ROUGH);
    let games = results.rated_games();
    let RatedGames::Pairs(pairings) = &games else { panic!("two seats") };
    let inverse = map.information.known_inverse();
    let spreads = PairSpreads::new(&fitted.model, &map.point, &inverse, pairings);
    let matrix = || fitted.model.information_matrix(1.0, spreads.gradient_covariances());
    let [sparse, dense] = [matrix(), matrix().dense()].map(CholeskyFactor::new);
    assert!(sparse.is_sparse());
    let size = count_as_f64(map.point.len());
    let read = |factor: &CholeskyFactor| {
        let prior = fitted.model.prior();
        let inverse = factor.known_inverse();
        let spread = estimate_dispersion(&fitted.model, &map.point, &inverse, &games);
        let covariance = KnownCovariance::new(prior, factor, inverse);
        let widths = [Width::OfCamps, Width::OfSteps];
        // Differences of sums over all players: of each, rounding is less.
        let slope = |of: Width| of.slope(prior, &map.point, &covariance).0 / size;
        let [one, other] = widths.map(slope);
        let camp = &covariance.of_camps[0];
        let with = camp.with.iter().zip(0..).map(|(it, at)| it * f64::from(at)).sum::<f64>();
        let with = with / camp.variance / count_as_f64(camp.with.len());
        let learned = LearnedModel {
            model: fitted.model.clone(),
            point: map.point.clone(),
            covariance,
            error: 1.0,
            step_error: None,
            evidence: 0.0,
        };
        let torn = learned.torn_camps().iter().flat_map(|it| it.pulls.clone()).map(|it| it.1).sum();
        let evidence =
            learned_log_evidence(&learned.model, &learned.point, &learned.covariance, 0.0);
        [one, other, spread, with, torn, evidence, factor.log_determinant()]
    };
    let [known, all] = [&sparse, &dense].map(read);
    assert!(known.iter().zip(all).all(|(a, b)| (a - b).abs() < 1e-9), "{known:?} {all:?}");
}

/// The steps that a search takes to the end of one of Newton's, whose step at a distance is this.
fn searched(newton: impl Fn(f64) -> f64) -> usize {
    let (mut search, mut away) = (WidthSearch::new(0), 3.0);
    (0..MOST_STEPS)
        .find(|_| {
            let step = newton(away);
            away += search.damp_newton_step(step);
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

#[test]
fn two_searches_that_turn_each_other_end() {
    let mut searches = [(); 2].map(|()| WidthSearch::new(0));
    let mut away = [-2.038_634_4, 1.227_633_7];
    let ended = (0..MOST_STEPS).find(|_| {
        let steps = [0.636 * away[1] - away[0], -0.394 * away[0] - away[1]];
        let steps = steps.map(|step: f64| step.clamp(-LONGEST, LONGEST));
        for ((away, search), step) in away.iter_mut().zip(&mut searches).zip(steps) {
            *away += search.damp_newton_step(step);
        }
        steps.iter().all(|step| step.abs() < SHORT)
    });
    assert!(ended.is_some_and(|steps| steps <= 10), "{ended:?}");
}

/// A step that is hardly one says little about the next ones.
#[test]
fn a_search_recovers_from_a_turn_that_was_not_its_own() {
    let mut search = WidthSearch::new(0);
    for newton in [-0.0009, 0.0174, -0.0284] {
        search.damp_newton_step(newton);
    }
    let taken: f64 = (0..10).map(|_| search.damp_newton_step(-0.07)).sum();
    assert!(taken < -0.2, "{taken}");
}

/// Players are about equal, so no standard deviation can be told well.
#[test]
fn the_spread_of_equals_is_learned_to_the_end() {
    for (seed, players, games, versions) in
        [(5, 120, 800, true), (6, 32, 640, false), (41, 32, 640, false)]
    {
        let mut results = Results::new(players);
        let mut luck = ChaCha8Rng::seed_from_u64(seed);
        if versions {
            (AUTHORS..players)
                .for_each(|version| results.set_previous_version(version, version - AUTHORS));
        }
        let near = if versions { AUTHORS } else { players };
        for pair in 0..games {
            let one = luck.random_range(0..players);
            let other = (one + luck.random_range(1..near)) % players;
            let outcome = if luck.random() { Win } else { Loss };
            results.add(PlayedGame::by_rules(one, other, pair, outcome));
        }
        let fitted = fit(&results, &[]).expect("no anchor").fitted;
        let map = fitted.model.map_estimate_from(fitted.point, ROUGH);
        let mut prior = fitted.model.prior().clone();
        let covariance =
            learn_dispersion_and_blurs(&fitted.model, &map, &mut prior, &results.rated_games());
        let widths = [Width::OfCamps, Width::OfSteps];
        for width in widths.into_iter().take(1 + usize::from(versions)) {
            let (step, _) = width.newton_step(&prior, &map.point, &covariance);
            assert!(step.abs() < 2.0 * SHORT, "{seed} {width:?} {step}");
        }
    }
}
