//! The fast rules of Backdraughts against a slow model written from the clauses alone: random
//! games under every combination of options, compared in every position.

#[expect(clippy::unwrap_used, reason = "a model that panics fails its test")]
mod model;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use model::{BackdraughtsModel, BackdraughtsModelRules, Given, Waits};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha20Rng;
use referee_games::backdraughts::{Backdraughts, Board, Rules};
use referee_games::two_player::{GameResult, Side, Step, Turn};
use referee_games::{Game, OptionError, Options};

/// The ply at which a game on a random board is stopped.
const LIMIT: usize = 60;

/// The values of each option; the empty one leaves it out.
const VALUES: [(&str, &[&str]); 7] = [
    ("first", &["white", "black", "roll"]),
    ("overlooked", &["", "opponent"]),
    ("move", &["", "no-dice"]),
    ("capture", &["", "six", "ring", "six-or-ring"]),
    ("turning", &["", "on"]),
    ("max-plies", &["", "7"]),
    ("repetition", &["", "0", "1", "2"]),
];

/// Every combination of [`VALUES`].
fn all_options() -> Vec<Given> {
    let mut all: Vec<Given> = vec![Vec::new()];
    for (name, values) in VALUES {
        let with = |set: &Given, value: &str| {
            let value = (!value.is_empty()).then(|| (name, value.to_owned()));
            set.iter().cloned().chain(value).collect::<Given>()
        };
        all = all.iter().flat_map(|set| values.iter().map(move |value| with(set, value))).collect();
    }
    all
}

fn fast_rules(given: &Given) -> Result<Arc<Rules>, OptionError> {
    let given = given.iter().map(|(name, value)| (*name, value.as_str()));
    let options = Options::resolve(&Backdraughts::sheet().options, given).expect("values that fit");
    Backdraughts::rules(&options).map(Arc::new)
}

/// The valid sets of options, on which both agree.
fn sensible() -> Vec<(BackdraughtsModelRules, Arc<Rules>)> {
    let both = |given: Given| match (BackdraughtsModelRules::new(&given), fast_rules(&given)) {
        (Some(slow), Ok(fast)) => Some((slow, fast)),
        (None, Err(_)) => None,
        (slow, fast) => panic!("{given:?}: {slow:?}, {fast:?}"),
    };
    all_options().into_iter().filter_map(both).collect()
}

fn colour(seat: Side) -> char {
    if seat == Side::First { 'W' } else { 'B' }
}

/// The turn of the fast game, in the words of the model.
fn waits(game: &Backdraughts) -> Waits {
    match game.turn() {
        Turn::Chance(_) if game.outcomes().len() == 36 => Waits::StartRolls,
        Turn::Chance(_) => {
            assert_eq!(game.outcomes().len(), 6);
            Waits::Roll(colour(game.phase().to_act().expect("a seat that rolls")))
        }
        Turn::Move(seat) => Waits::Action(colour(seat)),
        Turn::Pass(seat) => Waits::ForcedPass(colour(seat)),
        Turn::Over(outcome) => {
            let winner = match outcome.result {
                GameResult::Win(seat) => colour(seat),
                GameResult::Draw => '-',
            };
            Waits::Over(winner, outcome.reason)
        }
        Turn::Both => panic!("the seats move in turn"),
    }
}

/// The legal texts, including a forced pass.
fn legal(game: &Backdraughts) -> Vec<String> {
    match game.turn() {
        Turn::Move(seat) => {
            let texts: Vec<_> = game.legal_actions(seat).iter().map(ToString::to_string).collect();
            assert_eq!(game.legal_count(seat), texts.len() as u64);
            texts
        }
        Turn::Pass(_) => vec!["pass".to_owned()],
        _ => Vec::new(),
    }
}

/// Plays a random step in both.
fn advance(model: &mut BackdraughtsModel, game: &mut Backdraughts, rng: &mut ChaCha20Rng) {
    match game.turn() {
        Turn::Chance(_) => {
            let outcomes = game.outcomes();
            let (outcome, _) = outcomes.choose(rng).expect("an outcome");
            let text = outcome.to_string();
            let values = text.split(' ').skip(1).map(|value| value.parse().expect("a number"));
            model.roll(&values.collect::<Vec<_>>());
            game.play_silently(Step::Chance(*outcome));
        }
        Turn::Move(seat) | Turn::Pass(seat) => {
            let texts = model.legal();
            let captures: Vec<_> =
                texts.iter().filter(|text| text.starts_with("capture")).cloned().collect();
            let texts = if captures.is_empty() || rng.random_bool(0.5) { texts } else { captures };
            let text = texts.choose(rng).expect("a legal action");
            let action = game.parse_action(seat, text).expect("a legal action");
            game.play_silently(Step::Move(action));
            model.play(text);
        }
        turn => panic!("{turn:?}"),
    }
}

