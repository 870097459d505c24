//! Measures the speed of whole runs, compared with ping-pongs on the same cores.

use std::time::Instant;

use crate::instant::{INSTANT, Script, on_core, ping_pong};
use crate::measure::{Outcome, ROUNDS, median};
use crate::program::referee;

/// The number of pairs of games in a run.
const PAIRS: usize = 200;

/// The speed of a whole run with two jobs.
#[derive(Debug)]
pub(crate) struct RunSpeed {
    pub(crate) moves_per_second: f64,
    /// The moves per round trip of two ping-pongs at once, each on a core of its own.
    pub(crate) share: f64,
}

impl RunSpeed {
    /// Medians of several rounds, which measure runs and ping-pongs in turn.
    pub(crate) fn measure(script: &Script) -> Outcome<Self> {
        let (mut shares, mut speeds) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let bare = ping_pongs()?;
            let speed = run_speed(script)?;
            shares.push(speed / bare);
            speeds.push(speed);
        }
        Ok(Self { moves_per_second: median(&mut speeds), share: median(&mut shares) })
    }
}

/// The round trips per second of two ping-pongs at once, each on a core of its own.
fn ping_pongs() -> Outcome<f64> {
    let both = std::thread::scope(|scope| {
        [0, 1]
            .map(|core| scope.spawn(move || on_core(core, ping_pong)))
            .map(|one| one.join().map_err(|_| "a ping-pong panicked"))
    });
    let mut speed = 0.0;
    for one in both {
        speed += 1e6 / one??.wall;
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
            "[[players]]\nname = \"{name}\"\nrestart = false\n\
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
