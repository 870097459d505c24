use super::*;
use referee_games::{Outcome, Places};
use referee_match::referee::GameTrace;
use referee_protocol::{Greeting, ReportedCost, Usage};
use referee_record::model::fault::{Fault, FaultCode};
use referee_sandbox::Overrun;

/// Ant has lost a game of one ply to bee by the rules.
fn builder() -> GameRecordBuilder {
    let outcome = Outcome { places: Places::won_by(Seat::SECOND, 2), reason: "elimination".into() };
    let ms = Duration::from_millis;
    GameRecordBuilder {
        seats: BySeat::from(["white".into(), "black".into()]),
        names: BySeat::from(["ant".to_owned(), "bee".to_owned()]),
        seeds: BySeat::from([7, 8]),
        report: GameReport {
            ending: RefereeEnding::Rules(outcome),
            trace: GameTrace {
                opening: vec!["a".to_owned()],
                actions: vec!["b".to_owned()],
                rolls: vec!["6".to_owned()],
                plies: 2,
                startup: BySeat::from([ms(1), ms(2)]),
                used: BySeat::from([vec![ms(3)], Vec::new()]),
                ..GameTrace::new(2)
            },
        },
        statistics: BySeat::from_fn(2, |_| PlayerStatistics::default()),
        wall: ms(9),
    }
}

fn built(builder: GameRecordBuilder) -> GameRecord {
    let fixture = Fixture { players: [0, 1].into(), pair: 4, game: 2 };
    let reasons = vec!["it lagged".to_owned()];
    let void = VoidAttempts { reasons, ..VoidAttempts::default() };
    builder.build("an-id".to_owned(), fixture, void)
}

#[test]
fn what_all_attempts_used_is_in_the_record() {
    let cost = ReportedCost::from_units(0.25).expect("a cost");
    let mut void = VoidAttempts::default();
    for tokens in [3, 4] {
        void.usage.add("white", Usage { tokens, cost });
    }
    let record = |void| {
        builder().build(
            "an-id".to_owned(),
            Fixture { players: [0, 1].into(), pair: 4, game: 2 },
            void,
        )
    };
    let json = |void| serde_json::to_value(record(void)).expect("plain data").get("usage").cloned();
    assert_eq!(json(void), Some(serde_json::json!({"white": {"tokens": 7, "cost": 0.5}})));
    assert_eq!(json(VoidAttempts::default()), None);
}

#[test]
fn a_void_game_is_announced() {
    let mut faults = BySeat::default_for(2);
    faults[Seat::SECOND] = Some(Fault::new(FaultCode::Outage, "503"));
    let builder = faulted(faults);
    let warning = builder.outage_warning("an-id", Seat::SECOND.into(), Duration::from_secs(16));
    let expected = "game an-id is void: bee had an outage (503); it will be replayed in 16 s";
    assert_eq!(warning, expected);
}

fn faulted(faults: BySeat<Option<Fault>>) -> GameRecordBuilder {
    let mut builder = builder();
    builder.report.ending = RefereeEnding::by_faults(faults).expect("a fault");
    builder
}

/// The warnings of a game in which the player of the first seat has these statistics.
fn warnings(statistics: PlayerStatistics) -> Vec<String> {
    let mut builder = builder();
    builder.statistics[Seat::FIRST] = statistics;
    built(builder).warnings
}

#[test]
fn a_record_says_who_played_what_and_how_it_ended() {
    let record = built(builder());
    assert_eq!((record.id.as_str(), record.pair, record.game), ("an-id", 4, 2));
    assert_eq!((&*record.players[Seat::FIRST], record.seed[Seat::SECOND]), ("ant", 8));
    let lists = (&record.opening[..], &record.actions[..], &record.rolls[..]);
    assert_eq!(lists, (&["a".to_owned()][..], &["b".to_owned()][..], &["6".to_owned()][..]));
    assert_eq!((record.result.as_str(), record.reason.as_str()), ("black", "elimination"));
    assert_eq!((record.winner(), record.fault.is_none()), (Some("bee"), true));
    assert_eq!((record.score(Seat::FIRST), record.score(Seat::SECOND)), (0.0, 1.0));
    assert_eq!(record.void, ["it lagged"]);
    assert_eq!((record.warnings.len(), record.reported), (0, None));
}

