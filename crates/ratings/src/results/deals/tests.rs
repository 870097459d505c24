//! Games of several seats, compared with their definition and with games of two.

use rand::seq::SliceRandom as _;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::estimate::{ELO, FixedRating};
use crate::fit::{Fit, fit, fit_weakly};
use crate::rating_model::RatingModel;
use crate::rating_model::prior::Prior;
use crate::results::game_outcome::Outcomes;
use crate::results::rated_games::RatedGames;
use crate::results::seated_games::{SeatedEnding, SeatedGame};
use crate::results::{Completion, PlayedGame, Results};
use crate::seat_effects::seat_effects;

/// The players by seat, their places, and the number of the deal.
type Game = (Vec<usize>, Vec<u32>, u32);

fn table(seats: usize) -> DealTable {
    DealTable { seats, seating: Seating::Known, compared: Compared::All }
}

fn add(results: &mut Results, (players, places, deal): &Game) {
    let forfeits = &vec![false; players.len()];
    let (ending, deal, fingerprint) = (SeatedEnding::Rules, Some(*deal), None);
    results.add_seated(&SeatedGame { players, places, forfeits, ending, deal, fingerprint });
}

fn results(players: usize, table: DealTable, games: &[Game]) -> Results {
    let mut results = Results::at_table(players, table);
    for game in games {
        add(&mut results, game);
    }
    results
}

/// Rotations between random players, best first. The lowest score is first.
fn rotations(
    players: usize,
    seats: usize,
    deals: u32,
    score: impl Fn(usize, usize) -> f64,
) -> Vec<Game> {
    let mut luck = ChaCha8Rng::seed_from_u64(7);
    let mut games = Vec::new();
    for deal in 0..deals {
        let mut order: Vec<usize> = (0..players).collect();
        order.shuffle(&mut luck);
        for game in 0..seats {
            let mut seated = order[..seats].to_vec();
            seated.rotate_left(game);
            let scores: Vec<i32> = seated
                .iter()
                .enumerate()
                .map(|(seat, &player)| {
                    #[expect(clippy::cast_possible_truncation, reason = "small")]
                    let score = (score(player, seat) + luck.random_range(0.0..10.0)).floor() as i32;
                    score
                })
                .collect();
            let place = |own: &i32| scores.iter().map(|score| u32::from(score < own)).sum();
            games.push((seated, scores.iter().map(place).collect(), deal));
        }
    }
    games
}

fn fitted(results: &Results) -> Fit {
    fit(results, &[]).expect("no anchor")
}

fn deals(results: &Results) -> Deals {
    let RatedGames::Deals(deals) = results.rated_games() else { panic!("games of several seats") };
    deals
}

/// All orders of these many seats.
fn orders(seats: usize) -> Vec<Vec<u32>> {
    let Some(fewer) = seats.checked_sub(1) else { return vec![Vec::new()] };
    let last = u32::try_from(fewer).expect("small");
    let longer = |order: Vec<u32>| {
        (0..seats).map(move |at| {
            let mut order = order.clone();
            order.insert(at, last);
            order
        })
    };
    orders(fewer).into_iter().flat_map(longer).collect()
}

#[test]
fn with_its_weight_a_game_tells_as_much_as_it_seems_to() {
    for (seats, compared) in
        (2..=5).flat_map(|seats| [(seats, Compared::All), (seats, Compared::Winner)])
    {
        let table = DealTable { seats, seating: Seating::Known, compared };
        let orders = orders(seats);
        let [mut covariance, mut curvature] = [(); 2].map(|()| vec![vec![0.0; seats]; seats]);
        for places in &orders {
            let game = ((0..seats).collect(), places.clone(), 0);
            let deals = deals(&results(seats, table, &[game]));
            let mut gradient = vec![0.0; seats];
            for one in &deals.list[0].games[0] {
                let [a, b] = one.players.map(usize::from);
                let score = deals.table.comparison_weight()
                    * if one.outcome == GameOutcome::Win { 0.5 } else { -0.5 };
                gradient[a] += score;
                gradient[b] -= score;
                for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                    curvature[row][column] += deals.table.comparison_weight() * sign / 4.0;
                }
            }
            for (row, x) in gradient.iter().enumerate() {
                for (column, y) in gradient.iter().enumerate() {
                    covariance[row][column] += x * y;
                }
            }
        }
        let pairs = covariance.as_flattened_rows().zip(curvature.as_flattened_rows());
        for (one, other) in pairs {
            assert!((one - other).abs() < 1e-9, "{table:?}: {covariance:?} {curvature:?}");
        }
        // Of the difference of two players, between whom a game of two tells ¼.
        let all = count_as_f64(orders.len());
        let of_difference = (curvature[0][0] - curvature[0][1]) / all / 2.0;
        assert!((of_difference - table.game_information() / 4.0).abs() < 1e-9, "{table:?}");
    }
}

