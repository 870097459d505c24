//! A slot: one thread on one core, which plays one game at a time.
//!
//! The referee's side of a slot and both its players share the core, because a wake-up across
//! cores costs far more than one on the same core.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::schedule::Fixture;
use crate::clock::TimeControl;
use crate::config::PlayerSpec;
use crate::fault::Fault;
use crate::player::{self, Direction, InitView, Launch, Player, Wire, diagnosis};
use crate::protocol;
use crate::record::{ClockRecord, FaultPolicy, FaultRecord, GameRecord, Score};
use crate::referee::{self, Ending, Report, Setup};
use crate::rules::{BySeat, Game, GameResult, Options, Seat, SeatMap};
use crate::seeds::Secret;

/// What all games of a tournament have in common.
#[derive(Debug)]
pub struct Conditions {
    /// The rules options in force.
    pub options: Options,
    /// The limits of time.
    pub control: TimeControl,
    /// What happens after a refused action.
    pub policy: FaultPolicy,
    /// The players.
    pub players: Vec<PlayerSpec>,
    /// The tournament's secret.
    pub secret: Secret,
}

/// What a slot is to do.
#[derive(Debug, Clone)]
pub enum Job {
    /// Start a player, shake hands and let it leave.
    Probe(usize),
    /// Play the game with this identity.
    Play(String, Fixture),
}

/// What a slot has done.
#[derive(Debug)]
pub enum Done {
    /// A player was started; the fault if it could not be.
    Probed(usize, Option<Fault>),
    /// A game was played.
    Played(Box<Finished>),
    /// The job was given up because the tournament is to stop.
    Stopped,
}

/// A finished game.
#[derive(Debug)]
pub struct Finished {
    /// Its record.
    pub record: GameRecord,
    /// The last exchanges of a game that ended in a fault, as JSON lines.
    pub exchanges: Option<String>,
}

/// A running slot.
#[derive(Debug)]
pub struct Slot {
    /// Where its jobs go; closing it ends the slot.
    pub jobs: mpsc::UnboundedSender<Job>,
    thread: JoinHandle<()>,
}

impl Slot {
    /// Starts slot `number`, on the cores given, if any. It reports to `done` under its number.
    pub fn start<G: Game>(
        number: usize,
        cores: Vec<usize>,
        rules: Arc<G::Rules>,
        conditions: Arc<Conditions>,
        done: mpsc::UnboundedSender<(usize, Done)>,
        stop: watch::Receiver<bool>,
    ) -> std::io::Result<Self> {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name(format!("slot {number}")).spawn(move || {
            settle_on(&cores);
            let bench = Bench::<G> { rules, conditions, idle: Vec::new() };
            runtime.block_on(work(bench, number, inbox, done, stop));
        })?;
        Ok(Self { jobs, thread })
    }

    /// Waits until the slot has ended.
    pub fn join(self) {
        drop(self.jobs);
        // A panic of the slot was printed where it happened; its games are simply not done.
        let _ = self.thread.join();
    }
}

async fn work<G: Game>(
    mut bench: Bench<G>,
    number: usize,
    mut inbox: mpsc::UnboundedReceiver<Job>,
    done: mpsc::UnboundedSender<(usize, Done)>,
    mut stop: watch::Receiver<bool>,
) {
    while let Some(job) = inbox.recv().await {
        let outcome = match job {
            Job::Probe(player) => bench.probe(player, &mut stop).await,
            Job::Play(id, fixture) => bench.play(id, fixture, &mut stop).await,
        };
        if done.send((number, outcome)).is_err() {
            break;
        }
    }
    bench.dismiss().await;
}

/// Keeps this thread, and the players it starts, on the given cores.
#[cfg(target_os = "linux")]
fn settle_on(cores: &[usize]) {
    let mut set = nix::sched::CpuSet::new();
    for &core in cores {
        if set.set(core).is_err() {
            return;
        }
    }
    if let (false, Err(error)) =
        (cores.is_empty(), nix::sched::sched_setaffinity(nix::unistd::Pid::from_raw(0), &set))
    {
        tracing::warn!(?cores, %error, "the slot cannot be kept on its core");
    }
}

#[cfg(not(target_os = "linux"))]
fn settle_on(_: &[usize]) {}

/// A reusable player that waits for its next game.
#[derive(Debug)]
struct Idle {
    number: usize,
    /// The pair it played last, by the lower number, the higher and the pair's number.
    pair: (usize, usize, u32),
    player: Player,
}

/// How many reusable players a slot keeps waiting.
const IDLE_MOST: usize = 8;

struct Bench<G: Game> {
    rules: Arc<G::Rules>,
    conditions: Arc<Conditions>,
    idle: Vec<Idle>,
}

impl<G: Game> Bench<G> {
    async fn probe(&self, number: usize, stop: &mut watch::Receiver<bool>) -> Done {
        let mut player = self.fresh(number);
        let position = G::start(&self.rules);
        let view = InitView {
            seat: Seat::First,
            position: &position,
            options: &self.conditions.options,
            control: &self.conditions.control,
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
            return Done::Stopped;
        };
        player.leave().await;
        Done::Probed(number, begun.err())
    }

