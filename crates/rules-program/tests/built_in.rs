//! Built-in games behind a pipe behave like the built-in games.

use std::error::Error;
use std::io::{self, BufReader};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_games::{
    AnyGame, AnyPosition, BySeat, Event, GameKind, Options, PlacesTell, RulesProgram, Seat, Step,
    TextStep, Turn,
};
use referee_rules_program::{
    ProgramEnd, ProgramGame, ProgramLauncher, ProgramPipes, RulesProcess, serve_rules,
};

/// A built-in game in a thread, behind pipes.
#[derive(Debug)]
struct InThread(GameKind);

#[derive(Debug)]
struct ServerThread;

impl RulesProcess for ServerThread {
    fn end(&mut self) -> ProgramEnd {
        ProgramEnd { how: "panicked".to_owned(), stderr: Vec::new() }
    }
}

impl ProgramLauncher for InThread {
    fn start(&self) -> Result<(Box<dyn RulesProcess>, ProgramPipes), Box<dyn Error>> {
        let (input, to) = io::pipe()?;
        let (from, output) = io::pipe()?;
        let kind = self.0;
        thread::spawn(move || {
            serve_rules(kind.game(), BufReader::new(input), output).expect("requests");
        });
        Ok((Box::new(ServerThread), ProgramPipes::new(to.into(), from.into())?))
    }
}

fn through_the_pipe(kind: GameKind) -> ProgramGame {
    let identify = |answer: &str| RulesProgram {
        command: vec![answer.to_owned()],
        program: String::new(),
        dir: String::new(),
        configured: String::new(),
        files: Vec::new(),
        reply_ms: 10_000,
        hash: String::new(),
        code: String::new(),
        hidden: false,
        ranking: PlacesTell::Places,
    };
    let limit = Duration::from_secs(60);
    ProgramGame::open(Arc::new(InThread(kind)), limit, identify).expect("a game")
}

/// Everything visible of a position, as text.
fn seen(position: &dyn AnyPosition) -> String {
    let legal =
        BySeat::from_fn(2, |seat| serde_json::to_string(&position.legal(seat)).expect("data"));
    let state = position.state().get().to_owned();
    let own =
        state.split(",\"snapshot\":").next().expect("a part").trim_end_matches('}').to_owned();
    format!(
        "{own} {:?} {:?} {} {legal:?} {:?} {} {:?} {:?}",
        position.turn(),
        position.outcomes(),
        position.ply(),
        position.draw(),
        position.caption(),
        position.values(),
        BySeat::from_fn(2, |seat| position.can_win(seat)),
    )
}

fn random_step(position: &dyn AnyPosition, rng: &mut ChaCha8Rng) -> Option<TextStep> {
    let mut action = |seat| position.sample(seat, rng).expect("no failure").expect("an action");
    Some(match position.turn() {
        Turn::Move(seat) => Step::Move(action(seat)),
        Turn::Together(seats) => Step::Together(seats.iter().map(action).collect()),
        Turn::Pass(_) => Step::Pass,
        Turn::Chance(_) => {
            let outcomes = position.outcomes();
            Step::Chance(outcomes.choose(rng).expect("an outcome").0.clone())
        }
        Turn::Over(_) => return None,
    })
}

/// Plays random games on both sides of the pipe.
fn agree(kind: GameKind, given: &[(&str, &str)], games: u64) {
    let piped = through_the_pipe(kind);
    let options = |game: &dyn AnyGame| {
        Options::resolve(game.options(), given.iter().copied()).expect("values that fit")
    };
    for seed in 0..games {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut one = kind.game().start(&options(kind.game())).expect("options");
        let mut other = piped.start(&options(&piped)).expect("options");
        while let Some(step) = random_step(&*one, &mut rng) {
            assert_eq!(seen(&*one), seen(&*other));
            judge_alike(&*one, &*other, &mut rng);
            let (mut told, mut heard) = (Vec::new(), Vec::new());
            one.play(step.as_text(), &mut told).expect("legal");
            other.play(step.as_text(), &mut heard).expect("legal");
            assert_eq!(json(&told), json(&heard));
        }
        assert_eq!(seen(&*one), seen(&*other));
    }
}

fn json(events: &[Event]) -> String {
    serde_json::to_string(events).expect("plain data")
}

/// Some texts mean the same, or are refused for the same reason.
fn judge_alike(one: &dyn AnyPosition, other: &dyn AnyPosition, rng: &mut ChaCha8Rng) {
    for seat in one.turn().asked().iter() {
        let any = one.sample(seat, rng).expect("no failure").expect("an action");
        let column = rng.random_range(0..9).to_string();
        for text in ["", "nonsense", &any, &format!(" {any} "), &any.replace(['3', '4'], &column)] {
            let judged = other.judge(seat, text);
            if text.is_empty() {
                assert!(judged.is_err());
            } else {
                assert_eq!(one.judge(seat, text), judged, "{text}");
            }
        }
    }
}

#[test]
fn watch_your_back() {
    agree(GameKind::WatchYourBack, &[], 2);
    agree(GameKind::WatchYourBack, &[("max-moves", "30")], 2);
}

#[test]
fn backdraughts() {
    agree(GameKind::Backdraughts, &[("first", "roll"), ("overlooked", "opponent")], 2);
    agree(GameKind::Backdraughts, &[("move", "no-dice"), ("turning", "on")], 1);
}

#[test]
fn back_to_the_wall() {
    agree(GameKind::BackToTheWall, &[], 1);
    agree(GameKind::BackToTheWall, &[("rounds", "once"), ("tie", "draw")], 2);
}

#[test]
fn chess() {
    agree(GameKind::Chess, &[], 2);
    agree(GameKind::Chess, &[("fen", "7r/8/4k3/8/8/8/4K3/7R b - - 90 60")], 20);
}

#[test]
fn actions_that_are_not_listed_are_sampled() {
    let game = through_the_pipe(GameKind::BackToTheWall);
    let options = Options::resolve(game.options(), []).expect("defaults");
    let position = game.start(&options).expect("defaults");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..20 {
        let action = position.sample(Seat::FIRST, &mut rng).expect("no failure").expect("one");
        assert_eq!(position.judge(Seat::FIRST, &action), Ok(action));
    }
}

#[test]
fn contradictory_options_are_refused_without_ending_the_program() {
    let game = through_the_pipe(GameKind::Backdraughts);
    let given = [("move", "dice"), ("repetition", "3")];
    let options = Options::resolve(game.options(), given).expect("values that fit");
    let error = game.start(&options).expect_err("repetition is for games without dice");
    assert!(error.to_string().contains("no effect with dice"), "{error}");
    let options = Options::resolve(game.options(), []).expect("defaults");
    assert_eq!(game.start(&options).expect("defaults").ply(), 0);
}
