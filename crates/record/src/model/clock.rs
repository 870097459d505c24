//! Time controls: budgets, move limits and increments as pure arithmetic. Nothing here reads a
//! clock.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use referee_protocol::InitClock;
pub use referee_protocol::Measure;

/// The longest duration that a configuration may set.
pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the referee waits for a reply beyond its limit, if the players share a core. A reply in
/// this time is in time if the opponent took at least what was missing.
pub const OVERTIME: Duration = Duration::from_millis(5);

/// How late a move may come if it is to be forgiven, or if a message is to say by how much an engine
/// overran.
pub const LATEST: Duration = Duration::from_secs(1);

/// The most overruns that may be forgiven in a game.
pub const MOST_OVERRUNS: u32 = 1000;

/// The time limits of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeControl {
    /// Limit of the start-up, from the start of the process to its greeting.
    #[serde(rename = "startup_ns", with = "nanos")]
    pub startup: Duration,
    /// Budget for all turns of a game together; unlimited if absent.
    #[serde(rename = "budget_ns", with = "nanos::option")]
    pub budget: Option<Duration>,
    /// The number of turns after which the budget is added again; never if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
    /// Added to the budget after each reply.
    #[serde(rename = "increment_ns", with = "nanos")]
    pub increment: Duration,
    /// Limit of one turn; unlimited if absent.
    #[serde(rename = "move_ns", with = "nanos::option")]
    pub per_move: Option<Duration>,
    /// The time over a limit that is forgiven. It is charged all the same.
    #[serde(
        rename = "margin_ns",
        default,
        skip_serializing_if = "Duration::is_zero",
        with = "nanos"
    )]
    pub margin: Duration,
    /// How many turns of a game may exceed their limit by up to [`LATEST`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub overruns: u32,
    /// The kind of time that is limited.
    pub measure: Measure,
    /// Whether the start-up is charged to the budget.
    pub count_startup: bool,
    /// Whether players may think on others' turns, each on its own core.
    pub ponder: bool,
}

impl TimeControl {
    /// The number of cores that a game of this many seats takes: one for each player that may think
    /// at any time, and otherwise one for all.
    pub fn cores_per_game(&self, seats: usize) -> usize {
        if self.ponder { seats } else { 1 }
    }

    /// Whether no limit is longer than [`LONGEST`].
    pub(crate) fn is_within_bounds(&self) -> bool {
        let limits = [self.budget, self.per_move].into_iter().flatten();
        limits.chain([self.startup, self.increment, self.margin]).all(|limit| limit <= LONGEST)
            && self.moves != Some(0)
            && self.overruns <= MOST_OVERRUNS
    }

    /// Wall time without limits besides that of the start-up.
    pub const fn unlimited(startup: Duration) -> Self {
        Self {
            startup,
            budget: None,
            moves: None,
            increment: Duration::ZERO,
            per_move: None,
            margin: Duration::ZERO,
            overruns: 0,
            measure: Measure::Wall,
            count_startup: false,
            ponder: false,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl From<&TimeControl> for InitClock {
    fn from(control: &TimeControl) -> Self {
        Self {
            startup_ms: whole_millis(control.startup),
            budget_ms: control.budget.map(whole_millis),
            moves: control.moves,
            increment_ms: Some(control.increment).filter(|step| !step.is_zero()).map(whole_millis),
            move_ms: control.per_move.map(whole_millis),
            measure: control.measure,
        }
    }
}

/// Whole milliseconds, rounded down, as in messages.
#[expect(clippy::cast_possible_truncation, reason = "half a billion years fit")]
pub fn whole_millis(duration: Duration) -> u64 {
    duration.as_millis() as u64
}

/// One player's clock in one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    left: Option<Duration>,
    used_last: Duration,
    /// The number of turns so far.
    turns: u32,
    /// The number of turns that were late and forgiven.
    overruns: u32,
    /// The start-up, if it was charged.
    startup: Duration,
}

/// The verdict on a turn's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockVerdict {
    /// The turn used at most its allowance.
    InTime,
    /// The turn used more than its allowance, which is forgiven for the time being.
    Forgiven,
    /// The turn used more than its allowance.
    Late,
}

impl Clock {
    /// A clock at the start of a game.
    pub fn new(control: TimeControl) -> Self {
        let (used_last, turns, overruns, startup) = Default::default();
        Self { control, left: control.budget, used_last, turns, overruns, startup }
    }

    /// Charges the start-up to the budget, if the time control counts it.
    pub fn charge_startup(&mut self, used: Duration) {
        if self.control.count_startup {
            self.left = self.left.map(|left| left.saturating_sub(used));
            self.startup = used;
        }
    }

    /// The allowance of this turn: the smaller of the move limit and the remaining budget. `None`
    /// without limits, zero when no time is left.
    pub fn allowance(&self) -> Option<Duration> {
        match (self.left, self.control.per_move) {
            (Some(left), Some(limit)) => Some(left.min(limit)),
            (one, other) => one.or(other),
        }
    }

