//! The parts of a tournament: its stages; after a check and a partial round-robin, for each late
//! player a check of its own, and its games; and in games of more than two seats, meetings of players
//! that are short of them. They come after all others, so they change nothing.

use super::TournamentState;
use crate::schedule::draw_schedule_lots;
use crate::schedule::meetings::missing_meetings;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::Header;
use referee_record::model::stage::{Format, Stage, checked_round_robin_stages, configured_stages};

/// A stage, or what a late player plays.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) stage: Stage,
    /// The number of the late player.
    pub(super) late: Option<usize>,
}

impl Part {
    /// All parts of a tournament, and the numbers of the players that only play parts of their own.
    pub(super) fn from_header(header: &Header) -> (Vec<Self>, Vec<usize>) {
        let of_stage = |stage: &Stage| Self { stage: stage.clone(), late: None };
        let mut parts: Vec<Self> = header.stages.iter().map(of_stage).collect();
        let Some([check, all]) = checked_round_robin_stages(&header.stages) else {
            return (parts, Vec::new());
        };
        let Format::PartialRoundRobin { late, corrected, .. } = &all.format else {
            return (parts, Vec::new());
        };
        let number = |name: &String| header.players.iter().position(|it| it.name == *name);
        parts[1].stage = all.without_late();
        let mut after = parts.split_off(2);
        for (before, name) in late.iter().enumerate() {
            let is_earlier = |part: &mut Self| matches!(part.stage.format, Format::Listed { late, .. } if late <= before);
            parts.extend(after.extract_if(.., is_earlier));
            parts.extend(number(name).into_iter().flat_map(|player| {
                [check, all].map(|stage| Self { stage: stage.without_late(), late: Some(player) })
            }));
        }
        parts.extend(after);
        let new = late.iter().filter(|name| !corrected.contains(name));
        (parts, new.filter_map(number).collect())
    }

    /// Whether it is for a late player, or its meetings are listed.
    pub(super) fn is_added(&self) -> bool {
        self.late.is_some() || self.stage.format.is_listed()
    }

    /// Whether a single fault in this part takes a player out.
    pub(super) fn is_check_for(&self, player: usize) -> bool {
        self.stage.format == Format::Check && self.late.is_none_or(|late| late == player)
    }

    /// The number of its games with this many players and seats, estimated if it depends on results.
    pub(super) fn estimate_games(&self, players: usize, seats: usize) -> usize {
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

impl TournamentState {
    /// In games of more than two seats, the meetings that players are short of when all others are
    /// over: they came late, or a player that they met was taken out or is disqualified. None if
    /// nobody is short of any, or too few players are left for a meeting.
    ///
    /// Everyone has fewer to make up for after them, unless one of their players is taken out as well.
    /// So this ends.
    pub(super) fn make_up_part(&self) -> Option<Part> {
        let seats = self.header.seats.len();
        let is_next_added = self.parts.get(self.part + 1).is_some_and(Part::is_added);
        if seats == 2 || is_next_added {
            return None;
        }
        let first = (0..=self.part).rev().find(|&at| !self.parts[at].is_added())?;
        let Stage { format, pairs, .. } = &self.parts[first].stage;
        let Format::PartialRoundRobin { opponents: meetings, .. } = format else { return None };
        let most = u32::try_from(*meetings).unwrap_or(u32::MAX).saturating_mul(*pairs);
        let mut players = self.remaining_for_section();
        let lots = draw_schedule_lots(&self.section_lots_text(), &self.names);
        players.sort_by_key(|&player| lots[player]);
        let deals = (self.begins[first]..self.len()).step_by(seats);
        let had = deals.filter(|&deal| !self.is_check(deal) && self.is_part_deal_complete(deal));
        let had = had.map(|deal| self.fixture(deal).players);
        let missing = missing_meetings(&players, had, most, seats);
        let named = |players: Vec<usize>| {
            players.into_iter().map(|player| self.names[player].clone()).collect()
        };
        let late = self.parts.iter().filter(|part| part.stage.format == Format::Check);
        let late = late.filter(|part| part.late.is_some()).count();
        let format = Format::Listed { meetings: missing.into_iter().map(named).collect(), late };
        let stage = Stage { format, pairs: 1, players: None };
        (stage.games(0, seats) > 0).then_some(Part { stage, late: None })
    }

    /// Whether all games of the deal that begins at `index` count, and nobody who is out made a fault
    /// in them: one that fails from the start is taken out only after games that tell nothing.
    fn is_part_deal_complete(&self, index: usize) -> bool {
        self.deal(index).all(|index| {
            let players = self.fixture(index).players;
            let failed = |game: GameSummary| {
                let mut seats = players.seats().filter(|&seat| game.faults.of(seat).is_some());
                seats.any(|seat| self.out[players.at(seat)].is_some())
            };
            let is_void = self.is_void_for(self.schedule.sections(), index);
            !is_void && self.games[index].is_some_and(|game| !failed(game))
        })
    }

    /// The stages of listed meetings that stay when the header changes: those in it, and those that
    /// have begun. Where earlier results cannot change, all others follow from them again.
    pub(crate) fn listed_part_stages(&self) -> Vec<Stage> {
        let stages = &self.header.stages;
        if configured_stages(stages).len() > 1 && checked_round_robin_stages(stages).is_none() {
            return Vec::new();
        }
        let written = stages.iter().filter(|stage| stage.format.is_listed()).count();
        let end = |at: usize| self.begins.get(at + 1).copied().unwrap_or(self.len());
        let has_begun = |at: usize| {
            self.begins.get(at).is_some_and(|&begin| (begin..end(at)).any(|it| self.is_done(it)))
        };
        let listed = self.parts.iter().enumerate().filter(|(_, it)| it.stage.format.is_listed());
        let stays = listed.enumerate().filter(|&(nth, (at, _))| nth < written || has_begun(at));
        stays.map(|(_, (_, part))| part.stage.clone()).collect()
    }
}

#[cfg(test)]
mod tests;
