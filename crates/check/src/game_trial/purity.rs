//! Tests whether answers depend on earlier requests: a second process plays the same games, several
//! at the same time and in random order, and must show the same positions. It gets the answers of a
//! turn of more than two seats in another order.

use std::hash::{DefaultHasher, Hash, Hasher};

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::findings::GameFindings;
use super::walk::TrialWalk;
use referee_games::{AnyPosition, Event, Position, Step, TextStep};
use referee_record::model::game_rules::GameRules;

/// The parts of a position that are compared, in the order of [`purity_digests`].
const PARTS: [&str; 6] =
    ["the state", "the turn", "`legal`", "the views", "the board", "the events"];

/// Hashes of the parts of a position.
type Digests = [u64; PARTS.len()];

/// Games that wait for their replay.
pub(super) struct PurityTest {
    /// The start position, in another process; `None` for a built-in game.
    start: Option<Position>,
    games: Vec<TriedGame>,
}

/// A game, and the digests of the position after each step.
#[derive(Default)]
struct TriedGame {
    steps: Vec<TextStep>,
    shown: Vec<Digests>,
}

impl PurityTest {
    pub(super) fn new(rules: &GameRules) -> Self {
        let another = rules.game.for_comparison();
        let start = another.and_then(|game| game.start(&rules.options).ok());
        Self { start, games: Vec::new() }
    }

    /// The number of games that wait.
    pub(super) fn waiting(&self) -> usize {
        self.games.len()
    }

    pub(super) fn begin(&mut self, walk: &TrialWalk) {
        if self.start.is_some() {
            let shown = vec![purity_digests(&*walk.position, &walk.events)];
            self.games.push(TriedGame { steps: Vec::new(), shown });
        }
    }

    /// Adds the last step of the game that began last.
    pub(super) fn add(&mut self, walk: &TrialWalk) {
        if let Some(game) = self.games.last_mut() {
            game.steps.extend(walk.steps.last().cloned());
            game.shown.push(purity_digests(&*walk.position, &walk.events));
        }
    }

    /// Replays the games, one step of a random game at a time.
    pub(super) fn compare(&mut self, rng: &mut ChaCha8Rng, findings: &mut GameFindings) {
        let Some(start) = &self.start else { return };
        let again = |game| (game, TrialWalk::new(start));
        let mut open: Vec<_> = self.games.drain(..).map(again).collect();
        while !open.is_empty() {
            let number = rng.random_range(0..open.len());
            let (game, walk) = &mut open[number];
            if !compare_purity_step(game, walk, findings) {
                open.swap_remove(number);
            }
        }
    }
}

/// Compares the position with the first process's, and plays the next step. Returns whether the
/// game continues.
fn compare_purity_step(
    game: &TriedGame,
    walk: &mut TrialWalk,
    findings: &mut GameFindings,
) -> bool {
    let at = walk.steps.len();
    let shown = purity_digests(&*walk.position, &walk.events);
    if let Some(part) = (0..PARTS.len()).find(|&part| shown[part] != game.shown[at][part]) {
        let has_order =
            matches!(walk.steps.last(), Some(Step::Together(_))) && walk.position.seats().len() > 2;
        let order = if has_order { "the order of the seats in `together`, or on " } else { "" };
        let problem = format!(
            "two processes of the program show different positions after the same steps: {} \
             depends on {order}something other than the request",
            PARTS[part]
        );
        findings.add(&problem, &walk.steps);
        return false;
    }
    let Some(step) = game.steps.get(at) else { return false };
    match walk.play(step.clone()) {
        Ok(()) => true,
        Err(error) => {
            findings.failed(&error, &walk.steps);
            false
        }
    }
}

/// Hashes of the parts of a position.
fn purity_digests(position: &dyn AnyPosition, events: &[Event]) -> Digests {
    let seats = position.seats();
    let views = seats.map_seats(|seat| position.view(seat).get().to_owned());
    let legal = seats.map_seats(|seat| format!("{:?}", position.legal(seat)));
    let drawn = format!("{:?} {:?}", position.draw(), position.svg().ok());
    let board = (drawn, position.caption(), format!("{:?}", position.values()));
    let turn = (format!("{:?}", position.turn()), position.outcomes());
    [
        purity_digest(&position.state().get()),
        purity_digest(&turn),
        purity_digest(&legal),
        purity_digest(&views),
        purity_digest(&board),
        purity_digest(&format!("{events:?}")),
    ]
}

fn purity_digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
