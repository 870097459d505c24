//! Statistics of a game: lengths, results and choices of its games.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::TrialPlan;
use super::findings::GameFindings;
use super::walk::{TrialWalk, random_walk_step};
use referee_bots::{Allotment, BotKind, Limit, create_built_in_player};
use referee_games::{AnyGame, BySeat, GameError, Outcome, Places, Seat, Step, Turn};
use referee_record::model::game_rules::GameRules;

/// The fewest games that show that a game only reports the winner.
const FEWEST_TOLD: u32 = 10;

/// Statistics of games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GamePortrait {
    /// Games between random players.
    pub random: GameSample,
    /// Games between searching players; `None` if none were played.
    pub search: Option<GameSample>,
    /// The number of legal actions at a decision; `None` if the game does not list them.
    pub branching: Option<PortraitQuantiles>,
}

/// Statistics of games between players of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GameSample {
    /// The players: `random` or `search-N`.
    pub players: String,
    /// The number of games.
    pub games: u32,
    /// The points of the first seat; half a point for a draw.
    pub first_seat: PortraitShare,
    /// The games that were not drawn.
    pub decisive: PortraitShare,
    /// The length of games in plies.
    pub plies: PortraitQuantiles,
    /// The number of games that ended for each reason.
    pub reasons: BTreeMap<String, u32>,
    /// Whether games of more than two seats only report the winner, and the game does not declare
    /// it: nearly all of them level the others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub winner_only: bool,
}

/// The quantiles of a list of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PortraitQuantiles {
    /// The smallest.
    pub least: u32,
    /// The lower quartile.
    pub lower: u32,
    /// The median.
    pub median: u32,
    /// The upper quartile.
    pub upper: u32,
    /// The largest.
    pub most: u32,
    /// The mean.
    pub mean: f64,
}

impl PortraitQuantiles {
    /// The quantiles; `None` for an empty list.
    fn of(mut numbers: Vec<u32>) -> Option<Self> {
        numbers.sort_unstable();
        let last = numbers.len().checked_sub(1)?;
        let at = |quarter: usize| numbers[last * quarter / 4];
        let (sum, count) = numbers
            .iter()
            .fold((0.0, 0.0), |(sum, count), &number| (sum + f64::from(number), count + 1.0));
        let mean = sum / count;
        Some(Self { least: at(0), lower: at(1), median: at(2), upper: at(3), most: at(4), mean })
    }
}

/// A share with its 95% interval (Wilson's).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PortraitShare {
    /// The share, from 0 to 1.
    pub share: f64,
    /// The low end of the interval.
    pub low: f64,
    /// The high end of the interval.
    pub high: f64,
    /// The number of games.
    pub of: u32,
}

impl PortraitShare {
    /// The share of `points` in this many games. Draws may count as half a point: this can make the
    /// interval too wide, never too narrow.
    fn new(points: f64, of: u32) -> Self {
        const Z: f64 = 1.959_964;
        let games = f64::from(of.max(1));
        let (share, square) = (points / games, Z * Z / games);
        let centre = (share + square / 2.0) / (1.0 + square);
        let spread = (share * (1.0 - share) / games + square / (4.0 * games)).sqrt();
        let half = Z * spread / (1.0 + square);
        Self { share, low: (centre - half).max(0.0), high: (centre + half).min(1.0), of }
    }
}

/// The data of a portrait.
pub(super) struct PortraitMaker {
    random: PortraitEndCounts,
    search: Option<(String, PortraitEndCounts)>,
    choices: Vec<u32>,
}

/// The reasons why games ended.
#[derive(Default)]
struct PortraitEndCounts {
    games: u32,
    first: f64,
    decisive: f64,
    lengths: Vec<u32>,
    reasons: BTreeMap<String, u32>,
    /// The games that told only who won, and those in which all were level.
    winner_only: u32,
    level: u32,
    /// Whether the game declares that it only reports the winner.
    is_declared: bool,
}

impl PortraitEndCounts {
    fn add(&mut self, outcome: &Outcome, plies: u32) {
        self.games += 1;
        self.first += outcome.places.score(Seat::FIRST);
        let (places, winner) = (outcome.places, outcome.places.winner());
        self.decisive += f64::from(u8::from(winner.is_some()));
        let seats = places.seats();
        let tells_winner = winner.is_some_and(|seat| places == Places::won_by(seat, seats));
        self.winner_only += u32::from(seats > 2 && tells_winner);
        self.level += u32::from(places == Places::level(seats));
        self.lengths.push(plies);
        *self.reasons.entry(outcome.reason.to_string()).or_default() += 1;
    }

