//! The limit of a search, in nodes or time.

use std::time::{Duration, Instant};

use super::Allotment;

/// The limit at which a search stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The time limits that the referee sent.
    Time,
    /// This many nodes. The clock is never read, so the same seed plays the same game.
    Nodes(u64),
}

/// The number of nodes between two readings of the clock in a fast game.
const INTERVAL: u64 = 1024;

/// Counts nodes and says when to stop.
#[derive(Debug)]
pub(crate) struct Meter {
    nodes: u64,
    stop: Stop,
    /// The number of nodes between two readings of the clock.
    interval: u64,
}

#[derive(Debug)]
enum Stop {
    Nodes(u64),
    Time { begun: Instant, allowed: Duration },
}

impl Meter {
    /// Creates a meter that stops at `limit`. With [`Limit::Time`] the thinking time comes from
    /// `time`.
    pub(super) fn new(limit: Limit, time: Allotment) -> Self {
        let stop = match limit {
            Limit::Time => Stop::Time { begun: Instant::now(), allowed: time.thinking_time() },
            Limit::Nodes(nodes) => Stop::Nodes(nodes),
        };
        Self { nodes: 0, stop, interval: INTERVAL }
    }

    /// Reads the clock at every node, for games that take long to play one.
    pub(crate) fn reading_each_time(self) -> Self {
        Self { interval: 1, ..self }
    }

    /// Counts a node. Returns `None` when the limit is exceeded.
    pub(crate) fn tick(&mut self) -> Option<()> {
        self.nodes += 1;
        let over = match self.stop {
            Stop::Nodes(limit) => self.nodes > limit,
            Stop::Time { begun, allowed } => {
                self.nodes.is_multiple_of(self.interval) && begun.elapsed() >= allowed
            }
        };
        (!over).then_some(())
    }

    /// Returns whether enough of the limit is left to begin another, longer iteration.
    pub(crate) fn may_begin_another(&self) -> bool {
        match self.stop {
            Stop::Nodes(limit) => self.nodes < limit,
            Stop::Time { begun, allowed } => begun.elapsed() < allowed / 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_counted_exactly() {
        let mut meter = Meter::new(Limit::Nodes(3), Allotment::default());
        for _ in 0..3 {
            assert!(meter.may_begin_another());
            assert!(meter.tick().is_some());
        }
        assert!(!meter.may_begin_another());
        assert!(meter.tick().is_none());
    }

    #[test]
    fn the_clock_is_read_now_and_then() {
        let no_time = Allotment { left: Some(Duration::ZERO), ..Allotment::default() };
        let mut meter = Meter::new(Limit::Time, no_time);
        let allowed = (0..5000).take_while(|_| meter.tick().is_some()).count();
        assert_eq!(allowed as u64, INTERVAL - 1);
        assert!(!meter.may_begin_another());
        assert!(Meter::new(Limit::Time, no_time).reading_each_time().tick().is_none());
    }
}
