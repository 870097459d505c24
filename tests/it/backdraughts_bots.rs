//! The built-in players at Backdraughts: their relative strength, and the value of mirrored dice.

use rand::{Rng, SeedableRng};
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use referee_bots::{Allotment, parse_bot_name};
use referee_games::backdraughts::Backdraughts;
use referee_games::two_player::{BySide, GameResult, Side, Step, Turn};
use referee_games::{Game, Options};
use referee_record::seeds::{SeededLuck, TournamentSecret};

type Given = [(&'static str, &'static str)];

fn start(given: &Given) -> Backdraughts {
    let options = Options::resolve(&Backdraughts::sheet().options, given.iter().copied());
    let rules = Backdraughts::rules(&options.expect("values that fit"));
    Backdraughts::start(&rules.expect("rules that make sense").into())
}

/// Plays a game in process; every action must be legal. Returns the actions and the result.
fn game(
    names: BySide<&str>,
    given: &Given,
    luck: &mut SeededLuck,
    seed: u64,
) -> (Vec<String>, GameResult) {
    let mut players =
        names.map(|name| parse_bot_name(name).expect("a bot").create_bot::<Backdraughts>());
    let mut rng = BySide::new(seed, !seed).map(ChaCha8Rng::seed_from_u64);
    let (mut position, mut actions) = (start(given), Vec::new());
    loop {
        let step = match position.turn() {
            Turn::Over(outcome) => return (actions, outcome.result),
            Turn::Chance(stream) => Step::Chance(luck.draw(stream.into(), &position.outcomes())),
            Turn::Pass(_) => Step::Pass,
            Turn::Move(seat) => {
                let time = Allotment::default();
                let choice = players[seat].choose(&position, seat, time, &mut rng[seat]);
                let choice = choice.expect("a choice");
                assert!(position.legal_actions(seat).contains(&choice.action));
                assert!(choice.eval.is_none_or(|eval| (-1.0..=1.0).contains(&eval)));
                actions.push(choice.action.to_string());
                Step::Move(choice.action)
            }
            Turn::Both => panic!("the seats move in turn"),
        };
        position.play_silently(step);
    }
}

fn luck(pair: u32) -> SeededLuck {
    TournamentSecret::from_seed(7).game_luck(&["one", "other"], pair)
}

/// The score of `name` in both games of a pair, each with its own luck, from 0 to 2.
fn pair(name: &str, other: &str, given: &Given, luck: [SeededLuck; 2], seed: u64) -> f64 {
    let [mut first, mut second] = luck;
    let (_, white) = game(BySide::new(name, other), given, &mut first, 2 * seed);
    let (_, black) = game(BySide::new(other, name), given, &mut second, 2 * seed + 1);
    white.score(Side::First) + black.score(Side::Second)
}

/// The share of the points that `name` makes against `other` in this many pairs.
fn share(name: &str, other: &str, given: &Given, pairs: u32) -> f64 {
    let score =
        |number: u32| pair(name, other, given, [luck(number), luck(number)], u64::from(number));
    (0..pairs).map(score).sum::<f64>() / f64::from(2 * pairs)
}

const NO_DICE: &Given = &[("move", "no-dice")];
const ALL_ON: &Given =
    &[("turning", "on"), ("overlooked", "opponent"), ("capture", "six-or-ring"), ("first", "roll")];

#[test]
fn each_player_beats_the_one_before() {
    for (name, other, least) in [("greedy", "random", 0.7), ("search-2000", "greedy", 0.6)] {
        let share = share(name, other, &[], 50);
        assert!(share >= least, "{name} made {share:.3} against {other}");
    }
}

#[test]
fn all_players_play_legally_under_other_options() {
    for given in [NO_DICE, ALL_ON] {
        for (name, other) in [("random", "random"), ("greedy", "random"), ("search-50", "greedy")] {
            share(name, other, given, 3);
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let names = BySide::new("search-300", "search-200");
    let play = |seed| game(names, &[], &mut luck(1), seed).0;
    assert_eq!(play(5), play(5));
}

#[test]
#[ignore = "slow: measures the players against each other in 60 games each"]
fn stronger_built_in_players_win() {
    for (given, words) in [(&[][..], "defaults"), (NO_DICE, "no-dice"), (ALL_ON, "all on")] {
        for (name, other) in
            [("greedy", "random"), ("search-2000", "greedy"), ("search-2000", "random")]
        {
            let pairs = 30;
            let share = share(name, other, given, pairs);
            let error = 1.96 * (share * (1.0 - share) / f64::from(2 * pairs)).sqrt();
            report(&format!("{words}: {name} v {other}: {share:.3} ±{error:.3}"));
            assert!(share > 0.5, "the stronger one wins");
        }
    }
}

#[expect(clippy::print_stdout, reason = "the tests that measure print what they measured")]
fn report(line: &str) {
    println!("{line}");
}

fn variance(scores: &[f64]) -> f64 {
    let count = scores.iter().map(|_| 1.0).sum::<f64>();
    let mean = scores.iter().sum::<f64>() / count;
    scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0)
}

/// The middle 95% of the ratio of the variances over samples drawn again from the pairs.
fn interval(mirrored: &[f64], independent: &[f64]) -> [f64; 2] {
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let mut again = |scores: &[f64]| {
        let one = |_| scores[rng.random_range(0..scores.len())];
        variance(&(0..scores.len()).map(one).collect::<Vec<_>>())
    };
    let mut ratios: Vec<f64> = (0..2000).map(|_| again(mirrored) / again(independent)).collect();
    ratios.sort_by(f64::total_cmp);
    [ratios[50], ratios[1949]]
}

/// Compares the variance of a pair's score if both games share their dice by seat and if they do
/// not.
#[test]
#[ignore = "slow: 10,000 games between greedy players"]
fn mirrored_dice_lower_the_variance_of_a_pair() {
    const PAIRS: u32 = 2500;
    let scores = |dice: fn(u32) -> [SeededLuck; 2]| -> Vec<f64> {
        let score = |number| pair("greedy", "greedy", &[], dice(number), u64::from(number)) / 2.0;
        (0..PAIRS).map(score).collect()
    };
    let mirrored = scores(|number| [luck(number), luck(number)]);
    let independent = scores(|number| [luck(number), luck(PAIRS + number)]);
    let ratio = variance(&mirrored) / variance(&independent);
    let [low, high] = interval(&mirrored, &independent);
    report(&format!(
        "{PAIRS} pairs greedy v greedy: variance of a pair's score {:.4} with mirrored dice, \
         {:.4} with independent dice, ratio {ratio:.3} (95%: {low:.3} to {high:.3})",
        variance(&mirrored),
        variance(&independent)
    ));
    assert!(high < 1.0, "the ratio is {ratio:.3} ({low:.3} to {high:.3})");
}