    /// Whether the turn is lost without asking: no time is left, none will be added after it, and no
    /// overrun is forgiven.
    pub fn is_out(&self) -> bool {
        let adds = !self.control.increment.is_zero() || self.moves_to_go() == Some(1);
        self.left == Some(Duration::ZERO) && !adds && !self.may_overrun()
    }

    /// Whether it is forgiven if this turn is late.
    pub fn may_overrun(&self) -> bool {
        self.overruns < self.control.overruns
    }

    /// The number of turns that were late and forgiven.
    pub fn overruns(&self) -> u32 {
        self.overruns
    }

    /// The number of turns, with this one, until the budget is added again, if it ever is.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.control.moves.map(|moves| moves - self.turns % moves)
    }

    /// Subtracts the time of a turn from the budget, and adds the increment, and the budget again
    /// if that is due. The turn is late if it used more than its allowance and the margin, and
    /// forgiven if few turns were late before and it came at most [`LATEST`] after that.
    pub fn spend(&mut self, used: Duration) -> ClockVerdict {
        let verdict = match self.allowance() {
            Some(allowance) if used > allowance + self.control.margin => {
                let is_soon = used <= allowance + self.control.margin + LATEST;
                if is_soon && self.may_overrun() {
                    ClockVerdict::Forgiven
                } else {
                    ClockVerdict::Late
                }
            }
            _ => ClockVerdict::InTime,
        };
        self.overruns += u32::from(verdict == ClockVerdict::Forgiven);
        self.used_last = used;
        let again = if self.moves_to_go() == Some(1) { self.control.budget } else { None };
        let added = self.control.increment + again.unwrap_or_default();
        self.left = self.left.map(|left| left.saturating_sub(used) + added);
        self.turns = self.turns.wrapping_add(1);
        verdict
    }

    /// The remaining budget, if there is one.
    pub fn left(&self) -> Option<Duration> {
        self.left
    }

    /// The start-up time that was charged to the budget.
    pub fn startup(&self) -> Duration {
        self.startup
    }

    /// The time that the last turn used.
    pub fn used_last(&self) -> Duration {
        self.used_last
    }
}

/// The wall-time limit of a turn: the allowance itself, or ten times the allowance plus one second
/// if CPU time is limited.
pub fn wall_clock_limit(measure: Measure, allowance: Duration) -> Duration {
    match measure {
        Measure::Wall => allowance,
        Measure::Cpu => allowance.saturating_mul(10).saturating_add(Duration::from_secs(1)),
    }
}

/// Durations as whole nanoseconds in JSON.
pub mod nanos {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::cast_possible_truncation, reason = "584 years fit")]
    fn clock_nanos(duration: Duration) -> u64 {
        duration.as_nanos() as u64
    }

    pub(super) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(clock_nanos(*value))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_nanos)
    }

    #[expect(clippy::ref_option, reason = "the shape serde asks for")]
    pub(crate) mod option {
        use super::{Deserialize, Deserializer, Duration, Serializer, clock_nanos};

        pub(crate) fn serialize<S: Serializer>(
            value: &Option<Duration>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            match value {
                Some(duration) => to.serialize_some(&clock_nanos(*duration)),
                None => to.serialize_none(),
            }
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<Duration>, D::Error> {
            Ok(Option::<u64>::deserialize(from)?.map(Duration::from_nanos))
        }
    }
}

