//! The typed trait that every built-in game implements, for programs that search.

use std::fmt::{self, Write};
use std::hash::Hash;
use std::sync::Arc;

use rand::RngCore;
use rand::seq::IndexedRandom;
use serde::de::DeserializeOwned;
use serde::ser::{self, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::any_game::hash_game_state;
use super::drawn_board::{BoardLook, DrawnRow};
use super::event::Event;
use super::options::{OptionError, OptionSpec, Options};
use super::refusal::Refusal;
use super::safe_text::Text;
use super::two_player::{BySide, Side, Step, Turn};
use super::{any_game, board};

/// A clause of a rule set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clause {
    /// The id that refusals cite, for example `W6`.
    pub id: Text,
    /// A short name for lists.
    pub title: Text,
    /// The text of the clause.
    pub text: Text,
}

/// The clauses and the options of a game, each in order, and the look of its board.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSheet {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// The options.
    #[serde(default)]
    pub options: Vec<OptionSpec>,
    /// What the characters on its board mean; `None` if a board is plain text.
    pub board: Option<BoardLook>,
}

impl RuleSheet {
    /// Reads the sheet of a built-in game, which is in TOML.
    ///
    /// # Panics
    /// It is invalid.
    pub(crate) fn read(text: &str) -> Self {
        toml::from_str(text).unwrap_or_else(|error| panic!("the sheet of a game: {error}"))
    }
}

/// A step of the game `G`.
pub type StepOf<G> = Step<<G as Game>::Action, <G as Game>::Chance>;

/// The legal actions in the form sent to players. `A` is an action, or its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Legal<A = String> {
    /// All legal actions, sorted by their texts.
    #[serde(serialize_with = "texts", bound(serialize = "A: fmt::Display"))]
    List(Vec<A>),
    /// Every combination of a direction for each piece and `walls` of the squares.
    Factored {
        /// The directions.
        directions: [Text; 4],
        /// The number of squares in a submission.
        walls: u8,
        /// The squares to choose from, sorted by row.
        squares: Vec<board::Square>,
    },
    /// Whatever the game shows instead.
    Shown(Value),
}

fn texts<A: fmt::Display, S: Serializer>(actions: &[A], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(actions.len()))?;
    let mut text = String::new();
    for action in actions {
        text.clear();
        write!(text, "{action}").map_err(ser::Error::custom)?;
        list.serialize_element(&text)?;
    }
    list.end()
}

impl<A: fmt::Display> Legal<A> {
    /// The same with the texts of actions.
    pub fn into_text(self) -> Legal {
        match self {
            Self::List(actions) => Legal::List(actions.iter().map(ToString::to_string).collect()),
            Self::Factored { directions, walls, squares } => {
                Legal::Factored { directions, walls, squares }
            }
            Self::Shown(shown) => Legal::Shown(shown),
        }
    }
}

