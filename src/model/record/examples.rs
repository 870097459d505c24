//! Records of games for tests.

use referee_games::{BySeat, SeatMap};
use referee_protocol::Score;

use crate::model::fault::{Fault, FaultCode};
use crate::model::record::{ClockRecord, GameRecord};

const SEATS: BySeat<&str> = BySeat::new("white", "black");

/// A finished game between two players: `white`, `black` or `draw`.
pub(crate) fn game(first: &str, second: &str, result: &str) -> GameRecord {
    let seats = |first, second| SeatMap::new(SEATS, BySeat::new(first, second));
    let score = match result {
        "white" => 1.0,
        "black" => 0.0,
        _ => 0.5,
    };
    GameRecord {
        id: format!("{first}-{second}-1-1"),
        pair: 1,
        game: 1,
        players: SeatMap::new(SEATS, BySeat::new(first.into(), second.into())),
        seed: SeatMap::new(SEATS, BySeat::new(1, 2)),
        rolls: Vec::new(),
        opening: Vec::new(),
        actions: vec!["a1".into(), "b2".into()],
        clock: ClockRecord {
            startup_ns: SeatMap::new(SEATS, BySeat::new(5, 6)),
            used_ns: SeatMap::new(SEATS, BySeat::new(vec![1_400_000, 700_000], vec![999_999])),
            cpu_ns: SeatMap::new(SEATS, BySeat::new(None, None)),
            wall_ns: 3_100_000,
        },
        result: result.into(),
        reason: "elimination".into(),
        fault: None,
        scores: seats(Score(score), Score(1.0 - score)),
        plies: 2,
        warnings: Vec::new(),
        notes: Vec::new(),
        reported: None,
        void: Vec::new(),
    }
}

/// The same game as the first of another pair, with a different fingerprint.
pub(crate) fn distinct(game: GameRecord, number: u32) -> GameRecord {
    GameRecord { pair: number, actions: vec![format!("a{number}")], ..game }
}

/// The same game with faults at these seats.
pub(crate) fn faulty(mut game: GameRecord, faults: &[(&str, FaultCode)]) -> GameRecord {
    let fault = |&(seat, code): &(&str, _)| (seat.to_owned(), Fault::new(code, "why"));
    game.fault = Some(faults.iter().map(fault).collect());
    game
}
