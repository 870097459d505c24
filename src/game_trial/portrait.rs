//! The portrait of a game: lengths, results and choices of its games.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::findings::Findings;
use super::quantities::{Quantiles, ShareInterval};
use super::walk::{Walk, random_step};
use super::{TrialPlan, microseconds};
use referee_bots::{Allotment, BotKind, Limit, engine};
use referee_games::{
    BySeat, GameError, GameResult, Outcome, Position, Seat, Step, Text, TextStep, Turn,
};
use referee_record::model::rules::GameRules;

/// The number of random games in which leaders are determined.
const LEADER_GAMES: usize = 40;
/// The number of random games from a position that determine its leader, if the game makes no
/// estimates.
const PLAYOUTS: u32 = 16;
/// The points of a game at which its leader is determined, in quarters.
const QUARTERS: [u32; 3] = [1, 2, 3];

/// Statistics of games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GamePortrait {
    /// Games between random players.
    pub random: GameSample,
    /// Games between searching players; `None` if none were played.
    pub search: Option<GameSample>,
    /// The number of legal actions at a decision; `None` if the game does not list them.
    pub branching: Option<Quantiles>,
    /// How often the leader of a random game wins it.
    pub leaders: Vec<LeaderPoint>,
    /// The time of a ply in random games, in microseconds.
    pub ply_us: f64,
}

/// Statistics of games between players of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GameSample {
    /// The players: `random` or `search-N`.
    pub players: String,
    /// The number of games.
    pub games: u32,
    /// The points of the first seat; half a point for a draw.
    pub first_seat: ShareInterval,
    /// The games that were not drawn.
    pub decisive: ShareInterval,
    /// The length of games in plies.
    pub plies: Quantiles,
    /// The number of games of each length.
    pub lengths: BTreeMap<u32, u32>,
    /// The number of games that ended for each reason.
    pub reasons: BTreeMap<String, u32>,
}

/// How often the leader wins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LeaderPoint {
    /// The point of the game, from 0 (start) to 1 (end).
    pub at: f64,
    /// The share of decisive games with a leader that the leader won.
    pub wins: ShareInterval,
}

/// The data of a portrait.
#[derive(Default)]
pub(super) struct PortraitMaker {
    random: EndCounts,
    search: Option<(String, EndCounts)>,
    choices: Vec<u32>,
    time: Duration,
    plies: u32,
    /// Some decisive games: the winner, and the positions at each quarter.
    decisive: Vec<(Seat, Vec<Position>)>,
    leaders: Vec<LeaderPoint>,
}

/// The reasons why games ended.
#[derive(Default)]
struct EndCounts {
    games: u32,
    first: f64,
    decisive: f64,
    lengths: BTreeMap<u32, u32>,
    reasons: BTreeMap<String, u32>,
}

impl EndCounts {
    fn add(&mut self, outcome: &Outcome<Text>, plies: u32) {
        self.games += 1;
        self.first += outcome.result.score(Seat::First);
        self.decisive += f64::from(u8::from(outcome.result != GameResult::Draw));
        *self.lengths.entry(plies).or_default() += 1;
        *self.reasons.entry(outcome.reason.to_string()).or_default() += 1;
    }

    fn sample(self, players: String) -> Option<GameSample> {
        let each = |(&plies, &games): (&u32, &u32)| std::iter::repeat_n(plies, games as usize);
        Some(GameSample {
            players,
            games: self.games,
            first_seat: ShareInterval::new(self.first, self.games),
            decisive: ShareInterval::new(self.decisive, self.games),
            plies: Quantiles::of(self.lengths.iter().flat_map(each).collect())?,
            lengths: self.lengths,
            reasons: self.reasons,
        })
    }
}

impl PortraitMaker {
    /// Adds a random game, if it was finished.
    pub(super) fn add(&mut self, start: &Position, walk: &Walk) {
        let Turn::Over(outcome) = walk.position.turn() else { return };
        let plies = walk.position.ply();
        self.random.add(&outcome, plies);
        self.choices.extend(&walk.choices);
        self.time += walk.time;
        self.plies += plies;
        if let (GameResult::Win(winner), true) =
            (outcome.result, self.decisive.len() < LEADER_GAMES)
        {
            self.decisive.push((winner, quarters(start, &walk.steps)));
        }
    }

