//! Instant players for measurements, and the bare ping-pong to compare with. Both are this same
//! program, started with another first argument.

use std::fs;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_games::two_player::{Step, Turn};
use referee_games::watch_your_back::WatchYourBack;
use referee_games::{Game, Options};

use crate::measure::{Outcome, cpu};

/// The first argument of an instant player. Its script, what it wants, and how many milliseconds it
/// waits before each action follow.
pub(crate) const INSTANT: &str = "--instant";
/// The first argument of the other side of the ping-pong.
const ECHO: &str = "--echo";
/// The number of round trips in the bare ping-pong.
const ROUND_TRIPS: u32 = 10_000;

/// Runs the player or the echo that this process was started as. Returns false if it is neither.
pub(crate) fn serve(args: &[&str]) -> Outcome<bool> {
    match args {
        [INSTANT, script, wants, pause] => instant(script, wants, pause)?,
        [ECHO] => echo()?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Answers each message at once, or `pause` milliseconds after a request for an action.
fn instant(script: &str, wants: &str, pause: &str) -> Outcome<()> {
    let pause = Duration::from_millis(pause.parse()?);
    let mut player = InstantPlayer::new(Path::new(script), wants)?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        if let Some(mut reply) = player.reply(&line) {
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            reply.push('\n');
            output.write_all(reply.as_bytes())?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

/// A player that replays the actions of its seat from a script, in every game anew.
pub(crate) struct InstantPlayer {
    actions: Vec<String>,
    wants: String,
    next: usize,
}

impl InstantPlayer {
    pub(crate) fn new(script: &Path, wants: &str) -> Outcome<Self> {
        let actions = fs::read_to_string(script)?.lines().map(str::to_owned).collect();
        Ok(Self { actions, wants: wants.to_owned(), next: 0 })
    }

    /// The reply to a message, if one is owed.
    pub(crate) fn reply(&mut self, line: &str) -> Option<String> {
        if line.starts_with("{\"type\":\"turn\"") {
            let reply = self.actions[self.next].clone();
            self.next += 2;
            return Some(reply);
        }
        let init = line.strip_prefix("{\"type\":\"init\",\"id\":")?;
        let (id, rest) = init.split_once(',')?;
        self.next = usize::from(!rest.contains("\"you\":\"white\""));
        Some(format!("{{\"id\":{id},\"want\":{}}}", self.wants))
    }
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

/// The cost of a round trip, in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundTrip {
    /// CPU time of the parent.
    pub(crate) cpu: f64,
    pub(crate) wall: f64,
}

/// Measures a line to a process and back, with nothing else.
pub(crate) fn ping_pong() -> Outcome<RoundTrip> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(ECHO)
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

/// Works on one core, with the processes that it starts.
pub(crate) fn on_core<T: Send>(
    core: usize,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> Outcome<T> {
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| stay_on_core(core).and_then(|()| work()));
        worker.join().map_err(|_| "a measurement panicked")?
    })
}

/// Keeps this thread, and the processes that it starts, on one core.
fn stay_on_core(core: usize) -> Outcome<()> {
    let mut set = CpuSet::new();
    set.set(core)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// A recorded game that instant players replay.
pub(crate) struct Script {
    /// The file, one action a line.
    pub(crate) path: PathBuf,
    /// The number of actions.
    pub(crate) plies: usize,
}

impl Script {
    /// Writes a long game to a file in this folder.
    pub(crate) fn write(folder: &Path) -> Outcome<Self> {
        let (path, actions) = (folder.join("actions"), long_game()?);
        fs::write(&path, actions.join("\n"))?;
        Ok(Self { path, plies: actions.len() })
    }
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

/// The options of the game.
pub(crate) fn options() -> Outcome<Options> {
    Ok(Options::resolve(&WatchYourBack::sheet().options, [])?)
}
