//! The state of a tournament: which games are done, who is out, and which games come next.
//!
//! Too many faults in a row, counted in the order of the schedule, quarantine a player. This is a
//! pure function of the log, whatever the order in which games finished. The player's later games
//! are not played, and those already played do not count. The next games are a pure function too: a
//! section is added when all earlier sections are over, from their results alone.

use crate::model::game_summary::GameSummary;
use crate::model::player::Out;
use crate::model::record::{Anchor, GameRecord, Header, fixed_ratings};
use crate::model::stage::Order;
use crate::model::stage::{Format, PairingRules, Stage};
use crate::schedule::formats::{Meeting, Next, StageState};
use crate::schedule::summary::Summary;
use crate::schedule::{Fixture, Schedule};
use referee_games::{BySeat, Seat};
use referee_ratings::{FixedRating, GameOutcome, PlayedGame, Ranking, Results};

/// The settings that determine the course of a tournament, besides its games.
#[derive(Debug, Clone)]
pub struct TournamentSetup {
    /// The names of the players.
    pub names: Vec<String>,
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// The number of faults in a row that quarantines a player; 0 for never.
    pub quarantine: u32,
    /// The players whose ratings are given.
    pub ratings: Vec<Anchor>,
    /// How later pairings follow from earlier results.
    pub rules: PairingRules,
    /// The order in which the players enter the schedule.
    pub order: Order,
}

impl TournamentSetup {
    /// Settings with these players and stages only: nobody is quarantined, and no rating is given.
    pub fn new(names: Vec<String>, stages: Vec<Stage>) -> Self {
        let (ratings, order) = (Vec::new(), Order::Listed);
        Self { names, stages, quarantine: 0, ratings, rules: PairingRules::Second, order }
    }
}

impl From<&Header> for TournamentSetup {
    fn from(header: &Header) -> Self {
        Self {
            names: header.players.iter().map(|player| player.name.clone()).collect(),
            stages: header.stages.clone(),
            quarantine: header.quarantine,
            ratings: header.anchors.clone(),
            rules: header.pairing_rules,
            order: header.order(),
        }
    }
}

/// The state of a tournament.
#[derive(Debug, Clone)]
pub struct TournamentState {
    setup: TournamentSetup,
    /// The current stage.
    stage: usize,
    /// The players in it, the best seed first.
    entrants: Vec<usize>,
    /// Its first section.
    first_section: usize,
    /// The index of the first game of each stage that has begun.
    begins: Vec<usize>,
    /// Whether there is time for further games.
    further: bool,
    schedule: Schedule,
    /// The games by index; none if a game is not done.
    games: Vec<Option<GameSummary>>,
    played: usize,
    /// Every game before this index is done, or will not be played.
    frontier: usize,
    streak: Vec<u32>,
    /// By player number, the game that took the player out.
    out: Vec<Option<usize>>,
}

/// Why a record cannot be added to a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordError {
    /// It is not a game of this schedule.
    Foreign,
    /// The tournament already has this game.
    Double,
}

impl TournamentState {
    /// A tournament without games done.
    pub fn new(setup: TournamentSetup) -> Self {
        let players = setup.names.len();
        let schedule = Schedule::new(&setup.names, &setup.order);
        // The seeds of a knockout are those of the file.
        let seeded =
            setup.stages.iter().any(|stage| matches!(stage.format, Format::Knockout { .. }));
        let mut state = Self {
            entrants: if seeded { (0..players).collect() } else { schedule.entrants().to_vec() },
            schedule,
            setup,
            stage: 0,
            first_section: 0,
            begins: vec![0],
            further: false,
            games: Vec::new(),
            played: 0,
            frontier: 0,
            streak: vec![0; players],
            out: vec![None; players],
        };
        state.take_part();
        state.advance();
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
        let at = self.setup.stages.iter().position(|stage| stage.format == Format::Further);
        at.and_then(|at| self.begins.get(at)).copied().unwrap_or(self.len())
    }

    /// The number of further games that are done.
    pub fn further_played(&self) -> usize {
        (self.further_from()..self.len()).filter(|&index| self.is_done(index)).count()
    }

