//! The state of a tournament: which games are done, who is out, and which games come next.
//!
//! Too many faults in a row, counted in the order of the schedule, quarantine a player. This is a
//! pure function of the log, regardless of the order in which games finished. The player's later
//! games are not played, and those already played do not count. The next games are a pure function
//! too: a section is added when all earlier sections are over, from their results alone.
//!
//! No game of a disqualified player counts. Sections that were drawn before do not know it, so that
//! the games of others stay the same; nor does a format whose pairings depend on no results.

mod budgets;
mod league_state;
mod parts;
mod sections;

use std::collections::HashMap;

use self::league_state::LeagueState;
use self::parts::Part;
use crate::schedule::Schedule;
use crate::schedule::progress_summary::ProgressSummary;
use referee_protocol::Usage;
use referee_record::log::GameLine;
use referee_record::model::fixture::{Fixture, Lineup};
use referee_record::model::game_summary::GameSummary;
use referee_record::model::player_spec::Out;
use referee_record::model::record::{Anchor, GameRecord, Header};
use referee_record::model::stage::{Format, same_luck_anchors};

/// The state of a tournament.
#[derive(Debug, Clone)]
pub struct TournamentState {
    /// The header of its log: players, stages and rules.
    header: Header,
    names: Vec<String>,
    parts: Vec<Part>,
    /// The current part.
    part: usize,
    /// The players in it, the best seed first.
    entrants: Vec<usize>,
    first_section: usize,
    /// The index of the first game of each part that has begun.
    begins: Vec<usize>,
    /// Whether there is time for further games.
    further: bool,
    schedule: Schedule,
    /// The games by index; none if a game is not done.
    games: Vec<Option<GameSummary>>,
    /// The final scores by seat of the games that have some, by index.
    final_scores: HashMap<usize, Box<[f64]>>,
    /// By player number, what the player used in all games that are done, also in those that do not
    /// count.
    spent: Vec<Usage>,
    played: usize,
    /// Every game before this index is done, or will not be played.
    frontier: usize,
    streak: Vec<u32>,
    /// By player number, the game that took the player out.
    out: Vec<Option<usize>>,
    /// By player number, the first game of its present version. Those of a version that failed the
    /// check are void.
    since: Vec<usize>,
    /// Whether a player was ever out, or is disqualified.
    any_out: bool,
    /// What only a league has.
    league: Option<LeagueState>,
}

/// The reason why a record cannot be added to a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It is not a game of this schedule.
    #[error("it is not from this tournament")]
    Foreign,
    /// The tournament already has this game.
    #[error("it is already in the log")]
    Double,
}

impl TournamentState {
    /// The tournament with this header, without games done.
    pub fn new(header: &Header) -> Self {
        let names: Vec<String> = header.players.iter().map(|player| player.name.clone()).collect();
        let players = names.len();
        let mut schedule = if header.is_league() {
            Schedule::of_league(players, header.seats.len())
        } else {
            Schedule::new(&names, header.seats.len(), &header.order())
        };
        // Those that are compared move into each other's place.
        if header.seats.len() > 2
            && let Some(anchors) = same_luck_anchors(&header.stages)
        {
            let of = |name: &String| names.iter().position(|it| it == name);
            schedule.rank_last(&anchors.iter().filter_map(of).collect::<Vec<_>>());
        }
        // The seeds of a knockout are those of the file.
        let seeded =
            header.stages.iter().any(|stage| matches!(stage.format, Format::Knockout { .. }));
        let (parts, late) = Part::from_header(header);
        let mut entrants =
            if seeded { (0..players).collect() } else { schedule.entrants().to_vec() };
        entrants.retain(|player| !late.contains(player));
        let mut state = Self {
            entrants,
            schedule,
            header: header.clone(),
            names,
            parts,
            part: 0,
            first_section: 0,
            begins: vec![0],
            further: false,
            games: Vec::new(),
            final_scores: HashMap::new(),
            spent: vec![Usage::default(); players],
            played: 0,
            frontier: 0,
            streak: vec![0; players],
            out: vec![None; players],
            since: vec![0; players],
            any_out: header.players.iter().any(|player| player.disqualified.is_some()),
            league: header.is_league().then(|| LeagueState::new(header)),
        };
        if !state.is_league() {
            state.select_part_entrants();
            state.advance();
        }
        state
    }

    /// The number of known games: those in sections that have begun.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether no games are known.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Allows further games when all others are done.
    pub fn allow_further(&mut self) {
        self.further = true;
    }

