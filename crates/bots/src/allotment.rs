//! How long a bot thinks about a turn, computed from the time limits that the referee sent.

use std::time::Duration;

/// The time limits of a bot for one action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allotment {
    /// The time for the whole game, if it is limited.
    pub(crate) budget: Option<Duration>,
    /// The part of the budget that is left.
    pub(crate) left: Option<Duration>,
    /// The time added to the budget after each reply.
    pub(crate) increment: Duration,
    /// The time for one turn, if it is limited.
    pub(crate) per_move: Option<Duration>,
}

/// The thinking time without any limit.
const UNLIMITED: Duration = Duration::from_millis(100);
/// The longest thinking time. It keeps games between built-in players short.
const LONGEST: Duration = Duration::from_millis(500);
/// The minimum reserve for communication with the referee and delays on a busy machine.
const RESERVE: Duration = Duration::from_millis(50);
/// The estimated number of turns to come, at any point of a game.
const TURNS: u32 = 60;

impl Allotment {
    /// Returns the thinking time for this turn, well within the turn limit and the budget.
    pub(crate) fn thinking_time(&self) -> Duration {
        let limits = [self.budget_share(), self.per_move.map(|limit| limit * 2 / 5)];
        limits.into_iter().flatten().min().unwrap_or(UNLIMITED).min(LONGEST)
    }

    /// An equal share of the remaining time above a reserve, plus most of the increment.
    fn budget_share(&self) -> Option<Duration> {
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
    fn thinking_time_is_a_share_of_each_limit() {
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
