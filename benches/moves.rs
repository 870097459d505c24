//! Measures the cost of a move in the referee, compared with a bare ping-pong over the same pipes.
//!
//! `cargo bench` prints the referee's own CPU time and the wall time per move, including rules,
//! clock and record, with two instant players on the referee's core, as multiples of those of the
//! ping-pong. Each ratio is the median of several rounds, which measure both one after the other.
//! The players replay a recorded game from a file, so they cost almost nothing. They are this same
//! program, started with `--instant`.
//!
//! It then prints the cost of containment at each level available on this machine: of starting a
//! player (from its process to its handshake), and of a move.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::io::{BufRead, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee::disk::remove_if_there;
use referee::error::Failure;
use referee::log::{LOG, LogWriter};
use referee::model::clock::TimeControl;
use referee::model::containment::ContainmentRequest;
use referee::model::record::{FaultPolicy, Header, PlayerInfo, SCHEMA};
use referee::model::rules::GameRules;
use referee::model::stage::{PairingRules, Stage};
use referee::player::{Launch, Player, PlayerStatistics, Sandbox, Wire};
use referee::referee::{GameReport, GameSetup, play};
use referee::run::record::RecordBuilder;
use referee::schedule::Fixture;
use referee::seeds::Luck;
use referee_games::watch_your_back::WatchYourBack;
use referee_games::{BySeat, Game, GameKind, Options, Step, Turn};
use referee_sandbox::{Command as PlayerCommand, Level, serve_as_supervisor};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The number of rounds.
const ROUNDS: usize = 7;
/// The number of games per measurement.
const GAMES: usize = 15;
/// How long a player takes for a move in the test of freezing.
const PAUSE: Duration = Duration::from_millis(5);
/// The number of round trips in the bare ping-pong.
const ROUND_TRIPS: u32 = 10_000;
/// The parts of messages that the players want, one row of the table each.
const WANTS: [&str; 3] = ["[]", "[\"events\"]", "[\"state\",\"events\",\"legal\"]"];

fn main() -> Outcome<()> {
    if serve_as_supervisor().is_some() {
        return Ok(());
    }
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("--instant") => instant(&args[2], &args[3], &args[4], &args[5]),
        Some("--echo") => echo(),
        _ => measure(),
    }
}

fn measure() -> Outcome<()> {
    stay_on_one_core()?;
    let folder = tempfile::tempdir()?;
    // If the bench runs as root, contained players have another user.
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    let script = folder.path().join("actions");
    let actions = long_game()?;
    std::fs::write(&script, actions.join("\n"))?;
    let script = script.to_string_lossy().into_owned();
    moves(&script, actions.len())?;
    levels(&script, actions.len())
}

/// Prints the cost of a move compared with a bare ping-pong.
fn moves(script: &str, plies: usize) -> Outcome<()> {
    let sandbox = Arc::new(Sandbox::off());
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    let mut ratios: [[Vec<f64>; 2]; 3] = Default::default();
    for _ in 0..ROUNDS {
        let bare = ping_pong()?;
        cpu.push(bare.cpu);
        wall.push(bare.wall);
        for (wants, [of_cpu, of_wall]) in WANTS.iter().zip(&mut ratios) {
            let cost = referee_cost(script, wants, plies, &sandbox)?;
            of_cpu.push(cost.a_move / bare.cpu);
            of_wall.push(cost.wall / bare.wall);
        }
    }
    println!(
        "bare ping-pong over pipes: {:.2} µs of the parent's CPU time, {:.2} µs of wall time",
        median(&mut cpu),
        median(&mut wall)
    );
    println!("{:30} {:>10} {:>10}", "a move, by what is wanted", "CPU time", "wall time");
    for (wants, [of_cpu, of_wall]) in WANTS.iter().zip(&mut ratios) {
        println!("{wants:30} {:8.2} × {:8.2} ×", median(of_cpu), median(of_wall));
    }
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints the cost of each level, compared with no containment.
fn levels(script: &str, plies: usize) -> Outcome<()> {
    let mut least: Option<Cost> = None;
    for level in Level::ALL {
        let request = ContainmentRequest { level: Some(level), ..ContainmentRequest::default() };
        let sandbox = match Sandbox::resolve(&request).map_err(Failure::from) {
            Ok(sandbox) => Arc::new(sandbox),
            Err(failure) => {
                println!("{level:7} skipped: {failure}");
                continue;
            }
        };
        let cost = referee_cost(script, "[\"events\"]", plies, &sandbox)?;
        let off = *least.get_or_insert(cost);
        println!(
            "{level:7} {:7.2} ms a start, {:+.2} ms; {:6.2} µs a move, {:.2} ×; {:6.2} µs of wall \
             time a move, {:.2} ×; {:+.2} ms of it \
             where players are frozen off turn",
            cost.start,
            cost.start - off.start,
            cost.a_move,
            cost.a_move / off.a_move,
            cost.wall,
            cost.wall / off.wall,
            frozen(script, plies, &sandbox)?,
        );
    }
    Ok(())
}

/// The cost of players.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// The median time from the start of a process to the end of the handshake, in milliseconds.
    start: f64,
    /// The referee's CPU time per move, in microseconds.
    a_move: f64,
    /// The wall time per move, in microseconds.
    wall: f64,
}

