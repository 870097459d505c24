//! Compares every typed game with the same game as an [`AnyPosition`].

use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use referee_games::back_to_the_wall::BackToTheWall;
use referee_games::backdraughts::Backdraughts;
use referee_games::chess::Chess;
use referee_games::two_player::{self, BySide, Side, Turn};
use referee_games::watch_your_back::WatchYourBack;
use referee_games::{
    AnyPosition, Drawing, Event, Game, GameError, GameKind, Options, PASS, Step, StepError, StepOf,
    TextStep, perft, perft_divide,
};
use serde::Serialize;

/// A random step that answers the turn, with its text.
fn random_step<G: Game>(game: &G, rng: &mut ChaCha20Rng) -> Option<(StepOf<G>, TextStep)> {
    let mut action = |seat| game.random_action(seat, rng).expect("an action");
    Some(match game.turn() {
        Turn::Over(_) => return None,
        Turn::Pass(_) => (two_player::Step::Pass, Step::Pass),
        Turn::Move(seat) => {
            let action = action(seat);
            (two_player::Step::Move(action.clone()), Step::Move(action.to_string()))
        }
        Turn::Both => {
            let both = BySide::from_fn(action);
            let texts = both.as_ref().map(ToString::to_string);
            (two_player::Step::Both(both), Step::Together(texts.into()))
        }
        Turn::Chance(_) => {
            let outcomes = game.outcomes();
            let (drawn, _) = outcomes[rng.random_range(0..outcomes.len())].clone();
            (two_player::Step::Chance(drawn.clone()), Step::Chance(drawn.to_string()))
        }
    })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// Whether both agree about the position.
fn compare<G: Game>(game: &G, any: &dyn AnyPosition) {
    assert_eq!(any.turn(), game.turn().into());
    assert_eq!(any.values(), game.values().map(Into::into));
    assert_eq!((any.ply(), any.caption()), (game.ply(), game.caption()));
    let Drawing::Board(board, look) = any.draw() else { panic!("every built-in game has a board") };
    assert_eq!(board.cells, game.cells());
    assert!(board.squares().flat_map(|square| &square.0).all(|it| look.legend.contains_key(it)));
    assert!(board.columns.0.len() >= board.width() && board.rows.0.len() >= board.cells.len());
    let state = json(&game.state());
    assert_eq!(any.state().get(), state);
    let outcomes = game.outcomes().into_iter();
    let texts: Vec<_> = outcomes.map(|(outcome, weight)| (outcome.to_string(), weight)).collect();
    assert_eq!(any.outcomes(), texts);
    for side in Side::BOTH {
        let seat = side.into();
        assert_eq!(any.legal(seat), game.legal(side).into_text());
        assert_eq!(any.view(seat).get(), state);
        assert_eq!(any.legal_count(seat), game.legal_count(side));
        assert_eq!(any.can_win(seat), game.can_win(side));
        for text in [PASS, "3,3", "nonsense", "R U 3,5"] {
            let typed = game.parse_action(side, text).map(|action| action.to_string());
            assert_eq!(any.judge(seat, text), typed.map_err(GameError::Refused));
        }
    }
}

fn agree<G: Game>(kind: GameKind) {
    let options = Options::resolve(&G::sheet().options, []).expect("defaults");
    let rules = Arc::new(G::rules(&options).expect("defaults"));
    for seed in 0..6 {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let mut game = G::start(&rules);
        let mut silent = game.clone();
        let mut any = kind.game().start(&options).expect("defaults");
        compare(&game, &*any);
        while let Some((step, text)) = random_step(&game, &mut rng) {
            let (mut typed, mut texts) = (Vec::<Event>::new(), Vec::new());
            game.play_unchecked(step.clone(), &mut typed);
            any.play(text.as_text(), &mut texts).expect("legal");
            silent.play_silently(step);
            assert_eq!(typed, texts);
            compare(&game, &*any);
            compare(&silent, &*any);
        }
        let over = any.play(Step::Pass, &mut Vec::new());
        assert!(matches!(over, Err(GameError::Step(StepError::NotAsked { .. }))));
    }
    let any = kind.game().start(&options).expect("defaults");
    let one_by_one = perft_divide(&*any, 1).expect("listed").map(|below| below.expect("legal").1);
    assert_eq!(perft(&*any, 1), Ok(one_by_one.sum()), "counted in bulk");
}

#[test]
fn watch_your_back() {
    agree::<WatchYourBack>(GameKind::WatchYourBack);
}

#[test]
fn backdraughts() {
    agree::<Backdraughts>(GameKind::Backdraughts);
}

#[test]
fn back_to_the_wall() {
    agree::<BackToTheWall>(GameKind::BackToTheWall);
}

#[test]
fn chess() {
    agree::<Chess>(GameKind::Chess);
}

#[test]
fn play_refuses_an_illegal_step_with_a_reason() {
    let options = Options::resolve(&WatchYourBack::sheet().options, []).expect("defaults");
    let mut game = GameKind::WatchYourBack.game().start(&options).expect("defaults");
    let mut play = |step| game.play(step, &mut Vec::new()).expect_err("refused").to_string();
    assert!(play(Step::Move("pass")).starts_with("W7: pass "));
    assert_eq!(play(Step::Pass), "the step does not fit: expected an action by the first seat");
}
