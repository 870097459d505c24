//! Scores as exact sums of halves.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

/// A total score: a win counts 1, a draw 0.5. Exact, and shown as `12` or `12.5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Points {
    halves: u32,
}

impl Points {
    /// The score of this many wins and draws.
    pub const fn from_wins_and_draws(wins: u32, draws: u32) -> Self {
        Self { halves: 2 * wins + draws }
    }

    /// The score as a number.
    pub fn value(self) -> f64 {
        f64::from(self.halves) / 2.0
    }

    /// The score as a share of the points possible in this many games, 0 … 1; `None` for no games.
    pub fn share(self, games: u32) -> Option<f64> {
        (games > 0).then(|| self.value() / f64::from(games))
    }
}

impl Add for Points {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { halves: self.halves + other.halves }
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = if self.halves % 2 == 1 { ".5" } else { "" };
        f.pad(&format!("{}{half}", self.halves / 2))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Points {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.halves % 2 == 1 {
            serializer.serialize_f64(self.value())
        } else {
            serializer.serialize_u32(self.halves / 2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_written_in_its_shortest_form() {
        assert_eq!(Points::from_wins_and_draws(12, 0).to_string(), "12");
        assert_eq!(Points::from_wins_and_draws(12, 1).to_string(), "12.5");
        assert_eq!(Points::from_wins_and_draws(0, 1).to_string(), "0.5");
        #[cfg(feature = "serde")]
        assert_eq!(
            serde_json::to_string(&[
                Points::from_wins_and_draws(1, 2),
                Points::from_wins_and_draws(1, 1)
            ])
            .ok()
            .as_deref(),
            Some("[2,1.5]")
        );
    }

    #[test]
    fn a_share_of_no_games_is_undefined() {
        assert_eq!(Points::default().share(0), None);
        assert_eq!(Points::from_wins_and_draws(1, 1).share(2), Some(0.75));
    }
}
