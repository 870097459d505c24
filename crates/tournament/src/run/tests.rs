//! Whole runs, with players in this process and a game that can fail.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fmt, io};

use nix::errno::Errno;

use super::*;
use crate::folder::LockedFolder;
use crate::run::cores::Cores;
use crate::run::entrant::Entrant;
use crate::run::instruction::no_run_instructions;
use crate::run::job::JobConditions;
use crate::run::run_event::RunListeners;
use crate::run::worker_thread::{WorkerReports, WorkerThread};
use crate::schedule::tournament_state::RecordError;
use referee_games::{Event, Game, OptionError, Options, Refusal, RuleSheet, Typed, two_player};
use referee_match::openings::OpeningBook;
use referee_match::player::{Player, Respond, Wire};
use referee_record::log::{LogReader, LogWriter, WriteError};
use referee_record::model::clock::TimeControl;
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::{Header, examples};
use referee_record::model::stage::Stage;
use referee_record::seeds::TournamentSecret;

mod roster;

/// The first seat decides who wins, or makes the rules panic.
#[derive(Debug, Clone)]
struct Toss(Option<Call>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Call {
    Win,
    Panic,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Win => "win",
            Self::Panic => "panic",
        })
    }
}

impl Game for Toss {
    type Rules = ();
    type Action = Call;
    type Chance = Infallible;
    type State = ();
    type Snapshot = bool;

    const NAME: &'static str = "toss";
    const TITLE: &'static str = "A game of the tests";
    const SEATS: two_player::BySide<&'static str> = two_player::BySide::new("white", "black");

    fn sheet() -> &'static RuleSheet {
        static SHEET: RuleSheet =
            RuleSheet { clauses: Vec::new(), options: Vec::new(), board: None };
        &SHEET
    }

    fn rules(_: &Options) -> Result<(), OptionError> {
        Ok(())
    }

    fn endless((): &()) -> Option<String> {
        None
    }

    fn start(_: &Arc<()>) -> Self {
        Self(None)
    }

    fn turn(&self) -> two_player::Turn {
        let over = two_player::Outcome {
            result: two_player::GameResult::Win(two_player::Side::First),
            reason: "toss",
        };
        self.0.map_or(two_player::Turn::Move(two_player::Side::First), |_| {
            two_player::Turn::Over(over)
        })
    }

    fn ply(&self) -> u32 {
        u32::from(self.0.is_some())
    }

    fn legal_actions(&self, _: two_player::Side) -> Vec<Call> {
        vec![Call::Win, Call::Panic]
    }

    fn parse_action(&self, _: two_player::Side, text: &str) -> Result<Call, Refusal> {
        Ok(if text == "panic" { Call::Panic } else { Call::Win })
    }

    fn play_unchecked(&mut self, step: two_player::Step<Call, Infallible>, _: &mut Vec<Event>) {
        let two_player::Step::Move(call) = step else { unreachable!("one seat moves") };
        assert!(call == Call::Win, "the coin fell off the table");
        self.0 = Some(call);
    }

    fn state(&self) {}

    fn snapshot(&self) -> bool {
        self.0.is_some()
    }

    fn restored(&self, is_over: bool) -> Option<Self> {
        Some(Self(is_over.then_some(Call::Win)))
    }

    fn rows(&self) -> Vec<String> {
        Vec::new()
    }

    fn caption(&self) -> String {
        String::new()
    }
}

/// The events that a listener received.
#[derive(Debug, Default)]
struct ReceivedEvents {
    begun: usize,
    finished: usize,
    warnings: Vec<String>,
    ended: bool,
}

impl RunListener for ReceivedEvents {
    fn on(&mut self, event: RunEvent<'_>, _: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::CannotStart { player, fault } => {
                panic!("{player} cannot start: {}", fault.message);
            }
            RunEvent::Begun { due } => self.begun = due,
            RunEvent::GameFinished { .. } => self.finished += 1,
            RunEvent::PlayerOut { player, game, .. } => panic!("{player} is out by {game}"),
            RunEvent::Warning(warning) => self.warnings.push(warning.to_string()),
            RunEvent::Over { .. } => self.ended = true,
            RunEvent::GameBegun { .. }
            | RunEvent::Finishing { .. }
            | RunEvent::SectionOver
            | RunEvent::PlayersChanged(_)
            | RunEvent::Notice(_)
            | RunEvent::WorkerPool(_) => {}
        }
        Ok(())
    }
}

const NAMES: [&str; 3] = ["ant", "bee", "cat"];
const PAIRS: u32 = 4;
/// A time limit that a run meets on any machine.
const LIMIT: Duration = Duration::from_secs(120);

