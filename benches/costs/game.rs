//! Measures the referee's cost of games between instant players.

use referee_games::Seat;
use std::sync::Arc;
use std::time::{Duration, Instant};

use referee_games::watch_your_back::WatchYourBack;
use referee_games::{BySeat, Game, GameKind};
use referee_match::player::{
    GuessRight, OutageRight, Player, PlayerLaunch, PlayerSandbox, PlayerStatistics, Wire,
};
use referee_match::referee::{GameReport, GameSetup, play_refereed_game};
use referee_protocol::NOTE_LIMIT;
use referee_record::disk::remove_if_there;
use referee_record::log::{LOG, LogWriter};
use referee_record::model::clock::TimeControl;
use referee_record::model::fixture::Fixture;
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::{FaultPolicy, Header, HeaderPlayer, SCHEMA};
use referee_record::model::seat_usage::UsageLimit;
use referee_record::model::stage::{RankedBy, Stage};
use referee_record::seeds::SeededLuck;
use referee_sandbox::Command as PlayerCommand;
use referee_tournament::run::game_record::{GameRecordBuilder, VoidAttempts};

use crate::instant::{INSTANT, InstantPlayer, RoundTrip, Script, options};
use crate::measure::{Outcome, cpu, median};

/// The number of games per measurement.
const GAMES: usize = 15;

/// The cost of games between two players.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GameCost {
    /// The median time from the start of a process to the end of the handshake, in milliseconds.
    pub(crate) start: f64,
    /// The referee's CPU time per move and the wall time per move, with the record.
    pub(crate) a_move: RoundTrip,
}

impl GameCost {
    /// The cost of a few games.
    pub(crate) fn measure(
        script: &Script,
        wants: &str,
        sandbox: &Arc<PlayerSandbox>,
    ) -> Outcome<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (mut cpu, mut wall) = (0.0, 0.0);
        let mut starts = Vec::new();
        for _ in 0..GAMES {
            let players = both(script, wants, Duration::ZERO, sandbox)?;
            let game = runtime.block_on(one_game(players, script))?;
            cpu += game.cpu;
            wall += game.wall.as_secs_f64() * 1e6;
            starts.extend(game.starts.map(|start| start.as_secs_f64() * 1e3));
        }
        #[expect(clippy::cast_precision_loss, reason = "a few thousand moves")]
        let moves = (GAMES * script.plies) as f64;
        let a_move = RoundTrip { cpu: cpu / moves, wall: wall / moves };
        Ok(Self { start: median(&mut starts), a_move })
    }
}

/// Plays the same games with players in this process: for counting instructions.
pub(crate) fn local_games(script: &Script, wants: &str) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let player = || -> Outcome<Player> {
        let mut player = InstantPlayer::new(&script.path, wants)?;
        Ok(Player::Wire(Box::new(Wire::local(Box::new(move |line| player.reply(line))))))
    };
    for _ in 0..GAMES {
        runtime.block_on(one_game(BySeat::from([player()?, player()?]), script))?;
    }
    Ok(())
}

/// The measurements of one game, from the first action to the record.
pub(crate) struct Measured {
    /// The referee's CPU time, in microseconds.
    cpu: f64,
    pub(crate) wall: Duration,
    /// The startup times of both players.
    starts: [Duration; 2],
}

/// Plays a game and records it.
pub(crate) async fn one_game(mut players: BySeat<Player>, script: &Script) -> Outcome<Measured> {
    let rules = GameRules::new(GameKind::WatchYourBack.shared(), options()?)?;
    let control = control();
    let setup = GameSetup {
        rules: &rules,
        control: &control,
        tc: BySeat::default_for(2),
        policy: FaultPolicy::Lose,
        adjudication: None,
        opening: &[],
        seeds: BySeat::from([1, 2]),
    };
    let mut luck = SeededLuck::from_key([0; 32]);
    // Reading the CPU clock is a system call, so it is read only when the first action was played.
    let mut first = None;
    let report = play_refereed_game(&setup, &mut luck, &mut players, &mut |_, _| {
        if first.is_none() {
            first = Some((cpu().unwrap_or(f64::NAN), Instant::now()));
        }
    })
    .await?;
    let (last, ended) = (cpu()?, Instant::now());
    let (first, began) = first.ok_or("no action was played")?;
    if report.trace.actions.len() != script.plies {
        return Err(format!("the game ended early: {:?}", report.ending).into());
    }
    let starts = [report.trace.startup[Seat::FIRST], report.trace.startup[Seat::SECOND]];
    let mut statistics = Vec::new();
    for player in players.values_mut() {
        statistics.push(player.leave().await);
    }
    let statistics = statistics.into_iter().collect();
    let recorded = log(report, statistics, script)?;
    Ok(Measured { cpu: last - first + recorded, wall: ended - began, starts })
}

