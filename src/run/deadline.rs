//! A run that is to end by a given time: which games may still begin, and when those that are
//! not over are given up.

use std::time::{Duration, Instant};

/// Games in play at the end are always given so much longer.
const LEAST_PATIENCE: Duration = Duration::from_secs(30);

/// When a run is to end, and how long its games have taken so far.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Instant,
    games: u32,
    total: Duration,
    longest: Duration,
}

impl Deadline {
    /// The end of a run at `at`.
    pub fn new(at: Instant) -> Self {
        Self { at, games: 0, total: Duration::ZERO, longest: Duration::ZERO }
    }

    /// Takes in how long a game took.
    pub fn took(&mut self, time: Duration) {
        self.games += 1;
        self.total += time;
        self.longest = self.longest.max(time);
    }

    /// A game that begins at `now` can be expected to be over in time: it takes as long as the
    /// games of this run took on average. The first games begin whenever there is time at all.
    pub fn allows(&self, now: Instant) -> bool {
        let left = self.at.saturating_duration_since(now);
        !left.is_zero() && left >= self.total / self.games.max(1)
    }

    /// When games that are still in play are given up: as much later as the longest game of this
    /// run took, and 30 seconds at least.
    pub fn patience_ends(&self) -> Instant {
        self.at + self.longest.max(LEAST_PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NANO: Duration = Duration::from_nanos(1);

    #[test]
    fn a_game_begins_if_an_average_one_would_be_over_in_time() {
        let (last, average) = (Instant::now(), Duration::from_secs(20));
        let end = last + average;
        let mut deadline = Deadline::new(end);
        assert!(deadline.allows(last + average.saturating_sub(NANO)), "nothing is known yet");
        assert!(!deadline.allows(end) && !deadline.allows(end + NANO), "no time is left");
        for seconds in [10, 40, 10] {
            deadline.took(Duration::from_secs(seconds));
        }
        assert!(deadline.allows(last) && !deadline.allows(last + NANO));
    }

    #[test]
    fn games_in_play_are_given_as_long_as_the_longest_took() {
        let end = Instant::now();
        let mut deadline = Deadline::new(end);
        deadline.took(Duration::from_secs(5));
        assert_eq!(deadline.patience_ends(), end + LEAST_PATIENCE);
        deadline.took(Duration::from_secs(90));
        assert_eq!(deadline.patience_ends(), end + Duration::from_secs(90));
    }
}
