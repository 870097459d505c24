//! Runs with an end time: which games may still begin, and when unfinished games are abandoned.

use std::time::{Duration, Instant, SystemTime};

/// Games in play at the end time get at least this much longer.
const LEAST_PATIENCE: Duration = Duration::from_secs(30);
/// How many times as long as the average a game may count, after as many games.
const UNUSUAL: u32 = 8;
/// Timers stand still while the machine is suspended, so the end time is looked at this often.
const LOOK: Duration = Duration::from_secs(5);

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeadlineTime {
    /// After a duration, in which time suspended does not count.
    After(Instant),
    /// At a time of day, by the clock of the machine.
    At(SystemTime),
}

impl DeadlineTime {
    /// The time left until then; zero if it has passed.
    pub fn time_left(self) -> Duration {
        match self {
            Self::After(at) => at.saturating_duration_since(Instant::now()),
            Self::At(at) => at.duration_since(SystemTime::now()).unwrap_or_default(),
        }
    }

    /// Waits until then.
    pub async fn wait_until(self) {
        while !self.time_left().is_zero() {
            tokio::time::sleep(self.time_left().min(LOOK)).await;
        }
    }

    fn plus(self, time: Duration) -> Self {
        match self {
            Self::After(at) => Self::After(at + time),
            Self::At(at) => Self::At(at + time),
        }
    }
}

/// The end time of a run, and how long its games have taken so far.
#[derive(Debug, Clone, Copy)]
pub struct RunDeadline {
    end: DeadlineTime,
    begun: Instant,
    games: u32,
    total: Duration,
    longest: Duration,
}

impl RunDeadline {
    /// A deadline at `end`.
    pub fn new(end: DeadlineTime) -> Self {
        Self {
            end,
            begun: Instant::now(),
            games: 0,
            total: Duration::ZERO,
            longest: Duration::ZERO,
        }
    }

    /// Notes how long a game took, which a worker may exaggerate: nobody else should wait for a game
    /// that took far longer. It counts for at most the time of the run so far, or 30 seconds, and
    /// once the usual time is known, for at most eight times as much.
    pub(crate) fn note_game_time(&mut self, time: Duration) {
        let usual = self.total.checked_div(self.games).filter(|_| self.games >= UNUSUAL);
        let most = usual.map_or(Duration::MAX, |usual| usual.saturating_mul(UNUSUAL));
        let time = time.min(most).min(self.begun.elapsed().max(LEAST_PATIENCE));
        self.games += 1;
        self.total += time;
        self.longest = self.longest.max(time);
    }

    /// Whether a game that begins now should finish in time, if it takes as long as the average
    /// game of this run. The first games may begin as long as any time is left.
    pub fn allows(&self) -> bool {
        self.open_for().is_some()
    }

    /// For how long games may still begin, if the times of games stay as they are. `None` if no
    /// game may begin now.
    pub fn open_for(&self) -> Option<Duration> {
        self.open_with(self.end.time_left())
    }

    fn open_with(&self, left: Duration) -> Option<Duration> {
        let average = self.total / self.games.max(1);
        left.checked_sub(average).filter(|_| !left.is_zero())
    }

    /// Waits until unfinished games are abandoned: until the end time plus the longest game of this
    /// run, or plus 30 seconds if that is more.
    pub(crate) async fn wait_for_patience_end(&self) {
        self.end.plus(self.patience()).wait_until().await;
    }

    fn patience(&self) -> Duration {
        self.longest.max(LEAST_PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NANO: Duration = Duration::from_nanos(1);

    /// The deadline of a run that began an hour ago and ends now.
    fn of_an_old_run() -> RunDeadline {
        let now = Instant::now();
        let begun = now.checked_sub(Duration::from_secs(3600)).expect("an hour ago");
        RunDeadline { begun, ..RunDeadline::new(DeadlineTime::After(now)) }
    }

    #[test]
    fn a_game_starts_only_if_an_average_game_would_finish_in_time() {
        let average = Duration::from_secs(20);
        let mut deadline = of_an_old_run();
        assert!(deadline.open_with(NANO).is_some(), "nothing is known yet");
        assert!(deadline.open_with(Duration::ZERO).is_none(), "no time is left");
        for seconds in [10, 40, 10] {
            deadline.note_game_time(Duration::from_secs(seconds));
        }
        assert!(
            deadline.open_with(average).is_some()
                && deadline.open_with(average.saturating_sub(NANO)).is_none()
        );
    }

    /// The times come from workers, which may report any.
    #[test]
    fn one_absurd_time_does_not_end_a_run() {
        let mut deadline = of_an_old_run();
        for _ in 0..UNUSUAL {
            deadline.note_game_time(Duration::from_secs(10));
        }
        deadline.note_game_time(Duration::from_nanos(u64::MAX));
        assert!(deadline.open_with(Duration::from_secs(20)).is_some());
        assert_eq!(deadline.patience(), Duration::from_secs(80));
        // No game takes longer than the run so far.
        let mut deadline = RunDeadline::new(DeadlineTime::After(Instant::now()));
        deadline.note_game_time(Duration::from_nanos(u64::MAX));
        assert!(deadline.open_with(LEAST_PATIENCE).is_some());
        assert_eq!(deadline.patience(), LEAST_PATIENCE);
    }

    #[test]
    fn games_in_progress_get_as_long_as_the_longest_game() {
        let mut deadline = of_an_old_run();
        deadline.note_game_time(Duration::from_secs(5));
        assert_eq!(deadline.patience(), LEAST_PATIENCE);
        deadline.note_game_time(Duration::from_secs(90));
        assert_eq!(deadline.patience(), Duration::from_secs(90));
    }

    #[test]
    fn a_time_of_day_is_read_from_the_clock_of_the_machine() {
        let hour = Duration::from_secs(3600);
        for (end, is_over) in [
            (DeadlineTime::At(SystemTime::now() + hour), false),
            (DeadlineTime::At(SystemTime::now() - hour), true),
            (DeadlineTime::At(SystemTime::now() - hour).plus(2 * hour), false),
            (DeadlineTime::After(Instant::now()), true),
            (DeadlineTime::After(Instant::now()).plus(hour), false),
        ] {
            assert_eq!(end.time_left().is_zero(), is_over, "{end:?}");
            assert_eq!(RunDeadline::new(end).allows(), !is_over, "{end:?}");
            assert!(end.time_left() <= hour, "{end:?}");
        }
    }
}