/// Continues both with the same random game, and returns its ending.
fn play(
    mut model: BackdraughtsModel,
    mut game: Backdraughts,
    limit: usize,
    seed: u64,
) -> &'static str {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    for _ in 0..limit {
        let place = format!("seed {seed}, {:?}, {:?}", game.rules_in_force(), game.rows());
        assert_eq!(game.rows(), model.rows(), "{place}");
        assert_eq!(waits(&game), model.waits(), "{place}");
        assert_eq!(legal(&game), model.legal(), "{place}");
        let state = serde_json::to_string(&game.state()).expect("plain data");
        assert_eq!(state, model.state().to_string(), "{place}");
        if let Waits::Over(_, reason) = model.waits() {
            return reason;
        }
        advance(&mut model, &mut game, &mut rng);
    }
    "unfinished"
}

/// Plays a game: rules and seed to its ending.
type Start = fn(&BackdraughtsModelRules, &Arc<Rules>, u64) -> &'static str;

fn from_start(slow: &BackdraughtsModelRules, fast: &Arc<Rules>, seed: u64) -> &'static str {
    play(BackdraughtsModel::new(slow.clone()), Backdraughts::start(fast), usize::MAX, seed)
}

/// Plays on from a crowded random board.
fn from_crowd(slow: &BackdraughtsModelRules, fast: &Arc<Rules>, seed: u64) -> &'static str {
    let rows = crowded(&mut ChaCha20Rng::seed_from_u64(seed));
    let board = Board::from_rows(&rows).expect("a board");
    let first = if seed.is_multiple_of(2) { Side::First } else { Side::Second };
    let model = BackdraughtsModel::standing(slow.clone(), &rows, Some(colour(first)));
    play(model, Backdraughts::from_board(fast, board, first), LIMIT, seed)
}

/// Random pawns, at most ten per side, crowded into a part of the board.
fn crowded(rng: &mut ChaCha20Rng) -> Vec<String> {
    let width = *[3, 4, 5, 8].choose(rng).expect("a width");
    let (left, top) = (rng.random_range(0..=8 - width), rng.random_range(0..=8 - width));
    let mut pawns_left = [rng.random_range(1..=10), rng.random_range(1..=10)];
    let mut cell = |row: usize, column: usize| {
        let inside = (left..left + width).contains(&column) && (top..top + width).contains(&row);
        let side = rng.random_range(0..2);
        if !inside || rng.random_bool(0.4) || pawns_left[side] == 0 {
            return '.';
        }
        pawns_left[side] -= 1;
        ['W', 'B'][side]
    };
    (0..8).map(|row| (0..8).map(|column| cell(row, column)).collect()).collect()
}

/// Plays these seeds under all options and counts the endings.
fn agree(game: Start, seeds: Range<u64>) -> BTreeMap<&'static str, u32> {
    let mut endings = BTreeMap::new();
    for (slow, fast) in sensible() {
        for seed in seeds.clone() {
            *endings.entry(game(&slow, &fast, seed)).or_default() += 1;
        }
    }
    endings
}

#[test]
fn both_refuse_the_same_options() {
    // With dice every capture rule and no repetition; without dice the ring and any repetition.
    assert_eq!(sensible().len(), 3 * 2 * 2 * 2 * (4 + 2 * 4));
}

#[test]
fn the_model_agrees_in_random_games() {
    let endings = agree(from_start, 0..1);
    for reason in ["goal", "repetition", "max-plies"] {
        assert!(endings.contains_key(reason), "{endings:?}");
    }
}

#[test]
fn the_model_agrees_on_crowded_boards() {
    let endings = agree(from_crowd, 0..6);
    for reason in ["goal", "elimination", "repetition", "max-plies", "unfinished"] {
        assert!(endings.contains_key(reason), "{endings:?}");
    }
}

#[test]
#[ignore = "slow: 1,440 games from the start and 8,640 from crowded boards"]
fn the_model_agrees_in_very_many_games() {
    agree(from_start, 1000..1005);
    agree(from_crowd, 1000..1030);
}
