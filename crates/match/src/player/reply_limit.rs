//! The time that one reply may take.

use std::time::Duration;

use super::fault_messages;
use super::fault_messages::cpu_limit_fault;
use referee_record::model::clock::{LATEST, Measure, OVERTIME, wall_clock_limit};
use referee_record::model::containment::PlayerLimits;
use referee_record::model::fault::Fault;

/// The longest wait without a time limit.
const UNLIMITED: Duration = Duration::from_secs(365 * 24 * 3600);

/// The limits of one reply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyLimit {
    /// The kind of time that is limited.
    pub(super) measure: Measure,
    /// The allowance of that kind of time.
    pub(super) allowance: Duration,
    /// The allowance of wall time.
    pub(super) bound: Duration,
    /// How much longer to wait for a late reply.
    pub(super) overtime: Duration,
    /// The budget, if the allowance is the rest of a partly used one.
    pub(super) budget: Option<Duration>,
    /// The time over the allowance that is forgiven.
    pub(super) margin: Duration,
    /// Whether no other player is asked at the same time.
    pub(super) alone: bool,
}

impl ReplyLimit {
    /// The limit of a player that has this much time left; unlimited if absent. Others may be asked
    /// at the same time.
    pub(crate) fn new(measure: Measure, left: Option<Duration>) -> Self {
        let allowance = left.unwrap_or(UNLIMITED);
        let bound = wall_clock_limit(measure, allowance);
        let (overtime, margin) = Default::default();
        Self { measure, allowance, bound, overtime, margin, budget: None, alone: false }
    }

    /// The same limit as the rest of this budget, which messages name unless it is unused.
    #[must_use]
    pub(crate) fn rest_of(self, budget: Option<Duration>) -> Self {
        Self { budget: budget.filter(|budget| *budget > self.allowance), ..self }
    }

    /// The same limit with a margin.
    #[must_use]
    pub(crate) fn forgiving(self, margin: Duration) -> Self {
        let of_wall = if self.measure == Measure::Wall { margin } else { Duration::ZERO };
        Self { margin, overtime: self.overtime + of_wall, ..self }
    }

    /// The same limit while nobody else is asked.
    #[must_use]
    pub(crate) fn alone(self) -> Self {
        let overtime = if self.measure == Measure::Wall { OVERTIME } else { Duration::ZERO };
        Self { overtime: self.overtime + overtime, alone: true, ..self }
    }

    /// The same limit with a wait for a late reply, which may be forgiven, or whose time is to be
    /// known.
    #[must_use]
    pub(crate) fn awaiting_late(self) -> Self {
        let late = if self.measure == Measure::Wall { LATEST } else { Duration::ZERO };
        Self { overtime: self.overtime + late, ..self }
    }

    /// The time that a turn is charged, of the kind that is limited.
    pub(super) fn decisive(&self, wall: Duration, cpu: Duration) -> Duration {
        match self.measure {
            Measure::Wall => wall,
            Measure::Cpu => cpu,
        }
    }

    /// Whether CPU time is limited, by this allowance or by the limits of every turn and game.
    pub(super) fn bounds_cpu(&self, limits: &PlayerLimits) -> bool {
        self.measure == Measure::Cpu || limits.cpu_move.is_some() || limits.cpu_game.is_some()
    }

    /// The CPU time that is left to a player that has used `used` on this turn and `in_game` in
    /// this game; `None` if unlimited.
    pub(super) fn cpu_left(
        &self,
        limits: &PlayerLimits,
        used: Duration,
        in_game: Duration,
    ) -> Option<Duration> {
        let allowance =
            (self.measure == Measure::Cpu).then_some(self.allowance.saturating_add(self.margin));
        let of_turn = allowance.into_iter().chain(limits.cpu_move);
        let of_game = limits.cpu_game.map(|most| most.saturating_sub(in_game));
        of_turn.map(|most| most.saturating_sub(used)).chain(of_game).min()
    }

    /// The fault of a player that has used more CPU time than it may.
    pub(super) fn over_cpu(
        &self,
        limits: &PlayerLimits,
        used: Duration,
        in_game: Duration,
    ) -> Option<Fault> {
        if self.measure == Measure::Cpu && used > self.allowance.saturating_add(self.margin) {
            let rest = fault_messages::describe_budget_rest(self.budget);
            return Some(cpu_limit_fault(used, self.allowance, &rest));
        }
        let over = |used: Duration, most: Option<Duration>, of_what| {
            let most = most.filter(|&most| used > most)?;
            Some(cpu_limit_fault(used, most, of_what))
        };
        over(used, limits.cpu_move, " per move")
            .or_else(|| over(in_game, limits.cpu_game, " per game"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Two seconds, the rest of a budget of five.
    fn limit(measure: Measure) -> ReplyLimit {
        ReplyLimit::new(measure, Some(2 * SECOND)).rest_of(Some(5 * SECOND)).alone()
    }

    fn limits(cpu_move: Option<u32>, cpu_game: Option<u32>) -> PlayerLimits {
        let seconds = |number: Option<u32>| number.map(|number| number * SECOND);
        PlayerLimits {
            cpu_move: seconds(cpu_move),
            cpu_game: seconds(cpu_game),
            ..PlayerLimits::default()
        }
    }

    #[test]
    fn the_smallest_of_the_limits_of_cpu_time_is_left() {
        let left = |measure, limits| limit(measure).cpu_left(&limits, SECOND, 7 * SECOND);
        assert_eq!(left(Measure::Wall, limits(None, None)), None);
        assert_eq!(left(Measure::Cpu, limits(None, None)), Some(SECOND));
        assert_eq!(left(Measure::Cpu, limits(Some(1), None)), Some(Duration::ZERO));
        assert_eq!(left(Measure::Wall, limits(Some(4), Some(9))), Some(2 * SECOND));
        assert!(!limit(Measure::Wall).bounds_cpu(&limits(None, None)));
        assert!(limit(Measure::Wall).bounds_cpu(&limits(None, Some(1))));
    }

    #[test]
    fn cpu_time_over_a_limit_names_that_limit() {
        let over = |measure, limits| {
            limit(measure).over_cpu(&limits, 3 * SECOND, 8 * SECOND).map(|fault| fault.message)
        };
        assert_eq!(over(Measure::Wall, limits(Some(3), Some(8))), None);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            over(Measure::Cpu, limits(Some(1), None)),
            said("used 3 s of CPU time; the limit is 2 s, the rest of its budget of 5 s")
        );
        assert_eq!(
            over(Measure::Wall, limits(Some(1), None)),
            said("used 3 s of CPU time; the limit is 1 s per move")
        );
        assert_eq!(
            over(Measure::Wall, limits(None, Some(7))),
            said("used 8 s of CPU time; the limit is 7 s per game")
        );
    }
}