    async fn play(
        &mut self,
        id: String,
        fixture: Fixture,
        stop: &mut watch::Receiver<bool>,
    ) -> Done {
        let mut void = Vec::new();
        let mut frozen = BySeat::new(false, false);
        loop {
            let mut players = self.seat_players(fixture, frozen).await;
            let seeds = self.seeds(fixture);
            let played = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => None,
                report = self.referee(fixture, seeds, &mut players) => Some(report),
            };
            let Some(report) = played else {
                players.first.kill().await;
                players.second.kill().await;
                return Done::Stopped;
            };
            let disturber = report.kept.disturbed_by.filter(|&seat| !frozen[seat]);
            let table = Cleared::<G>::clear(report, players, self, fixture, seeds).await;
            match disturber {
                None => return Done::Played(Box::new(table.finish(id, fixture, void))),
                Some(seat) => {
                    void.push(table.why_void(seat));
                    frozen[seat] = true;
                }
            }
        }
    }

    async fn referee(
        &self,
        fixture: Fixture,
        seeds: BySeat<u64>,
        players: &mut BySeat<Player>,
    ) -> Report {
        let conditions = &self.conditions;
        let setup = Setup::<G> {
            rules: &self.rules,
            options: &conditions.options,
            control: &conditions.control,
            policy: conditions.policy,
            opening: &[],
            seeds,
        };
        let names = self.names(fixture);
        let mut luck = conditions.secret.luck(names.first, names.second, fixture.pair);
        referee::play(&setup, &mut luck, players, &mut |_, _| {}).await
    }

    fn names(&self, fixture: Fixture) -> BySeat<&str> {
        fixture.players.map(|number| self.conditions.players[number].name.as_str())
    }

    fn seeds(&self, fixture: Fixture) -> BySeat<u64> {
        let names = self.names(fixture);
        BySeat::from_fn(|seat| {
            self.conditions.secret.player_seed(names[seat], names[!seat], fixture.pair)
        })
    }

    async fn seat_players(&mut self, fixture: Fixture, frozen: BySeat<bool>) -> BySeat<Player> {
        let pair = pair_of(fixture);
        let mut players = BySeat::new(
            self.take(fixture.players.first, pair).await,
            self.take(fixture.players.second, pair).await,
        );
        for seat in Seat::BOTH {
            if frozen[seat] {
                players[seat].freeze_off_turn();
            }
        }
        players
    }

    /// A player that waits from another pair, or a fresh one: between the two games of a pair a
    /// player is always a fresh process.
    async fn take(&mut self, number: usize, pair: (usize, usize, u32)) -> Player {
        let Some(at) = self.idle.iter().position(|idle| idle.number == number) else {
            return self.fresh(number);
        };
        let mut idle = self.idle.swap_remove(at);
        if idle.pair == pair {
            idle.player.leave().await;
            return self.fresh(number);
        }
        idle.player
    }

    fn fresh(&self, number: usize) -> Player {
        Player::Wire(Box::new(Wire::process(Launch::of(&self.conditions.players[number]))))
    }

    /// Lets a player go after its game: it leaves, or waits when it can be used again.
    async fn release(
        &mut self,
        number: usize,
        fixture: Fixture,
        mut player: Player,
        faulted: bool,
    ) -> player::Remains {
        let reusable = self.conditions.players[number].reusable && !faulted && !player.owes();
        if !reusable {
            return player.leave().await;
        }
        let remains = player.remains();
        if self.idle.len() == IDLE_MOST {
            self.idle.remove(0).player.leave().await;
        }
        self.idle.push(Idle { number, pair: pair_of(fixture), player });
        remains
    }

    async fn dismiss(&mut self) {
        for mut idle in self.idle.drain(..) {
            idle.player.leave().await;
        }
    }
}

fn pair_of(fixture: Fixture) -> (usize, usize, u32) {
    let BySeat { first, second } = fixture.players;
    (first.min(second), first.max(second), fixture.pair)
}

/// A game that is over, its players gone.
struct Cleared<G> {
    report: Report,
    names: BySeat<String>,
    seeds: BySeat<u64>,
    remains: BySeat<player::Remains>,
    exchanges: Option<String>,
    game: std::marker::PhantomData<G>,
}

impl<G: Game> Cleared<G> {
    async fn clear(
        report: Report,
        players: BySeat<Player>,
        bench: &mut Bench<G>,
        fixture: Fixture,
        seeds: BySeat<u64>,
    ) -> Self {
        let names = bench.names(fixture).map(str::to_owned);
        let faulted = matches!(report.ending, Ending::Faults(_));
        let exchanges = faulted.then(|| exchanges_of(G::SEATS, &names, &players));
        let fault = |seat| report.ending.fault(seat).is_some();
        let (first, second) = (fixture.players.first, fixture.players.second);
        let remains = BySeat::new(
            bench.release(first, fixture, players.first, fault(Seat::First)).await,
            bench.release(second, fixture, players.second, fault(Seat::Second)).await,
        );
        Self { report, names, seeds, remains, exchanges, game: std::marker::PhantomData }
    }