    /// The indices of the games that may be played; further games only if there is time.
    fn playable(&self) -> std::ops::Range<usize> {
        0..if self.further { self.len() } else { self.further_from() }
    }

    /// The index of the first further game, or the index that it would have.
    fn further_from(&self) -> usize {
        let at = self.parts.iter().position(|part| part.stage.format == Format::Further);
        at.and_then(|at| self.begins.get(at)).copied().unwrap_or(self.len())
    }

    /// The number of further games that are done.
    pub fn further_played(&self) -> usize {
        (self.further_from()..self.len()).filter(|&index| self.is_done(index)).count()
    }

    /// The progress of the tournament, in games.
    pub fn summary(&self) -> ProgressSummary {
        let counted = (0..self.len()).filter(|&index| self.is_counted(index)).count();
        let known = self.playable();
        let (mut never, mut annulled, mut corrected) = (0, 0, 0);
        for index in known.filter(|&index| self.is_void(index)) {
            let (is_annulled, is_former) = (self.is_annulled(index), self.is_former(index));
            match self.is_done(index) {
                true if is_annulled => annulled += 1,
                true if is_former => corrected += 1,
                false if is_annulled || !is_former => never += 1,
                _ => {}
            }
        }
        if self.is_league() {
            (never, corrected) = (0, 0);
        }
        let out_by = |out: Out| self.outs().into_iter().filter(|&by| by == Some(out)).count();
        ProgressSummary {
            played: self.played,
            counted,
            due: self.count_due(),
            is_estimate: self.estimate_unknown_games() > 0,
            is_endless: self.is_league(),
            never,
            annulled,
            corrected,
            unchecked: out_by(Out::Unchecked),
            quarantined: out_by(Out::Quarantined),
            disqualified: out_by(Out::Disqualified),
        }
    }

    /// The expected number of games in sections that are not known yet.
    fn estimate_unknown_games(&self) -> usize {
        let mut players = self.entrants.len();
        let mut expected = 0;
        for (at, part) in self.parts.iter().enumerate().skip(self.part) {
            players = part.stage.taking_part(players);
            let known = if at == self.part { self.known_of_part() } else { 0 };
            expected += part.estimate_games(players, self.header.seats.len()).saturating_sub(known);
        }
        expected
    }

    fn known_of_part(&self) -> usize {
        (self.first_section..self.schedule.sections())
            .map(|section| self.schedule.games(section).len())
            .sum()
    }

    /// The number of games that are done.
    pub fn played(&self) -> usize {
        self.played
    }

    /// The game at `index`.
    pub fn fixture(&self, index: usize) -> Fixture {
        self.schedule.fixture(index)
    }

    /// The indices of the games of the same deal as the game at `index`.
    pub fn deal(&self, index: usize) -> std::ops::Range<usize> {
        self.schedule.deal(index)
    }

    /// The name of a player.
    pub fn name(&self, player: usize) -> &str {
        &self.names[player]
    }

    /// The names of all players.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of a record's game, if it belongs to this schedule and the record has the right
    /// identity.
    fn find_record_index(&mut self, record: &GameRecord) -> Option<usize> {
        let names = record.players.values.values();
        let players =
            names.iter().map(|name| self.player_number(name)).collect::<Option<Lineup>>()?;
        let fixture = Fixture { players, pair: record.pair, game: record.game };
        self.claim_league_deal(fixture);
        let index = self.schedule.index(fixture)?;
        (self.id(index) == record.id).then_some(index)
    }

    /// The identity of the game at `index`.
    pub fn id(&self, index: usize) -> String {
        let Fixture { players, pair, game } = self.fixture(index);
        let names: Vec<&str> = players.players().map(|player| self.name(player)).collect();
        referee_record::seeds::derive_game_id(&names, pair, game)
    }

    /// Marks the game of a record as done.
    pub fn add(&mut self, record: &GameRecord) -> Result<usize, RecordError> {
        let index = self.find_record_index(record).ok_or(RecordError::Foreign)?;
        let summary = GameSummary::from_record(record).map_err(|_| RecordError::Foreign)?;
        let index = self.add_at(index, summary, record.final_scores())?;
        if let Some(usage) = record.usage.by_seat(&record.players.names) {
            self.charge_budgets(self.fixture(index), &usage);
        }
        Ok(index)
    }

    /// Marks the game of a line of the log as done.
    pub fn add_line(&mut self, game: &GameLine) -> Result<usize, RecordError> {
        let index = self.add_scored(game.fixture, game.summary, game.final_scores())?;
        if let Some(usage) = &game.usage {
            self.charge_budgets(game.fixture, usage);
        }
        Ok(index)
    }

