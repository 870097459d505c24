//! Builds the record of a finished game.

use referee_games::{Places, SeatSet};
use referee_record::model::fault::Fault;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use referee_games::{BySeat, Seat, SeatMap, Text};
use referee_match::player::{Player, PlayerStatistics};
use referee_match::referee::{GameReport, RefereeEnding};
use referee_protocol::Score;
use referee_record::model::bounds::HasBounds;
use referee_record::model::clock::{format_clock_seconds, whole_millis};
use referee_record::model::fixture::Fixture;
use referee_record::model::record::{ClockRecord, FaultRecord, GameRecord, RecordedOutages};
use referee_record::model::seat_usage::SeatUsage;
use referee_record::model::warning::{GameWarning, PlayerWarning};

/// Why a game that was played does not count, and is played again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoidReason {
    /// The referee was paused in it, and it ended by a loss on time.
    Paused,
    /// A player lost on time, and others may have caused that.
    Disturbed {
        /// The others.
        by: SeatSet,
    },
    /// Players could not reach their services, which the organiser allows that often.
    Outage {
        /// The players.
        of: SeatSet,
    },
}

/// The attempts at a game that were void, and what all its attempts used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VoidAttempts {
    /// The reasons, as sentences.
    pub reasons: Vec<String>,
    /// How many there are because of each player that could not reach its service, by seat name.
    pub outages: RecordedOutages,
    /// What players reported to have used, in the attempt that counts too.
    pub usage: SeatUsage,
}

impl VoidAttempts {
    /// Adds what the players of an attempt used; `seats` are the names of their seats.
    pub fn record_usage(&mut self, seats: &BySeat<Text>, players: &mut BySeat<Player>) {
        for (seat, player) in players.iter_mut() {
            self.usage.add(&seats[seat], player.take_usage());
        }
    }

    /// How often the game was void because of the player of which that is true most often.
    pub(crate) fn most_outages(&self) -> u8 {
        self.outages.0.values().copied().max().unwrap_or(0)
    }

    /// Counts an outage of the player at each of these seats, which have these names.
    pub(crate) fn record_outages(&mut self, seats: &BySeat<Text>, of: SeatSet) {
        for seat in of.iter() {
            *self.outages.0.entry(seats[seat].to_string()).or_default() += 1;
        }
    }
}

/// A finished game whose players have exited.
pub struct GameRecordBuilder {
    /// The names of the seats.
    pub seats: BySeat<Text>,
    /// The names of the players.
    pub names: BySeat<String>,
    /// The players' seeds.
    pub seeds: BySeat<u64>,
    /// The referee's report.
    pub report: GameReport,
    /// The players' statistics.
    pub statistics: BySeat<PlayerStatistics>,
    /// The wall time, from the start of the first player until both had exited.
    pub wall: Duration,
}

impl GameRecordBuilder {
    /// The reason why the game is void, as a sentence.
    pub(crate) fn describe_void(&self, why: VoidReason) -> String {
        let disturbers = match why {
            VoidReason::Paused => {
                return "the referee was paused in a game that ended in a loss on time; played again"
                    .to_owned();
            }
            VoidReason::Outage { of } => return self.describe_outages(of),
            VoidReason::Disturbed { by } => by,
        };
        let used = |seat| {
            let cpu = format_clock_seconds(self.statistics[seat].cpu_off_turn);
            format!("{} used {cpu}", self.names[seat])
        };
        let faults = self.report.ending.faults();
        let late = faults.map(|(seat, _)| seat).find(|&seat| !disturbers.contains(seat));
        let late = late.map_or("a player", |seat| &self.names[seat]);
        let used: Vec<String> = disturbers.iter().map(used).collect();
        let names: Vec<&str> = disturbers.iter().map(|seat| &*self.names[seat]).collect();
        format!(
            "{late} lost on time while {} of CPU time on the opponent's turns; \
             played again with {} frozen off turn",
            used.join(" and "),
            names.join(" and "),
        )
    }

    /// Who could not reach its service, and when, in the players' own words.
    fn describe_outages(&self, of: SeatSet) -> String {
        let ply = self.report.trace.plies;
        let said = |seat| {
            let message = self.fault_message(seat);
            format!("{} could not reach its service: {message}", self.names[seat])
        };
        let said: Vec<String> = of.iter().map(said).collect();
        format!("after ply {ply}, {}; played again", said.join("; "))
    }

    /// Says that the game `id` is void because these players could not reach their services, and when
    /// it is played again.
    pub(crate) fn outage_warning(&self, id: &str, of: SeatSet, pause: Duration) -> String {
        let said =
            |seat| format!("{} had an outage ({})", self.names[seat], self.fault_message(seat));
        let said: Vec<String> = of.iter().map(said).collect();
        let seconds = pause.as_secs();
        format!("game {id} is void: {}; it will be replayed in {seconds} s", said.join(" and "))
    }

