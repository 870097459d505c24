//! The house players: opponents inside the binary that speak the wire protocol like any other.
//!
//! A [`Session`] turns received lines into replies and keeps its own position; a [`Bot`] chooses.
//! A bot is a player, not the referee: only here may a clock be read and chance be drawn from a
//! player's seed.

mod allotment;
mod any;
mod back_to_the_wall;
mod backdraughts;
mod engine;
mod greedy;
mod message;
mod meter;
mod players;
mod random;
mod search;
mod seated;
mod serve;
mod session;
mod steady;
mod watch_your_back;

use std::fmt;

use rand_chacha::ChaCha8Rng;

pub use allotment::Allotment;
pub use engine::Engine;
pub use meter::Limit;
pub use players::engine;
pub use serve::serve;
pub use session::{Reaction, Session};

use referee_games::{Game, Seat};

/// The names of the house players. `search-2000` is `search` with at most 2000 nodes a move
/// instead of a clock; any number will do.
pub const NAMES: &[&str] = &["random", "greedy", "steady", "search"];

/// The ladder: players of graded strength, the weakest first, under names that stay.
pub const LADDER: &[&str] =
    &["random", "greedy", "search-100", "search-1000", "search-10000", "search"];

/// A house player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any legal action, each as likely as the others.
    Random,
    /// The action after which it stands best at a glance.
    Greedy,
    /// Keeps the game even and going: no opponent to beat, but one to meet long games with.
    Steady,
    /// Looks ahead as far as the limit allows.
    Search(Limit),
}

/// What a bot plays, and how it likes its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice<A> {
    /// The action.
    pub action: A,
    /// From −1 (lost) to 1 (won), for those who have an opinion.
    pub eval: Option<f64>,
}

/// A player of the game `G`.
pub trait Bot<G: Game>: Send {
    /// Chooses an action for `seat`, which is to move in `position`; `None` only when there is no
    /// legal action.
    fn choose(
        &mut self,
        position: &G,
        seat: Seat,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>>;
}

/// What a game gives house players of its own; [`engine`] lists the games that have some. Every
/// other game has players that know nothing but its rules.
pub trait Playable: Game {
    /// How much better `seat` stands than the other seat at a glance, in the game's own measure;
    /// far less than a million. The game is not over.
    fn lead(&self, seat: Seat) -> i32;

    /// A player that takes what it can get now.
    fn grabber() -> Box<dyn Bot<Self>> {
        Box::new(greedy::Greedy)
    }

    /// A player that looks ahead.
    fn searcher(limit: Limit) -> Box<dyn Bot<Self>>;
}

impl Kind {
    /// A fresh player of this kind, for one game.
    pub fn bot<G: Playable>(self) -> Box<dyn Bot<G>> {
        match self {
            Self::Random => Box::new(random::Random),
            Self::Greedy => G::grabber(),
            Self::Steady => Box::new(steady::Steady),
            Self::Search(limit) => G::searcher(limit),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Steady => f.write_str("steady"),
            Self::Search(Limit::Time) => f.write_str("search"),
            Self::Search(Limit::Nodes(nodes)) => write!(f, "search-{nodes}"),
        }
    }
}

/// The house player called `name`, or which names there are.
pub fn named(name: &str) -> Result<Kind, String> {
    match name {
        "random" => Ok(Kind::Random),
        "greedy" => Ok(Kind::Greedy),
        "steady" => Ok(Kind::Steady),
        "search" => Ok(Kind::Search(Limit::Time)),
        _ => nodes(name).map(Limit::Nodes).map(Kind::Search).ok_or_else(|| unknown(name)),
    }
}

/// The number in `search-<number>`.
fn nodes(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("search-")?;
    digits.starts_with(|first: char| matches!(first, '1'..='9')).then(|| digits.parse().ok())?
}

fn unknown(name: &str) -> String {
    let names: Vec<_> = NAMES.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "there is no built-in player `{name}`; expected {} or `search-<positions per move>`, \
         for example `search-2000`",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests;
