//! Measures the cost of a move in the referee, compared with a bare ping-pong over the same pipes.
//!
//! `cargo bench` first prints the moves per second of a whole run against two bare ping-pongs. It
//! then prints the referee's own CPU time and the wall time per move, including rules, clock and
//! record, with two instant players on the referee's core, as multiples of those of the ping-pong.
//! Each ratio is the median of several rounds, which measure both one after the other. The players
//! replay a recorded game from a file, so they cost almost nothing. They are this same program,
//! started with `--instant`.
//!
//! It then prints the cost of containment at each level available on this machine: of starting a
//! player (from its process to its handshake), and of a move.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod instant;
mod program;

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use instant::{
    INSTANT, InstantPlayer, Outcome, RoundTrip, Script, cpu, median, options, ping_pong,
    stay_on_core,
};
use program::referee;
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
use referee_games::{BySeat, Game, GameKind};
use referee_sandbox::{Command as PlayerCommand, Level, serve_as_supervisor};

/// The number of rounds.
const ROUNDS: usize = 7;
/// The number of games per measurement.
const GAMES: usize = 15;
/// How long a player takes for a move in the test of freezing.
const PAUSE: Duration = Duration::from_millis(5);
/// The number of pairs of games in a run.
const PAIRS: usize = 200;
/// The parts of messages that the players want, one row of the table each.
const WANTS: [&str; 3] = ["[]", "[\"events\"]", "[\"state\",\"events\",\"legal\"]"];

fn main() -> Outcome<()> {
    if serve_as_supervisor().is_some() {
        return Ok(());
    }
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if instant::serve(&args)? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    // If the bench runs as root, contained players have another user.
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    let script = Script::write(folder.path())?;
    match args[..] {
        ["play", wants] => {
            stay_on_core(0)?;
            referee_cost(&script, wants, &Arc::new(Sandbox::off())).map(drop)
        }
        ["local", wants] => local_games(&script, wants),
        ["run"] => runs(&script),
        _ => {
            runs(&script)?;
            stay_on_core(0)?;
            moves(&script)?;
            levels(&script)
        }
    }
}

/// Prints the speed of whole runs compared with ping-pongs on the same cores.
fn runs(script: &Script) -> Outcome<()> {
    let mut ratios = Vec::new();
    let mut speeds = Vec::new();
    for _ in 0..ROUNDS {
        let bare = ping_pongs()?;
        let speed = run_speed(script)?;
        ratios.push(speed / bare);
        speeds.push(speed);
    }
    println!(
        "a run with reusable players, two jobs: {:.0} moves per second, {:.0} % of two bare \
         ping-pongs",
        median(&mut speeds),
        100.0 * median(&mut ratios)
    );
    Ok(())
}

/// The round trips a second of two ping-pongs at once, each on a core of its own.
fn ping_pongs() -> Outcome<f64> {
    let on_core = |core| {
        std::thread::spawn(move || -> Result<RoundTrip, String> {
            stay_on_core(core).and_then(|()| ping_pong()).map_err(|error| error.to_string())
        })
    };
    let both = [on_core(0), on_core(1)];
    let mut speed = 0.0;
    for one in both {
        speed += 1e6 / one.join().map_err(|_| "a ping-pong panicked")??.wall;
    }
    Ok(speed)
}

/// The moves per second of a run, from the start of the command to its end.
fn run_speed(script: &Script) -> Outcome<f64> {
    let folder = tempfile::tempdir()?;
    let path = script.path.display();
    let program = std::env::current_exe()?;
    let player = |name| {
        format!(
            "[[players]]\nname = \"{name}\"\nreusable = true\n\
             command = [\"{}\", \"{INSTANT}\", \"{path}\", \"[]\", \"0\"]\n",
            program.display()
        )
    };
    let settings = format!(
        "name = \"bench\"\ngame = \"watch-your-back\"\nseed = 7\npairs = {PAIRS}\njobs = 2\n\
         [containment]\nlevel = \"off\"\n{}{}",
        player("ant"),
        player("bee")
    );
    std::fs::write(folder.path().join("tournament.toml"), settings)?;
    let began = Instant::now();
    referee(folder.path(), &["run", "--quiet"])?;
    let moves = u32::try_from(2 * PAIRS * script.plies)?;
    Ok(f64::from(moves) / began.elapsed().as_secs_f64())
}

