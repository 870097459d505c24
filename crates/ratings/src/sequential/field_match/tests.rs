use std::num::NonZeroU64;

use super::*;
use crate::significance::count_as_f64;

const ERRORS: (f64, f64) = (0.05, 0.05);

fn field_match(opponents: usize, most_rounds: u32) -> FieldMatch {
    FieldMatch::new((0.0, 50.0), ERRORS, FieldSize::with_two_seats(opponents), most_rounds)
        .expect("a test")
}

/// The games of a deal by the half points of each player's two games.
fn deal(number: u32, halves: [[u32; 2]; 2]) -> [FieldGame; 4] {
    let game = |at: usize| FieldGame {
        deal: number,
        rival: [Rival::New, Rival::Old][at / 2],
        seat: at % 2,
        halves: halves[at / 2][at % 2],
        forfeited: false,
        fingerprint: NonZeroU64::new(u64::from(4 * number) + at as u64),
    };
    [0, 1, 2, 3].map(game)
}

/// Results that differ from deal to deal, with the new player ahead by about `lead` of 16 half
/// points in 4 deals.
fn halves(number: u32, lead: u32) -> [[u32; 2]; 2] {
    let new = [2, u32::from(number.is_multiple_of(2)) * 2];
    let old = [if number % 4 < lead { 0 } else { 2 }, u32::from(number.is_multiple_of(3)) * 2];
    [new, old]
}

fn play(played: &mut FieldMatch, deals: u32, lead: u32) {
    for number in 1..=deals {
        for game in deal(number, halves(number, lead)) {
            played.add(game);
        }
    }
}

#[test]
fn the_order_of_finishing_does_not_matter() {
    let games: Vec<FieldGame> =
        (1..=40).flat_map(|number| deal(number, halves(number, 2))).collect();
    let [mut there, mut back] = [field_match(4, 10), field_match(4, 10)];
    for (game, last) in games.iter().zip(games.iter().rev()) {
        there.add(*game);
        back.add(*last);
    }
    assert_eq!(there.state(), back.state());
    assert_eq!((there.deals(), there.state().stop), (40, Some(MatchEnd::Length)));
}

#[test]
fn a_round_is_judged_when_it_is_complete() {
    let mut played = field_match(3, 10);
    play(&mut played, 5, 1);
    assert_eq!((played.state().rounds, played.deals()), (1, 3));
    play(&mut played, 6, 1);
    assert_eq!((played.state().rounds, played.deals()), (2, 6));
    assert!(played.tables().iter().all(|score| score.deals == 2));
}

#[test]
fn the_match_stops_at_the_verdict() {
    let mut played = field_match(2, 1000);
    play(&mut played, 2000, 2);
    assert_eq!(
        (played.state().stop, played.verdict()),
        (Some(MatchEnd::Decided), SprtVerdict::Better)
    );
    let (deals, estimate) = (f64::from(played.deals()), played.estimate());
    assert!(deals < 400.0 && (deals - played.expected_deals()).abs() < 1e-9, "{deals}");
    assert!(estimate.low > 0.0 && estimate.low < estimate.value && estimate.value < estimate.high);
    assert!(played.los() > 0.95);
    assert!(played.score(Rival::New) > played.score(Rival::Old));
}

#[test]
fn both_errors_can_be_made_smaller() {
    let deals = |errors| {
        let mut played = FieldMatch::new((0.0, 50.0), errors, FieldSize::with_two_seats(2), 1000)
            .expect("a test");
        play(&mut played, 2000, 2);
        played.deals()
    };
    assert!(deals((0.001, 0.05)) > deals((0.05, 0.05)));
    assert_eq!(deals((0.05, 0.001)), deals((0.05, 0.05)), "it ends at the other bound");
}

#[test]
fn a_round_of_copies_ends_the_match() {
    let mut played = field_match(2, 1000);
    let copied = |number: u32| {
        deal(number, [[2, 2], [0, 2]]).map(|game| FieldGame {
            fingerprint: NonZeroU64::new(u64::from(number % 2 + 1)),
            ..game
        })
    };
    (1..=20).flat_map(copied).for_each(|game| played.add(game));
    assert_eq!((played.state().stop, played.state().copies), (Some(MatchEnd::Copies), 2));
    assert_eq!((played.deals(), played.verdict()), (2, SprtVerdict::Undecided));
}

/// It is known what the deterministic opponent does; without it, the other would count for all.
#[test]
fn copies_among_other_deals_count() {
    let mut played = field_match(2, 10);
    for number in 1..=20 {
        for game in deal(number, [[2, 1], [0, 2]]) {
            let fingerprint = game.fingerprint.filter(|_| number % 2 == 0).or(NonZeroU64::new(1));
            played.add(FieldGame { fingerprint, ..game });
        }
    }
    assert_eq!((played.deals(), played.state().copies), (20, 9));
}

#[test]
fn results_of_every_shape_have_finite_numbers() {
    for halves in [[[2, 2], [2, 2]], [[0, 0], [0, 0]], [[2, 2], [0, 0]], [[0, 0], [2, 2]]] {
        let mut played = field_match(3, 30);
        for number in 0..=90 {
            for game in deal(number, halves).into_iter().filter(|_| number > 0) {
                played.add(game);
            }
            let Estimate { low, value, high } = played.estimate();
            assert!(low <= value && value <= high, "{halves:?}: {low} {value} {high}");
            assert!((-FARTHEST..=FARTHEST).contains(&low), "{halves:?}: {low}");
            assert!((0.0..=1.0).contains(&played.los()), "{halves:?}");
            assert!(played.expected_deals() >= f64::from(played.deals()));
        }
    }
}

