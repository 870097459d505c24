//! The cost of a move, counted instead of timed: the numbers do not depend on the machine or its
//! load.

use std::io::BufRead;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use allocation_counter::{measure, opt_out};
use libtest_mimic::Trial;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_games::backdraughts::Backdraughts;
use referee_games::chess::Chess;
use referee_games::two_player::{Step, Turn};
use referee_games::watch_your_back::WatchYourBack;
use referee_games::{BySeat, Game, GameKind, Options, Seat};
use referee_match::player::{GuessRight, OutageRight, Player, PlayerLaunch, PlayerSandbox, Wire};
use referee_match::referee::{GameReport, GameSetup, play_refereed_game};
use referee_protocol::NOTE_LIMIT;
use referee_record::model::adjudication::Adjudication;
use referee_record::model::clock::TimeControl;
use referee_record::model::fixture::Fixture;
use referee_record::model::game_rules::GameRules;
use referee_record::model::player_spec::EngineSettings;
use referee_record::model::record::FaultPolicy;
use referee_record::seeds::SeededLuck;
use referee_sandbox::{Command as PlayerCommand, serve_as_supervisor};
use referee_tournament::run::game_record::{GameRecordBuilder, VoidAttempts};

use crate::harness::{Lacks, quick, slow, without};

/// The first argument of a process that only plays: the number of games and the wants follow.
const PLAY: &str = "--play";
/// The argument of a process that is an engine.
const ENGINE: &str = "--engine";

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        quick("a_move_of_watch_your_back_allocates_little", || {
            let most = [("[]", 3), (EVENTS, 3), (EVERYTHING, 21)];
            check::<WatchYourBack>(GameKind::WatchYourBack, most, 20)
        }),
        quick("a_move_of_backdraughts_allocates_little", || {
            let most = [("[]", 17), (EVENTS, 17), (EVERYTHING, 33)];
            check::<Backdraughts>(GameKind::Backdraughts, most, 30)
        }),
        quick("a_move_of_an_engine_costs_the_same_late_in_a_game", engines),
        slow("a_move_takes_few_instructions", || {
            instructions([("[]", 25_000), (EVENTS, 31_000), (EVERYTHING, 75_000)])
        }),
    ]
}

/// Players that want events.
const EVENTS: &str = r#"["events"]"#;
/// Players that want everything.
const EVERYTHING: &str = r#"["state","events","legal"]"#;

/// Plays games, or as an engine, if this process was started for that. Returns false if it was not.
pub(crate) fn serve(args: &[String]) -> bool {
    if serve_as_supervisor().is_some() {
        return true;
    }
    match args {
        [mode] if mode == ENGINE => be_an_engine(),
        [mode, games, wants] if mode == PLAY => {
            let script = script::<WatchYourBack>();
            for _ in 0..games.parse().expect("a number") {
                played(GameKind::WatchYourBack, local(&script, wants), &control(), None);
            }
        }
        _ => return false,
    }
    true
}

/// The plies of a short game of engines and of a long one.
const ENGINE_PLIES: [u32; 2] = [80, 400];

/// Checks that a move between engines allocates little however many were played.
fn engines() -> Lacks {
    // On a core each: on one core, the opponent is searched for on each turn that takes long.
    let control = TimeControl { ponder: true, ..control() };
    let allocations = ENGINE_PLIES.map(|plies| {
        let most = Adjudication { length: Some(plies), ..Adjudication::default() };
        let began = Instant::now();
        let (report, allocations) =
            played(GameKind::Chess, BySeat::from_fn(2, |_| engine()), &control, Some(most));
        assert_eq!(report.trace.plies, plies, "{:?}", report.ending);
        allocations.saturating_sub(most_of_searches(began.elapsed()))
    });
    let [short, long] = ENGINE_PLIES.map(u64::from);
    let a_ply = allocations[1].saturating_sub(allocations[0]) / (long - short);
    assert!(a_ply <= 10, "{allocations:?}, so {a_ply} a move late in a game");
    None
}