/// Prints the cost of a move compared with a bare ping-pong.
fn moves(script: &Script) -> Outcome<()> {
    let sandbox = Arc::new(Sandbox::off());
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    let mut ratios: [[Vec<f64>; 2]; 3] = Default::default();
    for _ in 0..ROUNDS {
        let bare = ping_pong()?;
        cpu.push(bare.cpu);
        wall.push(bare.wall);
        for (wants, [of_cpu, of_wall]) in WANTS.iter().zip(&mut ratios) {
            let cost = referee_cost(script, wants, &sandbox)?;
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

/// Prints the cost of each level, compared with no containment.
fn levels(script: &Script) -> Outcome<()> {
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
        let cost = referee_cost(script, "[\"events\"]", &sandbox)?;
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
            frozen(script, &sandbox)?,
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
fn frozen(script: &Script, sandbox: &Arc<Sandbox>) -> Outcome<f64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut walls = Vec::new();
    for freezes in [false, true] {
        let mut players = both(script, "[\"events\"]", PAUSE, sandbox)?;
        if freezes {
            players.first.freeze_off_turn();
            players.second.freeze_off_turn();
        }
        let game = runtime.block_on(one_game(players, script))?;
        walls.push(game.wall.as_secs_f64() * 1e3);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred moves")]
    let moves = script.plies as f64;
    Ok((walls[1] - walls[0]) / moves)
}

/// The cost of a game, from a few of them.
fn referee_cost(script: &Script, wants: &str, sandbox: &Arc<Sandbox>) -> Outcome<Cost> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut spent, mut lasted) = (0.0, 0.0);
    let mut starts = Vec::new();
    for _ in 0..GAMES {
        let players = both(script, wants, Duration::ZERO, sandbox)?;
        let game = runtime.block_on(one_game(players, script))?;
        spent += game.cpu;
        lasted += game.wall.as_secs_f64() * 1e6;
        starts.extend(game.starts.map(|start| start.as_secs_f64() * 1e3));
    }
    #[expect(clippy::cast_precision_loss, reason = "a few thousand moves")]
    let moves = (GAMES * script.plies) as f64;
    Ok(Cost { start: median(&mut starts), a_move: spent / moves, wall: lasted / moves })
}

/// Plays the same games with players in this process: for counting instructions.
fn local_games(script: &Script, wants: &str) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let player = || -> Outcome<Player> {
        let mut player = InstantPlayer::new(&script.path, wants)?;
        Ok(Player::Wire(Box::new(Wire::local(Box::new(move |line| player.reply(line))))))
    };
    for _ in 0..GAMES {
        runtime.block_on(one_game(BySeat::new(player()?, player()?), script))?;
    }
    Ok(())
}

/// The measurements of one game, from the first turn to the record.
struct Measured {
    /// The referee's CPU time, in microseconds.
    cpu: f64,
    wall: Duration,
    /// The startup times of both players.
    starts: [Duration; 2],
}

async fn one_game(mut players: BySeat<Player>, script: &Script) -> Outcome<Measured> {
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
    if report.trace.actions.len() != script.plies {
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
fn log(report: GameReport, statistics: BySeat<PlayerStatistics>, script: &Script) -> Outcome<f64> {
    let dir = script.path.parent().ok_or("no folder")?;
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
    script: &Script,
    wants: &str,
    pause: Duration,
    sandbox: &Arc<Sandbox>,
) -> Outcome<BySeat<Player>> {
    let one = || player(script, wants, pause, sandbox);
    Ok(BySeat::new(one()?, one()?))
}

fn player(
    script: &Script,
    wants: &str,
    pause: Duration,
    sandbox: &Arc<Sandbox>,
) -> Outcome<Player> {
    let (path, pause) = (script.path.display().to_string(), pause.as_millis().to_string());
    let command = PlayerCommand {
        args: [INSTANT, &path, wants, &pause].map(str::to_owned).into(),
        dir: std::env::current_dir()?,
        readable: vec![script.path.clone()],
        ..PlayerCommand::new(std::env::current_exe()?)
    };
    let launch = Launch { command, hosted: false, asks_rules: false };
    Ok(Player::Wire(Box::new(Wire::process(launch, Arc::clone(sandbox)))))
}
