//! A forfeit of the opponent, which the 2018 classes receive as `update(None)`.
//!
//! In real games this is rare and comes late. In this step the opponent forfeits although it could
//! act. No log can contain such a game.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Examiner, StepResult};
use crate::check::{CheckFinding, transcript};
use crate::error::Failure;
use referee_games::watch_your_back::{Action, WatchYourBack};
use referee_games::{AnyPosition, BySeat, Event, Game, GameError, Seat, Step, Turn, TypedPosition};
use referee_match::player::{InitView, NotStarted, Player};
use referee_match::referee::{GameSetup, PendingTurn, Unplayable};
use referee_record::model::clock::Clock;
use referee_record::model::fault::Fault;
use referee_record::model::rules::GameRules;

/// The plies of the placing phase, plus one move of the class.
const BEFORE: u32 = 25;

/// The reason why the game stopped.
enum ForfeitFailure {
    Player(Fault),
    Referee(Unplayable),
}

impl From<NotStarted> for ForfeitFailure {
    fn from(why: NotStarted) -> Self {
        match why {
            NotStarted::Fault(fault) => Self::Player(fault),
            NotStarted::Shortage(shortage) => Self::Referee(shortage.into()),
            NotStarted::Game(error) => Self::Referee(error.into()),
        }
    }
}

/// The messages to the player in a game without a fault.
enum ForfeitNews {
    Forfeit,
    Nothing,
}

impl Examiner<'_> {
    /// Plays up to the player's first move, forfeits, and asks it for one more action.
    pub(super) async fn forfeit(&mut self) -> StepResult {
        let mut player = self.fresh();
        let seed = self.exam.seed;
        let told = match self.unless_over(self.told_of_forfeit(&mut player, seed)).await {
            Ok(told) => told,
            Err(stop) => {
                player.kill().await;
                return Err(stop);
            }
        };
        let lines = (self.candidate.spec.interface(), transcript::last_request(&player));
        self.leave(player).await;
        let (summary, failed) = match told {
            Ok(ForfeitNews::Forfeit) => ("its opponent forfeits: it plays on", None),
            Ok(ForfeitNews::Nothing) => ("the game ends before its opponent can forfeit", None),
            Err((ForfeitFailure::Referee(why), _)) => return Err(Failure::from(why).into()),
            Err((ForfeitFailure::Player(fault), plies @ Some(BEFORE..))) => {
                ("its opponent forfeits: it does not play on", Some((fault, plies)))
            }
            Err((ForfeitFailure::Player(fault), plies)) => {
                ("it fails before its opponent can forfeit", Some((fault, plies)))
            }
        };
        let finding = failed.map(|(fault, plies)| {
            CheckFinding::new(&*self.exam.rules.game, &fault, Seat::First, plies, lines)
        });
        Ok((summary.to_owned(), finding))
    }

    /// Plays the game with the player in the first seat. A failure comes with its reason and the
    /// plies before it.
    async fn told_of_forfeit(
        &self,
        player: &mut Player,
        seed: u64,
    ) -> Result<ForfeitNews, (ForfeitFailure, Option<u32>)> {
        let exam = self.exam;
        // Only this game is played by classes, and only in this game can a move be forfeited.
        let Some(mut position) = start(&exam.rules) else { return Ok(ForfeitNews::Nothing) };
        let setup = GameSetup {
            rules: &exam.rules,
            control: &exam.control,
            policy: exam.policy,
            opening: &[],
            seeds: BySeat::new(seed, seed),
        };
        let view = InitView {
            seat: Seat::First,
            rules: &exam.rules,
            position: &position,
            control: &exam.control,
            seed,
            opening: &[],
        };
        player.begin(&view).await.map_err(|why| (why.into(), None))?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut events, mut sent) = (Vec::<Event>::new(), 0);
        loop {
            let ply = position.0.ply();
            let failed = |error: GameError| (ForfeitFailure::Referee(error.into()), Some(ply));
            let action = match position.0.turn() {
                Turn::Move(Seat::First) => {
                    let clocks = BySeat::from_fn(|_| Clock::new(exam.control));
                    let news = &events[sent..];
                    let turn = PendingTurn::new(Seat::First, &setup, &position, news, clocks);
                    let answered = turn.ask(player).await.map_err(failed)?.decided;
                    let (action, _) =
                        answered.map_err(|fault| (ForfeitFailure::Player(fault), Some(ply)))?;
                    sent = events.len();
                    Some(action)
                }
                Turn::Move(Seat::Second) if ply < BEFORE => {
                    position.sample(Seat::Second, &mut rng).map_err(failed)?
                }
                Turn::Move(Seat::Second) => None,
                _ => return Ok(ForfeitNews::Nothing),
            };
            if ply > BEFORE {
                return Ok(ForfeitNews::Forfeit);
            }
            match action {
                Some(action) => {
                    position.play(Step::Move(&action), &mut events).map_err(failed)?;
                }
                None => position.0.play_unchecked(Step::Move(Action::Pass), &mut events),
            }
        }
    }
}

/// The typed starting position under these rules, if this is the right game.
fn start(rules: &GameRules) -> Option<TypedPosition<WatchYourBack>> {
    if rules.game.name() != WatchYourBack::NAME {
        return None;
    }
    let rules = WatchYourBack::rules(&rules.options).ok()?;
    Some(TypedPosition(WatchYourBack::start(&rules.into())))
}
