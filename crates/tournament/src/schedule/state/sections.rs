//! The next section of a tournament, from the results of the earlier ones.

use super::TournamentState;
use super::parts::Part;
use crate::schedule::formats::{self, Meeting, Next, StageState};
use crate::schedule::lots;
use referee_games::BySeat;
use referee_ratings::{FixedRating, Ranking, Results, fit};
use referee_record::model::fixture::{Fixture, Lineup};
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::fixed_ratings;
use referee_record::model::stage::{Format, Order};

impl TournamentState {
    /// Adds the next section. Returns whether there was one.
    pub(super) fn extend(&mut self) -> bool {
        while self.part < self.parts.len() {
            if let Some(Next { meetings, deals }) = self.next_section() {
                match &self.parts[self.part].stage.format {
                    Format::Gauntlet { anchors, same_luck: true } => {
                        self.schedule.push_in_turns(&meetings, deals, anchors.len());
                    }
                    _ => self.schedule.push(meetings, deals),
                }
                self.games.resize(self.schedule.len(), None);
                return true;
            }
            self.part += 1;
            self.first_section = self.schedule.sections();
            self.begins.push(self.schedule.len());
            if self.part < self.parts.len() {
                self.take_part();
            }
        }
        false
    }

    /// Keeps the best players, as many as the part takes. Further games are open to all again.
    pub(super) fn take_part(&mut self) {
        let Some(Part { stage, late }) = self.parts.get(self.part) else { return };
        if let Some(late) = *late {
            if stage.format == Format::Check {
                self.admit(late);
            }
            return;
        }
        let most = stage.players.unwrap_or(usize::MAX);
        if stage.format == Format::Further {
            self.entrants = (0..self.names.len()).collect();
        } else if self.part > 0 {
            self.entrants = self.survivors();
        }
        self.entrants.truncate(most);
    }

    /// Admits a late player, or one that was taken out by its check and is corrected.
    fn admit(&mut self, player: usize) {
        self.entrants.retain(|&other| other != player);
        self.entrants.push(player);
        self.since[player] = self.schedule.len();
        self.out[player] = None;
        self.streak[player] = 0;
    }

    fn next_section(&self) -> Option<Next> {
        let Part { stage, late } = &self.parts[self.part];
        if stage.format.has_one_section() && self.first_section < self.schedule.sections() {
            return None;
        }
        let sections: Vec<Vec<Meeting>> = (self.first_section..self.schedule.sections())
            .map(|section| self.played_in(section))
            .collect();
        let by_name: &[String] = match &stage.format {
            Format::Gauntlet { anchors, .. } => anchors,
            Format::PartialRoundRobin { late, .. } => late,
            _ => &[],
        };
        let named: Vec<usize> = by_name.iter().filter_map(|name| self.number(name)).collect();
        let mut entrants = self.entrants.clone();
        if late.is_some() || matches!(stage.format, Format::PartialRoundRobin { .. }) {
            let lots = lots(&self.lots_of(), &self.names);
            entrants.sort_by_key(|&player| lots[player]);
        }
        let (out, fixed) = (self.outs_by_games(), self.fixed_for_pairing());
        let results = self.results_for_pairing();
        let course = StageState {
            seats: self.header.seats.len(),
            entrants: &entrants,
            sections: &sections,
            out: &out,
            named: &named,
            deals: stage.pairs,
            results: &results,
            fixed: fixed.as_deref(),
        };
        match late {
            Some(late) => formats::next_of_late(&stage.format, *late, &course),
            None => formats::next(&stage.format, &course),
        }
    }

    /// The text from which the order of the players is drawn where it must not depend on the order
    /// of the configuration.
    fn lots_of(&self) -> String {
        match self.header.order() {
            Order::Drawn(text) => text,
            Order::Listed => self.header.seed.unwrap_or_default().to_string(),
        }
    }

    /// The results of a section's meetings.
    pub(super) fn played_in(&self, section: usize) -> Vec<Meeting> {
        let is_out = |player: usize| self.was_out(player, section);
        let result = |players: Lineup| {
            let out = players.players().map(is_out).collect();
            Meeting { out, ..Meeting::of(players) }
        };
        let mut meetings: Vec<Meeting> = self.schedule.meetings(section).map(result).collect();
        for index in self.schedule.games(section) {
            let meeting = &mut meetings[self.schedule.meeting(section, index)];
            let seated = self.fixture(index).players.players();
            for (player, (_, halves)) in seated.zip(self.scores(index, is_out).iter()) {
                let at = meeting.players.players().position(|it| it == player);
                meeting.halves[at.expect("it plays in this meeting")] += halves;
            }
            meeting.faulted |=
                self.counts(index) && self.games[index].is_some_and(GameSummary::is_faulted);
        }
        meetings
    }

    /// Whether a player was out when a section ended.
    fn was_out(&self, player: usize, section: usize) -> bool {
        let end = self.schedule.games(section).end;
        self.out[player].is_some_and(|by| by < end)
    }

    /// The half points that the game at `index` adds for its players.
    ///
    /// If it is not played because one of them was taken out, the others win unless `is_out`: this
    /// must not be worse than sitting out.
    fn scores(&self, index: usize, is_out: impl Fn(usize) -> bool) -> BySeat<usize> {
        let players = self.fixture(index).players;
        match self.games[index] {
            _ if self.is_void(index) => {
                players.players().map(|player| 2 * usize::from(!is_out(player))).collect()
            }
            None => BySeat::default_for(players.seats().len()),
            Some(game) => game.halves(),
        }
    }

    /// The players that took part so far and were not taken out, in the order of the ranking.
    fn survivors(&self) -> Vec<usize> {
        let is_there =
            |player: &usize| self.out[*player].is_none() && !self.is_disqualified(*player);
        let there: Vec<usize> = self.entrants.iter().copied().filter(is_there).collect();
        let ranking = self.fixed_for_pairing().and_then(|fixed| {
            let results = self.results_for_pairing();
            let fit = fit(&results, &fixed).ok()?;
            Some(Ranking::of(fit, &results, &self.outs(), &self.names))
        });
        // Given ratings may be invalid. Then the order of the seeds stays.
        let Some(ranking) = ranking else { return there };
        ranking.order.into_iter().filter(|player| there.contains(player)).collect()
    }

    /// The results that determine later pairings.
    pub(super) fn results_for_pairing(&self) -> Results {
        let mut results = self.header.no_results(self.names.len());
        for (Fixture { players, pair, .. }, game) in self.counted() {
            game.add_to(&mut results, players, Some(pair));
        }
        results
    }

    /// The given ratings that affect later pairings; none if one of them names an unknown player.
    fn fixed_for_pairing(&self) -> Option<Vec<FixedRating>> {
        fixed_ratings(&self.header.anchors, &self.names).ok()
    }
}
