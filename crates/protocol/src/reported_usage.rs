//! What a player reports to have used of a service, such as a language model.

use std::fmt;
use std::iter::Sum;
use std::ops::AddAssign;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::lenient_field::LenientField;
use crate::reply::ReplyWarning;
use referee_games::WholeNumber;

/// The parts of a unit in which costs are counted.
const PARTS: u64 = 1_000_000;
/// The highest cost, in units. With more digits, a cost might not read as it was written.
pub const MOST_COST: u64 = 1_000_000_000;

/// A cost in the organiser's currency, from 0 to [`MOST_COST`] units. It is counted in millionths,
/// so that sums do not depend on their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ReportedCost(u64);

impl ReportedCost {
    /// The cost of so many units, rounded to a millionth; `None` if it is out of range.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the range is checked"
    )]
    pub fn from_units(units: f64) -> Option<Self> {
        let is_in_range = (0.0..=MOST_COST as f64).contains(&units);
        is_in_range.then(|| Self((units * PARTS as f64).round() as u64))
    }

    /// The cost in units.
    #[expect(clippy::cast_precision_loss, reason = "it has few enough digits")]
    pub fn units(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }

    /// Whether nothing was paid.
    pub fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

/// Stops at [`MOST_COST`].
impl AddAssign for ReportedCost {
    fn add_assign(&mut self, other: Self) {
        self.0 = (self.0 + other.0).min(MOST_COST * PARTS);
    }
}

/// The units as a decimal number, such as `0.0031`.
impl fmt::Display for ReportedCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = format!("{}.{:06}", self.0 / PARTS, self.0 % PARTS);
        f.write_str(decimal.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl Serialize for ReportedCost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.units())
    }
}

impl<'de> Deserialize<'de> for ReportedCost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let units = f64::deserialize(deserializer)?;
        Self::from_units(units).ok_or_else(|| de::Error::custom(format!("{units} is not a cost")))
    }
}

/// What a player used: in one reply, in a game, or in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// The number of tokens.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// The cost.
    #[serde(default, skip_serializing_if = "ReportedCost::is_zero")]
    pub cost: ReportedCost,
}

impl Usage {
    /// Whether nothing was used.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Stops at the largest numbers.
impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.cost += other.cost;
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

/// The usage that a reply reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportedUsage {
    /// The usage.
    pub usage: Usage,
    /// The parts of the report that were dropped.
    pub warnings: Vec<ReplyWarning>,
}

#[derive(Deserialize)]
struct UsageLine<'a> {
    #[serde(borrow)]
    usage: Option<LenientField<'a, UsageFields<'a>>>,
}

#[derive(Deserialize)]
struct UsageFields<'a> {
    #[serde(borrow)]
    tokens: Option<LenientField<'a, WholeNumber<u64>>>,
    #[serde(borrow)]
    cost: Option<LenientField<'a, f64>>,
}

