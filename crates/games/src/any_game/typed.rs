//! Adapter that turns every typed game into an [`AnyGame`].

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use rand::RngCore;
use serde_json::value::RawValue;

use super::{AnyGame, AnyPosition, GameError, Position, raw_position_json};
use crate::drawn_board::{BoardLook, Drawing, DrawnDie, build_drawn_board};
use crate::event::Event;
use crate::game::{Clause, Game, Legal, StepOf};
use crate::options::{OptionSpec, Options};
use crate::refusal::StepError;
use crate::safe_text::Text;
use crate::seat::{BySeat, Seat};
use crate::turn::{Step, StepText, Turn};
use crate::two_player::{self, BySide, Side};

/// The typed game `G` as an [`AnyGame`].
pub struct Typed<G>(PhantomData<fn() -> G>);

impl<G> Typed<G> {
    /// The game.
    pub const GAME: Self = Self(PhantomData);
}

impl<G: Game> std::fmt::Debug for Typed<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(G::NAME)
    }
}

impl<G: Game> AnyGame for Typed<G> {
    fn name(&self) -> &str {
        G::NAME
    }

    fn title(&self) -> &str {
        G::TITLE
    }

    fn seats(&self) -> BySeat<Text> {
        G::SEATS.map(Cow::Borrowed).into()
    }

    fn clauses(&self) -> &[Clause] {
        &G::sheet().clauses
    }

    fn options(&self) -> &[OptionSpec] {
        &G::sheet().options
    }

    fn look(&self) -> Option<&BoardLook> {
        G::sheet().board.as_ref()
    }

    fn start(&self, options: &Options) -> Result<Position, GameError> {
        Ok(Box::new(TypedPosition::new(G::start(&Arc::new(G::rules(options)?)))))
    }

    fn endless(&self, options: &Options) -> Result<Option<String>, GameError> {
        Ok(G::endless(&G::rules(options)?))
    }
}

/// A position of the typed game `G` as an [`AnyPosition`].
pub struct TypedPosition<G> {
    game: G,
    /// The state as JSON, once it was asked for: both players may want it.
    state: OnceLock<Box<RawValue>>,
}

impl<G: std::fmt::Debug> std::fmt::Debug for TypedPosition<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TypedPosition").field(&self.game).finish()
    }
}

impl<G: Clone> Clone for TypedPosition<G> {
    /// A clone is made to be played on, so it leaves the state behind.
    fn clone(&self) -> Self {
        Self { game: self.game.clone(), state: OnceLock::new() }
    }
}

impl<G: Game> TypedPosition<G> {
    /// The position of a typed game.
    pub const fn new(game: G) -> Self {
        Self { game, state: OnceLock::new() }
    }

    /// The typed position.
    pub const fn game(&self) -> &G {
        &self.game
    }

    /// Parses the text of a step, which must answer the turn and be legal.
    fn parse_step(&self, step: StepText<'_>) -> Result<StepOf<G>, GameError> {
        let action = |side, text| self.game.parse_action(side, text);
        Ok(match (self.game.turn(), step) {
            (two_player::Turn::Move(side), Step::Move(text)) => {
                two_player::Step::Move(action(side, text)?)
            }
            (two_player::Turn::Pass(_), Step::Pass) => two_player::Step::Pass,
            (two_player::Turn::Both, Step::Together(answers)) if answers.len() == 2 => {
                let first = action(Side::First, answers[0])?;
                two_player::Step::Both(BySide::new(first, action(Side::Second, answers[1])?))
            }
            (two_player::Turn::Chance(_), Step::Chance(text)) => {
                let mut outcomes = self.game.outcomes().into_iter();
                let drawn = outcomes.find(|(outcome, _)| outcome.to_string() == text);
                let none = || StepError::NoOutcome { outcome: text.to_owned() };
                two_player::Step::Chance(drawn.ok_or_else(none)?.0)
            }
            (turn, _) => return Err(StepError::NotAsked { turn: turn.into() }.into()),
        })
    }
}

impl<G: Game> AnyPosition for TypedPosition<G> {
    fn seats(&self) -> BySeat<Text> {
        G::SEATS.map(Cow::Borrowed).into()
    }

    fn turn(&self) -> Turn {
        self.game.turn().into()
    }

    fn outcomes(&self) -> Vec<(String, u32)> {
        let outcomes = self.game.outcomes().into_iter();
        outcomes.map(|(outcome, weight)| (outcome.to_string(), weight)).collect()
    }

    fn ply(&self) -> u32 {
        self.game.ply()
    }

    fn legal(&self, seat: Seat) -> Legal {
        self.game.legal(Side::from_seat(seat)).into_text()
    }

    fn legal_json(&self, seat: Seat) -> Box<RawValue> {
        raw_position_json(&self.game.legal(Side::from_seat(seat)))
    }

    fn first_legal(&self, seat: Seat) -> Option<String> {
        self.game.first_legal(Side::from_seat(seat)).map(|action| action.to_string())
    }

    fn legal_count(&self, seat: Seat) -> u64 {
        self.game.legal_count(Side::from_seat(seat))
    }

    fn all_actions(&self, seat: Seat) -> Option<Vec<String>> {
        Some(
            self.game
                .legal_actions(Side::from_seat(seat))
                .iter()
                .map(ToString::to_string)
                .collect(),
        )
    }

    fn different_outcomes(&self) -> Vec<String> {
        self.game.different_outcomes().iter().map(ToString::to_string).collect()
    }

    fn judge(&self, seat: Seat, text: &str) -> Result<String, GameError> {
        Ok(self.game.parse_action(Side::from_seat(seat), text)?.to_string())
    }

    fn can_win(&self, seat: Seat) -> bool {
        self.game.can_win(Side::from_seat(seat))
    }

    fn values(&self) -> Option<BySeat<f64>> {
        self.game.values().map(Into::into)
    }

    fn play(&mut self, step: StepText<'_>, events: &mut Vec<Event>) -> Result<(), GameError> {
        let step = self.parse_step(step)?;
        self.state.take();
        self.game.play_unchecked(step, events);
        Ok(())
    }

    fn play_silently(&mut self, step: StepText<'_>) -> Result<(), GameError> {
        let step = self.parse_step(step)?;
        self.state.take();
        self.game.play_silently(step);
        Ok(())
    }

    fn sample(&self, seat: Seat, rng: &mut dyn RngCore) -> Result<Option<String>, GameError> {
        Ok(self.game.random_action(Side::from_seat(seat), rng).map(|action| action.to_string()))
    }

    fn state(&self) -> Cow<'_, RawValue> {
        Cow::Borrowed(self.state.get_or_init(|| raw_position_json(&self.game.state())))
    }

    fn state_hash(&self) -> u64 {
        self.game.state_hash()
    }

    fn snapshot(&self) -> Option<Box<RawValue>> {
        Some(raw_position_json(&self.game.snapshot()))
    }

    fn restored(&self, snapshot: &RawValue) -> Option<Position> {
        let snapshot = serde_json::from_str(snapshot.get()).ok()?;
        Some(Box::new(Self::new(self.game.restored(snapshot)?)))
    }

    fn draw(&self) -> Drawing<'_> {
        let Some(look) = &G::sheet().board else { return Drawing::Text(self.game.rows()) };
        let dice =
            self.game.die().map(|(seat, value)| DrawnDie { seat: G::SEATS[seat].into(), value });
        Drawing::Board(build_drawn_board(self.game.cells(), look, dice.into_iter().collect()), look)
    }

    fn caption(&self) -> String {
        self.game.caption()
    }

    fn boxed(&self) -> Position {
        Box::new(self.clone())
    }
}
