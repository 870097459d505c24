//! Measures the cost of a move in the referee, compared with a bare ping-pong over the same pipes.

use std::sync::Arc;

use referee_match::player::PlayerSandbox;

use crate::game::GameCost;
use crate::instant::{RoundTrip, Script, on_core, ping_pong};
use crate::measure::{Outcome, ROUNDS, median};

/// The parts of messages that the players want.
pub(crate) const WANTS: [&str; 3] = ["[]", "[\"events\"]", "[\"state\",\"events\",\"legal\"]"];

/// The cost of a move, with both players on the referee's core.
#[derive(Debug)]
pub(crate) struct MoveCosts {
    /// The ping-pong.
    pub(crate) bare: RoundTrip,
    /// The referee's CPU time and the wall time for each of [`WANTS`], as multiples of the
    /// ping-pong's.
    pub(crate) ratios: [RoundTrip; WANTS.len()],
}

impl MoveCosts {
    /// Medians of several rounds, which measure everything in turn.
    pub(crate) fn measure(script: &Script) -> Outcome<Self> {
        on_core(0, || {
            let mut bares = Vec::new();
            let mut ratios = WANTS.map(|_| Vec::new());
            for _ in 0..ROUNDS {
                let bare = ping_pong()?;
                for (wants, ratios) in WANTS.iter().zip(&mut ratios) {
                    let cost =
                        GameCost::measure(script, wants, &Arc::new(PlayerSandbox::off()))?.a_move;
                    let ratio = RoundTrip { cpu: cost.cpu / bare.cpu, wall: cost.wall / bare.wall };
                    ratios.push(ratio);
                }
                bares.push(bare);
            }
            Ok(Self { bare: medians(&bares), ratios: ratios.map(|ratios| medians(&ratios)) })
        })
    }
}

/// The median of each part.
pub(crate) fn medians(trips: &[RoundTrip]) -> RoundTrip {
    let of = |part: fn(&RoundTrip) -> f64| median(&mut trips.iter().map(part).collect::<Vec<_>>());
    RoundTrip { cpu: of(|trip| trip.cpu), wall: of(|trip| trip.wall) }
}

/// Prints the cost of a move.
pub(crate) fn print(script: &Script) -> Outcome<()> {
    let MoveCosts { bare, ratios } = MoveCosts::measure(script)?;
    println!(
        "bare ping-pong over pipes: {:.2} µs of the parent's CPU time, {:.2} µs of wall time",
        bare.cpu, bare.wall
    );
    println!("{:30} {:>10} {:>10}", "a move, by what is wanted", "CPU time", "wall time");
    for (wants, ratio) in WANTS.iter().zip(ratios) {
        println!("{wants:30} {:8.2} × {:8.2} ×", ratio.cpu, ratio.wall);
    }
    Ok(())
}
