//! A forfeit of the opponent, which the classes of 2018 are told as `update(None)`.
//!
//! In a game it comes late and seldom, whatever the opponent does; so here the opponent forfeits
//! though it could act. No log can hold such a game.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Examiner, Outcome};
use crate::check::{Finding, exchange};
use crate::error::Failure;
use crate::model::clock::Clock;
use crate::player::{InitView, NotStarted, Player};
use crate::referee::{Question, Setup};
use referee_bots::Playable;
use referee_games::{BySeat, Event, Seat, Step, Turn};

/// The plies of the placing phase, and one move of the class.
const BEFORE: u32 = 25;

/// What the player was told in a game without a fault.
enum Told {
    Forfeit,
    Nothing,
}

impl<G: Playable> Examiner<'_, G> {
    /// Plays with it up to its first move, forfeits, and asks it for one action more.
    pub(super) async fn forfeit(&mut self) -> Outcome {
        let mut player = self.fresh();
        let seed = self.exam.seed;
        let told = match self.unless_over(self.told_of_forfeit(&mut player, seed)).await {
            Ok(told) => told,
            Err(stop) => {
                player.kill().await;
                return Err(stop);
            }
        };
        let lines = (self.candidate.spec.interface(), exchange::of(&player));
        self.leave(player).await;
        let (said, failed) = match told {
            Ok(Told::Forfeit) => ("its opponent forfeits: it plays on", None),
            Ok(Told::Nothing) => ("the game ends before its opponent can forfeit", None),
            Err((NotStarted::Shortage(shortage), _)) => return Err(Failure::from(shortage).into()),
            Err((NotStarted::Fault(fault), plies @ Some(BEFORE..))) => {
                ("its opponent forfeits: it does not play on", Some((fault, plies)))
            }
            Err((NotStarted::Fault(fault), plies)) => {
                ("it fails before its opponent can forfeit", Some((fault, plies)))
            }
        };
        let finding =
            failed.map(|(fault, plies)| Finding::new::<G>(&fault, Seat::First, plies, lines));
        Ok((said.to_owned(), finding))
    }

    /// The game, in which it has the first seat; why it failed and the plies before that.
    async fn told_of_forfeit(
        &self,
        player: &mut Player,
        seed: u64,
    ) -> Result<Told, (NotStarted, Option<u32>)> {
        let exam = self.exam;
        let setup = Setup::<G> {
            rules: &exam.rules,
            options: &exam.options,
            control: &exam.control,
            policy: exam.policy,
            opening: &[],
            seeds: BySeat::new(seed, seed),
        };
        let mut position = G::start(&exam.rules);
        let view = InitView {
            seat: Seat::First,
            position: &position,
            options: &exam.options,
            control: &exam.control,
            seed,
            opening: &[],
        };
        player.begin(&view).await.map_err(|why| (why, None))?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut events, mut told) = (Vec::<Event>::new(), 0);
        loop {
            let ply = position.ply();
            let action = match position.turn() {
                Turn::Move(Seat::First) => {
                    let clocks = BySeat::from_fn(|_| Clock::new(exam.control));
                    let news = &events[told..];
                    let question = Question::new(Seat::First, &setup, &position, news, clocks);
                    let answered = question.put(player).await.decided;
                    let (action, _) = answered.map_err(|fault| (fault.into(), Some(ply)))?;
                    told = events.len();
                    action
                }
                Turn::Move(Seat::Second) if ply < BEFORE => {
                    let Some(action) = position.random_action(Seat::Second, &mut rng) else {
                        return Ok(Told::Nothing);
                    };
                    action
                }
                Turn::Move(Seat::Second) => G::pass(),
                _ => return Ok(Told::Nothing),
            };
            if ply > BEFORE {
                return Ok(Told::Forfeit);
            }
            position.play(Step::Move(action), &mut events);
        }
    }
}
