use super::*;
use referee_games::{Places, Seat};
use referee_ratings::{Compared, GameOutcome, Seating};
use referee_record::model::game_summary::SummaryFaults;

fn empty(seats: usize) -> Matchmaker {
    Matchmaker::new(DealTable { seats, seating: Seating::Known, compared: Compared::All })
}

fn form(players: usize) -> Matchmaker {
    at_table(2, players)
}

fn at_table(seats: usize, players: usize) -> Matchmaker {
    let mut form = empty(seats);
    for player in 0..players {
        form.add();
        form.enter(player, None, None);
    }
    form
}

/// A game that is unlike all others.
fn game(outcome: GameOutcome, number: u64) -> GameSummary {
    let faults = SummaryFaults::default();
    GameSummary {
        faults,
        fingerprint: NonZeroU64::new(number + 1),
        ..GameSummary::from_outcome(outcome)
    }
}

#[test]
fn a_new_player_plays_first_and_everyone_gets_a_share() {
    let mut form = form(8);
    let mut games = [0; 9];
    let play = |form: &mut Matchmaker, pairs: u64, games: &mut [u32; 9]| {
        for number in 0..pairs {
            let [one, other] = form.choose_deal().expect("two are there").two();
            let outcome = if number % 2 == 0 { GameOutcome::Win } else { GameOutcome::Loss };
            form.learn([one, other].into(), game(outcome, number));
            games[one] += 1;
            games[other] += 1;
        }
    };
    play(&mut form, 400, &mut games);
    assert!(games[..8].iter().all(|&games| games > 50), "{games:?}");
    form.add();
    form.enter(8, None, Some(0));
    let mut games = [0; 9];
    play(&mut form, 20, &mut games);
    assert!(games[8] >= 10, "every other game is its own: {games:?}");
}

#[test]
fn those_who_left_are_not_chosen() {
    let mut form = form(3);
    form.leave(1);
    for _ in 0..10 {
        let [one, other] = form.choose_deal().expect("two are there").two();
        assert_eq!((one.min(other), one.max(other)), (0, 2));
    }
    form.leave(0);
    assert_eq!(form.choose_deal(), None);
}

#[test]
fn nobody_is_chosen_for_copies_of_games() {
    let mut form = form(2);
    for _ in 0..=2 * REPEATS {
        let [one, other] = form.choose_deal().expect("games are new").two();
        form.learn([one.min(other), one.max(other)].into(), game(GameOutcome::Win, 0));
    }
    assert_eq!(form.choose_deal(), None);
    form.add();
    form.enter(2, None, None);
    assert!(form.choose_deal().is_some(), "a new opponent");
}

#[test]
fn opponents_are_near_in_strength() {
    let mut form = form(4);
    for (player, value) in [0.0, 30.0, 900.0, 930.0].into_iter().enumerate() {
        form.players[player].value = value;
    }
    for _ in 0..20 {
        let [one, other] = form.choose_deal().expect("four are there").two();
        assert_eq!(one / 2, other / 2, "{one} and {other}");
    }
}

#[test]
fn given_ratings_are_not_played_for() {
    let mut form = empty(2);
    for (player, rating) in [0.0, 300.0].into_iter().enumerate() {
        form.add();
        form.enter(player, Some(rating), None);
    }
    assert_eq!(form.choose_deal(), None, "their games tell nothing");
    form.add();
    form.enter(2, None, None);
    for number in 0..10 {
        let [one, other] = form.choose_deal().expect("a new player").two();
        assert!(one == 2 || other == 2, "{one} and {other}");
        form.learn([one, other].into(), game(GameOutcome::Draw, number));
    }
}

/// The games of each until the league rests, if the first of two wins this share of games.
fn games_until_rest(wins: f64) -> u64 {
    let mut form = form(2);
    let (mut games, mut won) = (0, 0.0);
    while form.choose_deal().is_some() {
        for seats in [[0, 1], [1, 0]] {
            games += 1;
            let is_win = won < wins * f64::from(u32::try_from(games).expect("few"));
            won += f64::from(is_win);
            let outcome =
                if is_win == (seats[0] == 0) { GameOutcome::Win } else { GameOutcome::Loss };
            form.learn(seats.into(), game(outcome, games));
        }
        assert!(games < 10_000, "it rests some day");
    }
    games
}

#[test]
fn a_league_rests_when_games_tell_hardly_anything() {
    let equals = games_until_rest(0.5);
    assert!((150..400).contains(&equals), "{equals}");
    let unequal = games_until_rest(1.0);
    assert!((20..400).contains(&unequal), "{unequal}");
}

/// The game that this order of the seats ends, unlike all others.
fn ordered(players: Lineup, number: u64) -> GameSummary {
    let places = Places::ordered(players.seats().len(), |one: Seat, other: Seat| {
        players.at(one).cmp(&players.at(other))
    });
    let faults = SummaryFaults::default();
    GameSummary {
        faults,
        fingerprint: NonZeroU64::new(number + 1),
        ..GameSummary::from_places(places)
    }
}

#[test]
fn a_table_is_filled_by_others_who_were_rarely_met() {
    let mut form = at_table(4, 12);
    let (mut met, mut number) = (std::collections::BTreeMap::new(), 0);
    for _ in 0..60 {
        let players = form.choose_deal().expect("twelve are there");
        assert!(players.are_different() && players.seats().len() == 4, "{players:?}");
        for _ in 0..4 {
            form.note_game_begun(players);
            form.learn(players, ordered(players, number));
            form.note_game_over(players);
            number += 1;
        }
        for one in players.players() {
            for other in players.players().filter(|&other| other > one) {
                *met.entry((one, other)).or_insert(0) += 1;
            }
        }
    }
    // Of 66 pairs, those furthest apart in strength need not meet.
    assert!(met.len() > 50 && met.values().max() <= Some(&20), "{met:?}");
    let values: Vec<f64> = form.players.iter().map(|player| player.value).collect();
    assert!(values[0] > values[5] + 200.0 && values[5] > values[11] + 200.0, "{values:?}");
}

#[test]
fn a_table_needs_as_many_as_it_has_seats_and_no_third_copy_of_a_deal() {
    let mut form = at_table(3, 2);
    assert_eq!(form.choose_deal(), None);
    form.add();
    form.enter(2, None, None);
    let mut deals = 0;
    while let Some(players) = form.choose_deal() {
        deals += 1;
        for game in 0..3 {
            let rotated = players.sorted_by_key(|player| (player + game) % 3);
            form.learn(rotated, ordered(rotated, 0));
        }
    }
    assert_eq!(deals, 3, "the first one, and two copies");
}

#[test]
fn a_game_tells_only_of_those_who_are_compared() {
    let players = Lineup::from([0, 1, 2]);
    let table = DealTable { compared: Compared::Winner, ..at_table(3, 0).table };
    let mut form = Matchmaker { table, ..at_table(3, 3) };
    form.learn(players, ordered(players, 0));
    let [first, second, third] = [0, 1, 2].map(|player| form.players[player]);
    assert!(first.value > second.value && (second.value - third.value).abs() < 1e-9);
    assert!(first.deviation < second.deviation, "it is compared twice");
    let mut form = at_table(3, 3);
    let faults: SummaryFaults =
        [(Seat::SECOND, referee_record::model::fault::FaultCode::Crash)].into_iter().collect();
    let places = Places::lost_by(Seat::SECOND.into(), 3);
    form.learn(players, GameSummary { faults, ..GameSummary::from_places(places) });
    let [first, second, third] = [0, 1, 2].map(|player| form.players[player]);
    assert!(first.value > second.value && (first.value - third.value).abs() < 1e-9);
}
