//! The value of the ladder: compares its rounds with random rounds by the distance of the ranking
//! from the true one. Slow, with fixed seeds; prints its figures.

#![expect(clippy::cast_precision_loss, reason = "small counts")]

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_ratings::{GameOutcome, PlayedGame, Results, fit};
use referee_record::model::fixture::Lineup;
use referee_record::model::stage::Format;
use referee_tournament::schedule::formats::{Meeting, StageState, next};

const PLAYERS: usize = 40;
/// Elo points of a natural unit at this share of draws, ν being one half.
const ELO: f64 = 138.97;
const TOURNAMENTS: u64 = 10;
/// Rounds of the ladder, of twenty pairs each.
const ROUNDS: usize = 25;
/// The maximum number of random rounds to become as good.
const MOST: usize = 80;
/// From the weakest to the strongest, in natural units: about 500 Elo, and about 1,400.
const SPREADS: [f64; 2] = [3.6, 10.0];

/// A pair between two, the first seat being worth nothing.
fn play(
    results: &mut Results,
    truth: &[f64],
    (one, other): (usize, usize),
    pair: u32,
    luck: &mut ChaCha8Rng,
) {
    for (first, second) in [(one, other), (other, one)] {
        let half = (truth[first] - truth[second]) / 2.0;
        let [win, draw, loss] = [half.exp(), 0.5, (-half).exp()];
        let drawn = luck.random::<f64>() * (win + draw + loss);
        let outcome = match drawn {
            drawn if drawn < win => GameOutcome::Win,
            drawn if drawn < win + draw => GameOutcome::Draw,
            _ => GameOutcome::Loss,
        };
        results.add(PlayedGame::by_rules(first, second, pair, outcome));
    }
}

/// The average distance of players from their true ranks. Strengths fall with the player's number.
fn displacement(results: &Results) -> f64 {
    let fit = fit(results, &[]).expect("no anchors");
    let mut ranking: Vec<usize> = (0..PLAYERS).collect();
    ranking.sort_by(|&one, &other| fit.ratings[other].value.total_cmp(&fit.ratings[one].value));
    let off: usize = ranking.iter().enumerate().map(|(rank, &player)| rank.abs_diff(player)).sum();
    off as f64 / PLAYERS as f64
}

fn truth(spread: f64, luck: &mut ChaCha8Rng) -> Vec<f64> {
    let mut strengths: Vec<f64> = (0..PLAYERS).map(|_| luck.random::<f64>() * spread).collect();
    strengths.sort_by(|a, b| b.total_cmp(a));
    strengths
}

/// The displacement after each round whose pairings `pick` chooses from the results.
fn course(
    rounds: usize,
    spread: f64,
    seed: u64,
    mut pick: impl FnMut(&Results, &[usize], usize, &mut ChaCha8Rng) -> Vec<(usize, usize)>,
) -> Vec<f64> {
    let mut luck = ChaCha8Rng::seed_from_u64(seed);
    let truth = truth(spread, &mut luck);
    let mut seeds: Vec<usize> = (0..PLAYERS).collect();
    seeds.shuffle(&mut luck);
    let mut results = Results::new(PLAYERS);
    (0..rounds)
        .map(|round| {
            for pairing in pick(&results, &seeds, round, &mut luck) {
                let pair = u32::try_from(round).expect("few");
                play(&mut results, &truth, pairing, pair, &mut luck);
            }
            displacement(&results)
        })
        .collect()
}

fn ladder(spread: f64, seed: u64) -> Vec<f64> {
    let format = Format::Ladder { games: 1_000_000, margin: None };
    let mut sections: Vec<Vec<Meeting>> = Vec::new();
    course(ROUNDS, spread, seed, |results, seeds, _, _| {
        let out = [None; PLAYERS];
        let course = StageState {
            entrants: seeds,
            sections: &sections,
            out: &out,
            named: &[],
            seats: 2,
            deals: 1,
            results,
            fixed: Some(&[]),
        };
        let next = next(&format, &course).expect("it goes on");
        let met = |&players: &Lineup| Meeting { halves: vec![2, 2], ..Meeting::of(players) };
        sections.push(next.meetings.iter().map(met).collect());
        let pairings = next.meetings.into_iter().map(|players| players.sorted().two().into());
        let pairings: Vec<(usize, usize)> = pairings.collect();
        pairings
    })
}

fn chance(spread: f64, seed: u64) -> Vec<f64> {
    course(MOST, spread, seed, |_, seeds, _, luck| {
        let mut players = seeds.to_vec();
        players.shuffle(luck);
        players.chunks_exact(2).map(|two| (two[0], two[1])).collect()
    })
}

fn mean(curves: &[Vec<f64>]) -> Vec<f64> {
    (0..curves[0].len())
        .map(|at| curves.iter().map(|curve| curve[at]).sum::<f64>() / curves.len() as f64)
        .collect()
}

#[test]
#[ignore = "slow: forty simulated tournaments"]
#[expect(clippy::print_stdout, reason = "the figures are for people")]
fn the_ladder_needs_fewer_games_than_chance() {
    for spread in SPREADS {
        let ladder = mean(&(0..TOURNAMENTS).map(|seed| ladder(spread, seed)).collect::<Vec<_>>());
        let chance = mean(&(0..TOURNAMENTS).map(|seed| chance(spread, seed)).collect::<Vec<_>>());
        println!("from the weakest to the strongest {:.0} Elo:", spread * ELO);
        for rounds in [10, 15, 20, 25] {
            let reached = ladder[rounds - 1];
            let as_good = chance.iter().position(|&off| off <= reached).map(|at| at + 1);
            println!(
                "  {} games of the ladder: {reached:.2} ranks off; as good by chance: {}",
                rounds * PLAYERS,
                as_good.map_or(format!("more than {}", MOST * PLAYERS), |rounds| {
                    format!("{} games", rounds * PLAYERS)
                })
            );
        }
        let needed = chance.iter().position(|&off| off <= ladder[ROUNDS - 1]);
        assert!(needed.is_none_or(|at| at + 1 > ROUNDS), "chance was as good");
    }
}
