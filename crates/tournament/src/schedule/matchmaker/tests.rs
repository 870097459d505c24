use super::*;
use referee_ratings::GameOutcome;
use referee_record::model::game_summary::SeatFaults;

fn form(players: usize) -> Matchmaker {
    let mut form = Matchmaker::default();
    for player in 0..players {
        form.add();
        form.enter(player, None, None);
    }
    form
}

/// A game that is unlike all others.
fn game(outcome: GameOutcome, number: u64) -> GameSummary {
    let faults = SeatFaults::default();
    GameSummary { faults, fingerprint: NonZeroU64::new(number + 1), ..GameSummary::of_two(outcome) }
}

#[test]
fn a_new_player_plays_first_and_everyone_gets_a_share() {
    let mut form = form(8);
    let mut games = [0; 9];
    let play = |form: &mut Matchmaker, pairs: u64, games: &mut [u32; 9]| {
        for number in 0..pairs {
            let (one, other) = form.choose().expect("two are there");
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
        let (one, other) = form.choose().expect("two are there");
        assert_eq!((one.min(other), one.max(other)), (0, 2));
    }
    form.leave(0);
    assert_eq!(form.choose(), None);
}

#[test]
fn nobody_is_chosen_for_copies_of_games() {
    let mut form = form(2);
    for _ in 0..=REPEATS {
        let (one, other) = form.choose().expect("games are new");
        form.learn([one.min(other), one.max(other)].into(), game(GameOutcome::Win, 0));
    }
    assert_eq!(form.choose(), None);
    form.add();
    form.enter(2, None, None);
    assert!(form.choose().is_some(), "a new opponent");
}

#[test]
fn opponents_are_near_in_strength() {
    let mut form = form(4);
    for (player, value) in [0.0, 30.0, 900.0, 930.0].into_iter().enumerate() {
        form.players[player].value = value;
    }
    for _ in 0..20 {
        let (one, other) = form.choose().expect("four are there");
        assert_eq!(one / 2, other / 2, "{one} and {other}");
    }
}

#[test]
fn given_ratings_are_not_played_for() {
    let mut form = Matchmaker::default();
    for (player, rating) in [0.0, 300.0].into_iter().enumerate() {
        form.add();
        form.enter(player, Some(rating), None);
    }
    assert_eq!(form.choose(), None, "their games tell nothing");
    form.add();
    form.enter(2, None, None);
    for number in 0..10 {
        let (one, other) = form.choose().expect("a new player");
        assert!(one == 2 || other == 2, "{one} and {other}");
        form.learn([one, other].into(), game(GameOutcome::Draw, number));
    }
}

/// The games of each until the league rests, if the first of two wins this share of games.
fn games_until_rest(wins: f64) -> u64 {
    let mut form = form(2);
    let (mut games, mut won) = (0, 0.0);
    while form.choose().is_some() {
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
