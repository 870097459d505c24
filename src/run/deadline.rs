//! Runs with an end time: which games may still begin, and when unfinished games are abandoned.

use std::time::{Duration, Instant};

/// Games in play at the end time get at least this much longer.
const LEAST_PATIENCE: Duration = Duration::from_secs(30);

/// The end time of a run, and how long its games have taken so far.
#[derive(Debug, Clone, Copy)]
pub struct RunDeadline {
    at: Instant,
    games: u32,
    total: Duration,
    longest: Duration,
}

impl RunDeadline {
    /// A deadline at `at`.
    pub fn new(at: Instant) -> Self {
        Self { at, games: 0, total: Duration::ZERO, longest: Duration::ZERO }
    }

    /// Notes how long a game took.
    pub fn took(&mut self, time: Duration) {
        self.games += 1;
        self.total += time;
        self.longest = self.longest.max(time);
    }

    /// Whether a game that begins at `now` should finish in time, if it takes as long as the
    /// average game of this run. The first games may begin as long as any time is left.
    pub fn allows(&self, now: Instant) -> bool {
        let left = self.at.saturating_duration_since(now);
        !left.is_zero() && left >= self.total / self.games.max(1)
    }

    /// When unfinished games are abandoned: the end time plus the longest game of this run, or plus
    /// 30 seconds if that is more.
    pub fn patience_ends(&self) -> Instant {
        self.at + self.longest.max(LEAST_PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NANO: Duration = Duration::from_nanos(1);

    #[test]
    fn a_game_starts_only_if_an_average_game_would_finish_in_time() {
        let (last, average) = (Instant::now(), Duration::from_secs(20));
        let end = last + average;
        let mut deadline = RunDeadline::new(end);
        assert!(deadline.allows(last + average.saturating_sub(NANO)), "nothing is known yet");
        assert!(!deadline.allows(end) && !deadline.allows(end + NANO), "no time is left");
        for seconds in [10, 40, 10] {
            deadline.took(Duration::from_secs(seconds));
        }
        assert!(deadline.allows(last) && !deadline.allows(last + NANO));
    }

    #[test]
    fn games_in_progress_get_as_long_as_the_longest_game() {
        let end = Instant::now();
        let mut deadline = RunDeadline::new(end);
        deadline.took(Duration::from_secs(5));
        assert_eq!(deadline.patience_ends(), end + LEAST_PATIENCE);
        deadline.took(Duration::from_secs(90));
        assert_eq!(deadline.patience_ends(), end + Duration::from_secs(90));
    }
}
