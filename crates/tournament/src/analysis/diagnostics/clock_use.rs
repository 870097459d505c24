//! How long players think: quantiles from bucket counts, so that memory does not grow with the
//! number of turns.

use serde::Serialize;

/// Buckets for each doubling of the time: quantiles are off by 1.6% at most.
const STEPS: u64 = 32;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// A player's times per turn, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClockUse {
    /// The player's name.
    pub player: String,
    /// The number of turns.
    pub turns: u64,
    /// The median time, within 1.6%.
    pub median_ns: u64,
    /// The 95th percentile, within 1.6%.
    pub p95_ns: u64,
    /// The longest time, exact.
    pub max_ns: u64,
}

/// The times of all players.
#[derive(Debug, Clone)]
pub(super) struct ClockUseCollector {
    by_player: Vec<TurnTimes>,
}

/// Counts by bucket.
#[derive(Debug, Clone, Default)]
struct TurnTimes {
    counts: Vec<u64>,
    turns: u64,
    max: u64,
}

impl ClockUseCollector {
    pub(super) fn new(players: usize) -> Self {
        Self { by_player: vec![TurnTimes::default(); players] }
    }

    pub(super) fn add(&mut self, player: usize, used_ns: &[u64]) {
        let times = &mut self.by_player[player];
        for &ns in used_ns {
            let bucket = clock_use_bucket(ns);
            if times.counts.len() <= bucket {
                times.counts.resize(bucket + 1, 0);
            }
            times.counts[bucket] += 1;
            times.turns += 1;
            times.max = times.max.max(ns);
        }
    }

    pub(super) fn conclude(&self, names: &[String]) -> Vec<ClockUse> {
        let asked = names.iter().zip(&self.by_player).filter(|(_, times)| times.turns > 0);
        asked
            .map(|(name, times)| ClockUse {
                player: name.clone(),
                turns: times.turns,
                median_ns: times.quantile(50),
                p95_ns: times.quantile(95),
                max_ns: times.max,
            })
            .collect()
    }
}

impl TurnTimes {
    /// The smallest time within which `percent` of the turns ended: the middle of its bucket.
    fn quantile(&self, percent: u64) -> u64 {
        let rank = (self.turns * percent).div_ceil(100);
        let mut below = 0;
        let at = self.counts.iter().position(|count| {
            below += count;
            below >= rank
        });
        at.map_or(0, |bucket| clock_use_bucket_middle(bucket).min(self.max))
    }
}

/// Small times have one bucket each; above them, every doubling has [`STEPS`] buckets.
fn clock_use_bucket(ns: u64) -> usize {
    let doublings = ns.checked_ilog2().unwrap_or(0).saturating_sub(STEP_BITS);
    let bucket = u64::from(doublings) * STEPS + (ns >> doublings);
    usize::try_from(bucket).unwrap_or(usize::MAX)
}

fn clock_use_bucket_middle(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * STEPS {
        return bucket;
    }
    let doublings = bucket / STEPS - 1;
    let start = (bucket - doublings * STEPS) << doublings;
    start + (1 << doublings) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_close_to_their_times() {
        for shift in 0..60 {
            for ns in [1_u64 << shift, (1 << shift) + 1, (1 << shift) * 3 / 2, (2 << shift) - 1] {
                let off = clock_use_bucket_middle(clock_use_bucket(ns)).abs_diff(ns);
                assert!(off * 60 <= ns, "{ns}: off by {off}");
            }
        }
        assert_eq!(clock_use_bucket(0), 0);
    }

    #[test]
    fn quantiles_match_the_times() {
        let mut clocks = ClockUseCollector::new(2);
        clocks.add(0, &(1..=100).map(|n| n * 1_000_000).collect::<Vec<_>>());
        let uses = clocks.conclude(&["ant".to_owned(), "bee".to_owned()]);
        assert_eq!(uses.len(), 1);
        let near = |one: u64, other: u64| one.abs_diff(other) * 60 <= other;
        assert!(near(uses[0].median_ns, 50_000_000) && near(uses[0].p95_ns, 95_000_000));
        assert_eq!((uses[0].turns, uses[0].max_ns), (100, 100_000_000));
    }
}