/// The most allocations of searches for the processes of both engines in this time: without control
/// groups, the clock of CPU time searches for them as time goes by, so a slow machine has more of
/// them in a move.
fn most_of_searches(time: Duration) -> u64 {
    const AFTER: Duration = Duration::from_millis(20);
    const ALLOCATIONS: u64 = 33;
    let searches = u64::try_from(time.as_nanos() / AFTER.as_nanos()).expect("less than ages");
    2 * searches * ALLOCATIONS
}

/// This program as an engine.
fn engine() -> Player {
    let command = PlayerCommand {
        args: vec![ENGINE.to_owned()],
        dir: std::env::current_dir().expect("a folder"),
        ..PlayerCommand::new(std::env::current_exe().expect("this program"))
    };
    let engine = Some(EngineSettings::default());
    let (guesses, outages) = (GuessRight::Denied, OutageRight::Denied);
    let launch = PlayerLaunch {
        command,
        bridged: false,
        asks_rules: false,
        engine,
        guesses,
        outages,
        note_limit: NOTE_LIMIT,
    };
    Player::process(launch, Arc::new(PlayerSandbox::off()))
}

/// Answers as an engine whose every game is the same long one.
#[expect(clippy::print_stdout, reason = "an engine speaks")]
fn be_an_engine() {
    let script = script::<Chess>();
    let mut ply = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        match line.split(' ').next() {
            Some("uci") => println!("uciok"),
            Some("isready") => println!("readyok"),
            Some("position") => {
                ply = line.split_once(" moves ").map_or(0, |(_, moves)| moves.split(' ').count());
            }
            Some("go") => {
                let seat = if ply % 2 == 0 { Seat::FIRST } else { Seat::SECOND };
                println!("info depth 1 score cp 10");
                println!("bestmove {}", script[seat][ply / 2]);
            }
            _ => {}
        }
    }
}

/// Checks that a move takes at most this many instructions, for each list of wants. The program is
/// one for tests, so it is hardly optimised; the players' own instructions count.
fn instructions(most: [(&str, u64); 3]) -> Lacks {
    let lacks = without(&["valgrind"]);
    if lacks.is_some() {
        return lacks;
    }
    let plies: usize = script::<WatchYourBack>().iter().map(|(_, script)| script.len()).sum();
    for (wants, most) in most {
        let [one, three] = ["1", "3"].map(|games| instructions_of(games, wants));
        let a_ply = (three - one) / 2 / u64::try_from(plies).expect("few");
        assert!(a_ply <= most, "{wants}: {a_ply} instructions per move, at most {most} expected");
    }
    None
}

/// The instructions of a process that plays so many games.
fn instructions_of(games: &str, wants: &str) -> u64 {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([PLAY, games, wants])
        .output()
        .expect("valgrind");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let count = text.lines().find_map(|line| line.split_once("Collected : "));
    count.expect(&text).1.trim().parse().expect("a number")
}

/// The actions of a random game, by seat.
fn script<G: Game>() -> BySeat<Vec<String>> {
    let options = Options::resolve(&G::sheet().options, []).expect("the defaults");
    let start = || G::start(&Arc::new(G::rules(&options).expect("the defaults")));
    let mut position = start();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut luck = SeededLuck::from_key([0; 32]);
    let mut script = BySeat::<Vec<String>>::default_for(2);
    loop {
        let step = match position.turn() {
            Turn::Over(_) if G::NAME == Chess::NAME && position.ply() < ENGINE_PLIES[1] => {
                position = start();
                script = BySeat::default_for(2);
                continue;
            }
            Turn::Over(_) => return script,
            Turn::Move(seat) => {
                let legal = position.legal_actions(seat);
                let action = legal[random.random_range(0..legal.len())].clone();
                script[Seat::from(seat)].push(action.to_string());
                Step::Move(action)
            }
            Turn::Pass(_) => Step::Pass,
            Turn::Chance(stream) => Step::Chance(luck.draw(stream.into(), &position.outcomes())),
            Turn::Both => panic!("the seats move in turn"),
        };
        position.play_silently(step);
    }
}