    fn fault_message(&self, seat: Seat) -> &str {
        self.report.ending.fault(seat).map_or("", |fault| &fault.message)
    }

    /// The record of the game, with the earlier attempts that were `void`.
    pub fn build(self, id: String, fixture: Fixture, void: VoidAttempts) -> GameRecord {
        let warnings = self.warnings().iter().map(|warning| warning.text(&self.seats)).collect();
        let Self { seats, names, seeds, report, statistics, wall } = self;
        let GameReport { ending, trace } = report;
        let began = SystemTime::now().checked_sub(wall).unwrap_or(UNIX_EPOCH);
        let mut record = GameRecord {
            id,
            pair: fixture.pair,
            game: fixture.game,
            players: SeatMap::new(seats.clone(), names),
            seed: SeatMap::new(seats.clone(), seeds),
            rolls: trace.rolls,
            options: trace.options,
            opening: trace.opening,
            actions: trace.actions,
            clock: ClockRecord {
                began: began.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
                tc: trace
                    .tc
                    .values()
                    .iter()
                    .any(Option::is_some)
                    .then(|| SeatMap::new(seats.clone(), trace.tc)),
                startup_ns: SeatMap::new(seats.clone(), trace.startup.map(nanos_for_record)),
                used_ns: SeatMap::new(
                    seats.clone(),
                    trace.used.map(|used| used.into_iter().map(nanos_for_record).collect()),
                ),
                cpu_ns: SeatMap::new(
                    seats.clone(),
                    statistics.map(|rest| rest.cpu.map(nanos_for_record)),
                ),
                wall_ns: nanos_for_record(wall),
            },
            result: ending.places().result(&seats).unwrap_or_default().to_owned(),
            places: build_record_places(&seats, ending.places()),
            reason: ending.reason().to_owned(),
            fault: build_fault_record(&seats, &ending),
            scores: SeatMap::new(seats.clone(), ending.scores().map(Score)),
            final_scores: trace.scores.map(|scores| SeatMap::new(seats.clone(), scores)),
            plies: trace.plies,
            warnings,
            notes: trace.notes,
            reported: build_reported_names(SeatMap::new(
                seats,
                trace.greetings.map(|greeting| greeting.name_and_version()),
            )),
            void: void.reasons,
            outages: void.outages,
            usage: void.usage,
            worker: None,
        };
        record.cut();
        record
    }

    /// Incidents that did not affect the result.
    pub(crate) fn warnings(&self) -> Vec<GameWarning> {
        let mut warnings = self.report.trace.warnings.clone();
        for seat in self.seats.seats() {
            let own = self.warnings_about(seat).into_iter();
            warnings.extend(own.map(|warning| GameWarning { seat, warning }));
        }
        warnings
    }

    fn warnings_about(&self, seat: Seat) -> Vec<PlayerWarning> {
        let statistics = &self.statistics[seat];
        let mut warnings = Vec::new();
        if let Some(frozen_since) = self.report.trace.frozen[seat] {
            let cpu = round_to_tenth_second(statistics.cpu_off_turn);
            warnings.push(PlayerWarning::Pondered { cpu, frozen_since });
        }
        if !statistics.waited_for_core.is_zero() {
            let waited = Duration::from_millis(whole_millis(statistics.waited_for_core));
            warnings.push(PlayerWarning::WaitedForCore(waited));
        }
        warnings.extend(statistics.afterwards.clone().map(PlayerWarning::WroteAfterEnd));
        if self.report.ending.fault(seat).is_none() {
            warnings.extend_from_slice(&statistics.warnings);
        }
        if statistics.leftover > 0 {
            warnings.push(PlayerWarning::LeftProcesses(statistics.leftover));
        }
        if statistics.stderr_lost > 0 {
            warnings.push(PlayerWarning::LostStderr(statistics.stderr_lost));
        }
        warnings
    }
}

/// The names and versions that the players reported; none if no player reported any.
fn build_reported_names(said: SeatMap<String>) -> Option<SeatMap<String>> {
    let silent = said.values.values().iter().all(String::is_empty);
    (!silent).then_some(said)
}

/// The places, if there are more seats than two.
fn build_record_places(seats: &BySeat<Text>, places: Places) -> Option<SeatMap<u8>> {
    (seats.len() > 2).then(|| SeatMap::new(seats.clone(), places.counted_from_one()))
}

fn build_fault_record(seats: &BySeat<Text>, ending: &RefereeEnding) -> Option<FaultRecord> {
    let named = |(seat, fault): (Seat, &Fault)| (seats[seat].to_string(), fault.clone());
    let faults: FaultRecord = ending.faults().map(named).collect();
    (!faults.is_empty()).then_some(faults)
}

fn round_to_tenth_second(duration: Duration) -> Duration {
    Duration::from_millis((whole_millis(duration) + 50) / 100 * 100)
}

#[expect(clippy::cast_possible_truncation, reason = "584 years fit")]
fn nanos_for_record(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

#[cfg(test)]
mod tests;
