//! The wait for one reply. Time that the player or the referee spends waiting for a core is not
//! charged, because the machine caused it.

use std::time::{Duration, Instant};

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
pub(super) struct Patience {
    began: Instant,
    /// The time allowed.
    bound: Duration,
    /// The waits for a core when a quarter of the time was over. Most replies come earlier.
    watched: Option<CoreWaits>,
    /// How much later than planned the referee looked, in total.
    overslept: Duration,
    excused: Duration,
}

impl Patience {
    /// Patience for `bound` from `began` on.
    pub(super) fn new(began: Instant, bound: Duration) -> Self {
        let (watched, overslept, excused) = Default::default();
        Self { began, bound, watched, overslept, excused }
    }

    /// When to look at the player, if it does not reply before.
    pub(super) fn next_look(&self) -> Instant {
        match self.watched {
            None => self.began + self.bound / 4,
            Some(_) => self.deadline(),
        }
    }

    /// When the time is up.
    pub(super) fn deadline(&self) -> Instant {
        self.began + self.bound + self.excused
    }

    /// When the referee looks for the first time.
    pub(super) fn soon(&self) -> Instant {
        self.began + SOON
    }

    /// Whether the waits for a core are still to be read.
    pub(super) fn wants_waits(&self, now: Instant) -> bool {
        self.watched.is_none() && now >= self.next_look()
    }

    /// Watches the player's waits for a core from now on.
    pub(super) fn watch(&mut self, waits: CoreWaits) {
        self.watched = Some(waits);
    }

    /// Notes that the referee looked at `now` and had planned to look at `due`.
    pub(super) fn looked(&mut self, due: Instant, now: Instant) {
        let late = now.saturating_duration_since(due);
        if late >= NOTABLE {
            self.overslept += late;
        }
    }

    /// Excuses the waits so far, from the player's waits and the CPU time that it has used since it
    /// was asked. It is charged at least that CPU time: whoever computes does not wait.
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

    const MS: Duration = Duration::from_millis(1);
    const BOUND: Duration = Duration::from_millis(100);

    fn asked() -> (Instant, Patience) {
        let began = Instant::now();
        (began, Patience::new(began, BOUND))
    }

    #[test]
    fn the_waits_of_a_player_are_watched_after_a_quarter_of_its_time() {
        let (began, mut patience) = asked();
        assert!(!patience.wants_waits(began + 24 * MS) && patience.wants_waits(began + 25 * MS));
        patience.watch(CoreWaits::default());
        assert!(!patience.wants_waits(began + 25 * MS));
        assert_eq!(patience.next_look(), began + BOUND);
    }

    #[test]
    fn a_look_that_is_late_moves_the_deadline() {
        let (began, mut patience) = asked();
        let now = began + 130 * MS;
        patience.looked(began + BOUND, now);
        patience.excuse(&CoreWaits::default(), 5 * MS, now);
        assert_eq!((patience.excused(), patience.deadline()), (30 * MS, now));
    }

    #[test]
    fn short_delays_are_normal() {
        let (began, mut patience) = asked();
        let now = began + 109 * MS;
        patience.looked(began + BOUND, now);
        patience.excuse(&CoreWaits::default(), Duration::ZERO, now);
        assert_eq!(patience.excused(), Duration::ZERO);
    }

    #[test]
    fn cpu_time_is_always_charged() {
        let (began, mut patience) = asked();
        let now = began + 180 * MS;
        patience.looked(began + BOUND, now);
        patience.excuse(&CoreWaits::default(), 150 * MS, now);
        assert_eq!(patience.excused(), 30 * MS);
        patience.excuse(&CoreWaits::default(), 500 * MS, now);
        assert_eq!(patience.excused(), Duration::ZERO, "on several cores");
    }

    #[test]
    fn patience_ends() {
        let (began, mut patience) = asked();
        let now = began + 5000 * MS;
        patience.looked(began + BOUND, now);
        patience.excuse(&CoreWaits::default(), Duration::ZERO, now);
        assert_eq!(patience.deadline(), began + 11 * BOUND);
    }
}
