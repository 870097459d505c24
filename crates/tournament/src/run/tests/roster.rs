//! A league whose players change while it is played: whatever comes in whatever order, the log tells
//! the same as the run knew, no game is played twice or lost, and nobody waits for ever.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use proptest::prelude::*;
use tokio::sync::oneshot;

use super::*;
use crate::run::instruction::PlayerChange;
use crate::run::job::DueGame;
use referee_record::model::league_entry::{LeagueEntry, Leaving, LeavingReason};
use referee_record::model::player_spec::examples::bot;
use referee_record::model::record::{GameRecord, HeaderPlayer};
use referee_record::model::stage::{Format, Stage};

/// Longer than anything takes, on a clock that moves only while everybody waits.
const FOR_EVER: Duration = Duration::from_secs(3600);
const AUTHORS: [&str; 3] = ["ann", "bob", "cat"];

fn league() -> Header {
    let stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
    Header { stages, quarantine: 3, ..examples::header(&["house", "random"]) }
}

/// What happens next.
#[derive(Debug, Clone, Copy)]
enum LeagueStep {
    /// A worker that plays, of several, has done its job in this way.
    Done(usize, Way),
    /// A new version of an author's player comes, and the one before goes.
    Enter(usize),
    /// A player goes.
    Leave(usize),
    /// A player that went is back.
    Return(usize),
    Pause,
    GoOn,
    PlayAtOnce(usize),
    BeginAtMost(usize),
    /// The run ends in this way, and is started again.
    End(How),
}

