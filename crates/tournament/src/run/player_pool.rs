//! Plays the games of a worker, with its players: from their start until they have exited.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::entrant::Entrant;
use super::game_record::{GameRecordBuilder, VoidAttempts, VoidReason};
use super::game_transcript::render_game_transcript;
use super::job::{DueGame, FinishedGame, JobConditions, JobOutcome};
use referee_games::{AnyPosition, BySeat, Event, GameError, SEATS, Seat, SeatSet};
use referee_match::openings::{Opening, OpeningBook};
use referee_match::pauses::paused_since;
use referee_match::player::{InitView, NotStarted, Player, PlayerStatistics};
use referee_match::referee::{self, GameReport, GameSetup, Unplayable};
use referee_record::model::fault::FaultCode;
use referee_record::model::fixture::Fixture;
use referee_record::model::short_clock::with_own_short_clock;
use referee_record::model::warning::{GameWarning, PlayerWarning};

/// A player that is kept, and waits for another game.
#[derive(Debug)]
struct IdlePlayer {
    number: usize,
    /// What it played last.
    meeting: PooledMeeting,
    player: Player,
}

/// The longest time to wait before a game is played again in which a service could not be reached.
pub const LONGEST_OUTAGE_PAUSE: Duration = Duration::from_secs(15 * 60);

/// How many idle players a worker keeps: those of two games of a deal.
pub(super) fn max_pooled_players(seats: usize) -> usize {
    2 * seats
}

/// Starts and reuses the players of a worker's games.
pub struct PlayerPool {
    book: OpeningBook,
    /// Whether the book has its own rules program, if the rules are one.
    is_settled: bool,
    conditions: Arc<JobConditions>,
    idle: Vec<IdlePlayer>,
    /// Where warnings go while a game waits, if anywhere.
    warn: Option<Warn>,
}

/// Tells of something that went wrong: a sentence that is safe to show.
type Warn = Box<dyn Fn(String) + Send + Sync>;

impl PlayerPool {
    /// An empty pool. Its games will begin with the openings of `book`.
    pub fn new(book: OpeningBook, conditions: Arc<JobConditions>) -> Self {
        Self { book, is_settled: false, conditions, idle: Vec::new(), warn: None }
    }

    /// The same pool, which warns while a game waits.
    #[must_use]
    pub fn on_warning(self, warn: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self { warn: Some(Box::new(warn)), ..self }
    }

    /// Starts a rules program of its own on the cores of this thread, if the rules are a program,
    /// and lets idle players quit that have nothing to wait for.
    ///
    /// # Errors
    /// The rules program failed.
    pub(super) async fn settle(&mut self) -> Result<(), GameError> {
        let conditions = Arc::clone(&self.conditions);
        let is_dismissed = |idle: &mut IdlePlayer| !conditions.player(idle.number).is_kept();
        for mut idle in self.idle.extract_if(.., is_dismissed) {
            idle.player.leave().await;
        }
        if !self.is_settled {
            self.book = self.book.clone().for_another_core()?;
            self.is_settled = true;
        }
        Ok(())
    }

    /// Starts the player, waits for its greeting, and lets it quit. A start-up that failed while the
    /// referee was paused is repeated.
    pub(super) async fn probe(
        &self,
        number: usize,
        stop: &mut watch::Receiver<bool>,
    ) -> JobOutcome {
        loop {
            let began = Instant::now();
            let outcome = self.probe_once(number, stop).await;
            let failed = matches!(outcome, JobOutcome::Probed(Some(_)) | JobOutcome::Shortage(_));
            if !(failed && paused_since(began)) {
                return outcome;
            }
        }
    }

