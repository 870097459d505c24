//! The warnings of the records, by player and kind.

use std::collections::BTreeMap;

use serde::Serialize;

use referee_games::Seat;
use referee_record::model::record::GameRecord;

/// The most kinds of warnings to tell apart: a stranger's log may have anything.
const MOST_KINDS: usize = 1000;

/// Warnings of one kind about a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WarningCount {
    /// The player's name.
    pub player: String,
    /// The first such warning, without a subject.
    pub warning: String,
    /// The id of the game that has it.
    pub first: String,
    /// The number of games with such a warning.
    pub games: u32,
}

/// The warnings about all players, by player number and kind.
#[derive(Debug, Default)]
pub(super) struct WarningCollector {
    counts: BTreeMap<(usize, String), WarningCount>,
}

impl WarningCollector {
    /// Adds the warnings of a game about the player at `seat`.
    pub(super) fn add(&mut self, player: usize, record: &GameRecord, seat: Seat) {
        let of_seat = |text: &'_ String| -> Option<String> {
            let rest = text.strip_prefix(&*record.players.names[seat])?;
            Some(rest.strip_prefix(':').unwrap_or(rest).strip_prefix(' ')?.to_owned())
        };
        for warning in record.warnings.iter().filter_map(of_seat) {
            let key = (player, warning_kind(&warning).to_owned());
            if self.counts.len() >= MOST_KINDS && !self.counts.contains_key(&key) {
                continue;
            }
            let count = self.counts.entry(key).or_insert_with(|| WarningCount {
                player: record.players[seat].clone(),
                warning,
                first: record.id.clone(),
                games: 0,
            });
            count.games += 1;
        }
    }

    pub(super) fn conclude(self) -> Vec<WarningCount> {
        self.counts.into_values().collect()
    }
}

/// The part of a warning before its figures and quotations, which all of its kind share.
fn warning_kind(warning: &str) -> &str {
    let end = warning.find(|it: char| it.is_ascii_digit() || it == ':' || it == '"');
    &warning[..end.unwrap_or(warning.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::record::examples::game;

    #[test]
    fn warnings_of_a_kind_are_counted_together() {
        let mut warnings = WarningCollector::default();
        for (id, texts) in [
            ("a-1", ["white overran its time at ply 4 by 0.1 s", "white: `x` was changed"]),
            ("a-2", ["white overran its time at ply 9 by 0.2 s", "black: `x` was changed"]),
        ] {
            let mut record = game("ant", "bee", "draw");
            record.id = id.to_owned();
            record.warnings = texts.map(str::to_owned).to_vec();
            warnings.add(0, &record, Seat::FIRST);
            warnings.add(1, &record, Seat::SECOND);
        }
        let count = |player: &str, warning: &str, first: &str, games| WarningCount {
            player: player.to_owned(),
            warning: warning.to_owned(),
            first: first.to_owned(),
            games,
        };
        let expected = [
            count("ant", "`x` was changed", "a-1", 1),
            count("ant", "overran its time at ply 4 by 0.1 s", "a-1", 2),
            count("bee", "`x` was changed", "a-2", 1),
        ];
        assert_eq!(warnings.conclude(), expected);
    }

    #[test]
    fn a_log_cannot_have_any_number_of_kinds() {
        let mut record = game("ant", "bee", "draw");
        record.warnings = (0..2 * MOST_KINDS).map(|n| format!("white {}", "x".repeat(n))).collect();
        let mut warnings = WarningCollector::default();
        warnings.add(0, &record, Seat::FIRST);
        warnings.add(0, &record, Seat::FIRST);
        let found = warnings.conclude();
        assert_eq!(found.len(), MOST_KINDS);
        assert!(found.iter().all(|count| count.games == 2));
    }
}
