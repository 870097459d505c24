use rand::SeedableRng;

use super::*;
use crate::game_trial::{GameFinding, TrialPlan, run_game_trial};
use referee_games::{GameKind, Options};
use referee_match::referee::scripted_game::scripted_game_rules;

fn found(rules: &GameRules) -> Vec<GameFinding> {
    let mut findings = GameFindings::default();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..20 {
        check_trial_position(rules, &TrialWalk::new(&rules.start), &mut rng, &mut findings);
    }
    findings.sorted()
}

#[test]
fn nothing_is_found_where_nobody_is_asked() {
    assert_eq!(found(&scripted_game_rules("")), []);
}

#[test]
fn texts_that_are_not_understood_are_no_mistake() {
    assert_eq!(found(&scripted_game_rules("w2")), []);
}

#[test]
fn nothing_is_found_in_a_built_in_game() {
    for game in [GameKind::WatchYourBack, GameKind::Backdraughts] {
        let game = game.shared();
        let options = Options::resolve(game.options(), []).expect("the defaults");
        let rules = GameRules::new(game, options).expect("the defaults");
        assert_eq!(found(&rules), []);
    }
}

#[test]
fn a_trial_of_a_built_in_game_is_its_portrait() {
    let game = GameKind::WatchYourBack.shared();
    let given = [("max-moves", "6")];
    let options = Options::resolve(game.options(), given).expect("a value that fits");
    let rules = GameRules::new(game, options).expect("options that fit");
    let plan = TrialPlan { games: 3, seed: 5, search_games: 1, nodes: 20 };
    let (one, other) =
        (run_game_trial(&rules, &plan, &mut |_| {}), run_game_trial(&rules, &plan, &mut |_| {}));
    assert_eq!((one.games, &one.findings, one.seed), (3, &Vec::new(), 5));
    let [portrait, again] = [one, other].map(|trial| trial.portrait.expect("whole games"));
    assert_eq!(portrait.random.games, 3);
    assert_eq!(portrait.random.reasons.values().sum::<u32>(), 3);
    let search = portrait.search.as_ref().expect("one game");
    assert_eq!((search.players.as_str(), search.games), ("search-20", 1));
    assert!(portrait.branching.is_some_and(|branching| branching.least >= 1));
    assert_eq!((&portrait.random, &portrait.search), (&again.random, &again.search), "by the seed");
}
