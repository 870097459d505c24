//! The rule sets: pure, deterministic, and unaware of processes, time, files and the wire.
//!
//! A game is a type that implements [`Game`]: a position that answers one question,
//! [`Game::turn`], with data. Untrusted text becomes an action through one door,
//! [`Game::parse_action`]; everything else uses actions that are known to be legal.

pub mod back_to_the_wall;
pub mod backdraughts;
pub mod board;
pub mod event;
pub mod options;
pub mod perft;
mod point;
pub mod seat;
pub mod watch_your_back;

use std::fmt;
use std::sync::Arc;

use rand::RngCore;
use rand::seq::IndexedRandom;
use serde::Serialize;

pub use event::Event;
pub use options::{OptionSpec, Options};
pub use seat::{BySeat, Seat, SeatMap};

/// One clause of a rule set: its id, as refusals cite it, and what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Clause {
    /// The id, for example `W6`.
    pub id: &'static str,
    /// A short name for lists.
    pub title: &'static str,
    /// The clause in words.
    pub text: &'static str,
}

/// Who won a game, apart from why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// The seat that won.
    Win(Seat),
    /// Nobody won.
    Draw,
}

impl GameResult {
    /// What `seat` scores: 1, 0.5 or 0.
    pub fn score(self, seat: Seat) -> f64 {
        match self {
            Self::Win(winner) if winner == seat => 1.0,
            Self::Win(_) => 0.0,
            Self::Draw => 0.5,
        }
    }
}

/// How a game ended by the rules: the result and the reason, for example `elimination`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Who won.
    pub result: GameResult,
    /// Why, in the words of the rule set.
    pub reason: &'static str,
}

/// What happens next in a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn<C> {
    /// This seat chooses an action.
    Move(Seat),
    /// This seat has no legal action and passes by the referee's hand; it is not asked.
    Pass(Seat),
    /// Both seats choose an action, neither knowing the other's.
    Both,
    /// The referee draws one of these outcomes, each with its weight, from a stream of luck. There
    /// is always one, and the weights are not all zero.
    Chance(Stream, Vec<(C, u32)>),
    /// The game is over.
    Over(Outcome),
}

/// A stream of luck of one game. Streams are independent of each other, so that a seat's n-th
/// draw is the same in both games of a pair, whatever the other seat draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// What belongs to one seat.
    Seat(Seat),
    /// What belongs to both.
    Shared,
}

/// One step of a game: what answers a [`Turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<A, C> {
    /// The action of the seat on turn; a forced pass too.
    Move(A),
    /// The actions of both seats.
    Both(BySeat<A>),
    /// The outcome that was drawn.
    Chance(C),
}

/// A step of the game `G`.
pub type StepOf<G> = Step<<G as Game>::Action, <G as Game>::Chance>;

/// Why a text was refused as an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The text fits no action form of the game; says what was expected.
    Malformed(String),
    /// The text is an action, but the rules forbid it now.
    Illegal {
        /// The id of the clause that forbids it.
        clause: &'static str,
        /// The reason in words, beginning with the action's text.
        reason: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(reason) => write!(f, "syntax: {reason}"),
            Self::Illegal { clause, reason } => write!(f, "{clause}: {reason}"),
        }
    }
}

/// The legal actions as the wire shows them.
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

/// Why the options given for a game make no sense together.
pub type OptionError = String;

