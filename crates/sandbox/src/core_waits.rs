//! How long threads were ready to run but had to wait for a core.

use std::collections::BTreeMap;
use std::time::Duration;

/// How long each thread of a process and of its descendants has waited for a core so far, by the
/// number of the thread. Empty where the system does not tell.
#[derive(Debug, Clone, Default)]
pub struct CoreWaits(BTreeMap<i32, Duration>);

impl CoreWaits {
    /// How long the thread that waited longest has waited since `before`. Threads that started
    /// later do not count.
    pub fn longest_since(&self, before: &Self) -> Duration {
        let since = |(thread, waited): (&i32, &Duration)| {
            Some(waited.saturating_sub(*before.0.get(thread)?))
        };
        self.0.iter().filter_map(since).max().unwrap_or_default()
    }
}

impl FromIterator<(i32, Duration)> for CoreWaits {
    fn from_iter<I: IntoIterator<Item = (i32, Duration)>>(threads: I) -> Self {
        Self(threads.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits<const N: usize>(waited: [(i32, u64); N]) -> CoreWaits {
        let waited = waited.into_iter();
        waited.map(|(thread, millis)| (thread, Duration::from_millis(millis))).collect()
    }

    #[test]
    fn the_longest_wait_of_a_thread_counts() {
        let before = waits([(1, 50), (2, 7)]);
        let longest = |after: CoreWaits| after.longest_since(&before).as_millis();
        assert_eq!(longest(waits([(1, 53), (2, 11)])), 4);
        assert_eq!(longest(waits([(1, 50), (3, 90)])), 0, "a new thread");
        assert_eq!(longest(CoreWaits::default()), 0);
    }
}