    fn why_void(&self, disturber: Seat) -> String {
        format!(
            "{} lost on time while {} used {} of CPU time on the opponent's turns; \
             played again with {} frozen off turn",
            self.names[!disturber],
            self.names[disturber],
            diagnosis::seconds(self.remains[disturber].cpu_off_turn),
            self.names[disturber],
        )
    }

    fn finish(self, id: String, fixture: Fixture, void: Vec<String>) -> Finished {
        let warnings = self.warnings();
        let Self { report: Report { ending, kept }, names, seeds, remains, exchanges, .. } = self;
        let record = GameRecord {
            id,
            pair: fixture.pair,
            game: fixture.game,
            players: SeatMap::new(G::SEATS, names),
            seed: SeatMap::new(G::SEATS, seeds),
            rolls: kept.rolls,
            opening: kept.opening,
            actions: kept.actions,
            clock: ClockRecord {
                startup_ns: SeatMap::new(G::SEATS, kept.startup.map(nanos)),
                used_ns: SeatMap::new(
                    G::SEATS,
                    kept.used.map(|used| used.into_iter().map(nanos).collect()),
                ),
                cpu_ns: SeatMap::new(G::SEATS, remains.map(|rest| rest.cpu.map(nanos))),
            },
            result: match ending.result() {
                GameResult::Win(seat) => G::SEATS[seat].to_owned(),
                GameResult::Draw => "draw".to_owned(),
            },
            reason: ending.reason().to_owned(),
            fault: faults_of::<G>(&ending),
            scores: SeatMap::new(G::SEATS, ending.scores().map(Score)),
            plies: kept.plies,
            warnings,
            notes: kept.notes,
            reported: SeatMap::new(G::SEATS, kept.greetings.map(|greeting| greeting.said()))
                .into_said(),
            void,
        };
        Finished { record, exchanges }
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.report.kept.warnings.clone();
        for seat in Seat::BOTH {
            let (name, rest) = (G::SEATS[seat], &self.remains[seat]);
            if let Some(ply) = self.report.kept.frozen[seat] {
                warnings.push(format!(
                    "{name} pondered {} on the opponent's turns; frozen since ply {ply}",
                    diagnosis::seconds(round(rest.cpu_off_turn))
                ));
            }
            if rest.leftover > 0 {
                warnings.push(format!("{name} left processes behind: {} killed", rest.leftover));
            }
            if rest.stderr_lost > 0 {
                warnings.push(format!(
                    "{name} wrote {} bytes too many to stderr; the middle was left out",
                    rest.stderr_lost
                ));
            }
        }
        warnings
    }
}

impl SeatMap<String> {
    /// What the players said of themselves; none when neither said anything.
    fn into_said(self) -> Option<Self> {
        let silent = Seat::BOTH.into_iter().all(|seat| self[seat].is_empty());
        (!silent).then_some(self)
    }
}

fn faults_of<G: Game>(ending: &Ending) -> Option<FaultRecord> {
    let faults: FaultRecord = Seat::BOTH
        .into_iter()
        .filter_map(|seat| Some((G::SEATS[seat].to_owned(), ending.fault(seat)?.clone())))
        .collect();
    (!faults.is_empty()).then_some(faults)
}

fn round(duration: Duration) -> Duration {
    Duration::from_millis((protocol::millis(duration) + 50) / 100 * 100)
}

#[expect(clippy::cast_possible_truncation, reason = "584 years fit")]
fn nanos(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

/// The last lines both ways in the order of their times, then what was kept of each stderr, as
/// JSON lines.
fn exchanges_of(
    seats: BySeat<&'static str>,
    names: &BySeat<String>,
    players: &BySeat<Player>,
) -> String {
    let mut lines = Vec::new();
    for seat in Seat::BOTH {
        lines.extend(players[seat].exchanges().into_iter().map(|exchange| (seat, exchange)));
    }
    lines.sort_by_key(|(_, exchange)| exchange.at);
    let began = lines.first().map(|(_, exchange)| exchange.at);
    let mut text = String::new();
    for (seat, exchange) in &lines {
        let way = match exchange.direction {
            Direction::ToPlayer => "to",
            Direction::FromPlayer => "from",
        };
        let at = began.map_or(Duration::ZERO, |began| exchange.at - began);
        let line = serde_json::json!({
            "at_us": u64::try_from(at.as_micros()).unwrap_or(u64::MAX),
            "seat": seats[*seat], "player": names[*seat],
            way: String::from_utf8_lossy(&exchange.line),
        });
        text.push_str(&line.to_string());
        text.push('\n');
    }
    for seat in Seat::BOTH {
        let stderr = players[seat].stderr();
        if !stderr.is_empty() {
            let line = serde_json::json!({
                "seat": seats[seat], "player": names[seat],
                "stderr": String::from_utf8_lossy(&stderr),
            });
            text.push_str(&line.to_string());
            text.push('\n');
        }
    }
    text
}
