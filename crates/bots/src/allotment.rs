//! How long a bot may think: pure arithmetic on what the wire says about time.

use std::time::Duration;

/// What a bot knows about its time when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allotment {
    /// The whole game's budget, where there is one.
    pub budget: Option<Duration>,
    /// What is left of it.
    pub left: Option<Duration>,
    /// What comes back after each reply.
    pub increment: Duration,
    /// The limit of one turn, where there is one.
    pub per_move: Option<Duration>,
}

/// The thinking time when nothing is known.
const UNLIMITED: Duration = Duration::from_millis(100);
/// The longest thinking time, so that house games end soon.
const LONGEST: Duration = Duration::from_millis(500);
/// The least that is kept back for the way to the referee and a busy machine.
const RESERVE: Duration = Duration::from_millis(50);
/// A game has about this many turns still to come, whenever one asks.
const TURNS: u32 = 60;

impl Allotment {
    /// The time to think about this turn: well inside the move limit and the budget.
    pub fn thinking_time(&self) -> Duration {
        let limits = [self.share(), self.per_move.map(|limit| limit * 2 / 5)];
        limits.into_iter().flatten().min().unwrap_or(UNLIMITED).min(LONGEST)
    }

    /// An even share of what is left above a reserve, and most of the increment.
    fn share(&self) -> Option<Duration> {
        let left = self.left.or(self.budget)?;
        let reserve = self.budget.map_or(RESERVE, |budget| (budget / 20).max(RESERVE));
        let share = left.saturating_sub(reserve) / TURNS + self.increment * 4 / 5;
        Some(share.min(left * 2 / 5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn budget(budget: u64, left: u64, increment: u64) -> Allotment {
        Allotment {
            budget: Some(ms(budget)),
            left: Some(ms(left)),
            increment: ms(increment),
            per_move: None,
        }
    }

    #[test]
    fn each_limit_has_its_share() {
        assert_eq!(Allotment::default().thinking_time(), ms(100));
        let turn = |limit| Allotment { per_move: Some(ms(limit)), ..Allotment::default() };
        assert_eq!(turn(50).thinking_time(), ms(20));
        assert_eq!(turn(5000).thinking_time(), ms(500));
        assert_eq!(budget(60_000, 60_000, 0).thinking_time(), ms(500));
        assert_eq!(budget(12_000, 12_000, 0).thinking_time(), ms(190));
        assert_eq!(budget(1000, 50, 0).thinking_time(), Duration::ZERO);
        assert_eq!(budget(1000, 50, 100).thinking_time(), ms(20));
    }

    #[test]
    fn a_budget_lasts_for_a_long_game() {
        let mut time = budget(2000, 2000, 0);
        for _ in 0..300 {
            time.left = time.left.and_then(|left| left.checked_sub(time.thinking_time()));
        }
        assert!(time.left >= Some(ms(100)));
    }
}
