//! The next section of a tournament, from the results of the earlier ones.

use super::TournamentState;
use super::parts::Part;
use crate::schedule::draw_schedule_lots;
use crate::schedule::formats::{
    FormatInput, FormatMeeting, FormatSection, next_format_section, next_late_format_section,
};
use referee_games::BySeat;
use referee_ratings::{DealTable, FixedRating, Ranking, Results, ScoreFit, ScoredGames, fit};
use referee_record::model::fixture::{Fixture, Lineup};
use referee_record::model::game_summary::GameSummary;
use referee_record::model::player_spec::Out;
use referee_record::model::record::fixed_anchor_ratings;
use referee_record::model::stage::{
    Format, Order, RankedBy, configured_stages, count_anchor_groups,
};

impl TournamentState {
    /// Adds the next section. Returns whether there was one.
    pub(super) fn add_next_section(&mut self) -> bool {
        let mut is_longer = false;
        while self.part < self.parts.len() {
            if let Some(next) = self.next_section() {
                self.push_section(next);
                is_longer = true;
            } else if !is_longer && let Some(part) = self.make_up_part() {
                self.parts.insert(self.part + 1, part);
            }
            // Listed meetings do not wait for the games before them, some of which may be played
            // again.
            let is_listed = |part: &Part| part.stage.format.is_listed();
            if is_longer && !self.parts.get(self.part + 1).is_some_and(is_listed) {
                return true;
            }
            self.part += 1;
            self.first_section = self.schedule.sections();
            self.begins.push(self.schedule.len());
            if self.part < self.parts.len() {
                self.select_part_entrants();
            }
        }
        false
    }

    fn push_section(&mut self, FormatSection { meetings, deals }: FormatSection) {
        match &self.parts[self.part].stage.format {
            Format::Gauntlet { anchors, same_luck: true } => {
                let turns = count_anchor_groups(anchors.len(), self.header.seats.len());
                self.schedule.push_section_in_turns(&meetings, deals, turns);
            }
            // A single stage may get more deals later.
            Format::Listed { .. } if configured_stages(&self.header.stages).len() == 1 => {
                self.schedule.push_section_apart(meetings, deals);
            }
            _ => self.schedule.push_section(meetings, deals),
        }
        self.games.resize(self.schedule.len(), None);
    }

    /// Keeps the best players, as many as the part takes. Further games are open to all again.
    pub(super) fn select_part_entrants(&mut self) {
        let Some(Part { stage, late }) = self.parts.get(self.part) else { return };
        if let Some(late) = *late {
            if stage.format == Format::Check {
                self.admit_late_player(late);
            }
            return;
        }
        if stage.format.is_listed() {
            return;
        }
        let most = stage.players.unwrap_or(usize::MAX);
        if stage.format == Format::Further {
            self.entrants = (0..self.names.len()).collect();
        } else if self.part > 0 {
            self.entrants = self.rank_remaining_for_section();
        }
        let is_anchor = |player: usize| match &stage.format {
            Format::Gauntlet { anchors, .. } => anchors.contains(&self.names[player]),
            _ => false,
        };
        // The best ones of a gauntlet come besides its anchors.
        let mut taken = 0;
        self.entrants.retain(|&player| {
            let is_other = !is_anchor(player);
            taken += usize::from(is_other);
            !is_other || taken <= most
        });
    }

    /// Admits a late player, or one that was taken out by its check and is corrected.
    fn admit_late_player(&mut self, player: usize) {
        self.entrants.retain(|&other| other != player);
        self.entrants.push(player);
        self.since[player] = self.schedule.len();
        self.out[player] = None;
        self.streak[player] = 0;
    }

    fn next_section(&self) -> Option<FormatSection> {
        let Part { stage, late } = &self.parts[self.part];
        if stage.format.has_one_section() && self.first_section < self.schedule.sections() {
            return None;
        }
        let sections: Vec<Vec<FormatMeeting>> = (self.first_section..self.schedule.sections())
            .map(|section| self.section_results(section))
            .collect();
        let by_name: &[Vec<String>] = match &stage.format {
            Format::Gauntlet { anchors: names, .. }
            | Format::PartialRoundRobin { late: names, .. } => std::slice::from_ref(names),
            Format::Listed { meetings, .. } => meetings,
            _ => &[],
        };
        let named = by_name
            .iter()
            .flatten()
            .filter_map(|name| self.player_number(name))
            .collect::<Vec<_>>();
        let mut entrants = self.entrants.clone();
        if late.is_some() || matches!(stage.format, Format::PartialRoundRobin { .. }) {
            let lots = draw_schedule_lots(&self.section_lots_text(), &self.names);
            entrants.sort_by_key(|&player| lots[player]);
        }
        let (out, fixed) = (self.outs_for_section(), self.given_ratings_for_section());
        let results = self.results_for_section();
        let course = FormatInput {
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
            Some(late) => next_late_format_section(&stage.format, *late, &course),
            None => next_format_section(&stage.format, &course),
        }
    }

    /// The text from which the order of the players is drawn where it must not depend on the order
    /// of the configuration.
    pub(super) fn section_lots_text(&self) -> String {
        match self.header.order() {
            Order::Drawn(text) => text,
            Order::Listed => self.header.seed.unwrap_or_default().to_string(),
        }
    }