#[derive(Debug, Clone, Copy)]
enum Way {
    Played,
    Panic,
    Shortage,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum How {
    Close,
    Finish,
    Stop,
    Kill,
    /// The log cannot be written any more.
    DiskFull,
}

fn steps() -> impl Strategy<Value = Vec<LeagueStep>> {
    let way = prop_oneof![12 => Just(Way::Played), 1 => Just(Way::Panic), 1 => Just(Way::Shortage)];
    let how = prop_oneof![
        Just(How::Close),
        Just(How::Finish),
        Just(How::Stop),
        Just(How::Kill),
        Just(How::DiskFull)
    ];
    let step = prop_oneof![
        12 => (0..8_usize, way).prop_map(|(which, way)| LeagueStep::Done(which, way)),
        3 => (0..3_usize).prop_map(LeagueStep::Enter),
        2 => (0..8_usize).prop_map(LeagueStep::Leave),
        2 => (0..8_usize).prop_map(LeagueStep::Return),
        1 => Just(LeagueStep::Pause),
        1 => Just(LeagueStep::GoOn),
        1 => (1..4_usize).prop_map(LeagueStep::PlayAtOnce),
        2 => (0..6_usize).prop_map(LeagueStep::BeginAtMost),
        1 => how.prop_map(LeagueStep::End),
    ];
    prop::collection::vec(step, 1..40)
}

/// A line of the log.
#[derive(Debug, Clone)]
enum Line {
    Game(Box<GameRecord>),
    Change(Box<RosterChange>),
}

/// What is kept when a run is killed, and what was seen of it.
#[derive(Debug, Default)]
struct Kept {
    log: Vec<Line>,
    is_full: bool,
    /// What this run may not do now.
    is_paused: bool,
    is_ending: bool,
    /// How many games may begin in this run, if that is known.
    may_begin: Option<usize>,
    /// The games that began in this run and are not in the log.
    in_play: BTreeSet<String>,
    problems: Vec<String>,
}

/// Writes the log.
struct Keeper(Rc<RefCell<Kept>>);

impl RunListener for Keeper {
    fn on(&mut self, event: RunEvent<'_>, _: &TournamentState) -> Result<(), WriteError> {
        let mut kept = self.0.borrow_mut();
        let full = || {
            let source = io::Error::from(io::ErrorKind::StorageFull);
            Err(WriteError::Failed { path: "games.jsonl".into(), source })
        };
        match event {
            RunEvent::GameBegun { id } => {
                if kept.is_paused || kept.is_ending || kept.may_begin == Some(0) {
                    kept.problems.push(format!("{id} began"));
                }
                kept.may_begin = kept.may_begin.map(|games| games.saturating_sub(1));
                kept.in_play.insert(id.to_owned());
            }
            RunEvent::GameFinished { .. } | RunEvent::PlayersChanged(_) if kept.is_full => {
                return full();
            }
            RunEvent::GameFinished { record, .. } => {
                kept.in_play.remove(&record.id);
                kept.log.push(Line::Game(Box::new(record.clone())));
            }
            RunEvent::PlayersChanged(change) => {
                kept.log.push(Line::Change(Box::new(change.clone())));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Kept {
    /// The state of the tournament, as whoever reads the log knows it.
    fn read(&self) -> TournamentState {
        let mut header = league();
        for line in &self.log {
            if let Line::Change(change) = line {
                header.apply_roster_change(change).expect("it was possible");
            }
        }
        let mut state = TournamentState::new(&header);
        for line in &self.log {
            match line {
                Line::Game(record) => drop(state.add(record).expect("a game, once")),
                Line::Change(change) => state.apply_logged_roster_change(change).expect("once"),
            }
        }
        state
    }
}

/// A hall whose workers wait until they are told what comes of their jobs.
#[derive(Debug)]
struct Bench {
    workers: RefCell<Vec<(usize, mpsc::UnboundedReceiver<Job>, WorkerReports)>>,
    /// The players whose programs are known.
    known: RefCell<BTreeSet<usize>>,
}

impl Venue for Bench {
    fn start(
        &self,
        number: usize,
        reports: WorkerReports,
        _: watch::Receiver<bool>,
    ) -> io::Result<WorkerThread> {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let mut workers = self.workers.borrow_mut();
        workers.retain(|(former, ..)| *former != number);
        workers.push((number, inbox, reports));
        Ok(WorkerThread::forwarding_to(jobs))
    }

    fn admit(&self, number: usize, _: &PlayerSpec, _: &Header) -> Result<(), String> {
        self.known.borrow_mut().insert(number);
        Ok(())
    }

    fn dismiss(&self, _: usize) {}

    fn is_elsewhere(&self) -> bool {
        false
    }
}

impl Bench {
    /// Lets one of the workers that have a job be done with it. Returns whether there is one.
    fn answer(&self, which: usize, way: Way, state: &dyn Fn(&DueGame) -> GameRecord) -> bool {
        let mut workers = self.workers.borrow_mut();
        let busy: Vec<usize> = (0..workers.len()).filter(|&at| !workers[at].1.is_empty()).collect();
        let Some(&at) = busy.get(which % busy.len().max(1)) else { return false };
        let (number, inbox, reports) = &mut workers[at];
        let Ok(Job::Play(games)) = inbox.try_recv() else { panic!("only games are played") };
        assert!(games.iter().all(|game| {
            let [first, second] = game.fixture.players.two();
            let known = self.known.borrow();
            known.contains(&first) && known.contains(&second)
        }));
        let outcome = match way {
            Way::Played => JobOutcome::Played(
                games
                    .iter()
                    .map(|game| FinishedGame {
                        record: state(game),
                        warnings: Vec::new(),
                        transcript: None,
                        memory: None,
                    })
                    .collect(),
            ),
            Way::Panic => JobOutcome::Failed(JobFailure::Panic("ouch".to_owned())),
            Way::Shortage => JobOutcome::Shortage(shortage()),
        };
        reports.send(WorkerReport::Done(*number, outcome)).is_ok()
    }
}

/// The people around a league, over all its runs.
struct World {
    kept: Rc<RefCell<Kept>>,
    versions: [u32; AUTHORS.len()],
    /// Answers to instructions that somebody waits for.
    waiting: Vec<oneshot::Receiver<Result<(), String>>>,
    /// The names of all players so far.
    names: Vec<String>,
}

impl World {
    /// Plays until the run ends; returns the steps that are left.
    async fn run<'s>(&mut self, mut steps: &'s [LeagueStep]) -> &'s [LeagueStep] {
        let mut state = self.kept.borrow().read();
        {
            let mut kept = self.kept.borrow_mut();
            (kept.is_paused, kept.is_ending, kept.is_full) = (false, false, false);
            kept.may_begin = None;
            kept.in_play.clear();
        }
        let (tell, instructions) = mpsc::unbounded_channel();
        let (halt, halted) = watch::channel(false);
        let bench = Bench {
            workers: RefCell::default(),
            known: RefCell::new((0..state.names().len()).collect()),
        };
        let mut keeper = Keeper(Rc::clone(&self.kept));
        let deadline = watch::Sender::new(None);
        let runner = TournamentRunner { state: &mut state, jobs: 3, instructions, deadline };
        let mut running = Box::pin(runner.run(&bench, &mut keeper, halted));
        let mut is_killed = false;
        let end = loop {
            // The run follows everything that it was told.
            let quiet = tokio::time::sleep(Duration::from_millis(1));
            tokio::select! {
                biased;
                end = &mut running => break Some(end),
                () = quiet => {}
            }
            let Some((step, rest)) = steps.split_first() else {
                // Nobody does anything any more, but the league is closed.
                let _ = tell.send(Instruction::Close);
                self.kept.borrow_mut().is_ending = true;
                while bench.answer(0, Way::Played, &|game| self.record(game)) {
                    tokio::task::yield_now().await;
                }
                let end = tokio::time::timeout(FOR_EVER, &mut running).await;
                break Some(end.expect("it waits for ever"));
            };
            steps = rest;
            if self.take(*step, (&tell, &halt), &bench) {
                is_killed = true;
                break None;
            }
        };
        drop(running);
        match end {
            None => assert!(is_killed),
            Some(Ok(_)) => {
                // What the run knew is what the log says, except for chosen games.
                let read = self.kept.borrow().read();
                assert_eq!(read.header(), state.header());
                assert_eq!(read.outs(), state.outs());
                assert_eq!(read.played(), state.played());
                let counted = |state: &TournamentState| state.counted_games().collect::<Vec<_>>();
                assert_eq!(counted(&read), counted(&state));
            }
            Some(Err(error)) => assert!(self.kept.borrow().is_full, "{error}"),
        }
        for answer in self.waiting.drain(..) {
            // Either it was followed, or nobody will; nobody waits.
            tokio::time::timeout(FOR_EVER, answer).await.expect("an answer").ok();
        }
        steps
    }

    /// Whether the run is killed now.
    fn take(
        &mut self,
        step: LeagueStep,
        (tell, halt): (&mpsc::UnboundedSender<Instruction>, &watch::Sender<bool>),
        bench: &Bench,
    ) -> bool {
        let say = |instruction| drop(tell.send(instruction));
        match step {
            LeagueStep::Done(which, way) => {
                bench.answer(which, way, &|game| self.record(game));
            }
            LeagueStep::Enter(which) => {
                let version = self.versions[which] + 1;
                if version > 1 {
                    let before = LeagueEntry::version_name(AUTHORS[which], version - 1);
                    say(self.change(left(&before), None));
                }
                let change = entered(AUTHORS[which], version);
                self.versions[which] = version;
                self.names.push(change.player().to_owned());
                say(self.change(change, Some(bot("random"))));
            }
            LeagueStep::Leave(which) => {
                let name = self.names[which % self.names.len()].clone();
                say(self.change(left(&name), None));
            }
            LeagueStep::Return(which) => {
                let player = self.names[which % self.names.len()].clone();
                say(self.change(RosterChange::Returned { player, at: 0 }, Some(bot("random"))));
            }
            LeagueStep::Pause => {
                say(Instruction::Pause);
                self.kept.borrow_mut().is_paused = true;
            }
            LeagueStep::GoOn => {
                say(Instruction::GoOn);
                self.kept.borrow_mut().is_paused = false;
            }
            LeagueStep::PlayAtOnce(most) => say(Instruction::PlayAtOnce(most)),
            LeagueStep::BeginAtMost(games) => {
                say(Instruction::BeginAtMost(games));
                self.kept.borrow_mut().may_begin = Some(games);
            }
            LeagueStep::End(How::Kill) => return true,
            LeagueStep::End(How::DiskFull) => self.kept.borrow_mut().is_full = true,
            LeagueStep::End(How::Stop) => drop(halt.send_replace(true)),
            LeagueStep::End(how) => {
                say(if how == How::Close { Instruction::Close } else { Instruction::Finish });
                self.kept.borrow_mut().is_ending = true;
            }
        }
        false
    }

    fn change(&mut self, change: RosterChange, program: Option<PlayerSpec>) -> Instruction {
        let (done, answer) = oneshot::channel();
        self.waiting.push(answer);
        Instruction::Change(Box::new(PlayerChange { change, program, done }))
    }

    fn record(&self, game: &DueGame) -> GameRecord {
        let name = |number: usize| self.kept.borrow().read().name(number).to_owned();
        let [first, second] = game.fixture.players.two().map(name);
        let plain = examples::game(&first, &second, "white");
        let DueGame { id, fixture } = game;
        GameRecord { id: id.clone(), pair: fixture.pair, game: fixture.game, ..plain }
    }
}

fn entered(author: &str, version: u32) -> RosterChange {
    let source = format!("{author} {version}");
    let entry =
        LeagueEntry { author: author.to_owned(), version, at: 0, source, kept: String::new() };
    let name = LeagueEntry::version_name(author, version);
    let player = HeaderPlayer { name, entry: Some(entry), ..league().players[0].clone() };
    RosterChange::Entered { player: Box::new(player), files: [].into() }
}

fn left(player: &str) -> RosterChange {
    let leaving = Leaving { at: 0, why: LeavingReason::Replaced };
    RosterChange::Left { player: player.to_owned(), leaving }
}

/// Plays a league through these steps, and its log is right.
fn play(steps: &[LeagueStep]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut world = World {
            kept: Rc::default(),
            versions: [0; AUTHORS.len()],
            waiting: Vec::new(),
            names: league().players.iter().map(|player| player.name.clone()).collect(),
        };
        let mut left = steps;
        loop {
            left = world.run(left).await;
            if left.is_empty() {
                break;
            }
        }
        let kept = world.kept.borrow();
        assert_eq!(kept.problems, [""; 0], "no game begins while none may");
    });
}

/// Plays this many leagues, whose steps are drawn.
fn play_many(cases: u32) {
    proptest!(ProptestConfig::with_cases(cases), |(steps in steps())| play(&steps));
}

#[test]
fn whatever_comes_the_log_tells_it_all() {
    play_many(500);
}

#[test]
#[ignore = "slow: 20 s"]
fn whatever_comes_in_many_leagues_the_logs_tell_it_all() {
    play_many(10_000);
}
