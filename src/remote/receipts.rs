//! What is to be acknowledged once the games before it are on disk.

use std::collections::VecDeque;

/// Receipts `R` of results that were given to the runner, which writes their games to the log in
/// the same order. A result is acknowledged when its games are on disk, and not before.
#[derive(Debug)]
pub struct Receipts<R> {
    /// How many games the runner had got with each of them.
    waiting: VecDeque<(u64, R)>,
    /// How many games it has got.
    games: u64,
}

impl<R> Default for Receipts<R> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), games: 0 }
    }
}

impl<R> Receipts<R> {
    /// Keeps the receipt of a result with so many `games`.
    pub fn keep(&mut self, games: usize, receipt: R) {
        self.games += games as u64;
        self.waiting.push_back((self.games, receipt));
    }

    /// Takes the receipts whose games are among the first `synced` ones.
    pub fn take(&mut self, synced: u64) -> impl Iterator<Item = R> + use<'_, R> {
        let count = self.waiting.partition_point(|(games, _)| *games <= synced);
        self.waiting.drain(..count).map(|(_, receipt)| receipt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_waits_until_the_last_of_its_games_is_on_disk() {
        let mut receipts = Receipts::default();
        for (games, receipt) in [(2, "a"), (1, "b"), (2, "c")] {
            receipts.keep(games, receipt);
        }
        let mut taken = |synced| receipts.take(synced).collect::<String>();
        assert_eq!([taken(1), taken(4), taken(4), taken(5)], ["", "ab", "", "c"]);
    }
}