    async fn probe_once(&self, number: usize, stop: &mut watch::Receiver<bool>) -> JobOutcome {
        let mut player = self.new_player(number);
        let view = InitView {
            seat: Seat::FIRST,
            rules: self.book.rules(),
            position: &*self.book.rules().start,
            control: &with_own_short_clock(
                &self.conditions.control,
                self.conditions.player(number).tc,
            ),
            opponent_increment: Duration::ZERO,
            seed: 0,
            opening: &[],
        };
        let begun = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => None,
            begun = player.begin(&view) => Some(begun),
        };
        let Some(begun) = begun else {
            player.kill().await;
            return JobOutcome::Stopped;
        };
        player.leave().await;
        match begun {
            Ok(_) => JobOutcome::Probed(None),
            // It runs and speaks, and its games are played again.
            Err(NotStarted::Fault(fault)) if fault.code == FaultCode::Outage => {
                JobOutcome::Probed(None)
            }
            Err(NotStarted::Fault(fault)) => JobOutcome::Probed(Some(fault)),
            Err(NotStarted::Shortage(shortage)) => Unplayable::from(shortage).into(),
            Err(NotStarted::Game(error)) => Unplayable::from(error).into(),
        }
    }

    /// Plays the games of a job that may begin. If one of them cannot be played, none of them was.
    pub(super) async fn play_all(
        &mut self,
        games: Vec<DueGame>,
        stop: &mut watch::Receiver<bool>,
    ) -> JobOutcome {
        let mut played = Vec::new();
        for DueGame { id, fixture } in games {
            if !self.conditions.may_begin_games() {
                break;
            }
            match self.play(id, fixture, stop).await {
                JobOutcome::Played(games) => played.extend(games),
                // It waited for a service. Those before it count.
                JobOutcome::Stopped if !self.conditions.may_begin_games() => break,
                undone => return undone,
            }
        }
        if played.is_empty() { JobOutcome::Stopped } else { JobOutcome::Played(played) }
    }

    /// Plays a game. Replays it after a loss on time that proves nothing, because the referee was
    /// paused in that game, or because a player disturbed another. That player is then frozen off
    /// turn. Replays it later if a player cannot reach its service, as often as that is allowed.
    pub async fn play(
        &mut self,
        id: String,
        fixture: Fixture,
        stop: &mut watch::Receiver<bool>,
    ) -> JobOutcome {
        let mut void = VoidAttempts::default();
        let mut frozen = SeatSet::EMPTY;
        let seats = self.book.rules().seats();
        loop {
            let began = Instant::now();
            let mut players = self.seat_players(fixture, frozen);
            let seeds = self.seeds(fixture);
            let played = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => None,
                report = self.referee_game(&id, fixture, seeds.clone(), &mut players) => Some(report),
            };
            void.record_usage(&seats, &mut players);
            let mut report = match played {
                Some(Ok(report)) => report,
                Some(Err(Unplayable::Shortage(_))) if paused_since(began) => {
                    kill_players(&mut players).await;
                    continue;
                }
                given_up => {
                    kill_players(&mut players).await;
                    return match given_up {
                        Some(Err(why)) => why.into(),
                        _ => JobOutcome::Stopped,
                    };
                }
            };
            report.trace.warnings.extend(self.changed_file_warnings(fixture));
            let void_because = self.why_void(&report, fixture, began, (frozen, &void));
            let memory = |player: &Player| player.peak_memory();
            let memory = self.conditions.reads_memory.then(|| players.as_ref().map(memory));
            let (builder, transcript) =
                self.release_all(report, players, fixture, (seeds, began)).await;
            match void_because {
                None => {
                    let warnings = builder.warnings();
                    let record = builder.build(id, fixture, void);
                    let finished = FinishedGame { record, warnings, transcript, memory };
                    return JobOutcome::Played(vec![finished]);
                }
                Some(why) => {
                    void.reasons.push(builder.describe_void(why));
                    match why {
                        VoidReason::Paused => {}
                        VoidReason::Disturbed { by } => frozen = frozen.union(by),
                        VoidReason::Outage { of } => {
                            void.record_outages(&seats, of);
                            let pause = pause_before_replay(void.most_outages());
                            if let Some(warn) = &self.warn {
                                warn(builder.outage_warning(&id, of, pause));
                            }
                            if !self.wait_for_service(pause, stop).await {
                                return JobOutcome::Stopped;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Waits before a game is played again. False if the run has no time for that.
    async fn wait_for_service(&self, pause: Duration, stop: &mut watch::Receiver<bool>) -> bool {
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => false,
            // A run that ends does not wait for a service.
            () = self.conditions.wait_until_closed() => false,
            () = tokio::time::sleep(pause) => true,
        }
    }

    async fn referee_game(
        &self,
        id: &str,
        fixture: Fixture,
        seeds: BySeat<u64>,
        players: &mut BySeat<Player>,
    ) -> Result<GameReport, Unplayable> {
        let conditions = &self.conditions;
        let entrants = self.entrants(fixture);
        let names = entrants.as_ref().map(|entrant| entrant.name.as_str());
        let luck = conditions.secret.game_luck(names.values(), fixture.pair);
        let opening = self.book.opening(fixture.pair, &conditions.secret, luck)?;
        let Opening { steps, mut luck, rules } = opening;
        let setup = GameSetup {
            rules: &rules,
            control: &conditions.control,
            tc: entrants.as_ref().map(|entrant| entrant.tc),
            policy: conditions.policy,
            adjudication: conditions.adjudication,
            opening: &steps,
            seeds,
        };
        let shown = conditions.spectators.show_game(id, names);
        let mut observe = |position: &dyn AnyPosition, events: &[Event]| {
            shown.show_position(position, events);
        };
        referee::play_refereed_game(&setup, &mut luck, players, &mut observe).await
    }

    /// Warnings about players whose files changed after they were read.
    fn changed_file_warnings(&self, fixture: Fixture) -> impl Iterator<Item = GameWarning> {
        fixture.players.seats().filter_map(move |seat| {
            let file = self.conditions.player(fixture.players.at(seat)).changed_file()?;
            Some(GameWarning { seat, warning: PlayerWarning::ChangedFile(file) })
        })
    }

    fn entrants(&self, fixture: Fixture) -> BySeat<Arc<Entrant>> {
        fixture.players.players().map(|number| self.conditions.player(number)).collect()
    }

    fn seeds(&self, fixture: Fixture) -> BySeat<u64> {
        let entrants = self.entrants(fixture);
        let name = |seat: Seat| entrants[seat].name.as_str();
        entrants.map_seats(|seat| {
            let others: Vec<&str> = entrants.others(seat).map(name).collect();
            // A check gives one player several seats. With the same seed at each, it would play the
            // same everywhere.
            let earlier = entrants.seats().take_while(|&earlier| earlier != seat);
            let copies = earlier.filter(|&earlier| name(earlier) == name(seat)).count();
            let number = u8::try_from(copies * SEATS.end()).unwrap_or(u8::MAX);
            let game = fixture.game.wrapping_add(number);
            self.conditions.secret.player_seed(name(seat), &others, fixture.pair, game)
        })
    }

    fn seat_players(&mut self, fixture: Fixture, frozen: SeatSet) -> BySeat<Player> {
        let meeting = PooledMeeting::from_fixture(fixture);
        let mut players: BySeat<Player> =
            fixture.players.players().map(|number| self.take_player(number, &meeting)).collect();
        for seat in frozen.iter() {
            players[seat].freeze_off_turn();
        }
        players
    }

    /// An idle player that last played another deal, or a fresh one. No game of a deal reuses a
    /// process from another: that one keeps waiting, for another deal.
    fn take_player(&mut self, number: usize, meeting: &PooledMeeting) -> Player {
        let fits = |idle: &IdlePlayer| idle.number == number && idle.meeting != *meeting;
        match self.idle.iter().position(fits) {
            Some(at) => self.idle.remove(at).player,
            None => self.new_player(number),
        }
    }

    fn new_player(&self, number: usize) -> Player {
        self.conditions.player(number).new_player()
    }

    /// Why the result of a game that began then does not count, if so, after attempts that were void
    /// and with these seats frozen.
    fn why_void(
        &self,
        report: &GameReport,
        fixture: Fixture,
        began: Instant,
        (frozen, void): (SeatSet, &VoidAttempts),
    ) -> Option<VoidReason> {
        let disturbers = report.trace.disturbers.without(frozen);
        let seats = self.book.rules().seats();
        let is_excused = |seat: Seat| {
            let allowed = self.conditions.player(fixture.players.at(seat)).outages;
            void.outages.count_for(&seats[seat]) < allowed
        };
        let out = report.ending.faults().filter(|(_, fault)| fault.code == FaultCode::Outage);
        let out: SeatSet = out.map(|(seat, _)| seat).filter(|&seat| is_excused(seat)).collect();
        // A pause explains more than a disturbance, and freezes nobody.
        if report.ending.is_by_time() && paused_since(began) {
            Some(VoidReason::Paused)
        } else if !out.is_empty() {
            Some(VoidReason::Outage { of: out })
        } else {
            (!disturbers.is_empty()).then_some(VoidReason::Disturbed { by: disturbers })
        }
    }

    /// Releases the players after their game. Returns the record builder, and the transcript if
    /// the game ended in a fault.
    async fn release_all(
        &mut self,
        report: GameReport,
        mut players: BySeat<Player>,
        fixture: Fixture,
        (seeds, began): (BySeat<u64>, Instant),
    ) -> (GameRecordBuilder, Option<String>) {
        let names = self.entrants(fixture).map(|entrant| entrant.name.clone());
        let failed: SeatSet = report.ending.faults().map(|(seat, _)| seat).collect();
        let faulted = !failed.is_empty();
        if faulted {
            for player in players.values_mut() {
                player.settle_stderr().await;
            }
        }
        let seats = self.book.rules().seats();
        let transcript = faulted.then(|| render_game_transcript(&seats, &names, &players));
        let mut statistics = Vec::with_capacity(players.len());
        for (seat, player) in fixture.players.seats().zip(players) {
            statistics.push(self.release(seat, fixture, player, failed.contains(seat)).await);
        }
        let statistics = statistics.into_iter().collect();
        let wall = began.elapsed();
        (GameRecordBuilder { seats, names, seeds, report, statistics, wall }, transcript)
    }

    /// Releases a player after its game: it quits, or waits if it is kept.
    async fn release(
        &mut self,
        seat: Seat,
        fixture: Fixture,
        mut player: Player,
        faulted: bool,
    ) -> PlayerStatistics {
        let number = fixture.players.at(seat);
        if faulted || !self.conditions.player(number).is_kept() || !player.is_fit() {
            return player.leave().await;
        }
        // Others play on its core while it waits.
        player.freeze();
        let statistics = player.statistics();
        if self.idle.len() >= max_pooled_players(fixture.players.seats().len()) {
            self.idle.remove(0).player.leave().await;
        }
        self.idle.push(IdlePlayer {
            number,
            meeting: PooledMeeting::from_fixture(fixture),
            player,
        });
        statistics
    }

    /// Lets all idle players quit.
    pub async fn dismiss(&mut self) {
        for mut idle in self.idle.drain(..) {
            idle.player.leave().await;
        }
    }
}

/// How long to wait before a game is played again that was void so often because a service could not
/// be reached: a second, then four times as long each time, up to a quarter of an hour.
fn pause_before_replay(times: u8) -> Duration {
    let seconds = 4_u64.saturating_pow(u32::from(times.saturating_sub(1)));
    Duration::from_secs(seconds).min(LONGEST_OUTAGE_PAUSE)
}

async fn kill_players(players: &mut BySeat<Player>) {
    for player in players.values_mut() {
        player.kill().await;
    }
}

/// Which players meet, and in which deal.
#[derive(Debug, PartialEq, Eq)]
struct PooledMeeting {
    players: Vec<usize>,
    pair: u32,
}

impl PooledMeeting {
    fn from_fixture(fixture: Fixture) -> Self {
        let mut players: Vec<usize> = fixture.players.players().collect();
        players.sort_unstable();
        Self { players, pair: fixture.pair }
    }
}

#[cfg(test)]
mod tests;