    /// The progress of the tournament, in games.
    pub fn summary(&self) -> Summary {
        let counted = (0..self.len()).filter(|&index| self.counts(index)).count();
        let known = self.playable();
        let never = known.filter(|&index| !self.is_done(index) && self.is_void(index)).count();
        let out_by = |out: Out| self.outs().into_iter().filter(|&by| by == Some(out)).count();
        Summary {
            played: self.played,
            counted,
            due: self.due(),
            is_estimate: self.unknown() > 0,
            never,
            unchecked: out_by(Out::Unchecked),
            quarantined: out_by(Out::Quarantined),
        }
    }

    /// The expected number of games in sections that are not known yet.
    fn unknown(&self) -> usize {
        let mut players = self.entrants.len();
        let mut expected = 0;
        for (at, stage) in self.setup.stages.iter().enumerate().skip(self.stage) {
            players = stage.players.map_or(players, |most| most.min(players));
            let known = if at == self.stage { self.known_of_stage() } else { 0 };
            expected += stage.format.games(players, stage.pairs).saturating_sub(known);
        }
        expected
    }

    fn known_of_stage(&self) -> usize {
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

    /// The name of a player.
    pub fn name(&self, player: usize) -> &str {
        &self.setup.names[player]
    }

    /// The names of all players.
    pub fn names(&self) -> &[String] {
        &self.setup.names
    }

    /// The index of a record's game, if it belongs to this schedule and the record has the right
    /// identity.
    pub fn place(&self, record: &GameRecord) -> Option<usize> {
        let number = |seat| self.number(&record.players[seat]);
        let players = BySeat::new(number(Seat::First)?, number(Seat::Second)?);
        let fixture = Fixture { players, pair: record.pair, game: record.game };
        let index = self.schedule.index(fixture)?;
        (self.id(index) == record.id).then_some(index)
    }

    /// The identity of the game at `index`.
    pub fn id(&self, index: usize) -> String {
        let Fixture { players, pair, game } = self.fixture(index);
        crate::seeds::game_id(self.name(players.first), self.name(players.second), pair, game)
    }

    /// Marks the game of a record as done.
    pub fn add(&mut self, record: &GameRecord) -> Result<usize, RecordError> {
        let index = self.place(record).ok_or(RecordError::Foreign)?;
        self.add_at(index, GameSummary::of(record).map_err(|_| RecordError::Foreign)?)
    }

    /// Marks a game as done whose players have these numbers.
    pub fn add_fixture(
        &mut self,
        game: Fixture,
        summary: GameSummary,
    ) -> Result<usize, RecordError> {
        self.add_at(self.schedule.index(game).ok_or(RecordError::Foreign)?, summary)
    }

    fn add_at(&mut self, index: usize, summary: GameSummary) -> Result<usize, RecordError> {
        if self.is_done(index) {
            return Err(RecordError::Double);
        }
        self.games[index] = Some(summary);
        self.played += 1;
        self.advance();
        Ok(index)
    }

    /// The index of a game, if it belongs to this schedule.
    pub fn index(&self, game: Fixture) -> Option<usize> {
        self.schedule.index(game)
    }

    /// Whether the game at `index` is done.
    pub fn is_done(&self, index: usize) -> bool {
        self.games[index].is_some()
    }

    /// Whether the game at `index` comes after one of its players was taken out.
    pub fn is_void(&self, index: usize) -> bool {
        let players = self.fixture(index).players;
        Seat::BOTH.into_iter().any(|seat| self.out[players[seat]].is_some_and(|last| last < index))
    }

    /// The first game at or after `from` that is still to be played.
    pub fn next_due(&self, from: usize) -> Option<usize> {
        (from..self.playable().end).find(|&index| !self.is_done(index) && !self.is_void(index))
    }

    /// The number of games still to be played, as far as is known now.
    pub fn due(&self) -> usize {
        let known = self.playable();
        if self.out.iter().all(Option::is_none) && known.end == self.len() {
            return self.unknown() + self.len() - self.played;
        }
        let is_due = |&index: &usize| !self.is_done(index) && !self.is_void(index);
        self.unknown() + known.filter(is_due).count()
    }

    /// Whether the game at `index` belongs to a check.
    pub fn is_check(&self, index: usize) -> bool {
        let stage = self.begins.partition_point(|&begin| begin <= index) - 1;
        self.setup.stages.get(stage).is_some_and(|stage| stage.format == Format::Check)
    }

    /// The players that are out, each with the game that took it out.
    pub fn quarantined(&self) -> impl Iterator<Item = (usize, usize)> {
        self.out.iter().enumerate().filter_map(|(player, out)| out.map(|index| (player, index)))
    }

    /// By player number, the reason why a player was taken out; none if it was not.
    pub fn outs(&self) -> Vec<Option<Out>> {
        self.out.iter().map(|out| out.map(|index| self.why_out(index))).collect()
    }

    /// Why the game at `index` took a player out.
    pub fn why_out(&self, index: usize) -> Out {
        if self.is_check(index) { Out::Unchecked } else { Out::Quarantined }
    }

    /// The players whose ratings are given.
    pub fn ratings(&self) -> &[Anchor] {
        &self.setup.ratings
    }

    /// Counts the finished games in order, and adds a section when all known games are over.
    fn advance(&mut self) {
        loop {
            while self.frontier < self.len() {
                let void = self.is_void(self.frontier);
                match self.games[self.frontier] {
                    _ if void => {}
                    None => return,
                    Some(game) => self.count(self.frontier, game),
                }
                self.frontier += 1;
            }
            if !self.extend() {
                return;
            }
        }
    }

    fn count(&mut self, index: usize, game: GameSummary) {
        let players = self.fixture(index).players;
        let limit = if self.is_check(index) { 1 } else { self.setup.quarantine };
        for seat in Seat::BOTH {
            let player = players[seat];
            let faulted = game.faults[seat].is_some();
            self.streak[player] = if faulted { self.streak[player] + 1 } else { 0 };
            if limit > 0 && self.streak[player] >= limit {
                self.out[player] = Some(index);
            }
        }
    }

    /// Adds the next section. Returns whether there was one.
    fn extend(&mut self) -> bool {
        while self.stage < self.setup.stages.len() {
            if let Some(Next { pairings, pairs }) = self.next_section() {
                self.schedule.push(pairings, pairs);
                self.games.resize(self.schedule.len(), None);
                return true;
            }
            self.stage += 1;
            self.first_section = self.schedule.sections();
            self.begins.push(self.schedule.len());
            self.entrants = self.survivors();
            self.take_part();
        }
        false
    }

    /// Keeps the best players, as many as the stage takes. Further games are open to all again.
    fn take_part(&mut self) {
        let Some(stage) = self.setup.stages.get(self.stage) else { return };
        if stage.format == Format::Further {
            self.entrants = (0..self.setup.names.len()).collect();
        }
        if let Some(most) = stage.players {
            self.entrants.truncate(most);
        }
    }

    fn next_section(&self) -> Option<Next> {
        let stage = &self.setup.stages[self.stage];
        let sections: Vec<Vec<Meeting>> = (self.first_section..self.schedule.sections())
            .map(|section| self.meetings(section))
            .collect();
        let anchors: Vec<usize> = match &stage.format {
            Format::Gauntlet { anchors } => {
                anchors.iter().filter_map(|name| self.number(name)).collect()
            }
            _ => Vec::new(),
        };
        stage.format.next(&StageState {
            entrants: &self.entrants,
            sections: &sections,
            out: &self.outs(),
            anchors: &anchors,
            pairs: stage.pairs,
            results: &self.results_for_pairing(),
            fixed: self.fixed_for_pairing().as_deref(),
            rules: self.setup.rules,
        })
    }

    /// The number of the player called `name`.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.setup.names.iter().position(|known| known == name)
    }

