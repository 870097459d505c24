//! CPU time of a player on its own turns and on its opponent's turns, and whether it ponders.

use std::time::{Duration, Instant};

use referee_sandbox::{CpuClock, CpuReading};

/// The clock is read after a turn that took this much time. It costs as much as a tenth of all else
/// that the referee does for the fastest move.
const LONG_TURN: Duration = Duration::from_micros(200);
/// After shorter turns, it is read only when this much time has passed since the last reading.
const READ_AFTER: Duration = Duration::from_millis(1);
/// A player ponders if it uses this much CPU time off turn in a game, and a tenth of the wall time
/// off turn. Less is normal after every reply: collecting garbage, going to sleep.
const PONDER_FLOOR: Duration = Duration::from_millis(50);

/// What a frozen player may use in each of its opponent's turns: it is frozen two milliseconds after
/// the turn began, and what the kernel does for it then takes its time.
const FROZEN_FLOOR: Duration = Duration::from_millis(5);
/// A player computes although it is frozen if it uses this much in a game, and this part of its
/// opponent's turns. No call for an honest player takes so long so often.
const DEFIANCE: (Duration, u32) = (Duration::from_millis(250), 50);

/// Whose turn an interval of time belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interval {
    /// The player owed a reply.
    OnTurn,
    /// It did not.
    OffTurn,
}

/// Wall time and CPU time of all of a player's processes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IntervalCpuUsage {
    wall: Duration,
    /// CPU time.
    pub(super) cpu: Duration,
}

impl IntervalCpuUsage {
    /// Whether this is more than a player normally uses off turn, after its reply.
    fn is_pondering(self) -> bool {
        self.cpu >= PONDER_FLOOR && self.cpu >= self.wall / 10
    }

    /// The usage that remains if this much of both times may belong to another interval.
    fn without(self, other: Duration) -> Self {
        Self { wall: self.wall.saturating_sub(other), cpu: self.cpu.saturating_sub(other) }
    }

    fn plus(self, other: Self) -> Self {
        Self { wall: self.wall + other.wall, cpu: self.cpu + other.cpu }
    }
}

/// The usage of a frozen player on its opponent's turns of a game. Long calls of the kernel can be
/// neither frozen nor stopped, and without control groups the kernel itself can wake a process.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FrozenCpuUsage(IntervalCpuUsage);

impl FrozenCpuUsage {
    /// Adds a turn in which the player was frozen.
    pub(super) fn add(&mut self, IntervalCpuUsage { wall, cpu }: IntervalCpuUsage) {
        let cpu = cpu.saturating_sub(FROZEN_FLOOR);
        self.0 = self.0.plus(IntervalCpuUsage { wall, cpu });
    }

    /// What it used, if that is more than a frozen player can use without trying.
    pub(super) fn noticeable_cpu(&self) -> Option<Duration> {
        let (least, part) = DEFIANCE;
        let IntervalCpuUsage { wall, cpu } = self.0;
        (cpu >= least && cpu >= wall / part).then_some(cpu)
    }
}

/// Reads a player's CPU clock between turns, and adds up the usage of a game.
#[derive(Debug)]
pub(super) struct CpuUsage {
    clock: CpuClock,
    exact: bool,
    read_at: Instant,
    /// When the last turn ended, its own or the opponent's.
    border: Instant,
    total: Option<Duration>,
    /// The usage of its processes before this game: zero for a fresh process.
    before: Duration,
    /// Wall time of its own turns since the last reading. On one core, CPU time not read yet
    /// belongs mostly to these turns, and is never more than this.
    unread: Duration,
    /// The usage on the opponent's turns of this game.
    off_turn: IntervalCpuUsage,
}

impl CpuUsage {
    /// Starts from the reading of `clock`. If `exact`, reads the clock after every turn, however
    /// short.
    pub(super) fn new(clock: CpuClock, exact: bool) -> Self {
        let now = Instant::now();
        let mut usage = Self {
            clock,
            exact,
            read_at: now,
            border: now,
            total: None,
            before: Duration::ZERO,
            unread: Duration::ZERO,
            off_turn: IntervalCpuUsage::default(),
        };
        usage.restart();
        usage
    }