#[test]
fn a_difference_shows_less_against_distant_opponents() {
    let elo = |elo: f64| elo * PER_ELO;
    let near = expected_field_match_value(20.0, &[0.0]) - 0.5;
    assert!((near - 0.01439).abs() < 1e-5, "{near}");
    assert!((expected_field_match_value(20.0, &[elo(200.0)]) - 0.5) / near < 0.74);
    let mixed = expected_field_match_value(20.0, &[elo(-200.0), 0.0, elo(200.0)]) - 0.5;
    assert!((mixed / near - (1.0 + 2.0 * 0.7301) / 3.0).abs() < 1e-2, "{}", mixed / near);
    assert!(expected_field_match_value(0.0, &[1.0, 0.3]).to_bits() == 0.5_f64.to_bits());
}

#[test]
fn an_estimate_is_the_difference_at_which_its_mean_is_expected() {
    let played = field_match(3, 1000);
    for truth in [-300.0, -20.0, 0.0, 7.0, 150.0] {
        let strengths = [-1.0, 0.2, 2.0];
        assert!(
            (played.elo_at_value(expected_field_match_value(truth, &strengths), &strengths)
                - truth)
                .abs()
                < 1e-6
        );
    }
}

#[test]
fn the_first_expectation_is_that_of_the_formula() {
    let played =
        FieldMatch::new((0.0, 20.0), ERRORS, FieldSize::with_two_seats(5), 1000).expect("a test");
    let deals = played.expected_deals();
    assert!((deals - 6.0 / 16.0 / 0.01439_f64.powi(2)).abs() < 10.0, "{deals}");
}

/// With more seats, being ahead of an opponent is worth a point.
#[test]
fn a_deal_has_a_game_at_each_seat_of_both() {
    let field = FieldSize { tables: 1, seats: 3 };
    let mut played = FieldMatch::new((0.0, 50.0), ERRORS, field, 9).expect("a test");
    // The new player is first, second and last; the old one is always level with one of the two others
    // and behind the other.
    for (rival, halves) in [(Rival::New, [4, 2, 0]), (Rival::Old, [1, 1, 1])] {
        for (seat, halves) in halves.into_iter().enumerate() {
            assert_eq!(played.deals(), 0, "not before the deal is complete");
            played.add(FieldGame { deal: 1, rival, seat, halves, ..FieldGame::default() });
        }
    }
    let [new, old] = [Rival::New, Rival::Old].map(|rival| played.score(rival).value());
    assert_eq!((played.deals(), new, old), (1, 3.0, 1.5));
    assert_eq!(field.points(), 6);
    // Between equals without ties, a place is as likely as another.
    for seats in 2..=16 {
        let field = FieldSize { tables: 1, seats };
        let places: Vec<f64> =
            (0..seats).map(|place| count_as_f64(place) / count_as_f64(seats - 1)).collect();
        let mean = places.iter().sum::<f64>() / count_as_f64(seats);
        let squares = places.iter().map(|share| (share - mean).powi(2)).sum::<f64>();
        let variance = squares / count_as_f64(seats).powi(2);
        assert!((field.first_variance() - variance).abs() < 1e-12, "{seats}");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    assert!(FieldMatch::new((10.0, 10.0), ERRORS, FieldSize::with_two_seats(1), 1).is_err());
    assert!(FieldMatch::new((0.0, 10.0), (0.0, 0.05), FieldSize::with_two_seats(1), 1).is_err());
}

/// The games of a deal of a duel of three seats, of which the new player wins this many.
fn duel_deal(number: u32, won: usize) -> impl Iterator<Item = FieldGame> {
    (0..3).flat_map(move |seat| {
        let ahead = if seat < won { 2 } else { 0 };
        [(Rival::New, ahead), (Rival::Old, 2 - ahead)].map(|(rival, halves)| FieldGame {
            deal: number,
            rival,
            seat,
            halves,
            ..FieldGame::default()
        })
    })
}

#[test]
fn a_duel_tells_who_is_ahead_of_the_other() {
    let mut played = FieldMatch::duel((0.0, 50.0), ERRORS, 3, 1000).expect("a test");
    // A deal of three games that are decided has a variance of a twelfth.
    let expected = played.expected_deals();
    let lead = expected_field_match_share(50.0 * PER_ELO) - 0.5;
    let needed = played.state().test.needed.0;
    assert!((expected - 2.0 * needed / 12.0 / lead.powi(2)).abs() < 1e-9, "{expected}");
    for number in 1.. {
        if played.state().stop.is_some() {
            break;
        }
        for game in duel_deal(number, if number % 2 == 0 { 2 } else { 3 }) {
            played.add(game);
        }
    }
    assert_eq!(played.verdict(), SprtVerdict::Better);
    let points = played.score(Rival::New).value() + played.score(Rival::Old).value();
    assert!((points - f64::from(played.points() * played.deals())).abs() < 1e-9, "{points}");
    // Five of six games are 280 Elo; half a deal won and half a deal lost are added.
    let elo = played.estimate();
    assert!(elo.low < 280.0 && 280.0 < elo.high && elo.value > 100.0, "{elo:?}");
}