impl ReportedUsage {
    /// Reads the usage in a reply of any kind, a line without its newline. What was used is used even
    /// if the reply is wrong, so this does not depend on the rest of the line.
    pub fn read(line: &[u8]) -> Self {
        let text = std::str::from_utf8(line).ok().filter(|text| text.contains("\"usage\""));
        let read = text.and_then(|text| serde_json::from_str::<UsageLine<'_>>(text).ok());
        let mut reported = Self::default();
        match read.and_then(|line| line.usage) {
            Some(LenientField::Value(fields)) => reported.take_fields(&fields),
            Some(LenientField::Other(_)) => reported.warnings.push(ReplyWarning::UsageNotObject),
            None => {}
        }
        reported
    }

    fn take_fields(&mut self, fields: &UsageFields<'_>) {
        match &fields.tokens {
            Some(LenientField::Value(WholeNumber(tokens))) => self.usage.tokens = *tokens,
            Some(LenientField::Other(_)) => {
                self.warnings.push(ReplyWarning::NotWhole("usage.tokens"));
            }
            None => {}
        }
        if let Some(units) = &fields.cost {
            match units.value().and_then(|units| ReportedCost::from_units(*units)) {
                Some(cost) => self.usage.cost = cost,
                None => self.warnings.push(ReplyWarning::CostOutOfRange { most: MOST_COST }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cost(units: f64) -> ReportedCost {
        ReportedCost::from_units(units).expect("a cost")
    }

    proptest! {
        #[test]
        fn a_cost_reads_as_it_is_written(parts in 0..=MOST_COST * PARTS) {
            let written = serde_json::to_string(&ReportedCost(parts)).expect("a number");
            prop_assert_eq!(serde_json::from_str::<ReportedCost>(&written).expect("a cost"), ReportedCost(parts));
            prop_assert_eq!(cost(ReportedCost(parts).to_string().parse().expect("a number")), ReportedCost(parts));
        }

        #[test]
        fn a_sum_does_not_depend_on_its_order(
            parts in prop::collection::vec((any::<u64>(), 0..=MOST_COST * PARTS), 0..20),
        ) {
            let all = parts.iter().map(|&(tokens, parts)| Usage { tokens, cost: ReportedCost(parts) });
            prop_assert_eq!(all.clone().rev().sum::<Usage>(), all.sum::<Usage>());
        }

        #[test]
        fn no_line_breaks_the_reader(tokens: f64, cost: f64, noise: Vec<u8>) {
            let line = serde_json::json!({"usage": {"tokens": tokens, "cost": cost}}).to_string();
            let read = ReportedUsage::read(line.as_bytes());
            prop_assert!(read.usage.cost <= ReportedCost(MOST_COST * PARTS));
            prop_assert!(read.usage.tokens == 0 || tokens > 0.0);
            let read = ReportedUsage::read(&[b"{\"usage\":", &noise[..]].concat());
            prop_assert_eq!(read.usage, Usage::default());
        }
    }

    #[test]
    fn costs_add_up_exactly() {
        let tenths: Usage = (0..10).map(|_| Usage { tokens: 3, cost: cost(0.1) }).sum();
        assert_eq!(tenths, Usage { tokens: 30, cost: cost(1.0) });
        let texts = [0.0, 0.0031, 5.0, 12.5, 0.000_001].map(|units| cost(units).to_string());
        assert_eq!(texts, ["0", "0.0031", "5", "12.5", "0.000001"]);
        let out_of_range = [-0.1, f64::NAN, f64::INFINITY, 1.1e9].map(ReportedCost::from_units);
        assert_eq!(out_of_range, [None; 4]);
    }

    #[test]
    fn replies_of_every_kind_report_usage() {
        let usage = Usage { tokens: 812, cost: cost(0.0031) };
        let reported = r#""usage":{"tokens":812.0,"cost":0.0031,"model":"m"}"#;
        for rest in [r#""id":1,"action":"a""#, r#""outage":"503""#, r#""action":7"#, r#""id":"x""#]
        {
            let line = format!("{{{rest},{reported}}}\r");
            let expected = ReportedUsage { usage, warnings: Vec::new() };
            assert_eq!(ReportedUsage::read(line.as_bytes()), expected, "{line}");
        }
        for line in
            ["3,4", "ok", r#"{"note":"\"usage\":{}"}"#, r#"{"usage":null}"#, r#"{"usage":{}}"#]
        {
            assert_eq!(ReportedUsage::read(line.as_bytes()), ReportedUsage::default(), "{line}");
        }
    }

    #[test]
    fn usage_of_the_wrong_kind_is_dropped_with_a_warning() {
        let read = |usage: &str| {
            let reported = ReportedUsage::read(format!(r#"{{"usage":{usage}}}"#).as_bytes());
            let warnings: Vec<String> = reported.warnings.iter().map(ToString::to_string).collect();
            (reported.usage, warnings.join("; "))
        };
        let none = Usage::default();
        let tokens = "`usage.tokens` was dropped; it is not a whole number in its range";
        let price = "`usage.cost` was dropped; it is not a number from 0 to 1000000000";
        let object = "a usage that is not an object was dropped";
        assert_eq!(read("7"), (none, object.to_owned()));
        assert_eq!(read(r#"{"tokens":-1}"#), (none, tokens.to_owned()));
        assert_eq!(read(r#"{"tokens":1.5,"cost":-1}"#), (none, format!("{tokens}; {price}")));
        let half = Usage { tokens: 4, ..none };
        assert_eq!(read(r#"{"tokens":4,"cost":"free"}"#), (half, price.to_owned()));
        assert_eq!(read(r#"{"tokens":4,"cost":1e300}"#), (half, price.to_owned()));
    }
}