/// The extra wall time per move, in milliseconds, if each player is frozen outside its turn. The
/// players take [`PAUSE`] per move, because otherwise none would ever be fully frozen.
fn frozen(script: &str, plies: usize, sandbox: &Arc<Sandbox>) -> Outcome<f64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut walls = Vec::new();
    for freezes in [false, true] {
        let mut players = both(script, "[\"events\"]", PAUSE, sandbox)?;
        if freezes {
            players.first.freeze_off_turn();
            players.second.freeze_off_turn();
        }
        let game = runtime.block_on(one_game(players, script, plies))?;
        walls.push(game.wall.as_secs_f64() * 1e3);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred moves")]
    let moves = plies as f64;
    Ok((walls[1] - walls[0]) / moves)
}

/// The CPU time of this thread, in microseconds.
fn cpu() -> Outcome<f64> {
    let now = Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?);
    Ok(now.as_secs_f64() * 1e6)
}

fn stay_on_one_core() -> Outcome<()> {
    let mut set = CpuSet::new();
    set.set(0)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// A long random game from a fixed seed.
fn long_game() -> Outcome<Vec<String>> {
    let rules = Arc::new(WatchYourBack::rules(&options()?)?);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    loop {
        let mut position = WatchYourBack::start(&rules);
        let mut actions = Vec::new();
        while let Turn::Move(seat) = position.turn() {
            let legal = position.legal_actions(seat);
            let action = legal[random.random_range(0..legal.len())];
            actions.push(action.to_string());
            position.play_silently(Step::Move(action));
        }
        if matches!(position.turn(), Turn::Over(_)) && actions.len() >= 200 {
            return Ok(actions);
        }
    }
}

fn options() -> Outcome<Options> {
    Ok(Options::resolve(WatchYourBack::OPTIONS, [])?)
}

/// The cost of a round trip, in microseconds.
struct RoundTrip {
    /// CPU time of the parent.
    cpu: f64,
    wall: f64,
}

/// Measures a line to a process and back, with nothing else.
fn ping_pong() -> Outcome<RoundTrip> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("--echo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let mut buffer = [0; 64];
    let mut round = || -> Outcome<()> {
        to.write_all(b"ping\n")?;
        let read = from.read(&mut buffer)?;
        if read == 5 { Ok(()) } else { Err("the echo is not whole".into()) }
    };
    round()?;
    let (before, began) = (cpu()?, Instant::now());
    for _ in 0..ROUND_TRIPS {
        round()?;
    }
    let (spent, wall) = (cpu()? - before, began.elapsed().as_secs_f64() * 1e6);
    drop(to);
    child.wait()?;
    let trips = f64::from(ROUND_TRIPS);
    Ok(RoundTrip { cpu: spent / trips, wall: wall / trips })
}

/// The cost of a game, from a few of them.
fn referee_cost(script: &str, wants: &str, plies: usize, sandbox: &Arc<Sandbox>) -> Outcome<Cost> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut spent, mut lasted) = (0.0, 0.0);
    let mut starts = Vec::new();
    for _ in 0..GAMES {
        let players = both(script, wants, Duration::ZERO, sandbox)?;
        let game = runtime.block_on(one_game(players, script, plies))?;
        spent += game.cpu;
        lasted += game.wall.as_secs_f64() * 1e6;
        starts.extend(game.starts.map(|start| start.as_secs_f64() * 1e3));
    }
    #[expect(clippy::cast_precision_loss, reason = "a few thousand moves")]
    let moves = (GAMES * plies) as f64;
    Ok(Cost { start: median(&mut starts), a_move: spent / moves, wall: lasted / moves })
}

/// The measurements of one game, from the first turn to the record.
struct Measured {
    /// The referee's CPU time, in microseconds.
    cpu: f64,
    wall: Duration,
    /// The startup times of both players.
    starts: [Duration; 2],
}

