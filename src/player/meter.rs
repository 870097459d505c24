//! CPU time of a player on its own turns and on its opponent's, and who burns off turn.

use std::time::{Duration, Instant};

use crate::containment::Clock;

/// The tree is walked only when so much wall time has passed since the last walk: before that
/// hidden descendants cannot have used more.
const WALK_AFTER: Duration = Duration::from_millis(20);
/// The leader's clock is read only when so much has passed.
const READ_AFTER: Duration = Duration::from_millis(1);
/// CPU time off turn from which a player burns, if it is also a tenth of the wall time.
const BURN_FLOOR: Duration = Duration::from_millis(50);

/// Whose turn a stretch of time belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stretch {
    /// The player owed a reply.
    OnTurn,
    /// It did not.
    OffTurn,
}

/// What one stretch of time cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    wall: Duration,
    /// CPU time of the tree.
    pub(super) cpu: Duration,
}

impl Spent {
    /// Off turn, this is more than housekeeping.
    pub(super) fn burned(self) -> bool {
        self.cpu >= BURN_FLOOR && self.cpu >= self.wall / 10
    }
}

/// Reads a tree's CPU clock at the borders of turns.
#[derive(Debug)]
pub(super) struct Meter {
    clock: Clock,
    exact: bool,
    read_at: Instant,
    walked_at: Instant,
    total: Option<Duration>,
    /// What the tree had used before this game: nothing, for a fresh process.
    before: Duration,
    below: Duration,
    /// CPU time on the player's own turns.
    pub(super) on_turn: Duration,
    /// CPU time on the opponent's turns.
    pub(super) off_turn: Duration,
}

impl Meter {
    /// A meter that reads `clock`; `exact` reads at every border, however short.
    pub(super) fn new(clock: Clock, exact: bool) -> Self {
        let now = Instant::now();
        let total = clock.exact().or_else(|| clock.tree().cpu());
        Self {
            clock,
            exact,
            read_at: now,
            walked_at: now,
            total,
            before: total.unwrap_or_default(),
            below: Duration::ZERO,
            on_turn: Duration::ZERO,
            off_turn: Duration::ZERO,
        }
    }

    /// Begins to count anew for another game.
    pub(super) fn restart(&mut self) {
        let now = Instant::now();
        self.total = self.clock.exact().or_else(|| self.clock.tree().cpu());
        self.before = self.total.unwrap_or_default();
        (self.read_at, self.walked_at) = (now, now);
        (self.on_turn, self.off_turn, self.below) = Default::default();
    }

    /// Ends a stretch of time at `now` and says what it cost.
    pub(super) fn mark(&mut self, stretch: Stretch, now: Instant) -> Spent {
        let wall = now.saturating_duration_since(self.read_at);
        if wall < READ_AFTER && !self.exact {
            return Spent::default();
        }
        self.read_at = now;
        let Some(total) = self.read(now) else { return Spent { wall, ..Spent::default() } };
        let before = self.total.replace(total).unwrap_or_default();
        let cpu = total.saturating_sub(before);
        match stretch {
            Stretch::OnTurn => self.on_turn += cpu,
            Stretch::OffTurn => self.off_turn += cpu,
        }
        Spent { wall, cpu }
    }

    /// CPU time since the last stretch ended, without ending one.
    pub(super) fn since(&mut self, now: Instant) -> Duration {
        let before = self.total.unwrap_or_default();
        self.read(now).map_or(Duration::ZERO, |total| total.saturating_sub(before))
    }

    /// CPU time of the tree in this game so far, where the system tells.
    pub(super) fn used(&self) -> Option<Duration> {
        Some(self.total?.saturating_sub(self.before))
    }

    fn read(&mut self, now: Instant) -> Option<Duration> {
        if let Some(total) = self.clock.exact() {
            return Some(total);
        }
        let leader = self.clock.tree().leader_cpu()?;
        if now.saturating_duration_since(self.walked_at) >= WALK_AFTER {
            self.walked_at = now;
            self.below = self.clock.tree().cpu()?.saturating_sub(leader);
        }
        // A descendant that died unseen takes its time along: the sum never runs backwards.
        Some((leader + self.below).max(self.total.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn burning_is_50_ms_and_a_tenth_of_the_time() {
        let burned = |cpu, wall| {
            let [cpu, wall] = [cpu, wall].map(Duration::from_millis);
            Spent { wall, cpu }.burned()
        };
        assert!(!burned(49, 49) && burned(50, 50), "the floor");
        assert!(burned(50, 500) && !burned(50, 501), "the tenth");
        assert!(!burned(0, 0), "nothing is no burning");
    }
}
