//! What holds for every game under its options, alone and together.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha20Rng;
use referee_games::options::{OptionKind, OptionSpec};
use referee_games::with_game;
use referee_games::{
    BySeat, Event, Game, GameKind, Legal, Options, Refusal, Seat, Step, StepOf, Turn,
};

/// One test per game, named after it, and one of what the protocol says of their states.
fn main() -> ExitCode {
    let trial = |name: &str, run: fn()| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    let mut trials: Vec<_> = GameKind::all()
        .iter()
        .map(|&kind| trial(kind.name(), with_game!(kind, G => conforms::<G>)))
        .collect();
    trials.push(trial(
        "states_have_the_fields_of_the_protocol",
        states_have_the_fields_of_the_protocol,
    ));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// No game may need more steps than this under options that end it.
const STEPS: usize = 20_000;
/// Random combinations of options a game.
const COMBINATIONS: usize = 60;

/// The words of an option, a few numbers, or a few lists.
fn values(spec: &OptionSpec) -> Vec<String> {
    match spec.kind {
        OptionKind::Choice(words) => words.iter().map(|(word, _)| (*word).to_owned()).collect(),
        OptionKind::Number { min, max } => {
            let numbers = BTreeSet::from([min, min + 1, min + 2, min + 300]);
            let few = numbers.into_iter().filter(|number| *number <= max);
            few.map(|number| number.to_string()).collect()
        }
        OptionKind::List(kind) => {
            let names: Vec<_> = kind.items.iter().map(|(name, _)| (*name).to_owned()).collect();
            let words = kind.words.iter().map(|(word, _)| (*word).to_owned());
            let lists = [names.join(","), format!("{0},{0}", names[0])];
            words.chain(lists).chain(names).collect()
        }
    }
}

/// Some options and their values.
type Set = Vec<(&'static str, String)>;

/// Nothing, every value of every option alone, and random combinations.
fn option_sets<G: Game>() -> Vec<Set> {
    let values: Vec<_> = G::OPTIONS.iter().map(|spec| (spec.name, values(spec))).collect();
    let mut sets = vec![Vec::new()];
    for (name, values) in &values {
        sets.extend(values.iter().map(|value| vec![(*name, value.clone())]));
    }
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    for _ in 0..COMBINATIONS {
        let mut pick = |(name, values): &(&'static str, Vec<String>)| {
            let value = values.choose(&mut rng).expect("a value").clone();
            rng.random_bool(0.6).then_some((*name, value))
        };
        sets.push(values.iter().filter_map(&mut pick).collect());
    }
    sets
}

/// The rules of every option set that makes sense and ends. What makes none is refused in words,
/// and what is shown of the others stands for the same rules.
fn all_rules<G: Game>() -> Vec<Arc<G::Rules>> {
    let rules = |set: &Set| {
        let given = set.iter().map(|(name, value)| (*name, value.as_str()));
        let options = Options::resolve(G::OPTIONS, given).expect("values that fit");
        let rules = G::rules(&options)
            .inspect_err(|sentence| assert!(sentence.contains(' '), "{sentence}"))
            .ok()?;
        let texts = options.texts();
        let shown = texts.iter().map(|(name, value)| (*name, value.as_str()));
        let again = Options::resolve(G::OPTIONS, shown).expect("values that fit");
        assert_eq!(again.texts(), texts);
        assert_eq!(format!("{:?}", G::rules(&again)), format!("{:?}", Ok::<_, String>(&rules)));
        G::endless(&rules).is_none().then(|| Arc::new(rules))
    };
    option_sets::<G>().iter().filter_map(rules).collect()
}

fn default_rules<G: Game>() -> Arc<G::Rules> {
    let options = Options::resolve(G::OPTIONS, []).expect("defaults fit");
    Arc::new(G::rules(&options).expect("defaults make sense"))
}

/// A random step that answers the turn; `None` when the game is over.
fn random_step<G: Game>(game: &G, rng: &mut ChaCha20Rng) -> Option<StepOf<G>> {
    let mut action = |seat| game.random_action(seat, rng).expect("an action");
    Some(match game.turn() {
        Turn::Move(seat) => Step::Move(action(seat)),
        Turn::Pass(_) => Step::Move(G::pass()),
        Turn::Both => Step::Both(BySeat::from_fn(action)),
        Turn::Chance(_, outcomes) => {
            Step::Chance(outcomes.choose(rng).expect("an outcome").0.clone())
        }
        Turn::Over(_) => return None,
    })
}

/// The seats that choose now.
fn choosing<G: Game>(game: &G) -> Vec<Seat> {
    match game.turn() {
        Turn::Move(seat) => vec![seat],
        Turn::Both => Seat::BOTH.to_vec(),
        _ => Vec::new(),
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// Whether a refusal is in order: a known clause and a reason that begins with the text.
fn refused_well<G: Game>(text: &str, refusal: &Refusal) {
    match refusal {
        Refusal::Malformed(reason) => assert!(!reason.is_empty()),
        Refusal::Illegal { clause, reason } => {
            assert!(G::CLAUSES.iter().any(|known| known.id == *clause), "{clause}");
            assert!(reason.starts_with(&format!("{} ", text.trim())), "{reason}");
        }
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

/// What holds for the actions of the seats that choose.
fn check_actions<G: Game>(game: &G, rng: &mut ChaCha20Rng) {
    for seat in choosing(game) {
        let actions = some_actions(game, seat, rng);
        let texts: Vec<_> = actions.iter().map(ToString::to_string).collect();
        let (plain, factored) = match game.legal(seat) {
            Legal::List(listed) => {
                assert!(texts.is_sorted_by(|a, b| a < b), "sorted, each once: {texts:?}");
                assert_eq!(game.legal_count(seat), texts.len() as u64);
                assert_eq!(listed, texts);
                (true, Vec::new())
            }
            legal @ Legal::Factored { .. } => {
                (false, (0..20).map(|_| one_of(&legal, rng)).collect())
            }
        };
        assert!(!texts.is_empty(), "a seat that is asked has an action");
        for (action, text) in actions.iter().zip(&texts) {
            assert_eq!(game.parse_action(seat, text).as_ref(), Ok(action));
            assert_eq!(game.parse_action(seat, &format!(" {text} \t")).as_ref(), Ok(action));
        }
        for text in factored {
            assert!(game.parse_action(seat, &text).is_ok(), "{text}");
        }
        for _ in 0..6 {
            let text = mutated(texts.choose(rng).expect("an action"), rng);
            match game.parse_action(seat, &text) {
                Ok(action) if plain => {
                    assert_eq!(action.to_string(), text.trim(), "one text an action");
                }
                Ok(action) => {
                    assert_eq!(game.parse_action(seat, &action.to_string()), Ok(action));
                }
                Err(refusal) => refused_well::<G>(&text, &refusal),
            }
        }
    }
}

/// All actions of a seat, or some where they are very many.
fn some_actions<G: Game>(game: &G, seat: Seat, rng: &mut ChaCha20Rng) -> Vec<G::Action> {
    if game.legal_count(seat) > 2000 {
        return (0..20).filter_map(|_| game.random_action(seat, rng)).collect();
    }
    let actions = game.legal_actions(seat);
    assert_eq!(game.legal_count(seat), actions.len() as u64);
    assert_eq!(actions.iter().collect::<HashSet<_>>().len(), actions.len(), "each once");
    let random = game.random_action(seat, rng).expect("an action");
    assert!(actions.contains(&random), "{random}");
    actions
}

/// A text that the factored set allows, its squares in any order.
fn one_of(legal: &Legal, rng: &mut ChaCha20Rng) -> String {
    let Legal::Factored { directions, walls, squares } = legal else { return String::new() };
    let ways = [directions.choose(rng), directions.choose(rng)].map(|way| *way.expect("four"));
    let walls: Vec<_> = squares.choose_multiple(rng, usize::from(*walls)).collect();
    let walls: Vec<_> = walls.iter().map(ToString::to_string).collect();
    format!("{} {} {}", ways[0], ways[1], walls.join(" "))
}

/// Who does not choose has no action, and no text is one, but for a forced pass.
fn check_idle_seats<G: Game>(game: &G) {
    let idle = Seat::BOTH.into_iter().filter(|seat| !choosing(game).contains(seat));
    for seat in idle {
        assert_eq!(game.legal_actions(seat), []);
        assert_eq!(game.legal_count(seat), 0);
        if game.turn() == Turn::Pass(seat) {
            assert_eq!(game.parse_action(seat, &G::pass().to_string()), Ok(G::pass()));
        } else {
            assert!(game.parse_action(seat, "pass").is_err());
        }
    }
}

fn is_over_event(event: &Event) -> bool {
    matches!(event, Event::Over { .. })
}

/// Plays a random game to its end, checking every position if `check`; returns its steps.
fn random_game<G: Game>(rules: &Arc<G::Rules>, seed: u64, check: bool) -> Vec<StepOf<G>> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let (mut game, mut steps) = (G::start(rules), Vec::new());
    while let Some(step) = random_step(&game, &mut rng) {
        if check {
            check_actions(&game, &mut rng);
            check_idle_seats(&game);
        }
        let mut events = Vec::new();
        let before = game.ply();
        game.play(step.clone(), &mut events);
        let plies = u32::from(!matches!(step, Step::Chance(_)));
        assert_eq!(game.ply(), before + plies);
        let over = matches!(game.turn(), Turn::Over(_));
        assert_eq!(events.iter().filter(|event| is_over_event(event)).count(), usize::from(over));
        assert_eq!(events.last().is_some_and(is_over_event), over);
        steps.push(step);
        assert!(steps.len() < STEPS, "the game goes on and on");
    }
    check_idle_seats(&game);
    steps
}

/// Plays the steps again, through their texts or in silence, and compares every state.
fn replays<G: Game>(rules: &Arc<G::Rules>, steps: &[StepOf<G>])
where
    G::Action: Debug,
{
    let (mut told, mut silent) = (G::start(rules), G::start(rules));
    for step in steps {
        let parsed = |game: &G, seat, action: &G::Action| {
            game.parse_action(seat, &action.to_string()).expect("a legal action")
        };
        let read = match (step, told.turn()) {
            (Step::Move(action), Turn::Move(seat) | Turn::Pass(seat)) => {
                Step::Move(parsed(&told, seat, action))
            }
            (Step::Both(actions), _) => {
                Step::Both(BySeat::from_fn(|seat| parsed(&told, seat, &actions[seat])))
            }
            (other, _) => other.clone(),
        };
        assert_eq!(&read, step);
        told.play(read, &mut Vec::new());
        silent.play_silently(step.clone());
        assert_eq!(json(&told.state()), json(&silent.state()));
        assert_eq!(told.turn(), silent.turn());
    }
}

fn check_facts<G: Game>() {
    assert!(GameKind::named(G::NAME).is_some_and(|kind| kind.name() == G::NAME));
    let ids: BTreeSet<_> = G::CLAUSES.iter().map(|clause| clause.id).collect();
    assert_eq!(ids.len(), G::CLAUSES.len(), "each clause has its own id");
    for spec in G::OPTIONS {
        assert!(ids.contains(spec.clause), "{} belongs to a clause", spec.name);
        assert!(!values(spec).is_empty(), "{} can be set", spec.name);
    }
    assert!(G::endless(&default_rules::<G>()).is_none());
}

/// The whole suite for one game.
fn conforms<G: Game>() {
    check_facts::<G>();
    for (index, rules) in (0..).zip(all_rules::<G>()) {
        for seed in 0..20 {
            let steps = random_game::<G>(&rules, index * 1000 + seed, seed < 2);
            if seed < 5 {
                replays::<G>(&rules, &steps);
            }
        }
    }
}

fn state_keys(kind: GameKind) -> Vec<String> {
    let state = with_game!(kind, G => {
        serde_json::to_value(G::start(&default_rules::<G>()).state()).expect("plain data")
    });
    state.as_object().expect("an object").keys().cloned().collect()
}

fn states_have_the_fields_of_the_protocol() {
    let keys = ["phase", "board", "to_move", "placed", "moves", "size"];
    assert_eq!(state_keys(GameKind::WatchYourBack), keys);
    assert_eq!(state_keys(GameKind::Backdraughts), ["board", "to_move", "lost"]);
    let keys = ["round", "board", "map", "owner", "pieces", "turn", "rounds"];
    assert_eq!(state_keys(GameKind::BackToTheWall), keys);
}