/// A player that follows a script. Its own allocations are not counted.
fn player(script: Vec<String>, wants: &str) -> Player {
    let (mut actions, wants) = (script.into_iter(), wants.to_owned());
    Player::Wire(Box::new(Wire::local(Box::new(move |line| {
        let mut reply = None;
        opt_out(|| {
            if line.starts_with(r#"{"type":"init""#) {
                reply = Some(format!(r#"{{"id":0,"want":{wants}}}"#));
            } else if line.starts_with(r#"{"type":"turn""#) {
                reply = actions.next();
            }
        });
        reply
    }))))
}

/// Players that follow a script.
fn local(script: &BySeat<Vec<String>>, wants: &str) -> BySeat<Player> {
    script.clone().map(|script| player(script, wants))
}

/// A budget that no game uses up.
fn control() -> TimeControl {
    TimeControl {
        budget: Some(Duration::from_secs(1000)),
        ..TimeControl::unlimited(Duration::from_secs(10))
    }
}

/// Plays a game between these players. Returns its report and the number of allocations.
fn played(
    kind: GameKind,
    mut players: BySeat<Player>,
    control: &TimeControl,
    adjudication: Option<Adjudication>,
) -> (GameReport, u64) {
    let game = kind.shared();
    let options = Options::resolve(game.options(), []).expect("the defaults");
    let rules = GameRules::new(game, options).expect("the defaults");
    let setup = GameSetup {
        rules: &rules,
        control,
        tc: BySeat::default_for(2),
        policy: FaultPolicy::Lose,
        adjudication,
        opening: &[],
        seeds: BySeat::from([1, 2]),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let mut luck = SeededLuck::from_key([0; 32]);
    let mut report = None;
    let counted = measure(|| {
        report = Some(runtime.block_on(play_refereed_game(
            &setup,
            &mut luck,
            &mut players,
            &mut |_, _| (),
        )));
    });
    runtime.block_on(async {
        for player in players.values_mut() {
            player.leave().await;
        }
    });
    (report.expect("played").expect("playable"), counted.count_total)
}

/// The bytes of the game's record.
fn bytes(report: GameReport) -> usize {
    let builder = GameRecordBuilder {
        seats: BySeat::from(["white".into(), "black".into()]),
        names: BySeat::from(["ant".to_owned(), "bee".to_owned()]),
        seeds: BySeat::from([1, 2]),
        report,
        statistics: BySeat::default_for(2),
        wall: Duration::ZERO,
    };
    let fixture = Fixture { players: [0, 1].into(), pair: 1, game: 1 };
    let record = builder.build("a-game".to_owned(), fixture, VoidAttempts::default());
    serde_json::to_vec(&record).expect("plain data").len()
}

/// Checks that the moves of a game cost at most this many allocations, for each list of wants, and
/// that the record has at most this many bytes per ply.
fn check<G: Game>(kind: GameKind, most_allocations: [(&str, u64); 3], most_bytes: usize) -> Lacks {
    /// The maximum fixed cost of a game, for its start and its end.
    const START_AND_END: (u64, usize) = (150, 800);
    let script = script::<G>();
    for (wants, most) in most_allocations {
        let (report, allocations) = played(kind, local(&script, wants), &control(), None);
        let plies = u64::from(report.trace.plies);
        assert_eq!(report.ending.fault(Seat::FIRST), None);
        assert_eq!(report.ending.fault(Seat::SECOND), None);
        assert!(plies >= 50, "{plies} plies");
        let a_ply = allocations.saturating_sub(START_AND_END.0) / plies;
        assert!(a_ply <= most, "{wants}: {allocations} allocations in {plies} plies");
        let bytes = bytes(report);
        let a_ply = bytes.saturating_sub(START_AND_END.1) / usize::try_from(plies).expect("few");
        assert!(a_ply <= most_bytes, "{bytes} bytes in {plies} plies");
    }
    None
}
