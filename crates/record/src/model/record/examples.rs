//! Records of games for tests.

use std::time::Duration;

use referee_games::{BySeat, PlacesTell, RulesProgram, SeatMap};
use referee_protocol::Score;

use crate::model::clock::TimeControl;
use crate::model::containment::{Containment, PlayerLimits};
use crate::model::fault::{Fault, FaultCode};
use crate::model::record::{
    ClockRecord, FaultPolicy, GameRecord, Header, HeaderPlayer, RecordedOutages, SCHEMA,
};
use crate::model::seat_usage::SeatUsage;
use crate::model::stage::{RankedBy, Stage};
use referee_containment::Level;

const SEATS: [&str; 2] = ["white", "black"];

/// The header of a round-robin of players with these names.
pub fn header(names: &[&str]) -> Header {
    let player = |name: &&str| HeaderPlayer {
        command: String::new(),
        hash: String::new(),
        ..HeaderPlayer::for_person(name)
    };
    Header {
        schema: SCHEMA.to_owned(),
        version: "0".to_owned(),
        tournament: "cup".to_owned(),
        identity: "one".to_owned(),
        created: 0,
        game: "watch-your-back".to_owned(),
        program: None,
        seats: ["white", "black"].map(str::to_owned).into(),
        options: serde_json::Map::new(),
        clock: TimeControl::unlimited(Duration::from_secs(10)),
        fault_policy: FaultPolicy::Lose,
        adjudication: None,
        quarantine: 5,
        rank: RankedBy::Ratings,
        stages: vec![Stage::round_robin(1)],
        drawn: false,
        openings: None,
        book: None,
        containment: Containment {
            level: Level::Off,
            in_force: Vec::new(),
            limits: PlayerLimits::default(),
        },
        seed: None,
        anchors: Vec::new(),
        players: names.iter().map(player).collect(),
        continues: None,
        changes: Vec::new(),
    }
}

/// A rules program with this command.
pub fn program(command: &[&str]) -> RulesProgram {
    RulesProgram {
        command: command.iter().copied().map(str::to_owned).collect(),
        program: String::new(),
        dir: String::new(),
        configured: String::new(),
        files: Vec::new(),
        reply_ms: 1,
        hash: String::new(),
        code: String::new(),
        hidden: false,
        ranking: PlacesTell::Places,
    }
}

/// A finished game between two players: `white`, `black` or `draw`.
pub fn game(first: &str, second: &str, result: &str) -> GameRecord {
    let seats = |first, second| SeatMap::new(SEATS.into(), BySeat::from([first, second]));
    let score = match result {
        "white" => 1.0,
        "black" => 0.0,
        _ => 0.5,
    };
    GameRecord {
        id: format!("{first}-{second}-1-1"),
        pair: 1,
        game: 1,
        players: SeatMap::new(SEATS.into(), BySeat::from([first.into(), second.into()])),
        seed: SeatMap::new(SEATS.into(), BySeat::from([1, 2])),
        rolls: Vec::new(),
        final_scores: None,
        options: serde_json::Map::new(),
        opening: Vec::new(),
        actions: vec!["a1".into(), "b2".into()],
        clock: ClockRecord {
            began: 1_700_000_000,
            tc: None,
            startup_ns: SeatMap::new(SEATS.into(), BySeat::from([5, 6])),
            used_ns: SeatMap::new(
                SEATS.into(),
                BySeat::from([vec![1_400_000, 700_000], vec![999_999]]),
            ),
            cpu_ns: SeatMap::new(SEATS.into(), BySeat::from([None, None])),
            wall_ns: 3_100_000,
        },
        result: result.into(),
        places: None,
        reason: "elimination".into(),
        fault: None,
        scores: seats(Score(score), Score(1.0 - score)),
        plies: 2,
        warnings: Vec::new(),
        notes: Vec::new(),
        reported: None,
        void: Vec::new(),
        outages: RecordedOutages::default(),
        usage: SeatUsage::default(),
        worker: None,
    }
}

/// The same game as the first of another pair, with a different fingerprint.
pub fn distinct(game: GameRecord, number: u32) -> GameRecord {
    GameRecord { pair: number, actions: vec![format!("a{number}")], ..game }
}

/// The same game with faults at these seats.
pub fn faulty(mut game: GameRecord, faults: &[(&str, FaultCode)]) -> GameRecord {
    let fault = |&(seat, code): &(&str, _)| (seat.to_owned(), Fault::new(code, "why"));
    game.fault = Some(faults.iter().map(fault).collect());
    game
}
