//! The progress of a tournament in games, in the same words everywhere.

use std::fmt;

use referee_record::wording::{join_with_and, pluralize};
use serde::Serialize;

/// How many games were played, how many of them count, and how many will never be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ProgressSummary {
    /// Games in the log.
    pub played: usize,
    /// The games in the log that count. A game that comes after one of its players was taken out
    /// does not.
    pub counted: usize,
    /// Games still to be played that are known now.
    pub due: usize,
    /// Whether more games may follow, because later pairings depend on earlier results.
    pub is_estimate: bool,
    /// Whether there is always another game: it is a league.
    #[serde(skip)]
    pub is_endless: bool,
    /// Games that will never be played, because one of their players was taken out before.
    pub never: usize,
    /// Games in the log that a disqualified player played. They do not count.
    #[serde(skip_serializing_if = "is_none")]
    pub annulled: usize,
    /// Games in the log that one of their players played before it was corrected. They do not
    /// count.
    pub corrected: usize,
    /// Players taken out by a fault in the check.
    pub unchecked: usize,
    /// Players taken out by too many faults in a row.
    pub quarantined: usize,
    /// Players that the organiser disqualified.
    #[serde(skip_serializing_if = "is_none")]
    pub disqualified: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl ProgressSummary {
    /// Games that are played or still to be played.
    pub fn total_games(&self) -> usize {
        self.played + self.due
    }

    /// A description of the players that were taken out, and why.
    fn describe_taken_out(&self) -> String {
        let players = |count: usize| pluralize(count, "player");
        let were = |count: usize| if count == 1 { "was" } else { "were" };
        let (failed, bad, barred) = (self.unchecked, self.quarantined, self.disqualified);
        let reasons = [
            (failed, "failed the check".to_owned()),
            (bad, format!("{} quarantined", were(bad))),
            (barred, format!("{} disqualified", were(barred))),
        ];
        let reasons = reasons.iter().filter(|(count, _)| *count > 0).enumerate();
        let said: Vec<String> = reasons
            .map(|(at, (count, what))| match at {
                0 => format!("{} {what}", players(*count)),
                _ => format!("{count} {what}"),
            })
            .collect();
        join_with_and(&said)
    }
}

impl fmt::Display for ProgressSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = if self.is_estimate { "about " } else { "" };
        if self.is_endless {
            write!(f, "{} played", pluralize(self.played, "game"))?;
        } else {
            write!(f, "{} of {about}{} games played", self.played, self.total_games())?;
        }
        if self.counted < self.played {
            write!(f, "; {} count", self.counted)?;
            match (self.played - self.counted).saturating_sub(self.corrected + self.annulled) {
                0 => {}
                beyond => write!(f, ", {beyond} came after a player was removed")?,
            }
            if self.annulled > 0 {
                write!(f, ", {} with disqualified players do not", self.annulled)?;
            }
            if self.corrected > 0 {
                write!(f, ", {} before a player was corrected", self.corrected)?;
            }
        }
        if self.never > 0 {
            write!(
                f,
                "; {} will never be played, because {}",
                self.never,
                self.describe_taken_out()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_summaries_are_short() {
        let plain = ProgressSummary { played: 12, counted: 12, ..ProgressSummary::default() };
        assert_eq!(plain.to_string(), "12 of 12 games played");
        let early = ProgressSummary { due: 30, is_estimate: true, ..plain };
        assert_eq!(early.to_string(), "12 of about 42 games played");
    }

    #[test]
    fn summaries_explain_games_that_do_not_count() {
        let out =
            ProgressSummary { played: 186, counted: 181, never: 98, ..ProgressSummary::default() };
        let said =
            |unchecked, quarantined| ProgressSummary { unchecked, quarantined, ..out }.to_string();
        let start = "186 of 186 games played; 181 count, 5 came after a player was removed; 98 \
                     will never be played, because ";
        assert_eq!(said(1, 0), format!("{start}1 player failed the check"));
        assert_eq!(said(0, 2), format!("{start}2 players were quarantined"));
        assert_eq!(said(3, 1), format!("{start}3 players failed the check and 1 was quarantined"));
    }
}
