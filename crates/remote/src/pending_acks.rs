//! Results to acknowledge once their games are on disk.

use std::collections::VecDeque;

/// What acknowledges a result, `A`, for results that were given to the runner, which writes their
/// games to the log in the same order.
#[derive(Debug)]
pub(crate) struct PendingAcks<A> {
    /// With the number of games that the runner had received with each of them.
    waiting: VecDeque<(u64, A)>,
    /// How many games it has received.
    games: u64,
}

impl<A> Default for PendingAcks<A> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), games: 0 }
    }
}

impl<A> PendingAcks<A> {
    /// Adds a result with `games` games.
    pub(crate) fn add(&mut self, games: usize, ack: A) {
        self.games += games as u64;
        self.waiting.push_back((self.games, ack));
    }

    /// Takes those whose games are among the first `synced` ones.
    pub(crate) fn take(&mut self, synced: u64) -> impl Iterator<Item = A> + use<'_, A> {
        let count = self.waiting.partition_point(|(games, _)| *games <= synced);
        self.waiting.drain(..count).map(|(_, ack)| ack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_waits_until_the_last_of_its_games_is_on_disk() {
        let mut acks = PendingAcks::default();
        for (games, ack) in [(2, "a"), (1, "b"), (2, "c")] {
            acks.add(games, ack);
        }
        let mut taken = |synced| acks.take(synced).collect::<String>();
        assert_eq!([taken(1), taken(4), taken(4), taken(5)], ["", "ab", "", "c"]);
    }
}