/// An empty tournament of three players, a round-robin, in its own folder.
struct Cup {
    /// The folder is removed with this value.
    _dir: tempfile::TempDir,
    folder: LockedFolder,
    state: TournamentState,
}

impl Cup {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = LockedFolder::open(dir.path()).expect("locked");
        Self { _dir: dir, folder, state: TournamentState::new(&header()) }
    }

    /// Runs it on this many workers, which play with `players`.
    fn run(
        &mut self,
        workers: usize,
        players: Vec<Entrant>,
    ) -> (Result<RunEnd, RunError>, ReceivedEvents) {
        self.run_where(workers, players, &|_, _| None)
    }

    /// Does the same, but `other` may replace the worker with a given number.
    fn run_where(
        &mut self,
        workers: usize,
        players: Vec<Entrant>,
        other: &OtherWorker<'_>,
    ) -> (Result<RunEnd, RunError>, ReceivedEvents) {
        let header = header();
        let log = LogWriter::create(self.folder.dir(), &header).expect("a log");
        let conditions = Arc::new(JobConditions {
            control: header.clock,
            adjudication: None,
            policy: header.fault_policy,
            players: players.into_iter().enumerate().collect(),
            secret: TournamentSecret::from_seed(1),
            reads_memory: false,
            spectators: Arc::default(),
            closes: watch::Sender::default().subscribe(),
        });
        let runner = TournamentRunner {
            state: &mut self.state,
            jobs: workers,
            instructions: no_run_instructions(),
            deadline: watch::Sender::new(None),
        };
        let venue = Hall { conditions, other };
        let mut heard = ReceivedEvents::default();
        let mut recorder = Recorder::new(&self.folder, log);
        let mut listeners = RunListeners(vec![&mut recorder, &mut heard]);
        let (_tell, stop) = watch::channel(false);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let end = runtime.block_on(async {
            tokio::time::timeout(LIMIT, runner.run(&venue, &mut listeners, stop)).await
        });
        (end.expect("it ends"), heard)
    }

    /// The identities of the games in the log.
    fn played(&self) -> Vec<String> {
        let mut reader = LogReader::open(self.folder.dir()).expect("a log");
        std::iter::from_fn(|| reader.next_record().expect("whole lines"))
            .map(|record| record.id)
            .collect()
    }
}

/// May replace the worker with a given number.
type OtherWorker<'o> = dyn Fn(usize, &WorkerReports) -> Option<io::Result<WorkerThread>> + 'o;

/// Where the tests play.
struct Hall<'a> {
    conditions: Arc<JobConditions>,
    other: &'a OtherWorker<'a>,
}

impl Venue for Hall<'_> {
    fn start(
        &self,
        number: usize,
        reports: WorkerReports,
        halt: watch::Receiver<bool>,
    ) -> io::Result<WorkerThread> {
        if let Some(worker) = (self.other)(number, &reports) {
            return worker;
        }
        let rules =
            GameRules::new(Arc::new(Typed::<Toss>::GAME), Options::default()).expect("no options");
        let book = OpeningBook::empty(rules);
        let cores = Cores::of_this_process(1).reserve(number);
        WorkerThread::start(number, cores, book, Arc::clone(&self.conditions), reports, halt)
    }

    fn admit(&self, _: usize, _: &PlayerSpec, _: &Header) -> Result<(), String> {
        unreachable!("nobody comes")
    }

    fn dismiss(&self, _: usize) {}
}

fn header() -> Header {
    Header {
        game: Toss::NAME.to_owned(),
        clock: TimeControl {
            per_move: Some(Duration::from_secs(60)),
            ..TimeControl::unlimited(Duration::from_secs(60))
        },
        stages: vec![Stage::round_robin(PAIRS)],
        quarantine: 0,
        seed: Some(1),
        ..examples::header(&NAMES)
    }
}

/// A player that makes the calls that `call` returns for its seed.
fn player(name: &str, call: impl Fn(u64) -> Call + Clone + Send + Sync + 'static) -> Entrant {
    Entrant::new(name, false, move || {
        let call = call.clone();
        let mut seed = 0;
        let respond: Respond = Box::new(move |line| {
            let message: serde_json::Value = serde_json::from_str(line).expect("JSON");
            match message["type"].as_str() {
                Some("init") => {
                    seed = message["seed"].as_u64().expect("a seed");
                    Some("ok".to_owned())
                }
                Some("turn") => Some(call(seed).to_string()),
                _ => None,
            }
        });
        Player::Wire(Box::new(Wire::local(respond)))
    })
}

fn winner(name: &str) -> Entrant {
    player(name, |_| Call::Win)
}

