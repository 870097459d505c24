//! Invariants of every game, under each option alone and under combinations.

use std::collections::BTreeSet;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha20Rng;
use referee_games::options::{OptionKind, OptionSpec, OptionWords};
use referee_games::{
    AnyGame, AnyPosition, Event, GameError, GameKind, Legal, Options, PASS, Position, Refusal,
    Step, Text, TextStep, Turn,
};

/// One test per game, named after it, and one for the states in the protocol.
fn main() -> ExitCode {
    fn trial(name: &str, run: impl FnOnce() + Send + 'static) -> Trial {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    }
    let mut trials: Vec<_> = GameKind::all()
        .iter()
        .map(|&kind| trial(kind.name(), move || conforms(kind.game())))
        .collect();
    trials.push(trial(
        "states_have_the_fields_of_the_protocol",
        states_have_the_fields_of_the_protocol,
    ));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// No game may need more steps than this under options that end it.
const STEPS: usize = 20_000;
/// Random combinations of options per game.
const COMBINATIONS: usize = 60;

/// The words of an option, a few numbers, or a few lists.
fn values(spec: &OptionSpec) -> Vec<String> {
    let texts =
        |words: &OptionWords| words.0.iter().map(|(word, _)| word.clone()).collect::<Vec<_>>();
    match &spec.kind {
        OptionKind::Choice { values } => texts(values),
        OptionKind::Boolean => vec!["true".to_owned(), "false".to_owned()],
        OptionKind::Number { min, max } => {
            let numbers = BTreeSet::from([*min, min + 1, min + 2, min + 300]);
            let few = numbers.into_iter().filter(|number| number <= max);
            few.map(|number| number.to_string()).collect()
        }
        OptionKind::Text => [
            "startpos",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "8/8/4k3/8/8/8/4K3/7R b - - 90 60",
            "nonsense",
        ]
        .map(str::to_owned)
        .into(),
        OptionKind::List(kind) => {
            let names = texts(&kind.items);
            let lists = [names.join(","), format!("{0},{0}", names[0])];
            [texts(&kind.words), lists.into(), names].concat()
        }
    }
}

/// Some options and their values.
type Set = Vec<(Text, String)>;

/// Nothing, every value of every option alone, and random combinations.
fn option_sets(game: &dyn AnyGame) -> Vec<Set> {
    let values: Vec<_> =
        game.options().iter().map(|spec| (spec.name.clone(), values(spec))).collect();
    let mut sets = vec![Vec::new()];
    for (name, values) in &values {
        sets.extend(values.iter().map(|value| vec![(name.clone(), value.clone())]));
    }
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    for _ in 0..COMBINATIONS {
        let mut pick = |(name, values): &(Text, Vec<String>)| {
            let value = values.choose(&mut rng).expect("a value").clone();
            rng.random_bool(0.6).then_some((name.clone(), value))
        };
        sets.push(values.iter().filter_map(&mut pick).collect());
    }
    sets
}

/// The start under every valid set of options that ensures an end. Other sets are refused with a
/// message, and options as text round-trip.
fn all_starts(game: &dyn AnyGame) -> Vec<Position> {
    let start = |set: &Set| {
        let given = set.iter().map(|(name, value)| (&**name, value.as_str()));
        let options = Options::resolve(game.options(), given).expect("values that fit");
        let start = game
            .start(&options)
            .inspect_err(|error| assert!(error.to_string().contains(' '), "{error}"))
            .ok()?;
        let texts = options.texts();
        let shown = texts.iter().map(|(name, value)| (*name, value.as_str()));
        let again = Options::resolve(game.options(), shown).expect("values that fit");
        assert_eq!(again.texts(), texts);
        assert_eq!(format!("{:?}", game.start(&again)), format!("{:?}", Ok::<_, ()>(&start)));
        (game.endless(&options) == Ok(None)).then_some(start)
    };
    option_sets(game).iter().filter_map(start).collect()
}

fn default_options(game: &dyn AnyGame) -> Options {
    Options::resolve(game.options(), []).expect("defaults fit")
}

fn default_start(game: &dyn AnyGame) -> Position {
    game.start(&default_options(game)).expect("defaults make sense")
}

/// A random step that answers the turn; `None` when the game is over.
fn random_step(position: &dyn AnyPosition, rng: &mut ChaCha20Rng) -> Option<TextStep> {
    let outcomes = position.outcomes();
    assert_eq!(outcomes.is_empty(), !matches!(position.turn(), Turn::Chance(_)));
    assert!(outcomes.is_empty() || outcomes.iter().any(|(_, weight)| *weight > 0));
    let mut action = |seat| position.sample(seat, rng).expect("no failure").expect("an action");
    Some(match position.turn() {
        Turn::Move(seat) => Step::Move(action(seat)),
        Turn::Pass(_) => Step::Pass,
        Turn::Together(seats) => Step::Together(seats.iter().map(action).collect()),
        Turn::Chance(_) => Step::Chance(outcomes.choose(rng).expect("an outcome").0.clone()),
        Turn::Over(_) => return None,
    })
}

/// Steps that do not answer the turn are refused, and change nothing.
fn check_other_steps(position: &dyn AnyPosition) {
    let before = (position.turn(), position.state().get().to_owned());
    let nonsense = Step::Together(vec!["no", "no"]);
    for step in [Step::Move("no"), Step::Pass, nonsense, Step::Chance("no")] {
        if step == Step::Pass && matches!(before.0, Turn::Pass(_)) {
            continue;
        }
        let (mut again, mut events) = (position.boxed(), Vec::new());
        again.play(step, &mut events).expect_err("refused");
        assert_eq!((again.turn(), again.state().get().to_owned()), before);
        assert!(events.is_empty());
    }
}

/// Whether a refusal is valid: a known clause, and a reason that begins with the text.
fn refused_well(game: &dyn AnyGame, text: &str, error: &GameError) {
    match error {
        GameError::Refused(Refusal::Malformed(reason)) => assert!(!reason.is_empty()),
        GameError::Refused(Refusal::Illegal { clause, reason }) => {
            assert!(game.clauses().iter().any(|known| known.id == *clause), "{clause}");
            assert!(reason.starts_with(&format!("{} ", text.trim())), "{reason}");
        }
        other => panic!("`{text}`: {other}"),
    }
}

/// A text that is almost an action: another one, changed in one or two places.
fn mutated(text: &str, rng: &mut ChaCha20Rng) -> String {
    let alphabet: Vec<char> = "0123456789,>-+ .aceprtuUDLR/\t٣é".chars().collect();
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..rng.random_range(1..=2) {
        let at = rng.random_range(0..=characters.len());
        let new = *alphabet.choose(rng).expect("a character");
        match rng.random_range(0..3) {
            0 => characters.insert(at, new),
            1 if at < characters.len() => characters[at] = new,
            _ if at < characters.len() => drop(characters.remove(at)),
            _ => {}
        }
    }
    characters.into_iter().collect()
}

/// Checks the actions of the seats that choose.
fn check_actions(game: &dyn AnyGame, position: &dyn AnyPosition, rng: &mut ChaCha20Rng) {
    for seat in position.turn().asked().iter() {
        let sample = |rng: &mut ChaCha20Rng| {
            position.sample(seat, rng).expect("no failure").expect("an action")
        };
        let (texts, is_listed) = match position.legal(seat) {
            Legal::List(listed) => {
                assert!(listed.is_sorted_by(|a, b| a < b), "sorted, each once: {listed:?}");
                assert_eq!(position.legal_count(seat), listed.len() as u64);
                assert_eq!(position.first_legal(seat).as_ref(), listed.first());
                assert!(listed.contains(&sample(rng)));
                (listed, true)
            }
            legal => {
                for _ in 0..20 {
                    let text = one_of(&legal, rng);
                    assert!(position.judge(seat, &text).is_ok(), "{text}");
                }
                ((0..20).map(|_| sample(rng)).collect(), false)
            }
        };
        assert!(!texts.is_empty(), "a seat that is asked has an action");
        for text in &texts {
            assert_eq!(position.judge(seat, text).as_ref(), Ok(text));
            assert_eq!(position.judge(seat, &format!(" {text} \t")).as_ref(), Ok(text));
            if let Some(told) = told(position, text) {
                assert_eq!(position.judge(seat, &told).as_ref(), Ok(text), "{told}");
            }
        }
        for _ in 0..6 {
            let text = mutated(texts.choose(rng).expect("an action"), rng);
            match position.judge(seat, &text) {
                Ok(action) if is_listed && told(position, &action).is_some() => {
                    assert!(texts.contains(&action), "{text}: {action}");
                }
                Ok(action) if is_listed => assert_eq!(action, text.trim(), "one text an action"),
                Ok(action) => assert_eq!(position.judge(seat, &action), Ok(action.clone())),
                Err(error) => refused_well(game, &text, &error),
            }
        }
    }
}

/// A legal action in the notation of people, if its event has one.
fn told(position: &dyn AnyPosition, action: &str) -> Option<String> {
    let Turn::Move(_) = position.turn() else { return None };
    let (mut position, mut events) = (position.boxed(), Vec::new());
    position.play(Step::Move(action), &mut events).expect("legal");
    events.into_iter().find_map(|event| match event {
        Event::Played { san } => Some(san),
        _ => None,
    })
}

/// A text that the factored set allows, its squares in any order.
fn one_of(legal: &Legal, rng: &mut ChaCha20Rng) -> String {
    let Legal::Factored { directions, walls, squares } = legal else { return String::new() };
    let ways = [directions.choose(rng), directions.choose(rng)].map(|way| way.expect("four"));
    let walls: Vec<_> = squares.choose_multiple(rng, usize::from(*walls)).collect();
    let walls: Vec<_> = walls.iter().map(ToString::to_string).collect();
    format!("{} {} {}", ways[0], ways[1], walls.join(" "))
}

/// A seat that does not choose has no action, and no text is legal except a forced pass.
fn check_idle_seats(position: &dyn AnyPosition) {
    let turn = position.turn();
    for seat in position.seats().seats().filter(|&seat| !turn.asks(seat)) {
        assert_eq!(position.legal(seat), Legal::List(Vec::new()));
        assert_eq!((position.legal_count(seat), position.first_legal(seat)), (0, None));
        if turn == Turn::Pass(seat) {
            assert_eq!(position.judge(seat, PASS).as_deref(), Ok(PASS));
        } else {
            assert!(position.judge(seat, PASS).is_err());
        }
    }
}

fn is_over_event(event: &Event) -> bool {
    matches!(event, Event::Over { .. })
}

/// Plays a random game to its end, checking every position if `check`; returns its steps.
fn random_game(game: &dyn AnyGame, start: &Position, seed: u64, check: bool) -> Vec<TextStep> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let (mut position, mut steps) = (start.clone(), Vec::new());
    while let Some(step) = random_step(&*position, &mut rng) {
        if check {
            check_actions(game, &*position, &mut rng);
            check_idle_seats(&*position);
            check_other_steps(&*position);
        }
        let mut events = Vec::new();
        let before = position.ply();
        position.play(step.as_text(), &mut events).expect("a legal step");
        let plies = u32::from(!matches!(step, Step::Chance(_)));
        assert_eq!(position.ply(), before + plies);
        let over = matches!(position.turn(), Turn::Over(_));
        assert_eq!(events.iter().filter(|event| is_over_event(event)).count(), usize::from(over));
        assert_eq!(events.last().is_some_and(is_over_event), over);
        steps.push(step);
        assert!(steps.len() < STEPS, "the game goes on and on");
    }
    check_idle_seats(&*position);
    steps
}

/// Replays the steps, and compares every position with the one played without events, and with the
/// one that is restored from its snapshot.
fn replays(start: &Position, steps: &[TextStep]) {
    let mut position = start.clone();
    for step in steps {
        let mut copy = position.clone();
        position.play(step.as_text(), &mut Vec::new()).expect("a legal step");
        copy.play(step.as_text(), &mut Vec::new()).expect("a legal step");
        assert_eq!(position.state().get(), copy.state().get());
        assert_eq!(position.turn(), copy.turn());
        let snapshot = position.snapshot().expect("a built-in game");
        let restored = start.restored(&snapshot).expect("a position of this game");
        assert_eq!(format!("{restored:?}"), format!("{position:?}"), "{snapshot}");
    }
}

fn check_facts(game: &dyn AnyGame) {
    assert!(GameKind::named(game.name()).is_some_and(|kind| kind.name() == game.name()));
    let ids: BTreeSet<&str> = game.clauses().iter().map(|clause| &*clause.id).collect();
    assert_eq!(ids.len(), game.clauses().len(), "each clause has its own id");
    for spec in game.options() {
        assert!(
            spec.clause.as_deref().is_some_and(|clause| ids.contains(clause)),
            "{} belongs to a clause",
            spec.name
        );
        assert!(!values(spec).is_empty(), "{} can be set", spec.name);
    }
    assert_eq!(game.endless(&default_options(game)), Ok(None));
}

/// The whole suite for one game.
fn conforms(game: &dyn AnyGame) {
    check_facts(game);
    for (index, start) in (0..).zip(all_starts(game)) {
        for seed in 0..20 {
            let steps = random_game(game, &start, index * 1000 + seed, seed < 2);
            if seed < 5 {
                replays(&start, &steps);
            }
        }
    }
}

fn state_keys(kind: GameKind) -> Vec<String> {
    let start = default_start(kind.game());
    let state: serde_json::Value = serde_json::from_str(start.state().get()).expect("JSON");
    state.as_object().expect("an object").keys().cloned().collect()
}

fn states_have_the_fields_of_the_protocol() {
    let keys = ["phase", "board", "to_move", "placed", "moves", "size"];
    assert_eq!(state_keys(GameKind::WatchYourBack), keys);
    assert_eq!(state_keys(GameKind::Backdraughts), ["board", "to_move", "lost"]);
    assert_eq!(state_keys(GameKind::Chess), ["fen", "start", "moves", "board", "to_move"]);
    let keys = ["round", "board", "map", "owner", "pieces", "turn", "rounds"];
    assert_eq!(state_keys(GameKind::BackToTheWall), keys);
}
