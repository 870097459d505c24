//! The transposition table, which stores search results by position.

use super::evaluation::SearchScore;
use referee_games::two_player::Side;
use referee_games::watch_your_back::{Action, Board};

/// The number of entries in the table, a power of two.
const SIZE: usize = 1 << 18;

/// How the score of an entry bounds the position's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// The value is exactly the score.
    Exact,
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
}

/// A search's result for a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct TranspositionEntry {
    key: u64,
    pub(super) score: SearchScore,
    pub(super) depth: u8,
    pub(super) bound: Bound,
    pub(super) best: Option<Action>,
}

/// Entries by the key of their position. A new entry replaces an older one.
pub(super) struct TranspositionTable {
    entries: Vec<Option<TranspositionEntry>>,
}

impl TranspositionTable {
    /// Creates an empty table.
    pub(super) fn new() -> Self {
        Self { entries: vec![None; SIZE] }
    }

    /// Returns the entry of the position with this key.
    pub(super) fn get(&self, key: u64) -> Option<&TranspositionEntry> {
        self.entries[transposition_slot(key)].as_ref().filter(|entry| entry.key == key)
    }

    /// Stores a search result for the position with this key.
    pub(super) fn put(
        &mut self,
        key: u64,
        depth: u8,
        (score, bound): (SearchScore, Bound),
        best: Option<Action>,
    ) {
        self.entries[transposition_slot(key)] =
            Some(TranspositionEntry { key, score, depth, bound, best });
    }
}

impl TranspositionEntry {
    /// Returns the score if it decides a search of this depth in the window from `alpha` to `beta`.
    pub(super) fn score_if_settled(
        &self,
        depth: u8,
        alpha: SearchScore,
        beta: SearchScore,
    ) -> Option<SearchScore> {
        let settled = self.depth >= depth
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => self.score >= beta,
                Bound::Upper => self.score <= alpha,
            };
        settled.then_some(self.score)
    }
}

/// Returns a hash of the pieces and the number of plies. The side to move and the board's size
/// follow from these.
pub(super) fn transposition_key(board: &Board) -> u64 {
    let pieces = mix_key_bits(board.pieces(Side::First).0) ^ board.pieces(Side::Second).0;
    mix_key_bits(mix_key_bits(pieces) ^ u64::from(board.ply()))
}

/// Mixes the bits of a word (the finalizer of `SplitMix64`).
const fn mix_key_bits(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[expect(clippy::cast_possible_truncation, reason = "only the low bits are used")]
const fn transposition_slot(key: u64) -> usize {
    key as usize & (SIZE - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::watch_your_back::EndCheck;

    #[test]
    fn table_entries_are_found_by_position() {
        let mut other = Board::START;
        other.play_unchecked(other.legal_actions()[0], EndCheck::AfterShrink);
        assert_ne!(transposition_key(&Board::START), transposition_key(&other));
        let mut table = TranspositionTable::new();
        table.put(transposition_key(&other), 3, (7, Bound::Exact), None);
        assert!(table.get(transposition_key(&Board::START)).is_none());
        assert_eq!(table.get(transposition_key(&other)).map(|entry| entry.score), Some(7));
    }

    #[test]
    fn a_bound_settles_only_what_it_bounds() {
        let settles = |bound, depth| {
            let entry = TranspositionEntry { key: 0, score: 5, depth: 3, bound, best: None };
            [(0, 5), (5, 9), (0, 9)]
                .map(|(alpha, beta)| entry.score_if_settled(depth, alpha, beta).is_some())
        };
        assert_eq!(settles(Bound::Exact, 3), [true, true, true]);
        assert_eq!(settles(Bound::Lower, 3), [true, false, false]);
        assert_eq!(settles(Bound::Upper, 3), [false, true, false]);
        assert_eq!(settles(Bound::Exact, 4), [false, false, false]);
    }
}