    fn sample(self, players: String) -> Option<GameSample> {
        Some(GameSample {
            players,
            games: self.games,
            first_seat: PortraitShare::new(self.first, self.games),
            decisive: PortraitShare::new(self.decisive, self.games),
            plies: PortraitQuantiles::of(self.lengths)?,
            reasons: self.reasons,
            winner_only: !self.is_declared
                && self.winner_only >= FEWEST_TOLD
                && self.winner_only * 20 >= (self.games - self.level) * 19,
        })
    }
}

impl PortraitMaker {
    /// A portrait of this game without any games.
    pub(super) fn new(game: &dyn AnyGame) -> Self {
        let is_declared = game.program().is_some_and(|program| !program.ranking.is_all());
        let random = PortraitEndCounts { is_declared, ..PortraitEndCounts::default() };
        Self { random, search: None, choices: Vec::new() }
    }

    /// Adds a random game, if it was finished.
    pub(super) fn add(&mut self, walk: &TrialWalk) {
        let Turn::Over(outcome) = walk.position.turn() else { return };
        self.random.add(&outcome, walk.position.ply());
        self.choices.extend(&walk.choices);
    }

    /// Plays games between searching players.
    pub(super) fn search(
        &mut self,
        rules: &GameRules,
        plan: &TrialPlan,
        findings: &mut GameFindings,
        mut played: impl FnMut(u32),
    ) {
        let is_declared = self.random.is_declared;
        let mut ends = PortraitEndCounts { is_declared, ..PortraitEndCounts::default() };
        for number in 0..plan.search_games {
            played(number);
            let rng = ChaCha8Rng::seed_from_u64(plan.seed ^ (u64::from(number + 1) << 32));
            let mut walk = TrialWalk::new(&rules.start);
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

    /// The portrait; `None` if no game was finished.
    pub(super) fn finished(self) -> Option<GamePortrait> {
        Some(GamePortrait {
            random: self.random.sample("random".to_owned())?,
            search: self.search.and_then(|(players, ends)| ends.sample(players)),
            branching: PortraitQuantiles::of(self.choices),
        })
    }
}

/// Plays a game between two searching players. Returns `false` if one finds no action.
fn search_game(
    rules: &GameRules,
    nodes: u64,
    walk: &mut TrialWalk,
    mut rng: ChaCha8Rng,
) -> Result<bool, GameError> {
    let kind = BotKind::Search(Limit::Nodes(nodes));
    let seats = rules.seats();
    let player = |_| create_built_in_player(&*rules.game, kind, &rules.options);
    let mut players: BySeat<_> = seats.seats().map(player).collect::<Result<_, _>>()?;
    loop {
        let mut choose = |seat: Seat, rng: &mut ChaCha8Rng| {
            players[seat].choose(seat, Allotment::default(), rng).map(|choice| choice.action)
        };
        let step = match walk.position.turn() {
            Turn::Move(seat) => choose(seat, &mut rng).map(Step::Move),
            Turn::Together(asked) => {
                // All choose, even if one has nothing to choose: the others' luck stays the same.
                let chosen: Vec<_> = asked.iter().map(|seat| choose(seat, &mut rng)).collect();
                chosen.into_iter().collect::<Option<_>>().map(Step::Together)
            }
            _ => match random_walk_step(&*walk.position, &mut rng)? {
                Some(step) => Some(step),
                None => return Ok(true),
            },
        };
        let Some(step) = step else { return Ok(false) };
        walk.play(step.clone())?;
        for player in players.values_mut() {
            player.follow(step.as_text())?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_few_numbers() {
        assert_eq!(PortraitQuantiles::of(Vec::new()), None);
        let one = PortraitQuantiles::of(vec![7]).expect("a number");
        assert_eq!((one.least, one.median, one.most, one.mean), (7, 7, 7, 7.0));
        let five = PortraitQuantiles::of(vec![5, 1, 4, 2, 3]).expect("numbers");
        assert_eq!((five.least, five.lower, five.median, five.upper, five.most), (1, 2, 3, 4, 5));
    }

    #[test]
    fn wilsons_interval() {
        let half = PortraitShare::new(50.0, 100);
        assert!((half.low - 0.4038).abs() < 1e-4 && (half.high - 0.5962).abs() < 1e-4, "{half:?}");
        let none = PortraitShare::new(0.0, 10);
        assert!(none.low.abs() < 1e-9 && (none.high - 0.2775).abs() < 1e-4, "{none:?}");
    }
}
