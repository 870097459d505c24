use std::num::NonZeroU64;

use super::*;
use crate::scored_games::{ScoreMeans, ScoredEnding, ScoredGame};

fn games(players: usize, seats: usize, seating: Seating) -> ScoredGames {
    ScoredGames::new(players, seats, seating)
}

fn add(games: &mut ScoredGames, players: &[usize], deal: u32, scores: &[f64]) {
    let ending = ScoredEnding::Scores(scores);
    games.add(&ScoredGame { players, ending, deal: Some(deal), fingerprint: None });
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + one.abs() + other.abs())
}

/// Deals of three players, 0 to 2, who are worth 6, 0 and −6 points in seats worth 3, 0 and −3, with
/// luck that adds up to nothing.
fn three(deals: u32) -> ScoredGames {
    let mut games = games(3, 3, Seating::Known);
    for deal in 0..deals {
        for game in 0..3_u32 {
            let players = [0, 1, 2].map(|seat| (seat + game as usize) % 3);
            let luck =
                if (deal + game).is_multiple_of(2) { [1.0, -1.0, 0.0] } else { [-1.0, 1.0, 0.0] };
            let score =
                |seat: usize| [6.0, 0.0, -6.0][players[seat]] + [3.0, 0.0, -3.0][seat] + luck[seat];
            // The value of the game drops out.
            let scores = [0, 1, 2].map(|seat| score(seat) + f64::from(deal * 10 + game));
            add(&mut games, &players, deal, &scores);
        }
    }
    games
}

#[test]
fn two_games_of_two_are_solved_as_by_hand() {
    let mut games = games(2, 2, Seating::Unknown);
    add(&mut games, &[0, 1], 1, &[6.0, 0.0]);
    add(&mut games, &[1, 0], 2, &[1.0, 3.0]);
    // Less their means: 3 and −3, then 1 and −1 for the same players.
    let (observed, unit) = collect_score_fit_games(&games);
    assert!(close(unit, 3.0));
    let equations = ScoreFitEquations::new(&games, &observed);
    let solution = equations.solve(&observed, 1.0, games.deals);
    // (H + I) x = r with H = (1 −1; −1 1) and r = (4/3, −4/3).
    assert!(close(solution.point[0], 4.0 / 9.0) && close(solution.point[1], -4.0 / 9.0));
    assert!(
        close(solution.inverse[[0, 0]], 2.0 / 3.0) && close(solution.inverse[[0, 1]], 1.0 / 3.0)
    );
    // What is left: 5/9 and −1/9 for each; 10/9 is typical, and 2/3 of two rows was fitted.
    let variance = (52.0 / 81.0 + 10.0 / 9.0) / (4.0 / 3.0 + 1.0);
    assert!(close(solution.variance, variance), "{}", solution.variance);
    let dispersion = (52.0 / 81.0 / variance + FIRST_FREEDOM) / (4.0 / 3.0 + FIRST_FREEDOM);
    assert!(close(solution.dispersion[0], dispersion), "{:?}", solution.dispersion);
    assert!(close(solution.luck_variance(), variance * dispersion));
}

#[test]
fn strengths_and_seats_are_found_in_points() {
    let fit = three(40).fit();
    for (found, truth) in fit.ratings.iter().zip([6.0, 0.0, -6.0]) {
        assert!((found.value - truth).abs() < 0.1, "{:?}", fit.ratings);
        assert!(found.low < truth && truth < found.high && found.margin() < 1.0, "{found:?}");
    }
    for (found, truth) in fit.seat_values.iter().zip([3.0, 0.0, -3.0]) {
        assert!((found.value - truth).abs() < 0.1, "{:?}", fit.seat_values);
    }
    let separation = fit.separation(0, 1).expect("they met");
    assert!(separation.los > 0.999 && separation.games == Some(0));
    let ranks = fit
        .rank_intervals_by(&IntervalClasses::new(&fit.groups, &[(); 3]))
        .into_iter()
        .map(|it| (it.low, it.high));
    assert_eq!(ranks.collect::<Vec<_>>(), [(1, 1), (2, 2), (3, 3)]);
}

