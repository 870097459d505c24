//! Measures what a move between chess engines costs that answer at once, in short and in long games,
//! compared with a bare ping-pong over the same pipes. A move has two round trips: one for
//! `isready`, one for the search.

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_games::chess::Chess;
use referee_games::two_player::{Step, Turn};
use referee_games::{BySeat, Game, GameKind, Options};
use referee_match::player::{GuessRight, OutageRight, Player, PlayerLaunch, PlayerSandbox};
use referee_match::referee::{GameSetup, play_refereed_game};
use referee_protocol::NOTE_LIMIT;
use referee_record::model::adjudication::Adjudication;
use referee_record::model::clock::TimeControl;
use referee_record::model::game_rules::GameRules;
use referee_record::model::player_spec::EngineSettings;
use referee_record::model::record::FaultPolicy;
use referee_record::seeds::SeededLuck;
use referee_sandbox::{Command as PlayerCommand, Level};

use crate::instant::{RoundTrip, on_core, ping_pong};
use crate::levels::sandbox;
use crate::measure::{Outcome, ROUNDS, cpu};
use crate::moves::medians;

/// The lengths of games, in plies.
pub(crate) const PLIES: [u32; 2] = [80, 400];
/// About how many moves each measurement has.
const MOVES: u32 = 8_000;
/// The first argument of an engine. Its script follows.
const ENGINE: &str = "--engine";

/// The cost of a move between engines, with both on the referee's core, as multiples of the
/// ping-pong's, for each of [`PLIES`].
#[derive(Debug)]
pub(crate) struct EngineCosts(pub(crate) [RoundTrip; PLIES.len()]);

impl EngineCosts {
    /// Medians of several rounds, which measure everything in turn.
    pub(crate) fn measure(folder: &Path, level: Level) -> Outcome<Self> {
        let (script, sandbox) = (long_game(folder)?, sandbox(level)?);
        on_core(0, || {
            let mut ratios = PLIES.map(|_| Vec::new());
            for _ in 0..ROUNDS {
                let bare = ping_pong()?;
                for (plies, ratios) in PLIES.into_iter().zip(&mut ratios) {
                    let cost = games(&script, plies, &sandbox)?;
                    let (cpu, wall) = (cost.cpu / bare.cpu, cost.wall / bare.wall);
                    ratios.push(RoundTrip { cpu, wall });
                }
            }
            Ok(Self(ratios.map(|ratios| medians(&ratios))))
        })
    }
}

/// Prints the cost of a move at some levels.
pub(crate) fn print(folder: &Path) -> Outcome<()> {
    println!("{:30} {:>10} {:>10}", "a move between engines", "CPU time", "wall time");
    for level in [Level::Off, Level::Strict] {
        let EngineCosts(ratios) = EngineCosts::measure(folder, level)?;
        for (plies, ratio) in PLIES.iter().zip(ratios) {
            let what = format!("{level}, games of {plies} plies");
            println!("{what:30} {:8.2} × {:8.2} ×", ratio.cpu, ratio.wall);
        }
    }
    Ok(())
}

/// The referee's CPU time and the wall time per move of games between engines that are kept.
fn games(script: &Path, plies: u32, sandbox: &Arc<PlayerSandbox>) -> Outcome<RoundTrip> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut players = BySeat::from([player(script, sandbox)?, player(script, sandbox)?]);
    runtime.block_on(async {
        // The first game starts the engines.
        one_game(&mut players, plies).await?;
        let (before, began) = (cpu()?, Instant::now());
        let count = MOVES / plies;
        for _ in 0..count {
            one_game(&mut players, plies).await?;
        }
        let (spent, wall) = (cpu()? - before, began.elapsed().as_secs_f64() * 1e6);
        for player in players.values_mut() {
            player.leave().await;
        }
        let moves = f64::from(count * plies);
        Ok(RoundTrip { cpu: spent / moves, wall: wall / moves })
    })
}

async fn one_game(players: &mut BySeat<Player>, plies: u32) -> Outcome<()> {
    let setup = GameSetup {
        rules: &GameRules::new(GameKind::Chess.shared(), options()?)?,
        control: &TimeControl {
            budget: Some(Duration::from_secs(60)),
            ..TimeControl::unlimited(Duration::from_secs(10))
        },
        tc: BySeat::default_for(2),
        policy: FaultPolicy::Lose,
        adjudication: Some(Adjudication { length: Some(plies), ..Adjudication::default() }),
        opening: &[],
        seeds: BySeat::from([1, 2]),
    };
    let report =
        play_refereed_game(&setup, &mut SeededLuck::from_key([0; 32]), players, &mut |_, _| ())
            .await?;
    if report.trace.plies == plies {
        return Ok(());
    }
    Err(format!("the game ended early: {:?}", report.ending).into())
}

fn player(script: &Path, sandbox: &Arc<PlayerSandbox>) -> Outcome<Player> {
    let command = PlayerCommand {
        args: vec![ENGINE.to_owned(), script.display().to_string()],
        dir: std::env::current_dir()?,
        readable: vec![script.to_owned()],
        ..PlayerCommand::new(std::env::current_exe()?)
    };
    let launch = PlayerLaunch {
        command,
        bridged: false,
        asks_rules: false,
        engine: Some(EngineSettings::default()),
        guesses: GuessRight::Denied,
        outages: OutageRight::Denied,
        note_limit: NOTE_LIMIT,
    };
    Ok(Player::process(launch, Arc::clone(sandbox)))
}

fn options() -> Outcome<Options> {
    Ok(Options::resolve(&Chess::sheet().options, [])?)
}

/// Writes a random game, long enough for all measurements, to a file in this folder, one move a
/// line.
fn long_game(folder: &Path) -> Outcome<PathBuf> {
    let rules = Arc::new(Chess::rules(&options()?)?);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    loop {
        let mut position = Chess::start(&rules);
        let mut moves = Vec::new();
        while let Turn::Move(seat) = position.turn() {
            let legal = position.legal_actions(seat);
            let action = legal[random.random_range(0..legal.len())];
            moves.push(action.to_string());
            position.play_silently(Step::Move(action));
        }
        if position.ply() > PLIES[1] {
            let path = folder.join("moves");
            fs::write(&path, moves.join("\n"))?;
            return Ok(path);
        }
    }
}

/// Answers as an engine, if this process was started as one.
pub(crate) fn serve(args: &[&str]) -> Outcome<bool> {
    let [ENGINE, script] = args else { return Ok(false) };
    let script = fs::read_to_string(script)?;
    let script: Vec<&str> = script.lines().collect();
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut line, mut ply) = (String::new(), 0);
    while input.read_line(&mut line)? > 0 {
        let reply = match line.split_ascii_whitespace().next() {
            Some("uci") => "uciok\n".to_owned(),
            Some("isready") => "readyok\n".to_owned(),
            Some("position") => {
                ply = line.split_once("moves ").map_or(0, |(_, moves)| 1 + blanks(moves));
                String::new()
            }
            Some("go") => {
                let best = script[ply];
                format!("info depth 5 score cp 10 nodes 1234 time 1 pv {best}\nbestmove {best}\n")
            }
            Some("quit") => break,
            _ => String::new(),
        };
        output.write_all(reply.as_bytes())?;
        output.flush()?;
        line.clear();
    }
    Ok(true)
}

fn blanks(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b' ').count()
}