    /// The results of a section's meetings.
    fn meetings(&self, section: usize) -> Vec<Meeting> {
        let pairings = self.schedule.pairings(section);
        let mut meetings: Vec<Meeting> = (0..pairings.len())
            .map(|place| Meeting { players: pairings.get(place), halves: (0, 0), faulted: false })
            .collect();
        let games = self.schedule.games(section);
        for index in games.clone() {
            let meeting = &mut meetings[(index - games.start) / 2 % pairings.len()];
            let BySeat { first, second } = self.scores(index);
            let is_low = self.fixture(index).players.first == meeting.players.0;
            let (low, high) = if is_low { (first, second) } else { (second, first) };
            meeting.halves.0 += low;
            meeting.halves.1 += high;
            meeting.faulted |=
                self.counts(index) && self.games[index].is_some_and(GameSummary::is_faulted);
        }
        meetings
    }

    /// The half points that the game at `index` adds for the two players.
    ///
    /// If it is not played because one of them was taken out, the other one wins: this must not be
    /// worse than sitting out.
    fn scores(&self, index: usize) -> BySeat<usize> {
        let is_old = self.setup.rules < PairingRules::Second;
        match self.games[index] {
            _ if self.is_void(index) => {
                let players = self.fixture(index).players;
                let is_there = |seat: Seat| !is_old && self.out[players[seat]].is_none();
                BySeat::from_fn(|seat| 2 * usize::from(is_there(seat)))
            }
            None => BySeat::new(0, 0),
            Some(GameSummary { outcome: None, .. }) if is_old => BySeat::new(1, 1),
            Some(game) => game.halves(),
        }
    }

