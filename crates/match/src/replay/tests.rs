use super::*;
use referee_games::{GameKind, Options, SeatMap};
use referee_record::model::record::ClockRecord;

fn start(game: GameKind) -> Position {
    let options = Options::resolve(game.game().options(), []).expect("defaults");
    game.game().start(&options).expect("defaults")
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

/// A record of these actions; every turn took a second.
fn record(game: GameKind, opening: &[&str], actions: &[&str], rolls: &[&str]) -> GameRecord {
    let names = game.game().seats();
    let times = |value: Vec<u64>| SeatMap::new(names.clone(), BySeat::from([value.clone(), value]));
    GameRecord {
        options: serde_json::Map::new(),
        id: "1-1".to_owned(),
        pair: 1,
        game: 1,
        players: SeatMap::new(names.clone(), BySeat::from(["ant", "bee"]).map(str::to_owned)),
        seed: SeatMap::new(names.clone(), BySeat::default_for(2)),
        rolls: texts(rolls),
        final_scores: None,
        opening: texts(opening),
        actions: texts(actions),
        clock: ClockRecord {
            began: 0,
            tc: None,
            startup_ns: SeatMap::new(names.clone(), BySeat::default_for(2)),
            used_ns: times(vec![1_000_000_000; 9]),
            cpu_ns: SeatMap::new(names.clone(), BySeat::default_for(2)),
            wall_ns: 0,
        },
        result: "draw".to_owned(),
        places: None,
        reason: "none".to_owned(),
        fault: None,
        scores: SeatMap::new(names, BySeat::default_for(2).map(|()| referee_protocol::Score(0.5))),
        plies: 0,
        warnings: Vec::new(),
        notes: Vec::new(),
        reported: None,
        void: Vec::new(),
        outages: referee_record::model::record::RecordedOutages::default(),
        usage: referee_record::model::seat_usage::SeatUsage::default(),
        worker: None,
    }
}

fn error(record: &GameRecord, game: GameKind) -> String {
    let error = Replay::new(&start(game), record)
        .expect("its seats")
        .find_map(Result::err)
        .expect("an error");
    error.to_string()
}

#[test]
fn a_replay_yields_seats_times_and_events() {
    let game = GameKind::Backdraughts;
    let record = record(game, &["1,3>4,3"], &["0,2>0,0"], &["roll 3", "roll 2", "roll 4"]);
    let mut replay = Replay::new(&start(game), &record).expect("its seats");
    assert_eq!(replay.recorded_answer(Seat::FIRST), Some("1,3>4,3"));
    assert!(replay.is_in_opening());
    let opening = replay.play_opening().expect("legal");
    assert!(matches!(&opening[1], Event::Action { opening: true, .. }), "{opening:?}");
    assert_eq!(opening.len(), 3, "the roll behind the opening belongs to it");
    assert!(!replay.is_in_opening());
    assert!(replay.current_position().turn().asks(Seat::SECOND));
}

#[test]
fn a_simultaneous_turn_takes_two_texts_and_two_times() {
    let game = GameKind::BackToTheWall;
    let record = record(game, &[], &["R U 3,5", "L D 3,1", "R U 3,4"], &[]);
    let mut replay = Replay::new(&start(game), &record).expect("its seats");
    assert_eq!(replay.recorded_answer(Seat::SECOND), Some("L D 3,1"));
    let played = replay.next().expect("a turn").expect("legal");
    assert!(matches!(played.turn, Turn::Together(_)));
    assert_eq!(
        played.used,
        BySeat::from([Some(Duration::from_secs(1)), Some(Duration::from_secs(1))])
    );
    assert_eq!(replay.current_position().ply(), 1);
    let alone = "`R U 3,4` is one action, but several seats move at once";
    assert_eq!(replay.next().expect("half a turn").expect_err("refused").to_string(), alone);
}

#[test]
fn impossible_records_are_reported() {
    let game = GameKind::WatchYourBack;
    assert_eq!(
        error(&record(game, &[], &["3,3", "3,3"], &[]), game),
        "ply 1: `3,3` was not legal: W2: 3,3 is occupied"
    );
    let roll = "`roll 3` is a roll, but nothing is rolled here";
    assert_eq!(error(&record(game, &[], &["3,3"], &["roll 3"]), game), roll);
    let game = GameKind::Backdraughts;
    let missing = "`1,3>4,3` is recorded where a roll is missing";
    assert_eq!(error(&record(game, &[], &["1,3>4,3"], &[]), game), missing);
    let impossible = "`roll 7` cannot come up here";
    assert_eq!(error(&record(game, &[], &[], &["roll 7"]), game), impossible);
}

#[test]
fn steps_to_a_decision_include_the_chance_before_it() {
    let game = GameKind::Backdraughts;
    let record = record(game, &[], &["1,3>4,3"], &["roll 3", "roll 2"]);
    let steps = |ply| replay_steps_to(&start(game), &record, ply).map(|steps| steps.len());
    assert_eq!(steps(0), Ok(1));
    assert_eq!(steps(1), Ok(3));
    assert_eq!(steps(4), Err(ReplayError::Short { plies: 1, wanted: 4 }));
}

/// The turning points of a game as `search-NODES` sees them.
fn turning_points(
    game: GameKind,
    record: &GameRecord,
    nodes: u64,
) -> Vec<turning_points::TurningPoint> {
    let options = Options::resolve(game.game().options(), []).expect("defaults");
    let rules = GameRules::new(game.shared(), options).expect("defaults");
    turning_points::TurningPoint::find_all(&rules, record, nodes).expect("a game")
}

#[test]
fn a_game_turns_where_another_action_was_much_better() {
    let game = GameKind::Chess;
    let record = record(game, &["f2f3"], &["e7e5", "g2g4", "d8h4"], &[]);
    let points = turning_points(game, &record, 400);
    let [point] = &points[..] else { panic!("{points:?}") };
    assert_eq!((point.ply, point.seat), (3, Seat::FIRST));
    let text = point.to_string();
    assert!(text.starts_with("search-400 plays ") && text.ends_with("instead of -1.00"), "{text}");
}

#[test]
fn what_is_rolled_and_what_both_do_at_once_is_valued_too() {
    let dice = record(GameKind::Backdraughts, &[], &["4,6>7,6", "3,1>3,3"], &["roll 3", "roll 2"]);
    assert!(turning_points(GameKind::Backdraughts, &dice, 20).len() <= 2);
    let both = record(GameKind::BackToTheWall, &[], &["R U 3,5", "L D 3,1"], &[]);
    assert!(turning_points(GameKind::BackToTheWall, &both, 20).iter().all(|it| it.ply == 1));
}