/// A duration for people: seconds with the significant digits.
pub fn format_clock_seconds(duration: Duration) -> String {
    let millis = duration.as_millis();
    match millis {
        0..10_000 if !millis.is_multiple_of(1000) => {
            let text = format!("{:.3}", duration.as_secs_f64());
            format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
        }
        0..10_000 => format!("{} s", millis / 1000),
        _ => {
            let text = format!("{:.1}", duration.as_secs_f64());
            format!("{} s", text.trim_end_matches(".0"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NS: Duration = Duration::from_nanos(1);

    fn control(budget: Option<u64>, per_move: Option<u64>, increment: u64) -> TimeControl {
        TimeControl {
            budget: budget.map(Duration::from_nanos),
            increment: Duration::from_nanos(increment),
            per_move: per_move.map(Duration::from_nanos),
            ..TimeControl::unlimited(Duration::from_secs(10))
        }
    }

    #[test]
    fn a_reply_at_the_limit_is_in_time_and_a_nanosecond_later_is_not() {
        for (budget, per_move) in [(Some(100), None), (None, Some(100)), (Some(100), Some(100))] {
            let clock = Clock::new(control(budget, per_move, 0));
            let [less, limit, more] = [99, 100, 101].map(Duration::from_nanos);
            assert_eq!(clock.clone().spend(less), ClockVerdict::InTime);
            assert_eq!(clock.clone().spend(limit), ClockVerdict::InTime);
            assert_eq!(clock.clone().spend(more), ClockVerdict::Late);
        }
    }

    #[test]
    fn an_empty_budget_loses_unless_there_is_an_increment() {
        let mut clock = Clock::new(control(Some(100), None, 0));
        assert_eq!(clock.spend(Duration::from_nanos(100)), ClockVerdict::InTime);
        assert!(clock.is_out());
        let mut clock = Clock::new(control(Some(100), None, 1));
        assert_eq!(clock.spend(Duration::from_nanos(100)), ClockVerdict::InTime);
        assert!(!clock.is_out());
        assert_eq!(clock.allowance(), Some(NS));
    }

    #[test]
    fn late_turns_are_forgiven_as_often_as_configured() {
        let control = TimeControl { overruns: 2, margin: NS, ..control(Some(100), None, 0) };
        let mut clock = Clock::new(control);
        let over = 101 * NS;
        assert_eq!(clock.clone().spend(over), ClockVerdict::InTime, "within the margin");
        assert_eq!(clock.clone().spend(over + LATEST), ClockVerdict::Forgiven);
        assert_eq!(clock.clone().spend(over + LATEST + NS), ClockVerdict::Late, "too late");
        assert_eq!(clock.spend(over + NS), ClockVerdict::Forgiven);
        assert!(!clock.is_out() && clock.allowance() == Some(Duration::ZERO));
        assert_eq!(clock.spend(2 * NS), ClockVerdict::Forgiven);
        assert_eq!((clock.overruns(), clock.is_out()), (2, true));
        assert_eq!(clock.spend(2 * NS), ClockVerdict::Late);
        let old = serde_json::to_string(&TimeControl { overruns: 0, ..control });
        assert!(!old.expect("plain data").contains("overruns"));
    }

    #[test]
    fn the_smaller_of_move_limit_and_budget_holds() {
        assert_eq!(Clock::new(control(Some(7), Some(5), 0)).allowance(), Some(5 * NS));
        assert_eq!(Clock::new(control(Some(3), Some(5), 0)).allowance(), Some(3 * NS));
        assert_eq!(Clock::new(control(None, None, 0)).allowance(), None);
    }

    #[test]
    fn start_up_is_charged_only_if_configured() {
        let mut counted = control(Some(100), None, 0);
        counted.count_startup = true;
        let mut clock = Clock::new(counted);
        clock.charge_startup(30 * NS);
        assert_eq!(clock.left(), Some(70 * NS));
        let mut clock = Clock::new(control(Some(100), None, 0));
        clock.charge_startup(30 * NS);
        assert_eq!(clock.left(), Some(100 * NS));
    }

    #[test]
    fn the_budget_is_added_again_after_each_period() {
        let control = TimeControl { moves: Some(2), ..control(Some(100), None, 1) };
        let mut clock = Clock::new(control);
        let mut seen = Vec::new();
        for used in [30, 40, 100, 32] {
            seen.push((clock.moves_to_go(), clock.left()));
            assert_eq!(clock.spend(used * NS), ClockVerdict::InTime);
        }
        let expected = [(2, 100), (1, 71), (2, 132), (1, 33)];
        assert_eq!(seen, expected.map(|(moves, left)| (Some(moves), Some(left * NS))));
        assert_eq!(clock.left(), Some(102 * NS));
        let mut clock = Clock::new(TimeControl { increment: Duration::ZERO, ..control });
        clock.spend(100 * NS);
        assert!(!clock.is_out(), "the budget comes again after this turn");
    }

    #[test]
    fn time_within_the_margin_is_forgiven_and_charged() {
        let control = TimeControl { margin: 20 * NS, ..control(Some(100), None, 5) };
        let mut clock = Clock::new(control);
        assert_eq!(clock.clone().spend(121 * NS), ClockVerdict::Late);
        assert_eq!(clock.spend(120 * NS), ClockVerdict::InTime);
        assert_eq!((clock.left(), clock.used_last()), (Some(5 * NS), 120 * NS));
        let old = serde_json::to_string(&TimeControl::unlimited(NS)).expect("plain data");
        assert!(!old.contains("margin") && !old.contains("moves"), "{old}");
    }

    proptest! {
        #[test]
        fn clocks_conserve_time(
            budget in 0_u64..1_000_000, increment in 0_u64..1000,
            turns in proptest::collection::vec(0_u64..2_000, 0..100),
        ) {
            let mut clock = Clock::new(control(Some(budget), None, increment));
            let mut expected = budget;
            for used in turns {
                let late = used > expected;
                let verdict = clock.spend(Duration::from_nanos(used));
                prop_assert_eq!(verdict == ClockVerdict::Late, late);
                if late { break; }
                expected = expected - used + increment;
                prop_assert_eq!(clock.left(), Some(Duration::from_nanos(expected)));
            }
        }
    }

    #[test]
    fn durations_are_shown_briefly() {
        let text = |ms| format_clock_seconds(Duration::from_millis(ms));
        assert_eq!(
            [text(0), text(250), text(1000), text(60_000), text(61_500)],
            ["0 s", "0.25 s", "1 s", "60 s", "61.5 s"]
        );
    }
}
