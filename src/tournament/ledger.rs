//! Which games are done, who is out, and which games come next.
//!
//! A player is quarantined after so many faults in a row, counted in the order of the schedule:
//! a pure function of the log, whatever order the games were finished in. Its later games are
//! not played, and do not count where they were. The same holds for what is played next: a
//! section of the schedule is added when all before it are over, from their results alone.

use super::format::{Course, Format, Meeting, Next, Stage};
use super::schedule::{Fixture, Schedule};
use crate::rating::pairs::GameOutcome;
use crate::rating::tally::{Place, outcome};
use crate::rating::{self, Tally};
use crate::record::GameRecord;
use crate::rules::{BySeat, Seat};

/// Three bytes a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    done: bool,
    faults: BySeat<bool>,
    outcome: GameOutcome,
}

impl Mark {
    /// A game that is not done.
    const DUE: Self =
        Self { done: false, faults: BySeat::new(false, false), outcome: GameOutcome::Draw };
}

/// The state of a tournament.
#[derive(Debug)]
pub struct Ledger {
    names: Vec<String>,
    stages: Vec<Stage>,
    /// The stage that is played.
    stage: usize,
    /// Who takes part in it, the best seed first.
    entrants: Vec<usize>,
    /// Its first section.
    first_section: usize,
    /// The place of the first game of each stage that has begun.
    begins: Vec<usize>,
    /// There is time for further games.
    further: bool,
    schedule: Schedule,
    limit: u32,
    marks: Vec<Mark>,
    played: usize,
    /// Every game before it is done, or will not be played.
    frontier: usize,
    streak: Vec<u32>,
    /// The game that took a player out.
    out: Vec<Option<usize>>,
}

/// Why a record has no place in a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// It is not a game of this schedule.
    Foreign,
    /// The game is there already.
    Double,
}

impl Ledger {
    /// An empty ledger for these players and stages; `limit` faults in a row take a player out,
    /// 0 for never.
    pub fn new(names: Vec<String>, stages: &[Stage], limit: u32) -> Self {
        let (streak, out) = (vec![0; names.len()], vec![None; names.len()]);
        let mut ledger = Self {
            entrants: (0..names.len()).collect(),
            schedule: Schedule::new(&names),
            stages: stages.to_vec(),
            stage: 0,
            first_section: 0,
            begins: vec![0],
            further: false,
            names,
            limit,
            marks: Vec::new(),
            played: 0,
            frontier: 0,
            streak,
            out,
        };
        ledger.take_part();
        ledger.advance();
        ledger
    }

    /// Games that are known: those of the sections that have begun.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// No games are known.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// From now on further games are due when all others are done.
    pub fn allow_further(&mut self) {
        self.further = true;
    }

    /// The places of the games that may be played: where there is no time for further games, all
    /// before them.
    fn playable(&self) -> std::ops::Range<usize> {
        0..if self.further { self.len() } else { self.further_from() }
    }

    /// The place of the first further game, or where it would be.
    fn further_from(&self) -> usize {
        let at = self.stages.iter().position(|stage| stage.format == Format::Further);
        at.and_then(|at| self.begins.get(at)).copied().unwrap_or(self.len())
    }

    /// How many further games are done.
    pub fn further_played(&self) -> usize {
        (self.further_from()..self.len()).filter(|&index| self.marks[index].done).count()
    }

    /// Games that there will be, as far as can be said now.
    pub fn expected(&self) -> usize {
        let known = self.playable().end;
        let apart = if self.further { 0 } else { self.further_played() };
        known + apart + self.unknown()
    }