#[test]
fn times_are_recorded_to_the_nanosecond() {
    let mut builder = builder();
    builder.report.trace.used[Seat::FIRST] = vec![Duration::new(1, 1), Duration::ZERO];
    builder.statistics[Seat::SECOND].cpu = Some(Duration::from_nanos(5));
    let clock = built(builder).clock;
    assert_eq!(clock.startup_ns[Seat::SECOND], 2_000_000);
    assert_eq!(clock.used_ns[Seat::FIRST], [1_000_000_001, 0]);
    assert_eq!((clock.cpu_ns[Seat::FIRST], clock.cpu_ns[Seat::SECOND]), (None, Some(5)));
    assert_eq!(clock.wall_ns, 9_000_000);
    assert!(clock.began > 1_700_000_000, "it was after 2023: {}", clock.began);
}

#[test]
fn a_fault_costs_the_game_and_stands_under_its_seat() {
    let crash = || Some(Fault::new(FaultCode::Crash, "exit code 1"));
    let record = built(faulted(BySeat::from([crash(), None])));
    assert_eq!((record.result.as_str(), record.reason.as_str()), ("black", "crash"));
    assert_eq!(record.fault_of(Seat::FIRST).map(|fault| fault.code), Some(FaultCode::Crash));
    assert_eq!(record.fault_of(Seat::SECOND), None);
    let both = built(faulted(BySeat::from([crash(), crash()])));
    assert_eq!((both.result.as_str(), both.reason.as_str()), ("draw", "double-fault"));
    assert_eq!((both.score(Seat::FIRST), both.score(Seat::SECOND)), (0.0, 0.0));
    assert_eq!(both.fault.map_or(0, |faults| faults.len()), 2);
}

#[test]
fn reported_names_are_kept_if_there_are_any() {
    let mut builder = builder();
    builder.report.trace.greetings[Seat::SECOND] =
        Greeting { name: Some("B\u{1b}".to_owned()), ..Greeting::default() };
    let reported = built(builder).reported.expect("one did");
    assert_eq!((&*reported[Seat::FIRST], &*reported[Seat::SECOND]), ("", r"B\x1b"));
}

#[test]
fn incidents_beside_the_game_become_warnings() {
    assert_eq!(warnings(PlayerStatistics::default()), [""; 0]);
    let all = PlayerStatistics {
        leftover: 2,
        stderr_lost: 10,
        afterwards: Some("bye".to_owned()),
        warnings: vec![PlayerWarning::RanInto(Overrun::Files { limit: 10_000 })],
        ..PlayerStatistics::default()
    };
    assert_eq!(
        warnings(all),
        [
            "white wrote after the end of the game: \"bye\"",
            "white hit its disk limit (10000 files in its scratch folder)",
            "white left processes behind: 2 killed",
            "white wrote 10 bytes too many to stderr; the middle was left out",
        ]
    );
}

#[test]
fn a_limit_that_failed_a_player_is_its_fault_and_no_warning_too() {
    let mut builder = faulted(BySeat::from([Some(Fault::new(FaultCode::Disk, "full")), None]));
    builder.statistics[Seat::FIRST].warnings =
        vec![PlayerWarning::RanInto(Overrun::Files { limit: 10_000 })];
    builder.statistics[Seat::SECOND].warnings = vec![PlayerWarning::LeftProcesses(1)];
    assert_eq!(built(builder).warnings, ["black left processes behind: 1 killed"]);
}

#[test]
fn warnings_say_how_much_a_player_pondered() {
    let mut builder = builder();
    builder.report.trace.frozen[Seat::FIRST] = Some(7);
    builder.statistics[Seat::FIRST].cpu_off_turn = Duration::from_millis(1249);
    let expected = "white pondered 1.2 s on the opponent's turns; frozen since ply 7";
    assert_eq!(built(builder).warnings, [expected]);
    assert_eq!(round_to_tenth_second(Duration::from_millis(1250)), Duration::from_millis(1300));
    assert_eq!(round_to_tenth_second(Duration::from_millis(49)), Duration::ZERO);
}

#[test]
fn void_games_name_the_player_that_disturbed_them() {
    let late = Fault::new(FaultCode::Timeout, "late");
    let mut builder = faulted(BySeat::from([Some(late), None]));
    builder.statistics[Seat::SECOND].cpu_off_turn = Duration::from_millis(1500);
    assert_eq!(
        builder.describe_void(VoidReason::Disturbed { by: Seat::SECOND.into() }),
        "ant lost on time while bee used 1.5 s of CPU time on the opponent's turns; played again \
         with bee frozen off turn"
    );
    let late = || Some(Fault::new(FaultCode::Timeout, "late"));
    let builder = faulted(BySeat::from([late(), late()]));
    let why = builder.describe_void(VoidReason::Disturbed { by: Seat::FIRST.into() });
    assert!(why.starts_with("bee lost on time while ant used"), "{why}");
}
