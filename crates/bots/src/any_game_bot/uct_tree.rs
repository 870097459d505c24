//! Look-ahead for any game: a Monte Carlo tree search (UCT). Each iteration walks down the tree by
//! UCB1, adds one position to it, and takes that position's value from the game's own estimate or a
//! random playout. Where several seats act at once, each chooses by its own results (decoupled UCT).

use std::collections::{BTreeMap, HashMap};

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::playouts::{draw_playout_action, draw_playout_chance, playout, scores_without_playout};
use crate::meter::Meter;
use crate::{Allotment, Choice, Limit};
use referee_games::{BySeat, Position, Seat, Step, TextStep, Turn};

/// The exploration constant: the weight of actions with few visits.
const CURIOSITY: f64 = 1.0;
/// A node whose actions are not listed tries more of them as long as the square of their number is
/// below this many times its visits.
const WIDENING: u64 = 16;

/// An action of a node, and the results of the visits that chose it.
#[derive(Debug, Default, Clone)]
struct UctArm {
    action: String,
    visits: f64,
    points: f64,
}

impl UctArm {
    fn mean_score(&self) -> f64 {
        self.points / self.visits.max(1.0)
    }

    /// The UCB1 value after `visits` visits in all; the action with the highest is chosen next.
    fn ucb1_value(&self, visits: f64) -> f64 {
        if self.visits == 0.0 {
            return f64::INFINITY;
        }
        self.mean_score() + CURIOSITY * (visits.ln() / self.visits).sqrt()
    }
}

/// A position of the tree.
struct UctNode {
    position: Position,
    visits: u32,
    /// The actions of the seats that are asked.
    arms: Vec<(Seat, Vec<UctArm>)>,
    /// The nodes after each step, by number.
    children: HashMap<TextStep, usize>,
}

/// A node on the way down, and the numbers of the actions chosen there by the seats asked.
type Visited = (usize, Vec<usize>);

/// Chooses the action of `seat` with the most visits, in as many trees as there are positions.
pub(super) fn choose_by_uct(
    positions: &[Position],
    seat: Seat,
    (limit, time): (Limit, Allotment),
    rng: &mut ChaCha8Rng,
) -> Option<Choice<String>> {
    let mut meter = Meter::new(limit, time).reading_each_time();
    let mut trees: Vec<UctTree> =
        positions.iter().map(|position| UctTree::new(position.clone(), rng)).collect();
    let is_forced = |tree: &UctTree| tree.nodes[0].position.legal_count(seat) == 1;
    let mut next = 0;
    while !trees.iter().all(is_forced) && meter.may_begin_another() {
        if trees[next].iterate(&mut meter, rng).is_none() {
            break;
        }
        next = (next + 1) % trees.len();
    }
    let mut totals: BTreeMap<String, UctArm> = BTreeMap::new();
    for arm in trees.iter().flat_map(|tree| tree.nodes[0].arms_of(seat)) {
        let total = totals.entry(arm.action.clone()).or_default();
        total.visits += arm.visits;
        total.points += arm.points;
    }
    let (action, best) = totals.into_iter().max_by(|(_, one), (_, other)| {
        one.visits.total_cmp(&other.visits).then(one.mean_score().total_cmp(&other.mean_score()))
    })?;
    if best.visits == 0.0 {
        // There was no time for a single visit.
        return draw_playout_action(&**positions.first()?, seat, rng);
    }
    Some(Choice { action, eval: Some(2.0 * best.mean_score() - 1.0) })
}

/// A tree, whose root is node 0.
struct UctTree {
    nodes: Vec<UctNode>,
}

impl UctTree {
    fn new(position: Position, rng: &mut ChaCha8Rng) -> Self {
        Self { nodes: vec![UctNode::new(position, rng)] }
    }