#[test]
fn luck_of_seats_cancels_in_a_deal() {
    let dispersion = |shared: bool| {
        let mut games = games(2, 2, Seating::Known);
        for deal in 0..60_u32 {
            // A luck of ±5 points, the same for the seat in both games, or for the player.
            let luck = if deal.is_multiple_of(2) { 5.0 } else { -5.0 };
            add(&mut games, &[0, 1], deal, &[luck, 0.0]);
            add(&mut games, &[1, 0], deal, &if shared { [luck, 0.0] } else { [0.0, luck] });
        }
        games.fit().deal_dispersion
    };
    assert!(dispersion(true) < 0.1 && dispersion(false) > 1.5);
}

#[test]
fn a_fault_counts_only_between_guilty_and_innocent_and_as_much_as_the_worst_defeat() {
    let mut games = three(20);
    let before = games.fit();
    let worst = |fit: &ScoreFit| fit.ratings[0].value - fit.ratings[2].value;
    for deal in 100..120 {
        let ending = ScoredEnding::Fault(&[true, false, false]);
        games.add(&ScoredGame { players: &[0, 1, 2], ending, deal: Some(deal), fingerprint: None });
    }
    let after = games.fit();
    assert!(worst(&after) < worst(&before) - 5.0, "{:?}", after.ratings);
    let others = |fit: &ScoreFit| fit.ratings[1].value - fit.ratings[2].value;
    assert!((others(&after) - others(&before)).abs() < 0.5, "they are not drawn together");
    // All failed: nobody is compared.
    let count = games.rated.len();
    let ending = ScoredEnding::Fault(&[true; 3]);
    games.add(&ScoredGame { players: &[0, 1, 2], ending, deal: None, fingerprint: None });
    assert_eq!(games.rated.len(), count);
}

#[test]
fn copies_count_once_but_for_the_means() {
    let mut games = games(3, 3, Seating::Known);
    for _ in 0..4 {
        games.add(&ScoredGame {
            players: &[0, 1, 2],
            ending: ScoredEnding::Scores(&[9.0, 3.0, 0.0]),
            deal: Some(1),
            fingerprint: NonZeroU64::new(7),
        });
    }
    assert_eq!(games.rated.len(), 1);
    assert_eq!(games.score_means(0), Some(ScoreMeans { score: 9.0, margin: 7.5 }));
    assert_eq!(games.score_means(1), Some(ScoreMeans { score: 3.0, margin: -1.5 }));
    let ending = ScoredEnding::NoScores;
    games.add(&ScoredGame { players: &[0, 1, 2], ending, deal: Some(2), fingerprint: None });
    assert_eq!((games.games_without_scores(), games.rated.len()), (1, 1));
}

#[test]
fn few_games_and_extreme_scores_give_finite_intervals() {
    let mut one = games(4, 3, Seating::Known);
    assert!(!one.has_scores() && one.fit().has_game == [false; 4]);
    add(&mut one, &[0, 1, 2], 1, &[1e300, 0.0, -1e300]);
    let fit = one.fit();
    assert!(fit.ratings.iter().all(|it| it.low.is_finite() && it.high.is_finite()), "{fit:?}");
    assert!(fit.ratings[0].low < 0.0, "one game proves nothing: {:?}", fit.ratings);
    assert_eq!((fit.groups, fit.has_game), (vec![0, 0, 0, 1], vec![true, true, true, false]));
    let mut level = games(3, 3, Seating::Known);
    for deal in 0..9 {
        add(&mut level, &[0, 1, 2], deal, &[5.0; 3]);
    }
    let fit = level.fit();
    assert!(fit.ratings.iter().all(|it| it.value == 0.0 && it.margin() < 1e-3), "{fit:?}");
    let separation = fit.separation(0, 1).expect("they met");
    assert!((separation.los - 0.5).abs() < 1e-9 && separation.games.is_none());
}

#[test]
fn the_unit_of_scores_does_not_matter() {
    let plain = three(12).fit();
    let mut large = three(12);
    for game in &mut large.rated {
        let RatedEnding::Scores(scores) = &mut game.ending else { panic!("it has scores") };
        scores.iter_mut().for_each(|score| *score *= 1e9);
    }
    for (one, other) in plain.ratings.iter().zip(&large.fit().ratings) {
        assert!(close(one.value * 1e9, other.value) && close(one.low * 1e9, other.low));
    }
}

#[test]
fn the_quantile_of_t_is_near_the_tables() {
    for (freedom, table) in [(5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (1e6, 1.960)] {
        assert!((t_quantile(freedom) - table).abs() < 0.03, "{freedom}");
    }
}