    /// Marks a game without final scores as done whose players have these numbers.
    pub fn add_fixture(
        &mut self,
        game: Fixture,
        summary: GameSummary,
    ) -> Result<usize, RecordError> {
        self.add_scored(game, summary, None)
    }

    /// Marks a game as done whose players have these numbers, with its final scores by seat.
    pub fn add_scored(
        &mut self,
        game: Fixture,
        summary: GameSummary,
        scores: Option<Box<[f64]>>,
    ) -> Result<usize, RecordError> {
        self.claim_league_deal(game);
        self.add_at(self.schedule.index(game).ok_or(RecordError::Foreign)?, summary, scores)
    }

    fn add_at(
        &mut self,
        index: usize,
        summary: GameSummary,
        scores: Option<Box<[f64]>>,
    ) -> Result<usize, RecordError> {
        if self.is_done(index) {
            return Err(RecordError::Double);
        }
        self.games[index] = Some(summary);
        self.final_scores.extend(scores.map(|scores| (index, scores)));
        self.played += 1;
        if self.is_league() {
            self.learn_league_game(index, summary);
        } else {
            self.advance();
        }
        Ok(index)
    }

    /// The index of a game, if it belongs to this schedule.
    pub fn index(&self, game: Fixture) -> Option<usize> {
        self.schedule.index(game)
    }

    /// Whether the game at `index` is done.
    pub(crate) fn is_done(&self, index: usize) -> bool {
        self.games[index].is_some()
    }

    /// Whether the game at `index` comes after one of its players was taken out, or before one that
    /// failed the check was corrected, or one of them is disqualified.
    pub(crate) fn is_void(&self, index: usize) -> bool {
        // In most tournaments no player is out, and no fixture has to be computed.
        self.any_out && (self.is_lost(index) || self.is_annulled(index))
    }

    /// The same as far as the drawing of a section knows it.
    fn is_void_for(&self, section: usize, index: usize) -> bool {
        let is_barred = |player| self.is_barred_from(section, player);
        self.any_out
            && (self.is_lost(index) || self.fixture(index).players.players().any(is_barred))
    }

    /// Whether the game at `index` need not be played: the next section is drawn without it. If that
    /// was drawn before a player was disqualified, the game was played before, too.
    pub(crate) fn is_passed_over(&self, index: usize) -> bool {
        self.any_out && self.is_void_for(self.schedule.section(index) + 1, index)
    }

    /// Whether the game at `index` comes after one of its players was taken out, or before one was
    /// corrected.
    fn is_lost(&self, index: usize) -> bool {
        let is_out = |player: usize| self.out[player].is_some_and(|last| last < index);
        self.fixture(index).players.players().any(is_out) || self.is_former(index)
    }

    /// Whether one of the players of the game at `index` is disqualified.
    fn is_annulled(&self, index: usize) -> bool {
        self.fixture(index).players.players().any(|player| self.is_disqualified(player))
    }

    fn is_disqualified(&self, player: usize) -> bool {
        self.header.players[player].disqualified.is_some()
    }

    /// Whether a player is disqualified as far as the drawing of a section knows it.
    fn is_barred_from(&self, section: usize, player: usize) -> bool {
        let before = self.header.players[player].drawn_before;
        self.is_disqualified(player) && before.is_none_or(|before| section >= before as usize)
    }

    /// The last game that is done.
    fn last_done(&self) -> Option<usize> {
        (0..self.len()).rfind(|&index| self.is_done(index))
    }

    /// The number of sections up to the last one of which a game is done.
    pub(crate) fn begun_sections(&self) -> usize {
        self.last_done().map_or(0, |index| self.schedule.section(index) + 1)
    }

    /// The configured stages up to the last one of which a game is done.
    pub(crate) fn begun_stages(&self) -> usize {
        let Some(last) = self.last_done() else { return 0 };
        let begun = self.begins.iter().take_while(|&&begin| begin <= last).count();
        let stages = self.parts[..begun].iter().filter(|part| !part.is_added());
        stages.filter(|part| part.stage.format != Format::Further).count()
    }

    /// Whether one of the players of the game at `index` was corrected after it.
    fn is_former(&self, index: usize) -> bool {
        self.fixture(index).players.players().any(|player| index < self.since[player])
    }

    /// The first game at or after `from` that is still to be played.
    pub fn next_due(&self, from: usize) -> Option<usize> {
        if let Some(league) = &self.league {
            return league.open_games(from).next();
        }
        (from..self.playable().end)
            .find(|&index| !self.is_done(index) && !self.is_passed_over(index))
    }

