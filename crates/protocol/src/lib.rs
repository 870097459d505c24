#![doc = include_str!("../README.md")]

mod clock;
mod error;
pub mod escape;
mod field;
mod greeting;
mod message;
pub mod places;
mod reply;
mod score;
mod search;

pub use clock::{InitClock, Measure, TurnClock};
pub use error::{ReplyError, shown};
pub use greeting::{Greeting, Wants};
pub use message::{EndMessage, ErrorMessage, InitMessage, Message, TurnMessage};
pub use reply::{Reply, ReplyWarning};
pub use score::Score;
pub use search::SearchReport;

/// The protocol versions that this crate speaks.
pub const VERSIONS: &[u32] = &[1];

/// The longest line from a player, in bytes, including its newline.
pub const LINE_LIMIT: usize = 64 * 1024;