async fn one_game(mut players: BySeat<Player>, script: &str, plies: usize) -> Outcome<Measured> {
    let rules = GameRules::new(GameKind::WatchYourBack.shared(), options()?)?;
    let control = control();
    let setup = GameSetup {
        rules: &rules,
        control: &control,
        policy: FaultPolicy::Lose,
        opening: &[],
        seeds: BySeat::new(1, 2),
    };
    let mut luck = Luck::from_key([0; 32]);
    let (mut first, mut last) = (None, 0.0);
    let (mut began, mut ended) = (None, Instant::now());
    let report = play(&setup, &mut luck, &mut players, &mut |_, _| {
        last = cpu().unwrap_or(f64::NAN);
        first.get_or_insert(last);
        ended = Instant::now();
        began.get_or_insert(ended);
    })
    .await?;
    if report.trace.actions.len() != plies {
        return Err(format!("the game ended early: {:?}", report.ending).into());
    }
    let starts = [report.trace.startup.first, report.trace.startup.second];
    let statistics = BySeat::new(players.first.leave().await, players.second.leave().await);
    let recorded = log(report, statistics, script)?;
    Ok(Measured {
        cpu: last - first.unwrap_or(f64::NAN) + recorded,
        wall: ended - began.unwrap_or(ended),
        starts,
    })
}

/// The CPU time to write the record to a log beside the script, in microseconds.
fn log(report: GameReport, statistics: BySeat<PlayerStatistics>, script: &str) -> Outcome<f64> {
    let dir = Path::new(script).parent().ok_or("no folder")?;
    remove_if_there(&dir.join(LOG))?;
    let mut log = LogWriter::create(dir, &header())?;
    let names = BySeat::new("ant".to_owned(), "bee".to_owned());
    let seats = WatchYourBack::SEATS.map(Into::into);
    let seeds = BySeat::new(1, 2);
    let builder = RecordBuilder { seats, names, seeds, report, statistics, wall: Duration::ZERO };
    let fixture = Fixture { players: BySeat::new(0, 1), pair: 1, game: 1 };
    let before = cpu()?;
    log.append(&builder.build("a-game".to_owned(), fixture, Vec::new()))?;
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
    let player = |name: &str| PlayerInfo {
        name: name.to_owned(),
        command: String::new(),
        hash: String::new(),
        takes_openings: true,
    };
    Header {
        schema: SCHEMA.to_owned(),
        version: String::new(),
        tournament: "bench".to_owned(),
        identity: "bench".to_owned(),
        created: 0,
        game: "watch-your-back".to_owned(),
        program: None,
        seats: ["white", "black"].map(str::to_owned),
        options: serde_json::Map::new(),
        clock: control(),
        fault_policy: FaultPolicy::Lose,
        quarantine: 0,
        stages: vec![Stage::round_robin(1)],
        pairing_rules: PairingRules::Second,
        drawn: false,
        openings: None,
        containment: Sandbox::off().record(),
        seed: None,
        anchors: Vec::new(),
        players: ["ant", "bee"].map(player).into(),
        changes: Vec::new(),
    }
}

fn both(
    script: &str,
    wants: &str,
    pause: Duration,
    sandbox: &Arc<Sandbox>,
) -> Outcome<BySeat<Player>> {
    let pause = pause.as_millis().to_string();
    let one = |at: &str| player([script, wants, &pause, at], sandbox);
    Ok(BySeat::new(one("0")?, one("1")?))
}

fn player(args: [&str; 4], sandbox: &Arc<Sandbox>) -> Outcome<Player> {
    let [script, ..] = args;
    let command = PlayerCommand {
        args: ["--instant"].into_iter().chain(args).map(str::to_owned).collect(),
        dir: std::env::current_dir()?,
        readable: vec![script.into()],
        ..PlayerCommand::new(std::env::current_exe()?)
    };
    let launch = Launch { command, hosted: false };
    Ok(Player::Wire(Box::new(Wire::process(launch, Arc::clone(sandbox)))))
}

/// A player that replays every second action of a file, from the first or the second, and waits for
/// `pause` milliseconds before each.
fn instant(script: &str, wants: &str, pause: &str, at: &str) -> Outcome<()> {
    let pause = Duration::from_millis(pause.parse()?);
    let text = std::fs::read_to_string(script)?;
    let mut actions = text.lines().skip(at.parse()?).step_by(2);
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        if line.starts_with("{\"type\":\"init\"") {
            writeln!(output, "{{\"id\":0,\"want\":{wants}}}")?;
        } else if line.starts_with("{\"type\":\"turn\"") {
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            let mut reply = actions.next().unwrap_or("none").to_owned();
            reply.push('\n');
            output.write_all(reply.as_bytes())?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn echo() -> Outcome<()> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut buffer = [0; 64];
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        output.write_all(&buffer[..read])?;
        output.flush()?;
    }
}