    /// Games of sections that are not known yet, as far as can be said now.
    fn unknown(&self) -> usize {
        let mut players = self.entrants.len();
        let mut expected = 0;
        for (at, stage) in self.stages.iter().enumerate().skip(self.stage) {
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

    /// Games that are done.
    pub fn played(&self) -> usize {
        self.played
    }

    /// The game at `index`.
    pub fn fixture(&self, index: usize) -> Fixture {
        self.schedule.fixture(index)
    }

    /// The name of a player.
    pub fn name(&self, player: usize) -> &str {
        &self.names[player]
    }

    /// The names of all players.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where a record belongs, if it is a game of this schedule under its own identity.
    pub fn place(&self, record: &GameRecord) -> Option<usize> {
        let number = |name: &str| self.names.iter().position(|known| known == name);
        let players = BySeat::new(
            number(&record.players[Seat::First])?,
            number(&record.players[Seat::Second])?,
        );
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
    pub fn add(&mut self, record: &GameRecord) -> Result<usize, Misfit> {
        let index = self.place(record).ok_or(Misfit::Foreign)?;
        let mark = &mut self.marks[index];
        if mark.done {
            return Err(Misfit::Double);
        }
        let faults = BySeat::from_fn(|seat| record.fault_of(seat).is_some());
        let outcome = outcome(record).map_err(|_| Misfit::Foreign)?;
        *mark = Mark { done: true, faults, outcome };
        self.played += 1;
        self.advance();
        Ok(index)
    }

    /// The game at `index` is done.
    pub fn is_done(&self, index: usize) -> bool {
        self.marks[index].done
    }

    /// The game at `index` comes after one of its players was taken out.
    pub fn is_void(&self, index: usize) -> bool {
        let players = self.fixture(index).players;
        Seat::BOTH.into_iter().any(|seat| self.out[players[seat]].is_some_and(|last| last < index))
    }

    /// The first game from `from` on that is still to be played.
    pub fn next_due(&self, from: usize) -> Option<usize> {
        (from..self.playable().end).find(|&index| !self.marks[index].done && !self.is_void(index))
    }

    /// How many games are still to be played, as far as can be said now.
    pub fn due(&self) -> usize {
        let known = self.playable();
        if self.out.iter().all(Option::is_none) && known.end == self.len() {
            return self.unknown() + self.len() - self.played;
        }
        let is_due = |&index: &usize| !self.marks[index].done && !self.is_void(index);
        self.unknown() + known.filter(is_due).count()
    }

    /// The game at `index` is one of a check.
    pub fn is_check(&self, index: usize) -> bool {
        let stage = self.begins.partition_point(|&begin| begin <= index) - 1;
        self.stages.get(stage).is_some_and(|stage| stage.format == Format::Check)
    }

    /// The players that are out, each with the game that took it out.
    pub fn quarantined(&self) -> impl Iterator<Item = (usize, usize)> {
        self.out.iter().enumerate().filter_map(|(player, out)| out.map(|index| (player, index)))
    }

    /// Counts what is done in order, and adds sections when all are over.
    fn advance(&mut self) {
        loop {
            while self.frontier < self.len() {
                let mark = self.marks[self.frontier];
                let void = self.is_void(self.frontier);
                if !mark.done && !void {
                    return;
                }
                if !void {
                    self.count(self.frontier, mark);
                }
                self.frontier += 1;
            }
            if !self.extend() {
                return;
            }
        }
    }

    fn count(&mut self, index: usize, mark: Mark) {
        let players = self.fixture(index).players;
        let limit = if self.is_check(index) { 1 } else { self.limit };
        for seat in Seat::BOTH {
            let player = players[seat];
            self.streak[player] = if mark.faults[seat] { self.streak[player] + 1 } else { 0 };
            if limit > 0 && self.streak[player] >= limit {
                self.out[player] = Some(index);
            }
        }
    }

    /// Adds the next section; says whether there was one.
    fn extend(&mut self) -> bool {
        while self.stage < self.stages.len() {
            if let Some(Next { pairings, pairs }) = self.next_section() {
                self.schedule.push(pairings, pairs);
                self.marks.resize(self.schedule.len(), Mark::DUE);
                return true;
            }
            self.stage += 1;
            self.first_section = self.schedule.sections();
            self.begins.push(self.schedule.len());
            self.entrants = self.ranking();
            self.take_part();
        }
        false
    }

    /// Leaves the best, as many as the stage takes; further games are open to all again.
    fn take_part(&mut self) {
        let Some(stage) = self.stages.get(self.stage) else { return };
        if stage.format == Format::Further {
            self.entrants = (0..self.names.len()).collect();
        }
        if let Some(most) = stage.players {
            self.entrants.truncate(most);
        }
    }

    fn next_section(&self) -> Option<Next> {
        let stage = &self.stages[self.stage];
        let sections: Vec<Vec<Meeting>> = (self.first_section..self.schedule.sections())
            .map(|section| self.meetings(section))
            .collect();
        let out: Vec<bool> = self.out.iter().map(Option::is_some).collect();
        let anchors: Vec<usize> = match &stage.format {
            Format::Gauntlet { anchors } => {
                anchors.iter().filter_map(|name| self.number(name)).collect()
            }
            _ => Vec::new(),
        };
        stage.format.next(&Course {
            entrants: &self.entrants,
            sections: &sections,
            out: &out,
            anchors: &anchors,
            pairs: stage.pairs,
            tally: &self.tally(),
        })
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// How the meetings of a section ended.
    fn meetings(&self, section: usize) -> Vec<Meeting> {
        let pairings = self.schedule.pairings(section);
        let mut meetings: Vec<Meeting> = (0..pairings.len())
            .map(|place| Meeting { players: pairings.get(place), halves: (0, 0), faulted: false })
            .collect();
        let games = self.schedule.games(section);
        for index in games.clone().filter(|&index| self.counts(index)) {
            let meeting = &mut meetings[(index - games.start) / 2 % pairings.len()];
            let first = self.marks[index].outcome.halves();
            let is_low = self.fixture(index).players.first == meeting.players.0;
            let (low, high) = if is_low { (first, 2 - first) } else { (2 - first, first) };
            meeting.halves.0 += low;
            meeting.halves.1 += high;
            let faults = self.marks[index].faults;
            meeting.faulted |= faults.first || faults.second;
        }
        meetings
    }

    /// The game at `index` is done and not void.
    fn counts(&self, index: usize) -> bool {
        self.marks[index].done && !self.is_void(index)
    }

    /// Those who took part so far by their ratings, without those who are out.
    fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> =
            self.entrants.iter().copied().filter(|&player| self.out[player].is_none()).collect();
        // Without an anchor nothing can be wrong with a fit; the order of the seeds is kept then.
        if let Ok(fit) = rating::fit(&self.tally(), &[]) {
            let rating = |player: usize| fit.ratings[player].value;
            ranking.sort_by(|&one, &other| rating(other).total_cmp(&rating(one)));
        }
        ranking
    }

    /// The results of the games that count.
    fn tally(&self) -> Tally {
        let mut tally = Tally::new(&self.names);
        for index in (0..self.len()).filter(|&index| self.counts(index)) {
            let Fixture { players: BySeat { first, second }, pair, .. } = self.fixture(index);
            tally.add_outcome(Place { first, second, pair }, self.marks[index].outcome);
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fault::FaultCode;
    use crate::rating::tally::tests::{faulty, game};
    use crate::record::Score;
    use crate::rules::SeatMap;

    const NAMES: [&str; 4] = ["bee", "ant", "dog", "cat"];

    fn ledger(pairs: u32, limit: u32) -> Ledger {
        Ledger::new(NAMES.map(str::to_owned).to_vec(), &[Stage::round_robin(pairs)], limit)
    }

    /// The record of the game at `index`, with faults where `faults` says so.
    fn record(ledger: &Ledger, index: usize, faults: BySeat<bool>) -> GameRecord {
        let Fixture { players, pair, game: number } = ledger.fixture(index);
        let plain = game(ledger.name(players.first), ledger.name(players.second), "white");
        let codes = [(Seat::First, "white"), (Seat::Second, "black")];
        let made: Vec<_> = codes
            .into_iter()
            .filter(|&(seat, _)| faults[seat])
            .map(|(_, name)| (name, FaultCode::Crash))
            .collect();
        let plain = GameRecord { id: ledger.id(index), pair, game: number, ..plain };
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

    /// Who is out by which game, and which games count.
    fn state(ledger: &Ledger) -> (Vec<(usize, usize)>, Vec<bool>) {
        let counts = |index| ledger.is_done(index) && !ledger.is_void(index);
        (ledger.quarantined().collect(), (0..ledger.len()).map(counts).collect())
    }

    /// Faults by game, and an order in which the games are finished.
    fn course() -> impl Strategy<Value = (u32, u32, Vec<(bool, bool)>, Vec<usize>)> {
        (1_u32..4, 0_u32..4).prop_flat_map(|(pairs, limit)| {
            let games = ledger(pairs, limit).len();
            let faults = prop::collection::vec((any::<bool>(), any::<bool>()), games);
            let order = Just((0..games).collect::<Vec<_>>()).prop_shuffle();
            (Just(pairs), Just(limit), faults, order)
        })
    }

    proptest! {
        #[test]
        fn the_order_of_finishing_decides_nothing((pairs, limit, faults, order) in course()) {
            let of = |ledger: &Ledger, index: usize| {
                record(ledger, index, BySeat::new(faults[index].0, faults[index].1))
            };
            // In the order of the schedule nothing is played that does not count.
            let mut one_by_one = ledger(pairs, limit);
            let mut from = 0;
            while let Some(index) = one_by_one.next_due(from) {
                prop_assert_eq!(one_by_one.add(&of(&one_by_one, index)), Ok(index));
                from = index + 1;
            }
            prop_assert_eq!(one_by_one.due(), 0);

            // All games, and only those still due when their turn comes.
            let (mut all, mut due) = (ledger(pairs, limit), ledger(pairs, limit));
            for &index in &order {
                prop_assert_eq!(all.add(&of(&all, index)), Ok(index));
                if !due.is_void(index) {
                    prop_assert_eq!(due.add(&of(&due, index)), Ok(index));
                }
            }
            prop_assert_eq!(all.played(), all.len());
            prop_assert_eq!(due.next_due(0), None);
            prop_assert_eq!(state(&all), state(&one_by_one));
            prop_assert_eq!(state(&due), state(&one_by_one));
            if limit == 0 {
                prop_assert_eq!(all.quarantined().count(), 0);
            }
        }
    }

    #[test]
    fn a_clean_game_ends_a_streak() {
        let (pairs, bad) = (6, 0);
        let mut ledger = ledger(pairs, 3);
        let games: Vec<usize> =
            (0..ledger.len()).filter(|&at| ledger.fixture(at).seat_of(bad).is_some()).collect();
        let faults = [true, true, false, true, true, true];
        for (&index, &fault) in games.iter().zip(&faults) {
            let by = BySeat::from_fn(|seat| ledger.fixture(index).players[seat] == bad && fault);
            ledger.add(&record(&ledger, index, by)).expect("it belongs");
        }
        for index in 0..ledger.len() {
            if !ledger.is_done(index) && !ledger.is_void(index) {
                let clean = record(&ledger, index, BySeat::new(false, false));
                ledger.add(&clean).expect("it belongs");
            }
        }
        assert_eq!(ledger.quarantined().collect::<Vec<_>>(), [(bad, games[5])]);
    }

    #[test]
    fn what_does_not_belong_is_told_apart() {
        let mut ledger = ledger(1, 5);
        let one = record(&ledger, 0, BySeat::new(false, false));
        assert_eq!(ledger.add(&one), Ok(0));
        assert_eq!(ledger.add(&one), Err(Misfit::Double));
        for foreign in [
            GameRecord { id: "3f9a1c07be52-1".into(), ..one.clone() },
            GameRecord { pair: 2, ..one.clone() },
            GameRecord { game: 3, ..one.clone() },
            game("ant", "stranger", "white"),
        ] {
            assert_eq!(ledger.add(&foreign), Err(Misfit::Foreign));
        }
        assert_eq!((ledger.played(), ledger.due()), (1, ledger.len() - 1));
    }

    fn of(stages: &[Stage], players: usize, limit: u32) -> Ledger {
        let names = (0..players).map(|player| format!("player {player}")).collect();
        Ledger::new(names, stages, limit)
    }

    #[test]
    fn further_games_are_due_only_where_there_is_time() {
        let stages = [Stage::round_robin(1), Stage::further()];
        let result = |ledger: &Ledger, index: usize| {
            let plain = record(ledger, index, BySeat::new(false, false));
            with_result(
                plain,
                if ledger.fixture(index).players.first == 0 { "white" } else { "draw" },
            )
        };
        let (mut ledger, mut log) = (of(&stages, 4, 0), Vec::new());
        while let Some(index) = ledger.next_due(0) {
            log.push(result(&ledger, index));
            ledger.add(&log[log.len() - 1]).expect("it belongs");
        }
        assert_eq!((ledger.played(), ledger.expected(), ledger.due()), (12, 12, 0));
        assert_eq!(ledger.further_played(), 0);
        ledger.allow_further();
        assert!(ledger.due() >= 32, "a round of further games");
        for _ in 0..50 {
            let index = ledger.next_due(0).expect("there are always more");
            log.push(result(&ledger, index));
            ledger.add(&log[log.len() - 1]).expect("it belongs");
        }
        // Read again without time for more, nothing is due; with time, the rest of the round is.
        let mut again = of(&stages, 4, 0);
        for game in &log {
            again.add(game).expect("it belongs");
        }
        assert_eq!((again.played(), again.expected(), again.due()), (62, 62, 0));
        assert_eq!((again.next_due(0), again.further_played()), (None, 50));
        again.allow_further();
        assert_eq!((again.next_due(0), again.due()), (ledger.next_due(0), ledger.due()));
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
            // What a game brings depends on the game alone.
            let of_game = |ledger: &Ledger, index: usize| {
                let id = ledger.id(index);
                let sum: usize = id.bytes().map(usize::from).sum();
                let (result, fault) = results[sum % results.len()];
                let result = ["white", "black", "draw"][usize::from(result)];
                let faults = BySeat::new(fault, false);
                let plain = record(ledger, index, faults);
                if fault { plain } else { with_result(plain, result) }
            };
            let mut one_by_one = of(&stages, players, limit);
            while let Some(index) = one_by_one.next_due(0) {
                prop_assert!(one_by_one.due() > 0);
                let game = of_game(&one_by_one, index);
                prop_assert_eq!(one_by_one.add(&game), Ok(index));
            }
            prop_assert_eq!(one_by_one.due(), 0);
            prop_assert_eq!(one_by_one.expected(), one_by_one.len());

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
            prop_assert_eq!(state(&parallel), state(&one_by_one));

            // The log read again.
            let mut again = of(&stages, players, limit);
            for game in &log {
                again.add(game).expect("it belongs");
            }
            prop_assert_eq!(state(&again), state(&one_by_one));
            prop_assert_eq!(again.due(), 0);
        }
    }
}
