//! The CPU time of a process and its descendants.

use std::time::{Duration, Instant};

/// A reading of a [`CpuClock`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuReading {
    /// The CPU time so far of living processes, and of dead ones that their parents have waited
    /// for.
    pub total: Duration,
    /// Whether every process was read. If not, the CPU time of descendants since the last complete
    /// reading is missing.
    pub complete: bool,
}

/// A clock of the CPU time of a process and its descendants.
///
/// If [`Mechanism::Cpu`](crate::Mechanism::Cpu) is in force, a control group counts, and no process
/// can hide from it. Otherwise the clock adds up living processes, which gives a lower bound.
#[derive(Debug)]
pub struct CpuClock {
    #[cfg(target_os = "linux")]
    counter: counting::Counter,
    /// The highest total so far: the clock never goes backwards.
    highest: Duration,
}

impl CpuClock {
    /// Reads every process and forgets earlier readings; `None` if the system does not provide CPU
    /// times.
    pub fn restart(&mut self, now: Instant) -> Option<Duration> {
        let total = self.count_all_cpu_time(now);
        self.highest = total.unwrap_or_default();
        total
    }

    /// The CPU time at `now`; `None` if the system does not provide it.
    pub fn read(&mut self, now: Instant) -> Option<CpuReading> {
        let CpuReading { total, complete } = self.count_cpu_time(now)?;
        // The CPU time of a descendant that died unread is lost, so the sum may fall.
        self.highest = self.highest.max(total);
        Some(CpuReading { total: self.highest, complete })
    }
}

#[cfg(target_os = "linux")]
mod counting {
    use std::time::{Duration, Instant};

    use super::{CpuClock, CpuReading};
    use crate::cgroup::ProcessCgroupCpuFile;
    use crate::process_tree::ProcessTree;
    use crate::procfs::ProcessClock;

    /// How much wall time must pass before descendants are searched again. In less time they cannot
    /// have used more than this.
    const WALK_AFTER: Duration = Duration::from_millis(20);

    /// The source of the CPU time.
    #[derive(Debug)]
    pub(super) struct Counter {
        group: Option<ProcessCgroupCpuFile>,
        tree: ProcessTree,
        leader: Option<ProcessClock>,
        walked_at: Instant,
        /// The CPU time of the descendants at the last search.
        below: Duration,
    }

    impl CpuClock {
        pub(crate) fn new(group: Option<ProcessCgroupCpuFile>, tree: ProcessTree) -> Self {
            let (leader, walked_at) = (tree.leader_clock(), Instant::now());
            let counter = Counter { group, tree, leader, walked_at, below: Duration::ZERO };
            Self { counter, highest: Duration::ZERO }
        }

        /// The exact CPU time, if a control group counts it.
        pub(crate) fn exact_cpu_time(&self) -> Option<Duration> {
            self.counter.group.as_ref()?.read()
        }

        #[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
        pub(super) fn count_all_cpu_time(&mut self, now: Instant) -> Option<Duration> {
            self.counter.walked_at = now;
            self.counter.below = Duration::ZERO;
            Some(self.exact_cpu_time().unwrap_or_else(|| self.counter.tree.cpu_time()))
        }

        pub(super) fn count_cpu_time(&mut self, now: Instant) -> Option<CpuReading> {
            if let Some(total) = self.exact_cpu_time() {
                return Some(CpuReading { total, complete: true });
            }
            let counter = &mut self.counter;
            let leader = counter.leader?.read()?;
            let complete = now.saturating_duration_since(counter.walked_at) >= WALK_AFTER;
            if complete {
                counter.walked_at = now;
                counter.below = counter.tree.cpu_time().saturating_sub(leader);
            }
            Some(CpuReading { total: leader + counter.below, complete })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod counting {
    use std::time::{Duration, Instant};

    use super::{CpuClock, CpuReading};

    impl CpuClock {
        /// A clock without any source.
        pub(crate) fn without_readings() -> Self {
            Self { highest: Duration::ZERO }
        }

        #[expect(clippy::unused_self, reason = "other systems tell")]
        pub(super) fn count_all_cpu_time(&mut self, _: Instant) -> Option<Duration> {
            None
        }

        #[expect(clippy::unused_self, reason = "other systems tell")]
        pub(super) fn count_cpu_time(&mut self, _: Instant) -> Option<CpuReading> {
            None
        }
    }
}
