//! Tests of the pool: which process plays which game. The players answer here, without processes.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::run::entrant::Entrant;
use referee_match::player::{Player, PlayerScript, Wire};
use referee_match::referee::scripted_game::scripted_game_rules;
use referee_record::model::clock::TimeControl;
use referee_record::model::fault::FaultCode;
use referee_record::model::record::FaultPolicy;
use referee_record::seeds::TournamentSecret;

const SECOND: Duration = Duration::from_secs(1);

/// The history of a pool's processes: `start 0`, `quit 1`, in order.
type History = Arc<Mutex<Vec<String>>>;

/// A pool of this many players. Each answers its turns with `replies`, and then with `go`.
fn pool(players: usize, restart: bool, replies: &'static [&'static str]) -> (PlayerPool, History) {
    let history = History::default();
    let entrant = |number: usize| {
        let history = Arc::clone(&history);
        let fresh = move || {
            history.lock().expect("no panic").push(format!("start {number}"));
            Player::Wire(Box::new(Wire::scripted(script(number, replies, Arc::clone(&history)))))
        };
        Entrant::new(&format!("player {number}"), restart, fresh)
    };
    let conditions = JobConditions {
        control: TimeControl { per_move: Some(SECOND), ..TimeControl::unlimited(10 * SECOND) },
        adjudication: None,
        policy: FaultPolicy::Retry(1),
        players: (0..players).map(entrant).enumerate().collect(),
        secret: TournamentSecret::from_seed(1),
        reads_memory: false,
        spectators: Arc::default(),
        closes: watch::Sender::default().subscribe(),
    };
    (PlayerPool::new(OpeningBook::empty(scripted_game_rules("wb")), Arc::new(conditions)), history)
}