    /// Whether the game at `index` is done and not void.
    fn counts(&self, index: usize) -> bool {
        self.is_done(index) && !self.is_void(index)
    }

    /// The players that took part so far and were not taken out, in the order of the ranking.
    fn survivors(&self) -> Vec<usize> {
        let is_there = |player: &usize| self.out[*player].is_none();
        let mut there: Vec<usize> = self.entrants.iter().copied().filter(is_there).collect();
        let ranking = self.fixed_for_pairing().and_then(|fixed| {
            let results = self.results_for_pairing();
            Ranking::new(&results, &fixed, &self.outs(), &self.setup.names).ok()
        });
        // Given ratings may be invalid. Then the order of the seeds stays.
        let Some(ranking) = ranking else { return there };
        if self.setup.rules < PairingRules::Second {
            let rating = |player: usize| ranking.fit.ratings[player].value;
            there.sort_by(|&one, &other| rating(other).total_cmp(&rating(one)));
            return there;
        }
        ranking.order.into_iter().filter(|player| there.contains(player)).collect()
    }

    /// The games that count, in the order of the schedule.
    pub fn counted(&self) -> impl Iterator<Item = (Fixture, GameSummary)> {
        let games = (0..self.len()).filter(|&index| self.counts(index));
        games.filter_map(|index| Some((self.fixture(index), self.games[index]?)))
    }

    /// The results that determine later pairings.
    fn results_for_pairing(&self) -> Results {
        let mut results = Results::new(self.setup.names.len());
        for (Fixture { players, pair, .. }, game) in self.counted() {
            let played = game.between(players, pair);
            if self.setup.rules >= PairingRules::Second {
                results.add(played);
                continue;
            }
            // The first rules ignored copies and faults, and a double fault was a draw.
            let outcome = game.outcome.unwrap_or(GameOutcome::Draw);
            results.add(PlayedGame::by_rules(played.first, played.second, pair, outcome));
        }
        results
    }

