//! The list of games that have their own built-in players.

use rand_chacha::ChaCha8Rng;

use super::any_game_bot::AnyGameBot;
use super::bot_engine::BotEngine;
use super::{Allotment, Bot, BotGame, BotKind, Choice};
use referee_games::back_to_the_wall::BackToTheWall;
use referee_games::backdraughts::Backdraughts;
use referee_games::two_player::Side;
use referee_games::watch_your_back::WatchYourBack;
use referee_games::{
    AnyGame, AnyPosition, GameError, GameKind, Options, Seat, StepText, TypedPosition,
};

/// Creates a player of this kind at the start of a game with these options.
///
/// Games with their own players are listed here. The players of every other game know only its
/// rules.
///
/// # Errors
/// The options contradict each other.
pub fn create_built_in_player(
    game: &dyn AnyGame,
    kind: BotKind,
    options: &Options,
) -> Result<Box<dyn BotEngine>, GameError> {
    let built_in = GameKind::named(game.name()).filter(|_| game.program().is_none());
    match built_in {
        Some(GameKind::WatchYourBack) => create_typed_player::<WatchYourBack>(kind, options),
        Some(GameKind::Backdraughts) => create_typed_player::<Backdraughts>(kind, options),
        Some(GameKind::BackToTheWall) => create_typed_player::<BackToTheWall>(kind, options),
        _ => Ok(Box::new(AnyGameBot::new(game, game.start(options)?, kind))),
    }
}

fn create_typed_player<G: BotGame>(
    kind: BotKind,
    options: &Options,
) -> Result<Box<dyn BotEngine>, GameError> {
    let position = TypedPosition::new(G::start(&G::rules(options)?.into()));
    Ok(Box::new(TypedEngine { position, bot: kind.create_bot() }))
}

/// A player of a typed game.
struct TypedEngine<G: BotGame> {
    position: TypedPosition<G>,
    bot: Box<dyn Bot<G>>,
}

impl<G: BotGame> BotEngine for TypedEngine<G> {
    fn position(&self) -> &dyn AnyPosition {
        &self.position
    }

    fn follow(&mut self, step: StepText<'_>) -> Result<(), GameError> {
        self.position.play(step, &mut Vec::new())
    }

    fn branch(
        &mut self,
        step: StepText<'_>,
        then: &mut dyn FnMut(&mut dyn BotEngine),
    ) -> Result<(), GameError> {
        let before = self.position.clone();
        let followed = self.follow(step);
        if followed.is_ok() {
            then(self);
        }
        self.position = before;
        followed
    }

    fn choose(
        &mut self,
        seat: Seat,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<String>> {
        let choice = self.bot.choose(self.position.game(), Side::from_seat(seat), time, rng)?;
        Some(Choice { action: choice.action.to_string(), eval: choice.eval })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::Limit;
    use referee_games::backdraughts::Board;
    use referee_games::{BySeat, Game, Seat, Step, Turn};

    fn options(game: GameKind) -> Options {
        Options::resolve(game.game().options(), []).expect("defaults")
    }

    /// Plays a game from the start. Every chance event has its first outcome.
    fn play(game: GameKind, kinds: BySeat<BotKind>, seed: u64) {
        let start = game.game().start(&options(game)).expect("defaults");
        let mut engines = kinds.map(|kind| AnyGameBot::new(game.game(), start.clone(), kind));
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        loop {
            let position = engines[Seat::FIRST].position();
            let (turn, outcomes) = (position.turn(), position.outcomes());
            let mut choose = |seat| {
                let choice = engines[seat].choose(seat, Allotment::default(), &mut rng);
                choice.expect("an action").action
            };
            let step = match turn {
                Turn::Over(_) => return,
                Turn::Pass(_) => Step::Pass,
                Turn::Chance(_) => Step::Chance(outcomes[0].0.clone()),
                Turn::Move(seat) => Step::Move(choose(seat)),
                Turn::Together(seats) => Step::Together(seats.iter().map(choose).collect()),
            };
            for engine in engines.values_mut() {
                engine.follow(step.as_text()).expect("legal");
            }
        }
    }

    #[test]
    fn players_without_types_play_every_game_to_its_end() {
        let kinds =
            [BotKind::Random, BotKind::Greedy, BotKind::Steady, BotKind::Search(Limit::Nodes(30))];
        for &game in GameKind::all() {
            for kind in kinds {
                play(game, BySeat::from([kind, BotKind::Random]), 7);
            }
        }
    }

    #[test]
    fn without_types_they_see_the_end_of_the_game() {
        let rules = Backdraughts::rules(&options(GameKind::Backdraughts)).expect("defaults");
        let rows = [
            "....W...", "........", "........", "...W....", "........", "........", "..B.....",
            "........",
        ];
        let board = Board::from_rows(&rows).expect("a board");
        let mut position =
            TypedPosition::new(Backdraughts::from_board(&rules.into(), board, Side::First));
        position.play(Step::Chance("roll 3"), &mut Vec::new()).expect("a die");
        let game = GameKind::Backdraughts.game();
        let choose = |kind| {
            let mut engine = AnyGameBot::new(game, position.boxed(), kind);
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            engine.choose(Seat::FIRST, Allotment::default(), &mut rng).expect("an action").action
        };
        for kind in [BotKind::Greedy, BotKind::Search(Limit::Nodes(2000))] {
            assert_eq!(choose(kind), "4,0>7,0", "{kind}");
        }
        assert_ne!(choose(BotKind::Steady), "4,0>7,0");
    }

    #[test]
    fn players_with_and_without_types_draw_the_same_random_actions() {
        for &game in GameKind::all() {
            let mut typed = create_built_in_player(game.game(), BotKind::Random, &options(game))
                .expect("defaults");
            let start = game.game().start(&options(game)).expect("defaults");
            let mut any = AnyGameBot::new(game.game(), start, BotKind::Random);
            let mut rngs = [7, 7].map(ChaCha8Rng::seed_from_u64);
            for seat in typed.position().turn().asked().iter() {
                let time = Allotment::default();
                let action = typed.choose(seat, time, &mut rngs[0]).expect("an action");
                assert_eq!(any.choose(seat, time, &mut rngs[1]), Some(action));
            }
        }
    }
}