    /// Starts counting for another game.
    pub(super) fn restart(&mut self) {
        let now = Instant::now();
        self.total = self.clock.restart(now);
        self.before = self.total.unwrap_or_default();
        (self.read_at, self.border) = (now, now);
        (self.off_turn, self.unread) = Default::default();
    }

    /// Ends an interval at `now` and returns the usage in it. Off turn this is a lower bound: it
    /// excludes CPU time that may belong to the player's own turns.
    pub(super) fn end_interval(&mut self, interval: Interval, now: Instant) -> IntervalCpuUsage {
        let since_border = now.saturating_duration_since(self.border);
        self.border = now;
        let wall = now.saturating_duration_since(self.read_at);
        let is_due = self.exact || since_border >= LONG_TURN || wall >= READ_AFTER;
        let reading = if is_due { self.clock.read(now) } else { None };
        let own = match interval {
            Interval::OnTurn => self.unread + since_border,
            Interval::OffTurn => self.unread,
        };
        let is_complete = reading.is_some_and(|reading| reading.complete);
        self.unread = if is_complete { Duration::ZERO } else { own };
        let Some(CpuReading { total, .. }) = reading else { return IntervalCpuUsage::default() };
        self.read_at = now;
        let before = self.total.replace(total).unwrap_or_default();
        let all = IntervalCpuUsage { wall, cpu: total.saturating_sub(before) };
        match interval {
            Interval::OnTurn => all,
            Interval::OffTurn => {
                let spent = all.without(own);
                self.off_turn = self.off_turn.plus(spent);
                spent
            }
        }
    }

    /// CPU time on the opponent's turns of this game.
    pub(super) fn off_turn(&self) -> Duration {
        self.off_turn.cpu
    }

    /// Whether the player used more than normal on the opponent's turns of this game.
    pub(super) fn ponders(&self) -> bool {
        self.off_turn.is_pondering()
    }

    /// CPU time since the last interval ended, without ending one.
    pub(super) fn since_last_interval(&mut self, now: Instant) -> Duration {
        let before = self.total.unwrap_or_default();
        self.clock.read(now).map_or(Duration::ZERO, |reading| reading.total.saturating_sub(before))
    }

    /// CPU time in this game so far; `None` if the system does not report it.
    pub(super) fn used_in_game(&self) -> Option<Duration> {
        Some(self.total?.saturating_sub(self.before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(cpu: u64, wall: u64) -> IntervalCpuUsage {
        let [cpu, wall] = [cpu, wall].map(Duration::from_millis);
        IntervalCpuUsage { wall, cpu }
    }

    #[test]
    fn pondering_is_50_ms_and_a_tenth_of_the_time() {
        let ponders = |cpu, wall| spent(cpu, wall).is_pondering();
        assert!(!ponders(49, 49) && ponders(50, 50), "the floor");
        assert!(ponders(50, 500) && !ponders(50, 501), "the tenth");
        assert!(!ponders(0, 0), "nothing at all");
    }

    #[test]
    fn a_frozen_player_may_be_slow_to_freeze_but_not_compute() {
        let used = |turns: u64, cpu, wall| {
            let mut usage = FrozenCpuUsage::default();
            (0..turns).for_each(|_| usage.add(spent(cpu, wall)));
            usage.noticeable_cpu().map(|used| used.as_millis())
        };
        assert_eq!(used(1000, 5, 30), None, "it takes a while to freeze");
        assert_eq!(used(1, 200, 300), None, "it frees its memory");
        assert_eq!(used(1, 300, 300), Some(295));
        assert_eq!(used(5, 60, 300), Some(275));
        assert_eq!(used(50, 10, 1000), None, "less than a fiftieth");
    }

    #[test]
    fn off_turn_usage_excludes_time_of_own_turns() {
        let left = spent(7, 30).without(Duration::from_millis(2));
        assert_eq!((left.cpu.as_millis(), left.wall.as_millis()), (5, 28));
        assert_eq!(spent(1, 30).without(Duration::from_millis(2)).cpu, Duration::ZERO);
    }

    #[test]
    fn short_bursts_add_up_to_pondering() {
        let all = [spent(45, 80); 2].into_iter().reduce(IntervalCpuUsage::plus).expect("two");
        assert!(!spent(45, 80).is_pondering() && all.is_pondering());
    }
}