    /// The given ratings that affect later pairings; none if one of them names an unknown player.
    /// The first rules had no given ratings.
    fn fixed_for_pairing(&self) -> Option<Vec<FixedRating>> {
        if self.setup.rules < PairingRules::Second {
            return Some(Vec::new());
        }
        fixed_ratings(&self.setup.ratings, &self.setup.names).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::fault::FaultCode;
    use crate::model::record::examples::{faulty, game};
    use referee_games::SeatMap;
    use referee_protocol::Score;

    const NAMES: [&str; 4] = ["bee", "ant", "dog", "cat"];

    fn state(pairs: u32, limit: u32) -> TournamentState {
        ledger_of(NAMES.map(str::to_owned).to_vec(), &[Stage::round_robin(pairs)], limit)
    }

    fn ledger_of(names: Vec<String>, stages: &[Stage], quarantine: u32) -> TournamentState {
        TournamentState::new(TournamentSetup {
            quarantine,
            ..TournamentSetup::new(names, stages.to_vec())
        })
    }

    /// The record of the game at `index`, with faults where `faults` says so.
    fn record(state: &TournamentState, index: usize, faults: BySeat<bool>) -> GameRecord {
        let Fixture { players, pair, game: number } = state.fixture(index);
        let plain = game(state.name(players.first), state.name(players.second), "white");
        let codes = [(Seat::First, "white"), (Seat::Second, "black")];
        let made: Vec<_> = codes
            .into_iter()
            .filter(|&(seat, _)| faults[seat])
            .map(|(_, name)| (name, FaultCode::Crash))
            .collect();
        let plain = GameRecord { id: state.id(index), pair, game: number, ..plain };
        if made.is_empty() { plain } else { faulty(plain, &made) }
    }

    fn with_result(record: GameRecord, result: &str) -> GameRecord {
        let scores = match result {
            "white" => [1.0, 0.0],
            "black" => [0.0, 1.0],
            _ => [0.5, 0.5],
        };
        let scores = BySeat::new(Score(scores[0]), Score(scores[1]));
        let scores = SeatMap::new(BySeat::new("white", "black"), scores);
        GameRecord { result: result.to_owned(), scores, ..record }
    }

    /// The players that are out, by which game, and the games that count.
    fn shown(state: &TournamentState) -> (Vec<(usize, usize)>, Vec<bool>) {
        let counts = |index| state.is_done(index) && !state.is_void(index);
        (state.quarantined().collect(), (0..state.len()).map(counts).collect())
    }

    /// Faults by game, and an order in which the games finish.
    fn course() -> impl Strategy<Value = (u32, u32, Vec<(bool, bool)>, Vec<usize>)> {
        (1_u32..4, 0_u32..4).prop_flat_map(|(pairs, limit)| {
            let games = state(pairs, limit).len();
            let faults = prop::collection::vec((any::<bool>(), any::<bool>()), games);
            let order = Just((0..games).collect::<Vec<_>>()).prop_shuffle();
            (Just(pairs), Just(limit), faults, order)
        })
    }

    proptest! {
        #[test]
        fn the_order_of_finishing_decides_nothing((pairs, limit, faults, order) in course()) {
            let of = |state: &TournamentState, index: usize| {
                record(state, index, BySeat::new(faults[index].0, faults[index].1))
            };
            // In the order of the schedule nothing is played that does not count.
            let mut one_by_one = state(pairs, limit);
            let mut from = 0;
            while let Some(index) = one_by_one.next_due(from) {
                prop_assert_eq!(one_by_one.add(&of(&one_by_one, index)), Ok(index));
                from = index + 1;
            }
            prop_assert_eq!(one_by_one.due(), 0);

            // All games, and only those still due when their turn comes.
            let (mut all, mut due) = (state(pairs, limit), state(pairs, limit));
            for &index in &order {
                prop_assert_eq!(all.add(&of(&all, index)), Ok(index));
                if !due.is_void(index) {
                    prop_assert_eq!(due.add(&of(&due, index)), Ok(index));
                }
            }
            prop_assert_eq!(all.played(), all.len());
            prop_assert_eq!(due.next_due(0), None);
            prop_assert_eq!(shown(&all), shown(&one_by_one));
            prop_assert_eq!(shown(&due), shown(&one_by_one));
            if limit == 0 {
                prop_assert_eq!(all.quarantined().count(), 0);
            }
        }
    }

    #[test]
    fn a_clean_game_ends_a_streak() {
        let (pairs, bad) = (6, 0);
        let mut state = state(pairs, 3);
        let games: Vec<usize> =
            (0..state.len()).filter(|&at| state.fixture(at).seat_of(bad).is_some()).collect();
        let faults = [true, true, false, true, true, true];
        for (&index, &fault) in games.iter().zip(&faults) {
            let by = BySeat::from_fn(|seat| state.fixture(index).players[seat] == bad && fault);
            state.add(&record(&state, index, by)).expect("it belongs");
        }
        for index in 0..state.len() {
            if !state.is_done(index) && !state.is_void(index) {
                let clean = record(&state, index, BySeat::new(false, false));
                state.add(&clean).expect("it belongs");
            }
        }
        assert_eq!(state.quarantined().collect::<Vec<_>>(), [(bad, games[5])]);
    }

    #[test]
    fn what_does_not_belong_is_told_apart() {
        let mut state = state(1, 5);
        let one = record(&state, 0, BySeat::new(false, false));
        assert_eq!(state.add(&one), Ok(0));
        assert_eq!(state.add(&one), Err(RecordError::Double));
        for foreign in [
            GameRecord { id: "3f9a1c07be52-1".into(), ..one.clone() },
            GameRecord { pair: 2, ..one.clone() },
            GameRecord { game: 3, ..one.clone() },
            game("ant", "stranger", "white"),
        ] {
            assert_eq!(state.add(&foreign), Err(RecordError::Foreign));
        }
        assert_eq!((state.played(), state.due()), (1, state.len() - 1));
    }

    fn of(stages: &[Stage], players: usize, limit: u32) -> TournamentState {
        let names = (0..players).map(|player| format!("player {player}")).collect();
        ledger_of(names, stages, limit)
    }

    #[test]
    fn further_games_are_due_only_where_there_is_time() {
        let stages = [Stage::round_robin(1), Stage::further()];
        let result = |state: &TournamentState, index: usize| {
            let plain = record(state, index, BySeat::new(false, false));
            let plain = GameRecord { actions: vec![state.id(index)], ..plain };
            with_result(
                plain,
                if state.fixture(index).players.first == 0 { "white" } else { "draw" },
            )
        };
        let (mut state, mut log) = (of(&stages, 4, 0), Vec::new());
        while let Some(index) = state.next_due(0) {
            log.push(result(&state, index));
            state.add(&log[log.len() - 1]).expect("it belongs");
        }
        assert_eq!((state.summary().total(), state.due()), (12, 0));
        assert_eq!(state.further_played(), 0);
        state.allow_further();
        let mut rounds = Vec::new();
        for _ in 0..50 {
            rounds.push(state.due());
            let index = state.next_due(0).expect("there are always more");
            log.push(result(&state, index));
            state.add(&log[log.len() - 1]).expect("it belongs");
        }
        assert_eq!(rounds[0], 4, "one pair each, to see whether they play different games");
        assert!(rounds.iter().any(|&due| due >= 32), "{rounds:?}");
        // Read again without time for more, nothing is due; with time, the rest of the round is.
        let mut again = of(&stages, 4, 0);
        for game in &log {
            again.add(game).expect("it belongs");
        }
        assert_eq!((again.summary().total(), again.due()), (62, 0));
        assert_eq!((again.next_due(0), again.further_played()), (None, 50));
        again.allow_further();
        assert_eq!((again.next_due(0), again.due()), (state.next_due(0), state.due()));
    }

    #[test]
    fn nobody_is_paired_to_repeat_games() {
        // Player 3 alone plays a new game every time.
        let result = |state: &TournamentState, index: usize| {
            let players = state.fixture(index).players;
            let varies = players.first == 3 || players.second == 3;
            let action = if varies { state.id(index) } else { "e4".to_owned() };
            let plain = record(state, index, BySeat::new(false, false));
            with_result(GameRecord { actions: vec![action], ..plain }, "draw")
        };
        let ladder = Format::Ladder { games: 400, margin: None };
        let ladder = Stage { format: ladder, pairs: 1, players: None };
        for stages in [[Stage::round_robin(1), Stage::further()], [Stage::round_robin(1), ladder]] {
            let mut state = of(&stages, 4, 0);
            state.allow_further();
            for _ in 0..200 {
                let index = state.next_due(0).expect("player 3 brings new games");
                state.add(&result(&state, index)).expect("it belongs");
            }
            let copies: u32 = state.results_for_pairing().copies().values().sum();
            assert!(copies <= 20, "{copies} copies of 200 games");
        }
        // If nobody plays a new game, it is over.
        let mut state = of(&[Stage::round_robin(1), Stage::further()], 3, 0);
        state.allow_further();
        while let Some(index) = state.next_due(0) {
            state.add(&result(&state, index)).expect("it belongs");
        }
        assert_eq!(state.played(), 3 * 2 + 3 * 4);
    }

    #[test]
    fn who_meets_a_player_that_is_taken_out_loses_nothing_by_it() {
        let swiss = Stage { format: Format::Swiss { rounds: 2 }, pairs: 2, players: None };
        let mut state = of(&[swiss], 5, 1);
        // Player 0 fails in its first game; player 4 sits out.
        for index in 0..state.len() {
            let bad = BySeat::from_fn(|seat| state.fixture(index).players[seat] == 0);
            if !state.is_void(index) {
                let plain = record(&state, index, bad);
                let result = match (bad.first, bad.second) {
                    (true, _) => "black",
                    (_, true) => "white",
                    _ => "draw",
                };
                state.add(&with_result(plain, result)).expect("it belongs");
            }
        }
        assert_eq!(state.outs()[0], Some(Out::Quarantined));
        let scores: Vec<_> = state
            .meetings(0)
            .into_iter()
            .map(|meeting| (meeting.players, meeting.halves))
            .collect();
        assert_eq!(scores, [((0, 2), (0, 8)), ((1, 3), (4, 4))], "as much as who sits out");
        // Under the first rules it was one game won of four.
        state.setup.rules = PairingRules::First;
        assert_eq!(state.meetings(0)[0].halves, (0, 2));
    }

    fn stages() -> impl Strategy<Value = Vec<Stage>> {
        let format = prop_oneof![
            Just(Format::Check),
            Just(Format::RoundRobin),
            Just(Format::Gauntlet { anchors: vec!["player 0".into(), "player 3".into()] }),
            (1_u32..4).prop_map(|rounds| Format::Swiss { rounds }),
            (0_u32..3).prop_map(|tie_breaks| Format::Knockout { tie_breaks }),
            (2_u32..60).prop_map(|games| Format::Ladder { games, margin: Some(100) }),
        ];
        let stage = (format, 1_u32..3, prop::option::of(2_usize..6))
            .prop_map(|(format, pairs, players)| Stage { format, pairs, players });
        prop::collection::vec(stage, 1..4)
    }

    proptest! {
        #[test]
        fn whatever_is_finished_first_the_same_games_are_due(
            stages in stages(),
            players in 4_usize..8,
            limit in 0_u32..3,
            results in prop::collection::vec((0_u8..3, any::<bool>()), 64),
            turns in prop::collection::vec(0_usize..4, 64),
        ) {
            // The half points of a game depend on the game alone.
            let of_game = |state: &TournamentState, index: usize| {
                let id = state.id(index);
                let sum: usize = id.bytes().map(usize::from).sum();
                let (result, fault) = results[sum % results.len()];
                let result = ["white", "black", "draw"][usize::from(result)];
                let faults = BySeat::new(fault, false);
                let plain = record(state, index, faults);
                if fault { plain } else { with_result(plain, result) }
            };
            let mut one_by_one = of(&stages, players, limit);
            while let Some(index) = one_by_one.next_due(0) {
                prop_assert!(one_by_one.due() > 0);
                let game = of_game(&one_by_one, index);
                prop_assert_eq!(one_by_one.add(&game), Ok(index));
            }
            prop_assert_eq!(one_by_one.due(), 0);
            let Summary { played, due, never, .. } = one_by_one.summary();
            prop_assert_eq!(played + due + never, one_by_one.len());

            // Up to four games at once, finished in another order.
            let mut parallel = of(&stages, players, limit);
            let mut log = Vec::new();
            let mut turns = turns.into_iter().cycle();
            loop {
                let mut running: Vec<usize> = Vec::new();
                while let Some(index) = parallel.next_due(running.last().map_or(0, |last| last + 1))
                    && running.len() < 4
                {
                    running.push(index);
                }
                if running.is_empty() {
                    break;
                }
                let index = running[turns.next().expect("a cycle") % running.len()];
                let game = of_game(&parallel, index);
                parallel.add(&game).expect("it belongs");
                log.push(game);
            }
            prop_assert_eq!(shown(&parallel), shown(&one_by_one));

            // The log read again.
            let mut again = of(&stages, players, limit);
            for game in &log {
                again.add(game).expect("it belongs");
            }
            prop_assert_eq!(shown(&again), shown(&one_by_one));
            prop_assert_eq!(again.due(), 0);
        }
    }
}