    /// Adds a node and the result of its position to all nodes on the way; `None` if the meter runs
    /// out.
    fn iterate(&mut self, meter: &mut Meter, rng: &mut ChaCha8Rng) -> Option<()> {
        let mut path: Vec<Visited> = Vec::new();
        let mut at = 0;
        let scores = loop {
            let node = &mut self.nodes[at];
            let is_new = node.visits == 0 && at != 0;
            if is_new || matches!(node.position.turn(), Turn::Over(_)) {
                path.push((at, Vec::new()));
                break match scores_without_playout(&*node.position) {
                    Some(scores) => scores,
                    None => playout(node.position.clone(), meter, rng)?,
                };
            }
            let (step, chosen) = node.choose_step(rng)?;
            path.push((at, chosen));
            at = self.child(at, step, meter, rng)?;
        };
        for (at, chosen) in path {
            self.nodes[at].add_scores(&chosen, &scores);
        }
        Some(())
    }

    /// The node after a step, which is added if it is not there.
    fn child(
        &mut self,
        at: usize,
        step: TextStep,
        meter: &mut Meter,
        rng: &mut ChaCha8Rng,
    ) -> Option<usize> {
        meter.tick()?;
        if let Some(&child) = self.nodes[at].children.get(&step) {
            return Some(child);
        }
        let mut position = self.nodes[at].position.clone();
        position.play(step.as_text(), &mut Vec::new()).ok()?;
        let child = self.nodes.len();
        self.nodes.push(UctNode::new(position, rng));
        self.nodes[at].children.insert(step, child);
        Some(child)
    }
}

impl UctNode {
    fn new(position: Position, rng: &mut ChaCha8Rng) -> Self {
        let arms = position.turn().asked().iter().map(|seat| {
            let actions = position.legal_list(seat).unwrap_or_default();
            let arm = |action| UctArm { action, ..UctArm::default() };
            let mut arms: Vec<UctArm> = actions.into_iter().map(arm).collect();
            arms.shuffle(rng);
            (seat, arms)
        });
        let arms = arms.collect();
        Self { position, visits: 0, arms, children: HashMap::new() }
    }

    /// The actions of `seat`; empty unless it has to act.
    fn arms_of(&self, seat: Seat) -> &[UctArm] {
        let arms = self.arms.iter().find(|(asked, _)| *asked == seat);
        arms.map_or(&[], |(_, arms)| arms)
    }

    /// The next step from here, and the numbers of its actions.
    fn choose_step(&mut self, rng: &mut ChaCha8Rng) -> Option<(TextStep, Vec<usize>)> {
        let mut chosen = Vec::new();
        for asked in 0..self.arms.len() {
            chosen.push(self.choose_arm(asked, rng)?);
        }
        let mut actions =
            self.arms.iter().zip(&chosen).map(|((_, arms), &number)| arms[number].action.clone());
        let step = match self.position.turn() {
            Turn::Move(_) => Step::Move(actions.next()?),
            Turn::Together(_) => Step::Together(actions.collect()),
            Turn::Pass(_) => Step::Pass,
            Turn::Chance(_) => draw_playout_chance(&*self.position, rng)?,
            Turn::Over(_) => return None,
        };
        Some((step, chosen))
    }

    /// The number of the action to try next, of the seat with this number among those asked.
    fn choose_arm(&mut self, asked: usize, rng: &mut ChaCha8Rng) -> Option<usize> {
        let (seat, ref mut arms) = self.arms[asked];
        let may_widen = (arms.len() as u64).pow(2) < WIDENING * u64::from(self.visits + 1);
        if may_widen && self.position.legal_list(seat).is_none() {
            let action = self.position.sample(seat, rng).ok()??;
            if !arms.iter().any(|arm| arm.action == action) {
                arms.push(UctArm { action, ..UctArm::default() });
            }
        }
        let visits = f64::from(self.visits);
        let claims = arms.iter().map(|arm| arm.ucb1_value(visits)).enumerate();
        claims.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(number, _)| number)
    }

    /// Adds the scores of a visit.
    fn add_scores(&mut self, chosen: &[usize], scores: &BySeat<f64>) {
        self.visits += 1;
        for ((seat, arms), &number) in self.arms.iter_mut().zip(chosen) {
            let arm = &mut arms[number];
            arm.visits += 1.0;
            arm.points += scores[*seat];
        }
    }
}
