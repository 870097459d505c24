//! What players used of their services, and whose budget is used up.

use super::TournamentState;
use referee_games::BySeat;
use referee_protocol::Usage;
use referee_record::model::fixture::{Fixture, Lineup};

impl TournamentState {
    /// Adds what the players of a game used, by seat.
    pub(super) fn charge_budgets(&mut self, game: Fixture, usage: &BySeat<Usage>) {
        for (seat, usage) in usage.iter() {
            self.spent[game.players.at(seat)] += *usage;
        }
    }

    /// What a player used in all games that are done, also in those that do not count.
    pub fn budget_spent(&self, player: usize) -> Usage {
        self.spent[player]
    }

    /// Which limits of a player are used up, and how far; none if it may go on.
    pub fn describe_spent_budget(&self, player: usize) -> Option<String> {
        self.header.players[player].usage.used_up(self.spent[player])
    }

    /// Whether a player has used up its budget, so that none of its games begins.
    pub fn is_budget_used_up(&self, player: usize) -> bool {
        self.header.players[player].usage.is_reached(self.spent[player])
    }

    /// The players whose budgets are used up.
    pub fn players_over_budget(&self) -> impl Iterator<Item = usize> {
        (0..self.spent.len()).filter(|&player| self.is_budget_used_up(player))
    }

    /// Whether a game between these players waits, because the budget of one is used up.
    pub(crate) fn waits_for_budget(&self, players: Lineup) -> bool {
        players.players().any(|player| self.is_budget_used_up(player))
    }

    /// The first game at or after `from` that may begin now.
    pub(crate) fn next_due_in_budget(&self, from: usize) -> Option<usize> {
        let mut next = self.next_due(from);
        while let Some(index) =
            next.filter(|&index| self.waits_for_budget(self.fixture(index).players))
        {
            next = self.next_due(index + 1);
        }
        next
    }

    /// The games that are due now and wait for a budget.
    pub(crate) fn games_awaiting_budget(&self) -> impl Iterator<Item = Fixture> {
        let first = self.players_over_budget().next().and_then(|_| self.next_due(0));
        let due = std::iter::successors(first, |&index| self.next_due(index + 1));
        due.map(|index| self.fixture(index)).filter(|game| self.waits_for_budget(game.players))
    }
}

#[cfg(test)]
mod tests;