    /// Whether a game is still to be played.
    pub(crate) fn is_due(&self, game: Fixture) -> bool {
        let index = self.schedule.index(game);
        index.is_some_and(|index| self.next_due(index) == Some(index))
    }

    /// The number of games still to be played, if this is known now.
    pub fn count_due(&self) -> usize {
        if let Some(league) = &self.league {
            return league.open_games(0).count();
        }
        let known = self.playable();
        if !self.any_out && known.end == self.len() {
            return self.estimate_unknown_games() + self.len() - self.played;
        }
        let is_due = |&index: &usize| !self.is_done(index) && !self.is_passed_over(index);
        self.estimate_unknown_games() + known.filter(is_due).count()
    }

    /// Whether the game at `index` belongs to a check.
    pub fn is_check(&self, index: usize) -> bool {
        self.part_of(index).is_some_and(|part| part.stage.format == Format::Check)
    }

    fn part_of(&self, index: usize) -> Option<&Part> {
        self.parts.get(self.begins.partition_point(|&begin| begin <= index) - 1)
    }

    /// The players that a game took out, each with that game.
    pub fn taken_out(&self) -> impl Iterator<Item = (usize, usize)> {
        self.out.iter().enumerate().filter_map(|(player, out)| out.map(|index| (player, index)))
    }

    /// By player number, the reason why a player is out; none if it is not.
    pub fn outs(&self) -> Vec<Option<Out>> {
        let by_games = self.outs_by_games().into_iter().enumerate();
        let barred = |player| self.is_disqualified(player).then_some(Out::Disqualified);
        by_games.map(|(player, out)| barred(player).or(out)).collect()
    }

    /// By player number, why a game took the player out; none if no game did.
    fn outs_by_games(&self) -> Vec<Option<Out>> {
        let all = self.out.iter().enumerate();
        all.map(|(player, out)| out.map(|index| self.why_out(player, index))).collect()
    }

    /// The reason why the game at `index` took a player out.
    pub fn why_out(&self, player: usize, index: usize) -> Out {
        let is_check = self.part_of(index).is_some_and(|part| part.is_check_for(player));
        if is_check { Out::Unchecked } else { Out::Quarantined }
    }

    /// The players whose ratings are given.
    pub(crate) fn given_ratings(&self) -> &[Anchor] {
        &self.header.anchors
    }

    /// Counts the finished games in order, and adds a section when all known games are over.
    fn advance(&mut self) {
        loop {
            while self.frontier < self.len() {
                match self.games[self.frontier] {
                    _ if self.is_passed_over(self.frontier) => {}
                    None => return,
                    Some(game) => self.count_faults(self.frontier, game),
                }
                self.frontier += 1;
            }
            if !self.add_next_section() {
                return;
            }
        }
    }

    fn count_faults(&mut self, index: usize, game: GameSummary) {
        let players = self.fixture(index).players;
        for seat in players.seats() {
            let player = players.at(seat);
            let is_checked = self.part_of(index).is_some_and(|part| part.is_check_for(player));
            let limit = if is_checked { 1 } else { self.header.quarantine };
            let faulted = game.faults.of(seat).is_some();
            self.streak[player] = if faulted { self.streak[player] + 1 } else { 0 };
            if limit > 0 && self.streak[player] >= limit {
                self.out[player] = Some(index);
                self.any_out = true;
            }
        }
    }

    /// The number of the player called `name`.
    pub fn player_number(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Whether the game at `index` is done and not void.
    fn is_counted(&self, index: usize) -> bool {
        self.is_done(index) && !self.is_void(index)
    }

    /// The games that count, in the order of the schedule.
    pub fn counted_games(&self) -> impl Iterator<Item = (Fixture, GameSummary)> {
        let games = (0..self.len()).filter(|&index| self.is_counted(index));
        games.filter_map(|index| Some((self.fixture(index), self.games[index]?)))
    }

    /// The final scores by seat of a game that is done, if it has some.
    pub(crate) fn final_scores(&self, game: Fixture) -> Option<&[f64]> {
        if self.final_scores.is_empty() {
            return None;
        }
        self.final_scores.get(&self.schedule.index(game)?).map(AsRef::as_ref)
    }

    /// Whether a game that is done has final scores.
    pub fn has_scores(&self) -> bool {
        !self.final_scores.is_empty()
    }
}

#[cfg(test)]
mod tests;
