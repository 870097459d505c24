//! The typed trait that every built-in game implements, for programs that search.

use std::borrow::Cow;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use rand::RngCore;
use rand::seq::IndexedRandom;
use serde::Serialize;

use super::board::{self, Square};
use super::event::Event;
use super::options::{OptionError, OptionSpec, Options};
use super::refusal::{Refusal, StepError};
use super::seat::{BySeat, Seat};
use super::text::Text;
use super::turn::{Step, Turn};

/// One clause of a rule set: its id, as refusals cite it, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Clause {
    /// The id, for example `W6`.
    pub id: Text,
    /// A short name for lists.
    pub title: Text,
    /// The clause in words.
    pub text: Text,
}

impl Clause {
    /// A clause of a built-in game.
    pub const fn new(id: &'static str, title: &'static str, text: &'static str) -> Self {
        Self { id: Cow::Borrowed(id), title: Cow::Borrowed(title), text: Cow::Borrowed(text) }
    }
}

/// A step of the game `G`.
pub type StepOf<G> = Step<<G as Game>::Action, <G as Game>::Chance>;

/// The legal actions as players are sent them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Legal {
    /// The texts of all legal actions, sorted.
    List(Vec<String>),
    /// Every combination of a direction for each piece and so many of the squares.
    Factored {
        /// The directions.
        directions: [&'static str; 4],
        /// How many squares a submission names.
        walls: u8,
        /// The squares to choose from, sorted by row.
        squares: Vec<board::Square>,
    },
}