/// A pool of two players. The one with number 0 cannot reach its service in the first games, so many
/// `times`, and is allowed so many of them to be void. With a `greeting`, it says so there.
fn pool_without_service(times: usize, outages: u8, greeting: bool) -> PlayerPool {
    let (pool, _) = pool(2, true, &[]);
    let left = Arc::new(Mutex::new(times));
    let fresh = move || {
        let left = Arc::clone(&left);
        let script = move |message: &serde_json::Value| {
            let kind = message["type"].as_str();
            let mut left = left.lock().expect("no panic");
            let is_asked = kind == Some(if greeting { "init" } else { "turn" });
            let reply = match kind {
                Some("init" | "turn") if is_asked && *left > 0 => {
                    *left -= 1;
                    Some(r#"{"outage":"503","usage":{"tokens":5,"cost":0.1}}"#.to_owned())
                }
                Some("init") => Some("ok".to_owned()),
                Some("turn") => Some("go".to_owned()),
                _ => None,
            };
            (Duration::ZERO, reply)
        };
        let wire = Wire::scripted(Box::new(script));
        Player::Wire(Box::new(if outages > 0 { wire.with_outages() } else { wire }))
    };
    let mut entrant = Entrant::new("player 0", true, fresh);
    entrant.outages = outages;
    pool.conditions.players.admit(0, entrant);
    pool
}

#[tokio::test(start_paused = true)]
async fn a_game_without_a_service_is_void_and_played_again_later() {
    for greeting in [false, true] {
        let told = History::default();
        let heard = Arc::clone(&told);
        let warn = move |warning| heard.lock().expect("no panic").push(warning);
        let mut pool = (pool_without_service(2, 2, greeting).on_warning(warn), History::default());
        let began = tokio::time::Instant::now();
        let (finished, _) = play(&mut pool, (0, 1), 1, 1).await;
        // After 1 s, and after 4 s.
        assert_eq!(began.elapsed().as_secs(), 5);
        let record = finished.record;
        assert_eq!((record.fault, &*record.reason), (None, "done"));
        let why = "after ply 0, player 0 could not reach its service: 503; played again";
        assert_eq!(record.void, [why, why]);
        let counts: Vec<(&str, u8)> =
            record.outages.0.iter().map(|(seat, count)| (seat.as_str(), *count)).collect();
        assert_eq!(counts, [("white", 2)]);
        let usage = serde_json::to_value(&record.usage).expect("plain data");
        assert_eq!(usage, serde_json::json!({"white": {"tokens": 10, "cost": 0.2}}));
        let warning = |seconds: u64| {
            format!(
                "game a-game is void: player 0 had an outage (503); it will be replayed in \
                 {seconds} s"
            )
        };
        assert_eq!(*told.lock().expect("no panic"), [warning(1), warning(4)]);
    }
}

#[tokio::test(start_paused = true)]
async fn more_outages_than_are_allowed_are_a_fault() {
    for greeting in [false, true] {
        let mut pool = (pool_without_service(9, 2, greeting), History::default());
        let (finished, _) = play(&mut pool, (1, 0), 1, 1).await;
        let record = finished.record;
        assert_eq!((&*record.reason, &*record.result), ("outage", "white"));
        assert_eq!(record.fault_of(Seat::SECOND).expect("a fault").message, "503");
        assert_eq!((record.void.len(), record.outages.count_for("black")), (2, 2));
    }
}

#[tokio::test(start_paused = true)]
async fn without_permission_an_outage_is_a_wrong_reply() {
    for (greeting, reason) in [(false, "malformed"), (true, "no-start")] {
        let mut pool = (pool_without_service(9, 0, greeting), History::default());
        let (finished, _) = play(&mut pool, (0, 1), 1, 1).await;
        let record = finished.record;
        assert_eq!((&*record.reason, record.void.len()), (reason, 0));
        let message = &record.fault_of(Seat::FIRST).expect("a fault").message;
        assert!(message.contains("`outages` under `[[players]]`: 503"), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait_for_a_service() {
    let mut pool = pool_without_service(9, 9, false);
    let (tell, mut stop) = watch::channel(false);
    let fixture = Fixture { players: [0, 1].into(), pair: 1, game: 1 };
    let stopping = async {
        tokio::time::sleep(2 * SECOND).await;
        tell.send_replace(true);
    };
    let began = tokio::time::Instant::now();
    let (outcome, ()) = tokio::join!(pool.play("a-game".to_owned(), fixture, &mut stop), stopping);
    assert_eq!((outcome, began.elapsed()), (JobOutcome::Stopped, 2 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_run_ends_the_wait_for_a_service() {
    let mut pool = pool_without_service(9, 9, false);
    let (closing, closes) = watch::channel(None);
    Arc::get_mut(&mut pool.conditions).expect("nobody else has them").closes = closes;
    let fixture = |game| Fixture { players: [0, 1].into(), pair: 1, game };
    let games = [1, 2].map(|game| DueGame { id: format!("game {game}"), fixture: fixture(game) });
    let (_tell, mut stop) = watch::channel(false);
    let ending = async {
        tokio::time::sleep(2 * SECOND).await;
        closing.send_replace(Some(Instant::now()));
    };
    let began = tokio::time::Instant::now();
    let (outcome, ()) = tokio::join!(pool.play_all(games.to_vec(), &mut stop), ending);
    assert_eq!((outcome, began.elapsed()), (JobOutcome::Stopped, 2 * SECOND));
}

#[test]
fn the_wait_for_a_service_grows_to_a_quarter_of_an_hour() {
    let seconds = [1, 2, 3, 5, 6, 15].map(|times| pause_before_replay(times).as_secs());
    assert_eq!(seconds, [1, 4, 16, 256, 900, 900]);
}

fn script(number: usize, replies: &'static [&'static str], history: History) -> PlayerScript {
    let mut replies = replies.iter();
    Box::new(move |message| {
        let reply = match message["type"].as_str() {
            Some("init") => Some("ok".to_owned()),
            Some("turn") => Some((*replies.next().unwrap_or(&"go")).to_owned()),
            Some("quit") => {
                history.lock().expect("no panic").push(format!("quit {number}"));
                None
            }
            _ => None,
        };
        (Duration::ZERO, reply)
    })
}

/// Plays a game between two players, and returns it with what happened to the processes.
async fn play(
    (pool, history): &mut (PlayerPool, History),
    players: (usize, usize),
    pair: u32,
    game: u8,
) -> (FinishedGame, Vec<String>) {
    let fixture = Fixture { players: [players.0, players.1].into(), pair, game };
    let (_tell, mut stop) = watch::channel(false);
    let outcome = pool.play("a-game".to_owned(), fixture, &mut stop).await;
    let JobOutcome::Played(mut games) = outcome else { panic!("{outcome:?}") };
    let finished = games.pop().expect("a game");
    (finished, std::mem::take(&mut *history.lock().expect("no panic")))
}

#[test]
fn a_player_at_several_seats_has_other_luck_at_each() {
    let (pool, _) = pool(2, true, &[]);
    let seeds = |players: &[usize], game| {
        let players = players.iter().copied().collect();
        pool.seeds(Fixture { players, pair: 1, game }).values().to_vec()
    };
    let games = [seeds(&[0, 1, 1, 1], 1), seeds(&[1, 0, 1, 1], 2)].concat();
    let different: HashSet<u64> = games.iter().copied().collect();
    assert_eq!(different.len(), games.len(), "{games:?}");
}

#[tokio::test(start_paused = true)]
async fn every_game_uses_fresh_players() {
    let mut pool = pool(2, true, &[]);
    for game in [1, 2] {
        let (finished, history) = play(&mut pool, (0, 1), 1, game).await;
        assert_eq!(finished.record.actions, ["go", "go"]);
        assert_eq!(history, ["start 0", "start 1", "quit 0", "quit 1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_kept_player_plays_several_pairs_but_never_both_games_of_one() {
    let mut pool = pool(3, false, &[]);
    let (_, history) = play(&mut pool, (0, 1), 1, 1).await;
    assert_eq!(history, ["start 0", "start 1"]);
    let (_, history) = play(&mut pool, (1, 0), 1, 2).await;
    assert_eq!(history, ["start 1", "start 0"], "the other game of the pair");
    let (_, history) = play(&mut pool, (0, 1), 2, 1).await;
    assert_eq!(history, [""; 0], "another pair");
    let (_, history) = play(&mut pool, (2, 1), 1, 1).await;
    assert_eq!(history, ["start 2", "quit 0"], "another opponent, and only so many wait");
    pool.0.dismiss().await;
    let mut left = std::mem::take(&mut *pool.1.lock().expect("no panic"));
    left.sort();
    assert_eq!(left, ["quit 0", "quit 1", "quit 1", "quit 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_kept_player_with_a_fault_is_replaced() {
    let mut pool = pool(2, false, &["no", "no"]);
    let (finished, history) = play(&mut pool, (0, 1), 1, 1).await;
    assert_eq!(finished.record.reason, "illegal");
    assert_eq!(history, ["start 0", "start 1", "quit 0"]);
    let (_, history) = play(&mut pool, (0, 1), 2, 1).await;
    assert_eq!(history[0], "start 0");
    assert!(!history.contains(&"start 1".to_owned()), "the other one waited: {history:?}");
}

#[tokio::test(start_paused = true)]
async fn the_longest_idle_player_leaves_first() {
    let mut pool = pool(max_pooled_players(2) + 2, false, &[]);
    let mut history = Vec::new();
    for player in (0..max_pooled_players(2) + 2).step_by(2) {
        history.extend(play(&mut pool, (player, player + 1), 1, 1).await.1);
    }
    let quits: Vec<&String> = history.iter().filter(|what| what.starts_with("quit")).collect();
    assert_eq!(quits, ["quit 0", "quit 1"]);
    let (_, history) = play(&mut pool, (0, 2), 1, 1).await;
    assert_eq!(history[0], "start 0");
    assert!(!history.contains(&"start 2".to_owned()), "{history:?}");
}

#[tokio::test(start_paused = true)]
async fn a_finished_game_has_its_warnings_as_types_and_its_record_as_text() {
    let mut pool = pool(2, true, &["no"]);
    let (finished, _) = play(&mut pool, (0, 1), 1, 1).await;
    let asked = |seat, ply| {
        let message = "P1: no is not allowed".to_owned();
        let code = FaultCode::Illegal;
        GameWarning { seat, warning: PlayerWarning::AskedAgain { ply, code, message } }
    };
    assert_eq!(finished.warnings, [asked(Seat::FIRST, 0), asked(Seat::SECOND, 1)]);
    assert_eq!(
        finished.record.warnings,
        [
            "white was asked again at ply 0: illegal: P1: no is not allowed",
            "black was asked again at ply 1: illegal: P1: no is not allowed",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_game_is_abandoned_on_request() {
    let (mut pool, history) = pool(2, true, &[]);
    let fixture = Fixture { players: [0, 1].into(), pair: 1, game: 1 };
    let (_tell, mut stop) = watch::channel(true);
    let outcome = pool.play("a-game".to_owned(), fixture, &mut stop).await;
    assert!(matches!(outcome, JobOutcome::Stopped), "{outcome:?}");
    assert!(matches!(pool.probe(0, &mut stop).await, JobOutcome::Stopped));
    let history = history.lock().expect("no panic");
    assert_eq!(*history, ["start 0", "start 1", "start 0"], "nobody is asked to quit");
}

#[tokio::test(start_paused = true)]
async fn a_start_up_test_greets_and_quits() {
    let (pool, history) = pool(2, false, &[]);
    let (_tell, mut stop) = watch::channel(false);
    let outcome = pool.probe(1, &mut stop).await;
    assert!(matches!(outcome, JobOutcome::Probed(None)), "{outcome:?}");
    assert_eq!(*history.lock().expect("no panic"), ["start 1", "quit 1"]);
}
