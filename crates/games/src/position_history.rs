//! The positions of a game that may still recur.

use serde::{Deserialize, Serialize};

/// Positions, newest last.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PositionHistory<P>(Vec<P>);

impl<P: Copy + PartialEq> PositionHistory<P> {
    /// Adds a position.
    pub(crate) fn push(&mut self, position: P) {
        self.0.push(position);
    }

    /// Forgets all positions, because none of them can recur.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// How often the newest position occurs among those `stride` positions apart, itself included;
    /// 0 for an empty history.
    pub(crate) fn occurrences(&self, stride: usize) -> usize {
        let candidates = self.0.iter().rev().step_by(stride);
        self.0.last().map_or(0, |now| candidates.filter(|then| *then == now).count())
    }
}

impl<P> Default for PositionHistory<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(positions: &[u32]) -> PositionHistory<u32> {
        let mut history = PositionHistory::default();
        for &position in positions {
            history.push(position);
        }
        history
    }

    #[test]
    fn the_newest_position_is_counted_with_the_same_side_to_move() {
        assert_eq!(history(&[]).occurrences(2), 0);
        assert_eq!(history(&[7]).occurrences(2), 1);
        let moves = history(&[7, 8, 7, 7, 7]);
        assert_eq!((moves.occurrences(1), moves.occurrences(2)), (4, 3));
    }

    #[test]
    fn positions_that_cannot_recur_are_forgotten() {
        let mut moves = history(&[7, 7, 7]);
        let copy = moves.clone();
        moves.clear();
        moves.push(7);
        assert_eq!((moves.occurrences(1), copy.occurrences(1)), (1, 3));
    }
}
