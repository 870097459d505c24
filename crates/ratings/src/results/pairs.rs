//! The pairs of two players, as counts of results. No single game is stored.

use crate::results::game_outcome::GameOutcome;

/// Complete pairs by the first player's total score: 0, ½, 1, 1½ and 2 points.
pub type Pentanomial = [u32; 5];

/// The pairs of two players, the *upper* and the *lower*, by the results of their two games.
///
/// A game is a *single* if its partner is missing: not played yet, not counted, or a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCounts {
    /// Row: the game with the upper player at the first seat; column: the other one.
    whole: [[u32; 3]; 3],
    /// Single games with the upper player at the first seat.
    upper: [u32; 3],
    /// Single games with the lower player at the first seat.
    lower: [u32; 3],
}

/// Which of two players had the first seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The upper player.
    Upper,
    /// The lower player.
    Lower,
}

impl Side {
    /// Both sides, the upper player's first.
    pub(crate) const BOTH: [Self; 2] = [Self::Upper, Self::Lower];
}

impl PairCounts {
    /// Counts a pair: the game with the upper player at the first seat, and the other one.
    pub(crate) fn add(&mut self, upper: GameOutcome, lower: GameOutcome) {
        self.whole[upper.index()][lower.index()] += 1;
    }

    pub(crate) fn add_single(&mut self, first: Side, outcome: GameOutcome) {
        match first {
            Side::Upper => self.upper[outcome.index()] += 1,
            Side::Lower => self.lower[outcome.index()] += 1,
        }
    }

    /// The complete pairs: both outcomes, the upper player's seat first, and how many pairs had
    /// them.
    pub(crate) fn by_outcome(&self) -> impl Iterator<Item = (GameOutcome, GameOutcome, u32)> + '_ {
        let all = GameOutcome::ALL;
        let cells = all.into_iter().flat_map(move |one| all.map(|other| (one, other)));
        cells
            .map(|(one, other)| (one, other, self.whole[one.index()][other.index()]))
            .filter(|&(.., count)| count > 0)
    }

    /// The number of complete pairs.
    pub fn pairs(&self) -> u32 {
        self.whole.iter().flatten().sum()
    }

    /// The number of single games with this player at the first seat.
    pub fn singles(&self, first: Side) -> u32 {
        match first {
            Side::Upper => self.upper.iter().sum(),
            Side::Lower => self.lower.iter().sum(),
        }
    }

    /// All games with this player at the first seat, by outcome: wins, draws, losses of that seat.
    pub(crate) fn games_by_outcome(&self, first: Side) -> [u32; 3] {
        std::array::from_fn(|index| match first {
            Side::Upper => self.upper[index] + self.whole[index].iter().sum::<u32>(),
            Side::Lower => self.lower[index] + self.whole.iter().map(|row| row[index]).sum::<u32>(),
        })
    }

    /// The complete pairs by the upper player's score.
    pub(crate) fn pentanomial(&self) -> Pentanomial {
        let mut counts = [0; 5];
        for (one, other, count) in self.by_outcome() {
            counts[one.halves() + 2 - other.halves()] += count;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_scored_from_the_upper_side() {
        let mut counts = PairCounts::default();
        counts.add(GameOutcome::Win, GameOutcome::Loss);
        counts.add(GameOutcome::Win, GameOutcome::Win);
        counts.add(GameOutcome::Draw, GameOutcome::Win);
        counts.add_single(Side::Lower, GameOutcome::Draw);
        assert_eq!(counts.pentanomial(), [0, 1, 1, 0, 1]);
        assert_eq!(counts.games_by_outcome(Side::Upper), [2, 1, 0]);
        assert_eq!(counts.games_by_outcome(Side::Lower), [2, 1, 1]);
        assert_eq!((counts.pairs(), counts.singles(Side::Lower)), (3, 1));
    }
}