/// The CPU time to write the record to a log beside the script, in microseconds.
fn log(report: GameReport, statistics: BySeat<PlayerStatistics>, script: &Script) -> Outcome<f64> {
    let dir = script.path.parent().ok_or("no folder")?;
    remove_if_there(&dir.join(LOG))?;
    let mut log = LogWriter::create(dir, &header())?;
    let names = BySeat::from(["ant".to_owned(), "bee".to_owned()]);
    let seats = WatchYourBack::SEATS.map(Into::into).into();
    let seeds = BySeat::from([1, 2]);
    let builder =
        GameRecordBuilder { seats, names, seeds, report, statistics, wall: Duration::ZERO };
    let fixture = Fixture { players: [0, 1].into(), pair: 1, game: 1 };
    let before = cpu()?;
    log.append(&builder.build("a-game".to_owned(), fixture, VoidAttempts::default()))?;
    Ok(cpu()? - before)
}

fn control() -> TimeControl {
    TimeControl {
        budget: Some(Duration::from_secs(60)),
        per_move: Some(Duration::from_secs(5)),
        ..TimeControl::unlimited(Duration::from_secs(10))
    }
}

/// The header of a log of two players.
fn header() -> Header {
    let player = |name: &str| HeaderPlayer {
        name: name.to_owned(),
        command: String::new(),
        hash: String::new(),
        tc: None,
        takes_openings: true,
        restart: true,
        outages: 0,
        usage: UsageLimit::default(),
        disqualified: None,
        drawn_before: None,
        entry: None,
        left: None,
    };
    Header {
        schema: SCHEMA.to_owned(),
        version: String::new(),
        tournament: "bench".to_owned(),
        identity: "bench".to_owned(),
        created: 0,
        game: "watch-your-back".to_owned(),
        program: None,
        seats: ["white", "black"].map(str::to_owned).into(),
        options: serde_json::Map::new(),
        clock: control(),
        fault_policy: FaultPolicy::Lose,
        adjudication: None,
        quarantine: 0,
        rank: RankedBy::Ratings,
        stages: vec![Stage::round_robin(1)],
        drawn: false,
        openings: None,
        book: None,
        containment: PlayerSandbox::off().record(),
        seed: None,
        anchors: Vec::new(),
        players: ["ant", "bee"].map(player).into(),
        continues: None,
        changes: Vec::new(),
    }
}

/// Two instant players, which wait for `pause` before each action.
pub(crate) fn both(
    script: &Script,
    wants: &str,
    pause: Duration,
    sandbox: &Arc<PlayerSandbox>,
) -> Outcome<BySeat<Player>> {
    let one = || player(script, wants, pause, sandbox);
    Ok(BySeat::from([one()?, one()?]))
}

fn player(
    script: &Script,
    wants: &str,
    pause: Duration,
    sandbox: &Arc<PlayerSandbox>,
) -> Outcome<Player> {
    let (path, pause) = (script.path.display().to_string(), pause.as_millis().to_string());
    let command = PlayerCommand {
        args: [INSTANT, &path, wants, &pause].map(str::to_owned).into(),
        dir: std::env::current_dir()?,
        readable: vec![script.path.clone()],
        ..PlayerCommand::new(std::env::current_exe()?)
    };
    let launch = PlayerLaunch {
        command,
        bridged: false,
        asks_rules: false,
        engine: None,
        guesses: GuessRight::Denied,
        outages: OutageRight::Denied,
        note_limit: NOTE_LIMIT,
    };
    Ok(Player::process(launch, Arc::clone(sandbox)))
}
