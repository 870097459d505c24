//! What players used of a service in a game, and how much they may use in a tournament.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use referee_games::BySeat;
use referee_protocol::{ReportedCost, Usage};

/// The highest number of tokens that a limit allows.
pub const MOST_TOKENS: u64 = 1_000_000_000_000_000;

/// What the players of a game used in all its attempts, by seat name; seats that reported nothing are
/// absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeatUsage(pub BTreeMap<String, Usage>);

impl SeatUsage {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what the player at the seat of this name used.
    pub fn add(&mut self, seat: &str, usage: Usage) {
        if !usage.is_zero() {
            *self.0.entry(seat.to_owned()).or_default() += usage;
        }
    }

    /// The usage at the seat of this name.
    pub fn of(&self, seat: &str) -> Usage {
        self.0.get(seat).copied().unwrap_or_default()
    }

    /// The usage by seat; none if nobody reported any.
    pub fn by_seat(&self, seats: &BySeat<impl AsRef<str>>) -> Option<Box<BySeat<Usage>>> {
        let named = seats.as_ref().map(|name| self.of(name.as_ref()));
        (!self.is_empty()).then(|| Box::new(named))
    }
}

/// How much a player may use in a tournament. With the default, as much as it wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageLimit {
    /// The tokens, up to [`MOST_TOKENS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<ReportedCost>,
}

impl UsageLimit {
    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a limit is reached with this usage.
    pub fn is_reached(&self, spent: Usage) -> bool {
        self.tokens.is_some_and(|most| spent.tokens >= most)
            || self.cost.is_some_and(|most| spent.cost >= most)
    }

    /// Which limits are used up, and how far, such as `tokens: 2000123 of 2000000`; none if the player
    /// may go on.
    pub fn used_up(&self, spent: Usage) -> Option<String> {
        let tokens = self.tokens.filter(|most| spent.tokens >= *most);
        let cost = self.cost.filter(|most| spent.cost >= *most);
        let tokens = tokens.map(|most| format!("tokens: {} of {most}", spent.tokens));
        let cost = cost.map(|most| format!("cost: {} of {most}", spent.cost));
        let parts: Vec<String> = tokens.into_iter().chain(cost).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// The limits in a few words, such as `tokens 2000000, cost 5`.
impl fmt::Display for UsageLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = self.tokens.map(|tokens| format!("tokens {tokens}"));
        let cost = self.cost.map(|cost| format!("cost {cost}"));
        let parts: Vec<String> = tokens.into_iter().chain(cost).collect();
        f.write_str(if parts.is_empty() { "none" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(tokens: u64, units: f64) -> Usage {
        Usage { tokens, cost: ReportedCost::from_units(units).expect("a cost") }
    }

    #[test]
    fn the_usage_of_all_attempts_is_added_by_seat() {
        let seats: BySeat<&str> = ["white", "black"].into();
        let mut all = SeatUsage::default();
        all.add("black", Usage::default());
        assert_eq!((all.is_empty(), all.by_seat(&seats)), (true, None));
        all.add("white", usage(3, 0.1));
        all.add("white", usage(4, 0.2));
        assert_eq!(
            serde_json::to_string(&all).expect("JSON"),
            r#"{"white":{"tokens":7,"cost":0.3}}"#
        );
        let by_seat = all.by_seat(&seats).expect("reported");
        assert_eq!(by_seat.values(), [usage(7, 0.3), Usage::default()]);
    }

    #[test]
    fn a_limit_is_used_up_when_it_is_reached() {
        let limit = UsageLimit { tokens: Some(10), cost: ReportedCost::from_units(0.5) };
        let below = usage(9, 0.499_999);
        assert!(limit.used_up(below).is_none() && !limit.is_reached(below));
        assert!([usage(10, 0.0), usage(0, 0.5)].iter().all(|it| limit.is_reached(*it)));
        assert_eq!(limit.used_up(usage(10, 0.1)).as_deref(), Some("tokens: 10 of 10"));
        assert_eq!(limit.used_up(usage(1, 0.5)).as_deref(), Some("cost: 0.5 of 0.5"));
        let both = "tokens: 12 of 10, cost: 0.75 of 0.5";
        assert_eq!(limit.used_up(usage(12, 0.75)).as_deref(), Some(both));
        assert_eq!(UsageLimit::default().used_up(usage(u64::MAX, 1e9)), None);
        assert_eq!(limit.to_string(), "tokens 10, cost 0.5");
        assert_eq!(UsageLimit::default().to_string(), "none");
    }
}
