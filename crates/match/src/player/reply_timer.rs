//! The wait for one reply. Time that the player or the referee spends waiting for a core is not
//! charged, because the machine caused it.

use std::time::{Duration, Instant};

use super::reply_limit::ReplyLimit;
use referee_sandbox::CoreWaits;

/// How long to wait for a reply before the runtime waits for it: most replies of fast players
/// come earlier, and then waking the runtime would cost more than reading them.
pub(super) const SOON: Duration = Duration::from_millis(2);
/// Less than this is normal on a busy core.
const NOTABLE: Duration = Duration::from_millis(10);
/// At most this many times the allowed time is excused, so that every wait ends.
const MOST: u32 = 10;

/// How long to wait for a reply.
#[derive(Debug)]
pub(super) struct ReplyTimer {
    began: Instant,
    /// When the referee looked last, or will look first.
    last_look: Instant,
    /// The time allowed.
    bound: Duration,
    /// How much longer to wait for a late reply.
    overtime: Duration,
    /// The waits for a core when a quarter of the time was over. Most replies come earlier.
    watched: Option<CoreWaits>,
    /// How much later than planned the referee looked, in total.
    overslept: Duration,
    excused: Duration,
}

impl ReplyTimer {
    /// Measures from `began` on, for the reply to a request that was written from then on, to the
    /// end at `sent`.
    pub(super) fn new(began: Instant, sent: Instant, limit: &ReplyLimit) -> Self {
        let &ReplyLimit { bound, overtime, .. } = limit;
        let (watched, overslept, excused) = Default::default();
        Self { began, last_look: sent + SOON, bound, overtime, watched, overslept, excused }
    }

    /// When to look at the player after `now`, if it does not reply before.
    pub(super) fn next_look(&self, now: Instant) -> Instant {
        match self.watched {
            None => self.quarter(),
            Some(_) if now < self.deadline() => self.deadline(),
            Some(_) => self.give_up(),
        }
    }

    fn quarter(&self) -> Instant {
        self.began + self.bound / 4
    }

    /// When to wait no longer for a late reply.
    pub(super) fn give_up(&self) -> Instant {
        self.deadline() + self.overtime
    }

    /// When the time is up.
    pub(super) fn deadline(&self) -> Instant {
        self.began + self.bound + self.excused
    }

    /// When the referee looked last, or will look for the first time. From then on it could have
    /// seen what is there now.
    pub(super) fn last_look(&self) -> Instant {
        self.last_look
    }

    /// Whether the waits for a core are still to be read.
    pub(super) fn wants_waits(&self, now: Instant) -> bool {
        self.watched.is_none() && now >= self.quarter()
    }

    /// Watches the player's waits for a core from now on.
    pub(super) fn watch_core_waits(&mut self, waits: CoreWaits) {
        self.watched = Some(waits);
    }

    /// Notes that the referee looked at `now` and had planned to look at `due`.
    pub(super) fn note_look(&mut self, due: Instant, now: Instant) {
        self.last_look = now;
        let late = now.saturating_duration_since(due);
        if late >= NOTABLE {
            self.overslept += late;
        }
    }

    /// Excuses the waits so far, from the player's waits and the CPU time that it has used since it
    /// was asked. It is charged at least that CPU time: computing time is never excused.
    pub(super) fn excuse(&mut self, waits: &CoreWaits, cpu: Duration, now: Instant) {
        let before = self.watched.as_ref();
        let waited = before.map_or(Duration::ZERO, |before| waits.longest_since(before));
        let waited = if waited < NOTABLE { Duration::ZERO } else { waited };
        let idle = now.saturating_duration_since(self.began).saturating_sub(cpu);
        self.excused = (waited + self.overslept).min(idle).min(self.bound.saturating_mul(MOST));
    }

    /// The time that is not charged.
    pub(super) fn excused(&self) -> Duration {
        self.excused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::clock::{Measure, OVERTIME};

    const MS: Duration = Duration::from_millis(1);
    const BOUND: Duration = Duration::from_millis(100);

    fn limit() -> ReplyLimit {
        ReplyLimit::new(Measure::Wall, Some(BOUND)).alone()
    }

    #[test]
    fn a_late_reply_is_awaited_for_the_overtime() {
        let (began, mut timer) = asked();
        timer.watch_core_waits(CoreWaits::default());
        assert_eq!(timer.next_look(began + 99 * MS), began + BOUND);
        assert_eq!(timer.next_look(began + BOUND), began + BOUND + OVERTIME);
    }

    fn asked() -> (Instant, ReplyTimer) {
        let began = Instant::now();
        (began, ReplyTimer::new(began, began, &limit()))
    }

    /// What is excused if the referee looks this late, and the player has used this CPU time.
    fn excused(late: Duration, cpu: Duration) -> Duration {
        let (began, mut timer) = asked();
        let now = began + BOUND + late;
        timer.note_look(began + BOUND, now);
        timer.excuse(&CoreWaits::default(), cpu, now);
        assert_eq!(timer.deadline(), began + BOUND + timer.excused());
        timer.excused()
    }

    fn waits(millis: u32) -> CoreWaits {
        [(1, millis * MS), (2, MS)].into_iter().collect()
    }

    #[test]
    fn the_waits_of_a_player_are_watched_after_a_quarter_of_its_time() {
        let (began, mut timer) = asked();
        assert!(!timer.wants_waits(began + 24 * MS) && timer.wants_waits(began + 25 * MS));
        timer.watch_core_waits(CoreWaits::default());
        assert!(!timer.wants_waits(began + 25 * MS));
        assert_eq!(timer.next_look(began), began + BOUND);
    }

    #[test]
    fn waits_since_the_first_look_are_excused() {
        for (before, after, expected) in [(5, 65, 60), (5, 14, 0), (50, 150, 95)] {
            let (began, mut timer) = asked();
            timer.watch_core_waits(waits(before));
            timer.excuse(&waits(after), 5 * MS, began + BOUND);
            assert_eq!(timer.excused(), expected * MS, "{before} to {after}");
        }
    }

    #[test]
    fn late_looks_are_excused_but_short_delays_are_normal() {
        assert_eq!(excused(30 * MS, 5 * MS), 30 * MS);
        assert_eq!(excused(9 * MS, Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn cpu_time_is_always_charged() {
        assert_eq!(excused(80 * MS, 150 * MS), 30 * MS);
        assert_eq!(excused(80 * MS, 500 * MS), Duration::ZERO, "on several cores");
    }

    /// Only what comes between looks was overslept: an engine's line before its late move had the
    /// referee look.
    #[test]
    fn the_wait_for_a_line_before_the_reply_is_not_the_referee_s() {
        let (began, mut timer) = asked();
        let now = began + BOUND + 50 * MS;
        // It planned to wait, and was woken by a line.
        timer.note_look(now + MS, now);
        // The reply was already there.
        timer.note_look(timer.last_look(), now);
        timer.excuse(&CoreWaits::default(), Duration::ZERO, now);
        assert_eq!(timer.excused(), Duration::ZERO);
    }

    #[test]
    fn timer_ends() {
        assert_eq!(excused(4900 * MS, Duration::ZERO), 10 * BOUND);
    }

    #[test]
    fn time_in_which_the_player_did_not_read_is_its_own() {
        let began = Instant::now();
        let sent = began + 99 * MS;
        assert_eq!(ReplyTimer::new(began, sent, &limit()).last_look(), sent + SOON);
    }
}
