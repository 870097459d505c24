//! The fast rules against a slow model written from the clauses alone: random games under every
//! combination of options, compared in every position.

#[expect(clippy::unwrap_used, reason = "a model that panics fails its test")]
mod model;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use model::{WatchYourBackModel, WatchYourBackModelRules};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha20Rng;
use referee_games::Game;
use referee_games::two_player::{GameResult, Side, Step, Turn};
use referee_games::watch_your_back::{Board, EndCheck, MutualBlock, Rules, WatchYourBack};

/// The ply at which a game is stopped that its options do not end.
const LIMIT: usize = 420;

fn all_options() -> Vec<WatchYourBackModelRules> {
    let mut all = Vec::new();
    for after_shrink_only in [false, true] {
        for mutual_block in [false, true] {
            for repetition in [0, 1, 2, 3] {
                for max_moves in [0, 7, 193, 300] {
                    all.push(WatchYourBackModelRules {
                        after_shrink_only,
                        mutual_block,
                        repetition,
                        max_moves,
                    });
                }
            }
        }
    }
    all
}

fn rules(options: WatchYourBackModelRules) -> Arc<Rules> {
    let number = |value: usize| u32::try_from(value).expect("a small number");
    Arc::new(Rules {
        end_check: if options.after_shrink_only {
            EndCheck::AfterShrink
        } else {
            EndCheck::BeforeAndAfterShrink
        },
        mutual_block: if options.mutual_block { MutualBlock::Draw } else { MutualBlock::Off },
        repetition: number(options.repetition),
        max_moves: number(options.max_moves),
    })
}

/// Winner and reason, in the words of the model.
fn over(game: &WatchYourBack) -> Option<(char, &'static str)> {
    let Turn::Over(outcome) = game.turn() else { return None };
    let winner = match outcome.result {
        GameResult::Win(Side::First) => 'W',
        GameResult::Win(Side::Second) => 'B',
        GameResult::Draw => '-',
    };
    Some((winner, outcome.reason))
}

/// The legal texts, including a forced pass.
fn legal(game: &WatchYourBack) -> Vec<String> {
    match game.turn() {
        Turn::Move(seat) => game.legal_actions(seat).iter().map(ToString::to_string).collect(),
        Turn::Pass(_) => vec!["pass".to_owned()],
        _ => Vec::new(),
    }
}

/// The choices of a random player. Pieces near the middle live long enough for the shrinks.
#[derive(Clone, Copy)]
enum Mood {
    Wild,
    Central,
}

fn choose(texts: &[String], mood: Mood, rng: &mut ChaCha20Rng) -> String {
    let middle = |text: &&String| text.ends_with(['3', '4']) || text.ends_with(['2', '5']);
    let central: Vec<_> = texts.iter().filter(middle).collect();
    let pick = match mood {
        Mood::Central if rng.random_bool(0.8) => central.choose(rng).copied(),
        _ => None,
    };
    pick.or_else(|| texts.choose(rng)).expect("a legal action").clone()
}

/// Continues both with the same random game, and returns its ending.
fn play(
    mut model: WatchYourBackModel,
    mut game: WatchYourBack,
    limit: usize,
    seed: u64,
) -> &'static str {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mood = if seed.is_multiple_of(2) { Mood::Wild } else { Mood::Central };
    for _ in 0..limit {
        let place = format!("seed {seed}, {:?}, {:?}", game.rules_in_force(), game.rows());
        assert_eq!(game.rows(), model.rows(), "{place}");
        assert_eq!(over(&game), model.over, "{place}");
        let texts = model.legal();
        assert_eq!(legal(&game), texts, "{place}");
        if let Some((_, reason)) = model.over {
            return reason;
        }
        let text = choose(&texts, mood, &mut rng);
        let action = game.parse_action(game.board().to_move(), &text).expect("a legal action");
        game.play_unchecked(Step::Move(action), &mut Vec::new());
        model.play(&text);
    }
    "unfinished"
}

fn from_start(options: WatchYourBackModelRules, seed: u64) -> &'static str {
    play(WatchYourBackModel::new(options), WatchYourBack::start(&rules(options)), LIMIT, seed)
}

/// Plays on from a crowded random board, shortly before a shrink or after the last.
fn from_crowd(options: WatchYourBackModelRules, seed: u64) -> &'static str {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let moves = *[127, 126, 125, 191, 190, 187, 192, 217].choose(&mut rng).expect("a number");
    let low = if moves < 128 { 0 } else { 1 + usize::from(moves >= 192) };
    let rows = crowded(low, &mut rng);
    let ply = 24 + u32::try_from(moves).expect("a small number");
    let board = Board::from_rows(&rows, ply).expect("a board");
    let model = WatchYourBackModel::standing(options, &rows, moves);
    play(model, WatchYourBack::from_board(&rules(options), board), 24, seed)
}

/// Random pieces, at most twelve per side, most of them near the middle.
fn crowded(low: usize, rng: &mut ChaCha20Rng) -> Vec<String> {
    let high = 7 - low;
    let mut left = [12, 12];
    let mut cell = |row: usize, column: usize| {
        let inside = |at| (low..=high).contains(&at);
        let outer = |at| at == low || at == high;
        let colour = rng.random_range(0..2);
        match (inside(row) && inside(column), outer(row) && outer(column)) {
            (false, _) => '#',
            (true, true) => 'X',
            _ if rng.random_bool(if low == 2 { 0.1 } else { 0.4 }) || left[colour] == 0 => '.',
            _ => {
                left[colour] -= 1;
                ['W', 'B'][colour]
            }
        }
    };
    (0..8).map(|row| (0..8).map(|column| cell(row, column)).collect()).collect()
}

/// Plays these seeds under all options, on all cores, and counts the endings.
fn agree(game: Start, seeds: Range<u64>) -> BTreeMap<&'static str, u32> {
    let (all, next) = (all_options(), AtomicUsize::new(0));
    let play_some = || {
        let mut endings: BTreeMap<&'static str, u32> = BTreeMap::new();
        while let Some(&options) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            for seed in seeds.clone() {
                *endings.entry(game(options, seed)).or_default() += 1;
            }
        }
        endings
    };
    let mut endings = BTreeMap::new();
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let parts: Vec<_> = (0..cores).map(|_| scope.spawn(play_some)).collect();
        for part in parts {
            for (ending, count) in part.join().expect("the model agrees") {
                *endings.entry(ending).or_default() += count;
            }
        }
    });
    endings
}

/// Plays a game: options and seed to its ending.
type Start = fn(WatchYourBackModelRules, u64) -> &'static str;

#[test]
fn the_model_agrees_in_random_games() {
    let endings = agree(from_start, 0..8);
    for reason in ["elimination", "repetition", "max-moves"] {
        assert!(endings.contains_key(reason), "{endings:?}");
    }
}

#[test]
fn the_model_agrees_on_crowded_boards() {
    let endings = agree(from_crowd, 0..100);
    for reason in ["elimination", "mutual-block", "repetition", "max-moves", "unfinished"] {
        assert!(endings.contains_key(reason), "{endings:?}");
    }
}

#[test]
#[ignore = "slow: 16,000 games from the start and 160,000 from crowded boards"]
fn the_model_agrees_in_very_many_games() {
    agree(from_start, 1000..1250);
    agree(from_crowd, 1000..3500);
}
