//! Tests a game: finds mistakes in its rules program, and measures its games.
//!
//! The trial visits the positions nearest to the start first, so that a mistake there is shown with
//! the fewest steps, then positions of random games. Another process of the program replays every
//! game, interleaved with others in random order: all answers must be the same.

mod example;
mod findings;
mod hidden_information;
mod portrait;
mod position_checks;
mod purity;
mod trial_text;
mod walk;

use self::walk::{TrialWalk, list_walk_steps};
use referee_games::Text;
use std::collections::{HashSet, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

pub use example::ExampleGame;
use findings::GameFindings;
pub use findings::{GameFinding, HiddenChecks};
use portrait::PortraitMaker;
pub use portrait::{GamePortrait, GameSample, PortraitQuantiles, PortraitShare};
use position_checks::check_trial_position;
use purity::PurityTest;
use referee_record::model::game_rules::GameRules;
pub use trial_text::format_trial;

/// The number of positions near the start to visit.
const NEAR_POSITIONS: u32 = 400;
/// The trial ends after this many failures, because each restarts the program.
const MOST_FAILURES: u32 = 6;
/// The number of games that are replayed at the same time.
const BATCH: usize = 32;
/// One in this many positions of a random game is checked.
const CHECKED: u32 = 8;

/// The settings of a trial.
#[derive(Debug, Clone, Copy)]
pub struct TrialPlan {
    /// The number of random games.
    pub games: u32,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The number of games between searching players.
    pub search_games: u32,
    /// The nodes of each search.
    pub nodes: u64,
}

/// What a trial does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialStage {
    /// It checks positions near the start.
    NearPositions,
    /// It plays random games.
    RandomGames,
    /// It plays games between searching players.
    SearchGames,
}

/// How far a trial has come.
#[derive(Debug, Clone, Copy)]
pub struct TrialProgress {
    /// What it does now.
    pub stage: TrialStage,
    /// How many positions or games of this stage are done.
    pub done: u32,
    /// How many there are at most.
    pub of: u32,
}

/// The result of a trial.
#[derive(Debug, Serialize)]
pub struct GameTrial {
    /// The name of the game.
    pub game: String,
    /// The name for people.
    pub title: String,
    /// The names of the seats, first seat first.
    pub seats: Vec<String>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The options that had their defaults.
    pub defaults: Vec<String>,
    /// The number of random games that were played.
    pub games: u32,
    /// The mistakes, those with the fewest steps first.
    pub findings: Vec<GameFinding>,
    /// What the checks of hidden information could compare; `None` if nothing is hidden.
    pub hidden: Option<HiddenChecks>,
    /// The portrait of the games; `None` if no game was finished.
    pub portrait: Option<GamePortrait>,
}

/// Tests the game, and reports progress.
pub fn run_game_trial(
    rules: &GameRules,
    plan: &TrialPlan,
    tell: &mut dyn FnMut(TrialProgress),
) -> GameTrial {
    let mut trial = RunningTrial {
        rules,
        tell,
        rng: ChaCha8Rng::seed_from_u64(plan.seed),
        findings: GameFindings::default(),
        portrait: PortraitMaker::new(&*rules.game),
        played: 0,
    };
    trial.visit_near_positions();
    trial.play_games(plan.games);
    if trial.findings.failures < MOST_FAILURES {
        let (of, tell) = (plan.search_games, &mut *trial.tell);
        let played = |done| tell(TrialProgress { stage: TrialStage::SearchGames, done, of });
        trial.portrait.search(rules, plan, &mut trial.findings, played);
    }
    let seats = rules.game.seats();
    GameTrial {
        game: rules.game.name().to_owned(),
        title: rules.game.title().to_owned(),
        seats: seats.into_iter().map(Text::into_owned).collect(),
        seed: plan.seed,
        defaults: default_trial_options(rules),
        games: trial.played,
        hidden: rules.game.is_hidden().then_some(trial.findings.hidden),
        findings: trial.findings.sorted(),
        portrait: trial.portrait.finished(),
    }
}

/// The options of the game that were not given.
fn default_trial_options(rules: &GameRules) -> Vec<String> {
    let given = rules.options.given();
    let names = rules.game.options().iter().map(|option| &option.name);
    let others = names.filter(|name| !given.iter().any(|(given, _)| given == *name));
    others.map(ToString::to_string).collect()
}

/// A trial in progress.
struct RunningTrial<'a> {
    rules: &'a GameRules,
    tell: &'a mut dyn FnMut(TrialProgress),
    rng: ChaCha8Rng,
    findings: GameFindings,
    portrait: PortraitMaker,
    played: u32,
}

impl RunningTrial<'_> {
    /// Checks the positions nearest to the start, nearest first.
    fn visit_near_positions(&mut self) {
        let mut seen = HashSet::new();
        let mut waiting = VecDeque::from([TrialWalk::new(&self.rules.start)]);
        let mut done = 0;
        while let Some(walk) = waiting.pop_front() {
            let stage = TrialStage::NearPositions;
            (self.tell)(TrialProgress { stage, done, of: NEAR_POSITIONS + 1 });
            done += 1;
            if self.findings.failures >= MOST_FAILURES {
                return;
            }
            check_trial_position(self.rules, &walk, &mut self.rng, &mut self.findings);
            for step in list_walk_steps(&*walk.position, &mut self.rng) {
                if seen.len() >= NEAR_POSITIONS as usize {
                    break;
                }
                let mut after = walk.clone();
                match after.play(step) {
                    Err(error) => self.findings.failed(&error, &after.steps),
                    Ok(()) if seen.insert(after.position.state().get().to_owned()) => {
                        waiting.push_back(after);
                    }
                    Ok(()) => {}
                }
            }
        }
    }

    /// Plays random games, and replays each in another process.
    fn play_games(&mut self, games: u32) {
        let mut purity = PurityTest::new(self.rules);
        while self.played < games && self.findings.failures < MOST_FAILURES {
            let stage = TrialStage::RandomGames;
            (self.tell)(TrialProgress { stage, done: self.played, of: games });
            self.played += 1;
            let walk = self.play_game(&mut purity);
            self.portrait.add(&walk);
            if purity.waiting() == BATCH {
                purity.compare(&mut self.rng, &mut self.findings);
            }
        }
        purity.compare(&mut self.rng, &mut self.findings);
    }

    /// Plays a random game to its end, or until the program fails.
    fn play_game(&mut self, purity: &mut PurityTest) -> TrialWalk {
        let mut walk = TrialWalk::new(&self.rules.start);
        purity.begin(&walk);
        loop {
            if self.rng.random_ratio(1, CHECKED) {
                check_trial_position(self.rules, &walk, &mut self.rng, &mut self.findings);
            }
            match walk.random_step(&mut self.rng) {
                Ok(true) => {}
                Ok(false) => return walk,
                Err(error) => {
                    self.findings.failed(&error, &walk.steps);
                    return walk;
                }
            }
            purity.add(&walk);
        }
    }
}