    /// The results of a section's meetings.
    pub(super) fn section_results(&self, section: usize) -> Vec<FormatMeeting> {
        let is_out = |player: usize| self.was_out_after_section(player, section);
        let result = |players: Lineup| {
            let out = players.players().map(is_out).collect();
            FormatMeeting { out, ..FormatMeeting::without_games(players) }
        };
        let mut meetings: Vec<FormatMeeting> =
            self.schedule.meetings(section).map(result).collect();
        for index in self.schedule.games(section) {
            let meeting = &mut meetings[self.schedule.meeting(section, index)];
            let seated = self.fixture(index).players.players();
            for (player, (_, halves)) in seated.zip(self.section_game_scores(index, is_out).iter())
            {
                let at = meeting.players.players().position(|it| it == player);
                meeting.halves[at.expect("it plays in this meeting")] += halves;
            }
            // Nobody passed a check by a game that is not played because a player is disqualified.
            let is_lost = self.any_out && self.is_lost(index);
            meeting.faulted |= match self.games[index] {
                Some(game) => !is_lost && game.is_faulted(),
                None => !is_lost && self.is_passed_over(index),
            };
        }
        meetings
    }

    /// Whether a player was out when a section ended.
    fn was_out_after_section(&self, player: usize, section: usize) -> bool {
        let end = self.schedule.games(section).end;
        self.out[player].is_some_and(|by| by < end) || self.is_out_for_section(section + 1, player)
    }

    /// The half points that the game at `index` adds for its players.
    ///
    /// If it is not played because one of them was taken out, the others win unless `is_out`: this
    /// must not be worse than sitting out.
    fn section_game_scores(&self, index: usize, is_out: impl Fn(usize) -> bool) -> BySeat<usize> {
        let players = self.fixture(index).players;
        match self.games[index] {
            _ if self.is_passed_over(index) => {
                players.players().map(|player| 2 * usize::from(!is_out(player))).collect()
            }
            None => BySeat::default_for(players.seats().len()),
            Some(game) => game.halves(),
        }
    }

    /// The players that take part and were not taken out, as far as the section that is drawn now
    /// knows.
    pub(super) fn remaining_for_section(&self) -> Vec<usize> {
        let section = self.schedule.sections();
        let is_there =
            |player: &usize| self.out[*player].is_none() && !self.is_barred_from(section, *player);
        self.entrants.iter().copied().filter(is_there).collect()
    }

    /// Those of them that stay for the next stage, in the order of the ranking.
    fn rank_remaining_for_section(&self) -> Vec<usize> {
        let there = self.remaining_for_section();
        let ranking = self.given_ratings_for_section().and_then(|fixed| {
            let results = self.results_for_section();
            let fit = fit(&results, &fixed).ok()?;
            let points = self.points_for_section();
            Some(Ranking::from_fit_and_points(
                fit,
                points,
                &results,
                &self.outs_for_section(),
                &self.names,
            ))
        });
        // Given ratings may be invalid. Then the order of the seeds stays.
        let Some(ranking) = ranking else { return there };
        ranking.order.into_iter().filter(|player| there.contains(player)).collect()
    }

    /// The results that determine later pairings.
    pub(super) fn results_for_section(&self) -> Results {
        let mut results = self.header.empty_results(self.names.len());
        for (Fixture { players, pair, .. }, game) in self.games_for_section() {
            game.add_to(&mut results, players, Some(pair));
        }
        results
    }

    /// The games that count as far as the section that is drawn now knows.
    fn games_for_section(&self) -> impl Iterator<Item = (Fixture, GameSummary)> {
        let section = self.schedule.sections();
        let games = (0..self.len()).filter(move |&index| !self.is_void_for(section, index));
        games.filter_map(|index| Some((self.fixture(index), self.games[index]?)))
    }

    /// The strengths in points, if these put the players in order.
    fn points_for_section(&self) -> Option<ScoreFit> {
        let DealTable { seats, seating, .. } = self.header.table();
        let mut games = ScoredGames::new(self.names.len(), seats, seating);
        (self.header.rank == RankedBy::Scores).then(|| {
            for (fixture, game) in self.games_for_section() {
                let scores = self.final_scores(fixture);
                game.add_scores_to(&mut games, fixture.players, Some(fixture.pair), scores);
            }
            games.fit()
        })
    }

    /// Whether the drawing of a section of this part knows that a player is disqualified, and leaves
    /// it out. Where all meetings are known from the start, they stay as they are.
    fn is_out_for_section(&self, section: usize, player: usize) -> bool {
        let part = self.parts.get(self.part);
        let is_drawn = part.is_some_and(|part| !part.stage.format.has_one_section());
        let is_known = self.header.players[player].drawn_before.is_some() || is_drawn;
        is_known && self.is_barred_from(section, player)
    }

    /// By player number, why a player is out as far as the section that is drawn now knows.
    fn outs_for_section(&self) -> Vec<Option<Out>> {
        let all = self.outs_by_games().into_iter().enumerate();
        let section = self.schedule.sections();
        let barred = |player| self.is_out_for_section(section, player).then_some(Out::Disqualified);
        all.map(|(player, out)| out.or(barred(player))).collect()
    }

    /// The given ratings that affect later pairings; none if one of them names an unknown player.
    fn given_ratings_for_section(&self) -> Option<Vec<FixedRating>> {
        fixed_anchor_ratings(&self.header.anchors, &self.names).ok()
    }
}
