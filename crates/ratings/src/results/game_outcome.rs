//! Outcomes of games, and their scores.

use std::iter::Sum;
use std::ops::Add;

use crate::results::points::Points;

/// A game's result, from the side of its first seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameOutcome {
    /// The first seat won.
    Win,
    /// A draw.
    Draw,
    /// The second seat won.
    Loss,
}

impl GameOutcome {
    /// Every outcome.
    pub(crate) const ALL: [Self; 3] = [Self::Win, Self::Draw, Self::Loss];

    /// The first seat's score in half points: 2, 1 or 0.
    pub const fn halves(self) -> usize {
        match self {
            Self::Win => 2,
            Self::Draw => 1,
            Self::Loss => 0,
        }
    }

    pub(crate) fn index(self) -> usize {
        2 - self.halves()
    }
}

/// Wins, draws and losses, counted from one player's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcomes {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Outcomes {
    /// How many games there were.
    pub fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The score of these games.
    pub fn score(self) -> Points {
        Points::from_wins_and_draws(self.wins, self.draws)
    }

    /// The outcome of one game, from its score in half points.
    pub(crate) fn from_halves(halves: usize) -> Self {
        let none = Self::default();
        match halves {
            0 => Self { losses: 1, ..none },
            1 => Self { draws: 1, ..none },
            _ => Self { wins: 1, ..none },
        }
    }
}

impl Add for Outcomes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl Sum for Outcomes {
    fn sum<I: Iterator<Item = Self>>(outcomes: I) -> Self {
        outcomes.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_points_and_outcomes_say_the_same() {
        for outcome in GameOutcome::ALL {
            let one = Outcomes::from_halves(outcome.halves());
            assert_eq!(
                (one.games(), one.score()),
                (
                    1,
                    Points::from_wins_and_draws(0, u32::try_from(outcome.halves()).expect("small"))
                )
            );
            assert_eq!(GameOutcome::ALL[outcome.index()], outcome);
        }
    }

    #[test]
    fn outcomes_add_up() {
        let sum: Outcomes = [2, 1, 1, 0].map(Outcomes::from_halves).into_iter().sum();
        assert_eq!(sum, Outcomes { wins: 1, draws: 2, losses: 1 });
        assert_eq!((sum.games(), sum.score()), (4, Points::from_wins_and_draws(1, 2)));
        assert_eq!(Outcomes::default().score(), Points::from_wins_and_draws(0, 0));
    }
}
