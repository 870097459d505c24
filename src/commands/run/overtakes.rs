//! Notices when a player of a league overtakes another one, and is clearly better.

use super::hook_runner::{HookEvent, HookSender};
use referee_tournament::analysis::TournamentEvaluation;
use referee_tournament::schedule::tournament_state::TournamentState;

/// How likely a player must be better than the one it overtakes.
const CLEARLY: f64 = 0.975;

/// The order of the players so far.
#[derive(Debug)]
pub(super) struct Overtakes {
    bell: HookSender,
    /// The numbers of the players, the best first. It changes only where the new order is clear.
    order: Vec<usize>,
}

impl Overtakes {
    /// Tells overtakes to `bell`.
    pub(super) fn new(bell: HookSender) -> Self {
        Self { bell, order: Vec::new() }
    }

    /// Compares the ranking with what was seen before.
    pub(super) fn see(&mut self, state: &TournamentState, evaluation: &TournamentEvaluation) {
        let ranking = &evaluation.ranking;
        let now: Vec<usize> =
            ranking.order.iter().copied().filter(|&player| state.is_taking_part(player)).collect();
        self.order.retain(|&player| state.is_taking_part(player));
        for (rank, &player) in now.iter().enumerate() {
            if self.order.contains(&player) {
                continue;
            }
            // A new one does not overtake: it starts at its place.
            let above = |other: &usize| now[..rank].contains(other);
            let at = self.order.iter().rposition(above).map_or(0, |last| last + 1);
            self.order.insert(at, player);
        }
        for pair in now.windows(2) {
            let &[better, worse] = pair else { continue };
            let place = |player: usize| self.order.iter().position(|&other| other == player);
            let (Some(before), Some(after)) = (place(worse), place(better)) else { continue };
            let is_clear = ranking.separation(better, worse).is_some_and(|it| it.los >= CLEARLY);
            if before < after && is_clear {
                self.order[before..=after].rotate_right(1);
                let (player, by) = (state.name(worse).to_owned(), state.name(better).to_owned());
                self.bell.send(&HookEvent::Overtaken { player, by });
            }
        }
    }
}
