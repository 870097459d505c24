//! Overdue replies, and whether the machine caused them.

use std::time::Duration;

/// If the referee checks later than this after the time was up, the machine lags. A timer on a busy
/// core normally wakes it within a few milliseconds.
pub const LAG: Duration = Duration::from_millis(100);

/// When the referee noticed an overdue reply, and what the player had used until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overdue {
    /// The time from the request until the referee noticed.
    pub wall: Duration,
    /// The wall time that was allowed.
    pub bound: Duration,
    /// CPU time of the player in that time, if it could be measured.
    pub cpu: Option<Duration>,
}

impl Overdue {
    /// How late the referee checked.
    pub fn late(self) -> Duration {
        self.wall.saturating_sub(self.bound)
    }

    /// Whether the machine lagged: the referee checked too late by [`LAG`] or more, and the players
    /// did not cause it. They did not compute for at least as long as the delay: the CPU time of
    /// the player and of its opponent, `beside`, together fit into the allowed time.
    pub fn is_lag(self, beside: Duration) -> bool {
        let Some(cpu) = self.cpu else { return false };
        self.late() >= LAG && cpu.saturating_add(beside) <= self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NANO: Duration = Duration::from_nanos(1);
    const BOUND: Duration = Duration::from_secs(5);

    fn seen_after(wall: Duration, cpu: Duration) -> Overdue {
        Overdue { wall, bound: BOUND, cpu: Some(cpu) }
    }

    #[test]
    fn a_referee_is_late_from_the_lag_limit_on() {
        let is_lag = |late: Duration| seen_after(BOUND + late, Duration::ZERO).is_lag(NANO);
        assert!(!is_lag(LAG.saturating_sub(NANO)));
        assert!(is_lag(LAG) && is_lag(LAG + NANO));
        assert!(!seen_after(NANO, Duration::ZERO).is_lag(Duration::ZERO), "before the time is up");
    }

    #[test]
    fn lag_is_not_excused_if_players_computed_all_the_time() {
        let is_lag = |cpu, beside| seen_after(BOUND + 2 * LAG, cpu).is_lag(beside);
        let rest = BOUND.saturating_sub(LAG);
        assert!(is_lag(rest, LAG.saturating_sub(NANO)));
        assert!(is_lag(rest, LAG));
        assert!(!is_lag(rest, LAG + NANO));
    }

    #[test]
    fn unmeasured_cpu_time_excuses_no_delay() {
        let overdue = Overdue { cpu: None, ..seen_after(2 * BOUND, Duration::ZERO) };
        assert!(!overdue.is_lag(Duration::ZERO));
    }
}