    /// Plays games between searching players.
    pub(super) fn search(
        &mut self,
        rules: &GameRules,
        plan: &TrialPlan,
        findings: &mut Findings,
        mut played: impl FnMut(u32),
    ) {
        let mut ends = EndCounts::default();
        for number in 0..plan.search_games {
            played(number);
            let rng = ChaCha8Rng::seed_from_u64(plan.seed ^ (u64::from(number + 1) << 32));
            let mut walk = Walk::new(&rules.start);
            match search_game(rules, plan.nodes, &mut walk, rng) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    findings.failed(&error, &walk.steps);
                    break;
                }
            }
            if let Turn::Over(outcome) = walk.position.turn() {
                ends.add(&outcome, walk.position.ply());
            }
        }
        if ends.games > 0 {
            self.search = Some((format!("search-{}", plan.nodes), ends));
        }
    }

    /// Determines the leader at each quarter of some decisive games.
    pub(super) fn leaders(&mut self, rng: &mut ChaCha8Rng) {
        for (index, quarter) in QUARTERS.into_iter().enumerate() {
            let (mut kept, mut games) = (0.0, 0);
            for (winner, positions) in &self.decisive {
                let leader = positions.get(index).and_then(|position| leader(position, rng));
                games += u32::from(leader.is_some());
                kept += f64::from(u8::from(leader == Some(*winner)));
            }
            if games > 0 {
                let wins = ShareInterval::new(kept, games);
                self.leaders.push(LeaderPoint { at: f64::from(quarter) / 4.0, wins });
            }
        }
    }

    /// The portrait; `None` if no game was finished.
    pub(super) fn finished(self) -> Option<GamePortrait> {
        Some(GamePortrait {
            random: self.random.sample("random".to_owned())?,
            search: self.search.and_then(|(players, ends)| ends.sample(players)),
            branching: Quantiles::of(self.choices),
            leaders: self.leaders,
            ply_us: microseconds(self.time, self.plies),
        })
    }
}

/// The positions at each quarter of a game. They are replayed. If the program fails then, another
/// check reports it.
fn quarters(start: &Position, steps: &[TextStep]) -> Vec<Position> {
    let mut walk = Walk::new(start);
    let mut reached = Vec::new();
    for quarter in QUARTERS {
        let target = steps.len() * quarter as usize / 4;
        for step in &steps[walk.steps.len()..target] {
            if walk.play(step.clone()).is_err() {
                return reached;
            }
        }
        reached.push(walk.position.clone());
    }
    reached
}

/// The seat that leads: by the game's estimates, or else by random games from here.
fn leader(position: &Position, rng: &mut ChaCha8Rng) -> Option<Seat> {
    let ahead = match position.values() {
        Some(BySeat { first, second }) => first - second,
        None => (0..PLAYOUTS).filter_map(|_| playout(position, rng)).sum(),
    };
    match ahead {
        ahead if ahead > 0.0 => Some(Seat::First),
        ahead if ahead < 0.0 => Some(Seat::Second),
        _ => None,
    }
}

/// The result of a random game for the first seat, from −½ to ½.
fn playout(position: &Position, rng: &mut ChaCha8Rng) -> Option<f64> {
    let mut position = position.clone();
    while let Some(step) = random_step(&*position, rng).ok()? {
        position.play(step.as_text(), &mut Vec::new()).ok()?;
    }
    match position.turn() {
        Turn::Over(outcome) => Some(outcome.result.score(Seat::First) - 0.5),
        _ => None,
    }
}

/// Plays a game between two searching players. Returns `false` if one finds no action.
fn search_game(
    rules: &GameRules,
    nodes: u64,
    walk: &mut Walk,
    mut rng: ChaCha8Rng,
) -> Result<bool, GameError> {
    let kind = BotKind::Search(Limit::Nodes(nodes));
    let player = |_| engine(&*rules.game, kind, &rules.options);
    let [mut first, mut second] = [player(Seat::First)?, player(Seat::Second)?];
    loop {
        let mut choose = |seat: Seat, rng: &mut ChaCha8Rng| {
            let player = if seat == Seat::First { &mut first } else { &mut second };
            player.choose(seat, Allotment::default(), rng).map(|choice| choice.action)
        };
        let step = match walk.position.turn() {
            Turn::Move(seat) => choose(seat, &mut rng).map(Step::Move),
            Turn::Both => {
                let both = [choose(Seat::First, &mut rng), choose(Seat::Second, &mut rng)];
                let [one, other] = both;
                one.zip(other).map(|(one, other)| Step::Both(BySeat::new(one, other)))
            }
            _ => match random_step(&*walk.position, &mut rng)? {
                Some(step) => Some(step),
                None => return Ok(true),
            },
        };
        let Some(step) = step else { return Ok(false) };
        walk.play(step.clone())?;
        first.follow(step.as_text())?;
        second.follow(step.as_text())?;
    }
}