/// The cells of a matrix.
trait Rows {
    fn as_flattened_rows(&self) -> impl Iterator<Item = f64>;
}

impl Rows for Vec<Vec<f64>> {
    fn as_flattened_rows(&self) -> impl Iterator<Item = f64> {
        self.iter().flatten().copied()
    }
}

/// The log posterior under the weak prior, directly from its definition. `p` holds strengths and
/// seats, then ln ν.
fn log_posterior(games: &[Game], players: usize, seats: usize, p: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (seated, places, _) in games {
        for one in 0..seats {
            for other in one + 1..seats {
                let lead =
                    p[seated[one]] + p[players + one] - p[seated[other]] - p[players + other];
                let weights = [(lead / 2.0).exp(), p[players + seats].exp(), (-lead / 2.0).exp()];
                let at = match places[one].cmp(&places[other]) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Greater => 2,
                };
                let all: f64 = weights.iter().sum();
                sum += 3.0 / (count_as_f64(seats) + 1.0) * (weights[at] / all).ln();
            }
        }
    }
    let normal = |x: f64, precision: f64| -x * x * precision / 2.0;
    sum += p[..players].iter().map(|&x| normal(x, Prior::WEAK)).sum::<f64>();
    let of_seat = 2.0 * (ELO / RatingModel::ADVANTAGE_SD).powi(2);
    sum += p[players..players + seats].iter().map(|&x| normal(x, of_seat)).sum::<f64>();
    sum + normal(p[players + seats] - RatingModel::DRAW_MEAN, RatingModel::DRAW_SD.powi(-2))
}

#[test]
fn the_fit_is_at_the_maximum_of_its_definition() {
    let games = rotations(6, 3, 8, |player, seat| count_as_f64(player) + count_as_f64(seat));
    let fit = fit_weakly(&results(6, table(3), &games), &[]).expect("no anchor");
    let point = &fit.fitted.point;
    assert_eq!(point.len(), 6 + 3 + 1);
    for at in 0..point.len() {
        let moved = |by: f64| {
            let mut point = point.clone();
            point[at] += by;
            log_posterior(&games, 6, 3, &point)
        };
        let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
        assert!(slope.abs() < 1e-4, "{at}: {slope}");
    }
    let sum: f64 = fit.seat_values.iter().map(|value| value.value).sum();
    assert!(sum.abs() < 1e-6 && fit.seat_values[0].value > fit.seat_values[2].value);
}

#[test]
fn two_seats_as_deals_have_the_ratings_of_pairs() {
    let games = rotations(7, 2, 60, |player, seat| 2.0 * count_as_f64(player) + count_as_f64(seat));
    let mut pairs = Results::new(7);
    for (players, places, deal) in &games {
        let outcome = match places[0].cmp(&places[1]) {
            std::cmp::Ordering::Less => GameOutcome::Win,
            std::cmp::Ordering::Equal => GameOutcome::Draw,
            std::cmp::Ordering::Greater => GameOutcome::Loss,
        };
        pairs.add(PlayedGame::by_rules(players[0], players[1], *deal, outcome));
    }
    let seated = results(7, table(2), &games);
    let [weakly, other] = [&pairs, &seated].map(|it| fit_weakly(it, &[]).expect("no anchor"));
    for (one, other) in weakly.ratings.iter().zip(&other.ratings) {
        assert!((one.value - other.value).abs() < 1e-6, "{one:?} {other:?}");
        let ratio = one.margin() / other.margin();
        assert!((0.9..1.1).contains(&ratio), "{one:?} {other:?}");
    }
    assert!((weakly.first_advantage.value - other.first_advantage.value).abs() < 1e-6);
    let [learned, other] = [&pairs, &seated].map(fitted);
    for (one, other) in learned.ratings.iter().zip(&other.ratings) {
        assert!((one.value - other.value).abs() < 10.0, "{one:?} {other:?}");
    }
    assert!((other.game_dispersion - 1.0).abs() < 1e-12, "a game of two is one comparison");
    for player in 0..7 {
        assert_eq!(pairs.outcomes_of(player), seated.outcomes_of(player));
        assert_eq!(pairs.outcomes_between(player, 3), seated.outcomes_between(player, 3));
    }
    assert_eq!(pairs.games(), seated.games());
}