/// A position of one game, and with it the whole rule set.
///
/// The game's facts ([`NAME`](Game::NAME), seats, clauses, options) are constants of the type;
/// the options in force are [`Game::Rules`], shared by all positions of a game. A program that
/// needs no types goes through [`AnyGame`](crate::AnyGame) instead.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// The checked options of the rule set.
    type Rules: Clone + fmt::Debug + Send + Sync + 'static;
    /// What a seat may do. Its `Display` is the canonical text.
    type Action: Clone + Eq + Ord + Hash + fmt::Debug + fmt::Display + Send;
    /// What the referee may draw; [`std::convert::Infallible`] if there is no chance.
    type Chance: Clone + Eq + fmt::Debug + fmt::Display + Send;
    /// The complete state as players are sent it; plain data, which always serialises.
    type State: Serialize;

    /// The game's name, for example `watch-your-back`.
    const NAME: &'static str;
    /// The name as people write it, for example `Watch Your Back!`.
    const TITLE: &'static str;
    /// The names of the seats, first seat first.
    const SEATS: BySeat<&'static str>;
    /// Every clause, in order.
    const CLAUSES: &'static [Clause];
    /// Every option, in order.
    const OPTIONS: &'static [OptionSpec];

    /// Checks options that fit [`OPTIONS`](Game::OPTIONS) one by one for what they mean together.
    fn rules(options: &Options) -> Result<Self::Rules, OptionError>;

    /// Says why a game under these rules might never end, if so. Nobody may play such a game;
    /// `trace` and `perft` may look at it.
    fn endless(rules: &Self::Rules) -> Option<String>;

    /// The start position.
    fn start(rules: &Arc<Self::Rules>) -> Self;

    /// What happens next.
    fn turn(&self) -> Turn;

    /// What chance may bring, each outcome with its weight; at least one, and the weights are not
    /// all zero. Empty unless [`turn`](Game::turn) is [`Turn::Chance`].
    fn outcomes(&self) -> Vec<(Self::Chance, u32)> {
        Vec::new()
    }

    /// Plies played so far: actions, forced passes included; a simultaneous turn is one.
    fn ply(&self) -> u32;

    /// All legal actions of `seat`; empty unless the seat is to choose. They are sorted by their
    /// text if [`legal`](Game::legal) lists them, and may be very many if it does not.
    fn legal_actions(&self, seat: Seat) -> Vec<Self::Action>;

    /// The legal actions as players are sent them.
    fn legal(&self, seat: Seat) -> Legal {
        Legal::List(self.legal_actions(seat).iter().map(ToString::to_string).collect())
    }

    /// How many legal actions `seat` has; better than counting them if they are many.
    fn legal_count(&self, seat: Seat) -> u64 {
        self.legal_actions(seat).len() as u64
    }

    /// A legal action of `seat`, each with the same probability; `None` if there is none.
    fn random_action(&self, seat: Seat, rng: &mut dyn RngCore) -> Option<Self::Action> {
        self.legal_actions(seat).choose(rng).cloned()
    }

    /// Turns untrusted text into a legal action of `seat`, or says which clause forbids it.
    /// Outer blanks are ignored; the text is otherwise exact. On a forced pass, the pass alone
    /// is accepted, though nobody is asked for it.
    fn parse_action(&self, seat: Seat, text: &str) -> Result<Self::Action, Refusal>;

    /// Plays a step and appends what happened to `events`, the last being [`Event::Over`] when
    /// the game ends.
    ///
    /// # Errors
    /// The step does not answer [`turn`](Game::turn), or the rules forbid it. Nothing has
    /// happened then.
    fn play(
        &mut self,
        step: Step<Self::Action, Self::Chance>,
        events: &mut Vec<Event>,
    ) -> Result<(), StepError> {
        self.check(&step)?;
        self.play_unchecked(step, events);
        Ok(())
    }

    /// Whether a step answers [`turn`](Game::turn) and is legal. Each action is written and
    /// parsed again for this, so that a refusal cites its clause.
    fn check(&self, step: &Step<Self::Action, Self::Chance>) -> Result<(), StepError> {
        let legal = |seat, action: &Self::Action| self.parse_action(seat, &action.to_string());
        match (self.turn(), step) {
            (Turn::Move(seat), Step::Move(action)) => {
                legal(seat, action)?;
            }
            (Turn::Pass(_), Step::Pass) => {}
            (Turn::Both, Step::Both(BySeat { first, second })) => {
                legal(Seat::First, first)?;
                legal(Seat::Second, second)?;
            }
            (Turn::Chance(_), Step::Chance(drawn)) => {
                if !self.outcomes().iter().any(|(outcome, _)| outcome == drawn) {
                    return Err(StepError::NoOutcome { outcome: drawn.to_string() });
                }
            }
            (turn, _) => {
                return Err(StepError::NotAsked { turn: turn.map_reason(Cow::Borrowed) });
            }
        }
        Ok(())
    }

    /// Plays a step that is known to answer [`turn`](Game::turn) and to be legal, and appends
    /// what happened to `events`, as [`play`](Game::play) does.
    ///
    /// # Panics
    /// May panic on any other step, or leave a position that makes no sense.
    fn play_unchecked(&mut self, step: Step<Self::Action, Self::Chance>, events: &mut Vec<Event>);

    /// Plays a step as [`play_unchecked`](Game::play_unchecked) does, for programs that need no
    /// events.
    fn play_silently(&mut self, step: Step<Self::Action, Self::Chance>) {
        self.play_unchecked(step, &mut Vec::new());
    }

    /// The outcomes of chance that lead to different games, for counting: all
    /// [`outcomes`](Game::outcomes), unless some lead to the same game.
    fn different_outcomes(&self) -> Vec<Self::Chance> {
        self.outcomes().into_iter().map(|(outcome, _)| outcome).collect()
    }

    /// The complete state.
    fn state(&self) -> Self::State;

    /// The board as rows of characters from top to bottom, for people.
    fn rows(&self) -> Vec<String>;

    /// Whose square this is, in games whose squares have owners, so that people see it in colour.
    /// [`rows`](Game::rows) must tell it without colour too.
    fn owner(&self, _square: Square) -> Option<Seat> {
        None
    }

    /// The letters of the pieces on a square that holds several; [`rows`](Game::rows) draws their
    /// number there. Games in which pieces never share a square need none.
    fn shared(&self, _square: Square) -> Vec<char> {
        Vec::new()
    }

    /// Whose goal this square is, in games with goals, so that people see it on the board.
    fn goal(&self, _square: Square) -> Option<Seat> {
        None
    }

    /// A line about what the board does not show (phase, counts), for people.
    fn caption(&self) -> String;
}
