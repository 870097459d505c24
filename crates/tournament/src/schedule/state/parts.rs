//! The parts of a tournament: its stages; and after a check and a partial round-robin, for each late
//! player a check of its own, and its games. They come after all others, so they change nothing.

use referee_record::model::record::Header;
use referee_record::model::stage::{Format, Stage, checked_round_robin};

/// A stage, or what a late player plays.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) stage: Stage,
    /// The number of the late player.
    pub(super) late: Option<usize>,
}

impl Part {
    /// All parts of a tournament, and the numbers of the players that only play parts of their own.
    pub(super) fn all(header: &Header) -> (Vec<Self>, Vec<usize>) {
        let of_stage = |stage: &Stage| Self { stage: stage.clone(), late: None };
        let mut parts: Vec<Self> = header.stages.iter().map(of_stage).collect();
        let Some([check, all]) = checked_round_robin(&header.stages) else {
            return (parts, Vec::new());
        };
        let Format::PartialRoundRobin { late, corrected, .. } = &all.format else {
            return (parts, Vec::new());
        };
        let number = |name: &String| header.players.iter().position(|it| it.name == *name);
        let of_late = late.iter().filter_map(number).flat_map(|player| {
            [check, all].map(|stage| Self { stage: stage.without_late(), late: Some(player) })
        });
        parts[1].stage = all.without_late();
        parts.splice(2..2, of_late);
        let new = late.iter().filter(|name| !corrected.contains(name));
        (parts, new.filter_map(number).collect())
    }

    /// Whether a single fault in this part takes a player out.
    pub(super) fn checks(&self, player: usize) -> bool {
        self.stage.format == Format::Check && self.late.is_none_or(|late| late == player)
    }

    /// The number of its games with this many players and seats, estimated if it depends on results.
    pub(super) fn games(&self, players: usize, seats: usize) -> usize {
        let Stage { format, pairs, .. } = &self.stage;
        match (self.late, format) {
            (Some(_), Format::PartialRoundRobin { opponents: meetings, .. }) => {
                let most = if seats == 2 { players.saturating_sub(1) } else { usize::MAX };
                seats * *pairs as usize * most.min(*meetings)
            }
            (Some(_), _) => self.stage.games(1, seats),
            (None, _) => self.stage.games(players, seats),
        }
    }
}