#[test]
fn a_panic_in_the_rules_costs_only_that_game() {
    let mut cup = Cup::new();
    // In its third pair against the first player, in the game in which it moves.
    let bad = TournamentSecret::from_seed(1).player_seed("cat", &["ant"], 3, 1);
    let cat = player("cat", move |seed| if seed == bad { Call::Panic } else { Call::Win });
    let (end, heard) = cup.run(2, vec![winner("ant"), winner("bee"), cat]);

    let games = cup.state.len();
    assert_eq!((games, heard.begun, heard.finished), (24, 24, 23));
    assert!(heard.ended);
    let left: Vec<usize> = (0..games).filter(|&index| !cup.state.is_done(index)).collect();
    let [left] = left[..] else { panic!("one game is left: {left:?}") };
    let id = cup.state.id(left);
    assert!(!cup.played().contains(&id));
    let what = format!("game {id} (cat – ant)");
    let why =
        format!("{what} could not be played: the referee panicked: the coin fell off the table");
    assert_eq!(heard.warnings, [format!("{why}; trying again"), format!("{why}; skipping it")]);
    let Ok(RunEnd::Failed(error)) = end else { panic!("{end:?}") };
    let failure = error.to_string();
    let start = "1 game could not be played:\n  ";
    let why = "the referee panicked: the coin fell";
    assert!(failure.starts_with(&format!("{start}{what}: {why}")), "{failure}");
}

#[test]
fn a_single_panic_costs_no_game() {
    let mut cup = Cup::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let cat = player("cat", move |_| match asked.fetch_add(1, Ordering::Relaxed) {
        2 => Call::Panic,
        _ => Call::Win,
    });
    let (end, heard) = cup.run(2, vec![winner("ant"), winner("bee"), cat]);
    assert!(matches!(end, Ok(RunEnd::Complete)), "{end:?}");
    assert_eq!((heard.finished, heard.warnings.len()), (24, 1));
    assert_eq!(cup.state.count_due(), 0);
}

#[test]
fn a_run_ends_even_if_every_game_panics() {
    let mut cup = Cup::new();
    let players = NAMES.map(|name| player(name, |_| Call::Panic));
    let (end, heard) = cup.run(2, players.into());
    assert_eq!((heard.finished, heard.warnings.len()), (0, 48));
    let Ok(RunEnd::Failed(error)) = end else { panic!("{end:?}") };
    let failure = error.to_string();
    assert!(failure.starts_with("24 games could not be played"), "{failure}");
    assert!(failure.contains("\n  and 19 more\n"), "{failure}");
}

fn shortage() -> Shortage {
    Shortage::from_error("start a supervisor", &Errno::EMFILE).expect("a shortage")
}

/// A worker that lacks resources for every job.
fn lacking(number: usize, reports: &WorkerReports) -> WorkerThread {
    let (jobs, mut inbox) = mpsc::unbounded_channel();
    let reports = reports.clone();
    tokio::spawn(async move {
        while inbox.recv().await.is_some() {
            let _ = reports.send(WorkerReport::Done(number, JobOutcome::Shortage(shortage())));
        }
    });
    WorkerThread::forwarding_to(jobs)
}

#[test]
fn games_move_from_a_worker_without_resources_to_others() {
    let unstarted = || Err(io::Error::from(Errno::EMFILE));
    for is_started in [true, false] {
        let mut cup = Cup::new();
        let (end, heard) = cup.run_where(3, NAMES.map(winner).into(), &|number, reports| {
            let start = || if is_started { Ok(lacking(number, reports)) } else { unstarted() };
            (number > 0).then(start)
        });
        assert!(matches!(end, Ok(RunEnd::Complete)), "{end:?}");
        assert_eq!((heard.finished, cup.state.count_due()), (24, 0));
        assert!(heard.warnings.len() <= 2, "each worker is given up once: {:?}", heard.warnings);
        for warning in &heard.warnings {
            assert!(warning.contains(": Too many open files"), "{warning}");
        }
    }
}

#[test]
fn a_run_without_resources_fails_and_records_nothing() {
    let mut cup = Cup::new();
    let players = NAMES.map(winner).into();
    let (end, heard) =
        cup.run_where(3, players, &|number, reports| Some(Ok(lacking(number, reports))));
    let Ok(RunEnd::Failed(error)) = end else { panic!("{end:?}") };
    let failure = error.to_string();
    let why = format!(
        " could not begin: {}. None of it was recorded",
        describe_sandbox_shortage(&shortage())
    );
    assert!(failure.contains(&why), "{failure}");
    assert!(heard.ended && cup.played().is_empty());
}

#[test]
fn a_misfit_is_named_in_words() {
    let misfit = RunError::Misfit { id: "1-2".to_owned(), source: RecordError::Double };
    assert_eq!(misfit.to_string(), "game 1-2: it is already in the log");
}
