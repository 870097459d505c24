//! What players report about their searches: means, from sums that do not grow with the games.

use serde::Serialize;

use referee_games::{PASS, Seat};
use referee_record::model::clock::Measure;
use referee_record::model::record::{GameRecord, RecordedNote};

/// A player's reports about its searches, on average.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SearchUse {
    /// The player's name.
    pub player: String,
    /// The number of moves with a report.
    pub moves: u64,
    /// The mean depth, in plies.
    pub depth: Option<f64>,
    /// The mean number of positions searched for a move.
    pub nodes: Option<f64>,
    /// The positions searched per second of the measured time.
    pub nps: Option<f64>,
    /// The mean time of a move, as the referee measured it, in nanoseconds.
    pub time_ns: Option<f64>,
    /// By how much that is more than the time that the player reports, in nanoseconds.
    pub latency_ns: Option<f64>,
}

/// The reports of all players.
#[derive(Debug, Clone)]
pub(super) struct SearchUseCollector {
    by_player: Vec<SearchSums>,
    measure: Measure,
}

/// A sum with the number of its parts.
#[derive(Debug, Clone, Copy, Default)]
struct SearchUseMean {
    sum: f64,
    count: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct SearchSums {
    moves: u64,
    depth: SearchUseMean,
    nodes: SearchUseMean,
    /// The nodes and the seconds of moves for which both are known.
    speed: [f64; 2],
    time: SearchUseMean,
    latency: SearchUseMean,
}

impl SearchUseMean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    #[expect(clippy::cast_precision_loss, reason = "a count far below 2⁵³")]
    fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl SearchUseCollector {
    pub(super) fn new(players: usize, measure: Measure) -> Self {
        Self { by_player: vec![SearchSums::default(); players], measure }
    }

    /// Adds what the player at `seat` of a game reports.
    pub(super) fn add(&mut self, player: usize, record: &GameRecord, seat: Seat) {
        let name = &record.players.names[seat];
        let own = record.notes.iter().filter(|note| note.by == **name && !note.search.is_empty());
        for note in own {
            self.by_player[player].add(
                note,
                measured_search_time(record, seat, note),
                self.measure,
            );
        }
    }

    pub(super) fn conclude(&self, names: &[String]) -> Vec<SearchUse> {
        let reporting = names.iter().zip(&self.by_player).filter(|(_, sums)| sums.moves > 0);
        reporting.map(|(name, sums)| sums.conclude(name)).collect()
    }
}

impl SearchSums {
    #[expect(clippy::cast_precision_loss, reason = "means have few digits")]
    fn add(&mut self, note: &RecordedNote, measured_ns: Option<u64>, measure: Measure) {
        self.moves += 1;
        if let Some(depth) = note.search.depth {
            self.depth.add(depth.into());
        }
        let nodes = note.search.nodes.map(|nodes| nodes as f64);
        if let Some(nodes) = nodes {
            self.nodes.add(nodes);
        }
        let Some(measured) = measured_ns.map(|ns| ns as f64) else { return };
        self.time.add(measured);
        if let Some(nodes) = nodes {
            self.speed = [self.speed[0] + nodes, self.speed[1] + measured / 1e9];
        }
        if let (Some(reported), Measure::Wall) = (note.search.time_ms, measure) {
            self.latency.add(measured - 1e6 * reported as f64);
        }
    }

    fn conclude(self, name: &str) -> SearchUse {
        let [nodes, seconds] = self.speed;
        SearchUse {
            player: name.to_owned(),
            moves: self.moves,
            depth: self.depth.value(),
            nodes: self.nodes.value(),
            nps: (seconds > 0.0).then(|| nodes / seconds),
            time_ns: self.time.value(),
            latency_ns: self.latency.value(),
        }
    }
}

/// The measured time of the move that a remark is about, in nanoseconds. Times are recorded by
/// turn, so it is known only in games in which the seats take turns.
fn measured_search_time(record: &GameRecord, seat: Seat, note: &RecordedNote) -> Option<u64> {
    let given = record.opening.len();
    let asked: usize = record.clock.used_ns.values.values().iter().map(Vec::len).sum();
    let alternate = asked.checked_sub(record.actions.len()).is_some_and(|failed| failed <= 1)
        && record.plies as usize == given + record.actions.len()
        && !record.actions.iter().any(|action| action == PASS);
    let turn = (note.ply as usize).checked_sub(given)? / 2;
    record.clock.used_ns[seat].get(turn).copied().filter(|_| alternate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_protocol::SearchReport;
    use referee_record::model::record::examples::game;

    const MS: u64 = 1_000_000;

    /// A game of three moves after an opening of one ply: black, white, black.
    fn record() -> GameRecord {
        let mut record = game("ant", "bee", "draw");
        record.opening = vec!["a".to_owned()];
        record.actions = ["b", "c", "d"].map(str::to_owned).to_vec();
        record.plies = 4;
        record.clock.used_ns.values[Seat::FIRST] = vec![30 * MS];
        record.clock.used_ns.values[Seat::SECOND] = vec![16 * MS, 16 * MS];
        let note = |ply, by: &str, search| RecordedNote {
            ply,
            by: by.to_owned(),
            note: None,
            eval: None,
            search,
        };
        let full = |depth, nodes, time_ms| SearchReport {
            score: Some(1),
            depth: Some(depth),
            nodes: Some(nodes),
            time_ms: Some(time_ms),
            ..SearchReport::default()
        };
        let score = SearchReport { score: Some(5), ..SearchReport::default() };
        record.notes = vec![
            note(1, "black", full(10, 1000, 10)),
            note(2, "white", score),
            note(3, "black", full(20, 3000, 20)),
        ];
        record
    }

    fn uses(record: &GameRecord, measure: Measure) -> Vec<SearchUse> {
        let mut searches = SearchUseCollector::new(2, measure);
        searches.add(0, record, Seat::FIRST);
        searches.add(1, record, Seat::SECOND);
        searches.conclude(&["ant".to_owned(), "bee".to_owned()])
    }

    #[test]
    fn reports_are_averaged_and_compared_with_the_measured_time() {
        let found = uses(&record(), Measure::Wall);
        let bee = SearchUse {
            player: "bee".to_owned(),
            moves: 2,
            depth: Some(15.0),
            nodes: Some(2000.0),
            nps: Some(125_000.0),
            time_ns: Some(16e6),
            latency_ns: Some(1e6),
        };
        let ant = SearchUse {
            player: "ant".to_owned(),
            moves: 1,
            time_ns: Some(30e6),
            ..SearchUse::default()
        };
        assert_eq!(found, [ant, bee]);
        assert_eq!(uses(&record(), Measure::Cpu)[1].latency_ns, None, "another kind of time");
    }

    #[test]
    fn times_are_known_where_the_seats_take_turns() {
        let mut passed = record();
        passed.actions[2] = PASS.to_owned();
        let mut late = record();
        late.clock.used_ns.values[Seat::FIRST].push(99 * MS);
        let mut both = record();
        both.clock.used_ns.values[Seat::FIRST] = vec![30 * MS; 3];
        let times = |record| uses(record, Measure::Wall)[1].time_ns;
        assert_eq!([times(&passed), times(&late), times(&both)], [None, Some(16e6), None]);
    }
}
