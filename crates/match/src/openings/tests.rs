use super::*;
use crate::referee::scripted_game::scripted_game_rules;
use referee_games::{GameKind, Options, Step, Stream};
use referee_record::model::opening_source::MOST_PLIES;

fn rules(kind: GameKind, given: &[(&str, &str)]) -> GameRules {
    let game = kind.game();
    let options = Options::resolve(game.options(), given.iter().copied()).expect("options");
    GameRules::new(kind.shared(), options).expect("rules")
}

fn book(kind: GameKind, plies: u32) -> OpeningBook {
    OpeningBook::new(rules(kind, &[]), Some(&Openings::Random { plies })).expect("no list")
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

/// Plays an opening and returns where the game stands.
fn after(rules: &GameRules, opening: &Opening) -> Position {
    let mut position = rules.start.clone();
    for step in &opening.steps {
        position.play(step.as_text(), &mut Vec::new()).expect("legal");
    }
    position
}

/// Draws the chance of an opening again, which must be the same, and returns the luck behind it.
fn luck_behind(rules: &GameRules, opening: &Opening, mut luck: SeededLuck) -> SeededLuck {
    let mut position = rules.start.clone();
    for step in &opening.steps {
        if let Turn::Chance(stream) = position.turn() {
            assert_eq!(*step, Step::Chance(luck.draw(stream, &position.outcomes())));
        }
        position.play(step.as_text(), &mut Vec::new()).expect("legal");
    }
    luck
}

#[test]
fn random_openings_end_at_a_decision() {
    for &kind in GameKind::all() {
        for plies in [1, 2, 9, MOST_PLIES] {
            a_random_opening_leads_to_a_decision(&book(kind, plies), plies);
        }
    }
}

fn a_random_opening_leads_to_a_decision(book: &OpeningBook, plies: u32) {
    let secret = TournamentSecret::from_seed(7);
    for pair in 1..40 {
        let luck = || secret.game_luck(&["ant", "bee"], pair);
        let opening = book.opening(pair, &secret, luck()).expect("an opening");
        let position = after(book.rules(), &opening);
        let turn = position.turn();
        assert!(!turn.asked().is_empty(), "{plies} {pair} {turn:?}");
        assert!(plies > 2 || position.ply() >= plies, "{plies} {}", position.ply());
        let again = book.opening(pair, &secret, luck()).expect("an opening");
        assert_eq!(opening.steps, again.steps);
        // The game continues with the rolls after those of the opening.
        let mut luck = luck_behind(book.rules(), &opening, luck());
        let faces: Vec<(u32, u32)> = (1..=6).map(|face| (face, 1)).collect();
        let mut left = opening.luck;
        for stream in [Seat::FIRST, Seat::SECOND].map(Stream::Seat) {
            let one: Vec<u32> = (0..9).map(|_| luck.draw(stream, &faces)).collect();
            let other: Vec<u32> = (0..9).map(|_| left.draw(stream, &faces)).collect();
            assert_eq!(one, other);
        }
    }
}

#[test]
fn without_dice_openings_depend_on_the_pair_alone() {
    let (book, secret) = (book(GameKind::WatchYourBack, 8), TournamentSecret::from_seed(7));
    let of = |one: &str, pair| {
        book.opening(pair, &secret, secret.game_luck(&[one, "bee"], pair))
            .expect("an opening")
            .to_listed()
            .texts()
            .join(" ")
    };
    assert_eq!(of("ant", 1), of("cat", 1));
    assert_ne!(of("ant", 1), of("ant", 2));
    let other = TournamentSecret::from_seed(8);
    let elsewhere = book
        .opening(1, &other, other.game_luck(&["ant", "bee"], 1))
        .expect("an opening")
        .to_listed()
        .texts()
        .join(" ");
    assert_ne!(of("ant", 1), elsewhere);
}

#[test]
fn an_opening_is_at_most_half_of_its_game() {
    let rules = rules(GameKind::WatchYourBack, &[("max-moves", "10")]);
    let openings = Openings::Random { plies: MOST_PLIES };
    let book = OpeningBook::new(rules.clone(), Some(&openings)).expect("no list");
    let secret = TournamentSecret::from_seed(7);
    for pair in 1..20 {
        let opening = book
            .opening(pair, &secret, secret.game_luck(&["ant", "bee"], pair))
            .expect("an opening");
        let position = after(&rules, &opening);
        assert!(matches!(position.turn(), Turn::Move(_)), "{:?}", position.turn());
        // 24 placements and at most 10 moves.
        assert!((12..=17).contains(&position.ply()), "{}", position.ply());
    }
}

#[test]
fn pairs_use_listed_openings_in_turn() {
    let rules = rules(GameKind::WatchYourBack, &[]);
    let lists = [["3,3", "3,4"].as_slice(), &["2,2"]];
    let lists = lists.map(|list| ListedOpening::Actions(texts(list))).to_vec();
    let book = OpeningBook::new(rules.clone(), Some(&Openings::Listed(lists.clone())));
    let book = book.expect("legal actions");
    for (pair, list) in [(1, 0), (2, 1), (3, 0)] {
        assert_eq!(book.fixed_opening(pair).as_ref(), Some(&lists[list]));
    }
    assert_eq!(
        OpeningBook::empty(rules).fixed_opening(1),
        Some(ListedOpening::Actions(Vec::new()))
    );
}

#[test]
fn a_list_that_cannot_be_played_is_refused() {
    let play =
        |list: &[&str]| play_opening_list(&rules(GameKind::WatchYourBack, &[]).start, &texts(list));
    let refused = |list: &[&str]| play(list).expect_err("refused");
    let why = |list: &[&str]| match refused(list) {
        OpeningError::Action(number, why) => (number, why.to_string()),
        why => panic!("{why}"),
    };
    assert_eq!(why(&["3,3", "0,0"]), (1, "W1: 0,0 is a corner".to_owned()));
    assert!(why(&["3,3", "x"]).1.starts_with("syntax"));
    assert!(matches!(refused(&["pass"]), OpeningError::Action(0, _)));
    assert_eq!(play(&["3,3"]).map(|steps| steps.len()), Ok(1));
}

#[test]
fn a_simultaneous_turn_takes_two() {
    let rules = rules(GameKind::BackToTheWall, &[("rounds", "once")]);
    let play = |list: &[&str]| play_opening_list(&rules.start, &texts(list));
    let both = ["R U 3,5", "L D 3,1"];
    assert_eq!(play(&both).map(|steps| steps.len()), Ok(1));
    let alone = OpeningActionError::Alone("R U 3,5".to_owned());
    assert_eq!(play(&both[..1]), Err(OpeningError::Action(0, alone)));
}

#[test]
fn listed_openings_are_refused_in_games_with_dice() {
    let with_dice = rules(GameKind::Backdraughts, &[]);
    assert_eq!(play_opening_list(&with_dice.start, &texts(&["1,3>4,3"])), Err(OpeningError::Dice));
}

#[test]
fn a_forced_pass_may_be_left_out_of_a_list() {
    let start = scripted_game_rules("wpbw").start;
    for list in [&["go", "stay"][..], &["go", "pass", "stay"], &["go", " pass", "stay"]] {
        assert_eq!(
            play_opening_list(&start, &texts(list)).map(|steps| steps.len()),
            Ok(3),
            "{list:?}"
        );
    }
    let over = OpeningError::Action(1, OpeningActionError::Over);
    assert_eq!(
        play_opening_list(&scripted_game_rules("wpb").start, &texts(&["go", "stay"])),
        Err(over)
    );
}