/// A position of a game, and the game's whole rule set.
///
/// The game's name and seats are constants of the type. The options in force are
/// [`Game::Rules`], shared by all positions of a game. Programs that do not need the types use
/// [`AnyGame`](crate::AnyGame) instead.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// The checked options of the rule set.
    type Rules: Clone + fmt::Debug + Send + Sync + 'static;
    /// An action of a seat. Its `Display` is the canonical text.
    type Action: Clone + Eq + Ord + Hash + fmt::Debug + fmt::Display + Send;
    /// A chance outcome that the referee draws; [`std::convert::Infallible`] in games without
    /// chance.
    type Chance: Clone + Eq + fmt::Debug + fmt::Display + Send;
    /// The complete state for players: plain data, which always serialises.
    type State: Serialize;
    /// Everything that a position holds besides the rules, as plain data. Positions with equal
    /// snapshots and rules have equal futures.
    type Snapshot: Serialize + DeserializeOwned;

    /// The game's name, for example `watch-your-back`.
    const NAME: &'static str;
    /// The name for people, for example `Watch Your Back!`.
    const TITLE: &'static str;
    /// The names of the seats, first seat first.
    const SEATS: BySide<&'static str>;

    /// The clauses and the options.
    fn sheet() -> &'static RuleSheet;

    /// Builds the rules from options whose values fit those of the [`sheet`](Game::sheet), or fails
    /// if the options contradict each other.
    fn rules(options: &Options) -> Result<Self::Rules, OptionError>;

    /// Returns the reason why a game under these rules might never end, if there is one. Such a
    /// game cannot be played, but `trace` and `test-game --perft` accept it.
    fn endless(rules: &Self::Rules) -> Option<String>;

    /// The start position.
    fn start(rules: &Arc<Self::Rules>) -> Self;

    /// Returns the turn: who acts next, or how the game ended.
    fn turn(&self) -> Turn;

    /// The possible chance outcomes with their weights. Empty unless [`turn`](Game::turn) is
    /// [`Turn::Chance`]; then there is at least one outcome, and not all weights are zero.
    fn outcomes(&self) -> Vec<(Self::Chance, u32)> {
        Vec::new()
    }

    /// The number of plies so far. Every action, including a forced pass, is one ply; so is a
    /// simultaneous turn.
    fn ply(&self) -> u32;

    /// All legal actions of `seat`; empty unless the seat is to choose. They are sorted by their
    /// text if [`legal`](Game::legal) lists them. If it does not, there may be very many.
    fn legal_actions(&self, seat: Side) -> Vec<Self::Action>;

    /// The legal actions in the form sent to players.
    fn legal(&self, seat: Side) -> Legal<Self::Action> {
        Legal::List(self.legal_actions(seat))
    }

    /// The first action that [`legal`](Game::legal) lists. Override this if sorting them is slow.
    fn first_legal(&self, seat: Side) -> Option<Self::Action> {
        match self.legal(seat) {
            Legal::List(actions) => actions.into_iter().next(),
            _ => None,
        }
    }

    /// The number of legal actions of `seat`. Override this if listing them all is slow.
    fn legal_count(&self, seat: Side) -> u64 {
        self.legal_actions(seat).len() as u64
    }

    /// Draws a legal action of `seat`, all with the same probability; `None` if there is none.
    fn random_action(&self, seat: Side, rng: &mut (impl RngCore + ?Sized)) -> Option<Self::Action> {
        self.legal_actions(seat).choose(rng).cloned()
    }

    /// Parses untrusted text as a legal action of `seat`, or says which clause forbids it. Blanks
    /// around the text are ignored; otherwise it must be exact, unless the game has another
    /// notation for people, such as `Nf3` for `g1f3` in chess, which is understood, too. On a
    /// forced pass only the pass is accepted, although it needs no decision.
    fn parse_action(&self, seat: Side, text: &str) -> Result<Self::Action, Refusal>;

    /// Whether `seat` could still win, if the other seat played as badly as it can. If not, it does
    /// not win when the other one runs out of time: the game is a draw.
    fn can_win(&self, _seat: Side) -> bool {
        true
    }

    /// The game's own estimates of the result, from −1 (lost) to 1 (won), if it makes any.
    fn values(&self) -> Option<BySide<f64>> {
        None
    }

    /// Plays a step and appends its events to `events`. If the game ends, the last one is
    /// [`Event::Over`]. The step must answer [`turn`](Game::turn) and be legal.
    ///
    /// # Panics
    /// Any other step may panic or leave an invalid position.
    fn play_unchecked(&mut self, step: Step<Self::Action, Self::Chance>, events: &mut Vec<Event>);

    /// Like [`play_unchecked`](Game::play_unchecked), for programs that need no events.
    fn play_silently(&mut self, step: Step<Self::Action, Self::Chance>) {
        self.play_unchecked(step, &mut Vec::new());
    }

    /// The chance outcomes that lead to different games, for [`perft`](crate::perft()): all
    /// [`outcomes`](Game::outcomes), unless some lead to the same game.
    fn different_outcomes(&self) -> Vec<Self::Chance> {
        self.outcomes().into_iter().map(|(outcome, _)| outcome).collect()
    }

    /// The complete state.
    fn state(&self) -> Self::State;

    /// A hash of the state. Override this if the state is slow to draw.
    fn state_hash(&self) -> u64 {
        hash_game_state(any_game::raw_position_json(&self.state()).get())
    }

    /// Everything that the position holds besides the rules.
    fn snapshot(&self) -> Self::Snapshot;

    /// The position with this snapshot, under the same rules; `None` if there can be none. A
    /// snapshot that no game made may lead to an invalid position.
    fn restored(&self, snapshot: Self::Snapshot) -> Option<Self>;

    /// The board as rows of characters from top to bottom, for people.
    fn rows(&self) -> Vec<String>;

    /// The board for people, square by square: by default, the characters of
    /// [`rows`](Game::rows). The sheet's [`board`](RuleSheet::board) explains them.
    fn cells(&self) -> Vec<DrawnRow> {
        self.rows().iter().map(|row| DrawnRow::from_text(row)).collect()
    }

    /// The die that is to be played, in games with dice: who rolled it, and its number.
    fn die(&self) -> Option<(Side, u8)> {
        None
    }

    /// A line for people with what the board does not show (phase, counts).
    fn caption(&self) -> String;
}
