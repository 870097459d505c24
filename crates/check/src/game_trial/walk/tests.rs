use rand::SeedableRng;

use super::*;
use referee_games::{GameKind, Options};
use referee_match::referee::scripted_game::scripted_game_rules;

fn random() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn walk(turns: &'static str) -> TrialWalk {
    TrialWalk::new(&scripted_game_rules(turns).start)
}

#[test]
fn every_kind_of_turn_is_answered() {
    let mut walk = walk("wpd2");
    let mut rng = random();
    while walk.random_step(&mut rng).expect("no failure") {}
    let go = || "go".to_owned();
    assert_eq!(
        walk.steps,
        [
            Step::Move(go()),
            Step::Pass,
            Step::Chance("6".to_owned()),
            Step::Together(vec![go(), go()]),
        ]
    );
    assert_eq!(walk.choices, [2, 2, 2], "one decision of white, and one of both");
    assert_eq!(walk.events.len(), 2, "those of the last step");
}

#[test]
fn all_steps_from_a_position_are_listed() {
    let listed = |turns| list_walk_steps(&*walk(turns).position, &mut random());
    let moves = ["go", "stay"].map(|text| Step::Move(text.to_owned()));
    assert_eq!(listed("w"), moves);
    assert_eq!(listed("p"), [Step::Pass]);
    assert_eq!(listed("d"), [Step::Chance("6".to_owned())]);
    assert_eq!(listed("2").len(), MOST_STEPS / 4);
    assert_eq!(listed(""), []);
}

#[test]
fn of_many_steps_some_are_chosen() {
    let many: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
    let chosen = sample_walk_steps(Some(many), &mut random(), Step::Move);
    assert_eq!(chosen.len(), MOST_STEPS);
    let different: std::collections::HashSet<String> =
        chosen.iter().map(|step| format!("{step:?}")).collect();
    assert_eq!(different.len(), MOST_STEPS);
    assert_eq!(sample_walk_steps(None, &mut random(), Step::Move), [], "nothing is listed");
}

#[test]
fn a_step_that_is_refused_is_kept_as_the_last_one() {
    let game = GameKind::WatchYourBack.game();
    let options = Options::resolve(game.options(), []).expect("the defaults");
    let mut walk = TrialWalk::new(&game.start(&options).expect("the defaults"));
    walk.play(Step::Move("3,3".to_owned())).expect("legal");
    walk.play(Step::Move("0,0".to_owned())).expect_err("a corner");
    assert_eq!((walk.steps.len(), walk.position.ply()), (2, 1));
}