#[test]
fn a_fault_that_ends_a_game_counts_between_guilty_and_innocent() {
    let mut results = Results::at_table(4, table(4));
    let game = SeatedGame {
        players: &[3, 1, 0, 2],
        places: &[3, 1, 1, 3],
        forfeits: &[true, false, false, true],
        ending: SeatedEnding::Fault,
        deal: None,
        fingerprint: None,
    };
    results.add_seated(&game);
    let compared = |results: &Results| {
        let deals = deals(results);
        let series = deals.series.iter().map(|series| (series.upper, series.lower));
        series.collect::<Vec<_>>()
    };
    assert_eq!(compared(&results), [(0, 2), (0, 3), (1, 2), (1, 3)]);
    assert_eq!(results.outcomes_of(0), Outcomes { wins: 2, draws: 1, losses: 0 });
    assert_eq!(results.outcomes_of(3), Outcomes { wins: 0, draws: 0, losses: 3 });
    assert_eq!(results.completion(0), Completion { finished: 0, forfeited: 0, spared: 1 });
    assert_eq!(results.completion(3), Completion { finished: 0, forfeited: 1, spared: 0 });
    // If the game continues, all are compared but the two that failed.
    let mut results = Results::at_table(4, table(4));
    let places = &[3, 1, 2, 3];
    results.add_seated(&SeatedGame { places, ending: SeatedEnding::Rules, ..game });
    assert_eq!(compared(&results), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
    assert_eq!(results.completion(0).finished, 1);
    assert_eq!((results.places(0), results.places(1)), (&[0, 1, 0, 0][..], &[1, 0, 0, 0][..]));
    // If all fail, there is no comparison.
    let mut results = Results::at_table(4, table(4));
    results.add_seated(&SeatedGame { forfeits: &[true; 4], ..game });
    assert!(compared(&results).is_empty() && fit(&results, &[]).is_ok());
    assert_eq!(results.outcomes_of(1), Outcomes { wins: 0, draws: 0, losses: 3 });
}

#[test]
fn where_only_the_winner_is_known_the_others_are_not_compared() {
    let games = [(vec![0, 1, 2, 3], vec![2, 1, 2, 2], 1)];
    let table = DealTable { compared: Compared::Winner, ..table(4) };
    let results = results(4, table, &games);
    let series = deals(&results).series;
    assert_eq!(
        series.iter().map(|it| (it.upper, it.lower)).collect::<Vec<_>>(),
        [(0, 1), (1, 2), (1, 3)]
    );
    assert!(series.iter().all(|it| (it.weight - 0.5).abs() < 1e-12));
    assert_eq!(results.outcomes_of(1), Outcomes { wins: 3, draws: 0, losses: 0 });
    assert_eq!(results.outcomes_of(0), Outcomes { wins: 0, draws: 0, losses: 1 });
}

#[test]
fn the_order_of_the_games_does_not_matter() {
    let mut games = rotations(8, 4, 6, |player, _| count_as_f64(player));
    let bits = |games: &[Game]| {
        let fit = fitted(&results(8, table(4), games));
        fit.ratings.iter().map(|it| (it.value.to_bits(), it.high.to_bits())).collect::<Vec<_>>()
    };
    let before = bits(&games);
    games.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    assert_eq!(before, bits(&games));
}

#[test]
fn copies_score_but_are_not_rated() {
    let mut results = Results::at_table(3, table(3));
    for deal in [Some(1), Some(2), None] {
        results.add_seated(&SeatedGame {
            players: &[0, 1, 2],
            places: &[1, 2, 3],
            forfeits: &[false; 3],
            ending: SeatedEnding::Rules,
            deal,
            fingerprint: std::num::NonZeroU64::new(5),
        });
    }
    assert_eq!((results.games(), results.outcomes_of(0).wins), (3, 6));
    assert_eq!(deals(&results).list.len(), 1);
}

#[test]
fn unknown_seats_have_no_value() {
    let games = rotations(6, 3, 10, |player, _| count_as_f64(player));
    let table = DealTable { seating: Seating::Unknown, ..table(3) };
    let turned = |games: &[Game]| {
        let turn = |(players, places, deal): &Game| {
            let (mut players, mut places) = (players.clone(), places.clone());
            players.reverse();
            places.reverse();
            (players, places, *deal)
        };
        games.iter().map(turn).collect::<Vec<_>>()
    };
    let [one, other] =
        [games.clone(), turned(&games)].map(|games| fitted(&results(6, table, &games)));
    assert!(one.seat_values.is_empty());
    for (one, other) in one.ratings.iter().zip(&other.ratings) {
        assert!((one.value - other.value).abs() < 1e-9, "{one:?} {other:?}");
        assert!((one.margin() - other.margin()).abs() < 1e-9, "{one:?} {other:?}");
    }
}

#[test]
fn anchors_keep_their_ratings() {
    let games = rotations(6, 3, 30, |player, _| count_as_f64(player));
    let results = results(6, table(3), &games);
    let fixed = [(0, 1300.0), (4, 1000.0)].map(|(player, rating)| FixedRating { player, rating });
    let fit = fit(&results, &fixed).expect("known players");
    assert!((fit.ratings[0].value - 1300.0).abs() < 1e-9);
    assert!((fit.ratings[4].value - 1000.0).abs() < 1e-9);
    let between = fit.ratings[2].value;
    assert!(between > 1000.0 && between < 1300.0, "{:?}", fit.ratings);
}

/// Deals whose games agree on players if `of_player`, and on seats otherwise.
fn lucky(of_player: bool) -> Vec<Game> {
    let mut luck = ChaCha8Rng::seed_from_u64(3);
    let mut games = Vec::new();
    for deal in 0..80 {
        let mut order: Vec<usize> = (0..8).collect();
        order.shuffle(&mut luck);
        let mut places = vec![1, 2, 3, 4];
        places.shuffle(&mut luck);
        for game in 0..4 {
            let mut seated = order[..4].to_vec();
            seated.rotate_left(game);
            let mut places = places.clone();
            if of_player {
                places.rotate_left(game);
            }
            games.push((seated, places, deal));
        }
    }
    games
}

#[test]
fn games_of_a_deal_may_agree() {
    let [same, mirrored] =
        [true, false].map(|of_player| fitted(&results(8, table(4), &lucky(of_player))));
    assert!(same.pair_correlation > 0.8, "{}", same.pair_correlation);
    assert!(mirrored.pair_correlation < -0.2, "{}", mirrored.pair_correlation);
    assert!(same.ratings[0].margin() > 3.0 * mirrored.ratings[0].margin());
}

#[test]
fn seats_that_differ_are_found() {
    let effects = |score: &dyn Fn(usize, usize) -> f64| {
        let results = results(8, table(4), &rotations(8, 4, 40, score));
        seat_effects(&results, &[], &fitted(&results)).expect("no anchor")
    };
    let level = effects(&|player, _| count_as_f64(player) / 2.0);
    assert!(level.values_p.expect("enough deals") > 0.05 && level.p_value > 0.05, "{level:?}");
    let first = effects(&|player, seat| count_as_f64(player) / 2.0 + 2.0 * count_as_f64(seat));
    assert!(first.values_p.expect("enough deals") < 1e-3 && first.p_value > 0.05, "{first:?}");
    // To some players the first seat is worth much, to the others the last one.
    let own =
        effects(&|player, seat| 3.0 * count_as_f64(if player % 2 == 0 { seat } else { 3 - seat }));
    assert!(own.p_value < 0.01, "{own:?}");
    // Where luck belongs to the seat, it says nothing about the seats.
    let lucky = results(8, table(4), &lucky(false));
    let effects = seat_effects(&lucky, &[], &fitted(&lucky)).expect("no anchor");
    assert!(effects.values_p.expect("enough deals") > 0.05, "{effects:?}");
    let few = results(8, table(4), &rotations(8, 4, 3, |_, _| 0.0));
    let effects = seat_effects(&few, &[], &fitted(&few)).expect("no anchor");
    assert_eq!(effects.values_p, None, "three deals have no variance of three differences");
}