/// A position of one game, and with it the whole rule set.
///
/// The game's facts ([`NAME`](Game::NAME), seats, clauses, options) are constants of the type;
/// the options in force are [`Game::Rules`], shared by all positions of a game.
pub trait Game: Clone + fmt::Debug + Send + 'static {
    /// The checked options of the rule set.
    type Rules: Clone + fmt::Debug + Send + Sync + 'static;
    /// What a seat may do. Its `Display` is the canonical text.
    type Action: Clone + Eq + Ord + std::hash::Hash + fmt::Debug + fmt::Display + Send;
    /// What the referee may draw; [`std::convert::Infallible`] where there is no chance.
    type Chance: Clone + Eq + fmt::Debug + fmt::Display + Send;
    /// The complete state as the wire shows it.
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
    fn turn(&self) -> Turn<Self::Chance>;

    /// Plies played so far: actions, forced passes included; a simultaneous turn is one.
    fn ply(&self) -> u32;

    /// All legal actions of `seat`; empty unless the seat is to choose. They are sorted by their
    /// text where [`legal`](Game::legal) lists them, and may be very many where it does not.
    fn legal_actions(&self, seat: Seat) -> Vec<Self::Action>;

    /// The legal actions as the wire shows them.
    fn legal(&self, seat: Seat) -> Legal {
        Legal::List(self.legal_actions(seat).iter().map(ToString::to_string).collect())
    }

    /// How many legal actions `seat` has; better than counting them where they are many.
    fn legal_count(&self, seat: Seat) -> u64 {
        self.legal_actions(seat).len() as u64
    }

    /// A legal action of `seat`, each with the same probability; `None` where there is none.
    fn random_action(&self, seat: Seat, rng: &mut dyn RngCore) -> Option<Self::Action> {
        self.legal_actions(seat).choose(rng).cloned()
    }

    /// Turns untrusted text into a legal action of `seat`, or says which clause forbids it.
    /// Outer blanks are ignored; the text is otherwise exact. On a forced pass, the pass alone
    /// is accepted, though nobody is asked for it.
    fn parse_action(&self, seat: Seat, text: &str) -> Result<Self::Action, Refusal>;

    /// The forced pass, when [`turn`](Game::turn) is [`Turn::Pass`]; games in which it never is
    /// need none.
    fn pass() -> Self::Action {
        unreachable!("nobody is made to pass in {}", Self::NAME)
    }

    /// Plays a step that is known to answer [`turn`](Game::turn), and appends what happened to
    /// `events`, the last being [`Event::Over`] when the game ends.
    fn play(&mut self, step: Step<Self::Action, Self::Chance>, events: &mut Vec<Event>);

    /// Plays a step as [`play`](Game::play) does, for those who need no events.
    fn play_silently(&mut self, step: Step<Self::Action, Self::Chance>) {
        self.play(step, &mut Vec::new());
    }

    /// The outcomes of chance that lead to different games, for counting: all that
    /// [`turn`](Game::turn) offers, unless some lead to the same.
    fn different_outcomes(&self) -> Vec<Self::Chance> {
        match self.turn() {
            Turn::Chance(_, outcomes) => outcomes.into_iter().map(|(outcome, _)| outcome).collect(),
            _ => Vec::new(),
        }
    }

    /// The complete state.
    fn state(&self) -> Self::State;

    /// The board as rows of characters from top to bottom, for people.
    fn rows(&self) -> Vec<String>;

    /// Whose square this is, in games where squares have owners: so that people see it in colour.
    /// [`rows`](Game::rows) must tell it without colour too.
    fn owner(&self, _square: board::Square) -> Option<Seat> {
        None
    }

    /// The letters of the pieces on a square where several stand; [`rows`](Game::rows) draws their
    /// number there. Games in which pieces never share a square need none.
    fn shared(&self, _square: board::Square) -> Vec<char> {
        Vec::new()
    }

    /// Whose goal this square is, in games with goals: so that people see it on the board.
    fn goal(&self, _square: board::Square) -> Option<Seat> {
        None
    }

    /// A line about what the board does not show (phase, counts), for people.
    fn caption(&self) -> String;
}

/// The games, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameKind {
    /// Watch Your Back!
    WatchYourBack,
    /// Backdraughts
    Backdraughts,
    /// Back to the Wall
    BackToTheWall,
}

impl GameKind {
    /// Every game.
    pub const fn all() -> &'static [Self] {
        &[Self::WatchYourBack, Self::Backdraughts, Self::BackToTheWall]
    }

    /// The game called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().iter().copied().find(|kind| kind.name() == name)
    }

    /// The game's name.
    pub fn name(self) -> &'static str {
        crate::with_game!(self, G => G::NAME)
    }

    /// The name as people write it.
    pub fn title(self) -> &'static str {
        crate::with_game!(self, G => G::TITLE)
    }
}

/// Evaluates `$body` with `$G` standing for the type of the game `$kind`: the one place where a
/// game's name becomes its type.
#[macro_export]
macro_rules! with_game {
    ($kind:expr, $G:ident => $body:expr) => {
        match $kind {
            $crate::GameKind::WatchYourBack => {
                type $G = $crate::watch_your_back::WatchYourBack;
                $body
            }
            $crate::GameKind::Backdraughts => {
                type $G = $crate::backdraughts::Backdraughts;
                $body
            }
            $crate::GameKind::BackToTheWall => {
                type $G = $crate::back_to_the_wall::BackToTheWall;
                $body
            }
        }
    };
}
